import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId, SegmentId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import type { Told } from "../../../services/ports/workflows/Told.ts"
import { toldOf } from "../../../services/ports/workflows/Told.ts"
import type { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import type { Entering } from "./entering.ts"
import { contactsPage, FIRST } from "./entering.ts"
import { together } from "./entryPages.ts"
import { inTransaction } from "./inTransaction.ts"
import { lookFirst, noteMembers } from "./segmentMembers.ts"
import { beginningOf, waitingFor } from "./triggered.ts"
import { coming, isTimely, whole } from "./watchedSegments.ts"

/** How often a segment is looked through whose conditions time alone may change. */
const LOOK_S = 900
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Looks through segments that workflows wait for, page by page: first to know who is in them, then for who came by time. */
export const lookThroughSegments = (
  sql: SqlClient.SqlClient,
  { enterAll }: Entering
): TriggerStore["Service"]["look"] => {
  const transaction = inTransaction(sql)
  return Effect.fnUntraced(
    function* (served, limit, judge, carry, turnOf) {
      const [row] = yield* sql<{
        readonly segment_id: SegmentId
        readonly app_id: AppId
        readonly filter: SegmentFilter
        readonly after_id: string | null
        readonly is_first: boolean
        readonly since: Date
      }>`
          SELECT segment_id, app_id, filter, after_id, is_first, since FROM watched_segments
          WHERE after_id IS NOT NULL OR looked_at < now() - ${LOOK_S} * interval '1 s'
          ORDER BY app_id <= ${served ?? FIRST}, app_id, segment_id LIMIT 1 FOR UPDATE SKIP LOCKED`
      if (row === undefined) return Option.none()
      const { app_id: appId, filter, is_first, segment_id: segmentId } = row
      turnOf?.(appId)
      if (row.after_id === null && !isTimely(filter)) {
        yield* sql`UPDATE watched_segments SET looked_at = now() WHERE segment_id = ${segmentId}`
        return Option.some({ appId, count: 1, written: [] })
      }
      // Who came since it is watched, is looked at as a change.
      const end = is_first ? uuidFloor(row.since.getTime()) : LAST
      const page = yield* contactsPage(
        sql,
        sql`WHERE app_id = ${appId} AND id > ${row.after_id ?? FIRST} AND id < ${end} ORDER BY id LIMIT ${limit}`
      )
      const people = yield* whole(sql, appId, page.contacts, [filter])
      const workflows = is_first ? [] : yield* waitingFor(sql, appId, "segment_entered", [segmentId])
      const comingOf = yield* coming(sql, [{ segmentId, filter, workflows: workflows.length }], people, judge)
      const weights = page.contacts.map(({ id }) => ({ entries: comingOf.get(id) ?? 0, bytes: 0 }))
      const contacts = page.contacts.slice(0, together(weights))
      const isDone = page.found < limit && contacts.length === page.found
      const written: Array<Told> = []
      if (is_first) {
        const span = { after: row.after_id ?? FIRST, end: isDone ? end : contacts.at(-1)!.id }
        yield* lookFirst(sql, { segmentId, filter }, people, span, judge)
      } else {
        const ids = contacts.map(({ id }) => id)
        const fitting = ids.filter((id) => judge(filter, people.get(id)!))
        const came = new Set(yield* noteMembers(sql, segmentId, ids, fitting))
        const entrants = contacts.flatMap((contact) => (came.has(contact.id) ? [{ contact }] : []))
        const entries = workflows.map((workflow) => ({ beginning: beginningOf(appId, workflow), entrants }))
        written.push(...(yield* enterAll(appId, entries, carry)).map(toldOf))
      }
      yield* sql`
          UPDATE watched_segments SET after_id = ${isDone ? null : contacts.at(-1)!.id}, is_first = is_first AND ${!isDone},
            looked_at = CASE WHEN ${isDone} THEN now() ELSE looked_at END
          WHERE segment_id = ${segmentId}`
      return Option.some({ appId, count: 1, written })
    },
    (effect) => transaction("TriggerStore.look", effect)
  )
}
