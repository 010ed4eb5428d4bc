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
