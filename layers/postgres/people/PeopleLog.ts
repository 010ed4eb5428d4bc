import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { PeopleLogEntry } from "../../../services/domain/people/PeopleLogEntry.ts"
import { PeopleLog } from "../../../services/ports/people/PeopleLog.ts"
import { emailOf, filtersOf } from "../access/logEntries.ts"
import { ofRows } from "../server/ofRows.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

type LogRow = Omit<PeopleLogEntry, "at"> & { readonly at: Date }

/** The address of whom an entry is about: an account's, or an invitation's, as long as there is either. */
const whomOf = (sql: SqlClient.SqlClient): Fragment =>
  sql`COALESCE(
    (SELECT a.email FROM accounts a WHERE a.id = l.account_id),
    (SELECT i.email FROM invitations i WHERE ${ofRows(sql, sql`i.organization_id = l.organization_id`)}
      AND i.id = CASE WHEN l.action LIKE 'invitation.%' THEN l.target::uuid END))`

export const layer: Layer.Layer<PeopleLog, never, SqlClient.SqlClient> = Layer.effect(
  PeopleLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PeopleLog.of({
      list: (organizationId, filter, after, limit) =>
        sql<LogRow>`
          SELECT l.id, l.at, l.organization_id AS "organizationId", l.account_id AS "accountId",
            l.actor_kind AS "actorKind", l.actor_id AS "actorId", (${emailOf(sql)}) AS "actorEmail", (${whomOf(sql)}) AS "email", l.action, l.target, l.details
          FROM people_log l WHERE ${sql.and([
            sql`l.organization_id = ${organizationId}`,
            ...filtersOf(sql, filter),
            ...(after === null ? [] : [sql`l.id < ${after}`])
          ])} ORDER BY l.id DESC LIMIT ${limit + 1}`.pipe(
          Effect.map((rows) =>
            pageOf(
              rows.map((row) => ({ ...row, at: row.at.getTime() })),
              limit
            )
          ),
          storeError("PeopleLog.list")
        )
    })
  )
)
