import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { AppId, OrganizationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { NotThere } from "../../../services/ports/people/OrganizationStore.ts"
import { MOVING_RUNS } from "../server/advisoryLocks.ts"
import { forgetNames } from "./forgetNames.ts"
import { recordPeople } from "./peopleEntry.ts"

/**
 * Ends what the applications of an organization do. With the lock of that organization, which changes of configuration
 * wait for (permitted.ts). Stronger than this, it would wait for those who write what the applications hold, and they for
 * it.
 */
const stop = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, applications: Fragment) {
  const stopped = yield* sql<{ readonly name: string }>`
    SELECT name FROM applications WHERE ${applications} ORDER BY id FOR NO KEY UPDATE`
  const ids = sql`SELECT id FROM applications WHERE ${applications}`
  // Moves of runs that are under way end first, and none begins after them (may_move_runs).
  yield* sql`SELECT pg_advisory_xact_lock(${MOVING_RUNS}::integer, hashtext(id::text)) FROM (${ids} ORDER BY id) AS a`
  yield* sql`DELETE FROM api_keys WHERE app_id = ANY(ARRAY(${ids}))`
  yield* sql`DELETE FROM credentials WHERE app_id = ANY(ARRAY(${ids}))`
  yield* sql`UPDATE webhooks SET is_active = false, disabled_reason = NULL WHERE app_id = ANY(ARRAY(${ids}))`
  return stopped
})

/**
 * Makes an organization nobody's. From the commit on nobody is a member, and nothing of it can be found; its keys are good
 * for a second at most where somebody has just looked one up (Auth.ts). Nothing that its applications hold is sent any more,
 * because their credentials and webhooks are gone, and no run of a workflow does its next step. What they hold is removed
 * afterwards, in parts. To be run in a transaction that has locked the organization.
 */
export const markDeleted = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  id: OrganizationId
): Effect.fn.Return<void, SqlError> {
  yield* stop(sql, sql`organization_id = ${id}`)
  yield* sql`UPDATE organizations SET deleted_at = now(), name = '' WHERE id = ${id}`
  yield* sql`DELETE FROM invitations WHERE organization_id = ${id}`
  yield* sql`DELETE FROM members WHERE organization_id = ${id}`
  // At once of all that most organizations have; what more there is goes with the rest.
  yield* forgetNames(sql, id)
  yield* recordPeople(sql, "organization.deleted", { organization: id, target: id })
})

/**
 * Takes an application out of its organization: it goes to one of its own, which is deleted with it. So whoever asks whether
 * an organization was deleted has asked it of the application too, and it is removed as theirs are. To be run in a
 * transaction that has locked the organization.
 */
export const markApplicationDeleted = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  id: OrganizationId,
  appId: AppId
): Effect.fn.Return<void, NotThere | SqlError> {
  const [application] = yield* stop(sql, sql`organization_id = ${id} AND id = ${appId}`)
  // Somebody who held the lock before has deleted it.
  if (application === undefined) return yield* new NotThere({ what: "application" })
  const own = uuidv7()
  yield* sql`INSERT INTO organizations (id, name, deleted_at) VALUES (${own}, '', now())`
  yield* sql`UPDATE applications SET organization_id = ${own} WHERE id = ${appId}`
  // Whoever follows something of it live is to ask again (migrations/0029_people.ts).
  yield* sql`
    SELECT pg_notify('heliograph', 'sessions:' || string_agg(account_id::text, ',')) FROM (
      SELECT account_id, row_number() OVER () / 200 AS part FROM members WHERE organization_id = ${id}
    ) AS parts GROUP BY part`
  const { name } = application
  yield* recordPeople(sql, "application.deleted", { organization: id, target: appId, details: { name } })
})
