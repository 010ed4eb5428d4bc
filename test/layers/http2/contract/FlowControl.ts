import { describe, expect, it } from "vitest"
import * as raw from "../RawPeer.ts"
import { TYPES } from "../RawPeer.ts"
import { type Stage } from "./Stage.ts"

export const flowControl = ({ name, open, nodeServer, rawPeer }: Stage): void => {
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
}
