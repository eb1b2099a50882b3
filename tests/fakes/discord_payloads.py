"""What Discord sends about its things, in the shapes that a client parses."""

from datetime import UTC, datetime

from fakes.discord_state import (
    COMPONENTS_V2,
    DIRECT,
    HAS_THREAD,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    Channel,
    Guild,
    Interaction,
    Json,
    Message,
    User,
    World,
)

THREADS = (PUBLIC_THREAD, PRIVATE_THREAD)
_JOINED = datetime(2024, 1, 1, tzinfo=UTC).isoformat()


def user(person: User) -> Json:
    return {
        "id": person.id,
        "username": person.name,
        "global_name": None if person.bot else person.name.title(),
        "discriminator": "0",
        "avatar": None,
        "bot": person.bot,
        "public_flags": 0,
    }


def member(world: World, guild: Guild, user_id: str, *, named: bool = True) -> Json:
    told: Json = {
        "roles": guild.members.get(user_id, []),
        "nick": None,
        "avatar": None,
        "joined_at": _JOINED,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
        "communication_disabled_until": None,
    }
    return told | ({"user": user(world.users[user_id])} if named else {})


def roles(guild: Guild) -> list[Json]:
    return [
        {
            "id": role.id,
            "name": role.name,
            "permissions": str(role.permissions),
            "position": place,
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "flags": 0,
        }
        for place, role in enumerate(guild.roles.values())
    ]


def channel(world: World, place: Channel) -> Json:
    told: Json = {"id": place.id, "type": place.kind, "last_message_id": (place.messages or [None])[-1], "flags": 0}
    if place.kind == DIRECT:
        return told | {"recipients": [user(world.users[person]) for person in place.people if person != world.bot]}
    told |= {"guild_id": place.guild, "name": place.name, "parent_id": place.parent, "rate_limit_per_user": 0}
    if place.kind in THREADS:
        return told | _thread(place)
    roles_here = world.guilds[place.guild or ""].roles
    return told | {
        "position": list(world.channels).index(place.id),
        "topic": None,
        "nsfw": False,
        "permission_overwrites": [
            {"id": target, "type": 0 if target in roles_here else 1, "allow": str(allow), "deny": str(deny)}
            for target, (allow, deny) in place.overwrites.items()
        ],
    }


def _thread(place: Channel) -> Json:
    return {
        "owner_id": place.owner,
        "message_count": len(place.messages),
        "total_message_sent": len(place.messages),
        "member_count": len(place.people),
        "applied_tags": [],
        "thread_metadata": {
            "archived": False,
            "locked": False,
            "invitable": True,
            "auto_archive_duration": 1440,
            "archive_timestamp": _JOINED,
            "create_timestamp": _JOINED,
        },
    }


def guild(world: World, place: Guild) -> Json:
    """The whole guild, as its creation tells it; of the members only the bot, as without the members intent."""
    here = [other for other in world.channels.values() if other.guild == place.id]
    seen = [other for other in here if other.kind in THREADS and world.may(world.bot, other)]
    nothing = ("emojis", "stickers", "features", "voice_states", "presences", "stage_instances", "soundboard_sounds")
    zero = ("verification_level", "default_message_notifications", "explicit_content_filter", "mfa_level", "nsfw_level")
    told: Json = {
        **dict.fromkeys((*nothing, "guild_scheduled_events"), ()),
        **dict.fromkeys((*zero, "premium_tier", "system_channel_flags"), 0),
        "id": place.id,
        "name": place.name,
        "owner_id": place.owner,
        "preferred_locale": place.locale,
        "roles": roles(place),
        "channels": [channel(world, other) for other in here if other.kind not in THREADS],
        "threads": [channel(world, other) for other in seen],
        "members": [member(world, place, world.bot)],
        "member_count": len(place.members),
        "joined_at": _JOINED,
        "large": False,
    }
    return told


def message(world: World, shown: Message, *, event: bool = False, nested: bool = False) -> Json:
    """A message; events carry the guild and the author's membership besides."""
    place = world.channels[shown.channel]
    told: Json = {
        "id": shown.id,
        "channel_id": shown.channel,
        "type": shown.kind,
        "author": user(world.users[shown.author]),
        "content": shown.content,
        "timestamp": shown.sent,
        "edited_timestamp": shown.edited,
        "tts": False,
        "pinned": False,
        "mention_everyone": shown.everyone,
        "mentions": [user(world.users[person]) for person in shown.users],
        "mention_roles": shown.roles,
        "attachments": shown.attachments,
        "embeds": shown.embeds,
        "components": shown.components,
        "flags": shown.flags,
    }
    if shown.nonce is not None:
        told["nonce"] = shown.nonce
    if shown.interaction:
        told |= {"webhook_id": world.application, "application_id": world.application}
        told["interaction_metadata"] = _origin(world, shown.interaction)
    if event and place.guild:
        home = world.guilds[place.guild]
        told |= {"guild_id": place.guild, "member": member(world, home, shown.author, named=False)}
    if shown.flags & HAS_THREAD and shown.id in world.channels:
        told["thread"] = channel(world, world.channels[shown.id])
    if shown.reference and not nested:
        original = world.all_messages.get(shown.reference)
        where = original.channel if original else shown.channel
        told["message_reference"] = {"type": 0, "message_id": shown.reference, "channel_id": where}
        if place.guild:
            told["message_reference"]["guild_id"] = place.guild
        told["referenced_message"] = message(world, original, nested=True) if original else None
    return told


def _origin(world: World, interaction: Interaction) -> Json:
    told: Json = {
        "id": interaction.id,
        "type": interaction.kind,
        "user": user(world.users[interaction.user]),
        "authorizing_integration_owners": {},
    }
    if interaction.source:
        told["interacted_message_id"] = interaction.source
    if interaction.kind == 2:
        told |= {"name": interaction.data["name"], "command_type": interaction.data["type"]}
    return told


def interaction(world: World, made: Interaction) -> Json:
    """INTERACTION_CREATE, with what a client needs to know of the place and the person."""
    place = world.channels[made.channel]
    told: Json = {
        "id": made.id,
        "application_id": world.application,
        "type": made.kind,
        "token": made.token,
        "version": 1,
        "data": made.data,
        "channel_id": place.id,
        "channel": channel(world, place) | {"permissions": str(world.permissions(made.user, place))},
        "locale": world.users[made.user].locale,
        "app_permissions": str(world.permissions(world.bot, place)),
        "entitlements": [],
        "authorizing_integration_owners": {"0": place.guild or "0"},
        "attachment_size_limit": 10 * 1024 * 1024,
        "context": 0 if place.guild else 1,
    }
    if made.source:
        told["message"] = message(world, world.all_messages[made.source])
    if not place.guild:
        return told | {"user": user(world.users[made.user])}
    home = world.guilds[place.guild]
    person = member(world, home, made.user) | {"permissions": str(world.permissions(made.user, place))}
    return told | {
        "guild_id": home.id,
        "guild": {"id": home.id, "locale": home.locale, "features": []},
        "guild_locale": home.locale,
        "member": person,
    }


def text(shown: Message) -> str:
    """All that a reader reads in a message: its content, its embeds, its text components."""
    parts = [shown.content]
    for embed in shown.embeds:
        fields = [f"{one['name']}\n{one['value']}" for one in embed.get("fields", ())]
        footer = embed.get("footer", {}).get("text", "")
        parts += [embed.get("title", ""), embed.get("description", ""), *fields, footer]
    if shown.flags & COMPONENTS_V2:
        parts += [one["content"] for one in inside(shown.components) if one["type"] == 10]
    return "\n".join(part for part in parts if part)


def inside(components: list[Json]) -> list[Json]:
    """All components, those that lie in others too."""
    found: list[Json] = []
    for one in components:
        below: list[Json] = [
            *one.get("components", ()),
            *(one[key] for key in ("accessory", "component") if key in one),
        ]
        found += [one, *inside(below)]
    return found
