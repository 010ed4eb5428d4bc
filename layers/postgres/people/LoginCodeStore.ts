import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../services/domain/Ids.ts"
import { allows, DAY } from "../../../services/domain/people/SignInCode.ts"
import type { Counted } from "../../../services/ports/people/LoginCodeStore.ts"
import { LoginCodeStore, TooManyCodes } from "../../../services/ports/people/LoginCodeStore.ts"
import { byteas, milliseconds, texts } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"
import { useCode } from "./useCode.ts"

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
      times.map((time) => time.getTime()),
      now.getTime()
    )
    if (!verdict.isAllowed && verdict.at > (latest?.at ?? 0)) {
      latest = new TooManyCodes({ at: verdict.at, afterMs: verdict.at - now.getTime() })
    }
  }
  return latest
}

export const layer: Layer.Layer<LoginCodeStore, never, SqlClient.SqlClient> = Layer.effect(
  LoginCodeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Locks what is counted, in the order of its keys, and answers what was there before. */
    const lockTimes = (counted: ReadonlyArray<Counted>) => sql<TimesRow>`
      INSERT INTO sign_in_attempts AS a (key, times, last_at)
      SELECT key, '{}', clock_timestamp() FROM unnest(${texts(counted.map(({ key }) => key))}) AS key ORDER BY key
      ON CONFLICT (key) DO UPDATE SET key = excluded.key
      RETURNING a.key, a.times, clock_timestamp() AS now`

    const addTimes = (counted: ReadonlyArray<Counted>) => sql`
      UPDATE sign_in_attempts SET last_at = clock_timestamp(), times = clock_timestamp() || ARRAY(
        SELECT time FROM unnest(times) AS time WHERE time > clock_timestamp() - ${milliseconds(DAY)} * interval '1 ms'
      ) WHERE key = ANY(${texts(counted.map(({ key }) => key))})`

    const issue: LoginCodeStore["Service"]["issue"] = Effect.fnUntraced(
      function* ({ counted, email, hash, lifetimeMs, mail, ofOperator, purpose }) {
        if (counted.length > 0) {
          const refused = refusal(counted, yield* lockTimes(counted))
          if (refused !== null) return yield* refused
          yield* addTimes(counted)
        }
        yield* sql`
          INSERT INTO login_codes (email, purpose, code_hash, of_operator, expires_at)
          VALUES (${email}, ${purpose}, ${hash}, ${ofOperator},
            clock_timestamp() + ${milliseconds(lifetimeMs)} * interval '1 ms')
          ON CONFLICT (email, purpose) DO UPDATE SET code_hash = excluded.code_hash, of_operator = excluded.of_operator,
            expires_at = excluded.expires_at, attempts = 0, used_at = NULL, created_at = now()`
        if (mail !== null) yield* putMail(sql, mail)
        // Whoever has the code is this account: that somebody made it without the owner's doing has to be on record.
        if (ofOperator) {
          const [row] = yield* sql<{ readonly id: AccountId }>`SELECT id FROM accounts WHERE email = ${email}`
          if (row !== undefined) {
            yield* recordPeople(sql, "login_code.issued", { account: row.id, target: row.id, details: { purpose } })
          }
        }
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("LoginCodeStore.issue")(Effect.fail(error)))
    )

    const verify: LoginCodeStore["Service"]["verify"] = Effect.fnUntraced(
      function* ({ email, hashes, purpose, wrong }) {
        const before = yield* sql<TimesRow>`
          SELECT key, times, clock_timestamp() AS now FROM sign_in_attempts WHERE key = ${wrong.key}`
        const refused = refusal([wrong], before)
        if (refused !== null) return yield* refused
        // A statement of its own: nothing that follows can take the attempt back.
        const used = yield* useCode(sql, email, purpose, byteas(hashes))
        if (used?.isRight === true) return { _tag: "Right", ofOperator: used.ofOperator } as const
        // Only what was compared with a code counts: otherwise anybody could keep an address out.
        if (used !== null) {
          yield* sql`
            INSERT INTO sign_in_attempts AS a (key, times, last_at)
            VALUES (${wrong.key}, ARRAY[clock_timestamp()], clock_timestamp())
            ON CONFLICT (key) DO UPDATE SET last_at = clock_timestamp(), times = clock_timestamp() || ARRAY(
              SELECT time FROM unnest(a.times) AS time
              WHERE time > clock_timestamp() - ${milliseconds(DAY)} * interval '1 ms')`
        }
        return { _tag: "Wrong" } as const
      },
      Effect.catchTag("SqlError", (error) => storeError("LoginCodeStore.verify")(Effect.fail(error)))
    )

    return LoginCodeStore.of({ issue, verify })
  })
)
