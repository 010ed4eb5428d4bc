/**
 * Batches go with their notification by a trigger, once for a statement that removes notifications, and no longer by a
 * foreign key, which looked the notification up and locked it for each batch that was written, a fifth of what accepting
 * costs the database. Why no batch can be written without its notification: docs/decisions/0039-accepting-fast.md.
 */
export const sql = `
ALTER TABLE batches DROP CONSTRAINT batches_notification_id_fkey;

CREATE FUNCTION remove_batches() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM batches b USING removed r WHERE b.notification_id = r.id;
  RETURN NULL;
END $body$;

CREATE TRIGGER notifications_removed AFTER DELETE ON notifications
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_batches();
`
