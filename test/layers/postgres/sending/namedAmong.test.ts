import { describe, expect, it } from "vitest"
import { namedAmong } from "../../../../layers/postgres/sending/namedAmong.ts"

describe("who was named", () => {
  it("is known of ten thousand names, and nobody else is", () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `user-${i}-ß`)
    const isNamed = namedAmong(names)
    expect(names.filter((name) => !isNamed(name))).toEqual([])
    expect(names.filter((name) => isNamed(`${name}x`) || isNamed(name.toUpperCase()))).toEqual([])
    expect(isNamed("")).toBe(false)
  })

  it("is nobody where the last one was erased", () => {
    expect(namedAmong([])("anna")).toBe(false)
  })
})
