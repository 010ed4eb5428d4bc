import type { GraphQLInputType } from "graphql"
import { getNamedType, getNullableType, isInputObjectType, isListType } from "graphql"
import { isJsonObject } from "../../services/domain/Json.ts"
import type { Place } from "./Nulls.ts"

/* GraphQL speaks camelCase, the REST API snake_case. What is inside a value of JSON keeps its names in both. */

/**
 * What REST calls `id`, of what only speaks of a thing: caches of clients keep what they read under an `id`, whatever type it
 * is of (docs/decisions/0080-ids-for-caches.md).
 */
const IDS: ReadonlySet<string> = new Set(["AuditActor.actorId", "OrganizationLogActor.actorId", "WriteResult.objectId"])

/** What REST calls a field of a type of objects. */
export const restName = (type: string, field: string): string => (IDS.has(`${type}.${field}`) ? "id" : snakeCase(field))

type SnakeCase<Name extends string> = string extends Name
  ? string
  : Name extends `${infer First}${infer Rest}`
    ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
    : ""

export const snakeCase = <Name extends string>(name: Name): SnakeCase<Name> =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * A value of an input type, with the names that REST has for it. `place` is asked where a null stands: what REST does not
 * take null for is left out.
 */
export const toRest = (type: GraphQLInputType, value: unknown, place: () => Place | null): unknown => {
  const bare = getNullableType(type)
  if (isListType(bare)) {
    return Array.isArray(value) ? value.map((one) => toRest(bare.ofType, one, () => place()?.item ?? null)) : value
  }
  if (!isInputObjectType(bare) || !isJsonObject(value)) return value
  const fields = bare.getFields()
  const rest: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(value)) {
    const key = snakeCase(name)
    const there = () => place()?.field(key) ?? null
    if (one === null && there()?.takesNull === false) continue
    rest[key] = toRest(fields[name]!.type, one, there)
  }
  return rest
}

/** A path that REST names within a value of this type, as `to.device_ids[3]`, in the words of the schema. */
export const pathFromRest = (type: GraphQLInputType, path: string): string => {
  let at: GraphQLInputType | null = type
  return path.replace(/[^.[\]]+/g, (segment) => {
    if (at === null || /^\d+$/.test(segment)) return segment
    const named: GraphQLInputType = getNamedType(at)
    const name = camelCase(segment)
    const field: { readonly type: GraphQLInputType } | undefined = isInputObjectType(named)
      ? named.getFields()[name]
      : undefined
    at = field?.type ?? null
    return field === undefined ? segment : name
  })
}

/** The same for the fields of one object, whose inside keeps its names. */
export const topFromRest = (path: string): string => path.replace(/^[^.[\]]+/, camelCase)

/** Its names, as REST has them, without what is null where REST takes no null. */
export const topToRest = (value: object, place: () => Place): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [snakeCase(name), one] as const)
      .filter(([name, one]) => one !== null || place().field(name)?.takesNull !== false)
  )

/** What a page's end is called. */
const CURSOR = { rest: "next_cursor", graphql: "endCursor" } as const

/** Quoted values, which are left as they are, and names. `identity_secret.issued` is a value without quotes. */
const WORDS = /"[^"]*"|\b[a-z0-9]+(?:_[a-z0-9]+)+\b(?!\.[a-z])/g

/** Puts the names of fields that stand in a sentence of REST's into those of the schema. */
export const sentenceFromRest =
  (known: ReadonlySet<string>) =>
  (sentence: string): string =>
    sentence.replace(WORDS, (word) => {
      if (word === CURSOR.rest) return CURSOR.graphql
      return known.has(word) ? camelCase(word) : word
    })
