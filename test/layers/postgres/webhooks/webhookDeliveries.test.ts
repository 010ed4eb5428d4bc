import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { NotificationId, WebhookId } from "../../../../services/domain/Ids.ts"
import { eventIdOf } from "../../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../../services/domain/sending/DeliveryIds.ts"
import type { EventName } from "../../../../services/domain/webhooks/Event.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryFilter
} from "../../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { addWork, claimedWork, exhaust, webhookStores, LEASE, newApp, newWebhook, results } from "./WebhookWork.ts"

const T = Date.parse("2026-01-02T03:05:00.000Z")
const tried = (position: number, outcome: number | string, at = T): WebhookAttempt => ({
  position,
  at,
  latencyMs: 10 + position,
  outcome
})

layer(webhookStores)("the log of a webhook's deliveries", (it) => {
  it.effect("tells of each event where it stands, with all its attempts", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, chunkId, work } = yield* claimedWork(4)
      // 0 gets through at once, 1 at the second attempt, 2 is given up at the second, 3 is not tried yet.
      yield* store.finish(
        results(webhook.id, work, {
          delivered: [0],
          tried: [tried(0, 204), tried(1, 500), tried(2, "timeout")],
          retry: { positions: [1, 2], delayMs: 0 },
          remaining: [3],
          releaseAfterMs: 3_600_000
        })
      )
      const [again] = yield* store.claim(webhook.id, 1, LEASE)
      const half = yield* store.deliveries(appId, webhook.id, null, 100)
      expect(half.items.map(({ status, attempts }) => [status, attempts.length])).toEqual([
        ["delivered", 1],
        ["retrying", 1],
        ["retrying", 1],
        ["pending", 0]
      ])
      yield* store.finish(
        results(webhook.id, again!, {
          delivered: [1],
          tried: [tried(2, "connection refused", T + 30_000), tried(1, 200, T + 30_001)],
          ...exhaust([2], "connection refused")
        })
      )
      const { items, next } = yield* store.deliveries(appId, webhook.id, null, 100)
      expect(next).toBe(null)
      const common = { event: "NOTIFICATION_SENT", eventAt: Date.parse("2026-01-02T03:04:05.678Z"), isPaused: false }
      expect(items).toEqual([
        { ...common, id: eventIdOf(chunkId, 0), status: "delivered", attempts: [tried(0, 204)], nextAttemptAt: null },
        {
          ...common,
          id: eventIdOf(chunkId, 1),
          status: "delivered",
          attempts: [tried(1, 500), tried(1, 200, T + 30_001)],
          nextAttemptAt: null
        },
        {
          ...common,
          id: eventIdOf(chunkId, 2),
          status: "exhausted",
          attempts: [tried(2, "timeout"), tried(2, "connection refused", T + 30_000)],
          nextAttemptAt: null
        },
        { ...common, id: eventIdOf(chunkId, 3), status: "pending", attempts: [], nextAttemptAt: expect.any(Number) }
      ])
      expect(items[3]!.nextAttemptAt).toBeGreaterThan(Date.now() + 3_000_000)
    })
  )

  it.effect(
    "says of what waits for a disabled webhook that it is held, and when it goes on once the webhook is enabled",
    () =>
      Effect.gen(function* () {
        const { store, appId, webhook, work } = yield* claimedWork(3)
        yield* store.finish(
          results(webhook.id, work, {
            tried: [tried(0, 500), tried(1, 500)],
            ...exhaust([0], "answered 500"),
            retry: { positions: [1], delayMs: 60_000 },
            remaining: [2],
            releaseAfterMs: 0,
            disableAfter: 1
          })
        )
        const held = (yield* store.deliveries(appId, webhook.id, null, 10)).items
        expect(held.map(({ isPaused, nextAttemptAt, status }) => [status, isPaused, nextAttemptAt])).toEqual([
          ["exhausted", false, null],
          ["retrying", true, null],
          ["pending", true, null]
        ])
        yield* store.update(appId, webhook.id, { is_active: true })
        const open = (yield* store.deliveries(appId, webhook.id, null, 10)).items
        expect(open.map(({ isPaused, nextAttemptAt, status }) => [status, isPaused, nextAttemptAt === null])).toEqual([
          ["exhausted", false, true],
          ["retrying", false, false],
          ["pending", false, false]
        ])
      })
  )

  it.effect("pages through events of many chunks, newest first, each once, also while new ones come in", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      const sizes = [3, 1, 5, 1, 1, 4]
      const chunks: Array<{ id: string; size: number }> = []
      for (const size of sizes) chunks.push({ id: yield* addWork(appId, webhook.id, size), size })
      const expected = chunks
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .flatMap(({ id, size }) => Array.from({ length: size }, (_, i) => eventIdOf(id, i)))
      for (const limit of [1, 2, 4, 7, 100]) {
        const seen: Array<WebhookDelivery> = []
        let after: string | null = null
        do {
          const page: { items: ReadonlyArray<WebhookDelivery>; next: string | null } = yield* store.deliveries(
            appId,
            webhook.id,
            after,
            limit
          )
          expect(page.items.length).toBeLessThanOrEqual(limit)
          seen.push(...page.items)
          after = page.next
          if (limit === 4 && seen.length === 4) yield* addWork(appId, webhook.id, 2)
        } while (after !== null)
        if (limit <= 4) expect(seen.map(({ id }) => id)).toEqual(expected)
        else expect(seen.slice(2).map(({ id }) => id)).toEqual(expected)
      }
    })
  )

  it.effect("shows those in one state alone, of one event alone, and every one of them over all pages", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, chunkId, work } = yield* claimedWork(5)
      yield* store.finish(
        results(webhook.id, work, {
          delivered: [0],
          tried: [tried(0, 204), tried(1, 500), tried(2, 500), tried(3, 500)],
          ...exhaust([1, 2], "answered 500"),
          retry: { positions: [3], delayMs: 60_000 },
          remaining: [4],
          releaseAfterMs: 0
        })
      )
      for (let i = 0; i < 3; i++) yield* addWork(appId, webhook.id, 4)
      const all = Effect.fnUntraced(function* (limit: number, filter: WebhookDeliveryFilter) {
        const seen: Array<string> = []
        let after: string | null = null
        do {
          const page: { items: ReadonlyArray<WebhookDelivery>; next: string | null } = yield* store.deliveries(
            appId,
            webhook.id,
            after,
            limit,
            filter
          )
          expect(page.items.length).toBeLessThanOrEqual(limit)
          seen.push(...page.items.map(({ id }) => id))
          after = page.next
        } while (after !== null)
        return seen
      })
      const at = (...positions: ReadonlyArray<number>) => positions.map((position) => eventIdOf(chunkId, position))
      for (const limit of [1, 2, 100]) {
        expect(yield* all(limit, { status: "delivered" })).toEqual(at(0))
        expect(yield* all(limit, { status: "exhausted", event: "NOTIFICATION_SENT" })).toEqual(at(1, 2))
        expect(yield* all(limit, { status: "retrying" })).toEqual(at(3))
        expect((yield* all(limit, { status: "pending" })).length).toBe(13)
        expect((yield* all(limit, { event: "NOTIFICATION_SENT" })).length).toBe(17)
        expect(yield* all(limit, { event: "NOTIFICATION_FAILED" })).toEqual([])
      }
    })
  )

  it.effect("ends a page that finds nothing after some thousand, and goes on behind it", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      yield* addWork(appId, webhook.id, 6_000)
      const [work] = yield* store.claim(webhook.id, 1, LEASE)
      const delivered = Array.from({ length: 5_999 }, (_, i) => i)
      yield* store.finish(
        results(webhook.id, work!, {
          delivered,
          tried: [...delivered.map((i) => tried(i, 200)), tried(5_999, 500)],
          ...exhaust([5_999], "answered 500")
        })
      )
      const first = yield* store.deliveries(appId, webhook.id, null, 10, { status: "exhausted" })
      expect(first.items).toEqual([])
      expect(first.next).toBe(eventIdOf(work!.chunk.id, 4_999))
      const { items, next } = yield* store.deliveries(appId, webhook.id, first.next, 10, { status: "exhausted" })
      expect([items.map(({ id }) => id), next]).toEqual([[eventIdOf(work!.chunk.id, 5_999)], null])
    })
  )

  it.effect("has the body that is posted beside one delivery, and nothing of another application's", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, chunkId } = yield* claimedWork(3)
      const id = eventIdOf(chunkId, 1)
      const found = Option.getOrThrow(yield* store.delivery(appId, webhook.id, id))
      expect(found.delivery).toMatchObject({ id, status: "pending", event: "NOTIFICATION_SENT" })
      expect(JSON.parse(found.body)).toEqual({
        id,
        event: "NOTIFICATION_SENT",
        appId,
        timestamp: "2026-01-02T03:04:05.678Z",
        payload: { notificationId: "n", deviceId: "device 1" }
      })
      expect(yield* store.delivery(yield* newApp, webhook.id, id)).toEqual(Option.none())
      expect(yield* store.delivery(appId, webhook.id, uuidv7())).toEqual(Option.none())
    })
  )

  it.effect("tells what each webhook was told of one recipient of one notification", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const [first, second, deaf] = [yield* newWebhook(appId), yield* newWebhook(appId), yield* newWebhook(appId)]
      const [notification, other] = [uuidv7() as NotificationId, uuidv7() as NotificationId]
      const [device, neighbour] = [uuidv7(), uuidv7()]
      const at = Date.now()
      const say = Effect.fnUntraced(function* (
        event: EventName,
        moment: number,
        common: object,
        columns: object,
        webhooks: ReadonlyArray<WebhookId>
      ) {
        const chunk = uuidv7(moment)
        yield* sql`
          INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
          VALUES (${chunk}, ${appId}, ${event}, to_timestamp(${moment / 1000}), 2, ${JSON.stringify(common)},
            ${JSON.stringify(columns)})`
        for (const webhook of webhooks)
          yield* sql`INSERT INTO webhook_work_items (id, webhook_id, chunk_id) VALUES (${uuidv7()}, ${webhook}, ${chunk})`
        return chunk
      })
      const devices = { deviceId: [neighbour, device] }
      const sent = yield* say("NOTIFICATION_SENT", at - 2_000, { notificationId: notification }, devices, [
        first.id,
        second.id
      ])
      // The same device, in another mailing of the same moment.
      yield* say("NOTIFICATION_SENT", at - 2_000, { notificationId: other }, devices, [first.id, deaf.id])
      const [deliveryLogId, another] = [deliveryIdOf(notification, device), deliveryIdOf(notification, neighbour)]
      const opened = yield* say(
        "NOTIFICATION_OPENED",
        at,
        { openedAt: "2026" },
        { notificationId: [notification, notification], deliveryLogId: [deliveryLogId, another] },
        [second.id]
      )
      const events = [
        { event: "NOTIFICATION_SENT", at: at - 1_500 },
        { event: "NOTIFICATION_OPENED", at }
      ] as const
      const told = yield* store.ofRecipient(appId, notification, device, events)
      expect(told.map(({ delivery, webhookId }) => [webhookId, delivery.id, delivery.status])).toEqual(
        expect.arrayContaining([
          [first.id, eventIdOf(sent, 1), "pending"],
          [second.id, eventIdOf(sent, 1), "pending"],
          [second.id, eventIdOf(opened, 0), "pending"]
        ])
      )
      expect(told.length).toBe(3)
      expect(told.at(-1)!.delivery.event).toBe("NOTIFICATION_OPENED")
      expect(yield* store.ofRecipient(yield* newApp, notification, device, events)).toEqual([])
      expect(yield* store.ofRecipient(appId, notification, uuidv7(), events)).toEqual([])
    })
  )

  it.effect("shows nothing of another webhook, nor to another application", () =>
    Effect.gen(function* () {
      const { store, appId, webhook } = yield* claimedWork(2)
      const other = yield* newWebhook(appId)
      expect((yield* store.deliveries(appId, other.id, null, 10)).items).toEqual([])
      expect((yield* store.deliveries(yield* newApp, webhook.id, null, 10)).items).toEqual([])
      expect((yield* store.deliveries(appId, webhook.id, null, 10)).items).toHaveLength(2)
    })
  )

  it.effect("keeps the attempts of one write in one row, and writes no attempt twice when the write is repeated", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(300)
      const sql = yield* SqlClient.SqlClient
      const all = Array.from({ length: 300 }, (_, i) => i)
      const write = results(webhook.id, work, { delivered: all, tried: all.map((i) => tried(i, 200)) })
      yield* store.finish(write)
      yield* store.finish(write)
      expect(
        yield* sql`SELECT octet_length(records) AS bytes, reasons FROM webhook_attempts WHERE work_item_id = ${work.id}`
      ).toEqual([{ bytes: 3000, reasons: null }])
      yield* sql`DELETE FROM webhook_work_items WHERE id = ${work.id}`
      expect(yield* sql`SELECT 1 FROM webhook_attempts WHERE work_item_id = ${work.id}`).toEqual([])
    })
  )
})
