"""What people do in Slack, and what they see of it: with the real bot on a real database."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import pytest
from slack_in_process import running

from answering import FERIAS, UNKNOWN, Desk, desk_with_documents
from fakes.ollama import FakeOllama
from fakes.platform import Seen
from fakes.slack import FakeSlack, fake_slack
from fakes.slack_views import Modal
from kbot.bot import Bot
from kbot.chat import labels_in
from kbot.models import Embedder
from kbot.words import SPOKEN
from kbot_slack import directory
from kbot_slack.adapter import SlackAdapter
from kbot_slack.words import words_in

PORTUGUESE = SPOKEN[1]
OURS = words_in("pt")
CANTINA = "# Cantina {n}\n\nA cantina {n} serve almoço das onze e meia às catorze horas.\n"


@dataclass
class Team:
    """A workspace with kbot in it: ana is an admin, bruno is not; both are in one channel."""

    slack: FakeSlack
    adapter: SlackAdapter
    ana: str
    bruno: str
    channel: str

    async def reply(self, ts: str, words: str, channel: str = "") -> Seen:
        """kbot's reply to a message, once it holds the words."""
        there = channel or self.channel
        await self.slack.until(lambda: any(words in seen.text for seen in self.slack.replies_of_bot(there, ts)))
        (seen,) = self.slack.replies_of_bot(there, ts)
        return seen

    async def whispered(self, user: str, words: str, channel: str = "", thread: str | None = None) -> Seen:
        """What kbot tells a person alone, once it holds the words."""
        there = channel or self.channel

        def found() -> Seen | None:
            told = self.slack.replies_of_bot(there, thread, user)
            return next((seen for seen in told if seen.to == user and words in seen.text), None)

        seen = await self.slack.until(found)
        assert seen
        return seen

    async def modal(self, user: str, words: str) -> Modal:
        """What is open before a person, once it holds the words."""
        await self.slack.until(lambda: (modal := self.slack.modal(user)) and words in modal.text)
        modal = self.slack.modal(user)
        assert modal
        return modal


@pytest.fixture(scope="module")
async def desk(
    server: str, template: str, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Desk]:
    """A database of its own, for these tests add documents."""
    async with desk_with_documents(server, template, embedder, tmp_path_factory.mktemp("team")) as opened:
        yield opened


@pytest.fixture
async def team(desk: Desk) -> AsyncGenerator[Team]:
    async with fake_slack() as slack, Bot.open(await desk.engine()) as bot:
        ana = slack.add_user("ana", admin=True, locale="pt-BR")
        bruno = slack.add_user("bruno", locale="pt-BR")
        channel = slack.add_channel("geral", [ana, bruno])
        async with running(slack, bot) as adapter:
            yield Team(slack, adapter, ana, bruno, channel)


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


async def test_a_stop_tells_the_one_who_asked(desk: Desk, model: FakeOllama) -> None:
    model.behaviour = "hangs"
    async with fake_slack() as slack, Bot.open(await desk.engine(model)) as bot:
        user = slack.add_user("bruno", locale="pt-BR")
        channel = slack.add_channel("geral", [user])
        async with running(slack, bot):
            await slack.slash("/ask", FERIAS, user, channel)
            await slack.until(lambda: model.requests)
        told = slack.replies_of_bot(channel, user=user)
    assert PORTUGUESE.interrupted in told[-1].text


async def test_direct_messages_may_be_streamed(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.3
    model.words = ["Cada ", "pessoa ", "tem ", "22 ", "dias ", "de ", "férias ", "[1]."]
    async with fake_slack() as slack, Bot.open(await desk.engine(model)) as bot:
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


async def test_ingest_opens_a_window_whose_receipt_stands_in_the_channel(team: Team) -> None:
    slack = team.slack
    file = slack.add_file("cantina1.md", CANTINA.format(n=1).encode(), "text/markdown", team.ana)
    await slack.slash("/ingest", "", team.ana, team.channel)
    modal = await team.modal(team.ana, "geral")
    assert (modal.title, modal.submit) == ("Ingerir documentos", "Ingerir")
    wrong = await slack.submit(team.ana, {"urls": "ftp://x"})
    assert wrong
    assert "http" in wrong.errors["urls"]
    bare = {"id": file["id"], "name": file["name"]}
    assert await slack.submit(team.ana, {"scope": "channel"}, files=[bare]) is None
    await slack.until(lambda: slack.find(PORTUGUESE.added))
    (receipt,) = slack.replies_of_bot(team.channel)
    assert "cantina1.md" in receipt.text
    await slack.slash("/ask", "A que horas a cantina 1 serve almoço?", team.bruno, team.channel)
    await team.whispered(team.bruno, "onze e meia")


async def test_where_kbot_is_not_the_receipt_comes_directly(team: Team) -> None:
    slack = team.slack
    other = slack.add_channel("outro", [team.ana], bot=False)
    file = slack.add_file("cantina2.md", CANTINA.format(n=2).encode(), "text/markdown", team.ana)
    await slack.slash("/ingest", "", team.ana, other)
    await team.modal(team.ana, "outro")
    refused = await slack.submit(team.ana, {"scope": "channel"}, files=[file])
    assert refused
    assert refused.errors["scope"] == OURS.not_here
    assert await slack.submit(team.ana, {"scope": "shared"}, files=[file]) is None
    direct = slack.direct(team.ana).id
    await slack.until(lambda: any(PORTUGUESE.added in seen.text for seen in slack.replies_of_bot(direct)))
    opening, receipt = slack.replies_of_bot(direct)
    assert "#outro" in opening.text
    assert "cantina2.md" in receipt.text


async def test_the_shortcut_ingests_the_files_of_a_message(team: Team) -> None:
    slack = team.slack
    file = slack.add_file("cantina3.md", CANTINA.format(n=3).encode(), "text/markdown", team.bruno)
    ts = await slack.say(team.channel, team.bruno, "o cardápio", files=[file])
    await slack.shortcut("kbot:ingest_files", team.channel, ts, team.bruno)
    await team.whispered(team.bruno, PORTUGUESE.only_admins)
    await slack.shortcut("kbot:ingest_files", team.channel, ts, team.ana)
    assert "cantina3.md" in (await team.reply(ts, PORTUGUESE.added)).text
    bare = await slack.say(team.channel, team.bruno, "sem arquivo")
    await slack.shortcut("kbot:ingest_files", team.channel, bare, team.ana)
    await team.whispered(team.ana, PORTUGUESE.no_files)


@pytest.mark.parametrize("command", ["/ingest", "/sources", "/gaps"])
async def test_who_is_no_admin_is_told_so(team: Team, command: str) -> None:
    await team.slack.slash(command, "", team.bruno, team.channel)
    await team.whispered(team.bruno, PORTUGUESE.only_admins)
    assert team.slack.modal(team.bruno) is None


async def test_who_is_no_admin_any_more_cannot_send_the_window(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_PERSON_SECONDS", 0.0)
    await team.slack.slash("/ingest", "", team.ana, team.channel)
    await team.modal(team.ana, "geral")
    team.slack.users[team.ana].admin = False
    refused = await team.slack.submit(team.ana, {"urls": "https://example.org/a.html"})
    assert refused
    assert refused.errors["urls"] == PORTUGUESE.only_admins


async def test_the_lists_are_turned_page_by_page(team: Team) -> None:
    slack = team.slack
    names = [f"{'um-nome-bem-comprido-' * 4}{n:02}.md" for n in range(20)]
    files = [slack.add_file(name, f"# {name}".encode(), "text/markdown", team.ana) for name in names]
    await slack.say(team.channel, team.ana, "ingerir", mention=True, files=files)
    await slack.until(lambda: slack.find("20 de 20"), timeout=20)
    await slack.slash("/sources", "", team.ana, team.channel)
    first = await team.modal(team.ana, "1/")
    assert first.title == PORTUGUESE.sources_title
    assert first.buttons == ("Avançar",)
    await slack.click(first, "kbot:page:next", team.ana)
    second = await team.modal(team.ana, "2/")
    assert "Voltar" in second.buttons
    assert second.text != first.text
    await slack.click(second, "kbot:page:back", team.ana)
    assert (await team.modal(team.ana, "1/")).text == first.text


async def test_forget(team: Team) -> None:
    slack = team.slack
    file = slack.add_file(
        "velho.md", b"# Velho\n\nUm documento velho que ninguem quer mais.\n", "text/markdown", team.ana
    )
    await slack.say(team.channel, team.ana, "ingerir", mention=True, files=[file])
    await slack.until(lambda: slack.find(PORTUGUESE.added))
    await slack.slash("/forget", "", team.ana, team.channel)
    await team.whispered(team.ana, "/forget manual.pdf")
    await slack.slash("/forget", "velho.md", team.bruno, team.channel)
    await team.whispered(team.bruno, PORTUGUESE.only_admins)
    await slack.slash("/forget", "velho.md", team.ana, team.channel)
    seen = await team.whispered(team.ana, "velho.md")
    assert PORTUGUESE.forgotten.split("{name}")[1].strip() in seen.text


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
