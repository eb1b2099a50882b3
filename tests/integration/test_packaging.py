"""What is built and shipped: the wheel, the locks, the Dockerfile, docker-compose.yml, the Makefile."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from kbot.demo import demo_documents, demo_questions
from kbot.settings import Settings
from kbot_discord.settings import DiscordSettings
from kbot_slack.settings import SlackSettings

ROOT = Path(__file__).parents[2]
SETTINGS = {
    f"{settings.model_config.get('env_prefix', '')}{name}".upper()
    for settings in (Settings, SlackSettings, DiscordSettings)
    for name in settings.model_fields
}


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command's end, in an environment of nothing but PATH and what is given."""
    return subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


# --- the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    built = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


def package_files() -> Iterator[str]:
    """The files of every package in the source roots, as the wheel should name them."""
    for root in (ROOT / "src", ROOT / "adapters", ROOT / "migrations"):
        for path in root.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(root).as_posix()


def test_the_wheel_holds_every_file_of_every_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == set(package_files())


def test_an_installed_wheel_finds_its_adapters_migrations_and_demo(wheel: Path, tmp_path: Path) -> None:
    installed, empty, home = tmp_path / "installed", tmp_path / "empty", tmp_path / "home"
    empty.mkdir()
    home.mkdir()
    pip = run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", installed, wheel
    )
    assert pip.returncode == 0, pip.stderr
    program = """
import json, kbot, kbot.demo
from importlib.metadata import entry_points
from importlib.resources import files
print(json.dumps({
    "package": kbot.__file__,
    "adapters": {e.name: e.load().__module__.split(".")[0] for e in entry_points(group="kbot.adapters")},
    "migrations": sorted(e.name for e in files("kbot_migrations").iterdir() if e.name.endswith(".sql")),
    "documents": [p.name for p in kbot.demo.demo_documents()],
}))
"""
    told = run(sys.executable, "-c", program, cwd=empty, HOME=str(home), PYTHONPATH=str(installed))
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert Path(found["package"]).is_relative_to(installed)
    assert set(found["adapters"].values()) == {path.name for path in (ROOT / "adapters").iterdir() if path.is_dir()}
    assert found["migrations"] == sorted(path.name for path in (ROOT / "migrations").rglob("*.sql")) != []
    assert found["documents"] == [path.name for path in demo_documents()]


def test_an_editable_install_finds_the_same_migrations() -> None:
    listed = sorted(entry.name for entry in files("kbot_migrations").iterdir() if entry.name.endswith(".sql"))
    assert listed == sorted(path.name for path in (ROOT / "migrations").rglob("*.sql")) != []


def test_the_demo_asks_what_its_documents_answer_and_what_they_do_not() -> None:
    names = {path.name for path in demo_documents()}
    questions = demo_questions()
    sources = {question.source for question in questions if question.source}
    assert sources == names, "each document has a question"
    assert sum(question.source is None for question in questions) >= 2
    assert sum(path.stat().st_size for path in demo_documents()) < 1_500_000
    notice = (ROOT / "src/kbot/demo/NOTICE.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in notice for name in names), "each document's origin and licence are stated"


# --- the locks


def pins(name: str) -> dict[str, set[str]]:
    text = (ROOT / name).read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for package, version, hashes in re.findall(r"^([\w.-]+)==(\S+)(.*(?:\\\n    --hash.*)+)", text, re.MULTILINE):
        assert "--hash=sha256:" in hashes, f"{package} in {name} has no hash"
        found.setdefault(package, set()).add(version)
    assert sum(len(versions) for versions in found.values()) == len(re.findall(r"^\S", text, re.MULTILINE)), (
        f"{name} has a line that is no pin"
    )
    return found


def required(requirements: list[str]) -> set[str]:
    return {re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", line)[0].lower()) for line in requirements}


def test_the_locks_agree_cover_what_is_required_and_name_no_index() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    runtime, everything = pins("requirements.lock"), pins("requirements-dev.lock")
    assert required(project["project"]["dependencies"]) <= runtime.keys()
    assert required(project["dependency-groups"]["dev"]) <= everything.keys()
    assert {name: everything.get(name) for name in runtime} == runtime
    for name in ("requirements.lock", "requirements-dev.lock"):
        assert not re.search(r"://|--(extra-)?index|--find-links", (ROOT / name).read_text(encoding="utf-8"))


# --- Docker Compose

SERVICE_KEYS = {
    "build", "cap_drop", "command", "depends_on", "entrypoint", "env_file", "environment", "healthcheck",
    "image", "init", "mem_limit", "ports", "read_only", "restart", "security_opt", "shm_size", "stdin_open",
    "stop_grace_period", "tmpfs", "tty", "volumes",
}  # fmt: skip
HEALTH_KEYS = {"test", "interval", "timeout", "retries", "start_period"}
DURATION = re.compile(r"(\d+h)?(\d+m)?(\d+s)?")
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::?[-?][^}]*)?\}")


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    compose = cast(dict[str, Any], yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))
    assert compose.keys() == {"name", "services", "volumes"}
    named = {
        volume.split(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", [])
        if volume[0] not in "./$"
    }
    assert named == set(compose["volumes"]), "the named volumes are those that the services use"
    return compose["services"]


def test_compose_uses_keys_and_values_that_compose_knows(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        assert service.keys() <= SERVICE_KEYS, name
        assert "image" in service
        assert re.fullmatch(r"unless-stopped|on-failure(:\d+)?", service["restart"]), name
        health = service.get("healthcheck", {})
        assert health.keys() in (HEALTH_KEYS, set[str]()), name
        for key in ("interval", "timeout", "start_period"):
            assert DURATION.fullmatch(health.get(key, "1s")), f"{name}: {key}"
        if health:
            assert health["test"][0] == "CMD", name


def test_compose_waits_for_what_can_be_waited_for(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        for target, how in service.get("depends_on", {}).items():
            runs_on = services[target]["restart"] == "unless-stopped"
            expected = "service_healthy" if runs_on else "service_completed_successfully"
            assert how == {"condition": expected}, f"{name} waits for {target}"
    for name, service in services.items():
        assert ("healthcheck" in service) == (service["restart"] == "unless-stopped"), f"{name} is checked if it stays"


def test_compose_publishes_no_port_and_holds_no_secret(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        assert "ports" not in service, name
        for key, value in service.get("environment", {}).items():
            if "PASSWORD" in key:
                assert value.startswith("${POSTGRES_PASSWORD:?"), f"{name}: {key}"


def test_compose_and_the_example_name_only_settings_that_exist(services: dict[str, dict[str, Any]]) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    offered = set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE))
    assert {name for name in offered if name.startswith("KBOT_")} <= SETTINGS
    for name, service in services.items():
        assert {key for key in service.get("environment", {}) if key.startswith("KBOT_")} <= SETTINGS, name
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert set(VARIABLE.findall(text)) - SETTINGS <= offered, "what Compose reads from .env is in .env.example"


# --- the Dockerfile


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage of the Dockerfile, with continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    found: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            if word == "FROM":
                found.append([])
            found[-1].append((word, rest))
    return found


def ignored(path: str) -> bool:
    """Whether .dockerignore keeps a path out: the last pattern that matches it or a folder above it decides."""
    parents = [path, *(parent.as_posix() for parent in Path(path).parents if parent.name)]
    result = False
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.removeprefix("!").removeprefix("**/")
        candidates = [part for p in parents for part in Path(p).parts] if "**/" in line else parents
        if line and not line.startswith("#") and any(fnmatch(each, pattern) for each in candidates):
            result = not line.startswith("!")
    return result


def test_the_dockerfile_copies_what_is_there_and_not_ignored() -> None:
    build = stages()[0]
    copied = [source for word, rest in build if word == "COPY" for source in rest.split()[:-1]]
    assert {"src", "adapters", "migrations", "pyproject.toml", "requirements.lock"} <= set(copied)
    for source in copied:
        assert (ROOT / source).exists(), source
        assert not ignored(source), source
    assert all(ignored(path) for path in (".env", ".git", ".venv", "tests", "src/kbot/__pycache__", "src/.env"))


def test_the_image_is_two_stages_without_compilers_root_or_a_shell_in_front() -> None:
    build, final = stages()
    assert build[0] == ("FROM", f"{final[0][1]} AS build"), "the environment is made by the Python that runs it"
    words = [word for word, _ in final]
    assert "USER" in words
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert dict(final)["USER"] not in {"root", "0"}
    assert json.loads(dict(final)["ENTRYPOINT"]) == ["kbot"]
    assert json.loads(dict(final)["HEALTHCHECK"].partition(" CMD ")[2]) == ["kbot", "doctor", "--quick"]
    assert not re.search(r"apt|pip|gcc|build-essential", " ".join(rest for word, rest in final if word == "RUN"))
    assert set(re.findall(r"(KBOT_\w+)=", " ".join(rest for word, rest in final if word == "ENV"))) <= SETTINGS


# --- the Makefile


def test_setup_says_what_to_do_where_python_lacks_venv(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "requirements-dev.lock").touch()
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    (lacking / "ensurepip.py").write_text("raise ImportError('No module named ensurepip')", encoding="utf-8")
    made = run("make", "setup", f"PYTHON={sys.executable}", cwd=tmp_path, PYTHONPATH=str(lacking))
    assert made.returncode != 0
    assert "lacks the venv module: install it" in made.stderr
    assert not (tmp_path / ".venv").exists()


def test_setup_is_made_anew_when_it_was_interrupted_or_the_lock_changed(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / ".venv").mkdir()
    (tmp_path / "requirements-dev.lock").touch()
    (tmp_path / "pyproject.toml").touch()

    def planned() -> str:
        dry = run("make", "--dry-run", "setup", f"PYTHON={sys.executable}", cwd=tmp_path)
        assert dry.returncode == 0, dry.stderr
        return dry.stdout

    assert "-m venv --clear .venv" in planned(), "the environment never became ready"
    for name in (".venv/.locked", ".venv/.ready"):
        (tmp_path / name).touch()
    assert "-m venv" not in planned()
    os.utime(tmp_path / "pyproject.toml", (2e9, 2e9))
    assert "--editable ." in planned()
    assert "-m venv" not in planned(), "what is locked has not changed"
    os.utime(tmp_path / "requirements-dev.lock", (2e9, 2e9))
    assert "-m venv --clear .venv" in planned()
