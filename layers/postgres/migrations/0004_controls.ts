/**
 * What clients steer by: paused mailings, and repeated requests.
 *
 * Batches of a paused mailing are not in the index by which lanes claim: a large one would stand at its head, and every
 * claim would pass over all of it.
 *
 * What lets clients repeat a request without repeating its work. A key is taken before the work, so that two requests
 * at once cannot both do it, and holds the answer afterwards. A taken key is its holder's until its lease ends: a process
 * that dies leaves it to the client's next try.
 */
export const sql = `
CREATE TABLE idempotency_keys (
  app_id uuid NOT NULL,
  -- Method and path of the table of routes.
  route text NOT NULL,
  key text NOT NULL,
  -- SHA-256 of what the request says.
  fingerprint bytea NOT NULL,
  -- The id of the request that does the work, or did it.
  holder uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The answer; null while there is none.
  status smallint,
  body text,
  location text,
  PRIMARY KEY (app_id, route, key)
) WITH (fillfactor = 70);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at);

ALTER TABLE batches ADD COLUMN paused boolean NOT NULL DEFAULT false;
-- When a scheduled notification is due; its published_at is the same moment, so that it waits in nobody's way.
ALTER TABLE notifications ADD COLUMN send_at timestamptz;
CREATE INDEX notifications_scheduled ON notifications (send_at) WHERE status = 'scheduled';

DROP INDEX batches_due;
CREATE INDEX batches_due ON batches (app_id, provider, priority, due_at) WHERE NOT done AND NOT paused;
`
