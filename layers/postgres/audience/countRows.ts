import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { byValues } from "../server/byValues.ts"
import type { Platform } from "../../../services/domain/audience/Device.ts"

/*
 * Counts the rows of an audience's statements, within a time: what takes longer is not worth a preview's wait, and the
 * planner's guess from its samples is given instead.
 */

type Sql = SqlClient.SqlClient

export const NO_ONE = { apns: 0, fcm: 0, webpush: 0, smtp: 0, inbox: 0 }

interface Statements {
  readonly devices: (more: ReadonlyArray<Fragment>) => Fragment | null
  readonly channels: Fragment | null
  readonly inboxes: Fragment | null
}

const exactly = Effect.fnUntraced(function* (sql: Sql, { channels, devices, inboxes }: Statements) {
  const ofDevices = devices([])
  const rows =
    ofDevices === null
      ? []
      : yield* sql<{ readonly platform: Platform; readonly count: number }>`
          SELECT platform, count(*)::integer AS count FROM (${ofDevices}) AS them GROUP BY platform`.unprepared
  const by = new Map(rows.map(({ count, platform }) => [platform, count]))
  const all = Effect.fnUntraced(function* (statement: Fragment | null) {
    if (statement === null) return 0
    const [row] = yield* sql<{ readonly count: number }>`
      SELECT count(*)::integer AS count FROM (${statement}) AS them`.unprepared
    return row!.count
  })
  return {
    apns: by.get("ios") ?? 0,
    fcm: by.get("android") ?? 0,
    webpush: by.get("web") ?? 0,
    smtp: yield* all(channels),
    inbox: yield* all(inboxes)
  }
})

interface Explained {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: { readonly "Plan Rows": number } }>
}

const guess = Effect.fnUntraced(function* (sql: Sql, { channels, devices, inboxes }: Statements) {
  const rows = Effect.fnUntraced(function* (statement: Fragment | null) {
    if (statement === null) return 0
    const [row] = yield* sql<Explained>`EXPLAIN (FORMAT JSON) ${statement}`.unprepared
    return row!["QUERY PLAN"][0]!.Plan["Plan Rows"]
  })
  const of = (platform: Platform) => rows(devices([sql`devices.platform = ${platform}`]))
  return {
    apns: yield* of("ios"),
    fcm: yield* of("android"),
    webpush: yield* of("web"),
    smtp: yield* rows(channels),
    inbox: yield* rows(inboxes)
  }
})

export const countRows = (sql: Sql, timeoutMs: number, statements: Statements) =>
  byValues(
    sql,
    Effect.andThen(sql`SELECT set_config('statement_timeout', ${`${timeoutMs}ms`}, true)`, exactly(sql, statements))
  ).pipe(
    Effect.map((recipients) => ({ recipients, isExact: true })),
    Effect.catchIf(
      (error) => error.reason._tag === "StatementTimeoutError",
      () => Effect.map(byValues(sql, guess(sql, statements)), (recipients) => ({ recipients, isExact: false }))
    )
  )
