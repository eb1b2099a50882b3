"""The buttons below an answer."""

from collections.abc import Awaitable, Callable
from typing import Any

from kbot.chat import Opinion
from kbot_slack import blocks, windows
from kbot_slack.desk import Body, Desk, channel_of, thread_of_click, user_of

Ack = Callable[..., Awaitable[Any]]


async def rate(desk: Desk, ack: Ack, body: Body) -> None:
    """👍 or 👎."""
    await ack()
    answer_id, opinion = blocks.rating(str(body["actions"][0]["value"]))
    await _note(desk, body, answer_id, opinion)


async def report(desk: Desk, ack: Ack, body: Body) -> None:
    """ "Tell an admin"."""
    await ack()
    await _note(desk, body, str(body["actions"][0]["value"]), "reported")


async def read(desk: Desk, ack: Ack, body: Body) -> None:
    """ "Show everything I read", to those who may see the answer."""
    await ack()
    await windows.open_report(desk, body, "read", str(body["actions"][0]["value"]))


async def _note(desk: Desk, body: Body, answer_id: str, opinion: Opinion) -> None:
    place = await desk.place(channel_of(body), thread_of_click(body))
    person = await desk.slack.directory.person(user_of(body))
    await desk.tell(body, await desk.bot.rate(answer_id, place, person, opinion))
