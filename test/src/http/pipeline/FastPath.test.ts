import { Effect, Exit, Scope } from "effect"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeFastPath, open } from "../../../../src/http/pipeline/FastPath.ts"
import { makeNodeServer } from "../../../../src/http/pipeline/Server.ts"
import type { Entered, FastRoute } from "../../../../src/http/pipeline/FastEntry.ts"
import { closed } from "../../../Sockets.ts"
import type { TestServer } from "../TestServer.ts"
import { authorization, BODY_LIMIT, startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

interface Raw {
  readonly status: string
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

/**
 * A request as bytes, and the answer without what differs from one to the next: one less request is left after each.
 */
const exchange = async (path: string, headers: ReadonlyArray<string>, body: string): Promise<Raw> => {
  const socket = connect(server.port, "127.0.0.1")
  const head = [`POST ${path} HTTP/1.1`, "Host: a", "Connection: close", "Content-Type: application/json", ...headers]
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`)
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  await closed(socket)
  // Both ways may answer `100 Continue` first where it was asked for.
  const answer = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "")
  const [start = "", ...lines] = answer.slice(0, answer.indexOf("\r\n\r\n")).split("\r\n")
  const id = /x-request-id: (\S+)/i.exec(answer)?.[1] ?? ""
  return {
    status: start,
    headers: lines
      .filter((line) => !/^(date|x-request-id|x-ratelimit-remaining):/i.test(line))
      .map((line) => line.toLowerCase())
      .sort(),
    body: answer.slice(answer.indexOf("\r\n\r\n") + 4).replaceAll(id, "the request's id")
  }
}

const DEVICE = '{"token":"abababababababab","platform":"ios"}'
const PATH = "/api/v1/public/devices"
const length = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`

describe("the fast path and the router", () => {
  it.each([
    ["a good request", DEVICE, true],
    ["a body that the schema refuses", '{"token":7}', true],
    ["a body that is no JSON", "{", true],
    ["a request without a key", DEVICE, false]
  ])("answer %s alike, to the byte", async (_, body, hasKey) => {
    const key = hasKey ? [`Authorization: ${authorization(server.ours.publicKey)}`] : []
    // Registered once before, so that both find the same device.
    await server.call("POST", PATH, { key: server.ours.publicKey, raw: DEVICE })
    const fastPath = await exchange(PATH, [...key, length(body)], body)
    const byQuery = await exchange(`${PATH}?a=1`, [...key, length(body)], body)
    const chunked = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const byChunks = await exchange(PATH, [...key, "Transfer-Encoding: chunked"], chunked)
    const waiting = await exchange(PATH, [...key, length(body), "Expect: 100-continue"], body)
    expect(fastPath.status).toMatch(/^HTTP\/1\.1 (201|400|401) /)
    expect(byQuery).toEqual(fastPath)
    expect(byChunks).toEqual(fastPath)
    expect(waiting).toEqual(fastPath)
  })

  it("refuse a body that is too large alike", async () => {
    const body = `{"token":"${"a".repeat(BODY_LIMIT)}"}`
    const key = `Authorization: ${authorization(server.ours.publicKey)}`
    const announced = await exchange(PATH, [key, length(body)], body)
    expect(announced.status).toContain("413")
  })

  it("serve requests that follow each other on one connection, whichever way each of them goes", async () => {
    const socket = connect(server.port, "127.0.0.1")
    const key = `Authorization: ${authorization(server.ours.publicKey)}`
    const of = (path: string, last: boolean) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\nContent-Type: application/json\r\n${length(DEVICE)}\r\n` +
      `${last ? "Connection: close\r\n" : ""}\r\n${DEVICE}`
    socket.write(of(PATH, false) + of(`${PATH}?a=1`, false) + of(PATH, false) + of("/nowhere", false) + of(PATH, true))
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    await closed(socket)
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      "201",
      "201",
      "201",
      "404",
      "201"
    ])
  })

  it("answer in order when hundreds of requests, right and wrong, come in one chunk", async () => {
    const socket = connect(server.port, "127.0.0.1")
    const key = `Authorization: ${authorization(server.ours.publicKey)}`
    const bodies = [DEVICE, '{"token":7}', "{", DEVICE]
    // The first ones wait for permits; for the later ones some are at hand, and nothing is to be waited for.
    const all = Array.from({ length: 400 }, (_, i) => bodies[i % bodies.length]!)
    const head = (body: string, more: string) =>
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\n${key}\r\nContent-Type: application/json\r\n${length(body)}\r\n${more}\r\n${body}`
    socket.write(all.map((body, i) => head(body, i === all.length - 1 ? "Connection: close\r\n" : "")).join(""))
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    await closed(socket)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(all.map((body) => (body === DEVICE ? "201" : "400")))
    const left = [...text.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map(([, value]) => Number(value))
    expect(left).toHaveLength(all.length)
    const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(1)
  })
})

describe("open", () => {
  /** A server whose only path is served by this route. */
  const serving = async (route: FastRoute) => {
    const fastPath = makeFastPath()
    const server = makeNodeServer(fastPath, { requests: 1, windowMs: 60_000 })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const scope = await Effect.runPromise(Scope.make())
    await Effect.runPromise(
      Scope.provide(
        open(fastPath, "/", route, () => ({ "x-request-id": "r" })),
        scope
      )
    )
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    const isClosed = closed(socket)
    return {
      socket,
      closeScope: () => Effect.runPromise(Scope.close(scope, Exit.void)),
      answer: async () => {
        await isClosed
        server.close()
        return text
      }
    }
  }

  /** Work that is waited for as long as it takes. */
  const withoutLimit = (work: Entered["work"]): Entered => ({ owner: "a", work, wait: () => () => {} })
  const whole = () => Effect.die("the whole pipeline was run")
  const HEAD = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\n"

  it("hands a body over when all of it is there, in however many chunks it came", async () => {
    let entered = () => {}
    const isIn = new Promise<void>((resolve) => (entered = resolve))
    const { answer, socket } = await serving({
      whole,
      bodyLimit: 100,
      enter: () => {
        entered()
        return withoutLimit((read) => Effect.succeed({ status: 200, body: String(read), headers: {} }))
      }
    })
    socket.write(`${HEAD}a`)
    await isIn
    socket.write("bcd")
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nabcd$/)
  })

  it("cuts short whose body is on its way when the server stops, and lets nothing of it begin", async () => {
    let entered = () => {}
    const isIn = new Promise<void>((resolve) => (entered = resolve))
    let begun = 0
    const { answer, closeScope, socket } = await serving({
      whole,
      bodyLimit: 100,
      enter: () => {
        entered()
        return withoutLimit(() => {
          begun++
          return Effect.never
        })
      }
    })
    socket.write(`${HEAD}a`)
    await isIn
    await closeScope()
    expect(await answer()).toMatch(/^HTTP\/1\.1 503 [\s\S]*"unavailable"/)
    expect(begun).toBe(0)
  })

  it("interrupts the work of a client that has gone", async () => {
    let interrupted = () => {}
    const isInterrupted = new Promise<void>((resolve) => (interrupted = resolve))
    const reads: Array<string> = []
    const { answer, socket } = await serving({
      whole,
      bodyLimit: 100,
      enter: () =>
        withoutLimit((read) => {
          reads.push(Buffer.isBuffer(read) ? "whole" : read.code)
          return Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted()))
        })
    })
    socket.write(`${HEAD}abcd`, () => socket.destroy())
    await isInterrupted
    await answer()
    expect(reads).toEqual(["whole"])
  })
})
