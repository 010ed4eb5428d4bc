import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { DeadLetterFilter } from "../../../services/domain/sending/DeadLetter.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { ofRows } from "../server/ofRows.ts"

/**
 * By how much the clock of a node that makes ids may differ from the database's, which tells when a dead letter was
 * written.
 */
const SLACK_MS = 3_600_000

/**
 * Conditions on dead letters `l`. Bounds of time are bounds of ids as well, along which the indexes run. `isSpan`: those of
 * a notification are a span, and not known to be of one notification, so that an order by notification and id is not taken
 * for one by id.
 */
export const deadLettersOf = (
  sql: SqlClient.SqlClient,
  appId: AppId,
  filter: DeadLetterFilter,
  isSpan = false
): ReadonlyArray<Fragment> => {
  const { error, kind, notification_id, provider, webhook_id } = filter
  const from = filter.from === undefined ? null : Date.parse(filter.from)
  const to = filter.to === undefined ? null : Date.parse(filter.to)
  // Those of a webhook or a notification are found by it.
  const isNarrow = webhook_id !== undefined || notification_id !== undefined
  const besides = (condition: Fragment) => (isNarrow ? ofRows(sql, condition) : condition)
  return [
    besides(sql`l.app_id = ${appId}`),
    ...(kind === undefined ? [] : [besides(sql`l.kind = ${kind}`)]),
    ...(webhook_id === undefined ? [] : [sql`l.webhook_id = ${webhook_id}`]),
    ...(notification_id === undefined
      ? []
      : [
          isSpan
            ? sql`l.notification_id BETWEEN ${notification_id}::uuid AND ${notification_id}::uuid`
            : sql`l.notification_id = ${notification_id}`
        ]),
    ...(provider === undefined ? [] : [sql`l.provider = ${provider}`]),
    ...(error === undefined ? [] : [sql`l.error = ${error}`]),
    ...(from === null ? [] : [sql`l.at >= ${new Date(from)}`, sql`l.id >= ${uuidFloor(Math.max(0, from - SLACK_MS))}`]),
    ...(to === null ? [] : [sql`l.at < ${new Date(to)}`, sql`l.id < ${uuidFloor(Math.max(0, to + SLACK_MS))}`])
  ]
}

/** Whether the device or channel of a row (`l`, with an `app_id` and a `recipient_id`) is still there: looked up by its key. */
export const recipientIsThere = (row: string): string => `coalesce(
    (SELECT true FROM devices WHERE app_id = ${row}.app_id AND id = ${row}.recipient_id),
    (SELECT true FROM channels WHERE app_id = ${row}.app_id AND id = ${row}.recipient_id),
    false)`
