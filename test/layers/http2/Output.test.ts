import { Writable } from "node:stream"
import { describe, expect, it } from "vitest"
import { Output } from "../../../layers/http2/Output.ts"
import { Chance } from "./Chance.ts"

/** A socket that takes each write when it is told to. */
const slowSocket = () => {
  const taken: Array<Buffer> = []
  const writes: Array<number> = []
  const waiting: Array<() => void> = []
  const take = (chunks: ReadonlyArray<Buffer>, done: () => void) => {
    writes.push(chunks.length)
    waiting.push(() => {
      for (const chunk of chunks) taken.push(Buffer.from(chunk))
      done()
    })
  }
  const socket = new Writable({
    write: (chunk, _encoding, done) => take([chunk as Buffer], done),
    writev: (chunks, done) =>
      take(
        chunks.map(({ chunk }) => chunk as Buffer),
        done
      )
  })
  return { socket, taken, writes, drain: () => waiting.shift()?.(), waiting }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe("Output", () => {
  it("hands the socket every byte once, in order and unchanged, however slowly it takes them", async () => {
    const chance = new Chance(8)
    for (let round = 0; round < 20; round++) {
      const { socket, taken, drain, waiting } = slowSocket()
      const output = new Output(socket, { onDrained: () => {}, isStale: () => false })
      const said: Array<Buffer> = []
      for (let n = 0; n < 300; n++) {
        const frame = Buffer.alloc(1 + chance.below(chance.pick([20, 2000, 70_000])), n)
        said.push(frame)
        output.append(frame)
        if (chance.below(3) === 0) output.flush()
        if (chance.below(4) === 0) drain()
        if (chance.below(10) === 0) await settled()
      }
      output.flush()
      do {
        drain()
        await settled()
      } while (waiting.length > 0)
      expect(Buffer.concat(taken).equals(Buffer.concat(said))).toBe(true)
      expect(output.queued).toBe(0)
    }
  })

  it("says what one turn says in one write, once it has learnt how much that is", async () => {
    const { socket, writes, drain } = slowSocket()
    const output = new Output(socket, { onDrained: () => {}, isStale: () => false })
    for (let turn = 0; turn < 12; turn++) {
      for (let n = 0; n < 1000; n++) output.append(Buffer.alloc(200))
      output.flush()
      drain()
      await settled()
    }
    expect(writes.slice(-6)).toEqual([1, 1, 1, 1, 1, 1])
  })

  it("is blocked while the socket does not take what was written, and tells when it has", async () => {
    let drained = 0
    const { socket, drain } = slowSocket()
    const output = new Output(socket, { onDrained: () => drained++, isStale: () => false })
    for (let n = 0; n < 5; n++) {
      output.append(Buffer.alloc(300_000))
      output.flush()
    }
    expect([output.blocked, drained]).toEqual([true, 0])
    for (let n = 0; n < 5; n++) {
      drain()
      await settled()
    }
    expect([output.blocked, drained]).toEqual([false, 1])
  })
})
