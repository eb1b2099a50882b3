"""What kbot logs while a block runs."""

import logging
import re
from collections.abc import Generator
from contextlib import contextmanager


class Lines(logging.Handler):
    """The lines of kbot's log, and the events that they begin with."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    @property
    def events(self) -> list[str]:
        return [found[1] for line in self.lines if (found := re.match(r"event='(\w+)'", line))]

    def __str__(self) -> str:
        return "\n".join(self.lines)


@contextmanager
def captured_logs() -> Generator[Lines]:
    """All of kbot's log, at every level."""
    logger = logging.getLogger("kbot")
    before, handler = logger.level, Lines()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield handler
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)
