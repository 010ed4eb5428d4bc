/**
 * What comes back from the people: engagement, contacts with what is known of them, and their inboxes.
 *
 * - Engagement is insert-only, a row for each delivery and type, in partitions by its notification's day: it goes with
 *   the deliveries, and a report can come before the delivery's own row. Counters stand apart, a row for a notification,
 *   written by the statement that writes the rows: reading them costs one look-up, and a notification that nobody
 *   reports on has none.
 * - A contact's e-mail address is its channel's: `email_key` says which channel, and the address is read there, so the
 *   two cannot differ.
 * - An inbox has no counter: unread messages are counted through an index that holds nothing else, so the count cannot
 *   drift.
 */
export const sql = `
CREATE TABLE engagements (
  notification_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  -- d delivered, o opened, c clicked
  type "char" NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (notification_id, recipient_id, type)
) PARTITION BY RANGE (notification_id);
CREATE TABLE engagements_other PARTITION OF engagements DEFAULT;

CREATE TABLE engagement_counts (
  notification_id uuid PRIMARY KEY REFERENCES notifications ON DELETE CASCADE,
  delivered integer NOT NULL DEFAULT 0,
  opened integer NOT NULL DEFAULT 0,
  clicked integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

ALTER TABLE contacts
  ADD COLUMN email_key text,
  -- json keeps any JSON text as it came.
  ADD COLUMN attributes json NOT NULL DEFAULT '{}',
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  ADD COLUMN locale text,
  ADD COLUMN timezone text,
  -- What the person does not want.
  ADD COLUMN no_push boolean NOT NULL DEFAULT false,
  ADD COLUMN no_email boolean NOT NULL DEFAULT false,
  ADD COLUMN no_inbox boolean NOT NULL DEFAULT false,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX contacts_page ON contacts (app_id, id);
CREATE INDEX contacts_tags ON contacts USING gin (tags) WHERE tags <> '{}';
CREATE INDEX contacts_no_push ON contacts (app_id, external_id) WHERE no_push;

CREATE TABLE inbox_messages (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  contact_id uuid NOT NULL REFERENCES contacts ON DELETE CASCADE,
  title text,
  body text,
  url text,
  data json NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  read_at timestamptz
);
CREATE INDEX inbox_messages_page ON inbox_messages (contact_id, id);
CREATE INDEX inbox_messages_unread ON inbox_messages (contact_id) WHERE read_at IS NULL;
`
