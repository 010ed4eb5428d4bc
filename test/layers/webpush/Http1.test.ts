import { Effect, Exit, Scope } from "effect"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer, type TLSSocket } from "node:tls"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterEach, describe, expect, it } from "vitest"
import { http1Pool } from "../../../layers/webpush/Http1.ts"
import { answerMemory } from "../../../services/ports/outbound/AnswerMemory.ts"
import { lastingPort } from "../../Ports.ts"
import { ENDLESS, MALFORMED, pour, POURED } from "../../Sockets.ts"
import { certificates } from "../http2/RawPeer.ts"
import { makeBatch, Results } from "../http2/Sending.ts"

const cleanups: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A push service that answers every request by these bytes, and nothing of the kind over HTTP/2. */
const service = async (answer: (socket: TLSSocket) => void) => {
  const { key, cert } = certificates
  const sockets: Array<TLSSocket> = []
  const resumed: Array<boolean> = []
  const server = createServer({ key, cert, ALPNProtocols: ["http/1.1"] }, (socket) => {
    sockets.push(socket.on("error", () => {}))
    resumed.push(socket.isSessionReused())
    let said = ""
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1")
      // The bodies of these tests hold no empty line.
      if (!/\r\n\r\nbody [0-9]+$/.test(said)) return
      said = ""
      answer(socket)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, "close")
  })
  return { port: (server.address() as AddressInfo).port, sockets, resumed }
}

const openPool = (port: number, requestMs?: number, allows?: (address: string) => boolean) => {
  const scope = Effect.runSync(Scope.make())
  cleanups.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const origin = { host: "localhost", port, address: "127.0.0.1", ...(allows !== undefined && { allows }) }
  return Effect.runPromise(
    Effect.provideService(http1Pool(origin, { ca: certificates.ca }, requestMs), Scope.Scope, scope)
  )
}

const send = async (port: number, count: number, requestMs?: number) => {
  const pool = await openPool(port, requestMs)
  const results = new Results()
  await Effect.runPromise(pool.send(makeBatch(results, count)))
  expect(results.calls).toBe(count)
  expect(answerMemory.bytes).toBe(0)
  return { answers: results.answers, failures: results.failures }
}

const head = (status: string, ...headers: ReadonlyArray<string>): string =>
  [`HTTP/1.1 ${status}`, ...headers, "", ""].join("\r\n")
const CRUMBS = "1\r\nx\r\n".repeat(3000)

describe("A push service over HTTP/1.1", () => {
  it("gives its answers, whole, over connections that are used again", async () => {
    const { port, sockets } = await service((socket) =>
      socket.write(
        head("100 Continue") +
          head("103 Early Hints") +
          head("100 Continue") +
          head("400 Bad", "content-length: 4", "retry-after: 7") +
          "text"
      )
    )
    const { answers } = await send(port, 100)
    expect(answers.size).toBe(100)
    for (const answer of answers.values()) {
      expect([answer.status, answer.header("retry-after"), answer.body]).toEqual([400, "7", "text"])
    }
    expect(sockets.length).toBeLessThanOrEqual(16)
  })

  it.each([
    ["goes on in chunks of one byte", `${head("201 Created", "transfer-encoding: chunked", "apns-id: 5")}${CRUMBS}`],
    ["is too large", head("201 Created", "content-length: 100000", "apns-id: 5") + "x".repeat(10_000)],
    ["does not come", head("201 Created", "content-length: 10", "apns-id: 5")]
  ])("has taken the message with its 201, when the body %s", async (_, said) => {
    const { port } = await service((socket) => socket.write(said))
    const { answers } = await send(port, 2, 500)
    for (const answer of answers.values()) {
      expect([answer.status, answer.header("apns-id"), answer.body]).toEqual([201, "5", ""])
    }
    expect(answers.size).toBe(2)
  })

  it.each<readonly [reason: string, what: string, said: string]>([
    ["too_large", "goes on in chunks of one byte", head("400 No", "transfer-encoding: chunked") + CRUMBS],
    ["too_large", "is too large", head("400 No", "content-length: 100000") + "x".repeat(10_000)],
    ["timeout", "does not come", head("400 No", "content-length: 10")],
    ["too_large", "has 100,000 bytes of headers", head("400 No", ...Array(1000).fill(`x-a: ${"x".repeat(100)}`))],
    ["protocol", "comes after forty interim ones", head("103 Early Hints").repeat(40) + head("400 No")],
    ["protocol", "comes after forty times 100 Continue", head("100 Continue").repeat(40) + head("400 No")],
    ...MALFORMED.map(([what, , answer]): [string, string, string] => ["protocol", what, answer])
  ])("fails with %s, when its refusal %s", async (reason, _, said) => {
    const { port } = await service((socket) => socket.write(said))
    const { failures } = await send(port, 2, 500)
    expect([...failures.values()]).toMatchObject([
      { reason, unprocessed: false },
      { reason, unprocessed: false }
    ])
  })

  it.each([
    ["within its length", head("400 No", "connection: close", "content-length: 5")],
    ["within a chunk", `${head("400 No", "connection: close", "transfer-encoding: chunked")}5\r\n`]
  ])("fails with closed, when its refusal is cut short %s", async (_, said) => {
    const { port } = await service((socket) => socket.end(said))
    const { failures } = await send(port, 1)
    expect(failures.get(0)).toMatchObject({ reason: "closed", unprocessed: false })
  })

  it.each(ENDLESS.flatMap(([part, begin]) => ["400", "201"].map((status) => [status, part, begin(status)] as const)))(
    "is cut off, when its %s has %s without an end",
    async (status, _, begin) => {
      const poured = Promise.withResolvers<number>()
      const { port } = await service((socket) => {
        socket.write(begin)
        poured.resolve(pour(socket))
      })
      const { answers, failures } = await send(port, 1)
      expect(await poured.promise).toBeLessThan(POURED)
      if (status === "201" && begin.includes("\r\n")) expect(answers.get(0)!.status).toBe(201)
      else expect(failures.get(0)).toMatchObject({ reason: "too_large", unprocessed: false })
    }
  )

  it("resumes the TLS session of an earlier connection of its pool, however long ago, and never another pool's", async () => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const { port, resumed } = await service((socket) =>
      socket.end(head("201 Created", "content-length: 0", "connection: close"))
    )
    for (let pools = 0; pools < 2; pools++) {
      const pool = await openPool(port)
      for (let n = 0; n < 3; n++) {
        const results = new Results()
        await Effect.runPromise(pool.send(makeBatch(results, 1)))
        expect(results.answers.size).toBe(1)
        collect()
      }
    }
    expect(resumed).toEqual([false, true, true, false, true, true])
  })

  it("fails with connect, under a policy of addresses too, when nobody listens", async () => {
    const pool = await openPool(await Effect.runPromise(lastingPort), 5_000, () => true)
    const results = new Results()
    await Effect.runPromise(pool.send(makeBatch(results, 2)))
    expect([...results.failures.values()]).toMatchObject([
      { reason: "connect", unprocessed: true },
      { reason: "connect", unprocessed: true }
    ])
  })

  it("has one deadline for the whole answer, however steadily it drips", async () => {
    const { port } = await service((socket) => {
      socket.write(head("400 No", "content-length: 100000"))
      const drip = () => {
        if (socket.writable) socket.write("x", () => setTimeout(drip, 20))
      }
      drip()
    })
    const { failures } = await send(port, 1, 500)
    expect(failures.get(0)!.reason).toBe("timeout")
  })
})
