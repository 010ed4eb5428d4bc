import { describe, expect, it } from "vitest"
import type { Line } from "../../../../src/http/pipeline/Lines.ts"
import { LineSplitter } from "../../../../src/http/pipeline/Lines.ts"

const split = (limit: number, chunks: ReadonlyArray<string>) => {
  const splitter = new LineSplitter(limit)
  const lines = [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.end()]
  return lines.map(({ number, bytes }: Line) => [number, bytes?.toString() ?? null])
}

describe("LineSplitter", () => {
  const text = 'first\n\nthird ü\r\n   \n{"fifth":1}'
  const lines = [
    [1, "first"],
    [3, "third ü\r"],
    [5, '{"fifth":1}']
  ]

  it("finds the same lines wherever the chunks are cut", () => {
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const splitter = new LineSplitter(100)
      const found: Array<Line> = []
      for (let at = 0; at < bytes.length; at += size) found.push(...splitter.push(bytes.subarray(at, at + size)))
      found.push(...splitter.end())
      expect(found.map(({ number, bytes }) => [number, bytes?.toString()])).toEqual(lines)
    }
  })

  it("leaves out a byte order mark in front of all, and nowhere else", () => {
    expect(split(10, ["\ufeffa\n", "\ufeffb"])).toEqual([
      [1, "a"],
      [2, "\ufeffb"]
    ])
    expect(split(10, ["\ufeff\r\nb"])).toEqual([[2, "b"]])
    const splitter = new LineSplitter(10)
    const cut = [...Buffer.from("\ufeffa\n")].flatMap((byte) => splitter.push(Uint8Array.of(byte)))
    expect(cut.map(({ bytes }) => bytes?.toString())).toEqual(["a"])
  })

  it("says which line is too long, and goes on with the next", () => {
    expect(split(4, ["abcd\nab", "cd", "ef\n", "x\nabcde"])).toEqual([
      [1, "abcd"],
      [2, null],
      [3, "x"],
      [4, null]
    ])
  })

  it("finds nothing in nothing, and no line after the last line feed", () => {
    expect(split(10, [])).toEqual([])
    expect(split(10, ["", "a\n", ""])).toEqual([[1, "a"]])
  })
})
