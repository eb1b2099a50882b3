"""Commands, menus and buttons in Discord: with the real bot on a real database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from discord_in_process import running

from answering import FERIAS, UNKNOWN, Desk
from fakes.discord import FakeDiscord, Interaction, fake_discord
from fakes.ollama import FakeOllama
from fakes.platform import Seen
from kbot.bot import Bot
from kbot.prompts import REFUSALS
from kbot.words import SPOKEN
from kbot_discord.adapter import DiscordAdapter
from kbot_discord.words import words_in

PORTUGUESE = SPOKEN[1]
OURS = words_in("pt")


@dataclass
class Server:
    """A server with kbot in it: ana is an admin, bruno is not."""

    world: FakeDiscord
    adapter: DiscordAdapter
    channel: str
    ana: str
    bruno: str

    async def told(self, words: str, user: str | None = None) -> Seen:
        """kbot's last message in the channel, as a person sees it, once it holds the words."""

        def found() -> Seen | None:
            told = [seen for seen in self.world.replies_of_bot(self.channel, user=user) if words in seen.text]
            return told[-1] if told and "🔎" not in told[-1].text else None

        seen = await self.world.until(found)
        assert seen
        return seen

    async def slash(self, name: str, user: str, **options: object) -> Interaction:
        return await self.world.slash(name, user, self.channel, options)


@asynccontextmanager
async def serving(desk: Desk, model: FakeOllama | None = None) -> AsyncGenerator[Server]:
    async with fake_discord() as world, Bot.open(await desk.engine(model)) as bot:
        guild = world.add_guild()
        ana = world.add_member(guild, "ana", admin=True, locale="pt-BR")
        bruno = world.add_member(guild, "bruno", locale="pt-BR")
        channel = world.add_channel(guild)
        async with running(world, bot) as adapter:
            yield Server(world, adapter, channel, ana, bruno)
        assert not world.unanswered()


@pytest.fixture
async def club(desk: Desk) -> AsyncGenerator[Server]:
    async with serving(desk) as it:
        yield it


async def test_ask_grows_in_the_response_and_can_be_changed_without_its_token(club: Server) -> None:
    made = await club.slash("ask", club.bruno, question=FERIAS)
    seen = await club.told("22 dias")
    assert made.response == seen.id
    assert seen.sources
    assert seen.to is None
    assert seen.buttons == ("👍", "👎", "Mostrar tudo o que li")
    assert club.world.traffic.times("edit message")


async def test_a_private_question_is_answered_to_its_person_alone_and_is_no_history(club: Server) -> None:
    await club.slash("ask", club.bruno, question=FERIAS, private=True)
    seen = await club.told("22 dias", club.bruno)
    assert seen.to == club.bruno
    assert seen.sources
    assert not club.world.replies_of_bot(club.channel)
    await club.world.click(seen, "👍", club.bruno)
    await club.told(PORTUGUESE.thanks, club.bruno)


async def test_a_private_answer_that_takes_too_long_says_so_and_stops(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay, model.words = "slow", 0.05, ["mais "] * 500
    async with serving(desk, model) as club:
        club.adapter.posting.life = 2.0
        await club.slash("ask", club.bruno, question=FERIAS, private=True)
        await club.told(OURS.too_long, club.bruno)
        async with asyncio.timeout(10):
            await model.left.wait()


async def test_a_public_answer_outlives_the_token_of_its_command(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay, model.words = "slow", 0.1, ["mais "] * 30 + ["fim [1]."]
    async with serving(desk, model) as club:
        club.world.time_scale = 1.5 / 900
        await club.slash("ask", club.bruno, question=FERIAS)
        seen = await club.told("fim")
        assert seen.sources


async def test_ask_is_answered_where_kbot_may_not_write(club: Server) -> None:
    club.world.deny(club.channel, "view_channel")
    await club.slash("ask", club.bruno, question=FERIAS)
    seen = await club.told("22 dias")
    assert seen.sources
    await club.slash("ingest", club.ana, urls="https://example.org")
    await club.told("View Channel", club.ana)


async def test_a_refusal_can_be_told_to_the_admins_who_see_it_among_the_gaps(club: Server) -> None:
    await club.slash("ask", club.bruno, question=UNKNOWN)
    seen = await club.told(REFUSALS["pt"])
    assert not seen.sources
    (button,) = seen.buttons
    await club.world.click(seen, button, club.bruno)
    assert (await club.told(PORTUGUESE.reported, club.bruno)).to == club.bruno
    await club.slash("gaps", club.ana)
    told = await club.told("Singapura", club.ana)
    assert told.to == club.ana


async def test_all_that_was_read_is_shown_also_after_a_restart(desk: Desk) -> None:
    async with fake_discord() as world:
        guild = world.add_guild()
        bruno, channel = world.add_member(guild, "bruno", locale="pt-BR"), world.add_channel(guild)
        async with Bot.open(await desk.engine()) as bot, running(world, bot) as adapter:
            club = Server(world, adapter, channel, "", bruno)
            await club.slash("ask", bruno, question=FERIAS)
            answer = await club.told("22 dias")
            assert world.syncs == 1
        async with Bot.open(await desk.engine()) as bot, running(world, bot):
            assert world.syncs == 1
            await world.click(answer, "Mostrar tudo o que li", bruno)
            first = await club.told(PORTUGUESE.read_title, bruno)
            assert first.to == bruno
            assert "Cada pessoa tem 22 dias" in first.text


async def test_reports_are_turned_page_by_page(club: Server, desk: Desk) -> None:
    files = {
        f"file{n}": (f"pagina-{n}-{'x' * 150}.md", f"# Página {n}\n\nTexto único {n}.\n".encode()) for n in range(1, 6)
    }
    whole = PORTUGUESE.ingested.format(done=5, total=5)
    for n in range(1, 4):
        await club.world.slash("ingest", club.ana, club.channel, {"scope": "here"}, files)
        await club.world.until(lambda n=n: _count(club, whole) == n)
        files = {name: (f"mais-{file}", content + b"\nMais.\n") for name, (file, content) in files.items()}
    await club.slash("sources", club.ana)
    first = await club.told(PORTUGUESE.sources_title, club.ana)
    assert first.buttons == ("Avançar",)
    await club.world.click(first, "Avançar", club.ana)
    await club.world.until(lambda: "Voltar" in club.world.replies_of_bot(club.channel, user=club.ana)[-1].buttons)
    second = club.world.replies_of_bot(club.channel, user=club.ana)[-1]
    assert second.id == first.id
    assert second.text != first.text
    with pytest.raises(LookupError):
        await club.world.click(first, "Avançar", club.bruno)


async def test_ingested_files_are_proposed_and_forgotten(club: Server) -> None:
    text = "# Estacionamento\n\nO portão do estacionamento fecha à meia-noite.\n".encode()
    await club.world.slash("ingest", club.ana, club.channel, {"scope": "here"}, {"file1": ("portao.md", text)})
    receipt = await club.told("portao.md")
    assert receipt.to is None
    assert (await club.told(OURS.started, club.ana)).to == club.ana
    question = "A que horas fecha o portão do estacionamento?"
    await club.slash("ask", club.bruno, question=question)
    await club.told("meia-noite")
    proposed = await club.world.autocomplete("forget", club.ana, club.channel, "source", "porta")
    assert [one["value"] for one in proposed] == ["portao.md"]
    await club.slash("forget", club.ana, source="portao.md")
    await club.told(PORTUGUESE.forgotten.format(name="`portao.md`"), club.ana)
    await club.slash("ask", club.bruno, question=question)
    await club.told(REFUSALS["pt"])


async def test_what_is_ingested_in_a_private_thread_is_seen_there_alone(club: Server) -> None:
    world = club.world
    thread = world.add_thread(club.channel, club.ana, "contas", private=True)
    # As when somebody mentions kbot there; its client has not heard of the thread.
    world.channels[thread].people.append(world.bot)
    text = "# Alarme\n\nO alarme do depósito desliga com o código 4417.\n".encode()
    await world.slash("ingest", club.ana, thread, {}, {"file1": ("alarme.md", text)})
    question, whole = "Com que código desliga o alarme do depósito?", PORTUGUESE.ingested.format(done=1, total=1)
    await world.until(lambda: any(whole in seen.text for seen in world.replies_of_bot(club.channel, thread)))
    await world.slash("ask", club.ana, thread, {"question": question})
    await world.until(lambda: any("4417" in seen.text for seen in world.replies_of_bot(club.channel, thread)))
    await club.slash("ask", club.bruno, question=question)
    await club.told(REFUSALS["pt"])


async def test_admins_commands_are_for_admins_even_where_a_server_opened_them(club: Server) -> None:
    with pytest.raises(PermissionError):
        await club.slash("sources", club.bruno)
    club.world.open_commands |= {"sources", "gaps", "forget", "ingest"}
    asked: tuple[tuple[str, dict[str, object]], ...] = (("sources", {}), ("gaps", {}), ("forget", {"source": "a.md"}))
    for n, (name, options) in enumerate(asked, 1):
        await club.slash(name, club.bruno, **options)
        await club.world.until(lambda n=n: _count(club, PORTUGUESE.only_admins, club.bruno) == n)
    await club.slash("ingest", club.bruno, urls="https://example.org")
    await club.told(PORTUGUESE.only_admins, club.bruno)
    assert await club.world.autocomplete("forget", club.bruno, club.channel, "source", "fer") == []


async def test_the_menu_of_a_message_asks_and_ingests(club: Server) -> None:
    message = await club.world.say(club.channel, club.bruno, FERIAS, mention=False)
    await club.world.context_menu("Ask kbot about this", club.ana, club.channel, message)
    assert (await club.told("22 dias")).sources
    await club.world.context_menu("Ingest files", club.ana, club.channel, message)
    await club.told(PORTUGUESE.no_files, club.ana)
    file = ("horta.md", "# Horta\n\nA horta é regada às sete.\n".encode())
    message = await club.world.say(club.channel, club.bruno, "veja", mention=False, files=[file])
    await club.world.context_menu("Ingest files", club.ana, club.channel, message)
    await club.told(PORTUGUESE.ingested.format(done=1, total=1))


async def test_commands_are_known_in_both_languages(club: Server) -> None:
    commands = {command["name"]: command for command in club.world.commands[None]}
    assert set(commands) == {"ask", "ingest", "sources", "forget", "gaps", "Ask kbot about this", "Ingest files"}
    for command in commands.values():
        parts = [command, *command.get("options", [])]
        parts += [choice for part in parts for choice in part.get("choices", [])]
        for part in parts:
            assert part["name_localizations"]["pt-BR"] != part["name"]
            if part.get("description"):
                assert part["description_localizations"]["pt-BR"] != part["description"]
    needs = {name: command["default_member_permissions"] for name, command in commands.items()}
    assert {name for name, needed in needs.items() if needed is None} == {"ask", "Ask kbot about this"}


def _count(club: Server, words: str, user: str | None = None) -> int:
    """How many of kbot's messages a person sees that hold the words."""
    return sum(words in seen.text for seen in club.world.replies_of_bot(club.channel, user=user))
