import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Actor, AuditAction, AuditNote } from "../../../services/domain/access/Audit.ts"
import type { AppId, AuditEntryId } from "../../../services/domain/Ids.ts"
import { uuidv7InOrder } from "../../../services/ports/NewId.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { CurrentImport } from "../../../services/ports/access/CurrentImport.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { texts, uuids } from "../server/columns.ts"
import { permitted, stillPermitted } from "./permitted.ts"

/**
 * Writes down a change and who makes it. To be run in the transaction of the change: one is not without the other.
 * `details` are shown to whoever may read the log: no secret, and no URL whole, which may hold one.
 */
export const record = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  action: AuditAction,
  target: string | null,
  details: Readonly<Record<string, unknown>> = {}
): Effect.fn.Return<AuditEntryId, SqlError> {
  const actor = yield* CurrentActor
  const id = uuidv7InOrder() as AuditEntryId
  yield* sql`
    INSERT INTO audit_log (id, app_id, actor_kind, actor_id, action, target, details)
    VALUES (${id}, ${appId}, ${actor.kind}, ${actor.id}, ${action}, ${target}, ${JSON.stringify(details)})`
  return id
})

const recordAll = (
  sql: SqlClient.SqlClient,
  appId: AppId,
  actor: Actor,
  notes: ReadonlyArray<AuditNote>
): Effect.Effect<unknown, SqlError> =>
  notes.length === 0
    ? Effect.void
    : sql`
    INSERT INTO audit_log (id, app_id, actor_kind, actor_id, action, target, details)
    SELECT t.id, ${appId}::uuid, ${actor.kind}::text, ${actor.id}::text, t.action, t.target, t.details::json
    FROM unnest(${uuids(notes.map(() => uuidv7InOrder()))}, ${texts(notes.map(({ action }) => action))},
      ${texts(notes.map(({ target }) => target))}, ${texts(notes.map(({ details = {} }) => JSON.stringify(details)))}
    ) AS t (id, action, target, details)`

/**
 * A change of data that keys make by the million, and that is written down where a person makes it: `notesOf` says what
 * of it, in one transaction with the change. All others change it as `otherwise` does, which nothing is added to. See
 * docs/decisions/0074-people.md.
 */
export const notedOfPeople = <A, E, R>(
  sql: SqlClient.SqlClient,
  appId: AppId,
  change: Effect.Effect<A, E, R>,
  notesOf: (changed: NoInfer<A>) => ReadonlyArray<AuditNote>,
  otherwise: Effect.Effect<A, E, R> = change
): Effect.Effect<A, E | SqlError | StoreError, R> =>
  Effect.flatMap(CurrentActor, (actor): Effect.Effect<A, E | SqlError | StoreError, R> => {
    if (actor.kind !== "user") return otherwise
    return permitted(
      sql,
      appId,
      Effect.tap(change, (changed) => recordAll(sql, appId, actor, notesOf(changed)))
    )
  })

/** An import goes on where it stopped, days later too; after that its entry takes nothing more. */
const IMPORT_DAYS = 7

/** Adds what a part of an import has written to its entry. False where the actor has no such entry to add to. */
const addToImport = (
  sql: SqlClient.SqlClient,
  appId: AppId,
  actor: Actor,
  id: AuditEntryId,
  written: ReadonlyArray<{ readonly created: boolean }>
): Effect.Effect<boolean, SqlError> => {
  const created = written.filter((one) => one.created).length
  return Effect.map(
    sql`
      UPDATE audit_log SET details = (details::jsonb || jsonb_build_object(
        'created', coalesce((details ->> 'created')::bigint, 0) + ${created}::bigint,
        'changed', coalesce((details ->> 'changed')::bigint, 0) + ${written.length - created}::bigint))::json
      WHERE id = ${id} AND app_id = ${appId} AND action IN ('contacts.imported', 'devices.imported')
        AND actor_kind = ${actor.kind} AND actor_id IS NOT DISTINCT FROM ${actor.id}
        AND at > now() - ${IMPORT_DAYS} * interval '1 day' RETURNING 1 AS one`,
    ({ length }) => length > 0
  )
}

/**
 * Rows that may be a part of an import: of one that is, its one entry counts them, whoever makes it. Else they are noted as
 * `notedOfPeople` does.
 */
export const notedOfImport = <A extends ReadonlyArray<{ readonly created: boolean }>, E, R>(
  sql: SqlClient.SqlClient,
  appId: AppId,
  change: Effect.Effect<A, E, R>,
  notesOf: (changed: NoInfer<A>) => ReadonlyArray<AuditNote>,
  otherwise: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError | StoreError, R> =>
  Effect.flatMap(CurrentImport, (id): Effect.Effect<A, E | SqlError | StoreError, R> => {
    if (id === null) return notedOfPeople(sql, appId, change, notesOf, otherwise)
    return Effect.flatMap(CurrentActor, (actor) => {
      const counted = Effect.tap(change, (written) =>
        Effect.flatMap(addToImport(sql, appId, actor, id, written), (isCounted) =>
          isCounted || actor.kind !== "user" ? Effect.void : recordAll(sql, appId, actor, notesOf(written))
        )
      )
      if (actor.kind === "user") return permitted(sql, appId, counted)
      return sql.withTransaction(Effect.andThen(stillPermitted(sql, appId, actor), counted))
    })
  })
