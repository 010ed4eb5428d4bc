import { Effect, Exit, Scope } from "effect"
import type { GraphQLInputType, GraphQLOutputType } from "graphql"
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType
} from "graphql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { restName, snakeCase } from "../../src/graphql/Names.ts"
import { bareSchema } from "../../src/graphql/Schema.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Operation, Schema } from "./Document.ts"
import { readOperations } from "./Document.ts"
import type { RestOperation } from "./GraphqlDocument.ts"
import { argsOf, asGraphql, LOOKUPS, requestFor, restOperations } from "./GraphqlDocument.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant, thingOf } from "./Tenant.ts"

const scope = Effect.runSync(Scope.make())
const schema = bareSchema()
const fields = restOperations(schema)
let system: System
let document: Schema
let operations: ReadonlyArray<Operation>
let byName: ReadonlyMap<string, Operation>
let ours: Tenant
let theirs: Tenant
beforeAll(async () => {
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api" }), scope))
  document = (await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as Schema
  operations = readOperations(document)
  byName = new Map(operations.map((operation) => [operation.name, operation]))
  ours = await makeTenant(system, operations)
  theirs = await makeTenant(system, operations)
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Operations of the secret surface that another field does the work of. */
const SAID_BY: Readonly<Record<string, string>> = {
  "POST /api/v1/devices/import": "registerDevices",
  "POST /api/v1/contacts/import": "importContacts",
  "GET /api/v1/devices/export": "devices",
  "GET /api/v1/contacts/{id}/preferences": "contact",
  "GET /api/v1/contacts/by-external-id/{external_id}/preferences": "contactByExternalId"
}
/** It describes the REST API itself. */
const NO_FIELD = new Set(["GET /api/v1/openapi.json"])

const resolved = (part: Schema): Schema => {
  if (part["$ref"] !== undefined)
    return resolved(document["components"].schemas[String(part["$ref"]).split("/").at(-1)!])
  if (part["allOf"]?.length === 1) return resolved(part["allOf"][0])
  return part
}

/** What a schema of JSON is, null apart. */
const withoutNull = (given: Schema): { readonly part: Schema; readonly isNullable: boolean } => {
  const part = resolved(given)
  const options = (part["anyOf"] ?? part["oneOf"]) as ReadonlyArray<Schema> | undefined
  if (options?.some(({ type }) => type === "null")) {
    const rest = options.filter(({ type }) => type !== "null")
    return { part: rest.length === 1 ? resolved(rest[0]!) : { ...part, anyOf: rest }, isNullable: true }
  }
  return { part, isNullable: false }
}

/** Fields of open text in GraphQL that REST has a list of values for, and the other way round. */
const OPEN = new Set(["event", "events", "action", "code"])

/** What the two documents say differently of one thing. */
const differences = (
  type: GraphQLOutputType | GraphQLInputType,
  given: Schema,
  place: string
): ReadonlyArray<string> => {
  const bare = getNullableType(type)
  const { part } = withoutNull(given)
  if (isListType(bare)) {
    return part["type"] === "array"
      ? differences(bare.ofType as GraphQLOutputType, part["items"], `${place}[]`)
      : [`${place} is no list in REST`]
  }
  if (isEnumType(bare)) {
    const values = bare.getValues().map(({ name }) => name.toLowerCase())
    const known = (part["enum"] ?? (part["const"] === undefined ? [] : [part["const"]])) as ReadonlyArray<string>
    const missing = known.filter((value) => !values.includes(value))
    return missing.map((value) => `${place} lacks ${value}`)
  }
  if (!isObjectType(bare) && !isInputObjectType(bare)) return []
  if (part["type"] !== "object" || part["properties"] === undefined) return [`${place} is no object in REST`]
  const properties = part["properties"] as Record<string, Schema>
  const required = new Set((part["required"] ?? []) as ReadonlyArray<string>)
  const own = Object.values(bare.getFields()).filter(({ name }) => !LOOKUPS.has(`${bare.name}.${name}`))
  const names = new Set(own.map(({ name }) => restName(bare.name, name)))
  return [
    ...Object.keys(properties)
      .filter((name) => !names.has(name))
      .map((name) => `${place} lacks ${name}`),
    ...own.flatMap((field): ReadonlyArray<string> => {
      const name = restName(bare.name, field.name)
      const property = properties[name]
      if (property === undefined) return [`${place}.${field.name} is not in REST`]
      const isSure = required.has(name) && !withoutNull(property).isNullable
      const mismatch =
        isNonNullType(field.type) === isSure
          ? []
          : [`${place}.${field.name} is ${isSure ? "always" : "not always"} there in REST`]
      return [
        ...mismatch,
        ...(OPEN.has(field.name)
          ? []
          : differences(field.type as GraphQLOutputType, property, `${place}.${field.name}`))
      ]
    })
  ]
}

const successOf = ({ responses }: Operation): Schema => {
  const [, success] = Object.entries(responses).find(([status]) => status < "300")!
  return success.content!["application/json"]!.schema
}

/** Differences that are meant, each with its reason. */
const MEANT = new Set([
  // Either an id or an error, where REST has two shapes.
  "upsertContacts[] is no object in REST",
  // A contact is checked by itself, as REST does; the schema says what it has to be.
  "upsertContacts.input.contacts[] is no object in REST",
  // Google's file, with Google's names.
  "setFcmCredential.input is no object in REST"
])

describe("the GraphQL schema", () => {
  it("has a field for every operation of the secret REST surface", () => {
    const answered = new Set(fields.map(({ operation }) => operation))
    const all = { ...schema.getQueryType()!.getFields(), ...schema.getMutationType()!.getFields() }
    const missing = operations
      .filter(({ access, name, path }) => access === "secret" && path.startsWith("/api/v1/") && !NO_FIELD.has(name))
      .filter(({ name }) => !answered.has(name) && all[SAID_BY[name] ?? ""] === undefined)
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it("says of everything that is shown or taken what the OpenAPI document says", () => {
    const wrong = fields.flatMap(({ field, operation, rest }) => {
      const documented = byName.get(operation)!
      const success = resolved(successOf(documented))
      const named = getNamedType(field.type)
      const page = isObjectType(named) && named.name.endsWith("Connection") ? named.getFields()["nodes"] : undefined
      const shown =
        page !== undefined
          ? differences(page.type, success["properties"].data, field.name)
          : differences(field.type, rest.take === null ? success : success["properties"][rest.take], field.name)
      const input = field.args.find(({ name }) => name === "input")
      const taken =
        input === undefined || documented.body === null
          ? []
          : differences(input.type, documented.body.schema, `${field.name}.input`)
      return [...shown, ...taken]
    })
    expect(wrong.filter((difference) => !MEANT.has(difference))).toEqual([])
    expect(new Set(wrong)).toEqual(MEANT)
  })

  it("takes every condition of the REST API's lists, and no other", () => {
    const wrong = fields.flatMap(({ field, operation, rest }) => {
      const documented = byName.get(operation)!
      const inRest = documented.query.map(({ name }) => ({ limit: "first", cursor: "after" })[name] ?? name)
      const known = new Set([
        "appId",
        "input",
        rest.id,
        rest.choice,
        ...documented.ids.map((id) => (id === "external_id" ? "externalId" : id))
      ])
      const own = field.args.filter(({ name }) => !known.has(name)).map(({ name }) => snakeCase(name))
      const missing = inRest.filter((name) => !own.includes(name)).map((name) => `${field.name} does not take ${name}`)
      const more = own.filter((name) => !inRest.includes(name)).map((name) => `${field.name} takes ${name}`)
      return [...missing, ...more]
    })
    // The event of a test is in the input.
    expect(wrong).toEqual(["testHook does not take event"])
  })
})

interface Told {
  readonly status: number
  readonly data: any
  readonly errors: any
}

const ask = async (tenant: Tenant, request: object): Promise<Told> => {
  const response = await fetch(`${system.url}/api/graphql`, {
    method: "POST",
    headers: { authorization: `ApiKey ${tenant.secretKey}`, "content-type": "application/json" },
    body: JSON.stringify(request)
  })
  const { data, errors } = (await response.json()) as Omit<Told, "status">
  return { status: response.status, data, errors }
}

const argsFor = (one: RestOperation, tenant: Tenant, id?: string) => argsOf(one, byName.get(one.operation)!, tenant, id)

const camel = (told: Told, field: string) => told.data?.[field]

describe("what a field answers", () => {
  it("is what its operation answers, field by field", async () => {
    const wrong: Array<unknown> = []
    let compared = 0
    for (const one of fields) {
      const operation = byName.get(one.operation)!
      if (operation.method !== "GET") continue
      const things = ours.things.get(thingOf(operation.path)) ?? ""
      const args = argsFor(one, ours)
      const query = operation.query.flatMap(({ name, required }): Array<[string, string]> => {
        const argument = one.field.args.find((argument) => snakeCase(argument.name) === name)
        return required && argument !== undefined ? [[name, String(args[argument.name])]] : []
      })
      const { status, text } = await ours.ask(operation, { ids: { id: things }, query })
      const told = await ask(ours, requestFor(one, args))
      if (told.status !== status) {
        wrong.push([one.operation, status, told])
        continue
      }
      if (status !== 200) continue
      compared++
      const json = JSON.parse(text)
      const type = one.field.type
      const named = getNamedType(type)
      if (isObjectType(named) && named.name.endsWith("Connection")) {
        const connection = camel(told, one.field.name)
        const expected = asGraphql(named.getFields()["nodes"]!.type, json.data)
        if (JSON.stringify(connection.nodes) !== JSON.stringify(expected))
          wrong.push([one.operation, connection.nodes, expected])
        if (JSON.stringify(connection.edges.map(({ node }: any) => node)) !== JSON.stringify(expected))
          wrong.push([one.operation, "edges"])
        continue
      }
      const expected = asGraphql(type, one.rest.take === null ? json : json[one.rest.take])
      if (JSON.stringify(camel(told, one.field.name)) !== JSON.stringify(expected)) {
        wrong.push([one.operation, camel(told, one.field.name), expected])
      }
    }
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(25)
  })

  it("goes on from any edge, and takes cursors of the REST API", async () => {
    for (let i = 0; i < 5; i++) {
      await ours.ask(byName.get("POST /api/v1/contacts")!, { body: JSON.stringify({ external_id: `page-${i}` }) })
    }
    const query = `query($appId: ID!, $after: String) {
      contacts(appId: $appId, first: 3, after: $after) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }
    }`
    const all: Array<string> = []
    let after: string | null = null
    for (;;) {
      const { contacts }: any = (await ask(ours, { query, variables: { appId: ours.appId, after } })).data
      all.push(...contacts.edges.map(({ node }: any) => node.id))
      expect(contacts.pageInfo.hasPreviousPage).toBe(after !== null)
      if (!contacts.pageInfo.hasNextPage) break
      const { text } = await ours.ask(byName.get("GET /api/v1/contacts")!, {
        query: [["limit", "3"], ...(after === null ? [] : [["cursor", after] as const])]
      })
      expect(contacts.pageInfo.endCursor).toBe(JSON.parse(text).next_cursor)
      // From the first edge on, the others come again.
      const again: Told = await ask(ours, { query, variables: { appId: ours.appId, after: contacts.edges[0].cursor } })
      expect(again.data.contacts.edges[0].node.id).toBe(contacts.edges[1].node.id)
      after = contacts.pageInfo.endCursor
    }
    const { text } = await ours.ask(byName.get("GET /api/v1/contacts")!, { query: [["limit", "100"]] })
    expect(all).toEqual(JSON.parse(text).data.map(({ id }: any) => id))
    const foreign = await ask(ours, {
      query: `query($appId: ID!) { hooks(appId: $appId, after: "${after}") { nodes { id } } }`,
      variables: { appId: ours.appId }
    })
    expect([foreign.status, foreign.errors[0].extensions.details]).toEqual([
      400,
      [{ field: "after", message: "must be the endCursor of a page of this list" }]
    ])
  })
})

const said = ({ data, errors, status }: Told) => [
  status,
  data,
  errors?.map(({ extensions, message }: any) => [message, extensions.code, extensions.details])
]

/** The same with null for everything that the schema says may be left out, as generated clients write it. */
const withNulls = (type: GraphQLInputType, value: unknown): unknown => {
  const bare = getNullableType(type)
  if (isListType(bare)) return Array.isArray(value) ? value.map((one) => withNulls(bare.ofType, one)) : value
  if (!isInputObjectType(bare) || typeof value !== "object" || value === null) return value
  const given = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.values(bare.getFields()).flatMap(({ name, type }) => {
      if (given[name] !== undefined) return [[name, withNulls(type, given[name])]]
      return isNonNullType(type) ? [] : [[name, null]]
    })
  )
}

describe("null", () => {
  it("is taken wherever the schema says that it may be, and where REST takes none it is as if nothing were said", async () => {
    const wrong: Array<unknown> = []
    let asked = 0
    for (const one of fields) {
      const input = one.field.args.find(({ name }) => name === "input")
      if (input === undefined) continue
      const args = argsFor(one, theirs)
      const plain = await ask(theirs, requestFor(one, args))
      const nulls = await ask(theirs, requestFor(one, { ...args, input: withNulls(input.type, args["input"]) }))
      asked++
      const details = nulls.errors?.flatMap(({ extensions }: any) => extensions.details ?? []) ?? []
      if (details.length > 0 && plain.errors === undefined) wrong.push([one.field.name, details])
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(25)
  })

  it("is taken in each row of what is written many at once, and removes what it removes alone", async () => {
    const { appId } = theirs
    const nothing = { attributes: null, tags: null, locale: null, timezone: null }
    const contact = { externalId: "null", email: null, ...nothing }
    const device = { token: "n".repeat(140), platform: "ANDROID", environment: null, metadata: null, tags: null }
    const rows = { appId, contacts: [contact], devices: [{ ...device, userId: null, webPushAuth: null }] }
    await ask(theirs, {
      query:
        'mutation($appId: ID!) { upsertContact(appId: $appId, input: { externalId: "null", tags: ["a"], locale: "en" }) { id } }',
      variables: { appId }
    })
    const written = await ask(theirs, {
      query: `mutation($appId: ID!, $contacts: [ContactInput!]!, $devices: [RegisterDeviceInput!]!) {
        importContacts(appId: $appId, contacts: $contacts, importId: "${uuidv7()}") { created error { message } }
        upsertContacts(appId: $appId, input: { contacts: $contacts }) { created error { message } }
        registerDevices(appId: $appId, devices: $devices) { created error { message } }
      }`,
      variables: rows
    })
    const changed = [{ created: false, error: null }]
    expect([written.errors, written.data]).toEqual([
      undefined,
      { importContacts: changed, upsertContacts: changed, registerDevices: [{ created: true, error: null }] }
    ])
    const query = `query($appId: ID!) { contactByExternalId(appId: $appId, externalId: "null") { tags locale } }`
    const { contactByExternalId } = (await ask(theirs, { query, variables: { appId } })).data
    expect(contactByExternalId).toEqual({ tags: ["a"], locale: null })
  })
})

describe("another application's ids", () => {
  const snapshot = async (): Promise<ReadonlyArray<unknown>> => {
    const all: Array<unknown> = []
    for (const one of fields) {
      if (one.kind !== "query" || one.operation.startsWith("POST")) continue
      if (/apiKeys|auditLog|stats/.test(one.field.name)) continue
      all.push([one.field.name, said(await ask(theirs, requestFor(one, argsFor(one, theirs))))])
    }
    return all
  }

  it("are answered in every argument as ids of nothing, and nothing is changed", async () => {
    const before = await snapshot()
    expect(before.length).toBeGreaterThan(20)
    const wrong: Array<unknown> = []
    let asked = 0
    for (const one of fields) {
      const names = one.field.args
        .map(({ name }) => name)
        .filter((name) => name === one.rest.id || name === "externalId")
      const { body } = byName.get(one.operation)!
      for (const name of names.filter(() => one.operation.includes("{"))) {
        const args = argsFor(one, ours)
        const theirId = theirs.things.get(thingOf(one.operation.slice(one.operation.indexOf("/"))))!
        const foreign = await ask(ours, requestFor(one, { ...args, [name]: theirId }))
        const nothing = await ask(ours, requestFor(one, { ...args, [name]: uuidv7() }))
        asked++
        if (foreign.status !== 404 || JSON.stringify(said(foreign)) !== JSON.stringify(said(nothing))) {
          wrong.push([one.field.name, name, said(foreign), said(nothing), body?.example])
        }
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(35)
    expect(await snapshot()).toEqual(before)
  })

  it("name no application: every field that takes one refuses theirs as it does none", async () => {
    const before = await snapshot()
    const wrong: Array<unknown> = []
    let asked = 0
    for (const one of fields) {
      const names = one.field.args
        .map(({ name }) => name)
        .filter((name) => name === "appId" || (name === "id" && !one.operation.includes("{")))
      for (const name of names) {
        const args = argsFor(one, ours)
        const foreign = await ask(ours, requestFor(one, { ...args, [name]: theirs.appId }))
        const nothing = await ask(ours, requestFor(one, { ...args, [name]: uuidv7() }))
        asked++
        if (foreign.status !== 404 || JSON.stringify(said(foreign)) !== JSON.stringify(said(nothing))) {
          wrong.push([one.field.name, said(foreign), said(nothing)])
        }
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(40)
    expect(await snapshot()).toEqual(before)
  })

  it("are found in no list, and belong to nothing of ours", async () => {
    const ids = [...theirs.things.values()]
    for (const one of fields) {
      const named = getNamedType(one.field.type)
      if (!isObjectType(named) || !named.name.endsWith("Connection")) continue
      const told = await ask(ours, requestFor(one, argsFor(one, ours)))
      for (const id of ids) expect(JSON.stringify(told).includes(id), one.field.name).toBe(false)
    }
    // The same person is known to both: each sees its own.
    const query = `query($appId: ID!) { devices(appId: $appId) { nodes { id contact { devices { id } channels { id } } } } }`
    const told = await ask(ours, { query, variables: { appId: ours.appId } })
    expect(told.errors).toBeUndefined()
    for (const id of ids) expect(JSON.stringify(told).includes(id)).toBe(false)
  })
})
