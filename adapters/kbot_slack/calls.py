"""Calls of Slack's Web API: made in one place, with Slack's ways to fail as kbot's errors."""

import asyncio
import ipaddress
import math
import urllib.request
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from kbot.chat import DeliveryError, MessageGone, RateLimited, get_logger

log = get_logger(__name__)

SECONDS = 20.0
"""After which a call counts as lost."""

DEAD = frozenset(
    {
        "account_inactive",
        "ekm_access_denied",
        "invalid_auth",
        "not_authed",
        "team_access_not_granted",
        "team_not_found",
        "token_expired",
        "token_revoked",
    }
)
"""Errors after which no call of the token will succeed again."""

_LOSSES = DEAD | {"channel_not_found", "is_archived", "is_inactive", "not_in_channel"}
_GONE = _LOSSES | {"message_not_found", "thread_not_found"}
_PASSING = {"fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"}
# The others take JSON; these take what they read from the address alone.
_READING = ("conversations.history", "conversations.info", "conversations.members", "conversations.replies", "files.")
_NEXT = {
    "not_in_channel": "Invite kbot to the channel.",
    "channel_not_found": "Invite kbot to the channel, if it still exists.",
    "is_archived": "Unarchive the channel, or ask elsewhere.",
    "is_inactive": "Unarchive the channel, or ask elsewhere.",
    "missing_scope": "Add the scope under OAuth & Permissions in the app's settings, and install the app again.",
    "messages_tab_disabled": "Switch on the Messages Tab under App Home in the app's settings.",
    "restricted_action": "An admin of the workspace must allow apps to post there.",
    "unknown_method": "The server at KBOT_SLACK_API_URL does not have it.",
    "channel_is_limited_access": "An admin of the workspace must allow apps to post there.",
}
_LONG_WAIT = 60.0
_INSTALL = "Install the app again, set KBOT_SLACK_BOT_TOKEN to its new token and restart kbot."


class SlackError(DeliveryError):
    """Slack refused a call for good: `code` is its own word for it, `needed` the scopes that were missing."""

    def __init__(self, method: str, code: str, needed: str = "") -> None:
        step = _INSTALL if code in DEAD else _NEXT.get(code, f"See https://docs.slack.dev/reference/methods/{method}.")
        scopes = f" ({needed})" if needed else ""
        super().__init__(f"Slack refused {method} with {code}{scopes}. {step}")
        self.method = method
        self.code = code
        self.needed = needed


class Calls:
    """The Web API for one token. `dead` is set once Slack does not take the token any more."""

    def __init__(self, client: AsyncWebClient, session: aiohttp.ClientSession) -> None:
        self.dead = asyncio.Event()
        self._client = client
        self._session = session
        self._lost: dict[str, str] = {}
        self._limited: set[str] = set()

    async def __call__(self, method: str, **arguments: Any) -> dict[str, Any]:
        """What Slack answers. Arguments that are None are left out.

        Raises RateLimited, MessageGone, ConnectionError if it may succeed later, and SlackError for all else.
        """
        channel = str(arguments.get("channel", ""))
        try:
            answer, _ = await ask(self._client, method, arguments)
        except SlackError as refusal:
            if refusal.code not in _GONE:
                raise
            if refusal.code in DEAD or (refusal.code in _LOSSES and method.startswith("chat.")):
                self._note_loss(refusal, channel)
            raise MessageGone(str(refusal)) from refusal
        except RateLimited as limit:
            self._note_limit(method, limit)
            raise
        self._lost.pop(channel, None)
        return answer

    async def respond(self, url: str, message: Mapping[str, Any]) -> None:
        """Post to a response_url, without previews of links. Raises as a call does: MessageGone when its time or its
        five messages are over."""
        shown = {"unfurl_links": False, "unfurl_media": False, **message}
        try:
            async with self._session.post(url, json=shown, proxy=proxy_for(url)) as response:
                status, text = response.status, await response.text()
        except (aiohttp.ClientError, OSError) as error:
            raise ConnectionError(f"Slack did not take the answer to a command ({type(error).__name__}).") from error
        if status == 429:
            raise RateLimited(seconds_in(response.headers.get("Retry-After")))
        if status >= 500:
            raise ConnectionError(f"Slack did not take the answer to a command (status {status}).")
        if status == 404 or "used_url" in text or "expired_url" in text:
            raise MessageGone("Slack takes no more answers to this command: five in half an hour. Ask again.")
        if status != 200:
            raise DeliveryError(f"Slack refused the answer to a command (status {status}). Ask again.")

    def _note_limit(self, method: str, limit: RateLimited) -> None:
        """Tell the operator once of a wait that people notice."""
        if limit.retry_after > _LONG_WAIT and method not in self._limited:
            self._limited.add(method)
            told = "Until then nothing of that kind is shown; see whether another program uses the same token."
            log.warning("slack_asks_to_wait", method=method, seconds=limit.retry_after, told=told)

    def _note_loss(self, refusal: SlackError, channel: str) -> None:
        """Tell the operator once of what ends all replies in a channel, or everywhere."""
        dead = refusal.code in DEAD
        where = "" if dead else channel
        if self._lost.get(where) != refusal.code:
            self._lost[where] = refusal.code
            log.error("slack_lost", cause=refusal.code, channel=where or "all", told=str(refusal))
        if dead:
            self.dead.set()


def client_for(token: str, api_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """A client on a session, without retries of its own, that goes through a proxy only where the environment wants."""
    client = AsyncWebClient(token, base_url=api_url, session=session, retry_handlers=[])
    client.proxy = proxy_for(api_url)  # the library takes the environment's proxy for every host
    return client


async def ask(
    client: AsyncWebClient, method: str, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], Mapping[str, str]]:
    """One call: the answer, and the headers of the response. Raises RateLimited, ConnectionError and SlackError."""
    given = {name: value for name, value in arguments.items() if value is not None}
    how: dict[str, Any] = {"http_verb": "GET", "params": given} if _reads(method) else {"json": given}
    try:
        response: Any = await cast(Any, client).api_call(method, **how)
    except SlackApiError as error:
        raise _failure(method, error.response) from None  # what it shows holds the whole answer
    except (aiohttp.ClientError, OSError, ValueError) as error:  # ValueError: a body that is no text at all
        raise ConnectionError(f"Slack did not answer {method} ({type(error).__name__}).") from error
    data: Any = response.data
    if not isinstance(data, dict):
        raise ConnectionError(f"Slack answered {method} with something that is not JSON.")
    return cast(dict[str, Any], data), cast(Mapping[str, str], response.headers)


def next_cursor(answer: Mapping[str, Any]) -> str | None:
    """Where the next page of an answer begins, None after the last one."""
    metadata: Mapping[str, Any] = answer.get("response_metadata") or {}
    return metadata.get("next_cursor") or None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment has for an address, None for this machine and the hosts of NO_PROXY."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or _is_loopback(host) or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    secure = parts.scheme in {"https", "wss"}
    proxies = urllib.request.getproxies()
    return proxies.get("https" if secure else "http") or proxies.get("all")


def seconds_in(header: str | None) -> float:
    """The seconds of a Retry-After header; one for what is no time to wait."""
    try:
        seconds = float(header or "")
    except ValueError:
        return 1.0
    return seconds if math.isfinite(seconds) and seconds >= 0 else 1.0


def _reads(method: str) -> bool:
    return method.startswith(_READING) or method == "users.info"


def _failure(method: str, response: Any) -> Exception:
    """What a failed response means. A body that is no JSON leaves the library with its own raw response."""
    status: int = getattr(response, "status_code", None) or getattr(response, "status", 0)
    data: Any = getattr(response, "data", None)
    told = cast(dict[str, Any], data) if isinstance(data, dict) else {}
    code = str(told.get("error") or "")
    if status == 429 or code in {"ratelimited", "rate_limited"}:
        return RateLimited(seconds_in(response.headers.get("Retry-After")))
    if status >= 500 or not code or code in _PASSING:
        return ConnectionError(f"Slack could not answer {method} (status {status} {code}).".replace(" )", ")"))
    return SlackError(method, code, str(told.get("needed") or ""))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
