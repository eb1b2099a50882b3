"""Which listener takes what Slack sends. Everything is acknowledged, also what kbot has no use for: Slack sends what is
not acknowledged again and again."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from kbot.chat import Bot, Forbidden, KbotError, get_logger, labels_in
from kbot_slack import blocks, buttons, commands, modals, spoken, windows
from kbot_slack.desk import Body, Desk, user_of
from kbot_slack.manifest import INGEST_FILES

if TYPE_CHECKING:
    from kbot_slack.adapter import SlackAdapter

log = get_logger(__name__)

_SETTLING, _PARTING = 0.5, 0.4
_ANY = re.compile(r".*", re.DOTALL)

# What of a payload the listeners cannot do without, as paths.
_WRITTEN = ("event.channel", "event.ts")
_COMMAND = ("command", "user_id", "channel_id", "trigger_id", "response_url")
_SHORTCUT = ("user.id", "channel.id", "message.ts", "trigger_id", "response_url")
_WINDOW = ("user.id", "view.id", "view.private_metadata", "view.state.values")
_TURN = ("user.id", "view.id", "view.private_metadata", "actions.0.value")
_CLICK = ("user.id", "channel.id", "actions.0.value", "response_url")
_OPENING = ("user.id", "channel.id", "actions.0.value", "trigger_id")

Ack = Callable[..., Awaitable[Any]]
Work = Callable[[Desk, Ack, Body], Awaitable[None]]


class Listeners:
    """The listeners of one workspace, as a Bolt app, and those of them that are at work."""

    def __init__(self, slack: "SlackAdapter", bot: Bot) -> None:
        self._desk = Desk(slack, bot)
        self._working: set[asyncio.Task[Any]] = set()
        self.app = _app(slack)
        self._register(self.app)

    async def settle(self) -> None:
        """Wait a moment for what is at work to be handed to the bot."""
        if self._working:
            await asyncio.wait(self._working, timeout=_SETTLING)

    async def end(self) -> None:
        """End what is still at work: answers to one person alone, which then say that they were interrupted."""
        for task in self._working:
            task.cancel()
        if self._working:
            await asyncio.wait(self._working, timeout=_PARTING)

    def _register(self, app: Any) -> None:
        """Bolt takes the first listener that matches."""
        app.event("message")(self._event("message", spoken.written, _WRITTEN))
        app.event("app_mention")(self._event("app_mention", spoken.mentioned, _WRITTEN))
        app.event("app_uninstalled")(self._event("app_uninstalled", spoken.uninstalled))
        app.event("tokens_revoked")(self._event("tokens_revoked", spoken.uninstalled))
        app.command("/ask")(self._listener("ask", commands.ask, _COMMAND))
        app.command("/ingest")(self._listener("ingest", commands.ingest, _COMMAND))
        app.command("/sources")(self._listener("sources", commands.report, _COMMAND))
        app.command("/gaps")(self._listener("gaps", commands.report, _COMMAND))
        app.command("/forget")(self._listener("forget", commands.forget, _COMMAND))
        app.shortcut(INGEST_FILES)(self._listener("ingest_files", commands.ingest_files, _SHORTCUT))
        app.view(modals.INGEST)(self._listener("ingest_window", windows.submit_ingest, _WINDOW))
        app.action(modals.BACK)(self._listener("back", windows.turn_page, _TURN))
        app.action(modals.NEXT)(self._listener("next", windows.turn_page, _TURN))
        app.action(blocks.RATE)(self._listener("rate", buttons.rate, _CLICK))
        app.action(blocks.REPORT)(self._listener("report", buttons.report, _CLICK))
        app.action(blocks.READ)(self._listener("read", buttons.read, _OPENING))
        for other in (app.event, app.command, app.shortcut, app.action, app.options):
            other(_ANY)(_acknowledge)
        app.view_submission(_ANY)(_acknowledge)
        app.view_closed(_ANY)(_acknowledge)

    def _event(
        self, name: str, work: Callable[[Desk, Body], Awaitable[None]], needs: Sequence[str] = ()
    ) -> Callable[..., Awaitable[None]]:
        async def listen(body: dict[str, Any]) -> None:
            if _is_whole(name, body, needs):
                await self._guard(name, partial(work, self._desk, body))

        return listen

    def _listener(self, name: str, work: Work, needs: Sequence[str]) -> Callable[..., Awaitable[None]]:
        async def listen(ack: Ack, body: dict[str, Any]) -> None:
            if _is_whole(name, body, needs):
                await self._guard(name, partial(work, self._desk, ack, body), body)
            else:
                await ack()

        return listen

    async def _guard(self, name: str, work: Callable[[], Awaitable[None]], body: Body | None = None) -> None:
        """Do the work, and tell of its failure: the operator in the log, the person in words."""
        task = asyncio.current_task()
        assert task is not None
        self._working.add(task)
        try:
            await work()
        except (KbotError, ConnectionError, ValueError) as error:  # ValueError: a button or window of an older kbot
            if not isinstance(error, Forbidden):
                log.warning("listener_failed", listener=name, error=type(error).__name__, told=str(error))
            if body and body.get("response_url"):
                await self._tell(body, error)
        finally:
            self._working.discard(task)

    async def _tell(self, body: Body, error: Exception) -> None:
        person = await self._desk.slack.directory.person(user_of(body))
        text = str(error) if isinstance(error, Forbidden) else labels_in(person.language).failed
        try:
            await self._desk.tell(body, text)
        except (KbotError, ConnectionError) as failure:
            log.warning("person_not_told", told=str(failure))


def _is_whole(name: str, body: Body, needs: Sequence[str]) -> bool:
    """Whether a payload has what it needs; what is lacking is told to the operator."""
    lacking = [path for path in needs if not _at(body, path)]
    if lacking:
        log.warning("payload_incomplete", listener=name, lacking=",".join(lacking), told="It was passed over.")
    return not lacking


def _at(body: Body, path: str) -> object:
    """What stands in a payload under a path, None where there is nothing."""
    found: Any = body
    for part in path.split("."):
        if isinstance(found, Mapping):
            found = cast(Body, found).get(part)
        elif isinstance(found, Sequence) and part.isdigit() and len(cast(Sequence[Any], found)) > int(part):
            found = cast(Sequence[Any], found)[int(part)]
        else:
            return None
    return found


async def _acknowledge(ack: Ack) -> None:
    await ack()


def _app(slack: "SlackAdapter") -> AsyncApp:
    """A Bolt app that takes every event for its one workspace's, of which the start-up check has asked: Bolt would ask
    itself with the first event, and lose that if Slack does not answer."""
    settings, identity = slack.settings, slack.identity
    token = settings.bot_token.get_secret_value()

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None,
            team_id=identity.team_id,
            bot_user_id=identity.user_id,
            bot_id=identity.bot_id or None,
            bot_token=token,
        )

    client = AsyncWebClient(base_url=settings.api_url, session=slack.session, retry_handlers=[])
    client.proxy = slack.client.proxy
    return AsyncApp(
        name="kbot",
        client=client,
        authorize=authorize,
        signing_secret=settings.signing_secret.get_secret_value(),
        ignoring_self_events_enabled=False,  # kbot knows its own messages, and must hear of their deletion by others
    )
