import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppId, ContactId, ExecutionId, WorkflowId, WorkflowVersionId } from "../../../services/domain/Ids.ts"
import type { Reentry } from "../../../services/domain/workflows/Workflow.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import type {
  Beginning,
  Carry,
  Moves,
  OpenRun,
  Tools,
  Written
} from "../../../services/ports/workflows/ExecutionStore.ts"
import { READ_AT_ONCE } from "../../../services/ports/workflows/ExecutionStore.ts"
import type { Trace } from "../../../services/ports/operations/Tracing.ts"
import { inboxChannels } from "../inbox/inboxChannels.ts"
import { smallints, texts, uuids } from "../server/columns.ts"
import { spanOf } from "../server/pages.ts"
import type { PersonRow } from "./runRows.ts"
import { personOf } from "./runRows.ts"
import { mayMove } from "./mayMove.ts"
import { ENTRIES } from "./entryPages.ts"
import { dataOf, enteredAtOf, insertRuns, workflowsOf } from "./writeMoves.ts"

/** Before the ids of everything. */
export const FIRST = "00000000-0000-0000-0000-000000000000"

export const NOTHING: Moves = { moved: [], messages: [], events: [], counts: [], steps: [] }

export interface ContactRow extends PersonRow {
  readonly id: ContactId
  readonly external_id: string
}

/** What a contact brings along, in bytes, roughly: `c` contacts. */
export const CONTACT_BYTES = "octet_length(c.attributes::text) + 64 * cardinality(c.tags)"

/**
 * A page of contacts, from a query of their ids in order, up to those that make it more than `READ_AT_ONCE`; and how many it would
 * have been.
 */
export const contactsPage = (sql: SqlClient.SqlClient, page: Statement.Fragment) =>
  Effect.map(
    sql<ContactRow & { readonly found: number }>`
      SELECT * FROM (
        SELECT id, external_id, tags, attributes, locale, timezone, (count(*) OVER ())::integer AS found,
          sum(${sql.literal(CONTACT_BYTES)}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM (SELECT id, external_id, tags, attributes, locale, timezone FROM contacts ${page}) AS c
      ) AS c WHERE before IS NULL OR before < ${READ_AT_ONCE} ORDER BY id`,
    (contacts) => ({ contacts: contacts as ReadonlyArray<ContactRow>, found: contacts[0]?.found ?? 0 })
  )

type Data = Readonly<Record<string, unknown>>

/** Somebody who enters. */
export interface Entrant {
  readonly contact: ContactRow
  /** Left out: that of the beginning. */
  readonly data?: Data
  /** Of the data, roughly; left out: next to nothing. */
  readonly bytes?: number
  /** How many workflows led here; left out: none. */
  readonly depth?: number
  readonly trace?: Trace
  /** Epoch milliseconds: when what lets them in came to be; left out: now. What comes after that is theirs to hear. */
  readonly at?: number
}

/** What people enter a workflow with, as it is for as long as the transaction lasts. */
interface Open {
  readonly version_id: WorkflowVersionId
  readonly reentry: Reentry
  /** Whether runs have entered by another rule, whose entry keys say something else, or nothing. */
  readonly had_other_reentry: boolean
}

/** The contact up to whom an audience goes that is described now; none: the first id of all. */
export const newestContact = (sql: SqlClient.SqlClient, appId: AppId) => sql`
  coalesce((SELECT id FROM contacts WHERE ${spanOf(sql, "newest first", appId, null)} LIMIT 1), ${FIRST}::uuid)`

/** What keeps a person from entering twice, as the row says it. */
const entryKeyOf = (reentry: Exclude<Reentry, "always">, userId: string): string =>
  `${reentry === "once" ? "x" : "o"}${userId}`

/**
 * What workflows are entered with; one that is not there, nobody may enter. Who changes or ends one waits until the caller's
 * transaction is over.
 */
const openWorkflows = (sql: SqlClient.SqlClient, ids: ReadonlyArray<WorkflowId>) =>
  Effect.map(
    sql<Open & { readonly workflow_id: WorkflowId }>`
      SELECT t.id AS workflow_id, o.version_id, o.reentry, o.had_other_reentry
      FROM unnest(${uuids(ids)}) AS t (id) CROSS JOIN LATERAL open_workflow(t.id) AS o`,
    (rows) => new Map(rows.map((row) => [row.workflow_id, row as Open]))
  )

/** The same of one; null: nobody may. */
export const openWorkflow = (sql: SqlClient.SqlClient, id: WorkflowId) =>
  Effect.map(
    sql<Open>`SELECT version_id, reentry, had_other_reentry FROM open_workflow(${id})`,
    ([open]) => open ?? null
  )

/** Who enters one of several workflows. */
export interface Entry {
  readonly beginning: Beginning
  readonly entrants: ReadonlyArray<Entrant>
}

interface OpenEntry extends Entry {
  readonly open: Open
}

/** Entries in the order they came, of so many people and bytes at once, one entry at least. */
const inParts = (entries: ReadonlyArray<OpenEntry>): ReadonlyArray<ReadonlyArray<OpenEntry>> => {
  const parts: Array<Array<OpenEntry>> = []
  let [people, bytes] = [Infinity, 0]
  for (const entry of entries) {
    const size = entry.entrants.reduce((sum, entrant) => sum + (entrant.bytes ?? 0), 0)
    people += entry.entrants.length
    bytes += size
    if (people > ENTRIES || bytes > READ_AT_ONCE) {
      parts.push([])
      ;[people, bytes] = [entry.entrants.length, size]
    }
    parts.at(-1)!.push(entry)
  }
  return parts
}

/** How people enter workflows, within a transaction. */
export const entering = (
  sql: SqlClient.SqlClient,
  tools: Tools,
  write: (moves: Moves, isNew: boolean) => Effect.Effect<Written, SqlError>
) => {
  const { ensureContacts } = inboxChannels(sql)

  /** Contacts of users, made where there are none, by their user ids. */
  const contactsOfUsers = Effect.fnUntraced(function* (appId: AppId, userIds: ReadonlyArray<string>) {
    const people = yield* ensureContacts(appId, userIds)
    const rows = yield* sql<ContactRow>`
      SELECT id, external_id, tags, attributes, locale, timezone FROM contacts
      WHERE id = ANY(${uuids(people.map(({ id }) => id))})`
    return new Map(rows.map((row) => [row.external_id, row]))
  })

  const begin = (
    beginning: Beginning,
    versionId: WorkflowVersionId,
    now: number,
    { at = now, contact, data = beginning.data, depth = 0, trace = beginning.trace ?? null }: Entrant
  ): OpenRun => ({
    id: uuidv7() as ExecutionId,
    appId: beginning.appId,
    workflowId: beginning.workflowId,
    versionId,
    contactId: contact.id,
    userId: contact.external_id,
    position: 0,
    isBegun: false,
    deadline: null,
    tries: 0,
    data,
    steps: {},
    sends: {},
    enteredAt: at,
    depth,
    trace,
    fence: 0,
    suspicion: 0,
    person: personOf(contact),
    isClosed: null,
    isDisabled: false,
    segmentId: beginning.segmentId ?? null
  })

  /** Without those whom runs of theirs keep out that entered by another rule. */
  const notKeptOut = Effect.fnUntraced(function* (
    { appId, workflowId }: Beginning,
    { had_other_reentry, reentry }: Open,
    runs: ReadonlyArray<OpenRun>
  ) {
    if (!had_other_reentry) return runs
    const isOpen = reentry === "once" ? sql`true` : sql`e.ended_at IS NULL`
    const rows = yield* sql<{ readonly user_id: string }>`
      SELECT t.user_id FROM unnest(${texts([...new Set(runs.map(({ userId }) => userId))])}) AS t (user_id)
      CROSS JOIN LATERAL (
        SELECT 1 FROM executions e WHERE e.app_id = ${appId} AND e.user_id = t.user_id AND e.workflow_id = ${workflowId}
          AND ${isOpen} LIMIT 1
      ) AS own`
    const keptOut = new Set(rows.map(({ user_id }) => user_id))
    return runs.filter(({ userId }) => !keptOut.has(userId))
  })

  const runsOf = ({ beginning, entrants, open }: OpenEntry, at: number): ReadonlyArray<OpenRun> =>
    entrants.map((entrant) => begin(beginning, open.version_id, at, entrant))

  /** Runs of people who may enter once are written before they move: of those who may not, nothing comes. */
  const admitted = Effect.fnUntraced(function* (entries: ReadonlyArray<OpenEntry>, at: number) {
    const found = yield* Effect.forEach(entries, (entry) =>
      Effect.map(notKeptOut(entry.beginning, entry.open, runsOf(entry, at)), (runs) =>
        runs.map((run) => ({ run, key: entryKeyOf(entry.open.reentry as "once" | "when_ended", run.userId) }))
      )
    )
    const keyed = found.flat()
    const runs = keyed.map(({ run }) => run)
    if (runs.length === 0) return runs
    const { own, shared } = dataOf(runs)
    const entered = enteredAtOf(runs)
    const { segments, shared: of, versions, workflows } = workflowsOf(runs)
    const rows = yield* sql<{ readonly id: ExecutionId }>`
      INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position, data, depth,
        segment_id, trace, entry_key, created_at)
      SELECT ${runs[0]!.appId}::uuid, t.id, coalesce(${of.workflowId}::uuid, t.workflow_id),
        coalesce(${of.versionId}::uuid, t.version_id), t.contact_id,
        t.user_id, 'waiting', 0, coalesce(${shared}::text, t.data), t.depth,
        coalesce(${of.segmentId}::uuid, t.segment_id), t.trace, t.entry_key,
        coalesce(t.created_at, ${entered.shared})
      FROM unnest(${uuids(runs.map(({ id }) => id))}, ${uuids(runs.map(({ contactId }) => contactId))},
        ${texts(runs.map(({ userId }) => userId))}, ${texts(keyed.map(({ key }) => key))},
        ${own}, ${smallints(runs.map(({ depth }) => depth))}, ${texts(runs.map(({ trace }) => trace))},
        ${entered.own}, ${workflows}, ${versions}, ${segments}
      ) WITH ORDINALITY AS t (id, contact_id, user_id, entry_key, data, depth, trace, created_at, workflow_id, version_id,
        segment_id, place)
      ORDER BY t.workflow_id, t.entry_key, t.place
      ON CONFLICT (workflow_id, entry_key) WHERE entry_key IS NOT NULL DO NOTHING
      RETURNING id`
    const ids = new Set(rows.map(({ id }) => id))
    return runs.filter(({ id }) => ids.has(id))
  })

  const nothing: Written = { moves: NOTHING, webhooks: [] }

  /** Begins runs in workflows of one application that anybody may enter at any time, and moves them. */
  const enterAlways = Effect.fnUntraced(function* (entries: ReadonlyArray<OpenEntry>, at: number, carry: Carry) {
    const moves = yield* carry(
      entries.flatMap((entry) => runsOf(entry, at)),
      tools
    )
    yield* insertRuns(sql, moves.moved)
    return yield* write(moves, true)
  })

  /** The same in workflows that people may not enter twice. */
  const enterOnce = Effect.fnUntraced(function* (entries: ReadonlyArray<OpenEntry>, at: number, carry: Carry) {
    const runs = yield* admitted(entries, at)
    if (runs.length === 0) return nothing
    const moves = yield* carry(runs, tools)
    yield* sql`
      INSERT INTO execution_timers (app_id, execution_id, due_at)
      SELECT ${runs[0]!.appId}::uuid, id, 'infinity' FROM unnest(${uuids(runs.map(({ id }) => id))}) AS t (id)`
    return yield* write(moves, false)
  })

  /** Begins runs of these people in a workflow that is open, and moves them. */
  const enterOpen = (open: Open, beginning: Beginning, entrants: ReadonlyArray<Entrant>, carry: Carry) => {
    if (entrants.length === 0) return Effect.succeed(nothing)
    const entries = [{ beginning, entrants, open }]
    return open.reentry === "always" ? enterAlways(entries, now(), carry) : enterOnce(entries, now(), carry)
  }

  /**
   * Begins runs of these people in workflows of an application, in the order of the workflows' ids, and moves them: those
   * of many workflows at once, with a few statements for all. Workflows that nobody may enter any more are left out.
   */
  const enterAll = Effect.fnUntraced(function* (appId: AppId, entries: ReadonlyArray<Entry>, carry: Carry) {
    const written: Array<Written> = []
    const asked = entries.filter(({ entrants }) => entrants.length > 0)
    if (asked.length === 0 || !(yield* mayMove(sql, appId))) return written
    const openOf = yield* openWorkflows(sql, [...new Set(asked.map(({ beginning }) => beginning.workflowId))].sort())
    const open = asked.flatMap((entry): ReadonlyArray<OpenEntry> => {
      const open = openOf.get(entry.beginning.workflowId)
      return open === undefined ? [] : [{ ...entry, open }]
    })
    for (const part of inParts(open)) {
      const at = now()
      const always = part.filter(({ open }) => open.reentry === "always")
      const once = part.filter(({ open }) => open.reentry !== "always")
      if (always.length > 0) written.push(yield* enterAlways(always, at, carry))
      if (once.length > 0) written.push(yield* enterOnce(once, at, carry))
    }
    return written
  })

  return { contactsOfUsers, enterAll, enterOpen }
}

export type Entering = ReturnType<typeof entering>
