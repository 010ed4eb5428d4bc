/**
 * Who may do what: organizations and their applications, API keys, what was asked how often, answers that are given
 * again, and who changed what.
 */
export const access = `
CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE applications (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  identity_verification boolean NOT NULL DEFAULT true,
  -- Sealed with the master key, and the one before it, which is good for a while beside it.
  identity_secret bytea NOT NULL,
  former_identity_secret bytea,
  former_identity_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX applications_organization ON applications (organization_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('secret', 'public')),
  name text NOT NULL DEFAULT '',
  -- SHA-256 of the key, which is not kept itself; its end is shown.
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- To the minute: a write for each request would cost more than the request.
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_page ON api_keys (app_id, id) WHERE revoked_at IS NULL;

-- The log goes with its application, and has no other foreign keys: it outlives what it tells of.
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

-- What has been used of each rate limit in its present window, for all nodes. Unlogged: after a crash of the database the
-- counts begin anew, which costs at most one window's budget, and no request waits for a disk.
CREATE UNLOGGED TABLE rate_limits (
  key text COLLATE "C" PRIMARY KEY,
  -- The end of the window, epoch seconds of the database's clock.
  ends_at bigint NOT NULL,
  used integer NOT NULL,
  -- What the last statement took: RETURNING sees nothing of a row but its columns.
  granted integer NOT NULL,
  budget integer NOT NULL
) WITH (fillfactor = 50);

-- A key is taken before the work, so that two requests at once cannot both do it, and has the answer afterwards. A taken
-- key is its holder's until its lease ends: a process that dies leaves it to the client's next try.
CREATE TABLE idempotency_keys (
  app_id uuid NOT NULL,
  -- Method and path of the table of routes.
  route text NOT NULL,
  key text NOT NULL,
  -- SHA-256 of what the request says.
  fingerprint bytea NOT NULL,
  -- The id of the request that does the work, or did it.
  holder uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The answer; null while there is none.
  status smallint,
  body text,
  location text,
  PRIMARY KEY (app_id, route, key)
) WITH (fillfactor = 70);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at);

-- A known text sealed with the master key, so that a node with another key is found out when it starts.
CREATE TABLE master_key_check (
  id integer PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now()
);
`
