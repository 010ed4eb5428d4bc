import { ENTERING, MOVING_RUNS } from "../server/advisoryLocks.ts"

/**
 * Functions whose statements look up what they join, whatever size their tables had when a session planned them (see
 * decision 0073), and which look for workflows of the applications that a change is about, and of no others.
 */
export const lookedUp = `
CREATE OR REPLACE FUNCTION remove_batches() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM batches b USING removed r WHERE b.notification_id = ANY(ARRAY[r.id]);
  RETURN NULL;
END $body$;

CREATE OR REPLACE FUNCTION forget_engaged() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM last_engaged l USING (
    SELECT e.app_id, e.recipient_id
    FROM removed r JOIN last_engaged e ON e.app_id = ANY(ARRAY[r.app_id]) AND e.recipient_id = r.id
    ORDER BY r.app_id, r.id FOR UPDATE OF e
  ) AS theirs
  WHERE l.app_id = ANY(ARRAY[theirs.app_id]) AND l.recipient_id = theirs.recipient_id;
  RETURN NULL;
END $body$;

CREATE OR REPLACE FUNCTION tell_inbox_readers() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_notify('heliograph', 'inbox:' || app_id::text || string_agg(key, ''))
  FROM (
    SELECT app_id, key, row_number() OVER (PARTITION BY app_id) / 900 AS part FROM (
      SELECT DISTINCT r.app_id, left(md5(p.external_id), 8) AS key
      FROM written r CROSS JOIN LATERAL (SELECT external_id FROM contacts WHERE id = r.contact_id OFFSET 0) AS p
    ) AS keys
  ) AS parts
  GROUP BY app_id, part;
  RETURN NULL;
END $body$;

CREATE OR REPLACE FUNCTION may_move_runs(app uuid) RETURNS boolean LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${MOVING_RUNS}, hashtext(app::text));
  RETURN EXISTS (
    SELECT 1 FROM applications a
    CROSS JOIN LATERAL (SELECT deleted_at FROM organizations WHERE id = a.organization_id OFFSET 0) AS o
    WHERE a.id = app AND o.deleted_at IS NULL
  );
END $body$;

CREATE OR REPLACE FUNCTION open_workflow(workflow uuid) RETURNS TABLE (version_id uuid, reentry text, had_other_reentry boolean)
LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${ENTERING}, hashtext(workflow::text));
  RETURN QUERY SELECT w.version_id, v.reentry, w.had_other_reentry
    FROM workflows w CROSS JOIN LATERAL (
      SELECT definition ->> 'reentry' AS reentry FROM workflow_versions WHERE id = w.version_id OFFSET 0
    ) AS v
    WHERE w.id = workflow AND w.status = 'active';
END $body$;

CREATE OR REPLACE FUNCTION in_first_look(apps uuid[]) RETURNS uuid[] LANGUAGE sql STABLE AS $body$
  SELECT ARRAY(
    SELECT w.app_id FROM unnest(apps) AS t (app_id)
    CROSS JOIN LATERAL (
      SELECT app_id, trigger_value::uuid AS segment_id FROM workflows
      WHERE app_id = t.app_id AND status = 'active' AND trigger_type = 'segment_entered' OFFSET 0
    ) AS w
    CROSS JOIN LATERAL (SELECT filter FROM segments WHERE id = w.segment_id AND app_id = w.app_id OFFSET 0) AS s
    LEFT JOIN LATERAL (
      SELECT segment_id, is_first, filter FROM watched_segments WHERE segment_id = w.segment_id OFFSET 0
    ) AS o ON true
    WHERE o.segment_id IS NULL OR o.is_first OR o.filter::text <> s.filter::text
  ) $body$;

-- Those of some applications whose workflows are entered by a contact that has changed.
CREATE FUNCTION entered_by_changes(apps uuid[]) RETURNS uuid[] LANGUAGE sql STABLE AS $body$
  SELECT ARRAY(
    SELECT t.app_id FROM unnest(apps) AS t (app_id) WHERE EXISTS (
      SELECT 1 FROM workflows w
      WHERE w.app_id = t.app_id AND w.status = 'active' AND w.trigger_type IN ('tag_added', 'segment_entered') OFFSET 0
    )
  ) $body$;

CREATE OR REPLACE FUNCTION note_new_contacts() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  entered uuid[] := entered_by_changes(ARRAY(SELECT DISTINCT app_id FROM made));
  looking uuid[];
BEGIN
  IF entered <> '{}' THEN
    looking := in_first_look(entered);
    INSERT INTO contact_changes (app_id, contact_id, tags_added, depth, was)
    SELECT n.app_id, n.id, n.tags, workflow_depth(), CASE WHEN n.app_id = ANY(looking) THEN 'null'::json END FROM made n
    WHERE n.app_id = ANY(entered);
  END IF;
  RETURN NULL;
END $body$;

CREATE OR REPLACE FUNCTION note_changed_contacts() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  entered uuid[] := entered_by_changes(ARRAY(SELECT DISTINCT app_id FROM after));
  looking uuid[];
BEGIN
  IF entered <> '{}' THEN
    looking := in_first_look(entered);
    INSERT INTO contact_changes (app_id, contact_id, tags_added, depth, was)
    SELECT n.app_id, n.id, ARRAY(SELECT unnest(n.tags) EXCEPT SELECT unnest(o.tags)), workflow_depth(),
      CASE WHEN n.app_id = ANY(looking)
        THEN json_build_object('tags', o.tags, 'attributes', o.attributes, 'locale', o.locale, 'timezone', o.timezone) END
    FROM after n JOIN before o ON o.id = n.id
    WHERE n.app_id = ANY(entered)
      AND (n.tags <> o.tags OR n.attributes::text <> o.attributes::text OR n.locale IS DISTINCT FROM o.locale
        OR n.timezone IS DISTINCT FROM o.timezone);
  END IF;
  RETURN NULL;
END $body$;
`
