import { describe, expect, it as plain, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import { makePace, together } from "../../../../layers/postgres/workflows/entryPages.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"
import type { SegmentFilter } from "../../../../services/domain/audience/Segment.ts"
import type { Facts } from "../../../../services/domain/workflows/Conditions.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import type { Trigger } from "../../../../services/domain/workflows/Workflow.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import type { Carry } from "../../../../services/ports/workflows/ExecutionStore.ts"
import type { Taken } from "../../../../services/ports/workflows/TriggerStore.ts"
import { TriggerStore } from "../../../../services/ports/workflows/TriggerStore.ts"
import type { StoreError } from "../../../../services/ports/StoreError.ts"
import { hotStores, newApp } from "../Stores.ts"
import { activated, carry, onOwnNode, workflowStores } from "./Runs.ts"

/* What lets people into many workflows is taken in pages that are as small as it is much. */

const STEPS: ReadonlyArray<Step> = [{ key: "pause", type: "DELAY", seconds: 3600 }]

const isIn = ({ tags_any = [] }: SegmentFilter, { tags }: Facts) => tags_any.some((tag) => tags.includes(tag))

const users = (count: number) => Array.from({ length: count }, (_, i) => `u${i}`)

const many = Effect.fnUntraced(function* (app: AppId, count: number, trigger: Trigger) {
  for (let i = 0; i < count; i++) yield* activated(app, STEPS, { trigger })
})

/** Takes pages until there is none: what each took. */
const pagesOf = Effect.fnUntraced(function* <R>(page: Effect.Effect<Option.Option<Taken>, StoreError, R>) {
  const pages: Array<Taken> = []
  for (;;) {
    const taken = yield* page
    if (Option.isNone(taken)) return pages
    pages.push(taken.value)
  }
})

const runsOf = ({ written }: Taken) => written.reduce((sum, { runs }) => sum + runs, 0)

/** How many runs there are, and how many of them are one too many of a person in a workflow. */
const entries = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly runs: number; readonly twice: number }>`
    SELECT count(*)::integer AS runs, (count(*) - count(DISTINCT (workflow_id, user_id)))::integer AS twice
    FROM executions WHERE app_id = ${app}`
  return row!
})

const stores = Layer.mergeAll(ContactStores.layer, workflowStores).pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("what lets people into many workflows", (it) => {
  it.effect("is taken by what it brings to all of them together, and nothing of that is kept once it is written", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const store = yield* TriggerStore
      yield* many(app, 20, { type: "event", event: "large" })
      const data = { text: "x".repeat(60_000) }
      for (const userId of users(6)) yield* store.raise(app, { event: "large", userId, data })
      const carried = yield* carry()
      const seen = new Set<unknown>()
      const carrying: Carry = (runs, tools) => {
        for (const run of runs) seen.add(run.data)
        return carried(runs, tools)
      }
      const pages = yield* pagesOf(store.takeEvents(null, 500, carrying))
      // 1.2 MB of each.
      expect(pages.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1, 1])
      expect(pages.map(runsOf)).toEqual([20, 20, 20, 20, 20, 20])
      expect(seen.size).toBe(6)
      expect(JSON.stringify(pages)).not.toContain("xxxx")
      expect(yield* entries(app)).toEqual({ runs: 120, twice: 0 })
    })
  )

  it.effect("is taken by how many enter, so that other applications have their turn after some hundred of them", () =>
    Effect.gen(function* () {
      const store = yield* TriggerStore
      const [app, other] = [yield* newApp, yield* newApp]
      yield* many(app, 100, { type: "event", event: "small" })
      yield* many(other, 1, { type: "event", event: "small" })
      for (const userId of users(23)) yield* store.raise(app, { event: "small", userId, data: {} })
      yield* store.raise(other, { event: "small", userId: "u", data: {} })
      const carried = yield* carry()
      const first = Option.getOrThrow(yield* store.takeEvents(null, 500, carried))
      const second = Option.getOrThrow(yield* store.takeEvents(first.appId, 500, carried))
      expect(new Set([first.appId, second.appId])).toEqual(new Set([app, other]))
      const pages = [first, second, ...(yield* pagesOf(store.takeEvents(null, 500, carried)))]
      const its = pages.filter(({ appId }) => appId === app)
      expect(Math.max(...its.map(runsOf))).toBe(500)
      expect(its.reduce((sum, { count }) => sum + count, 0)).toBe(23)
      expect(yield* entries(app)).toEqual({ runs: 2300, twice: 0 })
      expect(yield* entries(other)).toEqual({ runs: 1, twice: 0 })
    })
  )

  it.effect("lets people into all workflows or into none, where the transaction dies", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const store = yield* TriggerStore
      // Those whom nobody enters twice are written after the others.
      const trigger = { type: "event", event: "dies" } as const
      yield* many(app, 5, trigger)
      for (let i = 0; i < 5; i++) yield* activated(app, STEPS, { trigger, reentry: "once" })
      for (const userId of users(60)) yield* store.raise(app, { event: "dies", userId, data: {} })
      const carried = yield* carry()
      let parts = 0
      const dying: Carry = (runs, tools) => (++parts === 2 ? Effect.die(new Error("killed")) : carried(runs, tools))
      const died = yield* Effect.exit(store.takeEvents(null, 500, dying))
      expect(Exit.isFailure(died) && Cause.hasDies(died.cause)).toBe(true)
      expect(yield* entries(app)).toEqual({ runs: 0, twice: 0 })
      const pages = yield* pagesOf(store.takeEvents(null, 500, carried))
      expect(runsOf(pages[0]!)).toBe(500)
      expect(yield* entries(app)).toEqual({ runs: 600, twice: 0 })
    })
  )

  it.effect("is carried for many workflows at once, into each by its own rule, and with its own version", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [store, sql] = [yield* TriggerStore, yield* SqlClient.SqlClient]
      const trigger = { type: "event", event: "wide" } as const
      for (let i = 0; i < 40; i++)
        for (const reentry of ["always", "once", "when_ended"] as const)
          yield* activated(app, STEPS, { trigger, reentry })
      const carried = yield* carry()
      const sizes: Array<number> = []
      const carrying: Carry = (runs, tools) => {
        sizes.push(runs.length)
        return carried(runs, tools)
      }
      // The second of one person enters what may be entered again and again.
      for (const userId of ["ann", "bob", "ann"]) yield* store.raise(app, { event: "wide", userId, data: { userId } })
      const pages = yield* pagesOf(store.takeEvents(null, 500, carrying))
      expect(pages.map(runsOf)).toEqual([120 + 160])
      expect(sizes).toEqual([120, 160])
      const rows = yield* sql<{ readonly reentry: string; readonly user_id: string; readonly runs: number }>`
        SELECT v.definition ->> 'reentry' AS reentry, e.user_id, count(*)::integer AS runs
        FROM executions e JOIN workflow_versions v ON v.id = e.version_id AND v.workflow_id = e.workflow_id
        WHERE e.app_id = ${app} AND e.data::json ->> 'userId' = e.user_id GROUP BY 1, 2 ORDER BY 1, 2`
      expect(rows.map(({ reentry, runs, user_id }) => [reentry, user_id, runs])).toEqual([
        ["always", "ann", 80],
        ["always", "bob", 40],
        ["once", "ann", 40],
        ["once", "bob", 40],
        ["when_ended", "ann", 40],
        ["when_ended", "bob", 40]
      ])
      const timers = yield* sql<{ readonly due: number }>`
        SELECT count(*)::integer AS due FROM execution_timers WHERE app_id = ${app} AND due_at < now() + interval '2 hours'`
      expect(timers[0]!.due).toBe(280)
    })
  )

  it.effect("is taken by how many enter where tags are added", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const store = yield* TriggerStore
      yield* many(app, 100, { type: "tag_added", tag: "vip" })
      yield* (yield* ContactStore).upsert(
        app,
        users(12).map((external_id) => ({ external_id, tags: ["vip"] }))
      )
      const pages = yield* pagesOf(store.takeChanges(null, 1000, isIn, yield* carry()))
      expect(runsOf(pages[0]!)).toBe(500)
      expect(Math.max(...pages.map(runsOf))).toBe(500)
      expect(JSON.stringify(pages)).not.toContain("vip")
      expect(yield* entries(app)).toEqual({ runs: 1200, twice: 0 })
    })
  )

  it.effect("is taken by how many come into a segment, and those who are in it already take no room", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [store, contacts] = [yield* TriggerStore, yield* ContactStore]
      const { id } = yield* (yield* SegmentStore).create(app, { name: "Vip", filter: { tags_any: ["vip"] } })
      yield* many(app, 60, { type: "segment_entered", segment_id: id })
      const carried = yield* carry()
      yield* store.keepAllWatched
      yield* pagesOf(store.look(null, 1000, isIn, carried))
      const upsert = (names: ReadonlyArray<string>, more: object) =>
        contacts.upsert(
          app,
          names.map((external_id) => ({ external_id, ...more }))
        )
      yield* upsert(users(20), { tags: ["vip"] })
      const coming = yield* pagesOf(store.takeChanges(null, 1000, isIn, carried))
      expect(Math.max(...coming.map(runsOf))).toBeLessThanOrEqual(500)
      expect(yield* entries(app)).toEqual({ runs: 1200, twice: 0 })
      // A change of who is in it leads nowhere, and a page of a node that has not been slow has all of them.
      yield* upsert(users(20), { locale: "de" })
      yield* upsert(["new"], { tags: ["vip"] })
      const taking = Effect.flatMap(TriggerStore, (own) => pagesOf(own.takeChanges(null, 1000, isIn, carried)))
      const staying = yield* onOwnNode(taking)
      expect(staying.map(runsOf)).toEqual([60])
      expect(yield* entries(app)).toEqual({ runs: 1260, twice: 0 })
      // Those whom a look finds, as of what time changes.
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM segment_members WHERE segment_id = ${id}`
      yield* sql`UPDATE watched_segments SET after_id = '00000000-0000-0000-0000-000000000000' WHERE segment_id = ${id}`
      const looks = yield* pagesOf(store.look(null, 1000, isIn, carried))
      expect(looks.map(runsOf)).toEqual([480, 480, 300])
    })
  )
})

describe("a page", () => {
  plain("has one event at least, however much that lets in", () => {
    expect(together([{ entries: 10_000, bytes: 1e9 }])).toBe(1)
    expect(
      together([
        { entries: 10_000, bytes: 1e9 },
        { entries: 0, bytes: 0 }
      ])
    ).toBe(1)
    expect(together(Array.from({ length: 600 }, () => ({ entries: 1, bytes: 10 })))).toBe(500)
    expect(together(Array.from({ length: 600 }, () => ({ entries: 0, bytes: 10 })))).toBe(600)
  })

  plain("locks little of an application whose last one took less than it had locked, or long", () => {
    const app = "a" as AppId
    const pace = makePace()
    expect(pace.most(app, 500)).toBe(500)
    pace.note(app, 500, { asked: 500, found: 500, taken: 1, ms: 300 })
    expect(pace.most(app, 500)).toBe(2)
    pace.note(app, 500, { asked: 2, found: 2, taken: 2, ms: 300 })
    expect(pace.most(app, 500)).toBe(4)
    pace.note(app, 500, { asked: 4, found: 4, taken: 4, ms: 4000 })
    expect(pace.most(app, 500)).toBe(1)
    pace.note(app, 500, { asked: 1, found: 1, taken: 1, ms: 4000 })
    expect(pace.most(app, 500)).toBe(1)
    // Nothing was left: what comes next is something else.
    pace.note(app, 500, { asked: 2, found: 1, taken: 1, ms: 10 })
    expect(pace.most(app, 500)).toBe(500)
  })
})
