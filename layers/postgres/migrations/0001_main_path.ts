/**
 * Everything the main path stands on. Three rules run through it:
 *
 * - Rows that are written per recipient (devices, deliveries) carry no foreign keys and one index beyond their own key at
 *   most: each costs a tenth of the row. Their application is checked before they are written.
 * - Work rows (plans in notifications, batches, hook_work) are their own outbox: `published_at` says when a job that
 *   points at them was last put on the queue, `due_at` when they may be taken, `lease_until` and `fence` who has them.
 * - Deliveries are partitioned by the day in their notification's UUIDv7, so that one notification lives in one
 *   partition, its key is unique, and old days are dropped whole.
 */
export const sql = `
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
  identity_secret bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX applications_organization ON applications (organization_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('secret', 'public')),
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX api_keys_app ON api_keys (app_id);

CREATE TABLE contacts (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  external_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (app_id, external_id)
);

CREATE TABLE devices (
  app_id uuid NOT NULL,
  id uuid NOT NULL,
  -- The first 16 bytes of the token's SHA-256: tokens are long, and an index on them would be larger than the table.
  token_hash bytea NOT NULL,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  platform text NOT NULL CHECK (platform IN ('ios', 'android', 'web')),
  environment text NOT NULL DEFAULT 'production' CHECK (environment IN ('production', 'sandbox')),
  active boolean NOT NULL DEFAULT true,
  invalid_reason text,
  token text NOT NULL,
  p256dh text,
  auth text,
  user_id text,
  timezone text,
  tags text[] NOT NULL DEFAULT '{}',
  -- json keeps any JSON text as it came; jsonb would refuse some (\\u0000) and cost a conversion each way.
  metadata json NOT NULL DEFAULT '{}',
  -- Which optional fields the last registration named, as bits: an upsert sees nothing of a row but its columns.
  given smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, id),
  UNIQUE (app_id, token_hash)
) WITH (fillfactor = 90);
CREATE INDEX devices_user ON devices (app_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX devices_tags ON devices USING gin (tags) WHERE tags <> '{}';

CREATE TABLE channels (
  app_id uuid NOT NULL,
  id uuid NOT NULL,
  contact_id uuid REFERENCES contacts ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('email', 'inbox')),
  address text,
  -- What makes an address the same address: lower case.
  address_key text,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suppressed', 'unsubscribed')),
  status_reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, id),
  UNIQUE (app_id, kind, address_key)
);
CREATE INDEX channels_contact ON channels (contact_id) WHERE contact_id IS NOT NULL;

-- A version never comes again, also not when a credential is removed and set anew: whoever remembers one by it is right.
CREATE SEQUENCE credential_versions AS integer;
CREATE TABLE credentials (
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('apns', 'fcm', 'webpush', 'smtp')),
  version integer NOT NULL DEFAULT nextval('credential_versions'),
  -- What may be shown; the whole configuration, secrets included, is in sealed.
  settings json NOT NULL,
  sealed bytea NOT NULL,
  held text,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, kind)
);

CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('scheduled', 'queued', 'sending', 'paused', 'completed', 'cancelled')),
  priority text NOT NULL CHECK (priority IN ('high', 'bulk')),
  request json NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  completed_at timestamptz,
  plan_cursor text,
  plan_done boolean NOT NULL DEFAULT false,
  plan_fence integer NOT NULL DEFAULT 0,
  plan_lease_until timestamptz,
  published_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notifications_app ON notifications (app_id, id);
CREATE INDEX notifications_unplanned ON notifications (published_at) WHERE NOT plan_done;
CREATE INDEX notifications_open ON notifications (id) WHERE plan_done AND completed_at IS NULL;

CREATE TABLE batches (
  id uuid PRIMARY KEY,
  notification_id uuid NOT NULL REFERENCES notifications ON DELETE CASCADE,
  app_id uuid NOT NULL,
  provider text NOT NULL CHECK (provider IN ('apns', 'fcm', 'webpush', 'smtp')),
  priority text NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  held boolean NOT NULL DEFAULT false,
  done boolean NOT NULL DEFAULT false,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  -- Those without a final state; the others are counted below and have their rows in deliveries.
  recipients uuid[] NOT NULL,
  -- Their number: counting must not read the arrays.
  pending integer NOT NULL GENERATED ALWAYS AS (cardinality(recipients)) STORED,
  sent integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
-- Ids hardly compress, and trying costs more than writing them.
ALTER TABLE batches ALTER COLUMN recipients SET STORAGE EXTERNAL;
CREATE INDEX batches_notification ON batches (notification_id);
CREATE INDEX batches_open ON batches (notification_id) WHERE NOT done;
CREATE INDEX batches_due ON batches (app_id, provider, priority, due_at) WHERE NOT done;
CREATE INDEX batches_held ON batches (app_id, provider) WHERE held AND NOT done;

CREATE TABLE deliveries (
  notification_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  provider "char" NOT NULL,
  status "char" NOT NULL,
  attempts smallint NOT NULL,
  message_id text,
  error text,
  PRIMARY KEY (notification_id, recipient_id)
) PARTITION BY RANGE (notification_id);
-- Catches what no day's partition was made for in time; normally empty.
CREATE TABLE deliveries_other PARTITION OF deliveries DEFAULT;

CREATE TABLE hooks (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  secret bytea,
  events text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  disabled_reason text,
  -- Failed deliveries in a row, and since when.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  epoch integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX hooks_app ON hooks (app_id, id);

CREATE TABLE event_chunks (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  event text NOT NULL,
  at timestamptz NOT NULL,
  size integer NOT NULL,
  -- JSON as text: it is written and read whole, and never looked into.
  common text NOT NULL,
  columns text NOT NULL
);
ALTER TABLE event_chunks ALTER COLUMN columns SET STORAGE EXTERNAL;

CREATE TABLE hook_work (
  id uuid PRIMARY KEY,
  hook_id uuid NOT NULL REFERENCES hooks ON DELETE CASCADE,
  chunk_id uuid NOT NULL REFERENCES event_chunks ON DELETE CASCADE,
  attempts smallint NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  done boolean NOT NULL DEFAULT false,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  finished_at timestamptz,
  -- Positions in the chunk that are still to be delivered; null stands for all of them.
  positions integer[],
  delivered integer NOT NULL DEFAULT 0,
  exhausted integer NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX hook_work_due ON hook_work (hook_id, due_at) WHERE NOT done;
CREATE INDEX hook_work_chunk ON hook_work (chunk_id);

CREATE TABLE dead_letters (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('notification', 'webhook')),
  at timestamptz NOT NULL DEFAULT now(),
  error text NOT NULL,
  attempts smallint NOT NULL,
  notification_id uuid,
  recipient_id uuid,
  hook_id uuid,
  event_id uuid,
  -- The event as it was to be delivered.
  body text
);
CREATE INDEX dead_letters_app ON dead_letters (app_id, id);
`
