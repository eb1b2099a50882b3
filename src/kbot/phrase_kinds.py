"""What kind of thing a phrase of a question is about: days, people, measures. Told by their words. Pure functions."""

import re

from kbot.phrases import Phrase, Word

_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|holidays?"
    r"|(?:segunda|terça|quarta|quinta|sexta)s?(?:-feiras?)?|sábados?|domingos?|feriados?|fins?"
    r"|january|february|march|april|june|july|august|september|october|november|december"
    r"|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro"
)

# "A segunda via" is no day.
_ORDINAL = re.compile(r"segunda|terça|quarta|quinta|sexta")
_MEASURE = re.compile(
    r"(?:day|hour|week|month|year|minute|night|euro|dollar)s?|times|percent"
    r"|(?:dia|hora|semana|ano|minuto|noite)s?|m[eê]s|meses|vez(?:es)?|rea(?:l|is)|dólar(?:es)?|tempo|time|dinheiro|money"
)
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


def says_day(phrase: Phrase) -> bool:
    """Whether a phrase is about days of the week, months, or the like."""
    *before, last = (word.low for word in phrase.content)
    return bool(_DAY.fullmatch(last)) or any(_DAY.fullmatch(word) and not _ORDINAL.match(word) for word in before)


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
