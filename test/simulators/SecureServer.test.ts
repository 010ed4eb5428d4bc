import { connect as tcp } from "node:net"
import { connect as tls } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listenSecure, type Exchange } from "../../simulators/SecureServer.ts"
import { certificates, open, request, StreamEnded } from "./Client.ts"

type Server = Awaited<ReturnType<typeof listenSecure>>

/** Answers with the body's length; `/go` is met by GOAWAY, `/late` is answered when `release` is called. */
let server: Server
let seen: Array<string> = []
let late: Array<() => void> = []

const handle = (exchange: Exchange): void => {
  seen.push(exchange.path)
  if (exchange.path === "/go") return exchange.goaway("Shutdown")
  const answer = () => exchange.answer(200, {}, String(exchange.body.length))
  if (exchange.path === "/late") late.push(answer)
  else answer()
}

beforeAll(async () => {
  server = await listenSecure({
    certificates,
    http1: false,
    maxConcurrentStreams: 1000,
    onConnection: () => {},
    handle
  })
})
afterAll(() => server.close())

/** The status of an answered request, or the code its stream ended with. */
const outcome = (attempt: ReturnType<typeof request>): Promise<string> =>
  attempt.then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => {
      if (error instanceof StreamEnded) return `ended ${error.code}`
      throw error
    }
  )

describe("a simulator's server", () => {
  it("puts a body together that came in many chunks", async () => {
    const session = await open(server.url)
    const answer = await request(session, { ":path": "/" }, "x".repeat(300_000))
    expect(answer.body).toBe("300000")
    session.destroy()
  })

  it("resets a stream that sends more than any provider takes", async () => {
    const session = await open(server.url)
    expect(await outcome(request(session, { ":path": "/huge" }, "x".repeat(3_000_000)))).toBe("ended 8")
    expect(seen).not.toContain("/huge")
    session.destroy()
  })

  it("after GOAWAY answers exactly what came before it, and processes nothing that came after", async () => {
    const session = await open(server.url)
    seen = []
    late = []
    const last = new Promise<number>((resolve) => {
      session.once("goaway", (_code, id) => resolve(id))
    })
    const paths = ["/early", "/late", "/early", "/late", "/go", "/after", "/after", "/after"]
    const attempts = paths.map((path) => outcome(request(session, { ":path": path })))
    // Streams 1, 3, 5 and 7 were handed over before the one that met GOAWAY.
    expect(await last).toBe(7)
    expect(late).toHaveLength(2)
    for (const answer of late) answer()
    expect(await Promise.all(attempts.slice(0, 4))).toEqual(Array.from({ length: 4 }, () => "answered 200"))
    const rest = await Promise.all(attempts.slice(4))
    expect(rest.filter((end) => end.startsWith("answered"))).toEqual([])
    expect(seen).toEqual(paths.slice(0, 5))
    session.destroy()
  })

  it("speaks to no client that cannot agree on HTTP/2", async () => {
    const refusal = await new Promise<string>((resolve) => {
      const socket = tls({
        host: "127.0.0.1",
        port: server.port,
        ca: certificates.ca,
        ALPNProtocols: ["http/1.1"]
      })
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""))
    })
    expect(refusal).toMatch(/NO_APPLICATION_PROTOCOL|ALERT/)
  })

  it("closes though a client never finishes its handshake", async () => {
    const brief = await listenSecure({
      certificates,
      http1: true,
      maxConcurrentStreams: 1,
      onConnection: () => {},
      handle
    })
    const idle = tcp(brief.port, "127.0.0.1")
    const closed = new Promise((resolve) => {
      idle.once("close", resolve)
    })
    idle.on("error", () => {})
    idle.resume()
    await new Promise((resolve) => {
      idle.once("connect", resolve)
    })
    await brief.close()
    idle.destroy()
    await closed
    await expect(open(brief.url)).rejects.toThrow("ECONNREFUSED")
  })
})
