/**
 * In-app inboxes. An inbox has no counter: unread messages are counted through an index that has nothing else in it, so
 * that the count cannot drift.
 */
export const inbox = `
CREATE TABLE inbox_messages (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  contact_id uuid NOT NULL REFERENCES contacts ON DELETE CASCADE,
  -- The notification that it came with; null: a server wrote it by itself.
  notification_id uuid,
  title text,
  body text,
  url text,
  data json NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  read_at timestamptz,
  -- The transaction that wrote it: with a snapshot in hand, a live reader asks for what that did not see. Ids and times
  -- cannot tell: a message with a lower id may be committed after one with a higher.
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX inbox_messages_page ON inbox_messages (contact_id, id);
CREATE INDEX inbox_messages_unread ON inbox_messages (contact_id) WHERE read_at IS NULL;

-- Whoever writes messages says so to all nodes, once for each statement, in the same transaction: the application, and
-- the first eight digits of the MD5 of each user id, as many as a notice takes.
CREATE FUNCTION tell_inbox_readers() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_notify('heliograph', 'inbox:' || app_id::text || string_agg(key, ''))
  FROM (
    SELECT app_id, key, row_number() OVER (PARTITION BY app_id) / 900 AS part FROM (
      SELECT DISTINCT r.app_id, left(md5(p.external_id), 8) AS key
      FROM written r JOIN contacts p ON p.id = r.contact_id
    ) AS keys
  ) AS parts
  GROUP BY app_id, part;
  RETURN NULL;
END $body$;
CREATE TRIGGER inbox_messages_written AFTER INSERT ON inbox_messages
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION tell_inbox_readers();
`
