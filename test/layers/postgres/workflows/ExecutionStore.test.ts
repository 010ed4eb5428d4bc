import { describe, expect, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Option, Schedule } from "effect"
import type { Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import { markDeleted } from "../../../../layers/postgres/people/deleteOrganization.ts"
import { ENTERING, MOVING_RUNS } from "../../../../layers/postgres/server/advisoryLocks.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import type { AppId, ExecutionId, OrganizationId, SegmentId } from "../../../../services/domain/Ids.ts"
import type { SegmentFilter } from "../../../../services/domain/audience/Segment.ts"
import type { Facts } from "../../../../services/domain/workflows/Conditions.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import type { CancelExecutions, Execution } from "../../../../services/domain/workflows/Execution.ts"
import type { Page } from "../../../../services/ports/audience/DeviceStore.ts"
import type { Reentry, Workflow } from "../../../../services/domain/workflows/Workflow.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { now } from "../../../../services/ports/Now.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import type { StoreError } from "../../../../services/ports/StoreError.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import type { Carry } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { TriggerStore } from "../../../../services/ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { TestDatabase } from "../../../Database.ts"
import { StatementLog } from "../../../src/http/StatementLog.ts"
import { android, hold, hotStores, newApp } from "../Stores.ts"
import {
  activated,
  carry,
  draftOf,
  entered,
  moved,
  onOwnNode as onOneConnection,
  runBlocks,
  workflowStores
} from "./Runs.ts"

const HOUR_S = 3600
const NO_EVENTS = () => []

type Stores = ExecutionStore | TriggerStore | WorkflowStore | SqlClient.SqlClient

/** Runs an effect as on a node of its own. */
const onOwnNode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const node = workflowStores.pipe(Layer.provide(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
    return yield* Effect.provide(effect, Layer.fresh(node))
  })

const atOnce = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E, Stores>>) =>
  Effect.all(effects.map(onOwnNode), { concurrency: "unbounded" })

/** As if the time of all that waits had come; its digests close as well. */
const letTimePass = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
  yield* sql`UPDATE executions SET deadline = now() - interval '1 s' WHERE app_id = ${app} AND deadline IS NOT NULL`
  yield* sql`UPDATE digests SET closes_at = now() - interval '1 s' WHERE app_id = ${app}`
})

/** Moves until nothing is due. */
const moveAll = Effect.fnUntraced(function* (app: AppId) {
  let all = 0
  for (let some = Infinity; some > 0; all += some) some = (yield* moved(app)).length
  return all
})

const statuses = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly status: string; readonly count: number }>`
    SELECT status, count(*)::integer AS count FROM executions WHERE app_id = ${app} GROUP BY status`
  return Object.fromEntries(rows.map(({ count, status }) => [status, count]))
})

const found = Effect.fnUntraced(function* (app: AppId, id: ExecutionId) {
  return Option.getOrThrow(yield* (yield* ExecutionStore).find(app, id))
})

const users = (count: number, prefix = "u") => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

const PAUSE: Step = { key: "pause", type: "DELAY", seconds: HOUR_S }
const MARK: Step = { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"] }

const stores = Layer.mergeAll(ContactStores.layer, workflowStores).pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("runs", (it) => {
  describe("that are looked at", () => {
    it.effect("by how they ended are found beside any number of those under way, and all of them in one order", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE])
        yield* entered(workflow, users(5, "done"))
        yield* letTimePass(app)
        yield* moveAll(app)
        // Its vacuum would read beside the test what is counted.
        yield* sql`ALTER TABLE executions SET (autovacuum_enabled = off)`
        yield* sql`INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position)
          SELECT ${app}::uuid, ('ffffffff-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, ${workflow.id}::uuid,
            ${workflow.id}::uuid, ${workflow.id}::uuid, 'open' || i, 'waiting', 0 FROM generate_series(1, 20000) AS t (i)`
        const blocks = yield* onOneConnection(
          Effect.gen(function* () {
            const store = yield* ExecutionStore
            const filter = { workflowId: workflow.id, status: "completed" as const }
            const page = store.list(app, filter, null, 10)
            expect((yield* page).items.map(({ userId }) => userId).toSorted()).toEqual(users(5, "done"))
            const before = yield* runBlocks
            expect((yield* page).items).toHaveLength(5)
            return (yield* runBlocks) - before
          })
        )
        expect(blocks).toBeLessThan(60)
        const store = yield* ExecutionStore
        yield* sql`DELETE FROM executions WHERE app_id = ${app} AND user_id LIKE 'open%' AND user_id > 'open15'`
        const seen: Array<string> = []
        let before: string | null = null
        do {
          const page: Page<Execution> = yield* store.list(app, { workflowId: workflow.id }, before, 1000)
          seen.push(...page.items.map(({ id }) => id))
          before = page.next
        } while (before !== null)
        expect(seen).toEqual([...new Set(seen)].toSorted().toReversed())
        const [row] = yield* sql`SELECT count(*)::integer AS count FROM executions WHERE app_id = ${app}`
        expect(row).toEqual({ count: seen.length })
        yield* sql`DELETE FROM executions WHERE app_id = ${app}`
        yield* sql`ALTER TABLE executions RESET (autovacuum_enabled)`
      })
    )
  })

  describe("moving", () => {
    it.effect("never moves a run twice, however many are at it", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE, MARK])
        yield* entered(workflow, users(300))
        yield* letTimePass(app)
        const each = yield* atOnce(
          Array.from({ length: 4 }, () =>
            Effect.gen(function* () {
              const ids: Array<string> = []
              for (let some = 1; some > 0;) {
                const runs = yield* moved(app, 20)
                some = runs.length
                ids.push(...runs.map(({ run }) => run.id))
              }
              return ids
            })
          )
        )
        expect(each.flat()).toHaveLength(300)
        expect(new Set(each.flat()).size).toBe(300)
        expect(yield* statuses(app)).toEqual({ completed: 300 })
        const [first, second] = yield* (yield* WorkflowStore).counts(workflow.versionId)
        expect([first, second]).toMatchObject([
          { entered: 300, passed: 300 },
          { entered: 300, passed: 300 }
        ])
      })
    )

    it.effect("takes no more data in hand than a process can hold, and shares what runs of one trigger have", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE])
        yield* entered(workflow, users(100), { pieces: Array.from({ length: 20_000 }, () => ({})) })
        yield* letTimePass(app)
        const page = yield* moved(app)
        expect(page.length).toBeGreaterThan(20)
        expect(page.length).toBeLessThan(50)
        expect(new Set(page.map(({ run }) => run.data)).size).toBe(1)
        expect(page.length + (yield* moveAll(app))).toBe(100)
        // One that has more by itself goes on all the same.
        const large = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, "x".repeat(60_000)]))
        const sql = yield* SqlClient.SqlClient
        yield* entered(workflow, users(2))
        yield* letTimePass(app)
        yield* sql`UPDATE executions SET steps = ${JSON.stringify(large)} WHERE app_id = ${app} AND ended_at IS NULL`
        expect(yield* moved(app)).toHaveLength(1)
        expect(yield* moved(app)).toHaveLength(1)
      })
    )

    it.effect("takes no more events than a process can hold, and each once", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        yield* activated(app, [PAUSE], { trigger: { type: "event", event: "large" } })
        const store = yield* TriggerStore
        const data = { text: "x".repeat(60_000) }
        for (const userId of users(80)) yield* store.raise(app, { event: "large", userId, data })
        const carried = yield* carry()
        const counts: Array<number> = []
        for (let count = 1; count > 0;) {
          count = Option.match(yield* store.takeEvents(null, 500, carried), {
            onNone: () => 0,
            onSome: (one) => one.count
          })
          counts.push(count)
        }
        expect(counts).toEqual([33, 33, 14, 0])
        expect(yield* statuses(app)).toEqual({ waiting: 80 })
      })
    )

    it.effect("hears no more than a process can hold: a page of more is refused, and smaller ones go on", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const wait: Step = {
          key: "wait",
          type: "WAIT_FOR",
          event: "bought",
          seconds: HOUR_S,
          match: { event: "id", run: "data.id" }
        }
        const workflow = yield* activated(app, [wait])
        yield* entered(workflow, users(80), { id: 1 })
        const triggers = yield* TriggerStore
        for (const userId of users(80)) {
          for (const id of [0, 1]) {
            const data = { id, text: "x".repeat(60_000) }
            yield* triggers.raise(app, { event: "bought", userId, data })
          }
        }
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
        const all = yield* Effect.exit(moved(app))
        expect(Exit.isFailure(all) && Cause.squash(all.cause)).toMatchObject({ _tag: "StoreError", refused: true })
        // Each looks through 120 KB, half of which it brings: what is read at once is less than all of theirs.
        const pages: Array<number> = []
        for (let some = Infinity; some > 0; pages.push(some)) some = (yield* moved(app, 30)).length
        expect(pages).toEqual([30, 30, 20, 0])
        expect(yield* statuses(app)).toEqual({ completed: 80 })
      })
    )

    it.effect("takes no more people in hand than a process can hold, and each once", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const sql = yield* SqlClient.SqlClient
        const triggers = yield* TriggerStore
        const [contacts, segments] = [yield* ContactStore, yield* SegmentStore]
        const { id } = yield* segments.create(app, {
          name: "VIP",
          filter: { tags_any: ["vip"], last_seen: { not_within_days: 1 } }
        })
        yield* activated(app, [PAUSE], { trigger: { type: "tag_added", tag: "vip" } })
        yield* activated(app, [PAUSE], { trigger: { type: "segment_entered", segment_id: id } })
        const carried = yield* carry()
        const attributes = { text: "x".repeat(4000) }
        const tags = ["vip", ...Array.from({ length: 99 }, (_, i) => `t${i}`)]
        yield* contacts.upsert(
          app,
          users(500).map((external_id) => ({ external_id, attributes, tags }))
        )
        /** How many each page took. */
        const pages = Effect.fnUntraced(function* (page: typeof triggers.look) {
          const counts: Array<number> = []
          for (;;) {
            const taken = yield* page(null, 1000, () => true, carried)
            if (Option.isNone(taken)) return counts
            counts.push(taken.value.written.reduce((sum, { runs }) => sum + runs, 0))
          }
        })
        const changes = yield* pages(triggers.takeChanges)
        expect(changes.length).toBeGreaterThan(2)
        expect(yield* statuses(app)).toEqual({ waiting: 1000 })
        // Those who are in it by a change are not found once more by a look.
        yield* sql`DELETE FROM segment_members WHERE segment_id = ${id}`
        yield* sql`UPDATE watched_segments SET is_first = false, after_id = '00000000-0000-0000-0000-000000000000'
          WHERE segment_id = ${id}`
        const looks = yield* pages(triggers.look)
        expect(looks.length).toBeGreaterThan(2)
        expect(yield* statuses(app)).toEqual({ waiting: 1500 })
        // An audience that is let in.
        const store = yield* ExecutionStore
        const workflow = yield* activated(app, [PAUSE])
        yield* store.leave({ id: uuidv7(), appId: app, workflowId: workflow.id, filter: null, data: {} })
        const entries: Array<number> = []
        for (let page = yield* store.enterPage(null, 1000, () => true, carried); Option.isSome(page);) {
          entries.push(page.value.moves.moved.length)
          page = yield* store.enterPage(null, 1000, () => true, carried)
        }
        expect(entries.length).toBeGreaterThan(2)
        expect(Math.max(...changes, ...looks, ...entries)).toBeLessThan(450)
        expect(yield* statuses(app)).toEqual({ waiting: 2000 })
      })
    )

    it.effect("counts what a digest has collected to the data of the run that goes on with it", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [{ key: "sum", type: "DIGEST", seconds: HOUR_S, by: "data.key" }])
        const text = "x".repeat(60_000)
        for (const key of [1, 2, 3, 4, 5, 6]) {
          for (let i = 0; i < 10; i++) yield* entered(workflow, ["u"], { key, text })
        }
        yield* letTimePass(app)
        // Their own is 360 KB, and with it come 3.6 MB.
        expect((yield* moved(app)).length).toBeLessThan(5)
        yield* moveAll(app)
        expect(yield* statuses(app)).toEqual({ completed: 60 })
      })
    )

    it.effect("leaves everything as it was when the transaction dies", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE, MARK])
        const [one] = yield* entered(workflow, ["u"])
        yield* letTimePass(app)
        const store = yield* ExecutionStore
        const carried = yield* carry()
        const died = yield* Effect.exit(
          store.move(
            app,
            10,
            (runs, tools) =>
              Effect.andThen(carried(runs, tools), Effect.die(new Error("killed"))) as ReturnType<typeof carried>
          )
        )
        expect(Exit.isFailure(died) && Cause.hasDies(died.cause)).toBe(true)
        expect(yield* found(app, one!.run.id)).toMatchObject({ status: "running", stepOrder: 1 })
        expect(yield* (yield* WorkflowStore).counts(workflow.versionId)).toMatchObject([{ entered: 1, passed: 0 }])
        expect(yield* moveAll(app)).toBe(1)
        expect(yield* found(app, one!.run.id)).toMatchObject({ status: "completed" })
        expect(yield* store.history(app, one!.run.id)).toHaveLength(3)
      })
    )

    it.effect("does no step again that is done, and joins no digest to itself, however often it is moved", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const say = (key: string): Step => ({ key, type: "SEND", content: { title: key } })
        const digest: Step = { key: "sum", type: "DIGEST", seconds: HOUR_S }
        const cap: Step = { key: "cap", type: "THROTTLE", at_most: 1, per_seconds: HOUR_S }
        const workflow = yield* activated(app, [say("hello"), cap, digest, say("then"), PAUSE, say("last")])
        const [one] = yield* entered(workflow, ["u"])
        const again = Effect.gen(function* () {
          for (let times = 0; times < 3; times++) {
            yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
            yield* moved(app)
          }
        })
        const sent = Effect.map(sql`SELECT 1 FROM notifications WHERE app_id = ${app}`, ({ length }) => length)
        yield* again
        expect([yield* sent, (yield* found(app, one!.run.id)).stepOrder]).toEqual([1, 3])
        yield* letTimePass(app)
        yield* moved(app)
        yield* again
        expect([yield* sent, (yield* found(app, one!.run.id)).stepOrder]).toEqual([2, 5])
        yield* letTimePass(app)
        yield* moved(app)
        yield* again
        expect(yield* sent).toBe(3)
        expect(yield* found(app, one!.run.id)).toMatchObject({ status: "completed", steps: { sum: { count: 1 } } })
        expect((yield* (yield* ExecutionStore).history(app, one!.run.id)).map(({ outcome }) => outcome)).toEqual([
          "passed",
          "passed",
          "waiting",
          "passed",
          "passed",
          "waiting",
          "passed",
          "passed"
        ])
      })
    )

    it.effect("leads ten thousand along the version that they entered, whatever is published meanwhile", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE, { key: "between", type: "DELAY", seconds: 60 }, MARK])
        for (let page = 0; page < 10; page++) yield* entered(workflow, users(1000, `p${page}-`))
        const store = yield* WorkflowStore
        const definition = { ...workflow.definition, steps: [PAUSE] }
        const published = Option.getOrThrow(
          yield* store.update(app, workflow.id, workflow.version, draftOf(definition), null)
        )
        yield* entered(published, ["new"])
        for (const open of [10_000, 0]) {
          yield* letTimePass(app)
          yield* moveAll(app)
          expect((yield* statuses(app))["waiting"] ?? 0).toBe(open)
        }
        const [pause, between, mark] = yield* store.counts(workflow.versionId)
        for (const step of [pause, between, mark]) expect(step).toMatchObject({ entered: 10_000, passed: 10_000 })
        expect(yield* store.counts(published.versionId)).toMatchObject([{ entered: 1, passed: 1 }])
      })
    )

    it.effect("writes what steps change in the order of steps, whichever of them runs begin with", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const workflow = yield* activated(app, [
          { key: "first", type: "UPDATE_CONTACT", tags_add: ["a", "b"], attributes: { n: 1 } },
          PAUSE,
          { key: "then", type: "UPDATE_CONTACT", tags_remove: ["a"], attributes: { n: 2 } }
        ])
        const other = yield* activated(app, [PAUSE, ...workflow.definition.steps.filter(({ key }) => key !== "pause")])
        yield* entered(workflow, ["ahead"])
        yield* entered(other, ["behind"])
        yield* letTimePass(app)
        yield* moveAll(app)
        const rows = yield* sql`SELECT external_id, tags, attributes FROM contacts WHERE app_id = ${app} ORDER BY 1`
        expect(rows).toEqual([
          { external_id: "ahead", tags: ["b"], attributes: { n: 2 } },
          { external_id: "behind", tags: ["b"], attributes: { n: 2 } }
        ])
      })
    )
  })

  describe("changing contacts", () => {
    const contactOf = Effect.fnUntraced(function* (app: AppId, externalId: string) {
      return Option.getOrThrow(yield* (yield* ContactStore).find(app, { externalId }))
    })
    const ended = Effect.fnUntraced(function* (app: AppId) {
      const { items } = yield* (yield* ExecutionStore).list(app, {}, null, 10)
      return items.map(({ error, status }) => error ?? status).sort()
    })
    const tagged = (prefix: string, count: number): Step => ({
      key: "tag",
      type: "UPDATE_CONTACT",
      tags_add: users(count, prefix)
    })
    const TOO_MANY = "contact: tags must be at most 100"

    it.effect("never goes beyond what a contact may have, of those who come in one transaction or in two", () =>
      Effect.gen(function* () {
        const store = yield* WorkflowStore
        for (const isApart of [false, true]) {
          const app = yield* newApp
          yield* (yield* ContactStore).upsert(app, [{ external_id: "u", tags: users(60, "had") }])
          const workflows = [
            yield* activated(app, [PAUSE, tagged("a", 30), { ...MARK, tags_add: ["had1"] }]),
            yield* activated(app, [PAUSE, tagged("b", 30), { ...MARK, tags_add: ["had1"] }])
          ]
          for (const workflow of workflows) yield* entered(workflow, ["u"])
          yield* letTimePass(app)
          if (isApart) yield* atOnce([moved(app, 1), moved(app, 1)])
          yield* moveAll(app)
          expect(yield* ended(app)).toEqual(["completed", TOO_MANY])
          const { tags } = yield* contactOf(app, "u")
          expect(tags).toHaveLength(90)
          const sums = []
          for (const { versionId } of workflows) sums.push((yield* store.counts(versionId))[1])
          expect(sums.map(({ failed, passed } = { failed: -1, passed: -1 } as never) => failed + passed)).toEqual([
            1, 1
          ])
        }
      })
    )

    it.effect("takes attributes up to the very byte that the API takes, and says what was too much", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const before = Object.fromEntries(users(200, "k").map((name) => [name, "ü"]))
        const size = (value: object) => Buffer.byteLength(JSON.stringify(value))
        const room = 4096 - size({ ...before, last: "" })
        for (const [user, length] of [
          ["fits", room],
          ["not", room + 1]
        ] as const) {
          yield* (yield* ContactStore).upsert(app, [{ external_id: user, attributes: before, tags: ["had"] }])
          const attributes = { last: "x".repeat(length) }
          yield* entered(yield* activated(app, [{ ...MARK, attributes }]), [user])
        }
        expect(yield* ended(app)).toEqual(["completed", "contact: attributes must be at most 4096 bytes as JSON"])
        const fits = yield* contactOf(app, "fits")
        expect([size(fits.attributes), fits.tags]).toEqual([4096, ["had", "marked"]])
        expect(yield* contactOf(app, "not")).toMatchObject({ attributes: before, tags: ["had"] })
      })
    )
  })

  describe("digests", () => {
    const DIGEST: Step = { key: "sum", type: "DIGEST", by: "data.thread", seconds: HOUR_S }

    it.effect("have each of a thousand events that come at once, in one of their person and key", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const workflow = yield* activated(app, [DIGEST, MARK])
        // Half of them of one person and key; the others of other people and keys.
        const one = Array.from({ length: 500 }, (_, i) => ({ user: "u", thread: "t", i }))
        const others = Array.from({ length: 500 }, (_, i) => ({ user: `u${i % 5}`, thread: `t${i % 2}`, i }))
        const enter = (events: typeof one) =>
          Effect.gen(function* () {
            for (const { i, thread, user } of events) yield* entered(workflow, [user], { thread, i })
          })
        const all = [...one, ...others]
        yield* atOnce(Array.from({ length: 8 }, (_, node) => enter(all.filter((_, place) => place % 8 === node))))
        expect(yield* statuses(app)).toEqual({ completed: 1000 - 11, waiting: 11 })
        yield* letTimePass(app)
        yield* moveAll(app)
        expect(yield* statuses(app)).toEqual({ completed: 1000 })
        const rows = yield* sql<{ readonly user_id: string; readonly steps: string; readonly data: string }>`
          SELECT user_id, steps, data FROM executions WHERE app_id = ${app} AND steps <> '{}' ORDER BY user_id`
        const sums = rows.map(({ data, steps, user_id }) => {
          const { count, items } = JSON.parse(steps).sum
          const { thread } = JSON.parse(data)
          expect(items.length).toBe(Math.min(count, 10))
          for (const item of items) expect(item.thread).toBe(thread)
          return [`${user_id} ${thread}`, count] as const
        })
        expect(new Map(sums)).toEqual(
          new Map([
            ["u t", 500],
            ...users(5).flatMap((user) => ["t0", "t1"].map((thread) => [`${user} ${thread}`, 50] as const))
          ])
        )
        expect(yield* sql`SELECT 1 FROM digest_items WHERE app_id = ${app}`).toEqual([])
        expect(yield* sql`SELECT 1 FROM digests WHERE app_id = ${app}`).toEqual([])
      })
    )

    it.effect("close when they are full, and slide no farther than ten times their span", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const full = yield* activated(app, [{ ...DIGEST, at_most: 3 }, PAUSE])
        for (let i = 0; i < 2; i++) yield* entered(full, ["u"], { thread: "t" })
        expect(yield* moveAll(app)).toBe(0)
        yield* entered(full, ["u"], { thread: "t" })
        expect(yield* moveAll(app)).toBe(1)
        const sliding = yield* activated(app, [{ ...DIGEST, sliding: true }, PAUSE])
        const [opener] = yield* entered(sliding, ["u"], { thread: "t" })
        // It was opened long ago.
        yield* sql`UPDATE digests SET opened_at = now() - interval '9.5 hours' WHERE execution_id = ${opener!.run.id}`
        yield* entered(sliding, ["u"], { thread: "t" })
        const [row] = yield* sql<{ readonly left: number }>`
          SELECT extract(epoch FROM closes_at - opened_at)::float8 / 3600 AS left FROM digests
          WHERE execution_id = ${opener!.run.id}`
        expect(row!.left).toBeGreaterThan(9.99)
        expect(row!.left).toBeLessThanOrEqual(10.51)
      })
    )

    it.effect("tell keys apart that begin alike, however long, and do so in throttles", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const long = "k".repeat(3000)
        const cap: Step = { key: "cap", type: "THROTTLE", by: "data.thread", at_most: 1, per_seconds: HOUR_S }
        const workflow = yield* activated(app, [DIGEST, cap])
        for (const end of ["a", "b", "a"]) yield* entered(workflow, ["u"], { thread: long + end, end })
        yield* letTimePass(app)
        yield* moveAll(app)
        const { items } = yield* (yield* ExecutionStore).list(app, { status: "completed" }, null, 10)
        const sums = items.flatMap(({ steps }) => (steps["sum"] === undefined ? [] : [steps["sum"]]))
        expect(sums).toMatchObject([{ count: 1 }, { count: 2 }])
      })
    )

    it.effect("collect of those alone who take the branch in which they stand", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const loud = { data: [{ name: "loud", op: "equals" as const, value: true }] }
        const branch: Step = {
          key: "which",
          type: "BRANCH",
          branches: [{ conditions: loud, steps: [] }],
          else: [DIGEST]
        }
        const workflow = yield* activated(app, [branch, MARK])
        for (const [i, isLoud] of [false, true, false, true].entries()) {
          yield* entered(workflow, ["u"], { thread: "t", loud: isLoud, i })
        }
        expect(yield* statuses(app)).toEqual({ completed: 3, waiting: 1 })
        yield* letTimePass(app)
        yield* moveAll(app)
        const { items } = yield* (yield* ExecutionStore).list(app, {}, null, 10)
        const sums = items.flatMap(({ steps }) => (steps["sum"] === undefined ? [] : [steps["sum"]]))
        expect(sums).toMatchObject([{ count: 2, items: [{ i: 0 }, { i: 2 }] }])
      })
    )

    it.effect("follow a DELAY and each other, once each", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const second: Step = { key: "again", type: "DIGEST", seconds: HOUR_S }
        const workflow = yield* activated(app, [PAUSE, DIGEST, second])
        for (const thread of ["a", "a", "b"]) yield* entered(workflow, ["u"], { thread })
        for (let round = 0; round < 3; round++) {
          yield* letTimePass(app)
          yield* moveAll(app)
        }
        expect(yield* statuses(app)).toEqual({ completed: 3 })
        const { items } = yield* (yield* ExecutionStore).list(app, {}, null, 10)
        const last = items.filter(({ steps }) => steps["again"] !== undefined)
        expect(last.map(({ steps }) => steps["again"])).toMatchObject([{ count: 2 }])
      })
    )
  })

  describe("digests whose opener ends", () => {
    const DIGEST: Step = { key: "sum", type: "DIGEST", by: "data.thread", seconds: HOUR_S }
    const left = Effect.fnUntraced(function* (app: AppId) {
      const sql = yield* SqlClient.SqlClient
      const digests = yield* sql`SELECT 1 FROM digests WHERE app_id = ${app}`
      const items = yield* sql`SELECT 1 FROM digest_items WHERE app_id = ${app}`
      const timers = yield* sql`SELECT 1 FROM execution_timers WHERE app_id = ${app}`
      return digests.length + items.length + timers.length
    })
    /** The digests that went on, as steps see them. */
    const sums = Effect.fnUntraced(function* (app: AppId) {
      const { items } = yield* (yield* ExecutionStore).list(app, { status: "completed" }, null, 1000)
      return items.flatMap(({ steps }) => (steps["sum"] === undefined ? [] : [steps["sum"]]))
    })

    it.effect("by a cancel go out once, with all that the others brought and no more", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const app = yield* newApp
        const workflow = yield* activated(app, [DIGEST, MARK])
        const ids: Array<ExecutionId> = []
        for (let i = 0; i < 4; i++) ids.push((yield* entered(workflow, ["u"], { thread: "t", i }))[0]!.run.id)
        yield* entered(workflow, ["u"], { thread: "other" })
        expect((yield* store.cancel(app, ids, "operator", NO_EVENTS)).cancelled).toEqual([ids[0]])
        // Whoever goes on instead can be cancelled as well.
        const open = yield* store.list(app, { status: "waiting" }, null, 10)
        const next = open.items.find(({ data }) => data["thread"] === "t")!
        expect(next.data).toEqual({ thread: "t", i: 1 })
        yield* store.cancel(app, [next.id], "operator", NO_EVENTS)
        yield* entered(workflow, ["u"], { thread: "t", i: 9 })
        yield* letTimePass(app)
        yield* moveAll(app)
        expect(yield* sums(app)).toEqual(
          expect.arrayContaining([
            {
              count: 3,
              items: [2, 3, 9].map((i) => ({ thread: "t", i }))
            },
            { count: 1, items: [{ thread: "other" }] }
          ])
        )
        expect(yield* sums(app)).toHaveLength(2)
        expect(yield* left(app)).toBe(0)
        expect(yield* store.history(app, ids[0]!)).toMatchObject([
          { outcome: "waiting" },
          { stepOrder: 1, outcome: "cancelled", detail: "by the system" },
          { stepOrder: 1, outcome: "merged", mergedInto: next.id }
        ])
        const [first] = yield* (yield* WorkflowStore).counts(workflow.versionId)
        expect(first!.entered).toBe(first!.passed + first!.stopped)
      })
    )

    it.effect("by a cancel, with nobody else in it, are gone: the next run opens one of its own", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [DIGEST, MARK])
        const [one] = yield* entered(workflow, ["u"], { thread: "t" })
        yield* (yield* ExecutionStore).cancel(app, [one!.run.id], "operator", NO_EVENTS)
        expect(yield* left(app)).toBe(0)
        const [other] = yield* entered(workflow, ["u"], { thread: "t" })
        expect(other!.settled.status).toBe("waiting")
      })
    )

    it.effect("lose nothing, however many come while openers are cancelled", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [DIGEST])
        const over: Array<number> = []
        const enter = (node: number) =>
          Effect.gen(function* () {
            for (let i = 0; i < 40; i++) yield* entered(workflow, ["u"], { thread: "t", i: node * 40 + i })
          }).pipe(Effect.ensuring(Effect.sync(() => over.push(node))))
        const cancelAll = Effect.gen(function* () {
          const store = yield* ExecutionStore
          while (over.length < 2) {
            const { items } = yield* store.list(app, { status: "waiting" }, null, 10)
            yield* store.cancel(
              app,
              items.map(({ id }) => id),
              "operator",
              NO_EVENTS
            )
          }
        })
        yield* atOnce([enter(0), enter(1), cancelAll])
        yield* letTimePass(app)
        yield* moveAll(app)
        const { cancelled = 0, completed = 0 } = yield* statuses(app)
        const counts = (yield* sums(app)).map((sum) => (sum as { readonly count: number }).count)
        // Each run brought one thing: that was cancelled, or is in a digest that went out.
        expect(counts.reduce((sum, count) => sum + count, cancelled)).toBe(80)
        expect(completed + cancelled).toBeGreaterThanOrEqual(80)
        expect(yield* left(app)).toBe(0)
      })
    )

    it.effect("with its workflow or its contact end with it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const app = yield* newApp
        const archived = yield* activated(app, [DIGEST, MARK])
        const moving = yield* activated(app, [DIGEST, MARK])
        const going = yield* activated(app, [DIGEST, MARK])
        for (const workflow of [archived, moving, going]) {
          for (const user of ["u", "u", "gone", "gone"]) yield* entered(workflow, [user], { thread: "t" })
        }
        yield* sql`DELETE FROM contacts WHERE app_id = ${app} AND external_id = 'gone'`
        for (const { id } of [archived, moving]) yield* (yield* WorkflowStore).archive(app, id)
        const closing = Option.getOrThrow(yield* store.closing(null, 10))
        yield* store.cancel(app, closing.ids, closing.reason, NO_EVENTS)
        yield* letTimePass(app)
        yield* moveAll(app)
        // One of them is closed by those who move runs; the look finds nothing more, and the end of both.
        expect(yield* store.closing(null, 10)).toEqual(Option.none())
        expect(yield* sql`SELECT 1 FROM workflows WHERE app_id = ${app} AND is_closing`).toEqual([])
        expect(yield* sums(app)).toEqual([expect.objectContaining({ count: 2 })])
        expect(yield* left(app)).toBe(0)
      })
    )
  })

  describe("throttles", () => {
    it.effect("let through exactly as many as they may, of those who come at once", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [
          { key: "cap", type: "THROTTLE", by: "data.kind", at_most: 5, per_seconds: HOUR_S }
        ])
        yield* atOnce(
          Array.from({ length: 6 }, () =>
            Effect.gen(function* () {
              for (let i = 0; i < 10; i++) {
                yield* entered(workflow, ["u", "v"], { kind: "x" })
                yield* entered(workflow, ["u"])
              }
            })
          )
        )
        expect(yield* statuses(app)).toEqual({ completed: 15, filtered: 180 - 15 })
      })
    )

    it.effect("begin anew when their time is over, or the clock was set back to before it began", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const workflow = yield* activated(app, [{ key: "cap", type: "THROTTLE", at_most: 1, per_seconds: 60 }])
        const status = Effect.map(entered(workflow, ["u"]), ([one]) => one!.settled.status)
        expect([yield* status, yield* status]).toEqual(["completed", "filtered"])
        yield* sql`UPDATE throttles SET opened_at = opened_at - interval '61 s' WHERE app_id = ${app}`
        expect([yield* status, yield* status]).toEqual(["completed", "filtered"])
        yield* sql`UPDATE throttles SET opened_at = opened_at + interval '1 hour' WHERE app_id = ${app}`
        expect([yield* status, yield* status]).toEqual(["completed", "filtered"])
      })
    )
  })

  describe("entering again", () => {
    const race = Effect.fnUntraced(function* (workflow: Workflow) {
      const each = yield* atOnce(Array.from({ length: 6 }, () => entered(workflow, ["u", "v"])))
      return each.flat().length
    })

    it.effect("happens once for a person who may enter once, whatever became of the run", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE], { reentry: "once" })
        expect(yield* race(workflow)).toBe(2)
        yield* letTimePass(app)
        expect(yield* moveAll(app)).toBe(2)
        expect(yield* race(workflow)).toBe(0)
        // Nor does a new version of the workflow let them in again.
        const saved = yield* (yield* WorkflowStore).update(app, workflow.id, 1, draftOf(workflow.definition), null)
        expect(yield* race(Option.getOrThrow(saved))).toBe(0)
      })
    )

    it.effect("waits for the end of the run before, cancelled ones included", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE], { reentry: "when_ended" })
        expect(yield* race(workflow)).toBe(2)
        expect(yield* race(workflow)).toBe(0)
        yield* letTimePass(app)
        expect(yield* moveAll(app)).toBe(2)
        expect(yield* race(workflow)).toBe(2)
        const { items } = yield* store.list(app, { status: "waiting" }, null, 10)
        yield* store.cancel(
          app,
          items.map(({ id }) => id),
          "operator",
          NO_EVENTS
        )
        expect(yield* race(workflow)).toBe(2)
      })
    )
  })

  describe("entering by another rule than the one before", () => {
    const patched = Effect.fnUntraced(function* (workflow: Workflow, version: number, reentry: Reentry) {
      const draft = draftOf({ ...workflow.definition, reentry })
      return Option.getOrThrow(yield* (yield* WorkflowStore).update(workflow.appId, workflow.id, version, draft, null))
    })
    const comeIn = (workflow: Workflow) =>
      Effect.map(entered(workflow, ["inside", "ended", "new"]), (runs) => runs.map(({ run }) => run.userId).sort())

    it.effect("goes by all runs that there are, whichever rule they entered by", () =>
      Effect.gen(function* () {
        const rules = ["always", "when_ended", "once"] as const
        const allowed = { always: ["ended", "inside", "new"], when_ended: ["ended", "new"], once: ["new"] }
        for (const before of rules) {
          for (const after of rules) {
            if (before === after) continue
            const app = yield* newApp
            const workflow = yield* activated(app, [PAUSE], { reentry: before })
            yield* entered(workflow, ["ended"])
            yield* letTimePass(app)
            yield* moveAll(app)
            yield* entered(workflow, ["inside"])
            const next = yield* patched(workflow, 1, after)
            expect(yield* comeIn(next), `${before} to ${after}`).toEqual(allowed[after])
            if (after === "always") continue
            expect(yield* comeIn(next), `${before} to ${after}, again`).toEqual([])
            // And back: who entered meanwhile counts as well.
            const back = yield* patched(workflow, 2, before)
            expect(yield* comeIn(back), `${before} to ${after} and back`).toEqual(
              { always: ["ended", "inside", "new"], when_ended: ["ended"], once: [] }[before]
            )
          }
        }
      })
    )
  })

  describe("entering a workflow that ends", () => {
    const isWaitedFor = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ readonly is: boolean }>`
        SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = ${ENTERING}::oid) AS is`
    ).pipe(Effect.repeat({ until: ([row]) => row!.is }), Effect.orDie)

    /** Each way in, with what has to be there before. */
    const ways: Readonly<Record<string, (of: Workflow, carry: Carry) => Effect.Effect<void, StoreError, Stores>>> = {
      "a trigger": (workflow, carry) =>
        Effect.flatMap(ExecutionStore, (store) =>
          Effect.asVoid(store.enter({ appId: workflow.appId, workflowId: workflow.id, data: {} }, ["u", "v"], carry))
        ),
      "a page of an audience": (_, carry) =>
        Effect.flatMap(ExecutionStore, (store) => Effect.asVoid(store.enterPage(null, 10, () => true, carry))),
      events: (_, carry) => Effect.flatMap(TriggerStore, (store) => Effect.asVoid(store.takeEvents(null, 10, carry)))
    }
    const ready = Effect.fnUntraced(function* () {
      const app = yield* newApp
      yield* (yield* ContactStore).upsert(app, [{ external_id: "u" }, { external_id: "v" }])
      const workflow = yield* activated(app, [PAUSE], { trigger: { type: "event", event: "e" } })
      const store = yield* ExecutionStore
      yield* store.leave({ id: uuidv7(), appId: app, workflowId: workflow.id, filter: null, data: {} })
      for (const userId of ["u", "v"]) yield* (yield* TriggerStore).raise(app, { event: "e", userId, data: {} })
      return workflow
    })
    const emptied = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM workflow_entries`
      yield* sql`DELETE FROM custom_events`
    })

    for (const [name, enter] of Object.entries(ways)) {
      it.effect(`by ${name} is waited for by who ends it, who then finds the runs`, () =>
        Effect.gen(function* () {
          yield* emptied
          const workflow = yield* ready()
          const carried = yield* carry()
          const order: Array<string> = []
          const within = yield* Deferred.make<void>()
          const entering = enter(workflow, (runs, tools) =>
            Effect.gen(function* () {
              yield* Deferred.succeed(within, undefined)
              yield* isWaitedFor
              order.push("entered")
              return yield* carried(runs, tools)
            }).pipe(Effect.provide(here))
          )
          const here = yield* Effect.context<SqlClient.SqlClient>()
          const ending = Deferred.await(within).pipe(
            Effect.andThen(Effect.flatMap(WorkflowStore, (store) => store.archive(workflow.appId, workflow.id))),
            Effect.andThen(Effect.sync(() => order.push("archived")))
          )
          yield* Effect.all([entering, onOwnNode(ending)], { concurrency: "unbounded" })
          expect(order).toEqual(["entered", "archived"])
          const { items } = yield* (yield* ExecutionStore).list(workflow.appId, {}, null, 10)
          const closing = Option.getOrThrow(yield* (yield* ExecutionStore).closing(null, 10))
          expect(closing.ids.toSorted()).toEqual(items.map(({ id }) => id).sort())
          expect(items).toHaveLength(2)
          yield* (yield* ExecutionStore).cancel(workflow.appId, closing.ids, closing.reason, NO_EVENTS)
        })
      )

      it.effect(`by ${name} waits for who is about to end it, and then nobody is in it`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* emptied
          const workflow = yield* ready()
          const carried = yield* carry()
          const locked = yield* Deferred.make<void>()
          // Who deletes it writes that down last, which it cannot do for as long as somebody has the table.
          const holding = sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`LOCK TABLE audit_log IN SHARE MODE`
              yield* Deferred.succeed(locked, undefined)
              yield* isWaitedFor
            })
          )
          const ending = Effect.flatMap(WorkflowStore, (store) => store.remove(workflow.appId, workflow.id))
          const isEnding = sql<{ readonly is: boolean }>`
            SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
              AND classid = ${ENTERING}::oid) AS is`.pipe(Effect.repeat({ until: ([row]) => row!.is }))
          yield* Effect.all(
            [
              holding,
              Effect.andThen(Deferred.await(locked), onOwnNode(ending)),
              Deferred.await(locked).pipe(Effect.andThen(isEnding), Effect.andThen(onOwnNode(enter(workflow, carried))))
            ],
            { concurrency: "unbounded" }
          )
          expect(yield* statuses(workflow.appId)).toEqual({})
          expect(yield* (yield* ExecutionStore).closing(null, 10)).toEqual(Option.none())
          expect(yield* sql`SELECT 1 FROM workflows WHERE id = ${workflow.id}`).toEqual([])
        })
      )
    }
  })

  it.effect("of an audience that several nodes let in at once are one of each person", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const all = users(900)
      yield* (yield* ContactStore).upsert(
        app,
        all.map((external_id) => ({ external_id }))
      )
      const workflow = yield* activated(app, [PAUSE])
      yield* (yield* ExecutionStore).leave({
        id: uuidv7(),
        appId: app,
        workflowId: workflow.id,
        filter: null,
        data: {}
      })
      const carried = yield* carry()
      // One page passes from node to node, each of which begins to look for it while another is at its end.
      const node = Effect.flatMap(ExecutionStore, (store) =>
        Effect.gen(function* () {
          while ((yield* sql`SELECT FROM workflow_entries WHERE app_id = ${app}`).length > 0)
            yield* store.enterPage(null, 1, () => true, carried)
        })
      )
      yield* Effect.all(
        Array.from({ length: 4 }, () => onOwnNode(node)),
        { concurrency: "unbounded" }
      )
      const entered = yield* sql<{ readonly user_id: string }>`SELECT user_id FROM executions WHERE app_id = ${app}`
      expect(entered.map(({ user_id }) => user_id).sort()).toEqual([...all].sort())
    })
  )

  it.effect("of an audience are of all who are contacts when it is described, whatever the clock of their ids", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const insert = (id: string, user: string) =>
        sql`INSERT INTO contacts (id, app_id, external_id) VALUES (${id}, ${app}, ${user})`
      const workflow = yield* activated(app, [PAUSE])
      const ahead = uuidv7(now() + 60_000)
      yield* insert(ahead, "ahead")
      const store = yield* ExecutionStore
      yield* store.leave({ id: uuidv7(), appId: app, workflowId: workflow.id, filter: null, data: {} })
      yield* insert(uuidv7(now() + 120_000), "later")
      for (let pages = 0; pages < 3; pages++) yield* store.enterPage(null, 1, () => true, yield* carry())
      const { items } = yield* store.list(app, {}, null, 10)
      expect(items.map(({ userId }) => userId)).toEqual(["ahead"])
    })
  )

  it.effect("that lead to each other end after ten, each by its own way, whoever else is moved with them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const triggers = yield* TriggerStore
      const app = yield* newApp
      const onTag = (tag: string, next: string) =>
        activated(app, [{ key: "on", type: "UPDATE_CONTACT", tags_remove: [tag], tags_add: [next] }], {
          trigger: { type: "tag_added", tag }
        })
      yield* onTag("x", "y")
      yield* onTag("y", "x")
      const contacts = yield* ContactStore
      const carried = yield* carry()
      // Each begins while those before are under way.
      for (const user of users(12)) {
        yield* contacts.upsert(app, [{ external_id: user, tags: ["x"] }])
        yield* triggers.takeChanges(null, 1000, () => false, carried)
      }
      const left = sql`SELECT 1 FROM contact_changes WHERE app_id = ${app}`
      while ((yield* left).length > 0) yield* triggers.takeChanges(null, 1000, () => false, carried)
      const runs = yield* sql`
        SELECT user_id, count(*)::integer AS count, max(depth)::integer AS depth FROM executions WHERE app_id = ${app}
        GROUP BY user_id ORDER BY length(user_id), user_id`
      expect(runs).toEqual(users(12).map((user) => ({ user_id: user, count: 10, depth: 9 })))
    })
  )

  it.effect("let in who gets a tag between the lines of one call, as one line after another would", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const triggers = yield* TriggerStore
      const contacts = yield* ContactStore
      const carried = yield* carry()
      /** A line each, with the tags that it gives: `-` none, and without a word it says nothing of them. */
      const sequences = [
        ["a", "-"],
        ["-", "x"],
        ["a", "a x"],
        ["a", "-", "a", "-"],
        ["-", "a", "-", "a b"],
        ["a b", "b", "", "a"],
        ["x", "-", "x"],
        ["a a", "b", "b a"]
      ]
      const people = ["new", "known"].flatMap((kind) => sequences.map((tags) => ({ id: `${kind} ${tags}`, tags })))
      const lines = people.map(({ id, tags }) =>
        tags.map((tags) => ({
          external_id: id,
          ...(tags !== "" && { tags: tags === "-" ? [] : tags.split(" ") })
        }))
      )
      const runs = Effect.fnUntraced(function* (isTogether: boolean) {
        const app = yield* newApp
        const known = people.filter(({ id }) => id.startsWith("known"))
        yield* contacts.upsert(
          app,
          known.map(({ id }) => ({ external_id: id, tags: ["x"] }))
        )
        for (const tag of ["a", "b", "x"]) yield* activated(app, [PAUSE], { trigger: { type: "tag_added", tag } })
        if (isTogether) yield* contacts.upsert(app, lines.flat())
        else for (const line of lines.flat()) yield* contacts.upsert(app, [line])
        const left = sql`SELECT 1 FROM contact_changes WHERE app_id = ${app}`
        while ((yield* left).length > 0) yield* triggers.takeChanges(null, 1000, () => false, carried)
        return yield* sql`
          SELECT e.user_id, w.trigger_value AS tag, count(*)::integer AS runs
          FROM executions e JOIN workflows w ON w.id = e.workflow_id WHERE e.app_id = ${app}
          GROUP BY e.user_id, w.trigger_value ORDER BY e.user_id, w.trigger_value`
      })
      const apart = yield* runs(false)
      expect(apart).toContainEqual({ user_id: "new a,-,a,-", tag: "a", runs: 2 })
      expect(yield* runs(true)).toEqual(apart)
    })
  )

  describe("cancelling", () => {
    it.effect("ends a run or comes too late, and never both", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE, MARK])
        const ids = (yield* entered(workflow, users(200))).map(({ run }) => run.id)
        yield* letTimePass(app)
        const [cancelled, ran] = yield* Effect.all(
          [
            onOwnNode(
              Effect.gen(function* () {
                const all: Array<string> = []
                for (let i = 0; i < ids.length; i += 10) {
                  const other = yield* ExecutionStore
                  all.push(...(yield* other.cancel(app, ids.slice(i, i + 10), "operator", NO_EVENTS)).cancelled)
                }
                return all
              })
            ),
            onOwnNode(
              Effect.gen(function* () {
                const all: Array<string> = []
                for (let some = 1; some > 0;) {
                  const runs = yield* moved(app, 7)
                  some = runs.length
                  all.push(...runs.map(({ run }) => run.id))
                }
                return all
              })
            )
          ],
          { concurrency: "unbounded" }
        )
        yield* moveAll(app)
        expect(cancelled.filter((id) => ran.includes(id))).toEqual([])
        const { items } = yield* store.list(app, { status: "cancelled" }, null, 1000)
        expect(new Set(items.map(({ id }) => id))).toEqual(new Set(cancelled))
        const counts = yield* (yield* WorkflowStore).counts(workflow.versionId)
        // Nobody seems to wait.
        expect(counts[0]).toMatchObject({ entered: 200, passed: 200 - cancelled.length, stopped: cancelled.length })
      })
    )

    it.effect("of what is described ends that alone, page by page, after a restart too, with who and why", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const app = yield* newApp
        const digest: Step = { key: "sum", type: "DIGEST", seconds: HOUR_S }
        const workflow = yield* activated(app, [digest, MARK])
        const other = yield* activated(app, [PAUSE])
        const runs = yield* entered(workflow, users(25))
        yield* entered(workflow, users(25))
        yield* entered(other, users(3))
        yield* store.leave({ id: uuidv7(), appId: app, workflowId: workflow.id, filter: null, data: {} })
        const asked = { workflow_id: workflow.id, note: "a mistake" }
        const first = yield* store.cancelMatching(app, asked, 10, NO_EVENTS)
        expect([first.cancelled.length, first.isDone]).toEqual([10, false])
        expect(yield* sql`SELECT 1 FROM workflow_entries WHERE app_id = ${app}`).toEqual([])
        // Who enters afterwards is not meant.
        for (const asked = now(); now() <= asked;);
        const [late] = yield* entered(workflow, ["late"])
        const died = yield* Effect.exit(
          store.cancelNext(null, 10, () => () => {
            throw new Error("killed")
          })
        )
        expect(Exit.isFailure(died)).toBe(true)
        expect(yield* statuses(app)).toMatchObject({ cancelled: 10 })
        const pages = yield* onOwnNode(
          Effect.gen(function* () {
            const sizes: Array<number> = []
            for (;;) {
              const next = yield* (yield* ExecutionStore).cancelNext(null, 10, () => NO_EVENTS)
              if (Option.isNone(next)) return sizes
              sizes.push(next.value.cancelled.length)
            }
          })
        )
        expect(pages).toEqual([10, 5])
        // Digests end with their openers.
        expect(yield* statuses(app)).toEqual({ cancelled: 25, completed: 25, waiting: 4 })
        expect(
          yield* sql`SELECT 1 FROM digest_items WHERE app_id = ${app} AND execution_id <> ${late!.run.id}`
        ).toEqual([])
        expect(yield* store.history(app, runs[24]!.run.id)).toMatchObject([
          { outcome: "waiting" },
          { outcome: "cancelled", stepOrder: 1, detail: "a mistake, by the system" }
        ])
        const ofPerson = { user_id: "u1", status: "waiting" as const }
        expect((yield* store.cancelMatching(app, { ...ofPerson, status: "running" }, 10, NO_EVENTS)).cancelled).toEqual(
          []
        )
        expect((yield* store.cancelMatching(app, ofPerson, 10, NO_EVENTS)).cancelled).toHaveLength(1)
        expect((yield* store.cancelMatching(app, { status: "waiting" }, 10, NO_EVENTS)).cancelled).toHaveLength(3)
        expect(yield* statuses(app)).toEqual({ cancelled: 29, completed: 25 })
      })
    )

    it.effect("of a person leaves them out of audiences that have not come to them, and nobody else", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const app = yield* newApp
        yield* (yield* ContactStore).upsert(
          app,
          users(4).map((external_id) => ({ external_id }))
        )
        const workflow = yield* activated(app, [PAUSE])
        const other = yield* activated(app, [PAUSE])
        const leave = ({ id }: Workflow) =>
          store.leave({ id: uuidv7(), appId: app, workflowId: id, filter: null, data: {} })
        for (const one of [workflow, other]) yield* leave(one)
        const carried = yield* carry()
        const enterAll = Effect.gen(function* () {
          while (Option.isSome(yield* store.enterPage(app, 2, () => true, carried)));
        })
        const inside = Effect.map(store.list(app, { status: "waiting" }, null, 100), ({ items }) =>
          items.map(({ userId, workflowId }) => `${userId} ${workflowId === workflow.id ? "one" : "other"}`).sort()
        )
        const cancel = (request: CancelExecutions) => store.cancelMatching(app, request, 10, NO_EVENTS)
        // A status is of runs that are there.
        yield* cancel({ user_id: "u0", status: "waiting" })
        yield* cancel({ user_id: "u1" })
        yield* cancel({ user_id: "u2", workflow_id: workflow.id })
        yield* enterAll
        expect(yield* inside).toEqual(["u0 one", "u0 other", "u2 other", "u3 one", "u3 other"])
        // Who enters afterwards is not meant.
        yield* leave(workflow)
        yield* enterAll
        expect((yield* inside).filter((one) => /u[12] one/.test(one))).toEqual(["u1 one", "u2 one"])
      })
    )

    it.effect("of a status looks at a bounded page, however many are in the other, and comes to the end", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE])
        const runs = yield* entered(workflow, users(120))
        const due = [runs[3]!, runs[70]!, ...runs.slice(100)].map(({ run }) => run.id)
        yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE execution_id = ANY(${due}::uuid[])`
        for (const request of [
          { status: "running" as const },
          { status: "waiting" as const, workflow_id: workflow.id }
        ]) {
          const first = yield* store.cancelMatching(app, request, 10, NO_EVENTS)
          const pages = [first.cancelled.length]
          expect(first.isDone).toBe(false)
          for (;;) {
            const next = yield* store.cancelNext(app, 10, () => NO_EVENTS)
            if (Option.isNone(next)) break
            pages.push(next.value.cancelled.length)
          }
          expect(Math.max(...pages)).toBeLessThanOrEqual(10)
          expect(pages.length).toBeGreaterThanOrEqual(3)
          expect(pages.reduce((sum, size) => sum + size)).toBe(request.status === "running" ? 22 : 98)
        }
        expect(yield* statuses(app)).toEqual({ cancelled: 120 })
      })
    )

    it.effect("of all runs follows when a workflow is removed, and then nothing of it is left", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const app = yield* newApp
        const workflow = yield* activated(app, [{ key: "hello", type: "SEND", content: { title: "Hello" } }, PAUSE])
        yield* entered(workflow, users(5))
        yield* (yield* WorkflowStore).remove(app, workflow.id)
        for (let rounds = 0; rounds < 4; rounds++) {
          const closing = yield* store.closing(null, 2)
          if (Option.isNone(closing)) break
          expect(closing.value.reason).toBe("deleted")
          yield* store.cancel(app, closing.value.ids, closing.value.reason, NO_EVENTS)
        }
        expect(yield* statuses(app)).toEqual({ cancelled: 5 })
        for (const table of ["workflows", "workflow_versions", "workflow_step_counts"]) {
          const column = table === "workflow_step_counts" ? "version_id" : table === "workflows" ? "id" : "workflow_id"
          const id = table === "workflow_step_counts" ? workflow.versionId : workflow.id
          expect(yield* sql`SELECT 1 FROM ${sql(table)} WHERE ${sql(column)} = ${id}`).toEqual([])
        }
        const versions = yield* sql`SELECT retired_at FROM template_versions WHERE app_id = ${app}`
        expect(versions).toEqual([{ retired_at: expect.any(Date) }])
      })
    )
  })

  it.effect("wait for the outcome of all ways of a message, each with its own, and see it once, dying in between", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      yield* (yield* DeviceStore).register(app, [android("token", { user_id: "u" })])
      yield* (yield* ContactStore).upsert(app, [{ external_id: "u", email: "u@example.com" }])
      const workflow = yield* activated(app, [
        { key: "hello", type: "SEND", content: { title: "Hello" }, wait_for_outcome: true },
        {
          key: "both",
          type: "FILTER",
          conditions: {
            steps: [
              { key: "hello", is: "failed" },
              { key: "hello", is: "sent" },
              { key: "hello", is: "skipped", not: true }
            ]
          }
        }
      ])
      const [one] = yield* entered(workflow, ["u"])
      const notification = one!.sends["hello"]!
      yield* sql`
        INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
        SELECT ${notification}::uuid, id, 'f', 's', 1 FROM devices WHERE app_id = ${app}
        UNION ALL SELECT ${notification}, id, 'm', 'f', 6 FROM channels WHERE app_id = ${app}`
      const store = yield* ExecutionStore
      expect(yield* store.wakeEnded(10)).toBe(0)
      yield* sql`UPDATE notifications SET status = 'completed', completed_at = now() WHERE id = ${notification}`
      expect(yield* store.wakeEnded(10)).toBe(1)
      const carried = yield* carry()
      const killed: Carry = (runs, tools) => Effect.andThen(carried(runs, tools), Effect.die(new Error("killed")))
      expect(Exit.isFailure(yield* Effect.exit(store.move(app, 10, killed)))).toBe(true)
      expect(yield* moveAll(app)).toBe(1)
      expect(yield* found(app, one!.run.id)).toMatchObject({ status: "completed" })
      const history = yield* store.history(app, one!.run.id)
      expect(history.map(({ outcome }) => outcome)).toEqual(["waiting", "passed", "passed"])
    })
  )

  it.effect("do not begin for who was in a segment before an active workflow came to wait for it", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const contacts = yield* ContactStore
      const segments = yield* SegmentStore
      const store = yield* TriggerStore
      const waitsFor = (id: SegmentId) => ({ type: "segment_entered", segment_id: id }) as const
      const before = yield* segments.create(app, { name: "Before", filter: { tags_any: ["before"] } })
      const after = yield* segments.create(app, { name: "After", filter: { tags_any: ["after"] } })
      const workflow = yield* activated(app, [PAUSE], { trigger: waitsFor(before.id) })
      // Later than it was activated.
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE workflows SET activated_at = now() - interval '1 hour' WHERE id = ${workflow.id}`
      yield* contacts.upsert(app, [{ external_id: "inside", tags: ["after"] }])
      // Who was made within the millisecond of the change may have come before or after it.
      const madeAt = Date.now()
      yield* Effect.repeat(
        Effect.sync(() => Date.now() > madeAt),
        { until: (isLater) => isLater }
      )
      const draft = draftOf({ ...workflow.definition, trigger: waitsFor(after.id) })
      yield* (yield* WorkflowStore).update(app, workflow.id, workflow.version, draft, null)
      yield* contacts.upsert(app, [{ external_id: "new", tags: ["after"] }])
      yield* contacts.upsert(app, [{ external_id: "inside", attributes: { changed: true } }])
      const isIn = ({ tags_any = [] }: SegmentFilter, { tags }: Facts) => tags_any.some((tag) => tags.includes(tag))
      const carried = yield* carry()
      yield* store.keepAllWatched
      while (Option.isSome(yield* store.look(null, 1000, isIn, carried)));
      while (Option.isSome(yield* store.takeChanges(null, 1000, isIn, carried)));
      const { items } = yield* (yield* ExecutionStore).list(app, {}, null, 10)
      expect(items.map(({ userId }) => userId)).toEqual(["new"])
    })
  )

  it.effect("of a segment send nothing to who has left it, or when it is gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const segments = yield* SegmentStore
      const one = yield* segments.create(app, { name: "Vip", filter: { tags_any: ["vip"] } })
      const other = yield* segments.create(app, { name: "All", filter: { tags_none: ["nobody's"] } })
      const send: Step = { key: "hello", type: "SEND", content: { title: "Hello" } }
      const workflow = yield* activated(app, [PAUSE, send])
      const store = yield* ExecutionStore
      const carried = yield* carry()
      const enter = (segmentId: SegmentId, people: ReadonlyArray<string>) =>
        store.enter({ appId: app, workflowId: workflow.id, data: {}, segmentId }, people, carried)
      yield* (yield* ContactStore).upsert(
        app,
        ["stays", "left"].map((external_id) => ({ external_id, tags: ["vip"] }))
      )
      yield* enter(one.id, ["stays", "left"])
      yield* enter(other.id, ["of-none"])
      yield* entered(workflow, ["named"])
      yield* sql`UPDATE contacts SET tags = '{}' WHERE app_id = ${app} AND external_id = 'left'`
      yield* segments.remove(app, other.id)
      yield* letTimePass(app)
      yield* moveAll(app)
      const { items } = yield* store.list(app, {}, null, 10)
      expect(Object.fromEntries(items.map(({ status, userId }) => [userId, status]))).toEqual({
        stays: "completed",
        left: "filtered",
        "of-none": "filtered",
        named: "completed"
      })
      const left = items.find(({ userId }) => userId === "left")!
      expect((yield* store.history(app, left.id)).at(-1)).toMatchObject({
        stepOrder: 2,
        outcome: "stopped",
        detail: "is not in the segment any more",
        findings: [{ about: "tags_any", fits: false }]
      })
    })
  )

  describe("waiting for an event", () => {
    const WAIT: Step = {
      key: "bought",
      type: "WAIT_FOR",
      event: "bought",
      match: { event: "cart", run: "data.cart" },
      seconds: HOUR_S
    }
    const raise = Effect.fnUntraced(function* (app: AppId, cart: Schema.Json, userId = "u") {
      yield* (yield* TriggerStore).raise(app, { event: "bought", userId, data: { cart } })
    })
    const takeAll = Effect.gen(function* () {
      const carried = yield* carry()
      const store = yield* TriggerStore
      for (;;) {
        const taken = yield* store.takeEvents(null, 500, carried)
        if (Option.isNone(taken)) return
      }
    })
    const heardBy = Effect.fnUntraced(function* (app: AppId, id: ExecutionId, key = "bought") {
      const { status, steps } = yield* found(app, id)
      return [status, (steps[key] as { readonly timed_out: boolean } | undefined)?.timed_out ?? null]
    })

    it.effect("ends with the first that fits, of this person, whatever came before", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const [one] = yield* entered(yield* activated(app, [WAIT]), ["u"], { cart: 2 })
        const { id } = one!.run
        yield* raise(app, 2, "v")
        // More than are looked through at once.
        for (let i = 0; i < 130; i++) yield* raise(app, 1)
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, id)).toEqual(["waiting", null])
        yield* raise(app, 2)
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, id)).toEqual(["completed", false])
      })
    )

    it.effect("takes values for equal whose fields come in another order", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const [one] = yield* entered(yield* activated(app, [WAIT]), ["u"], { cart: { a: 1, b: [{ c: 2, d: null }] } })
        yield* raise(app, { b: [{ d: null, c: 3 }], a: 1 })
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, one!.run.id)).toEqual(["waiting", null])
        yield* raise(app, { b: [{ d: null, c: 2 }], a: 1 })
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, one!.run.id)).toEqual(["completed", false])
      })
    )

    it.effect("takes one that came before it waited, and since it entered", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        yield* raise(app, 2)
        const [one] = yield* entered(yield* activated(app, [PAUSE, WAIT]), ["u"], { cart: 2 })
        const [other] = yield* entered(yield* activated(app, [PAUSE, WAIT]), ["u"], { cart: 3 })
        yield* raise(app, 3)
        yield* takeAll
        yield* letTimePass(app)
        yield* moveAll(app)
        expect(yield* heardBy(app, one!.run.id)).toEqual(["waiting", null])
        expect(yield* heardBy(app, other!.run.id)).toEqual(["completed", false])
      })
    )

    it.effect.each(["always", "once"] as const)(
      "takes one that came right after the event that let the run in, and not that one itself (%s)",
      (reentry) =>
        Effect.gen(function* () {
          const app = yield* newApp
          const trigger = { type: "event", event: "bought" } as const
          yield* activated(app, [WAIT], { trigger, reentry })
          // Both are there when the first is looked at.
          yield* raise(app, 2, "twice")
          yield* raise(app, 3, "once")
          const sql = yield* SqlClient.SqlClient
          yield* sql`UPDATE custom_events SET at = at - interval '1 minute' WHERE app_id = ${app}`
          yield* raise(app, 2, "twice")
          yield* takeAll
          yield* letTimePass(app)
          yield* moveAll(app)
          const rows = yield* sql<{ readonly user_id: string; readonly steps: string }>`
            SELECT user_id, steps FROM executions WHERE app_id = ${app} ORDER BY user_id, created_at`
          const timedOut = rows.map(({ steps, user_id }) => [user_id, JSON.parse(steps).bought.timed_out])
          expect(timedOut).toEqual([
            ["once", true],
            ["twice", false],
            ...(reentry === "always" ? [["twice", true]] : [])
          ])
        })
    )

    it.effect("reads what came for a person once, for however many runs of theirs wait", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [WAIT])
        const ids: Array<ExecutionId> = []
        for (let cart = 0; cart < 40; cart++) ids.push((yield* entered(workflow, ["u"], { cart }))[0]!.run.id)
        const store = yield* TriggerStore
        const text = "x".repeat(60_000)
        for (let i = 0; i < 30; i++)
          yield* store.raise(app, { event: "bought", userId: "u", data: { cart: 50 + i, text } })
        yield* raise(app, 7)
        yield* takeAll
        const log = new StatementLog()
        expect(yield* moved(app).pipe(Effect.provide(log.layer))).toHaveLength(40)
        // All of it is less than is read at once.
        expect(log.texts.filter((sent) => sent.includes("FROM custom_events"))).toHaveLength(1)
        expect(yield* heardBy(app, ids[7]!)).toEqual(["completed", false])
        expect(yield* statuses(app)).toEqual({ waiting: 39, completed: 1 })
      })
    )

    it.effect("needs another event for the next step that waits for one", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const [one] = yield* entered(yield* activated(app, [WAIT, { ...WAIT, key: "more" }]), ["u"], { cart: 2 })
        yield* raise(app, 2)
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, one!.run.id, "more")).toEqual(["waiting", null])
        yield* raise(app, 2)
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, one!.run.id, "more")).toEqual(["completed", false])
      })
    )

    it.effect("takes one that comes after the clock was set back, once, and none that came before it entered", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const steps = [WAIT, { ...WAIT, key: "more" }, { ...WAIT, key: "most" }]
        yield* raise(app, 2)
        yield* takeAll
        const [one] = yield* entered(yield* activated(app, steps), ["u"], { cart: 2 })
        const { id } = one!.run
        // What the clock said by then. The other event came long before.
        yield* sql`UPDATE executions SET created_at = created_at + interval '1 hour' WHERE id = ${id}`
        const lookOnce = Effect.gen(function* () {
          yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
          yield* moveAll(app)
        })
        yield* lookOnce
        expect(yield* heardBy(app, id)).toEqual(["waiting", null])
        // Neither does it hear one that does not fit, nor one of before that is looked at late.
        yield* raise(app, 1)
        yield* takeAll
        yield* moveAll(app)
        yield* raise(app, 2)
        yield* sql`UPDATE custom_events SET at = at + interval '10 minutes' WHERE app_id = ${app} AND NOT is_done`
        yield* takeAll
        yield* moveAll(app)
        expect(yield* heardBy(app, id)).toEqual(["waiting", null])
        yield* sql`DELETE FROM custom_events WHERE app_id = ${app} AND at > now()`
        for (const key of ["bought", "more"]) {
          yield* raise(app, 2)
          yield* takeAll
          yield* moveAll(app)
          expect(yield* heardBy(app, id, key)).toEqual(["waiting", false])
        }
        yield* lookOnce
        expect(yield* heardBy(app, id, "most")).toEqual(["waiting", null])
      })
    )

    it.effect("is over when its time is, and then no event hurries what follows", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const [one] = yield* entered(yield* activated(app, [WAIT, PAUSE]), ["u"], { cart: 2 })
        const { id } = one!.run
        yield* letTimePass(app)
        yield* moveAll(app)
        expect(yield* heardBy(app, id)).toEqual(["waiting", true])
        expect(yield* sql`SELECT 1 FROM execution_events WHERE app_id = ${app}`).toEqual([])
        yield* raise(app, 2)
        yield* takeAll
        expect((yield* found(app, id)).status).toBe("waiting")
        expect((yield* found(app, id)).dueAt).toBeGreaterThan(now())
      })
    )

    it.effect("takes one that comes as its time ends, or is over: one of the two, once", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [WAIT])
        const runs = yield* entered(workflow, users(60), { cart: 2 })
        yield* letTimePass(app)
        yield* atOnce([
          Effect.gen(function* () {
            for (const user of users(60)) yield* raise(app, 2, user)
          }),
          takeAll,
          Effect.gen(function* () {
            for (let some = 1; some > 0;) some = (yield* moved(app, 5)).length
          }),
          takeAll
        ])
        yield* takeAll
        yield* moveAll(app)
        const store = yield* ExecutionStore
        for (const { run } of runs) {
          const [status, timedOut] = yield* heardBy(app, run.id)
          expect([status, typeof timedOut]).toEqual(["completed", "boolean"])
          const history = yield* store.history(app, run.id)
          expect(history.map(({ outcome }) => outcome)).toEqual(["waiting", timedOut === true ? "timed_out" : "passed"])
        }
      })
    )
  })

  describe("a FETCH", () => {
    const FETCH: Step = { key: "ask", type: "FETCH", url: "https://example.com/" }
    const resumed = Effect.fnUntraced(function* (
      run: Parameters<ExecutionStore["Service"]["resume"]>[0][number],
      fence: number,
      fetched: Parameters<typeof carry>[0] extends ReadonlyMap<string, infer F> | undefined ? F : never
    ) {
      const store = yield* ExecutionStore
      return (yield* store.resume([{ ...run, fence }], yield* carry(new Map([[run.id as string, fetched]])))).moves
        .moved
    })
    const answer = (body: unknown) => ({ _tag: "Answer" as const, status: 200, body })

    it.effect("refuses the answer of one who was overtaken", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const [one] = yield* entered(yield* activated(app, [FETCH]), ["u"])
        const { run } = one!
        expect(one!.fetchUntil).toBeGreaterThan(now())
        // Who began it stands still: another begins it again.
        yield* letTimePass(app)
        const [again] = yield* moved(app)
        expect(again!.fetchUntil).not.toBeNull()
        expect(yield* resumed(run, run.fence + 1, answer("late"))).toEqual([])
        expect(yield* resumed(run, run.fence + 2, answer("right"))).toHaveLength(1)
        expect(yield* resumed(run, run.fence + 2, answer("twice"))).toEqual([])
        expect(yield* found(app, run.id)).toMatchObject({ status: "completed", steps: { ask: { body: "right" } } })
      })
    )

    it.effect("has its turn at a server: so many a second, and none before the time that it named", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const app = yield* newApp
        const at = Math.floor(now() / 1000) * 1000
        const turns = (count: number, host = "example.com") =>
          Effect.map(
            Effect.all(
              Array.from({ length: count }, () => store.takeTurn(app, host, at)),
              { concurrency: 8 }
            ),
            (all) => all.map((turn) => turn - at).sort((a, b) => a - b)
          )
        const first = yield* turns(100)
        expect(first.filter((turn) => turn === 0)).toHaveLength(26)
        for (let second = 0; second < 2; second++) {
          expect(first.filter((turn) => turn > second * 1000 && turn <= second * 1000 + 1000)).toHaveLength(25)
        }
        expect(new Set(first.filter((turn) => turn > 0)).size).toBe(74)
        expect(yield* turns(2, "other.example.com")).toEqual([0, 0])
        expect(yield* store.isHeld(app, "example.com", at)).toBe(false)
        yield* store.holdTurns(app, "example.com", at + 60_000)
        yield* store.holdTurns(app, "example.com", at + 30_000)
        const held = [at, at + 59_999, at + 60_000].map((moment) => store.isHeld(app, "example.com", moment))
        expect(yield* Effect.all(held)).toEqual([true, true, false])
        expect(yield* store.isHeld(app, "other.example.com", at)).toBe(false)
        expect(yield* turns(2)).toEqual([60_000, 60_040])
        // Another application has turns of its own.
        expect(yield* store.takeTurn(yield* newApp, "example.com", at)).toBe(at)
      })
    )

    it.effect("does not wait for turns of before the clock was set back, and does for those of a long queue", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const [app, host] = [yield* newApp, "example.com"]
        const at = Math.floor(now() / 1000) * 1000
        const turn = Effect.map(store.takeTurn(app, host, at), (when) => when - at)
        // What the clock said by then.
        expect(yield* store.takeTurn(app, host, at + 60_000)).toBe(at + 60_000)
        expect(yield* turn).toBe(0)
        yield* store.holdTurns(app, host, at + 7_200_000)
        expect(yield* store.isHeld(app, host, at)).toBe(false)
        expect(yield* turn).toBe(0)
        yield* store.holdTurns(app, host, at + 5_000)
        expect(yield* turn).toBe(5_000)
        yield* sql`UPDATE fetch_hosts SET next_at = next_at + interval '1 minute', held_until = NULL WHERE app_id = ${app}`
        yield* sql`INSERT INTO execution_timers (app_id, execution_id, due_at)
          SELECT ${app}::uuid, gen_random_uuid(), ${new Date(at)}::timestamptz + i * interval '40 ms'
          FROM generate_series(1, 1626) AS t (i)`
        expect(yield* turn).toBe(65_040)
      })
    )

    it.effect("that has no turn yet waits as a row that is due, and is counted once", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [FETCH])
        const [one] = yield* entered(workflow, ["u"])
        const { run } = one!
        const until = now() + 5000
        const [later] = yield* resumed(run, run.fence + 1, { _tag: "Later", until })
        expect(later!.fetchUntil).toBeNull()
        expect(yield* found(app, run.id)).toMatchObject({ status: "waiting", dueAt: until })
        yield* letTimePass(app)
        const [again] = yield* moved(app)
        // It says that it has its turn.
        expect([again!.fetchUntil === null, again!.settled.deadline === null]).toEqual([false, false])
        yield* resumed(run, run.fence + 2, answer("yes"))
        expect(yield* found(app, run.id)).toMatchObject({ status: "completed" })
        const counts = yield* (yield* WorkflowStore).counts(workflow.versionId)
        expect(counts).toMatchObject([{ entered: 1, passed: 1, failed: 0 }])
      })
    )

    it.effect("is tried again twice, and then the run fails", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const workflow = yield* activated(app, [FETCH])
        const [one] = yield* entered(workflow, ["u"])
        const { run } = one!
        const fault = { _tag: "Fault" as const, detail: "503", mayRetry: true, retryAfterMs: null }
        for (let tries = 1; tries <= 3; tries++) {
          yield* resumed(run, run.fence + tries, fault)
          yield* letTimePass(app)
          expect((yield* moved(app)).length).toBe(tries === 3 ? 0 : 1)
        }
        expect(yield* found(app, run.id)).toMatchObject({ status: "failed", error: "fetch: 503" })
        const counts = yield* (yield* WorkflowStore).counts(workflow.versionId)
        expect(counts).toMatchObject([{ entered: 1, passed: 0, failed: 1 }])
      })
    )
  })

  describe("lists", () => {
    it.effect("have those in a status, of a workflow, of a person, newest first, page by page", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const app = yield* newApp
        const stops: Step = { key: "never", type: "FILTER", conditions: { tags_any: ["nobody's"] } }
        const waits = yield* activated(app, [PAUSE])
        const ends = yield* activated(app, [stops])
        const waiting = (yield* entered(waits, users(5))).map(({ run }) => run.id)
        const filtered = (yield* entered(ends, users(5))).map(({ run }) => run.id)
        const list = Effect.fnUntraced(function* (filter: Parameters<typeof store.list>[1]) {
          const ids: Array<string> = []
          for (let before: string | null = null; ;) {
            const page: Effect.Success<ReturnType<typeof store.list>> = yield* store.list(app, filter, before, 2)
            ids.push(...page.items.map(({ id }) => id))
            before = page.next
            if (before === null) return ids
          }
        })
        const newest = (ids: ReadonlyArray<string>) => ids.toSorted().toReversed()
        expect(yield* list({})).toEqual(newest([...waiting, ...filtered]))
        expect(yield* list({ status: "waiting" })).toEqual(newest(waiting))
        expect(yield* list({ status: "running" })).toEqual([])
        expect(yield* list({ status: "filtered" })).toEqual(newest(filtered))
        for (const status of ["completed", "failed", "cancelled"] as const) expect(yield* list({ status })).toEqual([])
        expect(yield* list({ workflowId: ends.id })).toEqual(newest(filtered))
        expect(yield* list({ workflowId: ends.id, status: "waiting" })).toEqual([])
        expect(yield* list({ workflowId: ends.id, status: "filtered" })).toEqual(newest(filtered))
        expect(yield* list({ userId: "u1" })).toEqual(newest([waiting[1]!, filtered[1]!]))
        expect(yield* list({ userId: "u1", status: "waiting", workflowId: waits.id })).toEqual([waiting[1]])
        yield* letTimePass(app)
        expect(yield* list({ status: "running" })).toEqual(newest(waiting))
        expect(yield* list({ status: "running", workflowId: ends.id })).toEqual([])
        expect(yield* list({ status: "waiting" })).toEqual([])
      })
    )
  })

  describe("of an organization that is deleted", () => {
    const deleted = Effect.fnUntraced(function* (app: AppId) {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly id: OrganizationId
      }>`SELECT organization_id AS id FROM applications WHERE id = ${app}`
      yield* sql.withTransaction(
        Effect.andThen(
          sql`SELECT 1 FROM organizations WHERE id = ${row!.id} FOR NO KEY UPDATE`,
          markDeleted(sql, row!.id)
        )
      )
    })

    it.effect("do no step from then on, and fail; nobody enters", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const workflow = yield* activated(app, [PAUSE, MARK])
        const asks = yield* activated(app, [{ key: "ask", type: "FETCH", url: "https://example.com/" }, MARK])
        const [one] = yield* entered(workflow, ["u"])
        const [asked] = yield* entered(asks, ["u"])
        yield* deleted(app)
        const store = yield* ExecutionStore
        const answers = new Map([[asked!.run.id as string, { _tag: "Answer" as const, status: 200, body: null }]])
        yield* store.resume([{ ...asked!.run, fence: asked!.run.fence + 1 }], yield* carry(answers))
        yield* letTimePass(app)
        yield* moveAll(app)
        for (const { run } of [one!, asked!]) {
          expect(yield* found(app, run.id)).toMatchObject({ status: "failed", error: "application_disabled" })
        }
        expect(yield* sql`SELECT 1 FROM contacts WHERE app_id = ${app} AND tags <> '{}'`).toEqual([])
        const late = yield* Effect.flip(entered(workflow, ["v"]))
        expect(late.withdrawn).toBe(true)
      })
    )

    it.effect("are waited for by who deletes it, where they are moved just then", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const [one] = yield* entered(yield* activated(app, [PAUSE, MARK]), ["u"])
        yield* letTimePass(app)
        const store = yield* ExecutionStore
        const carried = yield* carry()
        const order: Array<string> = []
        const deleting = yield* Deferred.make<void>()
        const sql = yield* SqlClient.SqlClient
        const isWaitedFor = sql<{ readonly is: boolean }>`
          SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = ${MOVING_RUNS}::oid) AS is`
        const moving = store.move(app, 10, (runs, tools) =>
          Effect.gen(function* () {
            yield* Deferred.succeed(deleting, undefined)
            yield* Effect.orDie(Effect.repeat(isWaitedFor, { until: ([row]) => row!.is }))
            order.push("moved")
            return yield* carried(runs, tools)
          })
        )
        const ending = Effect.andThen(Deferred.await(deleting), deleted(app)).pipe(
          Effect.andThen(Effect.sync(() => order.push("deleted")))
        )
        yield* Effect.all([moving, ending], { concurrency: "unbounded" })
        expect(order).toEqual(["moved", "deleted"])
        expect(yield* found(app, one!.run.id)).toMatchObject({ status: "completed" })
      })
    )
  })

  it.effect("are counted at their step as what became of them, whatever they wait for and whoever ends them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ExecutionStore
      const waits: ReadonlyArray<Step> = [
        PAUSE,
        { key: "sum", type: "DIGEST", seconds: HOUR_S },
        { key: "bought", type: "WAIT_FOR", event: "bought", seconds: HOUR_S },
        { key: "hello", type: "SEND", content: { title: "Hello" }, wait_for_outcome: true },
        { key: "ask", type: "FETCH", url: "https://example.com/" }
      ]
      for (const step of waits) {
        const app = yield* newApp
        const workflow = yield* activated(app, [MARK, step, MARK])
        const [erased, cancelled, archived] = yield* entered(workflow, ["erased", "cancelled", "archived"])
        if (step.type === "FETCH") {
          // Each was tried once.
          const runs = [erased!, cancelled!, archived!].map(({ run }) => ({ ...run, fence: run.fence + 1 }))
          const fault = { _tag: "Fault" as const, detail: "answered 503", mayRetry: true, retryAfterMs: null }
          yield* store.resume(runs, yield* carry(new Map(runs.map(({ id }) => [id as string, fault]))))
        }
        const sums = Effect.map(
          Effect.flatMap(WorkflowStore, ({ counts }) => counts(workflow.versionId)),
          (counts) => counts[1]
        )
        expect(yield* sums, step.type).toMatchObject({ entered: 3, passed: 0, stopped: 0, failed: 0 })
        yield* store.cancel(app, [cancelled!.run.id], "operator", NO_EVENTS)
        yield* sql`DELETE FROM contacts WHERE app_id = ${app} AND external_id = 'erased'`
        yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE execution_id = ${erased!.run.id}`
        yield* moveAll(app)
        expect(yield* sums, step.type).toMatchObject({ entered: 3, passed: 0, stopped: 1, failed: 1 })
        yield* (yield* WorkflowStore).archive(app, workflow.id)
        yield* letTimePass(app)
        yield* moveAll(app)
        expect(yield* sums, step.type).toMatchObject({ entered: 3, passed: 0, stopped: 2, failed: 1 })
        expect(yield* statuses(app), step.type).toEqual({ cancelled: 2, failed: 1 })
      }
    })
  )

  it.effect("of somebody who was erased end at once, and keep nothing that names them or was said of them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const contacts = yield* ContactStore
      const store = yield* ExecutionStore
      const app = yield* newApp
      // Who enters once is kept in mind by name.
      const ended = yield* activated(app, [MARK], { reentry: "once" })
      const waits = yield* activated(app, [MARK, PAUSE, MARK], { reentry: "once" })
      const users = ["gone", "stays"]
      yield* entered(ended, users)
      yield* moveAll(app)
      const runs = yield* entered(waits, users)
      yield* moveAll(app)
      yield* sql`INSERT INTO custom_events (app_id, id, user_id, event, data)
        SELECT ${app}, gen_random_uuid(), u, 'bought', '{}' FROM unnest(ARRAY['gone', 'stays']) AS t (u)`
      yield* sql`UPDATE executions SET data = '{"name":"Ada"}' WHERE app_id = ${app}`
      const keptOf = (user: string) =>
        sql`SELECT status, data, steps, history <> '' AS has_history FROM executions
          WHERE app_id = ${app} AND user_id = ${user} ORDER BY id`
      const before = yield* keptOf("stays")
      expect(yield* contacts.remove(app, { externalId: "gone" })).toBe(true)
      yield* moveAll(app)
      expect(yield* keptOf("gone")).toEqual([])
      expect(
        yield* sql`SELECT status, error, data, steps, sends, user_id FROM executions
          WHERE app_id = ${app} AND user_id = '' ORDER BY id`
      ).toEqual([
        { status: "completed", error: null, data: "{}", steps: "{}", sends: "{}", user_id: "" },
        { status: "failed", error: "contact_deleted", data: "{}", steps: "{}", sends: "{}", user_id: "" }
      ])
      expect(yield* keptOf("stays")).toEqual(before)
      expect(yield* sql`SELECT user_id FROM custom_events WHERE app_id = ${app}`).toEqual([{ user_id: "stays" }])
      // One that an operator ends before it moves loses its name as well.
      yield* entered(waits, ["late"])
      yield* moveAll(app)
      yield* sql`DELETE FROM contacts WHERE app_id = ${app} AND external_id = 'late'`
      const [late] = yield* sql<{ readonly id: ExecutionId }>`
        SELECT id FROM executions WHERE app_id = ${app} AND user_id = 'late'`
      yield* store.cancel(app, [late!.id], "operator", NO_EVENTS)
      expect(yield* keptOf("late")).toEqual([])
      expect(runs).toHaveLength(2)
      expect(yield* sql`SELECT DISTINCT entry_key FROM executions WHERE app_id = ${app} ORDER BY 1`).toEqual([
        { entry_key: "xstays" },
        { entry_key: null }
      ])
    })
  )

  it.effect(
    "of somebody who was erased leave nothing of what they carried in messages and throttles, and others' there",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const contacts = yield* ContactStore
        const app = yield* newApp
        const content = { title: "{{ data.name }} has {{ steps.ask.body }}" }
        const throttle: Step = { key: "cap", type: "THROTTLE", by: "data.name", at_most: 5, per_seconds: 3600 }
        const workflow = yield* activated(app, [
          throttle,
          { key: "hello", type: "SEND", content, variables: { shop: 7 } },
          PAUSE
        ])
        // One message for each of two, and one for two others together.
        yield* entered(workflow, ["gone"], { name: "Ada" })
        yield* entered(workflow, ["stays"], { name: "Bo" })
        const together = yield* entered(workflow, ["also gone", "also stays"], { name: "both" })
        expect(together.map(({ sends }) => sends["hello"])).toEqual([
          together[0]!.sends["hello"],
          together[0]!.sends["hello"]
        ])
        const requests = () =>
          Effect.map(
            sql<{ readonly request: { readonly to: unknown; readonly variables: unknown } }>`
            SELECT request FROM notifications WHERE app_id = ${app} ORDER BY id`,
            (rows) => rows.map(({ request: { to, variables } }) => ({ to, variables }))
          )
        const [ofGone, ofStays, ofBoth] = yield* requests()
        expect(ofGone).toMatchObject({ to: { user_ids: ["gone"] }, variables: { shop: 7, data: { name: "Ada" } } })
        // Somebody is at one of them, as a planner that waits for the contact would be.
        const letGo = yield* hold(sql`SELECT FROM notifications WHERE id = ${together[0]!.sends["hello"]!} FOR UPDATE`)
        const erasing = yield* Effect.forkChild(
          Effect.all([contacts.remove(app, { externalId: "gone" }), contacts.remove(app, { externalId: "also gone" })])
        )
        yield* Effect.repeat(requests(), { until: ([first]) => JSON.stringify(first).includes("gone") === false })
        yield* letGo
        expect(yield* Fiber.join(erasing)).toEqual([true, true])
        expect(yield* requests()).toEqual([
          { to: { user_ids: [] }, variables: { shop: 7 } },
          ofStays,
          { to: { user_ids: ["also stays"] }, variables: ofBoth!.variables }
        ])
        expect(yield* sql`SELECT throttle_key FROM throttles WHERE app_id = ${app} ORDER BY throttle_key`).toEqual([
          { throttle_key: '"Bo"' },
          { throttle_key: '"both"' }
        ])
      })
  )

  it.effect("of somebody who was erased leave what others carried in a message to several, each of their own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const content = { title: "{{ data.name }}" }
      const workflow = yield* activated(app, [PAUSE, { key: "hello", type: "SEND", content }])
      for (const name of ["ada", "bo"]) yield* entered(workflow, [name], { name })
      yield* letTimePass(app)
      yield* moveAll(app)
      expect(yield* (yield* ContactStore).remove(app, { externalId: "ada" })).toBe(true)
      const [row] = yield* sql<{ readonly request: object }>`SELECT request FROM notifications WHERE app_id = ${app}`
      expect(row!.request).toMatchObject({ to: { user_ids: ["bo"] }, own: { bo: { data: { name: "bo" } } } })
      expect(JSON.stringify(row!.request)).not.toContain("ada")
    })
  )

  it.effect("hold up nobody who is erased while an event of theirs is taken", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const workflow = yield* activated(app, [MARK])
      yield* entered(workflow, ["gone"])
      yield* sql`INSERT INTO custom_events (app_id, id, user_id, event, data)
        VALUES (${app}, gen_random_uuid(), 'gone', 'bought', '{}')`
      const [held, erased] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // As whoever takes events does: the event first, and then the person whom it lets in.
      const taking = yield* Effect.forkScoped(
        onOwnNode(
          Effect.gen(function* () {
            const own = yield* SqlClient.SqlClient
            yield* own.withTransaction(
              Effect.gen(function* () {
                yield* own`SELECT 1 FROM custom_events WHERE app_id = ${app} FOR UPDATE`
                yield* Deferred.succeed(held, undefined)
                yield* Deferred.await(erased)
                yield* own`INSERT INTO contacts (id, app_id, external_id) VALUES (gen_random_uuid(), ${app}, 'gone')
                  ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id`
              })
            )
          })
        )
      )
      yield* Deferred.await(held)
      const removal = yield* Effect.forkScoped((yield* ContactStore).remove(app, { externalId: "gone" }))
      // The event is waited for by nobody who holds the person, so that this ends.
      const gone = sql`SELECT 1 FROM contacts WHERE app_id = ${app} AND external_id = 'gone'`
      yield* Effect.repeat(gone, { until: (rows) => rows.length === 0, schedule: Schedule.spaced("5 millis") }).pipe(
        Effect.timeout("5 seconds")
      )
      yield* Deferred.succeed(erased, undefined)
      yield* Fiber.join(taking)
      expect(yield* Fiber.join(removal)).toBe(true)
      expect(yield* sql`SELECT 1 FROM custom_events WHERE app_id = ${app}`).toEqual([])
    })
  )

  it.effect("that are moved while their person is erased keep nothing of what the move brought", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const day: Step = { key: "day", type: "DELAY", seconds: 24 * HOUR_S }
      const known: Step = {
        key: "known",
        type: "FILTER",
        conditions: { attributes: [{ name: "x", op: "not_exists" }] }
      }
      const workflow = yield* activated(app, [PAUSE, known, day])
      const [run] = yield* entered(workflow, ["gone"], { name: "Ada" })
      yield* letTimePass(app)
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const carried = yield* carry()
      const slowly: Carry = (runs, tools) =>
        Effect.flatMap(carried(runs, tools), (moves) =>
          Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)), moves)
        )
      const mover = yield* Effect.forkScoped(
        onOwnNode(Effect.flatMap(ExecutionStore, (store) => store.move(app, 10, slowly)))
      )
      yield* Deferred.await(begun)
      // Whoever erases waits for the run; or is done with it, and what the mover writes comes after that.
      const removal = yield* Effect.forkScoped((yield* ContactStore).remove(app, { externalId: "gone" }))
      yield* Effect.repeat(
        sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (rows) => rows.length > 0 || removal.pollUnsafe() !== undefined }
      )
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(mover)
      expect(yield* Fiber.join(removal)).toBe(true)
      yield* moveAll(app)
      const rows = yield* sql`SELECT user_id, data, steps, status, error FROM executions WHERE app_id = ${app}`
      expect(rows).toEqual([{ user_id: "", data: "{}", steps: "{}", status: "failed", error: "contact_deleted" }])
      const history = yield* (yield* ExecutionStore).history(app, run!.run.id)
      expect(history.map(({ detail }) => detail)).toEqual(["the contact was deleted"])
    })
  )

  it.effect("whose person was erased fail, and those of an archived workflow are cancelled", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const workflow = yield* activated(app, [PAUSE, MARK])
      const [erased] = yield* entered(workflow, ["gone"])
      yield* sql`DELETE FROM contacts WHERE app_id = ${app} AND external_id = 'gone'`
      yield* letTimePass(app)
      yield* moveAll(app)
      expect(yield* found(app, erased!.run.id)).toMatchObject({ status: "failed", error: "contact_deleted" })
      const store = yield* WorkflowStore
      expect(yield* store.counts(workflow.versionId)).toMatchObject([{ entered: 1, passed: 0, stopped: 0, failed: 1 }])
      const [open] = yield* entered(workflow, ["u"])
      yield* store.archive(app, workflow.id)
      yield* letTimePass(app)
      yield* moveAll(app)
      expect(yield* found(app, open!.run.id)).toMatchObject({ status: "cancelled", reason: "archived" })
      expect(yield* store.counts(workflow.versionId)).toMatchObject([{ entered: 2, stopped: 1, failed: 1 }])
    })
  )
})
