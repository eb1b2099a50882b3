"""`kbot slack manifest`, by the program itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kbot_slack.manifest import EVENTS, SCOPES, manifest


def kbot(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "kbot", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=30,
        check=False,
    )


def test_it_prints_the_manifest_as_json(tmp_path: Path) -> None:
    run = kbot(tmp_path, "slack", "manifest")
    assert (run.returncode, run.stderr) == (0, "")
    printed = json.loads(run.stdout)
    assert printed == manifest()
    assert printed["oauth_config"]["scopes"]["bot"] == list(SCOPES)
    assert printed["settings"]["event_subscriptions"]["bot_events"] == list(EVENTS)
    assert printed["settings"]["socket_mode_enabled"]


def test_it_prints_that_for_events_by_http(tmp_path: Path) -> None:
    run = kbot(tmp_path, "slack", "manifest", "--http", "https://kbot.example.org/slack/events")
    assert json.loads(run.stdout) == manifest(socket_mode=False, url="https://kbot.example.org/slack/events")
    refused = kbot(tmp_path, "slack", "manifest", "--http", "http://kbot.example.org")
    assert refused.returncode == 2
    assert "https" in refused.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["slack", "--help"]])
def test_it_can_be_found(tmp_path: Path, arguments: list[str]) -> None:
    shown = kbot(tmp_path, *arguments).stdout
    assert ("slack" if arguments == ["--help"] else "manifest") in shown


def test_a_missing_token_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBOT_SLACK_BOT_TOKEN", "")
    run = kbot(tmp_path, "run", "slack")
    assert run.returncode == 2
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert "KBOT_SLACK_BOT_TOKEN is not set" in line
    assert "OAuth & Permissions" in line
