"""How well texts support a claim, by words and vectors, without a model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kbot.language import FUNCTION_WORDS, detect_language, stem
from kbot.models import Embedder
from kbot.sentences import sentences
from kbot.wording import words

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SHARE = 0.8
_NEAR = 0.72
_FAR_SHARE = 0.34
_FAR = 0.45
# Across languages words cannot show anything, and what is on something else is hardly ever nearer than this (measured).
_FAR_ABROAD = 0.2
_WINDOW = 3  # sentences in a row that may support a claim together


@dataclass(frozen=True, slots=True)
class Support:
    """What of the texts is nearest to a claim: `span` its words, `share` of the claim's words that stand there,
    `cosine` of the nearest sentence, and whether every number of the claim stands somewhere in the texts. `abroad` is
    whether claim and texts are in different languages."""

    span: str
    share: float
    cosine: float
    numbers: bool
    abroad: bool = False

    @property
    def supported(self) -> bool:
        """Whether the texts say so: nearly word for word, or in a sentence that means the same."""
        return self.numbers and (self.share >= _SHARE or self.cosine >= _NEAR)

    @property
    def doubtful(self) -> bool:
        """Whether it can be told neither that the texts say so nor that they do not."""
        far = _FAR_ABROAD if self.abroad else _FAR
        return not self.supported and self.numbers and (self.share >= _FAR_SHARE or self.cosine >= far)


_NOTHING = Support("", 0.0, 0.0, False)


async def weigh(embedder: Embedder, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Support]:
    """Look for each claim in its texts. Raises `ModelError` where the embedder fails.

    Without understanding: a negation is not told from its opposite.
    """
    texts = dict.fromkeys(text for _, rest in claims for text in rest)
    pieces = {text: [text[start:end] for start, end in sentences(text)] for text in texts}
    each = list(dict.fromkeys([claim for claim, _ in claims] + [one for piece in pieces.values() for one in piece]))
    vectors = np.asarray(await embedder.embeddings.aembed_documents(each)) if each else np.zeros((0, 1))
    known = dict(zip(each, vectors, strict=True))
    return [_support(claim, [pieces[text] for text in rest], " ".join(rest), known) for claim, rest in claims]


def _support(
    claim: str, pieces: Sequence[Sequence[str]], text: str, known: Mapping[str, NDArray[np.float64]]
) -> Support:
    single = [sentence for piece in pieces for sentence in piece]
    if not single:
        return _NOTHING
    wanted = _roots(claim)
    rows = [row for piece in pieces for row in _windows(piece)]
    share, span = max(((_share(wanted, _roots(row)), row) for row in rows), key=lambda each: (each[0], -len(each[1])))
    cosines = np.stack([known[sentence] for sentence in single]) @ known[claim]
    nearest = int(cosines.argmax())
    numbers = set(_numbers(claim)) <= set(_numbers(text))
    said_in, written_in = detect_language(claim), detect_language(text)
    abroad = bool(said_in and written_in and said_in != written_in)
    return Support(span if share >= _SHARE else single[nearest], share, float(cosines[nearest]), numbers, abroad)


def _windows(piece: Sequence[str]) -> list[str]:
    header = next((sentence for sentence in piece if sentence.startswith("|")), "")
    rows = [f"{header} {sentence}" for sentence in piece if sentence.startswith("|")]
    return rows + [
        " ".join(piece[start : start + length])
        for length in range(1, _WINDOW + 1)
        for start in range(len(piece) - length + 1)
    ]


def _share(wanted: set[str], there: set[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 0.0


def _roots(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in FUNCTION_WORDS}


def _numbers(text: str) -> list[str]:
    return [word for word in words(" ".join(_NUMBER.findall(text))) if word.isdigit()]
