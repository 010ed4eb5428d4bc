import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { FETCHES_PER_SECOND } from "../../../services/ports/workflows/ExecutionStore.ts"
import { storeError } from "../server/storeError.ts"
import { keyText } from "./answers.ts"

/** The turns of an application's FETCH steps at a server. */
export const fetchTurns = (sql: SqlClient.SqlClient) => {
  const turn = sql.literal(`interval '${1000 / FETCHES_PER_SECOND} ms'`)
  const takeTurn: ExecutionStore["Service"]["takeTurn"] = (appId, host, at) => {
    const now = PgTypes.timestamptz(at)
    return sql<{ readonly at: Date }>`
      INSERT INTO fetch_hosts AS h (app_id, host, next_at)
      VALUES (${appId}, ${keyText(host)}, ${now} - interval '1 s' + ${turn})
      ON CONFLICT (app_id, host) DO UPDATE SET next_at = greatest(h.next_at, ${now} - interval '1 s') + ${turn}
      RETURNING greatest(next_at - ${turn}, ${now}) AS at`.pipe(
      Effect.map(([row]) => row!.at.getTime()),
      storeError("ExecutionStore.takeTurn")
    )
  }

  const holdTurns: ExecutionStore["Service"]["holdTurns"] = (appId, host, until) =>
    sql`
      UPDATE fetch_hosts SET next_at = greatest(next_at, ${PgTypes.timestamptz(until)}),
        held_until = greatest(held_until, ${PgTypes.timestamptz(until)})
      WHERE app_id = ${appId} AND host = ${keyText(host)}`.pipe(Effect.asVoid, storeError("ExecutionStore.holdTurns"))

  const isHeld: ExecutionStore["Service"]["isHeld"] = (appId, host, at) =>
    sql`
      SELECT 1 FROM fetch_hosts
      WHERE app_id = ${appId} AND host = ${keyText(host)} AND held_until > ${PgTypes.timestamptz(at)}`.pipe(
      Effect.map((rows) => rows.length > 0),
      storeError("ExecutionStore.isHeld")
    )

  return { takeTurn, holdTurns, isHeld }
}
