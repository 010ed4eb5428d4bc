import type { Schema } from "./Document.ts"

/** Values made by chance from schemas: good ones as far as a schema can be read, and bad ones. Seeded: a run repeats. */

/** mulberry32 */
export const chanceOf = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    below,
    pick: <A>(of: ReadonlyArray<A>): A => of[below(of.length)]!,
    odds: (share: number) => next() < share
  }
}
export type Chance = ReturnType<typeof chanceOf>

const TEXTS = [
  "",
  " ",
  "x",
  "news",
  "Ünïcödé 😀",
  "\u0000",
  "\ud800",
  "'; DROP TABLE devices; --",
  "{{ 1 | plus: 1 }}",
  "%",
  "\\",
  "null",
  "0",
  "a\r\nb",
  "‮",
  "x".repeat(300)
]
const NUMBERS = [0, -1, 1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 99]
const ODDITIES: ReadonlyArray<unknown> = [
  null,
  true,
  [],
  {},
  [[[]]],
  { "": "" },
  { __proto__x: 1 },
  ...TEXTS,
  ...NUMBERS
]

const isUuid = (schema: Schema): boolean => schema["format"] === "uuid" || String(schema["pattern"]).includes("-[1-8]")

/** Where ids come from: of things that are there, most of the time. */
export interface Pool {
  readonly id: () => string
  /** Addresses that may be posted to. */
  readonly url: string
}

export const makeValue = (schema: Schema, root: Schema, chance: Chance, pool: Pool, name = "", depth = 0): unknown => {
  const inner = (child: Schema, at = name) => makeValue(child, root, chance, pool, at, depth + 1)
  if (schema["$ref"] !== undefined) {
    return inner(root["components"].schemas[String(schema["$ref"]).split("/").at(-1)!])
  }
  if (schema["const"] !== undefined) return schema["const"]
  if (schema["enum"] !== undefined) return chance.pick(schema["enum"])
  const any = schema["anyOf"] ?? schema["oneOf"]
  if (any !== undefined) return inner(chance.pick(any))
  if (Array.isArray(schema["type"])) return inner({ ...schema, type: chance.pick(schema["type"]) })
  switch (schema["type"]) {
    case "null":
      return null
    case "boolean":
      return chance.odds(0.5)
    case "integer":
    case "number": {
      const { maximum = 1000, minimum = 0 } = schema
      return chance.pick([minimum, maximum, Math.floor(minimum + chance.next() * (maximum - minimum))])
    }
    case "array": {
      const { items = {}, maxItems = 5, minItems = 0 } = schema
      const count = Math.min(maxItems, minItems + chance.below(4))
      return Array.from({ length: count }, () => inner(items))
    }
    case "object": {
      const { properties = {}, required = [] } = schema
      const value: Record<string, unknown> = {}
      for (const [key, child] of Object.entries(properties as Record<string, Schema>)) {
        if (required.includes(key) || chance.odds(0.5)) value[key] = inner(child, key)
      }
      if (Object.keys(properties).length === 0 && depth < 4 && chance.odds(0.5)) value["k"] = chance.pick(ODDITIES)
      return value
    }
    case "string":
      return textOf(schema, name, chance, pool)
  }
  return chance.pick(ODDITIES)
}

const textOf = (schema: Schema, name: string, chance: Chance, pool: Pool): string => {
  if (isUuid(schema) || /(^|_)ids?$/.test(name)) return pool.id()
  if (/url|endpoint/.test(name)) return pool.url
  if (/_(at|from|to|before|after)$|^(from|to|since|until)$/.test(name)) {
    return chance.pick([
      "2026-01-15T09:30:00Z",
      "2026-12-24T18:00:00+01:00",
      new Date(Date.now() + 60_000).toISOString()
    ])
  }
  if (name === "timezone") return chance.pick(["Europe/Berlin", "Pacific/Chatham"])
  if (/e?mails?$|address/.test(name)) return `${chance.pick(["ann", "bob", "ü"])}@example.com`
  if (name === "token") return chance.pick(["ab".repeat(32), "cd".repeat(32), "x:y"])
  const { maxLength = 300, minLength = 0 } = schema
  const text = chance.pick(TEXTS)
  return text.length < minLength ? text.padEnd(minLength, "x") : text.slice(0, maxLength)
}

/** The value with one place in it made strange: another type, gone, added, too long. Most are wrong, some are not. */
export const spoil = (value: unknown, chance: Chance): unknown => {
  if (typeof value !== "object" || value === null || chance.odds(0.15)) return chance.pick(ODDITIES)
  if (Array.isArray(value)) {
    if (value.length === 0 || chance.odds(0.2)) return [...value, chance.pick(ODDITIES)]
    const at = chance.below(value.length)
    return value.map((item: unknown, i) => (i === at ? spoil(item, chance) : item))
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || chance.odds(0.2))
    return { ...value, [chance.pick(["extra", "__proto__x", "id", "é"])]: 1 }
  const [key, child] = chance.pick(entries)
  if (chance.odds(0.2)) return Object.fromEntries(entries.filter(([name]) => name !== key))
  return { ...value, [key]: spoil(child, chance) }
}
