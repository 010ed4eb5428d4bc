import type { GraphQLField, GraphQLInputType, GraphQLOutputType, GraphQLSchema } from "graphql"
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType
} from "graphql"
import { restName, snakeCase } from "../../src/graphql/Names.ts"
import type { RestField } from "../../src/graphql/RestFields.ts"
import { restFieldOf } from "../../src/graphql/RestFields.ts"
import type { Operation } from "./Document.ts"
import type { Tenant } from "./Tenant.ts"
import { thingOf } from "./Tenant.ts"

/** The GraphQL schema, beside the OpenAPI document: which operation answers a field, and what both say of it. */

export interface RestOperation {
  readonly kind: "query" | "mutation"
  readonly field: GraphQLField<unknown, unknown>
  readonly rest: RestField
  /** As the OpenAPI document names it: `GET /api/v1/devices/{id}`. */
  readonly operation: string
  /** Of a field that several operations answer: the value of the argument that says which. */
  readonly choice: string | null
}

export const restOperations = (schema: GraphQLSchema): ReadonlyArray<RestOperation> =>
  (["query", "mutation"] as const).flatMap((kind) =>
    Object.values(schema.getRootType(kind as never)!.getFields()).flatMap((field) => {
      const rest = restFieldOf(schema, field)
      if (rest === null) return []
      return rest.routes.map((route, i) => ({
        kind,
        field,
        rest,
        operation: route.replace(/:(\w+)/g, "{$1}"),
        choice: rest.values[i] ?? null
      }))
    })
  )

/** Fields that no route shows: what belongs to the objects of a page. */
export const LOOKUPS: ReadonlySet<string> = new Set([
  "Contact.devices",
  "Contact.channels",
  "Device.contact",
  "Channel.contact",
  "DeadLetter.notification"
])

/** Everything that a type has, but for what is looked up. */
export const selectionOf = (type: GraphQLOutputType): string => {
  const named = getNamedType(type)
  if (!isObjectType(named)) return ""
  const fields = Object.values(named.getFields()).filter(({ name }) => !LOOKUPS.has(`${named.name}.${name}`))
  const parts = fields.map(
    (field) => `${field.name} ${isLeafType(getNamedType(field.type)) ? "" : selectionOf(field.type)}`
  )
  return `{ ${parts.join(" ")} }`
}

/** What REST answers, as GraphQL says it. */
export const asGraphql = (type: GraphQLOutputType, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  const bare = getNullableType(type)
  if (isListType(bare)) return (value as ReadonlyArray<unknown>).map((one) => asGraphql(bare.ofType, one))
  if (isEnumType(bare)) return String(value).toUpperCase()
  if (!isObjectType(bare)) return value
  const fields = Object.values(bare.getFields()).filter(({ name }) => !LOOKUPS.has(`${bare.name}.${name}`))
  return Object.fromEntries(
    fields.map(({ name, type }) => [
      name,
      asGraphql(type, (value as Record<string, unknown>)[restName(bare.name, name)])
    ])
  )
}

/** What REST takes, as GraphQL takes it. */
export const asInput = (type: GraphQLInputType, value: unknown): unknown => {
  if (value === null || value === undefined) return value
  const bare = getNullableType(type)
  if (isListType(bare)) return (value as ReadonlyArray<unknown>).map((one) => asInput(bare.ofType, one))
  if (isEnumType(bare)) return String(value).toUpperCase()
  if (!isInputObjectType(bare)) return value
  const given = value as Record<string, unknown>
  return Object.fromEntries(
    Object.values(bare.getFields())
      .filter(({ name }) => snakeCase(name) in given)
      .map(({ name, type }) => [name, asInput(type, given[snakeCase(name)])])
  )
}

/** Arguments that a field can be asked with, as its operation's example has them; ids are those of `tenant`, or `id`. */
export const argsOf = (
  { choice, field, operation, rest }: RestOperation,
  { body }: Operation,
  tenant: Pick<Tenant, "appId" | "things">,
  id?: string
): Record<string, unknown> => {
  const args: Record<string, unknown> = {}
  for (const { name, type } of field.args) {
    if (name === "appId" || (name === "id" && !operation.includes("{"))) args[name] = tenant.appId
    else if (name === rest.id || (name === "externalId" && operation.includes("{external_id}"))) {
      args[name] = id ?? tenant.things.get(thingOf(operation.slice(operation.indexOf("/"))))
    } else if (name === rest.choice) args[name] = choice!.toUpperCase()
    else if (name === "input") args[name] = asInput(type, body?.example ?? {})
    // What else has to be named: an event, a recipient.
    else if (String(type) === "ID!") args[name] = tenant.things.get("/api/v1/devices/{id}")
  }
  return args
}

/** A request for one field with these arguments, given as variables. */
export const requestFor = (
  { field, kind }: Pick<RestOperation, "field" | "kind">,
  args: Readonly<Record<string, unknown>>
) => {
  const given = field.args.filter(({ name }) => args[name] !== undefined)
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(", ")
  const passed = given.map(({ name }) => `${name}: $${name}`).join(", ")
  return {
    query: `${kind}${declared === "" ? "" : `(${declared})`} { ${field.name}${passed === "" ? "" : `(${passed})`} ${selectionOf(field.type)} }`,
    variables: Object.fromEntries(given.map(({ name }) => [name, args[name]]))
  }
}
