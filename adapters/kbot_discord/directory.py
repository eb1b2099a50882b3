"""What Discord says of people and of kbot's own permissions."""

import time

import aiohttp
import discord

from kbot.chat import Place, get_logger
from kbot_discord.calls import NO_ACCESS, DeniedError, failure
from kbot_discord.events import channel_id

log = get_logger(__name__)

_SECONDS = 30.0  # for which a person's roles are remembered: a box that proposes names asks with every letter
_MOST = 1000
_NAMES = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "read_message_history": "Read Message History",
    "attach_files": "Attach Files",
}


class Directory:
    """The people of the servers that a client is in. `admins` are ids of users and roles; without any, whoever may
    manage the server is an admin there, and nobody in direct messages."""

    def __init__(self, client: discord.Client, admins: frozenset[str]) -> None:
        self._client = client
        self._admins = admins
        self._members: dict[tuple[int, int], tuple[float, discord.Member | None]] = {}
        self._servers: dict[str, discord.Guild] = {}
        self._told: set[str] = set()

    async def is_admin(self, place: Place, person: str) -> bool:
        """Whether a person is an admin. Raises as calls do."""
        if person in self._admins:
            return True
        guild = getattr(self.channel(place), "guild", None) or self._servers.get(channel_id(place))
        if guild is None or not (member := await self._member(guild, int(person))):
            return False
        if self._admins:
            return any(str(role.id) in self._admins for role in member.roles)
        return member.guild_permissions.manage_guild

    def learn(self, channel: int | None, guild: discord.Guild | None) -> None:
        """A command was given in a channel of a server. Of private threads that kbot is not in, Discord tells nothing
        before."""
        if channel is not None and guild is not None and self._client.get_channel(channel) is None:
            if len(self._servers) >= _MOST:
                self._servers.clear()
            self._servers[str(channel)] = guild

    def channel(self, place: Place) -> discord.abc.GuildChannel | discord.Thread | discord.abc.PrivateChannel | None:
        """The channel of a place, where kbot sees it; that of a thread it does not know is the one it hangs on."""
        return self._client.get_channel(int(channel_id(place))) or self._client.get_channel(
            int(place.channel.removeprefix("discord:"))
        )

    def missing(self, place: Place, *, files: bool = False) -> list[str]:
        """The names of the permissions that kbot would need to write in a place, and does not have, as far as it
        knows."""
        channel = self.channel(place)
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return []
        return lacking(channel.permissions_for(channel.guild.me), thread=bool(place.thread), files=files)

    def may_refer(self, place: Place) -> bool:
        """Whether a message in the place may be a reply to another."""
        return not {_NAMES["view_channel"], _NAMES["read_message_history"]} & set(self.missing(place))

    def note_denied(self, place: Place, denied: DeniedError, *, files: bool = False) -> None:
        """Tell the operator, once for each channel, which permission is missing there."""
        number = channel_id(place)
        if number not in self._told:
            self._told.add(number)
            known = self.missing(place, files=files) or ([_NAMES["view_channel"]] if denied.code == NO_ACCESS else [])
            log.error("permission_missing", channel=number, missing=", ".join(known) or "unknown", told=str(denied))

    def note_allowed(self, place: Place) -> None:
        """Something was written there: the next refusal is told again."""
        self._told.discard(channel_id(place))

    async def _member(self, guild: discord.Guild, person: int) -> discord.Member | None:
        until, known = self._members.get((guild.id, person), (0.0, None))
        if time.monotonic() < until:
            return known
        try:
            known = await guild.fetch_member(person)
        except discord.NotFound:
            known = None
        except discord.HTTPException as error:
            raise failure("get member", error.status, error.code, error.text) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise ConnectionError(f"Discord did not say who a person is ({type(error).__name__}).") from error
        if len(self._members) >= _MOST:
            self._members.clear()
        self._members[guild.id, person] = (time.monotonic() + _SECONDS, known)
        return known


def lacking(has: discord.Permissions, *, thread: bool, files: bool = False) -> list[str]:
    """The names, as Discord shows them to admins, of the permissions that are needed to write and not there."""
    if not has.view_channel:
        return [_NAMES["view_channel"]]
    write = "send_messages_in_threads" if thread else "send_messages"
    needed = [write, "read_message_history", *(["attach_files"] if files else [])]
    return [_NAMES[name] for name in needed if not getattr(has, name)]
