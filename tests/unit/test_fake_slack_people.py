"""What people do in the local Slack reaches a real Bolt app over Socket Mode and over HTTP, as Slack would bring it."""

import os
import re
import time
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from aiohttp import web
from bolt_app import MODAL, Bot, connected
from slack_sdk.errors import SlackApiError

from fakes.slack import FakeSlack, fake_slack

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library sends even what is for this machine through a proxy."""
    for name in list(os.environ):
        if name.lower() in ("http_proxy", "https_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
async def slack() -> AsyncGenerator[FakeSlack]:
    async with fake_slack() as slack:
        yield slack


@pytest.fixture
def ana(slack: FakeSlack) -> str:
    return slack.add_user("ana")


@pytest.fixture
def general(slack: FakeSlack, ana: str) -> str:
    return slack.add_channel("general", [ana])


async def test_a_mention_comes_twice_with_one_ts(slack: FakeSlack, ana: str, general: str) -> None:
    bot = Bot(slack)
    async with connected(slack, bot):
        ts = await slack.say(general, ana, "a < b? https://x.y", mention=True)
        await slack.until(lambda: len(bot.got) == 2)
        both = {event["type"]: event for event in bot.events}
        assert {event["ts"] for event in bot.events} == {ts}
        assert len({body["event_id"] for body in bot.got}) == 2
        assert (both["message"]["channel_type"], "channel_type" in both["app_mention"]) == ("channel", False)
        assert both["message"]["text"] == f"<@{slack.bot.id}> a &lt; b? <https://x.y>"
        assert slack.messages(general)[0].text == "@kbot a < b? https://x.y"
        bot.got.clear()

        await slack.say(slack.direct(ana).id, ana, "in private", mention=True)
        file = slack.add_file("a.pdf", b"%PDF", "application/pdf", ana)
        await slack.say(general, ana, "ingest", thread=ts, mention=True, files=[file], mention_event=False)
        await slack.until(lambda: len(bot.got) == 2)
        private, shared = sorted(bot.events, key=lambda event: event["ts"])
        assert (private["type"], private["channel_type"]) == ("message", "im")
        assert (shared["subtype"], shared["thread_ts"], shared["files"]) == ("file_share", ts, [file])


async def test_edits_and_deletions_are_told(slack: FakeSlack, ana: str, general: str) -> None:
    bot = Bot(slack)
    async with connected(slack, bot):
        ts = await slack.say(general, ana, "one", mention=True)
        await slack.until(lambda: len(bot.got) == 2)
        bot.got.clear()
        await slack.edit(general, ts, "two")
        await slack.until(lambda: len(bot.got) == 2)
        mention, change = sorted(bot.events, key=lambda event: event["type"])
        assert mention["edited"]["user"] == ana
        assert (change["message"]["text"], change["previous_message"]["text"]) == (
            f"<@{slack.bot.id}> two",
            f"<@{slack.bot.id}> one",
        )
        bot.got.clear()

        reply = await bot.app.client.chat_postMessage(channel=general, text="…", thread_ts=ts)
        await slack.delete(general, ts)
        await bot.app.client.chat_delete(channel=general, ts=str(reply["ts"]))
        await slack.until(lambda: len(bot.got) == 3)
        posted, stone, gone = sorted(bot.events, key=lambda event: event["event_ts"])
        assert (posted["bot_id"], posted["app_id"], posted["thread_ts"]) == (slack.bot_id, slack.app, ts)
        assert (stone["subtype"], stone["message"]["subtype"], stone["previous_message"]["ts"]) == (
            "message_changed",
            "tombstone",
            ts,
        )
        assert (gone["subtype"], gone["deleted_ts"]) == ("message_deleted", reply["ts"])


async def test_what_is_not_acknowledged_comes_again(slack: FakeSlack, ana: str, general: str) -> None:
    slack.time_scale, slack.ack_within = 0.001, 300
    bot = Bot(slack, quiet="app_mention")
    async with connected(slack, bot):
        await slack.say(general, ana, "hello?", mention=True)
        await slack.until(lambda: len(slack.delivered) == 5)
    lost = [each for each in slack.delivered if each.seconds is None]
    assert [each.attempt for each in lost] == [0, 1, 2, 3]
    assert len({each.id for each in lost}) == 1


async def test_events_go_to_all_connections_in_turn(slack: FakeSlack, ana: str, general: str) -> None:
    slack.deliver_times = 3
    one, two = Bot(slack), Bot(slack)
    async with connected(slack, one), connected(slack, two):
        await slack.connected(2)
        await slack.say(general, ana, "hello")
        await slack.until(lambda: len(slack.delivered) == 3)
        assert sorted([len(one.got), len(two.got)]) == [1, 2]
        assert len({body["event_id"] for body in one.got + two.got}) == 1


async def test_connections_fail_in_all_the_ways(slack: FakeSlack, ana: str, general: str) -> None:
    slack.time_scale, slack.ack_within = 0.02, 25
    bot = Bot(slack)
    async with connected(slack, bot, ping_interval=0.2):
        for fail in (slack.refresh_connections, slack.drop_connections, slack.silence_connections):
            bot.got.clear()
            if waited := fail():
                await waited
            await slack.say(general, ana, fail.__name__)
            await slack.until(lambda: bot.got)
            await slack.connected()
        slack.refuse_connections(0.5)
        slack.drop_connections()
        begun = time.monotonic()
        await slack.connected()
        assert time.monotonic() - begun > 0.5


async def test_a_command_is_answered_five_times_at_most(slack: FakeSlack, ana: str, general: str) -> None:
    bot = Bot(slack)
    statuses: list[int] = []

    async def ask(ack: Any, respond: Any, command: Json) -> None:
        await ack("searching…")
        answers: list[Json] = [
            {"text": "grown", "replace_original": True},
            {"text": "for all", "response_type": "in_channel"},
            *({"text": str(n)} for n in range(4)),
        ]
        statuses.extend([(await respond(**answer)).status_code for answer in answers])

    bot.app.command("/ask")(ask)
    async with connected(slack, bot):
        assert await slack.slash("/ask", "where?", ana, general) == {"text": "searching…"}
        await slack.until(lambda: len(statuses) == 6)
        assert statuses == [200] * 5 + [404]
        assert [seen.text for seen in slack.messages(general)] == ["for all"]
        own = [seen.text for seen in slack.messages(general, user=ana) if seen.to == ana]
        assert sorted(own) == ["0", "1", "2", "grown", "searching…"]
        slack.ack_within = 0.1
        assert await slack.slash("/other", "", ana, general) is None
        assert slack.find("/other failed because the app did not respond")


async def test_buttons_tell_what_was_clicked(slack: FakeSlack, ana: str, general: str) -> None:
    bot = Bot(slack)
    clicked: list[Json] = []

    async def click(ack: Any, respond: Any, body: Json) -> None:
        await ack()
        clicked.append(body)
        if body["actions"][0]["action_id"] == "more":
            await respond(text="replaced", replace_original=True)

    bot.app.action(re.compile(""))(click)
    feedback = {
        "type": "feedback_buttons",
        "action_id": "feedback",
        "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "up"},
        "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "down"},
    }
    more = {"type": "button", "action_id": "more", "value": "42", "text": {"type": "plain_text", "text": "More"}}
    blocks: list[Json] = [
        {"type": "markdown", "text": "hello"},
        {"type": "context_actions", "elements": [feedback]},
        {"type": "actions", "elements": [more]},
    ]
    async with connected(slack, bot):
        sent = await bot.app.client.chat_postMessage(channel=general, text="t", blocks=blocks)
        (seen,) = slack.messages(general)
        assert seen.buttons == ("Good", "Bad", "More")
        assert await slack.click(seen, "Bad", ana) == {}
        await slack.click(seen, "More", ana)
        await slack.until(lambda: slack.messages(general)[0].text == "replaced")
        actions = [body["actions"][0] for body in clicked]
        assert [(action["type"], action["value"]) for action in actions] == [
            ("feedback_buttons", "down"),
            ("button", "42"),
        ]
        assert clicked[0]["container"]["message_ts"] == clicked[0]["message"]["ts"] == sent["ts"]
        with pytest.raises(ValueError, match="no button"):
            await slack.click(seen, "More", ana)


async def test_a_modal_is_opened_filled_in_and_mended(slack: FakeSlack, ana: str, general: str) -> None:
    bot = Bot(slack)
    submitted: list[Json] = []
    refused: list[str] = []

    async def opened(ack: Any, body: Json, client: Any) -> None:
        await ack()
        view = await client.views_open(trigger_id=body["trigger_id"], view=MODAL)
        try:
            await client.views_open(trigger_id=body["trigger_id"], view=MODAL)
        except SlackApiError as error:
            refused.append(cast(Any, error.response)["error"])
        title = {"type": "plain_text", "text": "Ingest now"}
        await client.views_update(view_id=view["view"]["id"], view=MODAL | {"title": title})

    async def sent(ack: Any, view: Json) -> None:
        submitted.append(view["state"]["values"])
        if len(submitted) == 1:
            await ack(response_action="errors", errors={"urls": "Not an address"})
        else:
            await ack()

    bot.app.shortcut("ingest_files")(opened)
    bot.app.view("ingest")(sent)
    file = slack.add_file("a.pdf", b"%PDF", "application/pdf", ana)
    async with connected(slack, bot):
        ts = await slack.say(general, ana, "see here", files=[file])
        await slack.shortcut("ingest_files", general, ts, ana)
        await slack.until(lambda: (seen := slack.modal(ana)) and seen.title == "Ingest now")
        modal = slack.modal(ana)
        assert modal
        assert (modal.text, modal.submit) == ("Files\nAddresses\nWho may see it", "Read")
        assert refused == ["exchanged_trigger_id"]
        with pytest.raises(ValueError, match="'Addresses' is required"):
            await slack.submit(ana)
        again = await slack.submit(ana, {"urls": "x", "scope": "This channel"}, files=[file])
        assert again
        assert again.errors == {"urls": "Not an address"}
        assert await slack.submit(ana, {"Addresses": "https://x.y", "scope": "all"}) is None
        assert submitted[0]["files"]["files"] == {"type": "file_input", "files": [file]}
        assert submitted[1]["urls"]["urls"] == {"type": "plain_text_input", "value": "https://x.y"}
        assert submitted[1]["scope"]["scope"]["selected_option"]["value"] == "all"


async def test_modals_have_limits(slack: FakeSlack, ana: str) -> None:
    client = Bot(slack).app.client

    async def refusal(view: Json, trigger: str) -> str:
        with pytest.raises(SlackApiError) as caught:
            await client.views_open(trigger_id=trigger, view=view)
        return str(cast(Any, caught.value).response["error"])

    title = {"type": "plain_text", "text": "x" * 25}
    assert await refusal(MODAL | {"title": title}, slack.new_trigger(ana)) == "invalid_arguments"
    assert await refusal(MODAL | {"private_metadata": "x" * 3_001}, slack.new_trigger(ana)) == "invalid_arguments"
    assert await refusal(MODAL | {"blocks": [{"type": "divider"}] * 101}, slack.new_trigger(ana)) == "invalid_blocks"
    assert await refusal(MODAL, "1.2") == "invalid_trigger_id"
    slack.trigger_lives = 0
    assert await refusal(MODAL, slack.new_trigger(ana)) == "expired_trigger_id"
    assert slack.modal(ana) is None


async def test_events_come_as_signed_requests(slack: FakeSlack, ana: str, general: str) -> None:
    bot = Bot(slack)

    async def ask(ack: Any) -> None:
        await ack("one moment")

    bot.app.command("/ask")(ask)
    runner = web.AppRunner(bot.app.web_app(path="/slack/events"))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    try:
        with pytest.raises(ConnectionError, match="challenge"):
            await slack.post_events_to(address, "another secret")
        await slack.post_events_to(address, "secret")
        await slack.say(general, ana, "hello", mention=True)
        await slack.until(lambda: len(bot.got) == 2)
        assert await slack.slash("/ask", "where?", ana, general) == {"text": "one moment"}
    finally:
        await runner.cleanup()
