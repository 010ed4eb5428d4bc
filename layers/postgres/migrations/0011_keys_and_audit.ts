/**
 * What customers see of their keys, the identity secret that is still good beside a new one, and who changed what. The
 * log goes with its application, and has no other foreign keys: it outlives what it tells of.
 */
export const sql = `
ALTER TABLE api_keys
  ADD COLUMN name text NOT NULL DEFAULT '',
  -- To the minute: a write for each request would cost more than the request.
  ADD COLUMN last_used_at timestamptz;
DROP INDEX api_keys_app;
CREATE INDEX api_keys_page ON api_keys (app_id, id) WHERE revoked_at IS NULL;

ALTER TABLE applications
  ADD COLUMN former_identity_secret bytea,
  ADD COLUMN former_identity_until timestamptz;

CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT now(),
  actor_kind text NOT NULL,
  actor_id text,
  action text NOT NULL,
  target text,
  details json NOT NULL
);
CREATE INDEX audit_log_page ON audit_log (app_id, id);
`
