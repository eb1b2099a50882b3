"""What people at a chat ask of the library, beside questions: lists, what was read, and what they think of an
answer."""

from collections.abc import Iterable, Sequence
from typing import LiteralString
from uuid import UUID

from kbot import library
from kbot.chat import Opinion, Passage, Person, Place, Report, captions, plain
from kbot.database import Database
from kbot.history import decided_for, read_for
from kbot.words import Words, words_in

PAGE_CHARACTERS = 1900
_ENTRY_CHARACTERS = 900
_NAME_CHARACTERS = 300
_NAMES = 25  # that a platform suggests while one types

# An opinion is changed by a later one of the same person. Only in the channel of the answer, which others do not see.
_RATE: LiteralString = """
INSERT INTO opinions (workspace, turn_id, person, opinion)
SELECT workspace, id, %(person)s, %(opinion)s FROM turns
WHERE workspace = %(workspace)s AND id = %(turn_id)s AND channel = %(channel)s
ON CONFLICT (workspace, turn_id, person) DO UPDATE SET opinion = excluded.opinion, given_at = clock_timestamp()
RETURNING 1
"""


async def sources(database: Database, place: Place, person: Person) -> Report:
    """The documents that the place can see."""
    words = words_in(person.language)
    lines = [_source(words, source) for source in await library.sources(database, place)]
    return Report(words.sources_title, pages(lines or [words.sources_none]))


async def gaps(database: Database, place: Place, person: Person) -> Report:
    """The questions that the documents did not answer."""
    words = words_in(person.language)
    lines = [_gap(words, gap) for gap in await library.gaps(database, place, limit=100)]
    return Report(words.gaps_title, pages(lines or [words.gaps_none]))


async def read(database: Database, place: Place, person: Person, answer_id: str) -> Report:
    """What was decided on the way to an answer of the place, and all that was read for it, each passage with its
    distance."""
    words = words_in(person.language)
    passages = await read_for(database, place, answer_id) if _is_id(answer_id) else []
    entries = [
        _passage(words, n, passage, caption)
        for n, (passage, caption) in enumerate(zip(passages, captions(passages, person.language), strict=True), 1)
    ]
    if entries and (decisions := await decided_for(database, place, answer_id)):
        steps = "\n".join(f"- {words.of_decision(decision)}" for decision in decisions)
        entries.insert(0, f"**{words.decided_title}**\n{steps}")
    return Report(words.read_title, pages(entries or [words.read_nothing]))


async def forget(database: Database, place: Place, person: Person, source: str) -> str:
    """Delete a document that the place can see; returns what there is to say."""
    words, name = words_in(person.language), code(_clipped(source, _NAME_CHARACTERS))
    if await library.forget(database, place, source):
        return words.forgotten.format(name=name)
    near = await source_names(database, place, source)
    hint = words.did_you_mean.format(names=", ".join(map(code, near[:5]))) if near else ""
    return f"{words.unknown_source.format(name=name)} {hint}".strip()


async def source_names(database: Database, place: Place, part: str) -> Sequence[str]:
    """At most 25 names of documents that hold `part`."""
    found = await library.sources(database, place)
    return [each.source for each in found if part.casefold() in each.source.casefold()][:_NAMES]


async def rate(database: Database, place: Place, person: Person, answer_id: str, opinion: Opinion) -> str:
    """Note what a person says of an answer; returns what there is to say."""
    words = words_in(person.language)
    values = {
        "workspace": place.workspace,
        "channel": place.channel,
        "turn_id": answer_id,
        "person": person.id,
        "opinion": opinion,
    }
    row = None
    if _is_id(answer_id):
        async with database.pool.connection() as connection:
            row = await (await connection.execute(_RATE, values)).fetchone()
    if row is None:
        return words.gone_answer
    return {"helpful": words.thanks, "unhelpful": words.sorry, "reported": words.reported}[opinion]


def code(text: str) -> str:
    """A name as inline code, in which nothing acts as Markdown."""
    return f"`{plain(' '.join(text.split())).replace('`', 'ˋ')}`"


def pages(entries: Iterable[str]) -> tuple[str, ...]:
    """Entries laid out over pages of at most PAGE_CHARACTERS."""
    found: list[str] = []
    for entry in entries:
        if found and len(found[-1]) + len(entry) + 2 <= PAGE_CHARACTERS:
            found[-1] += f"\n\n{entry}"
        else:
            found.append(entry)
    return tuple(found)


def counted(forms: tuple[str, str], n: int) -> str:
    """A number with its noun."""
    return forms[n != 1].format(n=n)


def _source(words: Words, source: library.Source) -> str:
    line = words.sources_line.format(
        pages="" if source.pages is None else f"{counted(words.pages, source.pages)} · ",
        chunks=counted(words.chunks, source.chunks),
        day=f"{source.updated_at:%Y-%m-%d}",
        scope=" · 🔒" if source.scope else "",
    )
    return f"**{code(_clipped(source.source, _NAME_CHARACTERS))}**\n{line}"


def _gap(words: Words, gap: library.Gap) -> str:
    line = words.gaps_line.format(
        times=gap.times, people=counted(words.gaps_people, gap.people), day=f"{gap.last_asked:%Y-%m-%d}"
    )
    told = f" · {words.gaps_reported.format(n=gap.reported)}" if gap.reported else ""
    told += f" · {words.gaps_unhelpful.format(n=gap.unhelpful)}" if gap.unhelpful else ""
    question = _clipped(" ".join(plain(gap.question).split()), _ENTRY_CHARACTERS // 2)
    return f"**{code(question)}**\n{line}{told}"


def _passage(words: Words, n: int, passage: Passage, caption: str) -> str:
    cited = f" · ✅ {words.read_cited}" if passage.cited else ""
    line = words.read_line.format(score=passage.score, distance=1 - passage.similarity)
    head = f"**{n}.** {code(_clipped(caption, _NAME_CHARACTERS))}\n{line}{cited}"
    text = " ".join(plain(passage.text).split())
    # As code: of what stands in a document nothing becomes a heading, a link or its preview.
    return f"{head}\n> {code(_clipped(text, _ENTRY_CHARACTERS - len(head) - 2))}"


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
