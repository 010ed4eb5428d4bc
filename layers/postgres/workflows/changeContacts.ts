import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { METADATA_BYTES, MOST_TAGS } from "../../../services/domain/audience/Device.ts"
import type { ContactId } from "../../../services/domain/Ids.ts"
import { tooMuchOf } from "../../../services/domain/workflows/ContactChange.ts"
import type { UpdateContactStep } from "../../../services/domain/workflows/Steps.ts"
import type { OpenRun } from "../../../services/ports/workflows/ExecutionStore.ts"
import { texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"

/*
 * What UPDATE_CONTACT steps change, as runs come to them, and in the transaction that moves the runs. A contact never has
 * more than one that the API has changed: whoever comes second is measured by what the first has left.
 */

type Sql = SqlClient.SqlClient

interface Changing {
  readonly run: OpenRun
  readonly step: UpdateContactStep
}

/** Locked in the order in which all lock contacts, and first of all whom several steps change. */
const lock = (sql: Sql, all: ReadonlyArray<Changing>) => sql`
  SELECT 1 FROM contacts
  WHERE ${ofRows(sql, sql`app_id = ${all[0]!.run.appId}`)} AND id = ANY(${uuids(all.map(({ run }) => run.contactId))})
  ORDER BY external_id COLLATE "C" FOR NO KEY UPDATE`

interface Changed {
  readonly id: ContactId
  readonly tags: ReadonlyArray<string>
  /** JSON, where it may be too large: PostgreSQL writes more spaces than counts. */
  readonly attributes: string | null
}

/** Changes everybody whom one step does, in one statement, and answers of whom what would be too much. */
const changeBy = Effect.fnUntraced(function* (sql: Sql, step: UpdateContactStep, runs: ReadonlyArray<OpenRun>) {
  const { attributes = {}, tags_add = [], tags_remove = [] } = step
  const set: Record<string, unknown> = {}
  const removed: Array<string> = []
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) removed.push(name)
    else set[name] = value
  }
  const isMore = tags_add.length > 0
  const isLarge = sql`octet_length(attributes::text) > ${METADATA_BYTES}`
  const rows = yield* sql<Changed>`
    WITH theirs AS MATERIALIZED (
      SELECT id, tags, attributes FROM contacts
      WHERE ${ofRows(sql, sql`app_id = ${runs[0]!.appId}`)} AND id = ANY(${uuids(runs.map(({ contactId }) => contactId))})
      ORDER BY external_id COLLATE "C" FOR NO KEY UPDATE
    ), changed AS MATERIALIZED (
      SELECT id, ARRAY(
        SELECT tag FROM (
          SELECT DISTINCT ON (tag) tag, place FROM unnest(p.tags || ${texts(tags_add)}) WITH ORDINALITY AS t (tag, place)
          WHERE tag <> ALL(${texts(tags_remove)}) ORDER BY tag, place
        ) AS kept ORDER BY place
      ) AS tags, (p.attributes::jsonb || ${JSON.stringify(set)}::text::jsonb) - ${texts(removed)} AS attributes
      FROM theirs p
    ), written AS (
      UPDATE contacts p SET tags = changed.tags, attributes = changed.attributes::json, updated_at = now() FROM changed
      WHERE p.id = ANY(ARRAY[changed.id]) AND NOT (${isMore} AND cardinality(changed.tags) > ${MOST_TAGS})
        AND octet_length(changed.attributes::text) <= ${METADATA_BYTES}
    )
    SELECT id, tags, CASE WHEN ${isLarge} THEN attributes::text END AS attributes FROM changed
    WHERE ${isMore} AND cardinality(tags) > ${MOST_TAGS} OR ${isLarge}`
  const refused = new Map<ContactId, string>()
  const fitting: Array<Changed> = []
  for (const row of rows) {
    const person = { tags: row.tags, attributes: row.attributes === null ? {} : JSON.parse(row.attributes) }
    const tooMuch = tooMuchOf(person, step)
    if (tooMuch === null) fitting.push(row)
    else refused.set(row.id, tooMuch)
  }
  // One after the other: there are few whose attributes are that close to the limit.
  for (const { attributes, id, tags } of fitting) {
    yield* sql`UPDATE contacts SET tags = ${texts(tags)}, attributes = ${attributes}::json, updated_at = now() WHERE id = ${id}`
  }
  return refused
})

/** Changes contacts, each by its step, and answers in the order of the runs what would be too much, or null. */
export const changeContacts = Effect.fnUntraced(function* (sql: Sql, all: ReadonlyArray<Changing>) {
  // Those apart to whom other numbers of workflows led: what follows from the change goes by it.
  const groups = new Map<UpdateContactStep, Map<number, Array<{ readonly at: number; readonly run: OpenRun }>>>()
  for (const [at, { run, step }] of all.entries()) {
    const ofStep = groups.get(step) ?? new Map<number, Array<{ readonly at: number; readonly run: OpenRun }>>()
    groups.set(step, ofStep)
    const runs = ofStep.get(run.depth)
    if (runs === undefined) ofStep.set(run.depth, [{ at, run }])
    else runs.push({ at, run })
  }
  const each = [...groups].flatMap(([step, ofStep]) => [...ofStep].map(([depth, runs]) => ({ depth, runs, step })))
  if (each.length > 1) yield* lock(sql, all)
  const answers: Array<string | null> = all.map(() => null)
  for (const { depth, runs, step } of each) {
    yield* sql`SELECT set_config('heliograph.depth', ${String(depth + 1)}, true)`
    const refused = yield* changeBy(
      sql,
      step,
      runs.map(({ run }) => run)
    )
    for (const { at, run } of runs) answers[at] = refused.get(run.contactId) ?? null
  }
  yield* sql`SELECT set_config('heliograph.depth', '', true)`
  return answers
})
