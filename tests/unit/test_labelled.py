"""Labelled sets as files: what is read, and what is said of a wrong line."""

import json
from pathlib import Path
from typing import Any

import pytest

from kbot.errors import SettingsError
from kbot.evaluation.labelled import LabelledPassage, read_passages, read_questions, write_questions

QUESTION: dict[str, Any] = {"id": "q", "question": "Quando abre?", "answerable": True}


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_passages_and_questions_are_read(tmp_path: Path) -> None:
    passages = read_passages(
        written(
            tmp_path / "p.jsonl", {"id": "a/1", "title": "T", "text": "x", "lang": "en"}, "", {"id": "b", "text": "y"}
        )
    )
    assert passages == (LabelledPassage("a/1", "T", "x", "en"), LabelledPassage("b", "", "y", ""))
    assert [passage.markdown for passage in passages] == ["# T\n\nx\n", "y\n"]
    path = written(
        tmp_path / "team.questions.jsonl",
        {**QUESTION, "lang": "pt", "relevant": ["a/1"], "answers": ["às 8"], "answers_doc_lang": ["at 8", "às 8"]},
        {**QUESTION, "id": "r", "type": "own", "e2e": True, "history": [["Onde fica?", "No térreo."]]},
        {**QUESTION, "id": "s", "answerable": False, "lang": "pt"},
        {**QUESTION, "id": "t", "answerable": None, "note": "somebody is to say"},
    )
    found = read_questions(path, passages)
    assert (found.name, found.unlabelled) == ("team", 1)
    assert [(each.id, each.kind, each.e2e) for each in found.questions] == [
        ("q", "pt->en", False),
        ("r", "own", True),
        ("s", "pt", False),
    ]
    assert found.questions[0].answers == ("às 8", "at 8")
    assert [each.history for each in found.questions] == [(), (("Onde fica?", "No térreo."),), ()]
    assert [each.id for each in found.end_to_end().questions] == ["r"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{not json", r"q\.jsonl:2: it is no JSON, from column 2 on\. Correct"),
        ("[1]", "q.jsonl:2: it is no object"),
        ("[" * 100_000, "q.jsonl:2: it is nested too deep"),
        (
            {"id": "x", "question": "Quando?", "answerable": True, "relevent": ["p"]},
            'q.jsonl:2: it has "relevent": did you mean "relevant"\\?',
        ),
        ({"id": "x", "question": "Quando?", "answerable": True, "answer": ["10"]}, 'did you mean "answers"'),
        ({"id": "x", "answerable": True}, 'q.jsonl:2: it lacks "question"'),
        ({"id": "x", "question": "Quando?"}, 'it lacks "answerable"'),
        ({**QUESTION, "id": "x", "relevant": ["nowhere"]}, "'nowhere' is not among the passages"),
        ({**QUESTION, "id": "x", "answerable": False, "relevant": ["a"]}, "names relevant passages"),
        ({**QUESTION, "id": "x", "answerable": "yes"}, r'q\.jsonl:2: "answerable" must be true, false or null\. Corr'),
        ({**QUESTION, "id": "x", "answerable": 1}, '"answerable" must be true, false or null'),
        ({**QUESTION, "id": None}, '"id" must be text or a whole number'),
        ({**QUESTION, "id": ""}, '"id" must be text or a whole number'),
        ({**QUESTION, "id": "x", "question": 7}, '"question" must be text'),
        ({**QUESTION, "id": "x", "relevant": "a"}, '"relevant" must be a list of ids'),
        ({**QUESTION, "id": "x", "relevant": [["a"]]}, '"relevant" must be a list of ids'),
        ({**QUESTION, "id": "x", "answers": "às 8"}, '"answers" must be a list of texts'),
        ({**QUESTION, "id": "x", "answers": [8]}, '"answers" must be a list of texts'),
        ({**QUESTION, "id": "x", "answers_doc_lang": {"en": "at 8"}}, '"answers_doc_lang" must be a list of texts'),
        ({**QUESTION, "id": "x", "type": 3}, '"type" must be text'),
        ({**QUESTION, "id": "x", "lang": ["pt"]}, '"lang" must be text'),
        ({**QUESTION, "id": "x", "e2e": "true"}, '"e2e" must be true or false'),
        (
            {**QUESTION, "id": "x", "history": ["Onde fica?"]},
            "q.jsonl:2: .*a list of pairs of a question and its answer",
        ),
        ({**QUESTION, "id": "x", "history": [["Onde?", None]]}, '"history" must be a list of pairs'),
        (QUESTION, "'q' stands there twice"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, row: object, told: str) -> None:
    path = written(tmp_path / "q.jsonl", QUESTION, row)
    with pytest.raises(SettingsError, match=told):
        read_questions(path, [LabelledPassage("a", "", "x", "")])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "b"}, 'p.jsonl:2: it lacks "text"'),
        ({"id": "b", "text": None}, 'p.jsonl:2: "text" must be text'),
        ({"id": "b", "text": "x", "title": 3}, '"title" must be text'),
        ({"id": ["b"], "text": "x"}, '"id" must be text or a whole number'),
        ({"id": True, "text": "x"}, '"id" must be text or a whole number'),
    ],
)
def test_a_wrong_line_of_passages_is_named(tmp_path: Path, row: object, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        read_passages(written(tmp_path / "p.jsonl", {"id": "a", "text": "x"}, row))


def test_what_may_be_left_out_may_be_null_and_ids_may_be_numbers(tmp_path: Path) -> None:
    passages = read_passages(written(tmp_path / "p.jsonl", {"id": 7, "text": "x", "title": None, "lang": None}))
    names = ("relevant", "answers", "answers_doc_lang", "type", "lang", "history", "e2e")
    path = written(
        tmp_path / "q.jsonl",
        {**QUESTION, **dict.fromkeys(names)},
        {**QUESTION, "id": 8, "relevant": [7], "note": {"of": "nobody's business"}},
    )
    found = read_questions(path, passages).questions
    assert [(each.id, each.relevant, each.e2e) for each in found] == [("q", (), False), ("8", ("7",), False)]


def test_what_cannot_be_read_and_what_is_empty_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot be read \(No such file or directory\)"):
        read_passages(tmp_path / "missing.jsonl")
    (tmp_path / "wide.jsonl").write_text(json.dumps(QUESTION), encoding="utf-16")
    with pytest.raises(SettingsError, match="is not in UTF-8"):
        read_questions(tmp_path / "wide.jsonl")
    with pytest.raises(SettingsError, match="no labelled question"):
        read_questions(written(tmp_path / "empty.jsonl", {**QUESTION, "answerable": None}))
    with pytest.raises(SettingsError, match="is marked `e2e`"):
        read_questions(written(tmp_path / "q.jsonl", QUESTION)).end_to_end()


def test_a_sample_is_the_same_each_time_and_reaches_everywhere(tmp_path: Path) -> None:
    rows = [{**QUESTION, "id": f"q{n}", "type": f"kind {n // 50}"} for n in range(200)]
    found = read_questions(written(tmp_path / "q.jsonl", *rows))
    backwards = read_questions(written(tmp_path / "r.jsonl", *reversed(rows)))
    sample = found.sample(40)
    assert len(sample) == 40
    assert set(sample) == set(backwards.sample(40))
    assert {each.kind for each in sample} == {"kind 0", "kind 1", "kind 2", "kind 3"}
    assert set(found.sample(20)) < set(sample), "a smaller one is part of a larger"
    assert found.sample(None) == found.sample(500) == found.questions


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert write_questions(path, [{**QUESTION, "question": "É às 8?"}]) == 1
    assert read_questions(path).questions[0].text == "É às 8?"
    with pytest.raises(SettingsError, match="--out"):
        write_questions(tmp_path / "nowhere" / "out.jsonl", [])


def test_a_line_ends_where_json_lines_end_alone(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    asked = "What\u2028is\u0085it?"
    write_questions(path, [{"id": "1", "question": asked, "answerable": False}])
    assert [question.text for question in read_questions(path).questions] == [asked]


def test_no_subset_takes_the_name_of_all_questions(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    write_questions(path, [{"id": "1", "question": "What is it?", "answerable": False, "type": "all"}])
    with pytest.raises(SettingsError, match='"type" must be text, and not "all"'):
        read_questions(path)
