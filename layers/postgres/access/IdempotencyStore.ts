import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Begun, KeyClaim } from "../../../services/ports/access/IdempotencyStore.ts"
import { IdempotencyStore, KEPT_MS } from "../../../services/ports/access/IdempotencyStore.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { byteas, doubles, milliseconds, texts, uuids } from "../server/columns.ts"
import { Holder } from "../operations/Holder.ts"
import { regularly } from "../operations/regularly.ts"
import { makeOwedKeys } from "./owedKeys.ts"
import { settleKey } from "./settleKey.ts"
import { storeError } from "../server/storeError.ts"

interface Begin {
  readonly claim: KeyClaim
  readonly fingerprint: Uint8Array
  readonly leaseMs: number
}

interface KeyRow {
  readonly place: number
  readonly is_same: boolean
  /** Milliseconds. */
  readonly age: number
  readonly holder: string
  readonly status: number | null
  readonly body: string | null
  readonly location: string | null
}

const TAKEN: Begun = { _tag: "Taken" }

/** Keys that one statement takes, at most. */
const KEYS_AT_ONCE = 256

/** Old keys deleted by one statement: few enough that it holds nobody up. */
const SWEPT = 5_000

export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const process = yield* Holder
    const kept = sql`${milliseconds(KEPT_MS)} * interval '1 ms'`

    const isFree = (wanted: "t" | "excluded") => sql`(k.created_at < now() - ${kept}
          OR (k.status IS NULL AND k.fingerprint = ${sql.literal(wanted)}.fingerprint
            AND (k.lease_until < now() OR k.process IS NOT NULL AND NOT EXISTS (
              SELECT FROM holders WHERE id = k.process AND ended IS NULL
            ))))`
    /**
     * Takes those of some keys that can be taken, each another one; answers by whom. In the order of the keys, as everybody.
     * Those that are seen to be taken are left out: to find a conflict is to wait for whoever writes the row, and the keys
     * of others would wait along.
     */
    const take = (begins: ReadonlyArray<Begin>) => sql<{ readonly holder: string }>`
        INSERT INTO idempotency_keys AS k (app_id, route, key, fingerprint, holder, process, lease_until)
        SELECT t.app_id, t.route, t.key, t.fingerprint, t.holder, ${process.id()}::integer,
          now() + t.lease * interval '1 ms'
        FROM unnest(${uuids(begins.map(({ claim }) => claim.appId))}, ${texts(begins.map(({ claim }) => claim.route))},
          ${texts(begins.map(({ claim }) => claim.key))}, ${byteas(begins.map(({ fingerprint }) => fingerprint))},
          ${uuids(begins.map(({ claim }) => claim.holder))}, ${doubles(begins.map(({ leaseMs }) => leaseMs))}
        ) AS t (app_id, route, key, fingerprint, holder, lease)
        WHERE NOT EXISTS (
          SELECT FROM idempotency_keys k
          WHERE k.app_id = t.app_id AND k.route = t.route AND k.key = t.key AND NOT ${isFree("t")} OFFSET 0
        )
        ORDER BY t.app_id, t.route, t.key
        ON CONFLICT (app_id, route, key) DO UPDATE SET
          fingerprint = excluded.fingerprint, holder = excluded.holder, process = excluded.process,
          lease_until = excluded.lease_until, created_at = now(), status = NULL, body = NULL, location = NULL
        WHERE ${isFree("excluded")}
        RETURNING holder`

    /** What is there under keys that could not be taken, by their places in the list. */
    const look = (begins: ReadonlyArray<Begin>) => sql<KeyRow>`
        SELECT t.place::integer AS place, k.fingerprint = t.fingerprint AS is_same, k.holder, k.status, k.body, k.location,
          extract(epoch FROM now() - k.created_at)::float8 * 1000 AS age
        FROM unnest(${uuids(begins.map(({ claim }) => claim.appId))}, ${texts(begins.map(({ claim }) => claim.route))},
          ${texts(begins.map(({ claim }) => claim.key))}, ${byteas(begins.map(({ fingerprint }) => fingerprint))}
        ) WITH ORDINALITY AS t (app_id, route, key, fingerprint, place)
        CROSS JOIN LATERAL (
          SELECT * FROM idempotency_keys WHERE app_id = t.app_id AND route = t.route AND key = t.key OFFSET 0
        ) AS k`

    const begunOf = (row: KeyRow | undefined): Begun => {
      // Given back between the two statements: the other request is only just over.
      if (row === undefined) return { _tag: "InFlight", forMs: 0 }
      if (!row.is_same) return { _tag: "Mismatch" }
      if (row.status === null) return { _tag: "InFlight", forMs: row.age }
      const { body, holder, location, status } = row
      return { _tag: "Answered", holder, answer: { status, body: body!, location } }
    }

    const beginAll = Effect.fnUntraced(function* (begins: ReadonlyArray<Begin>) {
      // Of requests that come together with one key the first takes it.
      const firsts = new Map<string, Begin>()
      for (const begin of begins) {
        const name = JSON.stringify([begin.claim.appId, begin.claim.route, begin.claim.key])
        if (!firsts.has(name)) firsts.set(name, begin)
      }
      const taken = new Set((yield* take([...firsts.values()])).map(({ holder }) => holder))
      const others = begins.filter(({ claim }) => !taken.has(claim.holder))
      const rows = others.length === 0 ? [] : yield* look(others)
      const found = new Map(rows.map((row) => [others[row.place - 1]!, row]))
      return begins.map((begin): Begun => (taken.has(begin.claim.holder) ? TAKEN : begunOf(found.get(begin))))
    }, storeError("IdempotencyStore.begin"))

    // A request's key is a statement and a commit of its own before those of its work.
    const beginTogether = yield* coalesce({
      run: beginAll,
      weight: () => 1,
      refusalOf: refusalBySql,
      ownerOf: ({ claim }) => claim.appId,
      rows: KEYS_AT_ONCE,
      atOnce: 2
    })
    const begin: IdempotencyStore["Service"]["begin"] = (claim, fingerprint, leaseMs) =>
      beginTogether({ claim, fingerprint, leaseMs })

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
