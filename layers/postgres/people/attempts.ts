import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { allows, DAY } from "../../../services/domain/people/SignInCode.ts"
import type { Counted } from "../../../services/ports/people/LoginCodeStore.ts"
import { TooManyCodes } from "../../../services/ports/people/LoginCodeStore.ts"
import { milliseconds, texts } from "../server/columns.ts"

/* What is counted of codes: when they were asked for, and when wrong ones were given, in the last day. */

/** What happened so much later than now (ms) did so before the clock was set back, and counts when it gets there again. */
const AHEAD_MS = 1_000

interface TimesRow {
  readonly key: string
  readonly times: ReadonlyArray<Date>
  readonly now: Date
}

const refusal = (counted: ReadonlyArray<Counted>, rows: ReadonlyArray<TimesRow>): TooManyCodes | null => {
  let latest: TooManyCodes | null = null
  for (const { key, now, times } of rows) {
    const allowances = counted.find((one) => one.key === key)!.allowances
    const verdict = allows(
      allowances,
      times.map((time) => time.getTime()).filter((time) => time <= now.getTime() + AHEAD_MS),
      now.getTime()
    )
    if (!verdict.isAllowed && verdict.at > (latest?.at ?? 0)) {
      latest = new TooManyCodes({ at: verdict.at, afterMs: verdict.at - now.getTime() })
    }
  }
  return latest
}

/** Counts one more of each, under the locks of their rows, which are taken in the order of their keys. */
export const countOne = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  counted: ReadonlyArray<Counted>
): Effect.fn.Return<void, TooManyCodes | SqlError> {
  if (counted.length === 0) return
  const keys = texts(counted.map(({ key }) => key))
  const before = yield* sql<TimesRow>`
    INSERT INTO sign_in_attempts AS a (key, times, last_at)
    SELECT key, '{}', clock_timestamp() FROM unnest(${keys}) AS key ORDER BY key
    ON CONFLICT (key) DO UPDATE SET key = excluded.key
    RETURNING a.key, a.times, clock_timestamp() AS now`
  const refused = refusal(counted, before)
  if (refused !== null) return yield* refused
  yield* sql`
    UPDATE sign_in_attempts SET last_at = clock_timestamp(), times = clock_timestamp() || ARRAY(
      SELECT time FROM unnest(times) AS time WHERE time > clock_timestamp() - ${milliseconds(DAY)} * interval '1 ms'
    ) WHERE key = ANY(${keys})`
})

/** Fails where so many wrong codes were given that no more are looked at. */
export const checkWrong = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  wrong: Counted
): Effect.fn.Return<void, TooManyCodes | SqlError> {
  const before = yield* sql<TimesRow>`
    SELECT key, times, clock_timestamp() AS now FROM sign_in_attempts WHERE key = ${wrong.key}`
  const refused = refusal([wrong], before)
  if (refused !== null) return yield* refused
})

export const countWrong = (sql: SqlClient.SqlClient, { key }: Counted): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`
    INSERT INTO sign_in_attempts AS a (key, times, last_at)
    VALUES (${key}, ARRAY[clock_timestamp()], clock_timestamp())
    ON CONFLICT (key) DO UPDATE SET last_at = clock_timestamp(), times = clock_timestamp() || ARRAY(
      SELECT time FROM unnest(a.times) AS time
      WHERE time > clock_timestamp() - ${milliseconds(DAY)} * interval '1 ms')`)
