import type { TlsOptions } from "node:tls"
import { afterEach, describe, expect, it } from "vitest"
import { layer } from "../../../layers/http2/OwnHttp2Client.ts"
import { pour, POURED } from "../../Sockets.ts"
import * as raw from "./RawPeer.ts"
import { type RawConnection, startRawPeer, TYPES } from "./RawPeer.ts"
import { openSender } from "./Sending.ts"

const ENHANCE_YOUR_CALM = 11

const cleanups: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const window = (id: number, increment: number) => raw.frame(TYPES.window, 0, id, raw.uint32(increment))
const many = (count: number, ...frames: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(Array<Buffer>(count).fill(Buffer.concat(frames)))

/** What a peer may say that brings nothing. `a` is a stream whose answer is whole, `b` one whose answer has not begun. */
const FLOODS: ReadonlyArray<readonly [what: string, frames: (a: number, b: number) => Buffer]> = [
  ["PING", () => raw.frame(TYPES.ping, 0, 0, Buffer.alloc(8))],
  ["answers to PINGs that nobody sent", () => raw.frame(TYPES.ping, 1, 0, Buffer.alloc(8))],
  ["empty SETTINGS", () => raw.settings()],
  ["acknowledgements of SETTINGS", () => raw.frame(TYPES.settings, 1, 0)],
  ["the connection's WINDOW_UPDATE", () => window(0, 1)],
  ["a stream's WINDOW_UPDATE", (_, b) => window(b, 1)],
  ["WINDOW_UPDATE of a stream that has ended", (a) => window(a, 1)],
  ["RST_STREAM of a stream that has ended", (a) => raw.reset(a, 8)],
  ["PRIORITY", (a) => raw.frame(TYPES.priority, 0, a, Buffer.alloc(5))],
  ["frames of an unknown type", () => raw.frame(0x77, 0, 0)],
  ["GOAWAY", () => raw.goaway(1000)],
  [
    "header blocks in empty CONTINUATIONs, of interim answers",
    (_, b) =>
      Buffer.concat([
        raw.frame(TYPES.headers, 0, b, raw.block([":status", "103"])),
        many(60, raw.frame(TYPES.continuation, 0, b)),
        raw.frame(TYPES.continuation, 4, b)
      ])
  ]
]

const meet = async (play: (connection: RawConnection) => unknown, options: TlsOptions = {}) => {
  const peer = await startRawPeer(async (connection, number) => {
    connection.send(raw.settings())
    if (number > 1) for (;;) connection.send(raw.ok(await connection.request()))
    await play(connection)
  }, options)
  cleanups.push(peer.close)
  const sender = await openSender(layer, peer.port)
  cleanups.push(sender.close)
  return { sender, peer }
}

describe("A peer that says much that brings nothing", () => {
  it.each(FLOODS)("is told to calm down after tens of thousands of %s, and its connection ends", async (_, flood) => {
    const { sender, peer } = await meet(async (connection) => {
      const [a, b] = [await connection.request(), await connection.request()]
      const frames = flood(a, b)
      connection.send(raw.ok(a), many(20_000, frames))
    })
    const { answers, failures } = await sender.send(2)
    expect(answers.get(0)!.status).toBe(200)
    // A stream with forty interim answers fails by itself before that.
    expect(failures.get(1)).toMatchObject({ reason: "protocol", unprocessed: false })
    const goaway = await peer.connections[0]!.next(TYPES.goaway)
    expect(goaway.payload.readUInt32BE(4)).toBe(ENHANCE_YOUR_CALM)
    await peer.connections[0]!.closed
    expect((await sender.send(1)).answers.size).toBe(1)
  })

  it.each<readonly [what: string, begin: (id: number) => Buffer, frame: (id: number) => Buffer]>([
    ["frames of an unknown type", raw.ok, () => raw.frame(0x77, 0, 0, Buffer.alloc(16_384))],
    [
      "a body that is too large",
      (id) => raw.headers(id, [[":status", "400"]], false),
      (id) => raw.data(id, Buffer.alloc(16_384), false)
    ]
  ])("is cut off after some megabytes of %s", async (_, begin, frame) => {
    const poured = Promise.withResolvers<number>()
    const { sender } = await meet(async (connection) => {
      const id = await connection.request()
      connection.send(begin(id))
      poured.resolve(pour(connection.socket, frame(id)))
    })
    await sender.send(1)
    expect(await poured.promise).toBeLessThan(POURED)
    expect((await sender.send(1)).answers.size).toBe(1)
  })

  it.each<readonly [what: string, last: (id: number) => Buffer]>([
    ["has gone away", (id) => raw.goaway(id)],
    ["has broken the rules", () => raw.frame(TYPES.push, 4, 1, raw.uint32(2))]
  ])("is cut off when it %s and goes on for ever", async (_, last) => {
    const poured = Promise.withResolvers<number>()
    const play = async (connection: RawConnection) => {
      const id = await connection.request()
      connection.send(raw.ok(id), last(id))
      poured.resolve(pour(connection.socket, raw.frame(0x77, 0, 0, Buffer.alloc(16_384))))
    }
    // It does not care that the sender's half of the connection has ended.
    const { sender } = await meet(play, { allowHalfOpen: true })
    expect((await sender.send(1)).answers.size).toBe(1)
    expect(await poured.promise).toBeLessThan(POURED)
    expect((await sender.send(1)).answers.size).toBe(1)
  })

  it("may send some megabytes of bodies that are too large", async () => {
    const { sender, peer } = await meet(async (connection) => {
      for (;;) {
        const id = await connection.request()
        connection.send(
          raw.headers(id, [[":status", "400"]], false),
          many(3, raw.data(id, Buffer.alloc(16_384), false))
        )
        await connection.next(TYPES.reset)
        connection.send(raw.data(id, ""))
      }
    })
    const { failures } = await sender.send(30)
    expect([...failures.values()].map(({ reason }) => reason)).toEqual(Array(30).fill("too_large"))
    expect(peer.connections).toHaveLength(1)
  })

  it("may say some thousand of it, and a good deal more around its answers", async () => {
    const { sender, peer } = await meet(async (connection) => {
      connection.send(many(5000, window(0, 1)), many(20, raw.settings()))
      for (;;) {
        const id = await connection.request()
        connection.send(many(8, window(0, 1), raw.frame(TYPES.ping, 1, 0, Buffer.alloc(8))), raw.ok(id))
      }
    })
    expect((await sender.send(3000)).answers.size).toBe(3000)
    expect(peer.connections).toHaveLength(1)
  })
})

describe("A peer with thousands of streams whose bodies wait for its windows", () => {
  /** Milliseconds until the peer knows that so many frames were read, with so many bodies waiting. */
  const read = async (streams: number, frames: Buffer): Promise<number> => {
    const took = Promise.withResolvers<number>()
    const { sender } = await meet(async (connection) => {
      connection.send(raw.settings([4, 0]))
      for (let n = 0; n < streams; n++) await connection.next(TYPES.headers)
      const began = performance.now()
      connection.send(frames, raw.frame(TYPES.ping, 0, 0, Buffer.from("the end.")))
      await connection.next(TYPES.ping, ({ flags, payload }) => flags === 1 && payload.toString() === "the end.")
      took.resolve(performance.now() - began)
      connection.socket.destroy()
    })
    const sending = sender.send(streams)
    const ms = await took.promise
    await sending
    return ms
  }

  const initial = (...sizes: ReadonlyArray<number>) => raw.settings(...sizes.map((size) => [4, size] as const))
  const thousands = Array.from({ length: 2000 }, (_, n) => n % 2)
  it.each<readonly [string, Buffer]>([
    ["WINDOW_UPDATEs of the connection", many(9000, window(0, 1))],
    ["SETTINGS that say a window 2,000 times", many(90, initial(...thousands, 0))],
    ["SETTINGS that change the window back and forth", many(45, initial(1), initial(0))]
  ])("pays no more of our time for %s than one with a few", async (_, frames) => {
    const few: Array<number> = []
    const lots: Array<number> = []
    for (let round = 0; round < 3; round++) {
      few.push(await read(8, frames))
      lots.push(await read(4000, frames))
    }
    expect(Math.min(...lots), `8 streams ${Math.min(...few)} ms, 4,000 streams ${Math.min(...lots)} ms`).toBeLessThan(
      20 * Math.min(...few) + 100
    )
  })
})
