"""Files and addresses that admins send to a chat: one receipt a request, which grows."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace

import pytest
from attachments import RULES, Files, fresh, names, one_bot, sent, served_files
from screen import ENGLISH, PORTUGUESE, Screen, bots, message, state_of, two_bots, until_state

from answering import Desk
from captured import captured_logs
from fakes.documents import line, pdf
from kbot import library
from kbot.chat import Attachment, IngestRequest, Person
from kbot.intake import as_message, request_in
from kbot.words import Words

BADGES = pdf(line(72, 700, b"A lost badge is replaced at the front desk for 15 euros."), b"")


@pytest.fixture
async def files() -> AsyncGenerator[Files]:
    async with served_files() as served:
        yield served


A = "https://ex.org/a"
FILE = Attachment("a.pdf", "https://files.example/a.pdf", 10)


@pytest.mark.parametrize(
    ("text", "attachments", "urls", "shared", "language"),
    [
        ("ingest", (FILE,), (), None, "en"),
        ("Ingest these, please", (FILE,), (), None, "en"),
        ("  please, ingest: https://ex.org/a.pdf.", (), ("https://ex.org/a.pdf",), None, "en"),
        ("/ingest https://ex.org/a https://ex.org/b, https://ex.org/a", (), (A, f"{A[:-1]}b"), None, "en"),
        ("ingest (see https://ex.org/a)!", (), (A,), None, "en"),
        ("ingest https://ex.org/a_(b).", (), (f"{A}_(b)",), None, "en"),
        ("ingest this for everyone", (FILE,), (), True, "en"),
        ("ingest only here", (FILE,), (), False, "en"),
        ("ingerir", (FILE,), (), None, "pt"),
        ("Por favor, ingira estes arquivos para todos", (FILE,), (), True, "pt"),
        ("indexar só aqui: https://ex.org/a", (), (A,), False, "pt"),
    ],
)
def test_a_message_that_begins_with_ingest_and_brings_something_is_a_request(
    text: str, attachments: tuple[Attachment, ...], urls: tuple[str, ...], shared: bool | None, language: str
) -> None:
    asked = replace(message(text, attachments=attachments), reply_thread="7")
    request = request_in(asked)
    assert request is not None
    assert (request.attachments, request.urls, request.shared) == (attachments, urls, shared)
    assert (request.request_id, request.place, request.reply_thread) == (asked.message_id, asked.place, "7")
    assert request.person == Person("ana", language)


@pytest.mark.parametrize(
    ("text", "attachments"),
    [
        ("Ingest what documents before a run?", ()),
        ("ingesting is what?", (FILE,)),
        ("What is in https://ex.org/a? ingest", ()),
        ("Can you read this?", (FILE,)),
        ("", (FILE,)),
    ],
)
def test_every_other_message_is_none(text: str, attachments: tuple[Attachment, ...]) -> None:
    assert request_in(message(text, attachments=attachments)) is None


@pytest.mark.parametrize(("text", "words"), [("ingerir", PORTUGUESE), ("please ingest for everybody!", ENGLISH)])
async def test_who_asks_to_ingest_and_brings_nothing_is_told_what_to_bring(desk: Desk, text: str, words: Words) -> None:
    asked, screen = replace(message(text), author="chefe"), Screen()
    async with bots(await desk.engine()) as (bot,):
        bot.receive(asked, screen)
        await screen.until(lambda: screen.whispers == [("chefe", words.no_files)])
    assert screen.views == []


async def test_a_receipt_grows_by_a_line_for_each_file_and_says_what_became_of_it(desk: Desk, files: Files) -> None:
    last = files.held["regras.md"] = asyncio.Event()
    asked = sent(files.attachment("crachás.pdf", BADGES, path="c.pdf"), files.attachment("vazio.txt", b" "))
    asked = replace(asked, attachments=(*asked.attachments, files.attachment("regras.md")))
    screen = Screen()
    async with one_bot(desk) as bot:
        bot.receive(asked, screen)
        await screen.until(lambda: PORTUGUESE.ingesting.format(n=3, total=3) in screen.text)
        assert "❌ `vazio.txt` · não lido" in screen.text
        last.set()
        await until_state(desk, asked, "answered")
        assert screen.views[0] == PORTUGUESE.ingesting.format(n=1, total=3)
        head, _, badges, empty, rules = screen.text.splitlines()
        assert head == f"{PORTUGUESE.ingested.format(done=2, total=3)} {PORTUGUESE.seen_by_all}"
        assert badges.startswith("- ✅ `crachás.pdf` · adicionado · 2 páginas · 1 sem texto · 1 trecho. ")
        assert empty.startswith("- ❌ `vazio.txt` · não lido. ")
        assert len(empty) > 40, "the reason is told"
        assert rules == "- ✅ `regras.md` · adicionado · 1 trecho"
        assert files.asked == [(name, "Bearer t0ken") for name in ("c.pdf", "vazio.txt", "regras.md")]
        sources = await library.sources(desk.database, asked.place)
        assert [(each.source, each.url, each.added_by) for each in sources] == [
            ("crachás.pdf", "https://chat.example/c.pdf", "chefe"),
            ("regras.md", "https://chat.example/regras.md", "chefe"),
        ]

        again = replace(asked, message_id="again", attachments=asked.attachments[2:])
        bot.receive(again, screen)
        await until_state(desk, again, "answered")
    assert list(screen.messages.values())[-1].text.splitlines()[2].startswith("- ⏭️ `regras.md` · já estava aqui")


async def test_a_long_file_shows_how_far_it_is(desk: Desk, files: Files) -> None:
    text = "\n\n".join(f"# Regra {n}\n\n{'O silêncio começa cedo. ' * 40}{uuid.uuid4().hex}" for n in range(40))
    request = IngestRequest("memory", fresh(), "r", Person("chefe"), (files.attachment("regras.md", text.encode()),))
    screen = Screen()
    async with one_bot(desk) as bot:
        bot.ingest(request, screen)
        await until_state(desk, as_message(request), "answered")
    assert any("⏳ `regras.md` · " in view and "of 40 passages" in view for view in screen.views)
    assert screen.text.endswith("- ✅ `regras.md` · added · 40 passages")


async def test_only_admins_ingest_and_others_are_told_so_once(desk: Desk, files: Files) -> None:
    asked = sent(files.attachment("regras.md"), author="ana")
    nothing = IngestRequest("memory", fresh(), "r", Person("chefe", "en"))
    screen = Screen()
    async with two_bots(desk, await desk.engine()) as (one, two):
        for bot in (one, two, one):
            bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
        one.ingest(nothing, screen)
        await until_state(desk, as_message(nothing), "answered")
        assert await two.repair(screen) == 0
    assert screen.whispers == [("ana", PORTUGUESE.only_admins), ("chefe", ENGLISH.no_files)]
    assert screen.views == []
    assert files.asked == []
    assert await names(desk, asked.place) == {}


async def test_a_request_is_read_once_however_often_it_comes_and_is_no_question(desk: Desk, files: Files) -> None:
    asked = sent(files.attachment("regras.md"))
    screen = Screen()
    async with two_bots(desk, await desk.engine()) as (one, two):
        for bot in (one, two, one, two):
            bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
        assert await two.revise(replace(asked, text="ingerir estes arquivos"), screen), "there is nothing to do"
        assert await state_of(desk, asked) == ("answered", True)
    assert len(files.asked) == len(screen.messages) == 1
    assert screen.text.startswith(PORTUGUESE.ingested.format(done=1, total=1))


async def test_what_cannot_be_read_is_said_of_each_file_and_stops_no_other(desk: Desk, files: Files) -> None:
    attachments = (
        files.attachment("enorme.pdf", size=60_000_000),
        Attachment("longe.pdf", "", 10),
        files.attachment("foto.png", b"PNG", size=3),
        files.attachment("regras.md"),
    )
    attachments = (*attachments[:2], replace(attachments[2], media_type="image/png"), attachments[3])
    asked = sent(*attachments, text=f"ingerir {files.url}/public.md")
    screen = Screen()
    async with one_bot(desk) as bot:
        bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
    head, _, *lines = screen.text.splitlines()
    assert head == f"{PORTUGUESE.ingested.format(done=1, total=5)} {PORTUGUESE.seen_by_all}"
    told = dict(
        zip(("KBOT_MAX_FILE_MEGABYTES", "It lies elsewhere.", "image/png", "", "private network"), lines, strict=True)
    )
    assert all(words in line for words, line in told.items()), lines
    assert [line[:3] for line in lines] == ["- ❌", "- ❌", "- ❌", "- ✅", "- ❌"]
    assert files.asked == [("regras.md", "Bearer t0ken")], "nothing else was asked for"


async def test_a_login_page_is_no_document(desk: Desk, files: Files) -> None:
    files.token = "Bearer other"
    asked = sent(files.attachment("regras.md"))
    screen = Screen()
    with captured_logs() as logs:
        async with one_bot(desk) as bot:
            bot.receive(asked, screen)
            await until_state(desk, asked, "answered")
    assert "❌ `regras.md` · não lido. The platform gave out a login page" in screen.text
    assert "t0ken" not in f"{screen.views} {logs}"
    assert await names(desk, asked.place) == {}


async def test_the_token_goes_to_no_address_that_a_person_wrote(desk: Desk, files: Files) -> None:
    files.content["public.md"] = RULES
    asked = sent(text=f"ingest {files.url}/public.md")
    screen = Screen()
    async with one_bot(desk, allow_private_urls=True) as bot:
        bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
    assert files.asked == [("public.md", "")]
    assert f"- ✅ `{files.url}/public.md` · added" in screen.text


async def test_two_files_of_one_name_are_two_documents(desk: Desk, files: Files) -> None:
    other = RULES.replace(b"22", b"23")
    third = RULES.replace(b"22", b"21")
    asked = sent(
        files.attachment("regras.md"),
        files.attachment("regras.md", other, path="b"),
        files.attachment("regras.md", third, path="c"),
    )
    screen = Screen()
    async with one_bot(desk) as bot:
        bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
    assert set(await names(desk, asked.place)) == {"regras.md", "regras (2).md", "regras (3).md"}
    assert screen.text.startswith(PORTUGUESE.ingested.format(done=3, total=3))


@pytest.mark.parametrize(
    ("text", "private", "scoped"),
    [
        ("ingerir", False, False),
        ("ingerir", True, True),
        ("ingerir para todos", True, False),
        ("ingerir só aqui", False, True),
    ],
)
async def test_what_is_ingested_in_private_stays_there_unless_said_otherwise(
    desk: Desk, files: Files, text: str, private: bool, scoped: bool
) -> None:
    asked = sent(files.attachment("regras.md"), text=text, private=private)
    screen = Screen()
    async with one_bot(desk) as bot:
        bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
    scope = asked.place.channel if scoped else ""
    assert await names(desk, asked.place) == {"regras.md": scope}
    assert await names(desk, asked.place, "memory:elsewhere") == ({} if scoped else {"regras.md": ""})


async def test_an_index_of_another_embedder_is_told_in_words(desk: Desk, files: Files) -> None:
    asked = sent(files.attachment("regras.md"))
    again = replace(asked, message_id="again", attachments=(files.attachment("b.md", RULES * 2),))
    screen = Screen()
    async with one_bot(desk) as bot:
        bot.receive(asked, Screen())
        await until_state(desk, asked, "answered")
        async with desk.database.pool.connection() as connection:
            change = "UPDATE indexes SET embedder = 'another' WHERE workspace = %s"
            await connection.execute(change, (asked.place.workspace,))
        bot.receive(again, screen)
        await until_state(desk, again, "answered")
    assert screen.text.endswith(PORTUGUESE.index)
    assert [content.stage for content in screen.messages.values()] == ["failed"]


class Poisoned(Screen):
    """A platform whose door for files has a fault."""

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        raise ValueError(attachment.name)


async def test_a_request_that_meets_a_fault_of_kbot_ends_in_words_and_is_not_tried_for_ever(desk: Desk) -> None:
    asked, screen = sent(Attachment("segredo.md", "https://ex.org/a.md", 3)), Poisoned()
    with captured_logs() as logs:
        async with one_bot(desk) as bot:
            bot.receive(asked, screen)
            await until_state(desk, asked, "failed")
            assert await bot.repair(screen) == 0
    assert screen.text == PORTUGUESE.unexpected
    assert logs.events == ["reply_failed"]
    assert "segredo" not in str(logs), "what an error says may quote a message"


async def test_a_name_that_no_database_takes_is_mended(desk: Desk, files: Files) -> None:
    attachment = replace(files.attachment("regras.md"), name="re\x00gras\ud800.md")
    asked, screen = sent(attachment), Screen()
    async with one_bot(desk) as bot:
        bot.receive(asked, screen)
        await until_state(desk, asked, "answered")
    assert PORTUGUESE.ingested.format(done=1, total=1) in screen.text
