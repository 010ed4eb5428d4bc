import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppId, ContactId, ExecutionId } from "../../../services/domain/Ids.ts"
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
import { inboxChannels } from "../inbox/inboxChannels.ts"
import { texts, uuids } from "../server/columns.ts"
import type { PersonRow } from "./runRows.ts"
import { personOf } from "./runRows.ts"
import { mayMove } from "./mayMove.ts"
import { insertRuns } from "./writeMoves.ts"

export const NOTHING: Moves = { moved: [], messages: [], updates: [], events: [], counts: [], steps: [] }

export interface ContactRow extends PersonRow {
  readonly id: ContactId
  readonly external_id: string
}

type Data = Readonly<Record<string, unknown>>

/** What keeps a person from entering twice, as the row says it. */
const entryKeyOf = (reentry: Beginning["reentry"], userId: string): string | null =>
  reentry === null ? null : `${reentry === "once" ? "x" : "o"}${userId}`

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

  const begin = (beginning: Beginning, contact: ContactRow, at: number, data: Data = beginning.data): OpenRun => ({
    id: uuidv7() as ExecutionId,
    appId: beginning.appId,
    workflowId: beginning.workflowId,
    versionId: beginning.versionId,
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
    depth: beginning.depth,
    fence: 0,
    person: personOf(contact),
    isClosed: null,
    isDisabled: false,
    segmentId: beginning.segmentId ?? null
  })

  /** Runs of people who may enter once are written before they move: of those who may not, nothing comes. */
  const admitted = Effect.fnUntraced(function* (beginning: Beginning, runs: ReadonlyArray<OpenRun>) {
    if (beginning.reentry === null || runs.length === 0) return runs
    const rows = yield* sql<{ readonly id: ExecutionId }>`
      INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position, data, depth,
        segment_id, entry_key, created_at)
      SELECT ${beginning.appId}::uuid, t.id, ${beginning.workflowId}::uuid, ${beginning.versionId}::uuid, t.contact_id,
        t.user_id, 'waiting', 0, t.data, ${PgTypes.int2(beginning.depth)}, ${beginning.segmentId ?? null}::uuid, t.entry_key,
        ${PgTypes.timestamptz(runs[0]!.enteredAt)}
      FROM unnest(${uuids(runs.map(({ id }) => id))}, ${uuids(runs.map(({ contactId }) => contactId))},
        ${texts(runs.map(({ userId }) => userId))}, ${texts(runs.map(({ userId }) => entryKeyOf(beginning.reentry, userId)))},
        ${texts(runs.map(({ data }) => JSON.stringify(data)))}
      ) WITH ORDINALITY AS t (id, contact_id, user_id, entry_key, data, place)
      ORDER BY t.entry_key, t.place
      ON CONFLICT (workflow_id, entry_key) WHERE entry_key IS NOT NULL DO NOTHING
      RETURNING id`
    const ids = new Set(rows.map(({ id }) => id))
    return runs.filter(({ id }) => ids.has(id))
  })

  /** Begins runs of these people, each with data of its own where it is given, and moves them. */
  const enterContacts = Effect.fnUntraced(function* (
    beginning: Beginning,
    contacts: ReadonlyArray<ContactRow>,
    carry: Carry,
    dataOf?: (place: number) => Data
  ) {
    if (contacts.length === 0 || !(yield* mayMove(sql, beginning.appId))) return { moves: NOTHING, webhooks: [] }
    const at = now()
    const runs = yield* admitted(
      beginning,
      contacts.map((contact, place) => begin(beginning, contact, at, dataOf?.(place)))
    )
    if (runs.length === 0) return { moves: NOTHING, webhooks: [] }
    const moves = yield* carry(runs, tools)
    if (beginning.reentry === null) {
      yield* insertRuns(sql, moves.moved)
      return yield* write(moves, true)
    }
    yield* sql`
      INSERT INTO execution_timers (app_id, execution_id, due_at)
      SELECT ${beginning.appId}::uuid, id, 'infinity' FROM unnest(${uuids(runs.map(({ id }) => id))}) AS t (id)`
    return yield* write(moves, false)
  })

  return { begin, contactsOfUsers, enterContacts }
}
