import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import { layer as liquid } from "../../../../layers/liquid/TemplateEngine.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { SendNotification } from "../../../../services/domain/sending/Notification.ts"
import { Accept } from "../../../../services/engine/sending/Accept.ts"
import { Templates } from "../../../../services/engine/messages/Templates.ts"
import { Planner } from "../../../../services/engine/sending/Planner.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { QueueLog } from "../../../doubles/operations/JobQueue.ts"
import { accountOf, android, chunkOf, hotStores, newApp } from "../../../layers/postgres/Stores.ts"

const engine = Layer.mergeAll(Accept.layer, Planner.layer).pipe(
  Layer.provide(settingsOf({ BATCH_SIZE: "3", PLAN_PAGE: "2", DEFAULT_TIMEZONE: "Asia/Kathmandu" })),
  Layer.provide(new QueueLog().layer),
  Layer.provide(Templates.layer),
  Layer.provide(liquid),
  Layer.provideMerge(hotStores)
)

const ZONES = ["Pacific/Kiritimati", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Pacific/Pago_Pago"] as const

/** Devices in each zone, two of whose zones are known by their contact alone, and one without any. */
const audience = Effect.fnUntraced(function* (app: AppId) {
  const devices = yield* DeviceStore
  const contacts = yield* ContactStore
  yield* contacts.upsert(app, [{ external_id: "ann", timezone: "America/New_York" }])
  const lines = [
    ...ZONES.flatMap((timezone) => [0, 1, 2, 3].map((i) => android(`${timezone}-${i}`, { timezone }))),
    android("ann-1", { user_id: "ann" }),
    android("ann-2", { user_id: "ann", timezone: "Asia/Tokyo" }),
    android("nowhere")
  ]
  const made = yield* devices.register(app, lines)
  return new Map(made.map(({ id }, i) => [id as string, lines[i]!.token]))
})

const send = Effect.fnUntraced(function* (app: AppId, request: Partial<SendNotification>) {
  const accept = yield* Accept
  const sql = yield* SqlClient.SqlClient
  const sent = yield* accept.send(app, { to: { all: true }, content: { title: "Hello" }, ttl: 3600, ...request })
  // The sweep that finds it due, whatever this machine's clock says beside the database's.
  yield* sql`UPDATE notifications SET send_at = least(send_at, now()) WHERE id = ${sent.id}`
  return sent
})

/** What the workers of a node do between two sweeps. */
const sweep = Effect.gen(function* () {
  const batches = yield* BatchStore
  const planner = yield* Planner
  const { plans } = yield* batches.forgotten(60_000)
  for (const { id } of plans) yield* planner.plan(id, "bulk")
  return plans.length
})

const claim = Effect.fnUntraced(function* (appId: AppId) {
  const batches = yield* BatchStore
  return yield* batches.claim({ appId, provider: "fcm", priority: "bulk" }, 100, 60_000)
})

const statusOf = Effect.fnUntraced(function* (app: AppId, id: NotificationId) {
  const notifications = yield* NotificationStore
  return Option.getOrThrow(yield* notifications.find(app, id)).status
})

interface Due {
  readonly recipient: string
  readonly due: Date
  readonly ttl: number
}

const duesOf = Effect.fnUntraced(function* (id: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Due>`
    SELECT r AS recipient, due_at AS due, extract(epoch FROM expires_at - due_at)::integer AS ttl
    FROM batches, unnest(recipients) AS r WHERE notification_id = ${id}`
})

/** A day far enough ahead that its time has passed nowhere, and near enough to be allowed. */
const dayAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

layer(engine)("a local time", (it) => {
  it.effect("is each recipient's own, as PostgreSQL reads the same clocks, and the time to live counts from it", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const tokenOf = yield* audience(app)
      const day = dayAhead(40)
      const { id, status } = yield* send(app, { local_time: "12:34", send_at: day })
      expect(status).toBe("scheduled")
      expect(yield* sweep).toBe(1)
      const dues = yield* duesOf(id)
      expect(dues.length).toBe(tokenOf.size)
      expect(new Set(dues.map(({ recipient }) => recipient)).size).toBe(tokenOf.size)
      for (const { due, recipient, ttl } of dues) {
        const token = tokenOf.get(recipient)!
        const zone =
          token === "nowhere"
            ? "Asia/Kathmandu"
            : token === "ann-1"
              ? "America/New_York"
              : token === "ann-2"
                ? "Asia/Tokyo"
                : token.slice(0, -2)
        const [row] = yield* sql<{ at: Date }>`SELECT (${`${day} 12:34`}::timestamp AT TIME ZONE ${zone}) AS at`
        expect([token, due.toISOString()]).toEqual([token, row!.at.toISOString()])
        expect(ttl).toBe(3600)
      }
      expect(yield* statusOf(app, id)).toBe("scheduled")
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: tokenOf.size, pending: tokenOf.size })
      expect(yield* claim(app)).toEqual([])
    })
  )

  it.effect("makes batches of due times, not of pages, zones or recipients", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      yield* audience(app)
      const { id } = yield* send(app, { local_time: "07:00", timezone: "Europe/Berlin" })
      yield* sweep
      const [row] = yield* sql<{ batches: number; dues: number; most: number }>`
        SELECT count(*)::integer AS batches, count(DISTINCT due_at)::integer AS dues, max(cardinality(recipients)) AS most
        FROM batches WHERE notification_id = ${id}`
      // The recipient without a zone goes with Berlin.
      expect(row!.dues).toBe(ZONES.length)
      expect(row!.most).toBeLessThanOrEqual(3)
      expect(row!.batches).toBeLessThanOrEqual(16)
    })
  )

  it.effect("sends each group when it is due, and is complete after the last", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const batches = yield* BatchStore
      const notifications = yield* NotificationStore
      const tokenOf = yield* audience(app)
      const { id } = yield* send(app, { local_time: "12:00", send_at: dayAhead(40) })
      yield* sweep
      const moments = yield* sql<{ due: Date }>`
        SELECT DISTINCT due_at AS due FROM batches WHERE notification_id = ${id} ORDER BY due_at`
      expect(moments.length).toBe(ZONES.length + 1)
      let left = tokenOf.size
      for (const [index] of moments.entries()) {
        // The database's clock comes to the next moment: everything is due that much sooner.
        yield* sql`
          WITH ahead AS (SELECT min(due_at) - now() AS by FROM batches WHERE notification_id = ${id} AND NOT done)
          UPDATE batches SET due_at = due_at - ahead.by, expires_at = expires_at - ahead.by FROM ahead
          WHERE notification_id = ${id}`
        yield* sql`UPDATE notifications SET send_at = now() WHERE id = ${id} AND status = 'scheduled'`
        yield* sweep
        expect(yield* statusOf(app, id)).toBe("sending")
        const claimed = yield* claim(app)
        expect(claimed.length).toBeGreaterThan(0)
        for (const batch of claimed) {
          expect(batch.expiresAt! - Date.now()).toBeGreaterThan(3_000_000)
          left -= batch.recipients.length
          yield* batches.finish(chunkOf(batch, batch.recipients))
          expect(yield* notifications.completeIfDone(id)).toBe(left === 0)
        }
        expect(yield* accountOf(app, id)).toMatchObject({ accepted: tokenOf.size, pending: left })
        expect(left === 0).toBe(index === moments.length - 1)
      }
      expect(yield* statusOf(app, id)).toBe("completed")
    })
  )

  it.effect("keeps everybody in one batch, at one moment, when its planner dies on the way", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const tokenOf = yield* audience(app)
      const { id } = yield* send(app, { local_time: "18:00" })
      // A planner that wrote a page, and died.
      yield* (yield* BatchStore).forgotten(60_000)
      const plan = Option.getOrThrow(yield* notifications.claimPlan(id, 60_000))
      yield* sql`UPDATE notifications SET plan_lease_until = now() - interval '1 s' WHERE id = ${id}`
      yield* (yield* Planner).plan(id, "bulk")
      const late = { id, fence: plan.fence, cursor: null, done: true, leaseMs: 60_000 }
      const batch = { id: uuidv7() as never, provider: "fcm" as const, recipients: [...tokenOf.keys()], dueAt: 0 }
      expect(yield* notifications.savePlan({ ...late, batches: [batch] })).toBe(false)
      const dues = yield* duesOf(id)
      expect(dues.map(({ recipient }) => recipient).toSorted()).toEqual([...tokenOf.keys()].toSorted())
      const byZone = new Map<string, Set<number>>()
      for (const { due, recipient } of dues) {
        const zone = tokenOf.get(recipient)!.replace(/-\d$/, "")
        byZone.set(zone, (byZone.get(zone) ?? new Set()).add(due.getTime()))
      }
      for (const zone of ZONES) expect([zone, byZone.get(zone)!.size]).toEqual([zone, 1])
    })
  )

  it.effect("is cancelled exactly while it is scheduled, and paused and resumed between two zones", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const tokenOf = yield* audience(app)
      const first = yield* send(app, { local_time: "12:00", send_at: dayAhead(40) })
      yield* sweep
      yield* notifications.control(app, first.id, "cancel")
      expect(yield* accountOf(app, first.id)).toMatchObject({ accepted: tokenOf.size, cancelled: tokenOf.size })
      expect(yield* statusOf(app, first.id)).toBe("cancelled")

      const second = yield* send(app, { local_time: "12:00", send_at: dayAhead(40) })
      yield* sweep
      yield* sql`
        UPDATE batches SET due_at = now() WHERE notification_id = ${second.id}
          AND due_at = (SELECT min(due_at) FROM batches WHERE notification_id = ${second.id})`
      yield* sql`UPDATE notifications SET send_at = now() WHERE id = ${second.id}`
      yield* sweep
      yield* notifications.control(app, second.id, "pause")
      expect(yield* claim(app)).toEqual([])
      yield* notifications.control(app, second.id, "resume")
      const claimed = yield* claim(app)
      expect(claimed.flatMap(({ recipients }) => recipients).map((id) => tokenOf.get(id)!.slice(0, -2))).toEqual(
        Array.from({ length: 4 }, () => "Pacific/Kiritimati")
      )
      expect(yield* statusOf(app, second.id)).toBe("sending")
    })
  )

  it.effect(
    "waits while it is paused before its first zone, and goes to those whose time went by after the resume",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const sql = yield* SqlClient.SqlClient
        const notifications = yield* NotificationStore
        const tokenOf = yield* audience(app)
        const { id } = yield* send(app, { local_time: "12:00", send_at: dayAhead(40) })
        yield* sweep
        yield* notifications.control(app, id, "pause")
        expect(yield* statusOf(app, id)).toBe("paused")
        expect(Option.getOrThrow(yield* notifications.control(app, id, "resume")).notification.status).toBe("scheduled")
        yield* notifications.control(app, id, "pause")
        // Two hours after the first zone's time.
        yield* sql`
        WITH ahead AS (SELECT min(due_at) - now() + interval '2 hours' AS by FROM batches WHERE notification_id = ${id})
        UPDATE batches SET due_at = due_at - ahead.by, expires_at = expires_at - ahead.by FROM ahead
        WHERE notification_id = ${id}`
        yield* sql`
        UPDATE notifications SET send_at = (SELECT min(due_at) FROM batches WHERE notification_id = ${id}) WHERE id = ${id}`
        yield* sweep
        expect([yield* statusOf(app, id), yield* claim(app)]).toEqual(["paused", []])
        const resumed = Option.getOrThrow(yield* notifications.control(app, id, "resume"))
        expect([resumed.notification.status, resumed.plan]).toEqual(["sending", false])
        const claimed = yield* claim(app)
        const zones = new Set(claimed.flatMap((batch) => batch.recipients.map((one) => tokenOf.get(one)!.slice(0, -2))))
        expect([...zones]).toEqual(["Pacific/Kiritimati"])
        for (const batch of claimed) expect(batch.expiresAt! - Date.now()).toBeGreaterThan(3_000_000)
        expect(yield* accountOf(app, id)).toMatchObject({ accepted: tokenOf.size, pending: tokenOf.size })
      })
  )

  it.effect("is planned anew when it is changed before its first zone: nobody twice, and no one of the old plan", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const tokenOf = yield* audience(app)
      const { id } = yield* send(app, { local_time: "12:00", send_at: dayAhead(40) })
      yield* sweep
      const before = yield* duesOf(id)
      expect(before).toHaveLength(tokenOf.size)
      const { request, revision } = Option.getOrThrow(yield* notifications.find(app, id))
      const changed = { ...request, local_time: "18:00" }
      const sendAt = Date.now() + 86_400_000
      const fields = ["local_time"]
      const revise = { id, appId: app, revision, fields, request: changed, ttlMs: 3_600_000, sendAt }
      expect(Option.getOrThrow(yield* notifications.revise(revise)).status).toBe("scheduled")
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 0, pending: 0 })
      yield* sql`UPDATE notifications SET send_at = now() WHERE id = ${id}`
      yield* sweep
      const after = yield* duesOf(id)
      expect(after.map(({ recipient }) => recipient).toSorted()).toEqual([...tokenOf.keys()].toSorted())
      const dueOf = new Map(before.map(({ due, recipient }) => [recipient, due.getTime()]))
      for (const { due, recipient } of after) expect(due.getTime() - dueOf.get(recipient)!).toBe(6 * 3_600_000)
      expect(yield* statusOf(app, id)).toBe("scheduled")
    })
  )

  it.effect("is complete at once when there is nobody", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const { id } = yield* send(app, { local_time: "12:00" })
      yield* sweep
      expect(yield* statusOf(app, id)).toBe("completed")
    })
  )
})
