"""What every part of the benchmark is given."""

from dataclasses import dataclass
from pathlib import Path

from kbot.models import Embedder
from kbot.settings import Settings


@dataclass(frozen=True, slots=True)
class Bench:
    """`sets` is the folder of labelled sets, `cache` one outside the repository for what is costly to make; `sizes`
    are numbers of passages, `questions` how many questions are timed, `answers` how many are delivered while calls
    fail, `sample` how many of each sort a real model is asked, and `ways` in which ways (none named: in all)."""

    settings: Settings
    embedder: Embedder
    sets: Path
    set_name: str
    cache: Path
    sizes: tuple[int, ...]
    questions: int
    answers: int
    sample: int
    ways: tuple[str, ...]
