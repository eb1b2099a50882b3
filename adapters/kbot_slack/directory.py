"""What Slack says of people and channels, asked once in a while."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from kbot.chat import KbotError, MessageGone, Person, get_logger
from kbot_slack.calls import Calls, SlackError, next_cursor

log = get_logger(__name__)

_PERSON_SECONDS = 60.0
_CHANNEL_SECONDS = 300.0
_POLITE_SECONDS = 1.0  # that a person waits for kbot to learn their language
_MOST = 10_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Profile:
    """A person as the workspace knows them."""

    language: str
    admin: bool


@dataclass(frozen=True, slots=True)
class Channel:
    """A conversation: its name, "" for a direct message; whether it is private; whether kbot is in it."""

    name: str
    private: bool
    member: bool


class Directory:
    """People and channels of one workspace. `admins` are user ids; without any, Slack says who is one."""

    def __init__(self, calls: Calls, admins: frozenset[str]) -> None:
        self._calls = calls
        self._admins = admins
        self._people: dict[str, tuple[float, Profile]] = {}
        self._channels: dict[str, tuple[float, Channel]] = {}
        self._kinds: dict[str, tuple[float, bool]] = {}

    async def person(self, user: str) -> Person:
        """The person with their language, "" if Slack does not say it at once."""
        try:
            async with asyncio.timeout(_POLITE_SECONDS):
                return Person(user, (await self._profile(user)).language)
        except (KbotError, OSError) as error:  # TimeoutError and ConnectionError are OSErrors
            log.info("language_unknown", error=type(error).__name__)
            return Person(user)

    async def is_admin(self, user: str) -> bool:
        """Whether a person is one of the admins that are set, or else an admin or owner of the workspace. Raises as
        calls do."""
        if self._admins:
            return user in self._admins
        try:
            return (await self._profile(user)).admin
        except SlackError as refusal:
            if refusal.code in {"user_not_found", "user_not_visible"}:
                return False
            raise

    def learn(self, channel: str, kind: str | None) -> None:
        """Remember what an event says of its channel."""
        if kind:
            self._kinds[channel] = (time.monotonic() + _CHANNEL_SECONDS, kind != "channel")

    async def is_private(self, channel: str) -> bool:
        """Whether a channel is not open to the whole workspace; it counts as private when Slack does not say."""
        until, private = self._kinds.get(channel, (0.0, True))
        if time.monotonic() < until:
            return private
        try:
            return (await self.channel(channel)).private
        except SlackError as refusal:
            return not channel.startswith("C") if refusal.code == "unknown_method" else True
        except (KbotError, ConnectionError) as error:
            log.info("channel_unknown", told=str(error))
            return True

    async def is_member(self, channel: str) -> bool:
        """Whether kbot may write in a channel, as far as Slack says it: a post there will tell."""
        try:
            return (await self.channel(channel)).member
        except SlackError:
            return True

    async def channel(self, channel: str) -> Channel:
        """A channel as Slack describes it; one that kbot may not see is private, and without it. Raises as calls do."""
        found = await _remembered(self._channels, channel, _CHANNEL_SECONDS, self._ask_for_channel)
        if not found.member:  # somebody may just be inviting kbot
            del self._channels[channel]
        return found

    async def holds(self, channel: str, user: str) -> bool:
        """Whether a person is in a channel. Raises as calls do."""
        cursor: str | None = None
        while True:
            answer = await self._calls("conversations.members", channel=channel, limit=200, cursor=cursor)
            if user in cast(list[str], answer.get("members") or []):
                return True
            if not (cursor := next_cursor(answer)):
                return False

    async def _profile(self, user: str) -> Profile:
        return await _remembered(self._people, user, _PERSON_SECONDS, self._ask_for_profile)

    async def _ask_for_profile(self, user: str) -> Profile:
        told: dict[str, Any] = (await self._calls("users.info", user=user, include_locale="true"))["user"]
        admin = any(told.get(role) for role in ("is_admin", "is_owner", "is_primary_owner"))
        return Profile(str(told.get("locale") or ""), admin and not told.get("deleted"))

    async def _ask_for_channel(self, channel: str) -> Channel:
        try:
            told: dict[str, Any] = (await self._calls("conversations.info", channel=channel))["channel"]
        except MessageGone:
            return Channel("", private=True, member=False)
        direct = bool(told.get("is_im"))
        closed = direct or any(told.get(kind) for kind in ("is_private", "is_mpim", "is_group"))
        return Channel("" if direct else str(told.get("name") or ""), closed, direct or bool(told.get("is_member")))


async def _remembered(
    known: dict[str, tuple[float, T]], name: str, seconds: float, look_up: Callable[[str], Awaitable[T]]
) -> T:
    until, value = known.get(name, (0.0, None))
    if value is None or time.monotonic() >= until:
        value = await look_up(name)
        if len(known) >= _MOST:
            known.clear()
        known[name] = (time.monotonic() + seconds, value)
    return value
