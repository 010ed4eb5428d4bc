/**
 * Who enters a segment while the first look through it is under way enters its workflows, and who was in it before does not:
 * a change that comes before the look says what the contact was like until then.
 */
export const firstLooks = `
ALTER TABLE contact_changes
  -- tags, attributes, locale and timezone before the change; null of JSON: it was no contact. Not noted (null) unless a
  -- segment of the application is still to be looked through for the first time.
  ADD COLUMN was json,
  ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp();
CREATE INDEX contact_changes_was ON contact_changes (app_id, contact_id, id) WHERE was IS NOT NULL;

-- Contacts that a change led to before the first look came to them: whether they are members is known since.
CREATE TABLE early_looks (
  segment_id uuid NOT NULL REFERENCES watched_segments ON DELETE CASCADE,
  contact_id uuid NOT NULL REFERENCES contacts ON DELETE CASCADE,
  -- That of the segment: what was known of its conditions before they were changed counts no more.
  since timestamptz NOT NULL,
  PRIMARY KEY (segment_id, contact_id)
);
CREATE INDEX early_looks_contact ON early_looks (contact_id);

-- Those of some applications with a segment that a workflow waits for, and whose first look is not at its end.
CREATE FUNCTION in_first_look(apps uuid[]) RETURNS uuid[] LANGUAGE sql STABLE AS $body$
  SELECT ARRAY(
    SELECT w.app_id FROM workflows w
    JOIN segments s ON s.id = w.trigger_value::uuid AND s.app_id = w.app_id
    LEFT JOIN watched_segments o ON o.segment_id = s.id
    WHERE w.app_id = ANY(apps) AND w.status = 'active' AND w.trigger_type = 'segment_entered'
      AND (o.segment_id IS NULL OR o.is_first OR o.filter::text <> s.filter::text)
  ) $body$;

CREATE OR REPLACE FUNCTION note_new_contacts() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  looking uuid[];
BEGIN
  IF EXISTS (SELECT 1 FROM workflows WHERE status = 'active' AND trigger_type IN ('tag_added', 'segment_entered')) THEN
    looking := in_first_look(ARRAY(SELECT DISTINCT app_id FROM made));
    INSERT INTO contact_changes (app_id, contact_id, tags_added, depth, was)
    SELECT n.app_id, n.id, n.tags, workflow_depth(), CASE WHEN n.app_id = ANY(looking) THEN 'null'::json END FROM made n
    WHERE n.app_id IN (SELECT DISTINCT w.app_id FROM workflows w WHERE w.status = 'active' AND w.trigger_type IN ('tag_added', 'segment_entered'));
  END IF;
  RETURN NULL;
END $body$;

CREATE OR REPLACE FUNCTION note_changed_contacts() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  looking uuid[];
BEGIN
  IF EXISTS (SELECT 1 FROM workflows WHERE status = 'active' AND trigger_type IN ('tag_added', 'segment_entered')) THEN
    looking := in_first_look(ARRAY(SELECT DISTINCT app_id FROM after));
    INSERT INTO contact_changes (app_id, contact_id, tags_added, depth, was)
    SELECT n.app_id, n.id, ARRAY(SELECT unnest(n.tags) EXCEPT SELECT unnest(o.tags)), workflow_depth(),
      CASE WHEN n.app_id = ANY(looking)
        THEN json_build_object('tags', o.tags, 'attributes', o.attributes, 'locale', o.locale, 'timezone', o.timezone) END
    FROM after n JOIN before o ON o.id = n.id
    WHERE n.app_id IN (SELECT w.app_id FROM workflows w WHERE w.status = 'active' AND w.trigger_type IN ('tag_added', 'segment_entered'))
      AND (n.tags <> o.tags OR n.attributes::text <> o.attributes::text OR n.locale IS DISTINCT FROM o.locale
        OR n.timezone IS DISTINCT FROM o.timezone);
  END IF;
  RETURN NULL;
END $body$;
`
