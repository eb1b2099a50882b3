"""Whether texts support a claim, without a model."""

from dataclasses import replace

import pytest
from langchain_core.embeddings import Embeddings

from kbot.chat import Passage
from kbot.models import Embedder, open_chat_model
from kbot.reflection.reflecting import Reflection
from kbot.reflection.support import gather, weigh, weighed
from kbot.settings import Settings

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
    assert (first.supported, second.supported, second.figures) == (True, False, False)
    assert (bare.supported, bare.doubtful, bare.span) == (False, False, "")
    assert await weigh(embedder, []) == []


class _Counting(Embeddings):
    """The real embedder, which counts what it is given."""

    def __init__(self, real: Embeddings) -> None:
        self._real = real
        self.texts: list[str] = []

    def embed_query(self, text: str) -> list[float]:
        return self._real.embed_query(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return self._real.embed_documents(texts)


async def test_a_draft_is_embedded_once_however_many_passages_it_is_held_against(embedder: Embedder) -> None:
    counting = _Counting(embedder.embeddings)
    chat = await open_chat_model(Settings.model_construct(chat_model="extractive"), embedder)
    reflection = Reflection(
        "check", chat, replace(embedder, embeddings=counting), attempts=0, language="en", timeout=5.0
    )
    texts = ["The gym opens at 6 am on each weekday.", ALBACORA, "A lost badge is replaced at the front desk."]
    passages = [Passage(str(n), str(n), "s.md", "S", text, 0, 0, 0, 0) for n, text in enumerate(texts)]
    draft = "The concession lasts for 15 years [1]. A lost badge is replaced at the front desk."
    review = await reflection.review("?", draft, passages)
    assert review.text == "The concession lasts for 15 years [2]. A lost badge is replaced at the front desk [3]."
    assert review.unsupported == ()
    assert len(counting.texts) == len(set(counting.texts)) == 4, "both claims are sentences of the passages too"


@pytest.mark.parametrize(
    ("claim", "text", "supported"),
    [
        ("The concession lasts for fifteen years.", ALBACORA, True),
        ("The concession lasts for 15 minutes.", ALBACORA, False),
        ("A concessão dura quinze anos.", ALBACORA, True),
        ("O desconto no curso é de 15%.", "O desconto no curso é de 15 por cento.", True),
        ("O prazo do pedido é de 15 minutos.", "O prazo do pedido é de 15 dias.", False),
    ],
)
async def test_figures_are_held_as_values(embedder: Embedder, claim: str, text: str, supported: bool) -> None:
    (support,) = await weigh(embedder, [(claim, [text])])
    assert (support.figures, support.supported) == (supported, supported)


async def test_a_figure_may_stand_in_the_title_or_the_heading_of_a_text(embedder: Embedder) -> None:
    text = "Cada pessoa tem 22 dias úteis de férias por ano."
    claims = {year: f"Em {year}, cada pessoa tem 22 dias úteis de férias por ano." for year in (2023, 2024)}
    evidence = await gather(embedder, claims.values(), {text: "Política de 2024\nFérias"})
    assert [weighed(evidence, claim, [text]).supported for claim in claims.values()] == [False, True]


@pytest.mark.parametrize(
    ("claim", "text", "verdict"),
    [
        (
            "Charging electric cars is permitted in the garage.",
            "Charging electric cars is not permitted in the garage.",
            "doubtful",
        ),
        ("É permitido fumar na garagem do prédio.", "É proibido fumar na garagem do prédio.", "doubtful"),
        ("Interns are entitled to the yearly bonus.", "Interns are not entitled to the yearly bonus.", "doubtful"),
        ("O prazo do pedido é de no máximo 30 dias.", "O prazo do pedido é de no mínimo 30 dias.", "doubtful"),
        ("Ask for it at most 30 days in advance.", "Ask for it at least 30 days in advance.", "doubtful"),
        ("Ask for it at least 30 days in advance.", "Ask for it at least 30 days in advance.", "supported"),
        ("Não é permitido fumar na garagem do prédio.", "É proibido fumar na garagem do prédio.", "supported"),
        (
            "Charging electric cars is permitted in the yard.",
            "Charging electric cars is not permitted in the garage. Charging electric cars is permitted in the yard.",
            "supported",
        ),
    ],
)
async def test_the_opposite_of_what_a_text_says_is_not_supported(
    embedder: Embedder, claim: str, text: str, verdict: str
) -> None:
    (support,) = await weigh(embedder, [(claim, [text])])
    assert ("supported" if support.supported else "doubtful" if support.doubtful else "unsupported") == verdict, support
    assert support.turned is (verdict == "doubtful")
