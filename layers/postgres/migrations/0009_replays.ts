/**
 * Dead letters of notification sends, and their replay.
 *
 * - A letter names the batch whose `failed` counts it: a replay takes it from there and puts the recipient into a new
 *   batch of the same notification, which has a time to live of its own.
 * - `reopened` counts replays into a notification. Whoever completes it compares: it may have looked at the batches
 *   before there was a new one.
 * - A replay of many is a row with a cursor, written by the statement that moves the letters behind it.
 */
export const sql = `
ALTER TABLE batches ADD COLUMN expires_at timestamptz;
ALTER TABLE notifications ADD COLUMN reopened integer NOT NULL DEFAULT 0;

ALTER TABLE dead_letters
  ADD COLUMN batch_id uuid,
  ADD COLUMN provider text,
  -- Why another attempt cannot end otherwise; null: it can.
  ADD COLUMN refusal text,
  ADD COLUMN replayed_at timestamptz;
CREATE INDEX dead_letters_notification ON dead_letters (notification_id, id) WHERE notification_id IS NOT NULL;

CREATE TABLE replays (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  filter json NOT NULL,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed')),
  -- The last letter that was looked at.
  letter_id uuid,
  replayed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz
);
CREATE INDEX replays_app ON replays (app_id, id);
CREATE INDEX replays_running ON replays (id) WHERE status = 'running';
`
