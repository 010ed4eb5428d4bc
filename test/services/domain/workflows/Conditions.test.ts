import { describe, expect, it } from "vitest"
import type { AttributeRule } from "../../../../services/domain/audience/Segment.ts"
import type { Conditions, Facts, Subject } from "../../../../services/domain/workflows/Conditions.ts"
import { judge, needsOf, valueAt } from "../../../../services/domain/workflows/Conditions.ts"

const NOW = Date.parse("2031-03-01T12:00:00Z")
const DAY = 86_400_000

const person = (facts: Partial<Facts> = {}): Facts => ({
  tags: [],
  attributes: {},
  locale: null,
  timezone: null,
  platforms: [],
  seenAt: null,
  engagedAt: {},
  ...facts
})

const about = (more: Partial<Subject> = {}): Subject => ({
  person: person(),
  data: {},
  messages: () => new Set(),
  now: NOW,
  ...more
})

const fits = (conditions: Conditions, more?: Partial<Subject>) => judge(conditions, about(more)).fits

/** What a rule meets: nothing, null, what is empty, other types, and what fits. */
const VALUES = {
  missing: undefined,
  null: null,
  "an empty text": "",
  "a text": "b",
  zero: 0,
  "a number": 5,
  "a number as text": "5",
  false: false,
  "an empty list": [],
  "a list": ["b", 5],
  "an object": { b: 1 }
} as const
type Met = keyof typeof VALUES

const all = Object.keys(VALUES) as ReadonlyArray<Met>
const allBut = (...names: ReadonlyArray<Met>) => all.filter((name) => !names.includes(name))

const OPERATORS: ReadonlyArray<readonly [AttributeRule["op"], unknown, ReadonlyArray<Met>]> = [
  ["equals", "b", ["a text"]],
  ["equals", 5, ["a number"]],
  ["equals", null, ["null"]],
  ["equals", "", ["an empty text"]],
  ["equals", false, ["false"]],
  ["in", ["b", 5], ["a text", "a number"]],
  ["contains", "b", ["a list"]],
  ["contains", 5, ["a list"]],
  ["greater", 4, ["a number"]],
  ["greater", 5, []],
  ["greater_or_equal", 5, ["a number"]],
  ["less", 5, ["zero"]],
  ["less_or_equal", 5, ["zero", "a number"]],
  ["greater", "a", ["a text"]],
  ["greater_or_equal", "", ["an empty text", "a text", "a number as text"]],
  ["less", "b", ["an empty text", "a number as text"]],
  ["less_or_equal", "b", ["an empty text", "a text", "a number as text"]],
  ["exists", undefined, allBut("missing")],
  ["not_exists", undefined, ["missing"]]
]

const ruleOf = (op: AttributeRule["op"], value: unknown) =>
  ({ name: "a", op, ...(value === undefined ? {} : { value }) }) as AttributeRule

const carrying = (name: Met): Readonly<Record<string, unknown>> => (name === "missing" ? {} : { a: VALUES[name] })

describe("a rule", () => {
  for (const [op, value, expected] of OPERATORS) {
    it(`${op} ${JSON.stringify(value) ?? ""} fits nothing but ${expected.join(", ") || "what is not here"}`, () => {
      const rule = ruleOf(op, value)
      const met = all.filter((name) => fits({ attributes: [rule] }, { person: person({ attributes: carrying(name) }) }))
      expect(met).toEqual(expected)
      expect(all.filter((name) => fits({ data: [rule] }, { data: carrying(name) }))).toEqual(expected)
    })
  }

  it("not_equals fits a person without the attribute, as in a segment, and no run without the value", () => {
    const rule = ruleOf("not_equals", "b")
    expect(fits({ attributes: [rule] })).toBe(true)
    expect(fits({ data: [rule] })).toBe(false)
    for (const name of allBut("missing", "a text")) expect(fits({ data: [rule] }, { data: carrying(name) })).toBe(true)
  })

  it("compares texts by code points, beyond the first plane as well", () => {
    const less = (value: string, than: string) =>
      fits({ data: [{ name: "a", op: "less", value: than }] }, { data: { a: value } })
    expect(less("\uffff", "\u{1f600}")).toBe(true)
    expect(less("\u{1f600}", "\uffff")).toBe(false)
    expect(less("\ud7ff", "\u{1f600}")).toBe(true)
    expect(less("\u{1f600}", "\u{1f601}")).toBe(true)
    expect(less("a", "ab")).toBe(true)
    expect(less("Z", "a")).toBe(true)
  })

  it("finds values by path, in lists by position, and none in prototypes", () => {
    const data = { order: { lines: [{ sku: "x" }] }, text: "abc" }
    expect(valueAt(data, "order.lines.0.sku")).toBe("x")
    for (const path of ["order.lines.1.sku", "order.lines.-1", "order.lines.length", "text.0", "text.length"]) {
      expect(valueAt(data, path)).toBeUndefined()
    }
    for (const path of ["constructor", "__proto__", "order.toString", "", "."]) {
      expect(valueAt(data, path)).toBeUndefined()
    }
  })
})

describe("conditions", () => {
  it("on tags ask for any, all and none", () => {
    const has = (...tags: ReadonlyArray<string>) => ({ person: person({ tags }) })
    expect(fits({ tags_any: ["a", "b"] }, has("b"))).toBe(true)
    expect(fits({ tags_any: ["a", "b"] }, has("c"))).toBe(false)
    expect(fits({ tags_any: ["a"] })).toBe(false)
    expect(fits({ tags_all: ["a", "b"] }, has("a", "b", "c"))).toBe(true)
    expect(fits({ tags_all: ["a", "b"] }, has("a"))).toBe(false)
    expect(fits({ tags_none: ["a"] })).toBe(true)
    expect(fits({ tags_none: ["a"] }, has("a"))).toBe(false)
  })

  it("on languages hold their regions, whatever the capitals, and nobody without one", () => {
    const speaks = (locale: string | null, ...locales: ReadonlyArray<string>) =>
      fits({ locales }, { person: person({ locale }) })
    expect(speaks("de-AT", "DE")).toBe(true)
    expect(speaks("DE-at", "de-AT")).toBe(true)
    expect(speaks("de", "de-AT")).toBe(false)
    expect(speaks("den", "de")).toBe(false)
    expect(speaks(null, "de")).toBe(false)
  })

  it("on time zones fit nobody whose zone is unknown", () => {
    expect(fits({ timezones: ["UTC"] })).toBe(false)
    expect(fits({ timezones: ["UTC"] }, { person: person({ timezone: "UTC" }) })).toBe(true)
    expect(fits({ timezones: ["asia/calcutta"] }, { person: person({ timezone: "Asia/Kolkata" }) })).toBe(true)
    expect(fits({ timezones: ["Asia/Colombo"] }, { person: person({ timezone: "Asia/Kolkata" }) })).toBe(false)
  })

  it("on when somebody was seen count those who never were as not seen", () => {
    const seen = (days: number | null) => ({ person: person({ seenAt: days === null ? null : NOW - days * DAY }) })
    expect(fits({ last_seen: { within_days: 3 } }, seen(3))).toBe(true)
    expect(fits({ last_seen: { within_days: 3 } }, seen(3.1))).toBe(false)
    expect(fits({ last_seen: { within_days: 3 } }, seen(null))).toBe(false)
    expect(fits({ last_seen: { not_within_days: 3 } }, seen(null))).toBe(true)
    expect(fits({ last_seen: { not_within_days: 3 } }, seen(2))).toBe(false)
    expect(fits({ last_seen: { within_days: 5, not_within_days: 3 } }, seen(4))).toBe(true)
  })

  it("on engagement and messages can be turned round", () => {
    const opened = { person: person({ engagedAt: { opened: NOW - DAY } }) }
    expect(fits({ engagement: [{ type: "opened", within_days: 2 }] }, opened)).toBe(true)
    expect(fits({ engagement: [{ type: "opened", within_days: 2, not: true }] }, opened)).toBe(false)
    expect(fits({ engagement: [{ type: "clicked", within_days: 2, not: true }] }, opened)).toBe(true)
    const messages = (key: string) => new Set(key === "hello" ? (["sent", "opened"] as const) : [])
    expect(fits({ steps: [{ key: "hello", is: "opened" }] }, { messages })).toBe(true)
    expect(fits({ steps: [{ key: "hello", is: "clicked" }] }, { messages })).toBe(false)
    expect(fits({ steps: [{ key: "other", is: "sent", not: true }] }, { messages })).toBe(true)
  })

  it("all have to fit, and one alternative; what is found stops at the first that does not", () => {
    const conditions: Conditions = {
      tags_any: ["a"],
      any: [{ data: [{ name: "x", op: "equals", value: 1 }] }, { data: [{ name: "y", op: "exists" }] }]
    }
    expect(judge(conditions, about({ data: { x: 1 } }))).toEqual({
      fits: false,
      findings: [{ about: "tags_any", fits: false, actual: [] }]
    })
    expect(judge(conditions, about({ person: person({ tags: ["a"] }), data: { y: null } }))).toEqual({
      fits: true,
      findings: [
        { about: "tags_any", fits: true, actual: ["a"] },
        { about: "data.x", fits: false },
        { about: "data.y", fits: true, actual: null }
      ]
    })
    expect(fits(conditions, { person: person({ tags: ["a"] }) })).toBe(false)
  })

  it("say what has to be read for them", () => {
    expect(needsOf([{ tags_any: ["a"] }])).toEqual({ devices: false, engagement: false, messages: [] })
    const steps = [{ key: "hello", is: "sent" as const }]
    expect(needsOf([{ any: [{ platforms: ["ios"] }, { steps }] }, { steps }])).toEqual({
      devices: true,
      engagement: false,
      messages: ["hello"]
    })
  })
})
