"""Discord as a place to talk: what the bot needs of it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from kbot.chat import Attachment, Bot, Content, Limits, Place, check_home, get_logger
from kbot_discord.calls import SECONDS, Calls
from kbot_discord.client import Client
from kbot_discord.directory import Directory
from kbot_discord.posting import Posting
from kbot_discord.rendering import TEXT, bodies, plain
from kbot_discord.settings import DiscordSettings
from kbot_discord.startup import connect, log_in
from kbot_discord.turn import Turn, current

log = get_logger(__name__)

_CDN = ("cdn.discordapp.com", "media.discordapp.net")
_PARTING = 3.0


class DiscordAdapter:
    """Shows replies in the channels, threads and direct messages of the servers that an application is in."""

    name = "discord"
    # Discord takes five edits in five seconds in a channel, finals among them.
    limits = Limits(post=TEXT, edit=TEXT, messages=3, interval=1.5)

    def __init__(self, settings: DiscordSettings | None = None) -> None:
        """Raises SettingsError if the environment does not say how to reach Discord."""
        self.settings = settings or DiscordSettings.read()

    async def run(self, bot: Bot) -> None:
        """Serve until cancelled. Raises SettingsError if Discord does not take the token or the intents, also later."""
        async with self.connected() as client, bot.serving(self):
            client.serve(self, bot)
            try:
                await connect(client)
            finally:
                await client.settle()

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[Client]:
        """The time in which calls can be made, with a client that is logged in, but hears nothing yet. Raises
        SettingsError."""
        token = self.settings.token.get_secret_value().strip()
        # discord.py knows one address for the whole process.
        Route.BASE = self.settings.api_url.rstrip("/")
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(self.settings.gateway_url)
        client = Client(message_content=self.settings.message_content)
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS)) as session:
            try:
                await log_in(client, token)
                calls = Calls(session, self.settings.api_url, token)
                self.prepare(client, calls, application=str(client.application_id), user=str(client.me.id))
                yield client
            finally:
                if hasattr(self, "posting"):
                    await self.posting.close()
                await _closed(client)

    def prepare(self, client: Client, calls: Calls, *, application: str, user: str) -> None:
        """Take a client and what to call with; `application` and `user` are the ids that kbot has in Discord."""
        self.calls = calls
        self.directory = Directory(client, self.settings.admins)
        self.posting = Posting(calls, self.directory, application, user)

    async def send(self, place: Place, content: Content) -> str:
        """As `Adapter.send`. The first message of a reply refers to what it answers."""
        turn = current()
        first, *below = bodies(content)
        referring = turn.posted == 0 and not content.key.rpartition(".")[2].strip("0")
        message_id = await self.posting.post(place, turn, first, referring=referring)
        await self.posting.post_below(place, turn, message_id, below)
        _note_end(turn, content)
        return message_id

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """As `Adapter.edit`. What stood below an earlier text is taken away with it."""
        turn = current()
        first, *below = bodies(content)
        if not below:
            await self.posting.clear_below(place, message_id)
        await self.posting.edit(place, message_id, first)
        await self.posting.post_below(place, turn, message_id, below)
        _note_end(turn, content)

    async def delete(self, place: Place, message_id: str) -> None:
        """As `Adapter.delete`."""
        await self.posting.delete(place, message_id)

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """As `Adapter.send_file`; repeated after a lost answer, the file is there once."""
        turn = current()
        mark = sha256(f"{turn.mark} {place} {name} {text}".encode()).hexdigest()[:20]
        await self.posting.post(place, Turn(hook=turn.hook, mark=mark), plain(""), file=(name, text))

    async def whisper(self, place: Place, person: str, text: str) -> None:
        """As `Adapter.whisper`. Unseen by others only after a command; else a reply in the channel, the way people talk
        there."""
        turn = current()
        if turn.hook:
            await self.posting.tell(turn.hook, plain(text))
        else:
            await self.posting.post(place, turn, plain(text), referring=True)

    async def is_admin(self, place: Place, person: str) -> bool:
        """As `Adapter.is_admin`: who is in KBOT_DISCORD_ADMINS or has a role in it; without it, who may manage the
        server."""
        return await self.directory.is_admin(place, person)

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        """As `Adapter.download`: Discord's files need no token, since their addresses are signed."""
        # What is no address at all lies elsewhere as well.
        check_home(attachment, _CDN, self.settings.api_url)
        return {}


def _note_end(turn: Turn, content: Content) -> None:
    if turn.hook and (content.answer or content.stage == "failed"):
        turn.hook.ended.set()


async def _closed(client: discord.Client) -> None:
    try:
        async with asyncio.timeout(_PARTING):
            await client.close()
    except TimeoutError:
        log.warning("discord_not_closed", told="The gateway did not say good-bye in time.")
