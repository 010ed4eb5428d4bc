import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../../services/domain/sending/Credential.ts"
import type { RegisterDevice } from "../../../../services/domain/audience/Device.ts"
import type { EventChunk } from "../../../../services/domain/webhooks/Event.ts"
import type { AppId, WebhookId } from "../../../../services/domain/Ids.ts"
import { uuidTime } from "../../../../services/domain/Ids.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import {
  accountOf,
  android,
  atOnce,
  chunkOf,
  eventsOf,
  hold,
  hotStores,
  ids,
  newApp,
  newWebhook,
  planned,
  tokens
} from "../Stores.ts"

const claimed = Effect.fnUntraced(function* (
  app: AppId,
  recipients: ReadonlyArray<string>,
  provider: ProviderKind = "fcm"
) {
  const batches = yield* BatchStore
  yield* planned(app, [recipients], provider)
  return (yield* batches.claim({ appId: app, provider, priority: "bulk" }, 1, 60_000))[0]!
})

const registered = Effect.fnUntraced(function* (app: AppId, lines: ReadonlyArray<RegisterDevice>) {
  const devices = yield* DeviceStore
  return (yield* devices.register(app, lines)).map(({ id }) => id)
})

const failed = (recipients: ReadonlyArray<string>) => ({
  recipients,
  statuses: recipients.map(() => "failed" as const),
  messageIds: recipients.map(() => null),
  errors: recipients.map(() => "unregistered")
})

/** A device of each kind, with the token that it had and the one that it has. */
const MOVED: ReadonlyArray<readonly [ProviderKind, RegisterDevice, RegisterDevice]> = [
  ["fcm", android("fcm-old"), android("fcm-new")],
  ["apns", { token: "0a".repeat(32), platform: "ios" }, { token: "0b".repeat(32), platform: "ios" }],
  [
    "webpush",
    { token: "https://push.example/old", platform: "web" },
    { token: "https://push.example/new", platform: "web" }
  ]
]

const workOf = Effect.fnUntraced(function* (chunk: EventChunk) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    id: string
    webhook_id: WebhookId
  }>`SELECT id, webhook_id FROM webhook_work_items WHERE chunk_id = ${chunk.id}`
  return rows
})

layer(hotStores)("finishBatch", (it) => {
  it.effect("marks dead tokens, unless they were registered again since", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const app = yield* newApp
      const all = yield* registered(
        app,
        tokens("dead", 4).map((token) => android(token))
      )
      const [always, older, newer, untouched] = all
      const batch = yield* claimed(app, all)
      const { lastSeenAt } = Option.getOrThrow(yield* devices.find(app, older!))
      yield* batches.finish(
        chunkOf(batch, [], {
          final: failed(all),
          dead: [
            { id: always!, address: "dead-0", reason: "unregistered", seenBefore: null },
            { id: older!, address: "dead-1", reason: "expired_token", seenBefore: lastSeenAt },
            { id: newer!, address: "dead-2", reason: "expired_token", seenBefore: lastSeenAt - 1 }
          ]
        })
      )
      const statusOf = (id: typeof always) => Effect.map(devices.find(app, id!), Option.getOrThrow)
      expect(yield* statusOf(always)).toMatchObject({ status: "invalid", invalidReason: "unregistered" })
      expect(yield* statusOf(older)).toMatchObject({ status: "invalid", invalidReason: "expired_token" })
      expect(yield* statusOf(newer)).toMatchObject({ status: "active", invalidReason: null })
      expect(yield* statusOf(untouched)).toMatchObject({ status: "active", invalidReason: null })
    })
  )

  it.effect("does not kill a token that came back before a repetition of the same results", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const app = yield* newApp
      const [id] = yield* registered(app, [android("back")])
      const batch = yield* claimed(app, [id!])
      const chunk = chunkOf(batch, [], {
        final: failed([id!]),
        dead: [{ id: id!, address: "back", reason: "unregistered", seenBefore: null }]
      })
      yield* batches.finish(chunk)
      yield* registered(app, [android("back")])
      yield* batches.finish(chunk)
      expect(Option.getOrThrow(yield* devices.find(app, id!)).status).toBe("active")
    })
  )

  it.effect("notes the environment in which a token was found, and touches no other application's device", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const [app, other] = [yield* newApp, yield* newApp]
      const [mine] = yield* registered(app, [{ token: "ab".repeat(32), platform: "ios" }])
      const [theirs] = yield* registered(other, [{ token: "ab".repeat(32), platform: "ios" }])
      const batch = yield* claimed(app, [mine!], "apns")
      yield* batches.finish(
        chunkOf(batch, [mine!], {
          environments: [
            { id: mine!, address: "ab".repeat(32), environment: "sandbox" },
            { id: theirs!, address: "ab".repeat(32), environment: "sandbox" }
          ],
          dead: [{ id: theirs!, address: "ab".repeat(32), reason: "unregistered", seenBefore: null }]
        })
      )
      expect(Option.getOrThrow(yield* devices.find(app, mine!))).toMatchObject({
        environment: "sandbox",
        status: "active"
      })
      expect(Option.getOrThrow(yield* devices.find(other, theirs!))).toMatchObject({
        environment: "production",
        status: "active"
      })
    })
  )

  it.effect("leaves a device with another token as it is by results that come after a cancel as well", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const all = yield* registered(app, [android("late-moved"), android("late-stays")])
      const [moved, stays] = all
      const batch = yield* claimed(app, all)
      yield* registered(app, [{ ...android("late-new"), previous_token: "late-moved" }])
      yield* sql`UPDATE batches SET lease_until = '-infinity' WHERE id = ${batch.id}`
      yield* notifications.control(app, batch.notificationId, "cancel")
      const dead = [
        { id: moved!, address: "late-moved", reason: "unregistered", seenBefore: null },
        { id: stays!, address: "late-stays", reason: "unregistered", seenBefore: null }
      ]
      expect(yield* batches.finish(chunkOf(batch, [], { final: failed(all), dead }))).toEqual(Option.some([]))
      const found = yield* Effect.forEach(all, (id) => Effect.map(devices.find(app, id), Option.getOrThrow))
      expect(found.map(({ status, token }) => [token, status])).toEqual([
        ["late-new", "active"],
        ["late-stays", "invalid"]
      ])
    })
  )

  it.effect("suppresses addresses that their server calls dead", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const channels = yield* ChannelStore
      const app = yield* newApp
      const made = yield* channels.upsert(
        app,
        ["dead@x.org", "good@x.org"].map((address) => ({ kind: "email" as const, address }))
      )
      const all = made.map(({ id }) => id)
      const batch = yield* claimed(app, all, "smtp")
      const dead = [{ id: all[0]!, address: "dead@x.org", reason: "no such mailbox", seenBefore: null }]
      yield* batches.finish(chunkOf(batch, all, { dead }))
      const statuses = yield* Effect.forEach(all, (id) => Effect.map(channels.find(app, id), Option.getOrThrow))
      expect(statuses.map(({ status }) => status)).toEqual(["suppressed", "active"])
    })
  )

  it.effect("marks dead tokens while the same tokens are imported in the other order", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const lines = tokens("cross", 300).map((token) => android(token))
      const all = yield* registered(app, lines)
      const half = [all.slice(0, 150), all.slice(150)]
      const chunks = yield* Effect.forEach(half, (part) =>
        Effect.map(claimed(app, part), (batch) =>
          chunkOf(batch, [], {
            final: failed(part),
            dead: part
              .toReversed()
              .map((id) => ({ id, address: lines[all.indexOf(id)]!.token, reason: "unregistered", seenBefore: null }))
          })
        )
      )
      const imports = [lines, lines.toReversed()].map((order) => registered(app, order))
      const finishes = chunks.map((chunk) => Effect.flatMap(BatchStore, (batches) => batches.finish(chunk)))
      yield* Effect.all([atOnce(imports), atOnce(finishes)], { concurrency: 2 })
      const devices = yield* DeviceStore
      expect((yield* devices.list(app, {}, null, 1000)).items.map(({ id }) => id)).toEqual(all.toSorted())
    })
  )

  it.effect("leaves a device as it is that has another token than the one of which something was said", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const app = yield* newApp
      for (const [provider, before, after] of MOVED) {
        const [id] = yield* registered(app, [before])
        const tried = { id: id!, address: before.token }
        const chunks = [
          { dead: [{ ...tried, reason: "unregistered", seenBefore: null }] },
          // The provider's clock is ahead.
          { dead: [{ ...tried, reason: "unregistered", seenBefore: Date.now() + 3_600_000 }] },
          { environments: [{ ...tried, environment: "sandbox" as const }] }
        ]
        const claims = yield* Effect.forEach(chunks, () => claimed(app, [id!], provider))
        expect(yield* registered(app, [{ ...after, previous_token: before.token }])).toEqual([id])
        for (const [i, more] of chunks.entries()) {
          const final = "dead" in more ? { final: failed([id!]) } : {}
          yield* batches.finish(chunkOf(claims[i]!, [id!], { ...more, ...final }))
        }
        expect(Option.getOrThrow(yield* devices.find(app, id!))).toMatchObject({
          token: after.token,
          status: "active",
          invalidReason: null,
          environment: "production"
        })
      }
    })
  )

  it.effect("leaves a device as it is whose new token was on its way as something was said of the old one", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [id] = yield* registered(app, [android("leaving")])
      const batch = yield* claimed(app, [id!])
      // As a registration has it before it commits.
      const commit = yield* hold(
        sql`UPDATE devices SET token = 'arriving', token_hash = decode('00', 'hex') WHERE app_id = ${app} AND id = ${id!}`
      )
      const finishing = yield* Effect.forkChild(
        batches.finish(
          chunkOf(batch, [], {
            final: failed([id!]),
            dead: [{ id: id!, address: "leaving", reason: "unregistered", seenBefore: null }]
          })
        )
      )
      yield* Effect.repeat(
        sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (rows) => rows.length > 0 }
      )
      yield* commit
      yield* Fiber.join(finishing)
      expect(Option.getOrThrow(yield* devices.find(app, id!))).toMatchObject({ token: "arriving", status: "active" })
    })
  )

  it.effect("writes events once, with work for each active webhook that subscribes to them", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      const all = yield* newWebhook(app)
      const sent = yield* newWebhook(app, { events: ["NOTIFICATION_SENT", "NOTIFICATION_OPENED"] })
      const failing = yield* newWebhook(app, { events: ["NOTIFICATION_FAILED"] })
      yield* newWebhook(app, { isActive: false })
      yield* newWebhook(other)
      const recipients = ids(4)
      const batch = yield* claimed(app, recipients)
      const success = eventsOf(app, "NOTIFICATION_SENT", recipients.slice(0, 3))
      const failure = eventsOf(app, "NOTIFICATION_FAILED", recipients.slice(3))
      const chunk = chunkOf(batch, recipients, { events: [success, failure] })
      const webhooks = Option.getOrThrow(yield* batches.finish(chunk))
      expect(webhooks.toSorted()).toEqual([all, sent, failing].toSorted())
      const work = yield* workOf(success)
      expect(work.map(({ webhook_id }) => webhook_id).toSorted()).toEqual([all, sent].toSorted())
      for (const { id } of work) {
        expect(id.charAt(14)).toBe("7")
        expect(uuidTime(id)).toBe(uuidTime(success.id))
      }
      expect((yield* workOf(failure)).map(({ webhook_id }) => webhook_id).toSorted()).toEqual([all, failing].toSorted())
      const [row] =
        yield* sql`SELECT app_id, event, at, size, common, columns FROM event_chunks WHERE id = ${success.id}`
      expect(row).toEqual({
        app_id: app,
        event: "NOTIFICATION_SENT",
        at: new Date(success.at),
        size: 3,
        common: JSON.stringify(success.common),
        columns: JSON.stringify(success.columns)
      })
      yield* sql`DELETE FROM event_chunks WHERE id = ${failure.id}`
      expect(yield* batches.finish(chunk)).toEqual(Option.some([]))
      expect(yield* workOf(success)).toEqual(work)
      expect(yield* workOf(failure)).toEqual([])
    })
  )

  it.effect("tells a webhook from the first results after it came, and no longer than it listens", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const told: Array<boolean> = []
      const send = Effect.gen(function* () {
        const recipients = ids(20)
        const batch = yield* claimed(app, recipients)
        const event = eventsOf(app, "NOTIFICATION_SENT", recipients)
        const chunk = chunkOf(batch, recipients, { events: [event] })
        const webhooks = Option.getOrThrow(yield* batches.finish(chunk))
        const work = yield* workOf(event)
        expect(webhooks).toEqual(work.map(({ webhook_id }) => webhook_id))
        expect(yield* batches.finish(chunk)).toEqual(Option.some([]))
        expect(yield* workOf(event)).toEqual(work)
        expect(yield* accountOf(app, batch.notificationId)).toMatchObject({ accepted: 20, sent: 20 })
        told.push(work.length > 0)
      })
      yield* send
      const webhook = yield* newWebhook(app, { events: ["NOTIFICATION_SENT"] })
      yield* send
      yield* send
      yield* sql`UPDATE webhooks SET events = '{NOTIFICATION_OPENED}' WHERE id = ${webhook}`
      yield* send
      yield* send
      yield* sql`UPDATE webhooks SET events = '{}' WHERE id = ${webhook}`
      yield* send
      yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${webhook}`
      yield* send
      expect(told).toEqual([false, true, true, false, false, true, false])
    })
  )

  it.effect("brings nothing to a webhook that came after the results, when they are repeated", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const recipients = ids(20)
      const batch = yield* claimed(app, recipients)
      const event = eventsOf(app, "NOTIFICATION_SENT", recipients)
      const chunk = chunkOf(batch, recipients, { events: [event] })
      yield* batches.finish(chunk)
      yield* newWebhook(app)
      expect(yield* batches.finish(chunk)).toEqual(Option.some([]))
      expect(yield* workOf(event)).toEqual([])
    })
  )

  it.effect("keeps no events that nobody subscribes to", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      yield* newWebhook(app, { events: ["NOTIFICATION_CLICKED"] })
      const recipients = ids(2)
      const batch = yield* claimed(app, recipients)
      const event = eventsOf(app, "NOTIFICATION_SENT", recipients)
      expect(yield* batches.finish(chunkOf(batch, recipients, { events: [event] }))).toEqual(Option.some([]))
      expect(yield* sql`SELECT id FROM event_chunks WHERE id = ${event.id}`).toEqual([])
    })
  )

  it.effect("writes nothing at all for a worker that has lost the batch", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      yield* newWebhook(app)
      const [id] = yield* registered(app, [android("lost")])
      const batch = yield* claimed(app, [id!])
      const event = eventsOf(app, "NOTIFICATION_FAILED", [id!])
      const stale = chunkOf({ ...batch, fence: batch.fence - 1 }, [], {
        final: failed([id!]),
        dead: [{ id: id!, address: "lost", reason: "unregistered", seenBefore: null }],
        events: [event]
      })
      expect(yield* batches.finish(stale)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* devices.find(app, id!)).status).toBe("active")
      expect(yield* workOf(event)).toEqual([])
      expect(yield* sql`SELECT 1 FROM deliveries WHERE notification_id = ${batch.notificationId}`).toEqual([])
      expect(yield* sql`SELECT 1 FROM packed_deliveries WHERE notification_id = ${batch.notificationId}`).toEqual([])
    })
  )
})
