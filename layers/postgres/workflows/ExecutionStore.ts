import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, ContactId, ExecutionId, WorkflowId } from "../../../services/domain/Ids.ts"
import { needsOf } from "../../../services/domain/workflows/Conditions.ts"
import { now } from "../../../services/ports/Now.ts"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type {
  Beginning,
  Carry,
  Entry,
  Moves,
  OpenRun,
  Tools,
  Written
} from "../../../services/ports/workflows/ExecutionStore.ts"
import {
  COUNTED,
  ExecutionStore,
  FETCH_LEASE_MS,
  READ_AT_ONCE
} from "../../../services/ports/workflows/ExecutionStore.ts"
import { ALONE, ASIDE } from "../../../services/domain/sending/Suspicion.ts"
import { Holder } from "../operations/Holder.ts"
import { NEVER } from "../operations/Writable.ts"
import { notedOfPeople, record } from "../access/auditEntry.ts"
import { permitted, withdrawn } from "../access/permitted.ts"
import { settleWithin } from "../access/settleKey.ts"
import { integers, milliseconds, texts, times, uuids } from "../server/columns.ts"
import { lockInTurn } from "../server/inTurn.ts"
import { ofRows } from "../server/ofRows.ts"
import { storeError } from "../server/storeError.ts"
import { ask, ITEMS, reach, segments } from "./answers.ts"
import { cancelExecutions } from "./cancelExecutions.ts"
import type { TimerPlace } from "./Claimed.ts"
import { Claimed } from "./Claimed.ts"
import type { ContactRow } from "./entering.ts"
import { contactsPage, entering, newestContact, NOTHING, openWorkflow } from "./entering.ts"
import { fetchTurns } from "./fetchTurns.ts"
import { inTransaction } from "./inTransaction.ts"
import { FIRST, lookForWork, SUSPECTED } from "./lookForWork.ts"
import { mayMove } from "./mayMove.ts"
import { readExecutions } from "./readExecutions.ts"
import type { RunRow } from "./runRows.ts"
import { personOf, readObject, RUN_COLUMNS, runsOf } from "./runRows.ts"
import { writeMoves } from "./writeMoves.ts"

/** A timer that is this transaction's until it ends. */
interface LockedTimer {
  readonly execution_id: ExecutionId
  readonly fence: number
  readonly suspicion: number
}

export const layer: Layer.Layer<ExecutionStore, never, SqlClient.SqlClient> = Layer.effect(
  ExecutionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const columns = sql.literal(RUN_COLUMNS)

    const tools: Tools = {
      ask: (asked) => ask(sql, asked, now()).pipe(storeError("ExecutionStore.ask")),
      segments: (appId, ids) => segments(sql, appId, ids).pipe(storeError("ExecutionStore.segments")),
      reach: (runs) => reach(sql, runs).pipe(storeError("ExecutionStore.reach"))
    }

    const transaction = inTransaction(sql)

    const write = Effect.fnUntraced(function* (moves: Moves, isNew: boolean) {
      return { moves, webhooks: yield* writeMoves(sql, moves, isNew, holder.id()) } satisfies Written
    })

    const claimed = new Claimed()
    /**
     * The bytes that a run brings along: its own, those of its contact, and what its digest has collected. None of it has to
     * be read for that, but attributes, of which there is little.
     */
    const sizeOf = (appId: AppId) => sql`(
      octet_length(e.data) + octet_length(e.steps) + coalesce(octet_length(p.attributes::text), 0)
      + CASE WHEN e.is_begun AND (SELECT EXISTS (SELECT FROM digest_items WHERE app_id = ${appId})) THEN (
          SELECT coalesce(sum(octet_length(data)), 0) FROM (
            SELECT data FROM digest_items i WHERE i.app_id = ${appId} AND i.opener_id = e.id
            ORDER BY i.step_key, i.execution_id LIMIT ${ITEMS}
          ) AS i
        ) ELSE 0 END
    )`

    /** Places of claims (operations/Holder.ts) that no transaction has just now. */
    const places: Array<number> = []
    let placed = 0

    /** Moves claimed rows, for which the process answers from now on. */
    const moveRows = Effect.fnUntraced(function* (rows: ReadonlyArray<RunRow>, isAlone: boolean, carry: Carry) {
      if (rows.length === 0) return { moves: NOTHING, webhooks: [] } satisfies Written
      const place = places.pop() ?? placed++
      return yield* Effect.ensuring(
        moveNoted(place, rows, isAlone, carry),
        Effect.sync(() => places.push(place))
      )
    })
    const moveNoted = Effect.fnUntraced(function* (
      place: number,
      rows: ReadonlyArray<RunRow>,
      isAlone: boolean,
      carry: Carry
    ) {
      const appId = rows[0]!.app_id
      yield* holder.noteRuns({ place, appId, from: rows[0]!.id, to: rows.at(-1)!.id, isAlone })
      const isDisabled = !(yield* mayMove(sql, appId))
      return yield* write(yield* carry(runsOf(rows, isDisabled), tools), false)
    })

    /**
     * Joins runs to their timers `t`, for a statement of its own, after the one that locks these: of what somebody else wrote
     * before a timer was locked, and after that statement had begun, it would see nothing but the timer.
     */
    const read = (appId: AppId) => sql`
      CROSS JOIN LATERAL (SELECT * FROM executions WHERE app_id = ${appId} AND id = t.execution_id OFFSET 0) AS e
      LEFT JOIN LATERAL (SELECT * FROM contacts WHERE id = e.contact_id OFFSET 0) AS p ON true
      LEFT JOIN LATERAL (SELECT * FROM workflows WHERE id = e.workflow_id OFFSET 0) AS w ON true`

    /**
     * Whether the run of a timer may be moved: one whose FETCH has a holder only where the database has taken writes for a
     * while and its clock was not set. Set forward, it ends the time of every FETCH under way, whose holders live. One whose
     * holder has died has none any more (HolderStore.ts).
     */
    const mayMoveOn = () =>
      sql`(holder IS NULL OR clock_timestamp() < ${holder.takesOverUntil(FETCH_LEASE_MS)}::timestamptz)`

    /** Gives those which may not be moved their time once more: nobody looks for them again and again meanwhile. */
    const spare = (appId: AppId) => {
      const at = PgTypes.timestamptz(now())
      return sql`
        UPDATE execution_timers SET due_at = ${at} + ${milliseconds(FETCH_LEASE_MS)} * interval '1 ms'
        WHERE app_id = ${appId} AND execution_id IN (
          SELECT execution_id FROM execution_timers
          WHERE app_id = ${appId} AND due_at <= ${at} AND NOT ${mayMoveOn()} FOR UPDATE SKIP LOCKED
        )`
    }

    /** Claims what is due beyond a place; null: from the first on. */
    const claim = Effect.fnUntraced(function* (appId: AppId, limit: number, after: TimerPlace | null) {
      const from = after === null ? "-infinity" : after.at.toISOString()
      const began = now()
      const timers = yield* sql<LockedTimer & { readonly due_at: Date }>`
        SELECT execution_id, fence, suspicion, due_at FROM execution_timers
        WHERE app_id = ${appId} AND due_at <= ${PgTypes.timestamptz(now())} AND (suspicion < ${ALONE} OR suspicion >= ${ASIDE})
          AND ${mayMoveOn()}
          AND (due_at, execution_id) > (${from}::timestamptz, ${after?.id ?? FIRST}::uuid)
        ORDER BY due_at, execution_id LIMIT ${limit} FOR UPDATE SKIP LOCKED`
      const rows =
        timers.length === 0
          ? []
          : yield* sql<RunRow & { readonly due_at: Date }>`
            SELECT * FROM (
              SELECT ${columns}, t.due_at, sum(${sizeOf(appId)}) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
              FROM unnest(${uuids(timers.map(({ execution_id }) => execution_id))}, ${integers(timers.map(({ fence }) => fence))},
                ${integers(timers.map(({ suspicion }) => suspicion))}, ${times(timers.map(({ due_at }) => due_at.getTime()))}
              ) AS t (execution_id, fence, suspicion, due_at) ${read(appId)}
            ) AS r WHERE before IS NULL OR before < ${READ_AT_ONCE}`
      const last = rows.at(-1)
      if (last === undefined || timers.length < limit) claimed.forget(appId)
      else claimed.upTo(appId, { at: last.due_at, id: last.id }, now() - began)
      return rows
    })

    const move: ExecutionStore["Service"]["move"] = (appId, limit, carry) => {
      const forgetting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.onError(effect, () => Effect.sync(() => claimed.forget(appId)))
      return transaction("ExecutionStore.move", moveDue(appId, limit, carry).pipe(forgetting)).pipe(forgetting)
    }
    const moveDue = Effect.fnUntraced(function* (appId: AppId, limit: number, carry: Carry) {
      const after = claimed.after(appId)
      const beyond = yield* claim(appId, limit, after)
      const rows = after !== null && beyond.length === 0 ? yield* claim(appId, limit, null) : beyond
      // Mostly everything may be moved: a look that finds nothing costs no statement more.
      if (rows.length === 0 && holder.takesOverUntil(FETCH_LEASE_MS) === NEVER) yield* spare(appId)
      return yield* moveRows(rows, false, carry)
    })

    const moveSuspect: ExecutionStore["Service"]["moveSuspect"] = Effect.fnUntraced(
      function* (carry) {
        // The least suspected first: the one at fault must not keep its neighbours from being cleared.
        const [due] = yield* sql<{ readonly app_id: AppId; readonly execution_id: ExecutionId }>`
            SELECT app_id, execution_id FROM execution_timers WHERE ${sql.literal(SUSPECTED)} AND due_at <= ${PgTypes.timestamptz(now())}
              AND ${mayMoveOn()}
            ORDER BY suspicion, due_at LIMIT 1 FOR UPDATE SKIP LOCKED`
        if (due === undefined) return { moves: NOTHING, webhooks: [] }
        const { app_id, execution_id } = due
        const rows = yield* sql<RunRow>`
            SELECT ${columns} FROM (
              SELECT execution_id, fence, suspicion FROM execution_timers
              WHERE app_id = ${app_id} AND execution_id = ${execution_id}
            ) AS t ${read(app_id)}`
        return yield* moveRows(rows, true, carry)
      },
      (effect) => transaction("ExecutionStore.moveSuspect", effect)
    )

    const resume: ExecutionStore["Service"]["resume"] = Effect.fnUntraced(
      function* (runs, carry) {
        const appId = runs[0]!.appId
        const timers = yield* sql<LockedTimer>`
            SELECT r.* FROM unnest(${uuids(runs.map(({ id }) => id))}, ${integers(runs.map(({ fence }) => fence))})
              AS t (id, fence) CROSS JOIN LATERAL (
              SELECT execution_id, fence, suspicion FROM execution_timers
              WHERE app_id = ${appId} AND execution_id = t.id AND fence = t.fence FOR UPDATE
            ) AS r`
        if (timers.length === 0) return yield* moveRows([], false, carry)
        const rows = yield* sql<RunRow>`
            SELECT ${columns} FROM unnest(${uuids(timers.map(({ execution_id }) => execution_id))},
              ${integers(timers.map(({ fence }) => fence))}, ${integers(timers.map(({ suspicion }) => suspicion))}
            ) AS t (execution_id, fence, suspicion) ${read(appId)}`
        return yield* moveRows(rows, rows.length === 1 && rows[0]!.suspicion >= ALONE, carry)
      },
      (effect) => transaction("ExecutionStore.resume", effect)
    )

    const { contactsOfUsers, enterOpen } = entering(sql, tools, write)

    const enterOnes = Effect.fnUntraced(function* (
      beginning: Beginning,
      userIds: ReadonlyArray<string>,
      carry: Carry,
      settle: Parameters<ExecutionStore["Service"]["enter"]>[3]
    ) {
      if (!(yield* mayMove(sql, beginning.appId))) return yield* withdrawn
      const open = yield* openWorkflow(sql, beginning.workflowId)
      if (open === null) return Option.none()
      const contacts = yield* contactsOfUsers(beginning.appId, userIds)
      const ordered = [...new Set(userIds)].flatMap((userId) => {
        const contact = contacts.get(userId)
        return contact === undefined ? [] : { contact }
      })
      const written = yield* enterOpen(open, beginning, ordered, carry)
      yield* settleWithin(sql, settle?.(written.moves) ?? null)
      return Option.some(written)
    })

    const enter: ExecutionStore["Service"]["enter"] = (beginning, userIds, carry, settle = null) =>
      transaction(
        "ExecutionStore.enter",
        notedOfPeople(
          sql,
          beginning.appId,
          enterOnes(beginning, userIds, carry, settle),
          Option.match({
            onNone: () => [],
            onSome: ({ moves }) => {
              const details = { to: ["user_ids"], executions: moves.moved.length }
              return [{ action: "workflow.triggered", target: beginning.workflowId, details }]
            }
          })
        )
      )

    const leave: ExecutionStore["Service"]["leave"] = Effect.fnUntraced(function* (
      { appId, data, filter, id, trace = null, workflowId },
      settle = null
    ) {
      const audience = JSON.stringify({ filter })
      return yield* permitted(
        sql,
        appId,
        Effect.gen(function* () {
          if ((yield* openWorkflow(sql, workflowId)) === null) return Option.none()
          const [row] = yield* sql<{ readonly count: number }>`
            SELECT count(*)::integer AS count FROM (SELECT 1 FROM contacts WHERE app_id = ${appId} LIMIT ${COUNTED}) AS c`
          yield* sql`
            INSERT INTO workflow_entries (id, app_id, workflow_id, audience, data, until_id, trace)
            VALUES (${id}, ${appId}, ${workflowId}, ${audience}::json, ${JSON.stringify(data)}, ${newestContact(sql, appId)},
              ${trace})`
          const to = filter === null ? ["all"] : Object.keys(filter)
          yield* record(sql, appId, "workflow.triggered", workflowId, { to })
          yield* settleWithin(sql, settle?.(row!.count) ?? null)
          return Option.some(row!.count)
        })
      )
    }, storeError("ExecutionStore.leave"))

    const enterPage: ExecutionStore["Service"]["enterPage"] = Effect.fnUntraced(
      function* (served, limit, fits, carry, turnOf) {
        const next = yield* lockInTurn(sql, "workflow_entries", served)
        if (next === null) return Option.none()
        const [row] = yield* sql<{
          readonly id: string
          readonly app_id: AppId
          readonly workflow_id: WorkflowId
          readonly audience: { readonly filter?: SegmentFilter | null; readonly user_ids?: ReadonlyArray<string> }
          readonly data: string
          readonly after_id: string | null
          readonly until_id: string
          readonly trace: string | null
        }>`
            SELECT id, app_id, workflow_id, audience, data, after_id, until_id, trace
            FROM workflow_entries WHERE id = ${next}`
        if (row === undefined) return Option.none()
        turnOf?.(row.app_id)
        const entry: Entry = {
          id: row.id,
          appId: row.app_id,
          workflowId: row.workflow_id,
          filter: row.audience.filter ?? null,
          data: readObject(row.data)
        }
        const { appId, data, workflowId } = entry
        // Each of them has the data of its own, when it is written.
        const most = Math.max(1, Math.min(limit, Math.floor(READ_AT_ONCE / row.data.length)))
        const { user_ids } = row.audience
        const open = (yield* mayMove(sql, appId)) ? yield* openWorkflow(sql, workflowId) : null
        if (open === null) {
          yield* sql`DELETE FROM workflow_entries WHERE id = ${entry.id}`
          return Option.some({ moves: NOTHING, webhooks: [], appId })
        }
        const isNamed = user_ids !== undefined
        const { contacts, found } = isNamed
          ? { contacts: [...(yield* contactsOfUsers(appId, user_ids)).values()], found: 0 }
          : yield* contactsPage(
              sql,
              sql`WHERE app_id = ${appId} AND id > ${row.after_id ?? FIRST} AND id <= ${row.until_id}
                  ORDER BY id LIMIT ${most}`
            )
        const isLast = isNamed || (found < most && contacts.length === found)
        const wanted = yield* fitting(entry, yield* notExcluded(entry, contacts), (person) => fits(entry, person))
        const entrants = wanted.map((contact) => ({ contact }))
        const written = yield* enterOpen(open, { appId, workflowId, data, trace: row.trace }, entrants, carry)
        yield* isLast
          ? sql`DELETE FROM workflow_entries WHERE id = ${entry.id}`
          : sql`
              UPDATE workflow_entries SET after_id = ${contacts.at(-1)!.id}, entered = entered + ${written.moves.moved.length}
              WHERE id = ${entry.id}`
        return Option.some({ ...written, appId })
      },
      (effect) => transaction("ExecutionStore.enterPage", effect)
    )

    /** Without those whose runs were cancelled while they had not entered yet. */
    const notExcluded = Effect.fnUntraced(function* ({ id }: Entry, contacts: ReadonlyArray<ContactRow>) {
      const rows = yield* sql<{ readonly user_id: string }>`
        SELECT user_id FROM workflow_entry_exclusions
        WHERE entry_id = ${id} AND user_id = ANY(${texts(contacts.map(({ external_id }) => external_id))})`
      if (rows.length === 0) return contacts
      const excluded = new Set(rows.map(({ user_id }) => user_id))
      return contacts.filter(({ external_id }) => !excluded.has(external_id))
    })

    /** Those of a page whom the description fits, with what it asks of their devices. */
    const fitting = Effect.fnUntraced(function* (
      entry: Entry,
      contacts: ReadonlyArray<ContactRow>,
      fits: (person: OpenRun["person"] & object) => boolean
    ) {
      if (entry.filter === null) return contacts
      const { devices, engagement } = needsOf([entry.filter])
      const { appId } = entry
      const people = contacts.map(({ external_id, id }) => ({ appId, contactId: id, userId: external_id }))
      const more = devices || engagement ? yield* reach(sql, people) : new Map<ContactId, object>()
      return contacts.filter((contact) => fits({ ...personOf(contact), ...more.get(contact.id) }))
    })

    /** A workflow whose runs have ended, with its versions; what they alone were filled from is past its use. */
    const removal = (id: WorkflowId) => sql`
      WITH named AS MATERIALIZED (
        SELECT (t.value ->> 'version')::uuid AS id FROM workflow_versions v CROSS JOIN json_each(v.templates) AS t
        WHERE v.workflow_id = ${id}
      ), retired AS (
        UPDATE template_versions SET retired_at = now()
        WHERE retired_at IS NULL AND template_id IS NULL AND id = ANY(ARRAY(SELECT id FROM named))
      )
      DELETE FROM workflows WHERE id = ${id} AND is_closing`

    const closing: ExecutionStore["Service"]["closing"] = Effect.fnUntraced(function* (served, limit) {
      while (true) {
        const from = (after: string) => sql<{
          readonly id: WorkflowId
          readonly app_id: AppId
          readonly is_deleted: boolean
          readonly ids: ReadonlyArray<ExecutionId>
        }>`
          SELECT w.id, w.app_id, w.deleted_at IS NOT NULL AS is_deleted, ARRAY(
            SELECT e.id FROM executions e WHERE e.workflow_id = w.id AND e.ended_at IS NULL ORDER BY e.id LIMIT ${limit}
          ) AS ids
          FROM workflows w WHERE w.is_closing AND w.id > ${after} ORDER BY w.id LIMIT 1`
        const [next] = served === null ? [] : yield* from(served)
        const row = next ?? (yield* from(FIRST))[0]
        if (row === undefined) return Option.none()
        if (row.ids.length > 0) {
          const reason = row.is_deleted ? ("deleted" as const) : ("archived" as const)
          return Option.some({ workflowId: row.id, appId: row.app_id, reason, ids: row.ids })
        }
        yield* row.is_deleted ? removal(row.id) : sql`UPDATE workflows SET is_closing = false WHERE id = ${row.id}`
      }
    }, storeError("ExecutionStore.closing"))

    const reachOf: ExecutionStore["Service"]["reachOf"] = (person) =>
      Effect.map(reach(sql, [person]), (all) => all.get(person.contactId)!).pipe(storeError("ExecutionStore.reachOf"))

    const wakeEnded: ExecutionStore["Service"]["wakeEnded"] = Effect.fnUntraced(
      function* (limit) {
        // The clock by which `move` finds what is due.
        const at = PgTypes.timestamptz(now())
        const rows = yield* sql<{ readonly app_id: AppId; readonly execution_id: ExecutionId }>`
            WITH RECURSIVE awaited AS (
              (SELECT notification_id AS id FROM execution_outcomes ORDER BY notification_id LIMIT 1)
              UNION ALL
              SELECT (
                SELECT o.notification_id FROM execution_outcomes o WHERE o.notification_id > awaited.id
                ORDER BY o.notification_id LIMIT 1
              ) FROM awaited WHERE awaited.id IS NOT NULL
            ), over AS MATERIALIZED (
              -- Hundreds of runs wait for one notification: each is looked at once.
              SELECT id FROM awaited WHERE id IS NOT NULL AND coalesce(
                (SELECT n.completed_at IS NOT NULL FROM notifications n WHERE n.id = awaited.id), true
              ) LIMIT ${limit}
            ), ended AS MATERIALIZED (
              SELECT o.notification_id, o.execution_id FROM over CROSS JOIN LATERAL (
                SELECT notification_id, execution_id FROM execution_outcomes WHERE notification_id = over.id
                ORDER BY notification_id, execution_id LIMIT ${limit} FOR UPDATE SKIP LOCKED
              ) AS o LIMIT ${limit}
            )
            DELETE FROM execution_outcomes o USING ended
            WHERE o.notification_id = ANY(ARRAY[ended.notification_id]) AND o.execution_id = ended.execution_id
            RETURNING o.app_id, o.execution_id`
        if (rows.length === 0) return 0
        yield* sql`
            UPDATE execution_timers r SET due_at = ${at}
            FROM unnest(${uuids(rows.map(({ app_id }) => app_id))}, ${uuids(rows.map(({ execution_id }) => execution_id))})
              AS t (app_id, id)
            WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id AND ${ofRows(sql, sql`r.due_at > ${at}`)}`
        return rows.length
      },
      (effect) => transaction("ExecutionStore.wakeEnded", effect)
    )

    return ExecutionStore.of({
      ...lookForWork(sql, claimed, transaction),
      move,
      moveSuspect,
      resume,
      enter,
      leave,
      enterPage,
      ...readExecutions(sql),
      ...cancelExecutions(sql),
      closing,
      ...fetchTurns(sql),
      reachOf,
      wakeEnded
    })
  })
)
