import { describe, expect, it } from "vitest"
import { Room } from "../../../services/domain/operations/Room.ts"
import { fingerprintOf, Held } from "../../../src/graphql/HeldAnswers.ts"

const MB = "x".repeat(1 << 20)

describe("the last answers of streams", () => {
  it("have room by their size, half of it for one application, and give it back with their stream", () => {
    const room = new Room(4 << 20)
    const streams = ["a", "a", "a", "b"].map((owner) => new Held(room, owner))
    expect(streams.map((one) => one.takes(MB))).toEqual([true, true, false, true])
    expect(streams.map((one) => one.takes("small"))).toEqual([true, true, true, true])
    expect(room.taken).toBe(3 * MB.length)
    for (const one of streams) one.leave()
    expect(room.taken).toBe(0)
  })

  it("take more room where they grow, and none where they do not", () => {
    const room = new Room(4 << 20)
    const [first, second] = [new Held(room, "a"), new Held(room, "a")]
    expect([first.takes(MB), first.takes(MB), second.takes(MB)]).toEqual([true, true, true])
    expect(first.takes(`${MB}x`)).toBe(false)
    second.leave()
    expect(second.takes(`${MB}x`)).toBe(true)
  })

  it("are told apart by less than what they say", () => {
    expect(fingerprintOf(MB)).toBe(fingerprintOf(`${MB.slice(1)}x`))
    expect(fingerprintOf(MB)).not.toBe(fingerprintOf(`${MB}x`))
    expect(fingerprintOf(MB).length).toBeLessThan(50)
  })
})
