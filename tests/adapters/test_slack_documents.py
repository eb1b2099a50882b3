"""What admins do with documents in Slack, by commands and shortcuts, and what others see of it."""

import pytest
from slack_team import CANTINA, Team

from kbot.words import SPOKEN
from kbot_slack import directory
from kbot_slack.words import words_in

PORTUGUESE = SPOKEN[1]
OURS = words_in("pt")


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
