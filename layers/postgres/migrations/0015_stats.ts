/**
 * What happened, by application, day (UTC) and provider, added up by the statements that write what happens. A day's row
 * is in as many parts as there are slots: a connection adds to its own, so that no two results wait for each other.
 */
export const sql = `
CREATE TABLE daily_stats (
  app_id uuid NOT NULL,
  day date NOT NULL,
  provider "char" NOT NULL,
  slot smallint NOT NULL,
  sent bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  delivered bigint NOT NULL DEFAULT 0,
  opened bigint NOT NULL DEFAULT 0,
  clicked bigint NOT NULL DEFAULT 0,
  machine_opened bigint NOT NULL DEFAULT 0,
  machine_clicked bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, day, provider, slot)
) WITH (fillfactor = 50);
`
