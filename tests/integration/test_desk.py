"""What people ask of the library beside questions: lists, what was read, forgetting, and opinions of answers."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from screen import ENGLISH, PORTUGUESE, Screen, bots, message

from answering import FERIAS, Desk, somewhere
from fakes.documents import line, pdf
from fakes.ollama import FakeOllama
from kbot import desk as counter
from kbot.bot import Bot
from kbot.chat import Answer, Forbidden, Opinion, Person, Place
from kbot.ingestion.jobs import Shelf, Upload, ingest
from kbot.words import Words

ADMIN, CHEFE = Person("chefe", "en"), Person("chefe", "pt-BR")
ANA, BIA = Person("ana", "pt"), Person("bia", "en")
HOSTILE = "``` `**@everyone**` <!channel> [a](http://evil.example) \x1b[2J\u202e\n# título\r\n> "
NOBODY = str(uuid.uuid4())
SCREEN = Screen()


def fresh(*, private: bool = False) -> Place:
    """A place in a workspace without documents."""
    return Place(f"memory:{uuid.uuid4().hex}", f"memory:{uuid.uuid4().hex}", private=private)


async def fill(desk: Desk, place: Place, folder: Path, documents: Mapping[str, str | bytes], scope: str = "") -> None:
    """Ingest documents into the place's workspace."""
    items: list[Upload] = []
    for name, content in documents.items():
        path = folder / f"{uuid.uuid4().hex}{'.pdf' if isinstance(content, bytes) else '.md'}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        items.append(Upload(name, path))
    async for receipt in ingest(desk.database, desk.embedder, desk.settings, items, Shelf(place.workspace, scope)):
        assert receipt.status == "added", receipt


async def answered(bot: Bot, place: Place, text: str = FERIAS, author: str = "ana") -> Answer:
    """The answer to a question, which was given in the place."""
    answer = await bot.answer(replace(message(text, place), author=author), Screen())
    assert answer is not None
    assert answer.id
    return answer


def sound(pages: tuple[str, ...]) -> str:
    """All of a report, whose pages fit into a message and in which nothing acts as more than text."""
    assert pages
    for page in pages:
        assert 0 < len(page) <= counter.PAGE_CHARACTERS
        assert "\x1b" not in page
        assert "\u202e" not in page
        lines = page.splitlines()
        assert not any(each.startswith(("#", "```")) for each in lines)
        for shown in (each for each in lines if not each.startswith("> ")):
            assert shown.count("`") % 2 == 0, shown
            assert "@everyone" not in "".join(shown.split("`")[::2]), "names stand as code"
    return "\n".join(pages)


RULES = {"ferias.md": "# Férias\n\nCada pessoa tem 22 dias úteis de férias por ano.\n"}


async def test_admins_see_the_documents_that_their_place_sees(desk: Desk, tmp_path: Path) -> None:
    here = fresh()
    elsewhere = replace(here, channel="memory:elsewhere")
    async with bots(await desk.engine()) as (bot,):
        for person, words in ((ADMIN, ENGLISH), (CHEFE, PORTUGUESE)):
            report = await bot.report("sources", here, person, SCREEN)
            assert (report.title, report.pages) == (words.sources_title, (words.sources_none,))
        await fill(desk, here, tmp_path, {**RULES, "a.pdf": pdf(*[line(72, 700, b"A lost badge costs 15 euros.")] * 2)})
        await fill(desk, here, tmp_path, {"segredo.md": "# Bônus\n\nO bônus é de 4 salários.\n"}, here.channel)
        shown = sound((await bot.report("sources", here, ADMIN, SCREEN)).pages)
        assert [part for part in shown.splitlines() if part.startswith("**")] == [
            "**`a.pdf`**",
            "**`ferias.md`**",
            "**`segredo.md`**",
        ]
        assert "2 pages · " in shown
        assert shown.count("🔒") == 1
        told = sound((await bot.report("sources", elsewhere, CHEFE, SCREEN)).pages)
        assert "segredo" not in told
        assert "2 páginas · " in told
        assert "1 trecho · atualizado em" in told
        assert await bot.source_names(here, ADMIN, SCREEN, "SEG") == ["segredo.md"]
        assert await bot.source_names(elsewhere, ADMIN, SCREEN) == ["a.pdf", "ferias.md"]


@pytest.mark.parametrize(("person", "words"), [(ANA, PORTUGUESE), (BIA, ENGLISH)])
async def test_who_is_no_admin_is_told_so(desk: Desk, tmp_path: Path, person: Person, words: Words) -> None:
    here = fresh()
    await fill(desk, here, tmp_path, RULES)
    async with bots(await desk.engine()) as (bot,):
        with pytest.raises(Forbidden, match=words.only_admins):
            await bot.report("sources", here, person, SCREEN)
        with pytest.raises(Forbidden, match=words.only_admins):
            await bot.report("gaps", here, person, SCREEN)
        assert await bot.forget("ferias.md", here, person, SCREEN) == words.only_admins
        assert await bot.source_names(here, person, SCREEN) == []
        assert await bot.source_names(here, ADMIN, SCREEN) == ["ferias.md"], "nothing was forgotten"


async def test_a_forgotten_document_answers_no_more(desk: Desk, tmp_path: Path, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    here = fresh()
    await fill(desk, here, tmp_path, {**RULES, "pdf/férias-2024.md": "# Antigo\n\nEram 20 dias de férias em 2024.\n"})
    await fill(desk, here, tmp_path, {"segredo.md": "# Bônus\n\nO bônus é de 4 salários.\n"}, "memory:diretoria")
    async with bots(await desk.engine(model)) as (bot,):
        answer = await answered(bot, here)
        assert await bot.forget("férias", here, CHEFE, SCREEN) == (
            "Não há documento `férias` aqui. Você quis dizer `pdf/férias-2024.md`?"
        )
        assert await bot.forget("segredo.md", here, ADMIN, SCREEN) == "There is no document `segredo.md` here."
        hostile = await bot.forget(HOSTILE, here, ADMIN, SCREEN)
        sound((hostile,))
        for source, person, words in (("pdf/férias-2024.md", CHEFE, PORTUGUESE), ("ferias.md", ADMIN, ENGLISH)):
            told = await bot.forget(source, here, person, SCREEN)
            assert told == words.forgotten.format(name=f"`{source}`")
        assert (await bot.report("read", here, ANA, SCREEN, answer.id)).pages == (PORTUGUESE.read_nothing,)
        assert (await answered(bot, here)).refused
        assert await bot.source_names(here, ADMIN, SCREEN) == []
    assert await counter.source_names(desk.database, replace(here, channel="memory:diretoria"), "") == ["segredo.md"]


async def test_all_that_was_read_is_seen_in_the_channel_of_the_answer_alone(
    desk: Desk, tmp_path: Path, model: FakeOllama
) -> None:
    model.words = ["São 22 [1]."]
    here = fresh()
    await fill(desk, here, tmp_path, RULES)
    await fill(
        desk,
        here,
        tmp_path,
        {"diretoria.md": "# Férias\n\nA diretoria tem 40 dias úteis de férias por ano.\n"},
        here.channel,
    )
    async with bots(await desk.engine(model)) as (bot,):
        answer = await answered(bot, here)
        report = await bot.report("read", replace(here, thread="t"), ANA, SCREEN, answer.id)
        assert report.title == PORTUGUESE.read_title
        shown = sound(report.pages)
        assert "**1.** `Férias (ferias.md) · de hoje`" in shown
        assert "> `# Férias Cada pessoa tem 22 dias" in shown or "> `Cada pessoa tem 22 dias" in shown
        assert "40 dias" in shown
        assert shown.count(PORTUGUESE.read_cited) == 1
        assert "distância 0." in shown
        english = sound((await bot.report("read", here, BIA, SCREEN, answer.id)).pages)
        assert "distance 0." in english
        assert "from today" in english
        for place, answer_id in (
            (replace(here, channel="memory:elsewhere"), answer.id),
            (replace(here, workspace="another"), answer.id),
            (here, NOBODY),
            (here, "x'; --"),
            (here, ""),
        ):
            report = await bot.report("read", place, BIA, SCREEN, answer_id)
            assert report.pages == (ENGLISH.read_nothing,)


async def test_reports_stay_within_a_message_whatever_names_and_texts_hold(
    desk: Desk, tmp_path: Path, model: FakeOllama
) -> None:
    model.words = ["São 22 [1]."]
    here = fresh()
    documents = {
        f"{HOSTILE * 30}{n}.md": f"# {HOSTILE * 20}\n\nSão 22 dias úteis de férias por ano. {HOSTILE * 30} {n}\n"
        for n in range(8)
    }
    await fill(desk, here, tmp_path, documents)
    async with bots(await desk.engine(model)) as (bot,):
        answer = await answered(bot, here)
        pages = (await bot.report("read", here, ANA, SCREEN, answer.id)).pages
        shown = sound(pages)
        assert shown.count(" · ✅ citado") == 1
        assert all(f"**{n}.** " in shown for n in range(1, 9))
        pages = (await bot.report("sources", here, ADMIN, SCREEN)).pages
        assert len(pages) > 1
        assert sound(pages).count("updated 20") == 8
        empty = replace(fresh(), channel=here.channel)
        for n in range(12):
            await answered(bot, empty, f"Pergunta {n}? {HOSTILE * 20}")
        assert sound((await bot.report("gaps", empty, ADMIN, SCREEN)).pages).count("asked 1×") == 12
        names = await bot.source_names(here, ADMIN, SCREEN, "EVIL")
        assert len(names) == 8


async def test_as_many_names_are_suggested_as_platforms_take(desk: Desk, tmp_path: Path) -> None:
    here = fresh()
    await fill(desk, here, tmp_path, {f"regra-{n:02}.md": f"# Regra\n\nA regra {n} vale.\n" for n in range(27)})
    async with bots(await desk.engine()) as (bot,):
        assert await bot.source_names(here, ADMIN, SCREEN, "regra") == [f"regra-{n:02}.md" for n in range(25)]


async def test_an_answer_that_did_not_help_is_a_gap_until_a_better_one(desk: Desk, model: FakeOllama) -> None:
    model.words = ["22 dias [1]."]
    place = somewhere()
    async with bots(await desk.engine(model)) as (bot,):
        asked = "Quantos dias úteis de férias cada pessoa tem por ano, afinal?"
        answer = await answered(bot, place, asked)
        assert answer.grounded
        assert asked not in str((await bot.report("gaps", place, CHEFE, SCREEN)).pages)
        await bot.rate(answer.id, place, BIA, "unhelpful")
        told = sound((await bot.report("gaps", place, CHEFE, SCREEN)).pages)
        assert asked in told
        assert PORTUGUESE.gaps_unhelpful.format(n=1) in told
        await answered(bot, somewhere(), asked)
        assert asked not in str((await bot.report("gaps", place, CHEFE, SCREEN)).pages)


async def test_a_question_asked_in_private_is_a_gap_elsewhere_once_it_is_reported(
    desk: Desk, model: FakeOllama
) -> None:
    private = fresh(private=True)
    elsewhere = Place(private.workspace, "memory:elsewhere")
    async with bots(await desk.engine(model)) as (bot,):
        assert (await bot.report("gaps", elsewhere, CHEFE, SCREEN)).pages == (PORTUGUESE.gaps_none,)
        mine = await answered(bot, private, "Quanto ganha a diretoria?")
        await answered(bot, elsewhere, "Onde fica o refeitório?", "bia")
        await answered(bot, elsewhere, "onde fica o REFEITORIO", "ana")
        before = sound((await bot.report("gaps", elsewhere, CHEFE, SCREEN)).pages)
        assert "diretoria" not in before
        assert "perguntado 2×, por 2 pessoas, por último em" in before
        assert "avisado" not in before
        assert "diretoria" in sound((await bot.report("gaps", private, CHEFE, SCREEN)).pages)
        assert await bot.rate(mine.id, private, ANA, "reported") == PORTUGUESE.reported
        assert await bot.rate(mine.id, private, ANA, "reported") == PORTUGUESE.reported
        report = await bot.report("gaps", elsewhere, ADMIN, SCREEN)
        assert report.title == ENGLISH.gaps_title
        first, second = sound(report.pages).split("\n\n")
        assert first.startswith("**`Quanto ganha a diretoria?`**\nasked 1×, by 1 person, last on 20")
        assert first.endswith(" · told to the admins 1×")
        assert second.startswith("**`onde fica o REFEITORIO`**")
        await bot.rate(mine.id, private, BIA, "reported")
        assert "admins 2×" in (await bot.report("gaps", elsewhere, ADMIN, SCREEN)).pages[0]
        await bot.rate(mine.id, private, ANA, "unhelpful")
        await bot.rate(mine.id, private, BIA, "unhelpful")
        after = sound((await bot.report("gaps", elsewhere, ADMIN, SCREEN)).pages)
        assert "diretoria" not in after, "taken back"


async def opinions(desk: Desk, place: Place) -> list[tuple[str, str]]:
    async with desk.database.pool.connection() as connection:
        rows = await (
            await connection.execute(
                "SELECT person, opinion FROM opinions WHERE workspace = %s ORDER BY person", (place.workspace,)
            )
        ).fetchall()
    return [(person, opinion) for person, opinion in rows]


async def test_an_opinion_is_changed_and_never_doubled(desk: Desk, model: FakeOllama) -> None:
    here = fresh()
    said: tuple[tuple[Person, Opinion, str], ...] = (
        (ANA, "helpful", PORTUGUESE.thanks),
        (ANA, "helpful", PORTUGUESE.thanks),
        (BIA, "helpful", ENGLISH.thanks),
        (ANA, "unhelpful", PORTUGUESE.sorry),
        (BIA, "reported", ENGLISH.reported),
    )
    async with bots(await desk.engine(model)) as (bot,):
        answer = await answered(bot, here)
        for person, opinion, words in said:
            assert await bot.rate(answer.id, here, person, opinion) == words
    assert await opinions(desk, here) == [("ana", "unhelpful"), ("bia", "reported")]


async def test_only_answers_of_the_channel_can_be_rated(desk: Desk, model: FakeOllama) -> None:
    here = fresh()
    async with bots(await desk.engine(model)) as (bot,):
        answer = await answered(bot, here)
        for place, answer_id in (
            (replace(here, channel="memory:elsewhere"), answer.id),
            (replace(here, workspace="another"), answer.id),
            (here, NOBODY),
            (here, "1 OR 1=1"),
            (here, ""),
        ):
            assert await bot.rate(answer_id, place, ANA, "helpful") == PORTUGUESE.gone_answer
            assert await bot.rate(answer_id, place, BIA, "reported") == ENGLISH.gone_answer
    assert await opinions(desk, here) == []
