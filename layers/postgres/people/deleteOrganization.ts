import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { OrganizationId } from "../../../services/domain/Ids.ts"
import { MOVING_RUNS } from "../server/advisoryLocks.ts"
import { forgetNames } from "./forgetNames.ts"
import { recordPeople } from "./peopleEntry.ts"

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
  const applications = sql`SELECT id FROM applications WHERE organization_id = ${id}`
  // With the lock of the organization, which changes of configuration wait for (permitted.ts). Stronger than this, it would
  // wait for those who write what the applications hold, and they for it.
  yield* sql`SELECT 1 FROM applications WHERE organization_id = ${id} ORDER BY id FOR NO KEY UPDATE`
  // Moves of runs that are under way end first, and none begins after them (may_move_runs).
  yield* sql`
    SELECT pg_advisory_xact_lock(${MOVING_RUNS}::integer, hashtext(id::text)) FROM (${applications} ORDER BY id) AS a`
  yield* sql`UPDATE organizations SET deleted_at = now(), name = '' WHERE id = ${id}`
  yield* sql`DELETE FROM api_keys WHERE app_id = ANY(ARRAY(${applications}))`
  yield* sql`DELETE FROM credentials WHERE app_id = ANY(ARRAY(${applications}))`
  yield* sql`UPDATE webhooks SET is_active = false, disabled_reason = NULL WHERE app_id = ANY(ARRAY(${applications}))`
  yield* sql`DELETE FROM invitations WHERE organization_id = ${id}`
  yield* sql`DELETE FROM members WHERE organization_id = ${id}`
  // At once of all that most organizations have; what more there is goes with the rest.
  yield* forgetNames(sql, id)
  yield* recordPeople(sql, "organization.deleted", { organization: id, target: id })
})
