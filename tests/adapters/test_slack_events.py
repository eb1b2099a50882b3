"""What Slack sends becomes what the core knows: who, where, what; and nothing where nobody says anything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.chat import IncomingMessage
from kbot_slack.events import (
    Identity,
    asked,
    attachments,
    deleted,
    deleted_ts,
    edited,
    message,
    names_others,
    place,
)
from kbot_slack.markup import escape, escape_block, link, mentions, mrkdwn, read, unescape

BOT = Identity("T1", "UBOT", "BBOT")
SAID: dict[str, Any] = {
    "type": "message",
    "channel": "C1",
    "channel_type": "channel",
    "user": "U1",
    "text": "<@UBOT> wie geht's? R&amp;D &lt;3",
    "ts": "1700000000.000100",
}


def taken(private: bool = False, **changes: Any) -> IncomingMessage | None:
    event = {key: value for key, value in {**SAID, **changes}.items() if value is not ...}
    return message(event, BOT, workspace="default", private=private, event_id="Ev1")


def said(private: bool = False, **changes: Any) -> IncomingMessage:
    found = taken(private, **changes)
    assert found
    return found


def test_a_mention_at_the_top_of_a_channel_is_answered_in_a_thread_below() -> None:
    found = said()
    assert (found.place.workspace, found.place.channel, found.place.thread) == ("default", "slack:C1", None)
    assert (found.text, found.author, found.message_id) == ("wie geht's? R&D <3", "U1", SAID["ts"])
    assert (found.reply_thread, found.event_id, found.addressed, found.direct) == (SAID["ts"], "Ev1", True, False)
    assert not found.place.private


def test_a_mention_arrives_as_two_events_of_one_message() -> None:
    mention = said(type="app_mention", channel_type=...)
    assert mention == said()


def test_a_reply_in_a_thread() -> None:
    found = said(thread_ts="1690000000.000100", text="and on Sundays?")
    assert (found.place.thread, found.reply_thread, found.addressed) == ("1690000000.000100", None, False)
    assert said(thread_ts="1690000000.000100").addressed


def test_the_message_a_thread_hangs_on_is_not_in_it() -> None:
    found = said(thread_ts=SAID["ts"])
    assert (found.place.thread, found.reply_thread) == (None, SAID["ts"])


def test_a_direct_message_is_private_addressed_and_answered_right_there() -> None:
    for found in (said(channel="D1", channel_type="im", text="hi"), said(channel="D1", channel_type=..., text="hi")):
        assert (found.direct, found.addressed, found.place.private, found.reply_thread) == (True, True, True, None)


def test_a_group_of_people_is_private_and_must_mention_kbot() -> None:
    found = said(channel="G1", channel_type="mpim", text="lunch?")
    assert (found.direct, found.addressed, found.place.private) == (False, False, True)
    assert said(channel="G1", channel_type="mpim").addressed


def test_a_private_channel_is_private_whoever_says_so() -> None:
    assert said(channel_type="group").place.private
    assert said(private=True, type="app_mention", channel_type=...).place.private


@pytest.mark.parametrize(
    "changes",
    [
        {"subtype": "channel_join"},
        {"subtype": "bot_message", "bot_id": "B2", "user": ...},
        {"subtype": "message_changed"},
        {"type": "reaction_added"},
        {"user": "UBOT"},
        {"user": ..., "bot_id": "BBOT"},
        {"type": "app_mention", "edited": {"user": "U1", "ts": "1700000009.000100"}},
    ],
)
def test_nobody_says_anything(changes: dict[str, Any]) -> None:
    assert taken(**changes) is None


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_subtypes_that_are_speech(subtype: str) -> None:
    assert said(subtype=subtype).text == said().text


def test_another_bot_is_known_as_one() -> None:
    assert said(bot_id="B2", user="U2").from_bot
    assert said(bot_id="B2", user=...).author == "B2"
    assert not said().from_bot


def test_files_come_with_what_slack_says_of_them() -> None:
    hosted: dict[str, Any] = {
        "id": "F1",
        "name": "plano.pdf",
        "mimetype": "application/pdf",
        "size": 12,
        "mode": "hosted",
        "url_private": "https://files.slack.com/files-pri/T1-F1/plano.pdf",
        "url_private_download": "https://files.slack.com/files-pri/T1-F1/download/plano.pdf",
    }
    external = {
        "id": "F2",
        "title": "Roadmap",
        "mode": "external",
        "is_external": True,
        "url_private": "https://d.example/1",
    }
    held = {"id": "F3", "mode": "hidden_by_limit"}
    gone = {"id": "F4", "mode": "tombstone"}
    found = said(subtype="file_share", files=[hosted, external, held, gone]).attachments
    assert [(file.name, file.url, file.size, file.media_type) for file in found] == [
        ("plano.pdf", hosted["url_private_download"], 12, "application/pdf"),
        ("Roadmap", "https://d.example/1", 0, None),
        ("F3", "", 0, None),
    ]
    assert attachments([gone]) == ()


def changed(new: dict[str, Any], old: dict[str, Any] | None, **event: Any) -> dict[str, Any]:
    event = {"type": "message", "subtype": "message_changed", "channel": "C1", "channel_type": "channel", **event}
    return {**event, "message": new} if old is None else {**event, "message": new, "previous_message": old}


OLD = {"type": "message", "user": "U1", "text": "<@UBOT> when?", "ts": SAID["ts"], "thread_ts": SAID["ts"]}
NEW = {**OLD, "text": "<@UBOT> where?", "edited": {"user": "U1", "ts": "1700000009.000100"}}


def test_an_edited_question_is_the_same_message_with_another_text() -> None:
    again = edited(changed(NEW, OLD))
    assert again
    found = message(again, BOT, workspace="default", private=False, event_id="Ev2")
    assert found
    assert (found.message_id, found.text, found.reply_thread) == (SAID["ts"], "where?", SAID["ts"])
    assert edited(changed(NEW, None))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ({**OLD, "attachments": [{"title": "preview"}]}, OLD),
        ({**OLD, "attachments": [{"title": "preview"}]}, None),
        ({**NEW, "user": "UBOT", "bot_id": "BBOT"}, OLD),
        ({**NEW, "subtype": "tombstone", "text": "This message was deleted."}, OLD),
    ],
)
def test_what_is_no_edit_by_a_person(new: dict[str, Any], old: dict[str, Any] | None) -> None:
    assert edited(changed(new, old)) is None
    assert edited(SAID) is None


def test_a_deleted_message_is_known_by_its_id_also_when_a_thread_keeps_its_place() -> None:
    direct = {"type": "message", "subtype": "message_deleted", "channel": "D1", "channel_type": "im"}
    vanished: dict[str, Any] = {**direct, "deleted_ts": SAID["ts"], "previous_message": OLD}
    tombstone = changed({"subtype": "tombstone", "ts": SAID["ts"], "text": "This message was deleted."}, OLD)
    assert deleted_ts(vanished) == deleted_ts(tombstone) == SAID["ts"]
    assert deleted_ts(changed(NEW, OLD)) is deleted_ts(SAID) is None
    gone = deleted(vanished)
    assert gone
    assert place(gone, workspace="w", private=False).private
    assert deleted_ts({key: value for key, value in vanished.items() if key != "previous_message"}) == SAID["ts"]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("<@U2> what do you think?", True),
        ("<!here> lunch", True),
        ("<!subteam^S1|@ops> lunch", True),
        ("<@U2> <@UBOT> says so", False),
        ("and on Sundays? <https://example.com>", False),
    ],
)
def test_who_is_spoken_to(text: str, others: bool) -> None:
    assert names_others({**SAID, "text": text}, BOT) is others


@pytest.mark.parametrize(
    ("text", "public", "question"),
    [
        ("how much?", False, "how much?"),
        ("in_channel how much?", True, "how much?"),
        ("  IN_CHANNEL: how much?", True, "how much?"),
        ("--in_channel how much?", True, "how much?"),
        ("--public how much?", True, "how much?"),
        ("—público quanto?", True, "quanto?"),
        ("--pu\u0301blico quanto?", True, "quanto?"),
        ("publico: quanto?", True, "quanto?"),
        ("public holidays in May?", False, "public holidays in May?"),
        ("Públicos são quais?", False, "Públicos são quais?"),
        ("in_channels what is that?", False, "in_channels what is that?"),
        ("in_channel", True, ""),
        ("", False, ""),
    ],
)
def test_who_shall_see_the_answer(text: str, public: bool, question: str) -> None:
    assert asked(text) == (public, question)


@pytest.mark.parametrize(
    ("sent", "plain"),
    [
        ("<@UBOT> when?", "when?"),
        ("<@UBOT|kbot>: when?", "when?"),
        ("<@UBOT>, <@UBOT> :wave: when?", ":wave: when?"),
        ("hey <@UBOT> when?", "hey when?"),
        ("thanks <@UBOT>!", "thanks!"),
        ("one\n  two <@UBOT>\nthree", "one\ntwo\nthree"),
        ("<@UBOT>\n\n  indented", "indented"),
        ("<@U2|ana> and <@U3>", "@ana and @U3"),
        ("<#C1|general> <#C2> <#C3|>", "#general #C2 #C3"),
        ("<!subteam^S1|@ops> <!subteam^S2> <!here> <!channel|channel>", "@ops @S2 @here @channel"),
        ("<!date^1700000000^{date}|14 Nov>", "14 Nov"),
        ("<https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2"),
        ("<http://example.com|example.com>", "http://example.com"),
        ("<https://example.com|the plan>", "the plan (https://example.com)"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<mailto:a@b.example|Ana>", "Ana (a@b.example)"),
        ("1 &lt; 2 &amp;amp; 3 < 4 > 2", "1 < 2 &amp; 3 < 4 > 2"),
    ],
)
def test_what_a_person_wrote(sent: str, plain: str) -> None:
    assert read(sent, "UBOT") == plain


def test_an_escaped_mention_is_text() -> None:
    assert mentions("&lt;@U2&gt; <@U3|ana> <@W4>") == {"U3", "W4"}
    assert read("&lt;@UBOT&gt;", "UBOT") == "<@UBOT>"


PIECES = st.sampled_from(["<", ">", "&", "@U1", "!here", "http://a.b", "|", "lt;", "amp;", "é", "\n"])
SLACKISH = st.lists(PIECES | st.text()).map("".join)


@given(SLACKISH)
def test_escaped_and_back_is_the_same(text: str) -> None:
    assert unescape(escape(text)) == text
    assert read(escape(text), "UBOT") == text.strip()


@given(SLACKISH)
def test_nothing_written_becomes_markup(text: str) -> None:
    for written in (escape(text), escape_block(text)):
        assert "<" not in written
        assert ">" not in written
        assert mentions(written) == set()


@given(SLACKISH, SLACKISH)
def test_a_link_is_one_link_or_none(address: str, label: str) -> None:
    for made in (link(f"https://example.com/{address}", label), link(address, label)):
        inside = made[1:-1] if made.startswith("<") else made
        assert "<" not in inside
        assert ">" not in inside
        assert not made.startswith("<") or (inside.count("|") == 1 and inside.startswith("http"))


@given(SLACKISH)
def test_markdown_yields_no_mention(text: str) -> None:
    written = mrkdwn(text)
    assert mentions(written) == set()
    assert "<!" not in written


@pytest.mark.parametrize(
    ("markdown", "written"),
    [
        ("**Manual** & <b>", "*Manual* &amp; &lt;b&gt;"),
        ("## Pages\n- one\n  * two", "*Pages*\n• one\n  • two"),
        ("[the | plan](https://e.example/a_(b))", "<https://e.example/a_(b)|the ¦ plan>"),
        ("[the plan](<https://e.example/>)", "<https://e.example/|the plan>"),
        ("[x](javascript:alert) [y](file:///etc)", "x y"),
        ("`**not** <bold>`", "`**not** &lt;bold&gt;`"),
        ("```\n- a **b**\n```", "```\n- a **b**\n```"),
        (r"2 \* 3 \_x\_", "2 * 3 _x_"),
        ("# a **b** [c](https://e.example)", "*a b <https://e.example|c>*"),
    ],
)
def test_markdown_for_windows(markdown: str, written: str) -> None:
    assert mrkdwn(markdown) == written
