"""The terminal as a place to talk: an adapter like any other, for one person at a keyboard."""

import asyncio
import contextlib
import getpass
import importlib
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from types import FrameType
from uuid import uuid4

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kbot.chat import (
    Answer,
    Attachment,
    Bot,
    Content,
    IncomingMessage,
    KbotError,
    Limits,
    MessageGone,
    Place,
    Rejected,
    plain,
)
from kbot_terminal.rendering import Tail, markdown, passages, source_list

HELP = """Ask a question about the documents.
  /read   everything that was read for the last answer: its text and its evidence
  /help   these lines
  /quit   leave; Ctrl-D does too
Ctrl-C stops an answer while it is written; at the prompt it leaves."""

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
        self._growing: dict[str, tuple[Live | None, Content]] = {}

    async def send(self, place: Place, content: Content) -> str:
        """Begin a message on the console."""
        message_id = uuid4().hex
        live = Live(console=self._console, auto_refresh=False, transient=True) if self._console.is_terminal else None
        self._growing[message_id] = (live, content)
        if live:
            live.start()
        await self._show(message_id, content)
        return message_id

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """Show a message anew; MessageGone if it stands finished on the console, which cannot be unprinted."""
        if message_id not in self._growing:
            raise MessageGone("This message is finished, and a terminal cannot change what it printed; send a new one.")
        await self._show(message_id, content)

    async def delete(self, place: Place, message_id: str) -> None:
        """Clear a growing message; MessageGone if it stands finished on the console."""
        if self._settle(message_id) is None:
            raise MessageGone("This message is finished, and a terminal cannot take back what it printed.")

    async def whisper(self, place: Place, person: str, text: str) -> None:
        """Print the text: one person reads a terminal."""
        self._print(text)

    async def is_admin(self, place: Place, person: str) -> bool:
        """Whoever has this terminal has kbot's command too."""
        return True

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        """Rejected: a terminal's messages bring no files."""
        raise Rejected("A terminal's messages bring no files; use kbot ingest.")

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """Print the text: a terminal has room for it."""
        self._print(text)

    async def _show(self, message_id: str, content: Content) -> None:
        if content.stage in ("placeholder", "growing"):
            live, _ = self._growing[message_id]
            self._growing[message_id] = (live, content)
            if live:
                dim = Text(plain(content.text), style="dim")
                live.update(dim if content.stage == "placeholder" else Tail(markdown(content.text)), refresh=True)
            return
        self._settle(message_id)
        self._print(content.text)
        if listed := source_list(content.answer):
            self._console.print()
            self._console.print(listed, soft_wrap=not self._console.is_terminal)
        self._console.print()

    def _print(self, text: str) -> None:
        """A finished text: laid out on a terminal; elsewhere as it was written, for what reads it next."""
        if self._console.is_terminal:
            self._console.print(markdown(text))
        else:
            self._console.print(Text(plain(text).rstrip()), soft_wrap=True)

    def _settle(self, message_id: str) -> Content | None:
        """Clear a growing message from the screen; returns what it showed."""
        live, content = self._growing.pop(message_id, (None, None))
        if live:
            live.update(Text(""))
            live.stop()
        return content

    async def ask(self, bot: Bot, text: str) -> Answer | None:
        """Put one question to the bot as a message of this terminal; its reply grows on the console meanwhile."""
        question = IncomingMessage(self.name, self._place, uuid4().hex, self._author, text, direct=True)
        try:
            return await bot.answer(question, self)
        finally:
            for message_id in list(self._growing):
                # Its end was cut off too: what was read of it does not vanish.
                if (left := self._settle(message_id)) and left.stage == "growing":
                    self._print(left.text)

    async def run(self, bot: Bot) -> None:
        """The chat: read a line, answer it, until `/quit` or the end of the input."""
        interactive = self._console.is_terminal and sys.stdin.isatty()
        if interactive:
            self._console.print("[bold]kbot[/bold] · ask a question, /help for help")
        while (line := await _read_line("> " if interactive else "")) is not None:
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
        if interactive:
            self._console.print()  # the prompt has a line of its own

    async def _answer(self, bot: Bot, question: str) -> None:
        answering = asyncio.create_task(self.ask(bot, question))

        def stop() -> None:
            if not answering.cancelling():  # a second one would cut off the last words of the first
                answering.cancel()

        with _interrupt(stop):
            try:
                await asyncio.wait({answering})
            finally:
                stop()
                await asyncio.wait({answering})
        if answering.cancelled():
            self._console.print(Text("Stopped.", style="dim"))
        elif isinstance(error := answering.exception(), KbotError):
            self._console.print(Text(plain(str(error)), style="red"))
        elif error:
            raise error

    async def _show_read(self, bot: Bot) -> None:
        read = await bot.read(self._place)
        shown = passages(read) if read else Text("Nothing was read yet: ask a question first.")
        self._console.print(shown, soft_wrap=not self._console.is_terminal)


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


@contextlib.contextmanager
def _modes_kept() -> Generator[None]:
    """Puts the terminal's modes back after the block: a line that is left while it is edited does not do so itself."""
    if sys.platform == "win32":
        yield
        return
    import termios

    before = termios.tcgetattr(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _piped_line() -> str:
    # Unbuffered: a thread that holds the lock of sys.stdin when the program ends is a fatal error.
    with open(0, "rb", buffering=0, closefd=False) as piped:
        line = piped.readline()
    if not line:
        raise EOFError
    return line.decode("utf-8", "replace")


async def _read_line(prompt: str) -> str | None:
    """A line from the standard input, None at its end and on Ctrl-C; read in a thread that does not hold up the end of
    the program."""
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
    with _interrupt(lambda: deliver(None)), _modes_kept() if prompt else contextlib.nullcontext():
        threading.Thread(target=read, daemon=True, name="kbot input").start()
        return await line
