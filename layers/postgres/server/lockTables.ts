/** Tries to lock all tables at once, before it is waited for them as long as it takes. */
const TRIES = 100

/**
 * Locks all tables there are until the transaction's end. Nodes of the release before serve meanwhile, and their statements
 * take tables in any order: whoever waits for one while holding others meets them in a deadlock, whose victim is either. So
 * all are given back, and asked for again, where one of them does not come soon.
 */
export const lockTables = `
DO $body$
DECLARE
  tables text := (
    SELECT string_agg(c.oid::regclass::text, ', ' ORDER BY c.oid) FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> 'migrations'
  );
BEGIN
  IF tables IS NULL THEN
    RETURN;
  END IF;
  FOR attempt IN 1..${TRIES} LOOP
    BEGIN
      PERFORM set_config('lock_timeout', CASE WHEN attempt < ${TRIES} THEN '200ms' ELSE '0' END, true);
      EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', tables);
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      -- For those who waited for us.
      PERFORM pg_sleep(0.05 + random() / 10);
    END;
  END LOOP;
  PERFORM set_config('lock_timeout', '0', true);
END $body$`
