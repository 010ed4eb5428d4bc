import { Effect, Result } from "effect"
import type { GraphQLArgument, GraphQLField, GraphQLSchema } from "graphql"
import { getDirectiveValues, getNamedType, isEnumType } from "graphql"
import { CurrentOperation } from "../../services/ports/access/CurrentOperation.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import { ApiError, notFound } from "../http/pipeline/ApiError.ts"
import { refusalOfJson } from "../http/pipeline/Body.ts"
import { idsOf, queryDecoder } from "../http/pipeline/Parameters.ts"
import type { ListPage } from "../http/pipeline/Page.ts"
import type { Call, Route } from "../http/pipeline/Route.ts"
import { decoder } from "../http/pipeline/Validation.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"
import { connectionOf } from "./RelayConnection.ts"
import { kindOf, operationFor } from "./ApplicationAccess.ts"
import type { GraphqlContext } from "./Context.ts"
import type { Place } from "./Nulls.ts"
import { placeOf } from "./Nulls.ts"
import { pathFromRest, sentenceFromRest, snakeCase, toRest } from "./Names.ts"

/*
 * Fields that an operation of the REST API answers: what the directive `@rest` of the schema says. The route table is
 * where an operation is defined once, with the schema of what it takes, its handler over the engine and its refusals; a
 * field calls the handler as the request pipeline does, and differs in names alone. See docs/decisions/0075.
 */

type Args = Readonly<Record<string, unknown>>

/** Arguments that are no part of a query. */
const APP = "appId"
const INPUT = "input"
/** What pages are called here, and there. */
const PAGING: Readonly<Record<string, string>> = { first: "limit", after: "cursor" }

/** What serves the requests of one route. */
interface Operation {
  readonly route: Route
  readonly decodeBody: ((body: unknown) => Result.Result<unknown, ApiError>) | null
  readonly decodeQuery: ((query: Readonly<Record<string, unknown>>) => Result.Result<unknown, ApiError>) | null
  /** What REST takes null for in its body. */
  readonly place: () => Place | null
}

const operationOf = (route: Route): Operation => {
  const { body, query } = route
  const decode = body === null || body.isStream ? null : decoder(body.schema)
  return {
    route,
    decodeBody: decode === null ? null : (given) => decode(body!.unify(given)),
    decodeQuery: query === null ? null : queryDecoder(query),
    place: body === null || body.isStream ? () => null : placeOf(body.parts ?? body.schema)
  }
}

/** What `@rest` says of a field; null where it says nothing. */
export interface RestField {
  /** With the values of an enum in the place of `{kind}`: as `GET /api/v1/credentials/apns`. */
  readonly routes: ReadonlyArray<string>
  /** The enum's value that each of them stands for; empty where there is none. */
  readonly values: ReadonlyArray<string>
  readonly id: string
  readonly take: string | null
  /** The argument that stands in braces in the route. */
  readonly choice: string | null
}

export const restFieldOf = (schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): RestField | null => {
  const said = getDirectiveValues(schema.getDirective("rest")!, field.astNode!)
  if (said === undefined) return null
  const { id, route, take = null } = said as { id: string; route: string; take?: string }
  const [braces, choice = null] = /\{(\w+)\}/.exec(route) ?? []
  if (choice === null) return { routes: [route], values: [], id, take, choice }
  const type = getNamedType(field.args.find(({ name }) => name === choice)!.type)
  const values = isEnumType(type) ? type.getValues().map(({ value }) => String(value)) : []
  return { routes: values.map((value) => route.replace(braces!, value)), values, id, take, choice }
}

/** Puts what REST says of its fields into the words of the arguments they came from. */
const translator = (field: GraphQLField<unknown, unknown>, known: ReadonlySet<string>) => {
  const input = field.args.find(({ name }) => name === INPUT)
  const byParameter = new Map(field.args.map(({ name }) => [PAGING[name] ?? snakeCase(name), name]))
  const inWords = sentenceFromRest(known)
  const nameOf = (path: string): string => {
    const argument = byParameter.get(path)
    if (argument !== undefined && argument !== INPUT) return argument
    if (input === undefined) return path
    return path === "body" ? INPUT : `${INPUT}.${pathFromRest(input.type, path)}`
  }
  return ({ beside, code, details, headers, message }: ApiError): ApiError => {
    const [first] = details
    const named = details.map((detail) => ({
      ...detail,
      field: nameOf(detail.field),
      message: inWords(detail.message)
    }))
    const sentence = first === undefined ? message : message.replace(`: ${first.field} `, `: ${named[0]!.field} `)
    return new ApiError(code, inWords(sentence), named, headers, beside)
  }
}

const isOwn = ({ name }: GraphQLArgument, rest: RestField): boolean =>
  name !== APP && name !== INPUT && name !== rest.id && name !== rest.choice && name !== "externalId"

export type Resolve = (source: unknown, args: Args, context: GraphqlContext) => unknown

/** What answers a field that names a route. `known`: names of fields as REST writes them. */
export const resolveByRoute = (
  field: GraphQLField<unknown, unknown>,
  rest: RestField,
  routes: ReadonlyMap<string, Route>,
  known: ReadonlySet<string>,
  isChange: boolean
): Resolve => {
  const operations = new Map(
    rest.routes.map((name) => {
      const route = routes.get(name)
      if (route === undefined) throw new Error(`${field.name} names no route: ${name}`)
      return [name, operationOf(route)]
    })
  )
  const [only] = rest.routes
  const chosenBy = (args: Args): Operation => {
    if (rest.choice === null) return operations.get(only!)!
    return operations.get(rest.routes[rest.values.indexOf(String(args[rest.choice]))]!)!
  }
  const { params } = operations.get(only!)!.route
  // An application names itself by its own id.
  const namesApp = params.length === 0 && rest.id === "id" && field.args.some(({ name }) => name === "id")
  const input = field.args.find(({ name }) => name === INPUT)
  const hasExternalId = params.includes("external_id")
  const inQuery = field.args.filter(
    (argument) => isOwn(argument, rest) || (argument.name === "externalId" && !hasExternalId)
  )
  const inWords = translator(field, known)
  const path = rest.routes[0]!.slice(rest.routes[0]!.indexOf(" ") + 1)
  const kind = kindOf(path)
  const operation = operationFor(isChange, path)
  const isPage = getNamedType(field.type).name.endsWith("Connection")

  const perform = Effect.fnUntraced(function* (args: Args, context: GraphqlContext) {
    const { decodeBody, decodeQuery, place, route } = chosenBy(args)
    const id = args[rest.id]
    const asked = {
      appId: args[namesApp ? "id" : APP] as string | undefined,
      thing: kind === null || typeof id !== "string" ? null : { kind, id },
      operation
    }
    const caller = yield* within(context.waits(), context.applications.callerFor(context, asked))
    const ids = idsOf(params, {
      id: id as string | undefined,
      external_id: args["externalId"] as string | undefined
    })
    if (ids === null) return yield* Effect.fail(notFound("resource"))
    const given: Record<string, unknown> = {}
    for (const { name } of inQuery) {
      const value = args[name]
      if (value !== undefined && value !== null) given[PAGING[name] ?? snakeCase(name)] = value
    }
    const query = decodeQuery === null ? {} : yield* Effect.fromResult(decodeQuery(given))
    const body =
      decodeBody === null || input === undefined
        ? undefined
        : yield* Effect.fromResult(decodeBody(toRest(input.type, args[INPUT] ?? {}, place)))
    const waits = context.waits()
    const call: Call = { ...context.call, caller, params: ids, query, body, settle: null as never, waits } as never
    const work = Effect.provideService(
      route.handler(call) as Effect.Effect<unknown, ApiError | StoreError>,
      CurrentOperation,
      operation
    )
    const value = yield* route.hasDeadline ? work : within(waits, work)
    context.keepSecret(value, route.success.kept(value))
    if (isPage) {
      const page = value as ListPage<object>
      for (const item of page.data) context.noteOwner(item, caller.appId)
      return connectionOf(page, typeof args["after"] === "string")
    }
    context.noteOwner(value as object, caller.appId)
    return rest.take === null ? value : (value as Readonly<Record<string, unknown>>)[rest.take]
  })
  // The input is what a body is to REST.
  const envelope = 1 + (operations.get(only!)!.route.body?.envelope ?? 0)
  return (_, args, context) => {
    // A query may say what the JSON of a body may not, and says it in the words of the schema.
    const wrong = refusalOfJson(args, true, envelope)
    return context.run(
      wrong !== null
        ? Effect.fail(wrong)
        : Effect.mapError(perform(args, context), (error) => (error instanceof ApiError ? inWords(error) : error))
    )
  }
}
