"""The options of `kbot eval`; what its commands do stands in `kbot.commands.evaluating`, which takes longer to load."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Literal, cast

import typer
from rich.console import Console

from kbot.characters import storable
from kbot.settings import Settings

Command = Callable[[Settings, Console, Console], Coroutine[object, object, int]]
"""What is done with the settings, standard output and standard error; returns the exit code."""

evaluation_app = typer.Typer(no_args_is_help=True, help="Measure how well kbot finds, cites and refuses.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Passages = Annotated[
    Path, typer.Option(help="What the questions are asked of: a file of passages (.jsonl), or documents.")
]
Questions = Annotated[Path, typer.Option(help="The labelled questions (.jsonl).")]
Limit = Annotated[
    int, typer.Option(min=0, help="At most so many questions, the same each time, over all subsets; 0: all.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Ingest again what an earlier run ingested.")]
Metric = Annotated[list[str], typer.Option(help="A measure to look at, by its name; may be given more than once.")]


@evaluation_app.command()
def run(
    context: typer.Context,
    passages: Passages,
    questions: Questions,
    limit: Limit = 0,
    name: Annotated[
        str, typer.Option(help="What to call the run; unset, the set and the time.", callback=storable)
    ] = "",
    only: Annotated[
        Literal["everything", "retrieval"], typer.Option(help="retrieval: search alone, and no model.")
    ] = "everything",
    e2e: Annotated[bool, typer.Option("--e2e", help="Only questions marked for whole answers.")] = False,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Put labelled questions to kbot as it is configured, show the figures and keep them."""
    from kbot.commands import asked, evaluating

    wanted = asked.Asked(passages, questions, limit or None, fresh=fresh, e2e=e2e)
    _serve(
        context,
        lambda settings, out, err: evaluating.run(
            settings, wanted, name=name, only=only, as_json=as_json, out=out, err=err
        ),
    )


@evaluation_app.command()
def runs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the runs that were kept, newest first."""
    from kbot.commands import evaluating

    _serve(context, lambda settings, out, _: evaluating.runs(settings, as_json=as_json, out=out))


@evaluation_app.command()
def compare(
    context: typer.Context,
    before: Annotated[str, typer.Argument(help="A run, by its name, the beginning of its id, or its file (.json).")],
    after: Annotated[str, typer.Argument(help="The run that is compared with it.")],
    as_json: AsJson = False,
) -> None:
    """Say what changed from one run to another, whether it is more than noise, and what differs in their making."""
    from kbot.commands import evaluating

    _serve(context, lambda settings, out, _: evaluating.compare(settings, before, after, as_json=as_json, out=out))


@evaluation_app.command()
def gate(
    context: typer.Context,
    baseline: Annotated[str, typer.Option(help="The run not to fall behind, by name, id or file (.json).")],
    run: Annotated[str, typer.Option(help="The run that is judged; unset, the newest of the baseline's set.")] = "",
    metric: Metric = [],  # noqa: B006  # typer reads the default and makes a list of its own
    as_json: AsJson = False,
) -> None:
    """End with 1 if a run is worse than another, beyond noise, by any of the measures: for CI."""
    from kbot.commands import evaluating

    _serve(
        context,
        lambda settings, out, err: evaluating.gate(settings, baseline, run, metric, as_json=as_json, out=out, err=err),
    )


@evaluation_app.command()
def report(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="The folder that gets the page.")],
) -> None:
    """Write all runs as one page of HTML that loads nothing: trends, and the newest run by subset."""
    from kbot.commands import evaluating

    _serve(context, lambda settings, console, _: evaluating.report(settings, out, console=console))


@evaluation_app.command()
def calibrate(
    context: typer.Context,
    passages: Annotated[Path | None, typer.Option(help="As for run; required unless --reset is given.")] = None,
    questions: Annotated[Path | None, typer.Option(help="As for run; required unless --reset is given.")] = None,
    limit: Limit = 0,
    most: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of answerable questions that may be refused.")
    ] = 0.05,
    workspace: Annotated[
        str, typer.Option(help="The tenant whose questions are refused by it; unset, all.", callback=storable)
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the cut, and change nothing.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Keep the cut though the questions are few, or it is no better.")
    ] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Drop what was kept, and choose nothing.")] = False,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Choose, from labelled questions, where the embedder's evidence is too thin to ask a model, and keep it."""
    from kbot.commands import asked, calibrating

    if reset:
        _serve(context, lambda settings, out, _: calibrating.reset(settings, workspace, as_json=as_json, out=out))
        return
    if passages is None or questions is None:
        missing = "--passages" if passages is None else "--questions"
        raise typer.BadParameter("A cut is chosen from labelled questions: name them.", param_hint=missing)
    wanted = asked.Asked(passages, questions, limit or None, fresh=fresh, e2e=False)
    _serve(
        context,
        lambda settings, out, err: calibrating.calibrate(
            settings,
            wanted,
            most=most,
            workspace=workspace,
            store=not dry_run,
            force=force,
            as_json=as_json,
            out=out,
            err=err,
        ),
    )


@evaluation_app.command()
def clean(
    context: typer.Context,
    runs: Annotated[bool, typer.Option("--runs", help="Delete the runs too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what there is, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete the documents that runs were asked of, and say what that frees; the runs stay, unless --runs is given."""
    from kbot.commands import evaluating

    _serve(
        context,
        lambda settings, out, _: evaluating.clean(settings, runs=runs, delete=not dry_run, as_json=as_json, out=out),
    )


@evaluation_app.command()
def export(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="The file of labelled questions to write.")],
    workspace: Annotated[
        str, typer.Option(help="The tenant whose questions are meant.", callback=storable)
    ] = "default",
    private: Annotated[bool, typer.Option("--private", help="Also what was asked in private.")] = False,
) -> None:
    """Write what people asked and judged, and what the documents did not answer, as labelled questions."""
    from kbot.commands import evaluating

    _serve(
        context,
        lambda settings, console, _: evaluating.export(settings, out, workspace, private=private, console=console),
    )


def _serve(context: typer.Context, command: Command) -> None:
    # Set by kbot.cli, which this module lies below.
    cast(Callable[[Command], None], context.obj)(command)
