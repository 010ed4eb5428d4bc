import type { AccountId } from "../../../services/domain/Ids.ts"
import type { Account } from "../../../services/domain/people/Account.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"

export interface AccountRow {
  readonly account_id: AccountId
  readonly email: AccountAddress
  readonly account_name: string
  readonly account_created_at: Date
  readonly last_signed_in_at: Date | null
  readonly disabled_at: Date | null
}

/** Of a table of accounts under this name, beside columns of others. */
export const accountColumns = (table: string): string =>
  `${table}.id AS account_id, ${table}.email, ${table}.name AS account_name, ${table}.created_at AS account_created_at,
   ${table}.last_signed_in_at, ${table}.disabled_at`

export const accountOf = (row: AccountRow): Account => ({
  id: row.account_id,
  email: row.email,
  name: row.account_name,
  createdAt: row.account_created_at.getTime(),
  lastSignedInAt: row.last_signed_in_at?.getTime() ?? null,
  disabledAt: row.disabled_at?.getTime() ?? null
})
