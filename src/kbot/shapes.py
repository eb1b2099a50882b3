"""The JSON of the commands. These shapes are kept stable: keys are added, never renamed or removed."""

from dataclasses import asdict
from typing import Any

from kbot.chat import Answer, Citation, Passage
from kbot.ingestion.jobs import Receipt
from kbot.library import Gap, Source


def answer_shape(answer: Answer) -> dict[str, Any]:
    """`kbot ask --json`: the answer; `citations` and `read` are empty unless it is grounded; `decisions` in the order
    in which they were made; `timings` in milliseconds."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "grounded": answer.grounded,
        "refused": answer.refused,
        "reason": answer.reason,
        "citations": [_citation_shape(citation) for citation in answer.citations],
        "read": [passage_shape(passage) for passage in answer.read],
        "decisions": [asdict(decision) for decision in answer.decisions],
        "model": answer.model,
        "model_calls": answer.model_calls,
        "timings": {name: answer.timings.get(name) for name in ("retrieve_ms", "first_token_ms", "total_ms")},
    }


def failed_shape(question: str, text: str, error: Exception, model: str) -> dict[str, Any]:
    """`kbot ask --json` when the model or the database failed: `answer` is what was written until then, `error` why."""
    answer = Answer(question, text, grounded=False, refused=False, reason="error", model=model)
    return {**answer_shape(answer), "error": str(error)}


def passage_shape(passage: Passage) -> dict[str, Any]:
    """One passage of `kbot search --json`, and of `read` in an answer; evidence and score in [0, 1]."""
    return {
        "source": passage.source,
        "page": passage.page,
        "heading": passage.heading,
        "text": passage.text,
        "quote": passage.quote,
        "similarity": round(passage.similarity, 6),
        "sentence": round(passage.sentence, 6),
        "coverage": round(passage.coverage, 6),
        "score": round(passage.score, 6),
        "cited": passage.cited,
        "updated": passage.updated or None,
    }


def receipt_shape(receipt: Receipt) -> dict[str, Any]:
    """One line of `kbot ingest --json`."""
    return {
        "source": receipt.source,
        "status": receipt.status,
        "reason": receipt.reason,
        "pages": receipt.pages,
        "pages_without_text": receipt.pages_without_text,
        "chunks": receipt.chunks,
    }


def source_shape(source: Source) -> dict[str, Any]:
    """One document of `kbot sources --json`."""
    return {
        "source": source.source,
        "title": source.title,
        "url": source.url,
        "channel": source.scope or None,
        "language": source.language,
        "pages": source.pages,
        "pages_without_text": source.pages_without_text,
        "chunks": source.chunks,
        "warnings": source.warnings,
        "added_by": source.added_by,
        "added_at": source.added_at.isoformat(),
        "updated_at": source.updated_at.isoformat(),
    }


def gap_shape(gap: Gap) -> dict[str, Any]:
    """One question of `kbot gaps --json`."""
    return {
        "question": gap.question,
        "times": gap.times,
        "people": gap.people,
        "last_asked": gap.last_asked.isoformat(),
        "reported": gap.reported,
        "unhelpful": gap.unhelpful,
    }


def _citation_shape(citation: Citation) -> dict[str, Any]:
    return {
        "n": citation.n,
        "source": citation.source,
        "page": citation.page,
        "heading": citation.heading,
        "url": citation.url,
        "quote": citation.quote,
        "updated": citation.updated or None,
    }
