/**
 * What is remembered of a recipient's engagement goes with the recipient, whichever statement removes it: a device, a
 * person's channels with the person. Rows are locked in the order in which reports write them.
 */
export const sql = `
CREATE FUNCTION forget_engaged() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM last_engaged l USING (
    SELECT e.app_id, e.recipient_id FROM last_engaged e JOIN removed r ON e.app_id = r.app_id AND e.recipient_id = r.id
    ORDER BY e.app_id, e.recipient_id FOR UPDATE OF e
  ) AS theirs
  WHERE l.app_id = theirs.app_id AND l.recipient_id = theirs.recipient_id;
  RETURN NULL;
END $body$;

CREATE TRIGGER devices_removed AFTER DELETE ON devices
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION forget_engaged();
CREATE TRIGGER channels_removed AFTER DELETE ON channels
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION forget_engaged();
`
