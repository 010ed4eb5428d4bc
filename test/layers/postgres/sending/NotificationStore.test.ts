import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { KeptRequest, Message, SendNotification } from "../../../../services/domain/sending/Notification.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import type { NewBatch } from "../../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import {
  accepted,
  accountOf,
  android,
  atOnce,
  chunkOf,
  endLeases,
  hotStores,
  ids,
  newApp,
  planned,
  tokens
} from "../Stores.ts"

const batch = (recipients: ReadonlyArray<string>): NewBatch => ({
  id: uuidv7() as BatchId,
  provider: "fcm",
  recipients
})

layer(hotStores)("NotificationStore", (it) => {
  it.effect("keeps a notification as it was asked for", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const [app, other] = [yield* newApp, yield* newApp]
      const id = uuidv7() as NotificationId
      const request: SendNotification = {
        to: { tags_any: ["a"] },
        content: { title: "Grüße 😀 \u0000 \ud800", data: { nested: [1, { "\u0000": null }] } },
        ttl: 0,
        priority: "high",
        collapse_key: "k",
        overrides: { apns: { "thread-id": "t" } }
      }
      const made = yield* notifications.accept({ id, appId: app, request, ttlMs: 30_000, batches: null })
      expect(made).toEqual({
        id,
        appId: app,
        status: "queued",
        request,
        createdAt: made.createdAt,
        updatedAt: null,
        startedAt: null,
        completedAt: null,
        revision: 0
      })
      expect(yield* notifications.find(app, id)).toEqual(Option.some(made))
      expect(yield* notifications.find(other, id)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* notifications.message(id))).toEqual({
        notificationId: id,
        appId: app,
        content: request.content,
        priority: "high",
        expiresAt: made.createdAt + 30_000,
        nowOrNever: true,
        collapseKey: "k",
        overrides: { apns: { "thread-id": "t" } }
      })
      expect(yield* notifications.message(uuidv7() as NotificationId)).toEqual(Option.none())
    })
  )

  it.effect("reads what is short together with others, and says of the rest how long it is", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const accept = (request: KeptRequest) =>
        Effect.map(
          notifications.accept({ id: uuidv7() as NotificationId, appId: app, request, ttlMs: 1000, batches: null }),
          ({ id }) => id
        )
      const to = { user_ids: ["ada"] }
      const pieces = Array.from({ length: 3000 }, () => ({}))
      const asked = yield* Effect.forEach(
        [
          { to, content: { title: "a" } },
          { to, content: { html: "x".repeat(60_000) } },
          { to, content: { html: "x".repeat(70_000) } },
          { to, content: { title: "a" }, variables: { pieces } },
          { to, own: { ada: { pieces } } }
        ],
        accept
      )
      const found = yield* Effect.forEach(asked, notifications.messageIfShort, { concurrency: "unbounded" })
      const [first, second, ...long] = found.map(Option.getOrThrow)
      expect(first).toMatchObject({ content: { title: "a" } })
      expect((second as Message).content.html).toHaveLength(60_000)
      expect(long).toEqual(
        [70_000, 9000, 9000].map((least) => ({ appId: app, bytes: expect.closeTo(least + 60, -2) as unknown }))
      )
      expect(yield* notifications.messageIfShort(uuidv7() as NotificationId)).toEqual(Option.none())
    })
  )

  it.effect("takes a message without priority, collapse key and overrides for a mailing's", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const id = yield* accepted(yield* newApp)
      expect(Option.getOrThrow(yield* notifications.message(id))).toMatchObject({
        priority: "bulk",
        nowOrNever: false,
        collapseKey: null,
        overrides: {}
      })
    })
  )

  it.effect("looks a single device up and plans it with the accept, each among others on their way at once", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      const [ios, droid, dead] = yield* devices.register(app, [
        { token: "single-ios", platform: "ios" },
        android("single-android"),
        android("single-dead")
      ])
      const [stranger] = yield* devices.register(other, [android("single-stranger")])
      yield* sql`UPDATE devices SET active = false WHERE id = ${dead!.id}`
      const send = (device: string | null, priority: "high" | "bulk") => {
        const id = uuidv7() as NotificationId
        const request: SendNotification = { to: { all: true }, content: { title: "Hello" }, priority }
        const arrival = { id, appId: app, request, ttlMs: 60_000, batches: null }
        const sent =
          device === null
            ? Effect.as(notifications.accept(arrival), "described")
            : Effect.map(
                notifications.acceptForDevice(arrival, { id: device, batch: uuidv7() as BatchId, lease: null }),
                (answer) => answer && answer.provider
              )
        return Effect.map(sent, (answer) => ({ id, answer }))
      }
      const answers = yield* Effect.all(
        [
          send(ios!.id, "high"),
          send(null, "bulk"),
          send(stranger!.id, "high"),
          send(dead!.id, "high"),
          send(uuidv7(), "bulk"),
          send(droid!.id, "bulk")
        ],
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ answer }) => answer)).toEqual(["apns", "described", null, null, null, "fcm"])
      const found = yield* Effect.forEach(answers, ({ id }) => notifications.find(app, id))
      // Who is not reached at the moment is left to a planner; a stranger and nobody at all leave nothing behind.
      expect(found.map((one) => Option.getOrNull(one)?.status)).toEqual([
        "sending",
        "queued",
        undefined,
        "queued",
        undefined,
        "sending"
      ])
      expect(yield* accountOf(app, answers[0]!.id)).toMatchObject({ accepted: 1, pending: 1 })
      const batches = yield* BatchStore
      const claim = (provider: "apns" | "fcm", priority: "high" | "bulk") =>
        batches.claim({ appId: app, provider, priority }, 10, 60_000)
      expect(yield* claim("apns", "high")).toMatchObject([{ notificationId: answers[0]!.id, recipients: [ios!.id] }])
      expect(yield* claim("fcm", "bulk")).toMatchObject([{ notificationId: answers[5]!.id, recipients: [droid!.id] }])
      expect(yield* claim("fcm", "high")).toEqual([])
    })
  )

  it.effect("lists the newest first, in pages, for its own application", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const [app, other] = [yield* newApp, yield* newApp]
      const made: Array<NotificationId> = []
      for (let i = 0; i < 5; i++) made.push(yield* accepted(app))
      yield* accepted(other)
      const first = yield* notifications.list(app, {}, null, 3)
      const second = yield* notifications.list(app, {}, first.next, 3)
      expect(second.next).toBeNull()
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.toSorted().toReversed())
    })
  )

  it.effect("has of a long request what a summary shows, wherever there are many", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const shown = { priority: "high" as const, send_at: "2030-01-01", local_time: "09:00" }
      const content = { title: "Title", body: "x".repeat(20_000) }
      const id = yield* accepted(app, { to: { tags_any: ["a"] }, content, ...shown })
      const short = yield* accepted(app, { to: { all: true }, content: { subject: "Short", html: "y" } })
      const { items } = yield* notifications.list(app, {}, null, 2)
      const many = yield* notifications.findMany(app, [id, short])
      for (const found of [items, many]) {
        expect(found.find((one) => one.id === id)?.request).toEqual({ ...shown, content: { title: "Title" } })
        expect(found.find((one) => one.id === short)?.request).toEqual({
          to: { all: true },
          content: { subject: "Short", html: "y" }
        })
      }
      expect(Option.getOrThrow(yield* notifications.find(app, id)).request.content).toEqual(content)
    })
  )

  it.effect("gives a plan to one planner at a time", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = yield* accepted(app)
      const claims = yield* atOnce(
        Array.from({ length: 6 }, () => Effect.flatMap(NotificationStore, (store) => store.claimPlan(id, 60_000)))
      )
      const won = claims.flatMap(Option.toArray)
      expect(won).toMatchObject([{ cursor: null, fence: 1, notification: { id, status: "sending" } }])
      expect(won[0]?.notification.startedAt).not.toBeNull()
      expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
      expect(yield* notifications.claimPlan(uuidv7() as NotificationId, 60_000)).toEqual(Option.none())
    })
  )

  it.effect("resumes a plan at its cursor, and refuses the planner that was too slow", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = yield* accepted(app)
      const save = (fence: number, recipients: ReadonlyArray<string>, cursor: string | null) =>
        notifications.savePlan({
          id,
          fence,
          batches: [batch(recipients)],
          cursor,
          done: cursor === null,
          leaseMs: 60_000
        })
      const slow = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
      expect(yield* save(slow.fence, ids(2), "d:1")).toBe(true)
      expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
      yield* endLeases
      const next = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
      expect(next).toMatchObject({ cursor: "d:1", fence: 2 })
      expect(yield* save(slow.fence, ids(100), "d:9")).toBe(false)
      expect((yield* accountOf(app, id)).accepted).toBe(2)
      expect(yield* save(next.fence, ids(3), null)).toBe(true)
      expect((yield* accountOf(app, id)).accepted).toBe(5)
      yield* endLeases
      expect(yield* notifications.claimPlan(id, 60_000)).toEqual(Option.none())
    })
  )

  it.effect("writes a step once when its answer was lost and it is repeated", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = yield* accepted(app)
      yield* notifications.claimPlan(id, 60_000)
      const first = {
        id,
        fence: 1,
        batches: [batch(ids(2)), batch(ids(1))],
        cursor: "d:1",
        done: false,
        leaseMs: 60_000
      }
      const last = { ...first, batches: [batch(ids(4))], cursor: null, done: true }
      for (const step of [first, first, last, last]) expect(yield* notifications.savePlan(step)).toBe(true)
      expect(yield* notifications.savePlan(first)).toBe(false)
      expect((yield* accountOf(app, id)).accepted).toBe(7)
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT planned FROM notifications WHERE id = ${id}`).toEqual([{ planned: 7 }])
    })
  )

  it.effect("puts every recipient in exactly one batch when planners crash at every step", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const audiences = yield* AudienceStore
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const registered = yield* devices.register(
        app,
        tokens("crash", 50).map((token) => android(token))
      )
      const id = yield* accepted(app)
      let cursor: string | null = null
      let done = false
      for (let crash = 0; !done; crash++) {
        // Each planner takes over after a crash, and dies before, or after, it has saved its page.
        const plan = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
        expect(plan.cursor).toBe(cursor)
        const page = yield* audiences.page(app, { all: true }, ["push"], plan.cursor, 8)
        if (crash % 2 === 1) {
          const batches = [batch(page.recipients.fcm)].filter(({ recipients }) => recipients.length > 0)
          done = page.next === null
          expect(
            yield* notifications.savePlan({ id, fence: plan.fence, batches, cursor: page.next, done, leaseMs: 60_000 })
          ).toBe(true)
          cursor = page.next
        }
        yield* endLeases
      }
      const rows = yield* sql<{ recipients: ReadonlyArray<string> }>`
        SELECT recipients FROM batches WHERE notification_id = ${id}`
      const planned = rows.flatMap(({ recipients }) => recipients)
      expect(planned.toSorted()).toEqual(registered.map((device) => device.id).toSorted())
    })
  )

  it.effect("completes a mailing to nobody as soon as it is planned, and only once", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = yield* accepted(app)
      expect(yield* notifications.completeIfDone(id)).toBe(false)
      yield* notifications.claimPlan(id, 60_000)
      yield* notifications.savePlan({ id, fence: 1, batches: [], cursor: null, done: true, leaseMs: 60_000 })
      expect(yield* notifications.completeIfDone(id)).toBe(true)
      expect(yield* notifications.completeIfDone(id)).toBe(false)
      const found = Option.getOrThrow(yield* notifications.find(app, id))
      expect(found.status).toBe("completed")
      expect(found.completedAt).toBeGreaterThanOrEqual(found.createdAt)
      expect((yield* accountOf(app, id)).accepted).toBe(0)
    })
  )

  it.effect("completes a mailing exactly once when its last batches end at the same moment", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const id = yield* planned(app, [ids(3), ids(3), ids(3), ids(3)])
      const claimed = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 10, 60_000)
      expect(claimed).toHaveLength(4)
      const ends = yield* atOnce(
        claimed.map((held) =>
          Effect.gen(function* () {
            const store = yield* BatchStore
            const notifications = yield* NotificationStore
            yield* store.finish(chunkOf(held, held.recipients))
            return yield* notifications.completeIfDone(id)
          })
        )
      )
      expect(ends.filter((isLast) => isLast)).toHaveLength(1)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 12, sent: 12, pending: 0 })
    })
  )

  it.effect("counts many notifications in one answer, and none of another application", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const [app, other] = [yield* newApp, yield* newApp]
      const [a, b, c] = [yield* planned(app, [ids(2), ids(3)]), yield* accepted(app), yield* planned(other, [ids(4)])]
      const counts = yield* notifications.counts(app, [a, b, c, uuidv7() as NotificationId])
      expect([...counts.keys()].toSorted()).toEqual([a, b].toSorted())
      expect(counts.get(a)).toEqual({
        accepted: 5,
        pending: 5,
        sent: 0,
        failed: 0,
        skipped: 0,
        cancelled: 0,
        delivered: 0,
        opened: 0,
        clicked: 0,
        machine_opened: 0,
        machine_clicked: 0
      })
      expect(counts.get(b)).toMatchObject({ accepted: 0, pending: 0 })
    })
  )

  it.effect("pages through deliveries by recipient, for its own application", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const batches = yield* BatchStore
      const [app, other] = [yield* newApp, yield* newApp]
      const recipients = ids(5).toSorted()
      const id = yield* planned(app, [recipients])
      const [held] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
      yield* batches.finish(
        chunkOf(held!, recipients, {
          final: {
            recipients,
            statuses: ["sent", "failed", "skipped", "cancelled", "sent"],
            messageIds: ["m", null, null, null, null],
            errors: [null, "unregistered", "expired", "cancelled", null]
          }
        })
      )
      const first = yield* notifications.deliveries(app, id, null, 3)
      expect(first.next).toBe(recipients[2])
      const second = yield* notifications.deliveries(app, id, first.next, 3)
      expect(second.next).toBeNull()
      const all = [...first.items, ...second.items]
      expect(all.map(({ recipientId }) => recipientId)).toEqual(recipients)
      expect(all.map(({ status }) => status)).toEqual(["sent", "failed", "skipped", "cancelled", "sent"])
      expect(all[0]).toMatchObject({ provider: "fcm", messageId: "m", error: null, attempts: 1, notificationId: id })
      expect(all[1]).toMatchObject({ id: deliveryIdOf(id, recipients[1]!), error: "unregistered", messageId: null })
      expect((yield* notifications.deliveries(other, id, null, 3)).items).toEqual([])
    })
  )

  it.effect("takes a notification with its plan: ready to be sent, closed to planners, exact in its account", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const batches = yield* BatchStore
      const app = yield* newApp
      const id = yield* accepted(app)
      const recipients = ids(3)
      const planned = uuidv7() as NotificationId
      const request: SendNotification = {
        to: { device_ids: recipients as never },
        content: { title: "Hi" },
        priority: "high"
      }
      const made = yield* notifications.accept({
        id: planned,
        appId: app,
        request,
        ttlMs: 60_000,
        batches: [batch(recipients)]
      })
      expect(made).toMatchObject({ id: planned, status: "queued", startedAt: null })
      expect(Option.getOrThrow(yield* notifications.find(app, planned))).toMatchObject({ status: "sending" })
      expect(yield* notifications.claimPlan(planned, 60_000)).toEqual(Option.none())
      expect(yield* notifications.completeIfDone(planned)).toBe(false)
      expect(yield* accountOf(app, planned)).toMatchObject({ accepted: 3, pending: 3 })
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 0 })
      const claimed = yield* batches.claim({ appId: app, provider: "fcm", priority: "high" }, 10, 60_000)
      expect(claimed).toMatchObject([{ notificationId: planned, recipients }])
      expect((yield* batches.forgotten(-1000)).plans.map((plan) => plan.id)).not.toContain(planned)
    })
  )

  it.effect("accepts many at once, of many applications, planned and unplanned, and refuses only what is refused", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const apps = [yield* newApp, yield* newApp, yield* newApp]
      const taken = yield* accepted(apps[0]!)
      const isDouble = (i: number) => i === 17 || i === 130
      const made = yield* Effect.forEach(
        Array.from({ length: 150 }, (_, i) => i),
        (i) => {
          const appId = apps[i % 3]!
          const id = isDouble(i) ? taken : (uuidv7() as NotificationId)
          const request: SendNotification = { to: { all: true }, content: { title: `number ${i}` }, priority: "high" }
          return Effect.exit(
            notifications.accept({
              id,
              appId,
              request,
              ttlMs: 1000 + i,
              batches: i % 2 === 0 ? null : [batch(ids(i % 5)), batch(ids(1))]
            })
          )
        },
        { concurrency: "unbounded" }
      )
      for (const [i, exit] of made.entries()) {
        if (exit._tag === "Failure") {
          expect(isDouble(i)).toBe(true)
          continue
        }
        const { id } = exit.value
        const stored = Option.getOrThrow(yield* notifications.find(apps[i % 3]!, id))
        expect(stored.request.content!.title).toBe(`number ${i}`)
        expect(stored.createdAt).toBe(exit.value.createdAt)
        expect(Option.getOrThrow(yield* notifications.message(id)).expiresAt).toBe(stored.createdAt + 1000 + i)
        const account = yield* accountOf(apps[i % 3]!, id)
        expect(account.pending).toBe(i % 2 === 0 ? 0 : (i % 5) + 1)
      }
      expect(made.filter((exit) => exit._tag === "Failure")).toHaveLength(2)
      expect(Option.getOrThrow(yield* notifications.find(apps[0]!, taken)).request.content!.title).toBe("Hello")
    })
  )

  it.effect("finds many at once, of their own application", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const [app, other] = [yield* newApp, yield* newApp]
      const [one, two, foreign] = [yield* accepted(app), yield* accepted(app), yield* accepted(other)]
      const found = yield* notifications.findMany(app, [one, two, foreign, "nothing" as NotificationId])
      expect(found.map(({ id }) => id).sort()).toEqual([one, two].sort())
      expect(found[0]).toEqual(Option.getOrThrow(yield* notifications.find(app, found[0]!.id)))
      expect(yield* notifications.findMany(app, [])).toEqual([])
    })
  )
})
