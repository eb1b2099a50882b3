"""The local Slack enforces what Slack does: asked by the real client library."""

import os
import time
from collections.abc import AsyncGenerator
from typing import Any, cast

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from fakes.platform import Faults
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
async def client(slack: FakeSlack) -> AsyncGenerator[Any]:
    """An `AsyncWebClient`, of whose types a good part is unknown."""
    async with aiohttp.ClientSession() as session:
        yield cast(Any, AsyncWebClient)(slack.bot_token, base_url=slack.api_url, session=session, retry_handlers=[])


@pytest.fixture
def ana(slack: FakeSlack) -> str:
    return slack.add_user("ana", admin=True, locale="pt-BR")


@pytest.fixture
def general(slack: FakeSlack, ana: str) -> str:
    return slack.add_channel("general", [ana])


async def refusal(call: Any) -> str:
    """The code with which Slack refuses the call."""
    with pytest.raises(SlackApiError) as caught:
        await call
    answer = cast(Json, cast(Any, caught.value).response.data)
    return str(answer["error"])


def markdown(text: str, **more: str) -> Json:
    return {"type": "markdown", "text": text, **more}


def button(label: str, **more: str) -> Json:
    return {"type": "button", "text": {"type": "plain_text", "text": label}, "action_id": label, **more}


async def test_each_token_opens_its_own_doors(slack: FakeSlack, client: Any) -> None:
    told = await client.auth_test()
    assert (told["team_id"], told["user_id"], told["bot_id"]) == (slack.team, slack.bot.id, slack.bot_id)
    assert set(told.headers["x-oauth-scopes"].split(",")) == slack.scopes
    opened = await client.apps_connections_open(app_token=slack.app_token)
    assert str(opened["url"]).startswith("ws://127.0.0.1")
    assert await refusal(client.auth_test(token="xoxb-wrong")) == "invalid_auth"
    assert await refusal(client.auth_test(token=slack.app_token)) == "not_allowed_token_type"
    assert await refusal(client.apps_connections_open(app_token=slack.bot_token)) == "not_allowed_token_type"
    nobody = cast(Any, AsyncWebClient)(base_url=client.base_url, session=client.session)
    assert await refusal(nobody.auth_test()) == "not_authed"
    assert await refusal(client.api_call("chat.shout")) == "unknown_method"
    slack.socket_mode = False
    assert await refusal(client.apps_connections_open(app_token=slack.app_token)) == "socket_mode_not_enabled"
    slack.revoke_tokens()
    assert await refusal(client.auth_test()) == "token_revoked"


async def test_a_missing_scope_is_named(slack: FakeSlack, client: Any, general: str) -> None:
    with pytest.raises(SlackApiError) as caught:
        await client.files_upload_v2(filename="a.txt", content="all", channel=general)
    assert cast(Any, caught.value).response["needed"] == "files:write"
    assert "users:read" in cast(Any, caught.value).response["provided"]
    slack.scopes |= {"files:write", "channels:read", "im:write"}
    await client.files_upload_v2(filename="a.txt", content="all of it", channel=general)
    (file,) = list(slack.posts.values())[-1].files
    assert slack.contents[file["id"]] == b"all of it"
    assert (await client.conversations_info(channel=general))["channel"]["is_member"]
    members = await client.conversations_members(channel=general, limit=1)
    assert [len(page["members"]) async for page in members] == [1, 1]


async def test_people_are_described(client: Any, ana: str) -> None:
    told = (await client.users_info(user=ana, include_locale=True))["user"]
    assert (told["is_admin"], told["is_owner"], told["locale"]) == (True, False, "pt-BR")
    assert "locale" not in (await client.users_info(user=ana))["user"]
    assert await refusal(client.users_info(user="U1")) == "user_not_found"


async def test_sizes_are_those_of_slack(slack: FakeSlack, client: Any, general: str) -> None:
    ts = (await client.chat_postMessage(channel=general, text="x" * 50_000))["ts"]
    assert len(slack.messages(general)[0].text) == 40_000
    assert await refusal(client.chat_update(channel=general, ts=ts, text="x" * 4_001)) == "msg_too_long"
    blank = client.api_call("chat.postMessage", json={"channel": general, "text": " "})
    assert await refusal(blank) == "no_text"
    many = [markdown("x" * 6_000), {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_000}}]
    many += [{"type": "header", "text": {"type": "plain_text", "text": "x" * 150}}] * 29
    assert await refusal(client.chat_update(channel=general, ts=ts, text="t", blocks=many)) == "msg_blocks_too_long"


@pytest.mark.parametrize(
    "blocks",
    [
        [markdown("x" * 12_001)],
        [markdown("")],
        [markdown("x" * 7_000), markdown("x" * 5_001)],
        [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}],
        [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}],
        [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
        [{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}],
        [{"type": "actions", "elements": [button("x" * 76)]}],
        [{"type": "actions", "elements": [button("x", value="x" * 2_001)]}],
        [{"type": "actions", "elements": [button("x"), button("x")]}],
        [markdown("a", block_id="one"), markdown("b", block_id="one")],
        [markdown("a", block_id="x" * 256)],
        [{"type": "divider"}] * 51,
        [{"type": "surprise"}],
        [{"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "f"}]}],
    ],
)
async def test_malformed_blocks_are_refused_with_a_reason(client: Any, general: str, blocks: list[Json]) -> None:
    with pytest.raises(SlackApiError, match="invalid_blocks") as caught:
        await client.chat_postMessage(channel=general, text="t", blocks=blocks)
    assert "json-pointer:/blocks" in str(cast(Any, caught.value).response["response_metadata"]["messages"])


async def test_an_update_without_blocks_drops_them_and_is_marked(slack: FakeSlack, client: Any, general: str) -> None:
    below = {
        "type": "context",
        "elements": [{"type": "mrkdwn", "text": "*Sources*\n1. <https://x.y|Manual> · p. 2\n2. Notes"}],
    }
    sent = await client.chat_postMessage(
        channel=general,
        text="short",
        blocks=[markdown("a &lt; b"), below, {"type": "actions", "elements": [button("Go")]}],
    )
    (seen,) = slack.messages(general)
    assert (seen.text, seen.sources, seen.buttons) == ("a < b", ("1. Manual · p. 2", "2. Notes"), ("Go",))
    await client.chat_update(channel=general, ts=sent["ts"], text="t", blocks=[markdown("new")])
    assert not slack.messages(general)[0].edited
    await client.chat_update(channel=general, ts=sent["ts"], text="only text")
    (seen,) = slack.messages(general)
    assert (seen.text, seen.sources, seen.buttons, seen.edited) == ("only text", (), (), True)
    await client.chat_delete(channel=general, ts=sent["ts"])
    assert [view.text for view in slack.views(seen.id)] == ["a < b", "new", "only text", None]


async def test_what_calls_people_or_unfolds_links_is_noted(
    slack: FakeSlack, client: Any, general: str, ana: str
) -> None:
    await client.chat_postMessage(
        channel=general, text="&lt;!here&gt; https://x.y", unfurl_links=False, unfurl_media=False
    )
    assert (slack.pings, slack.unfurls) == ([], [])
    assert slack.messages(general)[0].text == "<!here> https://x.y"
    sent = await client.chat_postMessage(
        channel=general, text="t", blocks=[markdown(f"<!channel> <@{ana}> https://x.y")]
    )
    assert slack.pings == [(sent["ts"], "<!channel>"), (sent["ts"], f"<@{ana}>")]
    assert slack.unfurls == [(sent["ts"], "https://x.y")]
    assert slack.messages(general)[1].text == "@channel @ana https://x.y"


async def test_places_out_of_reach(slack: FakeSlack, client: Any, general: str, ana: str) -> None:
    theirs = await slack.say(general, ana, "hello")
    mine = (await client.chat_postMessage(channel=general, text="hi", thread_ts=theirs))["ts"]
    assert await refusal(client.chat_postMessage(channel="C0", text="t")) == "channel_not_found"
    assert await refusal(client.chat_postMessage(channel=general, text="t", thread_ts="1.2")) == "thread_not_found"
    assert (
        await refusal(client.chat_postMessage(channel=general, text="t", thread_ts=mine)) == "cannot_reply_to_message"
    )
    assert await refusal(client.chat_update(channel=general, ts=theirs, text="t")) == "cant_update_message"
    assert await refusal(client.chat_delete(channel=general, ts=theirs)) == "cant_delete_message"
    assert await refusal(client.chat_update(channel=general, ts="1.2", text="t")) == "message_not_found"
    secret = slack.add_channel("secret", [ana], kind="group", bot=False)
    assert await refusal(client.chat_postMessage(channel=secret, text="t")) == "channel_not_found"
    stranger = slack.add_user("bob")
    assert await refusal(client.chat_postEphemeral(channel=general, user=stranger, text="t")) == "user_not_in_channel"
    slack.archive(general)
    assert await refusal(client.chat_postMessage(channel=general, text="t")) == "is_archived"
    assert await refusal(client.chat_update(channel=general, ts=mine, text="t")) == "is_inactive"
    slack.kick_bot(general)
    assert await refusal(client.chat_update(channel=general, ts=mine, text="t")) == "not_in_channel"
    await slack.delete(general, mine)
    await slack.delete(general, theirs)
    assert slack.messages(general) == []


async def test_an_ephemeral_message_is_for_one_person(slack: FakeSlack, client: Any, general: str, ana: str) -> None:
    sent = await client.chat_postEphemeral(channel=general, user=ana, text="psst")
    assert slack.messages(general) == []
    assert [(seen.text, seen.to) for seen in slack.messages(general, user=ana)] == [("psst", ana)]
    assert await refusal(client.chat_update(channel=general, ts=sent["message_ts"], text="t")) == "message_not_found"


async def test_rates(slack: FakeSlack, client: Any, general: str) -> None:
    slack.rates["chat.update"] = 3
    slack.burst = 2
    await client.chat_postMessage(channel=general, text="t")
    ts = (await client.chat_postMessage(channel=general, text="t"))["ts"]
    assert await refusal(client.chat_postMessage(channel=general, text="t")) == "ratelimited"
    elsewhere = slack.add_channel("elsewhere")
    await client.chat_postMessage(channel=elsewhere, text="t")
    for n in range(3):
        await client.chat_update(channel=general, ts=ts, text=str(n))
    with pytest.raises(SlackApiError) as caught:
        await client.chat_update(channel=general, ts=ts, text="too many")
    response = cast(Any, caught.value).response
    assert (response.status_code, 55 <= int(response.headers["Retry-After"]) <= 60) == (429, True)
    assert slack.messages(general)[1].text == "2"
    assert slack.traffic.most_per_minute("chat.update") == 3


@pytest.mark.parametrize(
    ("kind", "status", "took_effect"),
    [
        ("limited", 429, False),
        ("limited_fraction", 429, False),
        ("limited_ok", 200, False),
        ("error", 503, False),
        ("drop", None, False),
        ("lost", None, True),
    ],
)
async def test_faults(
    slack: FakeSlack, client: Any, general: str, kind: str, status: int | None, took_effect: bool
) -> None:
    slack.faults = Faults(1.0, (kind,))
    with pytest.raises(SlackApiError if status else aiohttp.ClientError) as caught:
        await client.chat_postMessage(channel=general, text="t")
    assert status is None or cast(Any, caught.value).response.status_code == status
    assert bool(slack.messages(general)) == took_effect
    assert [call[1:] for call in slack.traffic.calls] == [("chat.postMessage", kind)]
    await client.auth_test()


async def test_a_native_stream_is_closed_by_the_server(slack: FakeSlack, client: Any, ana: str, general: str) -> None:
    direct = slack.direct(ana).id
    question = await slack.say(direct, ana, "where?")
    stream = await client.chat_stream(channel=direct, thread_ts=question, buffer_size=1)
    await stream.append(markdown_text="In **Lis")
    ts = cast(str, stream.ts)
    assert await refusal(client.chat_update(channel=direct, ts=ts, text="t")) == "streaming_state_conflict"
    assert await refusal(client.chat_delete(channel=direct, ts=ts)) == "cant_delete_message"
    await stream.append(markdown_text="bon**")
    await stream.stop(blocks=[{"type": "actions", "elements": [button("Go")]}])
    (seen,) = slack.messages(direct, question)
    assert (seen.text, seen.buttons) == ("In **Lisbon**", ("Go",))
    closed = client.chat_appendStream(channel=direct, ts=ts, markdown_text="more")
    assert await refusal(closed) == "message_not_in_streaming_state"

    slack.time_scale = 0
    ts = (await client.chat_startStream(channel=direct, thread_ts=question, markdown_text="Half"))["ts"]
    assert await refusal(client.chat_stopStream(channel=direct, ts=ts)) == "message_not_in_streaming_state"
    await client.chat_update(channel=direct, ts=ts, text="whole")
    assert slack.messages(direct, question)[1].text == "whole"
    top = await slack.say(general, ana, "and here?")
    assert await refusal(client.chat_startStream(channel=general, thread_ts=top)) == "missing_recipient_user_id"


async def test_a_file_is_for_those_who_have_the_token(slack: FakeSlack, ana: str) -> None:
    file = slack.add_file("manual.pdf", b"%PDF-1.7", "application/pdf", ana)
    right = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession() as session:
        async with session.get(file["url_private"], headers=right) as response:
            assert (await response.read(), response.content_type) == (b"%PDF-1.7", "application/pdf")
        async with session.get(file["url_private"], headers={"Authorization": "Bearer wrong"}) as response:
            assert (response.status, response.content_type) == (200, "text/html")
        slack.files_elsewhere = True
        async with session.get(file["url_private"], headers=right, allow_redirects=False) as response:
            assert (response.status, response.headers["Location"].split(":")[1]) == (302, "//localhost")
    assert slack.tokens_elsewhere == []


async def test_the_time_of_a_message_is_its_id(slack: FakeSlack, ana: str, general: str) -> None:
    ids = [await slack.say(general, ana, str(n)) for n in range(100)]
    assert ids == sorted(set(ids))
    assert abs(float(ids[0]) - time.time()) < 5
    assert slack.find("99") == slack.messages(general)[-1]
