import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, ContactId, ExecutionId, WorkflowId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { needsOf } from "../../../services/domain/workflows/Conditions.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import type { HistoryEntry } from "../../../services/domain/workflows/Execution.ts"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type {
  CancelEvents,
  Carry,
  Entry,
  ExecutionFilter,
  Moves,
  OpenRun,
  Tools,
  Written
} from "../../../services/ports/workflows/ExecutionStore.ts"
import { COUNTED, ExecutionStore, FETCHES_PER_SECOND } from "../../../services/ports/workflows/ExecutionStore.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { ALONE, ASIDE } from "../../../services/domain/sending/Suspicion.ts"
import { Holder } from "../operations/Holder.ts"
import { notedOfPeople, record } from "../access/auditEntry.ts"
import { permitted, withdrawn } from "../access/permitted.ts"
import { settleWithin } from "../access/settleKey.ts"
import { appsIn } from "../server/appsIn.ts"
import { alongTheKey, byValues } from "../server/byValues.ts"
import { integers, texts, uuids } from "../server/columns.ts"
import { inTurn } from "../server/inTurn.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"
import { ask, ITEMS, keyText, reach, segments } from "./answers.ts"
import { byWhom, cancelRuns } from "./cancelRuns.ts"
import type { ContactRow } from "./entering.ts"
import { entering, newestContact, NOTHING, openWorkflow } from "./entering.ts"
import { inTransaction } from "./inTransaction.ts"
import { mayMove } from "./mayMove.ts"
import type { ExecutionRow, RunRow } from "./runRows.ts"
import { BYTES, EXECUTION_COLUMNS, executionOf, personOf, readObject, RUN_COLUMNS, runsOf } from "./runRows.ts"
import { writeMoves } from "./writeMoves.ts"

const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"
const FIRST = "00000000-0000-0000-0000-000000000000"
/** Runs that are looked at for one that a request to cancel takes, at most: of those that wait, few may be due. */
const LOOKED_AT = 5

export const layer: Layer.Layer<ExecutionStore, never, SqlClient.SqlClient> = Layer.effect(
  ExecutionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const columns = sql.literal(RUN_COLUMNS)
    const shown = sql.literal(EXECUTION_COLUMNS)

    const tools: Tools = {
      ask: (asked) => ask(sql, asked, now()).pipe(storeError("ExecutionStore.ask")),
      segments: (appId, ids) => segments(sql, appId, ids).pipe(storeError("ExecutionStore.segments")),
      reach: (runs) => reach(sql, runs).pipe(storeError("ExecutionStore.reach"))
    }

    const transaction = inTransaction(sql)

    const write = Effect.fnUntraced(function* (moves: Moves, isNew: boolean) {
      return { moves, webhooks: yield* writeMoves(sql, moves, isNew) } satisfies Written
    })

    const due: ExecutionStore["Service"]["due"] = sql<{ readonly app_id: AppId; readonly at: Date }>`
      WITH RECURSIVE ${appsIn(sql, "execution_timers")}
      SELECT apps.app_id, first.due_at AS at FROM apps CROSS JOIN LATERAL (
        SELECT due_at FROM execution_timers t WHERE t.app_id = apps.app_id ORDER BY t.due_at LIMIT 1
      ) AS first WHERE apps.app_id IS NOT NULL`.pipe(
      Effect.map((rows) => rows.map(({ app_id, at }) => ({ appId: app_id, at: at.getTime() }))),
      storeError("ExecutionStore.due")
    )

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
      const appId = rows[0]!.app_id
      return yield* Effect.gen(function* () {
        yield* holder.noteRuns({ place, appId, from: rows[0]!.id, to: rows.at(-1)!.id, isAlone })
        const isDisabled = !(yield* mayMove(sql, appId))
        return yield* write(yield* carry(runsOf(rows, isDisabled), tools), false)
      }).pipe(Effect.ensuring(Effect.sync(() => places.push(place))))
    })

    const read = (appId: AppId) => sql`
      CROSS JOIN LATERAL (SELECT * FROM executions WHERE app_id = ${appId} AND id = t.execution_id OFFSET 0) AS e
      LEFT JOIN contacts p ON p.id = e.contact_id LEFT JOIN workflows w ON w.id = e.workflow_id`

    const move: ExecutionStore["Service"]["move"] = (appId, limit, carry) =>
      transaction(
        "ExecutionStore.move",
        Effect.gen(function* () {
          const rows = yield* sql<RunRow>`
            WITH due AS MATERIALIZED (
              SELECT execution_id, fence, suspicion FROM execution_timers
              WHERE app_id = ${appId} AND due_at <= ${PgTypes.timestamptz(now())} AND (suspicion < ${ALONE} OR suspicion >= ${ASIDE})
              ORDER BY due_at, execution_id LIMIT ${limit} FOR UPDATE SKIP LOCKED
            )
            SELECT * FROM (
              SELECT ${columns}, sum(${sizeOf(appId)}) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
              FROM due t ${read(appId)}
            ) AS r WHERE before IS NULL OR before < ${BYTES}`
          return yield* moveRows(rows, false, carry)
        })
      )

    const suspected = sql`suspicion >= ${ALONE} AND suspicion < ${ASIDE}`

    const hasSuspects: ExecutionStore["Service"]["hasSuspects"] = Effect.suspend(
      () => sql`SELECT 1 FROM execution_timers WHERE ${suspected} AND due_at <= ${PgTypes.timestamptz(now())} LIMIT 1`
    ).pipe(
      Effect.map((rows) => rows.length > 0),
      storeError("ExecutionStore.hasSuspects")
    )

    const moveSuspect: ExecutionStore["Service"]["moveSuspect"] = (carry) =>
      transaction(
        "ExecutionStore.moveSuspect",
        Effect.gen(function* () {
          // The least suspected first: the one at fault must not keep its neighbours from being cleared.
          const [due] = yield* sql<{ readonly app_id: AppId; readonly execution_id: ExecutionId }>`
            SELECT app_id, execution_id FROM execution_timers WHERE ${suspected} AND due_at <= ${PgTypes.timestamptz(now())}
            ORDER BY suspicion, due_at LIMIT 1 FOR UPDATE SKIP LOCKED`
          if (due === undefined) return { moves: NOTHING, webhooks: [] }
          const { app_id, execution_id } = due
          const rows = yield* sql<RunRow>`
            SELECT ${columns} FROM (
              SELECT execution_id, fence, suspicion FROM execution_timers
              WHERE app_id = ${app_id} AND execution_id = ${execution_id}
            ) AS t ${read(app_id)}`
          return yield* moveRows(rows, true, carry)
        })
      )

    const resume: ExecutionStore["Service"]["resume"] = (runs, carry) =>
      transaction(
        "ExecutionStore.resume",
        Effect.gen(function* () {
          const appId = runs[0]!.appId
          const rows = yield* sql<RunRow>`
            WITH mine AS MATERIALIZED (
              SELECT r.* FROM unnest(${uuids(runs.map(({ id }) => id))}, ${integers(runs.map(({ fence }) => fence))})
                AS t (id, fence) CROSS JOIN LATERAL (
                SELECT execution_id, fence, suspicion FROM execution_timers
                WHERE app_id = ${appId} AND execution_id = t.id AND fence = t.fence FOR UPDATE
              ) AS r
            )
            SELECT ${columns} FROM mine t ${read(appId)}`
          return yield* moveRows(rows, rows.length === 1 && rows[0]!.suspicion >= ALONE, carry)
        })
      )

    const { contactsOfUsers, enterOpen } = entering(sql, tools, write)

    const enter: ExecutionStore["Service"]["enter"] = (beginning, userIds, carry, settle = null) =>
      transaction(
        "ExecutionStore.enter",
        notedOfPeople(
          sql,
          beginning.appId,
          Effect.gen(function* () {
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
          }),
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

    const enterPage: ExecutionStore["Service"]["enterPage"] = (served, limit, fits, carry) =>
      transaction(
        "ExecutionStore.enterPage",
        Effect.gen(function* () {
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
            WITH ${inTurn(sql, "workflow_entries", sql`true`, served)}
            SELECT w.id, app_id, workflow_id, audience, data, after_id, until_id, trace
            FROM workflow_entries w WHERE w.id = (SELECT id FROM next)`
          if (row === undefined) return Option.none()
          const entry: Entry = {
            id: row.id,
            appId: row.app_id,
            workflowId: row.workflow_id,
            filter: row.audience.filter ?? null,
            data: readObject(row.data)
          }
          const { appId, data, workflowId } = entry
          // Each of them has the data of its own, when it is written.
          const most = Math.max(1, Math.min(limit, Math.floor(BYTES / row.data.length)))
          const { user_ids } = row.audience
          const open = (yield* mayMove(sql, appId)) ? yield* openWorkflow(sql, workflowId) : null
          if (open === null) {
            yield* sql`DELETE FROM workflow_entries WHERE id = ${entry.id}`
            return Option.some({ moves: NOTHING, webhooks: [], appId })
          }
          const isNamed = user_ids !== undefined
          const contacts = isNamed
            ? [...(yield* contactsOfUsers(appId, user_ids)).values()]
            : yield* sql<ContactRow>`
              SELECT id, external_id, tags, attributes, locale, timezone FROM contacts
              WHERE app_id = ${appId} AND id > ${row.after_id ?? FIRST} AND id <= ${row.until_id}
              ORDER BY id LIMIT ${most}`
          const wanted = yield* fitting(entry, yield* notExcluded(entry, contacts), (person) => fits(entry, person))
          const entrants = wanted.map((contact) => ({ contact }))
          const written = yield* enterOpen(open, { appId, workflowId, data, trace: row.trace }, entrants, carry)
          yield* isNamed || contacts.length < most
            ? sql`DELETE FROM workflow_entries WHERE id = ${entry.id}`
            : sql`
              UPDATE workflow_entries SET after_id = ${contacts.at(-1)!.id}, entered = entered + ${written.moves.moved.length}
              WHERE id = ${entry.id}`
          return Option.some({ ...written, appId })
        })
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

    const find: ExecutionStore["Service"]["find"] = (appId, id) =>
      sql<ExecutionRow>`
        SELECT ${shown} FROM executions e LEFT JOIN execution_timers t ON t.app_id = e.app_id AND t.execution_id = e.id
        LEFT JOIN workflow_versions v ON v.id = e.version_id
        WHERE e.app_id = ${appId} AND e.id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), executionOf)),
        storeError("ExecutionStore.find")
      )

    const history: ExecutionStore["Service"]["history"] = (appId, id) =>
      sql<{ readonly history: string }>`SELECT history FROM executions WHERE app_id = ${appId} AND id = ${id}`.pipe(
        Effect.map(([row]) => JSON.parse(`[${(row?.history ?? "").slice(0, -1)}]`) as ReadonlyArray<HistoryEntry>),
        storeError("ExecutionStore.history")
      )

    /** Of executions in whatever status, or in one in which they have ended. */
    const pageBy = (appId: AppId, { status, userId, workflowId }: ExecutionFilter, before: string | null) => {
      const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`
      if (userId === undefined && workflowId === undefined) {
        if (status === undefined || status === "completed") {
          return sql`SELECT * FROM executions WHERE ${spanOf(sql, "newest first", appId, before, ofStatus)}`
        }
        // Said in the words of the index of those few.
        return sql`SELECT * FROM executions
          WHERE (app_id, status, id) < (${appId}::uuid, ${status}::text, ${before ?? LAST}::uuid)
            AND (app_id, status, id) > (${appId}::uuid, ${status}::text, ${FIRST}::uuid)
            AND status IN ('filtered', 'failed', 'cancelled') ORDER BY app_id DESC, status DESC, id DESC`
      }
      return sql`SELECT * FROM executions WHERE ${sql.and([
        sql`app_id = ${appId} AND id < ${before ?? LAST}::uuid`,
        ofStatus,
        ...(workflowId === undefined ? [] : [sql`workflow_id = ${workflowId}`]),
        ...(userId === undefined ? [] : [sql`user_id = ${userId}`])
      ])} ORDER BY id DESC`
    }

    const list: ExecutionStore["Service"]["list"] = Effect.fnUntraced(function* (appId, filter, before, limit) {
      const { status, userId, workflowId } = filter
      const isOpen = status === "waiting" || status === "running"
      const at = PgTypes.timestamptz(now())
      // Which of those that are open are due, their timers say; the million that ended is not looked at.
      const page = isOpen
        ? sql`SELECT e.* FROM execution_timers r JOIN executions e ON e.app_id = r.app_id AND e.id = r.execution_id
            WHERE ${sql.and([
              sql`r.app_id = ${appId} AND r.execution_id < ${before ?? LAST}::uuid AND e.ended_at IS NULL
                AND e.app_id = ${appId} AND e.id < ${before ?? LAST}::uuid`,
              status === "running" ? sql`r.due_at <= ${at}` : sql`r.due_at > ${at}`,
              ...(workflowId === undefined ? [] : [sql`e.workflow_id = ${workflowId}`]),
              ...(userId === undefined ? [] : [sql`e.user_id = ${userId}`])
            ])} ORDER BY r.execution_id DESC`
        : pageBy(appId, filter, before)
      const read = sql<ExecutionRow>`
        SELECT ${shown} FROM (${page} LIMIT ${limit + 1}) AS e
        LEFT JOIN LATERAL (
          SELECT due_at FROM execution_timers WHERE app_id = e.app_id AND execution_id = e.id OFFSET 0
        ) AS t ON true LEFT JOIN LATERAL (SELECT version FROM workflow_versions WHERE id = e.version_id OFFSET 0) AS v ON true
        ORDER BY e.id DESC`
      // How many are due, or of a workflow, decides how they are best found; of those that wait, there are many.
      const isByValues = status === "running" || (!isOpen && workflowId !== undefined && userId === undefined)
      const rows = yield* status === "waiting"
        ? alongTheKey(sql, read.unprepared)
        : isByValues
          ? byValues(sql, read.unprepared)
          : read
      return pageOf(rows.map(executionOf), limit)
    }, storeError("ExecutionStore.list"))

    /** Those of a workflow that has ended end with their digests: nothing of it goes out any more. */
    const cancel: ExecutionStore["Service"]["cancel"] = (appId, ids, reason, events) =>
      transaction(
        "ExecutionStore.cancel",
        notedOfPeople(
          sql,
          appId,
          Effect.flatMap(CurrentActor, (actor) => {
            const isWhole = reason !== "operator"
            const detail = isWhole ? `the workflow was ${reason}` : byWhom(actor)
            return cancelRuns(sql, appId, ids, { reason, detail, keepsDigests: !isWhole, events })
          }),
          ({ cancelled }) => cancelled.map((id) => ({ action: "execution.cancelled", target: id }))
        )
      )

    interface Described {
      readonly id: ExecutionId
      readonly fits: boolean
    }

    interface Cancel {
      readonly id: string
      readonly app_id: AppId
      readonly workflow_id: WorkflowId | null
      readonly user_id: string | null
      readonly status: "waiting" | "running" | null
      readonly at: Date
      readonly until_id: string
      readonly after_id: string
      readonly detail: string
    }

    /**
     * Runs under way among which a request's are, in the order of their ids, from where it has come to, and whether each
     * is: up to `limit` are looked at, however few fit.
     */
    const described = ({ after_id, app_id, at, status, until_id, user_id, workflow_id }: Cancel, limit: number) => {
      const ofStatus = (table: string) => {
        if (status === null) return sql`true`
        const due = sql`${sql(table)}.due_at`
        return status === "running" ? sql`${due} <= ${at}` : sql`${due} > ${at}`
      }
      if (workflow_id === null && user_id === null) {
        return sql<Described>`
          SELECT execution_id AS id, ${ofStatus("r")} AS fits FROM execution_timers r
          WHERE app_id = ${app_id} AND execution_id > ${after_id} AND execution_id <= ${until_id}
          ORDER BY app_id, execution_id LIMIT ${limit}`
      }
      const fits = sql`EXISTS (
        SELECT 1 FROM execution_timers r WHERE r.app_id = ${app_id} AND r.execution_id = e.id AND ${ofStatus("r")} OFFSET 0
      ) AS fits`
      if (user_id === null) {
        return sql<Described>`
          SELECT e.id, ${fits} FROM executions e WHERE e.workflow_id = ${workflow_id} AND e.app_id = ${app_id}
            AND e.id > ${after_id} AND e.id <= ${until_id} AND e.ended_at IS NULL
          ORDER BY e.workflow_id, e.id LIMIT ${limit}`
      }
      // A person's runs are few. The bounds of ids stand outside, or a plan might go by these alone.
      return sql<Described>`
        SELECT e.id, ${fits} FROM (
          SELECT id, workflow_id, ended_at FROM executions WHERE app_id = ${app_id} AND user_id = ${user_id} OFFSET 0
        ) AS e
        WHERE e.id > ${after_id} AND e.id <= ${until_id} AND e.ended_at IS NULL
          ${workflow_id === null ? sql`` : sql`AND e.workflow_id = ${workflow_id}`}
        ORDER BY e.id LIMIT ${limit}`
    }

    const cancelPage = Effect.fnUntraced(function* (cancel: Cancel, limit: number, events: CancelEvents) {
      const most = cancel.status === null ? limit : limit * LOOKED_AT
      const page = yield* described(cancel, most)
      const fitting = page.flatMap(({ fits, id }) => (fits ? [id] : []))
      const ids = fitting.slice(0, limit)
      const { app_id, detail } = cancel
      const done = yield* cancelRuns(sql, app_id, ids, { reason: "operator", detail, keepsDigests: false, events })
      const last = ids.length < fitting.length ? ids.at(-1)! : page.length < most ? null : page.at(-1)!.id
      return { ...done, last }
    })

    const cancelMatching: ExecutionStore["Service"]["cancelMatching"] = (appId, request, limit, events) => {
      const { note, status, user_id, workflow_id } = request
      return transaction(
        "ExecutionStore.cancelMatching",
        permitted(
          sql,
          appId,
          Effect.gen(function* () {
            if (workflow_id !== undefined && user_id === undefined && status === undefined) {
              // Whoever lets a page in just now is waited for: its runs are there for what follows.
              yield* sql`DELETE FROM workflow_entries WHERE app_id = ${appId} AND workflow_id = ${workflow_id}`
            }
            if (user_id !== undefined && status === undefined) {
              // Nor do audiences let in that one person whom they have not come to yet.
              yield* sql`
                WITH theirs AS MATERIALIZED (
                  SELECT id FROM workflow_entries WHERE ${spanOf(
                    sql,
                    "oldest first",
                    appId,
                    null,
                    workflow_id === undefined ? sql`true` : sql`workflow_id = ${workflow_id}`
                  )} FOR NO KEY UPDATE
                )
                INSERT INTO workflow_entry_exclusions (entry_id, user_id) SELECT id, ${user_id}::text FROM theirs
                ON CONFLICT DO NOTHING`
            }
            const who = byWhom(yield* CurrentActor)
            const at = now()
            // Runs of nodes whose clocks are ahead are there as well.
            const [newest] = yield* sql<{ readonly id: string }>`
              SELECT execution_id AS id FROM execution_timers WHERE app_id = ${appId}
              ORDER BY app_id DESC, execution_id DESC LIMIT 1`
            const end = uuidFloor(at + 1)
            const cancel: Cancel = {
              id: uuidv7(),
              app_id: appId,
              workflow_id: workflow_id ?? null,
              user_id: user_id ?? null,
              status: status ?? null,
              at: new Date(at),
              until_id: newest !== undefined && newest.id > end ? newest.id : end,
              after_id: FIRST,
              detail: note === undefined ? who : `${note}, ${who}`
            }
            const { cancelled, last, webhooks } = yield* cancelPage(cancel, limit, events)
            if (last !== null) {
              yield* sql`
                INSERT INTO execution_cancels (id, app_id, workflow_id, user_id, status, at, until_id, after_id, detail)
                VALUES (${cancel.id}, ${appId}, ${cancel.workflow_id}, ${cancel.user_id}, ${cancel.status}, ${cancel.at},
                  ${cancel.until_id}, ${last}, ${cancel.detail})`
            }
            yield* record(sql, appId, "executions.cancelled", workflow_id ?? null, request)
            return { cancelled, webhooks, isDone: last === null }
          })
        )
      )
    }

    const cancelNext: ExecutionStore["Service"]["cancelNext"] = (served, limit, eventsOf) =>
      transaction(
        "ExecutionStore.cancelNext",
        Effect.gen(function* () {
          const [row] = yield* sql<Cancel>`
            WITH ${inTurn(sql, "execution_cancels", sql`true`, served)}
            SELECT c.* FROM execution_cancels c WHERE c.id = (SELECT id FROM next)`
          if (row === undefined) return Option.none()
          const { cancelled, last, webhooks } = yield* cancelPage(row, limit, eventsOf(row.app_id))
          yield* last === null
            ? sql`DELETE FROM execution_cancels WHERE id = ${row.id}`
            : sql`UPDATE execution_cancels SET after_id = ${last} WHERE id = ${row.id}`
          return Option.some({ appId: row.app_id, cancelled, webhooks })
        })
      )

    /** A workflow whose runs have ended, with its versions; what they alone were filled from is past its use. */
    const removal = (id: WorkflowId) => sql`
      WITH named AS MATERIALIZED (
        SELECT (t.value ->> 'version')::uuid AS id FROM workflow_versions v CROSS JOIN json_each(v.templates) AS t
        WHERE v.workflow_id = ${id}
      ), retired AS (
        UPDATE template_versions SET retired_at = now() WHERE retired_at IS NULL AND id = ANY(ARRAY(
          SELECT id FROM named WHERE NOT EXISTS (SELECT 1 FROM templates t WHERE t.version_id = named.id OFFSET 0)
        ))
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

    const turn = sql.literal(`interval '${1000 / FETCHES_PER_SECOND} ms'`)
    const takeTurn: ExecutionStore["Service"]["takeTurn"] = (appId, host, at) => {
      const now = PgTypes.timestamptz(at)
      return sql<{ readonly at: Date }>`
        INSERT INTO fetch_hosts AS h (app_id, host, next_at)
        VALUES (${appId}, ${keyText(host)}, ${now} - interval '1 s' + ${turn})
        ON CONFLICT (app_id, host) DO UPDATE SET next_at = greatest(h.next_at, ${now} - interval '1 s') + ${turn}
        RETURNING greatest(next_at - ${turn}, ${now}) AS at`.pipe(
        Effect.map(([row]) => row!.at.getTime()),
        storeError("ExecutionStore.takeTurn")
      )
    }

    const holdTurns: ExecutionStore["Service"]["holdTurns"] = (appId, host, until) =>
      sql`
        UPDATE fetch_hosts SET next_at = greatest(next_at, ${PgTypes.timestamptz(until)})
        WHERE app_id = ${appId} AND host = ${keyText(host)}`.pipe(Effect.asVoid, storeError("ExecutionStore.holdTurns"))

    const wakeEnded: ExecutionStore["Service"]["wakeEnded"] = (limit) =>
      transaction(
        "ExecutionStore.wakeEnded",
        Effect.gen(function* () {
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
            WHERE o.notification_id = ended.notification_id AND o.execution_id = ended.execution_id
            RETURNING o.app_id, o.execution_id`
          if (rows.length === 0) return 0
          yield* sql`
            UPDATE execution_timers r SET due_at = ${at}
            FROM unnest(${uuids(rows.map(({ app_id }) => app_id))}, ${uuids(rows.map(({ execution_id }) => execution_id))})
              AS t (app_id, id)
            WHERE r.app_id = t.app_id AND r.execution_id = t.id AND r.due_at > ${at}`
          return rows.length
        })
      )

    return ExecutionStore.of({
      due,
      move,
      hasSuspects,
      moveSuspect,
      resume,
      enter,
      leave,
      enterPage,
      find,
      history,
      list,
      cancel,
      cancelMatching,
      cancelNext,
      closing,
      takeTurn,
      holdTurns,
      wakeEnded
    })
  })
)
