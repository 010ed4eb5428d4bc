import { Effect, Stream } from "effect"
import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { heldBack, isBehindProxy } from "../../../../src/http/pipeline/HeldAnswer.ts"

describe("an answer that is held back", () => {
  it.each([0, 10, 200])("is the same, in memory and in a file: %i pieces of 20 kB", async (count) => {
    const pieces = Array.from({ length: count }, (_, n) => Buffer.alloc(20_000, n))
    let made = 0
    const source = Stream.fromIterable(pieces).pipe(Stream.tap(() => Effect.sync(() => void made++)))
    const seen: Array<Uint8Array> = []
    const madeAtFirst: Array<number> = []
    await Effect.runPromise(
      Stream.runForEach(heldBack(source), (bytes) =>
        Effect.sync(() => {
          madeAtFirst.push(made)
          seen.push(bytes)
        })
      )
    )
    expect(Buffer.concat(seen).equals(Buffer.concat(pieces))).toBe(true)
    // Nothing of it goes out before all of it is there.
    expect(new Set(madeAtFirst)).toEqual(new Set(count === 0 ? [] : [count]))
  })

  it("fails as the answer does, and sends nothing of it", async () => {
    const seen: Array<Uint8Array> = []
    const source = Stream.concat(Stream.succeed(Buffer.from("a")), Stream.fail("broken"))
    const exit = await Effect.runPromiseExit(
      Stream.runForEach(heldBack(source), (bytes) => Effect.sync(() => void seen.push(bytes)))
    )
    expect(exit).toMatchObject({ _tag: "Failure" })
    expect(seen).toEqual([])
  })

  it("is one to a request that came by a proxy, by whichever header it says so", () => {
    for (const headers of [{ "x-forwarded-for": "10.0.0.1" }, { forwarded: "for=10.0.0.1" }, { via: "1.1 a" }]) {
      expect(isBehindProxy(headers)).toBe(true)
    }
    expect(isBehindProxy({ host: "api" })).toBe(false)
  })
})
