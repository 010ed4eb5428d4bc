import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { briefly, type Stage } from "./Stage.ts"

const REFUSED_STREAM = 7

export const unprocessed = ({ name, open, rawPeer, wellBehaved }: Stage): void => {
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
        if (number > 1) return wellBehaved(connection)
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
        if (number > 1) return wellBehaved(connection)
        const ids = [await connection.request(), await connection.request()]
        connection.send(raw.reset(ids[1]!, REFUSED_STREAM), raw.headers(ids[0]!, [[":status", "202"]]))
      })
      const { answers } = await (await open(peer.port)).send(2)
      expect([answers.get(0)!.status, answers.get(1)!.status]).toEqual([202, 200])
      expect(peer.connections).toHaveLength(2)
    })

    it.each<readonly [how: string, begin: (id: number) => Buffer, end: (id: number) => Buffer]>([
      [
        "refuses its stream",
        (id) => raw.headers(id, [[":status", "200"]], false),
        (id) => raw.reset(id, REFUSED_STREAM)
      ],
      [
        "refuses its stream after an interim answer",
        (id) => raw.headers(id, [[":status", "103"]], false),
        (id) => raw.reset(id, REFUSED_STREAM)
      ],
      ["goes away below it", (id) => raw.headers(id, [[":status", "200"]], false), () => raw.goaway(0)]
    ])("sends a request whose answer has begun no second time, when the peer then %s", async (_, begin, end) => {
      let requests = 0
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        for (;;) {
          const id = await connection.request()
          requests++
          connection.send(begin(id))
          connection.send(end(id))
          connection.socket.end()
        }
      })
      const { failures } = await (await open(peer.port)).send(1)
      expect(failures.get(0)).toMatchObject({ reason: "closed", unprocessed: false })
      expect(requests).toBe(1)
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
        if (number > 1) return wellBehaved(connection)
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

    it.each<readonly [how: string, leave: (id: number) => Buffer]>([
      ["goes away below each request", () => raw.goaway(0)],
      ["refuses each request", (id) => raw.reset(id, REFUSED_STREAM)]
    ])("tells what waits when connection after connection %s", async (_, leave) => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 1]))
        for (;;) connection.send(leave(await connection.request()))
      })
      const sender = await open(peer.port)
      const { failures } = await sender.send(100)
      expect(briefly(failures)).toEqual(Array(100).fill("closed, unprocessed"))
      expect(peer.connections.length).toBeLessThan(10)
    })
  })
}
