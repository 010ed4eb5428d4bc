import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../services/ports/NewId.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Answer, Operation, Schema } from "./Document.ts"
import { readOperations } from "./Document.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant, thingOf } from "./Tenant.ts"

const scope = Effect.runSync(Scope.make())
let system: System
let document: Schema
let operations: ReadonlyArray<Operation>
let ours: Tenant
let theirs: Tenant
beforeAll(async () => {
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api" }), scope))
  document = (await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as Schema
  operations = readOperations(document)
  ours = await makeTenant(system, operations)
  theirs = await makeTenant(system, operations)
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** What another application's key is told of an application, by the spec: 5.2, 7. */
const UNAUTHORIZED = new Set(["GET /api/v1/public/apps/{id}/vapid"])

const requestOf = (operation: Operation) => ({
  query: operation.query.flatMap(({ name, required, schema }): Array<[string, string]> =>
    required || name === "user_id"
      ? [[name, schema["enum"]?.[0] ?? (schema["format"] === "uuid" ? uuidv7() : "user-42")]]
      : []
  ),
  ...(operation.body === null ? {} : { body: JSON.stringify(operation.body.example) })
})

/** Places of a body that hold ids, as paths of keys; those in lists end in 0. */
const idPlaces = (
  schema: Schema,
  at: ReadonlyArray<string> = [],
  inside: ReadonlyArray<string> = []
): Array<ReadonlyArray<string>> => {
  if (schema["$ref"] !== undefined) {
    const name = String(schema["$ref"]).split("/").at(-1)!
    // What has itself within it, as steps have steps, is gone into once more.
    if (inside.filter((other) => other === name).length > 1) return []
    return idPlaces(document["components"].schemas[name], at, [...inside, name])
  }
  if (schema["format"] === "uuid") return [at]
  const children = [...(schema["anyOf"] ?? []), ...(schema["oneOf"] ?? []), ...(schema["allOf"] ?? [])] as Array<Schema>
  return [
    ...children.flatMap((child) => idPlaces(child, at, inside)),
    ...(schema["items"] === undefined ? [] : idPlaces(schema["items"], [...at, "0"], inside)),
    ...Object.entries((schema["properties"] ?? {}) as Record<string, Schema>).flatMap(([name, child]) =>
      idPlaces(child, [...at, name], inside)
    )
  ]
}

/** A body with one id in it, and of the rest what it takes to be asked about. */
const bodyWith = (example: any, place: ReadonlyArray<string>, id: string): any => {
  const [key, ...rest] = place
  if (key === undefined) return id
  if (key === "0") return [bodyWith(undefined, rest, id)]
  // Recipient selectors are exclusive.
  const others = key.endsWith("_ids") ? {} : example
  return { ...others, [key]: bodyWith(example?.[key], rest, id) }
}

const snapshot = async (tenant: Tenant): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for (const operation of operations) {
    if (operation.method !== "GET" || operation.access === "open") continue
    const id = tenant.things.get(thingOf(operation.path)) ?? ""
    if (operation.ids.length === 1 && id === "") continue
    // Who has used a key when is no part of what is protected.
    if (/api-keys|audit-log|event-stream|live|stats/.test(operation.path)) continue
    const { status, text } = await tenant.ask(operation, { ...requestOf(operation), ids: { id } })
    all.push([operation.name, status, text])
  }
  return all
}

const said = ({ status, text }: Answer) => [status, JSON.parse(text).error?.code, JSON.parse(text).error?.message]

describe("another application's ids", () => {
  it("are all known to this test: whatever a path asks for, both applications have", () => {
    const unknown = operations
      .filter(({ ids, path }) => ids.length > 0 && path.startsWith("/api/"))
      .filter(({ ids, path }) => ids.length !== 1 || !theirs.things.has(thingOf(path)))
    expect(unknown.map(({ name }) => name)).toEqual([])
  })

  it("show nothing of theirs in any list without a filter", async () => {
    const ids = [...theirs.things.values()]
    for (const operation of operations) {
      if (operation.method !== "GET" || operation.ids.length > 0 || operation.access === "open") continue
      const { text } = await ours.ask(operation, requestOf(operation))
      for (const id of ids) expect(text.includes(id), operation.name).toBe(false)
    }
  })

  it("are answered in every path as ids of nothing, and nothing is changed", async () => {
    const before = await snapshot(theirs)
    expect(before.length).toBeGreaterThan(10)
    const wrong: Array<unknown> = []
    for (const operation of operations.filter(({ ids, path }) => ids.length === 1 && path.startsWith("/api/"))) {
      const asked = requestOf(operation)
      const foreign = await ours.ask(operation, { ...asked, ids: { id: theirs.things.get(thingOf(operation.path))! } })
      const nothing = await ours.ask(operation, { ...asked, ids: { id: uuidv7() } })
      const expected = UNAUTHORIZED.has(operation.name) ? 401 : 404
      if (foreign.status !== expected || JSON.stringify(said(foreign)) !== JSON.stringify(said(nothing))) {
        wrong.push([operation.name, foreign.status, foreign.text, nothing.text])
      }
    }
    expect(wrong).toEqual([])
    expect(await snapshot(theirs)).toEqual(before)
  })

  it("are answered in every body as ids of nothing", async () => {
    const before = await snapshot(theirs)
    const wrong: Array<unknown> = []
    let asked = 0
    for (const operation of operations) {
      if (operation.body === null || operation.body.isStream) continue
      const id = ours.things.get(thingOf(operation.path)) ?? ""
      const unknown = uuidv7()
      for (const place of idPlaces(operation.body.schema)) {
        const tell = (value: string) =>
          ours.ask(operation, { ids: { id }, body: JSON.stringify(bodyWith(operation.body!.example, place, value)) })
        const nothing = await tell(unknown)
        for (const theirId of new Set(theirs.things.values())) {
          asked++
          const foreign = await tell(theirId)
          const same = JSON.stringify(said(foreign)).replaceAll(theirId, unknown) === JSON.stringify(said(nothing))
          if (!same) wrong.push([operation.name, place, foreign.text, nothing.text])
        }
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(20)
    expect(await snapshot(theirs)).toEqual(before)
  })

  it("are skipped beside our own as ids of nothing are, and told of in the same words", async () => {
    const path = "/api/v1/notifications"
    const before = await snapshot(theirs)
    for (const [field, thing] of [
      ["device_ids", "/api/v1/devices/{id}"],
      ["channel_ids", "/api/v1/channels/{id}"]
    ] as const) {
      const [own, foreign, nothing] = [ours.things.get(thing)!, theirs.things.get(thing)!, uuidv7()]
      for (const operation of operations.filter((one) => [path, `${path}/preview`].includes(one.path) && one.body)) {
        const tell = (id: string) =>
          ours.ask(operation, { body: JSON.stringify({ to: { [field]: [own, id] }, content: { title: "Hello" } }) })
        const [told, expected] = [await tell(foreign), await tell(nothing)]
        expect([operation.name, told.status < 300]).toEqual([operation.name, true])
        expect(JSON.parse(told.text).skipped).toEqual({ count: 1, ids: [foreign] })
        const { id: _, ...rest } = JSON.parse(told.text)
        const { id: __, ...same } = JSON.parse(expected.text.replaceAll(nothing, foreign))
        expect(rest).toEqual(same)
      }
    }
    expect(await snapshot(theirs)).toEqual(before)
  })

  it("find nothing in any list", async () => {
    const wrong: Array<unknown> = []
    for (const operation of operations.filter(({ method, path }) => method === "GET" && path.startsWith("/api/"))) {
      for (const { name } of operation.query.filter(({ schema }) => schema["format"] === "uuid")) {
        for (const theirId of new Set(theirs.things.values())) {
          const query = [...requestOf(operation).query.filter(([other]) => other !== name), [name, theirId] as const]
          const { status, text } = await ours.ask(operation, {
            ids: { id: ours.things.get(thingOf(operation.path)) ?? "" },
            query
          })
          const found = status === 200 ? (JSON.parse(text).data ?? [text]) : []
          if (found.length > 0) wrong.push([operation.name, name, text])
        }
      }
    }
    expect(wrong).toEqual([])
  })
})
