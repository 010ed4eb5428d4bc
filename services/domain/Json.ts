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

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inside]) => [name, sorted(inside)]))
}

/** JSON as text that is the same for equal values, whatever the order of their fields; undefined of undefined. */
export const canonicalOf = (value: unknown): string | undefined =>
  typeof value === "object" ? JSON.stringify(sorted(value)) : JSON.stringify(value)
