import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { LetterFilter, Replay, ReplayStatus } from "../../services/domain/DeadLetter.ts"
import type { AppId, ReplayId } from "../../services/domain/Ids.ts"
import { ReplayStore } from "../../services/ports/ReplayStore.ts"
import { milliseconds } from "./columns.ts"
import { lettersOf } from "./deadLetters.ts"
import { pageOf } from "./pages.ts"
import type { Moved } from "./replayLetters.ts"
import { laneOf, moveLetters } from "./replayLetters.ts"
import { storeError } from "./storeError.ts"

interface Row {
  readonly id: ReplayId
  readonly app_id: AppId
  readonly filter: LetterFilter
  readonly status: ReplayStatus
  readonly replayed: number
  readonly skipped: number
  readonly created_at: Date
  readonly completed_at: Date | null
}

const COLUMNS = "r.id, r.app_id, r.filter, r.status, r.replayed, r.skipped, r.created_at, r.completed_at"

/** Before every letter. */
const FIRST = "00000000-0000-0000-0000-000000000000"

const replayOf = (row: Row): Replay => ({
  id: row.id,
  appId: row.app_id,
  filter: row.filter,
  status: row.status,
  replayed: row.replayed,
  skipped: row.skipped,
  createdAt: row.created_at.getTime(),
  completedAt: row.completed_at?.getTime() ?? null
})

export const layer: Layer.Layer<ReplayStore, never, SqlClient.SqlClient> = Layer.effect(
  ReplayStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)

    const one: ReplayStore["Service"]["one"] = Effect.fnUntraced(function* (appId, id) {
      const [row] = yield* sql<Moved>`
        WITH ${moveLetters(sql, [sql`l.app_id = ${appId}`, sql`l.id = ${id}`], 1)} SELECT * FROM moved`
      return Option.map(Option.fromUndefinedOr(row!.lanes[0]), laneOf)
    }, storeError("ReplayStore.one"))

    const start: ReplayStore["Service"]["start"] = Effect.fnUntraced(function* (appId, id, filter) {
      const rows = yield* sql<Row>`
        INSERT INTO replays AS r (id, app_id, filter) VALUES (${id}, ${appId}, ${JSON.stringify(filter)}::json)
        RETURNING ${columns}`
      return replayOf(rows[0]!)
    }, storeError("ReplayStore.start"))

    const find: ReplayStore["Service"]["find"] = (appId, id) =>
      sql<Row>`SELECT ${columns} FROM replays r WHERE r.id = ${id} AND r.app_id = ${appId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), replayOf)),
        storeError("ReplayStore.find")
      )

    const list: ReplayStore["Service"]["list"] = (appId, before, limit) =>
      sql<Row>`
        SELECT ${columns} FROM replays r WHERE ${sql.and([
          sql`r.app_id = ${appId}`,
          ...(before === null ? [] : [sql`r.id < ${before}`])
        ])} ORDER BY r.id DESC LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(replayOf), limit)),
        storeError("ReplayStore.list")
      )

    const claim: ReplayStore["Service"]["claim"] = Effect.fnUntraced(function* (leaseMs) {
      const rows = yield* sql<Row & { readonly fence: number }>`
        WITH free AS MATERIALIZED (
          SELECT id FROM replays WHERE status = 'running' AND (lease_until IS NULL OR lease_until < now())
          ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE replays r SET fence = r.fence + 1, lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
        FROM free WHERE r.id = free.id
        RETURNING ${columns}, r.fence`
      return Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({ replay: replayOf(row), fence: row.fence }))
    }, storeError("ReplayStore.claim"))

    // Letters that fail once more are younger than the replay: it comes to an end.
    const step: ReplayStore["Service"]["step"] = Effect.fnUntraced(function* ({ fence, replay }, limit, leaseMs) {
      const rows = yield* sql<Moved>`
        WITH mine AS MATERIALIZED (
          SELECT id, letter_id, created_at FROM replays
          WHERE id = ${replay.id} AND fence = ${fence} AND status = 'running' FOR NO KEY UPDATE
        ), ${moveLetters(
          sql,
          [
            ...lettersOf(sql, replay.appId, replay.filter),
            sql`l.at <= (SELECT created_at FROM mine)`,
            sql`l.id > coalesce((SELECT letter_id FROM mine), ${FIRST}::uuid)`
          ],
          limit
        )}
        UPDATE replays r SET
          letter_id = coalesce(moved.last, r.letter_id),
          replayed = r.replayed + moved.moved,
          skipped = r.skipped + moved.looked - moved.moved,
          status = CASE WHEN moved.looked < ${limit} THEN 'completed' ELSE 'running' END,
          completed_at = CASE WHEN moved.looked < ${limit} THEN now() END,
          lease_until = CASE WHEN moved.looked < ${limit} THEN NULL
            ELSE now() + ${milliseconds(leaseMs)} * interval '1 ms' END
        FROM mine, moved WHERE r.id = mine.id
        RETURNING moved.*`
      return Option.map(Option.fromUndefinedOr(rows[0]), ({ lanes, looked }) => ({
        isDone: looked < limit,
        lanes: lanes.map(laneOf)
      }))
    }, storeError("ReplayStore.step"))

    return ReplayStore.of({ one, start, find, list, claim, step })
  })
)
