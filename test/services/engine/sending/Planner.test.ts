import { expect, layer } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { Planner } from "../../../../services/engine/sending/Planner.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { QueueLog } from "../../../doubles/operations/JobQueue.ts"
import { HELLO, accepted, android, hotStores, newApp, tokens } from "../../../layers/postgres/Stores.ts"

const NOBODY = { ...HELLO, to: { tags_any: ["none"] } }

/** A planner whose pages wait until `gate` is open, and what it did. */
const watched = Effect.gen(function* () {
  const [audiences, notifications] = [yield* AudienceStore, yield* NotificationStore]
  const gate = yield* Latch.make()
  const queue = new QueueLog()
  const done: Array<NotificationId> = []
  const claims = { byId: 0, inTurn: 0 }
  const pages = { read: 0 }
  const stores = Layer.mergeAll(
    Layer.succeed(AudienceStore, {
      ...audiences,
      page: (...given) =>
        Effect.andThen(
          gate.await,
          Effect.suspend(() => {
            pages.read++
            return audiences.page(...given)
          })
        )
    }),
    Layer.succeed(NotificationStore, {
      ...notifications,
      claimPlan: (...given) => Effect.suspend(() => (claims.byId++, notifications.claimPlan(...given))),
      claimNextPlan: (...given) => Effect.suspend(() => (claims.inTurn++, notifications.claimNextPlan(...given))),
      savePlan: (step) =>
        Effect.tap(notifications.savePlan(step), () => Effect.sync(() => void (step.done && done.push(step.id))))
    })
  )
  const planner = yield* Effect.provide(
    Planner,
    Layer.fresh(Planner.layer).pipe(
      Layer.provide(stores),
      Layer.provide(queue.layer),
      Layer.provide(settingsOf({ BATCH_SIZE: "1", PLAN_PAGE: "1" }))
    )
  )
  /** Has them all planned, each of whose jobs comes while the first are at their first page. */
  const planAll = (ids: ReadonlyArray<NotificationId>) =>
    Effect.gen(function* () {
      yield* Effect.all(
        [
          Effect.all(
            ids.map((id) => planner.plan(id, "bulk")),
            { concurrency: "unbounded" }
          ),
          gate.open
        ],
        { concurrency: "unbounded" }
      )
    })
  /** The same, with the queue's part: a plan that is given back is told to somebody, who may be the only one to find it. */
  const planWhole = (ids: ReadonlyArray<NotificationId>) =>
    Effect.gen(function* () {
      yield* planAll(ids)
      for (let told = 0; told < queue.published.length; told++) {
        const { id, type } = queue.published[told]!
        if (type === "PlanV1") yield* planner.plan(id as NotificationId, "bulk")
      }
    })
  return { planner, planAll, planWhole, gate, queue, done, claims, pages }
})

const appWith = Effect.fnUntraced(function* (devices: number) {
  const app = yield* newApp
  yield* (yield* DeviceStore).register(
    app,
    tokens(app, devices).map((token) => android(token))
  )
  return app
})

const many = (count: number, app: AppId, request = HELLO) =>
  Effect.all(Array.from({ length: count }, () => accepted(app, request)))

const recipientsOf = Effect.fnUntraced(function* (id: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly recipient: string }>`
    SELECT unnest(recipients) AS recipient FROM batches WHERE notification_id = ${id}`
  return rows.map(({ recipient }) => recipient)
})

layer(hotStores)("Planner", (it) => {
  it.effect(
    "plans a small notification before the mailings of another application that came first are at their end",
    () =>
      Effect.gen(function* () {
        const { done, planWhole } = yield* watched
        const mailings = yield* many(6, yield* appWith(20))
        const small = yield* accepted(yield* appWith(1))
        yield* planWhole([...mailings, small])
        expect(done[0]).toBe(small)
        expect(done.toSorted()).toEqual([...mailings, small].toSorted())
        for (const id of mailings) {
          const recipients = yield* recipientsOf(id)
          expect([recipients.length, new Set(recipients).size]).toEqual([20, 20])
        }
      })
  )

  it.effect("does not let an application wait for all that another sends to nobody", () =>
    Effect.gen(function* () {
      const { done, planWhole } = yield* watched
      const flood = yield* many(60, yield* newApp, NOBODY)
      const small = yield* accepted(yield* appWith(1))
      yield* planWhole([...flood, small])
      expect(done).toHaveLength(61)
      // Four were under way when it came, and a place that ends one takes this.
      expect(done.indexOf(small)).toBeLessThan(30)
    })
  )

  it.effect("takes turns among all applications that wait", () =>
    Effect.gen(function* () {
      const { done, planWhole } = yield* watched
      const flood = yield* many(40, yield* newApp, NOBODY)
      const others = yield* Effect.all(
        Array.from({ length: 5 }, () => Effect.flatMap(newApp, (app) => many(2, app, NOBODY)))
      )
      yield* planWhole([...flood, ...others.flat()])
      const places = others.flat().map((id) => done.indexOf(id))
      expect(done).toHaveLength(50)
      expect(Math.max(...places)).toBeLessThan(40)
    })
  )

  it.effect("claims a plan once when no other waits, however many pages it has", () =>
    Effect.gen(function* () {
      const { claims, done, pages, planAll, queue } = yield* watched
      const id = yield* accepted(yield* appWith(35))
      yield* planAll([id])
      expect(done).toEqual([id])
      expect(claims).toEqual({ byId: 1, inTurn: 0 })
      expect(pages.read).toBeGreaterThanOrEqual(9)
      expect(queue.published.filter(({ type }) => type === "PlanV1")).toEqual([])
    })
  )

  it.effect("gives its plan back after the page that it is at when it stops, and another goes on there", () =>
    Effect.gen(function* () {
      const { done, planner, planAll, queue } = yield* watched
      const id = yield* accepted(yield* appWith(9))
      yield* planner.stop
      yield* planAll([id])
      expect(done).toEqual([])
      expect(queue.published.filter(({ type }) => type === "PlanV1")).toEqual([
        { type: "PlanV1", id, priority: "bulk" }
      ])
      expect(yield* recipientsOf(id)).toHaveLength(1)
      const other = yield* watched
      yield* other.planAll([id])
      expect(other.done).toEqual([id])
      expect(new Set(yield* recipientsOf(id)).size).toBe(9)
      expect(yield* recipientsOf(id)).toHaveLength(9)
    })
  )
})
