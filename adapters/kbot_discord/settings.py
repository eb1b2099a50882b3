"""What can be set for Discord, and whether it can be used."""

from typing import Self

from pydantic import SecretStr, field_validator
from pydantic_settings import BaseSettings

from kbot.chat import Ids, SettingsError, read_settings, settings_of

PORTAL = "https://discord.com/developers/applications"
TOKEN = f"the token stands at {PORTAL}, in the application, under Bot (Reset Token shows a new one)"
"""Where a person finds the token."""


class DiscordSettings(BaseSettings):
    """Discord's settings: `KBOT_DISCORD_` and the field's name in the environment or in `.env`.

    `admins` are ids of users and roles; without any, those are admins who may manage the server. `message_content`
    says that the application has the Message Content Intent, without which Discord shows a bot only what mentions it
    and direct messages. `api_url` and `gateway_url` name another server than Discord's own.
    """

    model_config = settings_of("discord")

    token: SecretStr = SecretStr("")
    admins: Ids = frozenset()
    message_content: bool = False
    api_url: str = "https://discord.com/api/v10"
    gateway_url: str = "wss://gateway.discord.gg/"

    @field_validator("admins")
    @classmethod
    def _numbers(cls, value: frozenset[str]) -> frozenset[str]:
        if wrong := sorted(one for one in value if not one.isdecimal()):
            raise ValueError(
                f"{wrong[0]!r} is not an id: with Developer Mode on, Copy User ID and Copy Role ID stand in the menus "
                "of people and roles"
            )
        return value

    @field_validator("api_url", "gateway_url")
    @classmethod
    def _whole(cls, value: str) -> str:
        if not value.startswith(("http://", "https://", "ws://", "wss://")):
            raise ValueError(
                "it must be a whole address, such as https://discord.com/api/v10 or wss://gateway.discord.gg/"
            )
        return value

    @classmethod
    def read(cls) -> Self:
        """The settings of the environment and `.env`. Raises SettingsError, in one line, if kbot cannot run on them."""
        settings = read_settings(cls)
        if not settings.token.get_secret_value().strip():
            raise SettingsError(f"KBOT_DISCORD_TOKEN is not set: {TOKEN}.")
        return settings
