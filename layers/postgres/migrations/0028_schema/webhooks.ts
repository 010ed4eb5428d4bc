/**
 * Webhooks, the events that they are to be told, and what became of that. Events are written in chunks with the results
 * that made them; a work item stands for the events of one chunk that one webhook is still to get.
 */
export const webhooks = `
CREATE TABLE webhooks (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  -- Sealed with the master key.
  secret bytea,
  -- Former secrets, newest first, sealed as the current one is, and until when each of them signs.
  former_secrets bytea[] NOT NULL DEFAULT '{}',
  former_until timestamptz[] NOT NULL DEFAULT '{}',
  events text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  disabled_reason text,
  -- Failed deliveries in a row, and since when.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- Grows with each change that makes what is under way out of date.
  epoch integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhooks_app ON webhooks (app_id, id);
-- What metrics count every few seconds, in an index that is empty as long as all goes well.
CREATE INDEX webhooks_disabled ON webhooks (id) WHERE NOT is_active AND disabled_reason IS NOT NULL;

CREATE TABLE event_chunks (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  event text NOT NULL,
  at timestamptz NOT NULL,
  size integer NOT NULL,
  -- JSON as text: it is written and read whole, and never looked into.
  common text NOT NULL,
  columns text NOT NULL,
  -- The span that the posts follow from, where a trace is recorded: a W3C traceparent.
  trace text
);
ALTER TABLE event_chunks ALTER COLUMN columns SET STORAGE EXTERNAL;

CREATE TABLE webhook_work_items (
  id uuid PRIMARY KEY,
  webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  chunk_id uuid NOT NULL REFERENCES event_chunks ON DELETE CASCADE,
  attempts smallint NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  done boolean NOT NULL DEFAULT false,
  -- About events that the webhook had before: it is no event of its own in the webhook's log.
  redelivers boolean NOT NULL DEFAULT false,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  lease_holder integer,
  finished_at timestamptz,
  -- Positions in the chunk that are still to be delivered; null stands for all of them.
  positions integer[],
  delivered integer NOT NULL DEFAULT 0,
  exhausted integer NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX webhook_work_items_due ON webhook_work_items (webhook_id, due_at) WHERE NOT done;
CREATE INDEX webhook_work_items_chunk ON webhook_work_items (chunk_id);
-- What a probe of a failing webhook takes.
CREATE INDEX webhook_work_items_tried ON webhook_work_items (webhook_id, attempts DESC, due_at)
  WHERE NOT done AND attempts > 0;
-- A webhook's events, newest first: the work items of first attempts stand for them, one row for each chunk.
CREATE INDEX webhook_work_items_log ON webhook_work_items (webhook_id, chunk_id) WHERE attempts = 0 AND NOT redelivers;
-- What was given up, in an index that is empty as long as all goes well.
CREATE INDEX webhook_work_items_exhausted ON webhook_work_items (webhook_id, chunk_id) WHERE exhausted > 0;

-- The log of attempts: packed, a row for each write of results, never one for each attempt.
CREATE TABLE webhook_attempts (
  work_item_id uuid NOT NULL REFERENCES webhook_work_items ON DELETE CASCADE,
  -- The earliest attempt of the row; the others are told relative to it.
  at timestamptz NOT NULL,
  -- Ten bytes for each attempt: see layers/postgres/webhooks/packedAttempts.ts.
  records bytea NOT NULL,
  -- What the records of attempts without an answer point into.
  reasons text[]
);
-- Packed numbers of a kilobyte hardly compress, and trying costs more than writing them.
ALTER TABLE webhook_attempts ALTER COLUMN records SET STORAGE EXTERNAL;
CREATE INDEX webhook_attempts_work_item ON webhook_attempts (work_item_id);

-- Redeliveries of many: each a cursor, written by the statement that makes the work items before it.
CREATE TABLE redeliveries (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  -- What is wanted: one delivery, or all in a state; times are those of their events.
  delivery_id uuid,
  wanted text CHECK (wanted IN ('exhausted', 'delivered')),
  from_at timestamptz,
  to_at timestamptz,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed')),
  -- The last event that was looked at: they go from the newest to the oldest.
  event_id uuid,
  redelivered integer NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  lease_holder integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz
);
CREATE INDEX redeliveries_webhook ON redeliveries (webhook_id, id);
CREATE INDEX redeliveries_running ON redeliveries (app_id, id) WHERE status = 'running';
`
