/**
 * What has been used of each rate limit in its present window, for all nodes. Unlogged: after a crash of the database
 * the counts begin anew, which costs at most one window's budget, and no request waits for a disk.
 */
export const sql = `
CREATE UNLOGGED TABLE rate_limits (
  key text COLLATE "C" PRIMARY KEY,
  -- The end of the window, epoch seconds of the database's clock.
  ends_at bigint NOT NULL,
  used integer NOT NULL,
  -- What the last statement took: RETURNING sees nothing of a row but its columns.
  granted integer NOT NULL,
  budget integer NOT NULL
) WITH (fillfactor = 50);
`
