import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { authorization, BODY_LIMIT, startServer } from "../TestServer.ts"

/*
 * Clients that send the head of a request, and its body only when they were told `100 Continue`, such as Java's
 * HttpClient with expectContinue. A client that is told nothing waits for ever, and so does its test.
 */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

/** A connection of a client that reads one answer after the other. */
const open = async () => {
  const socket = connect(server.port, "127.0.0.1")
  socket.on("error", () => {})
  await once(socket, "connect")
  let text = ""
  let isClosed = false
  let heard = () => {}
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk
    heard()
  })
  socket.on("close", () => {
    isClosed = true
    heard()
  })
  const until = async (isThere: () => boolean) => {
    while (!isThere()) {
      if (isClosed) throw new Error(`the connection was closed after: ${text}`)
      await new Promise<void>((resolve) => (heard = resolve))
    }
  }
  /** The head of the next answer: its status, its header fields in lower case. */
  const head = async () => {
    await until(() => text.includes("\r\n\r\n"))
    const end = text.indexOf("\r\n\r\n")
    const [start = "", ...lines] = text.slice(0, end).split("\r\n")
    text = text.slice(end + 4)
    const headers = new Map(lines.map((line) => line.toLowerCase().split(/: (.*)/s, 2) as [string, string]))
    return { status: Number(start.split(" ")[1]), headers }
  }
  const body = async (headers: ReadonlyMap<string, string>) => {
    const length = headers.get("content-length")
    if (length === undefined && headers.get("connection") === "close") {
      await until(() => isClosed)
      return text
    }
    const isThere = () => (length === undefined ? /(^|\r\n)0\r\n\r\n/.test(text) : text.length >= Number(length))
    await until(isThere)
    const end = length === undefined ? text.search(/(^|\r\n)0\r\n\r\n/) + 7 : Number(length)
    const read = text.slice(0, end)
    text = text.slice(end)
    return read.trim()
  }
  /** Sends a head, waits to be told, sends the body. */
  const ask = async (line: string, fields: ReadonlyArray<string>, content: string) => {
    socket.write(`${[line, "Host: a", ...fields, "Expect: 100-continue"].join("\r\n")}\r\n\r\n`)
    const first = await head()
    if (first.status !== 100) return { isTold: false, ...first, text: await body(first.headers) }
    socket.write(content)
    const answer = await head()
    return { isTold: true, ...answer, text: await body(answer.headers) }
  }
  return { ask, socket, closed: () => until(() => isClosed).catch(() => {}) }
}

const key = () => `Authorization: ${authorization(server.ours.secretKey)}`
const length = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`
const LINES = "Content-Type: application/x-ndjson"
const device = (i: number) => `${JSON.stringify({ token: i.toString(16).padStart(32, "0"), platform: "ios" })}\n`
const IMPORTS: ReadonlyArray<[string, string]> = [
  ["/api/v1/devices/import", device(1) + device(2)],
  ["/api/v1/contacts/import", '{"external_id":"a"}\n{"external_id":"b"}\n']
]

describe("a client that waits for 100 Continue", () => {
  it.each(IMPORTS)(
    "is told so by %s, and answered line by line, again and again on one connection",
    async (path, lines) => {
      const client = await open()
      for (let i = 0; i < 3; i++) {
        const answer = await client.ask(`POST ${path} HTTP/1.1`, [key(), LINES, length(lines)], lines)
        expect([answer.isTold, answer.status]).toEqual([true, 200])
        expect(answer.text.match(/"line":\d,"id"/g)).toHaveLength(2)
      }
      const chunks = `${lines.length.toString(16)}\r\n${lines}\r\n0\r\n\r\n`
      const chunked = await client.ask(`POST ${path} HTTP/1.1`, [key(), LINES, "Transfer-Encoding: chunked"], chunks)
      expect(chunked.text.match(/"line":\d,"id"/g)).toHaveLength(2)
      client.socket.destroy()
    }
  )

  it("is told so by every endpoint that takes a body, and answered on a connection that stays", async () => {
    const { publicKey } = server.ours
    const takers = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, security }]) => {
        const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
        if (type === undefined) return []
        const example = typeof media!.example === "string" ? media!.example : JSON.stringify(media!.example)
        const isPublic = security.some((scheme) => /public/i.test(JSON.stringify(scheme)))
        return [
          {
            method: method.toUpperCase(),
            path: path.replace(/\{[^}]+\}/g, crypto.randomUUID()),
            type,
            example,
            isPublic
          }
        ]
      })
    )
    expect(new Set(takers.map(({ method }) => method))).toEqual(new Set(["POST", "PUT", "PATCH", "DELETE"]))
    const client = await open()
    for (const { example, isPublic, method, path, type } of takers) {
      const fields = [isPublic ? `Authorization: ${authorization(publicKey)}` : key(), `Content-Type: ${type}`]
      const answer = await client.ask(`${method} ${path} HTTP/1.1`, [...fields, length(example)], example)
      expect([method, path, answer.isTold]).toEqual([method, path, true])
      expect([method, path, answer.status < 500, answer.headers.get("connection")]).toEqual([
        method,
        path,
        true,
        "keep-alive"
      ])
    }
    client.socket.destroy()
  })

  it.each([
    ["without a key", 401, () => [LINES, "Content-Length: 100"]],
    ["with a body that is none of lines", 415, () => [key(), "Content-Type: text/plain", "Content-Length: 100"]],
    ["with an import that is too large", 413, () => [key(), LINES, "Content-Length: 99999999999999"]]
  ])("is refused at once %s, and its connection ends", async (_, status, fields) => {
    for (const [path] of IMPORTS) {
      const client = await open()
      const answer = await client.ask(`POST ${path} HTTP/1.1`, fields(), "")
      expect([answer.isTold, answer.status, answer.headers.get("connection")]).toEqual([false, status, "close"])
      await client.closed()
    }
  })

  it("is refused at once with a body that is too large", async () => {
    const client = await open()
    const fields = [key(), "Content-Type: application/json", `Content-Length: ${BODY_LIMIT + 1}`]
    const answer = await client.ask("POST /api/v1/contacts HTTP/1.1", fields, "")
    expect([answer.isTold, answer.status]).toEqual([false, 413])
    await client.closed()
  })

  it("is refused at once when its requests are used up", async () => {
    const limited = await startServer({ rateLimits: { secret: { requests: 1, windowMs: 60_000 } } })
    const before = server
    server = limited
    try {
      const [[path, lines]] = IMPORTS as [[string, string]]
      const client = await open()
      expect((await client.ask(`POST ${path} HTTP/1.1`, [key(), LINES, length(lines)], lines)).status).toBe(200)
      const answer = await client.ask(`POST ${path} HTTP/1.1`, [key(), LINES, length(lines)], lines)
      expect([answer.isTold, answer.status]).toEqual([false, 429])
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
      await client.closed()
    } finally {
      server = before
      await limited.stop()
    }
  })

  it("needs to name its host like everybody else", async () => {
    const client = await open()
    client.socket.write("POST /api/v1/contacts HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    let text = ""
    client.socket.on("data", (chunk: string) => (text += chunk))
    await client.closed()
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain("needs a Host header")
  })

  it("is told nothing by HTTP/1.0, which does not have it", async () => {
    const [[path, lines]] = IMPORTS as [[string, string]]
    const client = await open()
    const fields = [key(), LINES, length(lines), "Connection: keep-alive", "Expect: 100-continue"]
    client.socket.write(`${[`POST ${path} HTTP/1.0`, ...fields].join("\r\n")}\r\n\r\n${lines}`)
    let text = ""
    client.socket.on("data", (chunk: string) => (text += chunk))
    await client.closed()
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).not.toContain("100 Continue")
  })
})
