"""Calls of Discord's REST interface for messages: made in one place, with Discord's ways to fail as kbot's errors.

discord.py's own calls wait inside: for a bucket that they have just emptied, for a 429, and up to 25 s for a 5xx. A
reply that grows would stand still meanwhile, and its pacer would never know why. Here a call either succeeds or says
at once how long to wait.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

import aiohttp

from kbot.chat import DeliveryError, MessageGone, RateLimited, get_logger
from kbot_discord.buckets import Buckets

log = get_logger(__name__)

SECONDS = 20.0
"""After which a call counts as lost."""

GONE = frozenset({10003, 10004, 10008, 10015, 10062, 50007, 50027, 50083})
"""Discord's codes for a message, place or token that is no more: unknown channel, server, message, webhook and
interaction; a person who takes no direct messages; an invalid token of an interaction; an archived thread."""

NO_ACCESS = 50001
"""Its code for a channel that kbot does not see."""

DENIED = frozenset({NO_ACCESS, 50013, 160002})
"""Its codes for a permission that is missing: to see a channel, to act in it, to refer to its messages."""

_DOCS = "https://docs.discord.com/developers/topics/opcodes-and-status-codes#json"
_NEXT = {
    0: "Check KBOT_DISCORD_TOKEN and restart kbot.",
    40005: "The file is larger than Discord takes.",
    50005: "kbot can only edit what it wrote with this token: check KBOT_DISCORD_TOKEN.",
    50006: "The message was empty.",
    50007: "The person must allow direct messages from members of the server.",
    50035: "See the log for what Discord found wrong.",
    50001: "kbot must be allowed to see the channel.",
    50013: "kbot must be allowed to write in the channel.",
    50083: "Open the thread again, or ask elsewhere.",
}


class DiscordError(DeliveryError):
    """Discord refused a call for good: `code` is its own number for it."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"Discord refused {method} with {code} ({message}). {_NEXT.get(code, f'See {_DOCS}.')}")
        self.method = method
        self.code = code


class DeniedError(DiscordError, MessageGone):
    """kbot lacks a permission for the call."""


class GoneError(DiscordError, MessageGone):
    """The message, its place, or the token that opens it is no more."""


class Calls:
    """The REST interface for one token, at one base address."""

    def __init__(self, session: aiohttp.ClientSession, api_url: str, token: str) -> None:
        self._session = session
        self._base = api_url.rstrip("/")
        self._authorization = {"Authorization": f"Bot {token}", "User-Agent": "DiscordBot (kbot, 0.1)"}
        self._buckets = Buckets()

    async def __call__(
        self,
        method: str,
        path: str,
        *parts: str,
        body: Mapping[str, Any] | None = None,
        files: Sequence[tuple[str, str]] = (),
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """What Discord answers to `method` at `path`, whose `{}` are filled with `parts`; the first of them is that by
        which Discord counts calls. `files` are names and texts.

        Raises RateLimited, ConnectionError if it may succeed later, GoneError and DeniedError (which are
        MessageGone), and DiscordError for all else.
        """
        bucket = self._buckets.of(f"{method} {path}", *parts[: 2 if path.startswith("/webhooks") else 1])
        bucket.take()
        url = self._base + path.format(*(quote(part, safe="@") for part in parts))
        try:
            async with self._session.request(
                method, url, data=_packed(body, files), params=query, headers=self._headers(path, body, files)
            ) as response:
                bucket.learn(response.headers)
                status, text = response.status, (await response.read()).decode("utf-8", "replace")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ConnectionError(f"Discord did not answer {method} {path} ({type(error).__name__}).") from error
        finally:
            bucket.done()
        told: Any = _judged(f"{method} {path}", status, text, response.headers)
        made = cast(dict[str, Any], told) if isinstance(told, dict) else {}
        if method == "POST" and path.endswith("/messages") and "id" not in made:
            raise ConnectionError(f"Discord did not say which message {method} {path} made.")
        return cast(Any, told)

    def _headers(self, path: str, body: object, files: Sequence[object]) -> dict[str, str]:
        json_alone = {"Content-Type": "application/json"} if body is not None and not files else {}
        # The token of an interaction, which stands in the path, is all that its calls need.
        return ({} if path.startswith("/webhooks") else self._authorization) | json_alone


def failure(method: str, status: int, code: int, message: str, retry_after: float | None = None) -> Exception:
    """What a call that Discord did not take is raised as."""
    if status == 429:
        return RateLimited(retry_after if retry_after is not None else 1.0)
    if status >= 500:
        return ConnectionError(f"Discord did not take {method} (status {status}).")
    if code in DENIED:
        return DeniedError(method, code, message)
    if status in (401, 404) or code in GONE:
        return GoneError(method, code, message)
    return DiscordError(method, code, message)


def _judged(method: str, status: int, text: str, headers: Mapping[str, str]) -> Any:
    told: dict[str, Any] = {}
    try:
        answer: Any = json.loads(text) if text else None
    except ValueError:
        answer = None
        status = status if status >= 300 else 502
    if 200 <= status < 300:
        return answer
    if isinstance(answer, dict):
        told = cast(dict[str, Any], answer)
    if told.get("errors"):
        log.error("discord_refused", method=method, where=_places(told["errors"]))
    wait = told.get("retry_after", headers.get("Retry-After"))
    code = told.get("code")
    raise failure(
        method, status, code if isinstance(code, int) else 0, str(told.get("message") or status), seconds_in(wait)
    )


def seconds_in(told: Any) -> float | None:
    """The seconds of a Retry-After; None for what is no time to wait."""
    try:
        seconds = float(told)
    except (TypeError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _places(errors: Any) -> str:
    """The fields that Discord found fault with, without their contents."""
    if not isinstance(errors, dict):
        return ""
    tree = cast(dict[str, Any], errors)
    if "_errors" in tree:
        return " ".join(re.findall(r"'code': '([A-Z_]+)'", str(tree["_errors"])))
    return ", ".join(f"{name}: {_places(inner)}" for name, inner in tree.items())


def _packed(body: Mapping[str, Any] | None, files: Sequence[tuple[str, str]]) -> Any:
    if not files:
        return None if body is None else json.dumps(body)
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", json.dumps(body or {}), content_type="application/json")
    for number, (name, text) in enumerate(files):
        form.add_field(f"files[{number}]", text.encode(), filename=name, content_type="text/markdown; charset=utf-8")
    return form
