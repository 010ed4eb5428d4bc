/** What the provider said of the first of those who go again: shown while they wait. Null of batches that were not tried. */
export const retryReasons = `
ALTER TABLE batches ADD COLUMN reason text;
`
