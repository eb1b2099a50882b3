"""What happens on the way to an answer, as it happens."""

from dataclasses import dataclass

from kbot.chat import Answer


@dataclass(frozen=True, slots=True)
class Searching:
    """A search begins, for the question as it stands alone, or in other words."""

    question: str


@dataclass(frozen=True, slots=True)
class Token:
    """More of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """All tokens so far are withdrawn: they were thinking, or did not hold."""


@dataclass(frozen=True, slots=True)
class Checking:
    """The draft that was just withdrawn did not hold; what follows is written instead."""


@dataclass(frozen=True, slots=True)
class Final:
    """The end: the answer, classified. Only here are there sources, and only if it is grounded."""

    answer: Answer


Event = Searching | Token | Retracted | Checking | Final
