"""What takes back some of the sentence before it, or all, in Portuguese and English. Pure functions."""

import re

_LONGEST = 14  # words
_WORD = r"(?!(?:that|which|who|and|que|e)\s)[\w'’-]+\s+"  # of the same clause
_WORDS = rf"(?:{_WORD}){{0,3}}?"
_NOT = r"(?:not|never|no longer|cannot|\w+n['’]t|n[ãa]o|nunca|forbidden|prohibited|banned|proibid[ao]s?|vedad[ao]s?)\b"
_ENDED = (
    r"(?:no longer|reject|cancel|revok|withdrawn|suspen[ds]|postpone|abandon|denied|repeal|abolish|discontinued|stopped"
    r"|ended\b|ceased|expired|rejeitad|revogad|retirad|adiad|negad|anulad|abolid|extint|encerr(?:ou|aram|ad)"
    r"|(?:acab|termin|cess|expir)(?:ou|aram)\b)"
)
# What a rule does, but not for everybody and always: that these rooms have no window takes nothing back.
_HOLDS = (
    r"(?:appl(?:y|ies)|count|hold|include|cover|extend|allowed|permitted|possible|valid|available"
    r"|aplica|val(?:e|em|ia)\b|conta|inclu|cobre|abrange|estende|permitid|poss[íi]ve|válid|dispon[íi]ve)"
)
_WHERE = (
    r"(?:with|on|in|if|when|after|before|for|from|until|at|by|to|under|upon|during|once|through"
    r"|com|se|quando|após|depois|antes|para|em|n[ao]s?|às?|aos?|até|por|pel[ao]s?|mediante|durante|sob)\b"
)
_ONLY = r"(?:only|apenas|somente|só)\b"
# A pronoun for what was said: "this room" has another subject, and "that" may begin a clause.
_IS = (
    r"(?:is|was|does|did|has|had|will|may|can|must|would|should|no|never|only|cannot|\w+n['’]t|stopped|ended|ceased)\b"
)
_THAT = rf"(?:\b(?:isso|isto)\s+|(?:\bthis|(?:\A|(?<=[,;]\s))that)\s+(?={_IS}))"
_THAT_ONE = rf"(?:\b(?:this|these|those|ess[ae]s?|est[ae]s?)|(?:\A|(?<=[,;]\s))that)\s+(?:{_WORD}){{1,4}}?"
_DENIED = rf"{_THAT}{_WORDS}{_NOT}|{_THAT_ONE}{_NOT}\s+(?:[\w'’-]+\s+){{0,2}}?{_HOLDS}"

_DENIES_THAT = re.compile(_DENIED, re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"\A(?:but|however|except|unless|nevertheless|mas|porém|contudo|todavia|entretanto|no entanto|exceto|salvo|só que"
    r"|a menos que|a não ser|provided|as long as|desde que|contanto que)\b"
    # "Only managers." and "Not on Fridays." go on with the sentence before them; "Only managers may …" begins another.
    rf"|\A{_ONLY}(?:\s+{_WHERE}|(?:\s+[\w'’-]+,?){{1,3}}\W*\Z)"
    rf"|\A(?:not(?!\s+to\s+be\b)|n[ãa]o(?!\s+se\b|\s+nos\s+\w+mos\b))\s+(?:mais\b|any\b|{_WHERE})"
    rf"|\A(?:does\s+not|doesn['’]t|n[ãa]o(?:\s+se)?)\s+{_HOLDS}"
    rf"|{_DENIED}"
    rf"|{_THAT}{_WORDS}(?:{_ENDED}|{_ONLY}\s+(?:{_HOLDS}\w*\s+)?{_WHERE})"
    rf"|{_THAT_ONE}{_ENDED}"
    rf"|\b(?:{_NOT}|{_ENDED}\w*)\s+{_WORDS}(?:this|that|isso|isto|disso)(?=\W*\Z|[,;]|\s+{_WHERE}|\s+any)"
    r"|\A(?:the|its?|[ao]s?)\s+(?:\w+\s+){0,4}?(?:was|were|is|are|ha(?:s|ve) been|foi|foram|está|estão)\s+"
    rf"(?:later\s+|depois\s+)?{_ENDED}",
    re.IGNORECASE,
)


def takes_back(sentence: str) -> bool:
    """Whether a sentence takes back some of the one before it: it goes on with a limit ("Only on Fridays."), or points
    back and denies that or tells its end. A longer one goes on to something else unless it denies what it points at."""
    short = len(sentence.split()) <= _LONGEST
    return bool((_TAKES_BACK if short else _DENIES_THAT).search(sentence))
