/**
 * What customers see of their webhooks: secrets that still sign after they were replaced, the log of attempts, and dead
 * letters by hook. Attempts are logged as packed rows, one for each write of results, never one for each attempt.
 */
export const sql = `
-- Former secrets, newest first, sealed as the current one is, and until when each of them signs.
ALTER TABLE hooks
  ADD COLUMN former_secrets bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN former_until timestamptz[] NOT NULL DEFAULT '{}';

CREATE TABLE hook_attempts (
  work_id uuid NOT NULL REFERENCES hook_work ON DELETE CASCADE,
  -- The earliest attempt of the row; the others are told relative to it.
  at timestamptz NOT NULL,
  -- Ten bytes for each attempt: see layers/postgres/attempts.ts.
  records bytea NOT NULL,
  -- What the records of attempts without an answer point into.
  reasons text[]
);
-- Packed numbers of a kilobyte hardly compress, and trying costs more than writing them.
ALTER TABLE hook_attempts ALTER COLUMN records SET STORAGE EXTERNAL;
CREATE INDEX hook_attempts_work ON hook_attempts (work_id);

-- A hook's events, newest first: the work of first attempts stands for them, one row for each chunk.
CREATE INDEX hook_work_log ON hook_work (hook_id, chunk_id) WHERE attempts = 0;

-- What a probe of a failing hook takes.
CREATE INDEX hook_work_tried ON hook_work (hook_id, attempts DESC, due_at) WHERE NOT done AND attempts > 0;

CREATE INDEX dead_letters_hook ON dead_letters (hook_id, id) WHERE hook_id IS NOT NULL;
CREATE INDEX dead_letters_kind ON dead_letters (app_id, kind, id);
`
