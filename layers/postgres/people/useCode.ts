import type { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import type { CodePurpose } from "../../../services/domain/people/SignInCode.ts"
import { CODE_ATTEMPTS } from "../../../services/domain/people/SignInCode.ts"

export interface UsedCode {
  readonly isRight: boolean
  readonly ofOperator: boolean
}

/**
 * Counts an attempt, and uses the code up where it is right. Null: there is no code to compare with, or none any more. Of
 * any number at once, as many are compared as there are attempts, and one finds the code right: each waits for the row,
 * and looks at it again then.
 */
export const useCode = (
  sql: SqlClient.SqlClient,
  email: AccountAddress,
  purpose: CodePurpose,
  hashes: PgTypes.Parameter
): Effect.Effect<UsedCode | null, SqlError> =>
  Effect.map(
    sql<UsedCode>`
      UPDATE login_codes SET attempts = attempts + 1,
        used_at = CASE WHEN code_hash = ANY(${hashes}) THEN clock_timestamp() END
      WHERE email = ${email} AND purpose = ${purpose} AND attempts < ${CODE_ATTEMPTS}
        AND used_at IS NULL AND expires_at > clock_timestamp()
      RETURNING used_at IS NOT NULL AS "isRight", of_operator AS "ofOperator"`,
    (rows) => rows[0] ?? null
  )
