import { describe, expect, it } from "vitest"
import type { ExecutionId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { Facts } from "../../../../services/domain/workflows/Conditions.ts"
import type { Answer, Circumstances, Question, Run, Settled } from "../../../../services/domain/workflows/Run.ts"
import { move } from "../../../../services/domain/workflows/Interpreter.ts"
import { programOf } from "../../../../services/domain/workflows/Program.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { chanceOf } from "../../../contract/Values.ts"

const NOW = Date.parse("2031-03-01T12:00:00Z")

const PERSON: Facts = {
  tags: [],
  attributes: {},
  locale: null,
  timezone: null,
  platforms: [],
  seenAt: null,
  engagedAt: {}
}
const RUN: Run = {
  id: "run" as ExecutionId,
  userId: "u",
  position: 0,
  isBegun: false,
  deadline: null,
  tries: 0,
  data: {},
  steps: {},
  sends: {},
  enteredAt: NOW
}

/** A move, what it asked, and where the run stands after it. */
const moved = (
  steps: ReadonlyArray<Step>,
  answers: (question: Question) => Answer = () => {
    throw new Error("Nothing is to be asked")
  },
  run: Partial<Run> = {},
  circumstances: Partial<Circumstances> = {},
  isChangeAsked = false
) => {
  const asked: Array<Question> = []
  const before: Run = { ...RUN, ...run }
  const moving = move(programOf(steps), before, {
    person: PERSON,
    defaultTimezone: "UTC",
    now: NOW,
    ...circumstances
  })
  let said = moving.next()
  while (said.done !== true) {
    // That a contact may be changed needs no saying.
    if (said.value._tag === "Change" && !isChangeAsked) said = moving.next(null)
    else {
      asked.push(said.value)
      said = moving.next(answers(said.value))
    }
  }
  const settled: Settled = said.value
  const { deadline, isBegun, position, steps: brought, tries } = settled
  return { asked, settled, after: { ...before, position, isBegun, deadline, tries, steps: brought } }
}

const outcomes = ({ history }: Settled) => history.map(({ outcome, stepOrder }) => [stepOrder, outcome])

const MARK = (key: string): Step => ({ key, type: "UPDATE_CONTACT", tags_add: [key] })

describe("a history", () => {
  const isThere = (name: string) => ({ name, op: "exists" as const })
  const asks = (conditions: object): ReadonlyArray<Step> => [{ key: "f", type: "FILTER", conditions } as Step]

  it("shows large values by their beginning", () => {
    const names = ["text", "list", "object", "small"]
    const data = {
      text: `${"x".repeat(496)}😀😀`,
      list: Array(9000).fill("item"),
      object: { a: "x".repeat(600) },
      small: [1]
    }
    const { settled } = moved(asks({ data: names.map(isThere) }), undefined, { data })
    const [text, list, object, small] = settled.history[0]!.findings!.map(({ actual }) => actual)
    expect(text).toBe(`${"x".repeat(496)}…`)
    expect(list).toEqual([...Array(71).fill("item"), "…"])
    expect(object).toBe("{…}")
    expect(small).toEqual([1])
  })

  it("stays short, whatever conditions ask, and says at each step what decided", () => {
    const rules = [...Array(19).fill(isThere("blob")), isThere("no")]
    const any = [...Array.from({ length: 9 }, () => ({ data: rules })), { data: [isThere("blob")] }]
    const steps = Array.from({ length: 100 }, (_, i) => ({ ...asks({ any })[0]!, key: `f${i}` }))
    const { settled } = moved(steps, undefined, { data: { blob: "x".repeat(60_000) } })
    expect(settled.status).toBe("completed")
    expect(JSON.stringify(settled.history).length).toBeLessThan(40_000)
    for (const { findings } of settled.history)
      expect(findings!.at(-1)).toMatchObject({ about: "data.blob", fits: true })
  })
})

describe("a run", () => {
  it("asks nothing of a message that it has not sent, whatever the key of its step", () => {
    const steps: ReadonlyArray<Step> = [
      {
        key: "which",
        type: "BRANCH",
        branches: [
          { conditions: { tags_any: ["vip"] }, steps: [{ key: "constructor", type: "SEND", content: { title: "Hi" } }] }
        ]
      },
      { key: "unsent", type: "FILTER", conditions: { steps: [{ key: "constructor", is: "sent", not: true }] } }
    ]
    const { asked, settled } = moved(steps)
    expect(asked).toEqual([])
    expect(settled.status).toBe("completed")
  })

  it("takes the first branch that fits, asks nothing of the other ways, and goes on behind them", () => {
    const branches = ["a", "b", "c"].map((tag) => ({ conditions: { tags_any: [tag] }, steps: [MARK(`in_${tag}`)] }))
    const steps: ReadonlyArray<Step> = [
      {
        key: "which",
        type: "BRANCH",
        branches: [
          ...branches,
          {
            conditions: { steps: [{ key: "never", is: "sent" }] },
            steps: [{ key: "cap", type: "THROTTLE", at_most: 1, per_seconds: 1 }]
          }
        ],
        else: [MARK("otherwise")]
      },
      MARK("behind")
    ]
    const { settled } = moved(steps, undefined, {}, { person: { ...PERSON, tags: ["b", "c"] } })
    expect(settled.person.tags).toEqual(["b", "c", "in_b", "behind"])
    expect(settled.history[0]).toMatchObject({ branch: 2 })
    expect(settled.history[0]!.findings).toHaveLength(2)
    const { settled: none } = moved(steps)
    expect(none.person.tags).toEqual(["otherwise", "behind"])
    expect(none.history[0]).toMatchObject({ branch: 0 })
    expect(outcomes(none)).toEqual([
      [1, "passed"],
      [6, "passed"],
      [7, "passed"]
    ])
  })

  it("stops at a FILTER that does not fit, with what it met", () => {
    const { settled } = moved([
      MARK("pro"),
      { key: "f", type: "FILTER", conditions: { tags_all: ["pro"], data: [{ name: "x", op: "greater", value: 1 }] } },
      MARK("never")
    ])
    expect(settled).toMatchObject({ status: "filtered", endedAt: 2, dueAt: null })
    expect(settled.person.tags).toEqual(["pro"])
    expect(settled.history[1]!.findings).toEqual([
      { about: "tags_all", fits: true, actual: ["pro"] },
      { about: "data.x", fits: false }
    ])
  })

  it("waits for its DELAY by the person's clock, by the step's zone where none is known, and not less when it is woken", () => {
    const steps: ReadonlyArray<Step> = [{ key: "d", type: "DELAY", until: "09:00", timezone: "Asia/Tokyo" }]
    const due = (timezone: string | null) =>
      moved(steps, undefined, {}, { person: { ...PERSON, timezone } }).settled.dueAt
    expect(due("Europe/Berlin")).toBe(Date.parse("2031-03-02T08:00:00Z"))
    expect(due(null)).toBe(Date.parse("2031-03-02T00:00:00Z"))
    // Nobody's zone: the default.
    expect(due("Nowhere/Land")).toBe(Date.parse("2031-03-02T09:00:00Z"))
    const { after } = moved(steps)
    const early = moved(steps, undefined, after, { now: after.deadline! - 1 })
    expect(early.settled).toMatchObject({ status: "waiting", dueAt: after.deadline, history: [] })
    expect(moved(steps, undefined, after, { now: after.deadline! }).settled.status).toBe("completed")
  })

  it("fails where its contact would have more than a contact may, and changes nothing", () => {
    const { asked, settled } = moved(
      [MARK("a"), MARK("b"), MARK("never")],
      (question) => (question._tag === "Change" && question.step.key === "b" ? "tags must be at most 100" : null),
      {},
      {},
      true
    )
    expect(asked).toHaveLength(2)
    expect(settled).toMatchObject({ status: "failed", error: "contact: tags must be at most 100", endedAt: 2 })
    expect(settled.person.tags).toEqual(["a"])
  })

  it("opens a DIGEST and goes on with all of it, or ends in that of another", () => {
    const steps: ReadonlyArray<Step> = [{ key: "sum", type: "DIGEST", by: "data.t", seconds: 60 }, MARK("m")]
    const opened = moved(steps, () => ({ opener: null, closesAt: NOW + 60_000 }), { data: { t: { a: 1 } } })
    expect(opened.asked).toMatchObject([{ _tag: "Join", by: '{"a":1}', closesAt: NOW + 60_000 }])
    expect(opened.settled).toMatchObject({ status: "waiting", dueAt: NOW + 60_000 })
    const later = moved(steps, () => ({ closesAt: NOW + 90_000 }), opened.after)
    expect(later.settled).toMatchObject({ status: "waiting", dueAt: NOW + 90_000 })
    const closed = moved(steps, () => ({ count: 12, items: [1, 2] }), later.after)
    expect(closed.settled).toMatchObject({ status: "completed", steps: { sum: { count: 12, items: [1, 2] } } })
    const merged = moved(steps, () => ({ opener: "other" as ExecutionId, closesAt: NOW }))
    expect(merged.asked).toMatchObject([{ by: "" }])
    expect(merged.settled).toMatchObject({ status: "completed", history: [{ outcome: "merged", mergedInto: "other" }] })
    expect(merged.settled.sendings).toEqual([])
  })

  it("is let through by a THROTTLE or stopped, by a key of its own where it is missing", () => {
    const steps: ReadonlyArray<Step> = [{ key: "cap", type: "THROTTLE", by: "data.k", at_most: 1, per_seconds: 60 }]
    expect(moved(steps, () => true).settled.status).toBe("completed")
    expect(moved(steps, () => false).settled).toMatchObject({ status: "filtered", endedAt: 1 })
    expect(moved(steps, () => true).asked).toMatchObject([{ by: "" }])
    expect(moved(steps, () => true, { data: { k: "" } }).asked).toMatchObject([{ by: '""' }])
    expect(moved(steps, () => true, { data: { k: null } }).asked).toMatchObject([{ by: "null" }])
    for (const k of [
      { a: [1, { c: 2, b: 3 }], d: 4 },
      { d: 4, a: [1, { b: 3, c: 2 }] }
    ]) {
      expect(moved(steps, () => true, { data: { k } }).asked).toMatchObject([{ by: '{"a":[1,{"b":3,"c":2}],"d":4}' }])
    }
  })

  it("hears the event that it waits for, each but once, and goes on without it in the end", () => {
    const steps: ReadonlyArray<Step> = [
      { key: "w", type: "WAIT_FOR", event: "e", match: { event: "id", run: "data.id" }, seconds: 60 },
      { key: "x", type: "WAIT_FOR", event: "e", seconds: 60 }
    ]
    const waiting = moved(steps, () => null, { data: { id: 7 } })
    expect(waiting.asked).toMatchObject([{ _tag: "Event", value: 7, since: new Date(NOW).toISOString() }])
    // It looks once more soon, for what came meanwhile.
    expect(waiting.settled).toMatchObject({ dueAt: NOW + 5000, deadline: NOW + 60_000, wakes: { event: "e" } })
    const again = moved(steps, () => null, waiting.after, { now: NOW + 5000 })
    expect(again.settled).toMatchObject({ dueAt: NOW + 60_000, history: [] })
    const at = "2031-03-01T12:00:10.000123Z"
    let first = true
    const heard = moved(
      steps,
      () => {
        const answer = first ? { data: { id: 7 }, at } : null
        first = false
        return answer
      },
      again.after,
      { now: NOW + 11_000 }
    )
    expect(heard.asked).toMatchObject([{}, { since: at }])
    expect(heard.settled.steps).toEqual({ w: { data: { id: 7 }, heard_at: at, timed_out: false } })
    const over = moved(steps, () => null, again.after, { now: NOW + 60_000 })
    expect(over.settled.steps).toEqual({ w: { data: null, timed_out: true } })
    expect(outcomes(over.settled)).toEqual([
      [1, "timed_out"],
      [2, "waiting"]
    ])
  })

  it("asks for what came after the event that it heard last, whatever the clock said before", () => {
    const steps: ReadonlyArray<Step> = [
      { key: "w", type: "WAIT_FOR", event: "e", seconds: 60 },
      { key: "x", type: "WAIT_FOR", event: "e", seconds: 60 },
      { key: "y", type: "WAIT_FOR", event: "e", seconds: 60 }
    ]
    // Set back before the first, and further before the second.
    const times = [1, 2].map((hours) => new Date(NOW - hours * 3_600_000).toISOString())
    let heard = 0
    const { asked } = moved(steps, () => (heard < 2 ? { data: {}, at: times[heard++]! } : null))
    expect(asked.map((question) => "since" in question && question.since)).toEqual([
      new Date(NOW).toISOString(),
      ...times
    ])
  })

  it("tries a FETCH three times, as late as it is asked to, and then fails", () => {
    const steps: ReadonlyArray<Step> = [{ key: "ask", type: "FETCH", url: "https://example.com/" }, MARK("m")]
    let now = NOW
    let { after, settled } = moved(steps)
    expect(settled).toMatchObject({ status: "running", dueAt: NOW, tries: 0 })
    for (const [tries, retryAfterMs, pause] of [
      [1, null, 30_000],
      [2, 90_000, 90_000]
    ] as const) {
      const fetched = { _tag: "Fault" as const, detail: "429", mayRetry: true, retryAfterMs }
      ;({ after, settled } = moved(steps, undefined, after, { now, fetched }))
      expect(settled).toMatchObject({ status: "waiting", dueAt: now + pause, tries })
      now += pause
      ;({ after, settled } = moved(steps, undefined, after, { now }))
      expect(settled).toMatchObject({ status: "running", tries, history: [] })
    }
    const last = { _tag: "Fault" as const, detail: "429", mayRetry: true, retryAfterMs: null }
    expect(moved(steps, undefined, after, { now, fetched: last }).settled).toMatchObject({
      status: "failed",
      error: "fetch: 429",
      endedAt: 1
    })
    expect(moved(steps, undefined, RUN, { fetched: { ...last, mayRetry: false } }).settled.status).toBe("failed")
    const answered = moved(steps, undefined, after, { fetched: { _tag: "Answer", status: 200, body: [1] } })
    expect(answered.settled).toMatchObject({ status: "completed", steps: { ask: { status: 200, body: [1] } } })
  })

  it("takes no tries of a FETCH along that it has passed when its turn is over", () => {
    const ask = (key: string): Step => ({ key, type: "FETCH", url: "https://example.com/" })
    const turns = [false, true]
    const { settled } = moved(
      [ask("one"), ask("two")],
      undefined,
      { tries: 2 },
      {
        fetched: { _tag: "Answer", status: 200, body: null },
        isOver: () => turns.shift()!
      }
    )
    expect(settled).toMatchObject({ status: "running", position: 1, tries: 0 })
  })

  it("waits for the outcome of a message where it is asked to, and fails only if nothing was sent", () => {
    const steps: ReadonlyArray<Step> = [
      { key: "s", type: "SEND", content: { title: "x" }, wait_for_outcome: true },
      MARK("m")
    ]
    const begun = moved(steps)
    expect(begun.settled).toMatchObject({ status: "waiting", wakes: { send: "s" } })
    const run = { ...begun.after, sends: { s: "n" as NotificationId } }
    const of = (states: Answer) => moved(steps, () => states, run).settled
    expect(of(null)).toMatchObject({ status: "waiting", history: [] })
    expect(of(new Set(["sent", "failed"] as const)).status).toBe("completed")
    expect(of(new Set(["failed"] as const))).toMatchObject({ status: "failed", endedAt: 1 })
    expect(outcomes(of(new Set(["skipped"] as const)))[0]).toEqual([1, "skipped"])
    expect(outcomes(of(new Set()))[0]).toEqual([1, "skipped"])
    const late = moved(steps, () => null, run, { now: run.deadline! })
    expect(outcomes(late.settled)[0]).toEqual([1, "timed_out"])
  })
})

/* A straight model: what becomes of a person by the definition as it is written, without programs, positions and moves. */

const SEEDS = Array.from({ length: 300 }, (_, i) => 1000 + i)

describe("random workflows", () => {
  const TAGS = ["a", "b", "c"]
  const stepsBy = (chance: ReturnType<typeof chanceOf>) => {
    let count = 0
    const conditions = () => (chance.odds(0.5) ? { tags_any: [chance.pick(TAGS)] } : { tags_none: [chance.pick(TAGS)] })
    const listOf = (depth: number): ReadonlyArray<Step> =>
      Array.from({ length: chance.below(depth === 0 ? 6 : 3) + (depth === 0 ? 1 : 0) }, (): Step => {
        const key = `k${count++}`
        const kind = chance.below(depth < 3 ? 8 : 6)
        if (kind === 0) return { key, type: "FILTER", conditions: { tags_none: ["x", chance.pick(TAGS)] } }
        if (kind === 1) return { key, type: "DELAY", seconds: 1 + chance.below(100) }
        if (kind === 2) return { key, type: "WAIT_FOR", event: key, seconds: 1 + chance.below(100) }
        if (kind === 3) return { key, type: "THROTTLE", at_most: 1, per_seconds: 1 }
        if (kind === 4) return { key, type: "UPDATE_CONTACT", tags_remove: [chance.pick(TAGS)] }
        if (kind === 5) return { key, type: "UPDATE_CONTACT", tags_add: [chance.pick(TAGS)] }
        const branches = Array.from({ length: 1 + chance.below(3) }, () => ({
          conditions: conditions(),
          steps: listOf(depth + 1)
        }))
        return { key, type: "BRANCH", branches, ...(chance.odds(0.5) ? { else: listOf(depth + 1) } : {}) }
      })
    return listOf(0)
  }
  /** What happens by chance to a step is settled by its key. */
  const isLucky = (seed: number, key: string, share: number) =>
    chanceOf(seed * 7919 + Number(key.slice(1))).next() < share

  const model = (seed: number, steps: ReadonlyArray<Step>) => {
    const tags = new Set<string>()
    const way: Array<string> = []
    let spentMs = 0
    const fits = ({
      tags_any,
      tags_none
    }: {
      readonly tags_any?: ReadonlyArray<string>
      readonly tags_none?: ReadonlyArray<string>
    }) =>
      (tags_any === undefined || tags_any.some((tag) => tags.has(tag))) &&
      (tags_none === undefined || !tags_none.some((tag) => tags.has(tag)))
    const walk = (list: ReadonlyArray<Step>): boolean =>
      list.every((step) => {
        way.push(step.key)
        if (step.type === "FILTER") return fits(step.conditions)
        if (step.type === "THROTTLE") return isLucky(seed, step.key, 0.9)
        if (step.type === "DELAY") spentMs += step.seconds! * 1000
        if (step.type === "WAIT_FOR" && !isLucky(seed, step.key, 0.5)) spentMs += step.seconds * 1000
        if (step.type === "UPDATE_CONTACT") {
          for (const tag of step.tags_add ?? []) tags.add(tag)
          for (const tag of step.tags_remove ?? []) tags.delete(tag)
        }
        if (step.type !== "BRANCH") return true
        return walk(step.branches.find(({ conditions }) => fits(conditions))?.steps ?? step.else ?? [])
      })
    const status = walk(steps) ? "completed" : "filtered"
    return { status, way, tags: [...tags].toSorted(), spentMs }
  }

  const interpreted = (seed: number, steps: ReadonlyArray<Step>) => {
    const { places } = programOf(steps)
    const way: Array<string> = []
    let [run, person, now, status]: [Run, Facts, number, string] = [RUN, PERSON, NOW, "running"]
    for (let moves = 0; status !== "completed" && status !== "filtered"; moves++) {
      if (moves > 1000) throw new Error("It never ends")
      const { after, settled } = moved(
        steps,
        (question) => {
          if (question._tag === "Pass") return isLucky(seed, question.step.key, 0.9)
          if (question._tag !== "Event" || !isLucky(seed, question.step.key, 0.5)) return null
          return { data: {}, at: new Date(now).toISOString() }
        },
        run,
        { person, now }
      )
      for (const { outcome, stepOrder } of settled.history) {
        const { key } = places[stepOrder - 1]!.step
        if (outcome === "waiting" || way.at(-1) !== key) way.push(key)
      }
      status = settled.status
      run = after
      person = settled.person
      now = settled.dueAt ?? now
    }
    return { status, way, tags: person.tags.toSorted(), spentMs: now - NOW }
  }

  it(`go the way that a straight model goes (seeds ${SEEDS[0]} to ${SEEDS.at(-1)})`, () => {
    const met = new Set<string>()
    for (const seed of SEEDS) {
      const steps = stepsBy(chanceOf(seed))
      const expected = model(seed, steps)
      expect({ seed, ...interpreted(seed, steps) }).toEqual({ seed, ...expected })
      met.add(expected.status)
    }
    expect([...met].toSorted()).toEqual(["completed", "filtered"])
  })
})
