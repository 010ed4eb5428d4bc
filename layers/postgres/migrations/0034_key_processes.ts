/**
 * Who does the work under a key: a holder (the table `holders`). When that one has ended, the key's next request does the
 * work, and does not wait for the end of a lease.
 */
export const keyProcesses = `
ALTER TABLE idempotency_keys ADD COLUMN process integer;
`
