import { Schema } from "effect"

/*
 * Clients of GraphQL send null for whatever nobody set: what the schema of GraphQL calls nullable may be left out, and may
 * be null. The REST API takes null where it means something, to remove a value, and refuses it elsewhere.
 */

/** As far as it is looked at. */
interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** What may stand at a place, by the schemas of a body: all alternatives of it. */
export interface Place {
  /** Whether null may stand there. */
  readonly takesNull: boolean
  /** The place of a field; null: it has no field of that name. */
  readonly field: (name: string) => Place | null
  /** The place of each item of a list; null: it has none. */
  readonly item: Place | null
}

/** The place of a whole body. Looked at when a null is met: most requests have none. */
export const placeOf = (body: Schema.ConstraintDecoder<unknown>): (() => Place) => {
  let known: Place | undefined
  return () => (known ??= read(body))
}

const read = (body: Schema.ConstraintDecoder<unknown>): Place => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(body) as unknown as {
    readonly schema: JsonSchema
    readonly definitions: Readonly<Record<string, JsonSchema>>
  }
  const alternatives = (one: JsonSchema): ReadonlyArray<JsonSchema> => {
    if (one.$ref !== undefined) return alternatives(definitions[one.$ref.slice(one.$ref.lastIndexOf("/") + 1)]!)
    const inner = [...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])].flatMap(alternatives)
    return [one, ...inner]
  }
  const place = (schemas: ReadonlyArray<JsonSchema>): Place => {
    const all = schemas.flatMap(alternatives)
    return {
      takesNull: all.some(isNull),
      field: (name) => {
        const fields = all.flatMap(({ properties }) =>
          properties !== undefined && Object.hasOwn(properties, name) ? [properties[name]!] : []
        )
        return fields.length === 0 ? null : place(fields)
      },
      get item() {
        const items = all.flatMap(({ items }) => (items === undefined ? [] : [items]))
        return items.length === 0 ? null : place(items)
      }
    }
  }
  return place([schema])
}

/** A schema that says nothing takes anything. */
const isNull = (schema: JsonSchema): boolean =>
  schema.type === "null" ||
  (Array.isArray(schema.type) && schema.type.includes("null")) ||
  schema.enum?.includes(null) === true ||
  Object.keys(schema).length === 0
