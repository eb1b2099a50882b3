"""The documentation says what the program does."""

import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from kbot.settings import Settings
from kbot_discord.settings import DiscordSettings
from kbot_slack.settings import SlackSettings

DOCS = Path(__file__).parents[2] / "docs"


def bounds(field: FieldInfo) -> str:
    """The values that a field takes, as docs/settings.md writes them."""
    kind = field.annotation
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    low = next((limit for limit in field.metadata if isinstance(limit, Ge)), None)
    high = next((limit for limit in field.metadata if isinstance(limit, Le)), None)
    over = next((limit for limit in field.metadata if isinstance(limit, Gt)), None)
    number = "number" if float in (kind, *get_args(kind)) else "whole number"
    if low and high:
        return f"{number}, {low.ge} to {high.le}"
    if low:
        return f"{number}, {low.ge} or more"
    if over:
        return f"{number}, over {over.gt}"
    names = {str: "text", bool: "`true`, `false`", float: "number", int: "whole number"}
    return next((name for each, name in names.items() if each in (kind, *get_args(kind))), "")


def shown_default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "per system"
    if field.default is None:
        return "unset"
    if field.default in ("", frozenset(), SecretStr("")):
        return "empty"
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    return f"`{field.default:g}`" if isinstance(field.default, float) else f"`{field.default}`"


@pytest.mark.parametrize(
    ("page", "prefix", "settings"),
    [
        ("settings.md", "KBOT_", Settings),
        ("slack.md", "KBOT_SLACK_", SlackSettings),
        ("discord.md", "KBOT_DISCORD_", DiscordSettings),
    ],
)
def test_the_table_of_settings_is_the_settings(page: str, prefix: str, settings: type[BaseSettings]) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in row.strip("|").split(" | ")]
        for row in re.findall(r"^\| `KBOT_.*$", text, re.MULTILINE)
    ]
    documented = {row[0]: (row[1], row[2]) for row in rows}
    expected = {
        f"`{prefix}{name.upper()}`": (
            shown_default(field),
            bounds(field) or documented.get(f"`{prefix}{name.upper()}`", ("", ""))[1],
        )
        for name, field in settings.model_fields.items()
    }
    assert documented == expected
    assert len(rows) == len(documented), "no setting stands there twice"
    assert all(len(row) == 4 and all(row) for row in rows), "each setting says what it does"
