import { expect, layer } from "@effect/vitest"
import { setTimeout } from "node:timers/promises"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { LaneKey } from "../../../../services/ports/sending/BatchStore.ts"
import { CurrentActor } from "../../../../services/ports/access/AuditLog.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import {
  accepted,
  accountOf,
  atOnce,
  chunkOf,
  eventsOf,
  HELLO,
  hotStores,
  ids,
  newApp,
  newWebhook,
  planned
} from "../Stores.ts"

const lane = (appId: AppId): LaneKey => ({ appId, provider: "fcm", priority: "bulk" })

const statusOf = Effect.fnUntraced(function* (appId: AppId, id: Parameters<typeof accountOf>[1]) {
  const { completedAt, status } = Option.getOrThrow(yield* (yield* NotificationStore).find(appId, id))
  return { status, isOver: completedAt !== null }
})

const pause = Effect.promise(() => setTimeout(20))

/** Ends the leases of a cancelled notification, as time would, and what their holders left. */
const untilCancelled = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
  const [sql, batches] = [yield* SqlClient.SqlClient, yield* BatchStore]
  yield* sql`UPDATE batches SET lease_until = now() - interval '1 ms' WHERE app_id = ${appId} AND lease_until IS NOT NULL`
  // A server that has only just begun leaves holders some seconds.
  yield* Effect.repeat(Effect.andThen(pause, Effect.andThen(batches.completeForgotten, accountOf(appId, id))), {
    until: ({ pending }) => pending === 0
  })
})

/** Who ended as cancelled without anybody knowing whether they got their message. */
const unknownOf = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
  const { items } = yield* (yield* NotificationStore).deliveries(appId, id, null, 1000)
  return items.flatMap(({ error, recipientId, status }) =>
    status === "cancelled" && error === "outcome_unknown" ? [recipientId] : []
  )
})

layer(hotStores)("NotificationStore.control", (it) => {
  it.effect("writes down who paused, resumed or cancelled what, and nothing of a command that changed nothing", () =>
    Effect.gen(function* () {
      const [notifications, sql] = [yield* NotificationStore, yield* SqlClient.SqlClient]
      const app = yield* newApp
      const id = yield* accepted(app)
      const actor = { kind: "key" as const, id: uuidv7() }
      for (const command of ["resume", "pause", "pause", "resume", "cancel", "cancel", "resume"] as const) {
        yield* Effect.provideService(notifications.control(app, id, command), CurrentActor, actor)
      }
      expect(
        yield* sql`SELECT actor_kind, actor_id, action, target FROM audit_log
          WHERE app_id = ${app} AND action <> 'notification.created' ORDER BY at`
      ).toEqual(
        ["notification.paused", "notification.resumed", "notification.cancelled"].map((action) => ({
          actor_kind: "key",
          actor_id: actor.id,
          action,
          target: id
        }))
      )
    })
  )

  it.effect("cancels everybody whom no worker has in hand, and reconciles totals when the last one is back", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const lists = Array.from({ length: 120 }, () => ids(3))
      const id = yield* planned(app, lists)
      const [held] = yield* batches.claim(lane(app), 1, 60_000)
      const cancelled = Option.getOrThrow(yield* notifications.control(app, id, "cancel"))
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
          retries: [
            { id: uuidv7() as BatchId, recipients: [c], delayMs: 0, attempts: 1, suspended: false, slowed: false }
          ]
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

  it.effect("says of what a dead worker had in hand, and of nobody else, that its outcome is unknown", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const id = yield* planned(app, [ids(20), ids(20)])
      const [held] = yield* batches.claim(lane(app), 1, 60_000)
      const [first, ...others] = held!.recipients
      yield* batches.finish(chunkOf(held!, [first!], { remaining: others }))
      yield* notifications.control(app, id, "cancel")
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 40, pending: 19, sent: 1, cancelled: 20 })
      yield* untilCancelled(app, id)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 40, pending: 0, sent: 1, cancelled: 39 })
      expect(yield* unknownOf(app, id)).toEqual(others.toSorted())
      expect(yield* statusOf(app, id)).toEqual({ status: "cancelled", isOver: true })
    })
  )

  it.effect("counts a try of what a dead worker had, and whoever took it over gave back", () =>
    Effect.gen(function* () {
      const [sql, notifications, batches] = [yield* SqlClient.SqlClient, yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const id = yield* planned(app, [ids(2)])
      const [first] = yield* batches.claim(lane(app), 1, 60_000)
      // As of a holder whose session has ended.
      yield* sql`UPDATE batches SET lease_until = '-infinity' WHERE app_id = ${app}`
      const [again] = yield* batches.claim(lane(app), 1, 60_000)
      expect([first!.isDoubtful, again!.isDoubtful]).toEqual([false, true])
      yield* batches.release(again!.id, again!.fence, 60_000, false)
      yield* notifications.control(app, id, "cancel")
      const { items } = yield* notifications.deliveries(app, id, null, 10)
      expect(items.map(({ attempts, error }) => [error, attempts])).toEqual([
        ["outcome_unknown", 1],
        ["outcome_unknown", 1]
      ])
    })
  )

  it.effect("lets the late results of a worker that was frozen count once, with their events and dead tokens", () =>
    Effect.gen(function* () {
      const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
      const app = yield* newApp
      const webhook = yield* newWebhook(app, { events: ["NOTIFICATION_SENT"] })
      const id = yield* planned(app, [ids(20)])
      const [held] = yield* batches.claim(lane(app), 1, 60_000)
      yield* notifications.control(app, id, "cancel")
      yield* untilCancelled(app, id)
      const [a, b, c, d, ...silent] = held!.recipients as [string, string, string, string]
      const late = chunkOf(held!, [a, b], {
        remaining: [c, d, ...silent],
        events: [eventsOf(app, "NOTIFICATION_SENT", [a, b])]
      })
      expect(yield* batches.extend(held!.id, held!.fence, 60_000)).toBe(false)
      expect(yield* batches.finish(late)).toEqual(Option.some([webhook]))
      // Repeated, because its answer was lost.
      yield* batches.finish(late)
      const failed = chunkOf(held!, [c], {
        final: { recipients: [c], statuses: ["failed"], messageIds: [null], errors: ["unregistered"] },
        retries: [
          { id: uuidv7() as BatchId, recipients: [d], delayMs: 0, attempts: 1, suspended: false, slowed: false }
        ],
        remaining: silent
      })
      yield* batches.finish(failed)
      expect(yield* accountOf(app, id)).toEqual({
        accepted: 20,
        pending: 0,
        sent: 2,
        failed: 1,
        skipped: 0,
        cancelled: 17
      })
      expect(yield* unknownOf(app, id)).toEqual([d, ...silent].toSorted())
      const { items } = yield* notifications.deliveries(app, id, null, 1000)
      expect(items.find(({ recipientId }) => recipientId === a)).toMatchObject({
        status: "sent",
        messageId: `message-${a}`,
        error: null
      })
      const sql = yield* SqlClient.SqlClient
      const sums = yield* sql`
        SELECT sum(sent)::int AS sent, sum(failed)::int AS failed, sum(cancelled)::int AS cancelled FROM daily_stats
        WHERE app_id = ${app}`
      expect(sums).toEqual([{ sent: 2, failed: 1, cancelled: 17 }])
      expect(yield* sql`SELECT 1 AS one FROM webhook_work_items WHERE webhook_id = ${webhook}`).toHaveLength(1)
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])
    })
  )

  it.effect(
    "remembers a dead worker when another one has given its batch back, and hears no more of the dead one",
    () =>
      Effect.gen(function* () {
        const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const id = yield* planned(app, [ids(4)])
        const [dead] = yield* batches.claim(lane(app), 1, 60_000)
        const claimed = yield* Effect.repeat(
          Effect.andThen(
            sql`UPDATE batches SET lease_until = now() - interval '1 ms' WHERE app_id = ${app}`,
            batches.claim(lane(app), 1, 1)
          ),
          { until: (taken) => taken.length > 0 }
        )
        const [sent, again, ...left] = dead!.recipients as [string, string, string, string]
        yield* batches.finish(
          chunkOf(claimed[0]!, [sent], {
            retries: [
              { id: uuidv7() as BatchId, recipients: [again], delayMs: 0, attempts: 1, suspended: false, slowed: false }
            ],
            remaining: left
          })
        )
        yield* batches.release(dead!.id, claimed[0]!.fence, 0, false)
        yield* notifications.control(app, id, "cancel")
        expect(yield* unknownOf(app, id)).toEqual([again, ...left].toSorted())
        expect(yield* batches.finish(chunkOf(dead!, dead!.recipients))).toEqual(Option.none())
        expect(yield* accountOf(app, id)).toMatchObject({ accepted: 4, cancelled: 3, sent: 1, pending: 0 })
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
      yield* notifications.control(app, id, "pause")
      expect(yield* notifications.isHalted(id)).toBe(true)
      yield* batches.release(held!.id, held!.fence, 0, false)
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])
      expect((yield* batches.forgotten(0)).lanes.filter(({ appId }) => appId === app)).toEqual([])
      const inTheWay = yield* sql`SELECT id FROM batches WHERE app_id = ${app} AND NOT done AND NOT paused`
      expect(inTheWay).toEqual([])
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, pending: 2 })
      const resumed = Option.getOrThrow(yield* notifications.control(app, id, "resume"))
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
      yield* notifications.control(app, id, "pause")
      expect(yield* notifications.savePlan(step(plan.fence, null))).toBe(false)
      expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* notifications.control(app, id, "resume")).plan).toBe(true)
      expect(yield* notifications.savePlan(step(plan.fence, null))).toBe(false)
      const again = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
      expect(again.cursor).toBe("d:0:x")
      yield* notifications.control(app, id, "cancel")
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
        Effect.map(notifications.control(app, id, command), (controlled) => {
          const { isDone, notification } = Option.getOrThrow(controlled)
          return [isDone, notification.status]
        })
      expect(yield* notifications.control(other, id, "cancel")).toEqual(Option.none())
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
          Effect.flatMap(NotificationStore, (store) => store.control(app, id, i % 2 === 0 ? "pause" : "resume"))
        )
      )
      yield* notifications.control(app, id, "resume")
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
      yield* notifications.control(app, cancelled, "cancel")
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

  it.effect(
    "lets the time of a paused notification pass by, and begins it with the resume and its whole time to live",
    () =>
      Effect.gen(function* () {
        const [notifications, batches] = [yield* NotificationStore, yield* BatchStore]
        const sql = yield* SqlClient.SqlClient
        const app = yield* newApp
        const id = uuidv7() as NotificationId
        const sendAt = Date.now() + 3_600_000
        yield* notifications.accept({ id, appId: app, request: HELLO, ttlMs: 60_000, sendAt, batches: null })
        const tell = (command: "pause" | "resume") =>
          Effect.map(notifications.control(app, id, command), (controlled) => {
            const { isDone, notification } = Option.getOrThrow(controlled)
            return [isDone, notification.status]
          })
        const planned = Effect.map(batches.forgotten(0), ({ plans }) => plans.some((plan) => plan.id === id))
        const expiresAt = Effect.map(notifications.message(id), (message) => Option.getOrThrow(message).expiresAt)
        // Before its time it is scheduled again, as if nothing had been.
        expect(yield* tell("pause")).toEqual([true, "paused"])
        expect(yield* tell("pause")).toEqual([true, "paused"])
        expect(yield* tell("resume")).toEqual([true, "scheduled"])
        expect(yield* tell("resume")).toEqual([true, "scheduled"])
        expect([yield* expiresAt, yield* planned]).toEqual([sendAt + 60_000, false])
        yield* tell("pause")
        // An hour and a half pass.
        yield* sql`
        UPDATE notifications SET send_at = send_at - interval '90 min', expires_at = expires_at - interval '90 min'
        WHERE id = ${id}`
        expect([yield* planned, yield* planned]).toEqual([false, false])
        expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
        expect((yield* statusOf(app, id)).status).toBe("paused")
        expect(yield* expiresAt).toBeLessThan(Date.now())
        expect(yield* tell("resume")).toEqual([true, "queued"])
        expect(Math.abs((yield* expiresAt) - Date.now() - 60_000)).toBeLessThan(30_000)
        expect(Option.isSome(yield* notifications.claimPlan(id, 60_000))).toBe(true)
      })
  )

  it.effect("cancels a notification that was paused before its time", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = uuidv7() as NotificationId
      const sendAt = Date.now() + 3_600_000
      yield* notifications.accept({ id, appId: app, request: HELLO, ttlMs: 60_000, sendAt, batches: null })
      yield* notifications.control(app, id, "pause")
      expect(Option.getOrThrow(yield* notifications.control(app, id, "cancel")).isDone).toBe(true)
      expect(yield* statusOf(app, id)).toEqual({ status: "cancelled", isOver: true })
      expect(Option.getOrThrow(yield* notifications.control(app, id, "resume")).isDone).toBe(false)
    })
  )
})
