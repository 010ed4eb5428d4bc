import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, BatchId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { LaneKey } from "../../../services/ports/BatchStore.ts"
import { BatchStore } from "../../../services/ports/BatchStore.ts"
import { NotificationStore } from "../../../services/ports/NotificationStore.ts"
import { accepted, accountOf, atOnce, chunkOf, endLeases, HELLO, hotStores, ids, newApp, planned } from "./Stores.ts"

const lane = (appId: AppId): LaneKey => ({ appId, provider: "fcm", priority: "bulk" })

const statusOf = Effect.fnUntraced(function* (appId: AppId, id: Parameters<typeof accountOf>[1]) {
  const { completedAt, status } = Option.getOrThrow(yield* (yield* NotificationStore).find(appId, id))
  return { status, isOver: completedAt !== null }
})

layer(hotStores)("NotificationStore.steer", (it) => {
  it.effect("cancels everybody whom no worker has in hand, and closes the account when the last one is back", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const lists = Array.from({ length: 120 }, () => ids(3))
      const id = yield* planned(app, lists)
      const [held] = yield* batches.claim(lane(app), 1, 60_000)
      const cancelled = Option.getOrThrow(yield* notifications.steer(app, id, "cancel"))
      expect(cancelled).toMatchObject({ isDone: true, notification: { status: "cancelled" } })
      expect(yield* accountOf(app, id)).toEqual({
        accepted: 360,
        pending: 3,
        sent: 0,
        failed: 0,
        skipped: 0,
        cancelled: 357
      })
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])
      // Two of the batch in hand were on their way; the third would go again, and does not.
      const [a, b, c] = held!.recipients as [string, string, string]
      yield* batches.finish(
        chunkOf(held!, [a, b], {
          retries: [{ id: uuidv7() as BatchId, recipients: [c], delayMs: 0, attempts: 1, held: false, slowed: false }]
        })
      )
      expect(yield* notifications.completeIfDone(id)).toBe(false)
      expect(yield* statusOf(app, id)).toEqual({ status: "cancelled", isOver: false })
      yield* batches.completeForgotten
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 360, pending: 0, sent: 2, cancelled: 358 })
      expect(yield* statusOf(app, id)).toEqual({ status: "cancelled", isOver: true })
      const { items } = yield* notifications.deliveries(app, id, null, 1000)
      expect(items).toHaveLength(360)
      expect(items.filter(({ status }) => status === "cancelled")).toHaveLength(358)
      expect(items.find(({ recipientId }) => recipientId === c)).toMatchObject({ error: "cancelled", provider: "fcm" })
    })
  )

  it.effect("cancels what a dead worker had in hand, and hears no more of that worker", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const id = yield* planned(app, [ids(2)])
      const [held] = yield* batches.claim(lane(app), 1, 60_000)
      yield* notifications.steer(app, id, "cancel")
      yield* endLeases
      yield* batches.completeForgotten
      expect(yield* batches.finish(chunkOf(held!, held!.recipients))).toEqual(Option.none())
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, cancelled: 2, sent: 0, pending: 0 })
    })
  )

  it.effect("lets nobody claim a paused mailing, keeps it out of its lane's way, and lets a resume go on at once", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const id = yield* planned(app, [ids(1), ids(1)])
      const [held] = yield* batches.claim(lane(app), 1, 60_000)
      expect(yield* notifications.isHalted(id)).toBe(false)
      yield* notifications.steer(app, id, "pause")
      expect(yield* notifications.isHalted(id)).toBe(true)
      yield* batches.release(held!.id, held!.fence, 0, false)
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])
      expect((yield* batches.forgotten(0)).lanes.filter(({ appId }) => appId === app)).toEqual([])
      const inTheWay = yield* sql`SELECT id FROM batches WHERE app_id = ${app} AND NOT done AND NOT paused`
      expect(inTheWay).toEqual([])
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, pending: 2 })
      const resumed = Option.getOrThrow(yield* notifications.steer(app, id, "resume"))
      expect(resumed).toMatchObject({
        isDone: true,
        plan: false,
        lanes: ["fcm"],
        notification: { status: "sending" }
      })
      expect(yield* batches.claim(lane(app), 10, 60_000)).toHaveLength(2)
    })
  )

  it.effect("stops a planner between two steps, and lets another go on from its cursor after a resume", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = yield* accepted(app)
      const plan = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
      const step = (fence: number, cursor: string | null) => ({
        id,
        fence,
        batches: [{ id: uuidv7() as BatchId, provider: "fcm" as const, recipients: ids(2) }],
        cursor,
        done: cursor === null,
        leaseMs: 60_000
      })
      expect(yield* notifications.savePlan(step(plan.fence, "d:0:x"))).toBe(true)
      yield* notifications.steer(app, id, "pause")
      expect(yield* notifications.savePlan(step(plan.fence, null))).toBe(false)
      expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* notifications.steer(app, id, "resume")).plan).toBe(true)
      expect(yield* notifications.savePlan(step(plan.fence, null))).toBe(false)
      const again = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
      expect(again.cursor).toBe("d:0:x")
      yield* notifications.steer(app, id, "cancel")
      expect(yield* notifications.savePlan(step(again.fence, null))).toBe(false)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, cancelled: 2 })
      expect(yield* statusOf(app, id)).toEqual({ status: "cancelled", isOver: true })
    })
  )

  it.effect("says of each command whether the state allows it, and changes nothing the second time", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const [app, other] = [yield* newApp, yield* newApp]
      const id = yield* accepted(app)
      const tell = (command: "cancel" | "pause" | "resume") =>
        Effect.map(notifications.steer(app, id, command), (steered) => {
          const { isDone, notification } = Option.getOrThrow(steered)
          return [isDone, notification.status]
        })
      expect(yield* notifications.steer(other, id, "cancel")).toEqual(Option.none())
      expect(yield* tell("resume")).toEqual([true, "queued"])
      expect(yield* tell("pause")).toEqual([true, "paused"])
      expect(yield* tell("pause")).toEqual([true, "paused"])
      expect(yield* tell("resume")).toEqual([true, "queued"])
      expect(yield* tell("cancel")).toEqual([true, "cancelled"])
      expect(yield* tell("cancel")).toEqual([true, "cancelled"])
      expect(yield* tell("pause")).toEqual([false, "cancelled"])
      expect(yield* tell("resume")).toEqual([false, "cancelled"])
    })
  )

  it.effect("ends with no batch astray, however many pause and resume at once", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const id = yield* planned(
        app,
        Array.from({ length: 30 }, () => ids(1))
      )
      yield* atOnce(
        Array.from({ length: 8 }, (_, i) =>
          Effect.flatMap(NotificationStore, (store) => store.steer(app, id, i % 2 === 0 ? "pause" : "resume"))
        )
      )
      yield* notifications.steer(app, id, "resume")
      expect(yield* batches.claim(lane(app), 100, 60_000)).toHaveLength(30)
    })
  )

  it.effect("keeps a scheduled notification until it is due, and counts its time to live from then", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const sendAt = Date.now() + 3_600_000
      const accept = (id: NotificationId) =>
        notifications.accept({ id, appId: app, request: HELLO, ttlMs: 60_000, sendAt, batches: null })
      const [id, cancelled] = [uuidv7() as NotificationId, uuidv7() as NotificationId]
      expect((yield* accept(id)).status).toBe("scheduled")
      yield* accept(cancelled)
      const plansOf = Effect.map(batches.forgotten(0), ({ plans }) =>
        plans.map((plan) => plan.id).filter((plan) => plan === id || plan === cancelled)
      )
      expect(yield* plansOf).toEqual([])
      expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* notifications.message(id)).expiresAt).toBe(sendAt + 60_000)
      expect(Option.getOrThrow(yield* notifications.steer(app, id, "pause")).isDone).toBe(false)
      yield* notifications.steer(app, cancelled, "cancel")
      expect(yield* statusOf(app, cancelled)).toEqual({ status: "cancelled", isOver: true })
      yield* sql`UPDATE notifications SET send_at = now(), published_at = now() WHERE app_id = ${app}`
      const found = yield* atOnce(
        Array.from({ length: 4 }, () => Effect.flatMap(BatchStore, (b) => b.forgotten(60_000)))
      )
      expect(found.flatMap(({ plans }) => plans.filter((plan) => plan.id === id || plan.id === cancelled))).toEqual([
        { id, priority: "bulk" }
      ])
      expect(Option.isSome(yield* notifications.claimPlan(id, 60_000))).toBe(true)
    })
  )
})
