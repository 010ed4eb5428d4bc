import { expect, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { giveRows } from "../../../../layers/postgres/sending/directBatches.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import type { Outcome } from "../../../../services/ports/sending/Provider.ts"
import type { DirectNode } from "./DirectNode.ts"
import { makeNode, newDevices, newSender, shared, until } from "./DirectNode.ts"

/** A node that has asked its provider for some messages, each with a device of its own, and waits for `answer`. */
const underWay = Effect.fnUntraced(function* (count: number) {
  const app = yield* newSender
  const devices = yield* newDevices(app, count)
  const node = yield* makeNode()
  yield* node.completed(yield* node.send(app, devices[0]!))
  const answer = yield* Deferred.make<void>()
  node.fcm.answer = ({ target }) =>
    Effect.map(Deferred.await(answer), (): Outcome => ({ _tag: "Ok", messageId: target.id }))
  const ids = yield* node.sendAll(app, devices)
  yield* until(
    Effect.sync(() => node.fcm.asked.length),
    (now) => now === 1 + count
  )
  node.outage.calls.length = 0
  return { app, devices, node, ids, answer: Deferred.succeed(answer, undefined) }
})

const deliveriesOf = Effect.fnUntraced(function* (id: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT status, message_id FROM deliveries WHERE notification_id = ${id}`
})

const untilIdle = (node: DirectNode) =>
  until(
    Effect.sync(() => node.dispatcher.lanes().reduce((sum, lane) => sum + lane.running(), 0)),
    (running) => running === 0
  )

const counted = (app: AppId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly sent: number }>`
      SELECT coalesce(sum(sent), 0)::integer AS sent FROM daily_stats WHERE app_id = ${app}`
  ).pipe(Effect.map((rows) => rows[0]!.sent))

layer(shared, { excludeTestServices: true })("OutcomeWriter", (it) => {
  it.effect("writes what came together in one statement, which completes it", () =>
    Effect.gen(function* () {
      const { answer, app, devices, ids, node } = yield* underWay(5)
      yield* answer
      for (const [i, id] of ids.entries()) {
        expect(yield* node.completed(id)).toMatchObject({ sent: 1, pending: 0 })
        expect(yield* deliveriesOf(id)).toEqual([{ status: "s", message_id: devices[i] }])
      }
      yield* untilIdle(node)
      expect(node.outage.calls.map(({ operation }) => operation)).toEqual(["BatchStore.finishSent"])
      expect(yield* counted(app)).toBe(6)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what was sent while the database is away, and writes it when it is back", () =>
    Effect.gen(function* () {
      const { answer, ids, node } = yield* underWay(3)
      node.outage.isDown = true
      yield* answer
      yield* until(
        Effect.sync(() => node.outage.count("BatchStore.finish")),
        (tries) => tries >= 2 * ids.length
      )
      node.outage.isDown = false
      for (const id of ids) expect(yield* node.completed(id)).toMatchObject({ sent: 1, pending: 0 })
      expect(node.fcm.asked).toHaveLength(1 + ids.length)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the leases of results that wait behind statements which hang, and writes them after those", () =>
    Effect.gen(function* () {
      const env = { LEASE_SECONDS: "1" }
      const app = yield* newSender
      const [first, ...more] = yield* newDevices(app, 4)
      const [node, other] = [yield* makeNode({ env }), yield* makeNode({ env })]
      yield* node.completed(yield* node.send(app, first!))
      node.outage.calls.length = 0
      const goOn = yield* Deferred.make<void>()
      node.outage.before = (operation) => (operation === "BatchStore.finishSent" ? Deferred.await(goOn) : Effect.void)
      const answers = new Map<string, Deferred.Deferred<void>>()
      for (const device of more) answers.set(device, yield* Deferred.make<void>())
      node.fcm.answer = ({ target }) =>
        Effect.map(Deferred.await(answers.get(target.id)!), (): Outcome => ({ _tag: "Ok", messageId: target.id }))
      const late = yield* node.sendAll(app, more)
      yield* until(
        Effect.sync(() => node.fcm.asked.length),
        (count) => count === 1 + more.length
      )
      for (const [i, device] of more.entries()) {
        yield* Deferred.succeed(answers.get(device)!, undefined)
        yield* until(
          Effect.sync(() => node.outage.count("BatchStore.finishSent")),
          (count) => count === Math.min(i + 1, 2)
        )
      }
      const sql = yield* SqlClient.SqlClient
      for (const id of late) {
        yield* until(
          sql`SELECT 1 FROM all_batches b JOIN notifications n ON n.id = b.notification_id
            WHERE n.id = ${id} AND (NOT b.done AND b.lease_until > now() OR b.fence > 1)
              AND now() > n.created_at + interval '3 seconds'`,
          (rows) => rows.length === 1
        )
      }
      yield* other.wake(`${app}:fcm`, "bulk")
      yield* until(
        Effect.sync(() => other.outage.count("BatchStore.claim")),
        (count) => count >= 1
      )
      yield* Deferred.succeed(goOn, undefined)
      for (const id of late) expect(yield* node.completed(id)).toMatchObject({ sent: 1, pending: 0 })
      expect([node.fcm.asked.length, other.fcm.asked.length]).toEqual([1 + more.length, 0])
    }).pipe(Effect.scoped)
  )

  it.effect("writes all others when the database refuses one of them, and that one without what it said", () =>
    Effect.gen(function* () {
      const { answer, devices, ids, node } = yield* underWay(3)
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE deliveries ADD CONSTRAINT forbidden CHECK (message_id <> '${sql.literal(devices[1]!)}')`
      yield* answer
      for (const id of ids) expect(yield* node.completed(id)).toMatchObject({ sent: 1, pending: 0 })
      yield* sql`ALTER TABLE deliveries DROP CONSTRAINT forbidden`
      const found = yield* Effect.forEach(ids, deliveriesOf)
      expect(found.flat()).toEqual([
        { status: "s", message_id: devices[0] },
        { status: "s", message_id: null },
        { status: "s", message_id: devices[2] }
      ])
      expect(node.fcm.asked).toHaveLength(1 + ids.length)
    }).pipe(Effect.scoped)
  )

  it.effect("writes all others when the lease of one of them was lost, whose end is its new holder's", () =>
    Effect.gen(function* () {
      const { answer, ids, node } = yield* underWay(3)
      const [first, lost, last] = ids
      const sql = yield* SqlClient.SqlClient
      yield* giveRows(sql, sql`n.id = ${lost!}`)
      yield* sql`UPDATE batches SET fence = fence + 1 WHERE notification_id = ${lost!}`
      yield* answer
      for (const id of [first!, last!]) expect(yield* node.completed(id)).toMatchObject({ sent: 1 })
      yield* untilIdle(node)
      expect(yield* node.row(lost!)).toMatchObject({ status: "sending", sent: 0, pending: 1 })
      expect(yield* deliveriesOf(lost!)).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.effect("writes them one by one when the statement for all cannot be made", () =>
    Effect.gen(function* () {
      const { answer, ids, node } = yield* underWay(3)
      node.outage.before = (operation) =>
        operation === "BatchStore.finishSent" ? Effect.die(new Error("a value that cannot be written")) : Effect.void
      yield* answer
      for (const id of ids) expect(yield* node.completed(id)).toMatchObject({ sent: 1, pending: 0 })
      expect(node.fcm.asked).toHaveLength(1 + ids.length)
    }).pipe(Effect.scoped)
  )

  it.effect("ends a message that was cancelled while its provider had it as sent", () =>
    Effect.gen(function* () {
      const { answer, app, ids, node } = yield* underWay(2)
      const { control } = yield* NotificationStore
      yield* control(app, ids[0]!, "cancel")
      yield* answer
      expect(yield* node.completed(ids[1]!)).toMatchObject({ sent: 1 })
      yield* untilIdle(node)
      expect(yield* node.row(ids[0]!)).toMatchObject({ status: "cancelled", sent: 1, pending: 0 })
    }).pipe(Effect.scoped)
  )
})
