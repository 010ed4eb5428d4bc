import { Effect, Exit, Option, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AccountId, AppId } from "../../services/domain/Ids.ts"
import type { Role } from "../../services/domain/people/Role.ts"
import { mayDo, ROLES } from "../../services/domain/people/Role.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { OrganizationStore } from "../../services/ports/people/OrganizationStore.ts"
import { commands } from "../../src/app.ts"
import { operationFor } from "../../src/graphql/ApplicationAccess.ts"
import { bareSchema } from "../../src/graphql/Schema.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Operation } from "./Document.ts"
import { readOperations } from "./Document.ts"
import type { RestOperation } from "./GraphqlDocument.ts"
import { argsOf, requestFor, restOperations } from "./GraphqlDocument.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant } from "./Tenant.ts"

/** The table of operations and roles, tried whole: every field that works on an application, as everybody there may be. */

const scope = Effect.runSync(Scope.make())
const fields = restOperations(bareSchema())
let system: System
let byName: ReadonlyMap<string, Operation>
let tenant: Tenant
/** Tokens of sessions; `nobody` is a member of another organization alone. */
const tokens = new Map<Role | "nobody", string>()

const ask = async (token: string, request: object) => {
  const response = await fetch(`${system.url}/api/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(request)
  })
  const { errors } = (await response.json()) as { readonly errors?: ReadonlyArray<any> }
  return { status: response.status, code: errors?.[0].extensions.code as string | undefined }
}

beforeAll(async () => {
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api" }), scope))
  const document = await (await fetch(`${system.url}/api/v1/openapi.json`)).json()
  const operations = readOperations(document as never)
  byName = new Map(operations.map((operation) => [operation.name, operation]))
  tenant = await makeTenant(system, operations)
  await Effect.runPromise(
    Effect.gen(function* () {
      const organizations = yield* OrganizationStore
      const signIn = yield* SignIn
      const found = yield* organizations.ofApplication(tenant.appId as AppId)
      if (found._tag === "None") throw new Error("The application has no organization")
      for (const role of [...ROLES, "nobody"] as const) {
        const email = `${role}@example.com`
        const code = yield* signIn.codeForOperator(email, "sign_in")
        const { account, token } = yield* signIn.verifyCode(email, code, { device: null, userAgent: "" })
        if (role !== "nobody") yield* organizations.enrol(found.value, account.id as AccountId, role)
        tokens.set(role, token)
      }
    }).pipe(Effect.provide(commands(system.env)))
  )
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** The field's request for what the application has. */
const requestOf = (one: RestOperation) => requestFor(one, argsOf(one, byName.get(one.operation)!, tenant))

const pathOf = ({ rest }: RestOperation): string => rest.routes[0]!.slice(rest.routes[0]!.indexOf(" ") + 1)
const needs = (one: RestOperation) => operationFor(one.kind === "mutation", pathOf(one))

describe("what a session may do in an application", () => {
  it("is nothing for those who are no members: there is no such thing", async () => {
    const wrong: Array<unknown> = []
    for (const one of fields) {
      const { status } = await ask(tokens.get("nobody")!, requestOf(one))
      if (status !== 404) wrong.push([one.field.name, status])
    }
    expect(wrong).toEqual([])
  })

  it("is refused with 403 where the role does not have it, and nothing is changed", async () => {
    const wrong: Array<unknown> = []
    let refused = 0
    for (const role of ROLES) {
      for (const one of fields.filter((field) => !mayDo(role, needs(field)))) {
        const { code, status } = await ask(tokens.get(role)!, requestOf(one))
        refused++
        if (status !== 403 || code !== "forbidden") wrong.push([role, one.field.name, status, code])
      }
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(60)
    // The fields that no route answers.
    for (const field of [
      `registerDevices(appId: "${tenant.appId}", devices: [{ token: "ab", platform: IOS }]) { objectId }`,
      `importContacts(appId: "${tenant.appId}", importId: "${tenant.appId}", contacts: [{ externalId: "a" }]) { objectId }`,
      `beginImport(appId: "${tenant.appId}", kind: DEVICES, file: "devices.csv")`
    ]) {
      const statuses = (["nobody", "viewer", "member"] as const).map(
        async (who) => (await ask(tokens.get(who)!, { query: `mutation { ${field} }` })).status
      )
      expect(await Promise.all(statuses)).toEqual([404, 403, 200])
    }
  })

  it("is said before what is wrong with the request: 403, and 404 of what is not there", async () => {
    const organization = await Effect.runPromise(
      Effect.flatMap(OrganizationStore, ({ ofApplication }) => ofApplication(tenant.appId as AppId)).pipe(
        Effect.map(Option.getOrThrow),
        Effect.provide(commands(system.env))
      )
    )
    const viewer = tokens.get("viewer")!
    const none = uuidv7()
    const expected: ReadonlyArray<readonly [field: string, status: number]> = [
      [`renameOrganization(id: "${organization}", name: "") { id }`, 403],
      [`createApplication(organizationId: "${organization}", name: "") { secretKey }`, 403],
      [`inviteMember(organizationId: "${organization}", email: "nobody", role: VIEWER) { id }`, 403],
      [`changeContactTags(id: "${none}", input: {}) { id }`, 404],
      [`redeliverHook(id: "${none}", input: { deliveryId: "${none}", status: EXHAUSTED }) { id }`, 404],
      [`triggerWorkflow(id: "${none}", input: { to: {} }) { executions }`, 404]
    ]
    const answers: Array<(typeof expected)[number]> = []
    for (const [field] of expected)
      answers.push([field, (await ask(viewer, { query: `mutation { ${field} }` })).status])
    expect(answers).toEqual(expected)
  })

  it("is every write for none but a viewer, and for a viewer no write", () => {
    for (const one of fields)
      expect([one.field.name, mayDo("viewer", needs(one))]).toEqual([one.field.name, one.kind === "query"])
    for (const one of fields) expect([one.field.name, mayDo("admin", needs(one))]).toEqual([one.field.name, true])
    const ofAdmins = fields.filter((one) => !mayDo("member", needs(one))).map(({ field }) => field.name)
    expect([...new Set(ofAdmins)].sort()).toEqual([
      "checkCredential",
      "createApiKey",
      "createHook",
      "deleteCredential",
      "deleteHook",
      "redeliverHook",
      "reissueIdentitySecret",
      "revokeApiKey",
      "setApnsCredential",
      "setFcmCredential",
      "setSmtpCredential",
      "setWebPushCredential",
      "testHook",
      "updateApplication",
      "updateHook"
    ])
  })

  it("is done where the role has it: every field, by the least role that may", async () => {
    const wrong: Array<unknown> = []
    // What removes things comes last.
    const isRemoval = ({ field }: RestOperation) => /^(?:delete|revoke)/.test(field.name)
    for (const one of [...fields.filter((field) => !isRemoval(field)), ...fields.filter(isRemoval)]) {
      const least = ROLES.find((role) => mayDo(role, needs(one)))!
      const { code, status } = await ask(tokens.get(least)!, requestOf(one))
      if (status === 401 || status === 403 || status >= 500) wrong.push([least, one.field.name, status, code])
    }
    expect(wrong).toEqual([])
  })
})
