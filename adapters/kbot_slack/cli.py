"""`kbot slack`: what an operator does once."""

import json
from typing import Annotated

import typer

from kbot_slack.manifest import manifest

app = typer.Typer(help="Set kbot up in Slack.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def slack() -> None:
    """Set kbot up in Slack."""


@app.command("manifest")
def print_manifest(
    http: Annotated[
        str | None, typer.Option(metavar="URL", help="Events come to this https address, not over Socket Mode.")
    ] = None,
) -> None:
    """Print the app manifest as JSON, to be pasted at https://api.slack.com/apps under "From a manifest"."""
    try:
        shown = manifest(socket_mode=http is None, url=http)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--http") from None
    print(json.dumps(shown, indent=2, ensure_ascii=False))
