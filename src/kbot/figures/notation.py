"""What is written in several ways, in one of them: halves, dozens and hours in words, laws with their year."""

import re

from kbot.figures.numerals import NUMBER, NUMERALS, read_number
from kbot.figures.vocabulary import MULTIPLES, UNITS

_EMPHASIS = re.compile(r"\*+|__+|`+")
# Contracts and laws say a number twice: "15 (quinze) dias".
_TWICE = re.compile(rf"(?<=\d) ?\((?!\d)(?:{NUMBER})\)", re.IGNORECASE)
_HALF_HOUR = re.compile(r"\b(?:half an hour|(?<!and a[ -])half[ -]hour|meia hora)\b", re.IGNORECASE)
_HALF_PAST_NOON = re.compile(r"\b(?:(meio[- ]dia)|meia[- ]noite) e meia\b", re.IGNORECASE)
# A "401k" is a pension, whichever way it is written.
_SHORT_MULTIPLE = re.compile(
    r"(?<![\w.,:/])(?:(?P<money>(?:R\$|US\$|\$|€|£) ?\d+(?:[.,]\d+)?)"
    r"(?:k|(?P<million>m| ?(?:mi|mn|mm))|(?P<billion>b| ?(?:bi|bn)))|(?!401k)(?P<number>\d+(?:[.,]\d+)?)k)(?!\w)",
    re.IGNORECASE,
)
_DOZEN = re.compile(
    rf"(?<![\w.,-])(?:(?P<half>half a dozen|meia dúzia)|(?P<one>a dozen|uma dúzia)"
    rf"|(?P<count>{NUMBER}) (?:dozen|dúzias))(?: de)?(?!\w)",
    re.IGNORECASE,
)
_COINS = re.compile(
    rf"(?<![\w.,-])(?P<whole>{NUMBER}) (?P<unit>euros?|dollars?|dólar(?:es)?|rea(?:l|is)|pounds?|libras?)"
    rf"(?: and| e|,)? (?P<parts>\d{{1,2}}|{NUMBER}) (?:cents?|centavos?|cêntimos?|pence)\b",
    re.IGNORECASE,
)
_HALF_SIGN = re.compile(r"(?<![\d.,/])(\d{1,3})(?: ?½| 1/2(?![\d/]))")
_MEASURE = "|".join(sorted((word for word in (*UNITS, *MULTIPLES) if len(word) > 2 and word.isalpha()), key=len)[::-1])
_AND_A_HALF = re.compile(
    rf"(?<![\w.,-])(?:(?:(?P<count>\d{{1,3}}|an?|{NUMBER}) )"
    rf"(?:(?:and a half|e mei[oa])[ -](?P<after>{_MEASURE})|(?P<unit>{_MEASURE}) (?:and a half|e mei[oa]))"
    r"|(?P<single>(?:hora|semana)(?= e meia)|(?:dia|mês|ano)(?= e meio)) e mei[oa])(?!\w)",
    re.IGNORECASE,
)
_HOUR_WORDS = "|".join(sorted((word for word, number in NUMERALS.items() if number <= 12), key=len, reverse=True))
_HOUR = (
    rf"(?:\d{{1,2}}|(?:vinte e (?:um|uma|dois|duas|três|quatro)|{_HOUR_WORDS}|treze|quatorze|catorze|quinze"
    r"|dezesseis|dezessete|dezoito|dezenove|vinte)(?![^\W\d_]))"
)
# The point of "7.30" and the colon of "18:30" end nothing.
_TIME_END = r"(?= ?(?:[.,:](?!\d)|[;!?)]|\Z|às |até |da (?:manhã|tarde|noite|madrugada)))"
_AS_HORAS = re.compile(
    rf"\b(?P<at>[àa]s|à|das) (?P<hour>{_HOUR})(?P<unit> horas?\b)?(?: e (?P<past>meia|quinze)\b)?(?P<end>{_TIME_END})?",
    re.IGNORECASE,
)
_O_CLOCK = re.compile(
    rf"(?<![\w.,:-])(?:(?P<hour>{_HOUR}) o['’]clock|(?P<half>half past) (?P<hour2>{_HOUR}))\b", re.IGNORECASE
)
# "2 mil e 15 dias" are two amounts, and "2 mil e 500" one.
_MIL_E = re.compile(r"(?<![\w.,])(?P<thousands>\d{1,3}) mil e (?P<rest>\d{3}|[a-zç]+entos)\b(?! mil)", re.IGNORECASE)
_PART_OF_DAY = re.compile(
    rf"(?<![\w.,:-])(?P<lead>(?:at|by|until|till|from|to|before|after|around|about|às|as|das|à|até) )?"
    rf"(?:(?P<first>{_HOUR})(?:[:h](?P<first_minute>[0-5]\d))?h?(?P<to> (?:às|até as|to|and|a|e) ))?(?P<hour>{_HOUR})"
    r"(?:[:h](?P<minute>[0-5]\d))?(?: ?h\b| horas?\b)?"
    r" (?:da (?P<pt>manhã|madrugada|tarde|noite)|(?:in the |at )(?P<en>morning|afternoon|evening|night))\b",
    re.IGNORECASE,
)
_BEFORE_NOON = ("manhã", "madrugada", "morning")
_LATE = ("noite", "night")
_LAW = re.compile(
    r"(?P<law>\b(?:leis?|decretos?|decreto-lei|portarias?|resolução|mp|lc|law|act|decree)(?: complementar| federal)?"
    r"(?: n[.º°o]{1,2}| no\.)? ?(?=\d))?(?<![\d.,/-])(?P<number>\d{1,3}\.\d{3}|(?(law)\d{1,5}|(?!)))"
    r"/(?P<century>19|20)?(?P<year>\d\d)(?![\d/-])",
    re.IGNORECASE,
)
_PAST = {"meia": "30", "quinze": "15", "": ""}
_FIRST_OF_LAST_CENTURY = 30  # a law of "/90" is of 1990, one of "/21" of 2021


def uniform(text: str) -> str:
    """The text in one line, without emphasis, each number said once, and what is written in several ways in one: "an
    hour and a half" as 1.5 hours, "nove da manhã" as 9:00 am, "$2k" as "$2 thousand", "12 euros and 50 cents" as 12.50
    euros, "Lei 8.112/90" as "Lei 8.112 de 1990"."""
    text = _TWICE.sub("", _EMPHASIS.sub("", " ".join(text.split())))
    text = _SHORT_MULTIPLE.sub(_short_multiple, _DOZEN.sub(_dozen, _COINS.sub(_coins, text)))
    text = _HALF_PAST_NOON.sub(lambda match: "12:30" if match[1] else "0:30", text)
    text = _HALF_SIGN.sub(r"\1.5", _HALF_HOUR.sub("30 minutes", text))
    text = _AND_A_HALF.sub(_and_a_half, text)
    text = _MIL_E.sub(_mil_e, text)
    text = _O_CLOCK.sub(_o_clock, text)
    text = _PART_OF_DAY.sub(_part_of_day, _AS_HORAS.sub(_as_horas, text))
    return _LAW.sub(_law, text)


def _number(written: str) -> int:
    return int(read_number(written)[0])


def _short_multiple(match: re.Match[str]) -> str:
    multiple = "million" if match["million"] else "billion" if match["billion"] else "thousand"
    return f"{match['money'] or match['number']} {multiple}"


def _dozen(match: re.Match[str]) -> str:
    # One of them may be about as many: in words it asks for no more than any number in words.
    if match["half"] or match["one"]:
        return "six" if match["half"] else "twelve"
    return f"{_number(match['count']) * 12}"


def _coins(match: re.Match[str]) -> str:
    coins = _number(match["parts"])
    return f"{_number(match['whole'])}.{coins:02} {match['unit']}" if coins < 100 else match[0]


def _and_a_half(match: re.Match[str]) -> str:
    if match["single"]:
        return f"1.5 {match['single']}"
    count = 1 if match["count"].lower() in ("a", "an") else read_number(match["count"])[0]
    return f"{count + 0.5:g} {match['after'] or match['unit']}" if count % 1 == 0 else match[0]


def _mil_e(match: re.Match[str]) -> str:
    rest = re.fullmatch(NUMBER, match["rest"], re.IGNORECASE)
    return f"{int(match['thousands']) * 1000 + _number(match['rest'])}" if rest else match[0]


def _o_clock(match: re.Match[str]) -> str:
    return f"{_number(match['hour'] or match['hour2'])}:{'30' if match['half'] else '00'}"


def _as_horas(match: re.Match[str]) -> str:
    # "Das duas horas" may be of a while, and "às duas" to two people.
    if match["end"] is None and (not match["unit"] or match["at"].lower() == "das"):
        return match[0]
    return f"{match['at']} {_number(match['hour'])}h{_PAST[(match['past'] or '').lower()]}"


def _part_of_day(match: re.Match[str]) -> str:
    hour, part = _number(match["hour"]), (match["pt"] or match["en"]).lower()
    # "Three in the morning" may be three people: a preposition or minutes make a time of it.
    counts = not (match["lead"] or match["minute"]) and (match["en"] or hour == 1)
    if counts or not 1 <= hour <= 12:
        return match[0]
    early = part in _BEFORE_NOON or (part in _LATE and (hour == 12 or hour < 5))
    half = "am" if early else "pm"
    first = ""
    if match["first"]:
        begin, minute = _number(match["first"]), match["first_minute"] or "00"
        # From two to six in the afternoon, and from nine to six: nine is before noon.
        first = f"{begin}:{minute} {half}" if 1 <= begin < hour else f"{begin}:{minute}"
        first += match["to"]
    return f"{match['lead'] or ''}{first}{hour}:{match['minute'] or '00'} {half}"


def _law(match: re.Match[str]) -> str:
    year = int(match["year"])
    century = match["century"] or ("19" if year >= _FIRST_OF_LAST_CENTURY else "20")
    return f"{match['law'] or ''}{match['number']} de {century}{match['year']}"
