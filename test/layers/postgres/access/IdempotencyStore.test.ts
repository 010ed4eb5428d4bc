import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as IdempotencyStores from "../../../../layers/postgres/access/IdempotencyStore.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { KeptAnswer, KeyClaim } from "../../../../services/ports/access/IdempotencyStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { IdempotencyStore } from "../../../../services/ports/access/IdempotencyStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { HELLO, hotStores, ids, newApp } from "../Stores.ts"

const LEASE = 60_000
const [SAME, OTHER] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const ANSWER: KeptAnswer = { status: 202, body: '{"id":"x"}', location: "/x" }

const claimOf = (appId: AppId, more: Partial<KeyClaim> = {}): KeyClaim => ({
  appId,
  route: "POST /api/v1/notifications",
  key: "k",
  holder: uuidv7(),
  ...more
})

const endLease = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE idempotency_keys SET lease_until = now() - interval '1 s'`
})

layer(IdempotencyStores.layer.pipe(Layer.provideMerge(hotStores)))("IdempotencyStore", (it) => {
  it.effect("gives a key to one of many requests that come at once", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const app = yield* newApp
      const begun = yield* Effect.forEach(Array.from({ length: 12 }), () => store.begin(claimOf(app), SAME, LEASE), {
        concurrency: "unbounded"
      })
      expect(begun.map(({ _tag }) => _tag).toSorted()).toEqual([...Array(11).fill("InFlight"), "Taken"])
    })
  )

  it.effect("takes the keys of many requests in few transactions, and tells each what is its own", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [answered, mine] = [claimOf(app, { key: "answered" }), claimOf(app, { key: "at work" })]
      yield* store.begin(answered, SAME, LEASE)
      yield* store.settle({ claim: answered, answer: ANSWER })
      yield* store.begin(mine, SAME, LEASE)
      const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`)
      const asked = [...keys, "answered", "at work", ...keys.toReversed()]
      const begun = yield* Effect.forEach(
        asked,
        (key) => store.begin(claimOf(app, { key }), key === "key 7" ? OTHER : SAME, LEASE),
        { concurrency: "unbounded" }
      )
      const tags = Object.groupBy(begun.entries(), ([i]) => asked[i]!)
      for (const key of keys) expect(tags[key]!.map(([, { _tag }]) => _tag)).toEqual(["Taken", "InFlight"])
      expect(tags["answered"]!.map(([, one]) => one)).toEqual([
        { _tag: "Answered", holder: answered.holder, answer: ANSWER }
      ])
      expect(tags["at work"]!.map(([, { _tag }]) => _tag)).toEqual(["InFlight"])
      const [row] = yield* sql<{ readonly count: number }>`
        SELECT count(DISTINCT xmin::text)::int AS count FROM idempotency_keys WHERE app_id = ${app} AND key LIKE 'key %'`
      expect(row!.count).toBeLessThan(6)
      expect((yield* store.begin(claimOf(app, { key: "key 7" }), SAME, LEASE))._tag).toBe("Mismatch")
    })
  )

  it.effect("waits for nobody who is about to keep an answer, and has nobody else wait", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const slow = claimOf(app, { key: "slow" })
      yield* store.begin(slow, SAME, LEASE)
      const begun = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`UPDATE idempotency_keys SET status = 202, body = '{}' WHERE app_id = ${app} AND key = 'slow'`
          const asked = ["slow", "other", "slow"].map((key) => store.begin(claimOf(app, { key }), SAME, LEASE))
          // By other connections than the one that writes.
          return yield* Effect.promise(() => Effect.runPromise(Effect.all(asked, { concurrency: "unbounded" })))
        })
      )
      expect(begun.map(({ _tag }) => _tag)).toEqual(["InFlight", "Taken", "InFlight"])
      expect((yield* store.begin(claimOf(app, { key: "slow" }), SAME, LEASE))._tag).toBe("Answered")
    })
  )

  it.effect("repeats the answer to the same request, and refuses another one", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const app = yield* newApp
      const first = claimOf(app)
      yield* store.begin(first, SAME, LEASE)
      yield* store.settle({ claim: first, answer: ANSWER })
      expect(yield* store.begin(claimOf(app), SAME, LEASE)).toEqual({
        _tag: "Answered",
        holder: first.holder,
        answer: ANSWER
      })
      expect(yield* store.begin(claimOf(app), OTHER, LEASE)).toEqual({ _tag: "Mismatch" })
      // An answered key cannot be given back.
      yield* store.abandon(first)
      expect((yield* store.begin(claimOf(app), SAME, LEASE))._tag).toBe("Answered")
      expect((yield* store.begin(claimOf(app, { route: "POST /other" }), OTHER, LEASE))._tag).toBe("Taken")
      expect((yield* store.begin(claimOf(yield* newApp), OTHER, LEASE))._tag).toBe("Taken")
    })
  )

  it.effect("gives a key again that was given back, or whose request died, and hears no more of the dead one", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const app = yield* newApp
      const [failed, dead, heir] = [claimOf(app), claimOf(app), claimOf(app)]
      yield* store.begin(failed, SAME, LEASE)
      yield* store.abandon(failed)
      expect((yield* store.begin(dead, SAME, LEASE))._tag).toBe("Taken")
      yield* endLease
      expect((yield* store.begin(heir, SAME, LEASE))._tag).toBe("Taken")
      yield* store.settle({ claim: dead, answer: ANSWER })
      yield* store.abandon(dead)
      expect((yield* store.begin(claimOf(app), SAME, LEASE))._tag).toBe("InFlight")
    })
  )

  it.effect("forgets an answer after a day", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const first = claimOf(app)
      yield* store.begin(first, SAME, LEASE)
      yield* store.settle({ claim: first, answer: ANSWER })
      yield* sql`UPDATE idempotency_keys SET created_at = now() - interval '25 h' WHERE app_id = ${app}`
      expect((yield* store.begin(claimOf(app), OTHER, LEASE))._tag).toBe("Taken")
    })
  )

  it.effect("has the answer as soon as the notification is accepted, and so survives a crash right after it", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const claim = claimOf(app)
      yield* store.begin(claim, SAME, LEASE)
      const fields = { appId: app, request: HELLO, ttlMs: 60_000, batches: null }
      const [plain, keyed] = [uuidv7() as NotificationId, uuidv7() as NotificationId]
      // At once, so that they travel in one statement.
      yield* Effect.all(
        [
          notifications.accept({ ...fields, id: uuidv7() as NotificationId }),
          notifications.accept({ ...fields, id: plain }),
          notifications.accept({ ...fields, id: keyed, settlement: { claim, answer: ANSWER } })
        ],
        { concurrency: "unbounded" }
      )
      expect((yield* notifications.list(app, {}, null, 10)).items).toHaveLength(3)
      yield* endLease
      expect(yield* store.begin(claimOf(app), SAME, LEASE)).toMatchObject({ _tag: "Answered", answer: ANSWER })
    })
  )

  it.effect("lets a request that lost its key accept nothing, and others beside it everything", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const [late, heir] = [claimOf(app), claimOf(app)]
      yield* store.begin(late, SAME, LEASE)
      yield* endLease
      yield* store.begin(heir, SAME, LEASE)
      const batches = () => [{ id: uuidv7() as never, provider: "fcm" as const, recipients: ids(2) }]
      const accept = (claim: KeyClaim | null, id = uuidv7() as NotificationId) =>
        notifications.accept({
          id,
          appId: app,
          request: HELLO,
          ttlMs: 60_000,
          batches: batches(),
          settlement: claim && { claim, answer: ANSWER }
        })
      const [, refused, , made] = yield* Effect.all(
        [accept(null), Effect.flip(accept(late)), accept(null), accept(heir)],
        { concurrency: "unbounded" }
      )
      expect(refused._tag).toBe("StoreError")
      const { items } = yield* notifications.list(app, {}, null, 10)
      expect(items).toHaveLength(3)
      expect(items.map(({ id }) => id)).toContain(made.id)
    })
  )

  it.effect("leaves the key of a message to an unknown device to its request, which answers that", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const [device] = yield* (yield* DeviceStore).register(app, [{ token: "keyed", platform: "ios" }])
      const [known, unknown, late] = [
        claimOf(app, { key: "known" }),
        claimOf(app, { key: "unknown" }),
        claimOf(app, { key: "late" })
      ]
      for (const claim of [known, unknown]) yield* store.begin(claim, SAME, LEASE)
      const accept = (claim: KeyClaim, id: string) =>
        notifications.acceptForDevice(
          {
            id: uuidv7() as NotificationId,
            appId: app,
            request: HELLO,
            ttlMs: 60_000,
            batches: null,
            settlement: { claim, answer: ANSWER }
          },
          { id, batch: uuidv7() as never, lease: null }
        )
      const [made, none, lost] = yield* Effect.all(
        [accept(known, device!.id), accept(unknown, uuidv7()), Effect.flip(accept(late, device!.id))],
        { concurrency: "unbounded" }
      )
      expect(made?.provider).toBe("apns")
      expect(none).toBeNull()
      expect(lost._tag).toBe("StoreError")
      expect((yield* notifications.list(app, {}, null, 10)).items.map(({ id }) => id)).toEqual([made!.notification.id])
      expect((yield* store.begin(known, SAME, LEASE))._tag).toBe("Answered")
      expect((yield* store.begin(unknown, SAME, LEASE))._tag).toBe("InFlight")
    })
  )
})
