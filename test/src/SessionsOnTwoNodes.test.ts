import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { AccountId, OrganizationId } from "../../services/domain/Ids.ts"
import type { CodePurpose } from "../../services/domain/people/SignInCode.ts"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { AccountStore } from "../../services/ports/people/AccountStore.ts"
import { OrganizationStore } from "../../services/ports/people/OrganizationStore.ts"
import { commands } from "../../src/app.ts"
import { lastingPort } from "../Ports.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"
import type { Follower } from "./http/EventReader.ts"
import { follow } from "./http/EventReader.ts"

/** What ends a session, or what it may do, on one of two nodes: real processes over one database. */

interface TwoNodes extends System {
  readonly here: string
  readonly there: string
}

class TheNodes extends Context.Service<TheNodes, TwoNodes>()("heliograph/test/SessionsOnTwoNodes") {}

const NODES = Layer.effect(
  TheNodes,
  Effect.gen(function* () {
    const system = yield* makeSystem({ ROLES: "api" })
    const port = yield* lastingPort
    const there = `http://127.0.0.1:${port}`
    yield* system.startEngine({ PORT: String(port), BASE_URL: there })
    return { ...system, here: system.url, there }
  })
)

const HOOK = "subscription($id: ID!) { hookChanged(id: $id) { name } }"
const RENAME = `mutation($id: ID!) { updateHook(id: $id, input: { name: "Other" }) { name } }`

interface Somebody {
  readonly token: string
  readonly email: string
  readonly accountId: AccountId
  readonly organizationId: OrganizationId
  readonly appId: string
}

interface Told {
  readonly status: number
  readonly data: any
}

const makeAsk = ({ env, fleet, here, there }: TwoNodes) => {
  let people = 0
  const ask = async (node: string, token: string | null, query: string, variables: object = {}): Promise<Told> => {
    const response = await fetch(`${node}/api/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === null ? undefined : { authorization: `Bearer ${token}` })
      },
      body: JSON.stringify({ query, variables })
    })
    return { status: response.status, data: ((await response.json()) as { readonly data: any }).data }
  }
  const run = <A, E>(work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof commands>>>) =>
    Effect.runPromise(work.pipe(Effect.provide(commands(env))))
  const code = (email: string, purpose: CodePurpose) =>
    run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, purpose)))
  /** A session that has begun here; of somebody new, unless it says of whom. */
  const signIn = async (email = `someone-${++people}@example.com`): Promise<Somebody> => {
    const query = `mutation($email: String!, $code: String!) {
      verifyLoginCode(email: $email, code: $code) { token account { id } first { organization { id } appId } }
    }`
    const { data } = await ask(here, null, query, { email, code: await code(email, "sign_in") })
    const { account, first, token } = data.verifyLoginCode
    return { token, email, accountId: account.id, organizationId: first?.organization.id, appId: first?.appId }
  }
  const makeHook = async ({ appId, token }: Somebody): Promise<string> => {
    const input = { name: "One", url: fleet.description.receivers[0]!.url }
    const query = "mutation($appId: ID!, $input: HookInput!) { createHook(appId: $appId, input: $input) { id } }"
    return (await ask(here, token, query, { appId, input })).data.createHook.id
  }
  /** A stream there, which has had its first answer. */
  const listen = async ({ token }: Somebody, id: string): Promise<Follower> => {
    const stream = await follow(
      `${there}/api/graphql`,
      { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "text/event-stream" },
      JSON.stringify({ query: HOOK, variables: { id } })
    )
    await stream.until(() => stream.events.length > 0)
    return stream
  }
  /** The code of the last mail to an address, which a node has left in the data directory. */
  const mailedCode = async (email: string): Promise<string> => {
    const folder = join(env["DATA_DIR"]!, "mail")
    const look = async () => {
      const names = await readdir(folder).catch(() => [])
      for (const name of names
        .filter((name) => name.endsWith(".txt"))
        .toSorted()
        .toReversed()) {
        const text = await readFile(join(folder, name), "utf8")
        const [, found] = /^ {4}(\d{6})$/m.exec(text) ?? []
        if (text.includes(`To: ${email}\n`) && found !== undefined) return found
      }
      return ""
    }
    return Effect.runPromise(eventually(Effect.promise(look), (found) => found !== ""))
  }
  return { ask, code, listen, mailedCode, makeHook, run, signIn }
}

const codeIn = (stream: Follower) => stream.events.at(-2)?.data.errors?.[0].extensions.code as string | undefined

layer(NODES, { timeout: 240_000, excludeTestServices: true })("what ends a session on one node", (it) => {
  it.effect("has ended it on the other with the next request, and open streams there within a second", () =>
    Effect.gen(function* () {
      const nodes = yield* TheNodes
      const { here, there } = nodes
      const { ask, code, listen, mailedCode, makeHook, run, signIn } = makeAsk(nodes)
      const onHere = async (token: string, query: string, variables: object = {}) => {
        const { data, status } = await ask(here, token, query, variables)
        if (status !== 200) throw new Error(`${query} was answered ${status}`)
        return data
      }
      /** Each is given who has the stream, and another session of the same account. */
      const ends: Readonly<Record<string, (one: Somebody, other: Somebody) => Promise<unknown>>> = {
        logout: ({ token }) => onHere(token, "mutation { logout }"),
        signOutEverywhere: (_, { token }) => onHere(token, "mutation { signOutEverywhere }"),
        endSession: async ({ token }, other) => {
          const { sessions } = await onHere(token, "{ sessions { id isCurrent } }")
          const { id } = sessions.find(({ isCurrent }: { readonly isCurrent: boolean }) => isCurrent)
          await onHere(other.token, "mutation($id: ID!) { endSession(id: $id) }", { id })
        },
        changeEmail: async ({ accountId, email, token }) => {
          await onHere(token, "mutation($email: String!) { requestEmailChange(email: $email) }", {
            email: `${accountId}@example.com`
          })
          const [old, fresh] = [await mailedCode(email), await mailedCode(`${accountId}@example.com`)]
          await onHere(
            token,
            "mutation($code: String!, $newCode: String!) { changeEmail(code: $code, newCode: $newCode) { token } }",
            { code: old, newCode: fresh }
          )
        },
        disable: ({ accountId }) => run(Effect.flatMap(AccountStore, (store) => store.disable(accountId))),
        deleteAccount: async ({ email, token }) =>
          onHere(token, "mutation($code: String!) { deleteAccount(code: $code) }", {
            code: await code(email, "delete_account")
          })
      }
      const took: Record<string, number> = {}
      for (const [name, end] of Object.entries(ends)) {
        yield* Effect.promise(async () => {
          const one = await signIn()
          const other = await signIn(one.email)
          const stream = await listen(one, await makeHook(one))
          expect((await ask(there, one.token, "{ me { id } }")).status).toBe(200)
          await end(one, other)
          const endedAt = performance.now()
          expect([name, (await ask(there, one.token, "{ me { id } }")).status]).toEqual([name, 401])
          await stream.ended
          took[name] = performance.now() - endedAt
          // With the account its application went as well.
          const code = name === "deleteAccount" ? /^(?:unauthorized|not_found)$/ : /^unauthorized$/
          expect([name, stream.events.at(-1)?.event, codeIn(stream)]).toEqual([
            name,
            "complete",
            expect.stringMatching(code)
          ])
        })
      }
      // Whatever a busy machine does with one of them.
      expect(Math.min(...Object.values(took)), JSON.stringify(took)).toBeLessThan(1000)
    })
  )

  it.effect("or takes a role away, holds there at once as well", () =>
    Effect.gen(function* () {
      const nodes = yield* TheNodes
      const { here, there } = nodes
      const { ask, listen, makeHook, run, signIn } = makeAsk(nodes)
      yield* Effect.promise(async () => {
        const owner = await signIn("owner@example.com")
        const id = await makeHook(owner)
        const { organizationId } = owner
        const enrolled = async (email: string) => {
          const one = await signIn(email)
          await run(Effect.flatMap(OrganizationStore, (store) => store.enrol(organizationId, one.accountId, "admin")))
          return one
        }
        const admin = await enrolled("admin@example.com")
        const stream = await listen(admin, id)
        expect((await ask(there, admin.token, RENAME, { id })).status).toBe(200)
        const as = { id: organizationId, a: admin.accountId }
        const lower =
          "mutation($id: ID!, $a: ID!) { changeRole(organizationId: $id, accountId: $a, role: VIEWER) { role } }"
        expect((await ask(here, owner.token, lower, as)).status).toBe(200)
        // Whoever may still read goes on reading.
        expect((await ask(there, admin.token, RENAME, { id })).status).toBe(403)
        const remove = "mutation($id: ID!, $a: ID!) { removeMember(organizationId: $id, accountId: $a) }"
        expect((await ask(here, owner.token, remove, as)).status).toBe(200)
        expect((await ask(there, admin.token, RENAME, { id })).status).toBe(404)
        await stream.ended
        expect([stream.events.at(-1)?.event, codeIn(stream)]).toEqual(["complete", "not_found"])

        // So does an application that is deleted, in spite of the role.
        const viewer = await enrolled("viewer@example.com")
        const more =
          'mutation($id: ID!) { createApplication(organizationId: $id, name: "More") { application { id } } }'
        const { data } = await ask(here, owner.token, more, { id: organizationId })
        const appId = data.createApplication.application.id
        const lost = await listen(viewer, await makeHook({ ...owner, appId }))
        const erase = "mutation($id: ID!) { deleteApplication(id: $id) }"
        expect((await ask(here, owner.token, erase, { id: appId })).status).toBe(200)
        await lost.ended
        expect([lost.events.at(-1)?.event, codeIn(lost)]).toEqual(["complete", "not_found"])

        // An organization that goes takes them all along.
        const other = await enrolled("other@example.com")
        const last = await listen(other, id)
        const removed = await ask(here, owner.token, "mutation($id: ID!) { deleteOrganization(id: $id) }", as)
        expect(removed.status).toBe(200)
        await last.ended
        expect([last.events.at(-1)?.event, codeIn(last)]).toEqual(["complete", "not_found"])
      })
    })
  )
})
