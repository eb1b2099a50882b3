"""How Portuguese and English write numbers: in words, or in digits with points and commas for either purpose."""

import re

NUMERALS: dict[str, int] = {
    word: number
    for words, number in (
        ("two dois duas", 2),
        ("three três", 3),
        ("four quatro", 4),
        ("five cinco", 5),
        ("six seis", 6),
        ("seven sete", 7),
        ("eight oito", 8),
        ("nine nove", 9),
        ("ten dez", 10),
        ("eleven onze", 11),
        ("twelve doze", 12),
        ("thirteen treze", 13),
        ("fourteen quatorze catorze", 14),
        ("fifteen quinze", 15),
        ("sixteen dezesseis dezasseis", 16),
        ("eighteen dezoito", 18),
        ("twenty vinte", 20),
        ("thirty trinta", 30),
        ("forty quarenta", 40),
        ("fifty cinquenta", 50),
        ("sixty sessenta", 60),
        ("seventy setenta", 70),
        ("eighty oitenta", 80),
        ("ninety noventa", 90),
        ("one um uma", 1),
    )
    for word in words.split()
}
_DIGITS = r"\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+(?![\d])(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?"
_NUMERAL = "|".join(sorted(map(re.escape, NUMERALS), key=len, reverse=True))
NUMBER = rf"(?:{_DIGITS}|(?:{_NUMERAL})(?:[ -](?:e )?(?:{_NUMERAL}))?(?![^\W\d_]))"


def places(number: str) -> int:
    """How many decimals a number is written with."""
    decimals = re.search(r"[.,](\d{1,2})\Z", number)
    return len(decimals[1]) if decimals else 0


def read_number(written: str) -> list[float]:
    """What a number can mean: a single point or comma before three digits is of thousands or of decimals."""
    written = written.lower()
    if not written[0].isdigit():
        return [float(sum(NUMERALS[word] for word in re.findall(_NUMERAL, written)))]
    bare = re.sub(r"[\u00a0\u202f ]", "", written)
    marks = re.findall(r"[.,]", bare)
    if not marks:
        return [float(bare)]
    whole, decimals = re.split(rf"[{marks[-1]}](?!.*[.,])", bare)
    decimal = float(re.sub(r"[.,]", "", whole) + "." + decimals)
    thousands = float(re.sub(r"[.,]", "", bare))
    if len(set(marks)) == 2 or len(decimals) != 3 or (whole.startswith("0") and len(marks) == 1):
        return [decimal]
    return [thousands] if len(marks) > 1 or len(whole) > 3 else [thousands, decimal]
