"""Rerankers behind an HTTP API: Cohere, Voyage and Jina, who all take a question with its documents and give out the
relevance of each by its place."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import httpx
from pydantic import BaseModel, ConfigDict, FiniteFloat, SecretStr, TypeAdapter

from kbot.chat import Passage
from kbot.clouds import provider_key
from kbot.errors import ModelFailed, ModelTimeout
from kbot.failures import Source, explained
from kbot.reranking import Rerank, by_score, titled

# A person waits, and the order of the search is a good one.
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is asked, and the field in which its answer lists `index` and `relevance_score` of each
    document."""

    address: str
    listed: str = "results"


PROVIDERS = {
    "cohere": Provider("https://api.cohere.com/v2/rerank"),
    "voyage": Provider("https://api.voyageai.com/v1/rerank", listed="data"),
    "jina": Provider("https://api.jina.ai/v1/rerank"),
}


def served_reranker(name: str, provider: Provider, *, timeout: float) -> Rerank:  # seconds for one call
    """The reranker of a name such as "cohere:rerank-v3.5". It waits 10 s at most. Raises `SettingsError` without the
    provider's key, and `ModelError` at a question."""
    source = Source(name, provider.address, "KBOT_RERANKER")
    key = provider_key(source.provider)
    patience = min(timeout, _PATIENCE)

    async def rerank(question: str, passages: Sequence[Passage]) -> list[Passage]:
        if not passages:
            return []
        asked = {"model": source.model, "query": question, "documents": [titled(passage) for passage in passages]}
        with explained(source, patience):
            try:
                async with asyncio.timeout(patience):
                    answer = await _ask(provider.address, key, asked)
            except (TimeoutError, httpx.TimeoutException) as error:
                raise _silent(source, patience) from error
        return by_score(passages, _scores(source, provider, answer, len(passages)))

    return rerank


class _RefusedError(ValueError):
    """The API's own error, under its HTTP status."""

    def __init__(self, status_code: int, said: str) -> None:
        super().__init__(said)
        self.status_code = status_code


async def _ask(address: str, key: SecretStr, asked: dict[str, Any]) -> bytes:
    async with httpx.AsyncClient(timeout=_PATIENCE) as client:
        response = await client.post(address, json=asked, headers={"Authorization": f"Bearer {key.get_secret_value()}"})
    if response.is_success:
        return response.content
    raise _RefusedError(response.status_code, _said(response))


def _said(response: httpx.Response) -> str:
    """The reason as the API gives it (Cohere: message; Voyage and Jina: detail), else HTTP's own."""
    try:
        body = response.json()
    except ValueError:  # no JSON, or not even text
        return response.reason_phrase
    fields = cast(dict[str, object], body) if isinstance(body, dict) else {}
    said = fields.get("message") or fields.get("detail")
    return said if isinstance(said, str) else response.reason_phrase


class _Relevance(BaseModel):
    """What an API says of one document, as it promises it: a text in place of a number is none."""

    model_config = ConfigDict(strict=True)

    index: int
    relevance_score: FiniteFloat


_RELEVANCES = TypeAdapter(list[_Relevance])


def _scores(source: Source, provider: Provider, answer: bytes, count: int) -> list[float]:
    """The relevance of each document, in [0, 1]. Raises `ModelFailed` unless each has just one."""
    try:
        listed = _RELEVANCES.validate_python(json.loads(answer)[provider.listed])
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise _unreadable(source) from error
    if sorted(each.index for each in listed) != list(range(count)):
        raise _unreadable(source)
    scores = {each.index: each.relevance_score for each in listed}
    return [min(max(scores[index], 0.0), 1.0) for index in range(count)]


def _silent(source: Source, seconds: float) -> ModelTimeout:
    return ModelTimeout(
        source.name,
        f"{source.name} did not answer within {seconds:g} s.",
        "Ask again; if it happens often, choose another with KBOT_RERANKER.",
    )


def _unreadable(source: Source) -> ModelFailed:
    return ModelFailed(
        source.name,
        f"What {source.name} answered does not give every passage one relevance.",
        f"Check that {source.model} is a reranker of {source.provider}, or choose another with KBOT_RERANKER.",
    )
