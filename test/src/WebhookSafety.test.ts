import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { createServer } from "node:net"
import type { DnsServer } from "../DnsServer.ts"
import { makeDnsServer } from "../DnsServer.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

/*
 * Webhooks that point where they must not, set up as a customer would: over REST, against the real service. Only 127.0.0.1
 * stands for the public network; 127.0.0.2 is a private server that nothing may reach.
 */

interface Peer {
  readonly port: number
  connections: number
  /** How many of them the other side has closed. */
  closed: number
}

/** A TCP server that says what it likes. */
const peer = (host: string, talk: (socket: Socket) => unknown): Effect.Effect<Peer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer().listen(0, host)
        await once(server, "listening")
        return server
      }),
      (server) =>
        Effect.promise(async () => {
          for (const socket of sockets) socket.destroy()
          server.close()
          await once(server, "close")
        })
    )
    const it: Peer = { port: (server.address() as AddressInfo).port, connections: 0, closed: 0 }
    server.on("connection", (socket) => {
      it.connections++
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        it.closed++
        sockets.delete(socket)
      })
      talk(socket)
    })
    return it
  })

const answering = (text: string) => (socket: Socket) => socket.on("data", () => socket.write(text))

class Stage extends Context.Service<
  Stage,
  {
    readonly system: System
    readonly dns: DnsServer
    /** The private server. */
    readonly inside: Peer
    readonly outside: Peer
    readonly redirect: Peer
    readonly endlessBody: Peer
    readonly endlessHead: Peer
    readonly silent: Peer
    readonly drip: Peer
  }
>()("heliograph/test/Stage") {}

const STAGE = Layer.effect(
  Stage,
  Effect.gen(function* () {
    const dns = yield* makeDnsServer
    const inside = yield* peer("127.0.0.2", answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
    const outside = yield* peer("127.0.0.1", answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
    const location = `http://127.0.0.2:${inside.port}/`
    const redirect = yield* peer(
      "127.0.0.1",
      answering(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)
    )
    const endlessBody = yield* peer("127.0.0.1", (socket) => {
      socket.once("data", () => {
        const more = () => {
          while (!socket.destroyed && socket.write("x".repeat(65_536))) continue
        }
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\n\r\n")
        socket.on("drain", more)
        more()
      })
    })
    const endlessHead = yield* peer("127.0.0.1", (socket) => {
      socket.once("data", () => {
        const more = () => {
          while (!socket.destroyed && socket.write(`x: ${"y".repeat(4_000)}\r\n`)) continue
        }
        socket.write("HTTP/1.1 200 OK\r\n")
        socket.on("drain", more)
        more()
      })
    })
    const silent = yield* peer("127.0.0.1", (socket) => socket.resume())
    const drip = yield* peer("127.0.0.1", (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const timer = setInterval(() => socket.write("x: y\r\n"), 50)
      socket.on("close", () => clearInterval(timer))
    })
    const system = yield* makeSystem({
      OUTBOUND_ALLOW_CIDRS: "127.0.0.1/32",
      OUTBOUND_NAME_SERVERS: dns.address,
      WEBHOOK_TIMEOUT_SECONDS: "1",
      WEBHOOK_RETRY_DELAYS: "0.1",
      // The process that makes the webhooks is the one that delivers to them: they share what they know of names.
      PROCESSES: "1"
    })
    return { system, dns, inside, outside, redirect, endlessBody, endlessHead, silent, drip }
  })
)

const create = ({ call }: System, name: string, url: string) => call("POST", "/api/v1/webhooks", { name, url })

layer(STAGE, { timeout: 240_000, excludeTestServices: true })("webhooks to hostile addresses", (it) => {
  it.effect("are refused at creation and change, whatever the notation of the address", () =>
    Effect.gen(function* () {
      const { system, dns, inside, outside } = yield* Stage
      dns.records.set("inside.test", ["127.0.0.2"])
      dns.records.set("mixed.test", ["127.0.0.1", "127.0.0.2"])
      dns.records.set("mixed6.test", ["127.0.0.1", "::1"])
      dns.records.set("metadata.test", ["169.254.169.254"])
      const hosts = [
        "127.0.0.2",
        "127.2",
        "0x7f000002",
        "2130706434",
        "0177.0.0.2",
        "[::ffff:127.0.0.2]",
        "[::ffff:7f00:2]",
        "[::1]",
        "[::]",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fe80::1]",
        "[fd00::1]",
        "[64:ff9b::7f00:2]",
        "inside.test",
        "mixed.test",
        "mixed6.test",
        "metadata.test",
        "nowhere.test",
        "user:password@127.0.0.1"
      ]
      const good = yield* create(system, "good", `http://127.0.0.1:${outside.port}/`)
      expect(good.status).toBe(201)
      for (const host of hosts) {
        const url = `http://${host}:${inside.port}/webhook`
        const made = yield* create(system, host, url)
        expect([host, made.status, made.body.error?.details?.[0]?.field]).toEqual([host, 400, "url"])
        const changed = yield* system.call("PATCH", `/api/v1/webhooks/${good.body.id}`, { url })
        expect([host, changed.status]).toEqual([host, 400])
        // What a name stands for is nobody's business.
        if (host.endsWith(".test")) expect(JSON.stringify(made.body)).not.toMatch(/127\.0\.0|169\.254|::1/)
      }
      yield* system.call("DELETE", `/api/v1/webhooks/${good.body.id}`)
      expect(inside.connections).toBe(0)
    })
  )

  it.effect("reach no private address at any attempt, follow nothing, and end in time", () =>
    Effect.gen(function* () {
      const { dns, drip, endlessBody, endlessHead, inside, outside, redirect, silent, system } = yield* Stage
      for (const name of ["rebind.test", "remix.test", "good.test", "silent.test"]) {
        dns.records.set(name, ["127.0.0.1"])
      }
      const urls = {
        rebind: `http://rebind.test:${inside.port}/`,
        remix: `http://remix.test:${inside.port}/`,
        mute: `http://silent.test:${outside.port}/`,
        good: `http://good.test:${outside.port}/`,
        redirect: `http://127.0.0.1:${redirect.port}/`,
        endlessBody: `http://127.0.0.1:${endlessBody.port}/`,
        endlessHead: `http://127.0.0.1:${endlessHead.port}/`,
        silent: `http://127.0.0.1:${silent.port}/`,
        drip: `http://127.0.0.1:${drip.port}/`
      }
      const ids = new Map<string, string>()
      for (const [name, url] of Object.entries(urls)) {
        const { body, status } = yield* create(system, name, url)
        expect([name, status]).toEqual([name, 201])
        ids.set(name, body.id)
      }
      // All of them were good when they were made; now these change their minds.
      dns.records.set("rebind.test", ["127.0.0.2"])
      dns.records.set("remix.test", ["127.0.0.1", "127.0.0.2"])
      dns.records.set("silent.test", "silent")
      // An answer of the name server is used for a second; what it led to was pinned then, and allowed.
      for (const name of ["rebind", "remix", "mute"]) {
        yield* eventually(
          system.call("POST", `/api/v1/webhooks/${ids.get(name)}/test`),
          ({ body }) => body.response_status === null && body.reason !== "connection refused"
        )
      }

      const device_ids = yield* system.importDevices(1)
      yield* system.send({ to: { device_ids }, content: { title: "Hello" } })
      const outcomes = Effect.forEach(
        ids,
        ([name, id]) =>
          Effect.map(system.call("GET", `/api/v1/webhooks/${id}/deliveries`), ({ body }) => {
            const { attempts, reason, response_status, status } = body.data[0] ?? {}
            return [name, { attempts, reason, response_status, status }] as const
          }),
        { concurrency: "unbounded" }
      )
      const final = yield* eventually(outcomes, (all) =>
        all.every(([, { status }]) => status === "delivered" || status === "exhausted")
      )
      const failed = (reason: unknown, response_status: number | null = null) => ({
        attempts: 2,
        reason,
        response_status,
        status: "exhausted"
      })
      const refused = failed("the address is not allowed: it must be public")
      const delivered = { attempts: 1, reason: null, response_status: 200, status: "delivered" }
      expect(Object.fromEntries(final)).toEqual({
        rebind: refused,
        remix: refused,
        mute: failed(expect.stringMatching(/^(timeout|the host name could not be resolved)$/)),
        good: delivered,
        redirect: failed("answered 307", 307),
        endlessBody: delivered,
        endlessHead: failed("the answer's headers are too long"),
        silent: failed("timeout"),
        drip: failed("timeout")
      })
      expect(inside.connections).toBe(0)
      // Nobody goes on listening to those who do not end.
      yield* eventually(
        Effect.sync(() => [endlessBody, endlessHead, silent, drip].map((it) => it.connections - it.closed)),
        (open) => open.every((count) => count === 0)
      )
      // A test delivery is under the same rules.
      const tried = yield* system.call("POST", `/api/v1/webhooks/${ids.get("rebind")}/test`)
      expect(tried.body).toMatchObject({ delivered: false, reason: "the address is not allowed: it must be public" })
      expect(inside.connections).toBe(0)
    })
  )
})
