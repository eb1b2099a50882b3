"""What a model writes that does not come to an end, and whether reading it takes time in proportion to its length."""

import time
from collections.abc import Callable

DEGENERATE = [
    *("[1] ", ".", " ", "[", "Sources:\n", "```", "```\n", "not ", "1. ", "[1†", "[1](", "1,1,", "`", "~~~", "[fonte "),
    *("[fonte", "a_", "[1]: x", "“”", "um ", "| a [1] |\n", "\n", "\n ", "15 dias, ", "March 1 ", "1.111.", "passage "),
    *("a b [1]. ", "Sources: [1]\n", "[1] a.pdf\n", "**", "? ", "[1-3,", "**A.** "),
]
_LENGTH = 4_000
_MOST = 8.0  # four times the length takes four times the time, and sixteen where each character meets each
_UNMEASURABLE = 0.25


def assert_linear(read: Callable[[str], object], piece: str) -> None:
    """That four times a text takes nowhere near sixteen times its processor time; short times say nothing. Each time it
    is another text, since what was read once may be remembered."""
    short, long = (
        min(_seconds(read, (piece * length)[: length - n]) for n in range(3)) for length in (_LENGTH, 4 * _LENGTH)
    )
    assert long < _UNMEASURABLE or long < _MOST * short, f"{piece!r}: {short:.3f} s, {long:.3f} s"


def _seconds(read: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    read(text)
    return time.process_time() - begun
