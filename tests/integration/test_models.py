"""The real langchain-ollama and xllamacpp, as chat models: against a scripted Ollama, and with a real model."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from fakes.ollama import Behaviour, FakeOllama, fake_ollama
from kbot.errors import (
    ModelError,
    ModelFailed,
    ModelMissing,
    ModelTimeout,
    ModelUnreachable,
    SettingsError,
    StreamCut,
)
from kbot.models import (
    ChatModel,
    Embedder,
    ollama_models,
    open_chat_model,
    open_embedder,
)
from kbot.settings import Settings
from kbot.streaming import UNSAID, complete, stream

MESSAGES = [SystemMessage("Be short."), HumanMessage("Diz olá.")]


@pytest.fixture
async def server() -> AsyncGenerator[FakeOllama]:
    async with fake_ollama() as script:
        yield script


@pytest.fixture(scope="session")
async def embedder() -> Embedder:
    return await open_embedder(settings("http://127.0.0.1:9"))


def settings(url: str, **more: object) -> Settings:
    return Settings.model_validate({"ollama_url": url, **more})


async def open_ollama(script: FakeOllama, embedder: Embedder, model: str = "ollama:llama3.2") -> ChatModel:
    return await open_chat_model(settings(script.url, chat_model=model), embedder)


async def said(chat: ChatModel, timeout: float = 5.0) -> tuple[str, ModelError | None]:
    """What was streamed, and what it ended with."""
    text = ""
    try:
        async with aclosing(stream(chat, MESSAGES, timeout=timeout)) as pieces:
            async for piece in pieces:
                text = "" if piece == UNSAID else text + piece
    except ModelError as error:
        return text, error
    return text, None


def unused_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


async def test_a_normal_answer_streams_whole(server: FakeOllama, embedder: Embedder) -> None:
    chat = await open_ollama(server, embedder)
    assert await said(chat) == ("Olá, mundo.", None)
    assert await complete(chat, MESSAGES, timeout=5) == "Olá, mundo."
    assert (chat.name, chat.writes) == ("ollama:llama3.2", True)
    asked = server.requests[0]
    assert asked["options"] == {"num_ctx": 8192, "num_predict": 2048, "temperature": 0}
    assert asked["think"] is False
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]


@pytest.mark.parametrize(
    ("behaviour", "text", "kind", "words"),
    [
        ("silent", "", ModelTimeout, ("no sign of life for 0.4 s", "KBOT_MODEL_TIMEOUT")),
        ("hangs", "Olá, mundo.", ModelTimeout, ("no sign of life", "KBOT_MODEL_TIMEOUT")),
        ("not_found", "", ModelFailed, ("is not Ollama (HTTP 404)", "KBOT_OLLAMA_URL")),
        ("fails", "", ModelFailed, ("HTTP 500: unable to load model", "log of `ollama serve`")),
        ("busy", "", ModelFailed, ("HTTP 503: server busy", "Ask again")),
        ("drops", "", ModelUnreachable, ("closed the connection before it answered", "ollama serve")),
        ("cut", "Olá, mundo.", StreamCut, ("the connection was lost", "Ask again")),
        ("undone", "Olá, mundo.", StreamCut, ("the end is missing", "Ask again")),
        ("error_line", "Olá, mundo.", StreamCut, ("llama runner process has terminated", "Ask again")),
        ("bad_line", "Olá, mundo.", StreamCut, ("what came was not readable", "Ask again")),
        ("load", "", ModelFailed, ("said nothing", "Ask again")),
    ],
)
async def test_each_misbehaviour_has_its_error_and_keeps_the_text(
    server: FakeOllama,
    embedder: Embedder,
    behaviour: Behaviour,
    text: str,
    kind: type[ModelError],
    words: tuple[str, str],
) -> None:
    chat = await open_ollama(server, embedder)
    server.behaviour = behaviour
    streamed, error = await said(chat, timeout=0.4)
    assert streamed == text
    assert isinstance(error, kind)
    assert words[0] in error.cause
    assert words[1] in error.next_step
    assert error.model == "ollama:llama3.2"


@pytest.mark.parametrize(("behaviour", "kind"), [("error_line", ModelFailed), ("bad_line", ModelFailed)])
async def test_an_error_instead_of_an_answer_is_a_failure(
    server: FakeOllama, embedder: Embedder, behaviour: Behaviour, kind: type[ModelError]
) -> None:
    server.words = []
    chat = await open_ollama(server, embedder)
    server.behaviour = behaviour
    assert type((await said(chat))[1]) is kind


async def test_nobody_there_says_how_to_start_it_and_shows_no_password(embedder: Embedder) -> None:
    port = unused_port()
    chat = await open_chat_model(settings(f"http://ann:hush@127.0.0.1:{port}", chat_model="ollama:llama3.2"), embedder)
    assert "start it with `ollama serve`" in chat.why
    text, error = await said(chat)
    assert (text, type(error)) == ("", ModelUnreachable)
    assert str(error) == (
        f"Ollama does not answer at http://127.0.0.1:{port}. "
        "Start it with `ollama serve`, or set KBOT_OLLAMA_URL to where it runs."
    )
    assert "hush" not in chat.why


async def test_a_missing_model_says_how_to_pull_it(server: FakeOllama, embedder: Embedder) -> None:
    chat = await open_ollama(server, embedder, "ollama:qwen3:4b")
    assert "run `ollama pull qwen3:4b`" in chat.why
    error = (await said(chat))[1]
    assert type(error) is ModelMissing
    assert error.next_step == "Run `ollama pull qwen3:4b`, or choose another with KBOT_CHAT_MODEL."


async def test_slow_is_not_stuck_and_thinking_is_life(server: FakeOllama, embedder: Embedder) -> None:
    server.behaviour, server.delay = "slow", 0.15
    server.thoughts = ["one", "two", "three"]
    chat = await open_ollama(server, embedder)
    assert await said(chat, timeout=0.4) == ("Olá, mundo.", None)


async def test_thinking_reaches_nobody(server: FakeOllama, embedder: Embedder) -> None:
    chat = await open_ollama(server, embedder)
    server.thoughts = ["SECRET plan"]
    server.words = ["<thi", "nk>SECRET", " more</th", "ink>\n\n", "Sim ", "<reasoning>SECRET</reasoning>", "[1]."]
    assert await said(chat) == ("Sim [1].", None)
    server.thoughts, server.words = [], ["SECRET ", "thought", "</think>", "\nSim."]
    assert await said(chat) == ("Sim.", None)
    assert await complete(chat, MESSAGES, timeout=5) == "Sim."


async def test_only_thinking_is_a_failure(server: FakeOllama, embedder: Embedder) -> None:
    chat = await open_ollama(server, embedder)
    server.words = ["<think>round and round"]
    text, error = await said(chat)
    assert (text, type(error)) == ("", ModelFailed)
    assert "only thought" in str(error)


async def test_nothing_and_too_much_are_told_apart(server: FakeOllama, embedder: Embedder) -> None:
    chat = await open_ollama(server, embedder)
    server.done_reason = "length"
    text, error = await said(chat)
    assert (text, type(error)) == ("Olá, mundo.", StreamCut)
    assert "KBOT_ANSWER_TOKENS" in str(error)
    server.done_reason, server.words = "stop", []
    assert type((await said(chat))[1]) is ModelFailed


async def test_closing_the_stream_stops_the_server(server: FakeOllama, embedder: Embedder) -> None:
    server.behaviour = "hangs"
    chat = await open_ollama(server, embedder)
    async with aclosing(stream(chat, MESSAGES, timeout=30)) as pieces:
        assert await anext(pieces) == "Olá"
    await asyncio.wait_for(server.left.wait(), 3)


async def test_cancelling_the_reader_stops_the_server(server: FakeOllama, embedder: Embedder) -> None:
    server.behaviour = "hangs"
    reading = asyncio.create_task(said(await open_ollama(server, embedder), timeout=30))
    while not server.requests:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    reading.cancel()
    await asyncio.wait_for(server.left.wait(), 3)
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_a_bare_name_is_ollamas(server: FakeOllama, embedder: Embedder) -> None:
    for name in ("mistral:7b", "gpt-oss:20b", "command-r", "hf.co/some/model:Q4_K_M", "claude-3", "gemini-pro"):
        chat = await open_ollama(server, embedder, name)
        assert chat.name == f"ollama:{name}"
        assert type((await said(chat))[1]) is ModelMissing
    assert len(server.requests) == 6


async def test_unset_takes_the_first_chat_model_that_ollama_itself_runs(server: FakeOllama, embedder: Embedder) -> None:
    server.models = {
        "nomic-embed-text:latest": ["embedding"],
        "big:120b-cloud": ["completion"],
        "far:latest": ["completion"],
        "qwen3:4b": ["completion", "thinking"],
        "llama3.2:latest": ["completion"],
    }
    server.entries = {"far:latest": {"remote_host": "https://ollama.com"}}
    chat = await open_chat_model(settings(server.url), embedder)
    assert chat.name == "ollama:qwen3:4b"
    assert "KBOT_CHAT_MODEL is not set" in chat.why
    assert await ollama_models(settings(server.url)) == [
        "nomic-embed-text",
        "big:120b-cloud",
        "far",
        "qwen3:4b",
        "llama3.2",
    ]


async def test_unset_without_a_chat_model_quotes_and_says_why(server: FakeOllama, embedder: Embedder) -> None:
    nobody = f"http://127.0.0.1:{unused_port()}"
    chat = await open_chat_model(settings(nobody), embedder)
    assert (chat.name, chat.writes) == ("extractive", False)
    assert chat.why == (
        "kbot answers by quoting the documents, since KBOT_CHAT_MODEL is not set and "
        f"Ollama at {nobody} does not answer."
    )
    server.models = {"nomic-embed-text:latest": ["embedding"]}
    chat = await open_chat_model(settings(server.url), embedder)
    assert chat.name == "extractive"
    assert "has no chat model (`ollama pull llama3.2` brings one)" in chat.why


async def test_no_ollama_lists_nothing(server: FakeOllama) -> None:
    assert await ollama_models(settings(f"127.0.0.1:{unused_port()}")) is None
    server.behaviour = "not_found"
    assert await ollama_models(settings(server.url)) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY|kbot\\[openai\\]"),
        ("anthropic:claude", "ANTHROPIC_API_KEY|kbot\\[anthropic\\]"),
        ("google:gemini", "GOOGLE_API_KEY|kbot\\[google\\]"),
        ("gguf:/nowhere/model.gguf", "there is no file"),
        ("ollama:", "cannot be used"),
        ("openai", "cannot be used"),
        ("e5", "cannot be used"),
    ],
)
async def test_what_cannot_be_opened_says_what_to_do(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises((SettingsError, ModelMissing), match=words):
        await open_chat_model(settings("http://127.0.0.1:9", chat_model=name), embedder)


async def test_a_file_that_is_no_model_is_explained(embedder: Embedder, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and then nothing useful")
    with pytest.raises(ModelFailed, match="whole GGUF file"):
        await open_chat_model(settings("http://127.0.0.1:9", chat_model=f"gguf:{broken}"), embedder)


async def test_a_gguf_model_writes_stops_and_writes_again(embedder: Embedder, gguf_file: Path) -> None:
    opened = settings("http://127.0.0.1:9", chat_model=f"gguf:{gguf_file}", context_tokens=2048, answer_tokens=16)
    chat = await open_chat_model(opened, embedder)
    count = [HumanMessage("Count from 1 to 200.")]
    async with aclosing(stream(chat, count, timeout=60)) as pieces:
        first = await anext(pieces)
    answers = await asyncio.gather(
        *(complete(chat, [HumanMessage("Reply with the word yes.")], timeout=60) for _ in range(2))
    )
    assert first
    assert all("yes" in answer.lower() for answer in answers)
    with pytest.raises(StreamCut, match="KBOT_ANSWER_TOKENS"):
        await complete(chat, count, timeout=60)
    with pytest.raises(ModelFailed, match="KBOT_CONTEXT_TOKENS"):
        await complete(chat, [HumanMessage("word " * 4000)], timeout=60)
