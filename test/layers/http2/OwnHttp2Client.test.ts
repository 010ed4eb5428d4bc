import type { Socket } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { layer } from "../../../layers/http2/OwnHttp2Client.ts"
import { http2ClientContract } from "./Http2Client.contract.ts"
import * as raw from "./RawPeer.ts"
import { startRawPeer, TYPES } from "./RawPeer.ts"
import { openSender, startNodeServer } from "./Sending.ts"

http2ClientContract("own", layer)

/** Longer than a process may take over requests before their batch is asked again. */
const STOOD_STILL_MS = 150
const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STOOD_STILL_MS)

/** A server that notes which requests have come whole, and a sender to it. It answers all but those to be held. */
const noting = async (hold: (path: string) => boolean = () => false) => {
  const whole: Array<string> = []
  const held: Array<() => void> = []
  let heard = () => {}
  const isHeld = new Promise<void>((resolve) => (heard = resolve))
  const server = await startNodeServer((stream, headers) => {
    const path = String(headers[":path"])
    whole.push(path)
    const answer = () => {
      stream.respond({ ":status": 200 })
      stream.end()
    }
    if (!hold(path)) return answer()
    held.push(answer)
    heard()
  })
  const sender = await openSender(layer, server.port)
  onTestFinished(async () => {
    await sender.close()
    await server.close()
  })
  return { sender, sessions: server.sessions, whole, held, isHeld }
}

describe("a process that stands still over requests that it writes", () => {
  it("sends none of a batch whose time is over by then, while what is under way on the connection goes on", async () => {
    const { held, isHeld, sender, sessions, whole } = await noting((path) => path === "/held")
    const earlier = sender.start(1, { path: () => "/held" })
    await isHeld
    let may = true
    const { failures } = await sender.send(20, {
      mayBegin: () => may,
      body: (index) => {
        if (index === 10) {
          standStill()
          may = false
        }
        return `body ${index}`
      }
    })
    expect(failures.size).toBe(20)
    expect([...failures.values()].every(({ reason, unprocessed }) => reason === "withheld" && unprocessed)).toBe(true)
    // The next ones have a connection of their own: what was taken back had changed the state of this one.
    expect((await sender.send(2)).answers.size).toBe(2)
    for (const answer of held) answer()
    expect((await earlier.done).answers.size).toBe(1)
    expect(whole).toEqual(["/held", "/device/0", "/device/1"])
    expect(sessions).toHaveLength(2)
  })

  it("sends what may be sent all the same, of other batches too", async () => {
    const { sender, whole } = await noting()
    await sender.send(1)
    let may = true
    const ended = sender.start(8, {
      mayBegin: () => may,
      path: (index) => `/ended/${index}`,
      body: () => {
        if (may) standStill()
        may = false
        return "body"
      }
    })
    const other = sender.start(40, { mayBegin: () => true, path: (index) => `/other/${index}` })
    expect((await ended.done).failures.size).toBe(8)
    expect((await other.done).answers.size).toBe(40)
    expect(whole.filter((path) => path.startsWith("/ended"))).toEqual([])
    expect(new Set(whole.filter((path) => path.startsWith("/other"))).size).toBe(40)
    let stoodStill = false
    const still = await sender.send(8, {
      mayBegin: () => true,
      body: () => {
        if (!stoodStill) standStill()
        stoodStill = true
        return "body"
      }
    })
    expect(still.answers.size).toBe(8)
  })

  it("sends none when it stands still right after the batch said that it may begin", async () => {
    const { sender, whole } = await noting()
    await sender.send(1)
    whole.length = 0
    let asked = 0
    const { failures } = await sender.send(8, {
      mayBegin: () => {
        asked++
        if (asked === 1) standStill()
        return asked === 1
      }
    })
    expect(failures.size).toBe(8)
    expect(whole).toEqual([])
  })

  it("sends none that the socket has not taken when it stands still, because it is busy with what came before", async () => {
    const { sender, whole } = await noting()
    await sender.send(1)
    whole.length = 0
    let may = true
    const first = sender.start(1, { path: () => "/first" })
    const second = sender.start(8, { mayBegin: () => may, path: (index) => `/second/${index}` })
    standStill()
    may = false
    expect((await second.done).failures.size).toBe(8)
    expect((await first.done).answers.size).toBe(1)
    expect(whole).toEqual(["/first"])
  })

  it("has an answer for what went out before in the same turn, and sends none of the rest", async () => {
    const { sender, whole } = await noting()
    await sender.send(1)
    whole.length = 0
    let may = true
    const { answers, failures } = await sender.send(400, {
      mayBegin: () => may,
      // More than the largest page of the connection's output.
      headers: () => [["x-long", "x".repeat(1000)]],
      body: (index) => {
        if (index === 350) {
          standStill()
          may = false
        }
        return "body"
      }
    })
    expect(answers.size).toBeGreaterThan(0)
    expect(failures.size).toBeGreaterThanOrEqual(50)
    expect([...failures.values()].every(({ reason }) => reason === "withheld")).toBe(true)
    expect(whole.map((path) => Number(path.slice("/device/".length))).sort((a, b) => a - b)).toEqual(
      [...answers.keys()].sort((a, b) => a - b)
    )
  })
})

describe("a connection whose peer stops reading", () => {
  it("keeps nobody waiting whom another connection can carry", async () => {
    const paused: Array<Socket> = []
    const peer = await startRawPeer(async (connection) => {
      connection.send(raw.settings([4, 0x7fff_ffff]), raw.frame(TYPES.window, 0, 0, raw.uint32(0x7fff_0000)))
      // The first connection is known to work, and then reads no more.
      if (paused.length === 0) {
        paused.push(connection.socket)
        connection.send(raw.ok(await connection.request()))
        connection.socket.pause()
        return
      }
      for (;;) connection.send(raw.ok(await connection.request()))
    })
    const sender = await openSender(layer, peer.port, { connections: 2 })
    onTestFinished(async () => {
      await sender.close()
      await peer.close()
    })
    await sender.send(1)
    // More than the kernel holds for it.
    const body = Buffer.alloc(16_000)
    const large = sender.start(2400, { body: () => body })
    await large.results.reached(1)
    expect((await sender.send(1)).answers.size).toBe(1)
    paused[0]!.destroy()
    await large.done
  })
})
