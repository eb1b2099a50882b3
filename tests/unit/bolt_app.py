"""A real Bolt app that keeps what Slack brings it, and a modal for it to show."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from fakes.slack import FakeSlack

Json = dict[str, Any]


class Bot:
    """The app with a listener for all events of messages but those of the type `quiet`.

    `app` is an `AsyncApp`, of whose types a good part is unknown.
    """

    def __init__(self, slack: FakeSlack, *, quiet: str = "") -> None:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        self.app: Any = AsyncApp(client=client, signing_secret="secret", ignoring_self_events_enabled=False)
        self.got: list[Json] = []
        for event in sorted({"message", "app_mention"} - {quiet}):
            self.app.event(event)(self._keeper())

    def _keeper(self) -> Any:
        async def keep(body: Json) -> None:
            self.got.append(body)

        return keep

    @property
    def events(self) -> list[Json]:
        return [body["event"] for body in self.got]


@asynccontextmanager
async def connected(slack: FakeSlack, bot: Bot, *, ping_interval: float = 10) -> AsyncGenerator[None]:
    """The app is connected over Socket Mode."""
    handler = AsyncSocketModeHandler(bot.app, slack.app_token, ping_interval=ping_interval)
    await handler.connect_async()
    try:
        yield
    finally:
        await handler.close_async()


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def _field(name: str, label: str, **element: object) -> Json:
    told = {"action_id": name, **element}
    return {"type": "input", "block_id": name, "label": plain(label), "element": told}


MODAL: Json = {
    "type": "modal",
    "callback_id": "ingest",
    "title": plain("Ingest"),
    "submit": plain("Read"),
    "blocks": [
        _field("files", "Files", type="file_input", filetypes=["pdf"], max_files=2) | {"optional": True},
        _field("urls", "Addresses", type="plain_text_input"),
        _field(
            "scope",
            "Who may see it",
            type="static_select",
            options=[{"text": plain("All"), "value": "all"}, {"text": plain("This channel"), "value": "here"}],
        ),
    ],
}
