"""The kind of a file, told by its content, and the reader for it. The readers are imported when first needed."""

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path, PurePath

from kbot.errors import Rejected
from kbot.ingestion.pages import CSV, DOCX, HTML, MAIL, MARKDOWN, PDF, PPTX, TEXT, XLSX, Loaded, Page
from kbot.ingestion.text import Decoded, decode, heading_title, plain

_BY_SUFFIX = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), HTML),
    **dict.fromkeys((".md", ".markdown"), MARKDOWN),
    **dict.fromkeys((".csv", ".tsv"), CSV),
    **dict.fromkeys((".eml", ".mht", ".mhtml"), MAIL),
    **dict.fromkeys((".docx", ".docm"), DOCX),
    **dict.fromkeys((".xlsx", ".xlsm"), XLSX),
    **dict.fromkeys((".pptx", ".pptm"), PPTX),
    ".pdf": PDF,
    ".txt": TEXT,
}
_WORDS = {
    PDF: "PDF",
    DOCX: "DOCX",
    PPTX: "PPTX",
    XLSX: "XLSX",
    HTML: "HTML",
    CSV: "CSV",
    MAIL: "e-mail",
    TEXT: "text",
}
_WORDS[MARKDOWN] = "Markdown"
_CODE = {
    **{
        f".{name}": name
        for name in (
            "c",
            "cpp",
            "cs",
            "css",
            "go",
            "java",
            "js",
            "json",
            "lua",
            "php",
            "sql",
            "swift",
            "toml",
        )
    },
    ".py": "python",
    ".sh": "bash",
    ".ts": "typescript",
    ".rb": "ruby",
    ".rs": "rust",
    ".kt": "kotlin",
    ".h": "c",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".ini": "ini",
    ".conf": "",
    ".cfg": "ini",
    ".xml": "xml",
    ".ps1": "powershell",
}
_UNSUPPORTED = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "sound, video or a WebP image"),
    (b"ID3", "sound"),
    (b"\xff\xfb", "sound"),
    (b"OggS", "sound"),
    (b"fLaC", "sound"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3\0", "a database"),
)
_PACKED = (b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("EncryptedPackage", "The file is protected by a password; remove the password and ingest it again."),
    (
        "WordDocument",
        "The file is in the old Word format (.doc), which kbot does not read; save it as .docx.",
    ),
    (
        "PowerPoint Document",
        "The file is in the old PowerPoint format (.ppt), which kbot does not read; save it as .pptx.",
    ),
    ("Workbook", "The file is in the old Excel format (.xls), which kbot does not read; save it as .xlsx."),
    ("Book", "The file is in the old Excel format (.xls), which kbot does not read; save it as .xlsx."),
    (
        "__properties_version1.0",
        "The file is an Outlook message (.msg), which kbot does not read; save it as .eml.",
    ),
)
_INFLATED_BYTES, _INFLATED_RATIO, _MEMBERS = 200_000_000, 200, 10_000
_PROLOGUE = re.compile(r"\A(?:\s|<\?xml[^>]*\?>|<!--.*?-->)*", re.DOTALL)
_PAGE_TAG = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_BLOCK_TAG = re.compile(
    r"<(?:title|meta|style|script|h[1-6]|p|div|table|ul|ol|center|article|section|main|pre)\b[^<]*>",
    re.IGNORECASE,
)
_HEADER_LINE = re.compile(r"[!-9;-~]+:(?:\s|$)|[ \t]+\S")
_MAIL_HEADER = re.compile(
    r"^(from|to|cc|subject|date|received|message-id|mime-version|return-path|delivered-to|content-type|reply-to):",
    re.IGNORECASE | re.MULTILINE,
)
_RAW_HEAD = 8192


def read(path: Path, name: str, max_characters: int) -> Loaded:
    """Read a file into pages; `name` gives its title where the content has none, and settles what content leaves open.

    Raises Rejected, with the reason in words. What a parser raises beyond that means a file that it cannot read.
    """
    data = path.read_bytes()
    if not data.strip():
        raise Rejected("The file is empty.")
    kind = media_type(data, name)
    loaded = _read(data, kind, name)
    if not any(page.text.strip() for page in loaded.pages):
        raise Rejected(" ".join(("The file is empty: it holds no text.", *loaded.warnings)))
    if sum(len(page.text) for page in loaded.pages) > max_characters:
        raise Rejected(
            f"The file holds more than {max_characters:,} characters of text; split it and ingest the parts."
        )
    warnings = loaded.warnings
    named = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    if named and named != kind and not (named in (CSV, MARKDOWN, TEXT) and kind == MAIL):
        warnings = (
            f"The file is named like {_WORDS[named]} but holds {_WORDS[kind]}, and was read as that.",
            *warnings,
        )
    return replace(loaded, title=" ".join(loaded.title.split()) or PurePath(name).stem or name, warnings=warnings)


def media_type(data: bytes, name: str) -> str:
    """The media type of a file by its first bytes and members, by its name only among kinds of text.

    Raises Rejected for what kbot does not read, saying what to do instead.
    """
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_type(data)
    if data.startswith(_OLE):
        raise Rejected(_ole_reason(data))
    if data.startswith(_PACKED):
        raise Rejected("The file is an archive; unpack it and ingest the files in it.")
    if data.startswith(b"{\\rtf"):
        raise Rejected("The file is in Rich Text Format, which kbot does not read; save it as .docx.")
    for magic, words in _UNSUPPORTED:
        if data.startswith(magic) and (len(magic) > 2 or b"\0" in data[:512]):
            raise Rejected(
                f"The file is {words}, which is unsupported: kbot reads text, not images, sound or programs."
            )
    if data[:16].lstrip().startswith(b"%PDF-"):
        return PDF
    return _text_type(data, name)


def _text_type(data: bytes, name: str) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    head = decode(data[:_RAW_HEAD]).text if wide else data[:_RAW_HEAD].decode("latin-1").removeprefix("ï»¿")
    start = _PROLOGUE.sub("", head, count=1)
    named = _BY_SUFFIX.get(PurePath(name).suffix.lower(), "")
    if _PAGE_TAG.match(start):
        return HTML
    if start[:4].lower() == "<svg":
        raise Rejected("The file is an SVG image, which is unsupported: kbot reads text, not images.")
    if _is_mail(head, named == MAIL):
        return MAIL
    if named == HTML or (named not in (MARKDOWN, TEXT, CSV) and _suffix(name) not in _CODE and _BLOCK_TAG.match(start)):
        return HTML
    if b"%PDF-" in data[:1024]:
        return PDF
    return named if named in (MARKDOWN, CSV) else TEXT


def _is_mail(head: str, named_so: bool) -> bool:
    block = re.split(r"\r?\n\r?\n|\r\r", head.lstrip("\r\n"), maxsplit=1)[0]
    lines = block.splitlines()
    complete = len(block) < len(head)
    if not lines or not all(_HEADER_LINE.match(line) for line in (lines if complete else lines[:-1])):
        return False
    return len({found.lower() for found in _MAIL_HEADER.findall(block)}) >= (1 if named_so else 3)


def _suffix(name: str) -> str:
    return PurePath(name).suffix.lower()


def _zip_type(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            mimetype = archive.read("mimetype")[:100] if "mimetype" in archive.namelist()[:1] else b""
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, RuntimeError) as error:
        raise Rejected(
            "The file is damaged or was cut off (its zip directory cannot be read); upload it again."
        ) from error
    inflated = sum(member.file_size for member in members)
    if len(members) > _MEMBERS or inflated > _INFLATED_BYTES or inflated > len(data) * _INFLATED_RATIO:
        raise Rejected(
            f"The file unpacks to {inflated / 1e6:,.0f} MB from {len(data) / 1e6:.1f} MB in {len(members)} parts, "
            "more than kbot takes (a zip bomb?); if it is genuine, save it anew or split it."
        )
    if any(member.flag_bits & 1 for member in members):
        raise Rejected("The file is protected by a password; remove the password and ingest it again.")
    names = [member.filename for member in members]
    if "xl/workbook.bin" in names:
        raise Rejected("The file is a binary workbook (.xlsb), which kbot does not read; save it as .xlsx.")
    if "[Content_Types].xml" in names:
        for folder, kind in (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX)):
            if any(name.startswith(folder) for name in names):
                return kind
    if mimetype.startswith(b"application/vnd.oasis.opendocument"):
        raise Rejected(
            "The file is an OpenDocument file, which kbot does not read; save it as .docx, .xlsx, .pptx or PDF."
        )
    if mimetype.startswith(b"application/epub"):
        raise Rejected("The file is an EPUB book, which kbot does not read; convert it to PDF or HTML.")
    raise Rejected("The file is a zip archive; unpack it and ingest the files in it.")


def _ole_reason(data: bytes) -> str:
    for stream, reason in _OLE_STREAMS:
        if stream.encode("utf-16-le") in data:
            return reason
    return "The file is in an old Office format, which kbot does not read; save it as .docx, .xlsx, .pptx or PDF."


def _read(data: bytes, kind: str, name: str) -> Loaded:
    if kind == PDF:
        from kbot.ingestion.pdf import read_pdf

        return read_pdf(data)
    if kind in (DOCX, PPTX, XLSX):
        from kbot.ingestion import office

        return {DOCX: office.read_docx, PPTX: office.read_pptx, XLSX: office.read_xlsx}[kind](data)
    if kind == HTML:
        from kbot.ingestion.markup import read_html

        return read_html(data)
    if kind == MAIL:
        from kbot.ingestion.mail import read_mail

        return read_mail(data)
    decoded = decode(data)
    if kind == CSV:
        from kbot.ingestion.tables import read_csv

        return read_csv(decoded)
    return _read_markdown(decoded) if kind == MARKDOWN else _read_text(decoded, _suffix(name))


def _read_text(decoded: Decoded, suffix: str) -> Loaded:
    text = plain(decoded.text)
    if suffix in _CODE:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`{3,}", decoded.text)), default=2))
        text = f"{fence}{_CODE[suffix]}\n{decoded.text.strip(chr(10))}\n{fence}"
    return Loaded("", TEXT, (Page(None, text),), warnings=decoded.warnings)


def _read_markdown(decoded: Decoded) -> Loaded:
    front = re.match(r"---\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|$)", decoded.text, re.DOTALL)
    titled = re.search(r"^title:[ \t]*(.+)$", front.group(1), re.MULTILINE | re.IGNORECASE) if front else None
    title = titled.group(1).strip().strip("\"'") if titled else heading_title(decoded.text)
    return Loaded(title, MARKDOWN, (Page(None, decoded.text),), warnings=decoded.warnings)
