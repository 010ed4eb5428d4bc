import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import {
  createClient,
  HeliographApiError,
  HeliographConnectionError,
  HeliographTimeoutError
} from "../../sdk/node/heliograph.js"
import type { Device, RequestOptions } from "../../sdk/node/types.js"
import type { TestServer } from "../src/http/TestServer.ts"
import { startServer } from "../src/http/TestServer.ts"

/** A service that answers as the test says, one answer after the other. */
type Reply = (request: IncomingMessage, response: ServerResponse) => void
let replies: Array<Reply> = []
let seen: Array<IncomingMessage> = []
const fake = createServer((request, response) => {
  seen.push(request)
  request.resume()
  const reply = replies.shift()
  if (reply === undefined) response.writeHead(500).end()
  else reply(request, response)
})
let fakeUrl = ""
let server: TestServer
beforeAll(async () => {
  fake.listen(0, "127.0.0.1")
  await once(fake, "listening")
  fakeUrl = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
  server = await startServer()
})
afterAll(async () => {
  fake.closeAllConnections()
  fake.close()
  await server.stop()
})
beforeEach(() => {
  replies = []
  seen = []
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(
    status,
    { error: { code, message: "A sentence.", details: [{ field: "a", message: "b" }], request_id: "r" } },
    headers
  )
const now = { "retry-after": "0" }
const clientOf = (more: object = {}) => createClient({ apiKey: "sk_test", baseUrl: fakeUrl, ...more })
const send = (options?: RequestOptions, client = clientOf()) =>
  client.notifications.create({ to: { all: true }, content: { title: "Hello" } }, options)
const failure = async (promise: PromiseLike<unknown>): Promise<any> =>
  Promise.resolve(promise).then(
    () => expect.unreachable("It should fail"),
    (error: unknown) => error
  )
const ours = () => createClient({ apiKey: server.ours.secretKey, baseUrl: server.baseUrl })

describe("a call", () => {
  it.each([
    { baseUrl: "y" },
    { baseUrl: "push.example.com" },
    { baseUrl: "localhost:8080" },
    { baseUrl: "ftp://push.example.com" },
    { baseUrl: "https://user:word@push.example.com" },
    { baseUrl: undefined as unknown as string }
  ])("says at once that $baseUrl is no address of a service", ({ baseUrl }) => {
    expect(() => createClient({ baseUrl, apiKey: "sk_1" })).toThrow(
      new TypeError("baseUrl must be the address of the service, such as https://push.example.com")
    )
  })

  it.each(["", "sk_ä", "sk_1\n", undefined as unknown as string])("says at once that %j is no key", (apiKey) => {
    expect(() => createClient({ baseUrl: "https://push.example.com", apiKey })).toThrow(
      /^apiKey (is required|must be a key)/
    )
  })

  it("carries the key by its kind, and an Idempotency-Key of its own where the operation takes one", async () => {
    replies = [json(202, { id: "1" }), json(202, { id: "2" }), json(200, {}), json(200, {})]
    await send()
    await send()
    await clientOf().devices.get("x/y")
    await clientOf({ apiKey: "pk_test" }).publicApps.vapid("a")
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      "ApiKey sk_test",
      "ApiKey sk_test",
      "ApiKey sk_test",
      "Public pk_test"
    ])
    const keys = seen.map(({ headers }) => headers["idempotency-key"])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[0]).not.toBe(keys[1])
    expect(keys.slice(2)).toEqual([undefined, undefined])
    expect(seen[2]!.url).toBe("/api/v1/devices/x%2Fy")
  })

  it.each([
    ["429", refusal(429, "rate_limited", now)],
    ["500", refusal(500, "internal_error", now)],
    ["503", refusal(503, "unavailable", now)],
    ["a proxy's 502", (_: unknown, response: ServerResponse) => void response.writeHead(502, now).end("<html>")],
    ["409 while the first try is at work", refusal(409, "conflict", now)],
    ["a connection that breaks", (request: IncomingMessage) => void request.socket.destroy()]
  ] as ReadonlyArray<readonly [string, Reply]>)("is made again after %s, under the same key", async (_, reply) => {
    replies = [reply, reply, json(202, { id: "1", status: "queued" })]
    expect(await send()).toEqual({ id: "1", status: "queued" })
    expect(seen).toHaveLength(3)
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
  })

  it.each([400, 401, 403, 404, 409, 413, 422])(
    "is not made again after %i, and says what was wrong",
    async (status) => {
      replies = [refusal(status, "validation_error")]
      const error = await failure(send())
      expect(error).toBeInstanceOf(HeliographApiError)
      expect(error).toMatchObject({
        name: "HeliographApiError",
        status,
        code: "validation_error",
        details: [{ field: "a", message: "b" }],
        requestId: "r"
      })
      expect(seen).toHaveLength(1)
    }
  )

  it("is not made again where the service asks for a longer wait than is left", async () => {
    replies = [refusal(429, "rate_limited", { "retry-after": "3600" })]
    const error = await failure(send({ deadlineMs: 60_000 }))
    expect(error).toMatchObject({ status: 429, code: "rate_limited", retryAfterMs: 3_600_000 })
    expect(seen).toHaveLength(1)
  })

  it("reads a Retry-After that is a date", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    replies = [refusal(503, "unavailable", { "retry-after": inAnHour })]
    const { retryAfterMs } = await failure(send({ deadlineMs: 60_000 }))
    expect(retryAfterMs).toBeGreaterThan(3_500_000)
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })

  it("ends after so many tries", async () => {
    replies = Array.from({ length: 5 }, () => refusal(503, "unavailable", now))
    expect(await failure(send({ maxRetries: 2 }))).toMatchObject({ status: 503 })
    expect(seen).toHaveLength(3)
  })

  it("fails with a time-out when the answer does not come, or not whole", async () => {
    replies = [() => {}, (_, response) => void response.writeHead(200).write('{"id":')]
    for (let i = 0; i < 2; i++) {
      const error = await failure(send({ timeoutMs: 50, maxRetries: 0 }))
      expect(error).toBeInstanceOf(HeliographTimeoutError)
    }
  })

  it("fails with a connection error where nobody listens", async () => {
    const gone = createServer().listen(0, "127.0.0.1")
    await once(gone, "listening")
    const baseUrl = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
    gone.close()
    await once(gone, "close")
    const error = await failure(send({ maxRetries: 0 }, clientOf({ baseUrl })))
    expect(error).toBeInstanceOf(HeliographConnectionError)
    expect((error as Error).message).toMatch(/^No answer from 127\.0\.0\.1:\d+: .*ECONNREFUSED/)
  })

  it("ends at once with the reason of its signal, under way and between two tries", async () => {
    const reason = new Error("changed my mind")
    const underWay = new AbortController()
    replies = [() => underWay.abort(reason)]
    expect(await failure(send({ signal: underWay.signal }))).toBe(reason)
    const between = new AbortController()
    replies = [
      (_, response) => {
        response.on("finish", () => setImmediate(() => between.abort(reason)))
        refusal(503, "unavailable", { "retry-after": "60" })(_, response)
      }
    ]
    expect(await failure(send({ signal: between.signal }))).toBe(reason)
    expect(seen).toHaveLength(2)
  })

  it("follows no redirect: the key goes nowhere else", async () => {
    replies = [(_, response) => void response.writeHead(302, { location: `${fakeUrl}/elsewhere` }).end()]
    expect(await failure(send())).toMatchObject({ status: 302, code: "unknown" })
    expect(seen).toHaveLength(1)
  })

  it("reaches a contact by the application's own id, whatever is in it", async () => {
    const client = createClient({ apiKey: server.ours.secretKey, baseUrl: server.baseUrl })
    for (const external_id of ["team/42", "Zoë 😀?#%2F", "a..b"]) {
      const { id } = await client.contacts.create({ external_id })
      expect((await client.contacts.getByExternalId(external_id)).id).toBe(id)
      expect((await client.contacts.updatePreferencesByExternalId(external_id, { push: false })).push).toBe(false)
      expect(await client.contacts.deleteByExternalId(external_id)).toEqual({ deleted: true })
    }
  })

  it("refuses an id that is missing, which would make it another operation", () => {
    expect(() => clientOf().devices.get("")).toThrow(TypeError)
    expect(() => clientOf().contacts.deleteByExternalId("..")).toThrow(TypeError)
    expect(() => clientOf().devices.delete(undefined as unknown as string)).toThrow(TypeError)
    expect(seen).toHaveLength(0)
  })
})

describe("against the service", () => {
  it("creates, reads, changes and removes", async () => {
    const { id } = await ours().webhooks.create({ name: "One", url: "https://93.184.216.34/webhook" })
    expect(await ours().webhooks.update(id, { is_active: false })).toMatchObject({ id, name: "One", is_active: false })
    expect(await ours().webhooks.get(id)).toMatchObject({ id, is_active: false })
    expect(await ours().webhooks.test(id, { event: "NOTIFICATION_FAILED" })).toMatchObject({ delivered: true })
    expect(await ours().webhooks.delete(id)).toEqual({ deleted: true })
    const error = await failure(ours().webhooks.get(id))
    expect(error).toMatchObject({ status: 404, code: "not_found" })
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("imports and exports lines, and goes through a list page by page", async () => {
    const { secretKey: apiKey } = await server.makeTenant()
    const client = createClient({ apiKey, baseUrl: server.baseUrl })
    async function* lines() {
      for (let i = 0; i < 2500; i++) {
        const token = i.toString(16).padStart(32, "0")
        yield i === 7 ? { token, platform: "tv" as never } : { token, platform: "ios" as const }
      }
    }
    const results = await Array.fromAsync(client.devices.import(lines()))
    expect(results).toHaveLength(2500)
    expect(results.filter((result) => "error" in result)).toMatchObject([
      { line: 8, error: { code: "validation_error" } }
    ])
    const exported: Array<Device> = await Array.fromAsync(client.devices.export({ platform: "ios" }))
    expect(exported).toHaveLength(2499)
    const first = await client.devices.list({ limit: 100 })
    expect(first.data).toEqual(exported.slice(0, 100))
    const listed = await Array.fromAsync(client.devices.list({ limit: 100 }))
    expect(listed).toEqual(exported)
    const pages = await Array.fromAsync(client.devices.list({ limit: 100 }).pages())
    expect(pages.map(({ data }) => data.length)).toEqual([...Array.from({ length: 24 }, () => 100), 99])
  })

  it("writes lists and times of a query as the service reads them", async () => {
    const { secretKey: apiKey } = await server.makeTenant()
    const client = createClient({ apiKey, baseUrl: server.baseUrl })
    const lines = [["a"], ["b"], ["c"]].map((tags, i) =>
      JSON.stringify({ token: `${i}`.padStart(32, "0"), platform: "ios", tags })
    )
    await Array.fromAsync(client.devices.import(lines))
    const { data } = await client.devices.list({ tags_any: ["a", "b"], created_from: "2020-01-01T00:00:00Z" })
    expect(data.map(({ tags }) => tags[0]).sort()).toEqual(["a", "b"])
  })

  it("refuses a Date that is none, which JSON would make null of: at once, where it is `send_at`", async () => {
    const none = new Date("soon")
    const refused = new TypeError("send_at is a Date that is no time")
    expect(await failure(clientOf().notifications.update("id", { send_at: none }))).toEqual(refused)
    const asked = clientOf().devices.list({ created_from: none })
    expect(await failure(asked)).toEqual(new TypeError("created_from is a Date that is no time"))
    expect(seen).toEqual([])
  })

  it("tells a refused import by its reason", async () => {
    const client = createClient({ apiKey: "sk_wrong", baseUrl: server.baseUrl })
    const error = await failure(Array.fromAsync(client.devices.import(["{}"])))
    expect(error).toMatchObject({ status: 401, code: "unauthorized" })
  })

  it("takes lines that break off for an error", async () => {
    const start = (_: unknown, response: ServerResponse) =>
      response.writeHead(200, { "content-type": "application/x-ndjson" })
    for (const end of [
      (response: ServerResponse) => void response.end('{"id":"1"}\n{"id'),
      (response: ServerResponse) => void response.write('{"id":"1"}\n', () => response.destroy())
    ]) {
      replies = [(_, response) => end(start(_, response))]
      const read: Array<unknown> = []
      const all = async () => {
        for await (const device of clientOf().devices.export()) read.push(device)
      }
      expect(await failure(all())).toBeInstanceOf(HeliographConnectionError)
      expect(read).toEqual([{ id: "1" }])
    }
  })
})
