import { Effect, Exit } from "effect"
import type * as http2 from "node:http2"
import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { makeBatch, Results } from "../Sending.ts"
import { type Stage } from "./Stage.ts"

const raise = (what: string): never => {
  throw new Error(what)
}

export const requests = ({ name, open, nodeServer, rawPeer, echo, wellBehaved }: Stage): void => {
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

    it("keeps small batches apart of which each says one thing otherwise than the one before", async () => {
      const server = await nodeServer((stream, headers, body) => {
        const seen = [headers[":path"], headers["x-topic"], headers["authorization"], headers["x-more"], body].join(" ")
        stream.respond({ ":status": 200, "x-seen": seen })
        stream.end()
      })
      const sender = await open(server.port)
      const plain = { base: "/a/", topic: "news", secret: "bearer 1", more: "", around: ["<", ">"] as const }
      const changes = [
        {},
        {},
        { secret: "bearer 2" },
        { topic: "sport" },
        { base: "/b/" },
        { around: ["(", ">"] as const },
        { around: ["<", ")"] as const },
        { more: "m" },
        {}
      ]
      for (const [n, change] of changes.entries()) {
        const { around, base, more, secret, topic } = { ...plain, ...change }
        const { answers } = await sender.send(1, {
          base,
          around,
          common: [["x-topic", topic], ...(more === "" ? [] : [["x-more", more] as const])],
          credential: [["authorization", secret]],
          headers: () => [],
          path: () => String(n),
          body: () => "b"
        })
        const seen = `${base}${n} ${topic} ${secret} ${more} ${around[0]}b${around[1]}`
        expect(answers.get(0)!.header("x-seen")).toBe(seen)
      }
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

    it("says how long every body is, in bytes, as some servers take none without", async () => {
      const lengths: Array<readonly [string | undefined, string]> = []
      const server = await nodeServer((stream, headers, body) => {
        lengths.push([headers["content-length"], String(Buffer.byteLength(body))])
        echo(stream, headers, body)
      })
      const sender = await open(server.port, { maxBody: 400_000 })
      const bodies = [
        "",
        "x",
        "x".repeat(9),
        "x".repeat(10),
        "zażółć 🔑",
        Buffer.alloc(99_999, 0x78),
        "é".repeat(60_000)
      ]
      await sender.send(bodies.length, { body: (index) => bodies[index]! })
      await sender.send(bodies.length, { body: (index) => bodies[index]!, around: ["<é>", "</é>"] })
      expect(lengths).toHaveLength(14)
      for (const [said, was] of lengths) expect(said).toBe(was)
    })

    it("puts what all bodies share around what each of them says", async () => {
      const server = await nodeServer(echo)
      const around = ['{"title":"grüße","id":"', '"}'] as const
      const bodies = ["", "one", "zwölf", new Uint8Array([0x31, 0x32]), "x".repeat(100_000), Buffer.alloc(70_000, "y")]
      const sender = await open(server.port, { maxBody: 200_000 })
      const { answers } = await sender.send(bodies.length, { around, body: (index) => bodies[index]! })
      expect(bodies.map((_, index) => answers.get(index)!.body)).toEqual(
        bodies.map((body) => around[0] + Buffer.from(body as string).toString() + around[1])
      )
    })

    it("puts what all paths begin with before the rest of each", async () => {
      const server = await nodeServer(echo)
      const { answers } = await (
        await open(server.port)
      ).send(50, {
        base: "/3/device/",
        path: (index) => "a".repeat(index * 5)
      })
      const paths = Array.from({ length: 50 }, (_, index) => answers.get(index)!.header("x-path"))
      expect(paths).toEqual(paths.map((_, index) => `/3/device/${"a".repeat(index * 5)}`))
    })

    it("passes interim answers and trailers over", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(
          raw.headers(id, [[":status", "100"]], false),
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
      const peer = await rawPeer(wellBehaved)
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
        { base: "/bad\r\npath/" },
        // Whose lower bytes are those of a line break, or of letters.
        { path: (index) => (index < 5 ? "/good" : "/bad\u010d\u010a") },
        { headers: (index) => [["x-bad", index < 5 ? "good" : "\u0162\u0161d"]] },
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
}
