import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterEach(() => {
  server.outage.isDown = false
})
afterAll(() => server.stop())

const SEND = { to: { all: true }, content: { title: "Hello" } }
let count = 0
const newKey = () => `key-${++count}`
const post = (path: string, key: string, body: unknown, secretKey = server.ours.secretKey) =>
  server.call("POST", path, { key: secretKey, body, headers: { "idempotency-key": key } })
const send = (key: string, body: unknown = SEND) => post("/api/v1/notifications", key, body)

describe("Idempotency-Key", () => {
  it("makes a repeated request answer as the first one, and do nothing", async () => {
    const key = newKey()
    const before = await server.count("notifications")
    const first = await send(key)
    const again = await send(key)
    expect([first.status, again.status]).toEqual([202, 202])
    expect(again.text).toBe(first.text)
    expect(again.headers.get("location")).toBe(first.headers.get("location"))
    expect(first.headers.get("idempotent-replayed")).toBe(null)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(await server.count("notifications")).toBe(before + 1)
  })

  it("commits the answer together with the notification", async () => {
    const key = newKey()
    const { json, text } = await send(key)
    const kept = await server.sql`
      SELECT k.status, k.body, k.location, k.xmin::text = n.xmin::text AS together
      FROM idempotency_keys k, notifications n WHERE k.key = ${key} AND n.id = ${json.id}`
    const answer = { status: 202, body: text, location: `/api/v1/notifications/${json.id}` }
    expect(kept).toEqual([{ ...answer, together: true }])
  })

  it("refuses a key that another body was sent with", async () => {
    const key = newKey()
    await send(key)
    const other = await send(key, { ...SEND, content: { title: "Other" } })
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"])
  })

  it("answers 409 while the first request is at work", async () => {
    const key = newKey()
    await send(key)
    await server.sql`UPDATE idempotency_keys SET status = NULL, body = NULL, location = NULL WHERE key = ${key}`
    const second = await send(key)
    expect([second.status, second.json.error.code]).toEqual([409, "conflict"])
    expect(second.headers.get("retry-after")).toBe("1")
  })

  it("belongs to the application and the endpoint", async () => {
    const key = newKey()
    const ours = await send(key)
    const theirs = await post("/api/v1/notifications", key, SEND, server.theirs.secretKey)
    expect(theirs.json.id).not.toBe(ours.json.id)
    // An empty query says nothing.
    expect((await post("/api/v1/notifications?", key, SEND)).text).toBe(ours.text)
    const contact = await post("/api/v1/contacts", key, { external_id: "somebody" })
    expect(contact.status).toBeLessThan(300)
    expect(contact.headers.get("idempotent-replayed")).toBe(null)
    const again = await post("/api/v1/contacts", key, { external_id: "somebody" })
    expect(again.text).toBe(contact.text)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
  })

  it("replays a refusal, with the id of the request that it names", async () => {
    const key = newKey()
    const first = await send(key, { to: { all: true } })
    const again = await send(key, { to: { all: true } })
    expect([first.status, again.status]).toEqual([400, 400])
    expect(again.text).toBe(first.text)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
  })

  it("does the work at the next try when we failed at the first", async () => {
    const key = newKey()
    const { before } = server.outage
    server.outage.before = (operation) =>
      operation === "NotificationStore.accept" ? Effect.die(new Error("a defect")) : Effect.void
    expect((await send(key)).status).toBe(500)
    server.outage.before = before
    const second = await send(key)
    expect(second.status).toBe(202)
    expect(second.headers.get("idempotent-replayed")).toBe(null)
  })

  describe("while the database cannot be told what becomes of it", () => {
    const failing = (...operations: ReadonlyArray<string>) => {
      server.outage.before = (operation) =>
        operations.includes(operation)
          ? Effect.fail(new StoreError({ operation, cause: new Error("the connection was cut") }))
          : Effect.void
    }
    afterEach(() => {
      server.outage.before = () => Effect.void
    })
    /** What the first repetition is answered that finds nobody at work. Leases last 20 seconds. */
    const repeated = async (work: () => ReturnType<typeof send>) => {
      for (let at = performance.now(); performance.now() - at < 10_000;) {
        const answer = await work()
        if (answer.status !== 409) return answer
      }
      throw new Error("the key is still taken")
    }

    it("is free again soon after the database answers", async () => {
      const key = newKey()
      failing("NotificationStore.accept", "IdempotencyStore.abandon")
      expect((await send(key)).status).toBe(503)
      server.outage.before = () => Effect.void
      const answer = await repeated(() => send(key))
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([202, null])
    })

    it("is free again where nobody knows whether it was taken, and it was", async () => {
      const key = newKey()
      failing("IdempotencyStore.begin")
      const lost = await send(key)
      expect(lost.status).toBe(503)
      server.outage.before = () => Effect.void
      // As the statement would whose client has lost sight of it.
      await send(key)
      const holder = lost.headers.get("x-request-id")
      await server.sql`
        UPDATE idempotency_keys SET status = NULL, body = NULL, location = NULL, holder = ${holder} WHERE key = ${key}`
      const answer = await repeated(() => send(key))
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([202, null])
    })

    it("gets the answer of work that is done, later", async () => {
      const key = newKey()
      failing("IdempotencyStore.settle")
      const contact = { external_id: newKey() }
      const first = await post("/api/v1/contacts", key, contact)
      expect(first.status).toBeLessThan(300)
      server.outage.before = () => Effect.void
      const answer = await repeated(() => post("/api/v1/contacts", key, contact))
      expect([answer.text, answer.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    })
  })

  describe("of a request that lets people into a workflow", () => {
    const step = { key: "pause", type: "DELAY", seconds: 3600 }
    let path: string
    beforeAll(async () => {
      const draft = { name: "Waits", trigger: { type: "event", event: "kept" }, steps: [step] }
      const { json } = await post("/api/v1/workflows", newKey(), draft)
      await post(`/api/v1/workflows/${json.id}/activate`, newKey(), {})
      path = `/api/v1/workflows/${json.id}/trigger`
    })
    afterEach(() => {
      server.outage.before = () => Effect.void
    })

    it.each([
      ["by their names", () => path, { to: { user_ids: ["a", "b"] } }, "executions"],
      ["by a description", () => path, { to: { all: true } }, "workflow_entries"],
      ["by an event", () => "/api/v1/events/custom", { event: "kept", user_id: "c" }, "custom_events"]
    ])("is committed with what it does: %s", async (_, where, body, table) => {
      const key = newKey()
      const before = await server.count(table)
      // Whoever does the work dies before anything else is written.
      server.outage.before = (operation) =>
        operation === "IdempotencyStore.settle" ? Effect.die(new Error("killed")) : Effect.void
      const first = await post(where(), key, body)
      await server.sql`UPDATE idempotency_keys SET lease_until = now() - interval '1 s' WHERE key = ${key}`
      const count = await server.count(table)
      expect(count).toBeGreaterThan(before)
      const again = await post(where(), key, body)
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
      expect(again.text).toBe(first.text)
      expect(await server.count(table)).toBe(count)
    })

    it("undoes the work of one who has lost the key meanwhile", async () => {
      const key = newKey()
      const before = await server.count("executions")
      server.outage.before = (operation) =>
        operation === "ExecutionStore.enter"
          ? Effect.promise(() => server.sql`UPDATE idempotency_keys SET holder = ${uuidv7()} WHERE key = ${key}`)
          : Effect.void
      expect((await post(path, key, { to: { user_ids: ["d"] } })).status).toBe(503)
      expect(await server.count("executions")).toBe(before)
    })
  })

  it("does nothing without the store of keys", async () => {
    const key = newKey()
    await send(newKey())
    server.outage.isDown = true
    expect((await send(key)).status).toBe(503)
    server.outage.isDown = false
    expect((await send(key)).headers.get("idempotent-replayed")).toBe(null)
  })

  it.each([
    ["too long", "k".repeat(256)],
    ["with a space", "a b"]
  ])("is refused when it is %s", async (_, key) => {
    const answer = await send(key)
    expect([answer.status, answer.json.error.details[0].field]).toEqual([400, "Idempotency-Key"])
  })
})
