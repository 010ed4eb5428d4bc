import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../../services/domain/sending/Credential.ts"
import type { RegisterDevice } from "../../../../services/domain/audience/Device.ts"
import type { EventChunk } from "../../../../services/domain/webhooks/Event.ts"
import type { AppId, WebhookId } from "../../../../services/domain/Ids.ts"
import { uuidTime } from "../../../../services/domain/Ids.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import {
  accountOf,
  android,
  atOnce,
  chunkOf,
  eventsOf,
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
            { id: always!, reason: "unregistered", seenBefore: null },
            { id: older!, reason: "expired_token", seenBefore: lastSeenAt },
            { id: newer!, reason: "expired_token", seenBefore: lastSeenAt - 1 }
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
        dead: [{ id: id!, reason: "unregistered", seenBefore: null }]
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
            { id: mine!, environment: "sandbox" },
            { id: theirs!, environment: "sandbox" }
          ],
          dead: [{ id: theirs!, reason: "unregistered", seenBefore: null }]
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
      yield* batches.finish(
        chunkOf(batch, all, { dead: [{ id: all[0]!, reason: "no such mailbox", seenBefore: null }] })
      )
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
            dead: part.toReversed().map((id) => ({ id, reason: "unregistered", seenBefore: null }))
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
        dead: [{ id: id!, reason: "unregistered", seenBefore: null }],
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
