"""HTML to Markdown: the text that a page is about, without scripts, navigation and cookie banners."""

import re
from collections.abc import Iterator
from copy import copy
from typing import Any, cast

import markdownify
from bs4 import BeautifulSoup, Tag

from kbot.ingestion.pages import HTML, Loaded, Page
from kbot.ingestion.text import clean, decode, heading_title

_markdownify = cast("Any", markdownify)  # untyped
_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*["']?([A-Za-z0-9._:-]+)""", re.IGNORECASE
)
_NEVER = [
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "iframe",
    "object",
    "canvas",
    "select",
    "button",
    "input",
]
_AROUND = (
    "nav, aside, header, footer, [role=navigation], [role=banner], [role=contentinfo], [role=search], "
    ".navheader, .navfooter, .sphinxsidebar, .breadcrumbs, .skip-link"
)
_BANNER = re.compile(r"cookie|consent|gdpr|lgpd", re.IGNORECASE)
_BANNER_CHARACTERS = 1500
_MOST = 0.6
_ENOUGH = 0.25
_LINK = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:lang|language|highlight|brush)[-_: ]+([A-Za-z0-9+#]+)")
_PLAIN_TAGS = ["b", "strong", "i", "em", "u", "s", "del", "sup", "sub"]


def read_html(data: bytes) -> Loaded:
    """A web page as Markdown. The charset it declares is honoured when the bytes fit it."""
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, declared.group(1).decode("ascii") if declared else None)
    soup = BeautifulSoup(decoded.text, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    markdown, warnings = to_markdown(soup)
    return Loaded(
        title or heading_title(markdown),
        HTML,
        (Page(None, markdown),),
        warnings=(*decoded.warnings, *warnings),
    )


def to_markdown(soup: BeautifulSoup) -> tuple[str, tuple[str, ...]]:
    """Markdown of a parsed page, which is changed on the way, and warnings. Nested too deep for Markdown, it is plain
    text."""
    root = _content(soup)
    _prepare(root)
    try:
        markdown = str(
            _markdownify.MarkdownConverter(
                heading_style="ATX",
                bullets="-",
                strip=_PLAIN_TAGS,
                escape_asterisks=False,
                escape_underscores=False,
                table_infer_header=True,
                code_language_callback=_code_language,
            ).convert_soup(root)
        )
    except RecursionError:
        warning = "The page is nested too deep for its headings and tables to be kept; it was read as plain text."
        return clean(root.get_text("\n", strip=True)), (warning,)
    return _tidy(clean(markdown)), ()


def _content(soup: BeautifulSoup) -> Tag:
    """The element that holds what the page is about; nothing is left out that would leave less than a quarter of the
    text."""
    for tag in soup.find_all(_NEVER):
        tag.decompose()
    for title in soup.find_all("title"):
        title.decompose()
    whole = soup.body or soup
    everything = _size(whole)
    around = [tag for tag in _surroundings(whole) if tag is not whole]
    if everything - sum(map(_size, _outermost(around))) >= everything * _ENOUGH:
        for tag in around:
            if not tag.decomposed:
                tag.decompose()
    rest = _size(whole)
    for tag in whole.select("main, [role=main], article"):
        if _size(tag) >= rest * _MOST:
            return tag
    return whole


def _surroundings(whole: Tag) -> Iterator[Tag]:
    for tag in whole.select(_AROUND):
        # A header or footer of an article is part of it: it holds the title or the author.
        if tag.name not in ("header", "footer") or tag.find_parent(["article", "main"]) is None:
            yield tag
    for tag in whole.find_all(["div", "section", "dialog", "form", "p"]):
        words = " ".join((str(tag.get("id") or ""), *(tag.get_attribute_list("class") or ())) if tag.attrs else ())
        if _BANNER.search(words) and _size(tag) <= _BANNER_CHARACTERS:
            yield tag


def _outermost(tags: list[Tag]) -> Iterator[Tag]:
    chosen = {id(tag) for tag in tags}
    for tag in tags:
        if not any(id(parent) in chosen for parent in tag.parents):
            yield tag


def _size(tag: Tag) -> int:
    return sum(len(text.strip()) for text in tag.strings)


def _prepare(root: Tag) -> None:
    for image in root.find_all("img"):
        image.replace_with(str(image.get("alt") or ""))
    for link in root.find_all("a"):
        if not _LINK.match(str(link.get("href") or "")):
            link.unwrap()
    for table in root.find_all("table"):
        _fill_spans(table)
    for cell in root.find_all(["td", "th"]):
        for text in cell.find_all(string=lambda string: "|" in (string or ""), recursive=True):
            text.replace_with(str(text).replace("|", "\\|"))


def _fill_spans(table: Tag) -> None:
    """Repeat a cell in every row that it spans, as Markdown tables know no row spans, and drop rows without cells."""
    spans: dict[int, tuple[int, Tag]] = {}  # by column: rows still to fill, and with what
    for row in (row for row in table.find_all("tr") if row.find_parent("table") is table):
        cells = row.find_all(["td", "th"], recursive=False)
        if not cells:
            row.decompose()
            continue
        column = 0
        for cell in (*cells, None):
            while column in spans:
                left, spanning = spans.pop(column)
                clone = copy(spanning)
                if cell is None:
                    row.append(clone)
                else:
                    cell.insert_before(clone)
                if left > 1:
                    spans[column] = (left - 1, spanning)
                column += _span(clone, "colspan")
            if cell is not None:
                rows = _span(cell, "rowspan")
                if rows > 1:
                    spans[column] = (rows - 1, cell)
                column += _span(cell, "colspan")


def _span(cell: Tag, attribute: str) -> int:
    value = str(cell.get(attribute) or "")
    return min(max(int(value[:4]), 1), 1000) if value.isdecimal() else 1


def _code_language(pre: Tag) -> str:
    for tag in (pre, pre.find("code")):
        found = (
            _LANGUAGE.search(" ".join(str(c) for c in tag.get_attribute_list("class") if c))
            if isinstance(tag, Tag)
            else None
        )
        if found:
            return found.group(1)
    return ""


def _tidy(markdown: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t\xa0]+$", "", markdown, flags=re.MULTILINE)).strip("\n")
