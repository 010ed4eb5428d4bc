import { Effect, Fiber } from "effect"
import type { ServerHttp2Stream } from "node:http2"
import { describe, expect, it } from "vitest"
import { answerMemory } from "../../../../services/ports/outbound/AnswerMemory.ts"
import type { Http2Failure } from "../../../../services/ports/outbound/Http2Client.ts"
import * as raw from "../RawPeer.ts"
import { makeBatch, Results } from "../Sending.ts"
import { type Stage } from "./Stage.ts"

const created = (id: number): Buffer =>
  raw.headers(
    id,
    [
      [":status", "201"],
      ["x-a", "kept"]
    ],
    false
  )
const isEnough = (status: number): boolean => status === 201

/** So many DATA frames of one byte, which end nothing. */
const crumbs = (id: number, count: number): Buffer => Buffer.concat(Array(count).fill(raw.data(id, "x", false)))

export const bounds = ({ name, open, nodeServer, rawPeer }: Stage): void => {
  describe(`${name}: what an answer may cost`, () => {
    it.each<readonly [how: string, rest: (id: number) => ReadonlyArray<Buffer>]>([
      ["never ends", () => []],
      ["is reset", (id) => [raw.reset(id, 8)]],
      ["is refused", (id) => [raw.reset(id, 7)]],
      ["goes on for ever in crumbs", (id) => [crumbs(id, 1100)]],
      ["is too large", (id) => [raw.data(id, "x".repeat(10_001))]]
    ])("takes a status that is enough for the answer, when the body %s", async (_, rest) => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(created(id), ...rest(id))
      })
      const { answers } = await (await open(peer.port, { isEnough, requestTimeoutMs: 500 })).send(1)
      const answer = answers.get(0)!
      expect([answer.status, answer.header("x-a"), answer.body]).toEqual([201, "kept", ""])
    })

    it("takes a status that is enough for the answer when the connection is cut, and gives a body that comes whole", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids = [await connection.request(), await connection.request()]
        connection.send(created(ids[0]!), created(ids[1]!), raw.data(ids[1]!, "ha", false), raw.data(ids[1]!, "lf"))
        connection.socket.end()
      })
      const { answers } = await (await open(peer.port, { isEnough })).send(2)
      expect([...answers.values()].map(({ status, body }) => [status, body]).sort()).toEqual([
        [201, ""],
        [201, "half"]
      ])
    })

    it("fails an answer that comes in crumbs with too_large, and no other", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids = [await connection.request(), await connection.request()]
        connection.send(raw.headers(ids[0]!, [[":status", "400"]], false), crumbs(ids[0]!, 1100), raw.ok(ids[1]!))
      })
      const { answers, failures } = await (await open(peer.port)).send(2)
      expect(failures.get(0)).toMatchObject({ reason: "too_large", unprocessed: false })
      expect(answers.get(1)!.status).toBe(200)
    })

    it("reads an answer that comes in a few hundred chunks", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const id = await connection.request()
        connection.send(raw.headers(id, [[":status", "400"]], false), crumbs(id, 800), raw.data(id, "!"))
      })
      const { answers } = await (await open(peer.port)).send(1)
      expect(answers.get(0)!.body).toBe(`${"x".repeat(800)}!`)
    })

    it("fails an answer after interim ones without end, and takes a few", async () => {
      const interims = (id: number, count: number) =>
        Array.from({ length: count }, () => raw.headers(id, [[":status", "103"]], false))
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids = [await connection.request(), await connection.request()]
        connection.send(...interims(ids[1]!, 10), raw.ok(ids[1]!))
        connection.send(...interims(ids[0]!, 40))
      })
      const { answers, failures } = await (await open(peer.port)).send(2)
      expect(failures.get(0)).toMatchObject({ reason: "protocol", unprocessed: false })
      expect(answers.get(1)!.status).toBe(200)
    })

    it("ends a connection whose peer says next to nothing in tens of thousands of frames", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids: Array<number> = []
        for (let n = 0; n < 40; n++) ids.push(await connection.request())
        connection.send(...ids.map((id) => raw.headers(id, [[":status", "400"]], false)))
        for (let round = 0; round < 10; round++) connection.send(...ids.map((id) => crumbs(id, 100)))
        for (const id of ids) connection.send(raw.data(id, "!"))
      })
      const { failures } = await (await open(peer.port)).send(40)
      expect([...failures.values()].map(({ reason }) => reason)).toContain("protocol")
      await peer.connections[0]!.closed
    })

    it("gives back what unfinished answers held when nobody waits for them any more, and goes on", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        const ids = [await connection.request(), await connection.request()]
        connection.send(...ids.map((id) => Buffer.concat([created(id), raw.data(id, "x".repeat(5000), false)])))
        for (;;) connection.send(raw.ok(await connection.request()))
      })
      const sender = await open(peer.port)
      const fiber = Effect.runFork(sender.pool.send(makeBatch(new Results(), 2)))
      await expect.poll(() => answerMemory.bytes, { timeout: 60_000 }).toBeGreaterThan(10_000)
      await Effect.runPromise(Fiber.interrupt(fiber))
      expect(answerMemory.bytes).toBe(0)
      expect((await sender.send(1)).answers.size).toBe(1)
    })

    it.each([
      ["bodies on a connection", 1, 8, {}, "x".repeat(15_000)],
      ["bodies in the whole process", 8, 32, {}, "x".repeat(15_000)],
      ["header sections in the whole process", 8, 32, { "x-absent": "x".repeat(15_000) }, "x"]
    ])("holds so much of unfinished %s", async (_, connections, megabytes, headers, body) => {
      const STREAMS = connections * (megabytes === 8 ? 700 : 350)
      let streams: Array<ServerHttp2Stream> | undefined = []
      const server = await nodeServer(
        (stream) => {
          stream.respond({ ":status": 400, ...headers })
          stream.write(body)
          if (streams === undefined) stream.end()
          else streams.push(stream)
        },
        { settings: { maxConcurrentStreams: STREAMS / connections }, maxSessionMemory: 100, streamResetBurst: STREAMS }
      )
      const sender = await open(server.port, {
        connections,
        maxBody: 16_384,
        requestTimeoutMs: 120_000,
        pingAfterMs: 120_000
      })
      const { results, done } = sender.start(STREAMS)
      // Nobody has had a whole answer by then.
      await results.reached(50)
      const most = answerMemory.bytes
      for (const stream of streams) stream.end()
      streams = undefined
      const { answers, failures } = await done
      // Node's server resets some streams itself when much waits to be written.
      expect(
        [...failures.values()].filter(({ reason }: Http2Failure) => reason === "too_large").length
      ).toBeGreaterThan(0)
      expect(answers.size).toBeGreaterThan(STREAMS / 3)
      for (const answer of answers.values()) expect(answer.body.length).toBe(body.length)
      expect(most).toBeGreaterThan(megabytes << 19)
      // One that goes away ends what it has beside the next.
      expect(most).toBeLessThanOrEqual((megabytes + 1) << 20)
      // A stream that the server resets gives back what it held a moment after the last answer.
      await expect.poll(() => answerMemory.bytes, { timeout: 60_000 }).toBe(0)
    })
  })
}
