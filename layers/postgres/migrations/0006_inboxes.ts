/**
 * Inboxes as a way out of a notification. Their messages say which notification they came with; those that a server
 * wrote by itself came with none.
 */
export const sql = `
ALTER TABLE batches DROP CONSTRAINT batches_provider_check;
-- What is there was held by the stricter one.
ALTER TABLE batches ADD CONSTRAINT batches_provider_check
  CHECK (provider IN ('apns', 'fcm', 'webpush', 'smtp', 'inbox')) NOT VALID;

ALTER TABLE inbox_messages ADD COLUMN notification_id uuid;
`
