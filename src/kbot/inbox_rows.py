"""The statements of the inbox."""

from typing import LiteralString

# Without it a later message could be committed, and count those before it, while an earlier one has its number but no
# row that others see.
ONE_BY_ONE: LiteralString = """
SELECT pg_advisory_xact_lock(
  hashtextextended(concat_ws('/', %(workspace)s::text, %(channel)s::text, %(thread)s::text), 0)
)
"""

CLAIM: LiteralString = """
INSERT INTO inbox (workspace, platform, channel, message_id, thread, owner, event_id, reply_thread)
VALUES (%(workspace)s, %(platform)s, %(channel)s, %(message_id)s, %(thread)s, %(owner)s, %(event_id)s, %(reply_thread)s)
ON CONFLICT DO NOTHING RETURNING sequence
"""

AHEAD: LiteralString = """
SELECT count(*) FROM inbox
WHERE workspace = %(workspace)s AND channel = %(channel)s AND thread IS NOT DISTINCT FROM %(thread)s
  AND state = 'claimed' AND sequence < %(sequence)s AND kbot_lives(owner)
"""

NOTE: LiteralString = """
UPDATE inbox SET reply_ids = %(reply_ids)s
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
  AND owner = %(owner)s
"""

WRITING: LiteralString = """
UPDATE inbox SET writing = true
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
  AND owner = %(owner)s
"""

# What is being answered stays with the process that does so, which is told; what was answered becomes this process's.
# A request to ingest is no question, and stays as it is.
REVISE: LiteralString = """
WITH asked AS (
  SELECT state = 'claimed' AND kbot_lives(owner) AS answering FROM inbox
  WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
  FOR UPDATE
), revised AS (
  UPDATE inbox SET revised = true,
    revision = CASE WHEN answering THEN %(text)s END,
    owner = CASE WHEN answering THEN owner ELSE %(owner)s END,
    state = 'claimed', finished_at = NULL
  FROM asked
  WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
    AND NOT revised AND NOT withdrawn AND thread IS DISTINCT FROM 'ingest:' || message_id
  RETURNING inbox.*, answering
), told AS (
  SELECT pg_notify('kbot_inbox', json_build_array(workspace, platform, channel, message_id)::text)
  FROM revised WHERE answering
)
SELECT coalesce(r.sequence, 0), coalesce(r.reply_ids, '{}'), r.answering IS FALSE, (SELECT count(*) FROM told)
FROM asked LEFT JOIN revised r ON true
"""

# Whether it is being answered is read before the row changes; who answers it deletes the reply. What nobody answers any
# more has nothing left to mend.
WITHDRAW: LiteralString = """
WITH asked AS (
  SELECT state = 'claimed' AND kbot_lives(owner) AS answering FROM inbox
  WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
  FOR UPDATE
), gone AS (
  UPDATE inbox SET withdrawn = true,
    state = CASE WHEN answering OR state = 'answered' THEN state ELSE 'failed' END,
    finished_at = CASE WHEN answering THEN finished_at ELSE coalesce(finished_at, clock_timestamp()) END
  FROM asked
  WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
    AND NOT withdrawn
  RETURNING inbox.*, answering
), told AS (
  SELECT pg_notify('kbot_inbox', json_build_array(workspace, platform, channel, message_id)::text)
  FROM gone WHERE answering
)
SELECT reply_ids, answering, (SELECT count(*) FROM told) FROM gone
"""

# The last word on a question that was edited while its answer was being finished is returned instead of closing it, if
# its process can answer it `again`.
CLOSE: LiteralString = """
WITH asked AS (
  SELECT CASE WHEN %(again)s AND NOT withdrawn THEN revision END AS revision, withdrawn FROM inbox
  WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
    AND owner = %(owner)s FOR UPDATE
), closed AS (
  UPDATE inbox SET revision = NULL,
    state = CASE WHEN asked.revision IS NULL THEN %(state)s ELSE inbox.state END,
    writing = false,
    finished_at = CASE WHEN asked.revision IS NULL THEN clock_timestamp() END
  FROM asked
  WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
    AND owner = %(owner)s
)
SELECT revision, withdrawn FROM asked
"""

LOOK: LiteralString = """
SELECT workspace, platform, channel, message_id, withdrawn, revision FROM inbox
WHERE owner = %(owner)s AND state = 'claimed' AND (withdrawn OR revision IS NOT NULL)
"""

# SKIP LOCKED: of several processes that look at once, each mends other replies. A job goes on, and is claimed anew.
MEND: LiteralString = """
UPDATE inbox i SET owner = %(owner)s, finished_at = clock_timestamp(), writing = false,
  state = CASE WHEN EXISTS (
    SELECT FROM jobs j WHERE j.workspace = i.workspace AND j.platform = i.platform AND j.channel = i.channel
      AND j.message_id = i.message_id
  ) THEN 'claimed' ELSE 'failed' END
WHERE (workspace, platform, channel, message_id) IN (
  SELECT workspace, platform, channel, message_id FROM inbox
  WHERE platform = %(platform)s AND (
    (state = 'claimed' AND owner <> %(owner)s AND NOT kbot_lives(owner))
    OR (state = 'undelivered' AND finished_at < clock_timestamp() - interval '30 s')
  )
  FOR UPDATE SKIP LOCKED
)
RETURNING workspace, channel, CASE WHEN reply_thread IS NULL THEN thread ELSE nullif(reply_thread, '') END,
  message_id, reply_ids, state = 'claimed', withdrawn
"""

REOPEN: LiteralString = """
UPDATE inbox SET state = 'undelivered', finished_at = clock_timestamp()
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
  AND claimed_at > clock_timestamp() - interval '1 day'
"""

TAKES_PART: LiteralString = """
SELECT EXISTS (
  SELECT FROM inbox WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s
    AND (thread = %(thread)s OR message_id = %(thread)s)
) OR EXISTS (
  SELECT FROM turns WHERE workspace = %(workspace)s AND channel = %(channel)s
    AND (thread = %(thread)s OR message_id = %(thread)s)
)
"""

PRUNE: LiteralString = """
DELETE FROM inbox WHERE state IN ('answered', 'failed') AND claimed_at < now() - interval '30 days'
"""

# No process has a negative number.
DISOWN: LiteralString = """
UPDATE inbox SET owner = -1
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
  AND owner = %(owner)s
"""
