/**
 * Of two indexes that look the same to it PostgreSQL takes the newer one, and over small tables many do: by an application
 * and an id it read all of an application's devices by the index of their tokens, whose plan stayed until somebody
 * analyzed the table (docs/decisions/0103). So the primary key is each table's newest index; and where it begins with the
 * application, others begin with what they are for, and are newer still.
 */
export const indexOrder = `
DO $body$
DECLARE
  of_table regclass;
  own text;
  own_name name;
  others text[];
  one text;
BEGIN
  -- Newer than that by application and id.
  ALTER TABLE contacts DROP CONSTRAINT contacts_app_id_external_id_key, ADD UNIQUE (app_id, external_id);

  FOREACH of_table IN ARRAY ARRAY[
    'contacts', 'segments', 'templates', 'template_versions', 'webhooks', 'notifications', 'dead_letters', 'replays',
    'redeliveries', 'audit_log', 'people_log', 'workflows', 'workflow_versions', 'workflow_entries', 'execution_cancels',
    'execution_timers', 'watched_segments'
  ]::regclass[] LOOP
    SELECT conname, pg_get_constraintdef(oid) INTO STRICT own_name, own
    FROM pg_constraint WHERE conrelid = of_table AND contype = 'p';
    others := ARRAY(
      SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE contype = 'f' AND confrelid = of_table
    );
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', of_table, own_name);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', of_table, own_name, own);
    FOREACH one IN ARRAY others LOOP
      EXECUTE one;
    END LOOP;
  END LOOP;
END $body$;

ALTER TABLE devices DROP CONSTRAINT devices_app_id_token_hash_key, ADD UNIQUE (token_hash, app_id);
ALTER TABLE channels DROP CONSTRAINT channels_app_id_kind_address_key_key, ADD UNIQUE (address_key, app_id, kind);
DROP INDEX executions_user;
CREATE INDEX executions_user ON executions (user_id, app_id, id);
DROP INDEX custom_events_user;
CREATE INDEX custom_events_user ON custom_events (user_id, app_id, event, at);
`
