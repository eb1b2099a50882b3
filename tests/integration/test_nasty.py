"""Every file of a collection of nasty files, read as ingestion reads it: in the parser's process, within limits."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kbot.errors import Rejected
from kbot.ingestion.load import ParseLimits, Parser

SHARED = Path(__file__).parents[2].parent / "shared"
NASTY = SHARED / "nasty"
pytestmark = pytest.mark.skipif(not NASTY.is_dir(), reason="the nasty files beside the checkout are absent")


@dataclass(frozen=True, slots=True)
class Read:
    """The file is read: its text holds `has`, not `lacks`; its warnings hold `warns` (none given: there are none)."""

    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()
    pages: int | None = None
    empty: int = 0
    title: str | None = None
    characters: tuple[int, int] = (1, 2_000_000)


@dataclass(frozen=True, slots=True)
class Refused:
    """The file is rejected: the reason holds these words."""

    words: tuple[str, ...]


FAQ = ("Versão 11.0", "permissão para fazer e distribuir cópias", "não")
GARBLED = ("Ã£", "Ã©", "\ufffd", "\xad", "\u200b")
PASSWORD = Refused(("protected by a password", "remove the password"))
SCANNED = Refused(("no text layer", "OCR"))
EXPECTED: dict[str, Read | Refused] = {
    "Relatório de Gestão – Ação nº 1 (versão final).txt": Read(
        ("Conteúdo do relatório.",), title="Relatório de Gestão – Ação nº 1 (versão final)"
    ),
    "debian_faq_pt_cp1252.txt": Read(FAQ, GARBLED, ("guessed as cp1252",)),
    "debian_faq_pt_hyphen_bom.md": Read(
        ("The Debian GNU/Linux FAQ", "É dada permissão para fazer"), (*GARBLED, "\ufeff")
    ),
    "debian_faq_pt_is_html.pdf": Read(
        ("# Capítulo 1. Definições e visão geral", "O que é Debian GNU/Linux?"),
        ("<div", "Anterior"),
        ("named like PDF but holds HTML",),
        title="Capítulo 1. Definições e visão geral",
    ),
    "debian_faq_pt_mixed_encodings.txt": Read(
        (*FAQ, "distribuição unstable passam para testing após"),
        GARBLED,
        ("mixes UTF-8", "encoded twice"),
        characters=(39_000, 41_000),
    ),
    "debian_faq_pt_mojibake.txt": Read(FAQ, GARBLED, ("encoded twice", "repaired")),
    "debian_reference_ptbr_10p_truncated.pdf": Refused(("cut off", "upload it again")),
    "debian_reference_ptbr_scan_3p.pdf": SCANNED,
    "docling__Strict.docx": Read(("Some text",)),
    "docling__xlsx_03_chartsheet.xlsx": Read(
        ("## Duck Observations", "| 2019 | 120 | 80 | 200 |"), title="Wild Duck Observations"
    ),
    "focalinux_ch-s-samba_latin1.html": Read(
        ("# Guia Foca GNU/Linux Capítulo 18 - SAMBA", "configuração", "próximo"),
        GARBLED,
        title="Guia Foca GNU/Linux - SAMBA",
    ),
    "focalinux_iniciante_latin1.txt": Read(
        ("não", "configuração", "Versão 4.22 - Domingo"), GARBLED, ("guessed as cp1252",), characters=(320_000, 330_000)
    ),
    "markitdown__SPARSE-2024-INV-1234_borderless_table.pdf": Read(
        (
            "| Product Code | Location | Expected | Actual | Variance | Status |",
            "|  | B-07 |  | 289 | -23 |  |",
            "| SKU-9201 |  | 780 | 778 |  | OK |",
            "| SKU-5512 | Hardware | $89.00 | $31,150.00 |  | Pending |",
            "Overall Accuracy: 97.2%",
        ),
        pages=2,
    ),
    "markitdown__random.bin": Refused(("unsupported",)),
    "pdfsamples__unreadablemetadata.pdf": Refused(("damaged", "save it anew")),
    "planilha_ptbr_latin1.csv": Read(
        ("| Produto | Preço | Data | Situação |", "| Caneta | 1.234,56 | 31/12/2024 | Disponível |"),
        GARBLED,
        ("guessed as cp1252",),
    ),
    "tika__footnotes.docx": Read(("Eto ochen prostoy[1] text so snoskoy", "1. snoska"), ("↑",)),
    "tika__testBrokenHTMLContainingRFC822.html": Read(
        ("# A heading", "> From: someone@somewhere.com", "A whole bunch of text."), ("<br>",), title="A heading"
    ),
    "tika__testEXCEL.strict.xlsx": Read(("## First Sheet", "| 2nd row | 2nd row 2nd column |", "Start of 2nd sheet")),
    "tika__testEXCEL_5.xls": Refused(("old Excel format", "save it as .xlsx")),
    "tika__testOCR.pdf": SCANNED,
    "tika__testOverlappingText.pdf": Read(("Text the first time Text the second time",), pages=1, characters=(40, 40)),
    "tika__testPDFPackage.pdf": Read(
        ("Multiple files are bound together",), (), ("PDF1.pdf, PDF2.pdf", "ingest them"), pages=1
    ),
    "tika__testPDF_deeplyEmbeddedAttachments.pdf": Read(
        ("a",), (), ("attached files", "and 15 more"), pages=1, characters=(1, 1)
    ),
    "tika__testPDF_malformedXFA.pdf": SCANNED,
    "tika__testPDF_no_extract_no_accessibility_owner_empty.pdf": Read(
        ("Hello World",), (), ("forbids copying",), pages=1
    ),
    "tika__testPPTX_overlappingRelations.pptx": Read(
        ("# POI cannot read this", "Has a relationship to another slide", "POI can read this too"), pages=4
    ),
    "tika__testPPT_protected_passtika.pptx": PASSWORD,
    "tika__testPassword4Spaces.pdf": PASSWORD,
    "tika__testRFC822_encrypted_zip": Read(
        ("Subject: Test mail for Tika", "This is the Plain Text part"),
        ("UEsDB",),
        ("test.zip",),
        title="Test mail for Tika",
    ),
    "tika__testUnicodePassword.pdf": PASSWORD,
    "tika__testWORD_truncated.docx": Refused(("cut off", "upload it again")),
    "tika__test_recursive_embedded.docx": Read(("embed_0",), ("embed_1", "base64"), ("oleObject1.bin", "ingest them")),
    "unstructured__DA-619p.pdf": Read(
        ("It has been said that the most complete way to wipe out a people",), ("\ufffe",), pages=619
    ),
    "unstructured__email-replace-mime-encodings-error-3.eml": Read(
        ("Subject: AWS Online Conference | Last chance", "Date: Mon, 3 Oct 2022", "Join us at AWS Innovate"),
        ("<td", "ARC-Seal"),
    ),
    "unstructured__empty.txt": Refused(("empty",)),
    "unstructured__example-with-scripts.html": Read(
        ("# Russian Offensive Campaign Assessment, December 13", "control of 90% of Opytne"),
        ("function", "jQuery", "GoogleAnalytics"),
    ),
    "unstructured__failure-after-repair.pdf": Read(("A guide for people with cancer",), ("\ufffe",), pages=76),
    "unstructured__fake-email-malformed-encoding.eml": Read(
        ("Subject: Test Email", "Roses are red", "Violets are blue"), ("<li>", "boundary"), title="Test Email"
    ),
    "unstructured__fake-html-cp1252.html": Read(
        ("15,50 €", "köstlich", "O João comprou um café por 2,50 €", "¡Qué rico!", "åt köttbullar"),
        GARBLED,
        ("guessed as cp1252",),
    ),
    "unstructured__fake-text-utf-32.txt": Read(("This is a test document", "- I love fuzzy blankets"), ("\0",)),
    "unstructured__handbook-872p.docx": Read(
        ("Handbook for", "### 6. SUBORDINATION OF CLAIMS"), ("base64",), characters=(700_000, 900_000)
    ),
    "unstructured__mime-no-body.eml": Refused(("empty", "image.jpg")),
    "unstructured__negative-coords.pdf": Read(
        ("Comprehensive Carbon Footprint Letter of Assurance", "4 Conclusions"), pages=1
    ),
    "unstructured__password_protected.xlsx": PASSWORD,
    "unstructured__pdf-bad-color-space.pdf": Read(("We aim to achieve net-zero", "carbon-free energy"), pages=1),
    "unstructured__pdf2image-memory-error-test-400p.pdf": Read(
        ("Large Business and International (LB&I)",), ("\ufffe",), ("Pages 2, 400 without text",), pages=400, empty=2
    ),
    "unstructured__rotated-page-90.pdf": Read(
        ("Hello World Test Text\nSecond line of text here\nRotated page fixture",), pages=1, characters=(67, 67)
    ),
    "unstructured__semicolon-delimited.csv": Read(
        ("| Lorem, ipsum | dolor sit | amet |", "| sed, do | eiusmod | tempor incididunt |")
    ),
    "unstructured__stanley-cups-utf-16.csv": Read(
        ("| Team | Location | Stanley Cups |", "| Maple Leafs | TOR | 13 |"), ("\0",)
    ),
    "unstructured__tables-with-incomplete-rows.docx": Read(("| a | b |", "| b | c | d |", "| WTF? |")),
    "unstructured__test-invalid-date.eml": Read(
        ("Date: INVALID-DATE-FORMAT", "This is a test-email"), title="Test invalid date format"
    ),
    "zip_slip.zip": Refused(("archive", "unpack it")),
    "zipbomb_200MB.docx": Refused(("200 MB", "zip bomb")),
}


@pytest.fixture(scope="module")
async def parser() -> AsyncGenerator[Parser]:
    async with Parser(ParseLimits(max_bytes=50_000_000, seconds=60, megabytes=1024)) as parser:
        yield parser


def test_every_file_has_an_expectation() -> None:
    listed = {entry["file"] for entry in json.loads((NASTY / "MANIFEST.json").read_text())}
    assert listed == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
async def test_file(parser: Parser, name: str) -> None:
    expected = EXPECTED[name]
    if isinstance(expected, Refused):
        with pytest.raises(Rejected) as caught:
            await parser.load(NASTY / name)
        reason = str(caught.value)
        assert [word for word in expected.words if word not in reason] == [], reason
        return
    loaded = await parser.load(NASTY / name)
    text = "\n".join(page.text for page in loaded.pages)
    warnings = " ".join(loaded.warnings)
    assert [word for word in expected.has if word not in text] == []
    assert [word for word in expected.lacks if word in text] == []
    assert [word for word in expected.warns if word not in warnings] == [], warnings
    assert bool(loaded.warnings) == bool(expected.warns), warnings
    assert (loaded.page_count, loaded.pages_without_text) == (expected.pages, expected.empty)
    assert expected.title in (None, loaded.title)
    assert expected.characters[0] <= len(text) <= expected.characters[1]


async def test_zip_slip_writes_nothing(parser: Parser) -> None:
    target = Path("/tmp/pwned.txt")  # where the archive's member name leads from any depth
    assert not target.exists()
    with pytest.raises(Rejected):
        await parser.load(NASTY / "zip_slip.zip")
    assert not target.exists()


@pytest.mark.parametrize(
    ("name", "pages", "number", "sentence"),
    [
        (
            "Benefit_Options.pdf",
            4,
            3,
            "Northwind Health Plus is a comprehensive plan that provides comprehensive coverage",
        ),
        ("PerksPlus.pdf", 4, 4, "Food and supplements"),
        ("employee_handbook.pdf", 11, 4, "Accountability: We take responsibility for our actions"),
        ("role_library.pdf", 31, 31, "full-time Customer Service Representative"),
        ("Northwind_Health_Plus_Benefits_Details.pdf", 109, 50, "Rehabilitation Therapy"),
        ("Northwind_Standard_Benefits_Details.pdf", 104, 104, "Take advantage of preventive care services."),
        ("debian-faq.en.pdf", 73, 44, "| apt-get dist-upgrade | -> | apt full-upgrade |"),
        ("debian-faq.pt.pdf", 75, 15, "Escolher uma distribuição Debian"),
        ("debian-reference.pt-br.pdf", 268, 41, "para alterar as marcas temporais de ficheiros existentes."),
    ],
)
async def test_real_document(parser: Parser, name: str, pages: int, number: int, sentence: str) -> None:
    loaded = await parser.load(SHARED / "docs" / name)
    assert loaded.page_count == pages == len(loaded.pages) + loaded.pages_without_text
    texts = {page.number: " ".join(page.text.split()) for page in loaded.pages}
    assert sentence in texts[number]


async def test_bookmarks_head_the_pages(parser: Parser) -> None:
    loaded = await parser.load(SHARED / "docs" / "debian-faq.en.pdf")
    headings = {page.number: page.heading for page in loaded.pages}
    assert headings[1] == ""
    assert headings[44].split(" > ")[0] == "The Debian package management tools"
    assert headings[44].endswith("> APT")
