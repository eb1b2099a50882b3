"""A question becomes events: Searching, Token, Retracted, and one Final with the answer."""

import re
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

from kbot.chat import Answer, Passage, Place
from kbot.database import Database, open_database
from kbot.errors import StreamCut
from kbot.generation import stand_alone, write_answer
from kbot.grounding import Cut, Verdict, classify, gate, worth_reading
from kbot.history import Turn, last_turns, remember
from kbot.language import detect_language, is_small_talk
from kbot.models import ChatModel, Embedder, open_chat_model, open_embedder
from kbot.prompts import Persona, fitting
from kbot.retrieval.cuts import calibrated_cut
from kbot.retrieval.search import check_index, search
from kbot.settings import Settings

# Cautious for both languages: a server that is sent more than its context drops the instructions without a word.
_CHARACTERS_PER_TOKEN = 3
_INSTRUCTION_TOKENS = 800
# Far more than any token is long: a server that heeds no KBOT_ANSWER_TOKENS would write for ever.
_MOST_CHARACTERS_PER_TOKEN = 16
_UNSAID = re.compile(r"https?://\S+|:[a-z0-9_+'-]+:", re.IGNORECASE)  # chats write emoji as :thumbsup:
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Searching:
    """The search begins, for the question as it stands alone."""

    question: str


@dataclass(frozen=True, slots=True)
class Token:
    """More of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """All tokens so far are withdrawn: they were thinking, or did not hold."""


@dataclass(frozen=True, slots=True)
class Final:
    """The end: the answer, classified. Only here are there sources, and only if it is grounded."""

    answer: Answer


Event = Searching | Token | Retracted | Final


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asked, in which message: stored with the turn, so that a thread finds the turn that opened it."""

    message_id: str | None = None
    author: str = ""


class Engine:
    """Answers questions from the documents of a database, with the models of the settings.

    async with Engine.open() as engine:
        async for event in engine.ask("How many days of leave do I have?"):
            ...
    """

    def __init__(self, settings: Settings, database: Database, embedder: Embedder, chat: ChatModel) -> None:
        self.settings = settings
        self.database = database
        self.embedder = embedder
        self.chat = chat
        self.persona = Persona(settings.persona, settings.rules, settings.refusal)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings | None = None) -> "AsyncGenerator[Engine]":
        """An engine on the database and the models that the settings (default: the environment's) name.

        Raises `SettingsError`, `DatabaseError`, `ModelError`.
        """
        settings = settings or Settings()
        async with open_database(settings) as database:
            embedder = await open_embedder(settings)
            yield cls(settings, database, embedder, await open_chat_model(settings, embedder))

    async def search(self, question: str, place: Place | None = None, *, k: int | None = None) -> list[Passage]:
        """The passages for a question that a place may see, best first."""
        return await search(
            self.database,
            self.embedder,
            clean(question),
            place or Place("default", ""),
            k=k or self.settings.passages,
            candidates=self.settings.candidates,
            fusion=self.settings.fusion,
        )

    async def check(self, workspace: str) -> None:
        """Raises `EmbedderMismatch` where a workspace was indexed by another embedder."""
        await check_index(self.database, self.embedder, workspace)

    async def ask(
        self, question: str, place: Place | None = None, *, asked: Asked | None = None, with_history: bool = True
    ) -> AsyncGenerator[Event]:
        """The events of an answer; close the generator and the model stops.

        Without a place the question stands alone and is not remembered as part of a conversation. Raises `ModelError`
        (the tokens so far were the model's), `DatabaseError`, `EmbedderMismatch`. A greeting, and a question without a
        letter or digit, is refused and not remembered.
        """
        clock = _Clock()
        asked = asked or Asked()
        question = clean(question)
        turns = await self._turns(place) if with_history and has_words(question) else []
        language = detect_language(question) or detect_language(" ".join(turn.question for turn in turns))
        place = place or Place("default", "")
        timeout = self.settings.model_timeout
        calls = int(bool(turns) and self.chat.writes)
        standalone = await stand_alone(self.chat, question, turns, language=language, timeout=timeout)
        yield Searching(standalone)
        passages = await self.search(standalone, place) if has_words(standalone) else []
        if standalone != question and not self.chat.writes:
            # Joined without understanding: where the question finds more by itself, it has brought its own topic.
            alone = await self.search(question, place)
            if alone and alone[0].score > passages[0].score:
                standalone, passages = question, alone
        clock.mark("retrieve_ms")
        verdict = Verdict(self.persona.refusal_in(language), False, True, "nothing_near", ())
        if gate(passages, await self.cut_in(place.workspace)):
            calls += 1
            text = ""
            passages = fitting(worth_reading(passages), self._room(turns))
            pieces = write_answer(
                self.chat, standalone, passages, turns, persona=self.persona, language=language, timeout=timeout
            )
            async with aclosing(pieces):
                async for piece in pieces:
                    clock.mark("first_token_ms")
                    piece = readable(piece)
                    text = text + piece if piece else ""
                    if len(text) > self.settings.answer_tokens * _MOST_CHARACTERS_PER_TOKEN:
                        raise StreamCut(
                            self.chat.name,
                            f"{self.chat.name} did not come to an end.",
                            "Ask for something narrower, or use another KBOT_CHAT_MODEL.",
                        )
                    yield Token(piece) if piece else Retracted()
            verdict = classify(
                text, passages, refusal=self.persona.refusal_in(language), refusals=self.persona.refusals()
            )
        clock.mark("total_ms")
        answer = self._answer(question, verdict, passages, calls, clock.marks, language or "")
        if has_words(question):
            turn = await remember(
                self.database, place, answer, standalone=standalone, message_id=asked.message_id, author=asked.author
            )
            answer = replace(answer, id=turn)
        yield Final(answer)

    async def cut_in(self, workspace: str) -> Cut:
        """Where a question is refused before the model: the operator's cut, the one that was calibrated in the database
        for this embedder, or the embedder's own."""
        own = self.embedder.cut or Cut(nearness=-1.0, coverage=0.0)
        if self.settings.cut is not None:
            return Cut(self.settings.cut, own.coverage)
        return await calibrated_cut(self.database, self.embedder.name, workspace) or own

    def _room(self, turns: Sequence[Turn]) -> int:
        """Characters of passages that fit into the model beside its instructions, the history and its answer."""
        tokens = self.settings.context_tokens - self.settings.answer_tokens - _INSTRUCTION_TOKENS
        return max(tokens, 0) * _CHARACTERS_PER_TOKEN - sum(len(turn.question) + len(turn.answer) for turn in turns)

    async def _turns(self, place: Place | None) -> list[Turn]:
        return await last_turns(self.database, place, self.settings.history_turns) if place else []

    def _answer(
        self,
        question: str,
        verdict: Verdict,
        passages: Sequence[Passage],
        calls: int,
        timings: dict[str, float],
        language: str,
    ) -> Answer:
        cited = {citation.passage_id for citation in verdict.citations}
        read = tuple(replace(p, cited=p.id in cited) for p in passages) if verdict.grounded else ()
        return Answer(
            question=question,
            text=verdict.text,
            grounded=verdict.grounded,
            refused=verdict.refused,
            reason=verdict.reason,
            citations=verdict.citations,
            read=read,
            model=self.chat.name,
            model_calls=calls,
            timings=timings,
            language=language,
        )


def readable(text: str) -> str:
    """A text with a space for each character that no database takes: controls and broken surrogates."""
    return _UNREADABLE.sub(" ", text)


def clean(question: str) -> str:
    """A question as it is asked and stored."""
    return readable(question).strip()


def has_words(question: str) -> bool:
    """Whether there is anything to search for: not in a greeting, nor in punctuation, emoji or addresses alone."""
    said = _UNSAID.sub(" ", question)
    return any(character.isalnum() for character in said) and not is_small_talk(said)


class _Clock:
    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.marks: dict[str, float] = {}

    def mark(self, name: str) -> None:
        """Milliseconds since the start, the first time a name is given."""
        self.marks.setdefault(name, round((time.perf_counter() - self._start) * 1000, 2))
