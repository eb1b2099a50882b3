"""What can be set for Slack, and whether it can be used."""

from typing import Self

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

from kbot.chat import Ids, SettingsError, read_settings, settings_of

_APP = "in Slack's settings of the app (https://api.slack.com/apps)"
WHERE = {
    "bot_token": f"the Bot User OAuth Token, which begins with xoxb-, stands {_APP} under OAuth & Permissions",
    "app_token": f"an app-level token with the scope connections:write, which begins with xapp-, is made {_APP} "
    "under Basic Information",
    "signing_secret": f"the Signing Secret stands {_APP} under Basic Information",
}
"""Where a person finds the value of a setting."""


class SlackSettings(BaseSettings):
    """Slack's settings: `KBOT_SLACK_` and the field's name in the environment or in `.env`.

    With an `app_token` events come over Socket Mode, else as signed requests to `host` and `port`. `admins` are user
    ids; without any, the workspace's admins and owners are kbot's.
    """

    model_config = settings_of("slack")

    bot_token: SecretStr = SecretStr("")
    app_token: SecretStr = SecretStr("")
    signing_secret: SecretStr = SecretStr("")
    admins: Ids = frozenset()
    api_url: str = "https://slack.com/api/"
    native_stream: bool = False
    host: str = "127.0.0.1"
    port: int = Field(default=3000, ge=0, le=65535)

    @field_validator("admins")
    @classmethod
    def _ids(cls, value: frozenset[str]) -> frozenset[str]:
        if wrong := next((each for each in value if "@" in each or " " in each), None):
            raise ValueError(f"{wrong!r} is not an id; Slack shows a member's under Profile, ⋮, Copy member ID")
        return value

    @field_validator("api_url")
    @classmethod
    def _whole(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")):
            raise ValueError("it must be a whole address, such as https://slack.com/api/")
        return value if value.endswith("/") else f"{value}/"

    @classmethod
    def read(cls) -> Self:
        """The settings of the environment and `.env`. Raises SettingsError, in one line, if kbot cannot run on them."""
        settings = read_settings(cls)
        settings.check()
        return settings

    def check(self) -> None:
        """Raises SettingsError for a token that is missing, or stands where another one should."""
        bot, app = self.bot_token.get_secret_value(), self.app_token.get_secret_value()
        if not bot:
            raise SettingsError(f"KBOT_SLACK_BOT_TOKEN is not set: {WHERE['bot_token']}.")
        for name, token, wrong in (
            ("bot_token", bot, {"xapp-": "an app-level token", "xoxp-": "a user token"}),
            ("app_token", app, {"xoxb-": "a bot token", "xoxp-": "a user token"}),
        ):
            if kind := next((kind for prefix, kind in wrong.items() if token.startswith(prefix)), None):
                raise SettingsError(f"KBOT_SLACK_{name.upper()} holds {kind}: {WHERE[name]}.")
        if not app and not self.signing_secret.get_secret_value():
            raise SettingsError(
                "Neither KBOT_SLACK_APP_TOKEN (for Socket Mode) nor KBOT_SLACK_SIGNING_SECRET (for events by HTTP) is "
                f"set: {WHERE['app_token']}; {WHERE['signing_secret']}."
            )
