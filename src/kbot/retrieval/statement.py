"""The one statement that searches, in SQL.

Every question runs it, so it is written for bounded work whatever the size of the index: 40 dense candidates from the
HNSW index, lexical ones from the rarest words of the question alone, and the costly evidence for those candidates
only.

`words` takes the question apart as Postgres' parser does. A word that is a stop word in Portuguese or English is
dropped; any other has up to three forms, its Portuguese stem, its English stem and itself, and matches a passage by
any of them: that finds cognates and names across languages ("formação", "formation"), and a question needs no
language of its own.

`weight` is the inverse document frequency of BM25 (Robertson and Spärck Jones), ln(1 + (N - n + .5) / (n + .5)), of
the commonest form. How often a word stands in a passage saturates as `ts_rank` of a single lexeme does, by sum(1/i²)
· 6/π²: close to BM25's tf/(tf + .65), without its length correction, since passages are of one size. `coverage` is
the passage's share of the weights that a passage with every word often enough would get, and lies in [0, 1].

The candidates' words are the rarest whose passages together are at most `budget`; where even the rarest is commoner
than that, passages must hold the three rarest together.
"""

from functools import cache
from typing import LiteralString

from psycopg import sql

_QUESTION: LiteralString = """
question AS MATERIALIZED (
  SELECT %(vector)s::halfvec AS vector, greatest(i.passages, 1)::float8 AS total
  FROM indexes i WHERE i.workspace = %(workspace)s AND i.embedder = %(embedder)s
),
tokens AS MATERIALIZED (
  SELECT DISTINCT kbot_fold(t.token) AS token
  FROM ts_parse('default', replace(lower(%(text)s), '/', ' ')) t
  WHERE t.tokid NOT IN (12, 13, 14, 15, 16, 17)
    AND ts_lexize('portuguese_stem', t.token) IS DISTINCT FROM '{{}}'
    AND ts_lexize('english_stem', t.token) IS DISTINCT FROM '{{}}'
),
forms AS MATERIALIZED (
  SELECT t.token, f.form, coalesce(l.passages, 0) AS passages,
    ('''' || replace(replace(f.form, E'\\\\', E'\\\\\\\\'), '''', '''''') || '''') AS quoted
  FROM tokens t
  CROSS JOIN LATERAL (
    SELECT t.token AS form
    UNION SELECT unnest(ts_lexize('portuguese_stem', t.token))
    UNION SELECT unnest(ts_lexize('english_stem', t.token))
  ) f
  LEFT JOIN lexemes l ON l.workspace = %(workspace)s AND l.lexeme = f.form
),
words AS MATERIALIZED (
  SELECT token,
    ln(1 + (q.total - least(max(passages), q.total) + 0.5) / (max(passages) + 0.5)) AS weight,
    array_agg(quoted::tsquery) FILTER (WHERE passages > 0) AS queries
  FROM forms CROSS JOIN question q GROUP BY token, q.total
),
rare AS MATERIALIZED (
  SELECT coalesce(
    (SELECT string_agg(quoted, ' | ') FROM (
      SELECT quoted, sum(passages) OVER (ORDER BY passages, form) AS running
      FROM (SELECT DISTINCT form, quoted, passages FROM forms WHERE passages > 0) d
    ) r WHERE running <= %(budget)s),
    (SELECT string_agg(quoted, ' & ') FROM (
      SELECT DISTINCT ON (token) token, quoted, passages FROM forms WHERE passages > 0 ORDER BY token, passages DESC
    ) c WHERE c.token IN (SELECT token FROM words WHERE queries IS NOT NULL ORDER BY weight DESC, token LIMIT 3))
  )::tsquery AS query
),
dense AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY distance, id) AS rank FROM (
    SELECT c.id, c.embedding::halfvec({dimensions}) <=> (SELECT vector FROM question)::halfvec({dimensions}) AS distance
    FROM chunks c
    WHERE c.workspace = %(workspace)s AND c.scope = ANY(%(scopes)s) AND vector_dims(c.embedding) = {dimensions}
    ORDER BY c.embedding::halfvec({dimensions}) <=> (SELECT vector FROM question)::halfvec({dimensions})
    LIMIT %(candidates)s
  ) d
),
matches AS MATERIALIZED (
  SELECT c.id, ts_rank('{{1,1,1,1}}', c.lexemes, (SELECT query FROM rare)) AS rank
  FROM chunks c
  WHERE c.lexemes @@ (SELECT query FROM rare) AND c.workspace = %(workspace)s AND c.scope = ANY(%(scopes)s)
  LIMIT 4 * %(budget)s
),
lexical AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY rank DESC, id) AS rank FROM (
    SELECT id, rank FROM matches ORDER BY rank DESC, id LIMIT %(candidates)s
  ) m
)
"""


_EVIDENCE: LiteralString = """
candidates AS MATERIALIZED (
  SELECT id, d.rank AS dense_rank, l.rank AS lexical_rank FROM dense d FULL JOIN lexical l USING (id)
),
evidence AS MATERIALIZED (
  SELECT k.id, k.dense_rank, k.lexical_rank, c.document_id, c.position, c.heading, c.language,
    CASE c.header WHEN '' THEN c.text ELSE c.header || E'\n' || c.text END AS text,
    coalesce(nullif(c.spans[3 * s.best], 0), c.page) AS page,
    coalesce(
      substr(c.text, c.spans[3 * s.best - 2] + 1, c.spans[3 * s.best - 1] - c.spans[3 * s.best - 2]), ''
    ) AS quote,
    1 - (c.embedding <=> q.vector) AS similarity, s.sentence, w.coverage
  FROM candidates k
  CROSS JOIN question q
  JOIN chunks c ON c.workspace = %(workspace)s AND c.id = k.id
  CROSS JOIN LATERAL (
    SELECT max(1 - (v.vector <=> q.vector)) AS sentence,
      (array_agg(v.n ORDER BY v.vector <=> q.vector) FILTER (WHERE v.n > c.title_sentences))[1]::int
        - c.title_sentences AS best
    FROM unnest(c.sentences) WITH ORDINALITY AS v(vector, n)
  ) s
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(w.weight * (
      SELECT coalesce(max(ts_rank('{{1,1,1,1}}', c.lexemes, f)), 0) FROM unnest(w.queries) f
    )) / nullif(sum(w.weight), 0), 0) AS coverage
    FROM words w
  ) w
)
"""

SCORES: dict[str, LiteralString] = {
    "sum": "(similarity + sentence + 0.8 * coverage) / 2.8",
    "rrf": "30.5 * (coalesce(1.0 / (60 + dense_rank), 0) + coalesce(1.0 / (60 + lexical_rank), 0))",
    "dense": "similarity",
    "sentence": "sentence",
    "lexical": "coverage",
}

_PASSAGES: LiteralString = """
SELECT e.id::text AS id, e.document_id::text AS document_id, d.source, d.title, d.url,
  e.page, e.heading, e.text, e.quote, e.language, greatest(e.similarity, 0) AS similarity,
  greatest(coalesce(e.sentence, e.similarity), 0) AS sentence, least(e.coverage, 1) AS coverage,
  e.score, coalesce(b.text, '') AS before, coalesce(a.text, '') AS after
FROM (SELECT *, {score} AS score FROM evidence ORDER BY score DESC, id LIMIT %(k)s) e
JOIN documents d ON d.workspace = %(workspace)s AND d.id = e.document_id
LEFT JOIN chunks b ON b.workspace = %(workspace)s AND b.document_id = e.document_id AND b.position = e.position - 1
LEFT JOIN chunks a ON a.workspace = %(workspace)s AND a.document_id = e.document_id AND a.position = e.position + 1
ORDER BY e.score DESC, e.id
"""


@cache
def search_statement(dimensions: int, fusion: str) -> sql.Composed:
    """The statement for vectors of a length, its passages in the order of a fusion (a key of `SCORES`)."""
    statement = sql.SQL("WITH {question}, {evidence} {passages}")
    parts = {"dimensions": sql.Literal(dimensions), "score": sql.SQL(SCORES[fusion])}
    return statement.format(
        question=sql.SQL(_QUESTION).format(**parts),
        evidence=sql.SQL(_EVIDENCE).format(**parts),
        passages=sql.SQL(_PASSAGES).format(**parts),
    )
