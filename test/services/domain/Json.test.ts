import { describe, expect, it } from "vitest"
import { canonicalJson } from "../../../services/domain/Json.ts"

/** Random values by a generator that says the same every time. */
const makeRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const valueOf = (random: () => number, depth: number): unknown => {
  const kind = Math.floor(random() * (depth === 0 ? 5 : 7))
  const many = Math.floor(random() * 5)
  if (kind === 0) return null
  if (kind === 1) return random() < 0.5
  if (kind === 2) return (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20)
  if (kind === 3) return Math.floor(random() * 100)
  if (kind === 4) return String.fromCodePoint(...Array.from({ length: many }, () => 1 + Math.floor(random() * 0xd7ff)))
  if (kind === 5) return Array.from({ length: many }, () => valueOf(random, depth - 1))
  return Object.fromEntries(
    Array.from({ length: many }, () => [String(valueOf(random, 0)), valueOf(random, depth - 1)] as const)
  )
}

/** The same value with the keys of every object the other way round, as far as an object lets them. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, turned(item)])
  )
}

describe("canonical JSON", () => {
  it("says what the value says, the same for every order of keys, and another text for every other value", () => {
    const random = makeRandom(11)
    const texts = new Map<string, string>()
    for (let i = 0; i < 3000; i++) {
      const value = valueOf(random, 4)
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(turned(value))).toBe(text)
      expect(canonicalJson(JSON.parse(JSON.stringify(value, null, 2)))).toBe(text)
      texts.set(text, JSON.stringify(value))
    }
    expect(texts.size).toBeGreaterThan(1000)
  })

  it("sorts at every depth, and leaves lists in their order", () => {
    expect(canonicalJson({ b: [{ d: 1, c: [] }, 2], a: {}, 10: "x", 9: null })).toBe(
      '{"10":"x","9":null,"a":{},"b":[{"c":[],"d":1},2]}'
    )
  })
})
