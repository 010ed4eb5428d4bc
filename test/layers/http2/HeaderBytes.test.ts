import { describe, expect, it } from "vitest"
import { put, writePrintable } from "../../../layers/http2/HeaderBytes.ts"
import { Chance } from "./Chance.ts"

describe("writePrintable", () => {
  it("writes a text wherever it lies, and nothing behind it", () => {
    for (let length = 0; length < 80; length++) {
      for (let at = 0; at < 5; at++) {
        const out = Buffer.alloc(100)
        const text = "The quick brown fox jumps over the lazy dog. ~!@#$%^&*()_+{}|:<>?"
          .repeat(2)
          .slice(0, length)
          .trim()
        expect(writePrintable(out, at, text)).toBe(at + text.length)
        expect(
          out.equals(Buffer.concat([Buffer.alloc(at), Buffer.from(text), Buffer.alloc(100 - at - text.length)]))
        ).toBe(true)
      }
    }
  })

  it("refuses every character that is not printable ASCII, at every place", () => {
    const others = [...Array(0x20).keys(), 0x7f, 0x80, 0xa0, 0xe9, 0xff, 0x100, 0x120, 0x17e, 0x2028, 0xd83d, 0xffff]
    for (const code of others) {
      for (let length = 1; length < 12; length++) {
        for (let place = 0; place < length; place++) {
          const text = `${"a".repeat(place)}${String.fromCharCode(code)}${"z".repeat(length - place - 1)}`
          expect(() => writePrintable(Buffer.alloc(100), 3, text), JSON.stringify(text)).toThrow(TypeError)
          // Also where there is room for its characters only.
          expect(() => writePrintable(Buffer.alloc(length + 3), 3, text), JSON.stringify(text)).toThrow(TypeError)
        }
      }
    }
  })

  it("takes exactly the texts that the rule allows", () => {
    const chance = new Chance(204)
    const rule = /^(?:[!-~](?:[ -~]*[!-~])?)?$/
    let taken = 0
    for (let round = 0; round < 20_000; round++) {
      const codes = Array.from({ length: chance.below(12) }, () =>
        chance.pick([0x20, 0x21, 0x7e, 0x41, chance.below(300)])
      )
      const text = String.fromCharCode(...codes)
      let fits = true
      try {
        writePrintable(Buffer.alloc(64), chance.below(4), text)
        taken++
      } catch {
        fits = false
      }
      expect(fits, JSON.stringify(text)).toBe(rule.test(text))
    }
    expect(taken).toBeGreaterThan(1000)
  })
})

describe("put", () => {
  it("copies few bytes and many", () => {
    for (const length of [0, 1, 31, 32, 33, 500]) {
      const out = new Uint8Array(600)
      expect(put(out, 7, new Uint8Array(length).fill(9))).toBe(7 + length)
      expect(out.reduce((sum, byte) => sum + byte, 0)).toBe(9 * length)
      expect([out[6], out[7 + length]]).toEqual([0, 0])
    }
  })
})
