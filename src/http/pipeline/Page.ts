import { Effect, Schema } from "effect"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import type { ApiError } from "./ApiError.ts"
import { invalid } from "./ApiError.ts"
import { maxLength } from "../../../services/domain/Text.ts"

export const DEFAULT_LIMIT = 50

/** The query of every list. */
export const listQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: `How many to return, at most. ${DEFAULT_LIMIT} unless given.`
    })
  ),
  cursor: Schema.optionalKey(
    Schema.String.check(maxLength(512)).annotate({
      description: "`next_cursor` of the page before. Leave it out for the first page."
    })
  )
}
interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** The body of every list. */
export const pageOf = <S extends Schema.Constraint>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    next_cursor: Schema.NullOr(Schema.String).annotate({ description: "Null on the last page." })
  })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Which list a page is of, for whoever writes cursors of its items. JSON leaves it out. */
export const LIST = Symbol("list")

/** A page as its list's handler answers it. */
export interface ListPage<B> {
  readonly data: ReadonlyArray<B>
  readonly next_cursor: string | null
  readonly [LIST]: string
}

/** A cursor names its list, so that one of another list is refused. Clients must not read it. */
export const writeCursor = (list: string, key: string): string => Buffer.from(`${list}:${key}`).toString("base64url")

const read = (list: string, cursor: string): string | null => {
  const text = Buffer.from(cursor, "base64url").toString()
  const key = text.slice(list.length + 1)
  return text.startsWith(`${list}:`) && UUID.test(key) && writeCursor(list, key) === cursor ? key : null
}

/** Reads a page of a list from its store, whose keys are ids, and shows its items. */
export const page = <A, B, E>(
  list: string,
  query: ListQuery,
  load: (after: string | null, limit: number) => Effect.Effect<Page<A>, E>,
  show: (item: A) => B
): Effect.Effect<ListPage<B>, E | ApiError<"validation_error">> => {
  const after = query.cursor === undefined ? null : read(list, query.cursor)
  if (after === null && query.cursor !== undefined) {
    return Effect.fail(invalid([{ field: "cursor", message: "must be the next_cursor of a page of this list" }]))
  }
  return Effect.map(load(after, query.limit ?? DEFAULT_LIMIT), ({ items, next }) => ({
    data: items.map(show),
    next_cursor: next === null ? null : writeCursor(list, next),
    [LIST]: list
  }))
}
