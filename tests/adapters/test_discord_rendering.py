"""What kbot shows in Discord, and what can be set: without a server."""

import re
from dataclasses import astuple, replace

import pytest
from conformance import CITATIONS, GROUNDED, REFUSED
from hypothesis import given
from hypothesis import strategies as st

from kbot.chat import Content, Passage, SettingsError, labels_in
from kbot_discord.rendering import TEXT, bodies, escape, source_lines
from kbot_discord.settings import DiscordSettings
from kbot_discord.words import IN_PORTUGUESE, words_in

ANSWER = replace(GROUNDED, id="0b0f1f6e-0000-4000-8000-000000000001")


@given(st.text(max_size=TEXT), st.integers(0, 40), st.sampled_from(["pt", "en"]))
def test_no_message_is_longer_than_discord_takes_and_no_source_is_lost(text: str, cited: int, language: str) -> None:
    citations = tuple(replace(CITATIONS[n % 2], n=n + 1) for n in range(cited))
    shown = bodies(Content(text, "final", replace(ANSWER, citations=citations, language=language)))
    assert all(len(body["content"]) <= TEXT for body in shown)
    listed = "\n".join(body["content"] for body in shown)
    assert all(f"-# [{n + 1}] " in listed for n in range(cited))
    assert [bool(body["components"]) for body in shown] == [False] * (len(shown) - 1) + [True]
    assert all(body["allowed_mentions"] == {"parse": []} and body["flags"] & 4 for body in shown)


def test_an_edit_takes_the_buttons_of_an_earlier_text_away() -> None:
    (growing,) = bodies(Content("São", "growing"))
    assert growing["components"] == []


def test_a_refusal_offers_the_way_to_the_admins_alone() -> None:
    (refused,) = bodies(Content(REFUSED.text, "final", replace(REFUSED, id="a1", language="pt")))
    (row,) = refused["components"]
    assert [button["custom_id"] for button in row["components"]] == ["kbot:reported:a1"]
    assert refused["content"] == REFUSED.text


def test_a_title_or_an_address_cannot_break_out_of_its_link() -> None:
    evil = replace(CITATIONS[0], title="x](https://evil.org) **b** `c` <@1>", url="https://ex.org/a b)>(<c>")
    (line,) = source_lines(replace(ANSWER, citations=(evil,)))
    assert line.endswith("](<https://ex.org/a%20b%29%3E%28%3Cc%3E>)")
    assert "](https://evil" not in line
    assert "<@1>" not in line
    assert escape("a*b_c") == r"a\*b\_c"
    for url in ("javascript:alert(1)", "file:///etc/passwd", "https://", None):
        (line,) = source_lines(replace(ANSWER, citations=(replace(CITATIONS[0], url=url),)))
        assert "](<" not in line


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("TOKEN", "", "KBOT_DISCORD_TOKEN is not set"),
        ("ADMINS", "123, ana", "KBOT_DISCORD_ADMINS cannot be used: 'ana' is not an id"),
        ("API_URL", "discord.com", "KBOT_DISCORD_API_URL"),
        ("MESSAGE_CONTENT", "talvez", "KBOT_DISCORD_MESSAGE_CONTENT"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, name: str, value: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))
    monkeypatch.setenv("KBOT_DISCORD_TOKEN", "s3cret")
    monkeypatch.setenv(f"KBOT_DISCORD_{name}", value)
    with pytest.raises(SettingsError, match=told) as raised:
        DiscordSettings.read()
    assert "\n" not in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_admins_are_read_as_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBOT_DISCORD_TOKEN", "s3cret")
    monkeypatch.setenv("KBOT_DISCORD_ADMINS", " 12, 34 ,")
    assert DiscordSettings.read().admins == {"12", "34"}


@pytest.mark.parametrize("language", ["en", "pt"])
def test_kbot_speaks_of_servers_as_people_in_discord_do(language: str) -> None:
    said = [str(part) for texts in (words_in(language), labels_in(language)) for part in astuple(texts)]
    said += [*IN_PORTUGUESE, *IN_PORTUGUESE.values()]
    assert not [text for text in said if re.search(r"workspace|espaço de trabalho|slack", text, re.IGNORECASE)]
    assert any(re.search("server|servidor", text) for text in said)


@pytest.mark.parametrize(
    ("language", "read", "report"),
    [("en", "Show everything I read", "Tell an admin"), ("pt", "Mostrar tudo o que li", "Avisar um admin")],
)
def test_buttons_are_in_the_readers_language(language: str, read: str, report: str) -> None:
    passage = Passage("1", "d", "a.md", "A", "texto", 0.5, 0.5, 0.5, 0.5)
    (shown,) = bodies(Content("Sim.", "final", replace(ANSWER, read=(passage,), language=language)))
    assert shown["components"][0]["components"][-1]["label"] == read
    (refused,) = bodies(Content(REFUSED.text, "final", replace(REFUSED, id="a1", language=language)))
    assert refused["components"][0]["components"][0]["label"] == report
