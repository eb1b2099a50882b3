"""The app manifest has the shape that docs.slack.dev/reference/app-manifest documents, and no more than is used."""

import json
import re
from typing import Any, cast

import pytest

from kbot_slack.manifest import EVENTS, INGEST_FILES, SCOPES, manifest

# Per field its type and, for texts and lists, the most characters or entries; "!" marks what Slack requires.
TEXT, FLAG, NUMBER = "text", "flag", "number"
DOCUMENTED: dict[str, Any] = {
    "_metadata": {"major_version": NUMBER, "minor_version": NUMBER},
    "display_information!": {"name!": (TEXT, 35), "description": (TEXT, 140), "background_color": (TEXT, 7)},
    "features": {
        "app_home": {"home_tab_enabled": FLAG, "messages_tab_enabled": FLAG, "messages_tab_read_only_enabled": FLAG},
        "bot_user": {"display_name!": (TEXT, 80), "always_online": FLAG},
        "shortcuts": [
            {"name!": (TEXT, 24), "type!": (TEXT, 7), "callback_id!": (TEXT, 255), "description!": (TEXT, 150)}
        ],
        "slash_commands": [
            {
                "command!": (TEXT, 32),
                "description!": (TEXT, 2000),
                "usage_hint": (TEXT, 1000),
                "should_escape": FLAG,
                "url": (TEXT, 3000),
            }
        ],
    },
    "oauth_config": {"scopes": {"bot": [(TEXT, 50)]}},
    "settings": {
        "event_subscriptions": {"request_url": (TEXT, 3000), "bot_events": [(TEXT, 50)]},
        "interactivity": {"is_enabled!": FLAG, "request_url": (TEXT, 3000)},
        "org_deploy_enabled": FLAG,
        "socket_mode_enabled": FLAG,
        "token_rotation_enabled": FLAG,
    },
}


def faults(value: Any, documented: Any, path: str = "") -> list[str]:
    if isinstance(documented, list):
        return [fault for n, entry in enumerate(value) for fault in faults(entry, documented[0], f"{path}[{n}]")]
    if isinstance(documented, dict):
        shapes = cast(dict[str, Any], documented)
        fields = {name.removesuffix("!"): shape for name, shape in shapes.items()}
        missing = [f"{path}.{name} is missing" for name in shapes if name[-1] == "!" and name[:-1] not in value]
        unknown = [f"{path}.{name} is not documented" for name in value if name not in fields]
        return (
            missing
            + unknown
            + [
                fault
                for name in value
                if name in fields
                for fault in faults(value[name], fields[name], f"{path}.{name}")
            ]
        )
    if isinstance(documented, tuple):
        return [] if isinstance(value, str) and 0 < len(value) <= documented[1] else [f"{path}: {value!r}"]
    return [] if isinstance(value, bool if documented == FLAG else int) else [f"{path}: {value!r}"]


@pytest.mark.parametrize("url", [None, "https://kbot.example.com/slack/events"])
def test_it_is_what_slack_documents(url: str | None) -> None:
    made = json.loads(json.dumps(manifest(url=url)))
    assert faults(made, DOCUMENTED) == []
    assert re.fullmatch(r"#[0-9a-f]{6}", made["display_information"]["background_color"])
    assert re.fullmatch(r"[a-z0-9_.-]+", made["features"]["bot_user"]["display_name"])


def test_the_check_finds_faults() -> None:
    made = manifest()
    made["features"]["shortcuts"][0]["name"] = "a name longer than 24 characters"
    made["settings"]["surprise"] = True
    del made["display_information"]["name"]
    assert len(faults(made, DOCUMENTED)) == 3


def test_socket_mode_needs_no_address() -> None:
    made = manifest()
    assert made["settings"]["socket_mode_enabled"]
    assert "https://" not in json.dumps(made)


def test_with_an_address_everything_is_sent_there() -> None:
    made = manifest(socket_mode=False, url="https://kbot.example.com/slack/events")
    assert made["settings"]["socket_mode_enabled"] is False
    addresses = [
        made["settings"]["event_subscriptions"]["request_url"],
        made["settings"]["interactivity"]["request_url"],
        *(command["url"] for command in made["features"]["slash_commands"]),
    ]
    assert set(addresses) == {"https://kbot.example.com/slack/events"}


@pytest.mark.parametrize("url", ["http://kbot.example.com/", "kbot.example.com", "https://"])
def test_an_address_that_slack_refuses_is_refused_here(url: str) -> None:
    with pytest.raises(ValueError, match="https"):
        manifest(url=url)


def test_it_must_be_reached_somehow() -> None:
    with pytest.raises(ValueError, match="give the https address"):
        manifest(socket_mode=False)


def test_every_event_has_its_scope_and_every_scope_its_use() -> None:
    needs = {
        "app_mention": "app_mentions:read",
        "message.channels": "channels:history",
        "message.groups": "groups:history",
        "message.im": "im:history",
        "message.mpim": "mpim:history",
    }
    assert {needs[event] for event in EVENTS if event in needs} <= set(SCOPES)
    assert set(EVENTS) - set(needs) == {"app_uninstalled", "tokens_revoked"}  # which need none
    calls = {"channels:read", "groups:read", "chat:write", "commands", "files:read", "users:read"}
    assert set(SCOPES) == set(needs.values()) | calls
    assert list(SCOPES) == manifest()["oauth_config"]["scopes"]["bot"]


def test_the_commands_and_the_shortcut() -> None:
    features = manifest()["features"]
    commands = [command["command"] for command in features["slash_commands"]]
    assert commands == ["/ask", "/ingest", "/sources", "/forget", "/gaps"]
    assert all(" · " in command["description"] for command in features["slash_commands"])
    assert [(shortcut["type"], shortcut["callback_id"]) for shortcut in features["shortcuts"]] == [
        ("message", INGEST_FILES)
    ]
