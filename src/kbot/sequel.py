"""What comes after what was answered: "e depois?", "and then?", "what's the next step?". Pure functions."""

import re
from collections.abc import Sequence
from dataclasses import replace

from kbot.characters import unaccented
from kbot.chat import Passage
from kbot.grounding import plain, strip_citations
from kbot.sentences import sentences

# "And now?" alone asks how it is today: "Quanto custa a vaga?" "E agora?".
_DOING_PT = r"o que (?:e que )?(?:se )?(?:vem|segue|faz(?:er|emos)?|faco|acontece|(?:devo|preciso|tenho) (?:de )?fazer)"
_DOING_EN = r"what(?:'s| is| comes| happens| (?:do|should|can|must) (?:i|we|you) do)?"
_PT = (
    rf"(?:{_DOING_PT} )?(?:logo )?(?:depois(?: d(?:isso|isto|aquilo))?|a seguir|em seguida|apos is[st]o)"
    rf"|{_DOING_PT} agora"
    r"|o que se segue|(?:qual (?:e|seria) )?[oa]? ?(?:proxim[oa] (?:passo|etapa)|(?:passo|etapa) seguinte)"
)
_EN = (
    rf"(?:{_DOING_EN} )?(?:then(?: what)?|next|now what|afterwards?|after (?:that|this))|{_DOING_EN} now"
    r"|(?:what(?:'s| is) )?(?:the )?(?:next|following) step"
)
# Without accents.
_ASKS = re.compile(rf"(?:(?:e|mas|ok|entao|and|but|so)\b[\s,]*)*(?:{_PT}|{_EN})")
_NUMBERED = re.compile(r"\A\(?(?:\d{1,3}|[a-z])[.)]\s+")
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)


def asks_what_follows(question: str) -> bool:
    """Whether a question asks for nothing but what comes after what was told before it."""
    said = " ".join(unaccented(question.replace("’", "'").casefold()).split())
    return bool(_ASKS.fullmatch(said.strip("?!.… ")))


def after_answer(passages: Sequence[Passage], answer: str) -> list[Passage]:
    """What the passages that an answer quotes say after that, in their sections and else in the text that follows
    theirs; nothing of passages that it quotes to their end, nor of those that it does not quote."""
    said = f" {plain(strip_citations(answer))} "
    rests = [(passage, _rest(passage.section or passage.text, said)) for passage in passages]
    following = [(passage, rest or passage.after) for passage, rest in rests if rest is not None]
    return [replace(each, text=rest, before="", after="", section="") for each, rest in following if rest.strip()]


def _rest(text: str, said: str) -> str | None:
    """What stands after the last sentence of a text that is said, under the same heading if there is any; None if no
    sentence of it is said."""
    spans = [(_NUMBERED.sub("", text[start:end]), end) for start, end in sentences(text)]
    ends = [end for sentence, end in spans if (words := plain(sentence)) and f" {words} " in said]
    if not ends:
        return None
    rest = text[ends[-1] :].strip()
    return _HEADING.split(rest, maxsplit=1)[0].strip() or rest
