import { Exit, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { faultsOf, programOf, stepsOf } from "../../../../services/domain/workflows/Program.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { Steps } from "../../../../services/domain/workflows/Steps.ts"

const send = (key: string): Step => ({ key, type: "SEND", content: { title: "Hello" } })
const filter = (key: string, path = "a"): Step => ({
  key,
  type: "FILTER",
  conditions: { data: [{ name: path, op: "exists" }] }
})
const branch = (key: string, branches: ReadonlyArray<ReadonlyArray<Step>>, otherwise?: ReadonlyArray<Step>): Step => ({
  key,
  type: "BRANCH",
  branches: branches.map((steps, i) => ({ conditions: { tags_any: [`${key}${i}`] }, steps })),
  ...(otherwise === undefined ? {} : { else: otherwise })
})
const fields = (steps: ReadonlyArray<Step>) => faultsOf(steps).map(({ field }) => field)

describe("a program", () => {
  it("has the steps in their order, depth first, each with what follows; paths meet behind a BRANCH", () => {
    const steps = [send("a"), branch("b", [[send("c"), branch("d", [[send("e")]])], []], [send("f")]), send("g")]
    const { places } = programOf(steps)
    expect(places.map(({ step: { key }, stepOrder }) => [stepOrder, key])).toEqual(
      ["a", "b", "c", "d", "e", "f", "g"].map((key, i) => [i + 1, key])
    )
    expect(places.map(({ branches, next, otherwise }) => [next, branches, otherwise])).toEqual([
      [1, [], -1],
      [6, [2, 6], 5],
      [3, [], -1],
      [6, [4], 6],
      [6, [], -1],
      [6, [], -1],
      [7, [], -1]
    ])
    expect(stepsOf(steps).map(({ path }) => path)).toEqual([
      "steps[0]",
      "steps[1]",
      "steps[1].branches[0].steps[0]",
      "steps[1].branches[0].steps[1]",
      "steps[1].branches[0].steps[1].branches[0].steps[0]",
      "steps[1].else[0]",
      "steps[2]"
    ])
  })

  it("ends behind a BRANCH that is last, whichever way it takes", () => {
    const { places } = programOf([branch("b", [[send("c")], []])])
    expect(places.map(({ branches, next, otherwise }) => [next, branches, otherwise])).toEqual([
      [2, [1, 2], 2],
      [2, [], -1]
    ])
  })
})

describe("a step's schema", () => {
  const reads = Schema.decodeUnknownExit(Steps)
  const update = (attributes: object) => Exit.isSuccess(reads([{ key: "set", type: "UPDATE_CONTACT", attributes }]))

  it("takes no attributes that a contact cannot have: a run would never get past them", () => {
    for (const fine of [{ a: "\\u0000" }, { a: [{ b: "\u0001 \u{1f600}" }] }, { a: null }])
      expect(update(fine)).toBe(true)
    const wrong = [
      { a: "\u0000" },
      { ["\u0000"]: 1 },
      { a: ["\\\\\u0000"] },
      { a: { b: "\ud83d" } },
      { a: "x".repeat(5000) }
    ]
    for (const one of wrong) expect(update(one)).toBe(false)
  })
})

describe("faults", () => {
  it("are none where all that is asked about stands before", () => {
    expect(
      faultsOf([
        send("a"),
        branch("b", [[{ key: "f", type: "FETCH", url: "https://example.com/" }]]),
        filter("c", "steps.f.body"),
        { key: "d", type: "FILTER", conditions: { any: [{ steps: [{ key: "a", is: "sent" }] }] } }
      ])
    ).toEqual([])
  })

  it("say where keys are taken, and where steps ask about what comes later or never", () => {
    expect(
      fields([
        filter("a", "steps.f.body"),
        branch("b", [[send("a")]], [filter("c", "steps.nobody")]),
        { key: "d", type: "FILTER", conditions: { any: [{ steps: [{ key: "late", is: "sent" }] }] } },
        { key: "t", type: "THROTTLE", by: "steps.f.x", at_most: 1, per_seconds: 1 },
        { key: "w", type: "WAIT_FOR", event: "e", match: { event: "x", run: "steps.w.y" }, seconds: 1 },
        send("late"),
        { key: "f", type: "FETCH", url: "https://example.com/" }
      ])
    ).toEqual([
      "steps[0].conditions.data[0].name",
      "steps[1].branches[0].steps[0].key",
      "steps[1].else[0].conditions.data[0].name",
      "steps[2].conditions.any[0].steps[0].key",
      "steps[3].by",
      "steps[4].match.run"
    ])
  })

  it("say which branches are never reached, lie too deep, or are too many", () => {
    const twice: Step = {
      key: "b",
      type: "BRANCH",
      branches: [send("c"), send("d")].map((step) => ({ conditions: { tags_any: ["x"] }, steps: [step] }))
    }
    expect(fields([twice])).toEqual(["steps[0].branches[1]"])
    let deep: Step = send("end")
    for (let i = 0; i < 6; i++) deep = branch(`b${i}`, [[deep]])
    expect(fields([deep])).toEqual([`steps[0]${".branches[0].steps[0]".repeat(5)}`])
    expect(fields([branch("b", [Array.from({ length: 100 }, (_, i) => send(`s${i}`))])])).toEqual(["steps"])
  })
})
