"""Documents and embedders for the tests of the knowledge side, and what must hold of the tables whatever happened to
them."""

from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings

from kbot.chat import Passage, Place
from kbot.database import Database
from kbot.ingestion.chunk import join_pages
from kbot.ingestion.cutting import Cutting
from kbot.ingestion.document import Document
from kbot.ingestion.index import Indexed, index
from kbot.ingestion.jobs import Progress, Receipt, Shelf, Upload, ingest
from kbot.ingestion.load import Page
from kbot.models import Embedder
from kbot.retrieval.search import search
from kbot.settings import Settings

EVERYONE = Shelf("default")
EVERYBODY = Place("default", "slack:general")

LEAVE = """# Leave

Every employee has 25 days of paid leave in a year.

## Carrying over

Up to five days of leave may be carried over into the first quarter of the next year."""

FERIAS = """# Férias

As férias são pedidas com 45 dias de antecedência à coordenação.

## Acúmulo

Até cinco dias de férias podem passar para o primeiro trimestre do ano seguinte."""


PHONES = """| Name | Telefone | Desk |
| --- | --- | --- |
| Zoraide Quintanilha | 4711 | third floor |
| Bartholomew Fitch | 4712 | second floor |"""


def document(
    source: str, text: str | list[Page], *, scope: str = "", workspace: str = "default", title: str = ""
) -> Document:
    """A document as `kbot ingest` would make it of a file."""
    pages = [Page(None, text)] if isinstance(text, str) else text
    joined, starts = join_pages(pages)
    count = None if isinstance(text, str) else len(pages)
    return Document(workspace, source, title or source, "text/plain", joined, starts, scope, page_count=count)


async def add(
    database: Database,
    embedder: Embedder,
    source: str,
    text: str | list[Page],
    *,
    scope: str = "",
    workspace: str = "default",
    title: str = "",
    size: int = 100,
    reranker: str | None = None,
) -> Indexed:
    """Index a text in small chunks, so that a short one has several."""
    made = document(source, text, scope=scope, workspace=workspace, title=title)
    return await index(database, embedder, made, cutting=Cutting(size), reranker=reranker)


class Watched(Embeddings):
    """The real encoder, with something done before each batch of passages; cut to fewer numbers if asked."""

    def __init__(
        self, inner: Embeddings, before: Callable[[int], object] = lambda _: None, dimensions: int = 512
    ) -> None:
        self.inner = inner
        self.before = before
        self.dimensions = dimensions
        self.batches = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches += 1
        self.before(self.batches)
        return [vector[: self.dimensions] for vector in self.inner.embed_documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.inner.embed_query(text)[: self.dimensions]


def watched(embedder: Embedder, before: Callable[[int], object]) -> Embedder:
    return Embedder(embedder.name, embedder.dimensions, Watched(embedder.embeddings, before), None)


def smaller(embedder: Embedder, name: str = "test:cut", dimensions: int = 256) -> Embedder:
    return Embedder(name, dimensions, Watched(embedder.embeddings, dimensions=dimensions), None)


async def fill(database: Database, embedder: Embedder) -> None:
    """Put in four documents that everybody may see, in both languages."""
    await add(database, embedder, "leave.md", LEAVE, title="Leave policy")
    await add(database, embedder, "ferias.md", FERIAS)
    await add(database, embedder, "phones.md", PHONES)
    pages = [
        Page(4, "The office opens at nine."),
        Page(5, "Visitors sign the book at the reception of Farol Pagamentos."),
    ]
    await add(database, embedder, "office.pdf", pages)


async def ask(
    database: Database, embedder: Embedder, question: str, place: Place = EVERYBODY, **how: object
) -> list[Passage]:
    return await search(database, embedder, question, place, **how)  # pyright: ignore[reportArgumentType]  # for brevity


async def rows(database: Database, statement: str, *values: object) -> list[tuple[object, ...]]:
    """The rows of a statement on a connection of its own."""
    async with database.pool.connection() as connection:
        return await (await connection.execute(statement.encode(), values)).fetchall()


async def miscounted(database: Database) -> list[tuple[object, ...]]:
    """Where the statistics differ from a recount of the chunks: none is right."""
    return await rows(
        database,
        """
        WITH words AS (
          SELECT c.workspace, w.lexeme, count(*) AS passages FROM chunks c, unnest(c.lexemes) w GROUP BY 1, 2
        ), held AS (
          SELECT workspace, scope, count(*) AS passages FROM chunks GROUP BY 1, 2
        ), totals AS (
          SELECT i.workspace, (SELECT count(*) FROM chunks c WHERE c.workspace = i.workspace) AS passages FROM indexes i
        )
        SELECT workspace, lexeme, l.passages, w.passages
        FROM lexemes l FULL JOIN words w USING (workspace, lexeme) WHERE l.passages IS DISTINCT FROM w.passages
        UNION ALL
        SELECT workspace, '', i.passages, t.passages
        FROM indexes i JOIN totals t USING (workspace) WHERE i.passages <> t.passages
        UNION ALL
        SELECT workspace, scope, coalesce(s.passages, 0), coalesce(h.passages, 0)
        FROM scopes s FULL JOIN held h USING (workspace, scope)
        WHERE coalesce(s.passages, 0) <> coalesce(h.passages, 0)
        UNION ALL
        SELECT d.workspace, d.source, d.chunks, count(c.id)
        FROM documents d LEFT JOIN chunks c ON c.workspace = d.workspace AND c.document_id = d.id
        GROUP BY d.workspace, d.id, d.source, d.chunks HAVING d.chunks <> count(c.id)
        """,
    )


async def receipts(
    database: Database,
    embedder: Embedder,
    settings: Settings,
    items: Sequence[Upload],
    shelf: Shelf = EVERYONE,
    progress: Progress | None = None,
) -> list[Receipt]:
    """What becomes of uploads, in their order."""
    made = ingest(database, embedder, settings, items, shelf, allow_private_urls=True, progress=progress)
    return [receipt async for receipt in made]
