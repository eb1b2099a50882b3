"""The runs as one page of HTML: the trend of the headline numbers, and the newest run by subset. It loads nothing."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Literal

from kbot.errors import SettingsError
from kbot.evaluation.chart import Line, Mark, line_chart
from kbot.evaluation.comparison import Comparison, compare, differences, is_worse
from kbot.evaluation.measures import HEADLINES, Change, Estimate, Measure, measure_named
from kbot.evaluation.run import ALL, Run, figures, subsets

PAGE = "index.html"
_HEADLINE_TITLES = {"hit@5": "hit rate (hit@5)", "mrr@10": "MRR@10", "faithfulness": "faithfulness"}
_COLUMNS = (
    "hit@1",
    "hit@5",
    "mrr@10",
    "ndcg@10",
    "refused",
    "wrongly_refused",
    "citation_right",
    "claims_uncited",
    "f1",
    "faithfulness",
    "total_ms_p50",
    "model_calls",
)


def write_report(runs: Sequence[Run], folder: Path) -> Path:
    """Write the page of all runs, oldest first, into a folder; returns where it stands. Raises SettingsError."""
    path = folder / PAGE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(render(runs), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}). Name another folder with --out.") from error
    return path


def render(runs: Sequence[Run]) -> str:
    """The page. Runs of one labelled set stand in one section: figures of different sets say nothing of each other."""
    sections: dict[str, list[Run]] = {}
    for run in runs:
        sections.setdefault(str(run.configuration.get("set", run.labelled)), []).append(run)
    newest_first = sorted(sections.values(), key=lambda group: group[-1].started_at, reverse=True)
    body = "\n".join(_section(group) for group in newest_first)
    style = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>kbot: evaluation</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        '<h1>kbot <span class="quiet">evaluation</span></h1>\n'
        f"{body or _NOTHING}\n</main>\n</body>\n</html>\n"
    )


_NOTHING = "<p>There is no run yet: <code>kbot eval run --passages … --questions …</code></p>"


def _section(runs: Sequence[Run]) -> str:
    newest = runs[-1]
    before = _comparable(runs)
    found = {run.id: figures(run.outcomes, _COLUMNS) for run in runs}
    about = f"{len(newest.outcomes)} questions · set {escape(_of(newest, 'set'))}"
    return "\n".join(
        [
            f'<section>\n<h2>{escape(newest.labelled)} <span class="quiet">{about}</span></h2>',
            _cards(found[newest.id], compare(before, newest) if before else None),
            _trend(runs, found),
            _runs_table(runs, found),
            f'<h3>{escape(newest.name)} <span class="quiet">by subset, with 95 % intervals</span></h3>',
            _subset_table(newest),
            _configuration_table(newest, before),
            "</section>",
        ]
    )


def _comparable(runs: Sequence[Run]) -> Run | None:
    """The run before the newest that measured as much as it did."""
    newest = runs[-1]
    alike = [run for run in runs[:-1] if run.configuration.get("measured") == newest.configuration.get("measured")]
    return alike[-1] if alike else None


def _cards(found: Mapping[str, Estimate], comparison: Comparison | None) -> str:
    cards: list[str] = []
    for tone, name in enumerate(HEADLINES):
        figure = found.get(name)
        value = f"{figure.value:.3f}" if figure else "–"
        spread = f"{figure.low:.3f} to {figure.high:.3f}, n = {figure.n}" if figure else "not measured in this run"
        changed = comparison.changes[ALL].get(name) if comparison else None
        cards.append(
            f'<div class="card tone{tone}"><div class="name">{escape(_HEADLINE_TITLES[name])}</div>'
            f'<div class="value">{value}</div><div class="quiet">{spread}</div>{_changed(name, changed)}</div>'
        )
    return f'<div class="cards">{"".join(cards)}</div>'


def _changed(name: str, found: Change | None) -> str:
    if found is None:
        return ""
    verdict, kind = _verdict(measure_named(name), found)
    return f'<div class="{kind}">{found.difference:+.3f} since the run before: {verdict}</div>'


def _verdict(measure: Measure, found: Change) -> tuple[str, Literal["quiet", "worse", "improved"]]:
    if found.noise:
        return "noise", "quiet"
    return ("worse", "worse") if is_worse(measure, found) else ("better", "improved")


def _trend(runs: Sequence[Run], found: Mapping[str, Mapping[str, Estimate]]) -> str:
    lines = [
        Line(_HEADLINE_TITLES[name], tone, tuple(_marks(runs, found, name))) for tone, name in enumerate(HEADLINES)
    ]
    legend = "".join(f'<span class="key tone{line.tone}">{escape(line.name)}</span>' for line in lines if line.marks)
    chart = line_chart("Hit rate, MRR and faithfulness over the runs", lines, [run.name for run in runs])
    return f'<figure>{chart}<figcaption>{legend}<span class="quiet">bands: 95 % intervals</span></figcaption></figure>'


def _marks(runs: Sequence[Run], found: Mapping[str, Mapping[str, Estimate]], name: str) -> list[Mark]:
    return [
        Mark(
            x,
            figure.value,
            figure.low,
            figure.high,
            f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f}), {run.name}",
        )
        for x, run in enumerate(runs)
        if (figure := found[run.id].get(name))
    ]


def _runs_table(runs: Sequence[Run], found: Mapping[str, Mapping[str, Estimate]]) -> str:
    shown = [name for name in _COLUMNS if any(name in found[run.id] for run in runs)]
    head = "<th>run</th><th>when</th><th>model</th>" + "".join(map(_heading, shown))
    rows = [
        f"<tr><td>{escape(run.name)}</td><td>{run.started_at:%Y-%m-%d %H:%M}</td><td>{escape(_of(run, 'model'))}</td>"
        f"{''.join(_cell(name, found[run.id].get(name)) for name in shown)}</tr>"
        for run in reversed(runs)
    ]
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _subset_table(run: Run) -> str:
    groups = {kind: (len(group), figures(group, _COLUMNS)) for kind, group in subsets(run.outcomes).items()}
    shown = [name for name in _COLUMNS if any(name in found for _, found in groups.values())]
    head = '<th>subset</th><th class="n">n</th>' + "".join(map(_heading, shown))
    rows = [
        f'<tr{" class=total" if kind == ALL else ""}><td>{escape(kind)}</td><td class="n">{size}</td>'
        f"{''.join(_cell(name, found.get(name)) for name in shown)}</tr>"
        for kind, (size, found) in groups.items()
    ]
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _heading(name: str) -> str:
    return f'<th class="n" title="{escape(measure_named(name).title)}">{escape(name.replace("_", " "))}</th>'


def _cell(name: str, figure: Estimate | None) -> str:
    """A figure with its interval on a ground whose depth says how good it is, for shares; seconds have none."""
    if figure is None:
        return '<td class="n quiet">–</td>'
    measure = measure_named(name)
    share = name != "model_calls" and measure.quantile is None
    digits = 3 if share else 1
    good = figure.value if measure.better == "higher" else 1 - figure.value
    ground = f' style="--good:{max(0.0, min(good, 1.0)):.3f}"' if share else ""
    spread = f"{figure.low:.{digits}f} to {figure.high:.{digits}f}, n = {figure.n}"
    return (
        f'<td class="n{" share" if share else ""}"{ground} title="{spread}">{figure.value:.{digits}f}'
        f"<small>{figure.low:.{digits}f}–{figure.high:.{digits}f}</small></td>"
    )


def _configuration_table(run: Run, before: Run | None) -> str:
    changed = {each.name: each.before for each in differences(before, run)} if before else {}
    rows = [
        f"<tr><td>{escape(name.replace('_', ' '))}</td><td>{escape(str(value))}"
        f"{_was(changed[name]) if name in changed else ''}</td></tr>"
        for name, value in run.configuration.items()
    ]
    table = f"<table><tbody>{''.join(rows)}</tbody></table>"
    return f"<details><summary>configuration</summary>{table}</details>"


def _was(value: str) -> str:
    return f' <span class="changed">was {escape(value or "unset")}</span>'


def _of(run: Run, name: str) -> str:
    return str(run.configuration.get(name, ""))
