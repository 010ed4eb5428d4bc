import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { createHmac } from "node:crypto"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { pool } from "../../layers/postgres/server/Database.ts"
import { commands } from "../../src/app.ts"
import { untilRead } from "../faults/Sockets.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem, reconciles } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/TheSystem") {}

const CONTENT = {
  title: "Title",
  body: "Body",
  url: "https://example.com/x",
  data: { order: "42" },
  subject: "Subject",
  html: "<p>Html</p>"
}

/** Everything that the simulators of a provider have received, by `notification:device`. */
const pushes = ({ fleet }: System): Map<string, number> =>
  new Map([
    ...fleet.apns.received(),
    ...fleet.apnsSandbox.received(),
    ...fleet.fcm.received(),
    ...fleet.webpush.received()
  ])

const clear = ({ fleet }: System): void => {
  for (const simulator of [fleet.apns, fleet.apnsSandbox, fleet.fcm, fleet.webpush, fleet.smtp, fleet.webhooks]) {
    simulator.control.set()
    simulator.reset()
  }
  for (const receiver of fleet.webhooks.receivers) receiver.control.set()
}

const subscribe = Effect.fnUntraced(function* (system: System, events: ReadonlyArray<string>) {
  const ids: Array<string> = []
  for (const { name, secret, url } of system.fleet.description.receivers) {
    const { body, status } = yield* system.call("POST", "/api/v1/webhooks", { name, url, secret, events })
    expect(status).toBe(201)
    ids.push(body.id)
  }
  return ids
})

const unsubscribe = (system: System, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => system.call("DELETE", `/api/v1/webhooks/${id}`), { discard: true })

const sentOf = ({ env }: System, id: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql<{ readonly sent: number }>`
      SELECT coalesce(sum(sent), 0)::integer AS sent FROM batches WHERE notification_id = ${id}`
  ).pipe(Effect.provide(PgClient.layerFrom(pool(env["DATABASE_URL"]!, 1))), Effect.orDie)

const SYSTEM = Layer.effect(TheSystem, makeSystem({ WEBHOOK_RETRY_DELAYS: "0.1,0.1,0.1,0.1,0.1", LEASE_SECONDS: "3" }))

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("the main path", (it) => {
  it.effect("sends a mailing over four protocols, accounts for everybody, and tells both webhooks of each once", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      const webhooks = yield* subscribe(system, ["NOTIFICATION_SENT"])
      const devices = yield* system.importDevices(1200)
      expect(new Set(devices).size).toBe(1200)
      for (let i = 0; i < 30; i++) {
        const { status } = yield* system.call("POST", "/api/v1/channels", {
          kind: "email",
          address: system.audience.email(i)
        })
        expect(status).toBe(201)
      }
      const id = yield* system.send({ to: { all: true }, content: CONTENT })
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({
        accepted: 1230,
        sent: 1230,
        failed: 0,
        skipped: 0,
        cancelled: 0,
        pending: 0
      })

      const received = pushes(system)
      expect([...received.keys()].toSorted()).toEqual(devices.map((device) => `${id}:${device}`).toSorted())
      expect([...received.values()].every((count) => count === 1)).toBe(true)
      expect(system.fleet.smtp.received().size).toBe(30)

      yield* eventually(
        Effect.sync(() => system.fleet.webhooks.stats()),
        ({ accepted }) => accepted >= 2460
      )
      const { duplicates, refused } = system.fleet.webhooks.stats()
      expect({ duplicates, refused }).toEqual({ duplicates: 0, refused: {} })
      expect(system.fleet.webhooks.receivers.map((receiver) => receiver.received().size)).toEqual([1230, 1230])
      yield* unsubscribe(system, webhooks)
    })
  )

  it.effect("answers one application while it reads many long requests of another", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const other = yield* createApplication("Other").pipe(Effect.provide(commands(system.env)), Effect.orDie)
      const authorization = `ApiKey ${other.secretKey}`
      // Some ten milliseconds each to read, and then refused: so many wait at any time that each is read within the four
      // seconds that a request has, also where it takes three times as long.
      const data = Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`key${n}`, n]))
      const long = JSON.stringify({ to: { all: true }, content: { title: "Title", data } })
      let refused = 0
      let isOver = false
      const post = Effect.tap(system.call("POST", "/api/v1/notifications", long), ({ status }) =>
        Effect.sync(() => {
          expect(status).toBe(400)
          refused++
        })
      )
      const posts = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 24 }, () => Effect.repeat(post, { until: () => isOver })),
          { concurrency: "unbounded" }
        )
      )
      yield* eventually(
        Effect.sync(() => refused),
        (count) => count > 0
      )
      // How many of them were read meanwhile, by request of the other: all that wait, if it had no turn of its own.
      // Whatever else the machine does at the moment may hold up some of these, but not each.
      let quick = 0
      for (let asked = 0; asked < 40 && quick < 3; asked++) {
        const before = refused
        const { status } = yield* system.call("GET", "/api/v1/devices?limit=1", undefined, { authorization })
        expect(status).toBe(200)
        if (refused - before < 5) quick++
      }
      expect(quick).toBe(3)
      isOver = true
      yield* Fiber.join(posts)
    })
  )

  it.effect("lists every recipient of a notification once, page by page, with the provider's message id", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const devices = yield* system.importDevices(250)
      const id = yield* system.send({ to: { device_ids: devices }, content: CONTENT })
      yield* system.until(id, ({ status }) => status === "completed")
      const seen: Array<any> = []
      let cursor: string | null = null
      do {
        const path: string = `/api/v1/notifications/${id}/deliveries?limit=100${cursor ? `&cursor=${cursor}` : ""}`
        const { body } = yield* system.call("GET", path)
        seen.push(...body.data)
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(seen.length).toBe(250)
      expect(new Set(seen.map((delivery) => delivery.device_id)).size).toBe(250)
      expect(seen.every((delivery) => delivery.status === "sent" && delivery.message_id)).toBe(true)
    })
  )

  it.effect(
    "reaches everybody else when ids in the request are nobody's, whoever plans them, and counts only them",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const devices = yield* system.importDevices(250)
        for (const known of [devices.slice(0, 20), devices]) {
          const stale = uuidv7()
          const to = { device_ids: [...known.slice(0, 10), stale, ...known.slice(10)] }
          const { body, status } = yield* system.call("POST", "/api/v1/notifications", { to, content: CONTENT })
          expect([status, body.skipped]).toEqual([202, { count: 1, ids: [stale] }])
          const shown = yield* system.until(body.id, ({ status }) => status === "completed")
          expect(shown.counts).toMatchObject({ accepted: known.length, sent: known.length, skipped: 0, failed: 0 })
        }
      })
  )

  it.effect("fails what a provider calls dead, tells so, and leaves the device out next time", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      const webhooks = yield* subscribe(system, ["NOTIFICATION_FAILED"])
      const token = `dead0000${"a1".repeat(28)}`
      const line = JSON.stringify({ token, platform: "ios", tags: ["dead"] })
      const { status } = yield* system.call("POST", "/api/v1/devices/import", `${line}\n`, {
        "content-type": "application/x-ndjson"
      })
      expect(status).toBe(200)
      const id = yield* system.send({ to: { tags_all: ["dead"] }, content: CONTENT })
      const shown = yield* system.until(id, (notification) => notification.status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 1, sent: 0, failed: 1 })
      yield* eventually(
        Effect.sync(() => system.fleet.webhooks.stats()),
        ({ accepted }) => accepted >= 2
      )
      const again = yield* system.send({ to: { tags_all: ["dead"] }, content: CONTENT })
      const second = yield* system.until(again, (notification) => notification.status === "completed")
      expect(second.counts.accepted).toBe(0)
      yield* unsubscribe(system, webhooks)
    })
  )

  it.effect("repeats what fails for a moment until it is sent, and sends nothing else twice", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      system.fleet.apns.control.set({ do: "refuse", status: 503, reason: "ServiceUnavailable", first: 20 })
      const devices = yield* system.importDevices(300)
      const id = yield* system.send({ to: { device_ids: devices }, content: CONTENT })
      const open = yield* system.until(id, ({ counts }) => counts.sent > 0)
      expect(reconciles(open)).toBe(true)
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 300, sent: 300, failed: 0 })
      const counts = [...pushes(system)].filter(([key]) => key.startsWith(id)).map(([, count]) => count)
      expect(counts.length).toBe(300)
      expect(counts.every((count) => count === 1)).toBe(true)
    })
  )

  it.effect("keeps the messages of a refused credential and sends them when it is repaired", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      const good = system.fleet.description.credentials.apns
      const requests = [system.fleet.apns, system.fleet.apnsSandbox].map((simulator) => simulator.stats().requests)
      yield* system.call("PUT", "/api/v1/credentials/apns", { ...good, bundle_id: "com.example.wrong" })
      const devices = yield* system.importDevices(300)
      const id = yield* system.send({ to: { device_ids: devices }, content: CONTENT })
      yield* eventually(
        system.call("GET", "/api/v1/credentials"),
        ({ body }) => body.data.find((credential: any) => credential.kind === "apns").suspended_reason !== null
      )
      const waiting = yield* system.until(id, ({ counts }) => counts.sent === 180)
      expect(waiting).toMatchObject({ status: "sending", counts: { pending: 120, failed: 0 } })
      // One message has tried it, or one of each process that had some of them.
      const { apns, apnsSandbox } = system.fleet
      const asked = apns.stats().requests - requests[0]! + apnsSandbox.stats().requests - requests[1]!
      expect(asked).toBeGreaterThanOrEqual(1)
      expect(asked).toBeLessThanOrEqual(4)
      yield* system.call("PUT", "/api/v1/credentials/apns", good)
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ sent: 300, failed: 0 })
    })
  )

  it.effect("delivers an event again, with the same id and a fresh signature, until the receiver takes it", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      const webhooks = yield* subscribe(system, [])
      const [flaky, fine] = system.fleet.webhooks.receivers
      flaky!.control.set({ do: "refuse", status: 500, first: 10 })
      const devices = yield* system.importDevices(40)
      const id = yield* system.send({ to: { device_ids: devices }, content: CONTENT })
      yield* system.until(id, ({ status }) => status === "completed")
      yield* eventually(
        Effect.sync(() => [flaky!.received().size, fine!.received().size]),
        ([one, two]) => one === 40 && two === 40
      )
      expect(flaky!.stats().refused).toEqual({})
      expect([...flaky!.received().keys()].toSorted()).toEqual([...fine!.received().keys()].toSorted())
      yield* unsubscribe(system, webhooks)
    })
  )

  it.effect("takes a registration with the public key, under the identity rule, and reaches that device", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      const authorization = `Public ${system.app.publicKey}`
      const device = { ...system.audience.device(777_777), user_id: "user-ß" }
      const refused = yield* system.call("POST", "/api/v1/public/devices", device, { authorization })
      expect(refused.status).toBe(401)
      expect(refused.body.error.code).toBe("identity_unverified")
      const hash = createHmac("sha256", system.app.identitySecret).update("user-ß").digest("hex")
      const first = yield* system.call("POST", "/api/v1/public/devices", device, {
        authorization,
        "x-identity-hash": hash
      })
      expect(first).toMatchObject({ status: 201, body: { created: true } })
      const second = yield* system.call("POST", "/api/v1/public/devices", device, {
        authorization,
        "x-identity-hash": hash
      })
      expect(second).toMatchObject({ status: 201, body: { created: false, id: first.body.id } })
      const id = yield* system.send({ to: { user_ids: ["user-ß"] }, content: CONTENT, priority: "high" })
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 1, sent: 1 })
      expect(pushes(system).get(`${id}:${first.body.id}`)).toBe(1)
    })
  )

  it.effect("refuses recipients that do not exist, by name, and stores nothing", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const before = yield* system.call("GET", "/api/v1/notifications?limit=1")
      const unknown = "01890000-0000-7000-8000-000000000000"
      const { body, status } = yield* system.call("POST", "/api/v1/notifications", {
        to: { device_ids: [unknown] },
        content: CONTENT
      })
      expect(status).toBe(400)
      expect(body.error.code).toBe("validation_error")
      expect(body.error.details).toEqual([{ field: "to.device_ids[0]", message: expect.any(String) }])
      const after = yield* system.call("GET", "/api/v1/notifications?limit=1")
      expect(after.body).toEqual(before.body)
    })
  )

  it.effect("refuses content that no push can carry", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const { body, status } = yield* system.call("POST", "/api/v1/notifications", {
        to: { all: true },
        content: { title: "x", body: "é".repeat(2500) }
      })
      expect(status).toBe(400)
      expect(body.error.details[0].field).toBe("content")
    })
  )

  it.effect("refuses overrides that no push can carry, and content with nothing to show", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const send = (request: unknown) =>
        Effect.map(system.call("POST", "/api/v1/notifications", request), ({ body, status }) => [
          status,
          body.error?.details[0].field
        ])
      const overrides = { apns: { x: "y".repeat(9000) } }
      expect(yield* send({ to: { all: true }, content: CONTENT, overrides })).toEqual([400, "overrides.apns"])
      expect(yield* send({ to: { all: true }, content: { title: "" } })).toEqual([400, "content"])
    })
  )

  it.effect("gives up what a provider takes and does not answer when the notification has expired", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      system.fleet.fcm.control.set({ do: "hang" })
      const devices = yield* system.importDevices(20, 9000)
      const id = yield* system.send({ to: { device_ids: devices }, content: CONTENT, ttl: 2 })
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 20, sent: 12, failed: 8, pending: 0 })
      clear(system)
    })
  )

  it.effect("completes a mailing to nobody", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const id = yield* system.send({ to: { tags_any: ["nobody-has-this"] }, content: CONTENT })
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 0, sent: 0, pending: 0 })
    })
  )

  // Last, because it takes the engine away from the others.
  it.effect("loses nothing when it is killed in the middle of a mailing and started again", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      clear(system)
      for (const simulator of [system.fleet.apns, system.fleet.fcm]) simulator.control.set({ do: "delay", ms: 30 })
      const devices = yield* system.importDevices(5000)
      const id = yield* system.send({ to: { device_ids: devices }, content: CONTENT })
      yield* eventually(
        Effect.sync(() => [...pushes(system).keys()].filter((key) => key.startsWith(id)).length),
        (count) => count > 500
      )
      yield* system.engine.kill
      // In this order: what is written between the two questions counts as in flight, not the other way round.
      const [recorded] = yield* sentOf(system, id)
      yield* untilRead(new Set(Object.values(system.fleet.description.urls).map((url) => Number(new URL(url).port))))
      const before = [...pushes(system)].filter(([key]) => key.startsWith(id)).length
      expect(before).toBeLessThan(5000)
      yield* system.startEngine()
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 5000, sent: 5000, failed: 0, pending: 0 })
      const received = [...pushes(system)].filter(([key]) => key.startsWith(id))
      expect(received.length).toBe(5000)
      // Twice at most, and only what was under way when it was killed: received, and not on record.
      expect(received.every(([, count]) => count <= 2)).toBe(true)
      expect(received.filter(([, count]) => count === 2).length).toBeLessThanOrEqual(before - recorded!.sent)
    })
  )
})
