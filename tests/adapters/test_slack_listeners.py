"""What people do in Slack, and what they see of it: with the real bot on a real database."""

import asyncio
from typing import Any

import pytest
from slack_in_process import running
from slack_team import CANTINA, Team

from answering import FERIAS, UNKNOWN, Desk
from fakes.ollama import FakeOllama
from fakes.slack import fake_slack
from kbot.bot import Bot
from kbot.chat import labels_in
from kbot.words import SPOKEN
from kbot_slack.words import words_in

PORTUGUESE = SPOKEN[1]
OURS = words_in("pt")


async def quiet() -> None:
    """Time in which kbot would have begun to answer."""
    await asyncio.sleep(0.7)


async def test_a_thread_goes_on_without_a_mention(team: Team) -> None:
    slack = team.slack
    ts = await slack.say(team.channel, team.bruno, FERIAS, mention=True)
    await team.reply(ts, "22 dias")
    await slack.say(team.channel, team.bruno, FERIAS, thread=ts)
    await slack.until(lambda: sum("22 dias" in seen.text for seen in slack.replies_of_bot(team.channel, ts)) == 2)
    await slack.say(team.channel, team.bruno, f"<@{team.ana}> {FERIAS}", thread=ts)
    top = await slack.say(team.channel, team.bruno, FERIAS)
    await slack.say(team.channel, team.ana, FERIAS, thread=top)
    await quiet()
    assert len(slack.replies_of_bot(team.channel, ts)) == 2
    assert not slack.replies_of_bot(team.channel, top)
    assert not slack.replies_of_bot(team.channel)


async def test_a_direct_message_is_answered_where_it_stands(team: Team) -> None:
    direct = team.slack.direct(team.bruno).id
    await team.slack.say(direct, team.bruno, FERIAS)
    await team.slack.until(lambda: any(seen.sources for seen in team.slack.replies_of_bot(direct)))
    (seen,) = team.slack.replies_of_bot(direct)
    assert "22 dias" in seen.text


async def test_a_mention_whose_message_event_is_missing_is_answered(team: Team) -> None:
    team.slack.events -= {"message.channels"}
    ts = await team.slack.say(team.channel, team.bruno, FERIAS, mention=True)
    await team.reply(ts, "22 dias")


async def test_a_mention_in_an_edit_is_answered_and_a_change_without_new_words_is_not(team: Team) -> None:
    ts = await team.slack.say(team.channel, team.bruno, "Bom dia")
    await quiet()
    assert not team.slack.replies_of_bot(team.channel, ts)
    await team.slack.edit(team.channel, ts, f"<@{team.slack.bot.id}> {FERIAS}")
    reply = await team.reply(ts, "22 dias")
    await team.slack.until(lambda: team.slack.replies_of_bot(team.channel, ts)[0].buttons)
    views = len(team.slack.views(reply.id))
    await team.slack.edit(team.channel, ts, FERIAS)
    await quiet()
    assert len(team.slack.views(reply.id)) == views


async def test_everything_is_acknowledged(team: Team) -> None:
    slack, delivery = team.slack, team.slack.delivery
    slack.deliver({"type": "event_callback", "team_id": slack.team, "event_id": "Ev7", "event": {"type": "pin_added"}})
    await slack.until(lambda: slack.delivered)
    who = {"user": {"id": team.ana}, "team": {"id": slack.team}}
    view: dict[str, Any] = {"id": "V1", "callback_id": "another", "type": "modal", "state": {"values": {}}}
    payloads: list[dict[str, Any]] = [
        {"type": "block_actions", "actions": [{"type": "button", "action_id": "another", "block_id": "b"}]},
        {"type": "view_submission", "view": view},
        {"type": "view_closed", "view": view},
        {"type": "message_action", "callback_id": "another"},
        {"type": "shortcut", "callback_id": "another"},
    ]
    for payload in payloads:
        assert await delivery.call("interactive", payload | who) == {}, payload["type"]
    assert await slack.slash("/another", "", team.ana, team.channel) == {}
    assert {delivered.attempt for delivered in slack.delivered} == {0}
    assert all(delivered.seconds is not None for delivered in slack.delivered)


async def test_ask_is_answered_to_one_person(team: Team) -> None:
    told = await team.slack.slash("/ask", FERIAS, team.bruno, team.channel)
    assert told
    assert told["text"] == f"🔎 {FERIAS}"
    seen = await team.whispered(team.bruno, "22 dias")
    assert seen.sources
    assert team.slack.messages(team.channel) == [], "nobody else sees anything"
    await team.slack.click(seen, "👍", team.bruno)
    await team.whispered(team.bruno, PORTUGUESE.thanks)
    assert not team.slack.traffic.times("chat.update")


async def test_a_stop_tells_the_one_who_asked(own_desk: Desk, model: FakeOllama) -> None:
    model.behaviour = "hangs"
    async with fake_slack() as slack, Bot.open(await own_desk.engine(model)) as bot:
        user = slack.add_user("bruno", locale="pt-BR")
        channel = slack.add_channel("geral", [user])
        async with running(slack, bot):
            await slack.slash("/ask", FERIAS, user, channel)
            await slack.until(lambda: model.requests)
        told = slack.replies_of_bot(channel, user=user)
    assert PORTUGUESE.interrupted in told[-1].text


async def test_direct_messages_may_be_streamed(own_desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.3
    model.words = ["Cada ", "pessoa ", "tem ", "22 ", "dias ", "de ", "férias ", "[1]."]
    async with fake_slack() as slack, Bot.open(await own_desk.engine(model)) as bot:
        user = slack.add_user("bruno", locale="pt-BR")
        direct = slack.direct(user).id
        async with running(slack, bot, native_stream=True):
            ts = await slack.say(direct, user, FERIAS)
            await slack.until(lambda: any(seen.sources for seen in slack.replies_of_bot(direct, ts)))
    (seen,) = slack.replies_of_bot(direct, ts)
    assert seen.text == "".join(model.words)
    assert slack.traffic.times("chat.appendStream")
    assert len(slack.traffic.times("chat.update")) == 1
    assert not any("▌" in str(view.text) for view in slack.views(seen.id))


async def test_ask_may_be_answered_to_all_but_pings_nobody(team: Team) -> None:
    await team.slack.slash("/ask", f"in_channel <!here> {FERIAS}", team.bruno, team.channel)
    await team.slack.until(lambda: team.slack.messages(team.channel))
    (question,) = team.slack.messages(team.channel)
    assert "@bruno" in question.text
    assert FERIAS in question.text
    await team.reply(question.id, "22 dias")
    assert {ping for _, ping in team.slack.pings} == {f"<@{team.bruno}>"}


async def test_ask_says_how_it_is_used_and_where_it_cannot_be(team: Team) -> None:
    told = await team.slack.slash("/ask", " ", team.bruno, team.channel)
    assert told
    assert told["text"].startswith("Escreva a pergunta")
    other = team.slack.add_channel("outro", [team.bruno], bot=False)
    await team.slack.slash("/ask", f"in_channel {FERIAS}", team.bruno, other)
    await team.whispered(team.bruno, OURS.invite, other)
    await team.slack.slash("/ask", FERIAS, team.bruno, other)
    await team.whispered(team.bruno, "22 dias", other)


async def test_the_buttons_below_an_answer(team: Team) -> None:
    slack = team.slack
    ts = await slack.say(team.channel, team.bruno, FERIAS, mention=True)
    seen = await team.reply(ts, "22 dias")
    await slack.until(lambda: slack.replies_of_bot(team.channel, ts)[0].buttons)
    await slack.click(seen.id, "👎", team.bruno)
    await team.whispered(team.bruno, PORTUGUESE.sorry, thread=ts)
    await slack.click(seen.id, "kbot:read", team.bruno)
    modal = await team.modal(team.bruno, "22 dias")
    assert modal.title == PORTUGUESE.read_title
    assert PORTUGUESE.read_cited in modal.text


async def test_a_refusal_can_be_told_to_an_admin_who_finds_it_among_the_gaps(team: Team) -> None:
    slack = team.slack
    ts = await slack.say(team.channel, team.bruno, UNKNOWN, mention=True)
    await slack.until(lambda: any(seen.buttons for seen in slack.replies_of_bot(team.channel, ts)))
    (seen,) = slack.replies_of_bot(team.channel, ts)
    assert seen.sources == ()
    await slack.click(seen, "kbot:report", team.bruno)
    await team.whispered(team.bruno, PORTUGUESE.reported, thread=ts)
    await slack.slash("/gaps", "", team.ana, team.channel)
    await team.modal(team.ana, UNKNOWN)


async def test_what_was_read_is_for_members_alone(team: Team) -> None:
    slack = team.slack
    group = slack.add_channel("rh", [team.bruno, team.ana], kind="group")
    ts = await slack.say(group, team.bruno, FERIAS, mention=True)
    seen = await team.reply(ts, "22 dias", group)
    await slack.until(lambda: slack.replies_of_bot(group, ts)[0].buttons)
    slack.scopes -= {"groups:read", "channels:read"}
    await slack.click(seen.id, "kbot:read", team.bruno)
    await team.modal(team.bruno, "22 dias")
    slack.scopes |= {"groups:read", "channels:read"}
    payload = slack._on(slack.posts[seen.id], team.ana)  # pyright: ignore[reportPrivateUsage]  # a forged click
    slack.channels[group].members.discard(team.ana)
    value = next(each for each in slack.posts[seen.id].blocks if each["type"] == "actions")["elements"][0]["value"]
    action = {"type": "button", "action_id": "kbot:read", "block_id": "b", "value": value}
    await slack._interact(  # pyright: ignore[reportPrivateUsage]  # a forged click
        "block_actions", team.ana, payload | {"actions": [action]}
    )
    modal = await team.modal(team.ana, labels_in("pt").not_yours)
    assert "22 dias" not in modal.text


async def test_files_of_a_mention_come_with_its_message_event(team: Team) -> None:
    file = team.slack.add_file("cantina4.md", CANTINA.format(n=4).encode(), "text/markdown", team.ana)
    ts = await team.slack.say(team.channel, team.ana, "ingerir", mention=True, files=[file], mention_event=False)
    assert "cantina4.md" in (await team.reply(ts, PORTUGUESE.added)).text


async def test_trouble_with_slack_is_told(team: Team, caplog: pytest.LogCaptureFixture) -> None:
    team.slack.scopes.discard("users:read")
    await team.slack.slash("/sources", "", team.ana, team.channel)
    await team.whispered(team.ana, "That did not work")
    assert "listener_failed" in caplog.text
    assert "missing_scope" in caplog.text
