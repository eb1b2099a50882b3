"""How well texts support a claim, by words and vectors, without a model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kbot.figures.standing import missing
from kbot.figures.values import values_in
from kbot.language import FUNCTION_WORDS, Language, detect_language, stem
from kbot.models import Embedder
from kbot.polarity import opposed, polarity
from kbot.sentences import sentences
from kbot.wording import words

_SHARE = 0.8
_NEAR = 0.72
_FAR_SHARE = 0.34
_FAR = 0.45
# Across languages words cannot show anything, and what is on something else is hardly ever nearer than this (measured).
_FAR_ABROAD = 0.2
_SAME = 0.5
_WINDOW = 3  # sentences in a row that may support a claim together


@dataclass(frozen=True, slots=True)
class Support:
    """What of the texts is nearest to a claim: `span` its words, `share` of the claim's words that stand there,
    `cosine` of the nearest sentence, and whether all `figures` of the claim stand somewhere in the texts. `abroad` is
    whether claim and texts are in different languages, `turned` whether all that comes near says the opposite."""

    span: str
    share: float
    cosine: float
    figures: bool
    abroad: bool = False
    turned: bool = False

    @property
    def supported(self) -> bool:
        """Whether the texts say so: nearly word for word, or in a sentence that means the same."""
        return self.figures and not self.turned and (self.share >= _SHARE or self.cosine >= _NEAR)

    @property
    def doubtful(self) -> bool:
        """Whether it can be told neither that the texts say so nor that they do not."""
        far = _FAR_ABROAD if self.abroad else _FAR
        return not self.supported and self.figures and (self.share >= _FAR_SHARE or self.cosine >= far)


_NOTHING = Support("", 0.0, 0.0, False)


@dataclass(frozen=True, slots=True)
class _Text:
    under: str  # its title and heading, where a figure may stand as well
    sentences: tuple[str, ...]
    rows: tuple[tuple[str, frozenset[str]], ...]  # sentences in a row, and the roots of their words
    language: Language


@dataclass(frozen=True, slots=True)
class Evidence:
    """Texts and claims, embedded once, so that any claim can be weighed by any of the texts."""

    texts: Mapping[str, _Text]
    vectors: Mapping[str, NDArray[np.float64]]


_NO_EVIDENCE = Evidence({}, {})


async def gather(
    embedder: Embedder, claims: Iterable[str], texts: Mapping[str, str], known: Evidence = _NO_EVIDENCE
) -> Evidence:
    """The evidence for these claims and texts, each with the title and heading that it stands under, and what is
    `known`, which is not embedded again. Raises `ModelError` where the embedder fails."""
    read = dict(known.texts) | {text: _read(text, under) for text, under in texts.items() if text not in known.texts}
    wanted = [*claims, *(sentence for text in read.values() for sentence in text.sentences)]
    new = [each for each in dict.fromkeys(wanted) if each not in known.vectors]
    vectors = np.asarray(await embedder.embeddings.aembed_documents(new)) if new else np.zeros((0, 1))
    return Evidence(read, dict(known.vectors) | dict(zip(new, vectors, strict=True)))


def weighed(evidence: Evidence, claim: str, texts: Sequence[str]) -> Support:
    """How well texts support a claim, all of which are in the evidence."""
    read = [evidence.texts[text] for text in texts]
    single = [sentence for text in read for sentence in text.sentences]
    if not single:
        return _NOTHING
    wanted = _roots(claim)
    rows = ((_share(wanted, there), row) for text in read for row, there in text.rows)
    share, span = max(rows, key=lambda each: (each[0], -len(each[1])))
    cosines: list[float] = (
        np.stack([evidence.vectors[sentence] for sentence in single]) @ evidence.vectors[claim]
    ).tolist()
    nearest = max(range(len(single)), key=cosines.__getitem__)
    known = {row: there for text in read for row, there in text.rows}
    near = [
        sentence
        for sentence, cosine in zip(single, cosines, strict=True)
        if cosine >= _NEAR or _share(wanted, known[sentence]) >= _SHARE
    ]
    figures = not missing(claim, "\n".join([*(text.under for text in read), *texts]))
    said_in = detect_language(claim)
    written_in = read[0].language if len(read) == 1 else detect_language(" ".join(texts))
    abroad = bool(said_in and written_in and said_in != written_in)
    turned = bool(near) and all(_turned(claim, sentence) for sentence in near)
    return Support(span if share >= _SHARE else single[nearest], share, cosines[nearest], figures, abroad, turned)


async def weigh(embedder: Embedder, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Support]:
    """How well the texts beside each claim support it. Raises `ModelError` where the embedder fails."""
    texts = dict.fromkeys((text for _, rest in claims for text in rest), "")
    evidence = await gather(embedder, (claim for claim, _ in claims), texts)
    return [weighed(evidence, claim, rest) for claim, rest in claims]


def _turned(claim: str, sentence: str) -> bool:
    """Whether a sentence denies what a claim affirms, or the other way round, or has "at most" for its "at least", and
    says hardly anything else: a "not" may belong to the rest of a longer one."""
    if _share(_roots(sentence), _roots(claim)) < _SAME:
        return False
    if opposed(polarity(claim), polarity(sentence)):
        return True
    there = {(value.unit, value.readings): value.bound for value in values_in(sentence) if value.bound}
    bounds = [(value.bound, there.get((value.unit, value.readings))) for value in values_in(claim) if value.bound]
    return any(other and other != bound for bound, other in bounds)


def _roots(text: str) -> frozenset[str]:
    """The beginnings of the words of a text that carry its meaning."""
    return frozenset(stem(word) for word in words(text) if word not in FUNCTION_WORDS)


def _read(text: str, under: str) -> _Text:
    piece = [text[start:end] for start, end in sentences(text)]
    return _Text(under, tuple(piece), tuple((row, _roots(row)) for row in _windows(piece)), detect_language(text))


def _windows(piece: Sequence[str]) -> list[str]:
    header = next((sentence for sentence in piece if sentence.startswith("|")), "")
    rows = [f"{header} {sentence}" for sentence in piece if sentence.startswith("|")]
    return rows + [
        " ".join(piece[start : start + length])
        for length in range(1, _WINDOW + 1)
        for start in range(len(piece) - length + 1)
    ]


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 0.0
