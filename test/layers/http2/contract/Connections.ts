import { Effect } from "effect"
import * as net from "node:net"
import { describe, expect, it } from "vitest"
import { Http2Client } from "../../../../services/ports/outbound/Http2Client.ts"
import * as raw from "../RawPeer.ts"
import { makeBatch, Results, trusting } from "../Sending.ts"
import { briefly, type Stage } from "./Stage.ts"

export const connections = ({ name, layer, open, nodeServer, rawPeer, echo, wellBehaved, cleanups }: Stage): void => {
  describe(`${name}: connections`, () => {
    it("opens none before the first request", async () => {
      const peer = await rawPeer(wellBehaved)
      const sender = await open(peer.port)
      expect(peer.connections).toHaveLength(0)
      await sender.send(1)
      expect(peer.connections).toHaveLength(1)
    })

    it("connects to the pinned address and keeps the name in SNI and :authority", async () => {
      let authority: string | undefined
      const server = await nodeServer((stream, headers) => {
        authority = headers[":authority"]
        echo(stream, headers, "")
      })
      const origin = { host: "push.test", port: server.port, address: "127.0.0.1" }
      const { answers } = await (await open(server.port, { origin })).send(1)
      expect(answers.get(0)!.status).toBe(200)
      expect(authority).toBe(`push.test:${server.port}`)
      expect((server.sessions[0]!.socket as unknown as { servername: string }).servername).toBe("push.test")
    })

    it("connects to an address literal by its certificate for that address", async () => {
      const server = await nodeServer(echo)
      const { answers } = await (await open(server.port, { origin: { host: "127.0.0.1", port: server.port } })).send(1)
      expect(answers.get(0)!.status).toBe(200)
    })

    it("asks whether the connected address is allowed, and sends nothing if not", async () => {
      const peer = await rawPeer(wellBehaved)
      const asked: Array<string> = []
      const allows = (address: string) => {
        asked.push(address)
        return false
      }
      const sender = await open(peer.port, {
        origin: { host: "localhost", port: peer.port, address: "127.0.0.1", allows }
      })
      const { failures } = await sender.send(2)
      expect(briefly(failures)).toEqual(["connect, unprocessed", "connect, unprocessed"])
      expect(asked).toEqual(["127.0.0.1"])
      expect(peer.connections).toHaveLength(0)
    })

    it("fails with connect when nobody listens", async () => {
      const server = net.createServer().listen(0, "127.0.0.1")
      await new Promise((resolve) => server.once("listening", resolve))
      const { port } = server.address() as net.AddressInfo
      await new Promise((resolve) => server.close(resolve))
      const { failures } = await (await open(port)).send(3)
      expect(briefly(failures)).toEqual(["connect, unprocessed", "connect, unprocessed", "connect, unprocessed"])
    })

    it("fails with connect when a name does not resolve", async () => {
      const sender = await open(1, { origin: { host: "no-such-host.invalid", port: 1 } })
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "connect", unprocessed: true })
    })

    it("fails with connect when the peer accepts and says nothing", async () => {
      const sockets: Array<net.Socket> = []
      const server = net.createServer((socket) => sockets.push(socket.on("error", () => {}))).listen(0, "127.0.0.1")
      await new Promise((resolve) => server.once("listening", resolve))
      cleanups.push(async () => {
        for (const socket of sockets) socket.destroy()
        await new Promise((resolve) => server.close(resolve))
      })
      const sender = await open((server.address() as net.AddressInfo).port, { connectTimeoutMs: 150 })
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "connect", unprocessed: true })
    })

    it("fails with connect when the peer never sends its SETTINGS", async () => {
      const peer = await rawPeer((connection) => {
        connection.acknowledges = false
      })
      const sender = await open(peer.port, { connectTimeoutMs: 300 })
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "connect", unprocessed: true })
    })

    it("fails with connect when the certificate is of an unknown authority", async () => {
      const peer = await rawPeer(wellBehaved)
      const sender = await open(peer.port, {}, {})
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "connect", unprocessed: true })
      expect(peer.connections).toHaveLength(0)
    })

    it("fails with connect when the certificate is for another name", async () => {
      const peer = await rawPeer(wellBehaved)
      const origin = { host: "other.test", port: peer.port, address: "127.0.0.1" }
      const sender = await open(peer.port, { origin })
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "connect", unprocessed: true })
    })

    it.each([
      ["offers only HTTP/1.1", { ALPNProtocols: ["http/1.1"] }],
      ["knows no ALPN", { ALPNProtocols: undefined as never }]
    ])("fails with not_http2 when the peer %s", async (_, options) => {
      const peer = await rawPeer(() => {}, options)
      const sender = await open(peer.port)
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "not_http2", unprocessed: true })
    })

    it("connects again for the next batch after a connection did not come about", async () => {
      let refuse = true
      const peer = await rawPeer((connection) => (refuse ? connection.socket.destroy() : wellBehaved(connection)))
      const sender = await open(peer.port)
      expect((await sender.send(1)).failures.size).toBe(1)
      refuse = false
      expect((await sender.send(1)).answers.size).toBe(1)
    })

    it("goes to fresh connections after renew, while streams under way end on the old ones", async () => {
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) return wellBehaved(connection)
      })
      const sender = await open(peer.port)
      const first = sender.start(1)
      while (peer.connections.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const id = await peer.connections[0]!.request()
      await sender.renew()
      expect((await sender.send(1)).answers.size).toBe(1)
      expect(peer.connections).toHaveLength(2)
      expect(first.results.calls).toBe(0)
      peer.connections[0]!.send(raw.ok(id))
      expect((await first.done).answers.get(0)!.status).toBe(200)
      await peer.connections[0]!.closed
    })

    it("resumes the TLS session of an earlier connection of its pool, and never another pool's", async () => {
      const reused: Array<boolean> = []
      const peer = await rawPeer(async (connection) => {
        reused.push(connection.socket.isSessionReused())
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(raw.ok(id), raw.goaway(id))
      })
      await Effect.gen(function* () {
        const client = yield* Http2Client
        const options = {
          origin: { host: "localhost", port: peer.port, address: "127.0.0.1" },
          connections: 1,
          connectTimeoutMs: 10_000,
          requestTimeoutMs: 10_000,
          pingAfterMs: 10_000,
          maxBody: 1000
        }
        for (let pools = 0; pools < 2; pools++) {
          const pool = yield* client.pool(options)
          for (let n = 0; n < 3; n++) {
            const results = new Results()
            yield* pool.send(makeBatch(results, 1))
            expect(results.answers.size).toBe(1)
            yield* Effect.promise(() => peer.connections.at(-1)!.closed)
          }
        }
      }).pipe(Effect.scoped, Effect.provide(trusting(layer)), Effect.runPromise)
      expect(reused).toEqual([false, true, true, false, true, true])
    })

    it("closes a connection that nobody needs for a while, and opens another when somebody does", async () => {
      const peer = await rawPeer(wellBehaved)
      const sender = await open(peer.port, { idleMs: 100 })
      expect((await sender.send(3)).answers.size).toBe(3)
      await peer.connections[0]!.closed
      expect((await sender.send(3)).answers.size).toBe(3)
      expect(peer.connections).toHaveLength(2)
    })

    it("replaces a connection at the end of its life, in the middle of a batch, and no answer is lost", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 2]))
        for (;;) {
          const id = await connection.request()
          // A turn of the event loop between an answer and the next: the batch outlives the connection.
          setImmediate(() => connection.send(raw.ok(id)))
        }
      })
      const sender = await open(peer.port, { lifeMs: 150 })
      while (peer.connections.length < 3) expect((await sender.send(200)).answers.size).toBe(200)
      await peer.connections[0]!.closed
      await peer.connections[1]!.closed
    })
  })
}
