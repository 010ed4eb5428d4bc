import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId, ContactId, SegmentId } from "../../../services/domain/Ids.ts"
import type { Facts } from "../../../services/domain/workflows/Conditions.ts"
import type { Judge } from "../../../services/ports/workflows/TriggerStore.ts"
import { reach } from "./answers.ts"
import type { ContactRow } from "./entering.ts"
import { FIRST } from "./entering.ts"
import { ENTRIES } from "./entryPages.ts"
import { personOf } from "./runRows.ts"
import { insideOf } from "./segmentMembers.ts"

/** Whether what a segment asks may change without a write of its contacts. */
export const isTimely = ({ engagement, last_seen, platforms }: SegmentFilter): boolean =>
  (engagement ?? last_seen ?? platforms) !== undefined

/** Everything that is known of people, for conditions of segments. */
export const whole = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  contacts: ReadonlyArray<ContactRow>,
  filters: ReadonlyArray<SegmentFilter>
) {
  const people = new Map(contacts.map((contact) => [contact.id, personOf(contact)]))
  if (!filters.some(isTimely) || contacts.length === 0) return people
  const more = yield* reach(
    sql,
    contacts.map(({ external_id, id }) => ({ appId, contactId: id, userId: external_id }))
  )
  return new Map([...people].map(([id, person]) => [id, { ...person, ...more.get(id) }]))
})

/**
 * Segments that an active workflow waits for are watched, in their present conditions; the others no more. Of one
 * application, or of all. Their rows are locked with it, also those that stay as they are: until the transaction ends,
 * nobody else judges who is in them.
 */
export const keepWatched = (sql: SqlClient.SqlClient, appId: AppId | null) => {
  const ofApp = (table: string) => (appId === null ? sql`true` : sql`${sql(table)}.app_id = ${appId}`)
  return sql`
    WITH triggers AS MATERIALIZED (
      SELECT app_id, trigger_value::uuid AS segment_id, min(activated_at) AS since FROM workflows w
      WHERE status = 'active' AND trigger_type = 'segment_entered' AND ${ofApp("w")} GROUP BY app_id, trigger_value::uuid
    ), wanted AS MATERIALIZED (
      SELECT s.id, s.app_id, s.filter::text AS filter, s.updated_at, t.since
      FROM triggers t CROSS JOIN LATERAL (
        SELECT id, app_id, filter, updated_at FROM segments WHERE id = t.segment_id AND app_id = t.app_id OFFSET 0
      ) AS s
    ), gone AS (
      DELETE FROM watched_segments o WHERE segment_id NOT IN (SELECT id FROM wanted) AND ${ofApp("o")}
    )
    INSERT INTO watched_segments AS o (segment_id, app_id, filter, after_id, since)
    SELECT id, app_id, filter::json, ${FIRST}::uuid, since FROM wanted ORDER BY id
    ON CONFLICT (segment_id) DO UPDATE SET filter = excluded.filter, after_id = excluded.after_id, is_first = true,
      since = (SELECT updated_at FROM wanted WHERE id = excluded.segment_id)
    WHERE o.filter::text <> excluded.filter::text`
}

/**
 * How many workflows each of these people would enter by the segments that they have come into, at most. Who is in
 * them already is looked up only where there would be too many entries otherwise.
 */
export const coming = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  segments: ReadonlyArray<{
    readonly segmentId: SegmentId
    readonly filter: SegmentFilter
    readonly workflows: number
  }>,
  people: ReadonlyMap<ContactId, Facts>,
  judge: Judge
) {
  const fitting = segments.flatMap(({ filter, segmentId, workflows }) =>
    workflows === 0
      ? []
      : [...people].flatMap(([contactId, person]) =>
          judge(filter, person) ? [{ segmentId, contactId, workflows }] : []
        )
  )
  const isMuch = fitting.reduce((sum, { workflows }) => sum + workflows, 0) > ENTRIES
  const isInside = isMuch ? yield* insideOf(sql, fitting) : () => false
  const counts = new Map<ContactId, number>()
  for (const one of fitting) {
    if (!isInside(one)) counts.set(one.contactId, (counts.get(one.contactId) ?? 0) + one.workflows)
  }
  return counts
})
