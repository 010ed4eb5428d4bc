/**
 * What live readers of inboxes need.
 *
 * - `written_by` is the transaction that wrote a message: with a snapshot in hand, a reader asks for what that did not
 *   see. Ids and times cannot tell: a message with a lower id may be committed after one with a higher.
 * - Whoever writes messages says so to all nodes, once for each statement, in the same transaction: the application, and
 *   the first eight digits of the MD5 of each user id, as many as a notice holds.
 */
export const sql = `
ALTER TABLE inbox_messages ADD COLUMN written_by xid8 NOT NULL DEFAULT pg_current_xact_id();

CREATE FUNCTION tell_inbox_readers() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_notify('heliograph_inbox', app_id::text || string_agg(key, ''))
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
