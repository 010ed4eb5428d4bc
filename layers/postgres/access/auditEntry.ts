import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AuditAction } from "../../../services/domain/access/Audit.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"

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
): Effect.fn.Return<void, SqlError> {
  const actor = yield* CurrentActor
  yield* sql`
    INSERT INTO audit_log (id, app_id, actor_kind, actor_id, action, target, details)
    VALUES (${uuidv7()}, ${appId}, ${actor.kind}, ${actor.id}, ${action}, ${target}, ${JSON.stringify(details)})`
})
