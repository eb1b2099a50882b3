"""The words in which Portuguese and English write units, dates and limits."""

MULTIPLES: dict[str, float] = {
    "thousand": 1e3,
    "mil": 1e3,
    "million": 1e6,
    "milhão": 1e6,
    "milhões": 1e6,
    "billion": 1e9,
    "bilhão": 1e9,
    "bilhões": 1e9,
}
# Each unit in that of its dimension. Days and months are apart, since a month has no number of days.
UNITS: dict[str, tuple[str, float]] = {
    word: (unit, factor)
    for words, unit, factor in (
        ("second seconds sec secs segundo segundos", "minute", 1 / 60),
        ("minute minutes minuto minutos min mins", "minute", 1.0),
        ("hour hours hora horas h hr hrs", "minute", 60.0),
        ("day days dia dias", "minute", 1440.0),
        ("night nights noite noites", "night", 1.0),
        ("week weeks semana semanas", "minute", 10080.0),
        ("month months mês meses", "month", 1.0),
        ("quarter quarters trimestre trimestres", "month", 3.0),
        ("year years yr yrs ano anos", "month", 12.0),
        ("person people employee pessoa pessoas funcionário", "person", 1.0),
        ("% percent porcento", "%", 1.0),
        ("r$ reais real brl", "brl", 1.0),
        ("$ us$ dollar dollars dólar dólares usd", "usd", 1.0),
        ("€ euro euros eur", "eur", 1.0),
        ("£ pound pounds libras gbp", "gbp", 1.0),
        ("kb", "mb", 0.001),
        ("mb megabytes", "mb", 1.0),
        ("gb gigabytes", "mb", 1000.0),
        ("tb terabytes", "mb", 1e6),
        ("mm millimetres millimeters milímetros", "m", 0.001),
        ("cm centimetres centimeters centímetros", "m", 0.01),
        ("m metres meters metros", "m", 1.0),
        ("km kilometres kilometers quilômetros", "m", 1000.0),
        ("mg milligrams miligramas", "kg", 1e-6),
        ("g gram grams grama gramas", "kg", 0.001),
        ("kg kilograms quilos quilogramas", "kg", 1.0),
        ("ton tons tonnes tonelada toneladas", "kg", 1000.0),
        ("ml millilitres mililitros", "l", 0.001),
        ("l litre litres liter liters litro litros", "l", 1.0),
        ("°c", "°c", 1.0),
        ("°f", "°f", 1.0),
    )
    for word in words.split()
} | {
    words: (unit, 1.0)
    for words, unit in (
        ("per cent", "%"),
        ("por cento", "%"),
        ("degrees celsius", "°c"),
        ("graus celsius", "°c"),
        ("degrees fahrenheit", "°f"),
        ("graus fahrenheit", "°f"),
    )
}
# What an amount is counted by: "per night", "por mês", "/kg".
PER = (
    r"(?:(?:per|por|a|an|each|every|cada|ao|à)[ ]|/[ ]?)"
    r"(?:minute|hour|day|night|week|month|year|person|employee|user|member|seat|km|kg|gb|minuto|hora|dia|noite|semana"
    r"|mês|ano|pessoa|funcionário|colaborador|usuário|utilizador|membro)\b"
)
# Whoever something is counted by is a person: who pays per user does not pay per month.
PEOPLE = frozenset(("user", "member", "seat", "colaborador", "usuário", "utilizador", "membro"))
MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january janeiro jan",
            "february fevereiro feb fev",
            "march março mar",
            "april abril apr abr",
            "may maio",
            "june junho jun",
            "july julho jul",
            "august agosto aug ago",
            "september setembro sep sept set",
            "october outubro oct out",
            "november novembro nov",
            "december dezembro dec dez",
        ),
        1,
    )
    for name in names.split()
}
DAYS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "monday mondays segunda-feira segundas-feiras segundas",
            "tuesday tuesdays terça-feira terças-feiras terças",
            "wednesday wednesdays quarta-feira quartas-feiras quartas",
            "thursday thursdays quinta-feira quintas-feiras quintas",
            "friday fridays sexta-feira sextas-feiras sextas",
            "saturday saturdays sábado sábados",
            "sunday sundays domingo domingos",
        )
    )
    for name in names.split()
}
# Without "-feira" these are ordinals as well, and stand for a day only beside another.
SHORT_DAYS: dict[str, int] = {"segunda": 0, "terça": 1, "quarta": 2, "quinta": 3, "sexta": 4}

BOUNDS = {
    "least": r"\b(?:at least|no mínimo|pelo menos|ao menos|mínimo de|minimum of|over|above|more than|mais de|acima de"
    r"|superior(?:es)? a|from|a partir de)",
    "most": r"\b(?:at most|up to|no máximo|até|máximo de|maximum of|under|below|less than|fewer than|menos de"
    r"|abaixo de|inferior(?:es)? a|limited to|within)",
}
# Nouns that make a limit of the amount in their sentence.
LIMITS = {
    "least": r"minimum|mínim[oa]",
    "most": r"maximum|máxim[oa]|limits?|limited|limites?|deadline|prazo",
}
APPROXIMATE = r"\b(?:about|around|approximately|roughly|almost|nearly|some|cerca de|aproximadamente|quase|uns|umas)|~|≈"
