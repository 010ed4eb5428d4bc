/**
 * Batches that wait because their credential is over a limit: one that replaces it has limits of its own, and takes them
 * at once. The index is empty as long as nobody is slowed down.
 */
export const sql = `
ALTER TABLE batches ADD COLUMN slowed boolean NOT NULL DEFAULT false;
CREATE INDEX batches_slowed ON batches (app_id, provider) WHERE slowed AND NOT done;
`
