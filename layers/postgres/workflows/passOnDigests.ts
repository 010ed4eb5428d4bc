import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId, ContactId, ExecutionId, WorkflowId, WorkflowVersionId } from "../../../services/domain/Ids.ts"
import type { HistoryEntry } from "../../../services/domain/workflows/Execution.ts"
import type { StepSum } from "../../../services/ports/workflows/ExecutionStore.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import { texts, times, uuids } from "../server/columns.ts"
import { dropDigests, historyText } from "./writeMoves.ts"

type Sql = SqlClient.SqlClient

interface Held {
  readonly workflow_id: WorkflowId
  readonly step_key: string
  readonly contact_id: ContactId
  readonly opener: ExecutionId
  readonly closes_at: Date
}

/**
 * Digests whose openers end before their time go out all the same, with what the other runs have brought: a run of its own
 * waits in the place of the opener, with the data of the first of them. Where nobody else has brought anything, the digest
 * ends. Answers what this adds to the counts of steps, and who goes on instead of whom.
 */
export const passOnDigests = Effect.fnUntraced(function* (sql: Sql, appId: AppId, openers: ReadonlyArray<ExecutionId>) {
  const successors = new Map<ExecutionId, ExecutionId>()
  const held = yield* sql<Held>`
    SELECT workflow_id, step_key, contact_id, execution_id AS opener, closes_at FROM digests
    WHERE execution_id = ANY(${uuids(openers)})
    ORDER BY workflow_id, step_key COLLATE "C", contact_id, digest_key COLLATE "C" FOR UPDATE`
  if (held.length === 0) return { successors, counts: [] as ReadonlyArray<StepSum> }
  // Of each the item that ends with the opener, which is its own, or the one whose place it took; then the next.
  const ends = yield* sql<{ readonly place: number; readonly id: ExecutionId; readonly data: string }>`
    SELECT t.place::integer AS place, i.execution_id AS id, i.data
    FROM unnest(${uuids(held.map(({ opener }) => opener))}, ${texts(held.map(({ step_key }) => step_key))})
      WITH ORDINALITY AS t (opener, step_key, place)
    CROSS JOIN LATERAL (
      SELECT execution_id, data FROM digest_items
      WHERE app_id = ${appId} AND opener_id = t.opener AND step_key = t.step_key
      ORDER BY execution_id = t.opener DESC, execution_id LIMIT 2
    ) AS i ORDER BY t.place, i.execution_id = t.opener DESC, i.execution_id`
  const ending = ends.filter(({ place }, i) => ends[i - 1]?.place !== place)
  const others = ends.filter(({ place }, i) => ends[i - 1]?.place === place)
  const at = now()
  const passed = others.map(({ data, id: first, place }) => {
    const { closes_at, opener } = held[place - 1]!
    const id = uuidv7() as ExecutionId
    successors.set(opener, id)
    return { id, opener, first, data, closesAt: closes_at.getTime() }
  })
  const ids = uuids(passed.map(({ id }) => id))
  const from = uuids(passed.map(({ opener }) => opener))
  const closing = times(passed.map(({ closesAt }) => closesAt))
  const historyOf = ({ closesAt, opener }: (typeof passed)[number]): HistoryEntry => ({
    at,
    stepOrder: 0,
    outcome: "waiting",
    until: closesAt,
    detail: `goes on with the digest of ${opener}, which was cancelled`
  })
  // What the first of the others went by is gone where it was kept long enough; then the opener's has to do.
  const begun =
    passed.length === 0
      ? []
      : yield* sql<{ readonly version_id: WorkflowVersionId; readonly position: number }>`
        INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position, is_begun,
          deadline, data, steps, sends, history, depth, segment_id, created_at)
        SELECT o.app_id, t.id, o.workflow_id, o.version_id, o.contact_id, o.user_id, 'waiting', o.position, true,
          t.closes_at, t.data, coalesce(f.steps, o.steps), coalesce(f.sends, o.sends),
          replace(t.history, '"stepOrder":0', '"stepOrder":' || (o.position + 1)), o.depth, o.segment_id, ${PgTypes.timestamptz(at)}
        FROM unnest(${ids}, ${from}, ${uuids(passed.map(({ first }) => first))}, ${texts(passed.map(({ data }) => data))},
          ${closing}, ${texts(passed.map((one) => historyText([historyOf(one)])))})
          AS t (id, opener, first, data, closes_at, history)
        CROSS JOIN LATERAL (SELECT * FROM executions WHERE app_id = ${appId} AND id = t.opener OFFSET 0) AS o
        LEFT JOIN LATERAL (SELECT * FROM executions WHERE app_id = ${appId} AND id = t.first OFFSET 0) AS f ON true
        RETURNING version_id, position`
  yield* sql`
    DELETE FROM digest_items i
    USING (
      SELECT ${appId}::uuid, *
      FROM unnest(${uuids(ending.map(({ place }) => held[place - 1]!.opener))}, ${uuids(ending.map(({ id }) => id))}) OFFSET 0
    ) AS t (app_id, opener, id)
    WHERE i.app_id = ANY(ARRAY[t.app_id]) AND i.opener_id = t.opener AND i.execution_id = t.id`
  if (passed.length > 0) {
    yield* sql`
      INSERT INTO execution_timers (app_id, execution_id, due_at)
      SELECT ${appId}::uuid, * FROM unnest(${ids}, ${closing})`
    yield* sql`
      UPDATE digests d SET execution_id = t.id, size = d.size - 1
      FROM unnest(${ids}, ${from}) AS t (id, opener) WHERE d.execution_id = ANY(ARRAY[t.opener])`
    yield* sql`
      UPDATE digest_items i SET opener_id = t.id
      FROM (SELECT ${appId}::uuid, * FROM unnest(${ids}, ${from}) OFFSET 0) AS t (app_id, id, opener)
      WHERE i.app_id = ANY(ARRAY[t.app_id]) AND i.opener_id = t.opener`
  }
  yield* dropDigests(
    sql,
    appId,
    held.map(({ opener }) => opener)
  )
  const counts = begun.map(({ position, version_id }): StepSum => ({
    versionId: version_id,
    stepOrder: position + 1,
    entered: 1,
    passed: 0,
    stopped: 0,
    failed: 0
  }))
  return { successors, counts }
})
