import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import type { Outcome } from "../../../../services/ports/sending/Provider.ts"
import type { DirectNode } from "./DirectNode.ts"
import { batchOf, makeNode, newDevices, newSender, OK, shared, until } from "./DirectNode.ts"

/** Waits until the provider was asked for so many messages. */
const asked = ({ fcm }: DirectNode, count: number) =>
  until(
    Effect.sync(() => fcm.asked.length),
    (now) => now >= count
  )

layer(shared, { excludeTestServices: true })("DirectDispatch", (it) => {
  it.effect("sends a message and completes it with two statements, once its credential is known to work", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [device] = yield* newDevices(app, 1)
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, device!))
      node.outage.calls.length = 0
      const id = yield* node.send(app, device!)
      expect(yield* node.completed(id)).toEqual({ status: "completed", sent: 1, failed: 0, skipped: 0, pending: 0 })
      expect(node.outage.calls.map(({ operation }) => operation)).toEqual([
        "NotificationStore.acceptForDevice",
        "BatchStore.finishSent"
      ])
      expect(node.fcm.asked).toHaveLength(2)
    }).pipe(Effect.scoped)
  )

  it.effect("waits for what its provider has in hand when the node stops, and writes what became of it", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const devices = yield* newDevices(app, 3)
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, devices[0]!))
      const answer = yield* Deferred.make<Outcome>()
      node.fcm.answer = () => Deferred.await(answer)
      const ids = yield* node.sendAll(app, devices)
      yield* asked(node, 1 + devices.length)
      const stopping = yield* Effect.forkChild(node.stop)
      yield* until(
        Effect.sync(() => node.taker(app)),
        (taker) => taker === null
      )
      yield* Deferred.succeed(answer, OK)
      yield* Fiber.join(stopping)
      for (const id of ids) expect(yield* node.row(id)).toMatchObject({ status: "completed", sent: 1 })
      expect(node.fcm.asked).toHaveLength(1 + devices.length)
    }).pipe(Effect.scoped)
  )

  it.effect("gives back what was accepted for it before it began to stop, for another node to send", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, late] = yield* newDevices(app, 2)
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, first!))
      const [answer, accept] = [yield* Deferred.make<Outcome>(), yield* Deferred.make<void>()]
      node.fcm.answer = () => Deferred.await(answer)
      const held = yield* node.send(app, first!)
      yield* asked(node, 2)
      const started = yield* Deferred.make<void>()
      node.outage.before = (operation) =>
        operation === "NotificationStore.acceptForDevice"
          ? Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(accept))
          : Effect.void
      const accepting = yield* Effect.forkChild(node.send(app, late!))
      yield* Deferred.await(started)
      const stopping = yield* Effect.forkChild(node.stop)
      yield* until(
        Effect.sync(() => node.taker(app)),
        (taker) => taker === null
      )
      yield* Deferred.succeed(accept, undefined)
      const id = yield* Fiber.join(accepting)
      yield* until(batchOf(id), ({ lease }) => lease === null)
      expect(yield* batchOf(id)).toMatchObject({ fence: 1, done: false })
      yield* Deferred.succeed(answer, OK)
      yield* Fiber.join(stopping)
      expect(yield* node.row(held)).toMatchObject({ status: "completed", sent: 1 })
      expect(node.fcm.asked).toHaveLength(2)
      const other = yield* makeNode()
      yield* other.wake(`${app}:fcm`, "bulk")
      expect(yield* other.completed(id)).toMatchObject({ sent: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what its provider has said of a message, whatever has become of its credential since", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, refused, moved] = yield* newDevices(app, 3, "ios")
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, first!))
      const answer = yield* Deferred.make<Outcome>()
      node.apns.answer = ({ target }) =>
        target.id === refused
          ? Effect.succeed({ _tag: "Suspend", reason: "InvalidProviderToken" })
          : Deferred.await(answer)
      const [waits, sent] = yield* node.sendAll(app, [refused!, moved!])
      yield* until(batchOf(waits!), ({ suspended }) => suspended)
      yield* Deferred.succeed(answer, { _tag: "Ok", messageId: "m", environment: "sandbox" })
      // It is sent, and must not go again with those that wait.
      expect(yield* node.completed(sent!)).toMatchObject({ sent: 1 })
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT environment FROM devices WHERE id = ${moved!}`).toEqual([{ environment: "sandbox" }])
      expect(node.apns.asked.filter(({ target }) => target.id === moved)).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.effect("counts what was sent of a message that was paused, or has expired, before its provider answered", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, other] = yield* newDevices(app, 2, "ios")
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, first!))
      const answer = yield* Deferred.make<Outcome>()
      node.apns.answer = () => Deferred.await(answer)
      const paused = yield* node.send(app, other!)
      const short = yield* node.send(app, first!, { ttl: 1 })
      yield* until(
        Effect.sync(() => node.apns.asked.length),
        (count) => count === 3
      )
      const notifications = yield* NotificationStore
      yield* notifications.control(app, paused, "pause")
      const sql = yield* SqlClient.SqlClient
      yield* until(
        Effect.map(sql`SELECT 1 FROM notifications WHERE id = ${short} AND expires_at < now()`, (rows) => rows.length),
        (count) => count === 1
      )
      yield* Deferred.succeed(answer, { _tag: "Ok", messageId: "m", environment: "sandbox" })
      for (const id of [paused, short]) expect(yield* node.completed(id)).toMatchObject({ sent: 1, failed: 0 })
      expect(node.apns.asked).toHaveLength(3)
    }).pipe(Effect.scoped)
  )
})
