import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { keyBeginnings } from "./addresses.ts"

/*
 * Contacts by how their id, address or name begins: first those whose id does, then those by their address, then by their
 * name, each in the order of an index of its own, so that a page reads little more than itself however many fit. Nobody is
 * found twice.
 */

/** An index takes no long texts: of a name, it has so many characters. */
const NAME_CHARACTERS = 100

/** What is compared; each has an index. Of a name, its beginning. */
const ID = "(p.app_id::text || lower(p.external_id))"
const EMAIL = "(p.app_id::text || p.email_key)"
const NAME = `(p.app_id::text || lower(left(p.attributes ->> 'name', ${NAME_CHARACTERS})))`

/** `whole`: what the whole name begins with, where that is more than its index has. */
interface Comparison {
  readonly key: string
  readonly beginning: string
  readonly whole?: string
}

/** What is to begin how, in the order in which it is looked through. */
const comparisonsOf = (prefix: string): ReadonlyArray<Comparison> => {
  const characters = [...prefix]
  return [
    { key: ID, beginning: prefix },
    ...keyBeginnings(prefix).map((beginning) => ({ key: EMAIL, beginning })),
    characters.length > NAME_CHARACTERS
      ? { key: NAME, beginning: characters.slice(0, NAME_CHARACTERS).join(""), whole: prefix }
      : { key: NAME, beginning: prefix }
  ]
}

/** Behind every text that begins as another one: no text begins with the last code point there is. */
const END = "\u{10ffff}"

/** The ids of those who are found behind `after`, at most `limit`. */
export const searchContacts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  prefix: string,
  after: string | null,
  limit: number
): Effect.fn.Return<ReadonlyArray<ContactId>, SqlError> {
  const comparisons = comparisonsOf(prefix)
  const begins = ({ beginning, key, whole }: Comparison) =>
    sql`(${sql.literal(key)} ~>=~ (${appId}::text || lower(${beginning}::text))
      AND ${sql.literal(key)} ~<~ (${appId}::text || lower(${beginning}::text) || ${END}::text)
      ${whole === undefined ? sql`` : sql`AND starts_with(lower(p.attributes ->> 'name'), lower(${whole}::text))`})`
  /** Where the page before ended: by which key it was found, and where in its order. */
  const [last] =
    after === null
      ? [undefined]
      : yield* sql<{ readonly keys: ReadonlyArray<string | null>; readonly found: ReadonlyArray<boolean | null> }>`
          SELECT ARRAY[${sql.csv(comparisons.map(({ key }) => sql.literal(key)))}] AS keys,
            ARRAY[${sql.csv(comparisons.map(begins))}] AS found
          FROM contacts p WHERE p.app_id = ${appId} AND p.id = ${after}`
  // Somebody who was removed since, or is called otherwise now, was the last of nothing that could be gone on with.
  const from = last === undefined ? 0 : last.found.indexOf(true)
  if (after !== null && (last === undefined || from === -1)) return []
  const ids: Array<ContactId> = []
  for (const [i, comparison] of comparisons.entries()) {
    if (i < from || ids.length >= limit) continue
    const column = sql.literal(comparison.key)
    const isBehind = last !== undefined && i === from
    const place = last?.keys[i] ?? ""
    const rows = yield* sql<{ readonly id: ContactId }>`
      SELECT p.id FROM contacts p WHERE ${sql.and([
        begins(comparison),
        ...comparisons.slice(0, i).map((before) => sql`${begins(before)} IS NOT TRUE`),
        ...(isBehind
          ? [sql`${column} ~>=~ ${place}::text`, sql`NOT (${column} = ${place}::text AND p.id <= ${after})`]
          : [])
      ])} ORDER BY ${column} USING ~<~, p.id LIMIT ${limit - ids.length}`
    ids.push(...rows.map(({ id }) => id))
  }
  return ids
})
