import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { SessionId } from "../../../services/domain/Ids.ts"
import { SESSIONS_PER_ACCOUNT } from "../../../services/domain/people/Account.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import type { ProvedSignIn, SignedIn } from "../../../services/ports/people/AccountStore.ts"
import { milliseconds } from "../server/columns.ts"
import type { AccountRow } from "./accountRows.ts"
import { accountOf } from "./accountRows.ts"
import { recordPeople } from "./peopleEntry.ts"

export type SignedInRow = AccountRow & { readonly epoch: number }

/** Begins a session of an account, whose row the transaction has locked, and ends the oldest beyond those it may have. Whoever has proved the address is who begins it. */
export const insertSession = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  row: SignedInRow,
  session: ProvedSignIn["session"]
): Effect.fn.Return<Omit<SignedIn, "organization">, SqlError> {
  const ended = yield* sql<{ readonly id: SessionId }>`
    DELETE FROM sessions WHERE id = ANY(ARRAY(
      SELECT id FROM sessions WHERE account_id = ${row.account_id} ORDER BY id DESC OFFSET ${SESSIONS_PER_ACCOUNT - 1}
    )) RETURNING id`
  const [begun] = yield* sql<{ readonly expires_at: Date; readonly now: Date }>`
    INSERT INTO sessions (id, account_id, epoch, user_agent, expires_at)
    VALUES (${session.id}, ${row.account_id}, ${row.epoch}, ${session.userAgent},
      now() + ${milliseconds(session.lifetimeMs)} * interval '1 ms') RETURNING expires_at, now() AS now`
  yield* Effect.provideService(
    Effect.gen(function* () {
      for (const { id } of ended) yield* recordPeople(sql, "session.ended", { account: row.account_id, target: id })
      yield* recordPeople(sql, "session.begun", { account: row.account_id, target: session.id })
    }),
    CurrentActor,
    { kind: "user", id: row.account_id }
  )
  yield* sql`UPDATE accounts SET last_signed_in_at = now() WHERE id = ${row.account_id}`
  return {
    account: { ...accountOf(row), lastSignedInAt: begun!.now.getTime() },
    epoch: row.epoch,
    expiresAt: begun!.expires_at.getTime()
  }
})
