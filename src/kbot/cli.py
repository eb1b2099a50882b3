"""The command `kbot`. It builds the settings once, opens what a command needs, and prints."""

import asyncio
import difflib
import logging
import os
import sys
import uuid
from collections.abc import Coroutine
from importlib.metadata import entry_points, version
from typing import Annotated

import typer
from pydantic import ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource
from rich.console import Console

from kbot.characters import storable
from kbot.chat import Place
from kbot.chat.settings import faults
from kbot.commands.evaluation_app import Command, evaluation_app
from kbot.errors import KbotError, SettingsError
from kbot.logs import show_logs
from kbot.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
for console in (out, err):
    if not console.is_terminal:
        console.width = 10_000  # what reads a pipe gets whole lines; only a screen has an edge

# Settings of adapters and tests, which read them themselves.
_OTHERS = ("slack", "discord", "web", "test")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]


Workspace = Annotated[str, typer.Option(help="The tenant whose documents are meant.", callback=storable)]
Channel = Annotated[
    str, typer.Option(help="The conversation: its history, and what was ingested for it alone.", callback=storable)
]


def _show_version(asked: bool) -> None:
    if asked:
        print(f"kbot {version('kbot')}")
        raise typer.Exit


@app.callback()
def configure(
    context: typer.Context,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens to standard error.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Answers from your team's documents, with sources and pages, or an honest no."""
    # A person at a terminal is told in words by the command itself; a warning beside them would say it twice.
    serving = context.invoked_subcommand == "run"
    told = err.is_terminal and not serving
    show_logs(verbose=verbose, serving=serving, level=logging.ERROR if told else logging.WARNING)
    context.obj = _serve


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads one a line from standard input.")],
    as_json: AsJson = False,
    workspace: Workspace = "default",
    channel: Channel = "",
    thread: Annotated[
        str, typer.Option(help="A thread of the channel: a conversation of its own.", callback=storable)
    ] = "",
) -> None:
    """Answer a question, or one question a line; without --channel each stands alone."""
    from kbot.commands import asking

    if thread and not channel:
        raise typer.BadParameter("A thread is part of a channel: add --channel.", param_hint="--thread")
    if as_json or question == "-":
        place = Place(workspace, channel, thread or None)
        _run(asking.ask_as_json(_settings(), question, place, err=err))
    else:
        _run(asking.ask(_settings(), question, _conversation(workspace, channel, thread), out=out, err=err))


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="The question; - reads one a line from standard input.")],
    as_json: AsJson = False,
    k: Annotated[int, typer.Option(min=1, max=100, help="How many passages.")] = 8,
    workspace: Workspace = "default",
    channel: Channel = "",
) -> None:
    """Show the passages for a question, with their evidence; no model is asked."""
    from kbot.commands import asking

    place = Place(workspace, channel)
    _run(asking.search(_settings(), question, place, k=k, as_json=as_json, out=out, err=err))


@app.command()
def ingest(
    what: Annotated[list[str], typer.Argument(help="Files, folders and http addresses.")],
    as_json: AsJson = False,
    workspace: Workspace = "default",
    channel: Annotated[
        str, typer.Option(help="Only this channel may see them; unset, the whole workspace.", callback=storable)
    ] = "",
) -> None:
    """Add documents, or replace those of the same name; prints a receipt for each, exit 1 if any was rejected."""
    from kbot.commands import documents

    _run(documents.ingest(_settings(), what, Place(workspace, channel), as_json=as_json, out=out, err=err))


@app.command()
def sources(as_json: AsJson = False, workspace: Workspace = "default") -> None:
    """List the documents."""
    from kbot.commands import documents

    _run(documents.sources(_settings(), Place(workspace, ""), as_json=as_json, out=out))


@app.command()
def forget(
    name: Annotated[str, typer.Argument(help="The document's name, as `kbot sources` shows it.", callback=storable)],
    workspace: Workspace = "default",
    channel: Annotated[
        str, typer.Option(help="The channel it was ingested for, if for one alone.", callback=storable)
    ] = "",
) -> None:
    """Delete a document; nothing answers from it any more."""
    from kbot.commands import documents

    _run(documents.forget(_settings(), Place(workspace, channel), name, out=out, err=err))


@app.command()
def gaps(
    as_json: AsJson = False,
    workspace: Workspace = "default",
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 50,
) -> None:
    """What people asked and the documents did not answer, most asked first."""
    from kbot.commands import documents

    _run(documents.gaps(_settings(), Place(workspace, ""), limit=limit, as_json=as_json, out=out))


@app.command()
def reindex(
    workspace: Annotated[str, typer.Option(help="One workspace; unset, all.")] = "",
) -> None:
    """Cut and embed all documents anew, after KBOT_EMBEDDING_MODEL, KBOT_RERANKER or the chunking changed."""
    from kbot.commands import documents

    _run(documents.reindex(_settings(), workspace, out=out, err=err))


@app.command()
def migrate() -> None:
    """Bring the database's tables up to date; every other command does so at its start."""
    from kbot.commands import operating

    _run(operating.migrate(_settings(), out=out))


@app.command()
def doctor(
    as_json: AsJson = False,
    quick: Annotated[bool, typer.Option(help="Database and models only, in a second: for health checks.")] = False,
) -> None:
    """Check the database, the embedder, the index, the chat model, the disk and the adapters, and say what to do about
    what does not work; exit 1 then."""
    from kbot.commands import operating

    _run(operating.doctor(_settings(), quick=quick, as_json=as_json, out=out))


@app.command()
def chat(workspace: Workspace = "default", channel: Channel = "") -> None:
    """Talk to kbot in this terminal."""
    from kbot.commands import talking

    _run(talking.chat(_settings(), _conversation(workspace, channel), out=out, err=err))


@app.command()
def run(
    adapters: Annotated[list[str], typer.Argument(help="Adapters, by name: terminal, and those installed.")],
) -> None:
    """Serve one or more adapters until stopped."""
    from kbot.commands import talking

    _run(talking.serve(_settings(), adapters, err=err))


@app.command()
def demo() -> None:
    """Ingest a few real documents and answer questions from them, with no account, key or server."""
    from kbot.commands import talking

    _run(talking.demo(_settings(), out=out, err=err))


app.add_typer(evaluation_app, name="eval")


def main() -> None:
    """The command's entry point."""
    _add_commands()
    try:
        app()
    except KeyboardInterrupt:  # before a command has begun
        sys.exit(130)


def _add_commands() -> None:
    """Add what adapters bring, unless one of kbot's own commands is asked for: finding them takes a while."""
    own = {command.callback.__name__ for command in app.registered_commands if command.callback} | {"eval"}
    asked = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    if asked not in own:
        for found in entry_points(group="kbot.commands"):
            app.add_typer(found.load(), name=found.name)


def _settings() -> Settings:
    try:
        _warn_of_unknown_settings()
        return Settings()
    except ValidationError as error:
        told = faults(Settings, error)
    except UnicodeDecodeError:
        told = ["The file .env is not in UTF-8. Save it in UTF-8."]
    for each in told:
        err.print(f"kbot: {each}", style="red", markup=False, soft_wrap=True)
    raise typer.Exit(2)


def _warn_of_unknown_settings() -> None:
    """Name on standard error what looks like a setting, in the environment or in `.env`, and is none."""
    given = {*EnvSettingsSource(Settings).env_vars, *DotEnvSettingsSource(Settings).env_vars}
    names = {name.lower().removeprefix("kbot_") for name in given if name.lower().startswith("kbot_")}
    unknown = sorted(names - Settings.model_fields.keys())
    if not unknown:
        return
    from kbot.registry import adapter_names  # reads what is installed

    theirs = tuple(f"{name}_" for name in (*_OTHERS, *adapter_names()))
    for name in unknown:
        if not name.startswith(theirs):
            near = difflib.get_close_matches(name, Settings.model_fields, n=1)
            meant = f"Did you mean KBOT_{near[0].upper()}?" if near else "docs/settings.md lists those there are."
            line = f"kbot: there is no setting KBOT_{name.upper()}; kbot itself does nothing with it. {meant}"
            err.print(line, style="yellow", markup=False, soft_wrap=True)


def _conversation(workspace: str, channel: str, thread: str = "") -> Place:
    """The place of a talk in this terminal; without a channel it is a new conversation each time."""
    return Place(workspace, channel, thread or None) if channel else Place(workspace, "terminal", uuid.uuid4().hex)


def _serve(command: Command) -> None:
    _run(command(_settings(), out, err))


def _run(command: Coroutine[object, object, int]) -> None:
    try:
        code = asyncio.run(command)
    except KbotError as error:
        err.print(f"kbot: {error}", style="red", markup=False, soft_wrap=True)
        code = 2 if isinstance(error, SettingsError) else 1
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        # What is still in the buffer would be written, and fail again, at the interpreter's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    raise typer.Exit(code)
