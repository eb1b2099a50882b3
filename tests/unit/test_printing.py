"""What reaches a terminal is only text."""

import pytest

from kbot.commands.documents import receipt_line
from kbot.commands.printing import shown, shown_line
from kbot.ingestion.jobs import Receipt


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\x07b", "\x9b2J", "\u202etxt.exe", "\x1b]52;c;aGk=\x07"])
def test_no_escape_sequence_is_left(text: str) -> None:
    assert "\ufffd" in shown(text).plain
    assert shown(text).plain.replace("\ufffd", "").isprintable()


def test_markup_and_line_feeds_are_text() -> None:
    assert shown("[red]x[/red]\n\ty").plain == "[red]x[/red]\n\ty"
    assert shown_line("a\n b\tc").plain == "a b c"


def test_a_receipt_is_one_line_whatever_the_file_is_called() -> None:
    line = receipt_line(Receipt("\x1b[2J\nreport.pdf", "added", pages=1, chunks=2)).plain
    assert line == "✓ added     \ufffd[2J report.pdf  1 page, 2 chunks"
