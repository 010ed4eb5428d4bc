import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { migrate } from "../../../../layers/postgres/server/Migrations.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { makePostgresServer } from "../../../PostgresServer.ts"
import { addWork, LEASE, newApp, newWebhook, results, storesOfWebhooks } from "./WebhookWork.ts"

it.live("leaves work from before a start of the server to its holder for a while, and takes over all other", () =>
  Effect.gen(function* () {
    const server = yield* makePostgresServer()
    yield* Effect.gen(function* () {
      yield* migrate
      const store = yield* WebhookStore
      const app = yield* newApp
      const { id: webhook } = yield* newWebhook(app)
      yield* addWork(app, webhook, 2)
      yield* addWork(app, webhook, 3)
      const [mine, dropped] = yield* store.claim(webhook, 2, 1)
      expect([mine, dropped]).toMatchObject([{ positions: [0, 1] }, { positions: [0, 1, 2] }])

      yield* server.kill
      yield* server.start
      // Both leases are over, and nobody could prolong them meanwhile. Every question has the same answer.
      expect(yield* Effect.eventually(store.claim(webhook, 10, LEASE))).toEqual([])
      expect(yield* store.claimOldest(webhook, 50, LEASE)).toEqual([])
      expect(Option.getOrThrow(yield* store.nextDueOldest(webhook, 50, LEASE))).toBeGreaterThan(0)
      expect(yield* store.due(10, LEASE)).toEqual([])
      const wait = Option.getOrThrow(yield* store.nextDue(webhook, LEASE))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(LEASE)
      expect(yield* store.finish(results(webhook, mine!, { delivered: [0], remaining: [1] }))).toBe(true)
      expect(yield* store.finish(results(webhook, mine!, { delivered: [1] }))).toBe(true)

      // A lease of after the start is nobody's as soon as it is over.
      const other = yield* newWebhook(app)
      yield* addWork(app, other.id, 1)
      expect(yield* store.claim(other.id, 1, 1)).toMatchObject([{ fence: 1 }])
      const claimed = store.claim(other.id, 1, 1)
      expect(yield* Effect.repeat(claimed, { until: (found) => found.length > 0 })).toMatchObject([{ fence: 2 }])

      // One of before, when its holder has not come back: who waits for as long as it is told needs not ask all the time.
      let looks = 0
      const look = Effect.gen(function* () {
        looks++
        const found = yield* store.claim(webhook, 1, 1)
        if (found.length === 0) yield* Effect.sleep(Option.getOrThrow(yield* store.nextDue(webhook, 1)))
        return found
      })
      expect(yield* Effect.repeat(look, { until: (found) => found.length > 0 })).toMatchObject([
        { id: dropped!.id, fence: 2 }
      ])
      expect(looks).toBeLessThanOrEqual(3)
      expect(yield* store.finish(results(webhook, dropped!, { delivered: [0, 1, 2] }))).toBe(false)
    }).pipe(Effect.provide(storesOfWebhooks.pipe(Layer.provideMerge(PgClient.layerFrom(pool(server.url, 2))))))
  }).pipe(Effect.scoped)
)
