import { Result, Schema, SchemaIssue } from "effect"
import type { ApiError, Detail } from "./ApiError.ts"
import { DETAILS, invalid } from "./ApiError.ts"
import { excerpts } from "./Excerpt.ts"
import { unkinds } from "./Kinds.ts"
import { soundness } from "./PreCheck.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const ARTICLES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  "a string matching the RegExp": "of the documented form"
}

const EMPTY = "must not be empty"

/** Turns a schema's message into one that continues the field's name. Values never appear: the input may be a secret. */
const sentence = (message: string): string => {
  if (message === "Missing key") return "is required"
  if (message === "Expected no excess property") return "is not a known field"
  const [, expected] = /^Expected ([\s\S]+)$/.exec(message) ?? []
  if (expected === undefined) return message
  if (/^a value with (?:a (?:length|size) of )?at least 1(?: entry)?$/.test(expected)) return EMPTY
  const [, measure] = /^a value with ([\s\S]+)$/.exec(expected) ?? []
  if (measure !== undefined) return `must have ${measure}`
  const [, range] = /^a value ((?:greater|less|between)[\s\S]+)$/.exec(expected) ?? []
  if (range !== undefined) return `must be ${range}`
  return `must be ${
    ARTICLES[expected] ??
    expected
      .split(" | ")
      .map((one) => ARTICLES[one] ?? one)
      .join(" or ")
  }`
}

/** Names of fields come from the client and may be long. */
const short = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name)

/** `to.device_ids[3]`; the body itself where there is no path. */
export const fieldPath = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  let text = ""
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment
    text += typeof key === "number" ? `[${key}]` : `${text === "" ? "" : "."}${short(String(key))}`
  }
  return text === "" ? "body" : text
}

/** Each mistake once: several checks say the same of a value, and of what is empty nothing else is worth saying. */
const distinct = (details: ReadonlyArray<Detail>): ReadonlyArray<Detail> => {
  const empty = new Set(details.flatMap(({ field, message }) => (message === EMPTY ? field : [])))
  const told = new Map(details.map((detail) => [JSON.stringify([detail.field, detail.message]), detail]))
  return [...told.values()].filter(({ field, message }) => message === EMPTY || !empty.has(field))
}

const QUICK = { errors: "first", onExcessProperty: "error" } as const
const WHOLE = { errors: "all", onExcessProperty: "error" } as const

/**
 * A decoder of parsed JSON for a schema, made once. What is wrong is told at once, unknown fields too, as far as an answer
 * shows it: what a wrong body costs is bounded by its size, as it is for one that is right.
 */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((input: unknown) => Result.Result<S["Type"], ApiError<"validation_error">>) => {
  const decode = Schema.decodeUnknownResult(schema, QUICK)
  const examine = Schema.decodeUnknownResult(schema, WHOLE)
  const isSound = soundness(schema)
  const { of: excerptOf, overlong } = excerpts(schema)

  /** `first`: what is said in any case. */
  const mistakes = (input: unknown, first: SchemaIssue.Issue | null): ApiError<"validation_error"> => {
    const tooLong = overlong(input).map(({ expected, path }): Detail => ({
      field: fieldPath(path),
      message: sentence(`Expected ${expected}`)
    }))
    const { isCut, json } = excerptOf(input, DETAILS)
    const examined = examine(json)
    const known = Result.isFailure(examined) ? examined.failure.issue : tooLong.length > 0 ? null : first
    const issues = known === null ? [] : format(known).issues
    const ofNoKind = known === null ? new Map<string, Detail>() : unkinds(known, json, fieldPath)
    const others = issues.map(({ path, message }): Detail => {
      const field = fieldPath(path ?? [])
      return ofNoKind.get(field) ?? { field, message: sentence(message) }
    })
    const details = distinct([...tooLong, ...others])
    return invalid(details, details.length, isCut)
  }

  return (input) => {
    if (isSound(input)) return Result.succeed(input as S["Type"])
    if (overlong(input).length > 0) return Result.fail(mistakes(input, null))
    return Result.mapError(decode(input), ({ issue }) => mistakes(input, issue))
  }
}
