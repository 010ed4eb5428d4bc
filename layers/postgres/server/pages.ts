import type { SqlClient, Statement } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"

/**
 * A page of at most `limit` items, from a query that asked for one more to know whether there is a next one. `found`: how
 * many there were, where the query answered fewer.
 */
export const pageOf = <A extends { readonly id: string }>(
  items: ReadonlyArray<A>,
  limit: number,
  found = items.length
): Page<A> => {
  const shown = items.length > limit ? items.slice(0, limit) : items
  return { items: shown, next: found > shown.length ? (shown.at(-1)?.id ?? null) : null }
}

/** Bytes after which a page of large rows ends: a process holds pages of many requests at once. */
const PAGE_BYTES = 2 << 20

/** A row of a page that was cut. */
export interface Cut {
  /** How many rows there were before. */
  readonly found: number
}

/**
 * The rows of `page`, which is a query, up to the one that makes them more than `PAGE_BYTES`. `bytes`: of a row, roughly;
 * behind OFFSET, which keeps PostgreSQL from working it out wherever it is named.
 */
export const cutByBytes = (
  sql: SqlClient.SqlClient,
  order: "oldest first" | "newest first",
  page: Statement.Fragment,
  bytes: Statement.Fragment
): Statement.Fragment => {
  const by = order === "oldest first" ? sql`id` : sql`id DESC`
  return sql`
    SELECT * FROM (
      SELECT sized.*, count(*) OVER ()::int AS found,
        sum(size) OVER (ORDER BY ${by} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - size AS before
      FROM (SELECT page.*, ${bytes} AS size FROM (${page}) AS page OFFSET 0) AS sized
    ) AS cut WHERE before < ${sql.literal(String(PAGE_BYTES))} ORDER BY ${by}`
}

/** A page of rows that `cutByBytes` has cut. */
export const cutPageOf = <Row extends Cut, A extends { readonly id: string }>(
  rows: ReadonlyArray<Row>,
  itemOf: (row: Row) => A,
  limit: number
): Page<A> => pageOf(rows.map(itemOf), limit, rows[0]?.found)

/** Before and behind every id. */
const FIRST = "00000000-0000-0000-0000-000000000000"
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/**
 * What follows WHERE of a page: the rows of an application, in the order of their ids from behind `after`, with an index by
 * both. By a span of it, and in its order: told `app_id = …` and an order by id alone, PostgreSQL may walk through the ids
 * of all applications, as it best does where there is but one.
 */
export const spanOf = (
  sql: SqlClient.SqlClient,
  order: "oldest first" | "newest first",
  appId: AppId,
  after: string | null,
  conditions: Statement.Fragment = sql`true`
): Statement.Fragment =>
  order === "oldest first"
    ? sql`app_id <= ${appId}::uuid AND (app_id, id) > (${appId}::uuid, ${after ?? FIRST}::uuid) AND ${conditions}
        ORDER BY app_id, id`
    : sql`app_id >= ${appId}::uuid AND (app_id, id) < (${appId}::uuid, ${after ?? LAST}::uuid) AND ${conditions}
        ORDER BY app_id DESC, id DESC`
