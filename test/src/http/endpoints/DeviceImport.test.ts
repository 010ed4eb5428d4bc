import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request as httpRequest } from "node:http"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { registerExample } from "../../../../src/http/endpoints/Devices.ts"
import type { TestServer } from "../TestServer.ts"
import { IMPORT_LIMIT, schemaCompiler, startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const PATH = "/api/v1/devices/import"
const lineOf = (i: number) => JSON.stringify({ token: i.toString(16).padStart(32, "0"), platform: "ios", tags: ["t"] })
const linesOf = (count: number, from = 0) => Array.from({ length: count }, (_, i) => lineOf(from + i))

/** How many devices each chunk had that the store was given so far. */
const chunks = () =>
  server.outage.calls
    .filter(({ operation }) => operation === "DeviceStore.register")
    .map(({ given }) => (given[1] as ReadonlyArray<unknown>).length)

const send = async (raw: string, headers: Record<string, string> = {}) => {
  const answer = await server.call("POST", PATH, {
    key: server.ours.secretKey,
    raw,
    headers: { "content-type": "application/x-ndjson", ...headers }
  })
  const results =
    answer.status === 200
      ? answer.text
          .trimEnd()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : []
  return { ...answer, results }
}

/** Opens an import whose lines the test writes when it likes. */
const open = async () => {
  const request = httpRequest({
    port: server.port,
    method: "POST",
    path: PATH,
    headers: { authorization: `ApiKey ${server.ours.secretKey}`, "content-type": "application/x-ndjson" }
  })
  request.on("error", () => {})
  request.flushHeaders()
  const responded = once(request, "response") as Promise<[IncomingMessage]>
  return { request, responded }
}

describe("POST /api/v1/devices/import", () => {
  it("takes no compressed lines: nothing is unpacked beyond its bounds", async () => {
    const { json, status } = await send(lineOf(1), { "content-encoding": "gzip" })
    expect([status, json.error.code]).toEqual([415, "unsupported_media_type"])
    expect(await server.count("devices")).toBe(0)
  })

  it("answers a line for each line, in their order, and stores chunks of a thousand", async () => {
    const before = chunks().length
    const { status, headers, results } = await send(linesOf(2500).join("\n"))
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("application/x-ndjson")
    expect(results.map(({ line }) => line)).toEqual(Array.from({ length: 2500 }, (_, i) => i + 1))
    expect(results.every(({ created }) => created === true)).toBe(true)
    expect(chunks().slice(before)).toEqual([1000, 1000, 500])
    const again = await send(`${linesOf(2500).join("\n")}\n`)
    expect(again.results.map(({ id }) => id)).toEqual(results.map(({ id }) => id))
    expect(again.results.every(({ created }) => created === false)).toBe(true)
  })

  it("tells which lines are wrong and stores the others", async () => {
    const { results } = await send(
      [
        lineOf(10_000),
        "not json",
        "",
        '{"token":"ab","platform":"tv"}',
        `{"token":"${"a".repeat(70_000)}","platform":"android"}`,
        '{"token":"abababababababab","platform":"ios","__proto__":1}',
        "[]",
        JSON.stringify({ ...registerExample, token: "https://192.168.1.1/send/1" }),
        JSON.stringify({ ...registerExample, token: "https://push.invalid/1" }),
        JSON.stringify({ ...registerExample, web_push_p256dh: `BA${"A".repeat(85)}` }),
        JSON.stringify({ token: "a".repeat(65), platform: "ios" }),
        lineOf(10_001)
      ].join("\r\n")
    )
    expect(results).toMatchObject([
      { line: 1, created: true },
      { line: 2, error: { code: "validation_error", details: [{ field: "body" }] } },
      { line: 4, error: { code: "validation_error", details: [{ field: "platform" }] } },
      {
        line: 5,
        error: { code: "validation_error", details: [{ field: "body", message: "must be at most 65536 bytes" }] }
      },
      { line: 6, error: { code: "validation_error", details: [{ field: "__proto__" }] } },
      { line: 7, error: { code: "validation_error" } },
      { line: 8, error: { code: "validation_error", details: [{ field: "token" }] } },
      { line: 9, error: { code: "validation_error", details: [{ field: "token" }] } },
      { line: 10, error: { code: "validation_error", details: [{ field: "web_push_p256dh" }] } },
      { line: 11, error: { code: "validation_error", details: [{ field: "token" }] } },
      { line: 12, created: true }
    ])
  })

  it("answers every line in the documented shape", async () => {
    const { results } = await send(`${lineOf(20_000)}\nnonsense`)
    const { content } = server.document.paths[PATH]!["post"]!.responses["200"]!
    const isResult = schemaCompiler(server.document)(content!["application/x-ndjson"]!.schema)
    for (const result of results) expect(isResult(result), JSON.stringify(result)).toBe(true)
  })

  it("sends results while it still receives", async () => {
    const { request, responded } = await open()
    request.write(`${linesOf(1000, 30_000).join("\n")}\n`)
    const [response] = await responded
    const reader = createInterface({ input: response })[Symbol.asyncIterator]()
    for (let i = 0; i < 1000; i++) expect(JSON.parse((await reader.next()).value as string).line).toBe(i + 1)
    request.end(lineOf(31_000))
    expect(JSON.parse((await reader.next()).value as string)).toMatchObject({ line: 1001, created: true })
    expect((await reader.next()).done).toBe(true)
  })

  it("tries a chunk again that an outage kept from being stored, and goes on", async () => {
    const tried: Array<boolean> = []
    server.outage.before = (operation) =>
      Effect.sync(() => {
        if (operation !== "DeviceStore.register") return
        server.outage.isDown = tried.length === 1 || tried.length === 2
        tried.push(server.outage.isDown)
      })
    const { status, results } = await send(linesOf(3000, 40_000).join("\n"))
    server.outage.before = () => Effect.void
    expect(status).toBe(200)
    expect(tried).toEqual([false, true, true, false, false])
    expect(results).toEqual(
      Array.from({ length: 3000 }, (_, i) => ({ line: i + 1, id: expect.any(String), created: true }))
    )
  })

  it.each([
    ["its key is revoked", "UPDATE api_keys SET revoked_at = now() WHERE app_id"],
    [
      "its organization is deleted",
      "UPDATE organizations o SET deleted_at = now() FROM applications a WHERE a.organization_id = o.id AND a.id"
    ]
  ])("ends where %s, says so, and writes nothing more", async (_, statement) => {
    // One of its own: the applications of a server have one organization.
    const own = await startServer()
    onTestFinished(() => own.stop())
    const { appId, secretKey: key } = own.ours
    let count = 0
    const take = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`${statement} = '${appId}'`))
    own.outage.before = (operation) =>
      operation === "DeviceStore.register" && ++count === 2
        ? Effect.promise(() => own.run(take)).pipe(Effect.asVoid)
        : Effect.void
    const answer = await own.call("POST", PATH, {
      key,
      raw: linesOf(3000, 60_000).join("\n"),
      headers: { "content-type": "application/x-ndjson" }
    })
    const results = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(results.slice(0, 1000).every(({ created }) => created)).toBe(true)
    expect(results.slice(1000, 2000).every(({ error }) => error?.code === "forbidden")).toBe(true)
    expect(results.slice(2000)).toEqual([
      {
        line: 2001,
        error: expect.objectContaining({ code: "forbidden", message: expect.stringContaining("ended here") })
      }
    ])
    const rows = await own.sql`SELECT 1 FROM devices WHERE app_id = ${appId}`
    expect(rows.length).toBe(1000)
  })

  it("stores what came whole when the client hangs up, and forgets the rest", async () => {
    const { request, responded } = await open()
    request.write(`${linesOf(1000, 50_000).join("\n")}\n${lineOf(51_000)}\n`)
    const [response] = await responded
    await once(response, "data")
    response.on("error", () => {})
    const closed = new Promise((resolve) => response.on("close", resolve))
    request.destroy()
    await closed
    // Another request finds the server well, the first chunk stored, and the unfinished second not.
    const list = await server.call("GET", "/api/v1/devices?limit=1", { key: server.ours.secretKey })
    expect(list.status).toBe(200)
    const [last, unfinished] = [50_999, 51_000].map((i) => i.toString(16).padStart(32, "0"))
    expect(await server.sql`SELECT token FROM devices WHERE token IN (${last}, ${unfinished})`).toEqual([
      { token: last }
    ])
  })

  it("refuses an import that announces too much, and stops one that turns out to be", async () => {
    const padded = (i: number) => `${lineOf(i)}${" ".repeat(3900)}`
    const lines = Array.from({ length: 1100 }, (_, i) => padded(60_000 + i))
    expect((await send(lines.join("\n"))).status).toBe(413)

    const { request, responded } = await open()
    for (const line of lines) request.write(`${line}\n`)
    request.end()
    const [response] = await responded
    const results: Array<{ line: number; error?: { code: string } }> = []
    for await (const line of createInterface({ input: response })) results.push(JSON.parse(line))
    const last = results.pop()!
    expect(last.error?.code).toBe("payload_too_large")
    expect(results.every(({ error }) => error === undefined)).toBe(true)
    expect(results.length).toBeLessThanOrEqual(Math.floor(IMPORT_LIMIT / 3900))
    expect(last.line).toBe(results.length + 1)
  })

  it("answers nothing for nothing", async () => {
    const { status, results } = await send("\n\n")
    expect(status).toBe(200)
    expect(results).toEqual([])
  })

  it("wants lines, and a secret key", async () => {
    expect((await send(lineOf(1), { "content-type": "application/json" })).status).toBe(415)
    const answer = await server.call("POST", PATH, {
      key: server.ours.publicKey,
      raw: lineOf(1),
      headers: { "content-type": "application/x-ndjson" }
    })
    expect(answer.status).toBe(403)
  })
})
