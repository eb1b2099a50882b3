"""`kbot demo` and `kbot chat` as a person has them."""

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time

from program import KBOT, Program

from kbot.demo import demo_documents, demo_questions
from kbot.prompts import REFUSALS

CODE = re.compile(r"\x1b\[\??[\d;]*[A-Za-z]")
FACTS = {
    "How much money can I expense for fitness with PerksPlus?": r"\$1000",
    "How can I report an incident anonymously under the whistleblower policy?": "Compliance Hotline",
    "Quantos dias de folga recebo por uma semana de plantão?": "60 dias",
    "Qual é o limite de reembolso para hospedagem em capitais?": r"R\$ 420 por noite",
    "Qual programa converte entre diferentes formatos de pacotes?": "(?i)alien",
    "Can I go on vacation during Black Friday?": "20 de novembro",
}


def test_the_demo_answers_what_its_documents_hold_and_refuses_the_rest(kbot: Program) -> None:
    shown = kbot("demo")
    assert shown.code == 0, shown.err
    assert "\x1b" not in shown.out
    for path in demo_documents():
        assert f"✓ added     {path.name}" in shown.out
    for question in demo_questions():
        assert f"> {question.text}\n" in shown.out
    refusals = sum(shown.out.count(sentence) for sentence in (REFUSALS["pt"], REFUSALS["en"]))
    assert refusals == 2
    assert len(re.findall(r"\n(?:Sources|Fontes)\n", shown.out)) == len(demo_questions()) - 2
    assert "chat --workspace demo" in shown.out

    asked = "\n".join(question.text for question in demo_questions())
    answers = kbot("ask", "-", "--workspace", "demo", stdin=asked).lines
    for question, answer in zip(demo_questions(), answers, strict=True):
        sources = {citation["source"] for citation in answer["citations"]}
        if question.source is None:
            assert (answer["refused"], sources) == (True, set()), question.text
        else:
            assert question.source in sources, question.text
            assert re.search(FACTS[question.text], answer["answer"]), question.text


class Terminal:
    """A run of `kbot chat` on a pseudo-terminal, and what came to it."""

    def __init__(self, program: Program, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        environment = {**program.environment, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            [*KBOT, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            cwd=program.folder,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._bytes = b""

    def type(self, text: str) -> None:
        self._bytes = b""
        os.write(self._master, text.encode())

    def wait_for(self, text: str, seconds: float = 30) -> str:
        """What came since the last typing, without escape codes, once the text and then a prompt are in it."""
        until = time.monotonic() + seconds
        while text not in (seen := CODE.sub("", self._bytes.decode(errors="ignore"))) or not seen.endswith("\n> "):
            ready, _, _ = select.select([self._master], [], [], max(until - time.monotonic(), 0))
            assert ready, f"no {text!r} in:\n{seen}"
            self._bytes += os.read(self._master, 65536)
        return seen

    def rest(self, seconds: float = 30) -> str:
        """What came since the last typing, without escape codes, once the program has ended."""
        until = time.monotonic() + seconds
        while select.select([self._master], [], [], max(until - time.monotonic(), 0))[0]:
            try:
                self._bytes += os.read(self._master, 65536)
            except OSError:  # nobody has the other side open
                break
        return CODE.sub("", self._bytes.decode(errors="ignore"))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def test_a_chat_on_a_terminal(kbot: Program) -> None:
    terminal = Terminal(kbot, "chat", "--workspace", "demo")
    try:
        terminal.wait_for("kbot answers by quoting")
        terminal.type("Quantos dias de folga recebo por uma semana de plantão?\n")
        seen = terminal.wait_for("[1] Plantão")
        assert "Procurando nos documentos" in seen
        assert seen.index("um dia de folga") < seen.index("Fontes")
        terminal.type("/read\n")
        terminal.wait_for("plantão")
        terminal.type("Qual foi o lucro da empresa no ano passado?\n")
        assert "Fontes" not in terminal.wait_for(REFUSALS["pt"])
        terminal.type("\x04")
        assert terminal.process.wait(timeout=15) == 0
    finally:
        terminal.close()


def test_on_one_screen_the_receipts_and_the_bar_do_not_overwrite_each_other(kbot: Program) -> None:
    folder = kbot.folder / "many"
    folder.mkdir()
    for n in range(6):
        (folder / f"note {n}.md").write_text(f"# Note {n}\n\nThe code of room {n} is {n * 111}.\n", encoding="utf-8")
    terminal = Terminal(kbot, "ingest", "many", "--workspace", "many")
    try:
        seen = re.split(r"[\r\n]+", terminal.rest())
        assert terminal.process.wait(timeout=15) == 0
        for n in range(6):
            assert f"✓ added     note {n}.md  1 chunk" in seen
        assert "documents" in "".join(seen)
    finally:
        terminal.close()


def test_on_a_terminal_a_failing_model_is_told_once_in_words(kbot: Program) -> None:
    down = kbot.but(chat_model="ollama:llama3.2", ollama_url="http://127.0.0.1:9")
    question = "Quantos dias de folga recebo por uma semana de plantão?"
    terminal = Terminal(down, "ask", "--workspace", "demo", question)
    try:
        seen = terminal.rest()
        assert terminal.process.wait(timeout=15) == 1
        assert "não está acessível" in seen
        assert "WARNING" not in seen
    finally:
        terminal.close()
    verbose = Terminal(down, "--verbose", "ask", "--workspace", "demo", question)
    try:
        assert "WARNING" in verbose.rest()
    finally:
        verbose.close()
