import { ALONE } from "../../../services/domain/sending/Suspicion.ts"
import { ENTERING, MOVING_RUNS } from "../server/advisoryLocks.ts"

/**
 * Workflows and their executions, the runs of single people. A run that waits is a row of execution_timers with the moment
 * at which it goes on, and nothing else: no fiber, no job, no query. Who moves runs holds their timers locked for one
 * transaction, which writes all that they do: each step is once in effect, whatever dies (docs/decisions/0079).
 */
export const workflows = `
CREATE TABLE workflows (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'archived')),
  -- Counts the changes, from 1, and the one that runs enter now.
  version integer NOT NULL DEFAULT 1,
  version_id uuid NOT NULL,
  -- Whether runs have entered by another rule than the present one of how often a person may.
  had_other_reentry boolean NOT NULL DEFAULT false,
  -- What makes runs enter, of the latest version: the kind, and the event, tag or segment.
  trigger_type text NOT NULL,
  trigger_value text,
  -- Of an active one with a schedule: its next time.
  next_at timestamptz,
  -- Archived or deleted while runs were open: they are cancelled in the background.
  is_closing boolean NOT NULL DEFAULT false,
  -- Since when it waits for what its trigger names.
  activated_at timestamptz,
  -- From then on nobody is shown it, and it goes when its runs have ended.
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX workflows_app ON workflows (app_id, id);
CREATE INDEX workflows_triggered ON workflows (app_id, trigger_type, trigger_value) WHERE status = 'active';
-- Those that wait for changes of contacts: asked about with every write of one.
CREATE INDEX workflows_watching ON workflows (app_id)
  WHERE status = 'active' AND trigger_type IN ('tag_added', 'segment_entered');
CREATE INDEX workflows_scheduled ON workflows (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX workflows_closing ON workflows (id) WHERE is_closing;

CREATE TABLE workflow_versions (
  id uuid PRIMARY KEY,
  workflow_id uuid NOT NULL REFERENCES workflows ON DELETE CASCADE,
  version integer NOT NULL,
  -- trigger, steps and reentry, as they were written.
  definition json NOT NULL,
  -- What of it is filled for each run, by the step's key: ids of template_versions.
  templates json NOT NULL DEFAULT '{}',
  -- Sealed: the values of headers of its FETCH steps, which the definition has masks for.
  headers bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Who made it, as audit_log has it: shown for as long as the version is there.
  actor_kind text NOT NULL DEFAULT 'system',
  actor_id text,
  UNIQUE (workflow_id, version)
);
CREATE INDEX workflow_versions_page ON workflow_versions (workflow_id, id);

-- No foreign keys: a million of them are written at once, and their workflow is removed after them.
CREATE TABLE executions (
  app_id uuid NOT NULL,
  id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  version_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  user_id text NOT NULL,
  -- waiting: under way. Whether it runs just now, nobody can know but who moves it.
  status text NOT NULL CHECK (status IN ('waiting', 'completed', 'filtered', 'failed', 'cancelled')),
  -- Of the program: the step that is next or that it waits in, whether that was begun, until when it lasts, and its tries.
  position smallint NOT NULL,
  is_begun boolean NOT NULL DEFAULT false,
  deadline timestamptz,
  tries smallint NOT NULL DEFAULT 0,
  -- A person who may not enter twice has one row of a key.
  entry_key text,
  -- JSON as text, which is written and read whole: what the trigger brought, what steps brought, notifications by step.
  data text NOT NULL DEFAULT '{}',
  steps text NOT NULL DEFAULT '{}',
  sends text NOT NULL DEFAULT '{}',
  -- Entries of JSON, each with a comma behind it: they are only ever added to.
  history text NOT NULL DEFAULT '',
  -- Workflows that led to it by what they changed in contacts.
  depth smallint NOT NULL DEFAULT 0,
  -- The segment whose entering began it: who has left that gets no more messages of it.
  segment_id uuid,
  -- The span that its messages follow from, where a trace is recorded: a W3C traceparent.
  trace text,
  ended_step smallint,
  error text,
  reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  PRIMARY KEY (app_id, id)
) WITH (fillfactor = 70);
CREATE INDEX executions_workflow ON executions (workflow_id, id);
CREATE INDEX executions_user ON executions (app_id, user_id, id);
CREATE INDEX executions_open ON executions (workflow_id, id) WHERE ended_at IS NULL;
CREATE INDEX executions_ended ON executions (app_id, status, id) WHERE status IN ('filtered', 'failed', 'cancelled');
CREATE INDEX executions_ended_of_workflow ON executions (workflow_id, status, id)
  WHERE status IN ('filtered', 'failed', 'cancelled');
CREATE UNIQUE INDEX executions_entry ON executions (workflow_id, entry_key) WHERE entry_key IS NOT NULL;

CREATE TABLE execution_timers (
  app_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  due_at timestamptz NOT NULL,
  -- Grows with each FETCH that is begun: who comes back with an answer after another began it, is refused.
  fence integer NOT NULL DEFAULT 0,
  -- How much it is suspected of ending the processes that move it (services/domain/sending/Suspicion.ts).
  suspicion smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, execution_id)
) WITH (fillfactor = 80);
CREATE INDEX execution_timers_due ON execution_timers (app_id, due_at, execution_id);
CREATE INDEX execution_timers_suspected ON execution_timers (suspicion, due_at) WHERE suspicion >= ${ALONE};

-- What each transaction of a process has in hand, or had last: the timers from one to another, in the order in which they
-- are due. Written apart from it, so that it is there when the process has ended, and not logged: that is all it has to
-- outlast.
CREATE UNLOGGED TABLE run_claims (
  holder integer NOT NULL,
  place integer NOT NULL,
  app_id uuid NOT NULL,
  from_at timestamptz NOT NULL,
  from_id uuid NOT NULL,
  to_at timestamptz NOT NULL,
  to_id uuid NOT NULL,
  -- Nothing else was begun by the process meanwhile.
  is_alone boolean NOT NULL,
  PRIMARY KEY (holder, place)
) WITH (fillfactor = 50);

-- What wakes a run before its time: an event of its person, the end of a notification.
CREATE TABLE execution_events (
  app_id uuid NOT NULL,
  user_id text NOT NULL,
  event text NOT NULL,
  execution_id uuid NOT NULL,
  PRIMARY KEY (app_id, user_id, event, execution_id)
);
CREATE TABLE execution_outcomes (
  notification_id uuid NOT NULL,
  app_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  PRIMARY KEY (notification_id, execution_id)
);

-- Runs that somebody cancels by a description: so many that they end one page after the other, up to those that entered
-- later. It goes with the last page.
CREATE TABLE execution_cancels (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  workflow_id uuid,
  user_id text,
  -- As it was at \`at\`: they move meanwhile.
  status text CHECK (status IN ('waiting', 'running')),
  at timestamptz NOT NULL,
  until_id uuid NOT NULL,
  after_id uuid NOT NULL,
  -- Who cancels them and why, for the history of each.
  detail text NOT NULL
);
CREATE INDEX execution_cancels_app ON execution_cancels (app_id, id);

-- When a server is asked next by FETCH steps of an application: so many a second, and none before a time that it has named.
CREATE TABLE fetch_hosts (
  app_id uuid NOT NULL,
  host text NOT NULL,
  next_at timestamptz NOT NULL,
  held_until timestamptz,
  PRIMARY KEY (app_id, host)
) WITH (fillfactor = 50);
CREATE INDEX fetch_hosts_next ON fetch_hosts (next_at);

-- Audiences that are entering: a cursor, written by the transaction that makes the runs before it.
CREATE TABLE workflow_entries (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  workflow_id uuid NOT NULL REFERENCES workflows ON DELETE CASCADE,
  -- filter, or user_ids.
  audience json NOT NULL,
  data text NOT NULL DEFAULT '{}',
  after_id uuid,
  -- Of those who were contacts when the audience was described.
  until_id uuid NOT NULL,
  entered integer NOT NULL DEFAULT 0,
  trace text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX workflow_entries_app ON workflow_entries (app_id, id);
CREATE INDEX workflow_entries_workflow ON workflow_entries (workflow_id);
-- People whose runs were cancelled before an audience came to them.
CREATE TABLE workflow_entry_exclusions (
  entry_id uuid NOT NULL REFERENCES workflow_entries ON DELETE CASCADE,
  user_id text NOT NULL,
  PRIMARY KEY (entry_id, user_id)
);

-- Events of applications' own. Kept for a while after they were looked at: a run that begins to wait asks for those since
-- it entered.
CREATE TABLE custom_events (
  app_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id text NOT NULL,
  event text NOT NULL,
  data text NOT NULL DEFAULT '{}',
  trace text,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_done boolean NOT NULL DEFAULT false,
  PRIMARY KEY (app_id, id)
);
CREATE INDEX custom_events_user ON custom_events (app_id, user_id, event, at);
CREATE INDEX custom_events_new ON custom_events (app_id, at) WHERE NOT is_done;

-- Contacts that changed while a workflow waited for tags or a segment: written by the statement that changes them.
CREATE TABLE contact_changes (
  app_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  contact_id uuid NOT NULL,
  tags_added text[] NOT NULL DEFAULT '{}',
  depth smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, id)
);

-- Segments whose entering a workflow waits for, and who is in them. Nobody enters a workflow for having been in a segment
-- before it was watched: a first look through all contacts notes them.
CREATE TABLE watched_segments (
  segment_id uuid PRIMARY KEY REFERENCES segments ON DELETE CASCADE,
  app_id uuid NOT NULL,
  -- The conditions that the look goes by: those of the segment, unless it was changed since.
  filter json NOT NULL,
  -- How far the look has come; null: it is at its end. What time alone changes is found by looking again.
  after_id uuid,
  is_first boolean NOT NULL DEFAULT true,
  -- Who is a contact since then only, was in no segment before.
  since timestamptz NOT NULL,
  looked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX watched_segments_app ON watched_segments (app_id);
CREATE TABLE segment_members (
  segment_id uuid NOT NULL REFERENCES watched_segments ON DELETE CASCADE,
  contact_id uuid NOT NULL REFERENCES contacts ON DELETE CASCADE,
  PRIMARY KEY (segment_id, contact_id)
);
CREATE INDEX segment_members_contact ON segment_members (contact_id);

-- How many workflows led to a change: those who make it say so in their transaction.
CREATE FUNCTION workflow_depth() RETURNS smallint LANGUAGE sql STABLE AS
  $body$ SELECT coalesce(nullif(current_setting('heliograph.depth', true), ''), '0')::smallint $body$;

CREATE FUNCTION note_new_contacts() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO contact_changes (app_id, contact_id, tags_added, depth)
  SELECT n.app_id, n.id, n.tags, workflow_depth() FROM made n
  WHERE n.app_id IN (SELECT DISTINCT w.app_id FROM workflows w WHERE w.status = 'active' AND w.trigger_type IN ('tag_added', 'segment_entered'));
  RETURN NULL;
END $body$;
CREATE TRIGGER contacts_made AFTER INSERT ON contacts
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION note_new_contacts();

CREATE FUNCTION note_changed_contacts() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF EXISTS (SELECT 1 FROM workflows WHERE status = 'active' AND trigger_type IN ('tag_added', 'segment_entered')) THEN
    INSERT INTO contact_changes (app_id, contact_id, tags_added, depth)
    SELECT n.app_id, n.id, ARRAY(SELECT unnest(n.tags) EXCEPT SELECT unnest(o.tags)), workflow_depth()
    FROM after n JOIN before o ON o.id = n.id
    WHERE n.app_id IN (SELECT w.app_id FROM workflows w WHERE w.status = 'active' AND w.trigger_type IN ('tag_added', 'segment_entered'))
      AND (n.tags <> o.tags OR n.attributes::text <> o.attributes::text OR n.locale IS DISTINCT FROM o.locale
        OR n.timezone IS DISTINCT FROM o.timezone);
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER contacts_changed AFTER UPDATE ON contacts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION note_changed_contacts();

-- Whether runs of an application may be moved, now and until the transaction ends: who deletes its organization waits for it.
-- The look is a statement of its own, so that it sees what those did who were waited for.
CREATE FUNCTION may_move_runs(app uuid) RETURNS boolean LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${MOVING_RUNS}, hashtext(app::text));
  RETURN EXISTS (
    SELECT 1 FROM applications a JOIN organizations o ON o.id = a.organization_id WHERE a.id = app AND o.deleted_at IS NULL
  );
END $body$;

-- What people enter a workflow with, if they may, now and until the transaction ends: who changes or ends the workflow waits
-- for it, and is seen by whoever enters afterwards. Not by a lock of the row: entrants would follow one another without end
-- past whoever waits for it.
CREATE FUNCTION open_workflow(workflow uuid) RETURNS TABLE (version_id uuid, reentry text, had_other_reentry boolean)
LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${ENTERING}, hashtext(workflow::text));
  RETURN QUERY SELECT w.version_id, v.definition ->> 'reentry', w.had_other_reentry
    FROM workflows w JOIN workflow_versions v ON v.id = w.version_id WHERE w.id = workflow AND w.status = 'active';
END $body$;

CREATE TABLE digests (
  app_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  step_key text NOT NULL,
  contact_id uuid NOT NULL,
  digest_key text NOT NULL,
  -- The run that goes on when it closes.
  execution_id uuid NOT NULL,
  opened_at timestamptz NOT NULL,
  closes_at timestamptz NOT NULL,
  size integer NOT NULL,
  PRIMARY KEY (app_id, workflow_id, step_key, contact_id, digest_key)
) WITH (fillfactor = 70);
CREATE INDEX digests_execution ON digests (execution_id);
-- What each run brought into the digest of another, or its own: into one at most.
CREATE TABLE digest_items (
  app_id uuid NOT NULL,
  opener_id uuid NOT NULL,
  step_key text NOT NULL,
  execution_id uuid NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (app_id, opener_id, step_key, execution_id)
);

CREATE TABLE throttles (
  app_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  step_key text NOT NULL,
  contact_id uuid NOT NULL,
  throttle_key text NOT NULL,
  opened_at timestamptz NOT NULL,
  -- From then on it says nothing any more.
  over_at timestamptz NOT NULL,
  passed integer NOT NULL,
  -- Of those who asked last: how many were let through.
  granted integer NOT NULL,
  PRIMARY KEY (app_id, workflow_id, step_key, contact_id, throttle_key)
) WITH (fillfactor = 70);
CREATE INDEX throttles_over ON throttles (over_at);

-- What became of runs at each step of a version: added to by each transaction that moves some.
CREATE TABLE workflow_step_counts (
  version_id uuid NOT NULL REFERENCES workflow_versions ON DELETE CASCADE,
  step_order smallint NOT NULL,
  entered bigint NOT NULL DEFAULT 0,
  passed bigint NOT NULL DEFAULT 0,
  stopped bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (version_id, step_order)
) WITH (fillfactor = 50);
`
