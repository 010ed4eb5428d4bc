/**
 * Opens and clicks of mail, and who made them. A delivery keeps one row for each type: `machine` says that so far only
 * machines did it, `link` tells links apart without keeping them (0: none), `flips` how often it turned out otherwise.
 */
export const sql = `
ALTER TABLE engagements
  ADD COLUMN machine boolean NOT NULL DEFAULT false,
  ADD COLUMN link integer NOT NULL DEFAULT 0,
  ADD COLUMN flips smallint NOT NULL DEFAULT 0;

-- Those of opened and clicked that only machines did.
ALTER TABLE engagement_counts
  ADD COLUMN machine_opened integer NOT NULL DEFAULT 0,
  ADD COLUMN machine_clicked integer NOT NULL DEFAULT 0;
`
