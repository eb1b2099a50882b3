"""The state of the local Slack: people, channels, messages, files, open modals, and who may do what."""

import itertools
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fakes.platform import Faults, Traffic, View
from fakes.slack_blocks import pings_in, shown, sources_of

Json = dict[str, Any]
Kind = Literal["channel", "group", "im", "mpim"]

SCOPES = (
    "app_mentions:read channels:history channels:read chat:write commands files:read groups:history groups:read "
    "im:history mpim:history users:read"
)
EVENTS = "app_mention message.im message.mpim message.channels message.groups app_uninstalled tokens_revoked"
RATES = {
    "chat.postMessage": 60,  # in each channel, with a burst allowed
    "chat.update": 50,
    "chat.delete": 50,
    "chat.startStream": 20,
    "chat.stopStream": 20,
    "conversations.info": 50,
    "conversations.open": 50,
    "assistant.threads.setStatus": 600,
    "auth.test": 600,
}
OTHER_RATE = 100


@dataclass(eq=False)
class User:
    """A person, or the bot."""

    id: str
    name: str
    admin: bool = False
    owner: bool = False
    locale: str = "en-US"


@dataclass(eq=False)
class Channel:
    """A conversation of any kind, and who is in it."""

    id: str
    name: str
    kind: Kind
    members: set[str]
    archived: bool = False


@dataclass(eq=False)
class Message:
    """One message, which stays known after it is deleted. `streaming_until` is a `time.monotonic`."""

    ts: str
    channel: str
    user: str
    text: str = ""
    blocks: list[Json] = field(default_factory=list[Json])
    thread: str | None = None
    files: tuple[Json, ...] = ()
    to: str | None = None
    edited: str | None = None
    deleted: bool = False
    unfurls: bool = False
    streaming_until: float = 0.0
    views: list[View] = field(default_factory=list[View])
    client_msg_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    metadata: Json | None = None

    @property
    def streaming(self) -> bool:
        return time.monotonic() < self.streaming_until


@dataclass(eq=False)
class OpenView:
    """A modal that a person has before them; `errors` is what it says below its fields."""

    id: str
    user: str
    view: Json
    hash: str
    errors: Json = field(default_factory=Json)


@dataclass(eq=False)
class Hook:
    """A response_url: what it was made for, and how often it was used."""

    user: str
    channel: str
    message: Message | None
    until: float
    uses: int = 0


@dataclass(eq=False, repr=False)
class World:
    """What a test may set, and what is there.

    `time_scale` multiplies Slack's waits in seconds: how long an ack may take, after which a retry comes, how long a
    trigger, a response_url and a native stream live. `rates` are calls a minute, `burst` the messages that a channel
    takes at once; `faults` strike the methods whose names begin with `faulty`.
    """

    url: str = ""
    team: str = "T0KBOT"
    app: str = "A0KBOT"
    bot_token: str = "xoxb-1-right"
    app_token: str = "xapp-1-right"
    scopes: set[str] = field(default_factory=lambda: set(SCOPES.split()))
    events: set[str] = field(default_factory=lambda: set(EVENTS.split()))
    socket_mode: bool = True
    revoked: bool = False
    rates: dict[str, int] = field(default_factory=lambda: dict(RATES))
    burst: int = 30
    faults: Faults = field(default_factory=Faults)
    faulty: str = "chat."
    traffic: Traffic = field(default_factory=Traffic)
    time_scale: float = 1.0
    ack_within: float = 3.0
    retry_after: Sequence[float] = (0.0, 60.0, 300.0)
    trigger_lives: float = 3.0
    response_lives: float = 1800.0
    stream_lives: float = 300.0
    deliver_times: int = 1
    files_elsewhere: bool = False
    tombstones: bool = True
    users: dict[str, User] = field(default_factory=dict[str, User])
    channels: dict[str, Channel] = field(default_factory=dict[str, Channel])
    posts: dict[str, Message] = field(default_factory=dict[str, Message])
    files: dict[str, Json] = field(default_factory=dict[str, Json])
    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    modals: dict[str, list[OpenView]] = field(default_factory=dict[str, list[OpenView]])
    triggers: dict[str, tuple[str, float]] = field(default_factory=dict[str, tuple[str, float]])
    spent_triggers: set[str] = field(default_factory=set[str])
    hooks: dict[str, Hook] = field(default_factory=dict[str, Hook])
    statuses: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    pings: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    unfurls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    tickets: set[str] = field(default_factory=set[str])
    refused_until: float = 0.0
    uploads: dict[str, Json] = field(default_factory=dict[str, Json])
    tokens_elsewhere: list[str] = field(default_factory=list[str])
    deliver: Callable[[Json], None] = lambda event: None
    _last: int = 0
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.bot = User("U0KBOT", "kbot")
        self.bot_id = "B0KBOT"
        self.users[self.bot.id] = self.bot

    @property
    def api_url(self) -> str:
        """The base of the Web API: what KBOT_SLACK_API_URL is set to."""
        return f"{self.url}/api/"

    def add_user(self, name: str, *, admin: bool = False, owner: bool = False, locale: str = "en-US") -> str:
        """A person of the workspace, who is in no channel yet; returns the id."""
        user = User(self.new_id("U"), name, admin, owner, locale)
        self.users[user.id] = user
        return user.id

    def add_channel(self, name: str, members: Sequence[str] = (), *, kind: Kind = "channel", bot: bool = True) -> str:
        """A conversation of these people, and of the bot unless told otherwise; returns the id."""
        channel = Channel(self.new_id("D" if kind == "im" else "C"), name, kind, {*members})
        if bot:
            channel.members.add(self.bot.id)
        self.channels[channel.id] = channel
        return channel.id

    def kick_bot(self, channel: str) -> None:
        self.channels[channel].members.discard(self.bot.id)

    def archive(self, channel: str) -> None:
        self.channels[channel].archived = True

    def revoke_tokens(self) -> None:
        self.revoked = True

    def add_file(self, name: str, content: bytes, mimetype: str, user: str, *, mode: str = "hosted") -> Json:
        """A file that somebody uploaded, as Slack describes it. One of mode "external" lies on another host, of which
        Slack knows only the address."""
        file_id = self.new_id("F")
        address = f"{self.url}/files-pri/{self.team}-{file_id}/{name}"
        if mode == "external":
            address = f"https://files.example.org/{file_id}/{name}"
        described = {
            "id": file_id,
            "name": name,
            "title": name,
            "mimetype": mimetype,
            "filetype": name.rpartition(".")[2],
            "user": user,
            "size": len(content),
            "mode": mode,
            "is_external": mode == "external",
            "url_private": address,
            "url_private_download": address,
        }
        self.files[file_id], self.contents[file_id] = described, content
        return described

    def new_id(self, letter: str) -> str:
        return f"{letter}{next(self._numbers):08X}"

    def new_ts(self) -> str:
        """The time of day in microseconds, which is a message's id: unique, and in order."""
        self._last = max(self._last + 1, int(time.time() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def scaled(self, seconds: float) -> float:
        return seconds * self.time_scale

    def new_trigger(self, user: str) -> str:
        trigger = f"{next(self._numbers)}.{self.team}.{uuid.uuid4().hex}"
        self.triggers[trigger] = (user, time.monotonic() + self.scaled(self.trigger_lives))
        return trigger

    def new_hook(self, user: str, channel: str, message: Message | None = None) -> str:
        name = uuid.uuid4().hex
        self.hooks[name] = Hook(user, channel, message, time.monotonic() + self.scaled(self.response_lives))
        return f"{self.url}/hooks/{name}"

    def post(self, message: Message) -> Message:
        """Put a message into its channel."""
        self.posts[message.ts] = message
        self.changed(message)
        if message.user == self.bot.id and message.thread and not message.to:
            self.statuses.pop((message.channel, message.thread), None)
        return message

    def changed(self, message: Message) -> None:
        """Note what the message shows now, and whom that calls."""
        if message.deleted:
            message.views.append(View(time.monotonic(), None))
            return
        text = shown(message.text, message.blocks, self.names)
        message.views.append(View(time.monotonic(), text, sources_of(message.blocks, self.names)))
        if message.user != self.bot.id:
            return
        for kind, found in pings_in(message.text, message.blocks):
            if kind == "ping" and (message.ts, found) not in self.pings:
                self.pings.append((message.ts, found))
            elif kind == "link" and message.unfurls and (message.ts, found) not in self.unfurls:
                self.unfurls.append((message.ts, found))

    @property
    def names(self) -> dict[str, str]:
        """What people read in place of an id."""
        return {each.id: each.name for each in (*self.users.values(), *self.channels.values())}

    def replies(self, ts: str) -> list[Message]:
        return [message for message in self.posts.values() if message.thread == ts and not message.deleted]

    def direct(self, user: str) -> Channel:
        """The direct messages of a person with the bot, opened if need be."""
        for channel in self.channels.values():
            if channel.kind == "im" and channel.members == {user, self.bot.id}:
                return channel
        return self.channels[self.add_channel(self.users[user].name, [user], kind="im")]
