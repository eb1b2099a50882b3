"""What counts as an answer from the documents, and what does not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from degenerate import DEGENERATE, assert_linear
from kbot.chat import Passage
from kbot.grounding import Verdict, classify, code_blocks, marks, strip_citations, without_sources, worth_reading
from kbot.prompts import REFUSALS, Persona

PERSONA = Persona("x")


def passage(n: int, similarity: float = 0.5, sentence: float = 0.5, coverage: float = 0.5) -> Passage:
    return Passage(f"c{n}", f"d{n}", f"s{n}.pdf", f"T{n}", f"text {n}", similarity, sentence, coverage, 0.5, f"q{n}", n)


PASSAGES = [passage(n) for n in range(1, 9)]


def judged(text: str, passages: list[Passage] | None = None, persona: Persona = PERSONA) -> Verdict:
    found = PASSAGES if passages is None else passages
    return classify(text, found, refusal=persona.refusal_in("pt"), refusals=persona.refusals())


def cited(verdict: Verdict) -> list[tuple[int, str]]:
    return [(citation.n, citation.passage_id) for citation in verdict.citations]


@pytest.mark.parametrize(
    "text",
    [
        REFUSALS["pt"],
        REFUSALS["en"],
        f"São 22 dias [1]. Mas {REFUSALS['pt']} Fontes: [1] s1.pdf",
        "não encontrei a resposta para isso nos documentos que tenho",
        "NAO ENCONTREI A RESPOSTA PARA ISSO NOS DOCUMENTOS QUE TENHO!",
        "> **“Não encontrei** a resposta\n> para isso nos _documentos_ que tenho.” [2]",
        "```\nI could not find the answer to that in the documents I have\n```",
        "Sorry: I  could not find the answer, to that, in the documents I have [1][2]",
        "",
        "  \n",
        "[1]",
        "**[1]** [2].",
    ],
)
def test_a_refusal_in_any_dress_is_the_refusal_alone(text: str) -> None:
    verdict = judged(text)
    assert verdict == Verdict(REFUSALS["pt"], grounded=False, refused=True, reason="refused", citations=())


@pytest.mark.parametrize(
    "text", ["I could find the answer to that in the documents I have [1].", "Não encontrei a chave [1]."]
)
def test_what_only_resembles_the_refusal_is_an_answer(text: str) -> None:
    assert judged(text).grounded


@pytest.mark.parametrize(
    ("refusal", "text", "refused"),
    [
        ("Sei lá.", "Olha, SEI LA", True),
        ("Sei lá.", "Sei [1].", False),
        ("No", "I know it [1].", False),
        ("No", "No.", True),
        ("Um não\n  em duas linhas", "um nao em duas linhas", True),
        ("🙈", "Aqui: 22 dias [1].", False),
        ("🙈", "🙈 [1]", True),
        ("   ", "22 dias [1].", False),
        ("", "22 dias [1].", False),
        ("Sei lá.", REFUSALS["en"], True),
    ],
)
def test_the_operators_own_refusal_counts_beside_the_defaults(refusal: str, text: str, refused: bool) -> None:
    verdict = judged(text, persona=Persona("x", refusal=refusal))
    assert verdict.refused is refused
    assert verdict.text.strip()


@pytest.mark.parametrize(
    ("text", "shown", "sources"),
    [
        ("A [3]. B [1][3].", "A [1]. B [2][1].", [3, 1]),
        ("A [2, 5].", "A [1][2].", [2, 5]),
        ("A [2;5].", "A [1][2].", [2, 5]),
        ("A [2-4].", "A [1][2][3].", [2, 3, 4]),
        ("A [2–3, 7].", "A [1][2][3].", [2, 3, 7]),
        ("A [^4].", "A [1].", [4]),
        ("A【4】.", "A[1].", [4]),
        ("A 【 4 】.", "A [1].", [4]),
        ("A [Source 4].", "A [1].", [4]),
        ("A [Fonte 4], b [fontes: 2, 3].", "A [1], b [2][3].", [4, 2, 3]),
        ("A [Trecho 4; trecho 2].", "A [1][2].", [4, 2]),
        ("A [passage 4].", "A [1].", [4]),
        ("A [nº 4].", "A [1].", [4]),
        ("São 22 dias[4].", "São 22 dias[1].", [4]),
        ("**São** _22_[4]", "**São** _22_[1]", [4]),
        ("A [4](#passage-4).", "A [1].", [4]),
        ("A [9]. B [0]. C [4][12].", "A. B. C [1].", [4]),
        ("A [7-99].", "A [1][2].", [7, 8]),
        ("Um.\n\n[9] Dois [1].", "Um.\n\n Dois [1].", [1]),
        ("- [9] um [2]\n- dois [1]", "- um [1]\n- dois [2]", [2, 1]),
        ("A [1].\n\n[1]: https://evil.example/x", "A [1].", [1]),
        ("[1]: São 22 dias.", "[1]: São 22 dias.", [1]),
    ],
)
def test_citations_are_resolved_and_renumbered_by_first_use(text: str, shown: str, sources: list[int]) -> None:
    verdict = judged(text)
    assert verdict.text == shown
    assert cited(verdict) == [(n, f"c{source}") for n, source in enumerate(sources, 1)]
    assert (verdict.grounded, verdict.refused, verdict.reason) == (True, False, "")
    first = verdict.citations[0]
    assert (first.source, first.title, first.quote, first.page) == (
        f"s{sources[0]}.pdf",
        f"T{sources[0]}",
        f"q{sources[0]}",
        sources[0],
    )


@pytest.mark.parametrize(
    "text",
    [
        "Use `a[1]` e `x = [2]`.",
        "```python\nx = a[1]\n```",
        "~~~\n[1]\n~~~",
        "```\n[1] never closed",
        "The element a[0] and a[1], then word[0] and my_list[2].",
        "A [link](https://example.com) [x] [y1] [1a] [] [ ] [[wiki]] [1.2] [-1] [2024].",
        "- [ ] one\n- [x] two",
        "Perhaps.",
    ],
)
def test_what_is_no_citation_stays_as_it_is_and_grounds_nothing(text: str) -> None:
    assert judged(text) == Verdict(text, grounded=False, refused=False, reason="uncited", citations=())


def test_without_a_valid_citation_an_answer_is_not_grounded() -> None:
    assert judged("Sim [9][10-12].") == Verdict("Sim.", False, False, "uncited", ())
    assert judged("Sim [1].", []) == Verdict("Sim.", False, False, "uncited", ())


def test_what_is_remembered_has_no_marks() -> None:
    assert strip_citations("Sim [1], `a[1]` e a[0].\n\n- [2] x[^3]【4】") == "Sim, `a[1]` e a[0].\n\n- x"


@given(st.text(alphabet="ab [](),;-–0123456789^【】`~\n_.:Fonte", max_size=80))
def test_whatever_is_written_the_numbers_shown_are_those_of_the_sources(text: str) -> None:
    verdict = judged(text)
    numbers = [citation.n for citation in verdict.citations]
    assert verdict.grounded == bool(numbers)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len({citation.passage_id for citation in verdict.citations}) == len(numbers)
    assert all(f"[{n}]" in verdict.text for n in numbers)


def test_a_model_reads_what_is_not_far_worse_than_the_best() -> None:
    scores = [0.6, 0.45, 0.39, 0.38, 0.1]
    passages = [replace(passage(n), score=score) for n, score in enumerate(scores, 1)]
    assert [p.score for p in worth_reading(passages)] == [0.6, 0.45, 0.39]
    assert worth_reading([]) == []


@pytest.mark.parametrize(
    "text",
    [
        "I could not find the answer to that [1] in the documents I have [1].",
        "Não encontrei a resposta [2] para isso nos documentos que tenho.",
    ],
)
def test_a_refusal_with_citations_in_it_is_one(text: str) -> None:
    assert judged(text).refused
    assert judged(text).citations == ()


@pytest.mark.parametrize(
    "tail",
    [
        "\n\nSources:\n[1] secret.pdf, page 9\n[2] evil.pdf",
        "\n\n[1] leave.md\n[2] refusal.md",
        "\n\n**Fontes:** rh.pdf, evil.pdf p. 3",
        "\n\nReferências:\n- [2] manual.docx\n- [3] https://evil.example",
        "\n\n### References:\n1. evil.pdf\n2. worse.pdf\n",
        "\nSources: [1] [2]",
    ],
)
def test_a_list_of_sources_by_the_model_is_cut_off(tail: str) -> None:
    verdict = judged(f"São 22 dias [1].{tail}")
    assert verdict.text == "São 22 dias [1]."
    assert cited(verdict) == [(1, "c1")]


@pytest.mark.parametrize(
    "text",
    [
        "Income comes from two places [1].\n\nSources of income:\n- sales of bread\n- rent",
        "Sources: the team keeps them in a folder [1].",
        "[1] 60 dias",
        "There are two [1].\n\n[2] is the longer one.",
    ],
)
def test_what_only_looks_like_a_list_of_sources_stays(text: str) -> None:
    assert len(judged(text).text) == len(text) or judged(text).text.startswith(text.partition("[")[0])
    assert judged(text).grounded
    assert judged(text).text.count(" ") == text.count(" ")


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[1 and 2]", [1, 2]),
        ("[Trechos 1 e 2]", [1, 2]),
        ("[cite: 1]", [1]),
        ("[#2]", [2]),
        ("[Doc 2]", [2]),
        ("[Ref. 2]", [2]),
        ("[1—3]", [1, 2, 3]),
        ("[3-1]", [1, 2, 3]),
        ("\\[1\\]", [1]),
        ("【2†source】", [2]),
        ("［2］", [2]),
    ],
)
def test_marks_as_models_write_them(mark: str, numbers: list[int]) -> None:
    verdict = judged(f"São 22 dias {mark}.")
    assert [passage_id for _, passage_id in cited(verdict)] == [f"c{n}" for n in numbers]
    assert (
        verdict.text == "São 22 dias " + "".join(f"[{n}]" for n in range(1, len(numbers) + 1)) + "."
        if numbers
        else True
    )
    assert mark not in verdict.text or mark in ("[1]", "[2]")


@pytest.mark.parametrize("prefix", ["> ", "- ", "* ", "1. ", "> - "])
def test_a_link_definition_in_a_quote_or_a_list_is_removed(prefix: str) -> None:
    assert "evil" not in judged(f"São 22 dias [1].\n\n{prefix}[1]: http://evil.example").text


def test_marks_are_read_in_every_form_and_not_in_code() -> None:
    text = "A [1, 3] and `b[1]`, c[0] 【2†source】.\n```\nd [4]\n``` e [2-4]"
    assert [(text[mark.start : mark.end], mark.numbers) for mark in marks(text)] == [
        (" [1, 3]", (1, 3)),
        (" 【2†source】", (2,)),
        (" [2-4]", (2, 3, 4)),
    ]
    assert [text[start:end] for start, end in code_blocks(text)] == ["```\nd [4]\n```"]


def test_a_list_of_sources_is_cut_off_once_and_the_rest_stays() -> None:
    answer = "São 22 dias [1].\n\n```\nSources: x.pdf\n```"
    assert without_sources(answer) == answer
    assert without_sources(f"{answer}\n\n---\n**Fontes:**\n- [1] rh.pdf\n- [2] evil.pdf\n") == answer
    assert without_sources("A [1].\n[1]: https://evil.example/x\nB [2].") == "A [1].\nB [2]."


@pytest.mark.parametrize("piece", DEGENERATE)
def test_degenerate_answers_are_judged_in_time_proportional_to_their_length(piece: str) -> None:
    assert_linear(judged, piece)
    assert_linear(lambda text: judged(f"São 22 dias [1]. {text} x"), piece)
