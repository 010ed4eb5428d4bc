import { once } from "node:events"
import { request } from "node:http"
import type { Socket } from "node:net"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeFastPath } from "../../../../src/http/pipeline/FastPath.ts"
import { GracefulShutdown } from "../../../../src/http/pipeline/GracefulShutdown.ts"
import { makeNodeServer } from "../../../../src/http/pipeline/Server.ts"
import { closed } from "../../../Sockets.ts"
import type { TestServer } from "../TestServer.ts"
import { authorization, startServer } from "../TestServer.ts"

/*
 * Clients that take their time: each holds what a request costs for as long as it may. All of them run beside each other,
 * because each test takes as long as a deadline.
 */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

/** Longer than every deadline, for machines with much else to do. Nobody was ever cut off before. */
const LONG_MS = 110_000

/** Sends a byte now and then until it is cut off; answers what it heard. */
const drip = async (head: string, bytes: string, everyMs = 500): Promise<string> => {
  const socket = connect(server.port, "127.0.0.1")
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const isClosed = closed(socket)
  socket.write(head)
  let at = 0
  const timer = setInterval(() => {
    if (socket.writable) socket.write(bytes[at++ % bytes.length]!)
  }, everyMs)
  let isLate = false
  const timeout = setTimeout(() => {
    isLate = true
    socket.destroy()
  }, LONG_MS)
  // A byte that is sent in the moment of the cut is answered by a reset, which is a cut as well.
  await isClosed
  clearInterval(timer)
  clearTimeout(timeout)
  if (isLate) throw new Error("never cut off")
  return text
}

const post = (path: string, more: ReadonlyArray<string>) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    `Authorization: ${authorization(server.ours.secretKey)}`,
    "Content-Type: application/json",
    ...more,
    "",
    ""
  ].join("\r\n")

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe.concurrent("a client that sends a byte now and then", () => {
  it(
    "is answered 408 and cut off, whatever way its body comes",
    async () => {
      const ways: ReadonlyArray<readonly [more: ReadonlyArray<string>, bytes: string]> = [
        [["Content-Length: 90000"], "x"],
        [["Content-Length: 90000", "Expect: 100-continue"], "x"],
        [["Transfer-Encoding: chunked"], "1\r\nx\r\n"],
        [["Transfer-Encoding: chunked", "Expect: 100-continue"], "1\r\nx\r\n"]
      ]
      const answers = await Promise.all(
        ways.map(async ([more, bytes]) => ({ more, text: await drip(post("/api/v1/notifications", more), bytes) }))
      )
      for (const { more, text } of answers) {
        expect(
          statusesOf(text).filter((status) => status !== 100),
          more.join()
        ).toEqual([408])
        expect(text, more.join()).toContain('"request_timeout"')
        expect(text.toLowerCase(), more.join()).toContain("connection: close")
      }
    },
    LONG_MS + 20_000
  )

  it(
    "is cut off within its headers, and before them",
    async () => {
      const [within, before] = await Promise.all([
        drip("GET /healthz HTTP/1.1\r\nHost: a\r\n", "x-a: b\r\n"),
        drip("", "\r\n")
      ])
      expect(statusesOf(within)).toEqual([408])
      expect(statusesOf(before).filter((status) => status !== 408)).toEqual([])
    },
    LONG_MS + 20_000
  )

  it(
    "has an import end with a line that says so",
    async () => {
      const head = post("/api/v1/devices/import", ["Transfer-Encoding: chunked"]).replace(
        "application/json",
        "application/x-ndjson"
      )
      const line = '{"platform":"android","token":"a-token-of-twenty-characters"}\n'
      const text = await drip(`${head}${line.length.toString(16)}\r\n${line}\r\n`, "1\r\n{\r\n")
      expect(statusesOf(text)).toEqual([200])
      expect(text).toContain('"line":1,"id"')
      expect(text).toMatch(/"line":2,"error":\{"code":"request_timeout"/)
    },
    LONG_MS + 20_000
  )

  it(
    "is cut off with what is left of a body, once it has its answer",
    async () => {
      const text = await drip(post("/nothing", ["Content-Length: 90000"]), "x")
      expect(statusesOf(text)).toEqual([404])
    },
    LONG_MS + 20_000
  )
})

/** Sends everything before it reads anything, as Python's urllib does, and Apache as a proxy. */
const blockingPost = async (head: string, bytes: number): Promise<string> => {
  const socket = connect(server.port, "127.0.0.1")
  const isClosed = closed(socket)
  let text = ""
  socket.setEncoding("utf8").pause()
  await once(socket, "connect")
  socket.write(head)
  const part = Buffer.alloc(65_536, "x")
  for (let sent = 0; sent < bytes; sent += part.length) {
    await new Promise<void>((resolve, reject) =>
      socket.write(part.subarray(0, Math.min(part.length, bytes - sent)), (error) =>
        error ? reject(error) : resolve()
      )
    )
  }
  socket.on("data", (chunk: string) => (text += chunk)).resume()
  await isClosed
  return text
}

describe("a client that reads its answer only when it has sent everything", () => {
  const bytes = 12_000_000
  it.each([
    ["a key that is wrong", ["Authorization: ApiKey sk_bad"], "/api/v1/devices/import", 401],
    ["a body that is too large", [], "/api/v1/notifications", 413],
    ["a path where nothing is", [], "/nothing", 404]
  ])("is told of %s", async (_, fields, path, status) => {
    const known = fields.length > 0 ? fields : [`Authorization: ${authorization(server.ours.secretKey)}`]
    const lines = [`POST ${path} HTTP/1.1`, "Host: x", ...known, `Content-Length: ${bytes}`]
    const type = path.endsWith("import") ? "application/x-ndjson" : "application/json"
    const text = await blockingPost(`${[...lines, `Content-Type: ${type}`].join("\r\n")}\r\n\r\n`, bytes)
    expect(statusesOf(text)).toEqual([status])
    expect(text).toMatch(/\{"error":.*\}\s*$/s)
  })
})

describe("connections", () => {
  const openSocket = async (port: number): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {})
    await once(socket, "connect")
    return socket
  }

  it("of one address are so many at most, but for proxies, and places are given back", async () => {
    const serve = async (trusted: string) => {
      const { trustedProxies } = (await import("../../../../layers/config/Settings.ts")).read({
        TRUSTED_PROXIES: trusted
      })
      const node = makeNodeServer(makeFastPath(), { requests: 1, windowMs: 60_000 }, new GracefulShutdown(), {
        perAddress: 3,
        trustedProxies
      })
      node.on("request", (_, response) => response.end("ok"))
      node.listen(0, "127.0.0.1")
      await once(node, "listening")
      return { node, port: (node.address() as { port: number }).port }
    }
    const answers = (port: number) =>
      new Promise<boolean>((resolve) => {
        request({ port, host: "127.0.0.1", agent: false }, (response) => {
          response.resume()
          resolve(true)
        })
          .on("error", () => resolve(false))
          .end()
      })
    const { node, port } = await serve("")
    const sockets = await Promise.all([openSocket(port), openSocket(port), openSocket(port)])
    expect(await answers(port)).toBe(false)
    sockets[0]!.destroy()
    while (!(await answers(port)));
    for (const socket of sockets) socket.destroy()
    node.close()
    const proxied = await serve("127.0.0.1")
    const many = await Promise.all(Array.from({ length: 6 }, () => openSocket(proxied.port)))
    expect(await answers(proxied.port)).toBe(true)
    for (const socket of many) socket.destroy()
    proxied.node.close()
  })

  it("whose bodies come after their answers, one request after another, leave nothing that listens behind", async () => {
    const node = makeNodeServer(makeFastPath(), { requests: 1, windowMs: 60_000 })
    const listening: Array<number> = []
    node.on("request", (incoming, response) => {
      listening.push(incoming.socket.listenerCount("close"))
      response.end("refused")
    })
    node.listen(0, "127.0.0.1")
    await once(node, "listening")
    const socket = await openSocket((node.address() as { port: number }).port)
    const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
    socket.write(head)
    for (let i = 0; i < 30; i++) {
      await once(socket, "data")
      // The rest of this one, and the next.
      socket.write(`body${head}`)
    }
    socket.destroy()
    node.close()
    expect(Math.max(...listening) - listening[0]!).toBeLessThan(3)
  })

  it("with more headers than a request has are answered 431", async () => {
    const socket = await openSocket(server.port)
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    const headers = Array.from({ length: 5_000 }, (_, i) => `x-${i}: y\r\n`)
    socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n${headers.join("")}\r\n`)
    await closed(socket)
    expect(statusesOf(text)).toEqual([431])
  })

  it("carry HEAD and OPTIONS of every kind, and what is no method of this service, without holding anything", async () => {
    const ask = async (line: string) => {
      const socket = await openSocket(server.port)
      let text = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      socket.write(`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      await closed(socket)
      return statusesOf(text)[0]
    }
    expect(await ask("HEAD /healthz")).toBe(200)
    expect(await ask("HEAD /nothing")).toBe(404)
    expect(await ask("OPTIONS *")).toBe(404)
    expect(await ask("OPTIONS /healthz")).toBe(405)
    expect(await ask("TRACE /healthz")).toBe(405)
    expect(await ask("CONNECT a:80")).toBe(405)
  })
})
