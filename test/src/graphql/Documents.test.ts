import { describe, expect, it } from "vitest"
import { DocumentCache } from "../../../src/graphql/Documents.ts"

describe("remembered queries", () => {
  it("are those that were asked for last, as many as fit by their length", () => {
    const cache = new DocumentCache<number>()
    const text = (i: number) => `${i}`.padEnd(9_900, "#")
    for (let i = 0; i < 15; i++) cache.set(text(i), i)
    expect(cache.get(text(0))).toBe(0)
    for (let i = 15; i < 30; i++) cache.set(text(i), i)
    expect(cache.size).toBe(20)
    expect([cache.get(text(0)), cache.get(text(1)), cache.get(text(29))]).toEqual([0, undefined, 29])
  })

  it("are never long ones, and one that is set again counts once", () => {
    const cache = new DocumentCache<number>()
    cache.set("x".repeat(60_000), 1)
    expect(cache.size).toBe(0)
    for (let i = 0; i < 1000; i++) cache.set("y".repeat(9_900), i)
    expect(cache.get("y".repeat(9_900))).toBe(999)
    for (let i = 0; i < 19; i++) cache.set(`${i}`.padEnd(9_900, "#"), i)
    expect(cache.size).toBe(20)
  })
})
