import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { createServer as createTcpServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import { layerWith } from "../../../layers/webhook/WebhookClient.ts"
import type { CheckedUrl } from "../../../services/ports/outbound/OutboundPolicy.ts"
import { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import { WebhookClient } from "../../../services/ports/webhooks/WebhookClient.ts"
import { makeCertificates, writeCa } from "../../../simulators/Certificates.ts"
import { ENDLESS, MALFORMED, pour, POURED } from "../../Sockets.ts"
import { HEADERS, listen, make, noAnswer, ok, receiver, status } from "./Senders.ts"

describe("WebhookClient", () => {
  it.live("posts the body and headers as they are, to the path and query of the URL, under its name", () =>
    Effect.gen(function* () {
      const got = yield* Deferred.make<{ readonly request: IncomingMessage; readonly body: string }>()
      const { port } = yield* receiver((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          Deferred.doneUnsafe(got, Effect.succeed({ request, body: Buffer.concat(chunks).toString() }))
          response.writeHead(201).end()
        })
      })
      const { open, dns } = yield* make()
      dns.records.set("webhooks.example.com", ["127.0.0.1"])
      const sender = yield* open(4)
      const headers = [...HEADERS, ["X-Service-Signature", "t=1, v1=ab"]] as const
      const answer = yield* sender.post(`http://webhooks.example.com:${port}/a/b?c=d#e`, headers, '{"é":"🔑"}', 10_000)
      assert.deepStrictEqual(answer, status(201))
      const { request, body } = yield* Deferred.await(got)
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(request.url, "/a/b?c=d")
      assert.strictEqual(request.headers.host, `webhooks.example.com:${port}`)
      assert.strictEqual(request.headers["content-type"], "application/json")
      assert.strictEqual(request.headers["x-service-signature"], "t=1, v1=ab")
      assert.strictEqual(request.headers["content-length"], String(Buffer.byteLength('{"é":"🔑"}')))
      assert.strictEqual(body, '{"é":"🔑"}')
    })
  )

  it.live("answers with every status, and follows no redirect", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { port } = yield* receiver((request, response) => {
        asked.push(request.url!)
        const code = Number(request.url!.slice(1))
        response.writeHead(code, { location: "/elsewhere" }).end(code === 204 ? undefined : "body")
      })
      const sender = yield* (yield* make()).open(1)
      const codes = [200, 204, 301, 302, 303, 307, 308, 400, 404, 410, 429, 500, 503]
      for (const code of codes) {
        assert.deepStrictEqual(
          yield* sender.post(`http://127.0.0.1:${port}/${code}`, HEADERS, "{}", 10_000),
          status(code)
        )
      }
      assert.deepStrictEqual(
        asked,
        codes.map((code) => `/${code}`)
      )
    })
  )

  it.live("never connects to an address that is not public, however it is written or resolved", () =>
    Effect.gen(function* () {
      const target = yield* receiver(ok, "0.0.0.0")
      const { open, dns } = yield* make({ opened: "" })
      dns.records.set("inside.example.com", ["127.0.0.1"])
      dns.records.set("mixed.example.com", ["93.184.216.34", "127.0.0.1"])
      const sender = yield* open(4)
      const hosts = [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "0.0.0.0",
        "localhost",
        "LOCALHOST.",
        "x.localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "inside.example.com",
        "mixed.example.com"
      ]
      for (const host of hosts) {
        const answer = yield* sender.post(`http://${host}:${target.port}/`, HEADERS, "{}", 10_000)
        assert.deepStrictEqual(answer, noAnswer("the address is not allowed: it must be public"), host)
      }
      const user = yield* sender.post(`http://a:b@127.0.0.1:${target.port}/`, HEADERS, "{}", 10_000)
      assert.deepStrictEqual(user, noAnswer("the address must not contain a user or a password"))
      assert.strictEqual(target.connections(), 0)
    })
  )

  it.live("looks again at the address it reached, and sends nothing to a wrong one", () =>
    Effect.gen(function* () {
      let requests = 0
      const target = yield* receiver((request, response) => {
        requests++
        ok(request, response)
      })
      // Rules that were fooled when they resolved, as if the system had connected somewhere else.
      const url = new URL(`http://webhooks.example.com:${target.port}/`)
      const checked: CheckedUrl = { url, address: "127.0.0.1", addresses: ["127.0.0.1"], family: 4, port: target.port }
      const fooled = Layer.succeed(OutboundPolicy, {
        check: () => Effect.succeed(checked),
        checkHost: () => Effect.die("not asked"),
        refusal: () => null,
        allows: () => false
      })
      const live = layerWith({ checkMs: 1000 }).pipe(Layer.provide(fooled), Layer.provide(settingsLayer({})))
      const { open } = yield* Effect.provide(WebhookClient, yield* Layer.build(live))
      const answer = yield* (yield* open(1)).post(url.href, HEADERS, "{}", 10_000)
      assert.deepStrictEqual(answer, noAnswer("the address is not allowed: it must be public"))
      assert.strictEqual(requests, 0)
    })
  )

  it.live(
    "follows a name to its new address instead of using an open connection, and stops when it turns private",
    () =>
      Effect.gen(function* () {
        const reached: Array<string | undefined> = []
        const { port } = yield* receiver((request, response) => {
          reached.push(request.socket.localAddress)
          ok(request, response)
        }, "0.0.0.0")
        const { open, dns } = yield* make({ opened: "127.0.0.1/32,127.0.0.2/32", checkMs: 0 })
        const sender = yield* open(4)
        const post = sender.post(`http://moving.example.com:${port}/`, HEADERS, "{}", 10_000)
        dns.records.set("moving.example.com", ["127.0.0.1"])
        assert.deepStrictEqual(yield* post, status(200))
        dns.records.set("moving.example.com", ["127.0.0.2"])
        assert.deepStrictEqual(yield* post, status(200))
        dns.records.set("moving.example.com", ["127.0.0.3"])
        assert.deepStrictEqual(yield* post, noAnswer("the address is not allowed: it must be public"))
        assert.deepStrictEqual(reached, ["127.0.0.1", "127.0.0.2"])
      })
  )

  it.live("tries the next address of a name after one could not be reached", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(ok, "127.0.0.2")
      const { open, dns } = yield* make()
      dns.records.set("two.example.com", ["127.0.0.1", "127.0.0.2"])
      const sender = yield* open(1)
      const post = sender.post(`http://two.example.com:${port}/`, HEADERS, "{}", 10_000)
      // c-ares may sort the addresses: the dead one comes first or not at all.
      const answers = [yield* post, yield* post]
      assert.deepStrictEqual(answers[1], status(200))
    })
  )

  it.live("uses its connections again, and no more of them than it may", () =>
    Effect.gen(function* () {
      const { port, connections } = yield* receiver(ok)
      const { open } = yield* make()
      const url = `http://127.0.0.1:${port}/`
      const alone = yield* open(1)
      for (let i = 0; i < 20; i++) assert.deepStrictEqual(yield* alone.post(url, HEADERS, "{}", 10_000), status(200))
      assert.strictEqual(connections(), 1)
      const sender = yield* open(3)
      const answers = yield* Effect.all(
        Array.from({ length: 60 }, () => sender.post(url, HEADERS, "{}", 10_000)),
        { concurrency: 20 }
      )
      assert.isTrue(answers.every((answer) => answer._tag === "Status"))
      // Those of another sender are never shared.
      assert.strictEqual(connections(), 4)
    })
  )

  it.live("counts the bytes of each answer by itself, however many come over a connection", () =>
    Effect.gen(function* () {
      const { port, connections } = yield* receiver((request, response) => {
        request.resume().on("end", () => response.end("x".repeat(60_000)))
      })
      const sender = yield* (yield* make()).open(1)
      for (let n = 0; n < 5; n++) {
        assert.deepStrictEqual(yield* sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 20_000), status(200))
      }
      assert.strictEqual(connections(), 1)
    })
  )

  it.live("goes where the URL leads from one post to the next", () =>
    Effect.gen(function* () {
      const left = yield* receiver(ok)
      const right = yield* receiver((_, response) => response.writeHead(202).end())
      const sender = yield* (yield* make()).open(2)
      assert.deepStrictEqual(yield* sender.post(`http://127.0.0.1:${left.port}/`, HEADERS, "{}", 10_000), status(200))
      assert.deepStrictEqual(yield* sender.post(`http://127.0.0.1:${right.port}/`, HEADERS, "{}", 10_000), status(202))
      assert.deepStrictEqual(yield* sender.post(`http://127.0.0.1:${left.port}/`, HEADERS, "{}", 10_000), status(200))
    })
  )

  it.live("gives up at the deadline and closes the connection, wherever the receiver stalls", () =>
    Effect.gen(function* () {
      const closed = yield* Queue.unbounded<string>()
      const stalls: Record<string, (response: ServerResponse) => void> = {
        "/silent": () => {},
        "/early-hints": (response) => response.writeEarlyHints({ link: "</x>; rel=preload" }),
        "/half-head": (response) => response.socket!.write("HTTP/1.1 200 OK\r\nx-a: 1\r\n")
      }
      const { port } = yield* receiver((request, response) => {
        request.socket.once("close", () => Queue.offerUnsafe(closed, request.url!))
        stalls[request.url!]!(response)
      })
      const sender = yield* (yield* make()).open(1)
      for (const path of Object.keys(stalls)) {
        assert.deepStrictEqual(
          yield* sender.post(`http://127.0.0.1:${port}${path}`, HEADERS, "{}", 150),
          noAnswer("timeout")
        )
        assert.strictEqual(yield* Queue.take(closed), path)
      }
    })
  )

  it.live("counts name servers and handshakes that never answer into the deadline", () =>
    Effect.gen(function* () {
      const mute = yield* listen(createTcpServer(() => {}))
      const { open, dns } = yield* make()
      dns.records.set("mute.example.com", "silent")
      const sender = yield* open(1)
      assert.deepStrictEqual(yield* sender.post("http://mute.example.com/", HEADERS, "{}", 150), noAnswer("timeout"))
      const tls = yield* sender.post(`https://127.0.0.1:${mute.port}/`, HEADERS, "{}", 150)
      assert.deepStrictEqual(tls, noAnswer("timeout"))
      assert.strictEqual(mute.connections(), 1)
    })
  )

  it.live("takes the status and not the body: an endless or a huge one costs its connection only", () =>
    Effect.gen(function* () {
      const closed = yield* Queue.unbounded<string>()
      const { port } = yield* receiver((request, response) => {
        request.resume()
        request.socket.once("close", () => Queue.offerUnsafe(closed, request.url!))
        if (request.url === "/huge") response.writeHead(200, { "content-length": 10_000_000 }).write("x")
        else if (request.url === "/slow") response.writeHead(200).write("x")
        else {
          response.writeHead(200)
          const more = () => {
            while (!response.destroyed && response.write("x".repeat(16_384)));
            response.once("drain", more)
          }
          more()
        }
      })
      const sender = yield* (yield* make()).open(1)
      for (const path of ["/huge", "/slow", "/endless"]) {
        assert.deepStrictEqual(
          yield* sender.post(`http://127.0.0.1:${port}${path}`, HEADERS, "{}", 10_000),
          status(200)
        )
        assert.strictEqual(yield* Queue.take(closed), path)
      }
    })
  )

  it.live("ends after interim answers without end, and takes a few of them", () =>
    Effect.gen(function* () {
      const interim = "HTTP/1.1 103 Early Hints\r\n\r\n"
      const { port } = yield* listen(
        createTcpServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", (chunk) => {
            const count = Number(/^POST \/(\d+)/.exec(chunk.toString("latin1"))?.[1])
            if (!Number.isNaN(count)) socket.write(`${interim.repeat(count)}HTTP/1.1 204 No Content\r\n\r\n`)
          })
        })
      )
      const sender = yield* (yield* make()).open(1)
      const post = (count: number) => sender.post(`http://127.0.0.1:${port}/${count}`, HEADERS, "{}", 10_000)
      assert.deepStrictEqual(yield* post(10), status(204))
      assert.deepStrictEqual(yield* post(1000), noAnswer("too many interim answers"))
    })
  )

  it.live("ends after so many 100s too", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(
        createTcpServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", () => socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)))
        })
      )
      const sender = yield* (yield* make()).open(1)
      assert.deepStrictEqual(
        yield* sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 10_000),
        noAnswer("too many interim answers")
      )
    })
  )

  it.live("passes over interim answers that nobody asked for, 100 among them, in whatever chunks they come", () =>
    Effect.gen(function* () {
      const saidTo = new Map([
        ["/continue", ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntext"]],
        ["/later", ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"]],
        [
          "/several",
          [
            "HTTP/1.1 100 Continue\r\nx-a: HTTP/1.1 100\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 \r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Again\r\n\r\nHTTP/1.1 410 Gone\r\n",
            "content-length: 0\r\n\r\n"
          ]
        ],
        ["/bytes", [..."HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oh\r\ncontent-length: 1\r\n\r\nx"]],
        ["/body", ["HTTP/1.1 202 OK\r\ncontent-length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"]]
      ])
      const { port, connections } = yield* listen(
        createTcpServer((socket) => {
          socket.setNoDelay(true).on("error", () => {})
          socket.on("data", (chunk) => {
            const path = /^POST (\S+)/.exec(chunk.toString("latin1"))?.[1]
            const parts = [...(saidTo.get(path ?? "") ?? [])]
            // Each in a chunk of its own: the next is written when the one before has left.
            const say = () => {
              const part = parts.shift()
              if (part !== undefined) socket.write(part, () => setImmediate(say))
            }
            say()
          })
        })
      )
      const sender = yield* (yield* make()).open(1)
      const post = (path: string) => sender.post(`http://127.0.0.1:${port}${path}`, HEADERS, "{}", 10_000)
      for (const [path, code] of [
        ["/continue", 200],
        ["/later", 204],
        ["/several", 410],
        ["/bytes", 500],
        ["/body", 202],
        ["/continue", 200]
      ] as const) {
        assert.deepStrictEqual(yield* post(path), status(code), path)
      }
      assert.strictEqual(connections(), 1)
    })
  )

  it.live("ends interim answers that go on for ever by the deadline, however few come at a time", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(
        createTcpServer((socket) => {
          socket.on("error", () => {})
          socket.once("data", () => {
            socket.write("HTTP/1.1 100 Continue\r\n")
            const drip = setInterval(() => socket.write("x-a: b\r\n"), 20)
            socket.on("close", () => clearInterval(drip))
          })
        })
      )
      const sender = yield* (yield* make()).open(1)
      assert.deepStrictEqual(yield* sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 300), noAnswer("timeout"))
    })
  )

  it.live("gives up the connection of an answer whose body comes in crumbs", () =>
    Effect.gen(function* () {
      const crumbs = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(2000)}0\r\n\r\n`
      const { port, connections } = yield* listen(
        createTcpServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", () => socket.write(crumbs))
        })
      )
      const sender = yield* (yield* make()).open(1)
      for (let n = 1; n <= 3; n++) {
        assert.deepStrictEqual(yield* sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 10_000), status(200))
        assert.strictEqual(connections(), n)
      }
    })
  )

  it.live.each(ENDLESS)("cuts off a receiver whose answer has %s without an end", ([, begin]) =>
    Effect.gen(function* () {
      const poured = yield* Deferred.make<number>()
      const { port } = yield* listen(
        createTcpServer((socket) => {
          socket.once("data", () => {
            socket.write(begin("500"))
            void pour(socket).then((bytes) => Deferred.doneUnsafe(poured, Effect.succeed(bytes)))
          })
        })
      )
      const sender = yield* (yield* make()).open(1)
      const answer = yield* sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 20_000)
      // The status counts where it has come.
      assert.deepStrictEqual(answer, begin("500").includes("\r\n") ? status(500) : noAnswer("the answer is too long"))
      assert.isBelow(yield* Deferred.await(poured), POURED)
    })
  )

  it.live("closes the connection when it is interrupted", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { port } = yield* receiver((request) => {
        Deferred.doneUnsafe(asked, Effect.void)
        request.socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
      })
      const sender = yield* (yield* make()).open(1)
      const fiber = yield* Effect.forkChild(sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 10_000))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    })
  )

  it.live("closes all connections with its scope, and ends what is under way", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Queue.unbounded<void>()
      const { port } = yield* receiver((request, response) => {
        request.socket.once("close", () => Queue.offerUnsafe(closed, undefined))
        if (request.url === "/idle") ok(request, response)
        else Deferred.doneUnsafe(asked, Effect.void)
      })
      const { open } = yield* make()
      const scope = yield* Scope.make()
      const sender = yield* Scope.provide(open(2), scope)
      const hanging = yield* Effect.forkChild(sender.post(`http://127.0.0.1:${port}/hang`, HEADERS, "{}", 10_000))
      yield* Deferred.await(asked)
      yield* sender.post(`http://127.0.0.1:${port}/idle`, HEADERS, "{}", 10_000)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(hanging), noAnswer("connection closed"))
      yield* Queue.takeN(closed, 2)
      const late = yield* sender.post(`http://127.0.0.1:${port}/idle`, HEADERS, "{}", 10_000)
      assert.deepStrictEqual(late, noAnswer("connection closed"))
    })
  )

  it.live("says in plain words why there was no answer, without the address", () =>
    Effect.gen(function* () {
      const { open, dns } = yield* make()
      const sender = yield* open(1)
      const nobody = yield* Effect.scoped(receiver(ok))
      dns.records.set("down.example.com", ["127.0.0.1"])
      const post = (url: string, headers: ReadonlyArray<readonly [string, string]> = HEADERS) =>
        sender.post(url, headers, "{}", 10_000)
      assert.deepStrictEqual(yield* post(`http://down.example.com:${nobody.port}/`), noAnswer("connection refused"))
      assert.deepStrictEqual(yield* post("http://gone.example.com/"), noAnswer("the host name does not exist"))

      const shut = yield* listen(createTcpServer((socket) => socket.once("data", () => socket.destroy())))
      assert.deepStrictEqual(yield* post(`http://down.example.com:${shut.port}/`), noAnswer("connection closed"))
      const long = yield* receiver((_, response) => response.writeHead(200, { "x-long": "x".repeat(100_000) }).end())
      assert.deepStrictEqual(
        yield* post(`http://down.example.com:${long.port}/`),
        noAnswer("the answer's headers are too long")
      )
      assert.deepStrictEqual(
        yield* post(`http://down.example.com:${long.port}/`, [["x-a", "1\r\nx-b: 2"]]),
        noAnswer("the request is not valid")
      )
    })
  )

  it.live("says of answers that break the rules of HTTP that they do, and posts over a new connection", () =>
    Effect.gen(function* () {
      const answers = [...MALFORMED.map(([, , answer]) => answer), "HTTP/1.1 204 No Content\r\n\r\n"]
      const { connections, port } = yield* listen(
        createTcpServer((socket) => socket.once("data", () => socket.write(answers.shift()!, "latin1")))
      )
      const sender = yield* (yield* make()).open(1)
      const post = sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", 10_000)
      for (const [what, reason] of MALFORMED) assert.deepStrictEqual(yield* post, noAnswer(reason), what)
      assert.deepStrictEqual(yield* post, status(204))
      assert.strictEqual(connections(), MALFORMED.length + 1)
    })
  )

  it.live("speaks TLS with the name it was given, and trusts the operator's authority beside the system's", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-ca-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true }))
      )
      const certificates = makeCertificates(["webhooks.example.com", "127.0.0.1"])
      const caFile = yield* Effect.promise(() => writeCa(certificates, directory))
      const names: Array<string | false | null> = []
      const secure = createTlsServer({ cert: certificates.cert, key: certificates.key }, ok)
      secure.on("secureConnection", (socket) => names.push(socket.servername))
      const { port } = yield* listen(secure)
      const trusting = yield* make({ caFile })
      const suspicious = yield* make()
      for (const { dns } of [trusting, suspicious]) {
        dns.records.set("webhooks.example.com", ["127.0.0.1"])
        dns.records.set("other.example.com", ["127.0.0.1"])
      }
      const sender = yield* trusting.open(1)
      const post = (host: string, by = sender) => by.post(`https://${host}:${port}/`, HEADERS, "{}", 10_000)
      assert.deepStrictEqual(yield* post("webhooks.example.com"), status(200))
      assert.deepStrictEqual(yield* post("127.0.0.1"), status(200))
      assert.deepStrictEqual(names, ["webhooks.example.com", false])
      assert.deepStrictEqual(yield* post("other.example.com"), noAnswer("the certificate is for another name"))
      const refused = yield* post("webhooks.example.com", yield* suspicious.open(1))
      assert.deepStrictEqual(refused, noAnswer("the certificate is not trusted"))
    })
  )

  it.live("resumes the TLS session of an earlier connection of its webhook, and never another's", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-ca-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true }))
      )
      const certificates = makeCertificates()
      const caFile = yield* Effect.promise(() => writeCa(certificates, directory))
      const resumed: Array<boolean> = []
      const secure = createTlsServer({ cert: certificates.cert, key: certificates.key }, (request, response) => {
        response.setHeader("connection", "close")
        ok(request, response)
      })
      secure.on("secureConnection", (socket) => resumed.push(socket.isSessionReused()))
      const { port } = yield* listen(secure)
      const { open } = yield* make({ caFile })
      for (let webhooks = 0; webhooks < 2; webhooks++) {
        const sender = yield* open(1)
        for (let n = 0; n < 3; n++) {
          assert.deepStrictEqual(yield* sender.post(`https://127.0.0.1:${port}/`, HEADERS, "{}", 10_000), status(200))
        }
      }
      assert.deepStrictEqual(resumed, [false, true, true, false, true, true])
    })
  )
})
