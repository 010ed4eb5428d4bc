import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import { CODE_ATTEMPTS } from "../../../services/domain/people/SignInCode.ts"
import { AddressChangeStore, AddressTaken } from "../../../services/ports/people/AddressChangeStore.ts"
import { byteas, milliseconds, texts } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { accountColumns } from "./accountRows.ts"
import { checkWrong, countOne, countWrong } from "./attempts.ts"
import type { SignedInRow } from "./insertSession.ts"
import { insertSession } from "./insertSession.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"
import { lockCodes } from "./useCode.ts"

export const layer: Layer.Layer<AddressChangeStore, never, SqlClient.SqlClient> = Layer.effect(
  AddressChangeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const begin: AddressChangeStore["Service"]["begin"] = Effect.fnUntraced(
      function* ({ account, counted, email, lifetimeMs, mails, newHash, oldHash }) {
        yield* countOne(sql, counted)
        yield* sql`
          INSERT INTO address_changes (account_id, email, old_code_hash, new_code_hash, expires_at)
          VALUES (${account.id}, ${email}, ${oldHash}, ${newHash},
            clock_timestamp() + ${milliseconds(lifetimeMs)} * interval '1 ms')
          ON CONFLICT (account_id) DO UPDATE SET email = excluded.email, old_code_hash = excluded.old_code_hash,
            new_code_hash = excluded.new_code_hash, expires_at = excluded.expires_at, attempts = 0, created_at = now()`
        for (const mail of mails) yield* putMail(sql, mail)
        yield* recordPeople(sql, "account.address_change_requested", { account: account.id, target: account.id })
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("AddressChangeStore.begin")(Effect.fail(error)))
    )

    /** The new address, where both codes are right. Counts the attempt. */
    const tried = ({ account, newHashes, oldHashes }: Parameters<AddressChangeStore["Service"]["finish"]>[0]) =>
      Effect.map(
        sql<{ readonly email: AccountAddress; readonly isRight: boolean }>`
          UPDATE address_changes SET attempts = attempts + 1
          WHERE account_id = ${account.id} AND attempts < ${CODE_ATTEMPTS} AND expires_at > clock_timestamp()
          RETURNING email,
            old_code_hash = ANY(${byteas(oldHashes)}) AND new_code_hash = ANY(${byteas(newHashes)}) AS "isRight"`,
        (rows) => rows[0]
      )

    const finish: AddressChangeStore["Service"]["finish"] = Effect.fnUntraced(
      function* (proofs) {
        const { account, notice, session, wrong } = proofs
        yield* checkWrong(sql, wrong)
        // Codes, the account, the rest: the order of whoever deletes an account.
        const [asked] = yield* sql<{ readonly email: AccountAddress }>`
          SELECT email FROM address_changes WHERE account_id = ${account.id}`
        yield* lockCodes(sql, asked === undefined ? [account.email] : [account.email, asked.email])
        yield* sql`SELECT 1 FROM accounts WHERE id = ${account.id} FOR UPDATE`
        const found = yield* tried(proofs)
        if (found?.isRight !== true) {
          // Only what was compared with codes counts.
          if (found !== undefined) yield* countWrong(sql, wrong)
          return Option.none()
        }
        const { email } = found
        // Before anything is changed, so that two accounts that want each other's never wait for one another.
        if ((yield* sql`SELECT 1 FROM accounts WHERE email = ${email}`).length > 0) return yield* new AddressTaken()
        // Whoever takes it at this moment is waited for.
        const [row] = yield* sql<SignedInRow>`
          UPDATE accounts a SET email = ${email}, epoch = epoch + 1 WHERE a.id = ${account.id}
          RETURNING ${sql.literal(accountColumns("a"))}, a.epoch`.pipe(
          Effect.catchIf(
            ({ reason }) => reason._tag === "UniqueViolation",
            () => new AddressTaken()
          )
        )
        const { length } = yield* sql`DELETE FROM sessions WHERE account_id = ${account.id} RETURNING 1 AS one`
        // What was sent to one of them is good for nothing any more, and what waits for such a code.
        const both = texts([account.email, email])
        yield* sql`DELETE FROM address_changes WHERE account_id = ${account.id}`
        yield* sql`DELETE FROM login_codes WHERE email = ANY(${both})`
        yield* sql`DELETE FROM pending_sign_ins WHERE email = ANY(${both})`
        yield* recordPeople(sql, "account.address_changed", {
          account: account.id,
          target: account.id,
          details: { sessions: length }
        })
        yield* putMail(sql, notice(email))
        return Option.some({ ...(yield* insertSession(sql, row!, session)), organization: Option.none() })
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("AddressChangeStore.finish")(Effect.fail(error)))
    )

    return AddressChangeStore.of({ begin, finish })
  })
)
