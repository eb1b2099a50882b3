"""The example of docs/adapters.md is an adapter: it conforms, and `kbot run` finds it as an installed package."""

import asyncio
import os
import re
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conformance import AdapterConformance

from answering import FERIAS, Desk
from kbot.chat import Place

EXAMPLE = Path(__file__).parents[2] / "examples" / "kbot_folder"
sys.path.append(str(EXAMPLE))

from kbot_folder import FolderAdapter  # noqa: E402  # found in the folder of the example


@dataclass
class Folder:
    adapter: FolderAdapter
    place: Place

    async def seen(self) -> str:
        files = sorted(self.adapter.folder.iterdir(), key=lambda file: file.stat().st_ctime_ns)
        return "\n\n".join(file.read_text() for file in files)


class TestFolder(AdapterConformance):
    @pytest.fixture
    def reader(self, tmp_path: Path) -> Folder:
        return Folder(FolderAdapter(tmp_path), Place("default", "folder:ask"))


def test_it_is_as_short_as_it_is_said_to_be() -> None:
    lines = (EXAMPLE / "kbot_folder.py").read_text().splitlines()
    assert len(lines) < 80


def test_the_page_shows_the_whole_example() -> None:
    page = (EXAMPLE.parents[1] / "docs" / "adapters.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert (EXAMPLE / "kbot_folder.py").read_text() in blocks


async def test_kbot_runs_it_as_an_installed_package(desk: Desk, tmp_path: Path) -> None:
    installed, folder = tmp_path / "site", tmp_path / "questions"
    information = installed / "kbot_folder-0.1.0.dist-info"
    information.mkdir(parents=True)
    folder.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: kbot-folder\nVersion: 0.1.0\n")
    (information / "entry_points.txt").write_text("[kbot.adapters]\nfolder = kbot_folder:FolderAdapter\n")
    (folder / "ferias.txt").write_text(FERIAS)
    address = desk.settings.database_url
    assert address is not None
    environment = {
        **os.environ,
        "PYTHONPATH": f"{installed}{os.pathsep}{EXAMPLE}",
        "KBOT_DATABASE_URL": address.get_secret_value(),
        "KBOT_CHAT_MODEL": "extractive",
        "KBOT_FOLDER_PATH": str(folder),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kbot", "run", "folder", env=environment, cwd=tmp_path
    )
    answer = folder / "ferias.answer.md"
    try:
        async with asyncio.timeout(30):
            while not answer.exists() or "Fontes" not in answer.read_text():
                await asyncio.sleep(0.05)
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    assert "22 dias úteis" in answer.read_text()
