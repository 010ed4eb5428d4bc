import { Effect, Exit, Scope } from "effect"
import type { GraphQLField } from "graphql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Role } from "../../services/domain/people/Role.ts"
import { mayDo, OPERATIONS, ROLES } from "../../services/domain/people/Role.ts"
import { operationFor } from "../../src/graphql/ApplicationAccess.ts"
import { restFieldOf } from "../../src/graphql/RestFields.ts"
import { bareSchema } from "../../src/graphql/Schema.ts"
import { follow } from "../src/http/EventReader.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Operation } from "./Document.ts"
import { readOperations } from "./Document.ts"
import { requestFor, restOperations } from "./GraphqlDocument.ts"
import type { PeopleRow } from "./PeopleRows.ts"
import { PEOPLE_ROWS } from "./PeopleRows.ts"
import type { Somebody, Team } from "./Team.ts"
import { makeTeam, somebody } from "./Team.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant } from "./Tenant.ts"

/**
 * The table of operations and roles, for the fields about people, and for every operation of the REST API; GraphqlRoles.test.ts
 * tries the fields that work on an application. Together they are the whole schema.
 */

const schema = bareSchema()
const scope = Effect.runSync(Scope.make())
let system: System
let operations: ReadonlyArray<Operation>
let tenant: Tenant
let team: Team
/** A member of another organization alone. */
let nobody: Somebody
beforeAll(async () => {
  const plenty = { RATE_LIMIT_ANONYMOUS: "100000/60", RATE_LIMIT_SESSION: "100000/60" }
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api", ...plenty }), scope))
  operations = readOperations((await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as never)
  tenant = await makeTenant(system, operations)
  team = await makeTeam(system, tenant.appId)
  nobody = await somebody(system)
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

type Kind = "query" | "mutation" | "subscription"
const fieldsOf = (kind: Kind): ReadonlyArray<GraphQLField<unknown, unknown>> =>
  Object.values(schema.getRootType(kind as never)!.getFields())
const all = (["query", "mutation", "subscription"] as const).flatMap((kind) =>
  fieldsOf(kind).map((field) => ({ kind, field, name: `${schema.getRootType(kind as never)!.name}.${field.name}` }))
)
const isByRoute = (field: GraphQLField<unknown, unknown>) => restFieldOf(schema, field) !== null

const ask = async (authorization: string | null, request: object) => {
  const response = await fetch(`${system.url}/api/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization === null ? undefined : { authorization }) },
    body: JSON.stringify(request)
  })
  const { errors } = (await response.json()) as { readonly errors?: ReadonlyArray<any> }
  return { status: response.status, code: errors?.[0].extensions.code as string | undefined }
}
const bearer = ({ token }: Somebody) => `Bearer ${token}`
const byKey = () => `ApiKey ${tenant.secretKey}`

const requestOf = ({ args, name }: PeopleRow, as: Somebody) => {
  const { field, kind } = all.find((one) => one.name === name)!
  return requestFor({ field, kind: kind as "query" | "mutation" }, args(team, as, tenant.appId))
}
/** What a key has rights over as well, although no operation of the REST API answers it. */
const OF_APPLICATIONS = new Set(["Mutation.beginImport", "Mutation.importContacts", "Mutation.registerDevices"])
const inOrganization = PEOPLE_ROWS.filter(({ needs }) => needs !== "own" && needs !== "anybody")
const needsOf = (row: PeopleRow) => row.needs as keyof typeof OPERATIONS

describe("the table of operations and roles", () => {
  it("has every field of the schema: one that is new is put into it, or answered by a route of the REST API", () => {
    const rows = new Set(PEOPLE_ROWS.map(({ name }) => name))
    const others = all.filter(({ field }) => !isByRoute(field)).map(({ name }) => name)
    expect(others.filter((name) => !rows.has(name))).toEqual([])
    expect([...rows].filter((name) => !others.includes(name))).toEqual([])
  })

  it("has nothing that no field does, but for what is not there yet", () => {
    const done = new Set<string>([
      ...restOperations(schema).map(({ kind, rest }) =>
        operationFor(kind === "mutation", rest.routes[0]!.slice(rest.routes[0]!.indexOf(" ") + 1))
      ),
      ...PEOPLE_ROWS.map(({ needs }) => needs)
    ])
    expect(Object.keys(OPERATIONS).filter((operation) => !done.has(operation))).toEqual([
      // With public keys alone.
      "reportEngagement",
      "changeBilling"
    ])
  })
})

describe("every field of the schema", () => {
  it("is closed to whoever is signed out, but for those that are for anybody", async () => {
    const open = new Set(PEOPLE_ROWS.filter(({ needs }) => needs === "anybody").map(({ name }) => name))
    // It says who is signed in.
    open.delete("Query.me")
    const wrong: Array<unknown> = []
    for (const { kind, name } of all) {
      const row = PEOPLE_ROWS.find((one) => one.name === name)
      // Whoever may not ask is told so before arguments are looked at.
      const request =
        row === undefined ? { query: `${kind} { ${name.split(".")[1]} { __typename } }` } : requestOf(row, nobody)
      const { code, status } = await ask(null, request)
      const isClosed = status === 401 && code === "unauthorized"
      const isOpen = status !== 403 && (status !== 401 || name === "Mutation.verifyLoginCode") && status < 500
      if (open.has(name) ? !isOpen : !isClosed) wrong.push([name, status, code])
    }
    expect(wrong).toEqual([])
  })

  it("about people is closed to a secret key", async () => {
    const wrong: Array<unknown> = []
    for (const row of PEOPLE_ROWS) {
      const { code, status } = await ask(byKey(), requestOf(row, nobody))
      const isOpen = row.needs === "anybody" || OF_APPLICATIONS.has(row.name)
      if (isOpen ? status === 403 || status >= 500 : status !== 403 || code !== "forbidden") {
        wrong.push([row.name, status, code])
      }
    }
    expect(wrong).toEqual([])
  })

  it("about an organization is not there for those who are no members, and refused with 403 to lower roles", async () => {
    const wrong: Array<unknown> = []
    let refused = 0
    for (const row of inOrganization) {
      const stranger = await ask(bearer(nobody), requestOf(row, nobody))
      if (stranger.status !== 404 || stranger.code !== "not_found") wrong.push(["nobody", row.name, stranger])
      for (const role of ROLES.filter((role) => !mayDo(role, needsOf(row)))) {
        const one = team.members[role]
        const { code, status } = await ask(bearer(one), requestOf(row, one))
        refused++
        if (status !== 403 || code !== "forbidden") wrong.push([role, row.name, status, code])
      }
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(20)
  })

  it("about one's own is open to every role, the least included, and to those who belong nowhere else", async () => {
    const wrong: Array<unknown> = []
    for (const row of PEOPLE_ROWS.filter(({ needs }) => needs === "own")) {
      const those = row.isLast === true ? [await somebody(system)] : [nobody, ...Object.values(team.members)]
      for (const one of those) {
        const { code, status } = await ask(bearer(one), requestOf(row, one))
        if (status === 403 || status >= 500) wrong.push([row.name, one.email, status, code])
        if (row.isLast === true)
          expect([row.name, (await ask(bearer(one), { query: "{ me { id } }" })).status]).toEqual([row.name, 401])
      }
    }
    expect(wrong).toEqual([])
  })

  it("is followed live by every role, and by nobody else", async () => {
    for (const field of fieldsOf("subscription")) {
      const route = restFieldOf(schema, field)!.routes[0]!
      const id = tenant.things.get(route.slice(route.indexOf("/")).replace(":id", "{id}"))!
      const listen = (authorization: string) =>
        follow(
          `${system.url}/api/graphql`,
          { authorization, "content-type": "application/json", accept: "text/event-stream" },
          JSON.stringify({ query: `subscription { ${field.name}(id: "${id}") { id } }` })
        )
      for (const authorization of [byKey(), ...Object.values(team.members).map(bearer)]) {
        const stream = await listen(authorization)
        expect([field.name, stream.response.status]).toEqual([field.name, 200])
        await stream.until(() => stream.events.length === 1)
        expect(stream.events[0]!.data).toEqual({ data: { [field.name]: { id } } })
        stream.close()
      }
      // A stream is refused in the words of streams: an error, and its end.
      const refused = await listen(bearer(nobody))
      await refused.ended
      expect(refused.events).toMatchObject([
        { event: "next", data: { errors: [{ extensions: { code: "not_found" } }] } },
        { event: "complete" }
      ])
      expect([field.name, refused.events[0]!.data.data ?? null]).toEqual([field.name, null])
    }
  })

  it("about an organization is done by the least role that has it", async () => {
    const wrong: Array<unknown> = []
    for (const row of inOrganization) {
      // Who looks changes nothing: all of them may.
      const those = row.needs === "read" ? ROLES : [ROLES.find((role) => mayDo(role, needsOf(row)))!]
      for (const role of those) {
        // Ownership has gone to the admin by then.
        const as: Role = row.name === "Mutation.deleteOrganization" ? "admin" : role
        const { code, status } = await ask(bearer(team.members[as]), requestOf(row, team.members[as]))
        if (status !== 200) wrong.push([as, row.name, status, code])
      }
    }
    expect(wrong).toEqual([])
  })
})

describe("every operation of the REST API", () => {
  it("is closed to sessions, whatever their roles: people ask by GraphQL", async () => {
    const wrong: Array<unknown> = []
    let asked = 0
    for (const operation of operations.filter(({ access }) => access !== "open")) {
      for (const one of [nobody, ...Object.values(team.members)]) {
        const headers = { authorization: bearer(one) }
        const ids = Object.fromEntries(operation.ids.map((name) => [name, tenant.appId]))
        const isGraphql = operation.path === "/api/graphql"
        const { status } = await tenant.ask(operation, {
          ids,
          headers,
          ...(operation.body === null ? {} : { body: "[" })
        })
        asked++
        if (!isGraphql && status !== 401) wrong.push([operation.name, one.email, status])
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(300)
  })
})
