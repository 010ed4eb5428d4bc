import { Effect, Exit, Scope } from "effect"
import type { GraphQLField, GraphQLInputType } from "graphql"
import { getNamedType, isInputObjectType, isListType, getNullableType } from "graphql"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { restFieldOf } from "../../src/graphql/RestFields.ts"
import { bareSchema } from "../../src/graphql/Schema.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Operation } from "./Document.ts"
import { readOperations } from "./Document.ts"
import { argsOf, requestFor, restOperations } from "./GraphqlDocument.ts"
import { PEOPLE_ROWS } from "./PeopleRows.ts"
import type { Team } from "./Team.ts"
import { makeTeam } from "./Team.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant, thingOf } from "./Tenant.ts"

/**
 * Two organizations, each with an application: every place of the schema that takes an id is asked with everything that
 * the other has, by a key and by an owner's session, and answers as it does to an id of nothing.
 */

const schema = bareSchema()
const scope = Effect.runSync(Scope.make())
let system: System
let byName: ReadonlyMap<string, Operation>
let client: Client

interface Side extends Tenant {
  readonly team: Team
  /** Ids of everything that belongs to it. */
  readonly ids: ReadonlySet<string>
}
let ours: Side
let theirs: Side

beforeAll(async () => {
  const plenty = { RATE_LIMIT_ANONYMOUS: "100000/60", RATE_LIMIT_SESSION: "100000/60" }
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api", ...plenty }), scope))
  const operations = readOperations((await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as never)
  byName = new Map(operations.map((operation) => [operation.name, operation]))
  client = new Client({ connectionString: system.env["DATABASE_URL"]! })
  // It ends with its database.
  client.on("error", () => {})
  await client.connect()
  const makeSide = async (): Promise<Side> => {
    const tenant = await makeTenant(system, operations)
    const team = await makeTeam(system, tenant.appId)
    const people = [team.members.owner, team.guest].flatMap(({ accountId, sessionId }) => [accountId, sessionId])
    const ids = [...tenant.things.values(), tenant.appId, team.organizationId, team.invitationId, team.externalSignInId]
    return { ...tenant, team, ids: new Set([...ids, ...people]) }
  }
  ours = await makeSide()
  theirs = await makeSide()
})
afterAll(async () => {
  await client.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

type Kind = "query" | "mutation" | "subscription"
interface Asked {
  readonly name: string
  readonly kind: Kind
  readonly field: GraphQLField<unknown, unknown>
  /** What it is asked with for things of our own. */
  readonly args: () => Record<string, unknown>
}

/** Every field of the schema, with what it can be asked. */
const asked = (): ReadonlyArray<Asked> => {
  const byRoute = restOperations(schema).map((one): Asked => ({
    name: one.field.name,
    kind: one.kind,
    field: one.field,
    args: () => argsOf(one, byName.get(one.operation)!, ours)
  }))
  const people = PEOPLE_ROWS.map(({ args, name }): Asked => {
    const [type, field] = name.split(".") as [string, string]
    const kind = type.toLowerCase() as Kind
    return {
      name: field,
      kind,
      field: schema.getRootType(kind as never)!.getFields()[field]!,
      args: () => ({ ...args(ours.team, ours.team.members.owner, ours.appId) })
    }
  })
  const live = Object.values(schema.getSubscriptionType()!.getFields()).map((field): Asked => {
    const route = restFieldOf(schema, field)!.routes[0]!.replace(":id", "{id}")
    return {
      name: field.name,
      kind: "subscription",
      field,
      args: () => ({ id: ours.things.get(thingOf(route.slice(route.indexOf("/")))) })
    }
  })
  return [...byRoute, ...people, ...live]
}

/** Names of arguments that take ids of ours as texts. */
const TEXTS = new Set(["actorId"])

/** Places of an argument that take ids, as paths of names; those in lists end in 0. */
const idPlaces = (type: GraphQLInputType, at: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const bare = getNullableType(type)
  if (isListType(bare)) return idPlaces(bare.ofType, [...at, "0"])
  const named = getNamedType(bare)
  if (named.name === "ID" || TEXTS.has(at.at(-1)!)) return [at]
  if (!isInputObjectType(bare)) return []
  return Object.values(bare.getFields()).flatMap((field) => idPlaces(field.type, [...at, field.name]))
}

/** What recipients are named by excludes each other, and so do a text and a template. */
const beside = (key: string, value: any): any => {
  if (["deviceIds", "channelIds", "segmentId"].includes(key)) return {}
  if (key !== "templateId") return value
  const { content: _, ...others } = value ?? {}
  return others
}

const withId = (value: any, place: ReadonlyArray<string>, id: string): any => {
  const [key, ...rest] = place
  if (key === undefined) return id
  if (key === "0") return [withId(undefined, rest, id)]
  return { ...beside(key, value), [key]: withId(value?.[key], rest, id) }
}

/** Ids that were made, and moments, are others each time. */
const masked = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/"(?:cursor|endCursor|startCursor|key|secret|secretKey|publicKey|identitySecret)":"[^"]*"/g, "<text>")

const ask = async (authorization: string, { field, kind }: Asked, args: Record<string, unknown>) => {
  const response = await fetch(`${system.url}/api/graphql`, {
    method: "POST",
    headers: {
      authorization,
      "content-type": "application/json",
      ...(kind === "subscription" ? { accept: "text/event-stream" } : undefined)
    },
    body: JSON.stringify(requestFor({ field, kind: kind as "query" }, args))
  })
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel()
    return { status: response.status, text: "a stream" }
  }
  return { status: response.status, text: await response.text() }
}

/** Everything that is kept of their organization and their application. */
const snapshot = async (): Promise<string> => {
  const { appId, team } = theirs
  const accounts = [...Object.values(team.members), team.guest].map(({ accountId }) => accountId)
  const tables: ReadonlyArray<readonly [sql: string, values: ReadonlyArray<unknown>]> = [
    ...[
      "devices",
      "contacts",
      "channels",
      "segments",
      "templates",
      "template_versions",
      "notifications",
      "webhooks",
      "dead_letters",
      "replays",
      "redeliveries",
      "credentials",
      "audit_log"
    ].map((table) => [`SELECT t.* FROM ${table} t WHERE app_id = $1 ORDER BY t::text`, [appId]] as const),
    ["SELECT id, kind, revoked_at FROM api_keys WHERE app_id = $1 ORDER BY id", [appId]],
    ["SELECT * FROM applications WHERE id = $1", [appId]],
    ["SELECT * FROM organizations WHERE id = $1", [team.organizationId]],
    ["SELECT * FROM members WHERE organization_id = $1 ORDER BY account_id", [team.organizationId]],
    ["SELECT * FROM invitations WHERE organization_id = $1 ORDER BY id", [team.organizationId]],
    [
      "SELECT * FROM people_log WHERE organization_id = $1 OR account_id = ANY($2) ORDER BY id",
      [team.organizationId, accounts]
    ],
    ["SELECT * FROM accounts WHERE id = ANY($1) ORDER BY id", [accounts]],
    ["SELECT id, account_id, epoch FROM sessions WHERE account_id = ANY($1) ORDER BY id", [accounts]],
    ["SELECT * FROM external_sign_ins WHERE account_id = ANY($1) ORDER BY id", [accounts]]
  ]
  const all: Array<unknown> = []
  for (const [sql, values] of tables) all.push((await client.query(sql, [...values])).rows)
  return JSON.stringify(all)
}

describe("ids of another organization and its applications", () => {
  it("are shown by no field that is asked for what is ours", async () => {
    const shown: Array<unknown> = []
    let answered = 0
    for (const one of asked().filter(({ kind }) => kind === "query")) {
      for (const authorization of [`ApiKey ${ours.secretKey}`, `Bearer ${ours.team.members.owner.token}`]) {
        const { status, text } = await ask(authorization, one, one.args())
        if (status === 200) answered++
        for (const id of theirs.ids) if (text.includes(id)) shown.push([one.name, id])
      }
    }
    expect(shown).toEqual([])
    expect(answered).toBeGreaterThan(60)
  })

  it("are in every place of the schema what ids of nothing are, for a key and for a session, and nothing is changed", async () => {
    const before = await snapshot()
    const wrong: Array<unknown> = []
    let places = 0
    for (const one of asked()) {
      for (const place of one.field.args.flatMap(({ name, type }) => idPlaces(type, [name]))) {
        places++
        for (const authorization of [`ApiKey ${ours.secretKey}`, `Bearer ${ours.team.members.owner.token}`]) {
          const tell = async (id: string) => {
            const { status, text } = await ask(authorization, one, withId(one.args(), place, id))
            return `${status} ${masked(text)}`
          }
          const expected = await tell(uuidv7())
          const told = await Promise.all([...theirs.ids].map(async (id) => ({ id, answer: await tell(id) })))
          for (const { id } of told.filter(({ answer }) => answer !== expected)) {
            // What was done meanwhile, for ids of nothing too, may have made the difference.
            const [foreign, nothing] = [await tell(id), await tell(uuidv7())]
            if (foreign !== nothing)
              wrong.push([one.name, place.join("."), authorization.slice(0, 6), foreign, nothing])
          }
        }
      }
    }
    expect(wrong).toEqual([])
    expect(places).toBeGreaterThan(110)
    expect(await snapshot()).toBe(before)
  })
})
