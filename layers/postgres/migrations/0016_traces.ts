/** The span that work follows from, for those that a trace is recorded of: a W3C traceparent. */
export const sql = `
ALTER TABLE notifications ADD COLUMN trace text;
ALTER TABLE event_chunks ADD COLUMN trace text;
`
