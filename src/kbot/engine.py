"""A question becomes events: Searching, Token, Retracted, Checking, and one Final with the answer."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from kbot.answering import Answering, Clock
from kbot.characters import readable
from kbot.chat import Answer, Passage, Place
from kbot.confidence import Cut
from kbot.database import Database, open_database
from kbot.events import Checking, Event, Final, Retracted, Searching, Token
from kbot.followups import Understood, understood
from kbot.history import Turn, last_turns, remember
from kbot.language import Language, detect_language
from kbot.models import ChatModel, Embedder, Reranker, open_chat_model, open_embedder, open_reranker
from kbot.prompts import Persona, courtesy
from kbot.reflection.reflecting import Reflection, mode_of
from kbot.retrieval.cuts import CutInForce, cut_in_force
from kbot.retrieval.rerank import rerank
from kbot.retrieval.search import check_index, search
from kbot.settings import Settings
from kbot.small_talk import SmallTalk, small_talk

__all__ = ["Asked", "Checking", "Engine", "Event", "Final", "Retracted", "Searching", "Token", "clean", "has_words"]

_UNSAID = re.compile(r"https?://\S+|:[a-z0-9_+'-]+:", re.IGNORECASE)  # chats write emoji as :thumbsup:


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

    def __init__(
        self, settings: Settings, database: Database, embedder: Embedder, chat: ChatModel, reranker: Reranker
    ) -> None:
        self.settings = settings
        self.database = database
        self.embedder = embedder
        self.chat = chat
        self.reranker = reranker
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
            chat = await open_chat_model(settings, embedder)
            yield cls(settings, database, embedder, chat, await open_reranker(settings, embedder))

    async def search(self, question: str, place: Place | None = None, *, k: int | None = None) -> list[Passage]:
        """The passages for a question that a place may see, best first."""
        question, k = clean(question), k or self.settings.passages
        found = await self._candidates(question, place or Place("default", ""), most=k)
        return (await rerank(self.reranker, question, found, k=k)).passages

    async def understand(self, question: str, turns: Sequence[Turn], place: Place) -> Understood:
        """What a question means after some turns, oldest first, and what is found for that, not yet reranked."""
        return await understood(
            self.chat,
            question,
            turns,
            language=_language(question, turns),
            timeout=self.settings.model_timeout,
            search=partial(self._candidates, place=place),
        )

    async def check(self, workspace: str) -> None:
        """Raises `EmbedderMismatch` and `RerankerMismatch` where a workspace was indexed for others."""
        await check_index(self.database, self.embedder, workspace, reranker=self.reranker.name)

    async def ask(
        self, question: str, place: Place | None = None, *, asked: Asked | None = None, with_history: bool = True
    ) -> AsyncGenerator[Event]:
        """The events of an answer; close the generator and the model stops.

        Without a place the question stands alone and is not remembered as part of a conversation. A greeting and thanks
        get a courtesy, a question without a letter or digit is refused; neither is remembered. Raises `ModelError` (the
        tokens so far were the model's), `DatabaseError`, `EmbedderMismatch`, `RerankerMismatch`.
        """
        clock = Clock()
        asked = asked or Asked()
        question = clean(question)
        talk, words = small_talk(question), has_words(question)
        turns = await self._turns(place) if with_history and (talk or words) else []
        language = _language(question, turns)
        place = place or Place("default", "")
        reflection = Reflection(
            mode_of(self.settings, self.chat),
            self.chat,
            self.embedder,
            attempts=self.settings.reflection_attempts,
            language=language,
            timeout=self.settings.model_timeout,
        )
        if talk or (words and not await reflection.needs_documents(question)):
            yield Final(self._courtesy(question, talk, reflection, clock, language))
            return
        found = await self.understand(question, turns, place)
        if turns:
            reflection.decisions.append(found.decision)
        yield Searching(found.question)
        clock.mark("retrieve_ms")
        in_force = await self.cut_in_force(place.workspace)
        work = Answering(
            found.question,
            found.turns,
            chat=self.chat,
            embedder=self.embedder,
            search=partial(self._candidates, place=place),
            reranker=self.reranker,
            cut=in_force.cut,
            own_cut=in_force.own,
            reflection=reflection,
            persona=self.persona,
            language=language,
            settings=self.settings,
            clock=clock,
        )
        async with aclosing(work.events(found.passages)) as events:
            async for event in events:
                yield event
        clock.mark("total_ms")
        answer = self._answer(question, work, reflection, found.calls, clock.marks, language)
        if words:
            turn = await remember(
                self.database,
                place,
                answer,
                standalone=found.question,
                message_id=asked.message_id,
                author=asked.author,
            )
            answer = replace(answer, id=turn)
        yield Final(answer)

    async def cut_in(self, workspace: str) -> Cut:
        """Where a question is refused before the model."""
        return (await self.cut_in_force(workspace)).cut

    async def cut_in_force(self, workspace: str) -> CutInForce:
        """The same, with where it comes from."""
        quoting, said = not self.chat.writes, self.settings.cut
        return await cut_in_force(self.database, self.embedder, workspace, quoting=quoting, said=said)

    async def _candidates(self, question: str, place: Place, *, most: int = 0) -> list[Passage]:
        """What a reranker chooses from, in the order of the search; nothing for a question without words."""
        if not has_words(question):
            return []
        return await search(
            self.database,
            self.embedder,
            question,
            place,
            k=max(most, self.settings.candidates),
            candidates=self.settings.candidates,
            fusion=self.settings.fusion,
            reranker=self.reranker.name,
        )

    async def _turns(self, place: Place | None) -> list[Turn]:
        return await last_turns(self.database, place, self.settings.history_turns) if place else []

    def _answer(
        self,
        question: str,
        work: Answering,
        reflection: Reflection,
        rewriting: int,
        timings: dict[str, float],
        language: Language,
    ) -> Answer:
        verdict = work.verdict
        cited = {citation.passage_id for citation in verdict.citations}
        read = tuple(replace(p, cited=p.id in cited) for p in work.passages) if verdict.grounded else ()
        return Answer(
            question=question,
            text=verdict.text,
            grounded=verdict.grounded,
            refused=verdict.refused,
            reason=verdict.reason,
            citations=verdict.citations,
            read=read,
            model=self.chat.name,
            model_calls=rewriting + min(reflection.drafts, 1) + reflection.calls,
            timings=timings,
            language=language,
            decisions=tuple(reflection.decisions),
        )

    def _courtesy(
        self, question: str, talk: SmallTalk, reflection: Reflection, clock: Clock, language: Language
    ) -> Answer:
        """The answer to what no document is read for; it is not remembered."""
        clock.mark("total_ms")
        return Answer(
            question=question,
            text=courtesy(talk, language),
            grounded=False,
            refused=False,
            reason="no_question",
            model=self.chat.name,
            model_calls=reflection.calls,
            timings=clock.marks,
            language=language,
            decisions=tuple(reflection.decisions),
        )


def _language(question: str, turns: Sequence[Turn]) -> Language:
    """The question's, else that of the last turn before it that has one."""
    for text in (question, *(turn.question for turn in reversed(turns))):
        if language := detect_language(text):
            return language
    return ""


def clean(question: str) -> str:
    """A question as it is asked and stored."""
    return readable(question).strip()


def has_words(question: str) -> bool:
    """Whether there is anything to search for: not in a greeting, nor in punctuation, emoji or addresses alone."""
    said = _UNSAID.sub(" ", question)
    return any(character.isalnum() for character in said) and not small_talk(said)
