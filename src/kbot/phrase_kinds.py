"""What kind of thing a phrase of a question is about: moments, people, measures, what is told of a thing. Told by their
words. Pure functions."""

import re
from typing import Literal

from kbot.phrases import Phrase, Word

Moment = Literal["day", "hour", "period", ""]

_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|holidays?"
    r"|(?:segunda|terça|quarta|quinta|sexta)s?(?:-feiras?)?|sábados?|domingos?|feriados?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro"
)

_TODAY = re.compile(r"hoje|amanhã|ontem|agora|atualmente|today|tomorrow|yesterday|tonight|now|nowadays")
_HOUR = re.compile(
    r"\d{1,2}(?:h(?:\d\d)?|:\d\dh?| ?[ap]m| horas?| o'clock)|\d{1,2}:\d\d ?[ap]m"
    r"|meio-dia|meia-noite|noon|midday|midnight"
)
_PART_OF_DAY = re.compile(r"noite|manhã|tarde|madrugada|night|morning|afternoon|evening")
_WEEKEND = re.compile(r"fi(?:m|ns) de semana")
_PERIOD = re.compile(
    r"(?:19|20)\d\d|(?:próxim[oa]|últim[oa]) (?:ano|mês|semana)|(?:ano|mês|semana) (?:passad[oa]|seguinte)"
    r"|(?:last|next) (?:year|month|week)"
)
# "A segunda via" is no day.
_ORDINAL = re.compile(r"segunda|terça|quarta|quinta|sexta")
_MEASURE = re.compile(
    r"(?:day|hour|week|month|year|minute|night|euro|dollar)s?|times|percent"
    r"|(?:dia|hora|semana|ano|minuto|noite)s?|m[eê]s|meses|vez(?:es)?|rea(?:l|is)|dólar(?:es)?|tempo|time|dinheiro|money"
)
# What has no noun, and cannot take the place of one.
_STANDS_IN = {
    "pt": re.compile(
        r"outr[oa]s?|ambos|ambas|tod[oa]s|tudo|nada|ninguém|alguém|comigo|con?nosco|gente|cedo|tarde|grátis|gratuit[oa]s?"
        r"|(?:barat|car|rápid)[oa]s?|(?:melhor|pior|maior|menor)(?:es)?|sempre|nunca|só|apenas|aqui|ali|perto|longe|menos"
        r"|\w{3,}mente|\w+ion(?:al|ais)|mensa(?:l|is)|semana(?:l|is)|anua(?:l|is)"
    ),
    "en": re.compile(
        r"us|him|hers?|own|mine|yours|ours|theirs|others?|another|ones?|both|all|every(?:one|body)|any(?:one|body)|nobody|someone"
        r"|myself|ourselves|once|twice|home|here|early|late|free|alone|online|outside|inside|abroad|again|always|never|just"
        r"|(?:cheap|lat|earli|bigg|small|long|short|fast|slow|high|low|larg|new|old|saf)(?:er|est)|better|best|worse|worst"
        r"|least|\w+ional|(?:remote|month|week|year|dai|hour|night|quarter|annual|part|ful|direct|usual|separate|on)ly"
    ),
}
_PROPERTY = {
    "pt": re.compile(
        r"valor(?:es)?|duração|ramal|telefone|(?:preço|custo|prazo|horário|limite|teto|reembolso|requisito|tamanho|peso|endereço"
        r"|e-?mail|número|nome|senha|palavra-passe|data|tarifa|taxa|multa|capacidade|máximo|mínimo|regra|política"
        r"|orçamento|código)s?"
    ),
    "en": re.compile(
        r"(?:price|cost|fee|rate|amount|value|limit|deadline|date|duration|length|address|password|username|number"
        r"|size|weight|capacity|maximum|minimum|reimbursement|rule|requirement|polic(?:y|ie)|budget|schedule|code)s?"
    ),
}
_PEOPLE = {
    "pt": re.compile(
        r"(?:(?:funcion|estagi|usu|empres|benefici)ári|(?:empreg|contrat|terceiriz|reform|aposent|convid|advog)ad"
        r"|sóci|filh|alun|espos|médic|engenheir|enfermeir)[oa]s?"
        r"|(?:colabor|trabalh|utiliz|administr|coorden|prest|gest|forneced|consult|diret|direct|supervis|profess"
        r"|investig|program)(?:ad)?or(?:a|as|es)?"
        r"|(?:gerente|visitante|cliente|estudante|dependente|assistente|chefe|hóspede|cônjuge|aprendize?|motorista"
        r"|recec?pcionista|membro|pessoa|adulto|criança|mulher|pai|mãe|marido|equip[ae]|família)(?:e?s)?"
        r"|home(?:m|ns)|beb[eéê]s?|líder(?:es)?|familiar(?:es)?|freelancers?|trainees?"
    ),
    "en": re.compile(
        r"(?:employee|intern|trainee|apprentice|contractor|freelancer|consultant|worker|manager|director|executive|leader"
        r"|supervisor|assistant|partner|vendor|supplier|visitor|guest|customer|client|user|member|student|pupil|teacher"
        r"|professor|kid|dependent|spouse|husband|parent|mother|father|person|adult|senior|pensioner|temp|driver|doctor"
        r"|nurse|engineer|developer|researcher|hire|volunteer|colleague)s?"
        r"|staff|people|children|child|bab(?:y|ies)|famil(?:y|ies)|wife|wives|(?:wo)?m[ae]n|boss(?:es)?"
    ),
}


def moment_of(phrase: Phrase) -> Moment:
    """What kind of moment a phrase says: a day, or days of the week, months, or the like; an hour or a part of the day;
    a year, or another period by where it stands to this one."""
    *before, last = (word.low for word in phrase.content)
    said = " ".join([*before, last])
    if _DAY.fullmatch(last) or _WEEKEND.match(said) or says_today(phrase):
        return "day"
    if any(_DAY.fullmatch(word) and not _ORDINAL.match(word) for word in before):
        return "day"
    led = bool(phrase.preposition or phrase.determiner)  # "mais tarde" is none
    if _HOUR.fullmatch(said) or (led and _PART_OF_DAY.fullmatch(said)):
        return "hour"
    if phrase.determiner == "as" and said.isdecimal():  # "às 18"
        return "hour"
    return "period" if _PERIOD.fullmatch(said) else ""


def says_today(phrase: Phrase) -> bool:
    """Whether a phrase begins with an adverb of time: "hoje", "tomorrow morning"."""
    return bool(_TODAY.fullmatch(phrase.content[0].low))


def stands_in(phrase: Phrase, language: Literal["pt", "en"]) -> bool:
    """Whether a phrase has no noun: "the others", "grátis", "mine", "remotely", "internacionais"."""
    return all(_STANDS_IN[language].fullmatch(word.low) for word in phrase.content)


def says_property(phrase: Phrase, language: Literal["pt", "en"]) -> bool:
    """Whether a phrase is about what a thing has: "o prazo de reembolso", "the wifi password"."""
    noun = head_of(phrase)[0 if language == "pt" else -1]
    return bool(_PROPERTY[language].fullmatch(noun.low))


def says_people(phrase: Phrase) -> bool:
    """Whether a phrase is about people by what they are to others: "novos estagiários", "part-time employees", but not
    "employee handbook"."""
    head = head_of(phrase)
    return bool(any(_PEOPLE["pt"].fullmatch(word.low) for word in head) or _PEOPLE["en"].fullmatch(head[-1].low))


def says_measure(phrase: Phrase) -> bool:
    """Whether a phrase is about so much of something by a measure: "dias de férias", "vacation days"."""
    head = head_of(phrase)
    return any(_MEASURE.fullmatch(word.low) for word in (head[0], head[-1]))


def head_of(phrase: Phrase) -> tuple[Word, ...]:
    """What stands before "de" within a phrase."""
    place = next((place for place, word in enumerate(phrase.content) if word.low == "de"), 0)
    return phrase.content[:place] if place else phrase.content
