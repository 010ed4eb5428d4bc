/** The first due time among a notification's batches, where they are due at recipients' local times. */
export const sql = `
ALTER TABLE notifications ADD COLUMN first_due_at timestamptz;
`
