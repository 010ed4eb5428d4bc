/**
 * Notifications on their way, from the request to the last result. Two rules run through it:
 *
 * - Work rows (plans in notifications, batches, replays) are their own outbox: `due_at` says when they may be taken,
 *   `lease_until`, `lease_holder` and `fence` who has them.
 * - Results are partitioned by the day in their notification's UUIDv7, so that one notification lives in one partition,
 *   its key is unique, and old days are dropped whole. Deliveries, written for each recipient, have no foreign keys.
 */
export const sending = `
-- A version never comes again, also not when a credential is removed and set anew: whoever remembers one by it is right.
CREATE SEQUENCE credential_versions AS integer;
CREATE TABLE credentials (
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('apns', 'fcm', 'webpush', 'smtp')),
  version integer NOT NULL DEFAULT nextval('credential_versions'),
  -- What may be shown; the whole configuration, secrets included, is in sealed.
  settings json NOT NULL,
  sealed bytea NOT NULL,
  -- Why nothing is sent with it until it is replaced; null: it may be used.
  suspended_reason text,
  -- When a provider last accepted a message with this version, within an hour or so: what one device is refused for does
  -- not suspend a credential that works for others (docs/decisions/0061).
  accepted_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, kind)
);
-- What metrics count every few seconds, in an index that is empty as long as all goes well.
CREATE INDEX credentials_suspended ON credentials (kind) WHERE suspended_reason IS NOT NULL;

CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('scheduled', 'queued', 'sending', 'paused', 'completed', 'cancelled')),
  priority text NOT NULL CHECK (priority IN ('high', 'bulk')),
  -- What was asked for, audience and content.
  request json NOT NULL,
  template_version uuid,
  -- The span that its work follows from, where a trace is recorded: a W3C traceparent.
  trace text,
  expires_at timestamptz NOT NULL,
  -- When it is due, where it is scheduled; published_at is the same moment then, so that it waits in nobody's way.
  send_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When what it says was last changed: times that count from its acceptance count from then.
  updated_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  plan_cursor text,
  plan_done boolean NOT NULL DEFAULT false,
  plan_fence integer NOT NULL DEFAULT 0,
  -- Recipients that were planned, counted apart from the states in batches: once all has ended, the sum of those.
  planned integer NOT NULL DEFAULT 0,
  plan_lease_until timestamptz,
  plan_holder integer,
  -- When a wake-up that points at it was last sent.
  published_at timestamptz NOT NULL DEFAULT now(),
  -- The first due time among its batches, where they are due at recipients' local times.
  first_due_at timestamptz,
  -- Replays into it. Whoever completes it compares: it may have looked at the batches before there was a new one.
  reopened integer NOT NULL DEFAULT 0,
  -- Its only batch, of one recipient, which was leased with its acceptance and has no row of its own: it gets one as soon
  -- as something else becomes of it than that it is sent (docs/decisions/0098-direct-batches.md). Attempts and suspicion
  -- are 0, the fence is 1. The recipient is there until it is sent, and with it the lease.
  direct_batch uuid,
  direct_provider text,
  direct_recipient uuid,
  direct_holder integer,
  direct_until timestamptz
);
CREATE INDEX notifications_direct ON notifications (direct_batch) WHERE direct_recipient IS NOT NULL;
CREATE INDEX notifications_app ON notifications (app_id, id);
-- Each status has its span in one of two: an accept writes into the first alone, and what has ended leaves it.
CREATE INDEX notifications_open ON notifications (app_id, status, id) WHERE completed_at IS NULL;
CREATE INDEX notifications_ended ON notifications (app_id, status, id) WHERE status IN ('completed', 'cancelled');
CREATE INDEX notifications_scheduled ON notifications (send_at) WHERE status = 'scheduled';
CREATE INDEX notifications_unplanned ON notifications (published_at) WHERE NOT plan_done;
-- From application to application, for those who take turns.
CREATE INDEX notifications_plans ON notifications (priority, app_id, id)
  WHERE NOT plan_done AND status IN ('queued', 'sending');
CREATE INDEX notifications_template ON notifications (template_version) WHERE template_version IS NOT NULL;

-- Up to BATCH_SIZE recipients of a notification. No foreign key leads to the notification: it would be looked up and
-- locked for each batch that is written, a fifth of what accepting costs the database. A trigger removes batches with
-- their notification; why none can be written without one: docs/decisions/0039-accepting-fast.md.
CREATE TABLE batches (
  id uuid PRIMARY KEY,
  notification_id uuid NOT NULL,
  app_id uuid NOT NULL,
  provider text NOT NULL CHECK (provider IN ('apns', 'fcm', 'webpush', 'smtp', 'inbox')),
  priority text NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  -- The fence of a holder whose batch was ended for it by a cancel, and who may still say what became of it. A batch is
  -- doubtful when it was taken over from a holder that never wrote all its results: docs/decisions/0045-outcome-unknown.md.
  late_fence integer,
  doubtful boolean NOT NULL DEFAULT false,
  -- Its credential is suspended.
  suspended boolean NOT NULL DEFAULT false,
  -- Its notification is paused: it is not in the index by which lanes claim, where it would stand at the head.
  paused boolean NOT NULL DEFAULT false,
  -- Its credential is over a limit: one that replaces it has limits of its own, and takes the batch at once.
  slowed boolean NOT NULL DEFAULT false,
  done boolean NOT NULL DEFAULT false,
  -- Grows when a process ends with the batch in hand, and is nothing again as soon as results are written.
  suspicion smallint NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  lease_holder integer,
  -- A time to live of its own, where it was replayed.
  expires_at timestamptz,
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
CREATE INDEX batches_due ON batches (app_id, provider, priority, due_at) WHERE NOT done AND NOT paused;
-- Three that are empty as long as all goes well.
CREATE INDEX batches_suspended ON batches (app_id, provider) WHERE suspended AND NOT done;
CREATE INDEX batches_slowed ON batches (app_id, provider) WHERE slowed AND NOT done;
CREATE INDEX batches_suspect ON batches (app_id, provider, priority, due_at) WHERE suspicion > 0 AND NOT done;

-- What became of recipients, whether their batch has a row or stands in its notification's.
CREATE VIEW all_batches AS
  SELECT id, notification_id, app_id, provider, priority, attempts, fence, lease_holder, lease_until, due_at, suspended, slowed, done,
    recipients,
    pending, sent, failed, skipped, cancelled FROM batches
  UNION ALL
  SELECT direct_batch, id, app_id, direct_provider, priority, 0, 1, direct_holder, direct_until, created_at, false, false,
    direct_recipient IS NULL, array_remove(ARRAY[direct_recipient], NULL),
    CASE WHEN direct_recipient IS NULL THEN 0 ELSE 1 END, CASE WHEN direct_recipient IS NULL THEN 1 ELSE 0 END, 0, 0, 0
  FROM notifications WHERE direct_batch IS NOT NULL;

CREATE FUNCTION remove_batches() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM batches b USING removed r WHERE b.notification_id = r.id;
  RETURN NULL;
END $body$;
CREATE TRIGGER notifications_removed AFTER DELETE ON notifications
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_batches();

-- Final states: those that are alike as one row of packed_deliveries, all others as a row for each recipient of
-- deliveries. Together they have every final state once: docs/decisions/0023-packed-results.md.
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
-- Catches what no day's partition was made for in time; normally empty, as those below.
CREATE TABLE deliveries_other PARTITION OF deliveries DEFAULT;

CREATE TABLE packed_deliveries (
  notification_id uuid NOT NULL,
  -- The smallest and the largest id among the recipients. Rows share no recipient, so a row is known by them.
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  provider "char" NOT NULL,
  status "char" NOT NULL,
  attempts smallint NOT NULL,
  -- The number of recipients: counting must not read the array.
  size integer NOT NULL,
  recipients uuid[] NOT NULL,
  -- Their message ids, written as layers/postgres/sending/packedResults.ts says; null when there are none.
  messages text,
  error text,
  PRIMARY KEY (notification_id, first_id, last_id)
) PARTITION BY RANGE (notification_id);
ALTER TABLE packed_deliveries ALTER COLUMN recipients SET STORAGE EXTERNAL, ALTER COLUMN messages SET STORAGE EXTERNAL;
CREATE TABLE packed_deliveries_other PARTITION OF packed_deliveries DEFAULT;

-- What ran out of attempts, or cannot be delivered: of notification sends, which can be replayed, and of webhooks.
CREATE TABLE dead_letters (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('notification', 'webhook')),
  at timestamptz NOT NULL DEFAULT now(),
  error text NOT NULL,
  attempts smallint NOT NULL,
  -- Why another attempt cannot end otherwise; null: it can.
  refusal text,
  -- Of a notification. The batch is the one whose failed counts it: a replay takes it from there and puts the recipient
  -- into a new batch of the same notification.
  notification_id uuid,
  recipient_id uuid,
  batch_id uuid,
  provider text,
  replayed_at timestamptz,
  -- Of a webhook: the event as it was to be delivered.
  webhook_id uuid,
  event_id uuid,
  body text
);
CREATE INDEX dead_letters_app ON dead_letters (app_id, id);
CREATE INDEX dead_letters_kind ON dead_letters (app_id, kind, id);
CREATE INDEX dead_letters_notification ON dead_letters (notification_id, id) WHERE notification_id IS NOT NULL;
CREATE INDEX dead_letters_webhook ON dead_letters (webhook_id, id) WHERE webhook_id IS NOT NULL;

-- Replays of many: each a cursor, written by the statement that moves the dead letters behind it.
CREATE TABLE replays (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  filter json NOT NULL,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed')),
  -- The last one that was looked at.
  dead_letter_id uuid,
  replayed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  fence integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  lease_holder integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz
);
CREATE INDEX replays_app ON replays (app_id, id);
CREATE INDEX replays_running ON replays (app_id, id) WHERE status = 'running';
`
