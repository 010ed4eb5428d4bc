import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../services/domain/Ids.ts"
import { CODE_ATTEMPTS } from "../../../services/domain/people/SignInCode.ts"
import { LoginCodeStore } from "../../../services/ports/people/LoginCodeStore.ts"
import { milliseconds } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { countOne } from "./attempts.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"

export const layer: Layer.Layer<LoginCodeStore, never, SqlClient.SqlClient> = Layer.effect(
  LoginCodeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const issue: LoginCodeStore["Service"]["issue"] = Effect.fnUntraced(
      function* ({ counted, email, hash, lifetimeMs, mail, ofOperator, purpose }) {
        yield* countOne(sql, counted)
        const kept = yield* sql`
          INSERT INTO login_codes (email, purpose, code_hash, of_operator, expires_at)
          VALUES (${email}, ${purpose}, ${hash}, ${ofOperator},
            clock_timestamp() + ${milliseconds(lifetimeMs)} * interval '1 ms')
          ON CONFLICT (email, purpose) DO UPDATE SET code_hash = excluded.code_hash, of_operator = excluded.of_operator,
            expires_at = excluded.expires_at, attempts = 0, used_at = NULL, created_at = now()
          -- One that an operator hands to somebody who is kept out: whoever keeps them out cannot void it either.
          WHERE excluded.of_operator OR NOT (login_codes.of_operator AND login_codes.used_at IS NULL
            AND login_codes.attempts < ${CODE_ATTEMPTS} AND login_codes.expires_at > clock_timestamp())
          RETURNING 1 AS one`
        if (mail !== null && kept.length > 0) yield* putMail(sql, mail)
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

    return LoginCodeStore.of({ issue })
  })
)
