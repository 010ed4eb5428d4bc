import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { schemaCompiler, startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const PATH = "/api/v1/devices/export"
const DEVICES = 2500

const withDevices = async (count = DEVICES) => {
  const tenant = await server.makeTenant()
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ token: i.toString(16).padStart(32, "0"), platform: "ios", tags: i % 5 === 0 ? ["few"] : ["many"] })
  )
  const imported = await server.call("POST", "/api/v1/devices/import", {
    key: tenant.secretKey,
    raw: lines.join("\n"),
    headers: { "content-type": "application/x-ndjson" }
  })
  const ids = imported.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id as string)
  return { key: tenant.secretKey, ids }
}

const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

describe("GET /api/v1/devices/export", () => {
  it("writes every device once, as the document says, however many pages it takes", async () => {
    const { key, ids } = await withDevices()
    const answer = await server.call("GET", PATH, { key })
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson")
    const rows = rowsOf(answer.text)
    expect(rows.map(({ id }) => id)).toEqual(ids.toSorted())
    const { schema } = server.document.paths[PATH]!["get"]!.responses["200"]!.content!["application/x-ndjson"]!
    const validate = schemaCompiler(server.document)(schema)
    for (const row of rows) expect(validate(row), JSON.stringify(validate.errors)).toBe(true)
  })

  it("takes the conditions of the list, and is empty where nothing meets them", async () => {
    const { key } = await withDevices(10)
    expect(rowsOf((await server.call("GET", `${PATH}?tags_any=few`, { key })).text)).toHaveLength(2)
    const nothing = await server.call("GET", `${PATH}?platform=web`, { key })
    expect([nothing.status, nothing.text]).toEqual([200, ""])
    expect((await server.call("GET", `${PATH}?limit=3`, { key })).status).toBe(400)
  })

  it("shows nothing of another application", async () => {
    await withDevices(3)
    const { key, ids } = await withDevices(2)
    expect(rowsOf((await server.call("GET", PATH, { key })).text).map(({ id }) => id)).toEqual(ids.toSorted())
  })

  it("answers 503 when the database is away from the start", async () => {
    const { key } = await withDevices(1)
    server.outage.isDown = true
    const { status } = await server.call("GET", PATH, { key })
    server.outage.isDown = false
    expect(status).toBe(503)
  })

  it("ends in a broken connection, and not as if it were whole, when the database goes away meanwhile", async () => {
    const { key } = await withDevices()
    let lists = 0
    server.outage.before = (operation) =>
      Effect.sync(() => {
        if (operation === "DeviceStore.list") server.outage.isDown = ++lists > 1
      })
    const whole = fetch(`${server.baseUrl}${PATH}`, { headers: { authorization: `ApiKey ${key}` } }).then((response) =>
      response.text()
    )
    await expect(whole).rejects.toThrow()
    server.outage.before = () => Effect.void
    server.outage.isDown = false
    expect(lists).toBe(2)
  })

  it("ends with an error once its key is revoked, and shows no more devices", async () => {
    const { key } = await withDevices()
    const made = await server.call("POST", "/api/v1/api-keys", { key, body: { kind: "secret", name: "Leaked" } })
    const { id, key: leaked } = made.json
    let lists = 0
    const revoke = Effect.promise(async () => {
      expect((await server.call("DELETE", `/api/v1/api-keys/${id}`, { key })).status).toBe(200)
      await vi.waitFor(
        async () => expect((await server.call("GET", "/api/v1/templates", { key: leaked })).status).toBe(401),
        10_000
      )
    })
    server.outage.before = (operation) => (operation === "DeviceStore.list" && ++lists === 1 ? revoke : Effect.void)
    const response = await fetch(`${server.baseUrl}${PATH}`, { headers: { authorization: `ApiKey ${leaked}` } })
    let text = ""
    const read = async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    }
    await expect(read()).rejects.toThrow()
    server.outage.before = () => Effect.void
    const rows = rowsOf(text)
    expect(rows.pop()).toMatchObject({ error: { code: "unauthorized" } })
    expect([rows.length, lists]).toEqual([1000, 1])
  })
})
