"""How Portuguese and English write numbers: in words, or in digits with points and commas for either purpose."""

import re

_ONES = {
    word: number
    for number, words in enumerate(
        (
            "one um uma",
            "two dois duas",
            "three três",
            "four quatro",
            "five cinco",
            "six seis",
            "seven sete",
            "eight oito",
            "nine nove",
            "ten dez",
            "eleven onze",
            "twelve doze",
            "thirteen treze",
            "fourteen quatorze catorze",
            "fifteen quinze",
            "sixteen dezesseis dezasseis",
            "seventeen dezessete dezassete",
            "eighteen dezoito",
            "nineteen dezenove dezanove",
        ),
        1,
    )
    for word in words.split()
}
_TENS = {
    word: 10 * number
    for number, words in enumerate(
        (
            "twenty vinte",
            "thirty trinta",
            "forty quarenta",
            "fifty cinquenta",
            "sixty sessenta",
            "seventy setenta",
            "eighty oitenta",
            "ninety noventa",
        ),
        2,
    )
    for word in words.split()
}
_HUNDREDS = {
    word: 100 * number
    for number, words in enumerate(
        (
            "cem cento",
            "duzentos duzentas",
            "trezentos trezentas",
            "quatrocentos quatrocentas",
            "quinhentos quinhentas",
            "seiscentos seiscentas",
            "setecentos setecentas",
            "oitocentos oitocentas",
            "novecentos novecentas",
        ),
        1,
    )
    for word in words.split()
}
_HUNDRED = "hundred"
_THOUSAND = {"mil": 1000, "thousand": 1000}
NUMERALS: dict[str, int] = {**_ONES, **_TENS, **_HUNDREDS, _HUNDRED: 100, **_THOUSAND}
_ORDINAL_ONES = {
    word: number
    for number, words in enumerate(
        (
            "first primeiro primeira",
            "second segundo segunda",
            "third terceiro terceira",
            "fourth quarto quarta",
            "fifth quinto quinta",
            "sixth sexto sexta",
            "seventh sétimo sétima",
            "eighth oitavo oitava",
            "ninth nono nona",
        ),
        1,
    )
    for word in words.split()
}
_ORDINAL_TENS = {
    word: 10 * number
    for number, words in enumerate(
        (
            "tenth décimo décima",
            "twentieth vigésimo vigésima",
            "thirtieth trigésimo trigésima",
        ),
        1,
    )
    for word in words.split()
}
_ORDINALS = {
    **_ORDINAL_ONES,
    **_ORDINAL_TENS,
    **{
        word: number
        for number, word in enumerate(
            (
                *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
                *("eighteenth", "nineteenth"),
            ),
            11,
        )
    },
}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_NUMERAL = re.compile(_any(NUMERALS))
# Each word would be tried at each character otherwise.
_INITIAL = rf"(?=[{''.join(sorted({word[0] for word in ('a', *NUMERALS, *_ORDINALS)}))}])"
DIGITS = r"\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+(?![\d])(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?"
_BELOW_HUNDRED = rf"(?:(?:{_any(_TENS)})(?:[ -](?:e )?(?:{_any(_ONES)}))?|{_any(_ONES)})"
_BELOW_THOUSAND = (
    rf"(?:(?:(?:{_any(_ONES)}|a) {_HUNDRED}|{_any(_HUNDREDS)})(?: (?:e |and )?{_BELOW_HUNDRED})?|{_BELOW_HUNDRED})"
)
# "Mil" after digits is their multiple, and before another "mil" the end of a range: "entre mil e dois mil".
_THOUSANDS = (
    rf"(?:{_BELOW_THOUSAND} (?:{_any(_THOUSAND)})|a thousand|(?<!\d )mil)(?![^\W\d_])"
    rf"(?:,? (?:e |and )?{_BELOW_THOUSAND}(?! (?:{_any(_THOUSAND)})))?"
)
NUMBER = rf"(?:{DIGITS}|{_INITIAL}(?:{_THOUSANDS}|{_BELOW_THOUSAND})(?![^\W\d_]))"
# "Third", "vigésimo segundo", "twenty-first".
ORDINAL = rf"(?:(?:{_any(_TENS)}|{_any(_ORDINAL_TENS)})[ -](?:{_any(_ORDINAL_ONES)})|{_any(_ORDINALS)})(?![^\W\d_])"
_ROMAN = re.compile(r"C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def places(number: str) -> int:
    """How many decimals a number is written with."""
    decimals = re.search(r"[.,](\d{1,2})\Z", number)
    return len(decimals[1]) if decimals else 0


def read_number(written: str) -> list[float]:
    """What a number can mean: a single point or comma before three digits is of thousands or of decimals."""
    written = written.lower()
    if not written[0].isdigit():
        thousands, total = 0, 0
        for word in _NUMERAL.findall(written):
            if word in _THOUSAND:
                thousands, total = max(total, 1) * 1000, 0
            else:
                total = max(total, 1) * 100 if word == _HUNDRED else total + NUMERALS[word]
        return [float(thousands + total)]
    bare = re.sub(r"[\u00a0\u202f ]", "", written)
    marks = re.findall(r"[.,]", bare)
    if not marks:
        return [float(bare)]
    whole, _, decimals = bare.rpartition(marks[-1])
    decimal = float(re.sub(r"[.,]", "", whole) + "." + decimals)
    thousands = float(re.sub(r"[.,]", "", bare))
    if len(set(marks)) == 2 or len(decimals) != 3 or (whole.startswith("0") and len(marks) == 1):
        return [decimal]
    return [thousands] if len(marks) > 1 or len(whole) > 3 else [thousands, decimal]


def read_ordinal(written: str) -> int:
    """The number of an ordinal in words: 13 of "décimo terceiro"."""
    return sum(_ORDINALS.get(word) or NUMERALS[word] for word in re.split("[ -]", written.lower()))


def read_roman(written: str) -> int:
    """The number of Roman numerals below 400, as centuries and chapters have; 0 for what is none."""
    if not written or not _ROMAN.fullmatch(written):
        return 0
    digits = [_ROMAN_DIGITS[letter] for letter in written]
    return sum(-digit if digit < max(digits[at:]) else digit for at, digit in enumerate(digits))
