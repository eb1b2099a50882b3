"""The page of runs: it loads nothing, shows every run, and nothing in a name acts as markup."""

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kbot.errors import SettingsError
from kbot.evaluation.report import render, write_report
from kbot.evaluation.run import Run
from kbot.evaluation.trial import Outcome

HOSTILE = '</td><script src="http://evil.example/x.js">alert(1)</script>&'
VOID = {"meta"}


def made(name: str, hits: list[float], *, day: int, labelled: str = "dev", **configured: str) -> Run:
    at = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day)
    outcomes = tuple(
        Outcome(
            f"q{n}",
            "?",
            "en->en" if n % 2 else HOSTILE,
            True,
            {"hit@5": hit, "mrr@10": hit / 2, "faithfulness": 0.9, "total_ms": 20.0},
        )
        for n, hit in enumerate(hits)
    )
    made_of = {"set": f"{labelled}-1", "model": "extractive", "measured": "everything", **configured}
    return Run(f"{day}-id", "eval-x", name, labelled, made_of, at, at, outcomes)


class Balanced(HTMLParser):
    """Collects what is open, and every element that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing() -> None:
    runs = [
        made("first", [1.0, 0.0] * 20, day=1),
        made(HOSTILE, [1.0] * 40, day=2, fusion=HOSTILE),
        made("other", [1.0] * 4, day=3, labelled="own"),
    ]
    page = render(runs)
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    tags = {tag for tag, _ in parser.seen}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert not [attrs for _, attrs in parser.seen if {"src", "href"} & attrs.keys()]
    assert not re.search(r"@import|url\(", page)
    assert page.count("<section>") == 2, "sets stand apart"
    assert page.index("<h2>own ") < page.index("<h2>dev "), "the newest first"
    assert "was unset" in page, "what differs from the run before"


def test_the_chart_has_a_dot_a_run_within_its_frame() -> None:
    page = render([made(f"r{n}", [1.0, 0.0, n / 30] * 10, day=n) for n in range(30)])
    chart = ElementTree.fromstring(re.findall(r"<svg.*?</svg>", page, re.DOTALL)[0])
    _, _, width, height = map(float, chart.attrib["viewBox"].split())
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in chart.iter("circle")]
    assert len(dots) == 3 * 30
    assert all(0 < x < width and 0 < y < height for x, y in dots)
    assert [x for x, _ in dots[:30]] == sorted(x for x, _ in dots[:30])
    assert [y for _, y in dots[:30]] == sorted((y for _, y in dots[:30]), reverse=True), "better is higher"
    assert len({label.attrib["x"] for label in chart.iter("text") if label.attrib["text-anchor"] == "middle"}) <= 15


def test_a_change_is_called_what_it_is() -> None:
    before, after = made("a", [1.0] * 40, day=1), made("b", [0.0] * 20 + [1.0] * 20, day=2)
    page = render([before, after])
    assert "-0.500 since the run before: worse" in page
    assert "+0.000 since the run before: noise" in page
    assert "+0.500 since the run before: better" in render([after, made("c", [1.0] * 40, day=3)])


def test_it_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    page = write_report([], tmp_path / "a" / "b")
    assert "There is no run yet" in page.read_text(encoding="utf-8")
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="--out"):
        write_report([], tmp_path / "file")
