import { Schema, SchemaTransformation } from "effect"

export type JsonObject = { readonly [name: string]: unknown }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a record has under a key that clients choose: `constructor` is no entry of an empty one. */
export const ownOf = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Marks the schema of values that need no look inside. */
export const OPAQUE = "isOpaqueJson"

/**
 * An object of parsed JSON with anything in it. It is not walked: what was parsed is JSON already, and a client decides
 * how much of it there is.
 */
export const JsonRecord: Schema.declare<Schema.JsonObject> = Schema.declare(
  isJsonObject as (value: unknown) => value is Schema.JsonObject,
  {
    expected: "object",
    [OPAQUE]: true,
    toCodecJson: () =>
      Schema.link<Schema.JsonObject>()(Schema.JsonObject, SchemaTransformation.passthrough<Schema.JsonObject>())
  }
)

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null

/**
 * Text of parsed JSON that is the same for all ways to write it: no white space, keys in the order of their units of
 * UTF-16, numbers as they were read. For hashing, and as fast as that: lists of plain values are left to the engine.
 */
export const canonicalJson = (value: unknown): string => {
  if (isPlain(value)) return JSON.stringify(value)
  if (Array.isArray(value)) {
    return value.every(isPlain) ? JSON.stringify(value) : `[${value.map(canonicalJson).join(",")}]`
  }
  const object = value as Readonly<Record<string, unknown>>
  let text = ""
  for (const name of Object.keys(object).sort()) {
    text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${canonicalJson(object[name])}`
  }
  return text === "" ? "{}" : `${text}}`
}
