"""A chat platform in memory that enforces what real ones do, and remembers what its reader saw."""

import asyncio
import time
from collections.abc import Callable, Mapping
from itertools import count

from kbot.chat import Answer, Attachment, Content, Limits, Place
from kbot.errors import DeliveryError, MessageGone, RateLimited
from kbot.live_reply import LiveReply

PLACE = Place("default", "memory:general")
ANSWER = Answer("q", "a", grounded=True, refused=False)
STEP = 0.01


class Platform:
    """Messages in memory, with a platform's rules: lengths, no blank text, one call at a time, a rate, faults by plan.

    `faults` maps the number of a call (from 0) to what it raises; with `late` the call takes effect all the same.
    `views` holds what a reader saw after each change.
    """

    name = "memory"

    def __init__(self, limits: Limits, *, latency: float = 0.0, gap: float = 0.0) -> None:
        self.limits = limits
        self.latency = latency
        self.gap = gap
        self.messages: dict[str, Content] = {}
        self.files: list[str] = []
        self.whispers: list[tuple[str, str]] = []
        self.admins: set[str] = set()
        self.views: list[tuple[str, ...]] = []
        self.calls: list[tuple[float, str, str]] = []
        self.faults: dict[int, Exception] = {}
        self.late = False
        self.refuse: Callable[[str, Content], Exception | None] = lambda verb, content: None
        self.deleted = False
        self._numbers = count()
        self._busy = False
        self._last = float("-inf")

    async def _call(self, verb: str, content: Content, apply: Callable[[], None]) -> None:
        assert not self._busy, "two calls of one reply in flight"
        self._busy = True
        number = len(self.calls)
        self.calls.append((time.monotonic(), verb, content.text))
        try:
            await asyncio.sleep(self.latency)
            if self.deleted:
                raise MessageGone("unknown message")
            if not content.text.strip():
                raise DeliveryError("empty message")
            if len(content.text) > (self.limits.edit if verb == "edit" else self.limits.post) and verb != "file":
                raise DeliveryError("message too long")
            since = time.monotonic() - self._last
            if since < self.gap:
                raise RateLimited(self.gap - since)
            if refusal := self.refuse(verb, content):
                raise refusal
            fault = self.faults.get(number)
            if fault and not self.late:
                raise fault
            self._last = time.monotonic()
            apply()
            self.views.append(tuple(content.text for content in self.messages.values()))
            if fault:
                raise fault
        finally:
            self._busy = False

    async def send(self, place: Place, content: Content) -> str:
        message_id = f"m{next(self._numbers)}"
        await self._call("send", content, lambda: self.messages.update({message_id: content}))
        return message_id

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        await self._call("edit", content, lambda: self.messages.update({message_id: content}))

    async def delete(self, place: Place, message_id: str) -> None:
        await self._call("delete", Content(".", "final"), lambda: self.messages.__delitem__(message_id))

    async def whisper(self, place: Place, person: str, text: str) -> None:
        self.whispers.append((person, text))

    async def is_admin(self, place: Place, person: str) -> bool:
        return person in self.admins

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        return {}

    async def send_file(self, place: Place, name: str, text: str) -> None:
        await self._call("file", Content(text, "final"), lambda: self.files.append(text))

    @property
    def seen(self) -> list[str]:
        return [content.text for content in self.messages.values()]

    @property
    def answers(self) -> list[Answer | None]:
        return [content.answer for content in self.messages.values()]

    def verbs(self) -> list[str]:
        return [verb for _, verb, _ in self.calls]


def platform(
    *, post: int = 200, edit: int = 100, messages: int = 3, latency: float = 0.0, gap: float = 0.0
) -> Platform:
    return Platform(Limits(post, edit, messages, STEP), latency=latency, gap=gap)


async def grow(reply: LiveReply, text: str, pause: float = 0.001) -> None:
    for word in text.split(" "):
        reply.write(f"{word} ")
        await asyncio.sleep(pause)


def words(count: int, word: str = "palavra") -> str:
    return " ".join(f"{word}{n}" for n in range(count))
