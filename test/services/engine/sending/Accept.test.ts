import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import { layer as liquid } from "../../../../layers/liquid/TemplateEngine.ts"
import * as IdempotencyStores from "../../../../layers/postgres/access/IdempotencyStore.ts"
import type { ProviderKind } from "../../../../services/domain/sending/Credential.ts"
import type { Platform } from "../../../../services/domain/audience/Device.ts"
import type { AppId, ChannelId, DeviceId } from "../../../../services/domain/Ids.ts"
import type { Priority, SendNotification } from "../../../../services/domain/sending/Notification.ts"
import { Templates } from "../../../../services/engine/messages/Templates.ts"
import type { Accepted } from "../../../../services/engine/sending/Accept.ts"
import { Accept } from "../../../../services/engine/sending/Accept.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import type { KeyClaim, Settlement } from "../../../../services/ports/access/IdempotencyStore.ts"
import { IdempotencyStore } from "../../../../services/ports/access/IdempotencyStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { QueueLog } from "../../../doubles/operations/JobQueue.ts"
import { hotStores, newApp } from "../../../layers/postgres/Stores.ts"

const stores = Layer.mergeAll(Templates.layer.pipe(Layer.provide(liquid)), IdempotencyStores.layer).pipe(
  Layer.provideMerge(hotStores)
)

const HOUR = 3_600_000
const DAY = 24 * HOUR
const from = (ms: number): string => new Date(Date.now() + ms).toISOString()

/**
 * Sends by an Accept of its own, which has told all its jobs when it is gone: `woken` has every one, and each once,
 * however often it was told.
 */
const send = Effect.fnUntraced(function* (
  app: AppId,
  request: SendNotification,
  settle: ((accepted: Accepted) => Settlement) | null = null,
  queue: QueueLog = new QueueLog()
) {
  const answer = yield* Effect.gen(function* () {
    const accept = yield* Accept
    return yield* Effect.result(accept.send(app, request, settle))
  }).pipe(
    Effect.provide(
      Layer.fresh(Accept.layer).pipe(Layer.provide(queue.layer), Layer.provide(settingsOf({ BATCH_SIZE: "2" })))
    )
  )
  const woken = [...new Map(queue.published.map((job) => [JSON.stringify(job), job])).values()]
  return Result.isSuccess(answer)
    ? { accepted: answer.success, refused: null, woken }
    : { accepted: null, refused: answer.failure, woken }
})

const toDevices = (device_ids: ReadonlyArray<string>, more: Partial<SendNotification> = {}): SendNotification => ({
  to: { device_ids: device_ids as ReadonlyArray<DeviceId> },
  content: { title: "Hello" },
  ...more
})

const TO_ALL: SendNotification = { to: { all: true }, content: { title: "Hello" } }

/** Ids of new devices, in the order of their platforms. */
const devicesOf = Effect.fnUntraced(function* (app: AppId, platforms: ReadonlyArray<Platform>) {
  const devices = yield* DeviceStore
  const keys = { p256dh: "p", auth: "a" }
  const made = yield* devices.register(
    app,
    platforms.map((platform, i) => ({
      token: platform === "ios" ? `a${10 + i}c` : `${app}-${i}`,
      platform,
      ...(platform === "web" && { keys })
    }))
  )
  return made.map(({ id }) => id as string)
})

const deactivate = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  for (const id of ids) yield* sql`UPDATE devices SET active = false WHERE id = ${id}`
})

/** What the database has of the application's notifications. */
const written = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const notifications = yield* sql`
    SELECT id, status, planned, plan_done FROM notifications WHERE app_id = ${app} ORDER BY id`
  const batches = yield* sql`
    SELECT notification_id, provider, priority, recipients FROM batches
    WHERE app_id = ${app} ORDER BY provider, recipients`
  return { notifications, batches }
})

const NOTHING = { notifications: [], batches: [] }

/** What the database has of a notification that is left to a planner. */
const unplanned = (accepted: Accepted | null, status = "queued") => ({
  notifications: [{ id: accepted?.id, status, planned: 0, plan_done: false }],
  batches: []
})

const laneJob = (app: AppId, provider: ProviderKind, priority: Priority = "bulk") => ({
  type: "SendV1",
  id: `${app}:${provider}`,
  priority
})

const planJob = (accepted: Accepted | null, priority: Priority = "bulk") => ({
  type: "PlanV1",
  id: accepted?.id,
  priority
})

const FINGERPRINT = new Uint8Array(32)

const claimOf = (appId: AppId, key: string): KeyClaim => ({
  appId,
  route: "POST /api/v1/notifications",
  key,
  holder: uuidv7()
})

const begin = (claim: KeyClaim) => Effect.flatMap(IdempotencyStore, (keys) => keys.begin(claim, FINGERPRINT, HOUR))

const settleWith =
  (claim: KeyClaim) =>
  (accepted: Accepted): Settlement => ({
    claim,
    answer: { status: 202, body: JSON.stringify(accepted), location: `/${accepted.id}` }
  })

layer(stores)("Accept", (it) => {
  it.effect("plans a message to one active device with its accept, and wakes its lane and nobody else", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const devices = yield* devicesOf(app, ["android", "ios", "web"])
      const messages = [
        { device: devices[1]!, provider: "apns", priority: "high" },
        // An id is the same in capitals.
        { device: devices[0]!.toUpperCase(), provider: "fcm", priority: "bulk" },
        { device: devices[2]!, provider: "webpush", priority: "high" }
      ] as const
      const sent = []
      for (const { device, priority, provider } of messages) {
        const { accepted, woken } = yield* send(app, toDevices([device], { priority }))
        expect(accepted).toEqual({ id: expect.any(String), status: "queued" })
        expect(woken).toEqual([laneJob(app, provider, priority)])
        sent.push({ id: accepted!.id, provider, priority, device: device.toLowerCase() })
      }
      expect(yield* written(app)).toEqual({
        notifications: sent.map(({ id }) => ({ id, status: "sending", planned: 1, plan_done: true })),
        batches: sent
          .map(({ device, id, priority, provider }) => ({
            notification_id: id,
            provider,
            priority,
            recipients: [device]
          }))
          .toSorted((a, b) => (a.provider < b.provider ? -1 : 1))
      })
    })
  )

  it.effect("leaves a message to devices of which none is active to a planner", () =>
    Effect.gen(function* () {
      for (const count of [1, 3]) {
        const app = yield* newApp
        const devices = yield* devicesOf(app, Array<Platform>(count).fill("android"))
        yield* deactivate(devices)
        const { accepted, woken } = yield* send(app, toDevices(devices, { priority: "high" }))
        expect(accepted).toEqual({ id: expect.any(String), status: "queued" })
        expect(yield* written(app)).toEqual(unplanned(accepted))
        expect(woken).toEqual([planJob(accepted, "high")])
      }
    })
  )

  it.effect(
    "refuses a message of whose devices the application has none, says which they are, and leaves its key as it is",
    () =>
      Effect.gen(function* () {
        const [app, other] = [yield* newApp, yield* newApp]
        yield* devicesOf(app, ["android"])
        const [stranger] = yield* devicesOf(other, ["android"])
        const nobody = uuidv7()
        const claim = claimOf(app, "unknown")
        yield* begin(claim)
        for (const [ids, places] of [
          [[nobody], [0]],
          [[stranger!], [0]],
          [
            [stranger!, nobody, stranger!.toUpperCase()],
            [0, 1]
          ]
        ] as const) {
          const { refused, woken } = yield* send(app, toDevices(ids), settleWith(claim))
          expect(refused).toMatchObject({ _tag: "UnknownRecipients", field: "device_ids", places })
          expect(woken).toEqual([])
        }
        expect([yield* written(app), yield* written(other)]).toEqual([NOTHING, NOTHING])
        expect((yield* begin(claimOf(app, "unknown")))._tag).toBe("InFlight")
      })
  )

  it.effect(
    "makes batches for each provider of several devices, and says which ids the application does not have",
    () =>
      Effect.gen(function* () {
        const [app, other] = [yield* newApp, yield* newApp]
        const [a1, a2, a3, ios, web, inactive] = yield* devicesOf(app, [
          "android",
          "android",
          "android",
          "ios",
          "web",
          "web"
        ])
        yield* deactivate([inactive!])
        const [stranger] = yield* devicesOf(other, ["ios"])
        const nobody = uuidv7().toUpperCase()
        const named = [stranger!, a1!, web!, nobody, inactive!, a2!, ios!, a1!.toUpperCase(), a3!, nobody]
        const { accepted, woken } = yield* send(app, toDevices(named))
        const skipped = { count: 2, ids: [stranger!, nobody] }
        expect(accepted).toEqual({ id: expect.any(String), status: "queued", skipped })
        const [first, second, third] = [a1!, a2!, a3!].toSorted()
        const { batches, notifications } = yield* written(app)
        expect(notifications).toEqual([{ id: accepted!.id, status: "sending", planned: 5, plan_done: true }])
        expect(batches).toEqual(
          (
            [
              ["apns", [ios]],
              ["fcm", [first, second]],
              ["fcm", [third]],
              ["webpush", [web]]
            ] as const
          ).map(([provider, recipients]) => ({ notification_id: accepted!.id, provider, priority: "bulk", recipients }))
        )
        expect(woken).toEqual([laneJob(app, "apns"), laneJob(app, "fcm"), laneJob(app, "webpush")])
        // Whoever looks at the notification later is told too.
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT request->'skipped' AS skipped FROM notifications WHERE app_id = ${app}`).toEqual([
          { skipped }
        ])
      })
  )

  it.effect("plans a hundred named devices with the accept, and leaves more to a planner", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const devices = yield* devicesOf(app, Array<Platform>(101).fill("android"))
      const large = yield* send(app, toDevices(devices))
      expect(yield* written(app)).toEqual(unplanned(large.accepted))
      expect(large.woken).toEqual([planJob(large.accepted)])
      const small = yield* send(app, toDevices(devices.slice(1)))
      const { batches, notifications } = yield* written(app)
      expect(notifications[1]).toEqual({ id: small.accepted!.id, status: "sending", planned: 100, plan_done: true })
      expect(batches).toHaveLength(50)
      expect(small.woken).toEqual([laneJob(app, "fcm")])
    })
  )

  it.effect("plans named channels by their kinds, and refuses those that are all another application's", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const channels = yield* ChannelStore
      const [mail] = yield* channels.upsert(app, [{ kind: "email", address: "ann@example.com" }])
      const inbox = yield* channels.ensureInbox(app, "ann")
      const to = (...channel_ids: ReadonlyArray<ChannelId>) => ({ to: { channel_ids }, content: { title: "Hello" } })
      const { accepted, woken } = yield* send(app, to(mail!.id, inbox.id))
      const batch = { notification_id: accepted!.id, priority: "bulk" }
      expect(yield* written(app)).toEqual({
        notifications: [{ id: accepted!.id, status: "sending", planned: 2, plan_done: true }],
        batches: [
          { ...batch, provider: "inbox", recipients: [inbox.id] },
          { ...batch, provider: "smtp", recipients: [mail!.id] }
        ]
      })
      expect(woken).toEqual([laneJob(app, "smtp"), laneJob(app, "inbox")])
      const { refused } = yield* send(other, to(mail!.id, inbox.id))
      expect(refused).toMatchObject({ _tag: "UnknownRecipients", field: "channel_ids", places: [0, 1] })
      expect(yield* written(other)).toEqual(NOTHING)
    })
  )

  it.effect("leaves an audience that is described to a planner, and wakes one for its priority", () =>
    Effect.gen(function* () {
      for (const [given, priority] of [
        [{}, "bulk"],
        [{ priority: "high" }, "high"]
      ] as const) {
        const app = yield* newApp
        yield* devicesOf(app, ["android"])
        const { accepted, woken } = yield* send(app, { ...TO_ALL, ...given })
        expect(accepted).toEqual({ id: expect.any(String), status: "queued" })
        expect(yield* written(app)).toEqual(unplanned(accepted))
        expect(woken).toEqual([planJob(accepted, priority)])
      }
    })
  )

  it.effect("plans nothing of what is scheduled, whoever it is for, and wakes nobody", () =>
    Effect.gen(function* () {
      for (const count of [1, 2, 0]) {
        const app = yield* newApp
        const devices = yield* devicesOf(app, ["ios", "android"])
        const request = count === 0 ? TO_ALL : toDevices(devices.slice(0, count))
        const { accepted, woken } = yield* send(app, { ...request, send_at: from(HOUR) })
        expect(accepted).toEqual({ id: expect.any(String), status: "scheduled" })
        expect(yield* written(app)).toEqual(unplanned(accepted, "scheduled"))
        expect(woken).toEqual([])
      }
    })
  )

  it.effect("refuses a send_at that is over or more than a year ahead, and writes nothing", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const devices = yield* devicesOf(app, ["ios", "android"])
      for (const request of [toDevices(devices.slice(1)), toDevices(devices), TO_ALL]) {
        for (const [ms, message] of [
          [-HOUR, "must lie in the future"],
          [400 * DAY, "must lie within 366 days"]
        ] as const) {
          const { refused, woken } = yield* send(app, { ...request, send_at: from(ms) })
          expect(refused).toMatchObject({
            _tag: "RequestRefused",
            field: "send_at",
            message: expect.stringContaining(message)
          })
          expect(woken).toEqual([])
        }
      }
      expect(yield* written(app)).toEqual(NOTHING)
    })
  )

  it.effect("writes the answer under an idempotency key together with the notification", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const devices = yield* devicesOf(app, ["ios", "android"])
      const requests = { one: toDevices(devices.slice(1)), several: toDevices([...devices, uuidv7()]), all: TO_ALL }
      for (const [key, request] of Object.entries(requests)) {
        const claim = claimOf(app, key)
        yield* begin(claim)
        const { accepted } = yield* send(app, request, settleWith(claim))
        expect(yield* begin(claimOf(app, key))).toEqual({
          _tag: "Answered",
          holder: claim.holder,
          answer: { status: 202, body: JSON.stringify(accepted), location: `/${accepted!.id}` }
        })
      }
      expect((yield* written(app)).notifications).toHaveLength(3)
    })
  )

  it.effect("writes nothing and wakes nobody when another request has taken the key", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const devices = yield* devicesOf(app, ["ios", "android"])
      const requests = { one: toDevices(devices.slice(1)), several: toDevices(devices), all: TO_ALL }
      for (const [key, request] of Object.entries(requests)) {
        const late = claimOf(app, key)
        yield* begin(late)
        yield* sql`UPDATE idempotency_keys SET lease_until = now() - interval '1 s' WHERE app_id = ${app}`
        expect((yield* begin(claimOf(app, key)))._tag).toBe("Taken")
        const { refused, woken } = yield* send(app, request, settleWith(late))
        expect(refused?._tag).toBe("StoreError")
        expect(woken).toEqual([])
        // The other request's still, and without an answer.
        expect((yield* begin(claimOf(app, key)))._tag).toBe("InFlight")
      }
      expect(yield* written(app)).toEqual(NOTHING)
    })
  )

  it.effect("accepts while the queue is down, and what it planned can be claimed", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [device] = yield* devicesOf(app, ["android"])
      const queue = new QueueLog()
      queue.isDown = true
      const { accepted, woken } = yield* send(app, toDevices([device!]), null, queue)
      expect(accepted?.status).toBe("queued")
      expect(woken).toEqual([])
      const batches = yield* BatchStore
      expect(yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 10, HOUR)).toMatchObject([
        { notificationId: accepted!.id, recipients: [device] }
      ])
    })
  )
})
