"""Bytes to text: find the encoding, repair what was encoded twice, drop what nobody can see."""

import codecs
import re
import unicodedata
from dataclasses import dataclass

from kbot.errors import Rejected

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the UTF-16 mark, so it is asked first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_BYTES = bytes([*range(9), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile("[\xa0\u2000-\u200a\u202f\u205f\u3000]")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HEADING_LIKE = re.compile(r"^(?=#{1,6}[ \t])", re.MULTILINE)
_CHARSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,39}")
_LATIN_1 = frozenset({"iso-8859-1", "iso8859-1", "latin-1", "latin1", "l1", "us-ascii", "ascii", "windows-1252"})
# Letters and signs of Portuguese, English and their neighbours; Polish, Czech or Turkish read as cp1252 fall outside.
_WESTERN = frozenset(
    "áàâãäåæçéèêëíîïñóòôõöøúùûüÁÀÂÃÄÅÆÇÉÈÊËÍÎÏÑÓÒÔÕÖØÚÙÛÜßªº°§«»“”‘’‚„–—…•·€£¢©®™¿¡¹²³½¼¾±×÷´¨\xa0\xad"
)
# Pairs that only text decoded twice has: “Ã£”, “Â°”, “â€™”, “ÐŸÑ€”. A quote after Ã is left out: “IRMÃ” is a word.
_TWICE = re.compile(
    "Ã[\x80-\xbfƒ€‚„†‡ˆ‰Š‹ŒŽ˜™š›œžŸ]|Â[\x80-\xbf]|â(?:€|\x80)|(?:[ÐÑ][\x80-\xbf‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ€]){2}"
)
_SAMPLE = 200_000
_NEAR_START = 1000


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with one kind of line end, in NFC, and what the sender should know about how it was read."""

    text: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode a text file; `declared` is the charset that the file names for itself (HTML, mail), honoured when it fits.

    Raises Rejected when the bytes are no text.
    """
    text, warning = _characters(data, declared)
    if len(_CONTROLS.findall(text)) > max(1, len(text) // 100):
        raise Rejected(_not_text())
    warnings = [warning] if warning else []
    if _TWICE.search(text):
        text, repaired = _undo_twice(text)
        if repaired:
            lines = f"{repaired} lines were" if repaired > 1 else "A line was"
            warnings.append(f"{lines} encoded twice (“Ã£” for “ã”) and repaired; check the accents.")
    return Decoded(clean(text), tuple(warnings))


def clean(text: str) -> str:
    """Unix line ends, plain spaces, NFC; no soft hyphens, zero-width spaces, control characters, lone surrogates."""
    text = _UNSEEN.sub("", _SPACES.sub(" ", _LINE_ENDS.sub("\n", text)))
    return unicodedata.normalize("NFC", _SURROGATES.sub("\ufffd", text))


def plain(text: str) -> str:
    """Text that is not Markdown, with `# root prompts` and `# comments` indented so that they do not pass for
    headings."""
    return _HEADING_LIKE.sub("    ", text)


def heading_title(markdown: str) -> str:
    """The first top heading near the start of a Markdown text, outside code, or nothing."""
    outside = re.sub(r"^(```|~~~).*?^\1", "", markdown[:_NEAR_START], flags=re.MULTILINE | re.DOTALL)
    found = re.search(r"^#[ \t]+(.+?)[ \t#]*$", outside, re.MULTILINE)
    return found.group(1).strip() if found else ""


def _characters(data: bytes, declared: str | None) -> tuple[str, str]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            if encoding != "utf-8":
                return data[len(mark) :].decode(encoding, errors="replace"), ""
            data = data[len(mark) :]
            break
    if b"\0" in data and (wide := _wide(data)):
        return wide[0], _guessed(wide[1])
    high = not data.isascii()
    if high and (text := _strict(data, "utf-8")) is not None:
        return text, ""
    if declared and (text := _declared(data, declared)) is not None:
        return text, ""
    if not high:
        return data.decode("ascii"), ""
    if (text := _mixed(data)) is not None:
        warning = "The file mixes UTF-8 with another encoding and was read line by line; check the accents."
        return text, warning
    if len(data) - len(data.translate(None, _CONTROL_BYTES)) > max(1, len(data) // 100):
        raise Rejected(_not_text())
    return _single_byte(data)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _declared(data: bytes, declared: str) -> str | None:
    name = declared.strip().strip("\"'").lower()
    if not _CHARSET_NAME.fullmatch(name):
        return None
    if name in _LATIN_1:  # as browsers do: https://encoding.spec.whatwg.org/#names-and-labels
        return _strict(data, "cp1252") or _strict(data, "latin-1")
    return _strict(data, name)


def _wide(data: bytes) -> tuple[str, str] | None:
    """UTF-16 or UTF-32 without a mark: of the readings without NULs, the one with most ASCII, as spaces and line ends
    are."""
    best: tuple[float, str, str] = (0.05, "", "")
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        text = _strict(data, encoding)
        if text and "\0" not in text:
            best = max(best, (sum(map(str.isascii, text)) / len(text), text, encoding))
    return (best[1], best[2]) if best[1] else None


def _mixed(data: bytes) -> str | None:
    """UTF-8 with some lines in another encoding; None when hardly a line is UTF-8, for then the whole file is
    something else."""
    lines = data.splitlines(keepends=True)
    read = [_strict(line, "utf-8") for line in lines]
    good = sum(text is not None and not text.isascii() for text in read)
    bad = sum(text is None for text in read)
    if good <= bad // 10:
        return None
    return "".join(
        (_strict(line, "cp1252") or line.decode("latin-1")) if text is None else text
        for line, text in zip(lines, read, strict=True)
    )


def _single_byte(data: bytes) -> tuple[str, str]:
    text = _strict(data, "cp1252")
    if text is not None and _is_western(text):
        return text, _guessed("cp1252")
    from charset_normalizer import from_bytes

    match = from_bytes(data[:_SAMPLE]).best()
    if match is None:
        raise Rejected(_not_text())
    return data.decode(match.encoding, errors="replace"), _guessed(match.encoding)


def _is_western(text: str) -> bool:
    others = [character for character in text if character > "\x7f"]
    letters = sum(map(str.isalpha, text))
    accented = sum(map(str.isalpha, others))
    return accented <= letters * 0.5 and sum(c in _WESTERN for c in others) >= len(others) * 0.97


def _undo_twice(text: str) -> tuple[str, int]:
    import ftfy

    lines = text.split("\n")
    repaired = 0
    for number, line in enumerate(lines):
        if _TWICE.search(line):
            lines[number] = ftfy.fix_encoding(line)
            repaired += lines[number] != line
    return "\n".join(lines), repaired


def _guessed(encoding: str) -> str:
    return f"The encoding is not declared and was guessed as {encoding}; check the accents, or save the file as UTF-8."


def _not_text() -> str:
    return "The file is of an unsupported kind: neither text nor a document kbot knows; save it as PDF or text."
