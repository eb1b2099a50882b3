"""A run's record tells whether models were told the same: no text of kbot's own reaches a model that is not in it."""

import ast
import asyncio
import importlib
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

import kbot
from fakes.ollama import FakeOllama
from kbot.chat import Passage
from kbot.evaluation import judge
from kbot.evaluation.instructions import instructions, prompt_version
from kbot.generation import write_answer
from kbot.history import Turn
from kbot.ingestion import proposed
from kbot.language import Language
from kbot.models import ChatModel, Embedder, open_chat_model
from kbot.prompts import Persona, rewrite_prompt
from kbot.reflection import graders, rewording
from kbot.settings import Settings
from kbot.streaming import complete

PERSONA = Persona("You are §persona§.", rules="Be §rule§.")
PACKAGE = Path(kbot.__file__).parent

# They write to a model without a text of their own, or never on the way of a question.
OTHERS = {
    "kbot.prompts": "reads messages, and makes the prompts that are told with the persona",
    "kbot.history": "hands on what was said",
    "kbot.commands.operating": "asks whether a model answers at all",
}

PASSAGES = [
    Passage("1", "1", "a.md", "§title§", "§text§", 1, 1, 1, 1, page=1, heading="§heading§", before="§b§", after="§a§")
] * 2


@pytest.fixture
async def chat(model: FakeOllama, embedder: Embedder) -> AsyncGenerator[ChatModel]:
    chosen = {"chat_model": "ollama:llama3.2", "ollama_url": model.url, "constrain": "never"}
    yield await open_chat_model(Settings.model_validate(chosen), embedder)
    await asyncio.sleep(0.05)  # the connection of an answer that was left is closed a few steps of the loop later


def writers() -> set[str]:
    """The modules that make messages for a model."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        names = {node.id for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Name)}
        if names & {"SystemMessage", "HumanMessage", "ChatPromptTemplate", "PromptTemplate"}:
            found.add(".".join(["kbot", *path.relative_to(PACKAGE).with_suffix("").parts]))
    return found


def test_every_module_that_writes_to_a_model_is_recorded() -> None:
    recorded = set(instructions(PERSONA))
    found = writers()
    assert OTHERS.keys() <= found
    for name in found - OTHERS.keys():
        prompts: tuple[str, ...] = getattr(importlib.import_module(name), "PROMPTS", ())
        assert prompts, f"{name} tells a model something: give it PROMPTS, and instructions() them"
        assert set(prompts) <= recorded, f"instructions() has not the PROMPTS of {name}"


def unrecorded(model: FakeOllama) -> set[str]:
    """What was sent and stands in no instruction, by paragraphs, beside numbers and what stood between two §."""
    known = "\0".join(re.sub(r"\{[a-z_]+\}|\d+|§[^§]*§", "\0", text) for text in instructions(PERSONA))
    sent = [message["content"] for request in model.requests for message in request["messages"]]
    pieces = {piece.strip() for text in sent for piece in re.split(r"\d+|§[^§]*§|\n\n", text)}
    assert len(sent) > 1
    return {piece for piece in pieces if piece not in known}


@pytest.mark.parametrize("language", ["en", "pt", ""])
async def test_nothing_else_is_told_with_an_answer(chat: ChatModel, model: FakeOllama, language: Language) -> None:
    turns = [Turn("§question§", "§answer§", "§question§")]
    for rejected in ([], ["§one§", "§two§"]):
        pieces = write_answer(
            chat, "§question§", PASSAGES, turns, persona=PERSONA, language=language, timeout=5, rejected=rejected
        )
        assert [piece async for piece in pieces]
    asked = rewrite_prompt(language).invoke({"history": [], "question": "§question§"})
    await complete(chat, asked.to_messages(), timeout=5)
    await rewording.in_other_words(chat, "§question§", ["§tried§"], language=language, timeout=5)
    assert len(model.requests) == 4
    assert unrecorded(model) == set()


async def test_nothing_else_is_told_with_a_vote(chat: ChatModel, model: FakeOllama) -> None:
    await graders.answerable(chat, "§question§", PASSAGES, timeout=5)
    await graders.relevant(chat, "§question§", PASSAGES, timeout=5)
    await graders.supported(chat, [("§claim§", "§text§")] * 2, timeout=5)
    await graders.answers(chat, "§question§", "§reply§", timeout=5)
    await graders.needs_documents(chat, "§message§", timeout=5)
    assert len(model.requests) == 5
    assert unrecorded(model) == set()


@pytest.mark.parametrize("kind", ["transcript", "contract", "minutes"])
async def test_nothing_else_is_told_with_a_document(chat: ChatModel, model: FakeOllama, kind: str) -> None:
    text = "\n\n".join("§line.§" for _ in range(9))
    await proposed.cut_as_proposed(chat, text, [], 200, kind=kind, timeout=5)
    assert {piece for piece in unrecorded(model) if piece != ":"} == set()


async def test_nothing_else_is_told_with_a_claim(chat: ChatModel, embedder: Embedder, model: FakeOllama) -> None:
    await judge.model_judge(chat, embedder, timeout=5).rule("§claim§", ["§text§"])
    assert unrecorded(model) == set()


@pytest.mark.parametrize("module", [graders, rewording, proposed, judge])
def test_a_word_that_changes_changes_the_version(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    before = prompt_version(PERSONA)
    assert before == prompt_version(PERSONA)
    for n, prompt in enumerate(prompts := tuple[str, ...](getattr(module, "PROMPTS"))):  # noqa: B009  # no type says which modules have it
        monkeypatch.setattr(module, "PROMPTS", (*prompts[:n], f"{prompt} Please.", *prompts[n + 1 :]))
        assert prompt_version(PERSONA) != before


def test_what_the_operator_says_changes_the_version() -> None:
    personas = [PERSONA, Persona("You are §other§."), Persona("You are §persona§.", refusal="Sei lá.")]
    assert len({prompt_version(persona) for persona in personas}) == 3
