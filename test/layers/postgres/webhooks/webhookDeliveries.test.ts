import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventIdOf } from "../../../../services/domain/Ids.ts"
import type { WebhookAttempt, WebhookDelivery } from "../../../../services/ports/webhooks/WebhookStore.ts"
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
