import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { AuditFilter } from "../../../services/domain/access/Audit.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"

/* What the log of applications and that of people have in common. Both are called `l` in a statement. */

/** An entry's id is made before it is written: by so much, at most, its time may be another. */
const SLACK_MS = 60_000

/** What a filter asks. Times are spans of the index on ids as well. */
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

/** The address of who made the entry, where that is a person who still has an account: looked up for each row shown. */
export const emailOf = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT a.email FROM accounts a WHERE a.id = CASE WHEN l.actor_kind = 'user' THEN l.actor_id::uuid END`
