import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { TYPES } from "../RawPeer.ts"
import { type Stage } from "./Stage.ts"

export const wrongs = ({ name, open, rawPeer, wellBehaved }: Stage): void => {
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
        if (number > 1) return wellBehaved(connection)
        await connection.request()
        connection.send(bytes)
      })
      const sender = await open(peer.port)
      expect((await sender.send(1)).failures.get(0)).toMatchObject({ reason: "protocol", unprocessed: false })
      await peer.connections[0]!.closed
      expect((await sender.send(1)).answers.size).toBe(1)
    })
  })
}
