import { describe, expect, it } from "vitest"
import { ANSWER_BYTES, lengthOf, permitsOf } from "../../../src/graphql/AnswerSize.ts"

const MEGABYTE = 1 << 20

describe("the length of an answer", () => {
  it("is bounded by 8 MB, however often the same text stands in it", () => {
    const text = "x".repeat(MEGABYTE)
    const answer = (times: number) => ({
      data: Object.fromEntries(Array.from({ length: times }, (_, i) => [`a${i}`, text]))
    })
    expect(lengthOf(answer(7))).toBe(JSON.stringify(answer(7)).length)
    expect(lengthOf(answer(8))).toBe(null)
    expect(lengthOf(answer(8000))).toBe(null)
  })

  it("is that of JSON in UTF-8, with what is escaped", () => {
    for (const [text, bytes] of [
      ["\u0001", 6],
      ['"', 2],
      ["ä", 2],
      ["€", 3],
      ["\ud800", 6]
    ] as const) {
      const most = Math.floor((ANSWER_BYTES - 2 * MEGABYTE) / bytes)
      expect(lengthOf({ data: text.repeat(most) })).not.toBe(null)
      expect(lengthOf({ data: text.repeat(Math.ceil(ANSWER_BYTES / bytes)) })).toBe(null)
    }
  })

  it("is no less than what is written, also of short things", () => {
    for (const answer of [
      { data: null },
      { data: { a: [true, false, null, 1, -1.5, ["x"], {}] } },
      { data: { nodes: Array.from({ length: 1000 }, (_, i) => ({ id: `${i}`, name: null, counts: { sent: i } })) } }
    ]) {
      expect(lengthOf(answer)).toBeGreaterThanOrEqual(JSON.stringify(answer).length)
    }
  })

  it("counts a permit for each hundred kilobytes", () => {
    expect([permitsOf(1), permitsOf(100_000), permitsOf(100_001)]).toEqual([1, 1, 2])
  })
})
