import { Result, Schema } from "effect"
import { UserId } from "../../../services/domain/audience/Device.ts"
import type { ApiError } from "./ApiError.ts"
import { invalid } from "./ApiError.ts"
import { EXTERNAL_ID, isSignedParam } from "./Route.ts"
import { decoder, fieldPath } from "./Validation.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const isUserId = Schema.is(UserId)

const SIGNED = /^[A-Za-z0-9_-]{1,4096}$/

/**
 * Query values are text; those that the schema wants as whole numbers are read as numbers. A list is a parameter that is
 * repeated: one alone is a list too.
 */
export const queryDecoder = (schema: Schema.ConstraintDecoder<unknown>) => {
  const decode = decoder(schema)
  const { properties = {} } = Schema.toJsonSchemaDocument(schema).schema as {
    properties?: Record<string, { type?: string }>
  }
  const ofType = (type: string) => Object.keys(properties).filter((name) => properties[name]!.type === type)
  const [integers, lists] = [ofType("integer"), ofType("array")]
  return (query: Readonly<Record<string, unknown>>) => {
    const values: Record<string, unknown> = { ...query }
    // As in bodies: a schema lets it through, and text in PostgreSQL cannot hold it.
    const [nul] = Object.entries(values).find(([, value]) => String(value).includes("\0")) ?? []
    if (nul !== undefined) return Result.fail(invalid([{ field: nul, message: "must not contain U+0000" }]))
    for (const name of integers) {
      const value = values[name]
      if (typeof value === "string" && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) values[name] = Number(value)
    }
    for (const name of lists) if (typeof values[name] === "string") values[name] = [values[name]]
    return Result.mapError(decode(values), (error) =>
      // Nothing else says where it is looked for: bodies have fields of the same names.
      error.details.length === 1 && error.details[0]!.message === "is required"
        ? invalid([{ ...error.details[0]!, message: "is required in the query" }])
        : error
    )
  }
}

/** Names that are told of at most: a client may send thousands. */
const MOST_NAMES = 10

/** The query of a route that has none: a `dry_run` that nobody reads would send. */
export const noQuery = (
  query: Readonly<Record<string, unknown>>
): Result.Result<unknown, ApiError<"validation_error">> => {
  const names = Object.keys(query)
  if (names.length === 0) return Result.succeed({})
  const told = names.slice(0, MOST_NAMES)
  const message = "is not a known field: nothing is asked in the query here"
  return Result.fail(
    invalid(
      told.map((name) => ({ field: fieldPath([name]), message })),
      names.length
    )
  )
}

/** The ids of a path by their names, in the form of `Call`; null when one of them cannot be an id. */
export const idsOf = (
  names: ReadonlyArray<string>,
  params: Readonly<Record<string, string | undefined>>
): Record<string, string> | null => {
  const ids: Record<string, string> = {}
  for (const name of names) {
    const value = params[name]
    if (value === undefined) return null
    if (name === EXTERNAL_ID) {
      if (!isUserId(value)) return null
      ids[name] = value
      continue
    }
    const isSigned = isSignedParam(name)
    if (!(isSigned ? SIGNED : UUID).test(value)) return null
    ids[name] = isSigned ? value : value.toLowerCase()
  }
  return ids
}
