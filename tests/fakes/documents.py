"""Documents made byte by byte: PDF pages from content streams, Word files from their XML."""

import io
import zipfile
import zlib


def pdf(*contents: bytes, page: bytes = b"", catalog: bytes = b"", packed: bool = True) -> bytes:
    """A PDF with one page for each content stream, in Helvetica as F0."""
    bodies = [zlib.compress(content) if packed else content for content in contents]
    numbers = [4 + 2 * index for index in range(len(bodies))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        2: b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(bodies)),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    }
    for number, body in zip(numbers, bodies, strict=True):
        objects[number] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]%s/Resources<</Font<</F0 3 0 R>>>>/Contents %d 0 R>>"
            % (page, number + 1)
        )
        filters = b"/Filter/FlateDecode" if packed else b""
        objects[number + 1] = b"<<%s/Length %d>>stream\n%s\nendstream" % (filters, len(body), body)
    parts = [b"%PDF-1.4\n"]
    parts += [b"%d 0 obj\n%s\nendobj\n" % (number, objects[number]) for number in sorted(objects)]
    return b"".join((*parts, b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n0\n%%%%EOF" % (len(objects) + 1)))


def line(x: int, y: int, text: bytes) -> bytes:
    """A content stream that draws a line of text."""
    return b"BT /F0 12 Tf %d %d Td (%s) Tj ET\n" % (x, y, text)


def docx(body: str, **members: str) -> bytes:
    """A Word file whose body is this XML."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{relation}" Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", f"<w:document {space}><w:body>{body}</w:body></w:document>")
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()
