import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { TemplateStore } from "../../../../services/ports/messages/TemplateStore.ts"
import { FEW_DEVICES, NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import type { Outcome } from "../../../../services/ports/sending/Provider.ts"
import type { DirectNode, NodeOptions } from "./DirectNode.ts"
import { makeNode, newDevices, newSender, OK, shared, until } from "./DirectNode.ts"

/*
 * Messages to users: several devices, over several lanes, of which each is sent and written by itself.
 */

/** A user with so many devices of each platform, and a node that knows both credentials to work. */
const owned = Effect.fnUntraced(function* (counts: { readonly ios: number; readonly android: number }, user = "u") {
  const app = yield* newSender
  const ios = yield* newDevices(app, counts.ios, "ios", user)
  const android = yield* newDevices(app, counts.android, "android", user)
  return { app, ios, android }
})

const warm = Effect.fnUntraced(function* (app: AppId, options: NodeOptions = {}) {
  const node = yield* makeNode(options)
  for (const platform of ["ios", "android"] as const) {
    const [device] = yield* newDevices(app, 1, platform)
    yield* node.completed(yield* node.send(app, device!))
  }
  node.outage.calls.length = 0
  for (const service of [node.apns, node.fcm]) service.asked.length = 0
  return node
})

const operationsOf = ({ outage }: DirectNode) => outage.calls.map(({ operation }) => operation)

const untilIdle = (node: DirectNode) =>
  until(
    Effect.sync(() => node.dispatcher.lanes().reduce((sum, lane) => sum + lane.running(), 0)),
    (running) => running === 0
  )

const untilAsked = (node: DirectNode, count: number) =>
  until(
    Effect.sync(() => node.apns.asked.length + node.fcm.asked.length),
    (now) => now >= count
  )

/** Waits until so many batches of a notification have ended. */
const untilEnded = Effect.fnUntraced(function* (id: NotificationId, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* until(sql`SELECT 1 FROM all_batches WHERE notification_id = ${id} AND done`, (rows) => rows.length >= count)
})

const deliveriesOf = Effect.fnUntraced(function* (id: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly recipient_id: string; readonly status: string; readonly error: string | null }>`
    SELECT recipient_id, status, error FROM deliveries WHERE notification_id = ${id}`
})

/** A provider that answers when it is told to. */
const held = Effect.map(Deferred.make<Outcome>(), (answer) => ({
  answer: () => Deferred.await(answer),
  give: (outcome: Outcome) => Deferred.succeed(answer, outcome)
}))

layer(shared, { excludeTestServices: true })("DirectDispatch, of messages to users", (it) => {
  it.effect("sends to all devices of some users at once, and completes it, with two statements", () =>
    Effect.gen(function* () {
      const { android, app, ios } = yield* owned({ ios: 2, android: 1 })
      const other = yield* newDevices(app, 1, "android", "v")
      const node = yield* warm(app)
      const id = yield* node.sendTo(app, ["u", "v", "u", "nobody"])
      expect(yield* node.completed(id)).toEqual({ status: "completed", sent: 4, failed: 0, skipped: 0, pending: 0 })
      expect(operationsOf(node)).toEqual(["NotificationStore.acceptForUsers", "BatchStore.finishSent"])
      expect(node.apns.asked.map(({ target }) => target.id).sort()).toEqual([...ios].sort())
      expect(node.apns.asked[0]!.together).toBe(2)
      expect(node.fcm.asked.map(({ target }) => target.id).sort()).toEqual([...android, ...other].sort())
      const found = yield* deliveriesOf(id)
      expect(found.map(({ recipient_id }) => recipient_id).sort()).toEqual([...ios, ...android, ...other].sort())
    }).pipe(Effect.scoped)
  )

  it.effect("completes it with the last of its devices when they are answered one after the other", () =>
    Effect.gen(function* () {
      const { app } = yield* owned({ ios: 1, android: 1 })
      const node = yield* warm(app)
      const slow = yield* held
      node.fcm.answer = slow.answer
      const id = yield* node.sendTo(app, ["u"])
      yield* untilEnded(id, 1)
      expect(yield* node.row(id)).toMatchObject({ status: "sending", sent: 1, pending: 1 })
      yield* slow.give(OK)
      expect(yield* node.completed(id)).toMatchObject({ sent: 2, pending: 0 })
      yield* untilIdle(node)
      expect(operationsOf(node)).toEqual([
        "NotificationStore.acceptForUsers",
        "BatchStore.finishSent",
        "BatchStore.finishSent"
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("asks with the last of them, and once, whether it is done, when it saw something open beside them", () =>
    Effect.gen(function* () {
      const { app } = yield* owned({ ios: 1, android: 1 })
      const node = yield* warm(app)
      const [first, second] = [yield* held, yield* held]
      node.apns.answer = first.answer
      node.fcm.answer = second.answer
      const id = yield* node.sendTo(app, ["u"])
      yield* untilAsked(node, 2)
      // What ends before it asks, and after its statement began: as a sibling's that is written at the same time.
      const sql = yield* SqlClient.SqlClient
      const open = uuidv7()
      yield* sql`INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
        VALUES (${open}, ${id}, ${app}, 'webpush', 'bulk', '{}')`
      node.outage.before = (operation) =>
        operation === "NotificationStore.completeIfDone"
          ? Effect.orDie(Effect.asVoid(sql`UPDATE batches SET done = true WHERE id = ${open}`))
          : Effect.void
      yield* first.give(OK)
      yield* untilEnded(id, 1)
      yield* second.give(OK)
      expect(yield* node.completed(id)).toMatchObject({ sent: 2, pending: 0 })
      yield* untilIdle(node)
      expect(operationsOf(node)).toEqual([
        "NotificationStore.acceptForUsers",
        "BatchStore.finishSent",
        "BatchStore.finishSent",
        "NotificationStore.completeIfDone"
      ])
    }).pipe(Effect.scoped)
  )

  it.effect.each<[string, Outcome]>([
    ["Ok in the other environment", { _tag: "Ok", messageId: "m", environment: "sandbox" }],
    ["Drop", { _tag: "Drop", reason: "Unregistered", seenBefore: null }],
    ["Fail", { _tag: "Fail", reason: "too large" }],
    ["Retry", { _tag: "Retry", reason: "503", afterMs: 90_000 }],
    ["Slow for the project", { _tag: "Slow", scope: "project", reason: "429", afterMs: 60_000 }],
    ["Suspend", { _tag: "Suspend", reason: "InvalidProviderToken" }]
  ])("takes an answer for one device as a lane does, beside those of the others: %s", ([, outcome]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const after = Effect.fnUntraced(function* (isDirect: boolean) {
        const { app, ios } = yield* owned({ ios: 2, android: 1 })
        const node = yield* warm(app, { isDirect })
        node.apns.answer = ({ target }) => Effect.succeed(target.id === ios[0] ? outcome : OK)
        const id = yield* node.sendTo(app, ["u"], { ttl: 600 })
        yield* untilEnded(id, 3)
        yield* untilIdle(node)
        const lanes = node.dispatcher.lanes().map(({ key, state }) => `${key.provider} ${state()._tag}`)
        return {
          lanes: [...lanes].sort(),
          asked: node.apns.asked.filter(({ target }) => target.id === ios[0]).length,
          row: yield* node.row(id),
          delivery: (yield* deliveriesOf(id)).filter(({ recipient_id }) => recipient_id === ios[0])[0]?.status,
          error: (yield* deliveriesOf(id)).filter(({ recipient_id }) => recipient_id === ios[0])[0]?.error,
          again: yield* sql`SELECT attempts, suspended, slowed, pending FROM all_batches
            WHERE notification_id = ${id} AND NOT done`,
          device: yield* sql`SELECT active, environment FROM devices WHERE id = ${ios[0]!}`
        }
      })
      expect(yield* after(true)).toEqual(yield* after(false))
    }).pipe(Effect.scoped)
  )

  it.effect("skips those whose person takes no push by name, and sends to the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { app } = yield* owned({ ios: 1, android: 0 }, "open")
      const silent = yield* newDevices(app, 1, "ios", "quiet")
      const contacts = yield* ContactStore
      yield* contacts.upsert(app, [{ external_id: "quiet" }])
      yield* sql`UPDATE contacts SET no_push = true WHERE app_id = ${app} AND external_id = 'quiet'`
      const node = yield* warm(app)
      const id = yield* node.sendTo(app, ["open", "quiet"])
      expect(yield* node.completed(id)).toMatchObject({ sent: 1, skipped: 1 })
      const found = (yield* deliveriesOf(id)).filter(({ recipient_id }) => recipient_id === silent[0])
      expect(found).toEqual([{ recipient_id: silent[0], status: "k", error: "unsubscribed" }])
    }).pipe(Effect.scoped)
  )

  it.effect("fails devices without a credential as their lane does, and sends to the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { app } = yield* owned({ ios: 1, android: 1 })
      const node = yield* warm(app)
      yield* sql`DELETE FROM credentials WHERE app_id = ${app} AND kind = 'fcm'`
      const id = yield* node.sendTo(app, ["u"])
      expect(yield* node.completed(id)).toMatchObject({ sent: 1, failed: 1 })
      expect((yield* deliveriesOf(id)).flatMap(({ error }) => error ?? [])).toEqual(["credential_missing"])
    }).pipe(Effect.scoped)
  )

  it.effect("counts what was sent of one that was cancelled meanwhile", () =>
    Effect.gen(function* () {
      const { app } = yield* owned({ ios: 1, android: 1 })
      const node = yield* warm(app)
      const slow = yield* held
      node.fcm.answer = slow.answer
      const id = yield* node.sendTo(app, ["u"])
      yield* untilEnded(id, 1)
      yield* (yield* NotificationStore).control(app, id, "cancel")
      yield* slow.give(OK)
      yield* untilIdle(node)
      expect(yield* node.row(id)).toMatchObject({ status: "cancelled", sent: 2, pending: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("gives back the devices of a lane that was slowed meanwhile, and sends to the others at once", () =>
    Effect.gen(function* () {
      const { app, ios } = yield* owned({ ios: 1, android: 1 })
      const [limited] = yield* newDevices(app, 1, "ios")
      const node = yield* warm(app)
      const [started, accept] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      node.outage.before = (operation) =>
        operation === "NotificationStore.acceptForUsers"
          ? Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(accept))
          : Effect.void
      const accepting = yield* Effect.forkChild(node.sendTo(app, ["u"]))
      yield* Deferred.await(started)
      node.apns.answer = ({ target }) =>
        Effect.succeed(
          target.id === limited && node.apns.asked.length === 1
            ? { _tag: "Slow", scope: "project", reason: "429", afterMs: 1500 }
            : OK
        )
      yield* node.send(app, limited!)
      yield* until(
        Effect.sync(() => node.dispatcher.lanes().map(({ state }) => state()._tag)),
        (states) => states.includes("slowed")
      )
      yield* Deferred.succeed(accept, undefined)
      const id = yield* Fiber.join(accepting)
      yield* untilEnded(id, 1)
      expect(yield* node.row(id)).toMatchObject({ status: "sending", sent: 1, pending: 1 })
      const looked = Effect.andThen(node.wake(`${app}:apns`, "bulk"), node.row(id))
      expect(yield* until(looked, ({ status }) => status === "completed")).toMatchObject({ sent: 2 })
      expect(node.apns.asked.filter(({ target }) => target.id === ios[0])).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves to a planner who has no device, and more devices than a few", () =>
    Effect.gen(function* () {
      const { app } = yield* owned({ ios: FEW_DEVICES, android: 1 })
      const node = yield* warm(app)
      const many = yield* node.sendTo(app, ["u"])
      const none = yield* node.sendTo(app, ["nobody"])
      yield* until(
        Effect.sync(() => node.toPlan.length),
        (count) => count === 2
      )
      expect(node.toPlan).toEqual([many, none])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT status, plan_done FROM notifications WHERE id IN (${many}, ${none})`
      expect(rows).toEqual([many, none].map(() => ({ status: "queued", plan_done: false })))
    }).pipe(Effect.scoped)
  )

  it.effect(
    "leaves to a planner what goes other ways too, is traced, filled from a template, or not to be sent now",
    () =>
      Effect.gen(function* () {
        const { app } = yield* owned({ ios: 1, android: 0 })
        const node = yield* warm(app)
        const template = yield* (yield* TemplateStore).create(app, "t", {
          content: { title: "Hello {{ contact.attributes.name }}" },
          locales: {},
          missing_variables: "empty"
        })
        const to = { user_ids: ["u"] }
        const plain = { to, content: { title: "Hello" } }
        const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        const [soon, many] = [
          new Date(Date.now() + 3_600_000).toISOString(),
          Array.from({ length: 17 }, (_, i) => `${i}`)
        ]
        const sent = yield* Effect.all([
          node.accept.send(app, plain, null, trace),
          node.accept.send(app, { to, template_id: template.id }),
          node.accept.send(app, { to, content: { title: "Hello", subject: "Hello" } }),
          node.accept.send(app, { ...plain, channels: ["push", "inbox"] }),
          node.accept.send(app, { ...plain, channels: ["inbox"] }),
          node.accept.send(app, { to: { user_ids: ["u", ...many] }, content: { title: "Hello" } })
        ])
        yield* node.accept.send(app, { ...plain, send_at: soon })
        yield* node.accept.send(app, { ...plain, local_time: "09:00" })
        yield* until(
          Effect.sync(() => node.toPlan.length),
          (count) => count >= sent.length
        )
        expect(node.toPlan).toEqual(sent.map(({ id }) => id))
        expect(node.outage.count("NotificationStore.acceptForUsers")).toBe(0)
        // A channel that is push alone is no other way.
        yield* node.completed(yield* node.sendTo(app, ["u"], { channels: ["push"] }))
        expect(node.outage.count("NotificationStore.acceptForUsers")).toBe(1)
      }).pipe(Effect.scoped)
  )
})
