import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Conditions } from "../../../services/domain/workflows/Conditions.ts"
import { nextCron } from "../../../services/domain/workflows/Cron.ts"
import { newCondition } from "../../../dashboard/src/segments/conditions.ts"
import { jsonOf, pathsOf, rulesOf } from "../../../dashboard/src/workflows/conditions.ts"
import { nextTimes } from "../../../dashboard/src/workflows/cron.ts"
import { stepChanges } from "../../../dashboard/src/workflows/differences.ts"
import { secondsOf, spanWords } from "../../../dashboard/src/workflows/span.ts"
import type { Step } from "../../../dashboard/src/workflows/steps.ts"
import { gapsOf } from "../../../dashboard/src/workflows/steps/gaps.ts"
import { copyOf, inOrder, insert, listsFor, moveTo } from "../../../dashboard/src/workflows/steps.ts"
import { audienceOf } from "../../../dashboard/src/workflows/trigger.ts"

describe("lengths of time", () => {
  it("are read as people type them", () => {
    for (const [text, seconds] of [
      ["3 days 2 hours", 266_400],
      ["3 days, 2 hours and 5 minutes", 266_700],
      ["90 min", 5_400],
      ["1h 30m", 5_400],
      ["1.5 hours", 5_400],
      ["2 weeks", 1_209_600],
      ["45 s", 45]
    ] as const) {
      expect(secondsOf(text)).toBe(seconds)
    }
  })

  it("are not guessed at", () => {
    for (const text of ["", "3", "soon", "3 moons", "-1 day", "0.0001 s"]) expect(secondsOf(text)).toBeNull()
  })

  it("are read back as what they were", () => {
    for (const seconds of [0, 1, 59, 60, 3_661, 86_400, 266_400, 31_536_000]) {
      expect(secondsOf(spanWords(seconds))).toBe(seconds)
    }
    expect(spanWords(266_400)).toBe("3 days 2 hours")
  })
})

describe("conditions", () => {
  const all = {
    tags_any: ["vip", "beta"],
    tags_none: ["muted"],
    platforms: ["ios", "web"],
    locales: ["de", "pt-BR"],
    timezones: ["Europe/Berlin"],
    attributes: [
      { name: "plan", op: "in", value: ["pro", 2] },
      { name: "orders", op: "greater_or_equal", value: 3 },
      { name: "zip", op: "equals", value: "01067" },
      { name: "address", op: "not_exists" }
    ],
    last_seen: { within_days: 90, not_within_days: 14 },
    engagement: [{ type: "clicked", within_days: 30, not: true }],
    data: [{ name: "order.total", op: "greater", value: 100 }],
    steps: [{ key: "hello", is: "opened", not: true }],
    any: [{ tags_all: ["a"] }, { data: [{ name: "x", op: "exists" }], attributes: [{ name: "y", op: "exists" }] }]
  }

  it("go into the form and come back as the API takes them", () => {
    expect(Result.isSuccess(Schema.decodeUnknownResult(Conditions)(all))).toBe(true)
    expect(jsonOf(rulesOf(all)!)).toEqual(all)
  })

  it("have the paths by which the service names them", () => {
    expect(pathsOf(rulesOf(all)!.all)).toContain("attributes[3]")
    expect(pathsOf(rulesOf(all)!.all)).toEqual(expect.arrayContaining(["last_seen", "data[0]", "steps[0]", "tags_any"]))
  })

  it("are left to JSON where the form would lose some of them", () => {
    for (const lost of [
      { attributes: [{ name: "city", op: "in", value: ["Frankfurt, Main"] }] },
      { weather: "fine" },
      { tags_any: ["vip", "vip"] },
      { attributes: "all" }
    ]) {
      expect(rulesOf(lost)).toBeNull()
    }
  })
})

describe("a number that would become another", () => {
  const id = "9007199254740993"

  it("is in no condition of a step, which is not taken without what it is compared with", () => {
    const step = (value: string, op: "EQUALS" | "IN"): Step => {
      const one = { ...newCondition("attributes"), name: "shop", op, value }
      return { key: "who", type: "FILTER", conditions: jsonOf({ all: [{ about: "person", one }], any: [] }) }
    }
    const gap = [{ field: "conditions.attributes[0]", message: "Give what it is compared with." }]
    for (const op of ["EQUALS", "IN"] as const) {
      expect(gapsOf(step(id, op))).toEqual(gap)
      expect(gapsOf(step(`"${id}"`, op))).toEqual([])
    }
    expect(step(`"${id}"`, "EQUALS")["conditions"]).toEqual({ attributes: [{ name: "shop", op: "equals", value: id }] })
  })

  it("is in no JSON of a step, which says why", () => {
    const step: Step = { key: "ask", type: "FETCH", url: "https://example.com", body: `{"order": ${id}}` }
    expect(gapsOf(step)).toEqual([
      {
        field: "body",
        message: "cannot be sent: order is a number beyond 2^53, which would be changed; send it as a text"
      }
    ])
    expect(gapsOf({ ...step, body: "{" })).toEqual([{ field: "body", message: "must be JSON" }])
  })
})

describe("whom a schedule lets in", () => {
  it("is what the form can say, or kept as it is", () => {
    for (const kept of [
      { tags_all: ["vip", "beta"] },
      { tags_any: ["vip"], platforms: ["ios"] },
      { tags_any: ["big, red"] },
      { attributes: [{ name: "plan", op: "equals", value: "pro" }] }
    ]) {
      expect(audienceOf(kept)).toBe("kept")
    }
    expect(audienceOf({ all: true })).toBe("all")
    expect(audienceOf({ segment_id: "" })).toBe("segment_id")
    expect(audienceOf({ tags_any: [] })).toBe("tags_any")
    expect(audienceOf({ user_ids: ["ada", "grace"] })).toBe("user_ids")
  })
})

describe("times of a schedule", () => {
  const patterns = [
    "0 9 * * 1",
    "*/20 * * * *",
    "30 6,18 1 * *",
    "0 0 29 2 *",
    "15 10 1-7 * mon",
    "5-10/2 8 */2 jan-mar *",
    "0 12 * * sun,6",
    "59 23 31 * *",
    "*/20 1,2 * * *"
  ]

  it("are those that the service finds, in any zone and over changes of clocks", () => {
    for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]) {
      for (const pattern of patterns) {
        for (const from of [
          "2026-03-28T12:34:56Z",
          "2026-10-03T12:00:00Z",
          "2026-10-24T22:30:00Z",
          "2026-11-01T04:00:00Z",
          "2028-02-28T23:59:59Z"
        ]) {
          const wanted: Array<number> = []
          for (let at = Date.parse(from); wanted.length < 3;) wanted.push((at = nextCron(pattern, zone, at)))
          expect({ pattern, zone, from, times: nextTimes(pattern, zone, Date.parse(from), 3) }).toEqual({
            pattern,
            zone,
            from,
            times: wanted
          })
        }
      }
    }
  })

  it("are unknown where the five fields cannot be read", () => {
    for (const pattern of ["", "* * * *", "61 * * * *", "0 9 * * 8", "x 9 * * 1", "0 5-1 * * *"]) {
      expect(nextTimes(pattern, "UTC", 0, 3)).toBeNull()
    }
    expect(nextTimes("0 9 * * 1", "Mars/Base", 0, 3)).toBeNull()
    expect(nextTimes("0 0 31 2 *", "UTC", 0, 3)).toEqual([])
  })
})

describe("what changed between versions", () => {
  const hello: Step = { key: "hello", type: "SEND", content: { title: "Hello" } }
  const wait: Step = { key: "wait", type: "DELAY", seconds: 3600 }
  const ask: Step = { key: "ask", type: "FETCH", url: "https://example.com/" }
  const which = (inside: ReadonlyArray<Step>): Step => ({
    key: "which",
    type: "BRANCH",
    branches: [{ conditions: { tags_any: ["vip"] }, steps: inside }]
  })
  const said = (left: ReadonlyArray<Step>, right: ReadonlyArray<Step>) =>
    stepChanges(left, right).map(({ change, isMoved, key }) => `${key} ${change}${isMoved ? ", moved" : ""}`)

  it("is said step by step: added, removed, changed, moved", () => {
    expect(said([hello, wait], [hello, wait])).toEqual(["hello same", "wait same"])
    expect(said([hello, wait, ask], [hello, ask])).toEqual(["hello same", "wait removed", "ask same"])
    expect(said([wait], [hello, wait, which([ask])])).toEqual(["hello added", "wait same", "which added", "ask added"])
    expect(said([hello, wait, ask], [ask, hello, wait])).toEqual(["ask moved, moved", "hello same", "wait same"])
    expect(said([which([hello]), wait], [which([]), hello, wait])).toEqual([
      "which same",
      "hello moved, moved",
      "wait same"
    ])
  })

  it("is said field by field, with lengths of time in words", () => {
    const later = { ...wait, name: "Later", seconds: 7200 }
    const [first] = stepChanges([wait], [later])
    expect(first!.fields).toEqual([
      { field: "seconds", before: "1 hour", after: "2 hours" },
      { field: "name", before: null, after: "Later" }
    ])
    const [, second] = stepChanges(
      [hello, which([])],
      [hello, { ...which([]), branches: [{ conditions: { tags_any: ["vip", "beta"] }, steps: [] }] }]
    )
    expect(second!.fields).toEqual([{ field: "branches[0].conditions.tags_any", before: "vip", after: "vip, beta" }])
  })
})

describe("steps", () => {
  const send = (key: string): Step => ({ key, type: "SEND" })
  const steps: ReadonlyArray<Step> = [
    send("a"),
    { key: "which", type: "BRANCH", branches: [{ steps: [send("b"), send("c")] }], else: [send("d")] },
    send("e")
  ]
  const keys = (all: ReadonlyArray<Step>) =>
    inOrder(all)
      .map(({ key }) => key)
      .join(" ")

  it("move to any place that is not inside themselves", () => {
    const into = { list: [1, "branches", 0], index: 1 } as const
    expect(keys(moveTo(steps, { list: [], index: 0 }, into))).toBe("which b a c d e")
    expect(keys(moveTo(steps, { list: [], index: 2 }, into))).toBe("a which b e c d")
    expect(keys(moveTo(steps, { list: [1, "else"], index: 0 }, { list: [], index: 0 }))).toBe("d a which b c e")
    expect(keys(moveTo(steps, { list: [1, "branches", 0], index: 0 }, { list: [], index: 3 }))).toBe("a which c d e b")
    expect(keys(moveTo(steps, { list: [], index: 0 }, { list: [], index: 3 }))).toBe("which b c d e a")
    expect(keys(moveTo(steps, { list: [], index: 2 }, { list: [], index: 0 }))).toBe("e a which b c d")
    expect(listsFor(steps, { list: [], index: 1 }).map(({ list }) => list)).toEqual([[]])
    expect(listsFor(steps, { list: [], index: 0 })).toHaveLength(3)
  })

  it("are copied with all that is inside, each under a key of its own", () => {
    const copy = copyOf(steps[1]!, steps)
    expect(keys(insert(steps, { list: [], index: 2 }, copy))).toBe("a which b c d which_2 b_2 c_2 d_2 e")
  })
})
