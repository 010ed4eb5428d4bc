import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { RateLimitStore } from "../../../services/ports/access/RateLimitStore.ts"
import { integers, texts } from "../server/columns.ts"
import { regularly } from "../operations/regularly.ts"
import { silentForMs } from "../server/signsOfLife.ts"
import { storeError } from "../server/storeError.ts"

interface GrantRow {
  readonly key: string
  readonly granted: number
  readonly used: number
  readonly ends_at: number
  readonly ends_in_ms: number
}

/** Pages of the table that one statement of the sweep looks at: some ten thousand rows. */
const SWEPT_PAGES = 100
const SWEEP = "1 minute"

/** A window that ends so much later than one that begins now was begun before the clock was set back, in seconds. */
const AHEAD_S = 10

/** The moment of the statement. Not of its transaction: one that waited for a row would count in a window that is over. */
const databaseClock = (sql: SqlClient.SqlClient): Fragment => sql`clock_timestamp()`

/**
 * Whether the window of the row `r` counts no more: it is over, or nobody can be in it yet. Whoever used up a budget
 * would otherwise wait for as long as the clock was set back.
 */
const isOver = (sql: SqlClient.SqlClient, clock: Fragment): Fragment => sql`(r.ends_at < excluded.ends_at
            OR r.ends_at > excluded.ends_at AND r.ends_at > extract(epoch FROM ${clock}) + ${AHEAD_S}
              + (SELECT seconds FROM claims c WHERE c.key = r.key))`

const make = (sql: SqlClient.SqlClient, clock: Fragment): RateLimitStore["Service"] => ({
  take: Effect.fnUntraced(function* (claims) {
    // In one order everywhere: two nodes that lock the same rows must not wait for each other.
    const sorted = claims.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const rows = yield* sql<GrantRow>`
      WITH moment AS MATERIALIZED (SELECT extract(epoch FROM ${clock})::float8 AS now),
      claims AS (
        SELECT c.key, c.want, c.budget, c.seconds, ((floor(m.now / c.seconds) + 1) * c.seconds)::bigint AS ends_at
        FROM moment m, unnest(${texts(sorted.map(({ key }) => key))}, ${integers(sorted.map(({ want }) => want))},
          ${integers(sorted.map(({ budget }) => budget.requests))},
          ${integers(sorted.map(({ budget }) => budget.windowMs / 1000))}) WITH ORDINALITY AS c (key, want, budget, seconds, n)
        ORDER BY c.n
      ),
      taken AS (
        INSERT INTO rate_limits AS r (key, ends_at, used, granted, budget)
        SELECT key, ends_at, least(want, budget), least(want, budget), budget FROM claims
        ON CONFLICT (key) DO UPDATE SET
          -- A statement that waited for this row may find a later window than its own, and counts in that one.
          ends_at = CASE WHEN ${isOver(sql, clock)} THEN excluded.ends_at ELSE r.ends_at END,
          granted = CASE WHEN ${isOver(sql, clock)} THEN excluded.granted
            ELSE least(excluded.granted, greatest(0, excluded.budget - r.used)) END,
          used = CASE WHEN ${isOver(sql, clock)} THEN excluded.granted
            ELSE r.used + least(excluded.granted, greatest(0, excluded.budget - r.used)) END,
          budget = excluded.budget
        RETURNING key, granted, used, ends_at
      )
      SELECT key, granted, used, ends_at::float8 AS ends_at, greatest(0, (ends_at - m.now) * 1000)::float8 AS ends_in_ms
      FROM taken, moment m`
    const byKey = new Map(rows.map((row) => [row.key, row]))
    return claims.map(({ key }) => {
      const row = byKey.get(key)!
      return { granted: row.granted, used: row.used, endsAt: row.ends_at, endsInMs: row.ends_in_ms }
    })
  }, storeError("RateLimitStore.take")),
  silentForMs: () => silentForMs(sql)
})

/**
 * Removes the counts of windows that are over. The table is read once, some pages at a time; what somebody holds is
 * passed over. Answers how many there were.
 */
const sweepWith = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  clock: Fragment
): Effect.fn.Return<number, SqlError> {
  const [size] = yield* sql<{ readonly pages: number }>`
    SELECT (pg_relation_size('rate_limits') / current_setting('block_size')::int)::int AS pages`
  let removed = 0
  for (let page = 0; page < size!.pages; page += SWEPT_PAGES) {
    const gone = yield* sql<{ readonly count: number }>`
      WITH over AS MATERIALIZED (
        SELECT ctid FROM rate_limits
        WHERE ctid >= ${`(${page},0)`}::tid AND ctid < ${`(${page + SWEPT_PAGES},0)`}::tid
          AND ends_at < extract(epoch FROM ${clock}) FOR UPDATE SKIP LOCKED
      ),
      gone AS (DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(SELECT ctid FROM over)) RETURNING 1)
      SELECT count(*)::int AS count FROM gone`
    removed += gone[0]!.count
  }
  return removed
})

export const sweep: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sweepWith(sql, databaseClock(sql))
)

/** The store by another clock than the database's own: an expression that is a moment. */
export const layerOf = (clock: (sql: SqlClient.SqlClient) => Fragment) =>
  Layer.effect(
    RateLimitStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sweepNow = sweepWith(sql, clock(sql)).pipe(
        Effect.tapError((error) => Effect.logWarning("Rate limits that are over could not be removed", error))
      )
      yield* regularly(sweepNow, SWEEP)
      return RateLimitStore.of(make(sql, clock(sql)))
    })
  )

export const layer: Layer.Layer<RateLimitStore, never, SqlClient.SqlClient> = layerOf(databaseClock)
