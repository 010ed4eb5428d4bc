import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { AppId, ContactId, ExecutionId, WorkflowId, WorkflowVersionId } from "../../../../services/domain/Ids.ts"
import { programOf } from "../../../../services/domain/workflows/Program.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { carrying } from "../../../../services/engine/workflows/Carrying.ts"
import type { Programs } from "../../../../services/engine/workflows/Programs.ts"
import type { EngineSettings } from "../../../../services/ports/EngineSettings.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { OpenRun, Tools } from "../../../../services/ports/workflows/ExecutionStore.ts"

const TOOLS: Tools = {
  ask: (asked) => Effect.succeed(asked.map(() => null)),
  segments: () => Effect.succeed(new Map()),
  reach: () => Effect.succeed(new Map())
}

const runOf = (data: OpenRun["data"]): OpenRun => ({
  id: uuidv7() as ExecutionId,
  appId: "a" as AppId,
  workflowId: "w" as WorkflowId,
  versionId: "v" as WorkflowVersionId,
  contactId: uuidv7() as ContactId,
  userId: "u",
  position: 0,
  isBegun: false,
  deadline: null,
  tries: 0,
  data,
  steps: {},
  sends: {},
  enteredAt: 0,
  depth: 0,
  trace: null,
  fence: 0,
  suspicion: 0,
  person: { tags: [], attributes: {}, locale: null, timezone: null, platforms: [], seenAt: null, engagedAt: {} },
  isClosed: null,
  isDisabled: false,
  segmentId: null
})

it.live("leaves runs due where they are when those who move with them have taken long, and lets others compute", () =>
  Effect.gen(function* () {
    const steps: ReadonlyArray<Step> = [
      { key: "slow", type: "FILTER", conditions: { data: [{ name: "slow", op: "exists" }] } },
      { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"] },
      { key: "last", type: "FILTER", conditions: { tags_any: ["marked"] } }
    ]
    const programs = { of: () => Effect.succeed(Option.some({ program: programOf(steps), templates: {} })) }
    const carry = carrying(programs as unknown as Programs["Service"], {} as EngineSettings["Service"], true)
    let others = 0
    const tick = () => {
      others++
      next = setImmediate(tick)
    }
    let next = setImmediate(tick)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(next)))
    const seen: Array<number> = []
    const slow = runOf({
      get slow() {
        seen.push(others)
        for (const until = performance.now() + 600; performance.now() < until;);
        return true
      }
    })
    const runs = [slow, { ...slow }, runOf({ slow: true }), { ...runOf({ slow: true }), tries: 1, deadline: 5 }]
    const { counts, moved } = yield* carry(runs, TOOLS)
    expect(moved.map(({ settled: { position, status } }) => [status, position])).toEqual([
      ["running", 2],
      ["running", 2],
      ["running", 0],
      ["running", 0]
    ])
    for (const { settled } of moved) expect(settled.dueAt).toBeLessThanOrEqual(Date.now())
    expect(moved[3]!.settled).toMatchObject({ tries: 1, deadline: 5, history: [] })
    expect(counts).toMatchObject([
      { stepOrder: 1, entered: 2, passed: 2 },
      { stepOrder: 2, entered: 2, passed: 2 }
    ])
    expect(new Set(seen).size).toBeGreaterThan(1)
    // With the next page they go on.
    const again = yield* carry(
      moved.map(({ run, settled: { person, position } }) => ({ ...run, data: { slow: true }, person, position })),
      TOOLS
    )
    expect(again.moved.map(({ settled: { status } }) => status)).toEqual(Array(4).fill("completed"))
  }).pipe(Effect.scoped)
)

it.live(
  "computes for a second in all where one transaction leads to many workflows, and the others' runs are due",
  () =>
    Effect.gen(function* () {
      const steps: ReadonlyArray<Step> = [
        { key: "slow", type: "FILTER", conditions: { data: [{ name: "slow", op: "exists" }] } },
        { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"] }
      ]
      const programs = { of: () => Effect.succeed(Option.some({ program: programOf(steps), templates: {} })) }
      const settings = {} as EngineSettings["Service"]
      const carry = carrying(programs as unknown as Programs["Service"], settings, true, new Map(), { spentMs: 0 })
      const slow = {
        get slow() {
          for (const until = performance.now() + 600; performance.now() < until;);
          return true
        }
      }
      const came: Array<unknown> = []
      for (let workflow = 0; workflow < 4; workflow++) {
        const { moved } = yield* carry([runOf(slow)], TOOLS)
        came.push(...moved.map(({ settled: { position, status } }) => [status, position]))
      }
      expect(came).toEqual([
        ["completed", 2],
        ["completed", 2],
        ["running", 0],
        ["running", 0]
      ])
    })
)
