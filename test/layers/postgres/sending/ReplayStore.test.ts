import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { DeadLetterFilter } from "../../../../services/domain/sending/DeadLetter.ts"
import type { AppId, NotificationId, ReplayId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { now } from "../../../../services/ports/Now.ts"
import type { ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { DeadLetterStore } from "../../../../services/ports/sending/DeadLetterStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import type { ClaimedReplay } from "../../../../services/ports/sending/ReplayStore.ts"
import { ReplayStore } from "../../../../services/ports/sending/ReplayStore.ts"
import { RUNNING } from "../../../../services/ports/operations/TooManyRunning.ts"
import { accountOf, atOnce, chunkOf, hotStores, ids, newApp, onOwnNode, planned } from "../Stores.ts"

const LEASE = 60_000

const failing = (recipients: ReadonlyArray<string>, error = "timeout"): ResultChunk["final"] => ({
  recipients,
  statuses: recipients.map(() => "failed" as const),
  messageIds: recipients.map(() => null),
  errors: recipients.map(() => error)
})

const claim = Effect.fnUntraced(function* (appId: AppId) {
  const batches = yield* BatchStore
  return (yield* batches.claim({ appId, provider: "fcm", priority: "bulk" }, 1, LEASE))[0]
})

const addDevices = Effect.fnUntraced(function* (appId: AppId, recipients: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO devices (app_id, id, token_hash, platform, token)
    SELECT ${appId}, id, uuid_send(id), 'android', id FROM unnest(${recipients}::uuid[]) AS id`
})

/** A completed notification all of whose recipients, who have devices, have failed. */
const failed = Effect.fnUntraced(function* (appId: AppId, recipients: ReadonlyArray<string>, error = "timeout") {
  const batches = yield* BatchStore
  const notifications = yield* NotificationStore
  yield* addDevices(appId, recipients)
  const id = yield* planned(appId, [recipients])
  const batch = (yield* claim(appId))!
  const chunk = chunkOf(batch, [], { final: failing(recipients, error) })
  yield* batches.finish(chunk)
  yield* notifications.completeIfDone(id)
  return { id, chunk }
})

const deadLettersOf = Effect.fnUntraced(function* (appId: AppId, filter: DeadLetterFilter = {}) {
  const letters = yield* DeadLetterStore
  return (yield* letters.list(appId, filter, null, 100)).items
})

const statusOf = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
  const notifications = yield* NotificationStore
  return Option.getOrThrow(yield* notifications.find(appId, id)).status
})

/** Carries out all replays there are, `limit` dead letters in a step. */
const carryOut = Effect.fnUntraced(function* (limit: number) {
  const replays = yield* ReplayStore
  while (true) {
    const claimed = yield* replays.claim(null, LEASE)
    if (Option.isNone(claimed)) return
    while (true) {
      const step = yield* replays.step(claimed.value, limit, LEASE)
      if (Option.isNone(step) || step.value.isDone) break
    }
  }
})

layer(hotStores)("ReplayStore", (it) => {
  it.effect(
    "has a dead letter for each recipient that finally failed, with its reason, its way and what was to be sent",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const batches = yield* BatchStore
        const letters = yield* DeadLetterStore
        const [lost, dead, large, sent] = ids(4)
        yield* addDevices(app, [lost!, dead!, large!])
        const id = yield* planned(app, [[lost!, dead!, large!, sent!]])
        const batch = (yield* claim(app))!
        const chunk = chunkOf(batch, [], {
          final: {
            recipients: [lost!, dead!, large!, sent!],
            statuses: ["failed", "failed", "failed", "sent"],
            messageIds: [null, null, null, "m"],
            errors: ["expired: timeout", "unregistered", "payload_too_large", null]
          },
          dead: [{ id: dead!, address: "gone", reason: "unregistered", seenBefore: null }]
        })
        yield* batches.finish(chunk)
        yield* batches.finish(chunk)
        const found = new Map((yield* deadLettersOf(app)).map((letter) => [letter.recipientId, letter]))
        expect(found.size).toBe(3)
        expect(found.get(lost!)).toMatchObject({
          kind: "notification",
          error: "expired: timeout",
          notificationId: id,
          provider: "fcm",
          attempts: 1,
          refusal: null
        })
        expect(found.get(dead!)!.refusal).toBe("recipient_gone")
        expect(found.get(large!)!.refusal).toBe("content_refused")
        const whole = Option.getOrThrow(yield* letters.find(app, found.get(lost!)!.id))
        expect(whole).toMatchObject({ body: null, content: { title: "Hello" }, templateId: null, variables: null })
        // One whose template was filled for each recipient.
        const templateId = uuidv7()
        const request = JSON.stringify({ to: { all: true }, template_id: templateId, variables: { name: "Ann" } })
        yield* (yield* SqlClient.SqlClient)`UPDATE notifications SET request = ${request}::json WHERE id = ${id}`
        expect(Option.getOrThrow(yield* letters.find(app, found.get(lost!)!.id))).toMatchObject({
          content: null,
          templateId,
          variables: { name: "Ann" }
        })
      })
  )

  it.effect("filters dead letters by notification, provider, reason and time", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const one = yield* failed(app, ids(2), "timeout")
      const two = yield* failed(app, ids(3), "quota")
      yield* sql`UPDATE dead_letters SET at = at - interval '30 minutes' WHERE notification_id = ${one.id}`
      const count = (filter: DeadLetterFilter) => Effect.map(deadLettersOf(app, filter), ({ length }) => length)
      expect(yield* count({ notification_id: two.id })).toBe(3)
      expect(yield* count({ provider: "fcm", error: "timeout" })).toBe(2)
      expect(yield* count({ provider: "apns" })).toBe(0)
      const between = new Date(Date.now() - 900_000).toISOString()
      expect(yield* count({ from: between })).toBe(3)
      expect(yield* count({ to: between })).toBe(2)
    })
  )

  it.effect("moves nobody who has been deleted since, and says so before", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const [stays, goes] = ids(2)
      const replays = yield* ReplayStore
      const { id } = yield* failed(app, [stays!, goes!])
      yield* sql`DELETE FROM devices WHERE app_id = ${app} AND id = ${goes}`
      const refusals = new Map((yield* deadLettersOf(app)).map((letter) => [letter.recipientId, letter.refusal]))
      expect([refusals.get(stays!), refusals.get(goes!)]).toEqual([null, "recipient_gone"])
      const gone = (yield* deadLettersOf(app)).find(({ recipientId }) => recipientId === goes)!
      expect(yield* replays.one(app, gone.id)).toEqual(Option.none())
      yield* replays.start(app, uuidv7() as ReplayId, { notification_id: id })
      yield* carryOut(10)
      expect((yield* replays.list(app, null, 1)).items[0]).toMatchObject({ replayed: 1, skipped: 1 })
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, pending: 1, failed: 1, skipped: 0 })
    })
  )

  it.effect("moves a recipient from failed to pending, with a new time to live, and sends it like any other", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const batches = yield* BatchStore
      const notifications = yield* NotificationStore
      const replays = yield* ReplayStore
      const [one, two] = ids(2)
      const { id } = yield* failed(app, [one!, two!])
      yield* sql`UPDATE notifications SET created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day'
        WHERE id = ${id}`
      const letter = (yield* deadLettersOf(app)).find(({ recipientId }) => recipientId === one)!
      expect(yield* replays.one(app, letter.id)).toEqual(Option.some({ appId: app, provider: "fcm", priority: "bulk" }))
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, pending: 1, failed: 1 })
      expect(yield* statusOf(app, id)).toBe("sending")
      const rows = (yield* notifications.deliveries(app, id, null, 10)).items
      expect(rows.map(({ recipientId }) => recipientId)).toEqual([two])
      const batch = (yield* claim(app))!
      expect(batch).toMatchObject({ recipients: [one], attempts: 0 })
      expect(batch.expiresAt! - Date.now()).toBeGreaterThan(30_000)
      // The time to live stays with what is tried again.
      const again = { id: uuidv7() as typeof batch.id, recipients: [one!], delayMs: 0, attempts: 1 }
      yield* batches.finish(chunkOf(batch, [], { retries: [{ ...again, suspended: false, slowed: false }] }))
      const retried = (yield* claim(app))!
      expect(retried.expiresAt).toBe(batch.expiresAt)
      yield* batches.finish(chunkOf(retried, [one!]))
      yield* notifications.completeIfDone(id)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, sent: 1, failed: 1, pending: 0 })
      expect(yield* statusOf(app, id)).toBe("completed")
    })
  )

  it.effect("moves a dead letter once, however many ask at once", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const replays = yield* ReplayStore
      const { id } = yield* failed(app, ids(20))
      const all = yield* deadLettersOf(app)
      yield* replays.start(app, uuidv7() as ReplayId, { notification_id: id })
      const [byFilter, ...singly] = yield* atOnce([
        Effect.as(carryOut(7), []),
        ...Array.from({ length: 4 }, () =>
          Effect.gen(function* () {
            const store = yield* ReplayStore
            return yield* Effect.forEach(all, (letter) => store.one(app, letter.id))
          })
        )
      ])
      expect(byFilter).toEqual([])
      const moved = singly.flat().filter(Option.isSome).length
      const [replay] = (yield* replays.list(app, null, 1)).items
      expect(replay!.status).toBe("completed")
      expect(moved + replay!.replayed).toBe(20)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 20, pending: 20, failed: 0 })
      expect((yield* deadLettersOf(app)).every(({ replayedAt }) => replayedAt !== null)).toBe(true)
      const recipients: Array<string> = []
      for (let batch = yield* claim(app); batch !== undefined; batch = yield* claim(app)) {
        recipients.push(...batch.recipients)
      }
      expect(recipients.toSorted()).toEqual(all.map(({ recipientId }) => recipientId).toSorted())
    })
  )

  it.effect("takes the replay of the application that comes next in turn, and of one application the oldest", () =>
    Effect.gen(function* () {
      const replays = yield* ReplayStore
      const [first, second] = [yield* newApp, yield* newApp]
      const start = (app: AppId) => replays.start(app, uuidv7() as ReplayId, { error: "none-such" })
      const many = [yield* start(first), yield* start(first), yield* start(first)].map(({ id }) => id)
      const { id: other } = yield* start(second)
      const order: Array<ReplayId> = []
      let served: AppId | null = null
      while (order.length < 4) {
        const claimed: ClaimedReplay = Option.getOrThrow(yield* replays.claim(served, LEASE))
        served = claimed.replay.appId
        order.push(claimed.replay.id)
      }
      // The first claim takes whichever application has the lower id.
      expect(order.indexOf(other)).toBeLessThan(2)
      expect(order.filter((id) => id !== other)).toEqual(many.toSorted())
      expect(yield* replays.claim(served, LEASE)).toEqual(Option.none())
      // Ended for the other tests.
      yield* (yield* SqlClient.SqlClient)`UPDATE replays SET status = 'completed'`
    })
  )

  it.effect("gives a replay back after a step without a lease, and others go on behind what it did", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const replays = yield* ReplayStore
      const { id } = yield* failed(app, ids(10))
      const replay = yield* replays.start(app, uuidv7() as ReplayId, { notification_id: id })
      const first = Option.getOrThrow(yield* replays.claim(null, LEASE))
      expect(Option.getOrThrow(yield* replays.step(first, 4, null))).toMatchObject({ isDone: false })
      yield* carryOut(4)
      expect(yield* replays.step(first, 4, null)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* replays.find(app, replay.id))).toMatchObject({ replayed: 10, skipped: 0 })
    })
  )

  it.effect("begins no more than an application may have running, however many ask at once", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const begin = (app: AppId) =>
        Effect.flatMap(ReplayStore, (store) =>
          Effect.result(store.start(app, uuidv7() as ReplayId, { error: "none-such" }))
        )
      const answers = yield* atOnce(Array.from({ length: RUNNING + 4 }, () => begin(app)))
      expect(answers.filter(Result.isSuccess)).toHaveLength(RUNNING)
      const refused = answers.filter(Result.isFailure).map(({ failure }) => failure._tag)
      expect(refused).toEqual(Array.from({ length: 4 }, () => "TooManyRunning"))
      expect(Result.isSuccess(yield* begin(other))).toBe(true)
      yield* carryOut(100)
      expect(Result.isSuccess(yield* begin(app))).toBe(true)
      yield* carryOut(100)
    })
  )

  it.effect(
    "takes what was there when it began, also when the clock was set back since, and not what fails again",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const sql = yield* SqlClient.SqlClient
        const [batches, replays] = [yield* BatchStore, yield* ReplayStore]
        const { id } = yield* failed(app, ids(6))
        const late = yield* failed(app, ids(2))
        // What the clock said by then, in half a minute and in an hour from now.
        yield* sql`UPDATE dead_letters SET at = at + interval '30 s' WHERE notification_id = ${id}`
        yield* sql`UPDATE dead_letters SET at = at + interval '1 hour', id = ${uuidv7(now() + 3_600_000)}
        WHERE id IN (SELECT id FROM dead_letters WHERE notification_id = ${late.id} LIMIT 1)`
        const filter = { error: "timeout" }
        const replay = yield* replays.start(app, uuidv7() as ReplayId, filter)
        expect(replay.filter).toEqual(filter)
        const claimed = Option.getOrThrow(yield* replays.claim(null, LEASE))
        yield* replays.step(claimed, 4, LEASE)
        const batch = (yield* claim(app))!
        yield* batches.finish(chunkOf(batch, [], { final: failing(batch.recipients) }))
        yield* sql`UPDATE replays SET lease_until = now() - interval '1 s' WHERE id = ${replay.id}`
        yield* carryOut(4)
        const done = Option.getOrThrow(yield* replays.find(app, replay.id))
        expect(done).toMatchObject({ status: "completed", replayed: 8, skipped: 0, filter })
        expect(yield* accountOf(app, id)).toMatchObject({ accepted: 6, failed: 4, pending: 2 })
        expect(yield* accountOf(app, late.id)).toMatchObject({ accepted: 2, pending: 2 })
      })
  )

  it.effect("goes on where a crashed node stopped, and leaves what fails meanwhile to itself", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const batches = yield* BatchStore
      const replays = yield* ReplayStore
      const { id } = yield* failed(app, ids(10))
      const other = yield* failed(app, ids(3), "quota")
      const replay = yield* replays.start(app, uuidv7() as ReplayId, { error: "timeout" })
      const crashed = Option.getOrThrow(yield* replays.claim(null, LEASE))
      expect(Option.getOrThrow(yield* replays.step(crashed, 4, LEASE))).toMatchObject({ isDone: false })
      expect(yield* replays.claim(null, LEASE)).toEqual(Option.none())
      // What was moved fails again before the replay goes on.
      const batch = (yield* claim(app))!
      yield* batches.finish(chunkOf(batch, [], { final: failing(batch.recipients) }))
      yield* sql`UPDATE replays SET lease_until = now() - interval '1 s'`
      yield* onOwnNode(carryOut(4))
      expect(yield* replays.step(crashed, 4, LEASE)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* replays.find(app, replay.id))).toMatchObject({
        status: "completed",
        replayed: 10,
        skipped: 0
      })
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 10, failed: 4, pending: 6 })
      expect(yield* accountOf(app, other.id)).toMatchObject({ accepted: 3, failed: 3 })
    })
  )

  it.effect("leaves alone what is dead, cancelled, still on its way, or another application's", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const stranger = yield* newApp
      const batches = yield* BatchStore
      const notifications = yield* NotificationStore
      const replays = yield* ReplayStore
      const sql = yield* SqlClient.SqlClient
      // One whose batch has more to send.
      const [lost, open] = ids(2)
      const underWay = yield* planned(app, [[lost!, open!]])
      const batch = (yield* claim(app))!
      yield* batches.finish(chunkOf(batch, [], { final: failing([lost!]), remaining: [open!] }))
      // One that is cancelled after a part failed.
      const cancelled = yield* failed(app, ids(1))
      yield* sql`UPDATE notifications SET status = 'sending', completed_at = NULL WHERE id = ${cancelled.id}`
      yield* notifications.control(app, cancelled.id, "cancel")
      const gone = yield* failed(app, ids(1), "unregistered")
      yield* sql`UPDATE dead_letters SET refusal = 'recipient_gone' WHERE notification_id = ${gone.id}`
      const ours = yield* failed(app, ids(1))
      yield* failed(stranger, ids(2))

      for (const { id, notificationId } of yield* deadLettersOf(app)) {
        expect(yield* replays.one(stranger, id)).toEqual(Option.none())
        if (notificationId !== ours.id) expect(yield* replays.one(app, id)).toEqual(Option.none())
      }
      const replay = yield* replays.start(app, uuidv7() as ReplayId, { kind: "notification" })
      yield* carryOut(100)
      expect(Option.getOrThrow(yield* replays.find(app, replay.id))).toMatchObject({ replayed: 1, skipped: 2 })
      expect(yield* replays.find(stranger, replay.id)).toEqual(Option.none())
      expect(yield* accountOf(app, underWay)).toMatchObject({ accepted: 2, failed: 1, pending: 1 })
      expect(yield* statusOf(app, cancelled.id)).toBe("cancelled")
      expect((yield* deadLettersOf(stranger)).every(({ replayedAt }) => replayedAt === null)).toBe(true)
    })
  )

  it.effect("keeps the totals against a worker that repeats the write of the failure", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const batches = yield* BatchStore
      const replays = yield* ReplayStore
      const { chunk, id } = yield* failed(app, ids(2))
      for (const letter of yield* deadLettersOf(app)) yield* replays.one(app, letter.id)
      expect(yield* batches.finish(chunk)).toEqual(Option.none())
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 2, pending: 2, failed: 0 })
      expect((yield* deadLettersOf(app)).length).toBe(2)
    })
  )

  it.effect("is not completed over by one who looked at the batches before there was a new one", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const replays = yield* ReplayStore
      const { id } = yield* failed(app, ids(1))
      // As a worker finds it that ended the last batch a moment ago.
      yield* sql`UPDATE notifications SET status = 'sending', completed_at = NULL WHERE id = ${id}`
      const [letter] = yield* deadLettersOf(app)
      const waiting = sql<{ readonly count: number }>`
        SELECT count(*)::integer AS count FROM pg_locks
        WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`
      const completing = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* replays.one(app, letter!.id)
          const completing = yield* Effect.forkChild(
            onOwnNode(Effect.flatMap(NotificationStore, (store) => store.completeIfDone(id)))
          )
          // It has looked, and waits for the row.
          while ((yield* waiting)[0]!.count === 0) yield* Effect.yieldNow
          return completing
        })
      )
      expect(yield* Fiber.join(completing)).toBe(false)
      expect(yield* statusOf(app, id)).toBe("sending")
      expect(yield* accountOf(app, id)).toMatchObject({ pending: 1 })
      expect(yield* notifications.completeIfDone(id)).toBe(false)
    })
  )

  it.effect("waits in a paused notification until it is resumed", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const notifications = yield* NotificationStore
      const replays = yield* ReplayStore
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* failed(app, ids(1))
      yield* sql`UPDATE notifications SET status = 'sending', completed_at = NULL WHERE id = ${id}`
      yield* notifications.control(app, id, "pause")
      const [letter] = yield* deadLettersOf(app)
      expect(Option.isSome(yield* replays.one(app, letter!.id))).toBe(true)
      expect(yield* claim(app)).toBe(undefined)
      yield* notifications.control(app, id, "resume")
      expect((yield* claim(app))!.recipients.length).toBe(1)
    })
  )
})
