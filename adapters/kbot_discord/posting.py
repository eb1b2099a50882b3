"""New messages in Discord, each once, and what belongs to them: sources below, and answers that one person sees."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from kbot.chat import KbotError, MessageGone, Place, get_logger
from kbot_discord.calls import Calls, DeniedError
from kbot_discord.directory import Directory
from kbot_discord.events import channel_id
from kbot_discord.rendering import EPHEMERAL, Body, plain
from kbot_discord.turn import LIFE, Hook, Turn
from kbot_discord.words import words_in

log = get_logger(__name__)

_MESSAGES = "/channels/{}/messages"
_MESSAGE = "/channels/{}/messages/{}"
_FOLLOWUPS = "/webhooks/{}/{}"
_FOLLOWUP = "/webhooks/{}/{}/messages/{}"
_REPLY = 19  # the type of a message that refers to another
_PARTING = 1.0


class Posting:
    """Posts, edits and deletes messages of one application. `life` is how long the token of a command is used."""

    def __init__(self, calls: Calls, directory: Directory, application: str, user: str) -> None:
        self.life = LIFE
        self._calls = calls
        self._directory = directory
        self._application = application
        self._user = user
        self._tied: dict[str, Hook] = {}
        self._below: dict[str, list[str]] = {}
        self._orphans: set[asyncio.Task[None]] = set()
        self._watches: dict[str, asyncio.Task[None]] = {}

    async def post(
        self, place: Place, turn: Turn, body: Body, *, referring: bool = False, file: tuple[str, str] | None = None
    ) -> str:
        """Post a message; returns its id. The same call may be repeated after ConnectionError and RateLimited: the
        message is there once. With a command the first message is its response. Raises as calls do."""
        posting = asyncio.create_task(self._post(place, turn, body, referring, file), name="discord post")
        try:
            return await asyncio.shield(posting)
        except asyncio.CancelledError:
            # Nobody will know of the message, should it be posted in the end.
            orphan = asyncio.create_task(self._take_back(place, posting), name="take back")
            self._orphans.add(orphan)
            orphan.add_done_callback(self._orphans.discard)
            raise

    async def edit(self, place: Place, message_id: str, body: Body) -> None:
        """Change a message. Raises as calls do."""
        if hook := self._tied.get(message_id):
            self._check(hook, place)
            await self._calls("PATCH", _FOLLOWUP, self._application, hook.token, message_id, body=_changed(body))
        else:
            await self._call(place, "PATCH", _MESSAGE, message_id, body=body)

    async def delete(self, place: Place, message_id: str) -> None:
        """Delete a message, and what stands below it. Raises as calls do."""
        await self.clear_below(place, message_id)
        if hook := self._tied.get(message_id):
            self._check(hook, place)
            await self._calls("DELETE", _FOLLOWUP, self._application, hook.token, message_id)
            del self._tied[message_id]
        else:
            await self._call(place, "DELETE", _MESSAGE, message_id)
            self._below.pop(message_id, None)

    async def post_below(self, place: Place, turn: Turn, message_id: str, bodies: list[Body]) -> None:
        """Post messages that belong to another one, the sources of an answer that did not fit into it. They refer to
        it, so that another process finds them."""
        below = self._below.setdefault(message_id, [])
        for number in range(len(below), len(bodies)):
            if message_id in self._tied:
                below.append(await self.post(place, turn, bodies[number]))
                continue
            body = bodies[number] | {"nonce": f"{turn.mark}.{number}", "enforce_nonce": True}
            if self._directory.may_refer(place):
                body["message_reference"] = {"message_id": message_id, "fail_if_not_exists": False}
            below.append(str((await self._call(place, "POST", _MESSAGES, body=body))["id"]))

    async def clear_below(self, place: Place, message_id: str) -> None:
        """Delete what was posted below a message, also by another process. Raises as calls do."""
        if message_id not in self._below:
            self._below[message_id] = [] if message_id in self._tied else await self._find_below(place, message_id)
        below = self._below[message_id]
        while below:
            try:
                await self._call(place, "DELETE", _MESSAGE, below[-1])
            except MessageGone:
                log.info("message_gone", channel=channel_id(place))
            below.pop()

    def posted_alone(self, message_id: str) -> None:
        """Remember that nothing stands below a message, since it is new."""
        while len(self._below) >= 5000:
            self._below.pop(next(iter(self._below)))
        self._below.setdefault(message_id, [])

    async def tell(self, hook: Hook, body: Body) -> None:
        """Tell the person of a command something that they alone see: in its first response while that is awaited."""
        if hook.filled:
            await self._calls(
                "POST", _FOLLOWUPS, self._application, hook.token, body=body | {"flags": body["flags"] | EPHEMERAL}
            )
        else:
            await self._calls("PATCH", _FOLLOWUP, self._application, hook.token, "@original", body=_changed(body))
            hook.filled = True

    async def close(self) -> None:
        """Wait a moment for what is being taken back."""
        for watch in self._watches.values():
            watch.cancel()
        if self._orphans:
            _, late = await asyncio.wait(self._orphans, timeout=_PARTING)
            for task in late:
                task.cancel()

    async def _post(self, place: Place, turn: Turn, body: Body, referring: bool, file: tuple[str, str] | None) -> str:
        hook = turn.hook
        files = [file] if file else []
        if hook and (hook.tied or not hook.filled):
            told = await self._respond(place, hook, body, files)
            if hook.tied:
                self._tied[str(told["id"])] = hook
                self._watch(hook)
            return self._noted(turn, told)
        if place.thread and place.thread.startswith("ask:"):
            raise self._over(place)
        named = body | {"nonce": turn.nonce, "enforce_nonce": True}
        if referring and turn.reference and self._directory.may_refer(place):
            named["message_reference"] = {"message_id": turn.reference, "fail_if_not_exists": False}
        try:
            told = await self._call(place, "POST", _MESSAGES, body=named, files=files)
        except ConnectionError:
            turn.doubtful = True
            raise
        if turn.doubtful and told["content"] != body["content"].strip():
            # It was posted then, and only the answer was lost: it still shows what was to be seen at that time.
            await self._call(place, "PATCH", _MESSAGE, str(told["id"]), body=body)
        turn.doubtful = False
        return self._noted(turn, told)

    async def _respond(self, place: Place, hook: Hook, body: Body, files: list[tuple[str, str]]) -> dict[str, Any]:
        self._check(hook, place)
        if hook.filled:
            flags = body["flags"] | (EPHEMERAL if hook.ephemeral else 0)
            return await self._calls(
                "POST",
                _FOLLOWUPS,
                self._application,
                hook.token,
                body=body | {"flags": flags},
                files=files,
                query={"wait": "true"},
            )
        told = await self._calls(
            "PATCH", _FOLLOWUP, self._application, hook.token, "@original", body=_changed(body), files=files
        )
        hook.filled = True
        return told

    def _noted(self, turn: Turn, told: Mapping[str, Any]) -> str:
        turn.posted += 1
        message_id = str(told["id"])
        self.posted_alone(message_id)
        return message_id

    def _watch(self, hook: Hook) -> None:
        """Tell the person of a tied answer when it is not finished in time."""
        if hook.token not in self._watches:
            watch = self._watches[hook.token] = asyncio.create_task(self._warn(hook), name="discord token")
            watch.add_done_callback(lambda _: self._forget(hook))

    async def _warn(self, hook: Hook) -> None:
        try:
            async with asyncio.timeout(self.life - (time.monotonic() - hook.born)):
                await hook.ended.wait()
            # For what still belongs to the end: further messages, sources, a file.
            await asyncio.sleep(self.life - (time.monotonic() - hook.born))
        except TimeoutError:
            try:
                await self.tell(hook, plain(words_in(hook.language).too_long))
            except (KbotError, ConnectionError) as error:
                log.warning("person_not_told", told=str(error))

    def _forget(self, hook: Hook) -> None:
        self._watches.pop(hook.token, None)
        for message_id in [one for one, tied in self._tied.items() if tied is hook]:
            del self._tied[message_id]

    def _check(self, hook: Hook, place: Place) -> None:
        if time.monotonic() - hook.born > self.life:
            raise self._over(place)

    def _over(self, place: Place) -> MessageGone:
        return MessageGone(f"The command in {place.channel} that was answered cannot be answered any more. Ask again.")

    async def _find_below(self, place: Place, message_id: str) -> list[str]:
        """The messages of kbot right below one of its messages that refer to it."""
        if not message_id.isdecimal():
            return []
        try:
            after = await self._call(place, "GET", _MESSAGES, query={"after": message_id, "limit": "10"})
        except DeniedError:
            return []
        return [
            str(one["id"])
            for one in reversed(after)
            if one.get("type") == _REPLY and one["author"]["id"] == self._user and _original(one) == message_id
        ]

    async def _call(self, place: Place, method: str, path: str, *parts: str, **more: Any) -> Any:
        """A call in the channel of a place; what kbot is not allowed there is told to the operator."""
        try:
            told = await self._calls(method, path, channel_id(place), *parts, **more)
        except DeniedError as denied:
            self._directory.note_denied(place, denied, files=bool(more.get("files")))
            raise
        if method == "POST":
            self._directory.note_allowed(place)
        return told

    async def _take_back(self, place: Place, posting: "asyncio.Task[str]") -> None:
        try:
            await self.delete(place, await posting)
        except (KbotError, ConnectionError) as error:
            log.warning("post_not_taken_back", told=str(error))


def _original(told: Mapping[str, Any]) -> str | None:
    """The id of the message that a message refers to."""
    reference: Mapping[str, str] = told.get("message_reference") or {}
    return reference.get("message_id")


def _changed(body: Body) -> Body:
    """The body for a change by a command's token, where flags of the first response stay as they are."""
    return {name: value for name, value in body.items() if name != "flags"}
