import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { AuditFilter } from "../../../services/domain/access/Audit.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import type { PeopleLogEntry } from "../../../services/domain/people/PeopleLogEntry.ts"
import { PeopleLog } from "../../../services/ports/people/PeopleLog.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

type LogRow = Omit<PeopleLogEntry, "at"> & { readonly at: Date }

/** An entry's id is made before it is written: by so much, at most, its time may be another. */
const SLACK_MS = 60_000

/** What a filter asks of a log called `l`. Times are spans of the index on ids as well. */
export const filtersOf = (sql: SqlClient.SqlClient, filter: AuditFilter): ReadonlyArray<Fragment> => [
  ...(filter.actorId === null ? [] : [sql`l.actor_id = ${filter.actorId}`]),
  ...(filter.action === null ? [] : [sql`l.action = ${filter.action}`]),
  ...(filter.target === null ? [] : [sql`l.target = ${filter.target}`]),
  ...(filter.from === null
    ? []
    : [sql`l.at >= ${new Date(filter.from)}`, sql`l.id >= ${uuidFloor(Math.max(0, filter.from - SLACK_MS))}`]),
  ...(filter.to === null
    ? []
    : [sql`l.at < ${new Date(filter.to)}`, sql`l.id < ${uuidFloor(Math.max(0, filter.to + SLACK_MS))}`])
]

export const layer: Layer.Layer<PeopleLog, never, SqlClient.SqlClient> = Layer.effect(
  PeopleLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PeopleLog.of({
      list: (organizationId, filter, after, limit) =>
        sql<LogRow>`
          SELECT l.id, l.at, l.organization_id AS "organizationId", l.account_id AS "accountId",
            l.actor_kind AS "actorKind", l.actor_id AS "actorId", a.email AS "actorEmail", l.action, l.target, l.details
          FROM people_log l LEFT JOIN accounts a
            ON a.id = CASE WHEN l.actor_kind = 'user' THEN l.actor_id::uuid END
          WHERE ${sql.and([
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
