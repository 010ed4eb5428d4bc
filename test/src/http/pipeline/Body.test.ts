import { Readable } from "node:stream"
import { describe, expect, it } from "vitest"
import type { BodyError } from "../../../../src/http/pipeline/Body.ts"
import { readBytes } from "../../../../src/http/pipeline/Body.ts"

const MB = 1 << 20

describe("bodies that are on their way", () => {
  it("hold 64 MB together at most: whose have been there longest are refused, and memory counts no longer that is free", () => {
    const refused: Array<number> = []
    const whole: Array<number> = []
    const begin = (n: number, bytes: number, owner = "a") => {
      const source = new Readable({ read: () => {} })
      const note = (read: Buffer | BodyError) => {
        if (Buffer.isBuffer(read)) whole.push(n)
        else {
          expect(read).toMatchObject({ code: "request_timeout", headers: { connection: "close" } })
          refused.push(n)
        }
      }
      readBytes(source, bytes + 1, 2 * MB, owner, note)
      source.emit("data", Buffer.alloc(bytes))
      return source
    }
    const sources = Array.from({ length: 70 }, (_, n) => begin(n, MB))
    expect(refused).toEqual([0, 1, 2, 3, 4, 5, 6])
    for (const source of sources) source.emit("data", Buffer.alloc(1))
    expect(whole).toEqual(Array.from({ length: 63 }, (_, n) => n + 7))
    for (let n = 100; n < 163; n++) begin(n, MB)
    expect(refused).toHaveLength(7)
    // Of another application: room is made by the one that holds most.
    const other = begin(200, MB, "b")
    expect(refused.slice(7)).toEqual([100])
    for (let n = 300; n < 310; n++) begin(n, MB)
    other.emit("data", Buffer.alloc(1))
    expect([refused.length, whole.at(-1)]).toEqual([18, 200])
  })
})
