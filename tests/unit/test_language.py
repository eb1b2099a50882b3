"""The two languages that kbot speaks are told apart, and from their neighbours."""

import pytest

from kbot.language import FUNCTION_WORDS, detect_language


@pytest.mark.parametrize(
    "text",
    [
        "Quantos dias de férias eu tenho?",
        "Qual é o prazo de resposta do SEV1?",
        "como peço reembolso",
        "Onde fica a documentação da API?",
        "O que é plantão?",
        "quem avisar quando o sistema cai",
        "Nao sei como fazer isso",
        "Preciso da senha do wifi",
        "O Debian é um sistema operacional livre, feito por voluntários de todo o mundo.",
    ],
)
def test_portuguese(text: str) -> None:
    assert detect_language(text) == "pt"


@pytest.mark.parametrize(
    "text",
    [
        "How many days of leave do I have?",
        "What is the response time for SEV1?",
        "how do I claim expenses",
        "Where is the API documentation?",
        "who must be told when the system is down",
        "Is the office open on Friday?",
        "Debian is a free operating system, made by volunteers all over the world.",
        "What did São Paulo's team decide?",
    ],
)
def test_english(text: str) -> None:
    assert detect_language(text) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "42",
        "SEV1",
        "🙂🙂🙂",
        "¿Cuántos días de vacaciones tienen los empleados en España?",
        "Wie viele Tage Urlaub habe ich und mit wem spreche ich?",
        "Combien de jours de congé est-ce que les employés ont dans une année?",
        "Quanti giorni di ferie sono previsti per gli impiegati della ditta?",
        "年次有給休暇は何日ありますか",
    ],
)
def test_what_is_neither_is_not_guessed(text: str) -> None:
    assert detect_language(text) == ""


def test_case_does_not_matter_and_a_long_text_is_told_by_its_beginning() -> None:
    assert detect_language("QUANTOS DIAS DE FÉRIAS EU TENHO?") == "pt"
    assert detect_language("HOW MANY DAYS OF LEAVE DO I HAVE?") == "en"
    assert (
        detect_language("the answer is in the book. " * 1000 + "o livro é da equipe e não do autor. " * 100_000) == "en"
    )


def test_decomposed_accents_are_accents() -> None:
    assert detect_language("Na\u0303o ha\u0301 refeic\u0327o\u0303es") == "pt"


def test_function_words_are_folded() -> None:
    assert {"nao", "voce", "a", "the", "do"} <= FUNCTION_WORDS
    assert all(word.isascii() for word in FUNCTION_WORDS)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("tks", "en"),
        ("vlw!", "pt"),
        ("no, thanks", "en"),
        ("show de bola", "pt"),
        ("ok", ""),
        ("👍", ""),
        ("Lisboa?", ""),
        ("E a diária?", "pt"),
        ("and vacation?", "en"),
    ],
)
def test_short_texts(text: str, language: str) -> None:
    assert detect_language(text) == language
