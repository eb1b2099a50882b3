"""`kbot ask`, `search` and `ingest` as a person and a script have them."""

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from program import Program

from answering import DOCUMENTS, FERIAS, SECRET, UNKNOWN, UNKNOWN_EN
from fakes.ollama import FakeOllama
from kbot.prompts import REFUSALS

LIBRARY = "Quando a biblioteca abre?"


@pytest.fixture(scope="module")
def filled(kbot: Program) -> Program:
    """The program, with the documents ingested by itself; those of the board for their channel alone."""
    documents = kbot.folder / "documents"
    documents.mkdir()
    for name, content in DOCUMENTS.items():
        (documents / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (documents / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (kbot.folder / "bonus.md").write_text(SECRET, encoding="utf-8")
    (kbot.folder / "ok").mkdir()
    first = kbot("ingest", "documents", "missing.md", "--json")
    assert first.code == 1, first.err
    receipts = {receipt["source"]: receipt for receipt in first.lines}
    assert {name: receipt["status"] for name, receipt in receipts.items()} == {
        **dict.fromkeys(DOCUMENTS, "added"),
        "broken.pdf": "rejected",
        "missing.md": "rejected",
    }
    assert receipts["badge.pdf"]["pages"] == 2
    assert receipts["broken.pdf"]["reason"]
    private = kbot("ingest", "bonus.md", "--channel", "diretoria")
    assert private.code == 0
    assert "✓ added" in private.out
    return kbot


def test_questions_from_a_pipe_are_answered_a_line_each_in_order(filled: Program) -> None:
    lines = [
        FERIAS.encode(),
        b"",
        b"   ",
        b"E aos domingos?",
        b"caf\xe9 \xff\xfe zzz",
        b"???",
        UNKNOWN_EN.encode(),
        b"When does the gym open on Sundays?\r",
        b"no newline at the end: Quando a biblioteca abre de segunda a sexta?",
    ]
    run = filled("ask", "-", stdin=b"\xef\xbb\xbf" + b"\n".join(lines))
    assert run.code == 0, run.err
    asked = [FERIAS, "E aos domingos?", "caf\ufffd \ufffd\ufffd zzz", "???", UNKNOWN_EN]
    shapes = run.lines
    assert [shape["question"] for shape in shapes][:5] == asked
    assert shapes[5]["question"] == "When does the gym open on Sundays?"
    assert [shape["grounded"] for shape in shapes] == [True, shapes[1]["grounded"], False, False, False, True, True]
    assert shapes[0]["citations"][0]["source"] == "ferias.md"
    assert shapes[0]["model"] == "extractive"
    assert shapes[3]["reason"] == shapes[4]["reason"] == "nothing_near"
    assert shapes[4]["answer"] == REFUSALS["en"]
    assert shapes[4]["timings"]["first_token_ms"] is None
    for shape in shapes:
        assert shape["grounded"] or shape["citations"] == shape["read"] == []
        assert "error" not in shape
        assert "bonus.md" not in json.dumps(shape)
    assert "as KBOT_CHAT_MODEL says" in run.err
    assert "Traceback" not in run.err
    for text in (FERIAS, "domingos", "ferias.md"):
        assert text not in run.err


def test_a_channel_makes_the_lines_a_conversation_and_opens_its_documents(filled: Program) -> None:
    talk = filled("ask", "-", "--channel", "talk", stdin=f"{LIBRARY}\nE aos domingos?\nE isso?\n")
    assert [shape["grounded"] for shape in talk.lines] == [True, True, True]
    assert "fechada" in talk.lines[1]["answer"]
    alone = filled("ask", "--json", "E isso?", "--channel", "talk", "--thread", "t1")
    assert alone.lines[0]["reason"] == "nothing_near", "a thread is a conversation of its own"
    question = "De quantos salários é o bônus anual da diretoria?"
    board = filled("search", "-", "--channel", "diretoria", stdin=question).lines[0]
    assert board["read"][0]["source"] == "bonus.md"


def test_one_question_is_answered_for_people(filled: Program) -> None:
    run = filled("ask", FERIAS)
    assert run.code == 0
    assert "22 dias úteis de férias" in run.out
    assert "Fontes\n[1] Política de férias" in run.out
    assert "kbot answers by quoting" in run.err
    assert "kbot answers" not in run.out
    assert "\x1b" not in run.out
    everybody = filled("search", "--json", "De quantos salários é o bônus anual da diretoria?").lines[0]
    assert "bonus.md" not in [passage["source"] for passage in everybody]
    own = filled.but(refusal="Isso eu não sei.")("ask", UNKNOWN)
    assert (own.code, own.out.strip()) == (0, "Isso eu não sei.")
    shown = filled("search", FERIAS)
    assert shown.out.index("ferias.md") > 0
    assert re.search(r"0\.\d\d", shown.out)


async def test_a_failing_model_is_an_object_with_an_error_and_the_next_line_goes_on(
    filled: Program, model: FakeOllama
) -> None:
    program = filled.but(chat_model="ollama:llama3.2", ollama_url=model.url, model_timeout="1")
    model.behaviour = "undone"
    model.words = ["São 22 ", "dias [1]"]
    run = await asyncio.to_thread(program, "--verbose", "ask", "-", stdin=f"{FERIAS}\n{UNKNOWN}\n{FERIAS}\n")
    assert run.code == 1
    cut, refused, again = run.lines
    assert cut["answer"] == again["answer"] == "São 22 dias [1]"
    assert "stopped in the middle" in cut["error"]
    assert "ollama serve" in cut["error"]
    assert (cut["reason"], cut["citations"], cut["read"], cut["grounded"]) == ("error", [], [], False)
    assert (refused["refused"], "error" in refused) == (True, False)
    assert len(model.requests) == 2, "the refusal asked no model"
    for said in ("Traceback", FERIAS, UNKNOWN, "férias", "dias", REFUSALS["pt"], "ferias.md"):
        assert said not in run.err

    down = await asyncio.to_thread(
        filled.but(chat_model="ollama:llama3.2", ollama_url="http://127.0.0.1:9"), "ask", FERIAS
    )
    assert down.code == 1
    assert "O modelo ollama:llama3.2 não está acessível" in down.out
    assert "ollama serve" in down.out
    assert "Traceback" not in down.err
    assert "ferias.md" not in down.out + down.err


def test_a_reader_that_leaves_ends_it_quietly(filled: Program) -> None:
    run = filled.start("ask", "-")
    run.say(FERIAS)
    assert json.loads(run.stdout.readline())["question"] == FERIAS, "an answer comes before the next question"
    run.stdout.close()
    run.say(f"{FERIAS}\n{FERIAS}")
    code, told = run.ends()
    assert code == 141
    assert "Traceback" not in told
    assert "BrokenPipe" not in told


def test_ctrl_c_ends_it_at_once(filled: Program) -> None:
    run = filled.start("ask", "-")
    run.say(FERIAS)
    run.stdout.readline()
    start = time.monotonic()
    run.process.send_signal(signal.SIGINT)
    code, told = run.ends()
    assert code == 130
    assert time.monotonic() - start < 5
    assert "Traceback" not in told


def test_the_example_of_the_library_runs(filled: Program) -> None:
    text = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (filled.folder / "handbook.md").write_text("# Leave\n\nEverybody has 25 days of leave a year.\n", encoding="utf-8")
    (filled.folder / "example.py").write_text(code, encoding="utf-8")
    done: subprocess.CompletedProcess[Any] = subprocess.run(
        [sys.executable, "example.py"],
        cwd=filled.folder,
        env=filled.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "handbook.md added" in done.stdout
    assert "Everybody has 25 days of leave a year. [1]" in done.stdout
    assert "[1] handbook.md: Everybody has 25 days of leave a year." in done.stdout
