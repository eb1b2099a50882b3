"""kbot's log: what happened, never what was said. It goes through the standard library's logging, so that a program
which uses kbot as a library decides what it shows; the command shows it on standard error."""

import logging
import sys

import structlog

_LINE = "%(asctime)s %(levelname)-7s %(name)s %(message)s"


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger for a module: `log.info("event", key=value)`."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, structlog.processors.KeyValueRenderer(key_order=["event"])],
        wrapper_class=structlog.stdlib.BoundLogger,
    )


_ADAPTERS = ("kbot_discord", "kbot_slack", "kbot_terminal")


def show_logs(*, verbose: bool, serving: bool = False, level: int = logging.WARNING) -> None:
    """Show what is logged from `level` on, while `serving` also when adapters connect, and with `verbose` all that kbot
    does; of other libraries nothing below warnings, since what they log there holds addresses and questions."""
    logging.basicConfig(level=logging.WARNING if verbose else level, stream=sys.stderr, format=_LINE)
    for name in ("kbot", *_ADAPTERS) if verbose else _ADAPTERS if serving else ():
        logging.getLogger(name).setLevel(logging.INFO)
