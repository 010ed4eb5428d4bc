import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { TYPES } from "../RawPeer.ts"
import { briefly, type Stage } from "./Stage.ts"

export const limits = ({ name, open, nodeServer, rawPeer, wellBehaved }: Stage): void => {
  describe(`${name}: limits of time and size`, () => {
    it("fails all that waits for a connection that takes a first request and never answers, after one time-out", async () => {
      const peer = await rawPeer(async (connection) => {
        connection.send(raw.settings())
        await connection.request()
      })
      const sender = await open(peer.port, { firstStreams: 1, requestTimeoutMs: 200 })
      const { failures } = await sender.send(500)
      expect(failures.size).toBe(500)
      expect(failures.get(0)).toMatchObject({ reason: "timeout", unprocessed: false })
      expect(failures.get(499)).toMatchObject({ reason: "timeout", unprocessed: true })
      expect([...failures.values()].filter(({ unprocessed }) => !unprocessed).length).toBe(1)
    })

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
        if (number > 1) return wellBehaved(connection)
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
}
