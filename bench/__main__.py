"""`python -m bench [names]`: measure, print, and write bench/results/latest.json; ends with 1 if a target is missed."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog
from rich.console import Console

from bench.delivery import discord, slack
from bench.ingestion import ingestion
from bench.quality import quality
from bench.reading import WAYS, reading
from bench.refusal_time import refusal_time
from bench.refusals import refusals
from bench.report import Result, environment, show, write
from bench.retrieval import retrieval
from bench.run import Bench
from bench.stages import stages
from kbot.embedded.cluster import MAJOR
from kbot.models import open_embedder
from kbot.settings import Settings

PARTS: dict[str, Callable[[Bench], Awaitable[Result]]] = {
    "quality": quality,
    "refusals": refusals,
    "reading": reading,
    "retrieval": retrieval,
    "ingest": ingestion,
    "refusal_time": refusal_time,
    "stages": stages,
    "slack": slack,
    "discord": discord,
}


async def main() -> int:
    """Run the named parts, or all."""
    options = _options()
    settings = Settings(home=options.cache / "home", database_url=None, chat_model="extractive")
    bench = Bench(
        settings,
        await open_embedder(settings),
        options.eval,
        options.set,
        options.cache,
        tuple(options.sizes),
        options.questions,
        options.answers,
        options.sample,
        tuple(options.ways),
    )
    console = Console(width=None if sys.stdout.isatty() else 120)
    where = environment(MAJOR)
    console.print(", ".join(f"{name} {value}" for name, value in where.items()), highlight=False)
    results: list[Result] = []
    for name in options.names or PARTS:
        results.append(await PARTS[name](bench))
        show(results[-1], console)
        write(options.results, where, results)
    console.print(f"Written to {options.results}.")
    return int(not all(target.met for result in results for target in result.targets))


def _options() -> argparse.Namespace:
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*PARTS, []], help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--eval", type=Path, default=here.parents[1] / "shared" / "eval", help="labelled sets")
    parser.add_argument("--set", default="dev", help="which of the sets quality and refusals are measured on")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "kbot-bench"), help="what is kept")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000, 100_000], help="passages")
    parser.add_argument("--questions", type=int, default=400, help="how many questions are timed")
    parser.add_argument("--answers", type=int, default=200, help="how many are delivered while calls fail")
    parser.add_argument("--sample", type=int, default=20, help="answerable, and unanswerable, questions for a model")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=(), help="in which ways it is asked; default: all")
    parser.add_argument("--results", type=Path, default=here / "results" / "latest.json", help="where JSON goes")
    return parser.parse_args()


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    sys.exit(asyncio.run(main()))
