import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import { alongTheKey, byValues } from "../server/byValues.ts"
import { pageOf } from "../server/pages.ts"
import { isSparse } from "./segments.ts"

/*
 * Pages of those whom conditions fit, where these may lie anywhere among rows that they do not: a page is looked for in a
 * window of rows, and in the next one, so that no statement walks through millions.
 */

type Sql = SqlClient.SqlClient

/** Rows of a page's first window, as a multiple of its size. */
export const WINDOW = 20

/** The id at the end of the next `rows` rows `among` some behind `after`; null: there are not so many left. */
export const windowEnd = Effect.fnUntraced(function* (
  sql: Sql,
  table: "devices" | "channels" | "contacts" | "contacts p",
  appId: AppId,
  after: string | null,
  rows: number,
  among: ReadonlyArray<Fragment> = []
) {
  const [last] = yield* sql<{ readonly id: string }>`
    SELECT id FROM ${sql.literal(table)} WHERE ${sql.and([
      sql`app_id = ${appId}`,
      ...(after === null ? [] : [sql`id > ${after}`]),
      ...among
    ])} ORDER BY id OFFSET ${rows - 1} LIMIT 1`.unprepared
  return last?.id ?? null
})

/** The largest window: what is read in one statement is soon read, whatever is asked of each row. */
const LARGEST = 10_000
/** A list's page ends where it is when it has looked through so many rows, or for so long. */
const MOST_ROWS = 100_000
const MOST_MS = 1_000

/** A page of a list, and what it is looked for by. */
export interface Wanted {
  readonly table: "devices" | "contacts p"
  readonly appId: AppId
  /** Null: everybody, or whoever other conditions fit. */
  readonly segment: SegmentFilter | null
  /** Another condition leads to a few, whatever the segment. */
  readonly isFew: boolean
  /** Those of the conditions that the index on tags leads by. */
  readonly tags: ReadonlyArray<Fragment>
  /** Those that are a span of the key. */
  readonly span: ReadonlyArray<Fragment>
  readonly after: string | null
  readonly limit: number
}

/**
 * A page of a list, which a segment's filter may be a condition of. `read` answers up to `limit` rows behind `after` that
 * fit, none of them behind `end`, in the order of their ids; never prepared. Of those to whom no index leads, a page that
 * has looked through its share has fewer than it might, and a next one.
 */
export const readPage = <Row extends { readonly id: string }>(
  sql: Sql,
  { after, appId, isFew, limit, segment, span, table, tags }: Wanted,
  read: (after: string | null, end: string | null, limit: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>
): Effect.Effect<Page<Row>, SqlError> => {
  const isByTags = tags.length > 0
  if (segment === null || isFew || (isByTags && !isSparse(segment))) {
    return Effect.map(byValues(sql, read(after, null, limit + 1)), (rows) => pageOf(rows, limit))
  }
  const planned = isByTags ? byValues : alongTheKey
  return Effect.gen(function* () {
    const found: Array<Row> = []
    const start = yield* Clock.currentTimeMillis
    let from = after
    let window = Math.min(limit * WINDOW, LARGEST)
    let seen = 0
    for (;;) {
      // A transaction for each window: the connection is free for others in between.
      const { end, rows } = yield* planned(
        sql,
        Effect.gen(function* () {
          const end = yield* windowEnd(sql, table, appId, from, window, [...tags, ...span])
          return { end, rows: yield* read(from, end, limit + 1 - found.length) }
        })
      )
      found.push(...rows)
      if (found.length > limit || end === null) return pageOf(found, limit)
      from = end
      seen += window
      if (seen >= MOST_ROWS || (yield* Clock.currentTimeMillis) - start >= MOST_MS) return { items: found, next: end }
      window = Math.min(2 * window, LARGEST)
    }
  })
}
