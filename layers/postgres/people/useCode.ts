import type { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import type { CodePurpose } from "../../../services/domain/people/SignInCode.ts"
import { CODE_ATTEMPTS } from "../../../services/domain/people/SignInCode.ts"
import type { CodeAttempt, TooManyCodes } from "../../../services/ports/people/LoginCodeStore.ts"
import { byteas, texts } from "../server/columns.ts"
import { checkWrong, countWrong } from "./attempts.ts"

export interface UsedCode {
  readonly isRight: boolean
  readonly ofOperator: boolean
}

/**
 * Counts an attempt, and uses the code up where it is right. Null: there is no code to compare with, or none any more. Of
 * any number at once, as many are compared as there are attempts, and one finds the code right: each waits for the row,
 * and looks at it again then. `onlyOperators`: a code that was mailed is not compared.
 */
const useCode = (
  sql: SqlClient.SqlClient,
  email: AccountAddress,
  purpose: CodePurpose,
  hashes: PgTypes.Parameter,
  onlyOperators: boolean
): Effect.Effect<UsedCode | null, SqlError> =>
  Effect.map(
    sql<UsedCode>`
      UPDATE login_codes SET attempts = attempts + 1,
        used_at = CASE WHEN code_hash = ANY(${hashes}) THEN clock_timestamp() END
      WHERE email = ${email} AND purpose = ${purpose} AND attempts < ${CODE_ATTEMPTS}
        AND (of_operator OR NOT ${onlyOperators}::boolean) AND used_at IS NULL AND expires_at > clock_timestamp()
      RETURNING used_at IS NOT NULL AS "isRight", of_operator AS "ofOperator"`,
    (rows) => rows[0] ?? null
  )

/**
 * Locks all codes of these addresses until the transaction ends. Whoever uses a code locks it before the account, so whoever
 * removes codes with an account's change has to lock them before the account too: they would wait for each other otherwise.
 */
export const lockCodes = (
  sql: SqlClient.SqlClient,
  emails: ReadonlyArray<AccountAddress>
): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`SELECT 1 FROM login_codes WHERE email = ANY(${texts(emails)}) ORDER BY email, purpose FOR UPDATE`)

/**
 * The same within a day's budget of wrong codes, which fails when it is used up. First in the transaction of what the code
 * is for: a right one is used up with that or not at all, and a transaction that finds a wrong one commits, because it
 * counts. An operator's code is there for whoever is kept out by that: it has its own attempts, and neither is bound to the
 * budget nor costs any of it.
 */
export const tryCode = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { email, hashes, purpose, wrong }: CodeAttempt
): Effect.fn.Return<UsedCode | null, TooManyCodes | SqlError> {
  const refused: TooManyCodes | null = yield* checkWrong(sql, wrong).pipe(
    Effect.as(null),
    Effect.catchTag("TooManyCodes", (error) => Effect.succeed(error))
  )
  // Of an attempt at a right code everything is taken back if what follows fails; of a wrong one nothing follows.
  const used = yield* useCode(sql, email, purpose, byteas(hashes), refused !== null)
  if (used === null) return refused === null ? null : yield* refused
  // Only what was compared with a code counts: otherwise anybody could keep an address out.
  if (!used.isRight && !used.ofOperator) yield* countWrong(sql, wrong)
  return used
})
