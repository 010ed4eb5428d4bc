import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as EngagementStores from "../../../../layers/postgres/engagement/EngagementStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { PgClient } from "@effect/sql-pg"
import type { EngagementType } from "../../../../services/domain/engagement/Engagement.ts"
import type { EventChunk } from "../../../../services/domain/webhooks/Event.ts"
import { eventBodies } from "../../../../services/domain/webhooks/Event.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { Content } from "../../../../services/domain/sending/Notification.ts"
import { deliveryIdOf } from "../../../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { EngagementStore } from "../../../../services/ports/engagement/EngagementStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { TestDatabase } from "../../../Database.ts"
import { android, chunkOf, hotStores, ids, newApp, newWebhook, planned } from "../Stores.ts"

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

/** The bodies of all events that a webhook is to get. */
const eventsFor = Effect.fnUntraced(function* (webhook: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Omit<EventChunk, "at"> & { app_id: AppId; at: Date; common: string; columns: string }>`
    SELECT c.* FROM webhook_work_items w JOIN event_chunks c ON c.id = w.chunk_id WHERE w.webhook_id = ${webhook} ORDER BY c.id`
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

  it.effect("tells subscribed webhooks of each once, with the payload of its event", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const all = yield* newWebhook(app)
      const clicks = yield* newWebhook(app, { events: ["NOTIFICATION_CLICKED"] })
      const off = yield* newWebhook(app, { isActive: false })
      const foreign = yield* newWebhook(yield* newApp)
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
      expect(new Set(told.flatMap((webhooks) => Option.getOrThrow(webhooks)))).toEqual(new Set([all, clicks]))
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
          {
            event: "NOTIFICATION_CLICKED",
            ...common,
            deliveryLogId: log(devices[0]!),
            clickedAt: at,
            destination: ""
          }
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

  it.effect("tells of a click that names no destination where the notification leads, or that it leads nowhere", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const webhook = yield* newWebhook(app)
      const url = "https://example.com/offers?a=1&b=2"
      const [device] = ids(1)
      const sentWith = Effect.fnUntraced(function* (content: Content) {
        const id = yield* planned(app, [[device!]], "fcm", { to: { all: true }, content })
        const [batch] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
        yield* batches.finish(chunkOf(batch!, [device!]))
        return id
      })
      const leading = yield* sentWith({ title: "Hello", url })
      const silent = yield* sentWith({ title: "Hello", data: { url: "https://example.com/theirs" } })
      const named = yield* sentWith({ title: "Hello", url })
      // Together, as reports travel.
      yield* Effect.all(
        [
          record(app, leading, device!, "clicked"),
          record(app, silent, device!, "clicked"),
          record(app, named, device!, "clicked", "myapp://offers/1"),
          record(app, named, device!, "opened")
        ],
        { concurrency: "unbounded" }
      )
      const events = yield* eventsFor(webhook)
      const clicked = events.filter(({ event }) => event === "NOTIFICATION_CLICKED")
      expect(new Map(clicked.map(({ payload }) => [payload.notificationId, payload.destination]))).toEqual(
        new Map([
          [leading, url],
          [silent, ""],
          [named, "myapp://offers/1"]
        ])
      )
      const [opened] = events.filter(({ event }) => event === "NOTIFICATION_OPENED")
      expect(Object.keys(opened.payload).toSorted()).toEqual(["deliveryLogId", "notificationId", "openedAt"])
    })
  )

  it.effect("takes reports on what was not sent, and neither counts nor tells them", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const webhook = yield* newWebhook(app)
      const devices = ids(40)
      const id = yield* planned(app, [devices])
      const [batch] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
      const statusOf = (i: number) => (i < 2 ? "sent" : i < 4 ? "failed" : i < 6 ? "cancelled" : "skipped")
      // 34 that were skipped are one packed row; the others have rows of their own.
      yield* batches.finish(
        chunkOf(batch!, devices, {
          final: {
            recipients: devices,
            statuses: devices.map((_, i) => statusOf(i)),
            messageIds: devices.map((_, i) => (i < 2 ? `m-${i}` : null)),
            errors: devices.map((_, i) => (i < 2 ? null : "unregistered"))
          }
        })
      )
      const answers = yield* Effect.all(
        devices.flatMap((device) => [record(app, id, device, "opened"), record(app, id, device, "clicked")]),
        { concurrency: "unbounded" }
      )
      expect(answers.every(Option.isSome)).toBe(true)
      expect(yield* countsOf(app, id)).toEqual({ delivered: 0, opened: 2, clicked: 2 })
      expect((yield* eventsFor(webhook)).map(({ payload }) => payload.deliveryLogId).toSorted()).toEqual(
        [0, 0, 1, 1].map((i) => deliveryIdOf(id, devices[i]!)).toSorted()
      )
    })
  )

  it.effect(
    "finds a device in the packed results of its notification, and none that only lies between their ends",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const batches = yield* BatchStore
        const people = ids(400).toSorted()
        // Strangers' ids lie between those of recipients; the packed results of two chunks and of a second batch
        // overlap.
        const strangers = people.filter((_, i) => i % 4 === 3)
        const id = yield* planned(
          app,
          [0, 1].map((i) => people.filter((_, at) => at % 4 === i || (at % 8) - 2 === i * 4))
        )
        for (let i = 0; i < 2; i++) {
          const [claimed] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
          const batch = claimed!
          const half = batch.recipients.length / 2
          const rest = batch.recipients.slice(half)
          yield* batches.finish(chunkOf(batch, batch.recipients.slice(0, half), { remaining: rest }))
          yield* batches.finish(chunkOf(batch, rest))
        }
        const answers = yield* Effect.all(
          people.flatMap((device) => [record(app, id, device), record(app, id, device)]),
          { concurrency: "unbounded" }
        )
        const known = people.filter((_, i) => Option.isSome(answers[2 * i]!) && Option.isSome(answers[2 * i + 1]!))
        expect(known).toEqual(people.filter((person) => !strangers.includes(person)))
        expect(yield* countsOf(app, id)).toEqual({ delivered: 300, opened: 0, clicked: 0 })
        const mail = yield* planned(app, [people], "smtp")
        const [batch] = yield* batches.claim({ appId: app, provider: "smtp", priority: "bulk" }, 1, 60_000)
        yield* batches.finish(chunkOf(batch!, people))
        expect(yield* record(app, mail, people[0]!)).toEqual(Option.none())
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

  it.effect("reads each batch under way once, whatever number of reports asks who is in it", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const app = yield* newApp
      const [batches, devices] = [yield* BatchStore, yield* DeviceStore]
      const registered = (yield* devices.register(
        app,
        Array.from({ length: 100 }, (_, i) => android(`reporter-${i}`))
      )).map(({ id }) => id)
      const inIt: ReadonlyArray<string> = registered.slice(0, 50)
      // Long enough to be kept apart from its row.
      const rest = ids(1_000)
      const id = yield* planned(app, [
        [...rest.slice(0, 500), ...inIt.slice(0, 25)],
        [...inIt.slice(25), ...rest.slice(500)]
      ])
      const claim = batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
      expect([...(yield* claim), ...(yield* claim)]).toHaveLength(2)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const readApart = Effect.gen(function* () {
          yield* sql`SELECT pg_stat_force_next_flush()`
          const [row] = yield* sql<{ readonly blocks: number }>`
            SELECT sum(toast_blks_hit + toast_blks_read)::integer AS blocks FROM pg_statio_user_tables
            WHERE relname ^@ 'batches'`
          return row!.blocks
        })
        const reported = Effect.fnUntraced(function* (asked: ReadonlyArray<string>) {
          const before = yield* readApart
          const answers = yield* Effect.forEach(asked, (device) => record(app, id, device), {
            concurrency: "unbounded"
          })
          expect(answers.map(Option.isSome)).toEqual(asked.map((device) => inIt.includes(device)))
          return (yield* readApart) - before
        })
        // They may come as two statements.
        const one = yield* reported(registered.slice(99))
        expect(one).toBeGreaterThan(0)
        expect(yield* reported(registered.slice(20, 30))).toBeLessThanOrEqual(2 * one)
        expect(yield* reported([...registered, ...registered])).toBeLessThanOrEqual(2 * one)
      }).pipe(
        Effect.provide(
          Layer.fresh(
            EngagementStores.layer.pipe(Layer.provideMerge(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
          )
        )
      )
      expect(yield* countsOf(app, id)).toEqual({ delivered: 50, opened: 0, clicked: 0 })
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

  const mail = Effect.fnUntraced(function* (
    appId: AppId,
    notificationId: NotificationId,
    deviceId: string,
    type: "opened" | "clicked",
    { isMachine = false, link = 0 }: { readonly isMachine?: boolean; readonly link?: number } = {}
  ) {
    const engagement = yield* EngagementStore
    const destination = type === "clicked" ? `https://example.com/${link}` : null
    return yield* engagement.record({ appId, notificationId, deviceId, type, destination, mail: { isMachine, link } })
  })

  const machinesOf = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
    const notifications = yield* NotificationStore
    const { clicked, machine_clicked, machine_opened, opened } = (yield* notifications.counts(appId, [id])).get(id)!
    return { opened, machine_opened, clicked, machine_clicked }
  })

  /** As if all that was reported had been so some seconds ago. */
  const later = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE engagements SET at = at - interval '30 s'`
  })

  it.effect("counts what is read in mail once, machines apart, until a person does the same", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const webhook = yield* newWebhook(app)
      const id = yield* planned(app, [], "smtp")
      const [a, b] = ids(2)
      yield* Effect.all(
        [
          mail(app, id, a!, "opened", { isMachine: true }),
          mail(app, id, a!, "opened", { isMachine: true }),
          mail(app, id, b!, "opened")
        ],
        { concurrency: "unbounded" }
      )
      expect(yield* machinesOf(app, id)).toEqual({ opened: 2, machine_opened: 1, clicked: 0, machine_clicked: 0 })
      yield* later
      yield* Effect.all(
        [mail(app, id, a!, "opened"), mail(app, id, b!, "opened", { isMachine: true }), mail(app, id, a!, "opened")],
        {
          concurrency: "unbounded"
        }
      )
      yield* mail(app, id, a!, "opened")
      expect(yield* machinesOf(app, id)).toEqual({ opened: 2, machine_opened: 0, clicked: 0, machine_clicked: 0 })
      const events = (yield* eventsFor(webhook)).map(({ event, payload }) => [event, payload.deliveryLogId])
      expect(events.toSorted()).toEqual(
        [a!, b!].map((channel) => ["NOTIFICATION_OPENED", deliveryIdOf(id, channel)]).toSorted()
      )
    })
  )

  it.effect("takes several links of a mail followed at once for a machine's doing, told together or apart", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const id = yield* planned(app, [], "smtp")
      const [together, apart, person] = ids(3)
      yield* Effect.all(
        [1, 2, 3].map((link) => mail(app, id, together!, "clicked", { link })),
        { concurrency: "unbounded" }
      )
      for (const link of [1, 2, 3]) yield* mail(app, id, apart!, "clicked", { link })
      for (const link of [1, 1]) yield* mail(app, id, person!, "clicked", { link })
      expect(yield* machinesOf(app, id)).toMatchObject({ clicked: 3, machine_clicked: 2 })
      yield* later
      yield* mail(app, id, apart!, "clicked", { link: 2 })
      yield* mail(app, id, person!, "clicked", { link: 2 })
      expect(yield* machinesOf(app, id)).toMatchObject({ clicked: 3, machine_clicked: 1 })
    })
  )

  it.effect("writes nothing for a mail whose notification is gone, or another application's", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const id = yield* planned(app, [], "smtp")
      expect(Option.isNone(yield* mail(other, id, uuidv7(), "opened"))).toBe(true)
      expect(Option.isNone(yield* mail(app, uuidv7() as NotificationId, uuidv7(), "opened"))).toBe(true)
      expect(yield* machinesOf(app, id)).toMatchObject({ opened: 0 })
    })
  )
})
