import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { DeadLetterFilter, Replay, ReplayStatus } from "../../../services/domain/sending/DeadLetter.ts"
import type { AppId, ReplayId } from "../../../services/domain/Ids.ts"
import { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import { TooManyRunning } from "../../../services/ports/operations/TooManyRunning.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { milliseconds } from "../server/columns.ts"
import { deadLettersOf } from "./deadLetters.ts"
import { Holder } from "../operations/Holder.ts"
import { beginOneMore } from "../server/beginOneMore.ts"
import { inTurn } from "../server/inTurn.ts"
import { ofRows } from "../server/ofRows.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import type { Moved } from "./replayDeadLetters.ts"
import { laneOf, moveDeadLetters } from "./replayDeadLetters.ts"
import { storeError } from "../server/storeError.ts"

interface Row {
  readonly id: ReplayId
  readonly app_id: AppId
  /** `after_xid`: the transaction that began it. */
  readonly filter: DeadLetterFilter & { readonly after_xid?: string }
  readonly status: ReplayStatus
  readonly replayed: number
  readonly skipped: number
  readonly created_at: Date
  readonly completed_at: Date | null
}

const COLUMNS = "r.id, r.app_id, r.filter, r.status, r.replayed, r.skipped, r.created_at, r.completed_at"

/** Before every dead letter. */
const FIRST = "00000000-0000-0000-0000-000000000000"

const replayOf = (row: Row): Replay => {
  const { after_xid: _, ...filter } = row.filter
  return {
    id: row.id,
    appId: row.app_id,
    filter,
    status: row.status,
    replayed: row.replayed,
    skipped: row.skipped,
    createdAt: row.created_at.getTime(),
    completedAt: row.completed_at?.getTime() ?? null
  }
}

export const layer: Layer.Layer<ReplayStore, never, SqlClient.SqlClient> = Layer.effect(
  ReplayStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const columns = sql.literal(COLUMNS)

    const one: ReplayStore["Service"]["one"] = Effect.fnUntraced(
      function* (appId, id) {
        const [row] = yield* sql<Moved>`
        WITH ${moveDeadLetters(sql, [sql`l.app_id = ${appId}`, sql`l.id = ${id}`], 1)} SELECT * FROM moved`
        const lane = Option.fromUndefinedOr(row!.lanes[0])
        if (Option.isSome(lane)) yield* record(sql, appId, "dead_letter.replayed", id)
        return Option.map(lane, laneOf)
      },
      (effect, appId) => permitted(sql, appId, effect),
      storeError("ReplayStore.one")
    )

    const start: ReplayStore["Service"]["start"] = Effect.fnUntraced(
      function* (appId, id, filter) {
        const insert = sql<Row>`
        INSERT INTO replays AS r (id, app_id, filter) VALUES (${id}, ${appId}, (${JSON.stringify(filter)}::jsonb
          || jsonb_build_object('after_xid', pg_current_xact_id()::xid::text))::json)
        RETURNING ${columns}`
        const noted = Effect.tap(insert, () => record(sql, appId, "dead_letters.replayed", id, { filter }))
        return yield* permitted(sql, appId, beginOneMore(sql, "replays", appId, noted))
      },
      storeError("ReplayStore.start"),
      Effect.flatMap((row) => (row === null ? Effect.fail(new TooManyRunning()) : Effect.succeed(replayOf(row))))
    )

    const find: ReplayStore["Service"]["find"] = (appId, id) =>
      sql<Row>`SELECT ${columns} FROM replays r WHERE r.id = ${id} AND r.app_id = ${appId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), replayOf)),
        storeError("ReplayStore.find")
      )

    const list: ReplayStore["Service"]["list"] = (appId, before, limit) =>
      sql<Row>`
        SELECT ${columns} FROM replays r WHERE ${spanOf(sql, "newest first", appId, before)} LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(replayOf), limit)),
        storeError("ReplayStore.list")
      )

    const claim: ReplayStore["Service"]["claim"] = Effect.fnUntraced(function* (served, leaseMs) {
      const rows = yield* sql<Row & { readonly fence: number }>`
        WITH ${inTurn(sql, "replays", sql`status = 'running' AND (lease_until IS NULL OR lease_until < now())`, served)}
        UPDATE replays r SET fence = r.fence + 1, lease_holder = ${holder.id()}::integer, lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
        WHERE r.id = (SELECT id FROM next)
        RETURNING ${columns}, r.fence`
      return Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({ replay: replayOf(row), fence: row.fence }))
    }, storeError("ReplayStore.claim"))

    // Dead letters that fail once more are younger than the replay: it comes to an end. Those that were there before the
    // clock was set back are older by their rows alone.
    const step: ReplayStore["Service"]["step"] = Effect.fnUntraced(function* ({ fence, replay }, limit, leaseMs) {
      // In the order of the index by notification: in that of ids alone one would walk through all that there are.
      const order = replay.filter.notification_id === undefined ? sql`l.id` : sql`l.notification_id, l.id`
      const rows = yield* sql<Moved>`
        WITH mine AS MATERIALIZED (
          SELECT id, dead_letter_id, created_at, (filter ->> 'after_xid')::xid AS after_xid FROM replays
          WHERE id = ${replay.id} AND fence = ${fence} AND ${ofRows(sql, sql`status = 'running'`)} FOR NO KEY UPDATE
        ), ${moveDeadLetters(
          sql,
          [
            ...deadLettersOf(sql, replay.appId, { kind: "notification", ...replay.filter }, true),
            sql`(l.at <= (SELECT created_at FROM mine) OR age(l.xmin) > age((SELECT after_xid FROM mine)))`,
            sql`l.id > coalesce((SELECT dead_letter_id FROM mine), ${FIRST}::uuid)`
          ],
          limit,
          order
        )}
        UPDATE replays r SET
          dead_letter_id = coalesce(moved.last, r.dead_letter_id),
          replayed = r.replayed + moved.moved,
          skipped = r.skipped + moved.looked - moved.moved,
          status = CASE WHEN moved.looked < ${limit} THEN 'completed' ELSE 'running' END,
          completed_at = CASE WHEN moved.looked < ${limit} THEN now() END,
          lease_until = CASE WHEN moved.looked < ${limit} OR ${leaseMs === null} THEN NULL
            ELSE now() + ${milliseconds(leaseMs ?? 0)} * interval '1 ms' END
        FROM mine, moved WHERE r.id = ANY(ARRAY[mine.id])
        RETURNING moved.*`
      return Option.map(Option.fromUndefinedOr(rows[0]), ({ lanes, looked }) => ({
        isDone: looked < limit,
        lanes: lanes.map(laneOf)
      }))
    }, storeError("ReplayStore.step"))

    return ReplayStore.of({ one, start, find, list, claim, step })
  })
)
