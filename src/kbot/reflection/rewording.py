"""A question for the documents: whether it is one, and how it reads in other words."""

import re
from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from kbot.errors import ModelFailed, StreamCut
from kbot.language import Language
from kbot.logs import get_logger
from kbot.models import ChatModel, complete
from kbot.prompts import inert

log = get_logger(__name__)

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
    try:
        written = (await complete(chat, asked, timeout=timeout)).strip().strip('"“”').strip()
    except (ModelFailed, StreamCut) as error:
        log.info("rewording_failed", error=type(error).__name__)
        return None
    if not written or "\n" in written or len(written) > 3 * len(question) + 200 or written in tried:
        return None
    return written
