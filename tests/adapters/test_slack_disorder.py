"""What Slack sends comes late, in another order, or lacks something."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import pytest
from slack_in_process import running

from answering import FERIAS, Desk
from fakes.platform import Faults, Seen
from fakes.slack import FakeSlack, fake_slack
from fakes.slack_events import described
from fakes.slack_world import Message
from kbot.bot import Bot
from kbot.words import SPOKEN

PORTUGUESE = SPOKEN[1]
CANTINA = "# Cantina {name}\n\nA cantina {name} serve almoço das onze às catorze horas.\n"


@dataclass
class Team:
    """A workspace with an admin and kbot in it, of which a test makes the events itself."""

    slack: FakeSlack
    user: str
    channel: str

    def written(self, text: str, channel: str = "", files: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
        """A message of which kbot has not heard yet, as an event describes it."""
        there = channel or self.channel
        message = self.slack.post(Message(self.slack.new_ts(), there, self.user, text, files=files))
        kind = self.slack.channels[there].kind
        return described(self.slack, message) | {"channel": there, "channel_type": kind}

    def tell(self, event: dict[str, Any] | None) -> None:
        """Send kbot an event."""
        payload = {"type": "event_callback", "team_id": self.slack.team, "event_id": f"Ev{uuid.uuid4().hex}"}
        self.slack.deliver(payload | {"event": event})

    def document(self, name: str) -> dict[str, Any]:
        return self.slack.add_file(f"{name}.md", CANTINA.format(name=name).encode(), "text/markdown", self.user)

    @property
    def mention(self) -> str:
        return f"<@{self.slack.bot.id}>"

    async def reply(self, ts: str, words: str) -> Seen:
        def found() -> Seen | None:
            told = self.slack.replies_of_bot(self.channel, ts)
            return next((seen for seen in told if words in seen.text), None)

        seen = await self.slack.until(found)
        assert seen
        assert len(self.slack.replies_of_bot(self.channel, ts)) == 1
        return seen


@pytest.fixture
async def team(own_desk: Desk) -> AsyncGenerator[Team]:
    async with fake_slack() as slack, Bot.open(await own_desk.engine()) as bot:
        user = slack.add_user("ana", admin=True, locale="pt-BR")
        async with running(slack, bot):
            yield Team(slack, user, slack.add_channel("geral", [user]))


async def test_the_files_of_a_mention_may_come_late(team: Team) -> None:
    event = team.written(f"{team.mention} ingerir", files=(team.document("tardia"),))
    bare = {name: value for name, value in event.items() if name not in {"files", "upload", "channel_type"}}
    team.tell(bare | {"type": "app_mention"})
    await asyncio.sleep(0.6)
    assert not team.slack.replies_of_bot(team.channel, event["ts"])
    team.tell(event | {"subtype": "file_share"})
    assert "tardia.md" in (await team.reply(event["ts"], PORTUGUESE.added)).text


async def test_a_mention_alone_waits_no_longer_than_it_has_to(team: Team) -> None:
    event = team.written(f"{team.mention} {FERIAS}")
    began = time.monotonic()
    team.tell(event | {"type": "app_mention"})
    reply = await team.reply(event["ts"], "22 dias")
    assert team.slack.views(reply.id)[0].at - began < 1
    bare = team.written(f"{team.mention} ingerir")
    team.tell(bare | {"type": "app_mention"})
    await team.slack.until(lambda: team.slack.find(PORTUGUESE.no_files))


async def test_a_deletion_may_come_before_its_message(team: Team) -> None:
    direct = team.slack.direct(team.user).id
    gone, kept = team.written(FERIAS, direct), team.written(FERIAS, direct)
    deletion = {"type": "message", "subtype": "message_deleted", "channel": direct, "channel_type": "im"}
    team.slack.posts[gone["ts"]].deleted = True
    team.tell(deletion | {"ts": team.slack.new_ts(), "deleted_ts": gone["ts"], "previous_message": gone})
    await team.slack.until(lambda: team.slack.delivered and team.slack.delivered[-1].seconds is not None)
    team.tell(gone)
    team.tell(kept)
    await team.slack.until(lambda: any("22 dias" in seen.text for seen in team.slack.replies_of_bot(direct)))
    await asyncio.sleep(0.3)
    assert len(team.slack.replies_of_bot(direct)) == 1


async def test_a_file_of_which_slack_says_nothing_is_asked_for(team: Team) -> None:
    file = team.document("conectada")
    team.slack.faults, team.slack.faulty = Faults(1.0, ("error",)), "files.info"
    bare: dict[str, Any] = {"id": file["id"], "file_access": "check_file_info"}
    event = team.written(f"{team.mention} ingerir", files=(bare,))
    team.tell(event | {"subtype": "file_share"})
    await team.slack.until(lambda: team.slack.faults.made["error"])
    team.slack.faults = Faults()
    assert "conectada.md" in (await team.reply(event["ts"], PORTUGUESE.added)).text


@pytest.mark.parametrize("mode", [{"mode": "hidden_by_limit"}, {"file_access": "check_file_info"}])
async def test_a_file_that_slack_holds_back_is_told(team: Team, mode: dict[str, str]) -> None:
    event = team.written(f"{team.mention} ingerir", files=({"id": "F404", **mode},))
    team.tell(event | {"subtype": "file_share"})
    receipt = await team.reply(event["ts"], "Slack retém")
    assert "F404" in receipt.text


async def test_the_shortcut_asks_for_such_a_file_as_well(team: Team) -> None:
    file = team.document("atalho")
    event = team.written("o cardápio", files=({"id": file["id"], "file_access": "check_file_info"},))
    await team.slack.shortcut("kbot:ingest_files", team.channel, event["ts"], team.user)
    assert "atalho.md" in (await team.reply(event["ts"], PORTUGUESE.added)).text


async def test_a_name_of_which_slack_made_a_link_can_be_forgotten(team: Team) -> None:
    event = team.written(f"{team.mention} ingerir", files=(team.document("ligada"),))
    team.tell(event | {"subtype": "file_share"})
    await team.reply(event["ts"], PORTUGUESE.added)
    told = PORTUGUESE.forgotten.format(name="`ligada.md`")
    payload = {"command": "/forget", "text": "<http://ligada.md|ligada.md>", "user_id": team.user}
    payload |= {"channel_id": team.channel, "trigger_id": "1", "team_id": team.slack.team}
    payload |= {"response_url": team.slack.new_hook(team.user, team.channel)}
    await team.slack.delivery.call("slash_commands", payload)
    await team.slack.until(
        lambda: any(seen.text == told for seen in team.slack.replies_of_bot(team.channel, user=team.user))
    )


@pytest.mark.parametrize("kind", ["limited", "error"])
async def test_what_was_read_is_shown_though_slack_stumbles(team: Team, kind: str) -> None:
    slack = team.slack
    group = slack.add_channel("rh", [team.user], kind="group")
    ts = await slack.say(group, team.user, FERIAS, mention=True)
    await slack.until(lambda: any(seen.buttons for seen in slack.replies_of_bot(group, ts)))
    slack.faults, slack.faulty = Faults(1.0, (kind,)), "conversations.members"
    await slack.click(slack.replies_of_bot(group, ts)[0].id, "kbot:read", team.user)
    await slack.until(lambda: slack.faults.made[kind])
    slack.faults = Faults()
    await slack.until(lambda: (modal := slack.modal(team.user)) and "22 dias" in modal.text)


async def test_what_lacks_something_is_acknowledged_and_told_in_a_line(
    team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    slack = team.slack
    ts, who = slack.new_ts(), {"user": {"id": team.user}, "team": {"id": slack.team}}
    message = {"type": "message", "channel": team.channel, "channel_type": "channel", "ts": ts}
    events: list[dict[str, Any] | None] = [
        {"type": "message"},
        {"type": "app_mention", "channel": None, "ts": ts, "text": "x"},
        {"type": "message", "channel": team.channel},
        message | {"subtype": "message_changed"},
        message | {"subtype": "message_changed", "message": None, "previous_message": None},
        message | {"subtype": "message_changed", "message": {"text": "x", "edited": {}}},
        message | {"subtype": "message_changed", "message": {"subtype": "tombstone"}},
        message | {"subtype": "message_deleted"},
        message | {"user": team.user, "text": f"{team.mention} ingerir", "files": [None, {}]},
    ]
    for event in events:
        team.tell(event)
    await slack.until(lambda: sum(each.seconds is not None for each in slack.delivered) == len(events))
    assert caplog.text.count("payload_incomplete") == 3
    clicks: list[dict[str, Any]] = [
        {"type": "block_actions", "actions": [{"type": "button", "action_id": action, "block_id": "b"}]}
        for action in ("kbot:rate", "kbot:read", "kbot:report", "kbot:page:next", "kbot:page:back")
    ]
    interactive = [
        *(click | who for click in clicks),
        {"type": "block_actions", "actions": [{"type": "button", "action_id": "kbot:rate", "value": "helpful:1"}]},
        {"type": "message_action", "callback_id": "kbot:ingest_files"} | who,
        {"type": "view_submission", "view": {"id": "V1", "callback_id": "kbot:ingest", "type": "modal"}} | who,
    ]
    for payload in interactive:
        assert await slack.delivery.call("interactive", payload) == {}, payload
    for command in ("/ask", "/ingest", "/sources", "/gaps", "/forget"):
        assert await slack.delivery.call("slash_commands", {"command": command, "text": "x"}) == {}, command
    assert caplog.text.count("payload_incomplete") == 3 + len(interactive) + 5
    assert "Traceback" not in caplog.text
    after = await slack.say(team.channel, team.user, FERIAS, mention=True)
    await team.reply(after, "22 dias")
