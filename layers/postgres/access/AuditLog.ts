import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditEntry } from "../../../services/domain/access/Audit.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

type AuditRow = Omit<AuditEntry, "at"> & { readonly at: Date }

export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    AuditLog.of({
      list: (appId, after, limit) =>
        sql<AuditRow>`
          SELECT id, app_id AS "appId", at, actor_kind AS "actorKind", actor_id AS "actorId", action, target, details
          FROM audit_log WHERE ${spanOf(sql, "newest first", appId, after)} LIMIT ${limit + 1}`.pipe(
          Effect.map((rows) =>
            pageOf(
              rows.map((row) => ({ ...row, at: row.at.getTime() })),
              limit
            )
          ),
          storeError("AuditLog.list")
        )
    })
  )
)
