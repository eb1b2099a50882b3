"""What kind of thing a question asks for, and whether a sentence can hold one: rules on the words of Portuguese and
English questions, as in the answer types of early question answering (Li and Roth, 2002). Pure functions.

Both say nothing rather than something doubtful: a question of no clear kind is "unknown", and only what leaves traces
in any wording (a date, a number, a sum of money, a name, …) is ever denied to a sentence.
"""

import re
from dataclasses import dataclass
from typing import Literal

from kbot.characters import unaccented

Kind = Literal[
    "person",
    "date",
    "time",
    "place",
    "quantity",
    "money",
    "percentage",
    "contact",
    "yes/no",
    "definition",
    "manner",
    "reason",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for; `unit` is the word for what is counted ("dias"), without accents, "" if none is
    said."""

    kind: Kind
    unit: str = ""


_IN = r"(?:(?:in|on|at|by|from|to|since|until|of|em|a|de|por|desde|ate|durante|para|no|na) )?"
_IS = r"(?: e| sao| foi| eram?| foram| is| are| was| were)?(?: the| o| a| os| as)?"
_WHICH = rf"(?:what|which|que|qual|quais){_IS}(?: \w+)?"
_DATES = r"year|date|day|month|century|decade|deadline|weekday|ano|data|dia|mes|seculo|decada|prazo"
_TIMES = r"time|hour|hours|horas?|horario"
_PLACES = r"city|country|state|town|place|location|continent|region|cidade|pais|estado|lugar|local|continente|regiao"
_SUMS = r"price|cost|fee|salary|budget|preco|custo|valor|salario|orcamento|tarifa"
_PAID = r"cost|pay|paid|worth|price|spent|spend"
_SHARES = r"percentage|percent|proportion|porcentagem|percentagem|percentual|proporcao"
_CONTACTS = r"(?:tele)?phone|e ?mail|telefone|ramal|hotline|url|website"
_CALLED = r"phone number|e ?mail address|(?:numero d[eo]|qual o) telefone|endereco (?:de )?e ?mail"
_MEASURES = (
    r"number|amount|quantity|length|size|height|weight|speed|temperature|population|duration|age|numero|quantidade"
    r"|comprimento|tamanho|altura|peso|velocidade|temperatura|populacao|duracao|idade|carga horaria"
)
_LARGE = r"long|old|far|tall|high|large|big|deep|wide|fast|heavy|often"
_DOES = r"is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had|am"
_FAZ = r"e possivel|posso|pode|podem|podemos|devo|deve|devem|preciso|precisa|existem?|ha|tem|tenho|temos"

# The first that fits decides.
_RULES: tuple[tuple[Kind, str], ...] = (
    ("reason", r"^(?:why|por ?que|(?:what|qual)(?: \w+){0,2} (?:reason|motivo|razao))\b"),
    ("contact", rf"^{_IN}{_WHICH} (?:{_CONTACTS})\b|\b(?:{_CALLED})\b"),
    ("percentage", rf"^{_IN}{_WHICH} (?:{_SHARES})\b|^{_IN}(?:how much|quantos?) (?:percent|por cento)\b"),
    ("money", rf"^how much (?:{_DOES})\b.*\b(?:{_PAID})\b|^{_IN}{_WHICH} (?:{_SUMS})\b"),
    ("money", r"^how much (?:is|are|was|were) (?:an?|the|one|it|this|that|my|our)\b"),
    ("money", r"^quanto (?:custa|custam|custou|se paga|paga|pago|vale|ganha)\b"),
    ("date", rf"^{_IN}{_WHICH} (?:{_DATES})\b|^(?:when|(?:desde |ate |de )?quando)\b"),
    ("time", rf"^{_IN}{_WHICH} (?:{_TIMES})\b"),
    ("quantity", r"^(?:\w+ )?(?:how many|how much|quant[oa]s?)\b|\b(?:how many|quant[oa]s)\b"),
    ("quantity", rf"^how (?:{_LARGE})\b|^com que frequencia\b|^{_IN}{_WHICH} (?:{_MEASURES})\b"),
    ("person", r"^(?:(?:to|by|from|with|for|a|por|de|com|para) )?(?:who|whom|whose|quem)\b"),
    ("place", rf"^(?:from |de |para )?(?:where|a?onde)\b|^{_IN}{_WHICH} (?:{_PLACES})\b"),
    ("definition", r"^what (?:is|are) (?:an? )?\w+(?: \w+)?$|^define\b|^what does .+ (?:mean|stand for)$"),
    ("definition", r"^(?:o )?que (?:e|sao|significam?) (?:uma? |os? |as? )?\w+(?: \w+)?$|^defina\b"),
    ("definition", r"\b(?:definition|definicao) (?:of|de|d[oa]s?)\b"),
    ("manner", r"^(?:how|como|de que (?:forma|modo|maneira))\b"),
    ("yes/no", rf"^(?:{_DOES}|{_FAZ})\b"),
)
_QUESTIONS: list[tuple[Kind, re.Pattern[str]]] = [(kind, re.compile(pattern)) for kind, pattern in _RULES]
# A question without any of these, and of no kind that others tell, is answered by yes or no.
_ASKS = re.compile(
    r"\b(?:who|whom|whose|which|what|when|where|why|how|quem|que|qual|quais|quando|a?onde|como|quant[oa]s?|porque)\b"
)
_UNIT = re.compile(r"\b(?:how many|quant[oa]s) (?:(?:more|other|different|outr[oa]s|diferentes) )?([a-z]{3,})")

_NUMBERS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundreds?"
    r"|thousands?|millions?|billions?|dozens?|half|twice|once|single|both|several|few|many|none|no|zero|third|quarter"
    r"|um|uma|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|quinze|vinte|trinta|quarenta|cinquenta"
    r"|cem|cento|centenas?|mil|milhao|milhoes|bilhao|bilhoes|metade|dobro|unic[oa]|ambos|ambas|vari[oa]s|pouc[oa]s"
    r"|muit[oa]s|nenhuma?|terco|quarto|every|daily|weekly|monthly|yearly|annually|always|never|often|diari[oa]"
    r"|semanal|mensal|anual|sempre|nunca|cada|todos|todas|all|indefinitely|forever"
)
_MONTHS = (
    r"january|february|march|april|june|july|august|september|october|november|december|janeiro|fevereiro|marco|abril"
    r"|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro"
)
_DAYS = (
    r"mon(?:day)?s?|tue(?:sday)?s?|wed(?:nesday)?s?|thu(?:rsday)?s?|fri(?:day)?s?|sat(?:urday)?s?|sun(?:day)?s?"
    r"|segundas?|tercas?|quartas?|quintas?|sextas?|sabados?|domingos?|weekends?|fim de semana"
)
_WHEN = (
    r"when|while|after|before|during|until|since|once|ago|today|now|immediately|\w*century|decade|era|age|year|month"
    r"|week|day|early|later?|then|upon|as soon as|quando|enquanto|apos|depois|antes|durante|ate|desde|hoje|agora"
    r"|seculo|decada|epoca|anos?|mes|meses|semanas?|dias?|inicio|final|fim|logo|imediatamente|ao"
)
_CLOCK = r"noon|midnight|morning|afternoon|evening|night|meio[- ]dia|meia[- ]noite|manha|tarde|noite"
_MONEY = r"(?:[$€£¥]|\b(?:usd|eur|brl|gbp|dollars?|euros?|pounds?|reais|real|libras?|dolar|dolares|cents?|centavos?)\b)"
_COSTS = (
    r"costs?|prices?|priced|pays?|paid|fees?|charged?|rates?|salar\w+|budget\w*|fine[sd]?|expense[sd]?|cust\w+|prec\w+"
    r"|pag\w+|valor\w*|taxas?|orcament\w+|tarifas?|multas?|reembols\w+|reimburs\w+|limites?|limit\w*|up to|ate"
)
_PEOPLE = (
    r"i|we|you|he|she|they|people|person|team|staff|anyone|everyone|nobody|author|president|king|queen|boss"
    r"|committee|board|department|office|company|government|group|police|army|council|eu|nos|voce|ele|ela|eles|elas"
    r"|pessoas?|equipe|autor\w*|presidente|rei|rainha|chefe|comissao|conselho|diretoria|coordenacao|departamento"
    r"|setor|empresas?|governo|grupos?|colegiado|instituic\w+|todos|ninguem|\w{3,}(?:ers?|ors?|ists?|ents?|ants?|ians?"
    r"|ees?|ora?s?|istas?|entes?|antes?|eir[oa]s?|ad[oa]s?|men|women)"
)
_MARKS: tuple[tuple[Kind, str], ...] = (
    ("date", rf"\d|\b(?:{_MONTHS}|{_DAYS}|{_WHEN}|{_CLOCK})\b"),
    ("time", rf"\d|\b(?:{_CLOCK}|{_DAYS}|{_WHEN}|{_NUMBERS})\b"),
    ("quantity", rf"\d|\b(?:{_NUMBERS}|an?)\b"),
    (
        "money",
        rf"{_MONEY}.*\d|\d.*{_MONEY}|\b(?:{_COSTS})\b.*\d|\d.*\b(?:{_COSTS})\b|\b(?:free|gratis|gratuit[oa]s?)\b",
    ),
    ("percentage", rf"%|\b(?:per ?cent|por ?cento|percentage|porcentagem|percentual|{_NUMBERS})\b"),
    ("contact", r"@|https?:|www\.|\d[\d\s().-]{2,}\d|\bext(?:ension)?\b|\bramal\b|\.(?:com|org|net|br|io)\b"),
    ("person", rf"\b(?:{_PEOPLE})\b"),
)
_TRACES = {kind: re.compile(pattern) for kind, pattern in _MARKS}
# A capital inside a sentence.
_NAME = re.compile(r"(?<![.!?:#|]\s)(?<!\A)(?<=[\s(\"“'])[A-ZÀ-Ý][\w'’-]+")


def wanted(question: str) -> Wanted:
    """What a question asks for, by its wording."""
    words = " ".join(re.findall(r"\w+", folded(question)))
    kind = _kind(words)
    if kind == "unknown" and question.rstrip().endswith("?") and not _ASKS.search(words):
        kind = "yes/no"
    unit = _UNIT.search(words) if kind == "quantity" else None
    return Wanted(kind, unit[1] if unit else "")


def can_hold(sentence: str, what: Wanted) -> bool | None:
    """Whether a sentence has a trace of what is wanted; None where nothing can be said of that kind."""
    trace = _TRACES.get(what.kind)
    if trace is None:
        return None
    named = what.kind == "person" and bool(_NAME.search(sentence))
    return named or bool(trace.search(folded(sentence)))


def _kind(words: str) -> Kind:
    for kind, pattern in _QUESTIONS:
        if pattern.search(words):
            return kind
    return "unknown"


def folded(text: str) -> str:
    """A text in small letters without accents; all else stays where it is."""
    return unaccented(text.casefold())
