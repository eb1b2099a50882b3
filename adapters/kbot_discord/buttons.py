"""The buttons below answers and reports. All that they need stands in their custom ids, so they outlive a restart."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

import discord

from kbot.chat import Forbidden, KbotError, Report, labels_in, turns
from kbot_discord.desk import Act, Desk, page_of, person, sees, shown, tell_failure
from kbot_discord.rendering import BUTTON, opinion

Kind = Literal["sources", "gaps", "read"]

_PAGE = r"kbot:page:(?P<kind>sources|gaps|read):(?P<page>\d{1,4}):(?P<answer_id>[0-9A-Za-z-]{0,64})"


class AnswerButton(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=BUTTON):
    """An opinion of an answer, "Tell an admin", or "Show everything I read"."""

    def __init__(self, act: str, answer_id: str) -> None:
        super().__init__(discord.ui.Button(custom_id=f"kbot:{act}:{answer_id}", label=act))
        self._act, self._answer_id = act, answer_id

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> "AnswerButton":
        """The button that was pressed."""
        return cls(match["act"], match["answer_id"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Do what the button says, and tell it to the person alone."""
        await _press(interaction, self._work, thinking=True)

    async def _work(self, act: Act, desk: Desk) -> None:
        place, who, language = desk.place(act), person(act), act.locale.value
        if given := opinion(self._act):
            await act.edit_original_response(content=await desk.bot.rate(self._answer_id, place, who, given))
            return
        report = await desk.bot.report("read", place, who, desk.adapter, self._answer_id)
        text, number = page_of(report, 0, language)
        view = paging(report, "read", number, self._answer_id, language)
        await act.edit_original_response(content=text, **shown(view))


class PageButton(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=_PAGE):
    """Leads to a page of a report, which is looked up anew."""

    def __init__(self, kind: Kind, page: int, answer_id: str, label: str = "…") -> None:
        super().__init__(discord.ui.Button(custom_id=f"kbot:page:{kind}:{page}:{answer_id}", label=label))
        self._kind: Kind = kind
        self._page, self._answer_id = page, answer_id

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> "PageButton":
        """The button that was pressed."""
        return cls(cast(Kind, match["kind"]), int(match["page"]), match["answer_id"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Show the page in the place of the one that is shown."""
        await _press(interaction, self._work, thinking=False)

    async def _work(self, act: Act, desk: Desk) -> None:
        language = act.locale.value
        report = await desk.bot.report(self._kind, desk.place(act), person(act), desk.adapter, self._answer_id)
        text, number = page_of(report, self._page, language)
        await act.edit_original_response(
            content=text, view=paging(report, self._kind, number, self._answer_id, language)
        )


def paging(report: Report, kind: Kind, page: int, answer_id: str, language: str) -> discord.ui.View | None:
    """The buttons to the pages beside one; None where there is no other page."""
    beside = turns(report, page, language)
    view = discord.ui.View(timeout=None) if beside else None
    for label, to in beside:
        assert view is not None
        view.add_item(PageButton(kind, to, answer_id, label))
    return view


async def _press(act: Act, work: Callable[[Act, Desk], Awaitable[None]], *, thinking: bool) -> None:
    """Do what a button asks for somebody who can read the channel, and tell of its failure."""
    desk = act.client.desk
    if desk is None:
        return
    try:
        await act.response.defer(ephemeral=thinking, thinking=thinking)
        if not sees(act):
            raise Forbidden(labels_in(act.locale.value).not_yours)
        await work(act, desk)
    except (KbotError, ConnectionError, discord.HTTPException) as error:
        await tell_failure(act, error)
