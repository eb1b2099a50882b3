"""What a question means after others: whether it leans on an earlier turn, on which, and how it reads by itself.

No model is needed for that. The answer to a follow-up stands where it and the turn that it leans on both have evidence:
"and on Sundays?" is near many passages, "When is the gym open?" near a few, and one of them is near both. A question of
its own finds its passage where no earlier turn does. So every turn is searched for as well as the question, and the
passage that both find best says what leans on what. It is then put in the place of what it stands for
(`kbot.ellipsis`), or before what the turn was about, so that its own words say what is asked for. A model that writes
puts the question in better words; its rewriting is believed where the search finds it at such a place too.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kbot.chat import Decision, Passage
from kbot.confidence import confidence, roots
from kbot.ellipsis import filled, fragment, opens, without_opening
from kbot.grounding import plain
from kbot.history import Turn, as_messages
from kbot.language import FUNCTION_WORDS, Language, detect_language, stem
from kbot.models import ChatModel
from kbot.phrase_kinds import moment_of
from kbot.phrases import Phrase, phrases, words_of
from kbot.prompts import inert, rewrite_prompt
from kbot.sequel import after_answer, asks_what_follows
from kbot.small_talk import without_courtesy
from kbot.streaming import one_line

Search = Callable[[str], Awaitable[Sequence[Passage]]]
"""Finds passages for a text, best first, some forty deep: the last ones tell what a score is that says nothing."""

_OPENS = re.compile(r"^\W*(?:e|mas|and|but|or|ou|also|what about|how about|então|so)\s", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|that|these|those|he|she|his|her|then|same"
    r"|d?el[ea]s?|nel[ea]s?|isso|isto|d?ess[ea]s?|ness[ea]s?|[dn]?aquel[ea]s?|este|nisso|disso|lá|mesm[oa])\b"
    r"|\b(?:there|too|ones?|também)\W*$",
    re.IGNORECASE,
)
_FEW_WORDS = 3
_SHORT = 2
_MANY_WORDS = 9
_LONG_WORD = 4

# Measured on 52 follow-ups and new topics in both languages, and confirmed on 52 others that were kept back: the sum
# of a passage's two lifts is near 2 where the question leans on the turn, near 1 where it does not; the neighbours of
# `_FITS_WELL`, `_FITS` and `_LEAST_SPAN` do as well.
_CERTAIN = 1.9  # the right turn in 97 of 100, so that a model's seconds buy nothing
_FITS_WELL = 1.7
_FITS = 1.4  # enough for a question whose words point back
_BELIEVED = 0.4
_BELIEVED_AGAINST = 1.2
_AS_GOOD = 0.85
_LEAST_SPAN = 0.15
_LONGEST_TOPIC = 300
_READ = 8  # passages, as `KBOT_PASSAGES` has it unless set
_SURE = 0.35  # of what is less sure by itself, nothing would be read


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as it stands alone, the passages found for it, best first, and the turns that belong to it.

    `turns` are the turn it leans on and those after it, as an answer's prompt shows them: none for a question of its
    own, so that an old topic does not colour the new one. `passages` is empty where a model that only quotes would
    quote what the follow-up did not ask for. `calls` counts the model's; `decision` says how it was understood:
    "alone", "joined" with a turn's question, or "rewritten" by the model, and how many turns back that is.
    """

    question: str
    passages: tuple[Passage, ...]
    turns: tuple[Turn, ...]
    calls: int
    decision: Decision


async def understood(
    chat: ChatModel,
    question: str,
    turns: Sequence[Turn],
    *,
    language: Language,
    timeout: float,  # noqa: ASYNC109  # not for the whole: seconds without a sign of life
    search: Search,
) -> Understood:
    """What a question means after some turns, oldest first.

    Courtesies beside it are no part of it. It is searched for alone, and, unless it is long and does not point back, so
    is each turn; where it asks for what follows, the last turn is. The model is called at most once: not where the
    question stands alone, nor where the search leaves no doubt what it leans on. Raises `ModelError` if a model that
    writes does not answer at all, and what `search` raises.
    """
    question = without_courtesy(question)
    if turns and asks_what_follows(question):
        return await _followed(chat, turns, question, search)
    alone = await search(question)
    back = points_back(question)
    if not turns or (not back and _length(question) >= _MANY_WORDS):
        return _alone(question, alone)
    found = await asyncio.gather(*(search(_topic(turn)) for turn in turns))
    own = _lifts(alone)
    theirs = [_lifts(passages) for passages in found]
    leans_on, fit = _leaning(own, theirs)
    leans = fit >= (_FITS if back else _FITS_WELL)
    lost = back and not leans and (_finds_nothing(alone) or _says_little(question))
    if lost or (fit < _FITS_WELL and opens(question) and _filled(turns[-1], question)):
        leans, leans_on = True, len(turns) - 1
    plainly = _alone(question, alone)
    if leans:
        joined = await _joined(turns, leans_on, question, search)
        leans = back or not _stands(question, alone, joined.passages)
        plainly = joined if leans else plainly
    if leans and not chat.writes and not _tell_of(question, language, plainly.passages):
        plainly = replace(plainly, passages=())
    open_to_doubt = fit < _CERTAIN and (leans or (back and _length(question) < _MANY_WORDS))
    if not chat.writes or not open_to_doubt:
        return plainly
    written = await _rewriting(chat, question, turns, language=language, timeout=timeout)
    if written:
        passages = await search(written)
        place, its = _place_of(passages, own, theirs)
        if its >= (fit - _BELIEVED if leans else _BELIEVED_AGAINST) and _best(passages) >= _AS_GOOD * _best(
            plainly.passages
        ):
            return replace(_leaning_on(turns, place, written, passages, "rewritten"), calls=1)
    return replace(plainly, calls=1)


def points_back(question: str) -> bool:
    """Whether the words of a question alone let it lean on an earlier one: very short, opening with "and", or with a
    pronoun. A long question may hold what its pronoun means."""
    return _length(question) <= _FEW_WORDS or bool(_OPENS.match(question) or _PRONOUN.search(question))


def is_rewriting(written: str, question: str) -> bool:
    """Whether a text may be the question in other words: one line, a question if that is one, which keeps some of its
    longer words, if it has any. A small model may answer instead, or write about something else."""
    if not written or "\n" in written or (question.endswith("?") and not written.endswith("?")):
        return False
    longer = _roots(question)
    return not longer or not longer.isdisjoint(_roots(written))


def _alone(question: str, passages: Sequence[Passage]) -> Understood:
    return Understood(question, tuple(passages), (), 0, Decision("follow-up", "alone"))


def _leaning_on(
    turns: Sequence[Turn], place: int, question: str, passages: Sequence[Passage], outcome: str
) -> Understood:
    decision = Decision("follow-up", outcome, f"{len(turns) - place}/{len(turns)}")
    return Understood(question, tuple(passages), tuple(turns[place:]), 0, decision)


async def _joined(turns: Sequence[Turn], place: int, question: str, search: Search) -> Understood:
    """The question in words that need no turn before it: in the place of what it stands for in that turn's question, or
    before the phrases of it. Where the turn was joined itself, those may be of its own question too, or only of what
    that was joined with, whichever finds more."""
    whole = _filled(turns[place], question)
    texts = [whole] if whole else _with_topic(turns[place], question)
    # "Is that mandatory?" is answered, if at all, where the turn was.
    results = [(text, await search(_topic(turns[place]) if _says_little(question) else text)) for text in texts]
    text, passages = max(results, key=lambda each: _best(each[1]))
    return _leaning_on(turns, place, text, passages, "joined")


async def _followed(chat: ChatModel, turns: Sequence[Turn], question: str, search: Search) -> Understood:
    """What the last turn's passages say after what its answer quotes; all of them for a model that writes, which sees
    from the turns what was told."""
    topic = _topic(turns[-1])
    again = asks_what_follows(topic.rpartition("? ")[2])
    asked = topic if again else f"{topic} {question[:1].upper()}{question[1:]}"
    passages = await search(topic)
    read = passages if chat.writes else after_answer(passages, turns[-1].answer)
    return _leaning_on(turns, len(turns) - 1, asked, read, "joined")


def _filled(turn: Turn, question: str) -> str | None:
    """A follow-up in the place of a phrase of the turn's question, where both are in one language."""
    topic = _topic(turn)
    language = detect_language(topic)
    return filled(question, topic, language) if detect_language(question) in ("", language) else None


def _with_topic(turn: Turn, question: str) -> list[str]:
    """The question with what the turn was about after it: its own words come first, and say what is asked for."""
    asked, _, told = _topic(turn).rstrip(" )").partition("? (")
    topics = dict.fromkeys([f"{_about(asked)}, {told}" if told else _about(asked), told or _about(asked)])
    return [f"{without_opening(question)} ({topic})" for topic in topics]


def _about(asked: str) -> str:
    """The phrases of a question, as they stand there, or all of it where none is known."""
    said: list[str] = []
    end = 0
    for phrase in phrases(asked, detect_language(asked)):
        start, last = phrase.content[0].start, phrase.content[-1].end
        if start >= end:
            said.append(asked[start:last])
            end = last
    return ", ".join(dict.fromkeys(said)) or asked.strip(" ?")


def _topic(turn: Turn) -> str:
    """A turn's question as it stands alone, cut where a chain of follow-ups has made it longer than any question."""
    return (turn.standalone or turn.question)[:_LONGEST_TOPIC]


def _stands(question: str, alone: Sequence[Passage], joined: Sequence[Passage]) -> bool:
    """Whether a question finds by itself, and surely, the same passage as with a turn."""
    same = [passage.id for passage in alone[:1]] == [passage.id for passage in joined[:1]]
    return same and confidence(question, alone[:_READ]) >= _SURE


def _tell_of(question: str, language: Language, passages: Sequence[Passage]) -> bool:
    """Whether the passages that are read have all names of the follow-up, and, where it is no sentence, any word of it.
    Of what is in another language nothing can be said but of names, and not of days, which have one in each."""
    read = passages[:_READ]
    there = {root for each in read for root in roots(f"{each.title} {each.heading} {each.text}")}
    named = [word for word in words_of(question) if word.name and moment_of(Phrase((word,), (word,))) != "day"]
    foreign = bool(read and read[0].language and language and read[0].language != language)
    names = {root for word in named for root in roots(word.text)}
    said = roots(fragment(question, language))
    return names <= there and (foreign or not said or not said.isdisjoint(there))


def _lifts(passages: Sequence[Passage]) -> dict[str, float]:
    """How far each passage's score stands above the last one's, by its id: 1 for the best, less where not even that
    stands out. Unlike scores these can be compared between questions, and between embedders."""
    if not passages:
        return {}
    least = passages[-1].score
    span = max(passages[0].score - least, _LEAST_SPAN)
    return {passage.id: (passage.score - least) / span for passage in passages}


def _leaning(own: Mapping[str, float], theirs: Sequence[Mapping[str, float]]) -> tuple[int, float]:
    """The turn that the question most likely leans on, and the greatest sum of lifts that a passage has for both: the
    last turn that fits well, since people mean what was said last, or the one that fits best."""
    fits = [_fit({*own, *lifts}, own, lifts) for lifts in theirs]
    well = [place for place, fit in enumerate(fits) if fit >= _FITS_WELL]
    likely = well[-1] if well else max(range(len(fits)), key=lambda place: (fits[place], place))
    return likely, fits[likely]


def _fit(ids: Iterable[str], own: Mapping[str, float], lifts: Mapping[str, float]) -> float:
    return max((own.get(each, 0.0) + lifts.get(each, 0.0) for each in ids), default=0.0)


def _place_of(
    passages: Sequence[Passage], own: Mapping[str, float], theirs: Sequence[Mapping[str, float]]
) -> tuple[int, float]:
    """The turn that the best of some passages belongs to, and its sum of lifts for the question and that turn."""
    best = [passage.id for passage in passages[:1]]
    fits = [_fit(best, own, lifts) for lifts in theirs]
    place = max(range(len(fits)), key=lambda place: (fits[place], place))
    return place, fits[place]


def _best(passages: Sequence[Passage]) -> float:
    return passages[0].score if passages else 0.0


def _finds_nothing(passages: Sequence[Passage]) -> bool:
    return not passages or passages[0].score - passages[-1].score < _LEAST_SPAN


def _says_little(question: str) -> bool:
    """Whether hardly a word is left beside a pronoun: "is that mandatory?", "isso vale para quem?"."""
    words = [word for word in plain(question).split() if len(word) > _SHORT and word not in FUNCTION_WORDS]
    return bool(_PRONOUN.search(question)) and len(words) <= 1


def _length(question: str) -> int:
    return len(re.findall(r"\w+", question))


def _roots(text: str) -> set[str]:
    return {stem(word) for word in plain(text).split() if len(word) >= _LONG_WORD}


async def _rewriting(
    chat: ChatModel,
    question: str,
    turns: Sequence[Turn],
    *,
    language: Language,
    timeout: float,  # noqa: ASYNC109  # as above
) -> str:
    """The question as the model puts it; empty if it repeats it, or if what it wrote is no rewriting."""
    prompt = rewrite_prompt(language).invoke({"history": as_messages(turns), "question": inert(question)})
    written = await one_line(chat, prompt.to_messages(), limit=3 * len(question) + 200, timeout=timeout)
    return written if is_rewriting(written, question) and plain(written) != plain(question) else ""
