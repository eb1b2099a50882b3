"""Which message shows which part of a reply."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbot.chat import Content, Limits
from kbot.layout import Message, Paint, differs, final, growing, line

LIMITS = Limits(post=40, edit=30, messages=3)
LONG = " ".join(f"word{n}" for n in range(10))


def shown(paints: list[Paint]) -> list[str]:
    return [paint.content.text for paint in paints]


def painted(paints: list[Paint]) -> list[Message]:
    """The messages once all was painted."""
    return [Message(str(paint.slot), paint.content, paint.raw) for paint in paints]


def test_a_text_that_grows_carries_the_cursor_at_its_end_and_closes_what_is_open() -> None:
    (only,) = growing("so **bold", [], LIMITS, " ▌")
    assert only.content == Content("so **bold ▌**", "growing", settled="so **bold")
    first, last = growing(LONG, [], LIMITS, " ▌")[:2]
    assert "▌" not in first.content.text
    assert len(first.content.text) <= 30, "what is posted now is edited later"
    assert last.slot == 1


def test_new_messages_of_a_finished_text_take_as_much_as_a_post_may() -> None:
    paints, end = final(LONG, [], LIMITS, "final")
    assert [len(text) > 30 for text in shown(paints)] == [True, False]
    assert " ".join(shown(paints)) == LONG
    assert end == len(LONG)
    paints, _ = final(LONG, painted(growing(LONG, [], LIMITS, "")), LIMITS, "final")
    assert all(len(text) <= 30 for text in shown(paints)), "those that are there are edited"
    assert " ".join(shown(paints)) == LONG


def test_what_does_not_fit_into_the_messages_is_left_for_a_file() -> None:
    paints, end = final(LONG * 5, [], LIMITS, "final")
    assert [paint.slot for paint in paints] == [0, 1, 2]
    assert end < len(LONG * 5)
    assert (LONG * 5)[end:].startswith("word")


def test_a_shorter_text_needs_fewer_messages() -> None:
    messages = painted(growing(LONG, [], LIMITS, ""))
    paints, end = final("Refused.", messages, LIMITS, "final")
    assert [(paint.slot, paint.content.text) for paint in paints] == [(0, "Refused.")]
    assert end == len("Refused.")


def test_what_a_sealed_message_shows_is_not_said_again() -> None:
    first = painted(growing(LONG, [], LIMITS, ""))[0]
    sealed = replace(first, sealed=True)
    paints, _ = final(LONG, [sealed], LIMITS, "final")
    assert paints[0].slot == 1
    assert " ".join([sealed.content.text, *shown(paints)]) == LONG


def test_where_a_sealed_message_shows_something_else_its_last_line_is_said_again() -> None:
    sealed = Message("0", Content("one\ntwo and", "growing"), "one\ntwo and", sealed=True)
    paints, _ = final("one\ntwo or three", [sealed], LIMITS, "final")
    assert shown(paints) == ["two or three"]


@pytest.mark.parametrize(("text", "start"), [("abc", 0), ("", 0), ("…" * 90, 0)])
def test_a_line_is_never_blank_and_fits_into_a_message(text: str, start: int) -> None:
    paint = line(2, text, "placeholder", LIMITS)
    assert 0 < len(paint.content.text) <= LIMITS.edit
    assert (paint.slot, paint.content.stage) == (2, "placeholder")


def test_only_what_a_reader_would_notice_is_painted() -> None:
    message = Message("0", Content("a", "growing"), "a")
    last = Paint(0, Content("a", "final"))
    assert differs(last, []), "there is no message yet"
    assert differs(last, [message]), "it is no longer growing"
    assert not differs(last, [message, message]), "no more than the last message tells that"
    assert not differs(Paint(0, Content("a", "growing", settled="a")), [message])
    assert differs(Paint(0, Content("b", "growing")), [message])
    assert not differs(last, [replace(message, content=Content("a", "final"))])


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.sampled_from("ab \n`*-é漢👍"), max_size=200),
    st.integers(20, 60),
    st.integers(20, 60),
    st.integers(1, 4),
)
def test_no_message_is_too_long_or_blank_however_it_grew(text: str, post: int, edit: int, most: int) -> None:
    limits = Limits(post=post, edit=edit, messages=most)
    messages: list[Message] = []
    for length in range(0, len(text) + 1, 7):
        paints = growing(text[:length], messages, limits, " ▌")
        for paint in paints:
            assert 0 < len(paint.content.text) <= (edit if paint.slot < len(messages) else min(post, edit))
        messages[: len(paints)] = painted(paints)
    paints, _ = final(text, messages, limits, "final")
    for paint in paints:
        assert paint.content.text.strip()
        assert len(paint.content.text) <= (edit if paint.slot < len(messages) else post)
    assert len(paints) <= most
