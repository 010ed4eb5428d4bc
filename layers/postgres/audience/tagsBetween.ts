import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { UpsertContact } from "../../../services/domain/audience/Contact.ts"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { texts, textArrayText, uuids } from "../server/columns.ts"

/*
 * Tags that people get and lose again between the lines of one call. Their row is written once, so that the trigger that
 * tells workflows of changes sees what it was like before and after all of them.
 */

/** The tags of the lines of everybody who has several with some, by external id. */
const tagsOfLines = (contacts: ReadonlyArray<UpsertContact>): ReadonlyMap<string, ReadonlyArray<Set<string>>> => {
  const found = new Map<string, Array<Set<string>>>()
  for (const { external_id, tags } of contacts) {
    if (tags === undefined) continue
    const before = found.get(external_id)
    if (before === undefined) found.set(external_id, [new Set(tags)])
    else before.push(new Set(tags))
  }
  return new Map([...found].filter(([, lines]) => lines.length > 1))
}

/**
 * Lists of tags that somebody got, as one line after the other would have given them, besides those that they have got when
 * all lines are written.
 */
const gotBetween = (
  before: ReadonlyArray<string>,
  lines: ReadonlyArray<ReadonlySet<string>>
): ReadonlyArray<ReadonlyArray<string>> => {
  const lists: Array<Array<string>> = []
  const [had, has] = [new Set(before), lines.at(-1)!]
  const times = new Map<string, number>()
  let present: ReadonlySet<string> = had
  for (const tags of lines) {
    for (const tag of tags.difference(present)) {
      const time = times.get(tag) ?? 0
      times.set(tag, time + 1)
      // The first time is told of already, where it is there at the end and was not before.
      const at = time - (has.has(tag) && !had.has(tag) ? 1 : 0)
      if (at >= 0) (lists[at] ??= []).push(tag)
    }
    present = tags
  }
  return lists
}

/** Writes them down for workflows. To be run before the contacts are written, with their rows locked. */
export const tagsBetween = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    appId: AppId,
    contacts: ReadonlyArray<UpsertContact>,
    idOf: (externalId: string) => ContactId
  ) {
    const lines = tagsOfLines(contacts)
    if (lines.size === 0) return
    const ids = new Map([...lines.keys()].map((externalId) => [idOf(externalId), externalId]))
    const rows = yield* sql<{ readonly id: ContactId; readonly tags: ReadonlyArray<string> }>`
      SELECT id, tags FROM contacts WHERE id = ANY(${uuids([...ids.keys()])})`
    const got = rows.flatMap(({ id, tags }) =>
      gotBetween(tags, lines.get(ids.get(id)!)!).map((list) => [id, textArrayText(list)] as const)
    )
    if (got.length === 0) return
    yield* sql`
      INSERT INTO contact_changes (app_id, contact_id, tags_added, depth)
      SELECT ${PgTypes.uuid(appId)}, t.contact_id, t.tags::text[], workflow_depth()
      FROM unnest(${uuids(got.map(([id]) => id))}, ${texts(got.map(([, tags]) => tags))}) AS t (contact_id, tags)
      WHERE entered_by_changes(ARRAY[${PgTypes.uuid(appId)}]) <> '{}'`
  })
