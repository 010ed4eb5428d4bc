import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as RedeliveryStores from "../../../../layers/postgres/webhooks/RedeliveryStore.ts"
import type { AppId, WebhookId, RedeliveryId } from "../../../../services/domain/Ids.ts"
import { eventIdOf } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { RedeliveredStatus } from "../../../../services/domain/webhooks/Redelivery.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import type { WebhookAttempt } from "../../../../services/ports/webhooks/WebhookStore.ts"
import type { ClaimedRedelivery } from "../../../../services/ports/webhooks/RedeliveryStore.ts"
import { RedeliveryStore } from "../../../../services/ports/webhooks/RedeliveryStore.ts"
import { RUNNING } from "../../../../services/ports/operations/TooManyRunning.ts"
import { addWork, claimedWork, exhaust, webhookStores, LEASE, newApp, results } from "./WebhookWork.ts"

const tried = (positions: ReadonlyArray<number>, outcome: number): ReadonlyArray<WebhookAttempt> =>
  positions.map((position) => ({ position, at: Date.now() - 1, latencyMs: 1, outcome }))

/** A webhook with events of one chunk: the first `exhausted` of them used up their attempts, the others were taken. */
const ended = Effect.fnUntraced(function* (exhausted: number, delivered: number) {
  const made = yield* claimedWork(exhausted + delivered)
  const [missed, taken] = [made.work.positions.slice(0, exhausted), made.work.positions.slice(exhausted)]
  yield* made.store.finish(
    results(made.webhook.id, made.work, {
      ...exhaust(missed, "answered 500"),
      delivered: taken,
      tried: [...tried(missed, 500), ...tried(taken, 204)]
    })
  )
  return made
})

const newId = () => uuidv7() as RedeliveryId
const all = (status: RedeliveredStatus) => ({ status, from: null, to: null })

/** What waits for the webhook: event ids with the attempts behind them. */
const pendingOf = Effect.fnUntraced(function* (id: WebhookId) {
  const works = yield* (yield* WebhookStore).claim(id, 1_000, LEASE)
  return works.flatMap(({ attempts, chunk, positions }) =>
    positions.map((position) => ({ id: eventIdOf(chunk.id, position), attempts }))
  )
})

layer(Layer.provideMerge(RedeliveryStores.layer, webhookStores))("RedeliveryStore", (it) => {
  it.effect("makes work of what was missed, with the same event ids and all attempts before it", () =>
    Effect.gen(function* () {
      const store = yield* RedeliveryStore
      const { appId, chunkId, webhook } = yield* ended(3, 5)
      const claimed = yield* store.start(appId, webhook.id, newId(), all("exhausted"), LEASE)
      const done = Option.getOrThrow(yield* store.step(claimed, 100, null))
      expect(done).toMatchObject({ status: "completed", redelivered: 3, webhookId: webhook.id })
      expect(yield* store.find(appId, done.id)).toEqual(Option.some(done))
      const webhooks = yield* WebhookStore
      const { items } = yield* webhooks.deliveries(appId, webhook.id, null, 100)
      // No event is listed twice.
      expect(items.map(({ status }) => status)).toEqual([
        ...Array<string>(3).fill("retrying"),
        ...Array<string>(5).fill("delivered")
      ])
      expect(yield* pendingOf(webhook.id)).toEqual([0, 1, 2].map((at) => ({ id: eventIdOf(chunkId, at), attempts: 0 })))
    })
  )

  it.effect(
    "sends nothing twice, however many ask for the same at the same time, and the same again when it has ended",
    () =>
      Effect.gen(function* () {
        const store = yield* RedeliveryStore
        const { appId, webhook } = yield* ended(20, 0)
        const ask = Effect.gen(function* () {
          const claimed = yield* store.start(appId, webhook.id, newId(), all("exhausted"), LEASE)
          return Option.getOrThrow(yield* store.step(claimed, 100, null)).redelivered
        })
        const asked = yield* Effect.all([ask, ask, ask, ask], { concurrency: "unbounded" })
        expect(asked.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 20])
        const webhooks = yield* WebhookStore
        const [again] = yield* webhooks.claim(webhook.id, 10, LEASE)
        const positions = again!.positions
        yield* webhooks.finish(results(webhook.id, again!, { delivered: positions, tried: tried(positions, 204) }))
        expect(yield* ask).toBe(0)
        const { items } = yield* webhooks.deliveries(appId, webhook.id, null, 100)
        expect(items.every(({ attempts, status }) => status === "delivered" && attempts.length === 2)).toBe(true)
      })
  )

  it.effect(
    "sends what was delivered once more and not twice, though the first who asked has had it sent by then",
    () =>
      Effect.gen(function* () {
        const [store, webhooks] = [yield* RedeliveryStore, yield* WebhookStore]
        const { appId, webhook } = yield* ended(0, 20)
        const start = () => store.start(appId, webhook.id, newId(), all("delivered"), LEASE)
        const [first, second] = [yield* start(), yield* start()]
        expect(Option.getOrThrow(yield* store.step(first, 100, null)).redelivered).toBe(20)
        const [again] = yield* webhooks.claim(webhook.id, 100, LEASE)
        const { positions } = again!
        const sent = tried(positions, 204).map((attempt) => ({ ...attempt, at: attempt.at + 5 }))
        yield* webhooks.finish(results(webhook.id, again!, { delivered: positions, tried: sent }))
        expect(Option.getOrThrow(yield* store.step(second, 100, null)).redelivered).toBe(0)
      })
  )

  it.effect("goes on from its cursor in the hands of another, and refuses the steps of the first", () =>
    Effect.gen(function* () {
      const [store, sql] = [yield* RedeliveryStore, yield* SqlClient.SqlClient]
      const { appId, webhook } = yield* ended(25, 0)
      const first = yield* store.start(appId, webhook.id, newId(), all("exhausted"), LEASE)
      expect(Option.getOrThrow(yield* store.step(first, 10, LEASE))).toMatchObject({
        status: "running",
        redelivered: 10
      })
      expect(yield* store.claim(null, LEASE)).toEqual(Option.none())
      yield* sql`UPDATE redeliveries SET lease_until = now() - interval '1 s' WHERE id = ${first.redelivery.id}`
      const second = Option.getOrThrow(yield* store.claim(null, LEASE))
      expect(second.redelivery).toMatchObject({ id: first.redelivery.id, redelivered: 10 })
      expect(yield* store.step(first, 10, LEASE)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* store.step(second, 10, LEASE))).toMatchObject({ redelivered: 20 })
      expect(Option.getOrThrow(yield* store.step(second, 10, LEASE))).toMatchObject({
        status: "completed",
        redelivered: 25
      })
      expect(new Set((yield* pendingOf(webhook.id)).map(({ id }) => id)).size).toBe(25)
      expect(yield* store.claim(null, LEASE)).toEqual(Option.none())
    })
  )

  it.effect("takes turns by application, and begins no more of one than may run at once", () =>
    Effect.gen(function* () {
      const store = yield* RedeliveryStore
      const [large, small] = [yield* ended(2, 0), yield* ended(2, 0)]
      const start = ({ appId, webhook }: typeof large) =>
        Effect.map(store.start(appId, webhook.id, newId(), all("exhausted"), LEASE), ({ redelivery }) => redelivery.id)
      const many = yield* Effect.all(Array.from({ length: RUNNING }, () => start(large)))
      const other = yield* start(small)
      expect(yield* Effect.flip(start(large))).toMatchObject({ _tag: "TooManyRunning" })
      yield* (yield* SqlClient.SqlClient)`UPDATE redeliveries SET lease_until = NULL`
      const order: Array<RedeliveryId> = []
      let served: AppId | null = null
      while (order.length <= RUNNING) {
        const claimed: ClaimedRedelivery = Option.getOrThrow(yield* store.claim(served, LEASE))
        served = claimed.redelivery.appId
        order.push(claimed.redelivery.id)
        yield* store.step(claimed, 100, LEASE)
      }
      // The first claim takes whichever application has the lower id.
      expect(order.indexOf(other)).toBeLessThan(2)
      expect(order.filter((id) => id !== other)).toEqual(many.toSorted())
      expect(yield* store.claim(served, LEASE)).toEqual(Option.none())
      yield* start(large)
      yield* (yield* SqlClient.SqlClient)`UPDATE redeliveries SET status = 'completed'`
    })
  )

  it.effect("takes only events of the time that is asked for, and what has come since the request never", () =>
    Effect.gen(function* () {
      const [store, webhooks, sql] = [yield* RedeliveryStore, yield* WebhookStore, yield* SqlClient.SqlClient]
      const appId = yield* newApp
      const { id } = yield* webhooks.create(appId, uuidv7() as WebhookId, {
        name: "webhook",
        url: "https://example.com/webhook"
      })
      const now = Date.now()
      const minutes = [50, 40, 30, 20, 10]
      const chunks: Array<string> = []
      for (const ago of minutes) {
        const chunkId = yield* addWork(appId, id, 1)
        yield* sql`UPDATE event_chunks SET at = ${new Date(now - ago * 60_000)} WHERE id = ${chunkId}`
        chunks.push(chunkId)
      }
      for (const work of yield* webhooks.claim(id, 10, LEASE)) {
        yield* webhooks.finish(results(id, work, { ...exhaust([0], "dead"), tried: tried([0], 500) }))
      }
      const wanted = { status: "exhausted" as const, from: now - 40 * 60_000, to: now - 20 * 60_000 }
      const claimed = yield* store.start(appId, id, newId(), wanted, LEASE)
      expect(Option.getOrThrow(yield* store.step(claimed, 100, null)).redelivered).toBe(2)
      expect((yield* pendingOf(id)).map(({ id }) => id).toSorted()).toEqual(
        [chunks[1]!, chunks[2]!].map((chunk) => eventIdOf(chunk as never, 0)).toSorted()
      )
      // Far in the past: nothing is walked to the end for it.
      const old = yield* store.start(appId, id, newId(), { status: "exhausted", from: 0, to: 1_000 }, LEASE)
      expect(Option.getOrThrow(yield* store.step(old, 1, null))).toMatchObject({ status: "completed", redelivered: 0 })
    })
  )

  it.effect("takes what was there when it was asked for, also when the clock was set back since, and that once", () =>
    Effect.gen(function* () {
      const [store, webhooks, sql] = [yield* RedeliveryStore, yield* WebhookStore, yield* SqlClient.SqlClient]
      const appId = yield* newApp
      const { id } = yield* webhooks.create(appId, uuidv7() as WebhookId, {
        name: "webhook",
        url: "https://example.com/webhook"
      })
      // What the clock said by then: of the older in five minutes from now, of the newer in two hours.
      for (const ahead of [300_000, 7_200_000]) {
        const chunkId = yield* addWork(appId, id, 2)
        const later = uuidv7(Date.now() + ahead)
        yield* sql`
          INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
          SELECT ${later}, app_id, event, now() + ${ahead}::float8 * interval '1 ms', size, common, columns
          FROM event_chunks WHERE id = ${chunkId}`
        yield* sql`UPDATE webhook_work_items SET chunk_id = ${later} WHERE chunk_id = ${chunkId}`
        for (const work of yield* webhooks.claim(id, 10, LEASE)) {
          const attempts = tried(work.positions, 500).map((one) => ({ ...one, at: one.at + ahead }))
          yield* webhooks.finish(results(id, work, { ...exhaust(work.positions, "dead"), tried: attempts }))
        }
      }
      const start = () => store.start(appId, id, newId(), all("exhausted"), LEASE)
      const [first, second] = [yield* start(), yield* start()]
      expect(Option.getOrThrow(yield* store.step(first, 100, null)).redelivered).toBe(4)
      for (const work of yield* webhooks.claim(id, 10, LEASE)) {
        const positions = work.positions
        yield* webhooks.finish(results(id, work, { ...exhaust(positions, "dead"), tried: tried(positions, 500) }))
      }
      expect(Option.getOrThrow(yield* store.step(second, 100, null)).redelivered).toBe(0)
    })
  )

  it.effect("redelivers one event that has ended, whatever came of it, and no other application's", () =>
    Effect.gen(function* () {
      const store = yield* RedeliveryStore
      const { appId, chunkId, webhook } = yield* ended(1, 1)
      const [missed, taken] = [0, 1].map((at) => eventIdOf(chunkId, at)) as [string, string]
      const one = (event: string, app = appId) => store.one(app, webhook.id, newId(), event)
      expect(yield* one(missed, yield* newApp)).toBe("unknown")
      expect(yield* one(uuidv7())).toBe("unknown")
      expect(yield* one(eventIdOf(chunkId, 2))).toBe("unknown")
      const asked = yield* Effect.all([one(missed.toUpperCase()), one(missed)], { concurrency: "unbounded" })
      expect(asked.filter((answer) => answer === "open")).toHaveLength(1)
      expect(asked.find((answer) => typeof answer === "object")).toMatchObject({
        status: "completed",
        redelivered: 1,
        wanted: { deliveryId: missed }
      })
      expect(yield* one(taken)).toMatchObject({ redelivered: 1 })
      expect((yield* pendingOf(webhook.id)).map(({ id }) => id).toSorted()).toEqual([missed, taken].toSorted())
    })
  )
})
