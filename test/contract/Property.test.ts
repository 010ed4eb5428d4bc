import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { formatUuid } from "../../services/domain/Ids.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Contract, Operation, Parameter, Schema } from "./Document.ts"
import { contractOf, readOperations } from "./Document.ts"
import type { Asked, Tenant } from "./Tenant.ts"
import { makeTenant, thingOf } from "./Tenant.ts"
import type { Chance, Pool } from "./Values.ts"
import { chanceOf, makeValue, spoil } from "./Values.ts"

/*
 * Every operation of the served document, with valid and invalid requests by chance, on the whole service: nothing but
 * documented statuses and shapes may come back, no 5xx, and no success for a body that the document would refuse.
 * The same seed asks the same in the same order: `PROPERTY_SEED` and `PROPERTY_CASES` of the environment choose other
 * requests and more of them, and `PROPERTY_AT_ONCE` lets some meet, as clients' do, which no seed repeats.
 */
const SEED = Number(process.env["PROPERTY_SEED"] ?? 20_260_101)
const CASES = Number(process.env["PROPERTY_CASES"] ?? 25)
const AT_ONCE = Number(process.env["PROPERTY_AT_ONCE"] ?? 1)
const isUsual = !Object.keys(process.env).some((name) => name.startsWith("PROPERTY_"))

/** What chance alone never does: it would have to guess a signature, or find a message that was sent. */
const BEYOND_CHANCE = [
  "POST /api/v1/events",
  "POST /api/v1/track",
  "GET /o/{token}",
  "GET /c/{token}/{link}",
  "GET /u/{token}",
  "POST /u/{token}",
  // A key that signs, and a host that is allowed.
  "PUT /api/v1/credentials/apns",
  "PUT /api/v1/credentials/fcm",
  "PUT /api/v1/credentials/smtp",
  // The tenant's only dead letter is a webhook's, which nobody replays.
  "POST /api/v1/dead-letters/{id}/replay",
  // An event that the webhook had.
  "GET /api/v1/webhooks/{id}/delivery"
]

const scope = Effect.runSync(Scope.make())
let system: System
let document: Schema
let operations: ReadonlyArray<Operation>
let contract: Contract
let tenant: Tenant
beforeAll(async () => {
  const many = "1000000/60"
  const budgets = Object.fromEntries(
    ["SECRET", "PUBLIC", "DEVICES", "PUBLIC_TOTAL", "ANONYMOUS", "PREFLIGHT"].map((name) => [
      `RATE_LIMIT_${name}`,
      many
    ])
  )
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api", ...budgets }), scope))
  document = (await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as Schema
  operations = readOperations(document)
  contract = contractOf(document)
  tenant = await makeTenant(system, operations)
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const ODD_IDS = ["0", "x".repeat(3000), "%00", "null", "%F0%9F", "{id}", "019B8E5C-7A3B-7C4D-9E6F-0123456789AB"]
const ODD_QUERY = ["", "0", "-1", "101", "1e3", "null", "\u0000", "x".repeat(600), "2026-13-01T00:00:00Z", "😀", "a,b"]
const ODD_BODIES = [
  "",
  "null",
  "[]",
  "{",
  "{}{}",
  '"x"',
  "\ufeff{}",
  `${"[".repeat(100)}${"]".repeat(100)}`,
  '{"a":1,"a":2}',
  "\u0000"
]

/** An id of nothing. */
const unknownId = (chance: Chance): string => {
  const bytes = Uint8Array.from({ length: 16 }, () => chance.below(256))
  bytes[6] = 0x70 | (bytes[6]! & 15)
  bytes[8] = 0x80 | (bytes[8]! & 63)
  return formatUuid(bytes)
}

const poolOf = (chance: Chance): Pool => ({
  id: () => (chance.odds(0.8) ? chance.pick([...tenant.things.values()]) : unknownId(chance)),
  url: system.fleet.description.receivers[0]!.url
})

const queryOf = (parameters: ReadonlyArray<Parameter>, chance: Chance): Array<readonly [string, string]> =>
  parameters.flatMap(({ name, required, schema }) => {
    if (required !== true && chance.odds(0.6)) return []
    if (chance.odds(0.2)) return [[name, chance.pick(ODD_QUERY)] as const]
    const value = name === "user_id" ? "user-42" : makeValue(schema, document, chance, poolOf(chance), name)
    return (Array.isArray(value) ? value : [value]).map((one) => [name, String(one).toWellFormed()] as const)
  })

/** One request by chance, and the body as a value where it is one. */
const requestOf = (operation: Operation, chance: Chance): { readonly asked: Asked; readonly value: unknown } => {
  const { body } = operation
  const thing = tenant.things.get(thingOf(operation.path)) ?? unknownId(chance)
  const ids = Object.fromEntries(
    operation.ids.map((name) => [name, chance.odds(0.7) ? thing : chance.pick([unknownId(chance), ...ODD_IDS])])
  )
  const query: Array<readonly [string, string]> = queryOf(operation.query, chance)
  if (chance.odds(0.05)) query.push(["unknown", "1"])
  const headers =
    operation.takesKey && chance.odds(0.3) ? { "idempotency-key": chance.pick(["k1", "k2", "é", "x".repeat(256)]) } : {}
  if (body === null) return { asked: { ids, query, headers }, value: undefined }
  if (chance.odds(0.1)) return { asked: { ids, query, headers, body: chance.pick(ODD_BODIES) }, value: undefined }
  const good = chance.odds(0.5) ? makeValue(body.schema, document, chance, poolOf(chance)) : body.example
  const value = chance.odds(0.5) ? spoil(good, chance) : good
  const type = chance.odds(0.05) ? "text/plain" : body.type
  // The examples' addresses are not on this machine.
  const text = (JSON.stringify(value) ?? "").replaceAll(
    "https://example.com/",
    `${system.fleet.description.receivers[0]!.url}/`
  )
  return { asked: { ids, query, headers, type, body: text }, value: text === "" ? undefined : JSON.parse(text) }
}

/** How often each operation was answered with a success, by its name. */
const successes = new Map<string, number>()

const drive = async (operation: Operation, index: number): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (let round = 0; round < CASES; round++) {
    const chance = chanceOf(SEED + index * 7919 + round)
    const { asked, value } = requestOf(operation, chance)
    const answer = await tenant.ask(operation, asked)
    if (answer.status < 400) successes.set(operation.name, (successes.get(operation.name) ?? 0) + 1)
    const said = `${operation.name} ${JSON.stringify(asked).slice(0, 600)}`
    const problem = contract.problemOf(operation, answer)
    if (problem !== null) problems.push(`${said}: ${problem}`)
    const isRefusable = operation.body !== null && !operation.body.isStream && value !== undefined
    if (answer.status < 300 && isRefusable && !contract.accepts(operation.body!.schema, value)) {
      problems.push(`${said}: answered ${answer.status} to a body that the document refuses`)
    }
  }
  return problems
}

const driveAll = async (of: ReadonlyArray<Operation>): Promise<ReadonlyArray<string>> => {
  const rest = [...of.entries()]
  const problems: Array<string> = []
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      problems.push(...(await drive(next[1], next[0])))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return problems
}

describe(`every operation of the document, with seed ${SEED}`, () => {
  it("answers requests by chance as is documented, and refuses what the document refuses", async () => {
    // What ends something comes last, and what ends the most of it, which stands first in the document, last of all.
    const isEnd = ({ method, path }: Operation) =>
      method === "DELETE" || path.endsWith("/cancel") || path.endsWith("/archive")
    const problems = [
      ...(await driveAll(operations.filter((operation) => !isEnd(operation)))),
      ...(await driveAll(operations.filter(isEnd).toReversed()))
    ]
    expect([problems.length, ...problems.slice(0, 20)]).toEqual([0])
    // An operation that was only ever refused was not tried: a new one is to succeed, or to be named above.
    const untried = operations.map(({ name }) => name).filter((name) => !successes.has(name))
    if (isUsual) expect(untried.filter((name) => !BEYOND_CHANCE.includes(name))).toEqual([])
  }, 240_000)

  it("answers a request without a key, or with a wrong one, 401", async () => {
    for (const operation of operations.filter(({ access }) => access !== "open")) {
      for (const authorization of ["", "ApiKey sk_wrong", "Bearer x", "ApiKey", `Basic ${tenant.secretKey}`]) {
        const answer = await tenant.ask(operation, { headers: { authorization } })
        expect(contract.problemOf(operation, answer), operation.name).toBe(null)
        expect([operation.name, answer.status]).toEqual([operation.name, 401])
      }
    }
  })
})
