"""What is wrong with the settings is said at the start, in one line that names the setting."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from slack_in_process import settings

from fakes.slack import FakeSlack, fake_slack
from kbot.chat import SettingsError
from kbot_slack.adapter import SlackAdapter
from kbot_slack.calls import proxy_for
from kbot_slack.settings import SlackSettings


async def refused(adapter: SlackAdapter) -> str:
    with pytest.raises(SettingsError) as caught:
        async with adapter.connected():
            pass
    told = str(caught.value)
    assert "\n" not in told
    assert "xoxb-" not in told.replace("begins with xoxb-", "")
    assert "xapp-1" not in told
    return told


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment without settings of Slack."""
    for name in SlackSettings.model_fields:
        monkeypatch.delenv(f"KBOT_SLACK_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "KBOT_SLACK_BOT_TOKEN is not set"),
        ({"BOT_TOKEN": "xoxb-1"}, "Neither KBOT_SLACK_APP_TOKEN .* nor KBOT_SLACK_SIGNING_SECRET"),
        ({"BOT_TOKEN": "xapp-1", "APP_TOKEN": "xoxb-1"}, "KBOT_SLACK_BOT_TOKEN holds an app-level token"),
        ({"BOT_TOKEN": "xoxb-1", "APP_TOKEN": "xoxb-1"}, "KBOT_SLACK_APP_TOKEN holds a bot token"),
        ({"BOT_TOKEN": "xoxp-1", "APP_TOKEN": "xapp-1"}, "KBOT_SLACK_BOT_TOKEN holds a user token"),
        ({"BOT_TOKEN": "t", "APP_TOKEN": "t", "PORT": "many"}, "KBOT_SLACK_PORT"),
        ({"BOT_TOKEN": "t", "APP_TOKEN": "t", "API_URL": "slack.com/api"}, "KBOT_SLACK_API_URL"),
    ],
)
def test_what_cannot_be_used_is_named(bare: pytest.MonkeyPatch, given: dict[str, str], told: str) -> None:
    for name, value in given.items():
        bare.setenv(f"KBOT_SLACK_{name}", value)
    with pytest.raises(SettingsError, match=told):
        SlackAdapter()


def test_settings_come_from_the_environment_and_the_file(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("KBOT_SLACK_BOT_TOKEN", "any")
    bare.setenv("KBOT_SLACK_ADMINS", "U1, U2,")
    (tmp_path / ".env").write_text("KBOT_SLACK_SIGNING_SECRET=8f742231\nKBOT_SLACK_API_URL=http://127.0.0.1:8111/api\n")
    read = SlackAdapter().settings
    assert read.admins == {"U1", "U2"}
    assert read.api_url == "http://127.0.0.1:8111/api/"
    assert read.signing_secret.get_secret_value() == "8f742231"
    assert "8f742231" not in repr(read)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"bot_token": SecretStr("xoxb-wrong")}, r"KBOT_SLACK_BOT_TOKEN \(invalid_auth\)"),
        ({"app_token": SecretStr("xapp-wrong")}, r"KBOT_SLACK_APP_TOKEN \(invalid_auth\)"),
        ({"scopes": {"chat:write"}}, "lacks app_mentions:read, .*users:read: add them"),
        ({"socket_mode": False}, "Socket Mode is off"),
        ({"revoked": True}, r"KBOT_SLACK_BOT_TOKEN \(token_revoked\)"),
        ({"api_url": "http://127.0.0.1:9/api/"}, "cannot be reached at 127.0.0.1:9"),
    ],
)
async def test_what_slack_refuses_is_named(fault: dict[str, Any], told: str) -> None:
    async with fake_slack() as slack:
        given = {name: value for name, value in fault.items() if name in SlackSettings.model_fields}
        for name in fault.keys() - given.keys():
            setattr(slack, name, fault[name])
        line = await refused(SlackAdapter(settings(slack, **given)))
    assert re.search(told, line), line


async def test_tokens_of_the_wrong_kind_are_found_out_by_slack() -> None:
    async with fake_slack() as slack:
        slack.bot_token, slack.app_token = "first", "second"
        swapped = settings(slack, bot_token=SecretStr("second"), app_token=SecretStr("first"))
        assert "KBOT_SLACK_BOT_TOKEN holds a token of another kind" in await refused(SlackAdapter(swapped))


async def test_what_is_only_useful_may_be_missing(caplog: pytest.LogCaptureFixture) -> None:
    async with fake_slack() as slack:
        slack.scopes -= {"channels:read", "groups:read"}
        adapter = SlackAdapter(settings(slack))
        async with adapter.connected():
            assert adapter.limits.budget == slack.team
            assert adapter.identity.user_id == slack.bot.id
    assert "channels:read,groups:read" in caplog.text


async def test_a_stumble_of_slack_is_waited_for() -> None:
    async with fake_slack() as slack:
        slack.refuse_connections(0.2)
        async with SlackAdapter(settings(slack)).connected():
            pass


def test_a_proxy_is_for_other_hosts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert proxy_for("https://slack.com/api/") is None
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", "example.org")
    assert proxy_for("https://slack.com/api/") == "http://proxy:3128"
    assert proxy_for("wss://wss-primary.slack.com/link/") == "http://proxy:3128"
    assert proxy_for("https://slack.example.org/api/") is None
    for here in ("http://127.0.0.1:8111/api/", "https://localhost/api/", "https://[::1]/api/"):
        assert proxy_for(here) is None


async def test_a_proxy_does_not_come_between_kbot_and_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with fake_slack(FakeSlack()) as slack, SlackAdapter(settings(slack)).connected():
        pass
