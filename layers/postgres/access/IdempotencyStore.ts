import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Begun, KeyClaim } from "../../../services/ports/access/IdempotencyStore.ts"
import { IdempotencyStore, KEPT_MS } from "../../../services/ports/access/IdempotencyStore.ts"
import { milliseconds } from "../server/columns.ts"
import { Holder } from "../operations/Holder.ts"
import { regularly } from "../operations/regularly.ts"
import { makeOwedKeys } from "./owedKeys.ts"
import { settleKey } from "./settleKey.ts"
import { storeError } from "../server/storeError.ts"

interface KeyRow {
  readonly is_same: boolean
  /** Milliseconds. */
  readonly age: number
  readonly holder: string
  readonly status: number | null
  readonly body: string | null
  readonly location: string | null
}

/** Old keys deleted by one statement: few enough that it holds nobody up. */
const SWEPT = 5_000

export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const process = yield* Holder
    const kept = sql`${milliseconds(KEPT_MS)} * interval '1 ms'`

    const begin: IdempotencyStore["Service"]["begin"] = Effect.fnUntraced(function* (claim, fingerprint, leaseMs) {
      const { appId, holder, key, route } = claim
      const taken = yield* sql`
        INSERT INTO idempotency_keys AS k (app_id, route, key, fingerprint, holder, process, lease_until)
        VALUES (${appId}, ${route}, ${key}, ${fingerprint}, ${holder}, ${process.id()}::integer,
          now() + ${milliseconds(leaseMs)} * interval '1 ms')
        ON CONFLICT (app_id, route, key) DO UPDATE SET
          fingerprint = excluded.fingerprint, holder = excluded.holder, process = excluded.process,
          lease_until = excluded.lease_until, created_at = now(), status = NULL, body = NULL, location = NULL
        WHERE k.created_at < now() - ${kept}
          OR (k.status IS NULL AND k.fingerprint = excluded.fingerprint
            AND (k.lease_until < now() OR k.process IS NOT NULL AND NOT EXISTS (
              SELECT FROM holders WHERE id = k.process AND ended IS NULL
            )))
        RETURNING holder`
      if (taken.length > 0) return { _tag: "Taken" } satisfies Begun
      const rows = yield* sql<KeyRow>`
        SELECT fingerprint = ${fingerprint} AS is_same, holder, status, body, location,
          extract(epoch FROM now() - created_at)::float8 * 1000 AS age
        FROM idempotency_keys
        WHERE app_id = ${appId} AND route = ${route} AND key = ${key}`
      const row = rows[0]
      // Given back between the two statements: the other request is only just over.
      if (row === undefined) return { _tag: "InFlight", forMs: 0 } satisfies Begun
      if (!row.is_same) return { _tag: "Mismatch" } satisfies Begun
      if (row.status === null) return { _tag: "InFlight", forMs: row.age } satisfies Begun
      return {
        _tag: "Answered",
        holder: row.holder,
        answer: { status: row.status, body: row.body!, location: row.location }
      } satisfies Begun
    }, storeError("IdempotencyStore.begin"))

    const settle: IdempotencyStore["Service"]["settle"] = (settlement) =>
      settleKey(sql, settlement).pipe(Effect.asVoid, storeError("IdempotencyStore.settle"))

    const free = ({ appId, holder, key, route }: KeyClaim) =>
      sql`
        DELETE FROM idempotency_keys
        WHERE app_id = ${appId} AND route = ${route} AND key = ${key} AND holder = ${holder} AND status IS NULL
        RETURNING 1 AS one`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeError("IdempotencyStore.abandon")
      )

    const later = yield* makeOwedKeys({ free, settle: (claim, answer) => settle({ claim, answer }) })

    // Every node does this, in small statements that pass over each other's rows.
    const sweep = Effect.gen(function* () {
      let count: number
      do {
        const gone = yield* sql`
          DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM idempotency_keys WHERE created_at < now() - ${kept} LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED
          )) RETURNING 1`
        count = gone.length
      } while (count === SWEPT)
    }).pipe(Effect.tapError((error) => Effect.logWarning("Old idempotency keys could not be deleted", error)))
    yield* regularly(sweep, "1 hour")

    return IdempotencyStore.of({
      begin,
      settle,
      abandon: (claim) => Effect.asVoid(free(claim)),
      later
    })
  })
)
