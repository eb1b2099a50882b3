-- Documents, their passages, and what people asked. The workspace comes first in every key: it is the tenant, the
-- permission boundary, and the distribution column if the tables are ever spread over several servers.

CREATE EXTENSION IF NOT EXISTS vector;

-- Lower case, accents off, and '/' as a space, so that "TCP/IP" is two words. Both sides of a lexical match go through it:
-- the passages below and the questions in the search statement. (The extension unaccent is not on every server.)
CREATE FUNCTION kbot_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN translate(
  normalize(lower(value), NFD),
  '/' || U&'\0300\0301\0302\0303\0304\0306\0307\0308\030A\030B\030C\0323\0327\0328',
  ' '
);

-- What two spellings of one question have in common: case, accents, punctuation and white space aside.
CREATE FUNCTION kbot_question_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN left(trim(regexp_replace(kbot_fold(value), '[^[:alnum:]]+', ' ', 'g')), 500);

-- Portuguese words without the signs of the plural, after the first step of RSLP (Orengo and Huyck, 2001): Postgres' stemmer
-- takes "formação" and "formações", "dia" and "dias", "papel" and "papéis" for different words. Both sides of a match.
CREATE FUNCTION kbot_singular(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(value,
  '[ao]es\M', 'ao', 'g'),
  'ns\M', 'm', 'g'),
  '\m(?!(?:mais|demais|jamais|pais|dois|pois|depois|seis)\M)(\w+[aeou])is\M', '\1l', 'g'),
  '(\w\w[rsz])es\M', '\1', 'g'),
  '\m(?!(?:mais|demais|jamais|pais|dois|pois|depois|seis)\M)(\w\w+[aeiou])s\M', '\1', 'g');

-- Stemmed words of a passage with their positions. The language is that of the document.
CREATE FUNCTION kbot_lexemes(language text, value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE language
  WHEN 'pt' THEN to_tsvector('portuguese'::regconfig, kbot_singular(kbot_fold(value)))
  WHEN 'en' THEN to_tsvector('english'::regconfig, kbot_fold(value))
  ELSE to_tsvector('simple'::regconfig, kbot_fold(value))
END;

-- One row a workspace: which embedder made its vectors, and how many passages the word statistics speak of.
CREATE TABLE indexes (
  workspace text PRIMARY KEY,
  embedder text NOT NULL,
  dimensions int NOT NULL,
  passages bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- How many passages each scope holds: a search looks through few one by one, and through many with the help of the vector index.
CREATE TABLE scopes (
  workspace text NOT NULL,
  scope text NOT NULL,
  passages bigint NOT NULL,
  PRIMARY KEY (workspace, scope)
);

-- `scope` is '' for a document that the whole workspace may see, else the one channel that may.
CREATE TABLE documents (
  workspace text NOT NULL,
  id uuid NOT NULL,
  scope text NOT NULL DEFAULT '',
  source text NOT NULL,
  title text NOT NULL,
  url text,
  media_type text NOT NULL,
  language text NOT NULL,
  fingerprint bytea NOT NULL,
  text text NOT NULL,
  layout jsonb NOT NULL,
  page_count int,
  pages_without_text int NOT NULL DEFAULT 0,
  chunks int NOT NULL,
  warnings text[] NOT NULL DEFAULT '{}',
  added_by text NOT NULL DEFAULT '',
  added_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace, id),
  UNIQUE (workspace, scope, source)
);
CREATE INDEX documents_fingerprint ON documents (workspace, fingerprint);

-- `context` and `header` are what a reader of the text alone would miss: headings above it, and the header of a table cut in two.
-- `sentences` begins with the vectors of its context and headings (`title_sentences` of them), then holds one a sentence that can
-- be quoted; `spans` has three numbers for each of those: start and end in characters of `text`, and its page (0: none).
CREATE TABLE chunks (
  workspace text NOT NULL,
  id uuid NOT NULL,
  document_id uuid NOT NULL,
  scope text NOT NULL,
  position int NOT NULL,
  page int,
  heading text NOT NULL DEFAULT '',
  context text NOT NULL DEFAULT '',
  header text NOT NULL DEFAULT '',
  text text NOT NULL,
  start_offset int NOT NULL,
  end_offset int NOT NULL,
  language text NOT NULL,
  embedding halfvec NOT NULL,
  title_sentences int NOT NULL DEFAULT 0,
  sentences halfvec[] NOT NULL,
  spans int[] NOT NULL,
  lexemes tsvector NOT NULL GENERATED ALWAYS AS (kbot_lexemes(language, context || E'\n' || header || E'\n' || text)) STORED,
  PRIMARY KEY (workspace, id),
  UNIQUE (workspace, document_id, position),
  FOREIGN KEY (workspace, document_id) REFERENCES documents ON DELETE CASCADE
)
-- Text, words and passage vector stay in the row, where every search reads them; the sentence vectors move out of line, uncompressed
-- (floats do not compress), and are read for the few candidates alone.
WITH (toast_tuple_target = 8160);
ALTER TABLE chunks ALTER COLUMN sentences SET STORAGE EXTERNAL;
CREATE INDEX chunks_scope ON chunks (workspace, scope);
CREATE INDEX chunks_lexemes ON chunks USING gin (lexemes) WITH (fastupdate = off);

-- What everybody in the workspace that a session names may read, for other programs. A session that names none sees nothing.
CREATE VIEW shared_passages WITH (security_barrier) AS
SELECT c.id, CASE c.header WHEN '' THEN c.text ELSE c.header || E'\n' || c.text END AS content, c.embedding,
  d.source, d.title, c.page, c.heading, d.url, c.language
FROM chunks c JOIN documents d ON d.workspace = c.workspace AND d.id = c.document_id
WHERE c.workspace = current_setting('kbot.workspace', true) AND c.scope = '';

-- In how many passages of the workspace a word stands.
CREATE TABLE lexemes (
  workspace text NOT NULL,
  lexeme text NOT NULL,
  passages bigint NOT NULL,
  PRIMARY KEY (workspace, lexeme)
);

-- The index over vectors of one length. Several lengths can live side by side while an embedder is being changed.
-- The lock is one that nobody else can have too: of two at once the second waits, instead of both waiting to write.
CREATE FUNCTION kbot_ensure_vector_index(length int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(format('chunks_embedding_%s', length)) IS NOT NULL THEN
    RETURN;
  END IF;
  LOCK TABLE chunks IN SHARE ROW EXCLUSIVE MODE;
  EXECUTE format(
    'CREATE INDEX IF NOT EXISTS chunks_embedding_%1$s ON chunks USING hnsw ((embedding::halfvec(%1$s)) halfvec_cosine_ops)'
    ' WITH (m = 16, ef_construction = 64) WHERE vector_dims(embedding) = %1$s', length);
END
$$;

-- A question and its answer, as remembered: no sources, no thinking.
CREATE TABLE turns (
  workspace text NOT NULL,
  id uuid NOT NULL,
  channel text NOT NULL,
  thread text,
  message_id text,
  author text NOT NULL DEFAULT '',
  question text NOT NULL,
  standalone text NOT NULL,
  answer text NOT NULL,
  grounded boolean NOT NULL,
  refused boolean NOT NULL,
  reason text NOT NULL DEFAULT '',
  private boolean NOT NULL DEFAULT false,
  model text NOT NULL DEFAULT '',
  model_calls int NOT NULL DEFAULT 0,
  timings jsonb NOT NULL DEFAULT '{}',
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workspace, id)
);
CREATE INDEX turns_conversation ON turns (workspace, channel, thread, asked_at DESC);
CREATE INDEX turns_opened ON turns (workspace, channel, message_id);
CREATE INDEX turns_question ON turns (workspace, kbot_question_key(standalone), asked_at);

-- What was read for an answer. It goes with its document: what is forgotten is not shown again.
CREATE TABLE readings (
  workspace text NOT NULL,
  turn_id uuid NOT NULL,
  position int NOT NULL,
  document_id uuid NOT NULL,
  passage jsonb NOT NULL,
  PRIMARY KEY (workspace, turn_id, position),
  FOREIGN KEY (workspace, turn_id) REFERENCES turns ON DELETE CASCADE,
  FOREIGN KEY (workspace, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX readings_document ON readings (workspace, document_id);

-- The first key of the advisory locks by which processes know each other to be alive; the second is a process's own number.
CREATE FUNCTION kbot_life() RETURNS int LANGUAGE sql IMMUTABLE RETURN 1801613172;

CREATE FUNCTION kbot_lives(process int) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (
  SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
  WHERE l.locktype = 'advisory' AND l.classid = kbot_life()::oid AND l.objid = process::oid AND l.objsubid = 2
);

-- One row a message, claimed by the process that answers it. A redelivery, or a second process, finds the row and stops.
-- `sequence` is the order of arrival, in which a conversation is answered. `owner` is the number of the process, which holds an
-- advisory lock on it while it lives; `reply_id` is the message in which the reply grows, so that another process can mend it.
CREATE TABLE inbox (
  workspace text NOT NULL,
  platform text NOT NULL,
  channel text NOT NULL,
  message_id text NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  thread text,
  owner int NOT NULL,
  state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'answered', 'failed')),
  reply_id text,
  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  PRIMARY KEY (workspace, platform, channel, message_id)
);
CREATE INDEX inbox_unfinished ON inbox (workspace, channel, thread, sequence) WHERE state = 'claimed';
