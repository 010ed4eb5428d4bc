import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { ContactId, SegmentId } from "../../../services/domain/Ids.ts"
import { uuidTime } from "../../../services/domain/Ids.ts"
import type { Facts } from "../../../services/domain/workflows/Conditions.ts"
import { segmentOf } from "../../../services/domain/workflows/Workflow.ts"
import { READ_AT_ONCE } from "../../../services/ports/workflows/ExecutionStore.ts"
import { toldOf } from "../../../services/ports/workflows/Told.ts"
import type { Triggered, TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { texts, uuids } from "../server/columns.ts"
import type { ContactRow, Entering, Entry } from "./entering.ts"
import { CONTACT_BYTES } from "./entering.ts"
import { makePace, together } from "./entryPages.ts"
import { inTransaction } from "./inTransaction.ts"
import { lookEarly, noteMembers } from "./segmentMembers.ts"
import { beginningOf, nextApp, waitingFor } from "./triggered.ts"
import { coming, keepWatched, whole } from "./watchedSegments.ts"

/** Workflows that lead to each other by what they change in contacts go on so far, and no farther. */
const DEPTH = 10

/** Takes changes of contacts: lets those into workflows who got a tag, or came into a segment. */
export const takeChangesBy = (
  sql: SqlClient.SqlClient,
  { enterAll }: Entering
): TriggerStore["Service"]["takeChanges"] => {
  const transaction = inTransaction(sql)
  const pace = makePace()
  const contactsOf = (ids: ReadonlyArray<ContactId>) =>
    sql<ContactRow>`
      SELECT id, external_id, tags, attributes, locale, timezone FROM contacts WHERE id = ANY(${uuids(ids)})`

  return Effect.fnUntraced(
    function* (served, limit, judge, carry, turnOf) {
      const appId = yield* nextApp(sql, sql`contact_changes WHERE`, "id", served)
      if (appId === null) return Option.none()
      turnOf?.(appId)
      const began = performance.now()
      const asked = pace.most(appId, limit)
      const found = yield* sql<{
        readonly id: string
        readonly contact_id: ContactId
        readonly tags_added: ReadonlyArray<string>
        readonly depth: number
      }>`
          WITH next AS MATERIALIZED (
            SELECT id, contact_id, tags_added, depth, octet_length(was::text) AS size FROM contact_changes
            WHERE app_id = ${appId} ORDER BY id LIMIT ${asked} FOR UPDATE SKIP LOCKED
          ), sized AS (
            SELECT *, sum(64 * cardinality(tags_added) + coalesce(size, 0) + coalesce(
              (SELECT ${sql.literal(CONTACT_BYTES)} FROM contacts c WHERE c.id = next.contact_id), 0
            )) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM next
          )
          SELECT id::text, contact_id, tags_added, depth FROM sized WHERE before IS NULL OR before < ${READ_AT_ONCE}`
      if (found.length === 0) return Option.some({ appId, count: 0, written: [] })
      // Before people are read: who waits here for another's page judges them as they are after it.
      yield* keepWatched(sql, appId)
      const all = yield* contactsOf([...new Set(found.map(({ contact_id }) => contact_id))])
      const contacts = new Map(all.map((row) => [row.id, row]))
      const tagged = yield* waitingFor(
        sql,
        appId,
        "tag_added",
        found.flatMap(({ tags_added }) => tags_added)
      )
      const watched = yield* sql<{
        readonly segment_id: SegmentId
        readonly filter: SegmentFilter
        readonly after_id: string | null
        readonly is_first: boolean
        readonly since: Date
      }>`
          SELECT * FROM (
            -- OFFSET 0: not those of all applications, in the order of their ids.
            SELECT segment_id, filter, after_id, is_first, since FROM watched_segments WHERE app_id = ${appId} OFFSET 0
          ) AS theirs ORDER BY segment_id`
      const inSegments =
        watched.length === 0
          ? []
          : yield* waitingFor(
              sql,
              appId,
              "segment_entered",
              watched.map(({ segment_id }) => segment_id)
            )
      const people =
        watched.length === 0
          ? new Map<ContactId, Facts>()
          : yield* whole(
              sql,
              appId,
              all,
              watched.map(({ filter }) => filter)
            )
      const workflowsOfTag = Map.groupBy(tagged, ({ trigger }) => (trigger.type === "tag_added" ? trigger.tag : ""))
      const workflowsOf = Map.groupBy(inSegments, ({ trigger }) =>
        trigger.type === "segment_entered" ? segmentOf(trigger) : null
      )
      const comingOf = yield* coming(
        sql,
        watched.map(({ filter, segment_id }) => ({
          segmentId: segment_id,
          filter,
          workflows: workflowsOf.get(segment_id)?.length ?? 0
        })),
        people,
        judge
      )
      const counted = new Set<ContactId>()
      const weights = found.map(({ contact_id, tags_added }) => {
        const byTags = [...new Set(tags_added)].reduce((sum, tag) => sum + (workflowsOfTag.get(tag)?.length ?? 0), 0)
        const bySegments = counted.has(contact_id) ? 0 : (comingOf.get(contact_id) ?? 0)
        counted.add(contact_id)
        return { entries: byTags + bySegments, bytes: 0 }
      })
      // Those beyond stay as they are.
      const changes = found.slice(0, together(weights))
      const changed = new Set(changes.map(({ contact_id }) => contact_id))
      const rows = all.filter(({ id }) => changed.has(id))
      // Which of a contact's changes led into a segment, nobody can tell: the one that most workflows led to counts.
      const depthOf = new Map<ContactId, number>()
      for (const { contact_id, depth } of changes)
        depthOf.set(contact_id, Math.max(depth, depthOf.get(contact_id) ?? 0))

      const entryOf = (
        workflow: Triggered,
        all: ReadonlyArray<{ readonly contact_id: ContactId; readonly depth: number }>
      ): Entry => ({
        beginning: beginningOf(appId, workflow),
        entrants: all.flatMap(({ contact_id, depth }) => {
          const contact = contacts.get(contact_id)
          return depth < DEPTH && contact !== undefined ? [{ contact, depth }] : []
        })
      })

      const entries = tagged.map((workflow) => {
        const tag = workflow.trigger.type === "tag_added" ? workflow.trigger.tag : ""
        return entryOf(
          workflow,
          changes.filter(({ tags_added }) => tags_added.includes(tag))
        )
      })
      for (const { after_id, filter, is_first, segment_id, since } of watched) {
        const ids = rows.map(({ id }) => id)
        // To whom the first look is still to come. Who was made since is known by changes.
        const unseen = ids.filter(
          (id) => is_first && after_id !== null && id > after_id && uuidTime(id) < since.getTime()
        )
        yield* lookEarly(sql, { segmentId: segment_id, filter }, unseen, people, judge)
        const fitting = ids.filter((id) => judge(filter, people.get(id)!))
        const came = yield* noteMembers(sql, segment_id, ids, fitting)
        const entered = came.map((id) => ({ contact_id: id, depth: depthOf.get(id) ?? 0 }))
        for (const workflow of workflowsOf.get(segment_id) ?? []) entries.push(entryOf(workflow, entered))
      }
      const written = (yield* enterAll(appId, entries, carry)).map(toldOf)
      // Last: until then they say what people were like before.
      yield* sql`
          DELETE FROM contact_changes c
          USING (SELECT ${appId}::uuid, * FROM unnest(${texts(changes.map(({ id }) => id))}::bigint[]) OFFSET 0) AS t (app_id, id)
          WHERE c.app_id = ANY(ARRAY[t.app_id]) AND c.id = t.id`
      const ms = performance.now() - began
      pace.note(appId, limit, { asked, found: found.length, taken: changes.length, ms })
      return Option.some({ appId, count: changes.length, written })
    },
    (effect) => transaction("TriggerStore.takeChanges", effect)
  )
}
