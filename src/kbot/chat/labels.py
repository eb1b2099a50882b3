"""How sources are named to people, and what stands on buttons, in the reader's language."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import TypeVar

from kbot.chat.answers import Answer, Citation, Passage, Report

# All control characters but tab and line feed, and the marks that turn the direction of a text around.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MONTH, _YEAR = 30.44, 365.25

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Labels:
    """The short texts around an answer, and what adapters say themselves on any platform, in one language. `titles` are
    those of reports, by their kinds."""

    sources: str
    read: str
    helpful: str
    unhelpful: str
    report: str
    page: str
    previous: str
    next: str
    today: str
    days: tuple[str, str]
    months: tuple[str, str]
    years: tuple[str, str]
    titles: dict[str, str]
    only_admins: str
    no_files: str
    not_yours: str
    failed: str


_ENGLISH = Labels(
    sources="Sources",
    read="Show everything I read",
    helpful="Helpful",
    unhelpful="Not helpful",
    report="Tell an admin",
    page="p. {page}",
    previous="Back",
    next="Next",
    today="from today",
    days=("1 day old", "{n} days old"),
    months=("1 month old", "{n} months old"),
    years=("1 year old", "{n} years old"),
    titles={"sources": "Documents", "gaps": "Not answered", "read": "Everything I read"},
    only_admins="🔒 Only admins can do that here. Ask one of them, or whoever runs kbot.",
    no_files="📎 There is nothing to ingest: attach files, or add addresses that begin with https://.",
    not_yours="🔒 Only people who can read the channel may see that.",
    failed="⚠️ That did not work. Try again in a moment; if it fails again, tell an admin.",
)
_PORTUGUESE = Labels(
    sources="Fontes",
    read="Mostrar tudo o que li",
    helpful="Útil",
    unhelpful="Não ajudou",
    report="Avisar um admin",
    page="p. {page}",
    previous="Voltar",
    next="Avançar",
    today="de hoje",
    days=("de 1 dia atrás", "de {n} dias atrás"),
    months=("de 1 mês atrás", "de {n} meses atrás"),
    years=("de 1 ano atrás", "de {n} anos atrás"),
    titles={"sources": "Documentos", "gaps": "Sem resposta", "read": "Tudo o que li"},
    only_admins="🔒 Só admins podem fazer isso aqui. Peça a um deles, ou a quem cuida do kbot.",
    no_files="📎 Não há nada para ingerir: anexe arquivos ou escreva endereços que comecem com https://.",
    not_yours="🔒 Só quem pode ler o canal pode ver isso.",
    failed="⚠️ Não deu certo. Tente de novo daqui a pouco; se falhar outra vez, avise um admin.",
)


def labels_in(language: str) -> Labels:
    """The labels of a language ("pt", "pt-BR", "en", …); English where it is neither Portuguese nor English."""
    return in_language(language, _ENGLISH, _PORTUGUESE)


def in_language(language: str, english: T, portuguese: T) -> T:
    """The one of two texts or sets of texts that a person of a language ("pt", "pt-BR", "en", …) shall read."""
    return portuguese if language.lower().startswith("pt") else english


def turns(report: Report, page: int, language: str) -> list[tuple[str, int]]:
    """What stands on the buttons beside a page of a report, and the number of the page that each leads to."""
    labels = labels_in(language)
    beside = ((labels.previous, page - 1), (labels.next, page + 1))
    return [(label, to) for label, to in beside if 0 <= to < len(report.pages)]


def plain(text: str, instead: str = "") -> str:
    """The text without control characters: an escape sequence is left as harmless letters."""
    return _CONTROL.sub(instead, text)


def sources(answer: Answer | None) -> tuple[Citation, ...]:
    """The citations to show below an answer: those of a grounded one, and none ever for any other."""
    return answer.citations if answer and answer.grounded else ()


def captions(places: Sequence[Citation] | Sequence[Passage], language: str = "") -> list[str]:
    """Where each of them stands, for people: title, page, heading, and how old the document is. The file's name is
    added where the title does not say it, and where two documents would look the same."""
    documents = {place.source: place.title for place in places}
    titles = Counter(documents.values())
    return [_caption(place, labels_in(language), alone=titles[place.title] == 1) for place in places]


def age(updated: str, labels: Labels, today: date | None = None) -> str:
    """How old a document of a day is, in words; "" where the day is not known."""
    if not updated:
        return ""
    days = max(((today or datetime.now(UTC).date()) - date.fromisoformat(updated)).days, 0)
    if days == 0:
        return labels.today
    for unit, length in ((labels.years, _YEAR), (labels.months, _MONTH), (labels.days, 1)):
        if (n := int(days / length)) >= 1:
            return unit[n > 1].format(n=n)
    return ""


def _caption(place: Citation | Passage, labels: Labels, *, alone: bool) -> str:
    title = place.title or place.source
    named = title == place.source or (alone and (_says(title, place.source) or place.url == place.source))
    page = "" if place.page is None else labels.page.format(page=place.page)
    heading = [part for part in place.heading.split(" > ") if _letters(part) != _letters(title)]
    parts = (
        title if named else f"{title} ({place.source})",
        page,
        " > ".join(heading),
        age(place.updated, labels),
    )
    return plain(" · ".join(" ".join(part.split()) for part in parts if part))


def _says(title: str, source: str) -> bool:
    """Whether a title names the file: "Manual de RH" does so for "pdf/manual-de-rh.pdf"."""
    path = PurePosixPath(source)
    return _letters(title) in {_letters(path.stem), _letters(path.name)}


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
