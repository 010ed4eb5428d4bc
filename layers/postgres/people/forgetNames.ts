import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { OrganizationId } from "../../../services/domain/Ids.ts"
import type { PeopleAction } from "../../../services/domain/people/PeopleLogEntry.ts"
import { texts } from "../server/columns.ts"

/** Entries that one statement changes, at most. */
const ENTRIES = 2_000

/** What names an organization, or something of it: people call such things after themselves. */
const NAMING: ReadonlyArray<PeopleAction> = [
  "application.created",
  "application.deleted",
  "organization.changed",
  "organization.created"
]

/** Takes the names out of the log of a deleted organization, which goes on to say who did what. Answers of how many entries. */
export const forgetNames = (sql: SqlClient.SqlClient, id: OrganizationId): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql`
      UPDATE people_log SET details = (details::jsonb - 'name')::json WHERE id = ANY(ARRAY(
        SELECT id FROM people_log
        WHERE organization_id = ${id} AND action = ANY(${texts(NAMING)}) AND details ->> 'name' IS NOT NULL LIMIT ${ENTRIES}
      )) RETURNING 1 AS one`,
    ({ length }) => length
  )
