import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Actor } from "../../../services/domain/access/Audit.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import { mayDo } from "../../../services/domain/people/Role.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { CurrentOperation } from "../../../services/ports/access/CurrentOperation.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"

/** What was permitted as the request began, is so no more. */
export const withdrawn = new StoreError({
  operation: "permitted",
  cause: new Error("the permission was withdrawn while the request was under way"),
  withdrawn: true
})

/**
 * Runs a change of an application in one transaction that holds the permission to make it. Requests are let in by what was
 * true when they began; since then the organization may have been deleted, the person removed or given a smaller role,
 * the key revoked. Members change, and organizations are deleted, under the same lock of the organization: so a change is
 * made either before that, or not at all. First of all locks, as there (lockOrganization.ts). `lock`: what excludes those
 * who take away what only some changes have to look at.
 *
 * Not FOR SHARE, which would let changes follow one another without end past whoever waits to delete or to remove.
 */
export const permitted = <A, E, R>(
  sql: SqlClient.SqlClient,
  appId: AppId,
  change: Effect.Effect<A, E, R>,
  lock: Effect.Effect<unknown, SqlError> = Effect.void
): Effect.Effect<A, E | SqlError | StoreError, R> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const actor = yield* CurrentActor
      const [organization] = yield* sql<{ readonly id: string; readonly is_deleted: boolean }>`
        SELECT o.id, o.deleted_at IS NOT NULL AS is_deleted FROM applications a
        JOIN organizations o ON o.id = a.organization_id WHERE a.id = ${appId} FOR NO KEY UPDATE OF o`
      // What is not there, or not theirs, is looked for in no application: the change finds nothing.
      if (organization === undefined) return yield* change
      if (organization.is_deleted) return yield* withdrawn
      yield* lock
      // Statements of their own, so that they see what those did who held the lock before.
      const [still] =
        yield* sql`SELECT 1 FROM applications WHERE id = ${appId} AND organization_id = ${organization.id}`
      if (still === undefined) return yield* withdrawn
      if (actor.kind === "user") {
        const operation = yield* CurrentOperation
        const [member] = yield* sql<{ readonly role: Role }>`
          SELECT role FROM members WHERE organization_id = ${organization.id} AND account_id = ${actor.id}`
        if (member === undefined || (operation !== null && !mayDo(member.role, operation))) return yield* withdrawn
      }
      if (actor.kind === "key") {
        const revoked = yield* sql`SELECT 1 FROM api_keys WHERE id = ${actor.id} AND revoked_at IS NOT NULL`
        if (revoked.length > 0) return yield* withdrawn
      }
      return yield* change
    })
  )

/**
 * Whether an import may go on that began with a key, however long ago. Without the organization's lock, which would make
 * its imports wait for each other: what is written in the moment of a deletion is removed with all the rest.
 */
export const stillPermitted = (
  sql: SqlClient.SqlClient,
  appId: AppId,
  actor: Actor
): Effect.Effect<void, SqlError | StoreError> =>
  actor.kind !== "key"
    ? Effect.void
    : Effect.flatMap(
        sql`
          SELECT 1 FROM api_keys k JOIN applications a ON a.id = k.app_id JOIN organizations o ON o.id = a.organization_id
          WHERE k.id = ${actor.id} AND a.id = ${appId} AND k.revoked_at IS NULL AND o.deleted_at IS NULL`,
        ({ length }) => (length > 0 ? Effect.void : Effect.fail(withdrawn))
      )

/** `permitted`, where keys change so much that nobody looks again whether they may: only people hold their permission. */
export const permittedToPeople = <A, E, R>(
  sql: SqlClient.SqlClient,
  appId: AppId,
  change: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError | StoreError, R> =>
  Effect.flatMap(CurrentActor, ({ kind }): Effect.Effect<A, E | SqlError | StoreError, R> =>
    kind === "user" ? permitted(sql, appId, change) : sql.withTransaction(change)
  )
