"""A terminal's screen that obeys the escape codes written to it, and a bot that answers by rote."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from conformance import GROUNDED, REFUSED

from kbot.chat import Adapter, Answer, IncomingMessage, Passage, Place
from kbot.live_reply import LiveReply

CODE = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\s\S]")


READ = Passage(
    "c1",
    "d1",
    "rh.pdf",
    "Manual [de] RH",
    "Férias. São 22 dias.",
    0.71,
    0.82,
    0.5,
    1.21,
    "São 22 dias.",
    page=12,
    cited=True,
)


def screen(stream: str) -> str:
    """What stands on a screen, without end below, after a stream of text and escape codes."""
    rows: list[list[str]] = [[]]
    row = column = 0
    for match in CODE.finditer(stream):
        argument, command = match[1], match[2]
        if match[0] == "\n":
            row, column = row + 1, 0
            rows += [[]] if row == len(rows) else []
        elif match[0] in ("\r", "\b"):
            column = 0 if match[0] == "\r" else max(column - 1, 0)
        elif command == "A":
            row = max(row - int(argument or 1), 0)
        elif command == "K":
            rows[row] = rows[row][: {"": column, "0": column, "2": 0}[argument or ""]]
        elif command == "J":
            rows = [*rows[:row], rows[row][:column]]
        elif command or match[0][0] == "\x1b" or match[0] == "\x07":
            assert command in (None, "m", "h", "l", "C", "D"), match[0]
        else:
            rows[row] += [" "] * (column + 1 - len(rows[row]))
            rows[row][column] = match[0]
            column += 1
    return "\n".join("".join(line).rstrip() for line in rows)


class ScriptedBot:
    """Answers by rote, through a real `LiveReply`: "slow" never ends by itself, "moon" is refused."""

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        answer = REFUSED if "moon" in message.text else replace(GROUNDED, question=message.text, read=(READ,))
        async with LiveReply(adapter, message.place, placeholder="searching…", interrupted="(stopped)") as reply:
            await asyncio.sleep(0.05)
            for word in ("word " * 10_000 if "slow" in message.text else answer.text).split(" "):
                reply.write(f"{word} ")
                await asyncio.sleep(0.05)
            reply.finish(answer.text, answer)
        return answer

    async def read(self, place: Place) -> Sequence[Passage]:
        return [READ]

    def workspace(self, platform: str, team: str) -> str:
        return "default"
