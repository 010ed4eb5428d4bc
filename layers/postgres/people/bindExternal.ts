import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, ExternalSignInId } from "../../../services/domain/Ids.ts"
import type { ExternalSignIn } from "../../../services/domain/people/Account.ts"
import type { ExternalProvider } from "../../../services/domain/people/ExternalIdentity.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import type { Binding } from "../../../services/ports/people/Binding.ts"
import { texts } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"

export interface ExternalSignInRow {
  readonly id: ExternalSignInId
  readonly provider: ExternalProvider
  readonly email: string | null
  readonly created_at: Date
  readonly last_used_at: Date | null
}

export const EXTERNAL_COLUMNS = "id, provider, email, created_at, last_used_at"

export const externalOf = ({ created_at, last_used_at, ...row }: ExternalSignInRow): ExternalSignIn => ({
  id: row.id,
  provider: row.provider,
  email: row.email,
  createdAt: created_at.getTime(),
  lastUsedAt: last_used_at?.getTime() ?? null
})

/**
 * Binds an identity to an account, whose row the transaction has locked, and tells its owner. Null: there is no such
 * identity that waits for a code, or it is another account's.
 */
export const bindExternal = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account: { readonly id: AccountId; readonly email: string },
  { id, identity, notice }: Binding
): Effect.fn.Return<ExternalSignIn | "Gone" | "Taken", SqlError> {
  let proved: { readonly provider: ExternalProvider; readonly subject: string } | undefined
  if (identity._tag === "Proved") proved = identity
  else {
    const rows = yield* sql<{ readonly provider: ExternalProvider; readonly subject: string }>`
      DELETE FROM pending_sign_ins
      WHERE token_hash = ${identity.tokenHash} AND email = ${account.email} AND provider = ANY(${texts(identity.providers)})
        AND ${ofRows(sql, sql`expires_at > now()`)} RETURNING provider, subject`
    proved = rows[0]
  }
  if (proved === undefined) return "Gone"
  const { provider, subject } = proved
  const columns = sql.literal(EXTERNAL_COLUMNS)
  const [bound] = yield* sql<ExternalSignInRow>`
    INSERT INTO external_sign_ins (provider, subject, id, account_id, email, last_used_at)
    VALUES (${provider}, ${subject}, ${id}, ${account.id}, ${account.email}, now())
    ON CONFLICT (provider, subject) DO NOTHING RETURNING ${columns}`
  if (bound === undefined) {
    const [known] = yield* sql<ExternalSignInRow>`
      UPDATE external_sign_ins SET last_used_at = now()
      WHERE provider = ${provider} AND subject = ${subject} AND ${ofRows(sql, sql`account_id = ${account.id}`)} RETURNING ${columns}`
    return known === undefined ? "Taken" : externalOf(known)
  }
  const asOwner = Effect.provideService(CurrentActor, { kind: "user" as const, id: account.id })
  yield* asOwner(
    recordPeople(sql, "external_sign_in.bound", { account: account.id, target: id, details: { provider } })
  )
  yield* putMail(sql, notice(provider))
  return externalOf(bound)
})
