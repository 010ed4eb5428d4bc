import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { eventIdOf } from "../../../../services/domain/Ids.ts"
import type { WebhookWork } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { TestDatabase } from "../../../Database.ts"
import {
  addWork,
  claimedWork,
  exhaust,
  webhookStores,
  LEASE,
  newApp,
  newWebhook,
  nodeOf,
  results
} from "./WebhookWork.ts"

/** Takes it away: one that was over before the server of the tests began would be respected still. */
const endLease = Effect.fnUntraced(function* (work: WebhookWork) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhook_work_items SET lease_until = NULL WHERE id = ${work.id}`
})

layer(webhookStores)("WebhookStore", (it) => {
  it.effect("stops at twenty webhooks of an application, however many are made at once", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const made = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.result(newWebhook(appId)), {
        concurrency: "unbounded"
      })
      expect(made.filter(({ _tag }) => _tag === "Success")).toHaveLength(20)
      expect(made.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))).toEqual(
        Array(30).fill("TooManyWebhooks")
      )
      expect((yield* store.list(appId, null, 100)).items).toHaveLength(20)
      expect((yield* newWebhook(yield* newApp)).isActive).toBe(true)
    })
  )

  it.effect("lists webhooks in pages, each once", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const ids = yield* Effect.forEach(Array.from({ length: 5 }), () => Effect.map(newWebhook(appId), ({ id }) => id))
      const first = yield* store.list(appId, null, 2)
      const second = yield* store.list(appId, first.next, 2)
      const third = yield* store.list(appId, second.next, 2)
      expect([first, second, third].flatMap(({ items }) => items.map(({ id }) => id))).toEqual([...ids].sort())
      expect(third.next).toBe(null)
    })
  )

  it.effect("shows a webhook to its own application only, and never its secret", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const [appId, stranger] = [yield* newApp, yield* newApp]
      const webhook = yield* newWebhook(appId, { secret: "hush hush", events: ["NOTIFICATION_SENT"] })
      expect(webhook.events).toEqual(["NOTIFICATION_SENT"])
      expect(JSON.stringify(webhook)).not.toContain("hush")
      expect(yield* store.find(appId, webhook.id)).toEqual(Option.some(webhook))
      expect(yield* store.find(stranger, webhook.id)).toEqual(Option.none())
      expect(yield* store.update(stranger, webhook.id, { name: "mine" })).toEqual(Option.none())
      expect(yield* store.remove(stranger, webhook.id)).toBe(false)
      const [row] = yield* sql<{
        text: string
      }>`SELECT encode(secret, 'escape') AS text FROM webhooks WHERE id = ${webhook.id}`
      expect(row!.text).not.toContain("hush")
      expect(Option.getOrThrow(yield* store.endpoint(webhook.id)).secrets).toEqual(["hush hush"])
    })
  )

  it.effect("changes the fields that are named and keeps the others", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId, { secret: "old", events: ["NOTIFICATION_SENT"] })
      const renamed = Option.getOrThrow(yield* store.update(appId, webhook.id, { name: "new name" }))
      expect(renamed).toMatchObject({
        name: "new name",
        url: webhook.url,
        events: ["NOTIFICATION_SENT"],
        isActive: true
      })
      const moved = yield* store.update(appId, webhook.id, { url: "https://example.org/", events: [], secret: null })
      expect(Option.getOrThrow(moved)).toMatchObject({ name: "new name", url: "https://example.org/", events: [] })
      expect(yield* store.endpoint(webhook.id)).toEqual(
        Option.some({ id: webhook.id, appId, url: "https://example.org/", secrets: [], epoch: 1 })
      )
      yield* store.update(appId, webhook.id, { is_active: false })
      expect(yield* store.endpoint(webhook.id)).toEqual(Option.none())
    })
  )

  it.effect("lets a replaced secret sign beside the new one until its overlap ends", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId, { secret: "first" })
      const secrets = Effect.map(store.endpoint(webhook.id), (it) => Option.getOrThrow(it).secrets)
      const rotate = (secret: string | null, seconds?: number) =>
        Effect.map(
          store.update(appId, webhook.id, {
            secret,
            ...(seconds === undefined ? {} : { secret_overlap_seconds: seconds })
          }),
          Option.getOrThrow
        )
      expect(webhook).toMatchObject({ isSigned: true, overlapUntil: null })
      const second = yield* rotate("second", 3600)
      expect(second.overlapUntil! - second.updatedAt).toBe(3_600_000)
      expect(yield* secrets).toEqual(["second", "first"])
      const third = yield* rotate("third", 60)
      // The first one still has the longest to go.
      expect(third.overlapUntil).toBe(second.overlapUntil)
      expect(yield* secrets).toEqual(["third", "first", "second"])
      yield* sql`UPDATE webhooks SET former_until = ARRAY[now() - interval '1 s', now() + interval '1 hour'] WHERE id = ${webhook.id}`
      expect(yield* secrets).toEqual(["third", "second"])
      expect(Option.getOrThrow(yield* store.target(appId, webhook.id)).secrets).toEqual(["third", "second"])
      // What has ended is not kept at the next change.
      yield* rotate("fourth", 3600)
      expect(yield* sql`SELECT cardinality(former_secrets) AS n FROM webhooks WHERE id = ${webhook.id}`).toEqual([
        { n: 2 }
      ])
      expect([...(yield* secrets)].toSorted()).toEqual(["fourth", "second", "third"])
    })
  )

  it.effect(
    "removes every secret at once when it is told to, and every former one when nothing is said of an overlap",
    () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const appId = yield* newApp
        const webhook = yield* newWebhook(appId, { secret: "first" })
        const secrets = Effect.map(store.endpoint(webhook.id), (it) => Option.getOrThrow(it).secrets)
        yield* store.update(appId, webhook.id, { secret: "second", secret_overlap_seconds: 3600 })
        const leaked = yield* store.update(appId, webhook.id, { secret: "third" })
        expect(Option.getOrThrow(leaked).overlapUntil).toBe(null)
        expect(yield* secrets).toEqual(["third"])
        yield* store.update(appId, webhook.id, { secret: "fourth", secret_overlap_seconds: 3600 })
        expect(Option.getOrThrow(yield* store.update(appId, webhook.id, { secret: null }))).toMatchObject({
          isSigned: false,
          overlapUntil: null
        })
        expect(yield* secrets).toEqual([])
        yield* store.update(appId, webhook.id, { secret: "fifth" })
        expect(yield* secrets).toEqual(["fifth"])
      })
  )

  it.effect("keeps every replaced secret when several are set at once, and not more than fit a header", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId, { secret: "0" })
      const overlap = { secret_overlap_seconds: 3600 }
      yield* Effect.forEach(["1", "2", "3"], (secret) => store.update(appId, webhook.id, { secret, ...overlap }), {
        concurrency: "unbounded"
      })
      const secrets = Effect.map(store.endpoint(webhook.id), (it) => Option.getOrThrow(it).secrets)
      expect([...(yield* secrets)].toSorted()).toEqual(["0", "1", "2", "3"])
      for (const secret of ["4", "5", "6", "7", "8"]) yield* store.update(appId, webhook.id, { secret, ...overlap })
      expect(yield* secrets).toEqual(["8", "7", "6", "5", "4"])
    })
  )

  it.effect("has the target of a webhook that is off, for its own application only", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const [appId, stranger] = [yield* newApp, yield* newApp]
      const webhook = yield* newWebhook(appId, { is_active: false, secret: "s" })
      expect(Option.getOrThrow(yield* store.target(appId, webhook.id))).toMatchObject({
        url: webhook.url,
        secrets: ["s"]
      })
      expect(yield* store.target(stranger, webhook.id)).toEqual(Option.none())
    })
  )

  it.effect("hands a webhook's work out with its events, and nothing that is another's", () =>
    Effect.gen(function* () {
      const { store, appId, chunkId, work } = yield* claimedWork(3)
      const other = yield* newWebhook(appId)
      expect(yield* store.claim(other.id, 4, LEASE)).toEqual([])
      expect(work).toMatchObject({ fence: 1, attempts: 0, positions: [0, 1, 2] })
      expect(work.chunk).toEqual({
        id: chunkId,
        appId,
        event: "NOTIFICATION_SENT",
        at: Date.parse("2026-01-02T03:04:05.678Z"),
        size: 3,
        common: { notificationId: "n" },
        columns: { deviceId: ["device 0", "device 1", "device 2"] }
      })
    })
  )

  it.effect("never gives one work item to two of many claimers", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      for (let i = 0; i < 40; i++) yield* addWork(appId, webhook.id, 1)
      const claimer = Effect.gen(function* () {
        const mine: Array<string> = []
        while (true) {
          const taken = yield* store.claim(webhook.id, 3, LEASE)
          if (taken.length === 0) return mine
          mine.push(...taken.map(({ id }) => id))
        }
      })
      const taken = (yield* Effect.all(
        Array.from({ length: 8 }, () => claimer),
        { concurrency: "unbounded" }
      )).flat()
      expect(taken).toHaveLength(40)
      expect(new Set(taken).size).toBe(40)
    })
  )

  it.effect("passes over work that another claimer is just taking, without waiting for it", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      yield* addWork(appId, webhook.id, 1)
      const [taken, mayCommit] = [yield* Deferred.make<number>(), yield* Deferred.make<void>()]
      const first = yield* store.claim(webhook.id, 4, LEASE).pipe(
        Effect.tap(({ length }) => Deferred.succeed(taken, length)),
        Effect.tap(() => Deferred.await(mayCommit)),
        sql.withTransaction,
        Effect.forkChild
      )
      expect(yield* Deferred.await(taken)).toBe(1)
      expect(yield* store.claim(webhook.id, 4, LEASE)).toEqual([])
      yield* Deferred.succeed(mayCommit, undefined)
      expect(yield* Fiber.join(first)).toMatchObject([{ fence: 1 }])
    })
  )

  it.effect("gives work of an ended lease to another, and refuses the late results of the first", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      expect(yield* store.claim(webhook.id, 4, LEASE)).toEqual([])
      yield* endLease(work)
      const [second] = yield* store.claim(webhook.id, 4, LEASE)
      expect(second).toMatchObject({ id: work.id, fence: 2, positions: [0, 1] })
      const late = { ...exhaust([0], "answered 500"), retry: { positions: [1], delayMs: 0 } }
      const before = yield* sql`SELECT * FROM webhook_work_items WHERE webhook_id = ${webhook.id}`
      expect(yield* store.finish(results(webhook.id, work, late))).toBe(false)
      expect(yield* sql`SELECT * FROM webhook_work_items WHERE webhook_id = ${webhook.id}`).toEqual(before)
      expect(yield* sql`SELECT * FROM dead_letters WHERE webhook_id = ${webhook.id}`).toEqual([])
      expect(yield* sql`SELECT failures FROM webhooks WHERE id = ${webhook.id}`).toEqual([{ failures: 0 }])
    })
  )

  it.effect("writes results in parts, keeps the lease meanwhile, and ends with the last of them", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(3)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhook_work_items SET lease_until = now() + interval '1 second' WHERE id = ${work.id}`
      expect(yield* store.finish(results(webhook.id, work, { delivered: [1], remaining: [0, 2] }))).toBe(true)
      expect(
        yield* sql`SELECT positions, delivered, done, lease_until > now() + interval '30 seconds' AS kept FROM webhook_work_items WHERE id = ${work.id}`
      ).toEqual([{ positions: [0, 2], delivered: 1, done: false, kept: true }])
      expect(yield* store.finish(results(webhook.id, work, { delivered: [0, 2] }))).toBe(true)
      expect(
        yield* sql`SELECT delivered, done, finished_at IS NOT NULL AS ended FROM webhook_work_items WHERE id = ${work.id}`
      ).toEqual([{ delivered: 3, done: true, ended: true }])
      expect(yield* store.nextDue(webhook.id, LEASE)).toEqual(Option.none())
    })
  )

  it.effect("gives the rest back when it is told to, due after the given time", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(3)
      yield* store.finish(results(webhook.id, work, { delivered: [0], remaining: [1, 2], releaseAfterMs: 3_600_000 }))
      expect(yield* store.claim(webhook.id, 4, LEASE)).toEqual([])
      const wait = Option.getOrThrow(yield* store.nextDue(webhook.id, LEASE))
      expect(wait).toBeGreaterThan(3_500_000)
      expect(wait).toBeLessThanOrEqual(3_600_000)
      const second = yield* claimedWork(2)
      yield* store.finish(
        results(second.webhook.id, second.work, { delivered: [1], remaining: [0], releaseAfterMs: 0 })
      )
      expect(yield* store.claim(second.webhook.id, 4, LEASE)).toMatchObject([{ fence: 2, attempts: 0, positions: [0] }])
    })
  )

  it.effect("splits retries off into work of their own, with one attempt more, due after their delay", () =>
    Effect.gen(function* () {
      const { store, webhook, chunkId, work } = yield* claimedWork(4)
      const retry = (positions: ReadonlyArray<number>, delayMs: number) => ({ positions, delayMs })
      yield* store.finish(
        results(webhook.id, work, { delivered: [0], retry: retry([1, 3], 0), remaining: [2], releaseAfterMs: null })
      )
      const [again] = yield* store.claim(webhook.id, 4, LEASE)
      expect(again).toMatchObject({ attempts: 1, fence: 1, positions: [1, 3], chunk: { id: chunkId, size: 4 } })
      expect(again!.id).not.toBe(work.id)
      yield* store.finish(results(webhook.id, again!, { delivered: [1], retry: retry([3], 60_000) }))
      expect(yield* store.claim(webhook.id, 4, LEASE)).toEqual([])
    })
  )

  it.effect("buries exhausted deliveries with the body that was to be delivered", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, chunkId, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      yield* store.finish(results(webhook.id, work, { delivered: [0], ...exhaust([1], "answered 500") }))
      const rows = yield* sql<{ body: string; event_id: string }>`
        SELECT app_id, kind, error, attempts, event_id, body FROM dead_letters WHERE webhook_id = ${webhook.id}`
      expect(rows).toMatchObject([
        { app_id: appId, kind: "webhook", error: "answered 500", attempts: 1, event_id: eventIdOf(chunkId, 1) }
      ])
      expect(JSON.parse(rows[0]!.body)).toEqual({
        id: eventIdOf(chunkId, 1),
        event: "NOTIFICATION_SENT",
        appId,
        timestamp: "2026-01-02T03:04:05.678Z",
        payload: { notificationId: "n", deviceId: "device 1" }
      })
    })
  )

  it.effect("counts nothing twice when results are written again because their answer was lost", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(6)
      const sql = yield* SqlClient.SqlClient
      const part = {
        ...exhaust([0, 1], "answered 500"),
        retry: { positions: [2], delayMs: 60_000 },
        remaining: [3, 4, 5]
      }
      const rest = { ...exhaust([3], "answered 500"), retry: { positions: [4], delayMs: 60_000 }, delivered: [5] }
      for (const step of [part, part, rest, rest]) {
        expect(yield* store.finish(results(webhook.id, work, step))).toBe(true)
      }
      expect(yield* sql`SELECT count(*)::int AS n FROM dead_letters WHERE webhook_id = ${webhook.id}`).toEqual([
        { n: 3 }
      ])
      expect(yield* sql`SELECT failures FROM webhooks WHERE id = ${webhook.id}`).toEqual([{ failures: 3 }])
      expect(
        yield* sql`SELECT positions FROM webhook_work_items WHERE webhook_id = ${webhook.id} AND attempts = 1 ORDER BY positions`
      ).toEqual([{ positions: [2] }, { positions: [4] }])
      expect(yield* sql`SELECT delivered, exhausted FROM webhook_work_items WHERE id = ${work.id}`).toEqual([
        { delivered: 1, exhausted: 3 }
      ])
    })
  )

  it.effect("writes successes once, however many copies of the same results come at the same time", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(5)
      const sql = yield* SqlClient.SqlClient
      const success = (delivered: ReadonlyArray<number>, remaining: ReadonlyArray<number>) =>
        results(webhook.id, work, {
          delivered,
          remaining,
          tried: delivered.map((position) => ({ position, at: 1_000, latencyMs: 5, outcome: 200 })),
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
        })
      for (const copy of [success([0, 1], [2, 3, 4]), success([2, 3, 4], [])]) {
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, () => store.finish(copy)),
          { concurrency: "unbounded" }
        )
        expect(answers).toEqual([true, true, true, true])
      }
      expect(yield* sql`SELECT delivered, done FROM webhook_work_items WHERE id = ${work.id}`).toEqual([
        { delivered: 5, done: true }
      ])
      expect(
        yield* sql`SELECT octet_length(records) / 10 AS n FROM webhook_attempts WHERE work_item_id = ${work.id} ORDER BY n`
      ).toEqual([{ n: 2 }, { n: 3 }])
    })
  )

  it.effect("writes work items that were delivered as a whole, or are given back untouched, in one statement", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      for (const size of [1, 2, 3, 4, 5]) yield* addWork(appId, webhook.id, size)
      const works = yield* store.claim(webhook.id, 5, LEASE)
      const [one, two, three, four, five] = [1, 2, 3, 4, 5].map((size) =>
        works.find(({ positions }) => positions.length === size)!
      )
      const delivered = (work: WebhookWork, positions = work.positions) =>
        results(webhook.id, work, {
          delivered: positions,
          tried: positions.map((position) => ({ position, at: 1_000, latencyMs: 5, outcome: 200 })),
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
        })
      const all = [
        delivered(one!),
        delivered(two!),
        results(webhook.id, three!, { remaining: three!.positions, releaseAfterMs: 0 }),
        // A repeat, or another's, by its number of open positions or its fence.
        delivered(four!, [0, 1]),
        { ...delivered(five!), fence: five!.fence + 1 }
      ]
      expect(new Set(yield* store.finishPlain(all))).toEqual(new Set([one!.id, two!.id, three!.id]))
      expect(yield* store.finishPlain(all)).toEqual([three!.id])
      expect(
        yield* sql`
          SELECT c.size, w.done, w.delivered, w.lease_until IS NULL AS free, w.finished_at IS NULL AS open,
            (SELECT sum(octet_length(a.records) / 10)::integer FROM webhook_attempts a WHERE a.work_item_id = w.id) AS logged
          FROM webhook_work_items w JOIN event_chunks c ON c.id = w.chunk_id WHERE w.webhook_id = ${webhook.id} ORDER BY c.size`
      ).toEqual([
        { size: 1, done: true, delivered: 1, free: true, open: false, logged: 1 },
        { size: 2, done: true, delivered: 2, free: true, open: false, logged: 2 },
        { size: 3, done: false, delivered: 0, free: true, open: true, logged: null },
        { size: 4, done: false, delivered: 0, free: false, open: true, logged: null },
        { size: 5, done: false, delivered: 0, free: false, open: true, logged: null }
      ])
      expect((yield* store.claim(webhook.id, 5, LEASE)).map(({ positions }) => positions)).toEqual([[0, 1, 2]])
    })
  )

  it.effect("leaves successes that end a run of failures to a closer look, and gives back all the same", () =>
    Effect.gen(function* () {
      const { appId, webhook, store, work } = yield* claimedWork(1)
      yield* store.finish(results(webhook.id, work, exhaust([0], "dead")))
      yield* addWork(appId, webhook.id, 1)
      yield* addWork(appId, webhook.id, 1)
      const [good, left] = yield* store.claim(webhook.id, 2, LEASE)
      const all = [
        results(webhook.id, good!, {
          delivered: [0],
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
        }),
        results(webhook.id, left!, { remaining: [0], releaseAfterMs: 0 })
      ]
      expect(yield* store.finishPlain(all)).toEqual([left!.id])
    })
  )

  it.effect("claims no more work items than it takes to have so many events", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      for (const size of [3, 40, 2, 5]) yield* addWork(appId, webhook.id, size)
      yield* sql`
        UPDATE webhook_work_items w SET due_at = now() - (CASE c.size WHEN 3 THEN 4 WHEN 40 THEN 3 WHEN 2 THEN 2 ELSE 1 END) * interval '1 s'
        FROM event_chunks c WHERE c.id = w.chunk_id AND w.webhook_id = ${webhook.id}`
      const sizes = (some: ReadonlyArray<WebhookWork>) => some.map(({ positions }) => positions.length)
      expect(sizes(yield* store.claim(webhook.id, 10, LEASE, 4))).toEqual([3, 40])
      expect(sizes(yield* store.claim(webhook.id, 10, LEASE, 2))).toEqual([2])
      expect(sizes(yield* store.claim(webhook.id, 10, LEASE, 2))).toEqual([5])
    })
  )

  it.effect("claims small work items from behind large ones, once, and none of a webhook that is off", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      for (const size of [300, 200, 1, 100]) yield* addWork(appId, webhook.id, size)
      yield* sql`
        UPDATE webhook_work_items w SET due_at = now() - c.size * interval '1 s' FROM event_chunks c
        WHERE c.id = w.chunk_id AND w.webhook_id = ${webhook.id}`
      const sizes = (some: ReadonlyArray<WebhookWork>) => some.map(({ positions }) => positions.length)
      yield* store.update(appId, webhook.id, { is_active: false })
      expect(yield* store.claimSmall(webhook.id, 10, LEASE, 100)).toEqual([])
      yield* store.update(appId, webhook.id, { is_active: true })
      expect(sizes(yield* store.claimSmall(webhook.id, 1, LEASE, 100))).toEqual([100])
      expect(sizes(yield* store.claimSmall(webhook.id, 10, LEASE, 100))).toEqual([1])
      expect(sizes(yield* store.claimSmall(webhook.id, 10, LEASE, 100))).toEqual([])
      expect(sizes(yield* store.claim(webhook.id, 10, LEASE))).toEqual([300, 200])
    })
  )

  it.effect("refuses successes of a lease that another has taken over, and logs nothing of them", () =>
    Effect.gen(function* () {
      const { store, webhook, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      yield* endLease(work)
      yield* store.claim(webhook.id, 1, LEASE)
      const late = results(webhook.id, work, {
        delivered: [0, 1],
        tried: [{ position: 0, at: 1_000, latencyMs: 5, outcome: 200 }],
        streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
      })
      expect(yield* store.finish(late)).toBe(false)
      expect(yield* sql`SELECT delivered, done, fence FROM webhook_work_items WHERE id = ${work.id}`).toEqual([
        { delivered: 0, done: false, fence: 2 }
      ])
      expect(yield* sql`SELECT 1 FROM webhook_attempts WHERE work_item_id = ${work.id}`).toEqual([])
    })
  )

  it.effect("disables a webhook once when its failures in a row, counted over all nodes, reach the limit", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      for (let i = 0; i < 11; i++) yield* addWork(appId, webhook.id, 5)
      const items = yield* store.claim(webhook.id, 11, LEASE)
      yield* Effect.forEach(
        items.slice(0, 9),
        (work) => store.finish(results(webhook.id, work, exhaust([0, 1, 2, 3, 4], "answered 500"))),
        { concurrency: "unbounded" }
      )
      expect(Option.getOrThrow(yield* store.find(appId, webhook.id)).isActive).toBe(true)
      yield* store.finish(results(webhook.id, items[9]!, exhaust([0, 1, 2, 3, 4], "answered 503")))
      const disabled = Option.getOrThrow(yield* store.find(appId, webhook.id))
      expect(disabled.isActive).toBe(false)
      expect(disabled.disabledReason).toMatch(
        /^50 deliveries in a row failed since \d{4}-\d\d-\d\dT[\d:.]+Z; the last one: answered 503$/
      )
      // What comes in later is recorded, and says nothing new about the webhook.
      yield* store.finish(results(webhook.id, items[10]!, exhaust([0, 1, 2, 3, 4], "answered 404")))
      expect(Option.getOrThrow(yield* store.find(appId, webhook.id))).toEqual(disabled)
      expect(yield* sql`SELECT count(*)::int AS n FROM dead_letters WHERE webhook_id = ${webhook.id}`).toEqual([
        { n: 55 }
      ])
    })
  )

  it.effect("begins to count anew after a success", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, work } = yield* claimedWork(8)
      const sql = yield* SqlClient.SqlClient
      const limit = { disableAfter: 4 }
      yield* store.finish(
        results(webhook.id, work, { ...limit, ...exhaust([0, 1, 2], "x"), remaining: [3, 4, 5, 6, 7] })
      )
      yield* store.finish(
        results(webhook.id, work, {
          ...limit,
          ...exhaust([3, 4], "x"),
          delivered: [5],
          streak: { leading: 0, reset: true, longest: 2, trailing: 2, reason: "x" },
          remaining: [6, 7]
        })
      )
      expect(yield* sql`SELECT failures, is_active FROM webhooks WHERE id = ${webhook.id}`).toEqual([
        { failures: 2, is_active: true }
      ])
      yield* store.finish(
        results(webhook.id, work, {
          ...limit,
          delivered: [6, 7],
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
        })
      )
      expect(yield* sql`SELECT failures, failing_since FROM webhooks WHERE id = ${webhook.id}`).toEqual([
        { failures: 0, failing_since: null }
      ])
      expect(Option.getOrThrow(yield* store.find(appId, webhook.id)).disabledReason).toBe(null)
    })
  )

  it.effect("disables also when the run that filled the count ended with a success in the same write", () =>
    Effect.gen(function* () {
      for (const streak of [
        { leading: 2, reset: true, longest: 0, trailing: 0, reason: "x" },
        { leading: 0, reset: true, longest: 4, trailing: 1, reason: "x" }
      ]) {
        const { store, appId, webhook, work } = yield* claimedWork(8)
        yield* store.finish(
          results(webhook.id, work, { disableAfter: 4, ...exhaust([0, 1], "x"), remaining: [2, 3, 4, 5, 6, 7] })
        )
        yield* store.finish(
          results(webhook.id, work, { disableAfter: 4, ...exhaust([2, 3], "x"), delivered: [4, 5, 6, 7], streak })
        )
        expect(Option.getOrThrow(yield* store.find(appId, webhook.id))).toMatchObject({
          isActive: false,
          disabledReason: expect.stringContaining("4 deliveries in a row failed")
        })
      }
    })
  )

  it.effect("starts a new epoch when a disabled webhook is enabled: older results neither disable nor clear it", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, work } = yield* claimedWork(6)
      const sql = yield* SqlClient.SqlClient
      yield* store.finish(
        results(webhook.id, work, { ...exhaust([0, 1], "x"), remaining: [2, 3, 4, 5], disableAfter: 2 })
      )
      const enabled = Option.getOrThrow(yield* store.update(appId, webhook.id, { is_active: true }))
      expect(enabled).toMatchObject({ isActive: true, disabledReason: null })
      expect(Option.getOrThrow(yield* store.endpoint(webhook.id)).epoch).toBe(2)
      yield* store.finish(results(webhook.id, work, { ...exhaust([2, 3], "x"), remaining: [4, 5], disableAfter: 2 }))
      expect(Option.getOrThrow(yield* store.find(appId, webhook.id)).isActive).toBe(true)
      yield* store.finish(
        results(webhook.id, work, { ...exhaust([4], "x"), remaining: [5], epoch: 2, disableAfter: 2 })
      )
      yield* store.finish(
        results(webhook.id, work, {
          delivered: [5],
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null },
          disableAfter: 2
        })
      )
      expect(yield* sql`SELECT failures FROM webhooks WHERE id = ${webhook.id}`).toEqual([{ failures: 1 }])
    })
  )

  it.effect("does not forget the failures of an active webhook that is enabled once more", () =>
    Effect.gen(function* () {
      const { store, appId, webhook, work } = yield* claimedWork(1)
      const sql = yield* SqlClient.SqlClient
      yield* store.finish(results(webhook.id, work, exhaust([0], "x")))
      yield* store.update(appId, webhook.id, { is_active: true })
      expect(yield* sql`SELECT failures, epoch FROM webhooks WHERE id = ${webhook.id}`).toEqual([
        { failures: 1, epoch: 1 }
      ])
    })
  )

  it.effect("keeps the work of a webhook that is off, and hands it out when the webhook is on again", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId, { is_active: false })
      yield* addWork(appId, webhook.id, 1)
      expect(yield* store.claim(webhook.id, 4, LEASE)).toEqual([])
      expect(yield* store.due(1000, LEASE)).not.toContain(webhook.id)
      expect(yield* store.nextDue(webhook.id, LEASE)).toEqual(Option.none())
      yield* store.update(appId, webhook.id, { is_active: true })
      expect(yield* store.due(1000, LEASE)).toContain(webhook.id)
      expect(yield* store.claim(webhook.id, 4, LEASE)).toHaveLength(1)
    })
  )

  it.effect("names webhooks with due work, those that waited longest first, until somebody has it", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const [first, second] = [yield* newWebhook(appId), yield* newWebhook(appId)]
      for (const [webhook, minutes] of [[second, 1] as const, [first, 2] as const]) {
        yield* addWork(appId, webhook.id, 1)
        yield* sql`UPDATE webhook_work_items SET due_at = now() - make_interval(years => 1, mins => ${minutes}) WHERE webhook_id = ${webhook.id}`
      }
      expect(yield* store.due(2, LEASE)).toEqual([first.id, second.id])
      const [work] = yield* store.claim(first.id, 1, LEASE)
      expect(yield* store.due(1, LEASE)).toEqual([second.id])
      yield* endLease(work!)
      expect(yield* store.due(1, LEASE)).toEqual([first.id])
    })
  )

  it.effect("gives the oldest deliveries their turn when they are due, those that were tried most first", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhook = yield* newWebhook(appId)
      // Ids of one millisecond have no order, and moments may be the same: each stands by its size, a second apart.
      for (const size of [2, 1, 4, 3, 8]) yield* addWork(appId, webhook.id, size)
      const works = yield* sql<{ id: string; size: number }>`
        UPDATE webhook_work_items w SET due_at = now() - (20 - c.size) * interval '1 s' FROM event_chunks c
        WHERE c.id = w.chunk_id AND w.webhook_id = ${webhook.id} RETURNING w.id, c.size`
      const [a, b, c, d] = [2, 1, 4, 3].map((size) => works.find((work) => work.size === size)!.id)
      yield* sql`UPDATE webhook_work_items SET attempts = 1 WHERE id = ${b!}`
      yield* sql`UPDATE webhook_work_items SET attempts = 5, due_at = now() + interval '1 hour' WHERE id = ${d!}`
      expect(yield* store.hasRetries(webhook.id)).toBe(true)
      // Eight places: three of d, which is not due, one of b, two of a, and two of the four of c.
      expect(Option.getOrThrow(yield* store.nextDueOldest(webhook.id, 8, LEASE))).toBe(0)
      const turns = yield* store.claimOldest(webhook.id, 8, LEASE)
      expect(new Map(turns.map(({ positions, work }) => [work.id as string, positions]))).toEqual(
        new Map([
          [b, [0]],
          [a, [0, 1]],
          [c, [0, 1]]
        ])
      )
      expect(yield* store.claimOldest(webhook.id, 8, LEASE)).toEqual([])
      expect(Option.getOrThrow(yield* store.nextDueOldest(webhook.id, 8, LEASE))).toBeGreaterThan(50_000)
      // Who holds c has its waiting ones too; the next one is of e.
      expect(yield* store.claimWaiting(webhook.id, 8, LEASE)).toMatchObject([
        { positions: [0], work: { positions: { length: 8 } } }
      ])
      for (const { work } of turns) {
        yield* store.finish(results(webhook.id, work, { remaining: work.positions, releaseAfterMs: 0 }))
      }
      expect(yield* store.claimWaiting(webhook.id, 8, LEASE)).toMatchObject([{ positions: [2], work: { id: c } }])
    })
  )

  it.effect(
    "has fewer places for the oldest, the more of them have used up their attempts, and none when disabled",
    () =>
      Effect.gen(function* () {
        const { store, webhook, work } = yield* claimedWork(10)
        yield* store.finish(
          results(webhook.id, work, {
            ...exhaust([0, 1, 2], "dead"),
            remaining: [3, 4, 5, 6, 7, 8, 9],
            releaseAfterMs: 0
          })
        )
        const [turn] = yield* store.claimOldest(webhook.id, 5, LEASE)
        expect(turn!.positions).toEqual([3, 4])
        yield* store.finish(
          results(webhook.id, turn!.work, {
            ...exhaust([3, 4], "dead"),
            remaining: [5, 6, 7, 8, 9],
            releaseAfterMs: 0,
            disableAfter: 5
          })
        )
        expect(yield* store.claimOldest(webhook.id, 5, LEASE)).toEqual([])
        expect(yield* store.claimWaiting(webhook.id, 5, LEASE)).toEqual([])
        expect(yield* store.nextDueOldest(webhook.id, 5, LEASE)).toEqual(Option.none())
      })
  )

  it.effect(
    "disables a webhook exactly once when two nodes write the failures that fill its count at the same time",
    () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const sql = yield* SqlClient.SqlClient
        const { url } = yield* TestDatabase
        const appId = yield* newApp
        const webhook = yield* newWebhook(appId)
        yield* sql`CREATE TABLE switched_off (webhook_id uuid, reason text)`
        yield* sql`CREATE FUNCTION switched_off() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO switched_off VALUES (NEW.id, NEW.disabled_reason); RETURN NULL; END'`
        yield* sql`CREATE TRIGGER switched_off AFTER UPDATE ON webhooks FOR EACH ROW
        WHEN (OLD.is_active AND NOT NEW.is_active) EXECUTE FUNCTION switched_off()`
        for (let i = 0; i < 40; i++) yield* addWork(appId, webhook.id, 5)
        const items = yield* store.claim(webhook.id, 40, LEASE)
        const node = (mine: ReadonlyArray<WebhookWork>) =>
          Effect.gen(function* () {
            const own = yield* WebhookStore
            const write = (work: WebhookWork) =>
              own.finish(results(webhook.id, work, exhaust([0, 1, 2, 3, 4], "answered 500")))
            return yield* Effect.forEach(mine, write, { concurrency: 4 })
          }).pipe(Effect.provide(Layer.fresh(nodeOf(url))))
        const written = yield* Effect.all([node(items.slice(0, 20)), node(items.slice(20))], {
          concurrency: "unbounded"
        })
        expect(written.flat()).toEqual(Array(40).fill(true))
        expect(yield* sql`SELECT * FROM switched_off`).toEqual([
          { webhook_id: webhook.id, reason: expect.stringMatching(/^50 deliveries in a row failed since/) }
        ])
        expect(yield* sql`SELECT failures FROM webhooks WHERE id = ${webhook.id}`).toEqual([{ failures: 50 }])
        expect(yield* sql`SELECT count(*)::int AS n FROM dead_letters WHERE webhook_id = ${webhook.id}`).toEqual([
          { n: 200 }
        ])
        yield* sql`DROP TRIGGER switched_off ON webhooks`
      })
  )

  it.effect("lets a webhook be removed while its results are written, without a deadlock", () =>
    Effect.gen(function* () {
      const rounds = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () =>
          Effect.gen(function* () {
            const { store, appId, webhook, work } = yield* claimedWork(2)
            const [, isRemoved] = yield* Effect.all(
              [store.finish(results(webhook.id, work, exhaust([0, 1], "x"))), store.remove(appId, webhook.id)],
              { concurrency: "unbounded" }
            )
            return isRemoved && Option.isNone(yield* store.find(appId, webhook.id))
          }),
        { concurrency: 4 }
      )
      expect(rounds).toEqual(Array(20).fill(true))
    })
  )
})
