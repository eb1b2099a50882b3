"""What a reader makes of a message: its list of sources, its buttons."""

import re

from fakes.discord_state import Json

_MARKS = r"[\s>*_#-]*"
_HEADING = re.compile(rf"{_MARKS}(?:Sources|Fontes)[\s*_:]*", re.IGNORECASE)
_SOURCE = re.compile(rf"{_MARKS}(?:\\?\[\d+\\?\]|\d+\\?\.)\s.*")


def sources(text: str) -> tuple[str, ...]:
    """The lines `[n] …` or `n. …` of a list below a heading "Sources" or "Fontes", without marks of a quote or small
    print; empty where there is no such list."""
    found: list[str] = []
    listed = False
    for line in text.splitlines():
        if _HEADING.fullmatch(line):
            listed, found = True, []
        elif listed and _SOURCE.fullmatch(line):
            found.append(line.strip().removeprefix("-# ").removeprefix("> ").strip())
        elif line.strip():
            listed = False
    return tuple(found)


def label(button: Json) -> str:
    """What stands on a button: its label, or else its emoji."""
    emoji: Json = button.get("emoji") or {}
    return str(button.get("label") or emoji.get("name") or "")


def buttons(components: list[Json]) -> tuple[str, ...]:
    """The labels of the buttons that can be pressed."""
    return tuple(label(one) for one in components if one["type"] == 2 and not one.get("disabled"))
