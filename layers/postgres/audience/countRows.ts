import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { AudienceCount } from "../../../services/ports/audience/AudienceStore.ts"
import { byValues } from "../server/byValues.ts"
import type { FewAtOnce } from "../server/fewAtOnce.ts"
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

/** In one statement, which a limit of time holds as a whole. */
const exactly = Effect.fnUntraced(function* (sql: Sql, { channels, devices, inboxes }: Statements) {
  const ofDevices = devices([])
  const parts = [
    ...(ofDevices === null ? [] : [sql`SELECT platform, count(*) FROM (${ofDevices}) AS them GROUP BY 1`]),
    ...(channels === null ? [] : [sql`SELECT 'email', count(*) FROM (${channels}) AS them`]),
    ...(inboxes === null ? [] : [sql`SELECT 'inbox', count(*) FROM (${inboxes}) AS them`])
  ]
  if (parts.length === 0) return NO_ONE
  const rows = yield* sql<{ readonly kind: Platform | "email" | "inbox"; readonly count: number }>`
    SELECT kind, count::integer AS count FROM (${sql.join(" UNION ALL ", false)(parts)}) AS counted (kind, count)`
    .unprepared
  const by = new Map(rows.map(({ count, kind }) => [kind, count]))
  return {
    apns: by.get("ios") ?? 0,
    fcm: by.get("android") ?? 0,
    webpush: by.get("web") ?? 0,
    smtp: by.get("email") ?? 0,
    inbox: by.get("inbox") ?? 0
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

/**
 * Counts in `timeoutMs`, the wait for a place among `fewAtOnce` included. Null of `fewAtOnce`: what is counted is little,
 * and found by keys.
 */
export const countRows = (
  sql: Sql,
  appId: AppId,
  timeoutMs: number,
  fewAtOnce: FewAtOnce | null,
  statements: Statements
): Effect.Effect<AudienceCount, SqlError> => {
  const counted = (leftMs: number) =>
    byValues(
      sql,
      Effect.andThen(
        // Zero would be no limit.
        sql`SELECT set_config('statement_timeout', ${`${Math.max(1, Math.round(leftMs))}ms`}, true)`,
        exactly(sql, statements)
      )
    ).pipe(
      Effect.asSome,
      Effect.catchIf(
        (error) => error.reason._tag === "StatementTimeoutError",
        () => Effect.succeedNone
      )
    )
  const found =
    fewAtOnce === null ? counted(timeoutMs) : Effect.map(fewAtOnce(appId, timeoutMs, counted), Option.flatten)
  return Effect.flatMap(found, (exact): Effect.Effect<AudienceCount, SqlError> =>
    Option.isSome(exact)
      ? Effect.succeed({ recipients: exact.value, isExact: true })
      : Effect.map(byValues(sql, guess(sql, statements)), (recipients) => ({ recipients, isExact: false }))
  )
}
