import { describe, expect, it } from "vitest"
import type { WrittenFragment } from "../../../dashboard/src/compose/operations.ts"
import { inputOf } from "../../../dashboard/src/compose/draft.ts"
import { writtenOf } from "../../../dashboard/src/compose/written.ts"
import type { Filter } from "../../../dashboard/src/segments/conditions.ts"
import { conditionsOf, filterOf, gapOf, newCondition } from "../../../dashboard/src/segments/conditions.ts"

const NONE: Filter = {
  tagsAny: null,
  tagsAll: null,
  tagsNone: null,
  platforms: null,
  timezones: null,
  locales: null,
  attributes: null,
  lastSeen: null,
  engagement: null
}

describe("the conditions of a segment", () => {
  it("go into the form and come back as the service takes them", () => {
    const filter: Filter = {
      ...NONE,
      tagsAny: ["vip", "beta"],
      platforms: ["IOS"],
      locales: ["de", "pt-BR"],
      attributes: [
        { name: "plan", op: "IN", value: ["pro", 2, "3"] },
        { name: "address", op: "NOT_EXISTS", value: null }
      ],
      lastSeen: { withinDays: 90, notWithinDays: null },
      engagement: [
        { type: "OPENED", withinDays: 30, not: false },
        { type: "CLICKED", withinDays: 7, not: true }
      ]
    }
    expect(filterOf(conditionsOf(filter)!)).toEqual({
      tagsAny: ["vip", "beta"],
      platforms: ["IOS"],
      locales: ["de", "pt-BR"],
      attributes: [
        { name: "plan", op: "IN", value: ["pro", 2, "3"] },
        { name: "address", op: "NOT_EXISTS" }
      ],
      lastSeen: { withinDays: 90 },
      engagement: [
        { type: "OPENED", withinDays: 30 },
        { type: "CLICKED", withinDays: 7, not: true }
      ]
    })
  })

  it("are not asked with a number that would become another", () => {
    const id = "9007199254740993"
    const compared = (value: string, op: "EQUALS" | "IN" = "EQUALS") =>
      gapOf({ ...newCondition("attributes"), name: "shop", op, value })
    expect(compared(id)).toMatch(`${id} is a number beyond 2^53, which would be changed`)
    expect(compared(`42, ${id}`, "IN")).toMatch(`${id} is a number beyond 2^53, which would be changed`)
    expect([compared(`"${id}"`), compared(`42, "${id}"`, "IN"), compared("42")]).toEqual([null, null, null])
    const filter = { ...NONE, attributes: [{ name: "shop", op: "EQUALS" as const, value: id }] }
    expect(filterOf(conditionsOf(filter)!).attributes).toEqual(filter.attributes)
  })

  it("are none that the form can change where it would divide or lose some of them", () => {
    for (const lost of [
      { tagsAny: ["big, red"] },
      { tagsNone: [" muted"] },
      { attributes: [{ name: "city", op: "IN", value: ["Frankfurt, Main", "Berlin"] }] },
      { attributes: [{ name: "city", op: "EQUALS", value: " Berlin" }] }
    ] satisfies ReadonlyArray<Partial<Filter>>) {
      expect(conditionsOf({ ...NONE, ...lost })).toBeNull()
    }
  })
})

describe("the audience of a notification that was written already", () => {
  const one = { channels: ["PUSH"], content: { title: "Hello" }, priority: "BULK" }
  const nothing = { overrides: null, templateId: null, timezone: null, collapseKey: null, track: null, ttl: null }
  const nobody = { tagsAny: null, tagsAll: null, platforms: null, locale: null, userIds: null, emails: null }
  const to = (selectors: Partial<WrittenFragment["to"]>) => {
    const written: unknown = { ...one, ...nothing, to: { ...nobody, ...selectors } }
    const { draft, kept } = writtenOf(written as WrittenFragment, true)
    const asked = inputOf(draft, kept)
    return { audience: draft.audience, to: "input" in asked ? asked.input.to : asked.missing }
  }

  it("stays as it is where the form would divide it", () => {
    for (const selectors of [
      { tagsAny: ["big, red"] },
      { tagsAll: ["a;b", "c"], locale: "de" },
      { userIds: ["Lovelace, Ada"] }
    ]) {
      expect(to(selectors)).toEqual({ audience: "kept", to: selectors })
    }
    expect(to({ tagsAny: ["big", "red"] })).toEqual({ audience: "described", to: { tagsAny: ["big", "red"] } })
    expect(to({ userIds: ["ada", "grace"] })).toEqual({ audience: "people", to: { userIds: ["ada", "grace"] } })
  })
})
