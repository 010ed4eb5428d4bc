import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { CurrentActor } from "../../../../services/ports/access/AuditLog.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import type { Revision } from "../../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { accepted, atOnce, HELLO, hotStores, newApp } from "../Stores.ts"

const HOUR = 3_600_000
const BYE = { ...HELLO, content: { title: "Bye" } }

const scheduled = Effect.fnUntraced(function* (appId: AppId, sendAt = Date.now() + HOUR) {
  const id = uuidv7() as NotificationId
  const notifications = yield* NotificationStore
  yield* notifications.accept({ id, appId, request: HELLO, ttlMs: 60_000, sendAt, batches: null })
  return id
})

const get = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
  return Option.getOrThrow(yield* (yield* NotificationStore).find(appId, id))
})

const revisionOf = Effect.fnUntraced(function* (appId: AppId, id: NotificationId, change: Partial<Revision> = {}) {
  const { revision } = yield* get(appId, id)
  const base = { appId, id, revision, fields: ["content"], request: BYE, ttlMs: 30_000, sendAt: Date.now() + 2 * HOUR }
  return { ...base, ...change }
})

layer(hotStores)("NotificationStore.revise", (it) => {
  it.effect("changes what a scheduled notification says, when it is due and how long it is worth sending", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const id = yield* scheduled(app)
      const sendAt = Date.now() + 2 * HOUR
      const revision = yield* revisionOf(app, id, {
        sendAt,
        request: { ...BYE, priority: "high" },
        fields: ["content", "priority"]
      })
      const actor = { kind: "key" as const, id: uuidv7() }
      const revised = Option.getOrThrow(
        yield* Effect.provideService(notifications.revise(revision), CurrentActor, actor)
      )
      expect(revised).toMatchObject({ status: "scheduled", request: { ...BYE, priority: "high" }, startedAt: null })
      expect(revised.updatedAt).not.toBe(null)
      expect(revised.revision).not.toBe(revision.revision)
      expect(yield* get(app, id)).toEqual(revised)
      const message = Option.getOrThrow(yield* notifications.message(id))
      expect(message).toMatchObject({ content: { title: "Bye" }, priority: "high" })
      expect(message.expiresAt).toBe(sendAt + 30_000)
      const entries = yield* sql`
        SELECT actor_kind, actor_id, action, target, details FROM audit_log
        WHERE app_id = ${app} AND action <> 'notification.created'`
      expect(entries).toEqual([
        {
          actor_kind: "key",
          actor_id: actor.id,
          action: "notification.changed",
          target: id,
          details: { fields: ["content", "priority"] }
        }
      ])
      const [row] = yield* sql`SELECT priority, send_at, published_at FROM notifications WHERE id = ${id}`
      const at = new Date(sendAt)
      expect(row).toEqual({ priority: "high", send_at: at, published_at: at })
    })
  )

  it.effect("queues it at once where its time is taken away, and leaves a paused one paused", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const [now, paused] = [yield* scheduled(app), yield* scheduled(app)]
      expect(Option.getOrThrow(yield* notifications.revise(yield* revisionOf(app, now, { sendAt: null }))).status).toBe(
        "queued"
      )
      expect(Option.isSome(yield* notifications.claimPlan(now, 60_000))).toBe(true)
      yield* notifications.control(app, paused, "pause")
      for (const sendAt of [null, Date.now() + HOUR]) {
        const revised = yield* notifications.revise(yield* revisionOf(app, paused, { sendAt }))
        expect(Option.getOrThrow(revised).status).toBe("paused")
        expect(yield* notifications.claimPlan(paused, 60_000)).toEqual(Option.none())
      }
      const resumed = Option.getOrThrow(yield* notifications.control(app, paused, "resume"))
      expect(resumed.notification).toMatchObject({ status: "scheduled", request: BYE })
    })
  )

  it.effect("changes nothing of what has begun, is over, is another application's, or was changed meanwhile", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      const queued = yield* accepted(app)
      const begun = yield* accepted(app)
      yield* notifications.claimPlan(begun, 60_000)
      const stopped = yield* accepted(app)
      yield* notifications.claimPlan(stopped, 60_000)
      yield* notifications.control(app, stopped, "pause")
      const cancelled = yield* scheduled(app)
      yield* notifications.control(app, cancelled, "cancel")
      for (const id of [queued, begun, stopped, cancelled]) {
        expect(yield* notifications.revise(yield* revisionOf(app, id))).toEqual(Option.none())
        expect((yield* get(app, id)).request).toEqual(HELLO)
      }
      const id = yield* scheduled(app)
      const revision = yield* revisionOf(app, id)
      expect(yield* notifications.revise({ ...revision, appId: other })).toEqual(Option.none())
      expect(Option.isSome(yield* notifications.revise(revision))).toBe(true)
      const second = { ...revision, request: { ...HELLO, content: { title: "Second" } } }
      expect(yield* notifications.revise(second)).toEqual(Option.none())
      expect((yield* get(app, id)).request).toEqual(BYE)
      expect(
        yield* sql`SELECT target FROM audit_log
        WHERE app_id IN (${app}, ${other}) AND action = 'notification.changed'`
      ).toEqual([{ target: id }])
    })
  )

  it.effect("meets the moment of sending on another node: either the change is sent, or it is refused", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const ids: Array<NotificationId> = []
      for (let i = 0; i < 40; i++) ids.push(yield* scheduled(app))
      const begin = Effect.fnUntraced(function* (id: NotificationId) {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE notifications SET send_at = now() WHERE id = ${id} AND status = 'scheduled'`
        while (true) {
          yield* (yield* BatchStore).forgotten(60_000)
          const plan = yield* (yield* NotificationStore).claimPlan(id, 60_000)
          if (Option.isSome(plan)) return String(plan.value.notification.request.content?.title)
          // The change holds it at the moment: this look passes it by, and the next one after the change finds it.
          yield* sql`SELECT 1 FROM notifications WHERE id = ${id} FOR UPDATE`
        }
      })
      const change = Effect.fnUntraced(function* (id: NotificationId) {
        const revised = yield* (yield* NotificationStore).revise(yield* revisionOf(app, id, { sendAt: null }))
        return Option.isSome(revised) ? "Bye" : "Hello"
      })
      const [first, last] = [ids[0]!, ids.at(-1)!]
      expect([yield* begin(first), yield* change(first)]).toEqual(["Hello", "Hello"])
      expect([yield* change(last), yield* begin(last)]).toEqual(["Bye", "Bye"])
      // The one begins at the first of the rest, the other changes from its end on: they meet on the way.
      const rest = ids.slice(1, -1)
      const [sent, said] = yield* atOnce([
        Effect.forEach(rest, begin),
        Effect.map(Effect.forEach(rest.toReversed(), change), (all) => all.toReversed())
      ])
      expect(sent).toEqual(said)
      // They meet at each of these.
      const both: Array<NotificationId> = []
      for (let i = 0; i < 40; i++) both.push(yield* scheduled(app))
      const [begun, changed] = yield* atOnce([Effect.forEach(both, begin), Effect.forEach(both, change)])
      expect(begun).toEqual(changed)
    })
  )
})
