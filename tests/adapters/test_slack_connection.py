"""How events reach kbot: whatever happens to the connection, each question is answered, and once."""

import asyncio
import hashlib
import hmac
import json
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from pydantic import SecretStr
from slack_in_process import running, settings

from answering import FERIAS, Desk
from fakes.slack import FakeSlack, fake_slack
from kbot.bot import Bot
from kbot.chat import SettingsError
from kbot_slack import connection
from kbot_slack.adapter import SlackAdapter


@pytest.fixture
async def slack() -> AsyncGenerator[FakeSlack]:
    async with fake_slack() as slack:
        yield slack


@pytest.fixture
async def bot(desk: Desk) -> AsyncGenerator[Bot]:
    async with Bot.open(await desk.engine()) as bot:
        yield bot


def somebody(slack: FakeSlack) -> tuple[str, str]:
    user = slack.add_user("ana", locale="pt-BR")
    return slack.add_channel("geral", [user]), user


async def answered(slack: FakeSlack, channel: str, ts: str, timeout: float = 10.0) -> None:
    """The question has one answer."""
    await slack.until(lambda: any("22 dias" in seen.text for seen in slack.replies_of_bot(channel, ts)), timeout)
    assert len(slack.replies_of_bot(channel, ts)) == 1


@pytest.mark.parametrize("trouble", ["dropped", "refreshed", "refused"])
async def test_a_connection_that_ends_is_made_anew(slack: FakeSlack, bot: Bot, trouble: str) -> None:
    slack.time_scale, slack.retry_after = 0.02, (0.0, *[20.0] * 20)
    channel, user = somebody(slack)
    async with running(slack, bot):
        if trouble == "refused":
            slack.refuse_connections(0.5)
        if trouble == "refreshed":
            await slack.refresh_connections()
        else:
            slack.drop_connections()
        ts = await slack.say(channel, user, FERIAS, mention=True)
        await slack.connected()
        await answered(slack, channel, ts)


async def test_a_connection_that_falls_silent_is_made_anew(
    slack: FakeSlack, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEARTBEAT", 0.3)
    slack.time_scale, slack.retry_after = 0.02, (0.0, *[20.0] * 20)
    channel, user = somebody(slack)
    async with running(slack, bot):
        slack.silence_connections()
        ts = await slack.say(channel, user, FERIAS, mention=True)
        await slack.connected()
        await answered(slack, channel, ts)


async def test_a_refreshed_connection_loses_no_event(slack: FakeSlack, bot: Bot) -> None:
    channel, user = somebody(slack)
    async with running(slack, bot):
        await slack.refresh_connections()
        await slack.connected()
        ts = await slack.say(channel, user, FERIAS, mention=True)
        await answered(slack, channel, ts)
        assert {delivered.attempt for delivered in slack.delivered} == {0}
        assert max(delivered.seconds or 9 for delivered in slack.delivered) < 1


async def test_a_token_that_is_revoked_ends_it_with_words(slack: FakeSlack, bot: Bot) -> None:
    channel, user = somebody(slack)
    adapter = SlackAdapter(settings(slack))
    serving = asyncio.create_task(adapter.run(bot))
    await slack.connected()
    await slack.say(channel, user, FERIAS, mention=True)
    await slack.until(lambda: slack.delivered)
    slack.revoke_tokens()
    slack.drop_connections()
    with pytest.raises(SettingsError, match=r"KBOT_SLACK_(BOT|APP)_TOKEN any more"):
        await asyncio.wait_for(serving, 10)


async def test_an_uninstalled_app_is_noticed_at_once(slack: FakeSlack, bot: Bot) -> None:
    adapter = SlackAdapter(settings(slack))
    serving = asyncio.create_task(adapter.run(bot))
    await slack.connected()
    event = {"type": "tokens_revoked", "tokens": {"bot": [slack.bot.id]}}
    payload = {"type": "event_callback", "team_id": slack.team, "event_id": "Ev1", "event": event}
    slack.deliver(payload)
    await slack.until(lambda: slack.traffic.times("auth.test"))
    assert not serving.done(), "it was another's token"
    slack.revoke_tokens()
    slack.deliver(payload)
    with pytest.raises(SettingsError, match="KBOT_SLACK_BOT_TOKEN any more"):
        await asyncio.wait_for(serving, 10)


async def test_nothing_is_left_after_the_end(slack: FakeSlack, bot: Bot) -> None:
    before = asyncio.all_tasks()
    async with running(slack, bot) as adapter:
        assert not adapter.session.closed
    assert adapter.session.closed
    await slack.until(lambda: not slack.delivery.sockets)
    assert not [task for task in asyncio.all_tasks() - before if "kbot" in repr(task.get_coro())]


@asynccontextmanager
async def listening(slack: FakeSlack, bot: Bot) -> AsyncGenerator[str]:
    """kbot takes signed events; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    chosen = settings(slack, app_token=SecretStr(""), signing_secret=SecretStr("s3cret"), port=port)
    serving = asyncio.create_task(SlackAdapter(chosen).run(bot))
    address = f"http://127.0.0.1:{port}"
    try:
        async with aiohttp.ClientSession() as session, asyncio.timeout(10):
            while not await _healthy(session, address):
                await asyncio.sleep(0.02)
        yield address
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def _healthy(session: aiohttp.ClientSession, address: str) -> bool:
    try:
        async with session.get(f"{address}/health") as response:
            return response.status == 200
    except aiohttp.ClientError:
        return False


async def test_events_may_come_as_signed_requests(slack: FakeSlack, bot: Bot) -> None:
    channel, user = somebody(slack)
    async with listening(slack, bot) as address:
        await slack.post_events_to(f"{address}/slack/events", "s3cret")
        ts = await slack.say(channel, user, FERIAS, mention=True)
        await answered(slack, channel, ts)
        told = await slack.slash("/ask", "", user, channel)
        assert told is not None
        assert "/ask" in told["text"]


async def test_what_is_not_signed_is_refused(slack: FakeSlack, bot: Bot) -> None:
    body = json.dumps({"type": "event_callback", "team_id": slack.team, "event": {"type": "message"}})
    async with listening(slack, bot) as address, aiohttp.ClientSession() as session:
        async with session.post(f"{address}/slack/events", data=body) as response:
            assert response.status == 401
        with pytest.raises(ConnectionError):
            await slack.post_events_to(f"{address}/slack/events", "another secret")


def signature(secret: str, stamp: str, body: bytes) -> str:
    return "v0=" + hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()


async def test_what_anybody_can_send_is_refused_in_a_line_each(
    slack: FakeSlack, bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    now = str(int(time.time()))
    good = b'{"type": "event_callback"}'
    signed = [
        (body, now, signature("s3cret", now, body)) for body in (b"{{{", b"\xff\xfe", b"[]", b"null", b"payload=%7B")
    ]
    old = str(int(now) - 3_600)
    unsigned = [
        (good, "abc", signature("s3cret", "abc", good)),
        (good, "²", "v0=x"),
        (good, "9" * 5_000, "v0=x"),
        (good, old, signature("s3cret", old, good)),
        (good, now, "v0=é"),
        (good, now, signature("another", now, good)),
        (b"\xff", now, "v0=x"),
    ]
    async with listening(slack, bot) as address, aiohttp.ClientSession() as session:
        for status, requests in ((400, signed), (401, unsigned)):
            for body, stamp, sign in requests:
                caplog.clear()
                headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": sign}
                if not body.startswith(b"payload"):
                    headers["Content-Type"] = "application/json"
                async with session.post(f"{address}/slack/events", data=body, headers=headers) as response:
                    assert response.status == status, (body, stamp, sign)
                assert len(caplog.records) == 1
                assert "Traceback" not in caplog.text
        headers = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": signature("s3cret", now, b'{"event": null}')}
        async with session.post(f"{address}/slack/events", data=b'{"event": null}', headers=headers) as response:
            assert response.status == 200


async def test_frames_that_are_no_objects_are_passed_over(
    slack: FakeSlack, bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    channel, user = somebody(slack)
    frames = ("[]", "null", '"x"', "1", "no json")
    payloads = ("null", "[]", "{}", '{"type": "event_callback", "event": null}')
    async with running(slack, bot):
        (connection,) = slack.delivery.sockets
        for frame in frames:
            await connection.ws.send_str(frame)
        for payload in payloads:
            await connection.ws.send_str(f'{{"envelope_id": "e", "type": "events_api", "payload": {payload}}}')
        ts = await slack.say(channel, user, FERIAS, mention=True)
        await answered(slack, channel, ts)
        assert slack.delivery.sockets == [connection]
    assert caplog.text.count("frame_ignored") == len(frames)
    assert "Traceback" not in caplog.text


async def test_a_port_that_is_taken_is_named(slack: FakeSlack, bot: Bot) -> None:
    async with listening(slack, bot) as address:
        port = int(address.rpartition(":")[2])
        chosen = settings(slack, app_token=SecretStr(""), signing_secret=SecretStr("s"), port=port)
        with pytest.raises(SettingsError, match=f"127.0.0.1:{port} .*KBOT_SLACK_PORT"):
            await asyncio.wait_for(SlackAdapter(chosen).run(bot), 10)
