"""Whether texts support a claim, without a model."""

import pytest

from kbot.models import Embedder
from kbot.reflection.support import weigh

ALBACORA = (
    "Albacora, a giant field in Campos Basin, offshore Brazil, has an estimated oil-in-place volume of 4.4 "
    "billion bbl.\nThe concession lasts for 15 years."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The concession lasts for 15 years.", "supported"),
        ("The concession lasts for 16 years.", "unsupported"),
        ("The field of Albacora lies in deep water off the coast of Brazil.", "doubtful"),
        ("Cats sleep on the warm roofs of old libraries.", "unsupported"),
        ("Albacora é um campo gigante na Bacia de Campos, no litoral do Brasil.", "doubtful"),
        ("A concessão dura 15 anos.", "supported"),
        ("Os gatos dormem nos telhados quentes das bibliotecas.", "unsupported"),
    ],
)
async def test_a_claim_is_supported_doubtful_or_unsupported(embedder: Embedder, claim: str, verdict: str) -> None:
    (support,) = await weigh(embedder, [(claim, [ALBACORA])])
    found = "supported" if support.supported else "doubtful" if support.doubtful else "unsupported"
    assert found == verdict, support


async def test_claims_are_weighed_by_their_own_texts_alone(embedder: Embedder) -> None:
    first, second, bare = await weigh(
        embedder,
        [
            ("The concession lasts for 15 years.", [ALBACORA]),
            ("The concession lasts for 15 years.", ["The gym opens at 6 am and closes at 10 pm."]),
            ("The concession lasts for 15 years.", []),
        ],
    )
    assert (first.supported, second.supported, second.numbers) == (True, False, False)
    assert (bare.supported, bare.doubtful, bare.span) == (False, False, "")
    assert await weigh(embedder, []) == []
