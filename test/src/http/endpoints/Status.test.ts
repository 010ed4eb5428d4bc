import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe("/healthz and /readyz", () => {
  it("answer without a key", async () => {
    expect((await server.call("GET", "/healthz")).json).toEqual({ status: "ok" })
    expect((await server.call("GET", "/readyz")).json).toEqual({ status: "ready", database: "ok", queue: "ok" })
  })

  it("say what is down: the process lives, but is not ready", async () => {
    server.outage.isDown = true
    server.queue.isDown = true
    const [health, both] = [await server.call("GET", "/healthz"), await server.call("GET", "/readyz")]
    server.outage.isDown = false
    const queue = await server.call("GET", "/readyz")
    server.queue.isDown = false
    expect(health.status).toBe(200)
    expect(both.status).toBe(503)
    expect(both.headers.get("retry-after")).toBe("2")
    expect(both.json.error.details).toEqual([
      { field: "database", message: "does not answer" },
      { field: "queue", message: "does not answer" }
    ])
    expect(queue.json.error.details).toEqual([{ field: "queue", message: "does not answer" }])
    expect((await server.call("GET", "/readyz")).status).toBe(200)
  })

  it("say of a queue without room that it has none, and not that it is silent", async () => {
    Object.assign(server.queue, { isDown: true, isFull: true })
    const { json, status } = await server.call("GET", "/readyz")
    Object.assign(server.queue, { isDown: false, isFull: false })
    expect(status).toBe(503)
    expect(json.error.details).toEqual([
      { field: "queue", message: "has no room, and takes no messages: `doctor` says what it needs" }
    ])
  })

  it("wait for nobody who hangs, not even for the end of the attempt", async () => {
    server.queue.isStuck = true
    const stuck = await server.call("GET", "/readyz")
    server.queue.isStuck = false
    expect(stuck.status).toBe(503)
    expect(stuck.json.error.details).toEqual([{ field: "queue", message: "does not answer" }])
    expect((await server.call("GET", "/readyz")).status).toBe(200)
  })

  it("leave the queue aside for balancers that ask so: it is told, and does not decide", async () => {
    const excluded = "/readyz?exclude=queue"
    expect((await server.call("GET", excluded)).json).toEqual({ status: "ready", database: "ok", queue: "ok" })
    server.queue.isDown = true
    const away = await server.call("GET", excluded)
    expect(away).toMatchObject({ status: 200, json: { status: "ready", database: "ok", queue: "away" } })
    expect((await server.call("GET", "/readyz")).status).toBe(503)
    server.outage.isDown = true
    const both = await server.call("GET", excluded)
    server.outage.isDown = false
    server.queue.isDown = false
    expect(both.status).toBe(503)
    expect(both.json.error.details).toEqual([{ field: "database", message: "does not answer" }])
  })

  it("do not keep such balancers waiting for a queue that hangs", async () => {
    server.queue.isStuck = true
    const from = performance.now()
    const stuck = await server.call("GET", "/readyz?exclude=queue")
    const tookMs = performance.now() - from
    server.queue.isStuck = false
    expect(stuck).toMatchObject({ status: 200, json: { queue: "away" } })
    // A second is what a probe of Kubernetes waits, unless told otherwise.
    expect(tookMs).toBeLessThan(1000)
  })

  it.each(["database", "queue,database", ""])("refuse to leave anything else aside: %j", async (exclude) => {
    const { json, status } = await server.call("GET", `/readyz?exclude=${exclude}`)
    expect(status).toBe(400)
    expect(json.error).toMatchObject({ code: "validation_error", details: [{ field: "exclude" }] })
  })
})
