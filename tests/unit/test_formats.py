"""Files of each kind, made here with the libraries or byte by byte, and read into pages."""

import io
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

import openpyxl
import pptx
import pytest

from fakes.documents import docx, line, pdf
from kbot.errors import Rejected
from kbot.ingestion.formats import media_type, read
from kbot.ingestion.pages import Loaded


def loaded(tmp_path: Path, name: str, data: bytes) -> Loaded:
    path = tmp_path / "file"
    path.write_bytes(data)
    return read(path, name, 1_000_000)


def text_of(tmp_path: Path, name: str, data: bytes) -> str:
    return loaded(tmp_path, name, data).pages[0].text


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(40), "PNG image"),
        ("a.pdf", b"\xff\xd8\xff\xe0" + bytes(40), "JPEG image"),
        ("a.mp3", b"ID3\x04" + bytes(40), "sound"),
        ("a.txt", b"MZ" + bytes(60), "a program"),
        ("a.tar.gz", b"\x1f\x8b\x08\0" + bytes(20), "unpack it"),
        ("a.rtf", b"{\\rtf1 hello}", "save it as .docx"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "save it as .docx"),
        ("a.svg", b'<?xml version="1.0"?>\n<svg xmlns="x"><text>a</text></svg>', "SVG image"),
        ("a.txt", bytes(range(256)) * 4, "unsupported"),
        ("a.txt", b" \n\t\n", "empty"),
        ("a.html", b"<html><body><script>x()</script></body></html>", "empty"),
        ("a.docx", b"PK\x03\x04" + bytes(100), "cut off"),
    ],
)
def test_refusals_say_why(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    with pytest.raises(Rejected, match=words):
        loaded(tmp_path, name, data)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("x", b"<!-- c -->\n<!DOCTYPE html><p>a", "text/html"),
        ("x", "<html><p>é".encode("utf-16"), "text/html"),
        ("x.md", b"<p align=center>logo</p>\n# Title", "text/markdown"),
        ("x.txt", b"<p>not so plain", "text/plain"),
        ("x", b"From: a@b\nTo: c@d\nSubject: s\n\nbody", "message/rfc822"),
        ("x.txt", b"Subject: one header only\n\nbody", "text/plain"),
        ("x.eml", b"Subject: one header only\n\nbody", "message/rfc822"),
        ("x.csv", b"a,b\n1,2", "text/csv"),
        ("x.txt", b"%PDF- is how such files begin", "application/pdf"),
        ("BM.txt", b"BM is a bank", "text/plain"),
    ],
)
def test_media_type(name: str, data: bytes, kind: str) -> None:
    assert media_type(data, name) == kind


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiters(tmp_path: Path, delimiter: str) -> None:
    rows = [["nome", "preço"], ["caneta; azul, nova", '"1,5"'], ["lápis", "2"]]
    data = "\n".join(delimiter.join(f'"{cell.strip(chr(34))}"' for cell in row) for row in rows)
    assert text_of(tmp_path, "a.csv", data.encode()) == (
        "| nome | preço |\n| --- | --- |\n| caneta; azul, nova | 1,5 |\n| lápis | 2 |"
    )


def test_csv_with_decimal_commas(tmp_path: Path) -> None:
    assert "| 1,5 | 2,5 |" in text_of(tmp_path, "a.csv", b"a;b\n1,5;2,5\n3,5;4,5\n")


def test_page_keeps_what_it_is_about(tmp_path: Path) -> None:
    page = (
        "<html><head><meta charset=iso-8859-1><title>Férias | Intranet</title></head><body><nav>Início Contato</nav>"
        "<div id=cookie-banner>Usamos cookies</div><main><header><h1>Férias</h1></header>"
        "<p>São 30 dias, <a href='/x'>veja</a> <a href='https://rh.example/f'>formulário</a>.</p>"
        "<table><tr><th>Tipo</th><th>Dias</th></tr>"
        "<tr><td rowspan=2>CLT</td><td>30</td></tr><tr><td>20|10</td></tr></table>"
        "<pre><code class='language-sh'>ls  -l\n  # x</code></pre></main>"
        "<footer>Direitos</footer><script>var a</script></body></html>"
    )
    result = loaded(tmp_path, "f.html", page.encode("latin-1"))
    assert (result.title, result.warnings) == ("Férias | Intranet", ())
    assert result.pages[0].text == (
        "# Férias\n\nSão 30 dias, veja [formulário](https://rh.example/f).\n\n"
        "| Tipo | Dias |\n| --- | --- |\n| CLT | 30 |\n| CLT | 20\\|10 |\n\n```sh\nls  -l\n  # x\n```"
    )


def test_page_that_is_all_navigation_is_kept(tmp_path: Path) -> None:
    assert "Only links here" in text_of(
        tmp_path, "f.html", b"<html><body><nav><p>Only links here</p></nav></body></html>"
    )


def test_page_nested_deeper_than_python_goes(tmp_path: Path) -> None:
    result = loaded(tmp_path, "f.html", b"<html><body>" + b"<div>" * 5000 + b"deep down")
    assert result.pages[0].text == "deep down"
    assert "nested too deep" in result.warnings[0]


def test_markdown_title_and_code(tmp_path: Path) -> None:
    source = "---\ntitle: 'Guia de férias'\n---\n```sh\n# not a title\n```\n# Título\n"
    result = loaded(tmp_path, "g.md", source.encode())
    assert (result.title, result.pages[0].text) == ("Guia de férias", source)
    assert loaded(tmp_path, "g.md", b"```sh\n# no\n```\n# Yes #\n").title == "Yes"


def test_code_is_fenced(tmp_path: Path) -> None:
    assert text_of(tmp_path, "a.py", b"# x\nprint(1)\n") == "```python\n# x\nprint(1)\n```"


def test_mail(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Reunião às 15h", "Ana <ana@x.example>", "b@x.example"
    message.set_content("Olá, a reunião é às 15h.")
    message.add_alternative("<p>Olá em <b>HTML</b></p>", subtype="html")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="pauta é.pdf")
    result = loaded(tmp_path, "m.eml", message.as_bytes())
    assert result.title == "Reunião às 15h"
    assert result.pages[0].text.startswith("Subject: Reunião às 15h\nFrom: Ana <ana@x.example>\nTo: b@x.example\n")
    assert "Olá, a reunião é às 15h." in result.pages[0].text
    assert "HTML" not in result.pages[0].text
    assert "pauta é.pdf" in result.warnings[0]


def test_docx(tmp_path: Path) -> None:
    def paragraph(text: str, style: str = "") -> str:
        properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"

    row = "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in ("Tipo", "Dias")) + "</w:tr>"
    data = docx(paragraph("Férias", "Heading1") + paragraph("São 30 dias.") + f"<w:tbl>{row}{row}</w:tbl>")
    result = loaded(tmp_path, "a.docx", data)
    assert result.title == "Férias"
    assert result.pages[0].text == "# Férias\n\nSão 30 dias.\n\n| Tipo | Dias |\n| --- | --- |\n| Tipo | Dias |"


def test_pptx(tmp_path: Path) -> None:
    deck = cast("Any", pptx).Presentation()
    for title in ("Plano", "", "Custos"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
    table = deck.slides[2].shapes.add_table(2, 2, 0, 2_000_000, 100_000, 100_000).table
    for index, cell in enumerate(("Item", "Valor", "Café", "R$ 5|6")):
        table.cell(index // 2, index % 2).text = cell
    deck.slides[0].notes_slide.notes_text_frame.text = "Falar devagar"
    target = io.BytesIO()
    deck.save(target)
    result = loaded(tmp_path, "a.pptx", target.getvalue())
    assert (result.title, result.page_count, result.pages_without_text) == ("Plano", 3, 1)
    assert [(page.number, page.text) for page in result.pages] == [
        (1, "# Plano\n\nNotes: Falar devagar"),
        (3, "# Custos\n\n| Item | Valor |\n| --- | --- |\n| Café | R$ 5\\|6 |"),
    ]


def workbook(rows: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    sheet = cast("Any", book.active)
    sheet.title = "Preços"
    for row in rows:
        sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def test_xlsx(tmp_path: Path) -> None:
    data = workbook([["Item", "Valor", None], [], ["Café", 5.5, True], ["Pão", 2.0, None]])
    assert text_of(tmp_path, "a.xlsx", data) == (
        "## Preços\n\n| Item | Valor |  |\n| --- | --- | --- |\n| Café | 5.5 | TRUE |\n| Pão | 2 |  |"
    )


def test_xlsx_of_nothing_is_empty(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="empty"):
        loaded(tmp_path, "a.xlsx", workbook([]))


def test_pdf_pages_headings_and_hyphens(tmp_path: Path) -> None:
    first = line(50, 700, b"Employees get thirty days of vaca-") + line(50, 684, b"tion. A vacation is paid.")
    result = loaded(tmp_path, "a.pdf", pdf(first, b"", line(50, 700, b"# third page")))
    assert [(page.number, page.text) for page in result.pages] == [
        (1, "Employees get thirty days of vacation. A vacation is paid."),
        (3, "    # third page"),
    ]
    assert (result.page_count, result.pages_without_text) == (3, 1)
    assert result.warnings == ("Page 2 without text (blank or scanned); run OCR on the PDF if that text matters.",)


def test_pdf_text_drawn_twice_is_read_once(tmp_path: Path) -> None:
    bold = line(50, 700, b"Bold by drawing twice") + line(50, 700, b"Bold by drawing twice")
    assert text_of(tmp_path, "a.pdf", pdf(bold)) == "Bold by drawing twice"


def test_pdf_columns_of_prose_are_no_table(tmp_path: Path) -> None:
    words = [b"one two three", b"four five six", b"seven eight nine", b"ten eleven twelve"]
    content = b"".join(line(x, 700 - 16 * row, word) for x in (50, 230, 410) for row, word in enumerate(words))
    assert text_of(tmp_path, "a.pdf", pdf(content)).splitlines()[:4] == [word.decode() for word in words]


def test_pdf_rows_without_borders_are_a_table(tmp_path: Path) -> None:
    rows = [(b"Plan", b"Monthly", b"Yearly"), (b"Plus", b"", b"600"), (b"Standard", b"40", b"")]
    content = b"".join(
        line(x, 700 - 16 * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip((50, 200, 350), row, strict=True)
        if cell
    )
    assert "| Plus |  | 600 |\n| Standard | 40 |  |" in text_of(tmp_path, "a.pdf", pdf(content, line(50, 700, b"end")))


@pytest.mark.parametrize("matrix", [b"1 0 0 1 50 %d", b"0 1 -1 0 %d 50"])
def test_pdf_turned_pages_keep_their_order(tmp_path: Path, matrix: bytes) -> None:
    places = (700, 600, 500) if matrix.startswith(b"1") else (100, 200, 300)
    content = b"".join(
        b"BT /F0 12 Tf %s Tm (%s line) Tj ET\n" % (matrix % place, word)
        for place, word in zip(places, (b"first", b"second", b"third"), strict=True)
    )
    assert text_of(tmp_path, "a.pdf", pdf(content, page=b"/Rotate 90")).split("\n") == [
        "first line",
        "second line",
        "third line",
    ]
