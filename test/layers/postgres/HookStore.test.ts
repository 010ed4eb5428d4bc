import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { eventIdOf } from "../../../services/domain/Ids.ts"
import type { HookWork } from "../../../services/ports/HookStore.ts"
import { HookStore } from "../../../services/ports/HookStore.ts"
import { TestDatabase } from "../../Database.ts"
import {
  addWork,
  claimedWork,
  exhaust,
  hookStores,
  LEASE,
  newApp,
  newHook,
  nodeOf,
  OVERLAP,
  results
} from "./HookWork.ts"

/** Takes it away: one that was over before the server of the tests began would be respected still. */
const endLease = Effect.fnUntraced(function* (work: HookWork) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE hook_work SET lease_until = NULL WHERE id = ${work.id}`
})

layer(hookStores)("HookStore", (it) => {
  it.effect("stops at twenty hooks of an application, however many are made at once", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const made = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.result(newHook(appId)), {
        concurrency: "unbounded"
      })
      expect(made.filter(({ _tag }) => _tag === "Success")).toHaveLength(20)
      expect(made.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))).toEqual(
        Array(30).fill("TooManyHooks")
      )
      expect((yield* store.list(appId, null, 100)).items).toHaveLength(20)
      expect((yield* newHook(yield* newApp)).isActive).toBe(true)
    })
  )

  it.effect("lists hooks in pages, each once", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const ids = yield* Effect.forEach(Array.from({ length: 5 }), () => Effect.map(newHook(appId), ({ id }) => id))
      const first = yield* store.list(appId, null, 2)
      const second = yield* store.list(appId, first.next, 2)
      const third = yield* store.list(appId, second.next, 2)
      expect([first, second, third].flatMap(({ items }) => items.map(({ id }) => id))).toEqual([...ids].sort())
      expect(third.next).toBe(null)
    })
  )

  it.effect("shows a hook to its own application only, and never its secret", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const [appId, stranger] = [yield* newApp, yield* newApp]
      const hook = yield* newHook(appId, { secret: "hush hush", events: ["NOTIFICATION_SENT"] })
      expect(hook.events).toEqual(["NOTIFICATION_SENT"])
      expect(JSON.stringify(hook)).not.toContain("hush")
      expect(yield* store.find(appId, hook.id)).toEqual(Option.some(hook))
      expect(yield* store.find(stranger, hook.id)).toEqual(Option.none())
      expect(yield* store.update(stranger, hook.id, { name: "mine" }, OVERLAP)).toEqual(Option.none())
      expect(yield* store.remove(stranger, hook.id)).toBe(false)
      const [row] = yield* sql<{
        text: string
      }>`SELECT encode(secret, 'escape') AS text FROM hooks WHERE id = ${hook.id}`
      expect(row!.text).not.toContain("hush")
      expect(Option.getOrThrow(yield* store.endpoint(hook.id)).secrets).toEqual(["hush hush"])
    })
  )

  it.effect("changes the fields that are named and keeps the others", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const hook = yield* newHook(appId, { secret: "old", events: ["NOTIFICATION_SENT"] })
      const renamed = Option.getOrThrow(yield* store.update(appId, hook.id, { name: "new name" }, OVERLAP))
      expect(renamed).toMatchObject({ name: "new name", url: hook.url, events: ["NOTIFICATION_SENT"], isActive: true })
      const moved = yield* store.update(
        appId,
        hook.id,
        { url: "https://example.org/", events: [], secret: null },
        OVERLAP
      )
      expect(Option.getOrThrow(moved)).toMatchObject({ name: "new name", url: "https://example.org/", events: [] })
      expect(yield* store.endpoint(hook.id)).toEqual(
        Option.some({ id: hook.id, appId, url: "https://example.org/", secrets: [], epoch: 1 })
      )
      yield* store.update(appId, hook.id, { is_active: false }, OVERLAP)
      expect(yield* store.endpoint(hook.id)).toEqual(Option.none())
    })
  )

  it.effect("lets a replaced secret sign beside the new one until its overlap ends", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const hook = yield* newHook(appId, { secret: "first" })
      const secrets = Effect.map(store.endpoint(hook.id), (it) => Option.getOrThrow(it).secrets)
      const rotate = (secret: string | null, seconds?: number) =>
        Effect.map(
          store.update(
            appId,
            hook.id,
            { secret, ...(seconds === undefined ? {} : { secret_overlap_seconds: seconds }) },
            OVERLAP
          ),
          Option.getOrThrow
        )
      expect(hook).toMatchObject({ isSigned: true, overlapUntil: null })
      const second = yield* rotate("second")
      expect(second.overlapUntil! - second.updatedAt).toBe(OVERLAP)
      expect(yield* secrets).toEqual(["second", "first"])
      const third = yield* rotate("third", 60)
      // The first one still has the longest to go.
      expect(third.overlapUntil).toBe(second.overlapUntil)
      expect(yield* secrets).toEqual(["third", "first", "second"])
      yield* sql`UPDATE hooks SET former_until = ARRAY[now() - interval '1 s', now() + interval '1 hour'] WHERE id = ${hook.id}`
      expect(yield* secrets).toEqual(["third", "second"])
      expect(Option.getOrThrow(yield* store.target(appId, hook.id)).secrets).toEqual(["third", "second"])
      // What has ended is not kept at the next change.
      yield* rotate("fourth")
      expect(yield* sql`SELECT cardinality(former_secrets) AS n FROM hooks WHERE id = ${hook.id}`).toEqual([{ n: 2 }])
      expect([...(yield* secrets)].toSorted()).toEqual(["fourth", "second", "third"])
    })
  )

  it.effect("removes every secret at once when it is told to, and every former one when it is not to overlap", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const hook = yield* newHook(appId, { secret: "first" })
      const secrets = Effect.map(store.endpoint(hook.id), (it) => Option.getOrThrow(it).secrets)
      yield* store.update(appId, hook.id, { secret: "second" }, OVERLAP)
      const leaked = yield* store.update(appId, hook.id, { secret: "third", secret_overlap_seconds: 0 }, OVERLAP)
      expect(Option.getOrThrow(leaked).overlapUntil).toBe(null)
      expect(yield* secrets).toEqual(["third"])
      yield* store.update(appId, hook.id, { secret: "fourth" }, OVERLAP)
      expect(Option.getOrThrow(yield* store.update(appId, hook.id, { secret: null }, OVERLAP))).toMatchObject({
        isSigned: false,
        overlapUntil: null
      })
      expect(yield* secrets).toEqual([])
      yield* store.update(appId, hook.id, { secret: "fifth" }, OVERLAP)
      expect(yield* secrets).toEqual(["fifth"])
    })
  )

  it.effect("keeps every replaced secret when several are set at once, and not more than fit a header", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const hook = yield* newHook(appId, { secret: "0" })
      yield* Effect.forEach(["1", "2", "3"], (secret) => store.update(appId, hook.id, { secret }, OVERLAP), {
        concurrency: "unbounded"
      })
      const secrets = Effect.map(store.endpoint(hook.id), (it) => Option.getOrThrow(it).secrets)
      expect([...(yield* secrets)].toSorted()).toEqual(["0", "1", "2", "3"])
      for (const secret of ["4", "5", "6", "7", "8"]) yield* store.update(appId, hook.id, { secret }, OVERLAP)
      expect(yield* secrets).toEqual(["8", "7", "6", "5", "4"])
    })
  )

  it.effect("has the target of a hook that is off, for its own application only", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const [appId, stranger] = [yield* newApp, yield* newApp]
      const hook = yield* newHook(appId, { is_active: false, secret: "s" })
      expect(Option.getOrThrow(yield* store.target(appId, hook.id))).toMatchObject({ url: hook.url, secrets: ["s"] })
      expect(yield* store.target(stranger, hook.id)).toEqual(Option.none())
    })
  )

  it.effect("hands a hook's work out with its events, and nothing that is another's", () =>
    Effect.gen(function* () {
      const { store, appId, chunkId, work } = yield* claimedWork(3)
      const other = yield* newHook(appId)
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

  it.effect("never gives one piece of work to two of many claimers", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const hook = yield* newHook(appId)
      for (let i = 0; i < 40; i++) yield* addWork(appId, hook.id, 1)
      const claimer = Effect.gen(function* () {
        const mine: Array<string> = []
        while (true) {
          const taken = yield* store.claim(hook.id, 3, LEASE)
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
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const hook = yield* newHook(appId)
      yield* addWork(appId, hook.id, 1)
      const [taken, mayCommit] = [yield* Deferred.make<number>(), yield* Deferred.make<void>()]
      const first = yield* store.claim(hook.id, 4, LEASE).pipe(
        Effect.tap(({ length }) => Deferred.succeed(taken, length)),
        Effect.tap(() => Deferred.await(mayCommit)),
        sql.withTransaction,
        Effect.forkChild
      )
      expect(yield* Deferred.await(taken)).toBe(1)
      expect(yield* store.claim(hook.id, 4, LEASE)).toEqual([])
      yield* Deferred.succeed(mayCommit, undefined)
      expect(yield* Fiber.join(first)).toMatchObject([{ fence: 1 }])
    })
  )

  it.effect("gives work of an ended lease to another, and refuses the late results of the first", () =>
    Effect.gen(function* () {
      const { store, hook, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      expect(yield* store.claim(hook.id, 4, LEASE)).toEqual([])
      yield* endLease(work)
      const [second] = yield* store.claim(hook.id, 4, LEASE)
      expect(second).toMatchObject({ id: work.id, fence: 2, positions: [0, 1] })
      const late = { ...exhaust([0], "answered 500"), retry: { positions: [1], delayMs: 0 } }
      const before = yield* sql`SELECT * FROM hook_work WHERE hook_id = ${hook.id}`
      expect(yield* store.finish(results(hook.id, work, late))).toBe(false)
      expect(yield* sql`SELECT * FROM hook_work WHERE hook_id = ${hook.id}`).toEqual(before)
      expect(yield* sql`SELECT * FROM dead_letters WHERE hook_id = ${hook.id}`).toEqual([])
      expect(yield* sql`SELECT failures FROM hooks WHERE id = ${hook.id}`).toEqual([{ failures: 0 }])
    })
  )

  it.effect("writes results in parts, keeps the lease meanwhile, and ends with the last of them", () =>
    Effect.gen(function* () {
      const { store, hook, work } = yield* claimedWork(3)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE hook_work SET lease_until = now() + interval '1 second' WHERE id = ${work.id}`
      expect(yield* store.finish(results(hook.id, work, { delivered: [1], remaining: [0, 2] }))).toBe(true)
      expect(
        yield* sql`SELECT positions, delivered, done, lease_until > now() + interval '30 seconds' AS kept FROM hook_work WHERE id = ${work.id}`
      ).toEqual([{ positions: [0, 2], delivered: 1, done: false, kept: true }])
      expect(yield* store.finish(results(hook.id, work, { delivered: [0, 2] }))).toBe(true)
      expect(
        yield* sql`SELECT delivered, done, finished_at IS NOT NULL AS ended FROM hook_work WHERE id = ${work.id}`
      ).toEqual([{ delivered: 3, done: true, ended: true }])
      expect(yield* store.nextDue(hook.id, LEASE)).toEqual(Option.none())
    })
  )

  it.effect("gives the rest back when it is told to, due after the given time", () =>
    Effect.gen(function* () {
      const { store, hook, work } = yield* claimedWork(3)
      yield* store.finish(results(hook.id, work, { delivered: [0], remaining: [1, 2], releaseAfterMs: 3_600_000 }))
      expect(yield* store.claim(hook.id, 4, LEASE)).toEqual([])
      const wait = Option.getOrThrow(yield* store.nextDue(hook.id, LEASE))
      expect(wait).toBeGreaterThan(3_500_000)
      expect(wait).toBeLessThanOrEqual(3_600_000)
      const second = yield* claimedWork(2)
      yield* store.finish(results(second.hook.id, second.work, { delivered: [1], remaining: [0], releaseAfterMs: 0 }))
      expect(yield* store.claim(second.hook.id, 4, LEASE)).toMatchObject([{ fence: 2, attempts: 0, positions: [0] }])
    })
  )

  it.effect("splits retries off into work of their own, with one attempt more, due after their delay", () =>
    Effect.gen(function* () {
      const { store, hook, chunkId, work } = yield* claimedWork(4)
      const retry = (positions: ReadonlyArray<number>, delayMs: number) => ({ positions, delayMs })
      yield* store.finish(
        results(hook.id, work, { delivered: [0], retry: retry([1, 3], 0), remaining: [2], releaseAfterMs: null })
      )
      const [again] = yield* store.claim(hook.id, 4, LEASE)
      expect(again).toMatchObject({ attempts: 1, fence: 1, positions: [1, 3], chunk: { id: chunkId, size: 4 } })
      expect(again!.id).not.toBe(work.id)
      yield* store.finish(results(hook.id, again!, { delivered: [1], retry: retry([3], 60_000) }))
      expect(yield* store.claim(hook.id, 4, LEASE)).toEqual([])
    })
  )

  it.effect("buries exhausted deliveries with the body that was to be delivered", () =>
    Effect.gen(function* () {
      const { store, appId, hook, chunkId, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      yield* store.finish(results(hook.id, work, { delivered: [0], ...exhaust([1], "answered 500") }))
      const rows = yield* sql<{ body: string; event_id: string }>`
        SELECT app_id, kind, error, attempts, event_id, body FROM dead_letters WHERE hook_id = ${hook.id}`
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
      const { store, hook, work } = yield* claimedWork(6)
      const sql = yield* SqlClient.SqlClient
      const part = {
        ...exhaust([0, 1], "answered 500"),
        retry: { positions: [2], delayMs: 60_000 },
        remaining: [3, 4, 5]
      }
      const rest = { ...exhaust([3], "answered 500"), retry: { positions: [4], delayMs: 60_000 }, delivered: [5] }
      for (const step of [part, part, rest, rest]) {
        expect(yield* store.finish(results(hook.id, work, step))).toBe(true)
      }
      expect(yield* sql`SELECT count(*)::int AS n FROM dead_letters WHERE hook_id = ${hook.id}`).toEqual([{ n: 3 }])
      expect(yield* sql`SELECT failures FROM hooks WHERE id = ${hook.id}`).toEqual([{ failures: 3 }])
      expect(
        yield* sql`SELECT positions FROM hook_work WHERE hook_id = ${hook.id} AND attempts = 1 ORDER BY id`
      ).toEqual([{ positions: [2] }, { positions: [4] }])
      expect(yield* sql`SELECT delivered, exhausted FROM hook_work WHERE id = ${work.id}`).toEqual([
        { delivered: 1, exhausted: 3 }
      ])
    })
  )

  it.effect("writes successes once, however many copies of the same results come at the same time", () =>
    Effect.gen(function* () {
      const { store, hook, work } = yield* claimedWork(5)
      const sql = yield* SqlClient.SqlClient
      const success = (delivered: ReadonlyArray<number>, remaining: ReadonlyArray<number>) =>
        results(hook.id, work, {
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
      expect(yield* sql`SELECT delivered, done FROM hook_work WHERE id = ${work.id}`).toEqual([
        { delivered: 5, done: true }
      ])
      expect(
        yield* sql`SELECT octet_length(records) / 10 AS n FROM hook_attempts WHERE work_id = ${work.id} ORDER BY n`
      ).toEqual([{ n: 2 }, { n: 3 }])
    })
  )

  it.effect("refuses successes of a lease that another has taken over, and logs nothing of them", () =>
    Effect.gen(function* () {
      const { store, hook, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      yield* endLease(work)
      yield* store.claim(hook.id, 1, LEASE)
      const late = results(hook.id, work, {
        delivered: [0, 1],
        tried: [{ position: 0, at: 1_000, latencyMs: 5, outcome: 200 }],
        streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
      })
      expect(yield* store.finish(late)).toBe(false)
      expect(yield* sql`SELECT delivered, done, fence FROM hook_work WHERE id = ${work.id}`).toEqual([
        { delivered: 0, done: false, fence: 2 }
      ])
      expect(yield* sql`SELECT 1 FROM hook_attempts WHERE work_id = ${work.id}`).toEqual([])
    })
  )

  it.effect("disables a hook once when its failures in a row, counted over all nodes, reach the limit", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const hook = yield* newHook(appId)
      for (let i = 0; i < 11; i++) yield* addWork(appId, hook.id, 5)
      const pieces = yield* store.claim(hook.id, 11, LEASE)
      yield* Effect.forEach(
        pieces.slice(0, 9),
        (work) => store.finish(results(hook.id, work, exhaust([0, 1, 2, 3, 4], "answered 500"))),
        { concurrency: "unbounded" }
      )
      expect(Option.getOrThrow(yield* store.find(appId, hook.id)).isActive).toBe(true)
      yield* store.finish(results(hook.id, pieces[9]!, exhaust([0, 1, 2, 3, 4], "answered 503")))
      const disabled = Option.getOrThrow(yield* store.find(appId, hook.id))
      expect(disabled.isActive).toBe(false)
      expect(disabled.disabledReason).toMatch(
        /^50 deliveries in a row failed since \d{4}-\d\d-\d\dT[\d:.]+Z; the last one: answered 503$/
      )
      // What comes in later is recorded, and says nothing new about the hook.
      yield* store.finish(results(hook.id, pieces[10]!, exhaust([0, 1, 2, 3, 4], "answered 404")))
      expect(Option.getOrThrow(yield* store.find(appId, hook.id))).toEqual(disabled)
      expect(yield* sql`SELECT count(*)::int AS n FROM dead_letters WHERE hook_id = ${hook.id}`).toEqual([{ n: 55 }])
    })
  )

  it.effect("begins to count anew after a success", () =>
    Effect.gen(function* () {
      const { store, appId, hook, work } = yield* claimedWork(8)
      const sql = yield* SqlClient.SqlClient
      const limit = { disableAfter: 4 }
      yield* store.finish(results(hook.id, work, { ...limit, ...exhaust([0, 1, 2], "x"), remaining: [3, 4, 5, 6, 7] }))
      yield* store.finish(
        results(hook.id, work, {
          ...limit,
          ...exhaust([3, 4], "x"),
          delivered: [5],
          streak: { leading: 0, reset: true, longest: 2, trailing: 2, reason: "x" },
          remaining: [6, 7]
        })
      )
      expect(yield* sql`SELECT failures, is_active FROM hooks WHERE id = ${hook.id}`).toEqual([
        { failures: 2, is_active: true }
      ])
      yield* store.finish(
        results(hook.id, work, {
          ...limit,
          delivered: [6, 7],
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null }
        })
      )
      expect(yield* sql`SELECT failures, failing_since FROM hooks WHERE id = ${hook.id}`).toEqual([
        { failures: 0, failing_since: null }
      ])
      expect(Option.getOrThrow(yield* store.find(appId, hook.id)).disabledReason).toBe(null)
    })
  )

  it.effect("disables also when the run that filled the count ended with a success in the same write", () =>
    Effect.gen(function* () {
      for (const streak of [
        { leading: 2, reset: true, longest: 0, trailing: 0, reason: "x" },
        { leading: 0, reset: true, longest: 4, trailing: 1, reason: "x" }
      ]) {
        const { store, appId, hook, work } = yield* claimedWork(8)
        yield* store.finish(
          results(hook.id, work, { disableAfter: 4, ...exhaust([0, 1], "x"), remaining: [2, 3, 4, 5, 6, 7] })
        )
        yield* store.finish(
          results(hook.id, work, { disableAfter: 4, ...exhaust([2, 3], "x"), delivered: [4, 5, 6, 7], streak })
        )
        expect(Option.getOrThrow(yield* store.find(appId, hook.id))).toMatchObject({
          isActive: false,
          disabledReason: expect.stringContaining("4 deliveries in a row failed")
        })
      }
    })
  )

  it.effect("starts a new epoch when a disabled hook is enabled: older results neither disable nor clear it", () =>
    Effect.gen(function* () {
      const { store, appId, hook, work } = yield* claimedWork(6)
      const sql = yield* SqlClient.SqlClient
      yield* store.finish(results(hook.id, work, { ...exhaust([0, 1], "x"), remaining: [2, 3, 4, 5], disableAfter: 2 }))
      const enabled = Option.getOrThrow(yield* store.update(appId, hook.id, { is_active: true }, OVERLAP))
      expect(enabled).toMatchObject({ isActive: true, disabledReason: null })
      expect(Option.getOrThrow(yield* store.endpoint(hook.id)).epoch).toBe(2)
      yield* store.finish(results(hook.id, work, { ...exhaust([2, 3], "x"), remaining: [4, 5], disableAfter: 2 }))
      expect(Option.getOrThrow(yield* store.find(appId, hook.id)).isActive).toBe(true)
      yield* store.finish(results(hook.id, work, { ...exhaust([4], "x"), remaining: [5], epoch: 2, disableAfter: 2 }))
      yield* store.finish(
        results(hook.id, work, {
          delivered: [5],
          streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null },
          disableAfter: 2
        })
      )
      expect(yield* sql`SELECT failures FROM hooks WHERE id = ${hook.id}`).toEqual([{ failures: 1 }])
    })
  )

  it.effect("does not forget the failures of an active hook that is enabled once more", () =>
    Effect.gen(function* () {
      const { store, appId, hook, work } = yield* claimedWork(1)
      const sql = yield* SqlClient.SqlClient
      yield* store.finish(results(hook.id, work, exhaust([0], "x")))
      yield* store.update(appId, hook.id, { is_active: true }, OVERLAP)
      expect(yield* sql`SELECT failures, epoch FROM hooks WHERE id = ${hook.id}`).toEqual([{ failures: 1, epoch: 1 }])
    })
  )

  it.effect("keeps the work of a hook that is off, and hands it out when the hook is on again", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const hook = yield* newHook(appId, { is_active: false })
      yield* addWork(appId, hook.id, 1)
      expect(yield* store.claim(hook.id, 4, LEASE)).toEqual([])
      expect(yield* store.due(1000, LEASE)).not.toContain(hook.id)
      expect(yield* store.nextDue(hook.id, LEASE)).toEqual(Option.none())
      yield* store.update(appId, hook.id, { is_active: true }, OVERLAP)
      expect(yield* store.due(1000, LEASE)).toContain(hook.id)
      expect(yield* store.claim(hook.id, 4, LEASE)).toHaveLength(1)
    })
  )

  it.effect("names hooks with due work, those that waited longest first, until somebody has it", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const [first, second] = [yield* newHook(appId), yield* newHook(appId)]
      for (const [hook, minutes] of [[second, 1] as const, [first, 2] as const]) {
        yield* addWork(appId, hook.id, 1)
        yield* sql`UPDATE hook_work SET due_at = now() - make_interval(years => 1, mins => ${minutes}) WHERE hook_id = ${hook.id}`
      }
      expect(yield* store.due(2, LEASE)).toEqual([first.id, second.id])
      const [work] = yield* store.claim(first.id, 1, LEASE)
      expect(yield* store.due(1, LEASE)).toEqual([second.id])
      yield* endLease(work!)
      expect(yield* store.due(1, LEASE)).toEqual([first.id])
    })
  )

  it.effect("gives a probe the due work with the most attempts, and the oldest when nothing was tried", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const hook = yield* newHook(appId)
      for (let i = 0; i < 4; i++) yield* addWork(appId, hook.id, 1)
      const works = yield* sql<{ id: string }>`SELECT id FROM hook_work WHERE hook_id = ${hook.id} ORDER BY id`
      yield* sql`UPDATE hook_work SET attempts = 3 WHERE id = ${works[2]!.id}`
      yield* sql`UPDATE hook_work SET attempts = 1 WHERE id = ${works[1]!.id}`
      yield* sql`UPDATE hook_work SET attempts = 5, due_at = now() + interval '1 hour' WHERE id = ${works[3]!.id}`
      const taken: Array<string> = []
      for (let i = 0; i < 4; i++) taken.push(...(yield* store.claimMostTried(hook.id, LEASE)).map(({ id }) => id))
      expect(taken).toEqual([works[2]!.id, works[1]!.id, works[0]!.id])
    })
  )

  it.effect("disables a hook exactly once when two nodes write the failures that fill its count at the same time", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      const { url } = yield* TestDatabase
      const appId = yield* newApp
      const hook = yield* newHook(appId)
      yield* sql`CREATE TABLE switched_off (hook_id uuid, reason text)`
      yield* sql`CREATE FUNCTION switched_off() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO switched_off VALUES (NEW.id, NEW.disabled_reason); RETURN NULL; END'`
      yield* sql`CREATE TRIGGER switched_off AFTER UPDATE ON hooks FOR EACH ROW
        WHEN (OLD.is_active AND NOT NEW.is_active) EXECUTE FUNCTION switched_off()`
      for (let i = 0; i < 40; i++) yield* addWork(appId, hook.id, 5)
      const pieces = yield* store.claim(hook.id, 40, LEASE)
      const node = (mine: ReadonlyArray<HookWork>) =>
        Effect.gen(function* () {
          const own = yield* HookStore
          const write = (work: HookWork) => own.finish(results(hook.id, work, exhaust([0, 1, 2, 3, 4], "answered 500")))
          return yield* Effect.forEach(mine, write, { concurrency: 4 })
        }).pipe(Effect.provide(Layer.fresh(nodeOf(url))))
      const written = yield* Effect.all([node(pieces.slice(0, 20)), node(pieces.slice(20))], {
        concurrency: "unbounded"
      })
      expect(written.flat()).toEqual(Array(40).fill(true))
      expect(yield* sql`SELECT * FROM switched_off`).toEqual([
        { hook_id: hook.id, reason: expect.stringMatching(/^50 deliveries in a row failed since/) }
      ])
      expect(yield* sql`SELECT failures FROM hooks WHERE id = ${hook.id}`).toEqual([{ failures: 50 }])
      expect(yield* sql`SELECT count(*)::int AS n FROM dead_letters WHERE hook_id = ${hook.id}`).toEqual([{ n: 200 }])
      yield* sql`DROP TRIGGER switched_off ON hooks`
    })
  )

  it.effect("lets a hook be removed while its results are written, without a deadlock", () =>
    Effect.gen(function* () {
      const rounds = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () =>
          Effect.gen(function* () {
            const { store, appId, hook, work } = yield* claimedWork(2)
            const [, isRemoved] = yield* Effect.all(
              [store.finish(results(hook.id, work, exhaust([0, 1], "x"))), store.remove(appId, hook.id)],
              { concurrency: "unbounded" }
            )
            return isRemoved && Option.isNone(yield* store.find(appId, hook.id))
          }),
        { concurrency: 4 }
      )
      expect(rounds).toEqual(Array(20).fill(true))
    })
  )
})
