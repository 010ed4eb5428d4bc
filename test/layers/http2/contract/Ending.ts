import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { TYPES } from "../RawPeer.ts"
import { makeBatch, openSender, Results } from "../Sending.ts"
import { briefly, type Stage } from "./Stage.ts"

export const ending = ({ name, open, rawPeer, wellBehaved, layer }: Stage): void => {
  describe(`${name}: ending`, () => {
    it("resets the streams of an interrupted batch, calls nothing more, and goes on with others", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings([3, 3]))
        const ids = [await connection.request(), await connection.request(), await connection.request()]
        connection.send(raw.ok(ids[0]!))
        const resets = [await connection.next(TYPES.reset), await connection.next(TYPES.reset)]
        // Late answers to both, and to the one that may have followed the first.
        for (const { id } of resets) connection.send(raw.ok(id))
        for (;;) connection.send(raw.ok(await connection.request()))
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
      const peer = await rawPeer(wellBehaved)
      const sender = await openSender(layer, peer.port)
      await sender.close()
      const { failures } = await sender.send(2)
      expect(briefly(failures)).toEqual(["closed, unprocessed", "closed, unprocessed"])
    })
  })
}
