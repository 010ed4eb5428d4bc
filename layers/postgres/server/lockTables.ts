/** Tries to lock all tables at once, before it is waited for them as long as it takes. */
const TRIES = 100

/**
 * Locks those of the tables that are there until the transaction's end, with their partitions. Nodes of the release before
 * serve meanwhile, and their statements take tables in any order: whoever waits for one while holding others meets them in
 * a deadlock, whose victim is either. So all are given back, and asked for again, where one of them does not come soon.
 */
export const lockTables = (names: ReadonlyArray<string>): string => `
DO $body$
DECLARE
  tables text := (
    SELECT string_agg(to_regclass(name)::text, ', ') FROM unnest('{${names.join()}}'::text[]) AS t (name)
    WHERE to_regclass(name) IS NOT NULL
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
