"""Long answers in Discord, and fast ones: whole, well formed, and never a reason to wait for who writes them."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator

import pytest
from conformance import GROUNDED
from test_discord_adapter import Channel, reading

from kbot.chat import Answer
from kbot.live_reply import LiveReply, Pacer
from kbot_discord.rendering import TEXT

FAMILY, FLAG, WAVE = "👩‍👩‍👧‍👦", "🇧🇷", "👋🏽"
FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*(.*)")
HEAD, RULE = "| nome | 数 | estado |", "| --- | ---: | :---: |"


@pytest.fixture
async def reader() -> AsyncGenerator[Channel]:
    async with reading() as channel:
        yield channel


def answer(characters: int) -> str:
    """Headings, prose of two scripts, emoji of several code points, a table, and a fence within a fence; every line
    that is no mark of these has a number of its own."""
    parts: list[str] = []
    number = 0

    def line(text: str) -> str:
        nonlocal number
        number += 1
        return text.replace("#", f"n{number:04}")

    while sum(len(part) + 2 for part in parts) < characters:
        parts += [
            line("## Título #"),
            line(f"Parágrafo # com **negrito**, {FAMILY}{FLAG}{WAVE} e uma frase longa o bastante."),
            line("第#段落。これは長い日本語の文章で、空白がありません。" + "図書館は日曜日も開いています。" * 4),
            "\n".join([HEAD, RULE, *(line(f"| linha # | {n} | {FAMILY} |") for n in range(8))]),
            "\n".join(
                [
                    "````markdown",
                    line("texto #"),
                    "```python",
                    *(line(f'print("#", {n}, "{FLAG}")') for n in range(12)),
                    "```",
                    line("mais # no fim"),
                    "````",
                ]
            ),
        ]
    return "\n\n".join(parts)


def open_fence(text: str) -> str:
    """The mark of the fence that a text leaves open, by CommonMark's rules; "" if there is none."""
    mark = ""
    for line in text.split("\n"):
        if found := FENCE.fullmatch(line):
            if not mark:
                mark = found[1]
            elif found[1][0] == mark[0] and len(found[1]) >= len(mark) and not found[2].strip():
                mark = ""
    return mark


def told(text: str) -> list[str]:
    """The lines of a text without what a cut repeats: marks of fences, heads of tables."""
    lines = [line.strip() for line in text.split("\n")]
    return [line for line in lines if line and not FENCE.fullmatch(line) and line not in (HEAD, RULE)]


async def test_twelve_thousand_characters_arrive_whole_and_well_formed(reader: Channel) -> None:
    text = answer(12_000)
    assert not open_fence(text)
    async with LiveReply(reader.adapter, reader.place, pacer=Pacer(0.5)) as reply:
        for start in range(0, len(text), 40):
            reply.write(text[start : start + 40])
            await asyncio.sleep(0.005)
        reply.finish(
            text, Answer("férias?", text, grounded=True, refused=False, citations=GROUNDED.citations, language="pt")
        )
    shown = reader.world.replies_of_bot(reader.channel)
    assert all(len(seen.text) <= TEXT for seen in shown)
    assert [open_fence(seen.text) for seen in shown] == [""] * len(shown)
    (file,) = [tail for seen in shown for name, tail in reader.world.files(seen).items() if name == "answer.md"]
    assert not open_fence(file)
    (sources,) = [seen for seen in shown if seen.sources]
    assert sources.id in {seen.id for seen in shown[2:4]}
    messages = [seen.text.split("\n\n**Fontes**")[0] for seen in shown[:3]]
    assert told("\n".join([*messages, file])) == told(text)
    whole = "".join([*messages, file])
    for cluster in (FAMILY, FLAG, WAVE):
        assert whole.count(cluster) == text.count(cluster)
    for view in (view for seen in shown for view in reader.world.views(seen)):
        assert not open_fence(view.text or "")


async def test_a_writer_is_never_slowed_by_edits(reader: Channel) -> None:
    tokens = [f"palavra{n} " for n in range(400)]

    async def write(reply: LiveReply | None) -> float:
        begun = time.perf_counter()
        for token in tokens:
            if reply:
                reply.write(token)
            await asyncio.sleep(1 / 200)
        return time.perf_counter() - begun

    alone = await write(None)
    async with LiveReply(reader.adapter, reader.place, pacer=Pacer(reader.adapter.limits.interval)) as reply:
        answering = await write(reply)
    assert answering < 1.5 * alone
    assert reader.world.traffic.times("edit message")
    assert [word for text in reader.texts for word in text.split()] == "".join(tokens).split()
