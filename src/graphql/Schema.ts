import { readdirSync, readFileSync } from "node:fs"
import type { GraphQLFieldResolver } from "graphql"
import {
  assertValidSchema,
  buildASTSchema,
  GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  parse
} from "graphql"
import type { Route } from "../http/pipeline/Route.ts"
import type { GraphqlContext } from "./Context.ts"
import { restName, snakeCase } from "./Names.ts"
import { resolveByRoute, restFieldOf } from "./RestFields.ts"

/* The schema: what the files of `schema/` say, a file for each subject, with what answers each field. */

const FOLDER = new URL("schema/", import.meta.url)

/** The files of the schema, one after another. */
export const sdl = (): string =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".graphql"))
    .sort()
    .map((name) => readFileSync(new URL(name, FOLDER), "utf8"))
    .join("\n")

/** Without anything that answers: for documents and tests. */
export const bareSchema = (): GraphQLSchema => {
  const schema = buildASTSchema(parse(sdl(), { noLocation: true }))
  for (const type of Object.values(schema.getTypeMap())) {
    // What REST calls `recipient_gone` is RECIPIENT_GONE here.
    if (isEnumType(type) && !type.name.startsWith("__"))
      for (const one of type.getValues()) one.value = one.name.toLowerCase()
  }
  return schema
}

interface Named {
  readonly name: string
  readonly args?: ReadonlyArray<{ readonly name: string }>
}

/** Names of fields as REST writes them, where those differ. */
const restNames = (schema: GraphQLSchema): ReadonlySet<string> =>
  new Set(
    Object.values(schema.getTypeMap())
      .flatMap((type): ReadonlyArray<Named> =>
        isInputObjectType(type) || isObjectType(type) ? Object.values<Named>(type.getFields()) : []
      )
      .flatMap(({ args = [], name }) => [name, ...args.map((argument) => argument.name)])
      .map(snakeCase)
      .filter((name) => name.includes("_"))
  )

/** Resolvers by type and field. */
export type FieldResolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Notes what is done, for the status of an answer of which nothing else may tell. */
const noting =
  (resolve: GraphQLFieldResolver<unknown, GraphqlContext>): GraphQLFieldResolver<unknown, GraphqlContext> =>
  (source, args, context, info) => {
    const value = resolve(source, args, context, info)
    if (!(value instanceof Promise)) {
      context.noteChange()
      return value
    }
    return value.then((done: unknown) => {
      context.noteChange()
      return done
    })
  }

/**
 * The schema that serves: a field is answered by its resolver, else by the route that it names, else by the part of its
 * object that has its name in REST.
 */
export const makeSchema = (table: ReadonlyArray<Route>, resolvers: FieldResolvers): GraphQLSchema => {
  const schema = bareSchema()
  const routes = new Map(table.map((route) => [`${route.method} ${route.path}`, route]))
  const known = restNames(schema)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue
    const own = resolvers[type.name] ?? {}
    for (const field of Object.values(type.getFields())) {
      const resolver = own[field.name]
      const rest = restFieldOf(schema, field)
      const inRest = restName(type.name, field.name)
      if (typeof resolver === "function") field.resolve = resolver as typeof field.resolve
      else if (resolver !== undefined) Object.assign(field, resolver)
      else if (rest !== null) field.resolve = resolveByRoute(field, rest, routes, known, type.name === "Mutation")
      else if (inRest !== field.name) {
        const name = field.name
        field.resolve = (source: Readonly<Record<string, unknown>>) =>
          inRest in source ? source[inRest] : source[name]
      }
      if (type.name === "Mutation") field.resolve = noting(field.resolve!)
    }
  }
  // What answers a field is nobody's business: clients cannot use the directive.
  const { directives, ...config } = schema.toConfig()
  const serving = new GraphQLSchema({ ...config, directives: directives.filter(({ name }) => name !== "rest") })
  assertValidSchema(serving)
  return serving
}
