/* A service that answers as a case says, one answer after the other, and remembers what it was asked. */

import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"

export interface Seen {
  readonly method: string
  /** Below the base address, with the query. */
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  /** Tells connections apart. */
  readonly port: number
  /** Milliseconds of a clock that only goes forward. */
  readonly at: number
}

export type Reply = (response: ServerResponse, request: IncomingMessage, body: string) => void | Promise<void>

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** A text that says of itself that it is JSON, or lines of it. */
export const raw =
  (body: string): Reply =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(body)

export const refusal = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  details: ReadonlyArray<unknown> = []
): Reply => json(status, { error: { code, message: `It is ${code}`, details, request_id: "req-1" } }, headers)

export const html =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "text/html", ...headers }).end("<html>Bad gateway</html>")

/** The connection ends before anything is said. */
export const hangUp: Reply = (response) => void response.destroy()

/** Half of a body that was promised, then nothing more on a connection that ends. */
export const cutOff: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
  response.write('{"id": "half', () => setImmediate(() => response.destroy()))
}

/** Half of a body, and the other half never. */
export const stall: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
  response.write('{"id": "half')
}

/** Never a word. */
export const silence: Reply = () => {}

export const page = (data: ReadonlyArray<unknown>, next: string | null): Reply => json(200, { data, next_cursor: next })

/** Texts as they are, one write each; then the end, or a connection that breaks. */
export const texts =
  (parts: ReadonlyArray<string | Uint8Array>, isBroken = false): Reply =>
  async (response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    for (const part of parts) {
      await new Promise((resolve) => response.write(part, resolve))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (isBroken) response.destroy()
    else response.end()
  }

export const device = (i: number) => ({
  id: `01941b2e-7c10-7d3a-9f00-${String(i).padStart(12, "0")}`,
  platform: "android",
  token: `token-${i}`,
  user_id: null,
  tags: ["a"],
  timezone: null,
  environment: "production",
  metadata: {},
  web_push_p256dh: null,
  web_push_auth: null,
  status: "active",
  invalid_reason: null,
  created_at: "2026-01-15T09:30:00.000Z",
  last_seen_at: "2026-01-15T09:30:00.000Z"
})

/** Until more can be written, or nobody reads any longer. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })

/** So many devices as lines, no faster than they are read. */
export const exported =
  (count: number): Reply =>
  async (response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    for (let i = 0; i < count && !response.destroyed; i += 500) {
      const lines = Array.from({ length: Math.min(500, count - i) }, (_, at) => `${JSON.stringify(device(i + at))}\n`)
      if (!response.write(lines.join(""))) await drained(response)
    }
    response.end()
  }

/** Makes results so long that many of them kept would show in a process's memory. */
const NOTE = "x".repeat(300)

/** A result for each line, as it comes. A line with `"platform":"bad"` is refused. */
export const imported = async (response: ServerResponse, request: IncomingMessage): Promise<number> => {
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  let line = 0
  for await (const text of createInterface({ input: request, crlfDelay: Infinity })) {
    line++
    const result = text.includes('"platform":"bad"')
      ? { line, error: { code: "validation_error", message: "no such platform", details: [] } }
      : { line, id: device(line).id, created: true, note: NOTE }
    if (!response.write(`${JSON.stringify(result)}\n`) && !response.destroyed) await drained(response)
  }
  response.end()
  return line
}

export interface Script {
  readonly baseUrl: string
  readonly seen: ReadonlyArray<Seen>
  /** Lines that imports have brought. */
  readonly lines: () => number
}

/** Scripts are told apart by the path that base addresses end with, which clients have to keep. */
export const startMisbehaving = async () => {
  const scripts = new Map<string, { replies: Array<Reply | "import">; seen: Array<Seen>; lines: number }>()
  const server = createServer(async (request, response) => {
    const [, name, path] = /^\/(case-\d+)(\/.*)$/.exec(request.url ?? "") ?? []
    const script = scripts.get(name ?? "")
    if (script === undefined) return void response.writeHead(404).end()
    const next = script.replies.length > 1 ? script.replies.shift()! : script.replies[0]!
    const port = request.socket.remotePort!
    const entry = { method: request.method!, path: path!, headers: request.headers, port, at: performance.now() }
    if (next === "import") {
      script.seen.push({ ...entry, body: "" })
      script.lines += await imported(response, request).catch(() => 0)
      return
    }
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString("utf8")
    script.seen.push({ ...entry, body })
    await next(response, request, body)
  })
  server.on("clientError", (_, socket) => socket.destroy())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** The last reply is given again and again. */
    script: (replies: ReadonlyArray<Reply | "import">): Script => {
      const name = `case-${scripts.size}`
      const script = { replies: [...replies], seen: [] as Array<Seen>, lines: 0 }
      scripts.set(name, script)
      return { baseUrl: `${origin}/${name}`, seen: script.seen, lines: () => script.lines }
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
