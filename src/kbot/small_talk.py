"""What people say to a bot without asking it anything: greetings, thanks, farewells, that they have understood, and
calls for help. Told by their words, all of which have to be such or to go with such: "obrigado, e o horário?" asks for
the hours, and the thanks are no part of that. Words stand here without accents. Pure functions."""

import re
from collections.abc import Sequence
from typing import Literal

from kbot.characters import unaccented

SmallTalk = Literal["thanks", "farewell", "acknowledgement", "greeting", "help", ""]

_LONGEST = 160  # characters

_SAID: dict[SmallTalk, dict[str, str]] = {
    "thanks": {
        "pt": r"(?:muit[oa]s? )?obrigad(?:[oa]s?|ao|ona|inh[oa])|brigad(?:[oa]s?|ao|inh[oa])|obgd?|obrig"
        r"|valeu(?:zao)?|vlw+s?"
        r"|agradec(?:o|emos|id[oa]s?)|grat[oa]|gratidao",
        "en": r"(?:many |much )?thanks?(?: you| u)?|thx+|tnx|tks|ty|tysm|cheers"
        r"|(?:much |really )?appreciate(?:d| it| that| (?:your|the) help)",
    },
    "farewell": {
        "pt": r"tchau+|ate (?:logo|mais|amanha|breve|depois|a proxima|ja)|falou|flw|abrac(?:os?|ao)|abs"
        r"|bo[mn]s? (?:fi[mn](?:al)? de semana|fds|trabalho|descanso|feriado)|bom resto de (?:dia|tarde|semana)",
        "en": r"(?:good ?)?bye+(?: bye)?|see (?:you|ya|u)(?: (?:later|soon|tomorrow|around))?|cya|good night|take care"
        r"|have a (?:nice|good|great|lovely) (?:day|one|weekend|evening|night|week)|talk (?:to you )?(?:later|soon)",
    },
    "greeting": {
        "pt": r"oi+e?|ola+|e ai|salve|bo[mn]s? dias?|boas? tardes?|boas? noites?|tudo (?:bem|bom|certo|joia)"
        r"|como (?:vai|vao|voce esta|vc esta)|prazer",
        "en": r"hi+|hello+|hey+|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)"
        r"|how are (?:you|things)(?: doing)?"
        r"|how'?s it going|nice to meet you",
        "": r"opa|👋|:wave:",
    },
    "acknowledgement": {
        "pt": r"(?:que )?(?:perfeit[oa]|otim[oa]|excelente|maravilha|maravilhos[oa]|show(?: de bola)?|bacana"
        r"|joia|beleza)"
        r"|blz|top|(?:que|muito) legal|que bom|muito bo[am]|boa|cert(?:o|inho|issimo)|entendi(?:do)?|compreendi(?:do)?"
        r"|combinado|tranquilo|sucesso|genial|sensacional|fantastic[oa]|incrivel|(?:ta|esta) (?:bom|certo"
        r"|otimo)|deu certo"
        r"|funcionou"
        r"|(?:me )?ajudou|era (?:so )?(?:isso|isto)(?: mesmo| ai)?|isso (?:mesmo|ai)|e isso(?: ai)?|so isso|parabens"
        r"|mandou (?:muito )?bem|anotado|ciente|agora (?:entendi|ficou claro)",
        "en": r"perfect(?:ly)?|great|cool|nice|awesome|excellent|wonderful|fantastic|brilliant|amazing|lovely"
        r"|superb|alright"
        r"|all right|got (?:it|you|ya)|gotcha|understood|i (?:see|understand)|sounds (?:good|great)|noted|makes sense"
        r"|(?:that|this|it) (?:really )?(?:helps|helped)(?: me)?|very helpful|well done"
        r"|(?:good|great|nice) (?:job|work|bot)"
        r"|good to know|that'?s (?:it|all|great|perfect|fine|good|helpful|clear|what i needed)|(?:it )?worked|will do"
        r"|congrats",
        "": r"ok+|okay|okey|oki|[👍👏🙏🙌👌❤😊😀😃😄😁🙂😉😍🥰🎉✅💪🤝💯🚀]"
        r"|:(?:thumbsup|\+1|pray|clap|raised_hands|ok_hand|heart|smile|slightly_smiling_face|tada"
        r"|white_check_mark|100|rocket"
        r"|muscle|handshake|wink|grinning)(?::skin-tone-\d)?:",
    },
    "help": {
        "pt": r"ajuda|socorro|(?:o )?que (?:voce|vc) (?:faz|sabe fazer|pode fazer)|como (?:voce|vc) funciona"
        r"|como (?:te )?uso",
        "en": r"help|what (?:can|do) you do|how do (?:you work|i use (?:you|this))",
    },
}
# What goes with such words, and is none by itself.
_WITH = {
    "pt": r"muito|muitissimo|mesmo|de verdade|de coracao|imensamente|bastante|demais|legal"
    r"|por (?:enquanto|ora|hoje)|novamente"
    r"|mais uma vez|de novo|tambem|entao|viu|ne|ja|agora|ai|bem|(?:a |para |pra )?(?:voces?|vcs?|tod[oa]s)|super"
    r"|sim|nao"
    r"|pel[oa]s? (?:(?:sua|otima|rapida|excelente|grande) )?(?:ajuda|respostas?|retorno|atencao|forca|apoio|suporte"
    r"|paciencia|informac(?:ao|oes)|esclarecimentos?|explicac(?:ao|oes)|dicas?|rapidez"
    r"|gentileza)(?: (?:rapid|otim)as?)?"
    r"|por (?:tudo|isso|me ajudar|ajudar|responder|explicar|esclarecer|avisar|tirar (?:a|as|minhas?) duvidas?)"
    r"|pessoal|galera|gente|time|equipe|turma|amig[oa]s?|querid[oa]s?|colegas?|robo|meu|e|o",
    "en": r"very|so|much|a (?:lot|bunch|million|ton)|lots|really|truly|again|all|everyone|everybody|team|guys|folks"
    r"|there|mate"
    r"|friends?|buddy|then|now|today|indeed|super|yes|yep|no|oh|and|you|to (?:you|all)|for now|in advance"
    r"|for (?:(?:all )?(?:your|the|this|that|such a) )?(?:(?:quick|great|kind|fast|helpful|clear) )?(?:help|answers?"
    r"|repl(?:y|ies)|responses?|info|information|support|time|assistance|explanations?|clarifications?|tips?"
    r"|patience|work)"
    r"|for (?:everything|this|that|it|helping(?: me)?(?: out)?|answering|explaining|clarifying|letting me know)"
    r"|(?:just |exactly )?what i needed",
    "": r"kbot|bot|rs+|(?:ha|he)+|kk+",
}


def _words(kinds: dict[SmallTalk, dict[str, str]], *languages: str) -> str:
    return "|".join(said[each] for said in kinds.values() for each in languages if each in said)


_ANY: dict[SmallTalk, re.Pattern[str]] = {
    kind: re.compile(rf"(?<!\w)(?:{_words({kind: said}, 'pt', 'en', '')})(?!\w)") for kind, said in _SAID.items()
}
_ALL = {
    language: re.compile(rf"(?:\W|(?<!\w)(?:{_words(_SAID, *each)}|{'|'.join(_WITH[one] for one in each)})(?!\w))+")
    for language, each in {"pt": ("pt", ""), "en": ("en", ""), "": ("pt", "en", "")}.items()
}
_MARKS = re.compile(rf"(?:\W|(?<!\w)(?:{_words(_SAID, '')})(?!\w))+")
_CLAUSE = re.compile(r"[.,;!\n]")
_CIVIL = frozenset[SmallTalk](["thanks", "farewell", "acknowledgement", "greeting"])
# "Perfeito?" may ask for what is called so.
_NO_QUESTION = frozenset[SmallTalk](["thanks", "farewell", "acknowledgement"])
_ASKING = (
    r"(?=(?:a que|o que|qua(?:l|is|ndo)|quant[oa]s?|quem|como|onde|posso|há|wh(?:at|o|en|ere|ich|y)|how|can|could"
    r"|do|does|is|are)\s)"
)
# What may stand between a courtesy and a question, by the courtesies that it ends. After a comma a capital may go on
# with a name ("Nice, France"), and "and" may be the question's own unless that asks by itself.
_FRONTS: dict[re.Pattern[str], frozenset[SmallTalk]] = {
    re.compile(r"(?:(?<=[^\w\s,])\s+|(?<=,)\s+(?![A-ZÀ-Þ])|\n\s*)(?=\S)"): _CIVIL,
    re.compile(rf"\s+(?:e|and)\s+{_ASKING}", re.IGNORECASE): _CIVIL,
    re.compile(rf"\s+(?:(?=(?:e|mas|and|but)\s)|{_ASKING})", re.IGNORECASE): frozenset(["thanks"]),
}
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n\s*")
# "Não funcionou" is a complaint, whatever stands beside it; "não, obrigado" is thanks.
_DENIES = re.compile(r"\b(?:nao|no)\b")


def small_talk(text: str) -> SmallTalk:
    """What kind of small talk a text is, and nothing more; "" for anything that may ask for something."""
    said = _folded(text)
    if len(said) > _LONGEST or not _ALL[""].fullmatch(said):
        return ""
    kinds: list[SmallTalk] = [kind for kind, words in _ANY.items() if words.search(said)]
    if "?" in said and not _MARKS.fullmatch(said):
        asked = [clause for clause in _CLAUSE.split(said) if "?" in clause]
        known = all(any(words.search(clause) for words in _ANY.values()) for clause in asked)
        if _NO_QUESTION.issuperset(kinds) or not known:
            return ""
    return "" if _denies(said, kinds) else kinds[0] if kinds else ""


def _denies(said: str, kinds: Sequence[SmallTalk]) -> bool:
    """Whether small talk says that something did not work or was no help."""
    if "acknowledgement" in kinds and "thanks" not in kinds:
        return bool(_DENIES.search(said))
    denials = [clause for clause in _CLAUSE.split(said) if _DENIES.search(clause)]
    return any(_ANY[kind].search(clause) for clause in denials for kind in ("acknowledgement", "help"))


def without_courtesy(text: str) -> str:
    """A question without the thanks, greetings and the like before and after it, which are no part of what is asked:
    "Obrigado, e a que horas abre?" asks "A que horas abre?". What is nothing else stays as it is."""
    if small_talk(text):
        return text
    ends = [
        found.end()
        for front, courtesies in _FRONTS.items()
        for found in front.finditer(text[:_LONGEST])
        if small_talk(text[: found.start()]) in courtesies and _has_words(text[found.end() :])
    ]
    start = max(ends, default=0)
    rest = text[start : start + 1].upper() + text[start + 1 :] if ends else text
    for found in _SENTENCE_END.finditer(rest, max(0, len(rest) - _LONGEST)):
        if small_talk(rest[found.end() :]) in _CIVIL and _has_words(rest[: found.start()]):
            return rest[: found.start()]
    return rest


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def small_talk_in(text: str) -> frozenset[str]:
    """The languages ("pt", "en") whose words for small talk suffice for a text that is such."""
    said = _folded(text)
    if not small_talk(text):
        return frozenset()
    return frozenset(language for language in ("pt", "en") if _ALL[language].fullmatch(said))


def _folded(text: str) -> str:
    return " ".join(unaccented(text.replace("’", "'").lower()).split())
