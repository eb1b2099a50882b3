"""What people get: an answer with its sources, or a page of a report."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk with its evidence.

    `similarity`, `sentence` and `coverage` lie in [0, 1]: cosine of the passage, cosine of its best sentence
    (`quote`), and the share of the question's rare words that it holds. `score` is their fusion and orders the
    passages. `before` and `after` are the neighbouring texts in the same document; `section` is the longer text that it
    was cut from for finding, "" where it stands for itself. `page` counts from 1 and is None where the format has no
    pages. `updated` is the day on which its document was last ingested (ISO 8601).
    """

    id: str
    document_id: str
    source: str
    title: str
    text: str
    similarity: float
    sentence: float
    coverage: float
    score: float
    quote: str = ""
    page: int | None = None
    heading: str = ""
    url: str | None = None
    language: str = ""
    before: str = ""
    after: str = ""
    cited: bool = False
    updated: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """One numbered source of a grounded answer; `n` is the number that the answer's text uses."""

    n: int
    source: str
    title: str
    quote: str
    passage_id: str
    page: int | None = None
    heading: str = ""
    url: str | None = None
    updated: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What kbot decided on the way to an answer: the `step` ("gate", "passages", "claims", …), what came out of it
    ("relevant", "unsupported", …), and how much of what, in words for an operator; never a text of the question or
    the documents."""

    step: str
    outcome: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The finished answer to a question.

    `citations` is empty unless `grounded`. `reason` says why an answer is not grounded: "nothing_near" (refused
    before the model), "refused" (the model said so), "uncited" (no valid citation), "irrelevant" (no passage answers),
    "unsupported" (too little of the draft stands in what it cites), "no_question" (a thank-you); empty when grounded.
    `decisions` are those on the way, in order. `timings` are milliseconds. `id` is that under which it is stored, "" if
    it is not; `language` is the question's.
    """

    question: str
    text: str
    grounded: bool
    refused: bool
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    read: tuple[Passage, ...] = ()
    model: str = ""
    model_calls: int = 0
    timings: dict[str, float] = field(default_factory=dict[str, float])
    id: str = ""
    language: str = ""
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A list for one person alone, in Markdown: its title, and its pages of at most 1,900 characters."""

    title: str
    pages: tuple[str, ...]

    def page(self, number: int) -> tuple[str, int]:
        """The text of a page, counted from 0 and moved into what there is, and the number that it then has; "" if
        there is none."""
        number = min(max(number, 0), max(len(self.pages) - 1, 0))
        return (self.pages[number] if self.pages else ""), number
