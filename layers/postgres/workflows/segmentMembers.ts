import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { ContactId, SegmentId } from "../../../services/domain/Ids.ts"
import type { Facts } from "../../../services/domain/workflows/Conditions.ts"
import type { Judge } from "../../../services/ports/workflows/TriggerStore.ts"
import { uuids } from "../server/columns.ts"
import type { PersonRow } from "./runRows.ts"
import { personOf } from "./runRows.ts"

/*
 * Who is in a segment that is watched. All of it happens while the caller holds the row of watched_segments locked: pages of
 * contacts are judged one after the other, each as it is then.
 */

type Sql = SqlClient.SqlClient

interface Watched {
  readonly segmentId: SegmentId
  readonly filter: SegmentFilter
}

interface Membership {
  readonly segmentId: SegmentId
  readonly contactId: ContactId
}

const keyOf = ({ contactId, segmentId }: Membership): string => `${segmentId} ${contactId}`

/** Which of these contacts are known to be in these segments. */
export const insideOf = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Membership>) {
  const rows = yield* sql<{ readonly place: number }>`
    SELECT t.place::integer AS place
    FROM unnest(${uuids(asked.map(({ segmentId }) => segmentId))}, ${uuids(asked.map(({ contactId }) => contactId))})
      WITH ORDINALITY AS t (segment_id, contact_id, place)
    CROSS JOIN LATERAL (
      SELECT 1 FROM segment_members WHERE segment_id = t.segment_id AND contact_id = t.contact_id OFFSET 0
    ) AS m`
  const inside = new Set(rows.map(({ place }) => keyOf(asked[place - 1]!)))
  return (one: Membership): boolean => inside.has(keyOf(one))
})

/** Notes who is in a segment now, of some contacts, and answers who came in. */
export const noteMembers = Effect.fnUntraced(function* (
  sql: Sql,
  segmentId: SegmentId,
  all: ReadonlyArray<ContactId>,
  fitting: ReadonlyArray<ContactId>
) {
  const inside = new Set(fitting)
  const left = all.filter((id) => !inside.has(id))
  if (left.length > 0) {
    yield* sql`DELETE FROM segment_members WHERE segment_id = ${segmentId} AND contact_id = ANY(${uuids(left)})`
  }
  if (fitting.length === 0) return []
  const rows = yield* sql<{ readonly contact_id: ContactId }>`
    INSERT INTO segment_members (segment_id, contact_id)
    SELECT ${segmentId}::uuid, id FROM unnest(${uuids(fitting.toSorted())}) AS t (id)
    ON CONFLICT DO NOTHING RETURNING contact_id`
  return rows.map(({ contact_id }) => contact_id)
})

/**
 * Notes who was in a segment when it began to be watched, of contacts of whom nothing is known: as each was before the
 * first of its changes since then, or as it is. Changes are read after `people`: before one that came in between, its contact
 * was as `people` say.
 */
const noteThoseBefore = Effect.fnUntraced(function* (
  sql: Sql,
  { filter, segmentId }: Watched,
  ids: ReadonlyArray<ContactId>,
  people: ReadonlyMap<ContactId, Facts>,
  judge: Judge
) {
  if (ids.length === 0) return
  const rows = yield* sql<{ readonly id: ContactId; readonly was: PersonRow | null }>`
    SELECT t.id, c.was FROM watched_segments o CROSS JOIN unnest(${uuids(ids)}) AS t (id)
    CROSS JOIN LATERAL (
      SELECT was FROM contact_changes c
      WHERE c.app_id = o.app_id AND c.contact_id = t.id AND c.was IS NOT NULL AND c.at >= o.since ORDER BY c.id LIMIT 1
    ) AS c WHERE o.segment_id = ${segmentId}`
  const changed = new Map(rows.map(({ id, was }) => [id, was]))
  const wasIn = (id: ContactId): boolean => {
    const person = people.get(id)!
    const was = changed.get(id)
    if (was === undefined) return judge(filter, person)
    if (was === null) return false
    const { attributes, locale, tags, timezone } = personOf(was)
    return judge(filter, { ...person, attributes, locale, tags, timezone })
  }
  yield* noteMembers(sql, segmentId, ids, ids.filter(wasIn))
})

/** Notes who was in a segment before, of contacts that a change led to before the first look came to them. */
export const lookEarly = Effect.fnUntraced(function* (
  sql: Sql,
  watched: Watched,
  ids: ReadonlyArray<ContactId>,
  people: ReadonlyMap<ContactId, Facts>,
  judge: Judge
) {
  if (ids.length === 0) return
  const rows = yield* sql<{ readonly contact_id: ContactId }>`
    INSERT INTO early_looks AS e (segment_id, contact_id, since)
    SELECT o.segment_id, t.id, o.since FROM watched_segments o CROSS JOIN unnest(${uuids(ids.toSorted())}) AS t (id)
    WHERE o.segment_id = ${watched.segmentId}
    ON CONFLICT (segment_id, contact_id) DO UPDATE SET since = excluded.since WHERE e.since <> excluded.since
    RETURNING contact_id`
  const those = rows.map(({ contact_id }) => contact_id)
  yield* noteThoseBefore(sql, watched, those, people, judge)
})

/** The same of a page of the first look, up to `end`: without those whom a change led to. */
export const lookFirst = Effect.fnUntraced(function* (
  sql: Sql,
  watched: Watched,
  people: ReadonlyMap<ContactId, Facts>,
  { after, end }: { readonly after: string; readonly end: string },
  judge: Judge
) {
  const rows = yield* sql<{ readonly contact_id: ContactId; readonly is_known: boolean }>`
    DELETE FROM early_looks e USING watched_segments o
    WHERE o.segment_id = ${watched.segmentId} AND e.segment_id = ${watched.segmentId}
      AND e.contact_id > ${after} AND e.contact_id <= ${end}
    RETURNING e.contact_id, e.since = o.since AS is_known`
  const known = new Set(rows.flatMap(({ contact_id, is_known }) => (is_known ? [contact_id] : [])))
  const those = [...people.keys()].filter((id) => !known.has(id))
  yield* noteThoseBefore(sql, watched, those, people, judge)
})
