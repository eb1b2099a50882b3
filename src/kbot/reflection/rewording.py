"""A question for the documents: whether it is one, and how it reads in other words."""

import re
from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from kbot.language import Language
from kbot.models import ChatModel
from kbot.prompts import inert
from kbot.streaming import one_line

_PLAIN = re.compile(
    r"\?\s*$|^\W*(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should"
    r"|o que|que|quem|qual|quais|quando|onde|por que|porque|como|quant[oa]s?|posso|pode|podemos|preciso"
    r"|devo|há|existe|existem|é|são)\b",
    re.IGNORECASE,
)
_REWRITE: dict[str, str] = {
    "en": "Ask the question in other words, with synonyms and the terms that a document would use, so that a search "
    "finds more. Keep its meaning and its language. Reply with the question alone, on one line.",
    "pt": "Faça a pergunta com outras palavras, com sinônimos e os termos que um documento usaria, para que uma busca "
    "ache mais. Mantenha o sentido e a língua. Escreva apenas a pergunta, em uma linha.",
}

PROMPTS = tuple(_REWRITE.values())
"""All that a model is told here beside the questions."""


def is_plain_question(text: str) -> bool:
    """Whether a text is a question by its mark or its first word, and so needs no model to tell."""
    return bool(_PLAIN.search(text.strip()))


async def in_other_words(
    chat: ChatModel,
    question: str,
    tried: Sequence[str],
    *,
    language: Language,
    timeout: float,  # noqa: ASYNC109  # seconds without a sign of life
) -> str | None:
    """The question in other words than were tried; None where the model writes no such question. Raises `ModelError`
    where it does not answer at all."""
    asked = [
        SystemMessage(_REWRITE[language or "en"]),
        HumanMessage(inert("\n".join(dict.fromkeys([question, *tried])))),
    ]
    written = await one_line(chat, asked, limit=3 * len(question) + 200, timeout=timeout)
    return written if written and written not in tried else None
