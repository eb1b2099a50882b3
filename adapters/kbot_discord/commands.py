"""The commands that people give in Discord, and those of a message's menu."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal

import discord
from discord import app_commands
from discord.app_commands import locale_str as text

from kbot.chat import Attachment, IncomingMessage, IngestRequest, KbotError, Place, get_logger, labels_in
from kbot_discord import events
from kbot_discord.buttons import paging
from kbot_discord.desk import Act, Desk, hook, lacking_for, page_of, person, shown, tell_failure
from kbot_discord.turn import Turn, begin
from kbot_discord.words import words_in

if TYPE_CHECKING:
    from kbot_discord.client import Client

log = get_logger(__name__)

_PROPOSING = 2.5

_MOST_CHARACTERS = 100  # of a choice that is proposed

File = discord.Attachment | None


def tree_of(client: "Client") -> "app_commands.CommandTree[Client]":
    """The commands of a client, offered in servers and in direct messages. What only admins may do is offered to who
    may manage the server, as far as a server's admins have not changed that, and is checked again when it is done."""
    tree = app_commands.CommandTree(
        client,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )
    add: list[app_commands.Command[Any, ..., Any] | app_commands.ContextMenu] = [
        app_commands.Command(name="ask", description=text("Ask the documents"), callback=ask),
        _admins("ingest", "Ingest files and addresses, so that they can be asked about (admins)", ingest),
        _admins("sources", "List the documents that answers come from (admins)", sources),
        _admins("gaps", "What people asked and the documents did not answer (admins)", gaps),
        _forget(),
        app_commands.ContextMenu(name=text("Ask kbot about this"), callback=ask_about),
        app_commands.ContextMenu(name=text("Ingest files"), callback=ingest_files),
    ]
    add[-1].default_permissions = discord.Permissions(manage_guild=True)
    for command in add:
        tree.add_command(command)
    tree.error(on_error)
    return tree


@app_commands.describe(question=text("Your question, in a sentence"), private=text("Only you see the answer"))
async def ask(act: Act, question: app_commands.Range[str, 1, 2000], private: bool = False) -> None:
    """`/ask`: the answer grows in the command's response, and can go on after its token's 15 minutes as a message
    unless the person alone sees it."""
    if desk := act.client.desk:
        await act.response.defer(ephemeral=private, thinking=True)
        _ask(act, desk, question, ephemeral=private)


async def ask_about(act: Act, message: discord.Message) -> None:
    """The message menu's "Ask kbot about this"."""
    desk = act.client.desk
    if desk is None:
        return
    question = events.text(message, act.client.me)
    if not question.strip():
        await act.response.send_message(words_in(act.locale.value).no_text, ephemeral=True)
        return
    await act.response.defer(thinking=True)
    _ask(act, desk, question, ephemeral=False)


@app_commands.describe(
    **{f"file{n}": text("A file to ingest") for n in range(1, 6)},
    urls=text("Addresses of web pages, with spaces between them"),
    scope=text("Who may get answers from them; without a choice, as the channel is"),
)
@app_commands.choices(
    scope=[
        app_commands.Choice(name=text("Everybody"), value="everybody"),
        app_commands.Choice(name=text("This channel only"), value="here"),
    ]
)
async def ingest(
    act: Act,
    file1: File = None,
    file2: File = None,
    file3: File = None,
    file4: File = None,
    file5: File = None,
    urls: str = "",
    scope: str = "",
) -> None:
    """`/ingest`: the receipt grows in a message of the channel, which outlives the command's token."""
    files = events.attachments(file for file in (file1, file2, file3, file4, file5) if file)
    shared = {"everybody": True, "here": False}.get(scope)
    await _ingest(act, files, events.links(urls), shared)


async def ingest_files(act: Act, message: discord.Message) -> None:
    """The message menu's "Ingest files"."""
    await _ingest(act, events.attachments(message.attachments, message.jump_url), (), None)


async def sources(act: Act) -> None:
    """`/sources`."""
    await report(act, "sources")


async def gaps(act: Act) -> None:
    """`/gaps`."""
    await report(act, "gaps")


@app_commands.describe(source=text("The document's name"))
async def forget(act: Act, source: str) -> None:
    """`/forget`."""
    if desk := act.client.desk:
        await act.response.defer(ephemeral=True, thinking=True)
        told = await desk.bot.forget(source, desk.place(act), person(act), desk.adapter)
        await act.edit_original_response(content=told)


async def propose(act: Act, typed: str) -> list[app_commands.Choice[str]]:
    """The names of documents that hold what is typed."""
    desk = act.client.desk
    if desk is None:
        return []
    try:
        async with asyncio.timeout(_PROPOSING):  # Discord waits for three seconds
            names = await desk.bot.source_names(desk.place(act), person(act), desk.adapter, typed)
    except (KbotError, OSError) as error:
        log.warning("names_not_proposed", error=type(error).__name__, told=str(error))
        return []
    fitting = [name for name in names if len(name) <= _MOST_CHARACTERS]
    return [app_commands.Choice(name=name, value=name) for name in fitting[:25]]


async def report(act: Act, kind: Literal["sources", "gaps"]) -> None:
    """Show the first page of a report to the person alone."""
    if desk := act.client.desk:
        await act.response.defer(ephemeral=True, thinking=True)
        found = await desk.bot.report(kind, desk.place(act), person(act), desk.adapter)
        page, number = page_of(found, 0, act.locale.value)
        await act.edit_original_response(content=page, **shown(paging(found, kind, number, "", act.locale.value)))


async def on_error(act: Act, error: app_commands.AppCommandError) -> None:
    """Tell of a command that failed: the operator in the log, the person in words."""
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    await tell_failure(act, cause)


def _ask(act: Act, desk: Desk, question: str, *, ephemeral: bool) -> None:
    place = desk.place(act)
    if ephemeral:
        # What one person alone sees is no part of the channel's conversation.
        place = Place(place.workspace, place.channel, f"ask:{act.id}", place.private)
    begin(Turn(hook=hook(act, ephemeral=ephemeral)))
    message = IncomingMessage(
        "discord", place, str(act.id), str(act.user.id), question, direct=act.guild is None, event_id=str(act.id)
    )
    desk.bot.receive(message, desk.adapter)


async def _ingest(act: Act, files: tuple[Attachment, ...], urls: tuple[str, ...], shared: bool | None) -> None:
    desk = act.client.desk
    if desk is None:
        return
    await act.response.defer(ephemeral=True, thinking=True)
    language, place = act.locale.value, desk.place(act)
    labels, words = labels_in(language), words_in(language)
    missing = lacking_for(act)
    if not await desk.adapter.is_admin(place, str(act.user.id)):
        told = labels.only_admins
    elif not files and not urls:
        told = labels.no_files
    elif missing:
        told = words.missing.format(missing=", ".join(missing))
    else:
        told = words.started
        begin(Turn())
        desk.bot.ingest(IngestRequest("discord", place, str(act.id), person(act), files, urls, shared), desk.adapter)
    await act.edit_original_response(content=told)


def _admins(
    name: str, description: str, callback: Callable[..., Coroutine[Any, Any, None]]
) -> app_commands.Command[Any, ..., Any]:
    made: app_commands.Command[Any, ..., Any] = app_commands.Command(
        name=name, description=text(description), callback=callback
    )
    made.default_permissions = discord.Permissions(manage_guild=True)
    return made


def _forget() -> app_commands.Command[Any, ..., Any]:
    made = _admins("forget", "Delete a document (admins)", forget)
    made.autocomplete("source")(propose)
    return made
