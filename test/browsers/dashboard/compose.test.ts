import { describe, expect, it } from "vitest"
import type { Draft } from "../../../dashboard/src/compose/draft.ts"
import { EMPTY, inputOf } from "../../../dashboard/src/compose/draft.ts"
import type { NotificationInput } from "../../../dashboard/src/compose/operations.ts"
import { dayWords } from "../../../dashboard/src/parts/time.ts"

const asked = (changes: Partial<Draft>) => inputOf({ ...EMPTY, audience: "everyone", title: "Hello", ...changes })

describe("when a notification goes out", () => {
  it("is to be said again where the year has more than four digits", () => {
    for (const year of ["20266", "202666"]) {
      expect(asked({ when: "at", at: `${year}-01-01T09:00` })).toEqual({ missing: "Say when it is to go out." })
      expect(asked({ when: "local", day: `${year}-01-01` })).toEqual({
        missing: "Say on which day, and at what time."
      })
      expect(dayWords(`${year}-01-01`)).toBe(`${year}-01-01`)
    }
    expect(asked({ when: "local", day: "2026-01-01" })).toMatchObject({ input: { sendAt: "2026-01-01" } })
    expect(asked({ when: "at", at: "2026-01-01T09:00" })).toMatchObject({
      input: { sendAt: new Date(2026, 0, 1, 9).toISOString() }
    })
  })
})

describe("JSON of a notification", () => {
  it("is not sent with a number that would become another", () => {
    const changed = "order is a number beyond 2^53, which would be changed; send it as a text."
    const json = '{"order": 9007199254740993}'
    expect(asked({ source: "template", templateId: "t", variables: json })).toEqual({
      missing: `The variables cannot be sent: ${changed}`
    })
    expect(asked({ apns: json })).toEqual({ missing: `What is for iOS alone cannot be sent: ${changed}` })
    expect(asked({ apns: '{"order": "9007199254740993"}' })).toMatchObject({
      input: { overrides: { apns: { order: "9007199254740993" } } }
    })
  })
})

describe("when a notification is given up", () => {
  it("is asked for again where it cannot be read", () => {
    for (const ttlHours of ["2h", "soon", "-1", "1,5,5", "0.0001", "1e3"]) {
      expect(asked({ ttlHours })).toEqual({
        missing: "Say after how many hours to give up, as 2 or 1.5; or leave it empty."
      })
    }
  })

  it("is taken with a comma or a point, and at once", () => {
    const ttl = (ttlHours: string): NotificationInput["ttl"] | string => {
      const found = asked({ ttlHours })
      return "input" in found ? found.input.ttl : found.missing
    }
    expect(["", " ", "1,5", "1.5", " 2 ", "0"].map(ttl)).toEqual([undefined, undefined, 5400, 5400, 7200, 0])
  })
})
