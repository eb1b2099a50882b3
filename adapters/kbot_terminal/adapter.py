"""The terminal as a place to talk: an adapter like any other, for one person at a keyboard."""

import asyncio
import contextlib
import getpass
import importlib
import signal
import sys
import threading
from collections.abc import Callable, Generator
from types import FrameType
from uuid import uuid4

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kbot.chat import Answer, Bot, Content, IncomingMessage, KbotError, Limits, MessageGone, Place
from kbot_terminal.rendering import Tail, markdown, passages, plain, sources

HELP = """Ask a question about the documents.
  /read   everything that was read for the last answer, with its evidence
  /help   these lines
  /quit   leave; Ctrl-D does too
Ctrl-C stops an answer while it is written."""

# Far above any answer: a terminal has no limit of its own, and no rate but what an eye can follow.
LIMITS = Limits(post=1_000_000, edit=1_000_000, messages=1, interval=0.1)


class TerminalAdapter:
    """Shows replies on a console: growing in place on a terminal, printed once when the output is a file or a pipe."""

    name = "terminal"
    limits = LIMITS

    def __init__(self, console: Console | None = None, *, place: Place | None = None) -> None:
        self._console = console or Console()
        user = _user()
        # A thread of its own: a new chat does not take up what was said in another one.
        self._place = place or Place("default", f"terminal:{user}", thread=uuid4().hex)
        self._author = user
        self._growing: dict[str, Live | None] = {}

    async def send(self, place: Place, content: Content) -> str:
        """Begin a message on the console."""
        message_id = uuid4().hex
        live = Live(console=self._console, auto_refresh=False, transient=True) if self._console.is_terminal else None
        self._growing[message_id] = live
        if live:
            live.start()
        await self._show(message_id, content)
        return message_id

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """Show a message anew; MessageGone if it stands finished on the console, which cannot be unprinted."""
        if message_id not in self._growing:
            raise MessageGone("This message is finished, and a terminal cannot change what it printed; send a new one.")
        await self._show(message_id, content)

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """Print the text: a terminal has room for it."""
        self._console.print(markdown(text))

    async def _show(self, message_id: str, content: Content) -> None:
        if content.stage in ("placeholder", "growing"):
            if live := self._growing[message_id]:
                dim = Text(plain(content.text), style="dim")
                live.update(dim if content.stage == "placeholder" else Tail(markdown(content.text)), refresh=True)
            return
        self._settle(message_id)
        self._console.print(markdown(content.text))
        if listed := sources(content.answer):
            self._console.print()
            self._console.print(listed)
        self._console.print()

    def _settle(self, message_id: str) -> None:
        """Clear a growing message from the screen."""
        if live := self._growing.pop(message_id, None):
            live.update(Text(""))
            live.stop()

    async def ask(self, bot: Bot, text: str) -> Answer | None:
        """Put one question to the bot as a message of this terminal; its reply grows on the console meanwhile."""
        question = IncomingMessage(self.name, self._place, uuid4().hex, self._author, text, direct=True)
        try:
            return await bot.answer(question, self)
        finally:
            for message_id in list(self._growing):
                self._settle(message_id)

    async def run(self, bot: Bot) -> None:
        """The chat: read a line, answer it, until `/quit` or the end of the input."""
        interactive = self._console.is_terminal and sys.stdin.isatty()
        if interactive:
            self._console.print("[bold]kbot[/bold] · ask a question, /help for help")
        while (line := await self._line("> " if interactive else "")) is not None:
            match line.strip():
                case "":
                    continue
                case "/quit" | "/exit":
                    return
                case "/help":
                    self._console.print(Text(HELP))
                case "/read":
                    await self._show_read(bot)
                case command if command.startswith("/"):
                    self._console.print(Text(f"There is no {plain(command)} here; /help lists what there is."))
                case question:
                    await self._answer(bot, question)

    async def _answer(self, bot: Bot, question: str) -> None:
        answering = asyncio.create_task(self.ask(bot, question))
        with _interrupt(answering.cancel):
            try:
                await asyncio.wait({answering})
            finally:
                answering.cancel()
        if answering.cancelled():
            self._console.print(Text("Stopped.", style="dim"))
        elif isinstance(error := answering.exception(), KbotError):
            self._console.print(Text(plain(str(error)), style="red"))
        elif error:
            raise error

    async def _show_read(self, bot: Bot) -> None:
        read = await bot.read(self._place)
        self._console.print(passages(read) if read else Text("Nothing was read yet: ask a question first."))

    async def _line(self, prompt: str) -> str | None:
        """The next line of the input, None at its end. Ctrl-C there only says how to leave."""

        def hint() -> None:
            self._console.print(Text(f"\n(/quit or Ctrl-D leaves)\n{prompt}", style="dim"), end="")

        with _interrupt(hint):
            return await _read_line(prompt)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "user"


@contextlib.contextmanager
def _interrupt(act: Callable[[], object]) -> Generator[None]:
    """While the block runs, Ctrl-C calls `act` on the event loop instead of ending the program."""
    loop = asyncio.get_running_loop()

    def handle(signum: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _piped_line() -> str:
    # Unbuffered: a thread that holds the lock of sys.stdin when the program ends is a fatal error.
    with open(0, "rb", buffering=0, closefd=False) as piped:
        line = piped.readline()
    if not line:
        raise EOFError
    return line.decode("utf-8", "replace")


async def _read_line(prompt: str) -> str | None:
    """A line from the standard input, read in a thread that does not hold up the end of the program."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str | None] = loop.create_future()

    def deliver(text: str | None, error: Exception | None = None) -> None:
        if line.done():
            return
        if error:
            line.set_exception(error)
        else:
            line.set_result(text)

    def read() -> None:
        result: tuple[str | None, Exception | None] = (None, None)
        try:
            result = (input(prompt) if prompt else _piped_line(), None)
        except EOFError:
            pass
        except (OSError, ValueError) as error:  # a closed terminal; a line that is no text in its encoding
            result = (None, error)
        with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(deliver, *result)

    if prompt:
        with contextlib.suppress(ImportError):  # line editing and history, where the platform has them
            importlib.import_module("readline")
    threading.Thread(target=read, daemon=True, name="kbot input").start()
    return await line
