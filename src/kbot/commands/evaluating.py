"""What the commands of `kbot eval` do."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from rich.console import Console

from kbot.commands import eval_tables
from kbot.commands.asked import Asked, progress, read_asked, shelve_asked
from kbot.commands.printing import shown, shown_line
from kbot.database import open_database
from kbot.engine import Engine
from kbot.errors import SettingsError
from kbot.evaluation import cleaning, ledger
from kbot.evaluation.comparison import Comparison, gated_measures, regressions
from kbot.evaluation.comparison import compare as compare_runs
from kbot.evaluation.exported import SUFFIX, read_run
from kbot.evaluation.harvest import labelled_rows
from kbot.evaluation.judge import model_judge, words_judge
from kbot.evaluation.labelled import write_questions
from kbot.evaluation.measures import MEASURES, Measure, measure_named
from kbot.evaluation.report import write_report
from kbot.evaluation.run import ALL, Run, configuration, evaluate
from kbot.evaluation.shapes import change_shape, comparison_shape, run_shape
from kbot.evaluation.trial import Only
from kbot.settings import Settings


async def run(
    settings: Settings, asked: Asked, *, name: str, only: Only, as_json: bool, out: Console, err: Console
) -> int:
    """Measure, keep and show."""
    corpus, labelled, questions = read_asked(asked, err)
    async with Engine.open(settings) as engine:
        err.print(shown(engine.chat.why, "dim"))
        by_model = engine.chat.writes and only == "everything"
        judge = (
            model_judge(engine.chat, engine.embedder, timeout=settings.model_timeout)
            if by_model
            else words_judge(engine.embedder)
        )
        with progress(err) as bar:
            workspace = await shelve_asked(engine, corpus, questions, bar, fresh=asked.fresh)
            task = bar.add_task("questions", total=len(questions))
            found = await evaluate(
                engine,
                workspace,
                questions,
                judge,
                lambda done, _: bar.update(task, completed=done),
                name=name or f"{labelled.name}-{datetime.now().astimezone():%Y%m%d-%H%M%S}",
                labelled=labelled.name,
                configured=await configuration(engine, corpus, questions, judge, only),
                only=only,
            )
        await ledger.keep(engine.database, found)
    if as_json:
        print(json.dumps(run_shape(found), ensure_ascii=False))
    else:
        for table in eval_tables.run_tables(found):
            out.print(table)
        out.print(shown_line(f"Kept as {found.name} ({found.id[:8]})."))
    return 0


async def runs(settings: Settings, *, as_json: bool, out: Console) -> int:
    """List the runs."""
    async with open_database(settings) as database:
        found = await ledger.kept_runs(database)
    for each in reversed(found) if as_json else ():
        print(json.dumps(run_shape(each), ensure_ascii=False))
    if not as_json:
        out.print(eval_tables.runs_table(found) if found else "No run was kept yet: kbot eval run")
    return 0


async def compare(settings: Settings, before: str, after: str, *, as_json: bool, out: Console) -> int:
    """Show what changed."""
    found = compare_runs(*await _named(settings, before, after))
    if as_json:
        print(json.dumps(comparison_shape(found), ensure_ascii=False))
    else:
        for table in eval_tables.comparison_tables(found):
            out.print(table)
    return 0


async def gate(
    settings: Settings, baseline: str, named: str, metrics: Sequence[str], *, as_json: bool, out: Console, err: Console
) -> int:
    """Judge a run; exit code 1 if it is worse than the baseline."""
    measures = _measures(metrics)
    before, after = await _named(settings, baseline, named)
    if after.id == before.id:
        raise SettingsError(f"{before.name!r} would be judged by itself: run `kbot eval run`, then the gate.")
    found = compare_runs(before, after)
    missing = [each for each in metrics if each not in found.changes[ALL]]
    if missing:
        raise SettingsError(f"The two runs did not both measure {', '.join(missing)}. Name other measures.")
    _tell_of_others(found, err)
    worse = regressions(found, measures)
    if as_json:
        shape = {
            "passed": not worse,
            "baseline": before.id,
            "run": after.id,
            "questions": found.n,
            "regressions": {measure.name: change_shape(measure, change) for measure, change in worse},
        }
        print(json.dumps(shape, ensure_ascii=False))
        return int(bool(worse))
    for measure, change in worse:
        line = f"✗ {measure.name}: {change.before:.3f} → {change.after:.3f} ({change.low:+.3f} to {change.high:+.3f})"
        out.print(shown_line(line, "red"))
    verdict = "is worse than" if worse else "does not fall behind"
    out.print(shown_line(f"{after.name} {verdict} {before.name} ({found.n} questions)."))
    return int(bool(worse))


async def report(settings: Settings, folder: Path, *, console: Console) -> int:
    """Write the page."""
    async with open_database(settings) as database:
        found = await ledger.kept_runs(database)
    console.print(shown_line(f"{write_report(found, folder)}: {len(found)} {'run' if len(found) == 1 else 'runs'}"))
    return 0


async def clean(settings: Settings, *, runs: bool, delete: bool, as_json: bool, out: Console) -> int:
    """Delete what runs were asked of, and the runs if wanted; or say what there is."""
    async with open_database(settings) as database:
        found = await cleaning.clean(database, runs=runs) if delete else await cleaning.held(database)
    if as_json:
        gone = asdict(found) | {"runs": found.runs if runs else 0}
        print(json.dumps({**gone, "deleted": delete}))
        return 0
    holding = f"{found.workspaces} {'workspace' if found.workspaces == 1 else 'workspaces'} of evaluations"
    holding += f" with {found.documents} documents and {found.passages} passages, {found.megabytes:g} MB"
    kept = f"{found.runs} {'run' if found.runs == 1 else 'runs'}"
    if delete:
        out.print(f"Deleted: {holding}{f', and {kept}' if runs else f'. Kept: {kept}'}.")
    else:
        out.print(
            f"To be deleted: {holding}{f', and {kept}' if runs else f'. To be kept: {kept}'}. Nothing was changed."
        )
    return 0


async def export(settings: Settings, path: Path, workspace: str, *, private: bool, console: Console) -> int:
    """Write a team's own questions."""
    async with open_database(settings) as database:
        rows = await labelled_rows(database, workspace, private=private)
    written = write_questions(path, rows)
    open_ones = sum(row["answerable"] is None for row in rows)
    asked = f"{written} {'question' if written == 1 else 'questions'}"
    console.print(shown_line(f"{path}: {asked}, {open_ones} to be labelled by hand"))
    if gaps := sum(row["answerable"] is False for row in rows):
        console.print(
            shown_line(f"{gaps} were refused and count as unanswerable: look them through, a refusal may be wrong.")
        )
    return 0


async def _named(settings: Settings, before: str, after: str) -> tuple[Run, Run]:
    """Two runs by their names, or their files, which need no database; unset, the second is the newest of the first
    one's set."""
    earlier, later = (read_run(Path(each)) if each.endswith(SUFFIX) else None for each in (before, after))
    if earlier and later:
        return earlier, later
    async with open_database(settings) as database:
        earlier = earlier or await ledger.find_run(database, before)
        if not after:
            later = await ledger.newest_run(database, earlier.labelled)
            if later is None:
                raise SettingsError(f"No run of {earlier.labelled} was kept here yet: run `kbot eval run`, then this.")
        return earlier, later or await ledger.find_run(database, after)


def _measures(names: Sequence[str]) -> Sequence[Measure]:
    try:
        return [measure_named(name) for name in names] or gated_measures()
    except KeyError as error:
        known = ", ".join(measure.name for measure in MEASURES)
        raise SettingsError(f"There is no measure {error}. There are {known}.") from None


def _tell_of_others(found: Comparison, err: Console) -> None:
    if any(each.name == "set" for each in found.differences):
        told = "Questions, labels or documents are not those that the baseline was measured on; if they are to be, make"
        err.print(shown(f"{told} the baseline anew.", "yellow"), soft_wrap=True)
    if found.before_only or found.after_only:
        err.print(
            shown(
                f"{found.before_only + found.after_only} questions were put in one run alone, and count for nothing.",
                "yellow",
            )
        )
