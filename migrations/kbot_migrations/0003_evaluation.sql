-- What `kbot eval` measured, and the cuts that it chose.

-- A run over the labelled questions whose documents stand in the workspace. `configuration` is all that its figures hang on, by name: two
-- runs are told apart by what differs there.
CREATE TABLE evaluation_runs (
  workspace text NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  labelled text NOT NULL,
  configuration jsonb NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  PRIMARY KEY (workspace, id)
);
CREATE INDEX evaluation_runs_age ON evaluation_runs (started_at);

-- What came of each question. Two runs are compared question by question, so the figures are kept singly: `found` has those that apply.
CREATE TABLE evaluation_outcomes (
  workspace text NOT NULL,
  run_id uuid NOT NULL,
  question text NOT NULL,
  position int NOT NULL,
  text text NOT NULL,
  kind text NOT NULL,
  answerable boolean NOT NULL,
  found jsonb NOT NULL,
  answer text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  claims jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (workspace, run_id, question),
  FOREIGN KEY (workspace, run_id) REFERENCES evaluation_runs ON DELETE CASCADE
);

-- Where a question is refused before the model, by embedder: numbers of one embedder mean nothing for another. The workspace '' is all of them.
CREATE TABLE cuts (
  workspace text NOT NULL,
  embedder text NOT NULL,
  nearness float8 NOT NULL,
  coverage float8 NOT NULL,
  labelled text NOT NULL,
  questions int NOT NULL,
  chosen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workspace, embedder)
);
