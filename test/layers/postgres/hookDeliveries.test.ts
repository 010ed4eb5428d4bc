import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventIdOf } from "../../../services/domain/Ids.ts"
import type { HookAttempt, HookDelivery } from "../../../services/ports/HookStore.ts"
import { HookStore } from "../../../services/ports/HookStore.ts"
import { addWork, claimedWork, exhaust, hookStores, LEASE, newApp, newHook, OVERLAP, results } from "./HookWork.ts"

const T = Date.parse("2026-01-02T03:05:00.000Z")
const tried = (position: number, outcome: number | string, at = T): HookAttempt => ({
  position,
  at,
  latencyMs: 10 + position,
  outcome
})

layer(hookStores)("the log of a hook's deliveries", (it) => {
  it.effect("tells of each event where it stands, with all its attempts", () =>
    Effect.gen(function* () {
      const { store, appId, hook, chunkId, work } = yield* claimedWork(4)
      // 0 gets through at once, 1 at the second attempt, 2 is given up at the second, 3 is not tried yet.
      yield* store.finish(
        results(hook.id, work, {
          delivered: [0],
          tried: [tried(0, 204), tried(1, 500), tried(2, "timeout")],
          retry: { positions: [1, 2], delayMs: 0 },
          remaining: [3],
          releaseAfterMs: 3_600_000
        })
      )
      const [again] = yield* store.claim(hook.id, 1, LEASE)
      const half = yield* store.deliveries(appId, hook.id, null, 100)
      expect(half.items.map(({ status, attempts }) => [status, attempts.length])).toEqual([
        ["delivered", 1],
        ["retrying", 1],
        ["retrying", 1],
        ["pending", 0]
      ])
      yield* store.finish(
        results(hook.id, again!, {
          delivered: [1],
          tried: [tried(2, "connection refused", T + 30_000), tried(1, 200, T + 30_001)],
          ...exhaust([2], "connection refused")
        })
      )
      const { items, next } = yield* store.deliveries(appId, hook.id, null, 100)
      expect(next).toBe(null)
      const common = { event: "NOTIFICATION_SENT", eventAt: Date.parse("2026-01-02T03:04:05.678Z"), isHeld: false }
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
    "says of what waits for a disabled hook that it is held, and when it goes on once the hook is enabled",
    () =>
      Effect.gen(function* () {
        const { store, appId, hook, work } = yield* claimedWork(3)
        yield* store.finish(
          results(hook.id, work, {
            tried: [tried(0, 500), tried(1, 500)],
            ...exhaust([0], "answered 500"),
            retry: { positions: [1], delayMs: 60_000 },
            remaining: [2],
            releaseAfterMs: 0,
            disableAfter: 1
          })
        )
        const held = (yield* store.deliveries(appId, hook.id, null, 10)).items
        expect(held.map(({ isHeld, nextAttemptAt, status }) => [status, isHeld, nextAttemptAt])).toEqual([
          ["exhausted", false, null],
          ["retrying", true, null],
          ["pending", true, null]
        ])
        yield* store.update(appId, hook.id, { is_active: true }, OVERLAP)
        const open = (yield* store.deliveries(appId, hook.id, null, 10)).items
        expect(open.map(({ isHeld, nextAttemptAt, status }) => [status, isHeld, nextAttemptAt === null])).toEqual([
          ["exhausted", false, true],
          ["retrying", false, false],
          ["pending", false, false]
        ])
      })
  )

  it.effect("pages through events of many chunks, newest first, each once, also while new ones come in", () =>
    Effect.gen(function* () {
      const store = yield* HookStore
      const appId = yield* newApp
      const hook = yield* newHook(appId)
      const sizes = [3, 1, 5, 1, 1, 4]
      const chunks: Array<{ id: string; size: number }> = []
      for (const size of sizes) chunks.push({ id: yield* addWork(appId, hook.id, size), size })
      const expected = chunks
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .flatMap(({ id, size }) => Array.from({ length: size }, (_, i) => eventIdOf(id, i)))
      for (const limit of [1, 2, 4, 7, 100]) {
        const seen: Array<HookDelivery> = []
        let after: string | null = null
        do {
          const page: { items: ReadonlyArray<HookDelivery>; next: string | null } = yield* store.deliveries(
            appId,
            hook.id,
            after,
            limit
          )
          expect(page.items.length).toBeLessThanOrEqual(limit)
          seen.push(...page.items)
          after = page.next
          if (limit === 4 && seen.length === 4) yield* addWork(appId, hook.id, 2)
        } while (after !== null)
        if (limit <= 4) expect(seen.map(({ id }) => id)).toEqual(expected)
        else expect(seen.slice(2).map(({ id }) => id)).toEqual(expected)
      }
    })
  )

  it.effect("shows nothing of another hook, nor to another application", () =>
    Effect.gen(function* () {
      const { store, appId, hook } = yield* claimedWork(2)
      const other = yield* newHook(appId)
      expect((yield* store.deliveries(appId, other.id, null, 10)).items).toEqual([])
      expect((yield* store.deliveries(yield* newApp, hook.id, null, 10)).items).toEqual([])
      expect((yield* store.deliveries(appId, hook.id, null, 10)).items).toHaveLength(2)
    })
  )

  it.effect("keeps the attempts of one write in one row, and writes no attempt twice when the write is repeated", () =>
    Effect.gen(function* () {
      const { store, hook, work } = yield* claimedWork(300)
      const sql = yield* SqlClient.SqlClient
      const all = Array.from({ length: 300 }, (_, i) => i)
      const write = results(hook.id, work, { delivered: all, tried: all.map((i) => tried(i, 200)) })
      yield* store.finish(write)
      yield* store.finish(write)
      expect(
        yield* sql`SELECT octet_length(records) AS bytes, reasons FROM hook_attempts WHERE work_id = ${work.id}`
      ).toEqual([{ bytes: 3000, reasons: null }])
      yield* sql`DELETE FROM hook_work WHERE id = ${work.id}`
      expect(yield* sql`SELECT 1 FROM hook_attempts WHERE work_id = ${work.id}`).toEqual([])
    })
  )
})
