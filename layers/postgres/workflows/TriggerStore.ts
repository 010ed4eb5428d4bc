import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId, ContactId, ExecutionId, SegmentId, WorkflowId } from "../../../services/domain/Ids.ts"
import { uuidFloor, uuidTime } from "../../../services/domain/Ids.ts"
import type { Facts } from "../../../services/domain/workflows/Conditions.ts"
import type { Trigger } from "../../../services/domain/workflows/Workflow.ts"
import { segmentOf } from "../../../services/domain/workflows/Workflow.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import type { Beginning, Moves, Tools, Written } from "../../../services/ports/workflows/ExecutionStore.ts"
import { READ_AT_ONCE } from "../../../services/ports/workflows/ExecutionStore.ts"
import type { Told } from "../../../services/ports/workflows/Told.ts"
import { toldOf } from "../../../services/ports/workflows/Told.ts"
import type { Judge, Triggered } from "../../../services/ports/workflows/TriggerStore.ts"
import { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { notedOfPeople } from "../access/auditEntry.ts"
import { settleWithin } from "../access/settleKey.ts"
import { Holder } from "../operations/Holder.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { texts, uuids } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { ask, reach, segments } from "./answers.ts"
import type { ContactRow } from "./entering.ts"
import { CONTACT_BYTES, contactsPage, entering, newestContact } from "./entering.ts"
import { ENTRIES, makePace, together } from "./entryPages.ts"
import { inTransaction } from "./inTransaction.ts"
import { personOf, readObject } from "./runRows.ts"
import { insideOf, lookEarly, lookFirst, noteMembers } from "./segmentMembers.ts"
import { theseRuns, writeMoves } from "./writeMoves.ts"

/** Workflows that lead to each other by what they change in contacts go on so far, and no farther. */
const DEPTH = 10
/** How often a segment is looked through whose conditions time alone may change. */
const LOOK_S = 900

/** Events in one statement, at most, of data that is not long (bytes). */
const TOGETHER = 256
const LONG = 4096

const FIRST = "00000000-0000-0000-0000-000000000000"
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** An event as its row has it. */
interface Raised {
  readonly appId: AppId
  readonly id: string
  readonly userId: string
  readonly event: string
  readonly data: string
  readonly trace: string | null
}

interface WorkflowRow {
  readonly workflow_id: WorkflowId
  readonly trigger: Trigger
}

const triggeredOf = (row: WorkflowRow): Triggered => ({ workflowId: row.workflow_id, trigger: row.trigger })

/** Whether what a segment asks may change without a write of its contacts. */
const isTimely = ({ engagement, last_seen, platforms }: SegmentFilter): boolean =>
  (engagement ?? last_seen ?? platforms) !== undefined

export const layer: Layer.Layer<TriggerStore, never, SqlClient.SqlClient> = Layer.effect(
  TriggerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const transaction = inTransaction(sql)
    const tools: Tools = {
      ask: (asked) => ask(sql, asked, now()).pipe(storeError("TriggerStore.ask")),
      segments: (appId, ids) => segments(sql, appId, ids).pipe(storeError("TriggerStore.segments")),
      reach: (runs) => reach(sql, runs).pipe(storeError("TriggerStore.reach"))
    }
    const write = Effect.fnUntraced(function* (moves: Moves, isNew: boolean) {
      return { moves, webhooks: yield* writeMoves(sql, moves, isNew, holder.id()) } satisfies Written
    })
    const { contactsOfUsers, enterContacts } = entering(sql, tools, write)
    const paceOfEvents = makePace()
    const paceOfChanges = makePace()

    const beginningOf = (appId: AppId, { trigger, workflowId }: Triggered): Beginning => ({
      appId,
      workflowId,
      data: {},
      ...(trigger.type === "segment_entered" ? { segmentId: segmentOf(trigger) } : {})
    })

    /** Active workflows of an application that wait for one of these. */
    const waitingFor = (appId: AppId, type: Trigger["type"], values: ReadonlyArray<string>) =>
      sql<WorkflowRow>`
        SELECT w.id AS workflow_id, v.definition -> 'trigger' AS trigger
        FROM unnest(${texts([...new Set(values)])}) AS t (value)
        CROSS JOIN LATERAL (
          SELECT id, version_id FROM workflows
          WHERE app_id = ${appId} AND status = 'active' AND trigger_type = ${type} AND trigger_value = t.value OFFSET 0
        ) AS w
        CROSS JOIN LATERAL (SELECT definition FROM workflow_versions WHERE id = w.version_id OFFSET 0) AS v
        ORDER BY w.id`.pipe(Effect.map((rows) => rows.map(triggeredOf)))

    /** The application that comes after `served` and has rows in a table whose key begins with it. */
    const nextApp = Effect.fnUntraced(function* (table: Fragment, order: "id" | "at", served: AppId | null) {
      const from = (after: string) =>
        sql<{ readonly app_id: AppId }>`
          SELECT app_id FROM ${table} app_id > ${after} ORDER BY app_id, ${sql.literal(order)} LIMIT 1`
      const [next] = served === null ? [] : yield* from(served)
      return next?.app_id ?? (yield* from(FIRST))[0]?.app_id ?? null
    })

    const raiseAll = (raised: ReadonlyArray<Raised>) =>
      sql`
        INSERT INTO custom_events (app_id, id, user_id, event, data, trace)
        SELECT * FROM unnest(${uuids(raised.map(({ appId }) => appId))}, ${uuids(raised.map(({ id }) => id))},
          ${texts(raised.map(({ userId }) => userId))}, ${texts(raised.map(({ event }) => event))},
          ${texts(raised.map(({ data }) => data))}, ${texts(raised.map(({ trace }) => trace))})`.pipe(
        Effect.as(raised.map(() => undefined)),
        storeError("TriggerStore.raise")
      )
    /** Those that come at the same time share a statement. */
    const raiseOne = yield* coalesce({
      run: raiseAll,
      weight: ({ data }: Raised) => 1 + data.length / LONG,
      refusalOf: refusalBySql,
      ownerOf: ({ appId }) => appId,
      rows: TOGETHER,
      atOnce: 2
    })

    const raise: TriggerStore["Service"]["raise"] = Effect.fnUntraced(function* (
      appId,
      { data, event, trace = null, userId },
      settle = null
    ) {
      const id = uuidv7()
      const raised = { appId, id, userId, event, data: JSON.stringify(data), trace }
      const settled =
        settle === null ? null : sql.withTransaction(Effect.andThen(raiseAll([raised]), settleWithin(sql, settle(id))))
      yield* notedOfPeople(
        sql,
        appId,
        settled ?? Effect.asVoid(raiseAll([raised])),
        () => [{ action: "event.raised", target: id, details: { event } }],
        settled ?? raiseOne(raised)
      )
      return id
    }, storeError("TriggerStore.raise"))

    const takeEvents: TriggerStore["Service"]["takeEvents"] = Effect.fnUntraced(
      function* (served, limit, carry, turnOf) {
        const appId = yield* nextApp(sql`custom_events WHERE NOT is_done AND`, "at", served)
        if (appId === null) return Option.none()
        turnOf?.(appId)
        const began = performance.now()
        const asked = paceOfEvents.most(appId, limit)
        const found = yield* sql<{
          readonly id: string
          readonly user_id: string
          readonly event: string
          readonly data: string
          readonly trace: string | null
          readonly at: number
          readonly bytes: number
        }>`
            SELECT id, user_id, event, data, trace, octet_length(data) AS bytes,
              ceil(extract(epoch FROM at) * 1000)::float8 AS at FROM (
              SELECT *, sum(octet_length(data)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (
                SELECT id, user_id, event, data, trace, at FROM custom_events WHERE app_id = ${appId} AND NOT is_done
                ORDER BY at LIMIT ${asked} FOR UPDATE SKIP LOCKED
              ) AS e
            ) AS e WHERE before IS NULL OR before < ${READ_AT_ONCE}`
        if (found.length === 0) return Option.some({ appId, count: 0, written: [] })
        const waiting = yield* waitingFor(
          appId,
          "event",
          found.map(({ event }) => event)
        )
        const workflowsOf = Map.groupBy(waiting, ({ trigger }) => (trigger.type === "event" ? trigger.event : null))
        const weights = found.map(({ bytes, event }) => {
          const entries = workflowsOf.get(event)?.length ?? 0
          return { entries, bytes: bytes * Math.max(1, entries) }
        })
        // Those beyond stay as they are.
        const events = found.slice(0, together(weights)).map(({ data, ...event }) => ({
          ...event,
          // Read once, however many workflows it leads to.
          data: workflowsOf.has(event.event) ? readObject(data) : {}
        }))
        const written: Array<Told> = []
        for (const workflow of waiting) {
          const name = workflow.trigger.type === "event" ? workflow.trigger.event : null
          const its = events.filter(({ event }) => event === name)
          if (its.length === 0) continue
          const contacts = yield* contactsOfUsers(
            appId,
            its.map(({ user_id }) => user_id)
          )
          const entrants = its.map(({ at, data, trace, user_id }) => ({
            contact: contacts.get(user_id)!,
            data,
            trace,
            // Behind the event itself: one that came next, and is looked at with it, is heard.
            at
          }))
          written.push(toldOf(yield* enterContacts(beginningOf(appId, workflow), entrants, carry)))
        }
        // Runs that wait for one of them go on: they look for themselves whether it fits. Whoever moves one has its timer
        // before it takes the wake away: so it is waited for first, and the wake of a run that has gone on is gone.
        yield* sql`
            SELECT r.execution_id FROM (
              SELECT DISTINCT w.app_id, w.execution_id AS id
              FROM (SELECT DISTINCT * FROM unnest(${texts(events.map(({ user_id }) => user_id))}, ${texts(events.map(({ event }) => event))})) AS t (user_id, event)
              CROSS JOIN LATERAL (
                SELECT app_id, execution_id FROM execution_events
                WHERE app_id = ${appId} AND user_id = t.user_id AND event = t.event OFFSET 0
              ) AS w
            ) AS t JOIN execution_timers r ON r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id
            ORDER BY t.id FOR UPDATE OF r`
        const woken = yield* sql<{ readonly execution_id: ExecutionId }>`
            DELETE FROM execution_events w
            USING (
              SELECT DISTINCT ${appId}::uuid, *
              FROM unnest(${texts(events.map(({ user_id }) => user_id))}, ${texts(events.map(({ event }) => event))})
            ) AS t (app_id, user_id, event)
            WHERE w.app_id = ANY(ARRAY[t.app_id]) AND w.user_id = t.user_id AND w.event = t.event
            RETURNING w.execution_id`
        if (woken.length > 0) {
          yield* sql`
              UPDATE execution_timers r SET due_at = ${PgTypes.timestamptz(now())}
              FROM ${theseRuns(
                sql,
                appId,
                woken.map(({ execution_id }) => execution_id)
              )} WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id`
        }
        yield* sql`
            UPDATE custom_events SET is_done = true WHERE ctid = ANY(ARRAY(
              SELECT e.ctid FROM unnest(${uuids(events.map(({ id }) => id))}) AS t (id)
              CROSS JOIN LATERAL (SELECT ctid FROM custom_events WHERE app_id = ${appId} AND id = t.id OFFSET 0) AS e
            ))`
        const ms = performance.now() - began
        paceOfEvents.note(appId, limit, { asked, found: found.length, taken: events.length, ms })
        return Option.some({ appId, count: events.length, written })
      },
      (effect) => transaction("TriggerStore.takeEvents", effect)
    )

    const contactsOf = (ids: ReadonlyArray<ContactId>) =>
      sql<ContactRow>`
        SELECT id, external_id, tags, attributes, locale, timezone FROM contacts WHERE id = ANY(${uuids(ids)})`

    /** Everything that is known of people, for conditions of segments. */
    const whole = Effect.fnUntraced(function* (
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
    const keepWatched = (appId: AppId | null) => {
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

    const keepAllWatched = Effect.asVoid(keepWatched(null)).pipe(storeError("TriggerStore.keepAllWatched"))

    /**
     * How many workflows each of these people would enter by the segments that they have come into, at most. Who is in
     * them already is looked up only where there would be too many entries otherwise.
     */
    const coming = Effect.fnUntraced(function* (
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

    const takeChanges: TriggerStore["Service"]["takeChanges"] = Effect.fnUntraced(
      function* (served, limit, judge, carry, turnOf) {
        const appId = yield* nextApp(sql`contact_changes WHERE`, "id", served)
        if (appId === null) return Option.none()
        turnOf?.(appId)
        const began = performance.now()
        const asked = paceOfChanges.most(appId, limit)
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
        const written: Array<Told> = []
        if (found.length === 0) return Option.some({ appId, count: 0, written })
        // Before people are read: who waits here for another's page judges them as they are after it.
        yield* keepWatched(appId)
        const all = yield* contactsOf([...new Set(found.map(({ contact_id }) => contact_id))])
        const contacts = new Map(all.map((row) => [row.id, row]))
        const tagged = yield* waitingFor(
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
                appId,
                "segment_entered",
                watched.map(({ segment_id }) => segment_id)
              )
        const people =
          watched.length === 0
            ? new Map<ContactId, Facts>()
            : yield* whole(
                appId,
                all,
                watched.map(({ filter }) => filter)
              )
        const workflowsOfTag = Map.groupBy(tagged, ({ trigger }) => (trigger.type === "tag_added" ? trigger.tag : ""))
        const workflowsOf = Map.groupBy(inSegments, ({ trigger }) =>
          trigger.type === "segment_entered" ? segmentOf(trigger) : null
        )
        const comingOf = yield* coming(
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

        const enterAll = (
          workflow: Triggered,
          all: ReadonlyArray<{ readonly contact_id: ContactId; readonly depth: number }>
        ) => {
          const entrants = all.flatMap(({ contact_id, depth }) => {
            const contact = contacts.get(contact_id)
            return depth < DEPTH && contact !== undefined ? [{ contact, depth }] : []
          })
          return entrants.length === 0
            ? Effect.void
            : Effect.map(enterContacts(beginningOf(appId, workflow), entrants, carry), (one) => {
                written.push(toldOf(one))
              })
        }

        for (const workflow of tagged) {
          const tag = workflow.trigger.type === "tag_added" ? workflow.trigger.tag : ""
          yield* enterAll(
            workflow,
            changes.filter(({ tags_added }) => tags_added.includes(tag))
          )
        }
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
          for (const workflow of workflowsOf.get(segment_id) ?? []) yield* enterAll(workflow, entered)
        }
        // Last: until then they say what people were like before.
        yield* sql`
            DELETE FROM contact_changes c
            USING (SELECT ${appId}::uuid, * FROM unnest(${texts(changes.map(({ id }) => id))}::bigint[]) OFFSET 0) AS t (app_id, id)
            WHERE c.app_id = ANY(ARRAY[t.app_id]) AND c.id = t.id`
        const ms = performance.now() - began
        paceOfChanges.note(appId, limit, { asked, found: found.length, taken: changes.length, ms })
        return Option.some({ appId, count: changes.length, written })
      },
      (effect) => transaction("TriggerStore.takeChanges", effect)
    )

    const look: TriggerStore["Service"]["look"] = Effect.fnUntraced(
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
        const people = yield* whole(appId, page.contacts, [filter])
        const workflows = is_first ? [] : yield* waitingFor(appId, "segment_entered", [segmentId])
        const comingOf = yield* coming([{ segmentId, filter, workflows: workflows.length }], people, judge)
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
          if (entrants.length > 0) {
            for (const workflow of workflows) {
              written.push(toldOf(yield* enterContacts(beginningOf(appId, workflow), entrants, carry)))
            }
          }
        }
        yield* sql`
            UPDATE watched_segments SET after_id = ${isDone ? null : contacts.at(-1)!.id}, is_first = is_first AND ${!isDone},
              looked_at = CASE WHEN ${isDone} THEN now() ELSE looked_at END
            WHERE segment_id = ${segmentId}`
        return Option.some({ appId, count: 1, written })
      },
      (effect) => transaction("TriggerStore.look", effect)
    )

    const takeScheduled: TriggerStore["Service"]["takeScheduled"] = Effect.fnUntraced(
      function* (at, next) {
        const rows = yield* sql<{
          readonly id: WorkflowId
          readonly app_id: AppId
          readonly trigger: Extract<Trigger, { readonly type: "schedule" }>
          readonly filter: SegmentFilter | null
        }>`
            SELECT w.id, w.app_id, v.definition -> 'trigger' AS trigger, s.filter
            FROM (
              SELECT * FROM workflows WHERE next_at <= ${PgTypes.timestamptz(at)} ORDER BY next_at LIMIT 100
              FOR UPDATE SKIP LOCKED
            ) AS w CROSS JOIN LATERAL (SELECT definition FROM workflow_versions WHERE id = w.version_id OFFSET 0) AS v
            LEFT JOIN LATERAL (
              SELECT filter FROM segments
              WHERE app_id = w.app_id AND id = (v.definition #>> '{trigger,to,segment_id}')::uuid OFFSET 0
            ) AS s ON true`
        for (const { app_id, filter, id, trigger } of rows) {
          const { segment_id, tags_all, tags_any, user_ids } = trigger.to
          const described = tags_any === undefined && tags_all === undefined ? null : { tags_any, tags_all }
          const audience =
            user_ids !== undefined ? { user_ids } : { filter: segment_id === undefined ? described : filter }
          // A segment that is gone holds nobody.
          if (segment_id === undefined || filter !== null) {
            yield* sql`
                INSERT INTO workflow_entries (id, app_id, workflow_id, audience, until_id)
                VALUES (${uuidv7()}, ${app_id}, ${id}, ${JSON.stringify(audience)}::json, ${newestContact(sql, app_id)})`
          }
          yield* sql`UPDATE workflows SET next_at = ${PgTypes.timestamptz(next(trigger, at))} WHERE id = ${id}`
        }
        return rows.length
      },
      (effect) => transaction("TriggerStore.takeScheduled", effect)
    )

    const nextScheduled = sql<{
      readonly at: Date | null
    }>`SELECT min(next_at) AS at FROM workflows WHERE next_at IS NOT NULL`.pipe(
      Effect.map(([row]) => row?.at?.getTime() ?? null),
      storeError("TriggerStore.nextScheduled")
    )

    return TriggerStore.of({ raise, takeEvents, takeChanges, keepAllWatched, look, takeScheduled, nextScheduled })
  })
)
