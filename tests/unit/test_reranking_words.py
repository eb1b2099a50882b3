"""The embedded reranker: its arithmetic with vectors set by hand, and its sense with the real encoder."""

import math
from dataclasses import replace

import pytest
from langchain_core.embeddings import Embeddings

from kbot.chat import Passage
from kbot.models import Embedder
from kbot.reranking import by_score, titled
from kbot.reranking.words import WordVectors, agreement, asked_words, rerank_by_words, words_of


class Plane(Embeddings):
    """Words as directions in the plane, by their angle in degrees; what was encoded is noted."""

    def __init__(self, **angles: float) -> None:
        self.angles = angles
        self.encoded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.encoded.extend(texts)
        turned = [math.radians(self.angles[text]) for text in texts]
        return [[math.cos(angle), math.sin(angle)] for angle in turned]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def passage(name: str, text: str, score: float) -> Passage:
    return Passage(name, name, f"{name}.md", name, text, similarity=score, sentence=score, coverage=0.0, score=score)


def weight(n: float, of: int) -> float:
    return math.log(1 + (of - n + 0.5) / (n + 0.5))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many days of leave do I have?", ["days", "leave"]),
        ("Quantos dias de férias eu tenho?", ["dias", "férias", "tenho"]),
        ("O que a TI faz às 9 da manhã?", ["ti", "faz", "9", "manhã"]),
        ("Is it ok?", ["is", "it", "ok"]),
        ("Férias, férias ou FÉRIAS?", ["férias"]),
        ("guarda-chuva do RH", ["guarda-chuva", "rh"]),
        ("?!", []),
    ],
)
def test_the_words_that_a_question_is_about(question: str, words: list[str]) -> None:
    assert asked_words(question) == words


def test_a_passage_is_the_words_of_its_sentences() -> None:
    assert words_of("The Warsaw Uprising began in 1944. Ela durou 63 dias, até outubro.") == [
        ["the", "warsaw", "uprising", "began", "in", "1944"],
        ["ela", "durou", "63", "dias", "até", "outubro"],
    ]


def test_one_word_is_matched_by_its_cosine_above_six_tenths() -> None:
    vectors = WordVectors(Plane(revolt=0, uprising=36.87, table=60, revolta=0))
    texts = [[["revolta"]], [["uprising"]], [["table"]], [["revolt"]]]
    # The cosine of 36.87 degrees is 0.8, half of the way from 0.6 to 1; that of 60 is 0.5.
    assert agreement(["revolt"], texts, vectors) == pytest.approx([1.0, 0.5, 0.0, 1.0], abs=2e-3)


def test_words_are_weighed_by_their_rarity_and_count_in_one_sentence() -> None:
    vectors = WordVectors(Plane(warsaw=0, museums=90, others=200))
    together, apart, common = [["warsaw", "museums"]], [["warsaw"], ["museums"]], [["museums"], ["others"]]
    warsaw, museums = weight(2, 3), weight(3, 3)
    assert agreement(["warsaw", "museums"], [together, apart, common], vectors) == pytest.approx(
        [1.0, max(warsaw, museums) / (warsaw + museums), museums / (warsaw + museums)], abs=1e-3
    )
    assert warsaw > museums


def test_numbers_and_accents_match_by_their_letters_alone() -> None:
    plane = Plane(férias=0, ferias=180, dias=90)
    texts = [[["ferias", "25"]], [["dias", "26"]]]
    first, second = agreement(["férias", "25"], texts, WordVectors(plane))
    assert first == pytest.approx(1.0)
    assert second == 0.0
    assert "25" not in plane.encoded


def test_texts_without_words_agree_with_nothing() -> None:
    vectors = WordVectors(Plane(leave=0))
    assert agreement(["leave"], [[[]], [["of", "the"]], [["leave"]]], vectors) == pytest.approx([0, 0, 1])
    assert agreement(["of"], [[["of"]], [["the"]]], vectors) == pytest.approx([1, 0])


def test_a_score_is_eight_parts_of_the_search_and_two_of_agreement() -> None:
    vectors = WordVectors(Plane(leave=0, lunch=90, policy=120))
    found = [passage("lunch", "The lunch policy is this.", 0.5), passage("leave", "The leave policy is this.", 0.4)]
    ranked = rerank_by_words("leave", found, vectors)
    assert [(p.id, pytest.approx(p.score)) for p in ranked] == [("leave", 0.52), ("lunch", 0.4)]
    assert [replace(p, score=0) for p in ranked] == [replace(p, score=0) for p in reversed(found)]


def test_only_the_best_twenty_are_looked_at() -> None:
    plane = Plane(leave=0, lunch=90, supper=120)
    found = [passage(str(n), "A lunch is a lunch.", 0.5 - n / 100) for n in range(20)]
    ranked = rerank_by_words("leave", [*found, passage("last", "A supper is leave.", 0.2)], WordVectors(plane))
    assert ranked[-1].id == "last"
    assert ranked[-1].score == pytest.approx(0.16)
    assert "supper" not in plane.encoded


def test_without_words_the_order_is_that_of_the_scores() -> None:
    found = [passage("b", "Something.", 0.1), passage("a", "Something else.", 0.3)]
    assert [p.id for p in rerank_by_words("?", found, WordVectors(Plane()))] == ["a", "b"]
    assert rerank_by_words("leave", [], WordVectors(Plane())) == []


def test_a_word_is_encoded_once_until_too_many_others_came() -> None:
    plane = Plane(one=0, two=10, three=20, four=30)
    vectors = WordVectors(plane, most=2)
    assert vectors.of(["one", "two"]).shape == (2, 2)
    vectors.of(["one"])
    vectors.of(["three"])  # two is the one that was not asked for since
    vectors.of(["one"])
    assert plane.encoded == ["one", "two", "three"]
    assert vectors.of(["two", "one", "four"]).shape == (3, 2), "more than are kept"
    assert plane.encoded == ["one", "two", "three", "two", "four"]


def test_equal_scores_keep_their_order_and_titles_are_said_once() -> None:
    found = [passage(name, name, 0.1) for name in "abc"]
    assert [p.id for p in by_score(found, [0.5, 0.7, 0.5])] == ["b", "a", "c"]
    assert titled(passage("Leave", "25 days.", 0)) == "Leave\n25 days."
    assert titled(passage("Leave", "# Leave\n25 days.", 0)) == "# Leave\n25 days."


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            "Quando começou a Revolta de Varsóvia?",
            "Thus, on 1 August 1944, as the Red Army was nearing the city, the Warsaw Uprising began.",
            "In 1806 the city was made the capital of the newly created duchy by Napoleon's army.",
        ),
        (
            "When may I carry vacation days over?",
            "Até cinco dias de férias podem passar para o primeiro trimestre do ano seguinte.",
            "Os dias de pagamento são o quinto e o vigésimo de cada mês.",
        ),
        (
            "Qual o prazo para o reembolso de viagens?",
            "O reembolso de viagens é pago em até dez dias.",
            "O relatório de vendas é publicado em até dez dias.",
        ),
        (
            "How long does a refund of travel costs take?",
            "A refund of travel costs takes ten days.",
            "A report of sales takes ten days.",
        ),
    ],
)
def test_the_encoder_knows_the_words_of_both_languages(
    embedder: Embedder, question: str, right: str, wrong: str
) -> None:
    vectors = WordVectors(embedder.embeddings)
    found = [passage("wrong", wrong, 0.4), passage("right", right, 0.36)]
    ranked = rerank_by_words(question, found, vectors)
    assert [p.id for p in ranked] == ["right", "wrong"]
    assert all(0 <= p.score <= 1 for p in ranked)
