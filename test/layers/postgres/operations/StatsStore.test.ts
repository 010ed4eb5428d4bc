import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import * as EngagementStores from "../../../../layers/postgres/engagement/EngagementStore.ts"
import { sweep } from "../../../../layers/postgres/operations/Retention.ts"
import * as StatsStores from "../../../../layers/postgres/operations/StatsStore.ts"
import type { AppId, DeviceId } from "../../../../services/domain/Ids.ts"
import { NOTHING, sum } from "../../../../services/domain/operations/Stats.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { EngagementStore } from "../../../../services/ports/engagement/EngagementStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { StatsStore } from "../../../../services/ports/operations/StatsStore.ts"
import { android, atOnce, chunkOf, hotStores, ids, newApp, planned } from "../Stores.ts"

const stores = Layer.mergeAll(StatsStores.layer, EngagementStores.layer, ContactStores.layer).pipe(
  Layer.provideMerge(hotStores)
)

/** Everything of an application, by provider. */
const sumsOf = Effect.fnUntraced(function* (app: AppId) {
  const stats = yield* StatsStore
  const rows = yield* stats.days(app, "2000-01-01", "2100-01-01")
  return Object.fromEntries(rows.map(({ day: _day, provider, ...sums }) => [provider, sums]))
})

const claimOne = Effect.fnUntraced(function* (app: AppId) {
  const batches = yield* BatchStore
  const [batch] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
  return batch!
})

layer(stores, { timeout: 240_000 })("StatsStore", (it) => {
  it.effect("adds up results as they are written, and a repeated write once", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const batches = yield* BatchStore
      const recipients = ids(10)
      const id = yield* planned(app, [recipients])
      const batch = yield* claimOne(app)
      const first = chunkOf(batch, recipients.slice(0, 6), { remaining: recipients.slice(6) })
      yield* batches.finish(first)
      yield* batches.finish(first)
      const statuses = ["failed", "failed", "skipped", "sent"] as const
      const rest = recipients.slice(6)
      const final = {
        recipients: rest,
        statuses,
        messageIds: rest.map(() => null),
        errors: rest.map((_, i) => (i < 3 ? "some_reason" : null))
      }
      yield* batches.finish(chunkOf(batch, [], { final }))
      expect(yield* sumsOf(app)).toEqual({ fcm: { ...NOTHING, sent: 7, failed: 2, skipped: 1 } })
      const stats = yield* StatsStore
      expect(yield* stats.notification(app, id)).toEqual([
        { provider: "fcm", pending: 0, sent: 7, failed: 2, skipped: 1, cancelled: 0 }
      ])
      expect(yield* stats.notification(yield* newApp, id)).toEqual([])
    })
  )

  it.effect("loses nothing where many nodes write at once", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const lists = Array.from({ length: 12 }, () => ids(5))
      yield* planned(app, lists)
      yield* atOnce(
        lists.map(() =>
          Effect.gen(function* () {
            const batches = yield* BatchStore
            const batch = yield* claimOne(app)
            yield* batches.finish(chunkOf(batch, batch.recipients))
          })
        )
      )
      expect(yield* sumsOf(app)).toEqual({ fcm: { ...NOTHING, sent: 60 } })
    })
  )

  it.effect("adds up whom a cancelled mailing did not reach", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const notifications = yield* NotificationStore
      const id = yield* planned(app, [ids(4), ids(3)])
      yield* notifications.control(app, id, "cancel")
      expect(yield* sumsOf(app)).toEqual({ fcm: { ...NOTHING, cancelled: 7 } })
    })
  )

  it.effect("adds up what clients report once, by the platform of their device, and remembers when they last did", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [app, devices, engagement, batches] = [
        yield* newApp,
        yield* DeviceStore,
        yield* EngagementStore,
        yield* BatchStore
      ]
      const made = (yield* devices.register(app, [android("a"), android("b")])).map(({ id }) => id)
      const id = yield* planned(app, [made])
      yield* batches.finish(chunkOf(yield* claimOne(app), made))
      const report = (deviceId: string, type: "opened" | "clicked" | "delivered") =>
        engagement.record({ appId: app, notificationId: id, deviceId, type, destination: null })
      yield* Effect.all(
        [...made, ...made].flatMap((device) => [report(device, "delivered"), report(device, "opened")]),
        { concurrency: "unbounded" }
      )
      yield* report(made[0]!, "clicked")
      expect(yield* sumsOf(app)).toEqual({ fcm: { ...NOTHING, sent: 2, delivered: 2, opened: 2, clicked: 1 } })
      const last = yield* sql<{ readonly id: string; readonly clicked: boolean }>`
        SELECT recipient_id AS id, clicked_at IS NOT NULL AS clicked FROM last_engaged
        WHERE app_id = ${app} AND opened_at > now() - interval '1 hour' AND delivered_at IS NOT NULL`
      expect(new Map(last.map((row) => [row.id, row.clicked]))).toEqual(
        new Map([
          [made[0], true],
          [made[1], false]
        ])
      )
    })
  )

  it.effect("tells the machines' part of mail apart, and does not take them for people who engage", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [app, engagement] = [yield* newApp, yield* EngagementStore]
      const id = yield* planned(app, [ids(1)], "smtp")
      const [person, scanner] = ids(2)
      const open = (deviceId: string, isMachine: boolean) =>
        engagement.record({
          appId: app,
          notificationId: id,
          deviceId,
          type: "opened",
          destination: null,
          mail: { isMachine, link: 0 }
        })
      yield* open(person!, false)
      yield* open(scanner!, true)
      expect(yield* sumsOf(app)).toEqual({ smtp: { ...NOTHING, opened: 2, machine_opened: 1 } })
      const last = yield* sql<{
        readonly id: string
      }>`SELECT recipient_id AS id FROM last_engaged WHERE app_id = ${app}`
      expect(last).toEqual([{ id: person }])
    })
  )

  it.effect(
    "forgets when somebody engaged together with their device or channel, and remembers nothing of the gone",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [app, contacts, devices, engagement, batches] = [
          yield* newApp,
          yield* ContactStore,
          yield* DeviceStore,
          yield* EngagementStore,
          yield* BatchStore
        ]
        const [person] = yield* contacts.upsert(app, [{ external_id: "p", email: "p@example.com" }])
        const [channel] = yield* sql<{ readonly id: string }>`SELECT id FROM channels WHERE app_id = ${app}`
        const made = (yield* devices.register(app, [
          android("stays"),
          android("goes"),
          android("theirs", { user_id: "p" })
        ])).map(({ id }) => id)
        const id = yield* planned(app, [made])
        yield* batches.finish(chunkOf(yield* claimOne(app), made))
        const open = (deviceId: string, mail?: { readonly isMachine: boolean; readonly link: number }) =>
          engagement.record({
            appId: app,
            notificationId: id,
            deviceId,
            type: "opened",
            destination: null,
            ...(mail && { mail })
          })
        for (const device of made) yield* open(device)
        yield* open(channel!.id, { isMachine: false, link: 0 })
        const remembered = sql<{
          readonly id: string
        }>`SELECT recipient_id AS id FROM last_engaged WHERE app_id = ${app}`
        expect(yield* remembered).toHaveLength(4)
        yield* devices.remove(app, made[1]! as DeviceId)
        yield* contacts.remove(app, person!.id)
        expect(yield* remembered).toEqual([{ id: made[0] }])
        expect(
          Option.isSome(
            yield* engagement.record({
              appId: app,
              notificationId: id,
              deviceId: made[1]!,
              type: "clicked",
              destination: null
            })
          )
        ).toBe(true)
        expect(yield* remembered).toEqual([{ id: made[0] }])
      })
  )

  it.effect("keeps one row of a day that is over, with the same sums, and leaves days that may get more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const other = yield* newApp
      yield* sql`INSERT INTO daily_stats (app_id, day, provider, slot, sent, machine_clicked)
        SELECT t.app::uuid, (now() AT TIME ZONE 'UTC')::date - ago, p::"char", slot, slot + 1, 1
        FROM unnest(ARRAY[${app}, ${other}]) AS t (app), unnest(ARRAY[-1, 0, 3, 4]) AS ago, unnest(ARRAY['a', 'f']) AS p,
          generate_series(0, 9) AS slot`
      const slots = () => sql<{ readonly ago: number; readonly slots: number }>`
        SELECT (now() AT TIME ZONE 'UTC')::date - day AS ago, count(*)::integer AS slots FROM daily_stats
        WHERE app_id = ${app} AND provider = 'a' GROUP BY day ORDER BY ago`
      const stats = yield* StatsStore
      const totalOf = (of: AppId) => Effect.map(stats.days(of, "2000-01-01", "2100-01-01"), sum)
      const before = yield* Effect.all([totalOf(app), totalOf(other)])
      expect(before[0]).toEqual({ ...NOTHING, sent: 8 * 55, machine_clicked: 8 * 10 })
      const rowsOf = Effect.map(slots(), (rows) => rows.map(({ slots }) => slots))
      expect(yield* rowsOf).toEqual([10, 10, 10, 10])
      yield* TestClock.withLive(sweep(30))
      expect(yield* rowsOf).toEqual([10, 10, 1, 1])
      // What was put together stays as it is, and takes up what comes late all the same.
      yield* sql`INSERT INTO daily_stats (app_id, day, provider, slot, sent)
        VALUES (${app}, (now() AT TIME ZONE 'UTC')::date - 4, 'a', 5, 7)`
      yield* TestClock.withLive(sweep(30))
      expect(yield* rowsOf).toEqual([10, 10, 1, 1])
      expect(yield* totalOf(app)).toEqual({ ...NOTHING, sent: 8 * 55 + 7, machine_clicked: 8 * 10 })
      expect(yield* totalOf(other)).toEqual(before[1])
    })
  )
})
