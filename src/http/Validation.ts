import { Result, Schema, SchemaIssue } from "effect"
import type { ApiError, Detail } from "./ApiError.ts"
import { DETAILS, invalid } from "./ApiError.ts"
import { soundness } from "./Sound.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const ARTICLES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  "a string matching the RegExp": "of the documented form"
}

/** Turns a schema's message into one that continues the field's name. Values never appear: the input may be a secret. */
const sentence = (message: string): string => {
  if (message === "Missing key") return "is required"
  if (message === "Expected no excess property") return "is not a known field"
  const [, expected] = /^Expected ([\s\S]+)$/.exec(message) ?? []
  if (expected === undefined) return message
  return `must be ${ARTICLES[expected] ?? expected.replaceAll(" | ", " or ")}`
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

const options = { errors: "all", onExcessProperty: "error" } as const

/** A decoder of parsed JSON for a schema, made once. All that is wrong is told at once; unknown fields are wrong too. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((input: unknown) => Result.Result<S["Type"], ApiError<"validation_error">>) => {
  const decode = Schema.decodeUnknownResult(schema, options)
  const isSound = soundness(schema)
  return (input) => {
    if (isSound(input)) return Result.succeed(input as S["Type"])
    return Result.mapError(decode(input), ({ issue }) => {
      const { issues } = format(issue)
      const details = issues
        .slice(0, DETAILS)
        .map(({ path, message }): Detail => ({ field: fieldPath(path ?? []), message: sentence(message) }))
      return invalid(details, issues.length)
    })
  }
}
