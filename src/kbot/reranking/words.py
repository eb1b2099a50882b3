"""The embedded reranker: has each word of the question a counterpart in one and the same sentence of the passage?

The search compares whole texts by the encoder, and single words by their letters alone. Here single words are compared
by the encoder, which knows that "revolta" is "uprising" and "eutrofização" is "eutrophication": each word of the
question takes its best match in a sentence (late interaction as in ColBERT; Khattab and Zaharia, 2020), and the matches
are summed, weighed by how rare they are among the candidates. What the sentence as a whole hides (that it speaks of
Berlin where Warsaw was asked for), and what letters alone cannot match across languages, is seen so.
"""

import asyncio
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate
from threading import Lock

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from kbot.characters import unaccented
from kbot.chat import Passage
from kbot.language import FUNCTION_WORDS
from kbot.reranking import Rerank, by_score
from kbot.sentences import sentences

# Round values in the middle of wide plateaus, measured in both languages and across them: see docs/reranking.md.
_SHARE = 0.2
_DEPTH = 20
_UNRELATED = 0.6
_SHORTEST = 3
# A word takes 1 kB.
_MOST_WORDS = 32_768

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")

Text = Sequence[Sequence[str]]
"""A passage as the words of its sentences."""


class WordVectors:
    """The vectors of single words, each encoded once and kept until 32,768 others have been asked for since."""

    def __init__(self, encoder: Embeddings, *, most: int = _MOST_WORDS) -> None:
        self._encoder = encoder
        self._most = most
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._lock = Lock()

    def of(self, words: Sequence[str]) -> NDArray[np.float32]:
        """A row of length one for each word, none of them twice. Raises `ModelError`."""
        with self._lock:
            lacking = [word for word in words if word not in self._kept]
            for word, vector in zip(lacking, self._encoder.embed_documents(lacking), strict=True):
                self._kept[word] = np.array(vector, dtype=np.float16)
            rows: list[NDArray[np.float16]] = []
            for word in words:
                self._kept.move_to_end(word)
                rows.append(self._kept[word])
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return np.stack(rows).astype(np.float32)


def by_words(encoder: Embeddings) -> Rerank:
    """The reranker on an encoder whose vectors have length one."""
    vectors = WordVectors(encoder)

    async def rerank(question: str, passages: Sequence[Passage]) -> list[Passage]:
        return await asyncio.to_thread(rerank_by_words, question, passages, vectors)

    return rerank


def rerank_by_words(question: str, passages: Sequence[Passage], vectors: WordVectors) -> list[Passage]:
    """The passages, best first, with 0.8 of their score and 0.2 of their agreement with the question in words.

    The best 20 are looked at; beyond them hardly any is what was asked for, and each has words to be encoded. For the
    others no agreement is counted. A question without words leaves all as it is.
    """
    passages = sorted(passages, key=lambda passage: -passage.score)
    asked = asked_words(question)
    near = passages[:_DEPTH]
    if not asked or not near:
        return passages
    agreements = [*agreement(asked, [words_of(passage.text) for passage in near], vectors)]
    agreements += [0.0] * (len(passages) - len(near))
    scores = [(1 - _SHARE) * p.score + _SHARE * agreed for p, agreed in zip(passages, agreements, strict=True)]
    return by_score(passages, scores)


def agreement(asked: Sequence[str], texts: Sequence[Text], vectors: WordVectors) -> list[float]:
    """How far each text has the question's words in one sentence, in [0, 1].

    A word is matched by itself with 1 (accents aside), by another with its cosine, of which what lies above 0.6 is
    counted from 0 to 1: unrelated words are not further apart in the encoder's space. A word weighs as in BM25
    (Robertson and Spärck Jones), ln(1 + (N - n + .5) / (n + .5)), n being the sum of its best matches in the N texts.
    """
    matches, starts = _matches(asked, texts, vectors)
    held = np.maximum.reduceat(matches, starts, axis=1)
    n = held.sum(axis=1)
    weights = np.log1p((len(texts) - n + 0.5) / (n + 0.5))
    together = np.maximum.reduceat((weights / weights.sum()) @ matches, starts)
    return [float(value) for value in np.clip(together, 0.0, 1.0)]


def asked_words(question: str) -> list[str]:
    """The words that a question is about, each once: function words are left out, and so are those of one or two
    letters unless they are numbers or written in capitals (TI, RH). Where nothing else is left, all words."""
    words = _WORD.findall(unicodedata.normalize("NFC", question))
    telling = [word for word in words if _plain(word) not in FUNCTION_WORDS and (_long(word) or word.isupper())]
    return list(dict.fromkeys(word.lower() for word in telling or words))


def words_of(text: str) -> Text:
    """The words of each sentence."""
    return [_WORD.findall(text[start:end].lower()) for start, end in sentences(text)]


def _matches(
    asked: Sequence[str], texts: Sequence[Text], vectors: WordVectors
) -> tuple[NDArray[np.float32], list[int]]:
    """How well each word of the question is matched by each sentence of all texts, and where the texts start."""
    plain = {_plain(word): row for row, word in enumerate(asked)}
    words = dict.fromkeys(word for text in texts for sentence in text for word in sentence)
    encoded = [word for word in words if _encodable(word)]
    columns = {word: column for column, word in enumerate(encoded)}
    exact = {word: row for word in words if (row := plain.get(_plain(word))) is not None}
    for word in exact:
        columns.setdefault(word, len(columns))
    # The last column is of no word: what a sentence begins with, so that none is empty.
    nearness = np.zeros((len(asked), len(columns) + 1), dtype=np.float32)
    rows = [row for row, word in enumerate(asked) if _encodable(word)]
    if rows and encoded:
        cosines = vectors.of([asked[row] for row in rows]) @ vectors.of(encoded).T
        nearness[rows, : len(encoded)] = np.clip((cosines - _UNRELATED) / (1 - _UNRELATED), 0.0, 1.0)
    for word, row in exact.items():
        nearness[row, columns[word]] = 1.0
    lines = [[len(columns), *(columns[word] for word in line if word in columns)] for text in texts for line in text]
    begins = list(accumulate((len(line) for line in lines[:-1]), initial=0))
    flat = nearness[:, [column for line in lines for column in line]]
    starts = list(accumulate((len(text) for text in texts[:-1]), initial=0))
    return np.maximum.reduceat(flat, begins, axis=1), starts


def _encodable(word: str) -> bool:
    """Whether a word has a meaning that other words can share: numbers and function words have none."""
    letters = len(word) >= _SHORTEST and not any(character.isdigit() for character in word)
    return letters and _plain(word) not in FUNCTION_WORDS


def _long(word: str) -> bool:
    return len(word) >= _SHORTEST or any(character.isdigit() for character in word)


def _plain(word: str) -> str:
    """The word in small letters without accents."""
    return unaccented(word.lower())
