"""Slack as a place to talk: what the bot needs of it."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TypeVar

import aiohttp

from kbot.chat import (
    Attachment,
    Bot,
    Content,
    DeliveryError,
    Limits,
    MessageGone,
    Place,
    RateLimited,
    Rejected,
    SettingsError,
    check_home,
    get_logger,
)
from kbot_slack.blocks import TEXT, ephemeral, message
from kbot_slack.calls import SECONDS, Calls, SlackError, client_for
from kbot_slack.connection import over_http, over_socket
from kbot_slack.directory import Directory
from kbot_slack.events import Identity
from kbot_slack.listeners import Listeners
from kbot_slack.markup import count
from kbot_slack.posting import Posting
from kbot_slack.settings import SlackSettings
from kbot_slack.startup import check
from kbot_slack.streaming import Streams, is_open

log = get_logger(__name__)

# A hundred messages hold any answer of a model, so that none ends in a file, which kbot does not ask to be allowed to
# write; 45 a minute leave some of Slack's 50 edits to others of the app's calls.
LIMITS = Limits(post=TEXT, edit=TEXT, messages=100, interval=1.2, count=count, per_minute=45)

_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)
_LONGEST_PAUSE = 30.0

T = TypeVar("T")


class SlackAdapter:
    """Shows replies in the channels, threads and direct messages of one workspace."""

    name = "slack"

    def __init__(self, settings: SlackSettings | None = None) -> None:
        """Raises SettingsError if the environment does not say how to reach Slack."""
        self.settings = settings or SlackSettings.read()
        self.limits = LIMITS
        self._no_status = False

    async def run(self, bot: Bot) -> None:
        """Serve the workspace until cancelled. Raises SettingsError if Slack does not take the tokens, also later."""
        async with self.connected():
            listeners = Listeners(self, bot)
            async with AsyncExitStack() as stack:
                stack.push_async_callback(listeners.end)
                await stack.enter_async_context(bot.serving(self))
                serving = asyncio.create_task(self._listen(listeners), name="slack events")
                dead = asyncio.create_task(self.calls.dead.wait(), name="slack token")
                try:
                    await asyncio.wait({serving, dead}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    dead.cancel()
                    serving.cancel()
                    await asyncio.wait({serving})
                    await listeners.settle()
                if not serving.cancelled():
                    serving.result()
                raise SettingsError(
                    "Slack does not take the token of KBOT_SLACK_BOT_TOKEN any more: it was revoked, or the app was "
                    "removed. Install the app again, set the new token and restart kbot."
                )

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None]:
        """The time in which calls can be made, after a check of the settings. Raises SettingsError."""
        token, api = self.settings.bot_token.get_secret_value(), self.settings.api_url
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS)) as session:
            self.session, self.client = session, client_for(token, api, session)
            self.identity: Identity = await check(self.settings, self.client, session)
            self.limits = replace(LIMITS, budget=self.identity.team_id)
            self.calls = Calls(self.client, session)
            self.directory = Directory(self.calls, self.settings.admins)
            self.posting = Posting(self.calls)
            self._streams = Streams(self.calls, self.identity.user_id)
            try:
                yield
            finally:
                await self.posting.close()

    async def send(self, place: Place, content: Content) -> str:
        """As `Adapter.send`. A post whose answer is lost is looked for before it is posted again."""
        channel, thread = where(place)
        if content.stage == "placeholder" and thread and channel.startswith("D"):
            await self._set_status(channel, thread, content.text)
            if self.settings.native_stream and (ts := await self._streams.start(channel, thread)):
                return ts
        _, ts = await self.posting.post(channel, thread, message(content, uuid.uuid4().hex), content.key)
        return ts

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """As `Adapter.edit`."""
        channel, _ = where(place)
        if await self._streams.grow(channel, message_id, content):
            return
        try:
            await self.calls("chat.update", channel=channel, ts=message_id, **message(content, uuid.uuid4().hex))
        except SlackError as refusal:
            if not is_open(refusal):
                raise
            await self._streams.stop(channel, message_id)
            raise ConnectionError("The message was still open as a stream; now it can be edited.") from refusal

    async def delete(self, place: Place, message_id: str) -> None:
        """As `Adapter.delete`."""
        channel, _ = where(place)
        try:
            await self.calls("chat.delete", channel=channel, ts=message_id)
        except SlackError as refusal:
            if not is_open(refusal):
                raise
            await self._streams.stop(channel, message_id)
            await self.calls("chat.delete", channel=channel, ts=message_id)

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """As `Adapter.send_file`, in a further message, since kbot does not ask for the right to write files. Raises
        DeliveryError for a text that does not fit into one: so many messages leave no such tail."""
        if count(text) > TEXT:
            raise DeliveryError(
                f"{name} is longer than a message, and kbot writes no files in Slack: ask for less at once, or set "
                "KBOT_ANSWER_TOKENS to less."
            )
        await self.send(place, Content(text, "final"))

    async def whisper(self, place: Place, person: str, text: str) -> None:
        """As `Adapter.whisper`; in direct messages there is nobody to keep it from."""
        channel, thread = where(place)
        if channel.startswith("D"):
            await self.posting.post(channel, thread, ephemeral(text))
        else:
            await self.calls("chat.postEphemeral", channel=channel, thread_ts=thread, user=person, **ephemeral(text))

    async def is_admin(self, place: Place, person: str) -> bool:
        """As `Adapter.is_admin`: who is in KBOT_SLACK_ADMINS, or an admin or owner of the workspace."""
        return await self.directory.is_admin(person)

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        """As `Adapter.download`: the token goes to Slack's own hosts, and to that of a local server."""
        if not attachment.url:
            raise Rejected(
                f"Slack holds {attachment.name} back: it is beyond the plan's limit, or belongs to another workspace "
                "that does not give it out. Attach it here anew. · O Slack retém o arquivo: passou do limite do plano "
                "ou é de outro workspace que não o libera. Anexe-o aqui de novo."
            )
        # What is no address at all lies elsewhere as well.
        check_home(attachment, ("slack.com",), self.settings.api_url)
        return {"Authorization": f"Bearer {self.settings.bot_token.get_secret_value()}"}

    async def insist(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call that nobody else would repeat, some times if need be. Raises as calls do."""
        for pause in _PAUSES:
            try:
                return await call()
            except RateLimited as limit:
                await asyncio.sleep(min(limit.retry_after, _LONGEST_PAUSE))
            except ConnectionError:
                await asyncio.sleep(pause)
        return await call()

    async def _listen(self, listeners: Listeners) -> None:
        settings = self.settings
        if app_token := settings.app_token.get_secret_value():
            await over_socket(listeners.app, client_for(app_token, settings.api_url, self.session), self.session)
        else:
            await over_http(listeners.app, settings.signing_secret.get_secret_value(), settings.host, settings.port)

    async def _set_status(self, channel: str, thread: str, text: str) -> None:
        """Show that kbot is at work where Slack has a place for that; not all apps and threads have."""
        if self._no_status:
            return
        try:
            await self.calls("assistant.threads.setStatus", channel_id=channel, thread_ts=thread, status=text)
        except SlackError as refusal:
            self._no_status = True
            log.debug("status_refused", told=str(refusal))
        except (MessageGone, ConnectionError) as error:
            log.debug("status_not_shown", told=str(error))


def where(place: Place) -> tuple[str, str | None]:
    """A place's channel and thread as Slack has them. Raises MessageGone for one that a message cannot be posted in,
    such as the answer to a command, which lives as long as the process that took it."""
    if place.thread and place.thread.startswith("ask:"):
        raise MessageGone("The answer to a command can only be given by the process that took the command. Ask again.")
    return place.channel.removeprefix("slack:"), place.thread
