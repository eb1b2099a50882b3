"""The one statement that searches, in SQL.

Every question runs it, so it is written for bounded work whatever the size of the index: 40 dense candidates from the
HNSW index, lexical ones from the rarest words of the question alone, and the costly evidence for those candidates
only.

`words` takes the question apart as Postgres' parser does. A word that is a stop word in Portuguese or English is
dropped; any other has up to three forms, its Portuguese stem, its English stem and itself, and matches a passage by
any of them: that finds names and many cognates across languages ("hospitais", "hospital"), and a question needs no
language of its own.

`weight` is the inverse document frequency of BM25 (Robertson and Spärck Jones), ln(1 + (N - n + .5) / (n + .5)), of
the commonest form. How often a word stands in a passage saturates as `ts_rank` of a single lexeme does, by sum(1/i²)
· 6/π²: close to BM25's tf/(tf + .65), without its length correction, since passages are of one size. `coverage` is
the passage's share of the weights that a passage with every word often enough would get, and lies in [0, 1].

The candidates' words are the rarest whose passages together are at most `budget` (100 more among 600 passages, 3 more
among 20,000: a few cost little there); where even the rarest is commoner than that, passages must hold the three rarest
together.

A section is put together of its chunks, of which it has at most 32, with the white space between them made even: to cut
it from the document's text, all of that would have to be unpacked for each passage.

An index over everybody's passages is slow for who may see few of them. So where a place sees `few`, `visible` goes
through them one by one, exactly; else the indexes are used, and the filter comes after them: OFFSET 0 keeps the
planner from trading the index for a filter whose share it cannot know.
"""

from functools import lru_cache
from typing import LiteralString

from psycopg import sql

# Looking through n passages one by one takes about as long as finding 40 of them in the vector index among N where
# n * n is 200 N (measured); a passage takes about 3 kB of the table.
_WORTH = 0.07

_CANDIDATES: LiteralString = """
question AS MATERIALIZED (
  SELECT %(vector)s::halfvec AS vector, greatest(i.passages, 1)::float8 AS total,
    (
      SELECT coalesce(sum(s.passages), 0)::float8 ^ 2 <= {worth} * pg_relation_size('chunks') FROM scopes s
      WHERE s.workspace = %(workspace)s AND s.scope = ANY(%(scopes)s)
    ) AS few
  FROM indexes i WHERE i.workspace = %(workspace)s AND i.embedder = %(embedder)s
    AND (%(reranker)s::text IS NULL OR i.reranker IS NULL OR i.reranker = %(reranker)s)
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
    UNION SELECT unnest(ts_lexize('portuguese_stem', kbot_singular(t.token)))
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
    ) r WHERE running <= %(budget)s + 60000 / (SELECT total FROM question)),
    (SELECT string_agg(quoted, ' & ') FROM (
      SELECT DISTINCT ON (token) token, quoted, passages FROM forms WHERE passages > 0 ORDER BY token, passages DESC
    ) c WHERE c.token IN (SELECT token FROM words WHERE queries IS NOT NULL ORDER BY weight DESC, token LIMIT 3))
  )::tsquery AS query
),
visible AS MATERIALIZED (
  SELECT c.id, c.embedding <=> (SELECT vector FROM question) AS distance,
    CASE WHEN ts_match_vq(c.lexemes, (SELECT query FROM rare))
      THEN ts_rank('{{1,1,1,1}}', c.lexemes, (SELECT query FROM rare)) END AS rank
  FROM chunks c
  WHERE (SELECT few FROM question) AND c.workspace = %(workspace)s AND c.scope = ANY(%(scopes)s)
    AND vector_dims(c.embedding) = {dimensions}
),
dense AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY distance, id) AS rank FROM (
    (SELECT id, distance FROM visible ORDER BY distance, id LIMIT {candidates})
    UNION ALL
    (SELECT c.id, c.distance FROM (
      SELECT c.id, c.workspace, c.scope,
        c.embedding::halfvec({dimensions}) <=> (SELECT vector FROM question)::halfvec({dimensions}) AS distance
      FROM chunks c
      WHERE vector_dims(c.embedding) = {dimensions}
      ORDER BY c.embedding::halfvec({dimensions}) <=> (SELECT vector FROM question)::halfvec({dimensions})
      OFFSET 0
    ) c
    WHERE NOT (SELECT few FROM question) AND c.workspace = %(workspace)s AND c.scope = ANY(%(scopes)s)
    LIMIT {candidates})
  ) d
),
matches AS MATERIALIZED (
  (SELECT id, rank FROM visible WHERE rank IS NOT NULL LIMIT 4 * %(budget)s)
  UNION ALL
  (SELECT c.id, ts_rank('{{1,1,1,1}}', c.lexemes, (SELECT query FROM rare)) AS rank
  FROM (
    SELECT c.id, c.workspace, c.scope, c.lexemes FROM chunks c WHERE c.lexemes @@ (SELECT query FROM rare) OFFSET 0
  ) c
  WHERE NOT (SELECT few FROM question) AND c.workspace = %(workspace)s AND c.scope = ANY(%(scopes)s)
  LIMIT 4 * %(budget)s)
),
lexical AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY rank DESC, id) AS rank FROM (
    SELECT id, rank FROM matches ORDER BY rank DESC, id LIMIT {candidates}
  ) m
)
"""


_EVIDENCE: LiteralString = """
candidates AS MATERIALIZED (
  SELECT id, d.rank AS dense_rank, l.rank AS lexical_rank FROM dense d FULL JOIN lexical l USING (id)
),
evidence AS MATERIALIZED (
  SELECT k.id, k.dense_rank, k.lexical_rank, 1 - (c.embedding <=> q.vector) AS similarity,
    (SELECT 1 - min(v.vector <=> q.vector) FROM unnest(c.sentences) AS v(vector)) AS sentence,
    (
      SELECT coalesce(sum(w.weight * coalesce(greatest(
        ts_rank('{{1,1,1,1}}', c.lexemes, w.queries[1]), ts_rank('{{1,1,1,1}}', c.lexemes, w.queries[2]),
        ts_rank('{{1,1,1,1}}', c.lexemes, w.queries[3])
      ), 0)) / nullif(sum(w.weight), 0), 0)
      FROM words w
    ) AS coverage
  FROM candidates k CROSS JOIN question q JOIN chunks c ON c.workspace = %(workspace)s AND c.id = k.id
),
best AS MATERIALIZED (
  SELECT id, similarity, sentence, coverage, {score} AS score FROM evidence ORDER BY score DESC, id LIMIT %(k)s
)
"""

SCORES: dict[str, LiteralString] = {
    "sum": "(similarity + sentence + 0.8 * coverage) / 2.8",
    "rrf": "(30.5 * (coalesce(1.0 / (60 + dense_rank), 0) + coalesce(1.0 / (60 + lexical_rank), 0)))::float8",
    "dense": "similarity",
    "sentence": "sentence",
    "lexical": "coverage",
}

_PASSAGES: LiteralString = """
SELECT c.id::text AS id, c.document_id::text AS document_id, d.source, d.title, d.url,
  coalesce(nullif(c.spans[3 * s.n], 0), c.page) AS page, c.heading,
  CASE c.header WHEN '' THEN c.text ELSE c.header || E'\n' || c.text END AS text,
  coalesce(substr(c.text, c.spans[3 * s.n - 2] + 1, c.spans[3 * s.n - 1] - c.spans[3 * s.n - 2]), '') AS quote,
  c.language, greatest(e.similarity, 0) AS similarity,
  greatest(coalesce(e.sentence, e.similarity), 0) AS sentence, least(e.coverage, 1) AS coverage,
  to_char(d.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS updated,
  greatest(e.score, 0) AS score, coalesce(b.text, '') AS before, coalesce(a.text, '') AS after,
  CASE
    WHEN c.section_start IS NULL THEN ''
    WHEN c.header = '' OR strpos(r.section, c.header) > 0 THEN r.section
    ELSE c.header || E'\n' || r.section
  END AS section
FROM best e
CROSS JOIN question q
JOIN chunks c ON c.workspace = %(workspace)s AND c.id = e.id
JOIN documents d ON d.workspace = %(workspace)s AND d.id = c.document_id
LEFT JOIN LATERAL (
  SELECT string_agg(
    CASE WHEN m.gap > 1 THEN E'\n\n' WHEN m.gap = 1 THEN E'\n' ELSE '' END || m.text, '' ORDER BY m.position
  ) AS section
  FROM (
    SELECT o.position, o.text, o.start_offset - lag(o.end_offset) OVER (ORDER BY o.position) AS gap
    FROM chunks o
    WHERE c.section_start IS NOT NULL AND o.workspace = %(workspace)s AND o.document_id = c.document_id
      AND o.position BETWEEN c.position - 31 AND c.position + 31 AND o.section_start = c.section_start
  ) m
) r ON true
LEFT JOIN LATERAL (
  SELECT (v.n - c.title_sentences)::int AS n FROM unnest(c.sentences) WITH ORDINALITY AS v(vector, n)
  WHERE v.n > c.title_sentences ORDER BY v.vector <=> q.vector LIMIT 1
) s ON true
LEFT JOIN chunks b ON b.workspace = %(workspace)s AND b.document_id = c.document_id AND b.position = c.position - 1
LEFT JOIN chunks a ON a.workspace = %(workspace)s AND a.document_id = c.document_id AND a.position = c.position + 1
ORDER BY e.score DESC, e.id
"""

_RANKED: LiteralString = """
candidates AS MATERIALIZED (
  SELECT id, coalesce(1.0 / (60 + d.rank), 0) + coalesce(1.0 / (60 + l.rank), 0) AS score
  FROM dense d FULL JOIN lexical l USING (id) ORDER BY score DESC, id LIMIT %(k)s
)
SELECT c.id::text AS id, c.text, k.score
FROM candidates k JOIN chunks c ON c.workspace = %(workspace)s AND c.id = k.id ORDER BY k.score DESC, c.id
"""


@lru_cache(64)
def search_statement(dimensions: int, fusion: str, candidates: int) -> sql.Composed:
    """The statement for vectors of a length, its passages in the order of a fusion (a key of `SCORES`)."""
    return sql.SQL("WITH {candidates}, {evidence} {passages}").format(
        candidates=_candidates(dimensions, candidates),
        evidence=sql.SQL(_EVIDENCE).format(score=sql.SQL(SCORES[fusion])),
        passages=sql.SQL(_PASSAGES),
    )


@lru_cache(64)
def candidate_statement(dimensions: int, candidates: int) -> sql.Composed:
    """The candidates alone, fused by rank without any further evidence."""
    return sql.SQL("WITH {candidates}, {ranked}").format(
        candidates=_candidates(dimensions, candidates), ranked=sql.SQL(_RANKED)
    )


def _candidates(dimensions: int, candidates: int) -> sql.Composed:
    return sql.SQL(_CANDIDATES).format(
        dimensions=sql.Literal(dimensions), candidates=sql.Literal(candidates), worth=sql.Literal(_WORTH)
    )
