import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as EngagementStores from "../../../layers/postgres/EngagementStore.ts"
import { pool } from "../../../layers/postgres/Database.ts"
import { PgClient } from "@effect/sql-pg"
import type { EngagementType } from "../../../services/domain/Engagement.ts"
import type { EventChunk } from "../../../services/domain/Event.ts"
import { eventBodies } from "../../../services/domain/Event.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import { deliveryIdOf, uuidv7 } from "../../../services/domain/Ids.ts"
import { BatchStore } from "../../../services/ports/BatchStore.ts"
import { DeviceStore } from "../../../services/ports/DeviceStore.ts"
import { EngagementStore } from "../../../services/ports/EngagementStore.ts"
import { NotificationStore } from "../../../services/ports/NotificationStore.ts"
import { TestDatabase } from "../../Database.ts"
import { android, chunkOf, hotStores, ids, newApp, newHook, planned } from "./Stores.ts"

const stores = EngagementStores.layer.pipe(Layer.provideMerge(hotStores))

/** A notification that was sent to some devices. */
const sentTo = Effect.fnUntraced(function* (appId: AppId, devices: ReadonlyArray<string>) {
  const batches = yield* BatchStore
  const id = yield* planned(appId, [devices])
  const [batch] = yield* batches.claim({ appId, provider: "fcm", priority: "bulk" }, 1, 60_000)
  yield* batches.finish(chunkOf(batch!, devices))
  return id
})

const record = Effect.fnUntraced(function* (
  appId: AppId,
  notificationId: NotificationId,
  deviceId: string,
  type: EngagementType = "delivered",
  destination: string | null = null
) {
  const engagement = yield* EngagementStore
  return yield* engagement.record({ appId, notificationId, deviceId, type, destination })
})

const countsOf = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
  const notifications = yield* NotificationStore
  const { delivered, opened, clicked } = (yield* notifications.counts(appId, [id])).get(id)!
  return { delivered, opened, clicked }
})

/** The bodies of all events that a hook is to get. */
const eventsFor = Effect.fnUntraced(function* (hook: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Omit<EventChunk, "at"> & { app_id: AppId; at: Date; common: string; columns: string }>`
    SELECT c.* FROM hook_work w JOIN event_chunks c ON c.id = w.chunk_id WHERE w.hook_id = ${hook} ORDER BY c.id`
  return rows.flatMap((row) => {
    const bodies = eventBodies({
      ...row,
      appId: row.app_id,
      at: row.at.getTime(),
      common: JSON.parse(row.common),
      columns: JSON.parse(row.columns)
    })
    return Array.from({ length: row.size }, (_, i) => JSON.parse(bodies(i)))
  })
})

layer(stores)("EngagementStore", (it) => {
  it.effect("counts each delivery and type once, however often and from wherever it is told", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const app = yield* newApp
      const devices = ids(40)
      const id = yield* sentTo(app, devices)
      // Two nodes, each told everything twice, in opposite orders.
      const node = (order: ReadonlyArray<string>) =>
        Effect.all(
          [...order, ...order].flatMap((device) => [record(app, id, device), record(app, id, device, "opened")]),
          { concurrency: "unbounded" }
        ).pipe(
          Effect.provide(
            Layer.fresh(EngagementStores.layer.pipe(Layer.provide(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie))))
          )
        )
      const answers = yield* Effect.all([node(devices), node(devices.toReversed())], { concurrency: "unbounded" })
      expect(answers.flat().every(Option.isSome)).toBe(true)
      yield* record(app, id, devices[0]!, "clicked")
      expect(yield* countsOf(app, id)).toEqual({ delivered: 40, opened: 40, clicked: 1 })
    })
  )

  it.effect("tells subscribed hooks of each once, with the payload of its event", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const all = yield* newHook(app)
      const clicks = yield* newHook(app, { events: ["NOTIFICATION_CLICKED"] })
      const off = yield* newHook(app, { isActive: false })
      const foreign = yield* newHook(yield* newApp)
      const devices = ids(3)
      const id = yield* sentTo(app, devices)
      const told = yield* Effect.all(
        [
          record(app, id, devices[0]!),
          record(app, id, devices[1]!, "opened"),
          record(app, id, devices[2]!, "clicked", 'https://example.com/?q="é"'),
          record(app, id, devices[0]!, "clicked"),
          record(app, id, devices[0]!, "clicked", "https://example.com/second")
        ],
        { concurrency: "unbounded" }
      )
      expect(new Set(told.flatMap((hooks) => Option.getOrThrow(hooks)))).toEqual(new Set([all, clicks]))
      expect(yield* record(app, id, devices[1]!, "opened")).toEqual(Option.some([]))

      const events = yield* eventsFor(all)
      const log = (device: string) => deliveryIdOf(id, device)
      const payloads = events.map(({ event, payload, timestamp }) => ({ event, timestamp, ...payload }))
      const at = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const common = { notificationId: id, timestamp: at }
      expect(payloads).toHaveLength(4)
      expect(payloads).toEqual(
        expect.arrayContaining([
          { event: "NOTIFICATION_DELIVERED", ...common, deliveryLogId: log(devices[0]!), deliveredAt: at },
          { event: "NOTIFICATION_OPENED", ...common, deliveryLogId: log(devices[1]!), openedAt: at },
          {
            event: "NOTIFICATION_CLICKED",
            ...common,
            deliveryLogId: log(devices[2]!),
            clickedAt: at,
            destination: 'https://example.com/?q="é"'
          },
          { event: "NOTIFICATION_CLICKED", ...common, deliveryLogId: log(devices[0]!), clickedAt: at }
        ])
      )
      expect(new Set(events.map((event) => event.id)).size).toBe(4)
      expect((yield* eventsFor(clicks)).map(({ event }) => event)).toEqual([
        "NOTIFICATION_CLICKED",
        "NOTIFICATION_CLICKED"
      ])
      expect(yield* eventsFor(off)).toEqual([])
      expect(yield* eventsFor(foreign)).toEqual([])
    })
  )

  it.effect("takes no report on what does not belong together", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const devices = ids(2)
      const id = yield* sentTo(app, [devices[0]!])
      const foreign = yield* sentTo(other, [devices[1]!])
      const refused = yield* Effect.all(
        [
          record(other, id, devices[0]!),
          record(app, id, devices[1]!),
          record(app, foreign, devices[1]!),
          record(app, uuidv7() as NotificationId, devices[0]!),
          record(app, id, uuidv7())
        ],
        { concurrency: "unbounded" }
      )
      expect(refused.every(Option.isNone)).toBe(true)
      expect(yield* countsOf(app, id)).toEqual({ delivered: 0, opened: 0, clicked: 0 })
      expect(yield* countsOf(other, foreign)).toEqual({ delivered: 0, opened: 0, clicked: 0 })
    })
  )

  it.effect("lets a stranger's report of the same ids take nothing from the application's own", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const devices = ids(1)
      const id = yield* sentTo(app, devices)
      const answers = yield* Effect.all(
        [record(other, id, devices[0]!, "opened"), record(app, id, devices[0]!, "opened")],
        { concurrency: "unbounded" }
      )
      expect(answers.map(Option.isSome)).toEqual([false, true])
      expect(yield* countsOf(app, id)).toEqual({ delivered: 0, opened: 1, clicked: 0 })
    })
  )

  it.effect("believes a device that is quicker than the delivery's row, once its batch was taken", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const devices = (yield* (yield* DeviceStore).register(app, [android("t1"), android("t2")])).map(({ id }) => id)
      const id = yield* planned(app, [devices])
      expect(yield* record(app, id, devices[0]!)).toEqual(Option.none())
      const [batch] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
      expect(yield* record(app, id, devices[0]!)).toEqual(Option.some([]))
      yield* batches.finish(chunkOf(batch!, devices))
      expect(yield* record(app, id, devices[0]!)).toEqual(Option.some([]))
      expect(yield* countsOf(app, id)).toEqual({ delivered: 1, opened: 0, clicked: 0 })
    })
  )

  it.effect("keeps reports in the partition of their notification's day", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const devices = ids(1)
      const id = yield* sentTo(app, devices)
      yield* record(app, id, devices[0]!)
      const [row] = yield* sql<{ place: string }>`
        SELECT tableoid::regclass::text AS place FROM engagements WHERE notification_id = ${id}`
      expect(row!.place).toMatch(/^engagements_\d{8}$/)
    })
  )
})
