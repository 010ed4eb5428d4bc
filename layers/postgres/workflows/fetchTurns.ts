import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { FETCHES_PER_SECOND } from "../../../services/ports/workflows/ExecutionStore.ts"
import { LONGEST_WAIT_MS } from "../../../services/ports/workflows/FetchClient.ts"
import { now as present } from "../../../services/ports/Now.ts"
import { milliseconds } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { keyText } from "./answers.ts"

/** Turns that lie no further ahead (ms) are believed. */
const NEAR_MS = 10_000
/** In a queue that is longer, some wait for each of the next turns (ms): half of them at least, whoever was cancelled. */
const NEXT_MS = 4_000
const WAITING = (FETCHES_PER_SECOND * NEXT_MS) / 1000 / 2

/** The turns of an application's FETCH steps at a server. */
export const fetchTurns = (sql: SqlClient.SqlClient) => {
  const turn = sql.literal(`interval '${1000 / FETCHES_PER_SECOND} ms'`)
  const after = (at: number, ms: number) => sql`${PgTypes.timestamptz(at)} + ${milliseconds(ms)} * interval '1 ms'`

  /** Until when the server of the row `h` is left alone, if that can be: no longer than it may ask for. */
  const isLeftAlone = (at: number) =>
    sql`h.held_until > ${PgTypes.timestamptz(at)} AND h.held_until <= ${after(at, LONGEST_WAIT_MS)}`

  /**
   * The next turn at the server of the row `h`; null where it lies ahead and nobody waits for those before it: they were
   * taken before the clock was set back, and it would be as long before one comes again.
   */
  const nextOf = (at: number) => sql`CASE WHEN h.next_at <= ${after(at, NEAR_MS)} OR ${isLeftAlone(at)} OR (
      SELECT count(*) = ${WAITING} FROM (
        SELECT FROM execution_timers t
        WHERE t.app_id = h.app_id AND t.due_at > ${PgTypes.timestamptz(at)} AND t.due_at <= ${after(at, NEXT_MS)}
        LIMIT ${WAITING}
      ) AS w
    ) THEN h.next_at END`

  const takeTurn: ExecutionStore["Service"]["takeTurn"] = (appId, host, at) => {
    const now = PgTypes.timestamptz(at)
    return sql<{ readonly at: Date }>`
      INSERT INTO fetch_hosts AS h (app_id, host, next_at)
      VALUES (${appId}, ${keyText(host)}, ${now} - interval '1 s' + ${turn})
      ON CONFLICT (app_id, host) DO UPDATE SET next_at = greatest(${nextOf(at)}, ${now} - interval '1 s') + ${turn}
      RETURNING greatest(next_at - ${turn}, ${now}) AS at`.pipe(
      Effect.map(([row]) => row!.at.getTime()),
      storeError("ExecutionStore.takeTurn")
    )
  }

  const holdTurns: ExecutionStore["Service"]["holdTurns"] = (appId, host, until) =>
    Effect.suspend(() => {
      const at = present()
      const end = PgTypes.timestamptz(until)
      return sql`
        UPDATE fetch_hosts h SET next_at = greatest(${nextOf(at)}, ${end}),
          held_until = greatest(CASE WHEN ${isLeftAlone(at)} THEN h.held_until END, ${end})
        WHERE app_id = ${appId} AND host = ${keyText(host)}`
    }).pipe(Effect.asVoid, storeError("ExecutionStore.holdTurns"))

  const isHeld: ExecutionStore["Service"]["isHeld"] = (appId, host, at) =>
    sql`SELECT 1 FROM fetch_hosts h WHERE app_id = ${appId} AND host = ${keyText(host)} AND ${isLeftAlone(at)}`.pipe(
      Effect.map((rows) => rows.length > 0),
      storeError("ExecutionStore.isHeld")
    )

  return { takeTurn, holdTurns, isHeld }
}
