import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditEntry, AuditFilter } from "../../../services/domain/access/Audit.ts"
import { ANY_ENTRY } from "../../../services/domain/access/Audit.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { record } from "./auditEntry.ts"
import { emailOf, filtersOf } from "./logEntries.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

type AuditRow = Omit<AuditEntry, "at"> & { readonly at: Date }

/** Whether anything is asked for that leads to fewer than all: by an index of its own, or by a span of ids. */
const isNarrow = (filter: AuditFilter): boolean => Object.values(filter).some((wanted) => wanted !== null)

export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    AuditLog.of({
      list: (appId, after, limit, filter = ANY_ENTRY) =>
        sql<AuditRow>`
          SELECT l.id, l.app_id AS "appId", l.at, l.actor_kind AS "actorKind", l.actor_id AS "actorId",
            (${emailOf(sql)}) AS "actorEmail", l.action, l.target, l.details
          FROM audit_log l WHERE ${
            isNarrow(filter)
              ? sql`${sql.and([
                  sql`l.app_id = ${appId}`,
                  ...filtersOf(sql, filter),
                  ...(after === null ? [] : [sql`l.id < ${after}`])
                ])} ORDER BY l.id DESC`
              : spanOf(sql, "newest first", appId, after)
          } LIMIT ${limit + 1}`.pipe(
          Effect.map((rows) =>
            pageOf(
              rows.map((row) => ({ ...row, at: row.at.getTime() })),
              limit
            )
          ),
          storeError("AuditLog.list")
        ),
      record: (appId, { action, details, target }) =>
        record(sql, appId, action, target, details).pipe(storeError("AuditLog.record"))
    })
  )
)
