-- What chat platforms need beside answers: replies of several messages, questions that are edited or deleted, files sent to be
-- ingested, one budget of edits for all processes, and what people say of an answer.

-- `reply_ids` are the messages in which the reply grows, `reply_thread` the thread they stand in where that is not the conversation's.
-- `writing` is true from when a model is at work until the reply has ended. A question may be edited once: `revised` is true from then
-- on, and `revision` is its new text until it is taken up. `withdrawn`: the question was deleted. "undelivered": the platform did
-- not take the end of the reply, which is mended later as one whose process died.
ALTER TABLE inbox
  ADD COLUMN event_id text,
  ADD COLUMN reply_ids text[] NOT NULL DEFAULT '{}',
  ADD COLUMN reply_thread text,
  ADD COLUMN writing boolean NOT NULL DEFAULT false,
  ADD COLUMN revised boolean NOT NULL DEFAULT false,
  ADD COLUMN revision text,
  ADD COLUMN withdrawn boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT inbox_state_check,
  ADD CONSTRAINT inbox_state_check CHECK (state IN ('claimed', 'answered', 'failed', 'undelivered'));
UPDATE inbox SET reply_ids = ARRAY[reply_id] WHERE reply_id IS NOT NULL;
ALTER TABLE inbox DROP COLUMN reply_id;
CREATE UNIQUE INDEX inbox_event ON inbox (workspace, platform, event_id);
CREATE INDEX inbox_thread ON inbox (workspace, platform, channel, thread) WHERE thread IS NOT NULL;
CREATE INDEX inbox_owner ON inbox (owner) WHERE state = 'claimed';
CREATE INDEX inbox_mending ON inbox (platform) WHERE state IN ('claimed', 'undelivered');
CREATE INDEX inbox_age ON inbox (claimed_at);

-- Files and addresses to ingest, and the receipts so far: another process takes up where one that died left off. The row of the same key
-- in `inbox` says who is at work.
CREATE TABLE jobs (
  workspace text NOT NULL,
  platform text NOT NULL,
  channel text NOT NULL,
  message_id text NOT NULL,
  private boolean NOT NULL,
  person text NOT NULL,
  language text NOT NULL,
  scope text NOT NULL,
  items jsonb NOT NULL,
  receipts jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (workspace, platform, channel, message_id),
  FOREIGN KEY (workspace, platform, channel, message_id) REFERENCES inbox ON DELETE CASCADE
);

-- The edits that all processes made of late in one budget of a platform, and until when the platform asked to make none.
CREATE TABLE budgets (
  workspace text NOT NULL,
  budget text NOT NULL,
  spent timestamptz[] NOT NULL DEFAULT '{}',
  barred_until timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (workspace, budget)
);

-- Spend one edit of a budget: 0, or the seconds after which to ask again. A minute has half a second more than a platform's, for calls that
-- overtake each other on their way. Past half of what may be spent, the rest is spread over the minute instead of being spent at once.
CREATE FUNCTION kbot_spend(of_workspace text, of_budget text, at_most int, spread boolean) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
  moment constant timestamptz := clock_timestamp();
  minute constant interval := interval '60.5 s';
  recent timestamptz[];
  barred timestamptz;
  wait interval := interval '0';
BEGIN
  INSERT INTO budgets (workspace, budget) VALUES (of_workspace, of_budget) ON CONFLICT DO NOTHING;
  SELECT ARRAY(SELECT s FROM unnest(spent) s WHERE s > moment - minute ORDER BY s), barred_until INTO recent, barred
    FROM budgets WHERE workspace = of_workspace AND budget = of_budget FOR UPDATE;
  IF at_most < 1 THEN
    wait := interval '5 s';
  ELSIF cardinality(recent) >= at_most THEN
    wait := recent[cardinality(recent) - at_most + 1] + minute - moment;
  ELSIF spread AND cardinality(recent) >= at_most / 2 THEN
    wait := recent[cardinality(recent)] + minute / at_most - moment;
  END IF;
  wait := greatest(wait, barred - moment, interval '0');
  IF wait = interval '0' THEN
    UPDATE budgets SET spent = recent || moment WHERE workspace = of_workspace AND budget = of_budget;
  END IF;
  RETURN extract(epoch FROM wait);
END
$$;

-- What people say of an answer; a refusal that somebody reported is a gap wherever it was asked.
CREATE TABLE opinions (
  workspace text NOT NULL,
  turn_id uuid NOT NULL,
  person text NOT NULL,
  opinion text NOT NULL CHECK (opinion IN ('helpful', 'unhelpful', 'reported')),
  given_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workspace, turn_id, person),
  FOREIGN KEY (workspace, turn_id) REFERENCES turns ON DELETE CASCADE
);
