"""Making and changing a world: guilds, channels, members, and what the bot may do there."""

from collections.abc import Sequence

from fakes import discord_events as events
from fakes import discord_payloads as payloads
from fakes.discord_rest import direct, open_thread
from fakes.discord_state import EVERYONE, PRIVATE_THREAD, PUBLIC_THREAD, TEXT, Channel, Guild, Role, User, World, bits


class Places(World):
    """A world that a test furnishes. All ids are strings, as Discord sends them."""

    def add_guild(self, name: str = "Testes", *, locale: str = "pt-BR", shard: int | None = None) -> str:
        """A guild with the bot in it, on the shard if one is named."""
        guild = Guild(self.new_id(shard), name, self.owner, locale)
        guild.roles[guild.id] = Role(guild.id, "@everyone", EVERYONE)
        guild.members = {self.owner: [], self.bot: []}
        self.guilds[guild.id] = guild
        events.emit(self, "GUILD_CREATE", payloads.guild(self, guild), guild.id)
        return guild.id

    def remove_guild(self, guild: str) -> None:
        """The bot is put out of a guild."""
        del self.guilds[guild].members[self.bot]
        events.emit(self, "GUILD_DELETE", {"id": guild}, guild)

    def add_role(self, guild: str, name: str, *permissions: str) -> str:
        role = Role(self.new_id(), name, bits(*permissions))
        self.guilds[guild].roles[role.id] = role
        told = next(one for one in payloads.roles(self.guilds[guild]) if one["id"] == role.id)
        events.emit(self, "GUILD_ROLE_CREATE", {"guild_id": guild, "role": told}, guild)
        return role.id

    def add_user(self, name: str, *, locale: str = "en-US", bot: bool = False, takes_direct: bool = True) -> str:
        """A person who is in no guild yet."""
        user = User(self.new_id(), name, bot, locale, takes_direct)
        self.users[user.id] = user
        return user.id

    def add_member(
        self,
        guild: str,
        name: str = "ana",
        *,
        admin: bool = False,
        roles: Sequence[str] = (),
        locale: str = "en-US",
        bot: bool = False,
    ) -> str:
        """A new person in a guild, by `admin` with a role that may manage it; returns the user's id."""
        user = self.add_user(name, locale=locale, bot=bot)
        extra = [self.add_role(guild, f"admin of {name}", "manage_guild")] if admin else []
        self.join(guild, user, [*roles, *extra])
        return user

    def join(self, guild: str, user: str, roles: Sequence[str] = ()) -> None:
        """A person, or the bot again, comes into a guild."""
        self.guilds[guild].members[user] = list(roles)
        if user == self.bot:
            events.emit(self, "GUILD_CREATE", payloads.guild(self, self.guilds[guild]), guild)

    def set_roles(self, guild: str, user: str, roles: Sequence[str]) -> None:
        """From now on a member has these roles and no other."""
        self.guilds[guild].members[user] = list(roles)

    def add_channel(
        self, guild: str, name: str = "geral", *, private: bool = False, members: Sequence[str] = ()
    ) -> str:
        """A text channel; a private one only its members, the bot and those who administrate see."""
        place = Channel(self.new_id(), TEXT, guild, name)
        if private:
            see = bits("view_channel")
            place.overwrites = {guild: (0, see)} | dict.fromkeys((self.bot, *members), (see, 0))
        self.channels[place.id] = place
        events.emit(self, "CHANNEL_CREATE", payloads.channel(self, place), guild)
        return place.id

    def add_thread(self, channel: str, user: str, name: str = "conversa", *, private: bool = False) -> str:
        """A thread that a person opens."""
        kind = PRIVATE_THREAD if private else PUBLIC_THREAD
        return str(open_thread(self, self.channels[channel], {"name": name}, user, kind=kind)["id"])

    def direct(self, user: str) -> str:
        """The channel of the direct messages between a person and the bot."""
        return direct(self, user).id

    def delete_channel(self, channel: str) -> None:
        events.remove_channel(self, self.channels[channel])

    def deny(self, channel: str, permission: str, who: str | None = None) -> None:
        """Deny a permission ("send_messages") in a channel to the bot, or to a role or member."""
        self._overwrite(channel, who or self.bot, 0, bits(permission))

    def allow(self, channel: str, permission: str, who: str | None = None) -> None:
        """Allow what was denied, to the bot or to a role or member."""
        self._overwrite(channel, who or self.bot, bits(permission), 0)

    def _overwrite(self, channel: str, who: str, more: int, less: int) -> None:
        place = self.channels[channel]
        allow, deny = place.overwrites.get(who, (0, 0))
        place.overwrites[who] = ((allow | more) & ~less, (deny | less) & ~more)
        events.emit(self, "CHANNEL_UPDATE", payloads.channel(self, place), place.guild)
