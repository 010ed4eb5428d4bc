import { describe, expect, it } from "vitest"
import { rowsOf } from "../../../dashboard/src/templates/lines.ts"

/** As `-gone`, `+new`, ` same`, with what is marked in brackets. */
const shown = (before: string, after: string) =>
  rowsOf(before, after).map(
    ({ kind, pieces }) =>
      ({ gone: "-", new: "+", same: " " })[kind] +
      pieces.map(({ isChanged, text }) => (isChanged ? `[${text}]` : text)).join("")
  )

describe("lines of two texts", () => {
  it("are the same, gone or new, with the words that differ marked where as many stand on both sides", () => {
    expect(shown("a\nHello you\nb\n", "a\nHello Ada\nb\n")).toEqual([" a", "-Hello [you]", "+Hello [Ada]", " b"])
    expect(shown("a\nb", "a")).toEqual(["-a", "-b", "+a"])
  })

  it("are told apart at once where they have nothing in common, but for how they begin and end", () => {
    const of = (letter: string) => Array.from({ length: 50_000 }, (_, i) => `${letter}${i}`)
    const rows = shown(["first", ...of("a"), "last"].join("\n"), ["first", ...of("b"), "last"].join("\n"))
    expect([rows.length, rows[0], rows[1], rows.at(-2), rows.at(-1)]).toEqual([
      100_002,
      " first",
      "-a0",
      "+b49999",
      " last"
    ])
    const words = (letter: string) => of(letter).join(" ")
    expect(rowsOf(words("a"), words("b")).map(({ kind, pieces }) => [kind, pieces.length])).toEqual([
      ["gone", 1],
      ["new", 1]
    ])
  }, 5_000)
})
