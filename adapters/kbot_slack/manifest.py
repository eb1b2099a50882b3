"""The app manifest: what kbot is to Slack, what it may do, and of what it is told."""

from typing import Any
from urllib.parse import urlsplit

SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "groups:history",
    "groups:read",
    "im:history",
    "mpim:history",
    "users:read",
)
"""What the bot token must be allowed to do."""

EVENTS = (
    "app_mention",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    # Told of at once: a bot whose token is gone is called no more, and would find out from its next call, if ever.
    "app_uninstalled",
    "tokens_revoked",
)
"""What Slack tells kbot. Each needs a listener: an event without one is never acknowledged, and sent again.

A removal from a channel, or a channel that was archived, needs no event: the next edit of a reply there is refused.
"""

INGEST_FILES = "kbot:ingest_files"
"""Callback id of the message shortcut."""

_COMMANDS = (
    ("/ask", "Ask the documents · Perguntar aos documentos", "[in_channel] question · pergunta"),
    ("/ingest", "Ingest documents (admins) · Ingerir documentos (admins)", ""),
    ("/sources", "List the documents (admins) · Listar os documentos (admins)", ""),
    ("/forget", "Delete a document (admins) · Apagar um documento (admins)", "name · nome"),
    ("/gaps", "What the documents did not answer (admins) · O que os documentos não responderam (admins)", ""),
)


def manifest(*, socket_mode: bool = True, url: str | None = None) -> dict[str, Any]:
    """The app manifest, ready for JSON: for Socket Mode, or for requests to `url`, the public https address at which
    kbot listens, if one is given. Raises ValueError with neither Socket Mode nor address, or for one that is not https.
    """
    if url is None and not socket_mode:
        raise ValueError("without Socket Mode Slack must reach kbot: give the https address of its events")
    if url is not None and (urlsplit(url).scheme != "https" or not urlsplit(url).hostname):
        raise ValueError(
            f"Slack sends events to https addresses alone, not to {url!r}: give one that starts with https://"
        )
    reached = {} if url is None else {"request_url": url}
    return {
        "_metadata": {"major_version": 1, "minor_version": 1},
        "display_information": {
            "name": "kbot",
            "description": "Answers from your documents, with sources · Responde pelos documentos, com fontes",
            "background_color": "#2c3e50",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "kbot", "always_online": True},
            "shortcuts": [
                {
                    "name": "Ingest these files",
                    "type": "message",
                    "callback_id": INGEST_FILES,
                    "description": "Ingest the files of a message (admins) · Ingerir os arquivos da mensagem (admins)",
                }
            ],
            "slash_commands": [_command(*command, url) for command in _COMMANDS],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {**reached, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **reached},
            "org_deploy_enabled": False,
            "socket_mode_enabled": url is None,
            "token_rotation_enabled": False,
        },
    }


def _command(command: str, description: str, hint: str, url: str | None) -> dict[str, Any]:
    return {
        "command": command,
        "description": description,
        # Escaped, a command's text is written as a message's is, and `markup.read` reads both.
        "should_escape": True,
        **({"usage_hint": hint} if hint else {}),
        **({"url": url} if url else {}),
    }
