import { describe, expect, it } from "vitest"
import { allows, codeIn, CODES_PER_ADDRESS } from "../../../../services/domain/people/SignInCode.ts"

describe("a code", () => {
  it.each([
    ["123456", "123456"],
    [" 123 456\n", "123456"],
    ["123-456", "123456"],
    ["123\u00a0456", "123456"],
    ["000000", "000000"]
  ])("is read as people type it: %j", (text, code) => {
    expect(codeIn(text)).toBe(code)
  })

  it.each(["", "12345", "1234567", "12345a", "１２３４５６", "0x1234", "1e5000", " ".repeat(100_000)])(
    "is none: %j",
    (text) => {
      expect(codeIn(text)).toBeNull()
    }
  )
})

describe("allowances", () => {
  const NOW = 1_790_000_000_000
  const ago = (...seconds: ReadonlyArray<number>) => seconds.map((s) => NOW - s * 1000)
  const after = (...seconds: ReadonlyArray<number>) => {
    const { at, isAllowed } = allows(CODES_PER_ADDRESS, ago(...seconds), NOW)
    expect(isAllowed).toBe(at === NOW)
    return (at - NOW) / 1000
  }

  it("are one in 30 seconds", () => {
    expect(after()).toBe(0)
    expect(after(29)).toBe(1)
    expect(after(30)).toBe(0)
  })

  it("are five in any hour", () => {
    expect(after(3000, 2000, 1000, 60)).toBe(0)
    expect(after(3000, 2000, 1000, 500, 60)).toBe(600)
    expect(after(3600, 2000, 1000, 500, 60)).toBe(0)
  })

  it("are ten in any day, and the latest of all moments counts", () => {
    const day = [80_000, 70_000, 60_000, 50_000, 40_000, 30_000, 20_000, 10_000, 5_000, 4_000]
    expect(after(...day)).toBe(6400)
    expect(after(...day.slice(1))).toBe(0)
    expect(after(...day.slice(0, 9), 1)).toBe(6400)
  })
})
