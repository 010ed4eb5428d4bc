import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { HOLDERS } from "../../../../layers/postgres/server/advisoryLocks.ts"
import * as BatchStores from "../../../../layers/postgres/sending/BatchStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as Holder from "../../../../layers/postgres/operations/Holder.ts"
import * as HolderStores from "../../../../layers/postgres/operations/HolderStore.ts"
import * as NotificationStores from "../../../../layers/postgres/sending/NotificationStore.ts"
import * as RedeliveryStores from "../../../../layers/postgres/webhooks/RedeliveryStore.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as ServiceMailStores from "../../../../layers/postgres/people/ServiceMailStore.ts"
import * as WebhookStores from "../../../../layers/postgres/webhooks/WebhookStore.ts"
import type { WebhookId, RedeliveryId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { ALONE, AMONG_MANY, ASIDE, CRASHED, KILLED, MANY } from "../../../../services/domain/sending/Suspicion.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { HolderStore } from "../../../../services/ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"
import { ServiceMailStore } from "../../../../services/ports/people/ServiceMailStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { RedeliveryStore } from "../../../../services/ports/webhooks/RedeliveryStore.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"
import { makeGate } from "../../../faults/Gate.ts"
import { chunkOf, ids, newApp, planned } from "../Stores.ts"
import { addWork } from "../webhooks/WebhookWork.ts"

const LEASE_MS = 600_000
const NOTHING = { batches: [], webhookWork: [], leaseMs: LEASE_MS, webhookLeaseMs: LEASE_MS }

const stores = Layer.mergeAll(
  WebhookStores.layer.pipe(Layer.provide(SecretBox.layerOf(new Uint8Array(32)))),
  BatchStores.layer,
  HolderStores.layer,
  NotificationStores.layer,
  RedeliveryStores.layer,
  ServiceMailStores.layer
)

/** A process of its own: a pool, a session, and the stores that know of it. `end` is its orderly end. */
const makeProcess = (url: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const context = yield* stores.pipe(
      Layer.provideMerge(Holder.layer),
      Layer.provide(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie)),
      Layer.fresh,
      Layer.buildWithScope(scope)
    )
    const holder = yield* Effect.provide(LeaseHolder, context)
    return {
      beat: holder.beat(NOTHING),
      beatWith: holder.beat,
      blame: holder.blame,
      presentSince: holder.presentSince,
      id: holder.id,
      redeliveries: yield* Effect.provide(RedeliveryStore, context),
      batches: yield* Effect.provide(BatchStore, context),
      webhooks: yield* Effect.provide(WebhookStore, context),
      mails: yield* Effect.provide(ServiceMailStore, context),
      release: (yield* Effect.provide(HolderStore, context)).release,
      ended: (yield* Effect.provide(HolderStore, context)).ended,
      end: Scope.close(scope, Exit.void)
    }
  })

/** Ends a process's session as its death would: nothing is said. */
const kill = (id: number | null) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${HOLDERS} AND objid = ${id}`
  )

/** Waits until the server has noticed that a process's session is gone. */
const untilGone = (id: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${HOLDERS} AND objid = ${id}`, {
      until: (rows) => rows.length === 0,
      schedule: often
    })
  )

const held = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  // Those of the test before have ended.
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM holders`)
  const [mine, other] = [yield* makeProcess(url), yield* makeProcess(url)]
  const app = yield* newApp
  const lane = { appId: app, provider: "fcm", priority: "bulk" } as const
  const recipients = ids(3)
  yield* planned(app, [recipients])
  yield* other.beat
  // A session is good for three seconds after a beat, in which a busy machine does little.
  yield* mine.beat
  const [batch] = yield* mine.batches.claim(lane, 1, LEASE_MS)
  return { mine, other, lane, recipients, batch: batch!, claimed: other.batches.claim(lane, 1, LEASE_MS) }
})

const often = Schedule.spaced("100 millis")

layer(NotificationStores.layer.pipe(Layer.provideMerge(testDatabase())), { excludeTestServices: true })(
  "a process that holds leases",
  (it) => {
    it.effect("is taken for dead a moment after its session has ended, and not before", () =>
      Effect.gen(function* () {
        const { claimed, mine, other } = yield* held
        expect(yield* other.release).toBe(0)
        expect(yield* claimed).toEqual([])
        const killedAt = performance.now()
        yield* kill(mine.id())
        expect(yield* other.release).toBe(0)
        expect(yield* claimed).toEqual([])
        yield* Effect.repeat(other.release, { until: (freed) => freed > 0, schedule: often })
        expect(performance.now() - killedAt).toBeGreaterThan(1_900)
        expect(yield* claimed).toMatchObject([{ fence: 2 }])
      })
    )

    it.effect(
      "is taken for dead a moment after it is looked for, when the clock was set back since it was missed",
      () =>
        Effect.gen(function* () {
          const { claimed, mine, other } = yield* held
          yield* kill(mine.id())
          expect(yield* other.release).toBe(0)
          const sql = yield* SqlClient.SqlClient
          // What the clock said by then.
          yield* sql`UPDATE holders SET missed_at = missed_at + interval '2 minutes' WHERE id = ${mine.id()}`
          yield* Effect.repeat(other.release, { until: (freed) => freed > 0, schedule: often })
          expect(yield* claimed).toMatchObject([{ fence: 2 }])
        })
    )

    it.effect("keeps what it holds when it has lost its session and opened another", () =>
      Effect.gen(function* () {
        const { batch, claimed, mine, other, recipients } = yield* held
        const before = mine.presentSince()!
        yield* kill(mine.id())
        yield* other.release
        yield* Effect.repeat(Effect.ignore(mine.beat), { until: () => mine.presentSince() !== null, schedule: often })
        // What it held before may have been another's meanwhile: it has to ask.
        expect(mine.presentSince()).toBeGreaterThan(before)
        const until = performance.now() + 3_000
        while (performance.now() < until) {
          expect(yield* other.release).toBe(0)
          yield* Effect.sleep("200 millis")
          yield* mine.beat
        }
        expect(yield* claimed).toEqual([])
        expect(yield* mine.batches.finish(chunkOf(batch, recipients))).toMatchObject({ _tag: "Some" })
      })
    )

    it.effect("leaves its redelivery to others a moment after its session has ended, and goes on with none of it", () =>
      Effect.gen(function* () {
        const { mine, other } = yield* held
        const appId = yield* newApp
        const webhookId = uuidv7() as WebhookId
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO webhooks (id, app_id, name, url) VALUES (${webhookId}, ${appId}, 'webhook', 'https://example.com/')`
        const wanted = { status: "exhausted", from: null, to: null } as const
        const started = yield* mine.redeliveries.start(appId, webhookId, uuidv7() as RedeliveryId, wanted, LEASE_MS)
        const claim = other.redeliveries.claim(null, LEASE_MS)
        expect(yield* claim).toEqual(Option.none())
        yield* kill(mine.id())
        yield* Effect.repeat(other.release, { until: (freed) => freed > 0, schedule: often })
        const claimed = Option.getOrThrow(yield* claim)
        expect(claimed).toMatchObject({ redelivery: { id: started.redelivery.id }, fence: started.fence + 1 })
        expect(yield* mine.redeliveries.step(started, 10, null)).toEqual(Option.none())
        // And so it is with one that was claimed.
        yield* kill(other.id())
        const third = yield* makeProcess((yield* TestDatabase).url)
        yield* third.beat
        yield* Effect.repeat(third.release, { until: (freed) => freed > 0, schedule: often })
        expect(Option.getOrThrow(yield* third.redeliveries.claim(null, LEASE_MS)).fence).toBe(claimed.fence + 1)
      })
    )

    it.effect("leaves mails of the service to others a moment after its session has ended", () =>
      Effect.gen(function* () {
        const { mine, other } = yield* held
        const sql = yield* SqlClient.SqlClient
        const id = uuidv7()
        yield* sql`
          INSERT INTO service_mails (id, email, sealed, is_code, expires_at)
          VALUES (${id}, 'ada@example.com', '', true, now() + interval '10 minutes')`
        const idsOf = (mails: ReadonlyArray<{ readonly id: string }>) => mails.map(({ id }) => id)
        expect(idsOf(yield* mine.mails.claim("codes", 10, LEASE_MS))).toEqual([id])
        expect(yield* other.release).toBe(0)
        expect(yield* other.mails.claim("codes", 10, LEASE_MS)).toEqual([])
        yield* kill(mine.id())
        // Its batch and the mail.
        expect(yield* Effect.repeat(other.release, { until: (freed) => freed > 0, schedule: often })).toBe(2)
        expect(idsOf(yield* other.mails.claim("codes", 10, LEASE_MS))).toEqual([id])
        // One that was given back is nobody's, whoever dies.
        yield* other.mails.postpone(id, LEASE_MS)
        yield* other.end
        const third = yield* makeProcess((yield* TestDatabase).url)
        yield* third.beat
        expect(yield* Effect.repeat(third.release, { times: 3, schedule: often })).toBe(0)
        expect(yield* third.mails.claim("codes", 10, LEASE_MS)).toEqual([])
      })
    )

    it.effect("may still write what it knows after it was taken for dead, until somebody else has claimed it", () =>
      Effect.gen(function* () {
        const { batch, claimed, mine, other, recipients } = yield* held
        yield* kill(mine.id())
        yield* Effect.repeat(other.release, { until: (freed) => freed > 0, schedule: often })
        expect(yield* mine.batches.finish(chunkOf(batch, recipients))).toMatchObject({ _tag: "Some" })
        expect(yield* claimed).toEqual([])
      })
    )

    it.effect("leaves what it held at once when it stops, or when somebody saw it end", () =>
      Effect.gen(function* () {
        const first = yield* held
        const id = first.mine.id()!
        yield* first.mine.end
        yield* untilGone(id)
        expect(yield* first.other.release).toBe(1)
        expect(yield* first.claimed).toMatchObject([{ fence: 2 }])
        const second = yield* held
        yield* second.other.ended(second.mine.id()!, "killed")
        // Whoever said so was wrong as long as the session lasts.
        expect(yield* second.other.release).toBe(0)
        yield* kill(second.mine.id())
        expect(yield* second.other.release).toBe(1)
        expect(yield* second.claimed).toMatchObject([{ fence: 2 }])
      })
    )

    it.effect("leaves nothing to take over when it stops with nothing in hand, and is forgotten", () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const sql = yield* SqlClient.SqlClient
        // Those of the test before have ended.
        yield* sql`DELETE FROM holders`
        const [mine, other] = [yield* makeProcess(url), yield* makeProcess(url)]
        yield* mine.beat
        yield* other.beat
        const id = mine.id()!
        yield* mine.end
        yield* untilGone(id)
        expect(yield* other.release).toBe(0)
        expect(yield* sql`SELECT id FROM holders WHERE id = ${id}`).toEqual([])
      })
    )

    it.effect(
      "has a session again after its connection was cut, or hung, as soon as there is a way",
      () =>
        Effect.gen(function* () {
          const target = new URL((yield* TestDatabase).url)
          const gate = yield* makeGate({ host: target.hostname, port: Number(target.port) })
          const url = new URL(target)
          url.host = `127.0.0.1:${gate.port}`
          const mine = yield* makeProcess(url.href)
          yield* mine.beat
          for (let i = 0; i < 3; i++) {
            const before = mine.presentSince()!
            yield* gate.cut
            yield* Effect.repeat(Effect.ignore(mine.beat), {
              until: () => (mine.presentSince() ?? 0) > before,
              schedule: often
            })
          }
          const before = mine.presentSince()!
          yield* gate.set("hung")
          expect((yield* Effect.exit(mine.beat))._tag).toBe("Failure")
          expect(mine.presentSince()).toBe(null)
          yield* gate.set("open")
          yield* gate.cut
          yield* Effect.repeat(Effect.ignore(mine.beat), {
            until: () => (mine.presentSince() ?? 0) > before,
            schedule: often
          })
        }),
      240_000
    )

    it.effect(
      "takes over no lease that is over while, or soon after, the database took no writes",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { batch, lane, mine, other } = yield* held
          const claimed = other.batches.claim(lane, 1, 1)
          yield* sql`UPDATE batches SET lease_until = now() - interval '1 s' WHERE id = ${batch.id}`
          // The other has only just begun, and knows of no time in which this one could have prolonged it.
          expect(yield* claimed).toEqual([])
          const beats = Effect.repeat(Effect.ignore(other.beat), Schedule.spaced("500 millis"))
          yield* Effect.forkScoped(beats)
          // A living process says so when it waits for its writes, though its lease be over.
          yield* mine.beatWith({ ...NOTHING, batches: [batch] })
          yield* sql`UPDATE batches SET lease_until = now() - interval '1 s' WHERE id = ${batch.id}`
          const startedAt = performance.now()
          const taken = yield* Effect.repeat(claimed, { until: (found) => found.length > 0, schedule: often })
          expect(taken).toMatchObject([{ id: batch.id, fence: 2 }])
          expect(performance.now() - startedAt).toBeGreaterThan(4_000)
        }),
      240_000
    )

    it.effect(
      "keeps posts whose results wait for a lock, though they hold their own row and its lease runs out",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { mine, other } = yield* held
          const appId = yield* newApp
          const webhookId = uuidv7() as WebhookId
          yield* sql`INSERT INTO webhooks (id, app_id, name, url) VALUES (${webhookId}, ${appId}, 'webhook', 'https://example.com/')`
          yield* addWork(appId, webhookId, 1)
          const [work] = yield* mine.webhooks.claim(webhookId, 1, LEASE_MS)
          const claimed = Effect.suspend(() => other.webhooks.claim(webhookId, 1, 1))
          yield* Effect.forkScoped(Effect.repeat(Effect.ignore(other.beat), Schedule.spaced("500 millis")))
          const startedAt = performance.now()
          // As a write that waits for a lock: the row is its own, so that the beat cannot prolong the lease.
          const [waits, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const write = yield* Effect.forkScoped(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`UPDATE webhook_work_items SET lease_until = now() - interval '1 s' WHERE id = ${work!.id}`
                yield* Deferred.succeed(waits, undefined)
                yield* Deferred.await(goesOn)
              })
            )
          )
          yield* Deferred.await(waits)
          yield* mine.beatWith({ ...NOTHING, webhookWork: [work!] })
          yield* Deferred.succeed(goesOn, undefined)
          yield* Fiber.join(write)
          const taken = yield* Effect.repeat(claimed, { until: (found) => found.length > 0, schedule: often })
          expect(taken).toMatchObject([{ id: work!.id, fence: 2 }])
          // Longer than the other waits for what it knows nothing of.
          expect(performance.now() - startedAt).toBeGreaterThan(8_000)
        }),
      240_000
    )

    it.effect("prolongs what stands in the row of its notification, and nobody else's", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { batch, mine } = yield* held
        const [id, recipient] = ids(2)
        yield* sql`UPDATE notifications SET direct_batch = ${id!}, direct_provider = 'fcm', direct_recipient = ${recipient!},
          direct_holder = ${mine.id()}::integer, direct_until = now() - interval '1 s' WHERE id = ${batch.notificationId}`
        const lasts = Effect.map(
          sql<{ readonly lasts: boolean }>`
            SELECT direct_until > now() AS lasts FROM notifications WHERE id = ${batch.notificationId}`,
          ([row]) => row!.lasts
        )
        yield* mine.beatWith({ ...NOTHING, batches: [{ id: id!, fence: 2 }] })
        expect(yield* lasts).toBe(false)
        yield* mine.beatWith({ ...NOTHING, batches: [{ id: id!, fence: 1 }] })
        expect(yield* lasts).toBe(true)
      })
    )

    it.effect("suspects what crashed its process, sends it alone, and clears it with its first result", () =>
      Effect.gen(function* () {
        const { batch, lane, mine, other, recipients } = yield* held
        const crash = Effect.gen(function* () {
          yield* other.ended(mine.id()!, "crashed")
          yield* kill(mine.id())
          yield* other.release
          // The same process, for the test: as a new one would, it opens a session.
          yield* Effect.repeat(Effect.ignore(mine.beat), { until: () => mine.presentSince() !== null, schedule: often })
        })
        expect(batch.suspicion).toBe(0)
        yield* crash
        expect(yield* other.batches.claim(lane, 1, LEASE_MS)).toEqual([])
        const again = yield* mine.batches.claimSuspect(lane, LEASE_MS)
        expect(again).toMatchObject({ value: { id: batch.id, fence: 2, suspicion: ALONE } })
        // Part of it gets through: it is as any other.
        const part = chunkOf(Option.getOrThrow(again), recipients.slice(0, 1), { remaining: recipients.slice(1) })
        yield* mine.batches.finish(part)
        yield* crash
        const third = yield* mine.batches.claimSuspect(lane, LEASE_MS)
        expect(third).toMatchObject({ value: { fence: 3, suspicion: ALONE } })
        yield* crash
        const fourth = yield* other.batches.claimSuspect(lane, LEASE_MS)
        expect(fourth).toMatchObject({ value: { fence: 4, suspicion: ASIDE } })
      })
    )

    it.effect("blames one batch where it was alone, nothing for a stop, and a kill for less than a crash", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const suspicions = (ids: ReadonlyArray<string>) =>
          Effect.map(
            sql<{ readonly suspicion: number }>`
            SELECT b.suspicion FROM unnest(${ids as Array<string>}::uuid[]) WITH ORDINALITY AS t (id, n)
            JOIN batches b ON b.id = t.id ORDER BY t.n`,
            (rows) => rows.map(({ suspicion }) => suspicion)
          )
        const { batch, lane, mine, other } = yield* held
        yield* planned(lane.appId, [ids(1)])
        const [second] = yield* mine.batches.claim(lane, 1, LEASE_MS)
        const both = [batch.id, second!.id]
        yield* mine.blame(batch.id)
        yield* other.ended(mine.id()!, "crashed")
        yield* kill(mine.id())
        yield* other.release
        expect(yield* suspicions(both)).toEqual([CRASHED, 0])
        const killed = yield* held
        yield* killed.other.ended(killed.mine.id()!, "killed")
        yield* kill(killed.mine.id())
        yield* killed.other.release
        expect(yield* suspicions([killed.batch.id])).toEqual([KILLED])
        expect(yield* killed.claimed).toMatchObject([{ suspicion: KILLED }])
        const stopped = yield* held
        yield* stopped.mine.end
        yield* stopped.other.release
        expect(yield* suspicions([stopped.batch.id])).toEqual([0])
      })
    )

    it.effect("suspects each of many next to nothing, so that none of them waits to be sent alone", () =>
      Effect.gen(function* () {
        for (const how of ["crashed", "killed"] as const) {
          const { batch, lane, mine, other } = yield* held
          for (let i = 0; i < MANY; i++) yield* planned(lane.appId, [ids(1)])
          const more = yield* mine.batches.claim(lane, MANY, LEASE_MS)
          expect(more).toHaveLength(MANY)
          const ended = Effect.gen(function* () {
            yield* other.ended(mine.id()!, how)
            yield* kill(mine.id())
            yield* other.release
            yield* Effect.repeat(Effect.ignore(mine.beat), {
              until: () => mine.presentSince() !== null,
              schedule: often
            })
          })
          yield* ended
          const again = yield* mine.batches.claim(lane, 2 * MANY, LEASE_MS)
          expect(new Set(again.map(({ id }) => id))).toEqual(new Set([batch, ...more].map(({ id }) => id)))
          for (const { suspicion } of again) expect(suspicion).toBe(AMONG_MANY)
          // One that was alone is to blame all the same, and of a few each is.
          yield* mine.blame(batch.id)
          yield* ended
          const sql = yield* SqlClient.SqlClient
          const blamed = yield* sql`SELECT id FROM batches WHERE app_id = ${lane.appId} AND suspicion > ${AMONG_MANY}`
          expect(blamed).toEqual([{ id: batch.id }])
        }
      })
    )

    it.effect("sets nothing aside for kills that it had beside others, however many come in a row up to seven", () =>
      Effect.gen(function* () {
        const { batch, lane, mine, other } = yield* held
        const killed = Effect.gen(function* () {
          yield* kill(mine.id())
          yield* other.ended(mine.id()!, "killed")
          yield* other.release
          yield* Effect.repeat(Effect.ignore(mine.beat), { until: () => mine.presentSince() !== null, schedule: often })
          const [again] = yield* mine.batches.claim(lane, 1, LEASE_MS)
          return again ?? Option.getOrThrow(yield* mine.batches.claimSuspect(lane, LEASE_MS))
        })
        let seen = batch
        for (let i = 0; i < 7; i++) {
          seen = yield* killed
          expect(seen.suspicion).toBeLessThan(ASIDE)
        }
        // One that is alone when it comes is at fault sooner: by the second.
        yield* mine.blame(batch.id)
        expect((yield* killed).suspicion).toBeGreaterThanOrEqual(ASIDE)
      })
    )

    it.effect("tries the batch first that is suspected least, so that its neighbours go on", () =>
      Effect.gen(function* () {
        const { batch, lane, mine, other } = yield* held
        yield* planned(lane.appId, [ids(1)])
        const [second] = yield* mine.batches.claim(lane, 1, LEASE_MS)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE batches SET lease_until = NULL, suspicion = CASE WHEN id = ${batch.id} THEN 9 ELSE 6 END
          WHERE app_id = ${lane.appId}`
        const order = [
          Option.getOrThrow(yield* other.batches.claimSuspect(lane, LEASE_MS)).id,
          Option.getOrThrow(yield* other.batches.claimSuspect(lane, LEASE_MS)).id
        ]
        expect(order).toEqual([second!.id, batch.id])
      })
    )
  }
)
