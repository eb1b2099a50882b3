"""Models that are held to the form of a cited answer: the real langchain-ollama against a scripted server, and the real
llama.cpp with a real model."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage

from fakes.ollama import FakeOllama
from kbot.chat import Passage
from kbot.constraints import Constraint, QuotedText, schema
from kbot.errors import ModelError, ModelUnreachable, StreamCut
from kbot.generation import write_answer
from kbot.models import ChatModel, Embedder, open_chat_model
from kbot.prompts import Persona
from kbot.settings import Settings
from kbot.streaming import UNSAID, stream

PERSONA = Persona("You are kbot.")
QUESTION = "Quantos dias de férias eu tenho?"
SMALL = {"llama3.2:latest": {"details": {"parameter_size": "3.2B"}}}


def passage(n: int, text: str) -> Passage:
    return Passage(f"p{n}", f"d{n}", f"{n}.md", f"{n}.md", text, similarity=0.9, sentence=0.9, coverage=1.0, score=1.0)


PASSAGES = [
    passage(1, "Cada pessoa tem 22 dias úteis de férias por ano."),
    passage(2, "O pedido de férias é feito no portal, com 30 dias de antecedência."),
]


async def opened(script: FakeOllama, embedder: Embedder, **more: Any) -> ChatModel:
    chosen = {"ollama_url": script.url, "chat_model": "ollama:llama3.2", **more}
    return await open_chat_model(Settings.model_validate(chosen), embedder)


async def written(chat: ChatModel, question: str = QUESTION) -> tuple[list[str], ModelError | None]:
    """The pieces of an answer, and what it ended with."""
    pieces: list[str] = []
    try:
        answer = write_answer(chat, question, PASSAGES, [], persona=PERSONA, language="pt", timeout=300)
        async with aclosing(answer):
            async for piece in answer:
                pieces = [*pieces, piece] if piece != UNSAID else []
    except ModelError as error:
        return pieces, error
    return pieces, None


@pytest.mark.parametrize(
    ("entry", "constrain", "version", "grammar"),
    [
        ({"details": {"parameter_size": "494.03M"}}, "auto", "0.5.0", "json"),
        ({"details": {"parameter_size": "4.3B"}}, "auto", "1.0.0", "json"),
        ({"details": {"parameter_size": "4.3B"}}, "auto", "0.0.0", "json"),
        ({"details": {"parameter_size": "8.0B"}}, "auto", "0.12.0", "none"),
        ({"details": {"parameter_size": "8.0B"}}, "always", "0.12.0", "json"),
        ({"details": {"parameter_size": "1.5B"}}, "never", "0.12.0", "none"),
        ({"details": {"parameter_size": "1.5B"}}, "always", "0.4.7", "none"),
        ({"details": {"parameter_size": "1.5B"}, "remote_host": "https://ollama.com"}, "always", "0.12.0", "none"),
        ({"details": {"parameter_size": "many"}}, "auto", "0.12.0", "none"),
        ({"details": None}, "auto", "0.12.0", "none"),
        ({}, "always", "0.12.0", "json"),
    ],
)
async def test_small_models_that_the_server_runs_itself_are_held(
    model: FakeOllama, embedder: Embedder, entry: dict[str, Any], constrain: str, version: str, grammar: str
) -> None:
    model.entries, model.version = {"llama3.2:latest": entry}, version
    assert (await opened(model, embedder, constrain=constrain)).grammar == grammar
    unset = await opened(model, embedder, chat_model=None, constrain=constrain)
    assert unset.grammar == ("none" if "remote_host" in entry else grammar)


async def test_who_does_not_answer_yet_is_not_held(embedder: Embedder) -> None:
    nobody = Settings(ollama_url="http://127.0.0.1:9", chat_model="ollama:llama3.2", constrain="always")
    chat = await open_chat_model(nobody, embedder)
    assert chat.grammar == "none"
    assert type((await written(chat))[1]) is ModelUnreachable


async def test_the_schema_goes_with_the_answer_alone(model: FakeOllama, embedder: Embedder) -> None:
    model.entries = SMALL
    chat = await opened(model, embedder)
    model.words = ['"São 22 dias [1]."']
    await written(chat)
    async with aclosing(stream(chat, [HumanMessage("Olá")], timeout=5)) as pieces:
        assert [piece async for piece in pieces] == model.words
    asked, other = model.requests
    assert asked["format"] == schema(Constraint(2, PERSONA.refusal_in("pt")))
    assert "json" not in json.dumps(asked["messages"]).lower()
    assert asked["think"] is False
    assert other.get("format") is None


async def test_the_text_in_the_string_grows(model: FakeOllama, embedder: Embedder) -> None:
    model.entries = SMALL
    chat = await opened(model, embedder)
    model.words = ['"', "São", " 22 dias", " \\", '"úteis', '\\" [', "1", "].", "\\", "n\\n- N\\u00", "e3o [2].", '"']
    assert await written(chat) == (
        ["São", " 22 dias", " ", '"úteis', '" [', "1", "].", "\n\n- N", "ão [2]."],
        None,
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["São ", "22 dias [1]."], "São 22 dias [1]."),
        (['"Férias', '"', " são 22 dias [1]."], '"Férias" são 22 dias [1].'),
        (['{"answer": ', '"22 dias [1]."}'], '{"answer": "22 dias [1]."}'),
        (["<think>", '"SECRET"', "</think>", '"22 dias', ' [1]."'], "22 dias [1]."),
        (['"SECRET', '"</think>', '"22 dias', ' [1]."'], "22 dias [1]."),
    ],
)
async def test_a_model_that_heeds_no_schema_loses_nothing(
    model: FakeOllama, embedder: Embedder, words: list[str], text: str
) -> None:
    model.entries, model.words = SMALL, words
    pieces, error = await written(await opened(model, embedder))
    assert ("".join(pieces), error) == (text, None)


async def test_an_answer_that_is_cut_off_keeps_its_text(model: FakeOllama, embedder: Embedder) -> None:
    model.entries, model.done_reason = SMALL, "length"
    model.words = ['"São 22 dias [1]. O ped', "ido\\"]
    pieces, error = await written(await opened(model, embedder))
    assert "".join(pieces) == "São 22 dias [1]. O pedido"
    assert type(error) is StreamCut


@pytest.fixture(scope="module")
async def small(embedder: Embedder, gguf_file: Path) -> ChatModel:
    """The real small model."""
    chosen = Settings(chat_model=f"gguf:{gguf_file}", context_tokens=2048, answer_tokens=120)
    return await open_chat_model(chosen, embedder)


async def test_a_real_model_cites_each_sentence(small: ChatModel) -> None:
    assert small.grammar == "gbnf"
    pieces, error = await written(small)
    text = "".join(pieces)
    assert error is None
    assert "22" in text
    assert re.fullmatch(_pattern(2), json.dumps(text, ensure_ascii=False)[1:-1])
    assert len(pieces) > 3, "it grows"


@pytest.mark.parametrize(
    "constraint",
    [
        Constraint(1, "Sei lá."),
        Constraint(40, 'Não "sei" \\ o que é [isso] (nem aquilo)? ^1$ {a|b} * + - / 🤷 日本 \x7f &amp;'),
    ],
)
async def test_llama_takes_the_grammar_and_the_schema(small: ChatModel, constraint: Constraint) -> None:
    async def begun(chat: ChatModel) -> str:
        async with aclosing(stream(chat, [HumanMessage("Say hi.")], timeout=300, constraint=constraint)) as pieces:
            return await anext(pieces)

    assert await begun(small)
    asked = {"type": "json_schema", "json_schema": {"schema": schema(constraint)}}
    async with aclosing(_raw(small, response_format=asked)) as pieces:
        assert (await anext(pieces)).startswith('"')


async def test_what_llama_makes_of_the_schema_reads_as_a_cited_answer(small: ChatModel) -> None:
    reader = QuotedText()
    asked = {"type": "json_schema", "json_schema": {"schema": schema(Constraint(2, "Sei lá."))}}
    said = "[1] The gym is open on Sundays.\n[2] It opens at 8.\nWhen is the gym open? Quote both and cite like [1]."
    text = "".join([text async for piece in _raw(small, said, response_format=asked) for text in reader.feed(piece)])
    assert re.fullmatch(_pattern(2, "Sei lá."), json.dumps(text, ensure_ascii=False)[1:-1])


async def _raw(chat: ChatModel, said: str = "Say hi.", **more: Any) -> AsyncGenerator[str]:
    answer = cast(AsyncGenerator[AIMessageChunk], chat.model.astream([HumanMessage(said)], **more))
    async with aclosing(answer):
        async for chunk in answer:
            if chunk.text:
                yield chunk.text


def _pattern(passages: int, refusal: str = PERSONA.refusal_in("pt")) -> str:
    return schema(Constraint(passages, refusal))["pattern"]
