import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId, ExecutionId, WebhookId } from "../../../services/domain/Ids.ts"
import { ownOf } from "../../../services/domain/Json.ts"
import type { HolderId } from "../../../services/ports/operations/HolderStore.ts"
import type { EventChunk } from "../../../services/domain/webhooks/Event.ts"
import type { HistoryEntry } from "../../../services/domain/workflows/Execution.ts"
import type { MovedRun, Moves, OpenRun, StepSum } from "../../../services/ports/workflows/ExecutionStore.ts"
import { booleans, doubles, integers, smallints, texts, times, uuids } from "../server/columns.ts"

/*
 * What a transaction of moved runs writes: a statement for each kind of row, however many runs there are.
 */

type Sql = SqlClient.SqlClient

export const historyText = (entries: ReadonlyArray<HistoryEntry>): string =>
  entries.map((entry) => `${JSON.stringify(entry)},`).join("")

const isEnded = ({ settled }: MovedRun): boolean => settled.dueAt === null

const jsonOf = (value: object): string => JSON.stringify(value)

/** The columns of moved runs, for runs that are new and for those that are there. */
const columnsOf = (moved: ReadonlyArray<MovedRun>) => ({
  ids: uuids(moved.map(({ run }) => run.id)),
  status: texts(moved.map((one) => (isEnded(one) ? one.settled.status : "waiting"))),
  position: smallints(moved.map(({ settled }) => settled.position)),
  isBegun: booleans(moved.map(({ settled }) => settled.isBegun)),
  deadline: times(moved.map(({ settled }) => settled.deadline)),
  tries: smallints(moved.map(({ settled }) => settled.tries)),
  steps: texts(moved.map(({ run, settled }) => (settled.steps === run.steps ? null : jsonOf(settled.steps)))),
  sends: texts(
    moved.map(({ run, sends }) => (Object.keys(sends).length === 0 ? null : jsonOf({ ...run.sends, ...sends })))
  ),
  history: texts(moved.map(({ settled }) => historyText(settled.history))),
  endedStep: integers(moved.map(({ settled }) => settled.endedAt)),
  error: texts(moved.map(({ settled }) => settled.error?.replaceAll("\u0000", "\ufffd") ?? null)),
  reason: texts(moved.map(({ settled }) => settled.reason))
})

/** What a trigger brought, once for all of its runs; or what each of them has. */
export const dataOf = (runs: ReadonlyArray<OpenRun>) => {
  const { data } = runs[0]!
  return runs.every((run) => run.data === data)
    ? { shared: jsonOf(data), own: texts(runs.map(() => null)) }
    : { shared: null, own: texts(runs.map((run) => jsonOf(run.data))) }
}

/** When runs entered: mostly all at once. */
export const enteredAtOf = (runs: ReadonlyArray<OpenRun>) => {
  const { enteredAt: first } = runs[0]!
  return {
    shared: PgTypes.timestamptz(first),
    own: times(runs.map(({ enteredAt }) => (enteredAt === first ? null : enteredAt)))
  }
}

/** What runs entered: mostly all the same. */
export const workflowsOf = (runs: ReadonlyArray<OpenRun>) => {
  const { segmentId, versionId, workflowId } = runs[0]!
  const isOne = runs.every((run) => run.versionId === versionId && run.segmentId === segmentId)
  const own = (idOf: (run: OpenRun) => string | null) => uuids(runs.map((run) => (isOne ? null : idOf(run))))
  return {
    shared: isOne ? { segmentId, versionId, workflowId } : { segmentId: null, versionId: null, workflowId: null },
    workflows: own((run) => run.workflowId),
    versions: own((run) => run.versionId),
    segments: own((run) => run.segmentId)
  }
}

/** Runs of an application that are new, written as far as they have come. */
export const insertRuns = (sql: Sql, moved: ReadonlyArray<MovedRun>) => {
  const to = columnsOf(moved)
  const runs = moved.map(({ run }) => run)
  const { own, shared } = dataOf(runs)
  const entered = enteredAtOf(runs)
  const { segments, shared: of, versions, workflows } = workflowsOf(runs)
  return sql`
    INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position, is_begun, deadline,
      tries, data, steps, sends, history, ended_step, error, reason, depth, segment_id, trace, created_at, ended_at)
    SELECT ${runs[0]!.appId}::uuid, t.id, coalesce(${of.workflowId}::uuid, t.workflow_id),
      coalesce(${of.versionId}::uuid, t.version_id), t.contact_id,
      t.user_id, t.status, t.position, t.is_begun, t.deadline, t.tries, coalesce(${shared}::text, t.data), coalesce(t.steps, '{}'),
      coalesce(t.sends, '{}'), t.history, t.ended_step, t.error, t.reason, t.depth,
      coalesce(${of.segmentId}::uuid, t.segment_id), t.trace,
      coalesce(t.created_at, ${entered.shared}), CASE WHEN t.status <> 'waiting' THEN clock_timestamp() END
    FROM unnest(${to.ids}, ${uuids(moved.map(({ run }) => run.contactId))}, ${texts(moved.map(({ run }) => run.userId))},
      ${to.status}, ${to.position}, ${to.isBegun}, ${to.deadline}, ${to.tries}, ${to.steps}, ${to.sends}, ${to.history},
      ${to.endedStep}, ${to.error}, ${to.reason}, ${own},
      ${smallints(moved.map(({ run }) => run.depth))}, ${texts(moved.map(({ run }) => run.trace))}, ${entered.own},
      ${workflows}, ${versions}, ${segments}
    ) AS t (id, contact_id, user_id, status, position, is_begun, deadline, tries, steps, sends, history, ended_step, error,
      reason, data, depth, trace, created_at, workflow_id, version_id, segment_id)`
}

/**
 * Runs of one application that are there. A person may enter again who was kept out while a run was open; of one who was
 * erased nothing stays that names them, nor what the run carried and said of them.
 */
const updateRuns = (sql: Sql, moved: ReadonlyArray<MovedRun>) => {
  const to = columnsOf(moved)
  return sql`
    UPDATE executions e SET status = t.status, position = t.position, is_begun = t.is_begun, deadline = t.deadline,
      tries = t.tries, data = CASE WHEN gone.is_over THEN '{}' ELSE e.data END,
      steps = CASE WHEN gone.is_over THEN '{}' ELSE coalesce(t.steps, e.steps) END,
      sends = CASE WHEN gone.is_over THEN '{}' ELSE coalesce(t.sends, e.sends) END,
      history = CASE WHEN gone.is_over THEN t.history ELSE e.history || t.history END, ended_step = t.ended_step, error = t.error, reason = t.reason,
      entry_key = CASE WHEN gone.is_over OR t.status <> 'waiting' AND e.entry_key LIKE 'o%' THEN NULL ELSE e.entry_key END,
      user_id = CASE WHEN gone.is_over THEN '' ELSE e.user_id END,
      ended_at = CASE WHEN t.status <> 'waiting' THEN clock_timestamp() END
    FROM (SELECT ${moved[0]!.run.appId}::uuid AS app_id, * FROM unnest(${to.ids}, ${to.status}, ${to.position}, ${to.isBegun},
      ${to.deadline}, ${to.tries}, ${to.steps}, ${to.sends}, ${to.history}, ${to.endedStep}, ${to.error}, ${to.reason},
      ${booleans(moved.map(({ run }) => run.person === null))}) OFFSET 0
    ) AS t (app_id, id, status, position, is_begun, deadline, tries, steps, sends, history, ended_step, error, reason, is_erased)
    CROSS JOIN LATERAL (SELECT t.is_erased AND t.status <> 'waiting' AS is_over) AS gone
    WHERE e.app_id = ANY(ARRAY[t.app_id]) AND e.id = t.id`
}

const insertTimers = (sql: Sql, waiting: ReadonlyArray<MovedRun>, holder: HolderId | null) => sql`
  INSERT INTO execution_timers (app_id, execution_id, due_at, fence, holder)
  SELECT ${waiting[0]!.run.appId}::uuid, t.id, t.due_at, t.fence, t.holder
  FROM unnest(${uuids(waiting.map(({ run }) => run.id))}, ${times(waiting.map(dueOf))}, ${integers(waiting.map(fenceOf))},
    ${integers(holdersOf(waiting, holder))}) AS t (id, due_at, fence, holder)`

const dueOf = ({ fetchUntil, settled }: MovedRun): number => fetchUntil ?? settled.dueAt!
const fenceOf = ({ fetchUntil, run }: MovedRun): number => (fetchUntil === null ? run.fence : run.fence + 1)

/** Whose FETCH each is at. */
const holdersOf = (waiting: ReadonlyArray<MovedRun>, holder: HolderId | null) =>
  waiting.map(({ fetchUntil }) => (fetchUntil === null ? null : holder))

/** What has got on is not suspected any more, but for a FETCH that is only begun. */
const updateTimers = (sql: Sql, waiting: ReadonlyArray<MovedRun>, holder: HolderId | null) => sql`
  UPDATE execution_timers r SET due_at = t.due_at, fence = t.fence, holder = t.holder,
    suspicion = CASE WHEN t.fence > r.fence THEN r.suspicion ELSE 0 END
  FROM (
    SELECT ${waiting[0]!.run.appId}::uuid, *
    FROM unnest(${uuids(waiting.map(({ run }) => run.id))}, ${times(waiting.map(dueOf))}, ${integers(waiting.map(fenceOf))},
      ${integers(holdersOf(waiting, holder))}) OFFSET 0
  ) AS t (app_id, id, due_at, fence, holder)
  WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id`

/** Runs of an application, as `t`, to look their rows up by (ofRows.ts). */
export const theseRuns = (sql: Sql, appId: AppId, ids: ReadonlyArray<ExecutionId>) =>
  sql`(SELECT ${appId}::uuid, * FROM unnest(${uuids(ids)}) OFFSET 0) AS t (app_id, id)`

export const deleteTimers = (sql: Sql, appId: AppId, ids: ReadonlyArray<ExecutionId>) => sql`
  DELETE FROM execution_timers r USING ${theseRuns(sql, appId, ids)}
  WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id`

/** What would wake runs that have left the step which waits for it: where it came later, it would hurry another step. */
export const deleteWakes = (sql: Sql, runs: ReadonlyArray<Pick<OpenRun, "appId" | "id" | "userId">>) => sql`
  DELETE FROM execution_events WHERE ctid = ANY(ARRAY(
    SELECT w.ctid FROM unnest(${texts(runs.map(({ userId }) => userId))}, ${uuids(runs.map(({ id }) => id))}) AS t (user_id, id)
    CROSS JOIN LATERAL (
      SELECT ctid FROM execution_events
      WHERE app_id = ${runs[0]!.appId} AND user_id = t.user_id AND execution_id = t.id OFFSET 0
    ) AS w
  ))`

/** Whether a run was in a WAIT_FOR, which always brings something, and is so no more. A DIGEST does as well. */
const hasLeft = ({ run, settled }: MovedRun): boolean =>
  run.isBegun && (settled.steps !== run.steps || settled.status === "cancelled" || settled.status === "failed")

/** Whether a run has ended within a step, which may be a DIGEST that it has opened: nobody is left to go on with it. */
const isBroken = ({ run, settled }: MovedRun): boolean =>
  run.isBegun && (settled.status === "cancelled" || settled.status === "failed")

/** Removes the digests of runs of one application that have ended, and what is in them. */
export const dropDigests = Effect.fnUntraced(function* (sql: Sql, appId: AppId, openers: ReadonlyArray<ExecutionId>) {
  // First the digests: who joins one meanwhile has brought its data when this one has been waited for.
  yield* sql`DELETE FROM digests WHERE execution_id = ANY(${uuids(openers)})`
  yield* sql`
    DELETE FROM digest_items i USING ${theseRuns(sql, appId, openers)}
    WHERE i.app_id = ANY(ARRAY[t.app_id]) AND i.opener_id = t.id`
})

/** What wakes runs before their time. What woke them before stays until it is used: it wakes one that goes on waiting. */
const insertWakes = Effect.fnUntraced(function* (sql: Sql, moved: ReadonlyArray<MovedRun>) {
  const events = moved.flatMap(({ run, settled: { wakes } }) =>
    wakes !== null && "event" in wakes ? [{ run, event: wakes.event }] : []
  )
  if (events.length > 0) {
    yield* sql`
      INSERT INTO execution_events (app_id, user_id, event, execution_id)
      SELECT ${events[0]!.run.appId}::uuid, * FROM unnest(${texts(events.map(({ run }) => run.userId))},
        ${texts(events.map(({ event }) => event))}, ${uuids(events.map(({ run }) => run.id))})
      ON CONFLICT DO NOTHING`
  }
  const outcomes = moved.flatMap(({ run, sends, settled: { wakes } }) => {
    const id =
      wakes !== null && "send" in wakes ? (ownOf(sends, wakes.send) ?? ownOf(run.sends, wakes.send)) : undefined
    return id === undefined ? [] : [{ run, id }]
  })
  if (outcomes.length > 0) {
    yield* sql`
      INSERT INTO execution_outcomes (app_id, notification_id, execution_id)
      SELECT ${outcomes[0]!.run.appId}::uuid, * FROM unnest(${uuids(outcomes.map(({ id }) => id))},
        ${uuids(outcomes.map(({ run }) => run.id))})
      ON CONFLICT DO NOTHING`
  }
})

const insertMessages = (sql: Sql, messages: Moves["messages"]) => sql`
  INSERT INTO notifications (id, app_id, priority, request, expires_at, template_version, trace)
  SELECT t.id, t.app_id, t.priority, t.request::json, now() + t.ttl * interval '1 ms', t.template, t.trace
  FROM unnest(${uuids(messages.map(({ id }) => id))}, ${uuids(messages.map(({ appId }) => appId))},
    ${texts(messages.map(({ priority }) => priority))}, ${texts(messages.map(({ request }) => jsonOf(request)))},
    ${doubles(messages.map(({ ttlMs }) => ttlMs))}, ${uuids(messages.map(({ template }) => template))},
    ${texts(messages.map(({ trace }) => trace))}
  ) AS t (id, app_id, priority, request, ttl, template, trace)`

/** Chunks that an active webhook subscribes to, and its work, as of results (sending/resultParts.ts). */
export const insertEvents = Effect.fnUntraced(function* (sql: Sql, events: ReadonlyArray<EventChunk>) {
  if (events.length === 0) return []
  const rows = yield* sql<{ readonly webhook_id: WebhookId }>`
    WITH arrived AS MATERIALIZED (
      SELECT * FROM unnest(${uuids(events.map(({ id }) => id))}, ${uuids(events.map(({ appId }) => appId))},
        ${texts(events.map(({ event }) => event))}, ${times(events.map(({ at }) => at))},
        ${integers(events.map(({ size }) => size))}, ${texts(events.map(({ common }) => jsonOf(common)))},
        ${texts(events.map(({ columns }) => jsonOf(columns)))}
      ) AS t (id, app_id, event, at, size, common, columns)
    ), wanted AS MATERIALIZED (
      SELECT t.id, h.id AS webhook_id FROM arrived t CROSS JOIN LATERAL (
        SELECT id FROM webhooks WHERE app_id = t.app_id AND is_active AND (events = '{}' OR t.event = ANY(events))
        FOR KEY SHARE
      ) AS h
    ), chunks AS (
      INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
      SELECT * FROM arrived WHERE id IN (SELECT id FROM wanted) RETURNING id
    ), work AS (
      INSERT INTO webhook_work_items (id, webhook_id, chunk_id)
      SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.webhook_id, wanted.id
      FROM wanted JOIN chunks ON chunks.id = wanted.id RETURNING webhook_id
    )
    SELECT DISTINCT webhook_id FROM work`
  return rows.map(({ webhook_id }) => webhook_id)
})

/** Last in a transaction: every mover of a version meets here. In the order of keys, so that no two wait for each other. */
export const addCounts = (sql: Sql, sums: ReadonlyArray<StepSum>) => {
  const ordered = sums.toSorted((a, b) =>
    a.versionId === b.versionId ? a.stepOrder - b.stepOrder : a.versionId < b.versionId ? -1 : 1
  )
  return sql`
    INSERT INTO workflow_step_counts AS c (version_id, step_order, entered, passed, stopped, failed)
    SELECT t.version_id, t.step_order, t.entered, t.passed, t.stopped, t.failed
    FROM unnest(${uuids(ordered.map(({ versionId }) => versionId))}, ${smallints(ordered.map(({ stepOrder }) => stepOrder))},
      ${integers(ordered.map(({ entered }) => entered))}, ${integers(ordered.map(({ passed }) => passed))},
      ${integers(ordered.map(({ stopped }) => stopped))}, ${integers(ordered.map(({ failed }) => failed))}
    ) WITH ORDINALITY AS t (version_id, step_order, entered, passed, stopped, failed, place)
    WHERE EXISTS (SELECT 1 FROM workflow_versions v WHERE v.id = t.version_id OFFSET 0)
    ORDER BY t.place
    ON CONFLICT (version_id, step_order) DO UPDATE SET entered = c.entered + excluded.entered,
      passed = c.passed + excluded.passed, stopped = c.stopped + excluded.stopped, failed = c.failed + excluded.failed`
}

/**
 * Writes moves of runs of one application; `isNew`: they were written already, with `insertRuns`. `holder`: who begins the
 * FETCHes that they are at.
 */
export const writeMoves = Effect.fnUntraced(function* (
  sql: Sql,
  moves: Moves,
  isNew: boolean,
  holder: HolderId | null
) {
  const { counts, events, messages, moved } = moves
  if (moved.length === 0) return []
  const waiting = moved.filter((one) => !isEnded(one))
  const ended = moved.filter(isEnded)
  if (!isNew) {
    yield* updateRuns(sql, moved)
    if (waiting.length > 0) yield* updateTimers(sql, waiting, holder)
    if (ended.length > 0) {
      yield* deleteTimers(
        sql,
        ended[0]!.run.appId,
        ended.map(({ run }) => run.id)
      )
    }
  } else if (waiting.length > 0) yield* insertTimers(sql, waiting, holder)
  const broken = moved.filter(isBroken).map(({ run }) => run.id)
  if (broken.length > 0) yield* dropDigests(sql, moved[0]!.run.appId, broken)
  const left = moved.filter(hasLeft).map(({ run }) => run)
  if (left.length > 0) yield* deleteWakes(sql, left)
  yield* insertWakes(sql, waiting)
  if (messages.length > 0) yield* insertMessages(sql, messages)
  const webhooks = yield* insertEvents(sql, events)
  if (counts.length > 0) yield* addCounts(sql, counts)
  return webhooks
})
