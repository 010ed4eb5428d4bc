import { Effect, Exit, Fiber } from "effect"
import * as net from "node:net"
import type * as http2 from "node:http2"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Http2Failure, Http2PoolOptions } from "../../../services/ports/Http2Client.ts"
import * as raw from "./RawPeer.ts"
import { type RawConnection, startRawPeer, TYPES } from "./RawPeer.ts"
import { type ClientLayer, makeBatch, openSender, Results, type Sender, startNodeServer } from "./Sending.ts"

const REFUSED_STREAM = 7

/** Every promise of services/ports/Http2Client.ts, for whichever layer. */
export const http2ClientContract = (name: string, layer: ClientLayer): void => {
  // A promise that is not kept shows as a wait for ever.
  vi.setConfig({ testTimeout: 15_000, hookTimeout: 15_000 })
  const cleanups: Array<() => Promise<void>> = []
  afterEach(async () => {
    // Senders first: a server would wait for their connections.
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  const open = async (port: number, options?: Partial<Http2PoolOptions>, env?: Record<string, string>) => {
    const sender: Sender = await openSender(layer, port, options, env)
    cleanups.push(sender.close)
    return sender
  }
  const nodeServer = async (...args: Parameters<typeof startNodeServer>) => {
    const server = await startNodeServer(...args)
    cleanups.push(server.close)
    return server
  }
  const rawPeer = async (...args: Parameters<typeof startRawPeer>) => {
    const peer = await startRawPeer(...args)
    cleanups.push(peer.close)
    return peer
  }
  const echo = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, body: string) => {
    stream.respond({ ":status": 200, "x-path": headers[":path"], "x-index": headers["x-index"] })
    stream.end(body)
  }
  /** Speaks as a sound server does: greets, and answers every request with 200. */
  const sound = async (connection: RawConnection) => {
    connection.send(raw.settings())
    for (;;) connection.send(raw.ok(await connection.request()))
  }

  describe(`${name}: requests and answers`, () => {
    it("gives every request of a large batch its own answer", async () => {
      const server = await nodeServer(echo)
      const { answers } = await (await open(server.port)).send(3000)
      expect(answers.size).toBe(3000)
      for (const [index, answer] of answers) {
        expect([answer.status, answer.body, answer.header("x-path"), answer.header("x-index")]).toEqual([
          200,
          `body ${index}`,
          `/device/${index}`,
          String(index)
        ])
      }
    })

    it("sends method, scheme, authority, common, credential and own headers", async () => {
      const seen: Array<http2.IncomingHttpHeaders> = []
      const server = await nodeServer((stream, headers, body) => {
        seen.push(headers)
        echo(stream, headers, body)
      })
      const sender = await open(server.port)
      for (let round = 0; round < 3; round++) await sender.send(5)
      expect(seen).toHaveLength(15)
      for (const headers of seen) {
        expect(headers).toMatchObject({
          ":method": "POST",
          ":scheme": "https",
          ":authority": `localhost:${server.port}`,
          "content-type": "text/plain",
          authorization: "bearer secret"
        })
        expect(headers[":path"]).toBe(`/device/${headers["x-index"]}`)
      }
    })

    it("keeps batches with different headers apart on one connection", async () => {
      const server = await nodeServer((stream, headers) => {
        stream.respond({
          ":status": 200,
          "x-seen": `${String(headers["x-topic"])} ${String(headers["authorization"])}`
        })
        stream.end()
      })
      const sender = await open(server.port)
      const rounds = Array.from({ length: 60 }, (_, n) => n)
      await Promise.all(
        rounds.map(async (n) => {
          const topic = `topic ${n % 7} x${"x".repeat((n * 37) % 400)}`
          const secret = `bearer ${n % 3} y${"y".repeat((n * 101) % 1500)}`
          const { answers } = await sender.send((n % 9) + 1, {
            common: [["x-topic", topic]],
            credential: [["authorization", secret]]
          })
          for (const answer of answers.values()) expect(answer.header("x-seen")).toBe(`${topic} ${secret}`)
        })
      )
      expect(server.sessions).toHaveLength(1)
    })

    it("gives error statuses with their headers and bodies", async () => {
      const server = await nodeServer((stream, headers) => {
        stream.respond({ ":status": 410, "retry-after": "7", "set-cookie": ["a=1", "b=2"] })
        stream.end(JSON.stringify({ reason: "Unregistered", path: headers[":path"] }))
      })
      const { answers } = await (await open(server.port)).send(2)
      const answer = answers.get(1)!
      expect(answer.status).toBe(410)
      expect(JSON.parse(answer.body)).toEqual({ reason: "Unregistered", path: "/device/1" })
      expect(answer.header("retry-after")).toBe("7")
      expect(answer.header("set-cookie")).toBe("a=1, b=2")
      expect(answer.header("x-absent")).toBeUndefined()
    })

    it("carries bodies as text of any alphabet, as bytes, and empty", async () => {
      const server = await nodeServer(echo)
      const bodies = ["", "grüße 🚀 日本", Buffer.from("bytes ü"), new Uint8Array(0), "x".repeat(9000)]
      const { answers } = await (await open(server.port)).send(bodies.length, { body: (index) => bodies[index]! })
      expect(bodies.map((_, index) => answers.get(index)!.body)).toEqual([
        "",
        "grüße 🚀 日本",
        "bytes ü",
        "",
        "x".repeat(9000)
      ])
    })

    it("passes interim answers and trailers over", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(
          raw.headers(
            id,
            [
              [":status", "103"],
              ["link", "</a>"]
            ],
            false
          ),
          raw.headers(
            id,
            [
              [":status", "200"],
              ["x-a", "b"]
            ],
            false
          ),
          raw.data(id, "hello", false),
          raw.headers(id, [["x-trailer", "t"]])
        )
      })
      const { answers } = await (await open(peer.port)).send(1)
      expect([answers.get(0)!.status, answers.get(0)!.header("x-a"), answers.get(0)!.body]).toEqual([200, "b", "hello"])
    })

    it("ends at once when a batch is empty", async () => {
      const peer = await rawPeer(sound)
      await (await open(peer.port)).send(0)
      expect(peer.connections).toHaveLength(0)
    })

    it("ends a batch with a defect when one of its functions throws, and no other batch", async () => {
      const server = await nodeServer(echo)
      const sender = await open(server.port)
      const good = sender.send(500)
      const throwing: ReadonlyArray<Partial<ReturnType<typeof makeBatch>>> = [
        { body: (index) => (index === 2 ? raise("body") : "") },
        { headers: (index) => (index === 3 ? raise("headers") : []) },
        { onAnswer: () => raise("answer") },
        { path: () => "/bad\r\npath" },
        { common: [["x-bad", "line\nbreak"]] },
        { headers: () => [["x-bad", "line\nbreak"]] },
        { headers: (index) => [["x-bad", index < 5 ? "good" : "space at the end "]] }
      ]
      for (const rest of throwing) {
        const exit = await Effect.runPromiseExit(sender.pool.send(makeBatch(new Results(), 10, rest)))
        expect(Exit.isFailure(exit)).toBe(true)
      }
      expect((await good).answers.size).toBe(500)
      expect((await sender.send(500)).answers.size).toBe(500)
      expect(server.sessions).toHaveLength(1)
    })
  })

  describe(`${name}: connections`, () => {
    it("opens none before the first request", async () => {
      const peer = await rawPeer(sound)
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
      const peer = await rawPeer(sound)
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
      const peer = await rawPeer(sound)
      const sender = await open(peer.port, {}, {})
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "connect", unprocessed: true })
      expect(peer.connections).toHaveLength(0)
    })

    it("fails with connect when the certificate is for another name", async () => {
      const peer = await rawPeer(sound)
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
      const peer = await rawPeer((connection) => (refuse ? connection.socket.destroy() : sound(connection)))
      const sender = await open(peer.port)
      expect((await sender.send(1)).failures.size).toBe(1)
      refuse = false
      expect((await sender.send(1)).answers.size).toBe(1)
    })

    it("goes to fresh connections after renew, while streams under way end on the old ones", async () => {
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) return sound(connection)
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
  })

  describe(`${name}: streams`, () => {
    it("opens as many streams as SETTINGS allow", async () => {
      const held: Array<() => void> = []
      let most = 0
      const server = await nodeServer(
        (stream) => {
          held.push(() => {
            stream.respond({ ":status": 200 })
            stream.end()
          })
          most = Math.max(most, held.length)
          if (held.length === 7) for (const answer of held.splice(0)) answer()
        },
        { settings: { maxConcurrentStreams: 7 } }
      )
      const { answers } = await (await open(server.port)).send(70)
      expect(answers.size).toBe(70)
      expect(most).toBe(7)
    })

    it("asks for a request only when it is written", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 5]))
        for (;;) connection.send(raw.ok(await connection.request()))
      })
      const sender = await open(peer.port)
      const results = new Results()
      let asked = 0
      let ahead = 0
      const batch = makeBatch(results, 200, {
        path: (index) => {
          ahead = Math.max(ahead, ++asked - results.calls)
          return `/${index}`
        }
      })
      await Effect.runPromise(sender.pool.send(batch))
      expect(results.answers.size).toBe(200)
      expect(ahead).toBe(5)
    })

    it("keeps to firstStreams until the first answer of a connection", async () => {
      let early = -1
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 100]))
        const first = await connection.request()
        // A PING and its answer: whatever the client had to say has come by then.
        connection.send(raw.frame(TYPES.ping, 0, 0, Buffer.alloc(8, 1)))
        await connection.next(TYPES.ping)
        early = connection.pending(TYPES.headers)
        connection.send(raw.ok(first))
        for (let n = 0; n < 49; n++) connection.send(raw.ok(await connection.request()))
      })
      const { answers } = await (await open(peer.port, { firstStreams: 1, connections: 4 })).send(50)
      expect(answers.size).toBe(50)
      expect(early).toBe(0)
      expect(peer.connections).toHaveLength(1)
    })

    it("opens more connections only when the streams of the others are used up, and at most so many", async () => {
      const waiting: Array<() => void> = []
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 2]))
        for (;;) {
          const id = await connection.request()
          waiting.push(() => connection.send(raw.ok(id)))
          if (waiting.length === 6) for (const answer of waiting.splice(0)) answer()
        }
      })
      const sender = await open(peer.port, { connections: 3 })
      expect((await sender.send(12)).answers.size).toBe(12)
      expect(peer.connections).toHaveLength(3)
    })

    it("follows a peer that allows more streams later", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 1]))
        const first = await connection.request()
        connection.send(raw.settings([3, 3]))
        const ids = [first, await connection.request(), await connection.request()]
        connection.send(...ids.map(raw.ok))
      })
      expect((await (await open(peer.port)).send(3)).answers.size).toBe(3)
    })

    it("gives up a peer that allows no streams at all", async () => {
      const peer = await rawPeer((connection) => connection.send(raw.settings([3, 0])))
      const { failures } = await (await open(peer.port, { connectTimeoutMs: 200 })).send(2)
      expect([...failures.values()].map((f) => f.unprocessed)).toEqual([true, true])
    })

    it("lets a small batch pass a large one", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 1]))
        for (;;) connection.send(raw.ok(await connection.request()))
      })
      const sender = await open(peer.port)
      const large = sender.start(400)
      await large.results.reached(1)
      await sender.send(1)
      expect(large.results.calls).toBeLessThan(400)
      expect((await large.done).answers.size).toBe(400)
    })
  })

  describe(`${name}: flow control`, () => {
    it("gets large bodies through a small window", async () => {
      const server = await nodeServer(
        (stream, _headers, body) => {
          stream.respond({ ":status": 200 })
          stream.end(`${body.length} ${body.at(-1)}`)
        },
        { settings: { initialWindowSize: 1000 } }
      )
      const body = `${"x".repeat(200_000)}y`
      const { answers } = await (await open(server.port)).send(4, { body: () => body })
      expect([...answers.values()].map((answer) => answer.body)).toEqual(Array(4).fill("200001 y"))
    })

    it("follows an initial window that changes while bodies wait", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([4, 3]))
        const { id } = await connection.next(TYPES.headers)
        const first = await connection.next(TYPES.data)
        connection.send(raw.settings([4, 5]))
        const second = await connection.next(TYPES.data)
        // The window is now two bytes below zero: six more let four through.
        connection.send(raw.settings([4, 3]), raw.frame(TYPES.window, 0, id, raw.uint32(6)))
        const third = await connection.next(TYPES.data)
        connection.send(raw.headers(id, [[":status", "200"]], false))
        connection.send(raw.data(id, [first, second, third].map((frame) => frame.payload.toString()).join("|")))
      })
      const { answers } = await (await open(peer.port)).send(1, { body: () => "123456789" })
      expect(answers.get(0)!.body).toBe("123|45|6789")
    })

    it("takes note of what it reads, so that answers never stop coming", async () => {
      const body = "z".repeat(60_000)
      const server = await nodeServer((stream) => {
        stream.respond({ ":status": 200 })
        stream.end(body)
      })
      const { answers } = await (await open(server.port, { maxBody: 60_000 })).send(80)
      expect(answers.size).toBe(80)
      for (const answer of answers.values()) expect(answer.body.length).toBe(60_000)
    })

    it("takes an answer that is larger than a stream's first window", async () => {
      const server = await nodeServer((stream) => {
        stream.respond({ ":status": 200 })
        stream.end("z".repeat(1_000_000))
      })
      const { answers } = await (await open(server.port, { maxBody: 1_000_000 })).send(2)
      expect([...answers.values()].map((answer) => answer.body.length)).toEqual([1_000_000, 1_000_000])
    })

    it("asks for no more requests than it can write when the peer does not read", async () => {
      const peer = await rawPeer((connection) => {
        connection.send(raw.settings([4, 0x7fff_ffff]), raw.frame(TYPES.window, 0, 0, raw.uint32(0x7fff_0000)))
        connection.socket.pause()
      })
      let asked = 0
      const body = Buffer.alloc(64_000)
      const sender = await open(peer.port, { pingAfterMs: 150, requestTimeoutMs: 400, connectTimeoutMs: 2000 })
      const { failures } = await sender.send(2000, {
        body: () => {
          asked++
          return body
        }
      })
      expect(failures.size).toBe(2000)
      // A few connections of at most a few megabytes each, instead of 128 MB.
      expect(asked).toBeLessThan(700)
    })
  })

  describe(`${name}: limits of time and size`, () => {
    it("fails a request without an answer with timeout and resets its stream, and no other", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids = [await connection.request(), await connection.request(), await connection.request()]
        connection.send(raw.ok(ids[0]!), raw.ok(ids[2]!))
        const { id, payload } = await connection.next(TYPES.reset)
        // An answer that comes too late is nobody's.
        connection.send(raw.headers(id, [[":status", "201"]], false), raw.data(id, payload))
        for (;;) connection.send(raw.ok(await connection.request()))
      })
      const sender = await open(peer.port, { requestTimeoutMs: 200 })
      const { answers, failures } = await sender.send(3)
      expect([...answers.keys()].sort()).toEqual([0, 2])
      expect(failures.get(1)).toMatchObject({ reason: "timeout", unprocessed: false })
      expect((await sender.send(2)).answers.size).toBe(2)
      expect(peer.connections).toHaveLength(1)
    })

    it("counts an answer that begins and does not end as none", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(raw.headers(id, [[":status", "200"]], false), raw.data(id, "half", false))
      })
      const { failures } = await (await open(peer.port, { requestTimeoutMs: 200 })).send(1)
      expect(failures.get(0)!.reason).toBe("timeout")
    })

    it("fails an answer that is larger than maxBody with too_large, and no other", async () => {
      const server = await nodeServer((stream, headers) => {
        stream.respond({ ":status": 200 })
        stream.end("z".repeat(headers[":path"] === "/device/1" ? 101 : 100))
      })
      const sender = await open(server.port, { maxBody: 100 })
      const { answers, failures } = await sender.send(3)
      expect(failures.get(1)).toMatchObject({ reason: "too_large", unprocessed: false })
      expect([answers.get(0)!.body.length, answers.get(2)!.body.length]).toEqual([100, 100])
      expect(server.sessions).toHaveLength(1)
    })

    it("asks a silent peer by PING, and replaces a connection that does not answer it", async () => {
      let pings = 0
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) return sound(connection)
        await connection.next(TYPES.ping)
        pings++
      })
      const sender = await open(peer.port, { pingAfterMs: 120 })
      const { failures } = await sender.send(2)
      expect(briefly(failures)).toEqual(["closed", "closed"])
      expect(pings).toBe(1)
      expect((await sender.send(1)).answers.size).toBe(1)
    })

    it("waits for a slow peer that answers its PINGs", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        for (let n = 0; n < 3; n++) {
          const ping = await connection.next(TYPES.ping)
          connection.send(raw.frame(TYPES.ping, 1, 0, ping.payload))
        }
        connection.send(raw.ok(id))
      })
      const { answers } = await (await open(peer.port, { pingAfterMs: 60 })).send(1)
      expect(answers.get(0)!.status).toBe(200)
    })
  })

  describe(`${name}: what the peer did not process`, () => {
    it("sends requests above GOAWAY's last stream again on another connection, and no others", async () => {
      const seen: Array<number> = []
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) {
          for (;;) {
            connection.send(raw.ok(await connection.request()))
            seen.push(number)
          }
        }
        const ids = [await connection.request(), await connection.request(), await connection.request()]
        connection.send(raw.goaway(ids[0]!))
        connection.send(raw.headers(ids[0]!, [[":status", "202"]]))
      })
      const { answers } = await (await open(peer.port)).send(3)
      expect([...answers.values()].map((answer) => answer.status).sort()).toEqual([200, 200, 202])
      expect(seen).toEqual([2, 2])
      await peer.connections[0]!.closed
    })

    it("fails what a GOAWAY with an error leaves behind as possibly processed", async () => {
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) return sound(connection)
        const ids = [await connection.request(), await connection.request()]
        connection.send(raw.goaway(ids[0]!, 2))
        connection.socket.end()
      })
      const { answers, failures } = await (await open(peer.port)).send(2)
      expect(failures.get(0)).toMatchObject({ reason: "closed", unprocessed: false })
      expect(answers.get(1)!.status).toBe(200)
    })

    it("takes a connection that is going away for nothing new, and one that went while idle neither", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(raw.ok(id), raw.goaway(id))
      })
      const sender = await open(peer.port)
      for (let round = 1; round <= 3; round++) {
        expect((await sender.send(1)).answers.size).toBe(1)
        expect(peer.connections).toHaveLength(round)
        await peer.connections[round - 1]!.closed
      }
    })

    it("sends a refused request again on another connection", async () => {
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) return sound(connection)
        const ids = [await connection.request(), await connection.request()]
        connection.send(raw.reset(ids[1]!, REFUSED_STREAM), raw.headers(ids[0]!, [[":status", "202"]]))
      })
      const { answers } = await (await open(peer.port)).send(2)
      expect([answers.get(0)!.status, answers.get(1)!.status]).toEqual([202, 200])
      expect(peer.connections).toHaveLength(2)
    })

    it("fails a request that is refused again and again as unprocessed", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        for (;;) connection.send(raw.reset(await connection.request(), REFUSED_STREAM))
      })
      const { failures } = await (await open(peer.port)).send(2)
      expect(briefly(failures)).toEqual(["closed, unprocessed", "closed, unprocessed"])
    })

    it("fails what was written when the connection is cut, and sends what was not on another", async () => {
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings([3, 2]))
        if (number > 1) return sound(connection)
        await connection.request()
        await connection.request()
        connection.socket.destroy()
      })
      const { answers, failures } = await (await open(peer.port)).send(5)
      expect(briefly(failures)).toEqual(["closed", "closed"])
      expect(answers.size).toBe(3)
    })

    it("tells what waits when connection after connection ends without an answer", async () => {
      const peer = await rawPeer((connection) => {
        connection.send(raw.settings([3, 0]))
        connection.socket.end()
      })
      const { failures } = await (await open(peer.port)).send(2)
      expect([...failures.values()].map((f) => f.unprocessed)).toEqual([true, true])
      expect(peer.connections.length).toBeLessThan(10)
    })
  })

  describe(`${name}: what the peer does wrong`, () => {
    it("fails a stream that the peer resets", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids = [await connection.request(), await connection.request()]
        connection.send(raw.reset(ids[0]!, 2), raw.ok(ids[1]!))
      })
      const { answers, failures } = await (await open(peer.port)).send(2)
      expect(failures.get(0)).toMatchObject({ reason: "closed", unprocessed: false })
      expect(answers.get(1)!.status).toBe(200)
    })

    it.each([0, 2, 8])("takes an answer that is reset in the middle (code %i) for none", async (code) => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(raw.headers(id, [[":status", "200"]], false), raw.data(id, "half", false), raw.reset(id, code))
      })
      const { failures } = await (await open(peer.port)).send(1)
      expect(failures.get(0)).toMatchObject({ reason: "closed", unprocessed: false })
    })

    it("takes an answer that is cut in the middle for none", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(raw.headers(id, [[":status", "200"]], false), raw.data(id, "half", false))
        connection.socket.end()
      })
      const { failures } = await (await open(peer.port)).send(1)
      expect(failures.get(0)).toMatchObject({ reason: "closed", unprocessed: false })
    })

    it("takes a whole answer that comes before the request was read", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([4, 10]))
        const { id } = await connection.next(TYPES.headers)
        connection.send(raw.headers(id, [[":status", "413"]], false), raw.data(id, "too much"), raw.reset(id, 0))
        for (;;) {
          const { id } = await connection.next(TYPES.headers)
          connection.send(raw.ok(id))
        }
      })
      const sender = await open(peer.port)
      const { answers } = await sender.send(1, { body: () => "x".repeat(1000) })
      expect([answers.get(0)!.status, answers.get(0)!.body]).toEqual([413, "too much"])
      expect((await sender.send(1)).answers.get(0)!.status).toBe(200)
      expect(peer.connections).toHaveLength(1)
    })

    it.each([
      ["a frame that is too large", Buffer.from([0x10, 0, 0, 0, 0, 0, 0, 0, 1])],
      [
        "a header block that cannot be decoded",
        raw.frame(TYPES.headers, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]))
      ],
      ["an answer on a stream that was never opened", raw.ok(77)],
      ["a PING of seven bytes", raw.frame(TYPES.ping, 0, 0, Buffer.alloc(7))]
    ])("ends with a typed failure and a closed connection after %s", async (_, bytes) => {
      const peer = await rawPeer(async (connection, number) => {
        connection.send(raw.settings())
        if (number > 1) return sound(connection)
        await connection.request()
        connection.send(bytes)
      })
      const sender = await open(peer.port)
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "protocol", unprocessed: false })
      await peer.connections[0]!.closed
      expect((await sender.send(1)).answers.size).toBe(1)
    })
  })

  describe(`${name}: ending`, () => {
    it("resets the streams of an interrupted batch, calls nothing more, and goes on with others", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 3]))
        const ids = [await connection.request(), await connection.request(), await connection.request()]
        connection.send(raw.ok(ids[0]!))
        const resets = [
          await connection.next(TYPES.reset),
          await connection.next(TYPES.reset),
          await connection.next(TYPES.reset)
        ]
        // Late answers to all of them.
        for (const { id } of resets) connection.send(raw.ok(id))
        for (;;) {
          const id = await connection.request()
          if (!resets.some((frame) => frame.id === id)) connection.send(raw.ok(id))
        }
      })
      const sender = await open(peer.port)
      const results = new Results()
      const fiber = Effect.runFork(sender.pool.send(makeBatch(results, 100)))
      await results.reached(1)
      await Effect.runPromise(Fiber.interrupt(fiber))
      const before = results.calls
      expect((await sender.send(20)).answers.size).toBe(20)
      expect(results.calls).toBe(before)
      expect(before).toBeLessThan(100)
      expect(peer.connections).toHaveLength(1)
    })

    it("drains when its scope closes: streams under way get their answers, what waits fails as unprocessed", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 2]))
      })
      const sender = await openSender(layer, peer.port)
      const { results, done } = sender.start(5)
      while (peer.connections.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const connection = peer.connections[0]!
      const ids = [await connection.request(), await connection.request()]
      const closing = sender.close()
      await results.reached(3)
      connection.send(...ids.map(raw.ok))
      await closing
      const { answers, failures } = await done
      expect([...answers.keys()].sort()).toEqual([0, 1])
      expect(briefly(failures)).toEqual(["closed, unprocessed", "closed, unprocessed", "closed, unprocessed"])
      await connection.closed
    })

    it("fails what is sent after its scope has closed", async () => {
      const peer = await rawPeer(sound)
      const sender = await openSender(layer, peer.port)
      await sender.close()
      const { failures } = await sender.send(2)
      expect(briefly(failures)).toEqual(["closed, unprocessed", "closed, unprocessed"])
    })
  })
}

const briefly = (failures: ReadonlyMap<number, Http2Failure>): ReadonlyArray<string> =>
  [...failures.values()].map(({ reason, unprocessed }) => (unprocessed ? `${reason}, unprocessed` : reason))

const raise = (what: string): never => {
  throw new Error(what)
}
