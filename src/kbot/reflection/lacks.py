"""What an answer says that the documents lack, and what it tells of the world beside that. Pure functions."""

import re
from collections.abc import Iterator

from kbot.grounding import marks, strip_citations

# What an answer says of the passages, not of the world.
_LACK = re.compile(
    r"\b(?:passages?|documents?|sources?|trechos?|documentos?|fontes?)\b(?:(?!\b(?:that|which|que)\b)[^.]){0,20}"
    r"\b(?:do(?:es)? not|don't|doesn't|não|nada|no information|sem informaç)[^.]{0,20}?"
    r"(?:mention|say|state|contain|specif|tell|give|provide|answer|explain|address|information"
    r"|mencion|di[zg]|inform(?:am?|ou|aram|ações|ação)\b|cont[eéê]m|especific|respond|tra[zt]|fala|explic)"
    r"|\bthere (?:is|are) no (?:passages?|documents?|information)"
    r"(?: (?:that|which|about|on|in|available|regarding)\b|[.,!]|\Z)"
    r"|\bnot in the (?:passages?|documents?)\b"
    r"|\b(?:não há|nenhum|nenhuma) (?:trechos?|documentos?|informaç\w+)"
    r"(?: (?:que|sobre|n[oa]s?|dispon\w+|suficientes?|a respeito|acerca|fala\w*|menciona\w*|diz\w*)\b|[.,!]|\Z)"
    r"|\bnão há nos (?:trechos|documentos)\b"
    r"|^The sources? disagrees?\b|^As fontes discordam\b|^A fonte se contradiz\b",
    re.IGNORECASE,
)
# kbot's own sentence on two sides of which each is quoted and cited, as `kbot.disagreement` writes it.
_OWN_DISAGREEMENT = re.compile(
    r"(?:The sources? disagrees?(?: with itself)?|As fontes discordam|A fonte se contradiz): “[^”]*”[^\[]*\[\d+\]"
    r"[^\[]*\[\d+\]",
)
# Where a sentence turns from what the passages lack to what they tell, or back.
_TURNS = re.compile(
    r"(?<!\s)\s*+(?:;\s*|[,–—-]?\s*\b(?:but|however|yet|though|although|whereas|while|therefore|consequently|mas|porém"
    r"|contudo|todavia|entretanto|no entanto|enquanto|embora|portanto|por isso)\b,?\s*"
    r"|[,–—-]\s*(?:(?:and|e)\s+)?(?:so|thus|hence|then|logo|assim|então)\b(?!\s+(?:far|as|that|como|que)\b),?\s*"
    r"|,?\s*\b(?:and|e)\s+(?:(?:they|it|eles|elas|also|only|também)\s+)?(?:says?|states?|shows?|explains?|di(?:z|zem)"
    r"|afirmam?|informam?|mostram?|explicam?)\s+(?:that|que)\s+"
    r"|,?\s*\b(?:and|e)\s+(?=(?:(?:the|these|[oa]s?|est[ea]s)\s+)?"
    r"(?:documents?|passages?|sources?|documentos?|trechos?|fontes?)\s+(?:do|does|don't|doesn't|não)\b))+",
    re.IGNORECASE,
)
_VERB = (
    r"(?:is|are|was|were|has|have|can|cannot|must|may|should|will|gets?|costs?"
    r"|é|são|está|estão|foi|foram|será|serão|tem|têm|pode|podem|deve|devem|custam?)\b"
)
# What else may come after a lack, and does where it holds a figure or a verb: "…: price, hours" only lists what lacks.
_GOES_ON = re.compile(
    r"(?<!\s)\s*+(?::\s+|(?<=\s)[–—-]\s+|—\s*"
    rf"|,?\s*\b(?:and|e)\s+(?:(?:they|it|eles|elas|also|only|também)\s+)?(?={_VERB})"
    r"|,?\s*\b(?:beyond|besides|other than|apart from|except(?:\s+for)?|além d[aeo]s?|a não ser|exceto|salvo)\s+)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"(?!\W*(?:or|nor|what|who|whom|when|where|how|which|whether|if|that"
    r"|ou|nem|(?:o )?que|quem|quando|onde|como|qual|se)\b)"
    rf".*?(?:\d|\b{_VERB})",
    re.IGNORECASE | re.DOTALL,
)
_CONCEDES = re.compile(r"\A\W*(?:although|though|while|embora|ainda que|apesar de)\b[^,;]*(,\s+)", re.IGNORECASE)
# What goes on to tell of the passages, or that there is no answer, and whom to ask for one.
_TELLS_OF_PASSAGES = re.compile(
    r"\W*(?:they |it |eles |elas )?(?:only|just|apenas|só|somente)\s+(?:mention|discuss|refer|talk|cover|mencion"
    r"|fala|trata|refere|aborda)"
    r"|\W*(?:I|we|it|this|that|isso|eu)?\s*(?:am |is |was |are |'m |'s )?"
    r"(?:cannot|can't|can not|could not|couldn't|unable|not (?:able|possible|clear|known|sure)|impossible|unclear"
    r"|unknown|não (?:posso|podemos|consigo|conseguimos|sei|sabemos|(?:é|foi) possível|dá para|(?:está|fica) claro)"
    r"|é impossível|desconheço)\b"
    r"|\W*(?:please|por favor|ask|contact|consulte|procure|pergunte|verifique|entre em contato)\b",
    re.IGNORECASE,
)


def tells_a_lack(answer: str) -> bool:
    """Whether an answer says that the passages do not tell something."""
    return bool(_LACK.search(strip_citations(answer)))


def told_beside(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """What a sentence that tells a lack tells of the world beside it: the clauses that hold a figure, or that a
    citation in the sentence follows, each as where it begins, where its words do, and where it ends. A later one begins
    with what turns to it, and all leave the stop of the sentence, so that it stands without them."""
    sentence = text[start:end]
    if _OWN_DISAGREEMENT.match(sentence):
        return
    cited = max((mark.end for mark in marks(sentence)), default=0) + start
    for begins, words, last in _clauses(text, start, end - (text[end - 1] in ".!?…;")):
        clause = text[words:last]
        if tells_a_lack(clause):
            lack = _LACK.search(clause)
            goes_on = _GOES_ON.search(text, words + (lack.end() if lack else 0), last)
            if not (goes_on and _TELLS.match(strip_citations(text[goes_on.end() : last]))):
                continue
            begins, words = goes_on.span()
        holds = cited > words or re.search(r"\d", strip_citations(text[words:last]))
        if holds and not _TELLS_OF_PASSAGES.match(text, words, last):
            yield begins, words, last


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    concedes = _CONCEDES.match(text[start:end])
    first = start + concedes.start(1) if concedes else start
    turns = [found.span() for found in _TURNS.finditer(text, start, end)]
    if concedes:
        turns = [(first, start + concedes.end(1)), *(each for each in turns if each[0] > first)]
    ends = [*(each for each, _ in turns), end]
    return zip([start, *ends[:-1]], [start, *(after for _, after in turns)], ends, strict=True)
