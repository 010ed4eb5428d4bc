import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../services/domain/Ids.ts"
import { LoginCodeStore } from "../../../services/ports/people/LoginCodeStore.ts"
import { byteas, milliseconds } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { checkWrong, countOne, countWrong } from "./attempts.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"
import { useCode } from "./useCode.ts"

export const layer: Layer.Layer<LoginCodeStore, never, SqlClient.SqlClient> = Layer.effect(
  LoginCodeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const issue: LoginCodeStore["Service"]["issue"] = Effect.fnUntraced(
      function* ({ counted, email, hash, lifetimeMs, mail, ofOperator, purpose }) {
        yield* countOne(sql, counted)
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
        yield* checkWrong(sql, wrong)
        // A statement of its own: nothing that follows can take the attempt back.
        const used = yield* useCode(sql, email, purpose, byteas(hashes))
        if (used?.isRight === true) return { _tag: "Right", ofOperator: used.ofOperator } as const
        // Only what was compared with a code counts: otherwise anybody could keep an address out.
        if (used !== null) yield* countWrong(sql, wrong)
        return { _tag: "Wrong" } as const
      },
      Effect.catchTag("SqlError", (error) => storeError("LoginCodeStore.verify")(Effect.fail(error)))
    )

    return LoginCodeStore.of({ issue, verify })
  })
)
