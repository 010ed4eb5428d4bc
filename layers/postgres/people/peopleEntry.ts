import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { PeopleAction } from "../../../services/domain/people/PeopleLogEntry.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { uuidv7InOrder } from "../../../services/ports/NewId.ts"

export interface About {
  readonly organization?: OrganizationId
  readonly account?: AccountId
  readonly target: string
  /** No secret, and no address: the entry outlives the account. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Writes down a change about people and who makes it. To be run in the transaction of the change. */
export const recordPeople = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  action: PeopleAction,
  { account, details = {}, organization, target }: About
): Effect.fn.Return<void, SqlError> {
  const actor = yield* CurrentActor
  yield* sql`
    INSERT INTO people_log (id, organization_id, account_id, actor_kind, actor_id, action, target, details)
    VALUES (${uuidv7InOrder()}, ${organization ?? null}, ${account ?? null}, ${actor.kind}, ${actor.id}, ${action}, ${target},
      ${JSON.stringify(details)})`
})
