"""kbot in a folder: put `question.txt` there, and `question.answer.md` grows beside it."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from kbot.chat import (
    Attachment,
    Bot,
    Content,
    IncomingMessage,
    Limits,
    MessageGone,
    Place,
    Rejected,
    captions,
    labels_in,
    sources,
)


class FolderAdapter:
    """Answers the text files of a folder, KBOT_FOLDER_PATH. Each file is a conversation of its own."""

    name = "folder"
    limits = Limits(post=100_000, edit=100_000, messages=1, interval=0.2)

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(os.environ.get("KBOT_FOLDER_PATH", "."))

    async def run(self, bot: Bot) -> None:
        async with bot.serving(self):
            while True:
                for file in sorted(self.folder.glob("*.txt")):
                    if not file.with_suffix(".answer.md").exists():
                        place = Place(bot.workspace("folder", ""), f"folder:{file.stem}")
                        asked = IncomingMessage("folder", place, file.name, "folder", file.read_text(), direct=True)
                        bot.receive(asked, self)  # once, however often: the bot knows the message by its id
                await asyncio.sleep(0.5)

    async def send(self, place: Place, content: Content) -> str:
        path = self.folder / f"{place.channel.removeprefix('folder:')}.answer.md"
        if path.exists():
            path = self.folder / f"{path.stem}.{uuid4().hex}.md"
        path.write_text(rendered(content))
        return path.name

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        if not (self.folder / message_id).exists():
            raise MessageGone(f"{message_id} was deleted.")
        (self.folder / message_id).write_text(rendered(content))

    async def delete(self, place: Place, message_id: str) -> None:
        (self.folder / message_id).unlink(missing_ok=True)

    async def send_file(self, place: Place, name: str, text: str) -> None:
        (self.folder / f"{uuid4().hex}.{name}").write_text(text)

    async def whisper(self, place: Place, person: str, text: str) -> None:
        await self.send(place, Content(text, "final"))

    async def is_admin(self, place: Place, person: str) -> bool:
        return True

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        raise Rejected("Text files bring no attachments; use kbot ingest.")


def rendered(content: Content) -> str:
    """The text, and below it the sources: only a grounded answer has any."""
    cited = sources(content.answer)
    language = content.answer.language if content.answer else ""
    named = zip(cited, captions(cited, language), strict=True)
    lines = [f"[{each.n}] {caption} {each.url or ''}".rstrip() for each, caption in named]
    return "\n\n".join(
        [content.text, f"{labels_in(language).sources}\n" + "\n".join(lines)] if lines else [content.text]
    )
