"""What is checked before kbot takes part: each fault gives one line that names the setting, and where to correct it."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from kbot.chat import RateLimited, SettingsError, get_logger
from kbot_slack.calls import DEAD, SlackError, ask, client_for
from kbot_slack.events import Identity
from kbot_slack.manifest import SCOPES
from kbot_slack.settings import WHERE, SlackSettings

log = get_logger(__name__)

# Without these kbot takes a channel for private where it cannot ask.
_USEFUL = {"channels:read", "groups:read"}
_PAUSES = (0.3, 1.0, 0.0)  # after a try that failed: Slack may have stumbled
_SOCKET_MODE = {"socket_mode_not_enabled", "not_enabled", "forbidden_team", "internal_app_not_enabled"}


async def check(settings: SlackSettings, client: AsyncWebClient, session: aiohttp.ClientSession) -> Identity:
    """Who kbot is in the workspace, once Slack has taken the tokens. Raises SettingsError."""
    told, headers = await _asked(settings, client, "auth.test", "bot_token")
    _check_scopes(headers)
    app_token = settings.app_token.get_secret_value()
    if app_token:
        await _asked(settings, client_for(app_token, settings.api_url, session), "apps.connections.open", "app_token")
    if not told.get("bot_id") and not told.get("user_id"):
        raise SettingsError(f"Slack does not say whose token KBOT_SLACK_BOT_TOKEN holds: {WHERE['bot_token']}.")
    log.info("slack_ready", team=told.get("team"), user=told.get("user"))
    return Identity(str(told.get("team_id")), str(told.get("user_id")), str(told.get("bot_id") or ""))


async def _asked(
    settings: SlackSettings, client: AsyncWebClient, method: str, name: str
) -> tuple[Mapping[str, object], Mapping[str, str]]:
    trouble = ""
    for pause in _PAUSES:
        try:
            return await ask(client, method, {})
        except SlackError as refusal:
            raise SettingsError(_told(refusal, name)) from None
        except (ConnectionError, RateLimited) as error:
            trouble = str(error)
            await asyncio.sleep(pause)
    raise SettingsError(
        f"Slack cannot be reached at {urlsplit(settings.api_url).netloc}: {trouble} Check the network, HTTPS_PROXY and "
        "KBOT_SLACK_API_URL, then start kbot again."
    )


def _told(refusal: SlackError, name: str) -> str:
    setting = f"KBOT_SLACK_{name.upper()}"
    if refusal.code in DEAD:
        return f"Slack does not take the token in {setting} ({refusal.code}): {WHERE[name]}."
    if refusal.code in {"not_allowed_token_type", "no_permission"}:
        return f"{setting} holds a token of another kind: {WHERE[name]}."
    if refusal.code in _SOCKET_MODE:
        return (
            "Socket Mode is off for the app: switch it on in Slack's settings of the app (https://api.slack.com/apps) "
            "under Socket Mode, or unset KBOT_SLACK_APP_TOKEN and set KBOT_SLACK_SIGNING_SECRET."
        )
    if refusal.code == "missing_scope":
        needed = refusal.needed or "connections:write"
        return f"The token in {setting} lacks the scope {needed}: {WHERE[name]}."
    return f"{setting} cannot be used: {refusal}"


def _check_scopes(headers: Mapping[str, str]) -> None:
    given = headers.get("x-oauth-scopes")
    if given is None:
        return
    missing = set(SCOPES) - {scope.strip() for scope in given.split(",")}
    if needed := sorted(missing - _USEFUL):
        raise SettingsError(
            f"The token in KBOT_SLACK_BOT_TOKEN lacks {', '.join(needed)}: add {'it' if len(needed) == 1 else 'them'} "
            "in Slack's settings of the app (https://api.slack.com/apps) under OAuth & Permissions, and install the "
            "app again; `kbot slack manifest` prints all that kbot needs."
        )
    if missing:
        log.warning("scopes_missing", scopes=",".join(sorted(missing)), told="channels may count as private")
