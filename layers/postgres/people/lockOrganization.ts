import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { Organization } from "../../../services/domain/people/Organization.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import { NotThere } from "../../../services/ports/people/OrganizationStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { storeError } from "../server/storeError.ts"
import type { OrganizationRow } from "./organizationRows.ts"
import { ORGANIZATION_COLUMNS, organizationOf } from "./organizationRows.ts"

/**
 * Locks an organization until the transaction ends. First of all in everything that changes its members: foreign keys take
 * locks of the row too, which do not exclude each other.
 */
export const lockOrganization = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  id: OrganizationId
): Effect.fn.Return<Organization, NotThere | SqlError> {
  const [row] = yield* sql<OrganizationRow>`
    SELECT ${sql.literal(ORGANIZATION_COLUMNS)} FROM organizations o
    WHERE o.id = ${id} AND o.deleted_at IS NULL FOR NO KEY UPDATE`
  return row === undefined ? yield* new NotThere({ what: "organization" }) : organizationOf(row)
})

/** The role of an account as it is now; null when it is no member. */
export const roleOf = (
  sql: SqlClient.SqlClient,
  id: OrganizationId,
  account: AccountId
): Effect.Effect<Role | null, SqlError> =>
  Effect.map(
    sql<{ readonly role: Role }>`SELECT role FROM members WHERE organization_id = ${id} AND account_id = ${account}`,
    ([row]) => row?.role ?? null
  )

/** Locks an organization, then reads what the actor is in it. For who is no member it is not there. */
export const lockAs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  actor: AccountId,
  id: OrganizationId
): Effect.fn.Return<{ readonly organization: Organization; readonly role: Role }, NotThere | SqlError> {
  const organization = yield* lockOrganization(sql, id)
  const role = yield* roleOf(sql, id, actor)
  return role === null ? yield* new NotThere({ what: "organization" }) : { organization, role }
})

/** Whether somebody else than this account owns the organization. */
export const hasOtherOwner = (
  sql: SqlClient.SqlClient,
  id: OrganizationId,
  account: AccountId
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`SELECT 1 FROM members WHERE organization_id = ${id} AND role = 'owner' AND account_id <> ${account} LIMIT 1`,
    ({ length }) => length > 0
  )

/** One transaction, whose refusals are its answers and whose other failures are the store's. */
export const changing =
  (sql: SqlClient.SqlClient, operation: string) =>
  <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.catchIf(sql.withTransaction(change), isSqlError, (error) =>
      storeError(`OrganizationStore.${operation}`)(Effect.fail(error))
    ) as Effect.Effect<A, Exclude<E, SqlError> | StoreError, R>
