"""A chat model from a GGUF file, run by llama.cpp in this process (the extra `gguf`, library xllamacpp)."""

import asyncio
import importlib
import secrets
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from kbot.errors import ModelFailed, ModelMissing, SettingsError

_PROMPT_BATCH = 256  # tokens of a prompt read between two signs of life; reading stops there when asked to
_PULSE = 2.0  # seconds between signs of life while others are being answered

_Chunk = dict[str, Any]


class _Server(Protocol):
    def handle_chat_completions(self, request: _Chunk, take: Callable[[_Chunk], bool]) -> object:
        """Blocks until the answer is written; `take` gets each chunk and ends it by returning true."""
        ...


class GgufChatModel(BaseChatModel):
    """One GGUF model, which answers one request at a time; others wait their turn."""

    name_shown: str
    answer_tokens: int
    _server: _Server = PrivateAttr()
    _turn: ThreadPoolExecutor = PrivateAttr()

    def __init__(self, server: _Server, *, name_shown: str, answer_tokens: int) -> None:
        super().__init__(name_shown=name_shown, answer_tokens=answer_tokens)  # pyright: ignore[reportCallIssue]  # pydantic's own __init__ takes the fields
        self._server = server
        self._turn = ThreadPoolExecutor(1, thread_name_prefix="gguf")

    @property
    def _llm_type(self) -> str:
        return "gguf"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answers: list[_Chunk] = []

        def take(answer: _Chunk) -> bool:
            answers.append(answer)
            return False

        request = self._request(messages, stop, stream=False, **kwargs)
        self._turn.submit(self._server.handle_chat_completions, request, take).result()
        choice = _choice(answers[-1])
        message = AIMessage(
            content=choice["message"].get("content") or "",
            response_metadata={"finish_reason": choice["finish_reason"]},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[_Chunk | None] = asyncio.Queue()
        begun, left = threading.Event(), threading.Event()
        request = self._request(messages, stop, stream=True, **kwargs)

        def take(chunk: _Chunk) -> bool:
            if not left.is_set():
                loop.call_soon_threadsafe(arrived.put_nowait, chunk)
            return left.is_set()

        def write() -> None:
            begun.set()
            self._server.handle_chat_completions(request, take)

        call = loop.run_in_executor(self._turn, write)
        call.add_done_callback(lambda _: arrived.put_nowait(None))
        try:
            while True:
                try:
                    async with asyncio.timeout(_PULSE):
                        chunk = await arrived.get()
                except TimeoutError:
                    if not begun.is_set():
                        yield ChatGenerationChunk(message=AIMessageChunk(content=""))
                    continue
                if chunk is None:
                    break
                yield _generation(chunk)
            await call
        finally:
            left.set()
            call.cancel()

    def _request(self, messages: list[BaseMessage], stop: list[str] | None, **more: Any) -> _Chunk:
        return {
            "messages": convert_to_openai_messages(messages),
            "temperature": 0,
            "max_tokens": self.answer_tokens,
            "return_progress": True,
            "chat_template_kwargs": {"enable_thinking": False},
            **({"stop": stop} if stop else {}),
            **more,
        }


def load_gguf(path: Path, *, name: str, context_tokens: int, answer_tokens: int) -> GgufChatModel:
    """Reads the model into memory; takes seconds, so call it in a thread.

    Raises `SettingsError` without the file, `ModelMissing` without the extra, `ModelFailed` if the file cannot be used.
    """
    if not path.is_file():
        raise SettingsError(
            f"KBOT_CHAT_MODEL cannot be used: there is no file {path}. Set it to gguf:/path/to/model.gguf."
        )
    try:
        xllamacpp = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise ModelMissing(
            name, f"A GGUF model needs xllamacpp ({error}).", "Install it with `pip install 'kbot[gguf]'`."
        ) from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.n_batch = _PROMPT_BATCH
    parameters.verbosity = -1
    # The library opens a port on loopback as well; nobody is told the key to it.
    parameters.api_keys = [secrets.token_hex(32)]
    try:
        server = cast(_Server, xllamacpp.Server(parameters))
    except RuntimeError as error:
        raise ModelFailed(
            name,
            f"llama.cpp cannot load {path} ({error}).",
            "Check that it is a whole GGUF file of a chat model, and that it fits into memory.",
        ) from error
    return GgufChatModel(server, name_shown=name, answer_tokens=answer_tokens)


def _choice(chunk: _Chunk) -> _Chunk:
    """The one choice of a chunk. Raises RuntimeError with llama.cpp's words if it is an error."""
    if "error" in chunk:
        raise RuntimeError(chunk["error"].get("message", "unknown error"))
    return chunk["choices"][0]


def _generation(chunk: _Chunk) -> ChatGenerationChunk:
    choice = _choice(chunk)
    delta = choice["delta"]
    thought = delta.get("reasoning_content")
    told = {name: choice[name] for name in ("finish_reason", "logprobs") if choice.get(name)}
    return ChatGenerationChunk(
        message=AIMessageChunk(
            content=delta.get("content") or "", additional_kwargs={"reasoning_content": thought} if thought else {}
        ),
        generation_info=told or None,
    )
