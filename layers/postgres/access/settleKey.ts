import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Settlement } from "../../../services/ports/access/IdempotencyStore.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"

/** Keeps an answer under its key, unless another request has taken that. Answers a row if it did. */
export const settleKey = (sql: SqlClient.SqlClient, { answer, claim }: Settlement) => sql`
  UPDATE idempotency_keys SET status = ${answer.status}, body = ${answer.body}, location = ${answer.location}
  WHERE app_id = ${claim.appId} AND route = ${claim.route} AND key = ${claim.key} AND holder = ${claim.holder}
    AND status IS NULL RETURNING 1 AS one`

/** The same for work whose transaction keeps its answer: it is undone where another request does it. */
export const settleWithin = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  settlement: Settlement | null
): Effect.fn.Return<void, SqlError | StoreError> {
  if (settlement === null) return
  const kept = yield* settleKey(sql, settlement)
  if (kept.length > 0) return
  const cause = new Error("The idempotency key was taken over by another request")
  return yield* new StoreError({ operation: "IdempotencyStore.settle", cause })
})
