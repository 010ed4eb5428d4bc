/**
 * What people did with what they got. Engagement is insert-only, a row for each delivery and type, in partitions by its
 * notification's day: it goes with the deliveries, and a report can come before the delivery's own row.
 */
export const engagement = `
CREATE TABLE engagements (
  notification_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  -- d delivered, o opened, c clicked
  type "char" NOT NULL,
  at timestamptz NOT NULL,
  -- So far only machines did it, such as scanners of mail.
  machine boolean NOT NULL DEFAULT false,
  -- Tells links apart without keeping them; 0: none.
  link integer NOT NULL DEFAULT 0,
  -- How often machine turned out otherwise.
  flips smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (notification_id, recipient_id, type)
) PARTITION BY RANGE (notification_id);
CREATE TABLE engagements_other PARTITION OF engagements DEFAULT;

-- Written by the statement that writes the rows: reading them costs one look-up, and a notification that nobody reports
-- on has none.
CREATE TABLE engagement_counts (
  notification_id uuid PRIMARY KEY REFERENCES notifications ON DELETE CASCADE,
  delivered integer NOT NULL DEFAULT 0,
  opened integer NOT NULL DEFAULT 0,
  clicked integer NOT NULL DEFAULT 0,
  -- Those of opened and clicked that only machines did.
  machine_opened integer NOT NULL DEFAULT 0,
  machine_clicked integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The latest report of each kind for each recipient: segments ask for it one recipient at a time, and it outlives the
-- days of results. It goes with the recipient, whichever statement removes that: a device, a person's channels with the
-- person. Rows are locked in the order in which reports write them.
CREATE TABLE last_engaged (
  app_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  delivered_at timestamptz,
  opened_at timestamptz,
  clicked_at timestamptz,
  PRIMARY KEY (app_id, recipient_id)
) WITH (fillfactor = 80);

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
