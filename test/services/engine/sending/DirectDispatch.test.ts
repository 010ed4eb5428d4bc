import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { giveRows } from "../../../../layers/postgres/sending/directBatches.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { TemplateStore } from "../../../../services/ports/messages/TemplateStore.ts"
import type { DeviceId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { Outcome } from "../../../../services/ports/sending/Provider.ts"
import type { DirectNode } from "./DirectNode.ts"
import { batchOf, makeNode, newDevices, newSender, OK, shared, until } from "./DirectNode.ts"

/** Waits until the provider was asked for so many messages. */
const asked = ({ fcm }: DirectNode, count: number) =>
  until(
    Effect.sync(() => fcm.asked.length),
    (now) => now >= count
  )

const LEASE_1 = { LEASE_SECONDS: "1" }

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

  it.effect("tells of what a silent provider keeps beyond the end of a stop as of no fault", () => {
    const told: Array<{ readonly level: string; readonly said: string }> = []
    const listener = Logger.make(({ logLevel, message }) => {
      told.push({ level: logLevel, said: [message].flat().map(String).join(" ") })
    })
    return Effect.gen(function* () {
      const app = yield* newSender
      const devices = yield* newDevices(app, 2)
      const node = yield* makeNode({ drainMs: 100 })
      yield* node.completed(yield* node.send(app, devices[0]!))
      node.fcm.answer = () => Effect.never
      yield* node.sendAll(app, devices)
      yield* asked(node, 3)
      yield* node.stop
      const lines = told.filter(({ said }) => said.includes("left to"))
      // One for each group that began together.
      expect(lines.length).toBeGreaterThan(0)
      for (const { level, said } of lines) {
        expect(level).toBe("Warn")
        expect(said).toMatch(
          /^(1 batch was|2 batches were) left to (its lease|their leases): the process stops, [^;]+$/
        )
        expect(said).not.toMatch(/error|interrupt/i)
      }
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([listener])))
  })

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

  it.effect("lets one message try a credential that nobody knows, and sends the others when it has got through", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const devices = yield* newDevices(app, 5)
      const node = yield* makeNode()
      const answer = yield* Deferred.make<Outcome>()
      let isKnown = false
      node.fcm.answer = () => {
        if (node.fcm.asked.length === 1)
          return Effect.tap(Deferred.await(answer), () => Effect.sync(() => (isKnown = true)))
        expect(isKnown).toBe(true)
        return Effect.succeed(OK)
      }
      const ids = yield* node.sendAll(app, devices)
      // All of them have gone on to their lane.
      yield* until(
        Effect.sync(() => node.dispatcher.lanes()[0]?.running() ?? 0),
        (running) => running === devices.length
      )
      yield* asked(node, 1)
      yield* Deferred.succeed(answer, OK)
      for (const id of ids) expect(yield* node.completed(id)).toMatchObject({ sent: 1 })
      expect(node.fcm.asked).toHaveLength(devices.length)
      // From here on they go together.
      node.outage.calls.length = 0
      for (const id of yield* node.sendAll(app, devices)) yield* node.completed(id)
      expect(node.outage.count("BatchStore.finish")).toBe(0)
    }).pipe(Effect.scoped)
  )

  const REFUSED: Outcome = {
    _tag: "Refused",
    reason: "403",
    otherwise: () => ({ _tag: "Slow", scope: "recipient", reason: "not yours", afterMs: 60_000 })
  }
  it.effect.each<[string, Outcome]>([
    ["Ok in the other environment", { _tag: "Ok", messageId: "m", environment: "sandbox" }],
    ["Drop", { _tag: "Drop", reason: "Unregistered", seenBefore: null }],
    ["Drop of an older token", { _tag: "Drop", reason: "Unregistered", seenBefore: 1 }],
    ["Fail", { _tag: "Fail", reason: "too large" }],
    ["Retry", { _tag: "Retry", reason: "503", afterMs: 90_000 }],
    ["Retry beyond its time", { _tag: "Retry", reason: "503", afterMs: 3_600_000 }],
    ["Slow for the recipient", { _tag: "Slow", scope: "recipient", reason: "429", afterMs: 60_000 }],
    ["Slow for the project", { _tag: "Slow", scope: "project", reason: "429", afterMs: 60_000 }],
    ["Suspend", { _tag: "Suspend", reason: "InvalidProviderToken" }],
    ["Refused", REFUSED]
  ])("takes an answer as a lane does: %s", ([, outcome]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      /** What the database has, and the lane is told, after one message with the answer, and one that was accepted before. */
      const after = Effect.fnUntraced(function* (isDirect: boolean) {
        const app = yield* newSender
        const [first, device] = yield* newDevices(app, 2, "ios")
        const node = yield* makeNode({ isDirect })
        yield* node.completed(yield* node.send(app, first!))
        node.apns.answer = () => Effect.succeed(outcome)
        const id = yield* node.send(app, device!, { ttl: 600 })
        if (isDirect) expect(yield* batchOf(id)).toMatchObject({ fence: 1 })
        yield* until(sql`SELECT 1 FROM all_batches WHERE notification_id = ${id} AND done`, (rows) => rows.length === 1)
        yield* until(
          Effect.sync(() => node.dispatcher.lanes()[0]!.running()),
          (running) => running === 0
        )
        return {
          asked: node.apns.asked.length,
          lane: node.dispatcher.lanes()[0]!.state()._tag,
          row: yield* node.row(id),
          deliveries: yield* sql`SELECT provider, status, attempts, message_id, error FROM deliveries
            WHERE notification_id = ${id}`,
          batches: yield* sql`SELECT done, attempts, suspended, slowed, sent, failed, skipped, pending,
              due_at > now() + interval '20 seconds' AS waits FROM all_batches WHERE notification_id = ${id} ORDER BY done`,
          device: yield* sql`SELECT active, environment FROM devices WHERE id = ${device!}`,
          credential: yield* sql`SELECT suspended_reason FROM credentials WHERE app_id = ${app} AND kind = 'apns'`,
          letters: yield* sql`SELECT count(*)::integer AS count FROM deliveries
            WHERE notification_id = ${id} AND status = 'f'`
        }
      })
      expect(yield* after(true)).toEqual(yield* after(false))
    }).pipe(Effect.scoped)
  )

  it.effect.each<[string, Outcome]>([
    ["it is dead", { _tag: "Drop", reason: "unregistered", seenBefore: null }],
    ["it is dead since now", { _tag: "Drop", reason: "Unregistered", seenBefore: Date.now() + 3_600_000 }],
    [
      "the sender is not its own",
      {
        _tag: "Refused",
        reason: "403",
        otherwise: () => ({ _tag: "Drop", reason: "sender_id_mismatch", seenBefore: null })
      }
    ],
    ["it is of the other environment", { _tag: "Ok", messageId: "m", environment: "sandbox" }]
  ])("keeps what is said of a token from a device that has another one by then: %s", ([, outcome]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* DeviceStore
      for (const isDirect of [true, false]) {
        const app = yield* newSender
        const [first, device] = yield* newDevices(app, 2, "ios")
        const node = yield* makeNode({ isDirect })
        yield* node.completed(yield* node.send(app, first!))
        const answer = yield* Deferred.make<Outcome>()
        node.apns.answer = () => Deferred.await(answer)
        const id = yield* node.send(app, device!)
        yield* until(
          Effect.sync(() => node.apns.asked.length),
          (count) => count === 2
        )
        const { address } = node.apns.asked[1]!.target
        const moved = { token: "0c".repeat(32), platform: "ios" as const, previous_token: address }
        expect(yield* devices.register(app, [moved])).toEqual([{ id: device, created: false }])
        yield* Deferred.succeed(answer, outcome)
        yield* node.completed(id)
        const rows = yield* sql`SELECT token, active, invalid_reason, environment FROM devices WHERE id = ${device!}`
        expect(rows).toEqual([{ token: moved.token, active: true, invalid_reason: null, environment: "production" }])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("gives a message back that was accepted before its lane was slowed, and sends it later, once", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, limited, late] = yield* newDevices(app, 3)
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, first!))
      const [started, accept] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      node.outage.before = (operation) =>
        operation === "NotificationStore.acceptForDevice"
          ? Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(accept))
          : Effect.void
      const accepting = yield* Effect.forkChild(node.send(app, late!))
      yield* Deferred.await(started)
      node.outage.before = () => Effect.void
      node.fcm.answer = ({ target }) =>
        Effect.succeed(
          target.id === limited && node.fcm.asked.length === 2
            ? { _tag: "Slow", scope: "project", reason: "429", afterMs: 1500 }
            : OK
        )
      const slowed = yield* node.send(app, limited!)
      yield* until(
        Effect.sync(() => node.dispatcher.lanes()[0]!.state()._tag),
        (state) => state === "slowed"
      )
      expect(node.taker(app)).toBe(null)
      yield* Deferred.succeed(accept, undefined)
      const id = yield* Fiber.join(accepting)
      yield* until(batchOf(id), ({ lease }) => lease === null)
      // What is to be tried again is found by the sweeper, which is not here.
      const looked = (one: NotificationId) => Effect.andThen(node.wake(`${app}:fcm`, "bulk"), node.row(one))
      for (const one of [slowed, id]) {
        expect(yield* until(looked(one), ({ status }) => status === "completed")).toMatchObject({ sent: 1 })
      }
      expect(node.fcm.asked.filter(({ target }) => target.id === late)).toHaveLength(1)
      expect(yield* batchOf(id)).toMatchObject({ fence: 2 })
    }).pipe(Effect.scoped)
  )

  it.effect("claims nothing where it sends only what it has accepted itself, and has others told of the rest", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, limited] = yield* newDevices(app, 2)
      const [node, other] = [yield* makeNode({ onlyOwn: true }), yield* makeNode({ isDirect: false })]
      for (const _ of [1, 2]) expect(yield* node.completed(yield* node.send(app, first!))).toMatchObject({ sent: 1 })
      expect(node.fcm.asked).toHaveLength(2)
      node.toSend.length = 0
      // Longer than a busy machine takes to look at what follows.
      node.fcm.answer = () => Effect.succeed({ _tag: "Slow", scope: "project", reason: "429", afterMs: 2000 })
      const slowed = yield* node.send(app, limited!)
      yield* until(batchOf(slowed), ({ lease }) => lease === null)
      // The process hears of it after the database.
      yield* until(
        Effect.sync(() => node.taker(app)),
        (taker) => taker === null
      )
      // Its lane looks again when the provider's time is over, which is the others' to do.
      yield* until(
        Effect.sync(() => node.toSend),
        (lanes) => lanes.includes(`${app}:fcm`)
      )
      const looked = Effect.andThen(other.wake(`${app}:fcm`, "bulk"), other.row(slowed))
      expect(yield* until(looked, ({ status }) => status === "completed")).toMatchObject({ sent: 1 })
      expect(node.fcm.asked).toHaveLength(3)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps a message whose provider is silent beyond its lease, and counts the answer that comes", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, device] = yield* newDevices(app, 2)
      const [node, other] = [yield* makeNode({ env: LEASE_1 }), yield* makeNode({ env: LEASE_1 })]
      yield* node.completed(yield* node.send(app, first!))
      const answer = yield* Deferred.make<Outcome>()
      node.fcm.answer = () => Deferred.await(answer)
      const id = yield* node.send(app, device!)
      yield* asked(node, 2)
      const sql = yield* SqlClient.SqlClient
      // Longer than the lease that it was accepted with.
      yield* until(
        sql`SELECT 1 FROM all_batches b JOIN notifications n ON n.id = b.notification_id
          WHERE n.id = ${id} AND b.lease_until > now() AND now() > n.created_at + interval '2 seconds'`,
        (rows) => rows.length === 1
      )
      yield* other.wake(`${app}:fcm`, "bulk")
      yield* Deferred.succeed(answer, OK)
      expect(yield* node.completed(id)).toMatchObject({ sent: 1 })
      expect(yield* batchOf(id)).toMatchObject({ fence: 1 })
      expect([node.fcm.asked.length, other.fcm.asked.length]).toEqual([2, 0])
    }).pipe(Effect.scoped)
  )

  for (const [isFull, error] of [
    [false, "expired: possibly_delivered"],
    [true, "expired"]
  ] as const) {
    const how = isFull ? "waits for its provider" : "was given to a provider that is silent"
    it.effect(`fails a message that ${how} beyond its time as ${error}, and counts it once`, () =>
      Effect.gen(function* () {
        const app = yield* newSender
        const [first, device] = yield* newDevices(app, 2)
        const node = yield* makeNode({ env: LEASE_1 })
        yield* node.completed(yield* node.send(app, first!))
        const answer = yield* Deferred.make<Outcome>()
        node.fcm.answer = () => Deferred.await(answer)
        node.fcm.isFull = isFull
        const id = yield* node.send(app, device!, { ttl: 1 })
        expect(yield* node.completed(id)).toMatchObject({ sent: 0, failed: 1 })
        yield* Deferred.succeed(answer, OK)
        yield* node.stop
        expect(yield* node.row(id)).toMatchObject({ sent: 0, failed: 1 })
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT error FROM deliveries WHERE notification_id = ${id}`).toEqual([{ error }])
      }).pipe(Effect.scoped)
    )
  }

  it.effect("begins nothing while the database takes no writes, and sends what was accepted when it does, once", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const devices = yield* newDevices(app, 3)
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, devices[0]!))
      const [failed, mended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const write = yield* Effect.forkChild(
        node.gate.writing("batches", [], (attempt) =>
          attempt(Effect.fail(new StoreError({ operation: "finish", cause: "away" }))).pipe(
            Effect.catch(() => Effect.andThen(Deferred.succeed(failed, undefined), Deferred.await(mended))),
            Effect.andThen(attempt(Effect.void))
          )
        )
      )
      yield* Deferred.await(failed)
      const ids = yield* node.sendAll(app, devices)
      yield* until(
        Effect.sync(() => node.dispatcher.lanes()[0]!.running()),
        (running) => running === devices.length
      )
      expect(node.fcm.asked).toHaveLength(1)
      yield* Deferred.succeed(mended, undefined)
      yield* Fiber.join(write)
      for (const id of ids) expect(yield* node.completed(id)).toMatchObject({ sent: 1 })
      expect(node.fcm.asked).toHaveLength(1 + devices.length)
    }).pipe(Effect.scoped)
  )

  it.effect("sends nothing that it received when its lease was over and another node has it", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [first, device] = yield* newDevices(app, 2)
      const [node, other] = [yield* makeNode({ env: LEASE_1 }), yield* makeNode({ env: LEASE_1 })]
      for (const one of [node, other]) yield* one.completed(yield* one.send(app, first!))
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // The process stands still before its provider is given the message.
      node.fcm.before = () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn))
      const id = yield* node.send(app, device!)
      yield* Deferred.await(begun)
      const sql = yield* SqlClient.SqlClient
      // As if its holder had been found dead.
      yield* giveRows(sql, sql`n.id = ${id}`)
      yield* sql`UPDATE batches SET lease_until = '-infinity' WHERE notification_id = ${id}`
      yield* other.wake(`${app}:fcm`, "bulk")
      expect(yield* other.completed(id)).toMatchObject({ sent: 1 })
      yield* until(
        sql`SELECT 1 FROM notifications WHERE id = ${id} AND now() > created_at + interval '1500 milliseconds'`,
        (rows) => rows.length === 1
      )
      yield* Deferred.succeed(goOn, undefined)
      yield* node.stop
      expect([node.fcm.asked.length, other.fcm.asked.length]).toEqual([1, 2])
      expect(yield* node.row(id)).toMatchObject({ sent: 1, failed: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("leaves to its lane what is traced, filled from a template, or not to be sent now", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const [device] = yield* newDevices(app, 1)
      const node = yield* makeNode()
      yield* node.completed(yield* node.send(app, device!))
      const template = yield* (yield* TemplateStore).create(app, "t", {
        content: { title: "Hello {{ contact.attributes.name }}" },
        locales: {},
        missing_variables: "empty"
      })
      const to = { device_ids: [device as DeviceId] }
      const plain = { to, content: { title: "Hello" } }
      const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      const filled = { to, template_id: template.id }
      node.outage.calls.length = 0
      const { id: traced } = yield* node.accept.send(app, plain, null, trace)
      const { id: templated } = yield* node.accept.send(app, filled)
      yield* node.accept.send(app, { ...plain, send_at: new Date(Date.now() + 3_600_000).toISOString() })
      for (const id of [traced, templated]) expect(yield* node.completed(id)).toMatchObject({ sent: 1 })
      expect(node.outage.count("BatchStore.finishSent")).toBe(0)
      expect(node.fcm.asked).toHaveLength(3)
    }).pipe(Effect.scoped)
  )
})
