"""What was said while a session of the gateway was lost. Discord delivers that to no later session, so it is read."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime

import discord

from kbot.chat import get_logger

log = get_logger(__name__)

# What two channels of one shard deliver may overtake each other; the bot's claims let nothing be answered twice.
_OVERLAP = 5_000 << 22
_PLACES, _MESSAGES = 50, 300
_PAUSE = 0.1

Readable = (
    discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.PartialMessageable
)


class Missed:
    """Remembers how far each shard has heard, and in which direct messages people lately spoke to kbot."""

    def __init__(self) -> None:
        self._newest: dict[int, int] = {}
        self._since: dict[int, int] = {}
        self._direct: dict[int, None] = {}

    def hear(self, said: discord.Message) -> None:
        """A message that was delivered."""
        shard = said.guild.shard_id if said.guild else 0
        self._newest[shard] = max(self._newest.get(shard, 0), said.id)
        if said.guild is None:
            self._direct.pop(said.channel.id, None)
            self._direct[said.channel.id] = None
            while len(self._direct) > _PLACES:
                del self._direct[next(iter(self._direct))]

    def begin(self, shard: int) -> None:
        """A new session of a shard begins: all that is heard from now on belongs to it."""
        if shard in self._newest:
            self._since.setdefault(shard, self._newest[shard])
        else:
            self._newest[shard] = discord.utils.time_snowflake(datetime.now(UTC))

    async def read(self, client: discord.AutoShardedClient, shard: int) -> AsyncGenerator[discord.Message]:
        """What was said between the last two sessions of a shard, in each place oldest first: in the channels and
        threads of its servers that kbot can read, those spoken in last before others, and in direct messages. It is
        told in the log what could not be read."""
        since = self._since.pop(shard, None)
        if since is None:
            return
        after = discord.Object(max(since - _OVERLAP, 0))
        places = self._places(client, shard, after.id)
        if len(places) > _PLACES:
            log.warning(
                "missed_too_much", shard=shard, places=len(places), read=_PLACES, told="People must ask again there."
            )
        known = {said.id for said in client.cached_messages}
        found = 0
        for place in places[:_PLACES]:
            try:
                async for said in place.history(limit=_MESSAGES, after=after, oldest_first=True):
                    if said.id not in known:
                        found += 1
                        yield said
            except (discord.HTTPException, OSError) as error:
                log.warning("missed_not_read", channel=str(place.id), told=f"{type(error).__name__}: {error}")
            await asyncio.sleep(_PAUSE)
        log.info("missed_read", shard=shard, places=min(len(places), _PLACES), messages=found)

    def _places(self, client: discord.AutoShardedClient, shard: int, after: int) -> list[Readable]:
        """Where something may have been said, the newest first. Discord tells no bot which direct messages it has."""
        spoken: list[tuple[int, Readable]] = []
        for guild in client.guilds:
            if guild.shard_id != shard:
                continue
            for place in (*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads):
                last, may = place.last_message_id or 0, place.permissions_for(guild.me)
                if last > after and may.view_channel and may.read_message_history:
                    spoken.append((last, place))
        direct = reversed(self._direct) if shard == 0 else ()
        spoken.sort(key=lambda each: each[0], reverse=True)
        return [*(client.get_partial_messageable(one) for one in direct), *(place for _, place in spoken)]
