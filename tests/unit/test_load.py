"""The process that parses: warm between files, within limits of time and memory, replaced when it fails."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest

from fakes.documents import docx, line, pdf
from kbot.errors import Rejected
from kbot.ingestion.load import ParseLimits, Parser, load

LIMITS = ParseLimits(max_bytes=20_000_000, seconds=20, megabytes=512)


@pytest.fixture
async def parser() -> AsyncGenerator[Parser]:
    async with Parser(LIMITS) as parser:
        yield parser


def children() -> set[int]:
    found: set[int] = set()
    for child in psutil.Process().children():
        try:
            if "kbot.ingestion.worker" in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                found.add(child.pid)
        except psutil.NoSuchProcess:
            continue
    return found


async def test_one_child_reads_many_small_files_fast(tmp_path: Path, parser: Parser) -> None:
    paths = [tmp_path / f"nota {number}.txt" for number in range(150)]
    for path in paths:
        path.write_text("São notas pequenas.", encoding="utf-8")
    await parser.load(paths[0])
    before = children()
    start = time.perf_counter()
    results = [await parser.load(path) for path in paths]
    took = time.perf_counter() - start
    assert children() == before
    assert [result.title for result in results] == [path.stem for path in paths]
    assert took / len(paths) < 0.05  # about 1 ms on an idle machine


async def test_child_is_replaced_after_its_share_and_gone_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("text")
    outside = children()
    seen: set[int] = set()
    async with Parser(LIMITS, files=2) as parser:
        for _ in range(5):
            await parser.load(path)
            seen |= children() - outside
    assert children() == outside
    assert len(seen) in (2, 3)


async def test_name_is_the_senders_and_in_one_form(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes(b"a;b\n1;2")
    result = await load(path, name="Relato\u0301rio – 日本.csv", limits=LIMITS)
    assert (result.title, result.media_type) == ("Relat\u00f3rio – 日本", "text/csv")


async def test_size_and_kind_are_checked_before_reading(tmp_path: Path, parser: Parser) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(30_000_000)
    outside = children()
    for path, words in (
        (large, "30.0 MB, more than the 20 MB"),
        (tmp_path, "not a file"),
        (tmp_path / "no", "cannot be opened"),
    ):
        with pytest.raises(Rejected, match=words):
            await parser.load(path)
    assert children() == outside


async def test_text_beyond_the_limit_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("word " * 1000)
    with pytest.raises(Rejected, match="more than 1,000 characters"):
        await load(path, limits=ParseLimits(10_000, 5, 512, characters=1000))


async def test_page_that_takes_all_memory(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(pdf(line(10, 10, b"a") * 1_500_000))
    good = tmp_path / "good.txt"
    good.write_text("still here")
    assert bomb.stat().st_size < 300_000
    async with Parser(ParseLimits(10**6, 20, 256)) as parser:
        with pytest.raises(Rejected, match="256 MB of memory"):
            await parser.load(bomb)
        assert (await parser.load(good)).pages[0].text == "still here"


async def test_python_out_of_memory_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("não é\n".encode("latin-1") * 9_000_000)
    with pytest.raises(Rejected, match="more than 128 MB of memory"):
        await load(path, limits=ParseLimits(10**9, 20, 128))


async def test_file_that_takes_too_long(tmp_path: Path) -> None:
    path = tmp_path / "slow.html"
    path.write_bytes(b"<html><body>" + b"<p>abc <b>def</b></p>" * 300_000)
    before = time.perf_counter()
    outside = children()
    with pytest.raises(Rejected, match=r"longer than 1 s.*KBOT_PARSE_SECONDS"):
        await load(path, limits=ParseLimits(10**9, 1, 1024))
    assert time.perf_counter() - before < 10
    assert children() == outside


async def test_parser_that_breaks_is_named_and_replaced(tmp_path: Path, parser: Parser) -> None:
    broken = tmp_path / "broken.docx"
    broken.write_bytes(docx("<w:p"))
    with pytest.raises(Rejected, match=r"damaged.*\(ExpatError\)|damaged.*\(SAXParseException\)"):
        await parser.load(broken)
    good = tmp_path / "good.md"
    good.write_text("# Fine")
    assert (await parser.load(good)).title == "Fine"


async def test_child_killed_from_outside(tmp_path: Path, parser: Parser) -> None:
    slow, good = tmp_path / "slow.html", tmp_path / "good.txt"
    slow.write_bytes(b"<html><body>" + b"<p>abc <b>def</b></p>" * 300_000)
    good.write_text("good")
    outside = children()
    await parser.load(good)
    (child,) = children() - outside
    loading = asyncio.create_task(parser.load(slow))
    await asyncio.sleep(0.3)
    os.kill(child, signal.SIGKILL)
    with pytest.raises(Rejected, match="stopped from outside"):
        await loading
    await parser.load(good)
    (idle,) = children() - outside
    os.kill(idle, signal.SIGKILL)
    await asyncio.sleep(0.2)
    assert (await parser.load(good)).pages[0].text == "good"


async def test_cancelling_kills_the_child_and_the_loop_goes_on(tmp_path: Path, parser: Parser) -> None:
    slow = tmp_path / "slow.html"
    slow.write_bytes(b"<html><body>" + b"<p>abc <b>def</b></p>" * 300_000)
    outside = children()
    loading = asyncio.create_task(parser.load(slow))
    longest = 0.0
    for _ in range(50):
        before = time.perf_counter()
        await asyncio.sleep(0.01)
        longest = max(longest, time.perf_counter() - before)
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert children() == outside
    assert longest < 0.5
