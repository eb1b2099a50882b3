"""The outline of a text: which heading a place in a passage stands under."""

import pytest

from kbot.outline import heading_at

ENGLISH = (
    "## Setup\n\n```bash\n# install\nuv sync\n```\n\nThe server starts by itself.\n\n## Backups\n\nThey run at night."
)
PORTUGUESE = (
    "## Instalação\n\n~~~\n# instalar tudo\nuv sync\n~~~\n\nO servidor inicia sozinho.\n\n### Cópias\n\nSaem à noite."
)
SKIPPED = "# Manual\n\n### Leave\n\nAsk early.\n\n### Travel\n\nKeep the receipts."


@pytest.mark.parametrize(
    ("text", "quote", "heading", "expected"),
    [
        (ENGLISH, "The server starts by itself.", "Guide > Setup", "Guide > Setup"),
        (ENGLISH, "uv sync", "Guide > Setup", "Guide > Setup"),
        (ENGLISH, "They run at night.", "Guide > Setup", "Guide > Backups"),
        (ENGLISH, "The server starts by itself.", "Guide > Backups", "Guide > Setup"),
        (PORTUGUESE, "O servidor inicia sozinho.", "Guia > Instalação", "Guia > Instalação"),
        (PORTUGUESE, "Saem à noite.", "Guia > Instalação", "Guia > Instalação > Cópias"),
        (SKIPPED, "Keep the receipts.", "Manual > Leave", "Manual > Travel"),
        ("```\n# only a comment\n```\nIt is run once.", "It is run once.", "Guide > Setup", "Guide > Setup"),
        ("Nothing but a sentence.", "Nothing but a sentence.", "Guide > Setup", "Guide > Setup"),
        ("## Preços\n\nUma sala custa 18 euros.", "## Preços", "", "Preços"),
    ],
)
def test_a_place_stands_under_the_headings_before_it_and_no_comment_in_code(
    text: str, quote: str, heading: str, expected: str
) -> None:
    assert heading_at(text, text.index(quote), heading) == expected
