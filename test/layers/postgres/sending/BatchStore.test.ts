import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../../services/domain/sending/Credential.ts"
import type { AppId, BatchId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { LaneKey, ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import {
  accepted,
  accountOf,
  atOnce,
  chunkOf,
  endLeases,
  HELLO,
  hotStores,
  ids,
  makeDue,
  newApp,
  planned
} from "../Stores.ts"

const lane = (appId: AppId, provider: ProviderKind = "fcm"): LaneKey => ({ appId, provider, priority: "bulk" })

/** A mailing with one batch, claimed. */
const claimedBatch = Effect.fnUntraced(function* (size: number) {
  const batches = yield* BatchStore
  const app = yield* newApp
  const recipients = ids(size)
  const id = yield* planned(app, [recipients])
  const [batch] = yield* batches.claim(lane(app), 1, 60_000)
  return { app, id, recipients, batch: batch! }
})

const retry = (recipients: ReadonlyArray<string>, delayMs = 0, suspended = false, slowed = false) => ({
  id: uuidv7() as BatchId,
  recipients,
  delayMs,
  attempts: 1,
  suspended,
  slowed
})

layer(hotStores)("BatchStore", (it) => {
  it.effect("gives each batch to one worker, however many ask at once", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const lists = Array.from({ length: 20 }, () => ids(2))
      yield* planned(app, lists)
      const claims = yield* atOnce(
        Array.from({ length: 8 }, () => Effect.flatMap(BatchStore, (store) => store.claim(lane(app), 4, 60_000)))
      )
      const taken = claims.flat()
      expect(taken).toHaveLength(20)
      expect(new Set(taken.map(({ id }) => id)).size).toBe(20)
      expect(taken.flatMap(({ recipients }) => recipients).toSorted()).toEqual(lists.flat().toSorted())
      expect(new Set(taken.map(({ fence }) => fence))).toEqual(new Set([1]))
    })
  )

  it.effect("brings along how the credential of its lane stands, and when that was accepted", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const claim = Effect.map(batches.claim(lane(app), 1, 60_000), ([batch]) => batch!.credential)
      yield* planned(app, [ids(1), ids(1), ids(1)])
      expect(yield* claim).toBe(null)
      const [row] = yield* sql<{ version: number }>`
        INSERT INTO credentials (app_id, kind, settings, sealed) VALUES (${app}, 'fcm', '{}', '') RETURNING version`
      expect(yield* claim).toEqual({ version: row!.version, suspendedReason: null, acceptedAt: null })
      const at = new Date("2026-11-22T12:00:00.123Z")
      yield* sql`UPDATE credentials SET suspended_reason = 'refused', accepted_at = ${at} WHERE app_id = ${app}`
      expect(yield* claim).toEqual({ version: row!.version, suspendedReason: "refused", acceptedAt: at.getTime() })
    })
  )

  it.effect("takes from its own lane only, the longest due first, and nothing that is not due", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      yield* planned(other, [ids(1)])
      yield* planned(app, [ids(1)], "apns")
      yield* planned(app, [ids(1)], "fcm", { ...HELLO, priority: "high" })
      const due = yield* planned(app, [ids(1), ids(1), ids(1), ids(1)])
      const rows = yield* sql<{ id: string }>`SELECT id FROM batches WHERE notification_id = ${due} ORDER BY id`
      const [a, b, c, later] = rows.map(({ id }) => id)
      yield* sql`UPDATE batches SET due_at = now() - interval '1 hour' WHERE id = ${c!}`
      yield* sql`UPDATE batches SET due_at = now() - interval '2 hours' WHERE id = ${a!}`
      yield* sql`UPDATE batches SET due_at = now() + interval '1 hour' WHERE id = ${later!}`
      const taken = yield* batches.claim(lane(app), 2, 60_000)
      expect(taken.map(({ id }) => id)).toEqual([a, c])
      expect((yield* batches.claim(lane(app), 10, 60_000)).map(({ id }) => id)).toEqual([b])
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])
      const [high] = yield* batches.claim({ ...lane(app), priority: "high" }, 10, 60_000)
      expect(high).toMatchObject({ appId: app, provider: "fcm", priority: "high", attempts: 0, fence: 1 })
    })
  )

  it.effect("leaves the batches of paused and cancelled notifications alone", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [paused, cancelled] = [yield* planned(app, [ids(1)]), yield* planned(app, [ids(1)])]
      yield* sql`UPDATE notifications SET status = 'paused' WHERE id = ${paused}`
      yield* sql`UPDATE notifications SET status = 'cancelled' WHERE id = ${cancelled}`
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])
      expect((yield* batches.forgotten(0)).lanes.filter(({ appId }) => appId === app)).toEqual([])
      yield* sql`UPDATE notifications SET status = 'sending' WHERE id = ${paused}`
      expect(yield* batches.claim(lane(app), 10, 60_000)).toMatchObject([{ notificationId: paused }])
    })
  )

  it.effect("refuses whatever a worker does after its batch went to another", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const { app, id, recipients, batch } = yield* claimedBatch(3)
      yield* endLeases
      const [taken] = yield* batches.claim(lane(app), 1, 60_000)
      expect(taken).toMatchObject({ id: batch.id, fence: 2, recipients })
      expect(yield* batches.extend(batch.id, batch.fence, 60_000)).toBe(false)
      yield* batches.release(batch.id, batch.fence, 0, false)
      expect(yield* batches.claim(lane(app), 1, 60_000)).toEqual([])
      const stale = chunkOf(batch, recipients.slice(0, 1), { retries: [retry(recipients.slice(1))] })
      expect(yield* batches.finish(stale)).toEqual(Option.none())
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 3, pending: 3, sent: 0 })
      expect(yield* batches.finish(chunkOf(taken!, recipients))).toEqual(Option.some([]))
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 3, pending: 0, sent: 3 })
    })
  )

  it.effect("keeps a batch for as long as its lease is prolonged", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const { app, recipients, batch } = yield* claimedBatch(2)
      yield* endLeases
      expect(yield* batches.extend(batch.id, batch.fence, 60_000)).toBe(true)
      expect(yield* batches.claim(lane(app), 1, 60_000)).toEqual([])
      yield* endLeases
      yield* batches.finish(chunkOf(batch, recipients.slice(0, 1), { remaining: recipients.slice(1) }))
      expect(yield* batches.claim(lane(app), 1, 60_000)).toEqual([])
      yield* endLeases
      expect(yield* batches.claim(lane(app), 1, 60_000)).toMatchObject([{ recipients: recipients.slice(1), fence: 2 }])
    })
  )

  it.effect("reconciles totals at every step, retries included", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const notifications = yield* NotificationStore
      const { app, id, recipients, batch } = yield* claimedBatch(10)
      const account = accountOf(app, id)
      expect(yield* account).toMatchObject({ accepted: 10, pending: 10 })
      yield* batches.finish(
        chunkOf(batch, recipients.slice(0, 3), {
          final: {
            recipients: recipients.slice(0, 3),
            statuses: ["sent", "failed", "skipped"],
            messageIds: ["m", null, null],
            errors: [null, "x", "y"]
          },
          retries: [retry(recipients.slice(3, 5), 3_600_000)],
          remaining: recipients.slice(5)
        })
      )
      expect(yield* account).toEqual({ accepted: 10, pending: 7, sent: 1, failed: 1, skipped: 1, cancelled: 0 })
      yield* batches.finish(
        chunkOf(batch, recipients.slice(5, 8), { retries: [{ ...retry(recipients.slice(8)), reason: "timeout" }] })
      )
      expect(yield* account).toEqual({ accepted: 10, pending: 4, sent: 4, failed: 1, skipped: 1, cancelled: 0 })
      expect(yield* notifications.completeIfDone(id)).toBe(false)

      const [second] = yield* batches.claim(lane(app), 10, 60_000)
      expect(second).toMatchObject({
        recipients: recipients.slice(8),
        attempts: 1,
        reason: "timeout",
        notificationId: id
      })
      yield* batches.finish(chunkOf(second!, recipients.slice(8)))
      expect(yield* account).toMatchObject({ accepted: 10, pending: 2, sent: 6 })
      expect(yield* batches.claim(lane(app), 10, 60_000)).toEqual([])

      yield* makeDue
      const [third] = yield* batches.claim(lane(app), 10, 60_000)
      yield* batches.finish(chunkOf(third!, recipients.slice(3, 5)))
      expect(yield* account).toEqual({ accepted: 10, pending: 0, sent: 8, failed: 1, skipped: 1, cancelled: 0 })
      expect(yield* notifications.completeIfDone(id)).toBe(true)
      const { items } = yield* notifications.deliveries(app, id, null, 100)
      expect(items.map(({ recipientId }) => recipientId)).toEqual(recipients.toSorted())
      expect(items.filter(({ attempts }) => attempts === 2)).toHaveLength(4)
    })
  )

  it.effect("changes nothing when results are repeated because their answer was lost", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const { app, id, recipients, batch } = yield* claimedBatch(9)
      const first: ResultChunk = chunkOf(batch, recipients.slice(0, 3), {
        retries: [retry(recipients.slice(3, 5), 3_600_000)],
        remaining: recipients.slice(5)
      })
      const last: ResultChunk = chunkOf(batch, recipients.slice(5, 8), { retries: [retry(recipients.slice(8))] })
      const once = { accepted: 9, pending: 6, sent: 3, failed: 0, skipped: 0, cancelled: 0 }
      const twice = { accepted: 9, pending: 3, sent: 6, failed: 0, skipped: 0, cancelled: 0 }
      for (const [chunk, account] of [
        [first, once],
        [first, once],
        [last, twice],
        [last, twice]
      ] as const) {
        expect(yield* batches.finish(chunk)).toEqual(Option.some([]))
        expect(yield* accountOf(app, id)).toEqual(account)
      }
      // What was repeated too late would bring recipients back that are no longer in the batch.
      expect(yield* batches.finish(first)).toEqual(Option.none())
      expect(yield* accountOf(app, id)).toEqual(twice)
      // A retry that has been sent meanwhile does not come back either.
      const [again] = yield* batches.claim(lane(app), 1, 60_000)
      yield* batches.finish(chunkOf(again!, again!.recipients))
      expect(yield* batches.finish(last)).toEqual(Option.some([]))
      expect(yield* accountOf(app, id)).toEqual({ ...twice, pending: 2, sent: 7 })
    })
  )

  it.effect("takes one of two finishes when a batch changes hands at that moment", () =>
    Effect.gen(function* () {
      const { app, id, recipients, batch } = yield* claimedBatch(50)
      yield* endLeases
      const takeOver = Effect.gen(function* () {
        const batches = yield* BatchStore
        const [taken] = yield* batches.claim(lane(app), 1, 60_000)
        return taken === undefined ? Option.none() : yield* batches.finish(chunkOf(taken, recipients))
      })
      const finish = Effect.flatMap(BatchStore, (batches) => batches.finish(chunkOf(batch, recipients)))
      const ends = yield* atOnce([takeOver, finish])
      expect(ends.filter(Option.isSome)).toHaveLength(1)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 50, pending: 0, sent: 50 })
    })
  )

  it.effect("gives a batch back untouched, due when it was told to be", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const { app, recipients, batch } = yield* claimedBatch(2)
      yield* batches.release(batch.id, batch.fence, 0, false)
      const [again] = yield* batches.claim(lane(app), 1, 60_000)
      expect(again).toEqual({ ...batch, fence: 2 })
      yield* batches.release(batch.id, 2, 3_600_000, true)
      expect(yield* batches.claim(lane(app), 1, 60_000)).toEqual([])
      yield* makeDue
      expect(yield* batches.claim(lane(app), 1, 60_000)).toMatchObject([{ recipients, fence: 3 }])
    })
  )

  it.effect("marks what is suspended back for a new credential until it is taken again", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const { app, recipients, batch } = yield* claimedBatch(4)
      yield* batches.finish(chunkOf(batch, [], { retries: [retry(recipients, 0, true)] }))
      const suspended = sql<{ suspended: boolean }>`SELECT suspended FROM batches WHERE app_id = ${app} AND NOT done`
      expect(yield* suspended).toEqual([{ suspended: true }])
      expect(yield* batches.claim(lane(app), 1, 60_000)).toMatchObject([{ recipients, attempts: 1 }])
      expect(yield* suspended).toEqual([{ suspended: false }])
    })
  )

  it.effect("goes with its notification, and leaves nothing to be sent again behind", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const [removed, kept] = [yield* claimedBatch(3), yield* claimedBatch(3)]
      yield* sql`DELETE FROM notifications WHERE id = ${removed.id}`
      // A batch that outlived its notification all the same, in the hands of a worker.
      yield* sql`
        INSERT INTO batches (id, notification_id, app_id, provider, priority, fence, recipients)
        VALUES (${removed.batch.id}, ${removed.id}, ${removed.app}, 'fcm', 'bulk', 1, ${removed.recipients}::uuid[])`
      for (const { batch, recipients } of [removed, kept]) {
        yield* batches.finish(chunkOf(batch, recipients.slice(1), { retries: [retry(recipients.slice(0, 1))] }))
      }
      const open = (app: AppId) => sql`SELECT recipients FROM batches WHERE app_id = ${app} AND NOT done`
      expect(yield* open(removed.app)).toEqual([])
      expect(yield* open(kept.app)).toEqual([{ recipients: kept.recipients.slice(0, 1) }])
    })
  )

  it.effect("finds each lane with ready batches once, and no lane without", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const [app, other, idle] = [yield* newApp, yield* newApp, yield* newApp]
      yield* planned(app, [ids(1), ids(1), ids(1)])
      yield* planned(app, [ids(1)], "apns")
      yield* planned(other, [ids(1)], "fcm", { ...HELLO, priority: "high" })
      yield* planned(idle, [ids(1)])
      yield* batches.claim(lane(idle), 1, 60_000)
      const lanes = Effect.gen(function* () {
        const found = (yield* batches.forgotten(3_600_000)).lanes
        return found
          .filter(({ appId }) => [app, other, idle].includes(appId))
          .map(({ appId, provider, priority }) => `${appId}:${provider}:${priority}`)
          .toSorted()
      })
      const busy = [`${app}:apns:bulk`, `${app}:fcm:bulk`, `${other}:fcm:high`].toSorted()
      expect(yield* lanes).toEqual(busy)
      yield* endLeases
      expect(yield* lanes).toEqual([...busy, `${idle}:fcm:bulk`].toSorted())
    })
  )

  it.effect("finds plans that were published too long ago or whose planner died, once in each period", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [waiting, working, dead, fresh] = [
        yield* accepted(app, { ...HELLO, priority: "high" }),
        yield* accepted(app),
        yield* accepted(app),
        yield* accepted(app)
      ]
      const done = yield* planned(app, [])
      const old = [waiting, working, dead, done]
      for (const id of old)
        yield* sql`UPDATE notifications SET published_at = now() - interval '1 hour' WHERE id = ${id}`
      yield* notifications.claimPlan(dead, 60_000)
      yield* endLeases
      yield* notifications.claimPlan(working, 60_000)
      const plans = Effect.gen(function* () {
        const found = (yield* batches.forgotten(60_000)).plans
        return found.filter(({ id }) => [...old, fresh].includes(id))
      })
      const found = yield* plans
      expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        [
          { id: waiting, priority: "high" },
          { id: dead, priority: "bulk" }
        ].toSorted((a, b) => (a.id < b.id ? -1 : 1))
      )
      expect(yield* plans).toEqual([])
    })
  )

  it.effect("completes notifications whose last batch ended without anybody noticing", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const notifications = yield* NotificationStore
      const { app, id, recipients, batch } = yield* claimedBatch(2)
      const open = yield* planned(app, [ids(1)])
      yield* batches.completeForgotten
      yield* batches.finish(chunkOf(batch, recipients))
      expect(yield* batches.completeForgotten).toBe(1)
      expect(yield* batches.completeForgotten).toBe(0)
      expect(Option.getOrThrow(yield* notifications.find(app, id)).status).toBe("completed")
      expect(Option.getOrThrow(yield* notifications.find(app, open)).status).toBe("sending")
    })
  )
})
