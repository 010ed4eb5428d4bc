import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { TYPES } from "../RawPeer.ts"
import { makeBatch, Results } from "../Sending.ts"
import { type Stage } from "./Stage.ts"

export const streams = ({ name, open, nodeServer, rawPeer }: Stage): void => {
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

    it("begins no more of a batch that says so, and tells those that wait; other batches go on", async () => {
      const held: Array<() => void> = []
      let heard = () => {}
      const server = await nodeServer(
        (stream) => {
          const answer = () => {
            stream.respond({ ":status": 200 })
            stream.end()
          }
          if (held.push(answer) === 4) heard()
        },
        { settings: { maxConcurrentStreams: 4 } }
      )
      const isFull = new Promise<void>((resolve) => (heard = resolve))
      const sender = await open(server.port)
      let may = true
      const stopped = sender.start(20, { mayBegin: () => may })
      await isFull
      const other = sender.start(2)
      may = false
      heard = () => held.splice(0).forEach((answer) => answer())
      for (const answer of held.splice(0)) answer()
      const { answers, failures } = await stopped.done
      expect([...answers.keys()].sort()).toEqual([0, 1, 2, 3])
      expect(failures.size).toBe(16)
      expect([...failures.values()].every(({ reason, unprocessed }) => reason === "withheld" && unprocessed)).toBe(true)
      for (const answer of held.splice(0)) answer()
      while (other.results.calls < 2) {
        await new Promise((resolve) => setImmediate(resolve))
        for (const answer of held.splice(0)) answer()
      }
      expect((await other.done).answers.size).toBe(2)
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

    it("gives up a peer that allows no streams, whatever else it says", async () => {
      const peer = await rawPeer((connection) => {
        connection.send(raw.settings([3, 0]))
        const pinging = setInterval(() => connection.send(raw.frame(TYPES.ping, 0, 0, Buffer.alloc(8))), 60)
        connection.socket.once("close", () => clearInterval(pinging))
      })
      const { failures } = await (await open(peer.port, { connectTimeoutMs: 300 })).send(2)
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

    it("goes on when only one of many streams becomes free at a time", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 64]))
        const open: Array<number> = []
        for (let n = 0; n < 64; n++) open.push(await connection.request())
        for (let n = 64; n < 100; n++) {
          connection.send(raw.ok(open.shift()!))
          open.push(await connection.request())
        }
        connection.send(...open.map(raw.ok))
      })
      expect((await (await open(peer.port)).send(100)).answers.size).toBe(100)
    })
  })
}
