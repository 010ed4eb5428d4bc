import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { System } from "../System.ts"
import { eventually, makeSystem, reconciles } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/Inbox") {}

const SYSTEM = Layer.effect(TheSystem, makeSystem({ BATCH_SIZE: "10", DISPATCH_CONCURRENCY: "2", LEASE_SECONDS: "2" }))

const CONTENT = { title: "News", body: "for everybody", data: { n: 1 } }
const usersOf = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`)

const inboxOf = ({ call }: System, user: string) =>
  Effect.map(call("GET", `/api/v1/public/inbox?user_id=${user}`), ({ body }) => body.data as ReadonlyArray<any>)

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("inboxes as a way out of a notification", (it) => {
  it.effect("take a mailing beside push, account for everybody, and tell the webhooks of each", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const [receiver] = system.fleet.description.receivers
      const { name, secret, url } = receiver!
      const events = ["NOTIFICATION_SENT", "NOTIFICATION_FAILED"]
      expect((yield* system.call("POST", "/api/v1/webhooks", { name, url, secret, events })).status).toBe(201)
      const users = usersOf("reader", 25)
      const device = { platform: "android", token: "reader-0-token", user_id: users[0] }
      expect((yield* system.call("POST", "/api/v1/public/devices", device)).status).toBe(201)
      const id = yield* system.send({ to: { user_ids: users }, channels: ["push", "inbox"], content: CONTENT })
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 26, pending: 0 })
      expect(reconciles(shown)).toBe(true)
      const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries?limit=100`)
      const written = body.data.filter(({ provider }: { provider: string }) => provider === "inbox")
      expect(written).toHaveLength(25)
      for (const user of users) {
        const messages = yield* inboxOf(system, user)
        expect(messages).toMatchObject([{ ...CONTENT, read_at: null }])
        expect(written).toContainEqual(expect.objectContaining({ message_id: messages[0].id, device_id: null }))
      }
      yield* eventually(
        Effect.sync(() => system.fleet.webhooks.receivers[0]!.received().size),
        (count) => count === 26
      )
    })
  )

  it.effect("name the inboxes of a request, and skip the people who unsubscribed", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const make = (user: string) => system.call("POST", "/api/v1/channels", { kind: "inbox", user_id: user })
      const [ann, bob] = [(yield* make("ann")).body, (yield* make("bob")).body]
      expect((yield* make("ann")).body).toEqual({ id: ann.id, created: false })
      const { body } = yield* system.call("GET", `/api/v1/channels/${bob.id}`)
      expect(body).toMatchObject({ kind: "inbox", address: null, status: "active" })
      yield* system.call("PATCH", `/api/v1/contacts/${body.contact_id}/preferences`, { inbox: false })
      const id = yield* system.send({ to: { channel_ids: [ann.id, bob.id] }, content: { title: "You" } })
      const { counts } = yield* system.until(id, ({ status }) => status === "completed")
      expect(counts).toMatchObject({ accepted: 2, sent: 1, skipped: 1 })
      const { body: deliveries } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries`)
      expect(deliveries.data).toContainEqual(
        expect.objectContaining({ channel_id: bob.id, status: "skipped", error: "unsubscribed" })
      )
      expect(yield* inboxOf(system, "ann")).toHaveLength(1)
      expect(yield* inboxOf(system, "bob")).toEqual([])
    })
  )

  it.effect("are not made again for people who were erased after the notification was accepted", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const contacts = (user: string) =>
        Effect.map(system.call("GET", `/api/v1/contacts?external_id=${user}`), ({ body }) => body.data)
      const users = ["stays", "erased", "erased-by-name"]
      yield* system.call("POST", "/api/v1/contacts/bulk", { contacts: users.map((external_id) => ({ external_id })) })
      const send_at = new Date(Date.now() + 3_600_000).toISOString()
      const id = yield* system.send({ to: { user_ids: users }, channels: ["inbox"], content: CONTENT, send_at })
      const [{ id: contact }] = yield* contacts("erased")
      expect((yield* system.call("DELETE", `/api/v1/contacts/${contact}`)).status).toBe(200)
      expect((yield* system.call("DELETE", "/api/v1/contacts/by-external-id/erased-by-name")).status).toBe(200)

      expect((yield* system.call("PATCH", `/api/v1/notifications/${id}`, { send_at: null })).status).toBe(200)
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 3, sent: 1, skipped: 2, failed: 0, pending: 0 })
      const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries`)
      const skipped = body.data.filter(({ status }: { status: string }) => status === "skipped")
      expect(skipped.map(({ error }: { error: string }) => error)).toEqual(["recipient_gone", "recipient_gone"])
      expect(yield* contacts("erased")).toEqual([])
      expect(yield* contacts("erased-by-name")).toEqual([])
      expect(yield* inboxOf(system, "stays")).toHaveLength(1)

      const later = yield* system.send({ to: { user_ids: ["erased"] }, channels: ["inbox"], content: CONTENT })
      expect((yield* system.until(later, ({ status }) => status === "completed")).counts.sent).toBe(1)
      expect(yield* inboxOf(system, "erased")).toHaveLength(1)
    })
  )

  it.effect("get each message once, though the engine is killed in the middle", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const users = usersOf("survivor", 2000)
      const id = yield* system.send({ to: { user_ids: users }, channels: ["inbox"], content: CONTENT })
      yield* system.until(id, ({ counts }) => counts.sent > 0)
      yield* system.engine.kill
      yield* system.startEngine()
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 2000, sent: 2000, failed: 0, skipped: 0 })
      const found = yield* Effect.forEach(users, (user) => inboxOf(system, user), { concurrency: 20 })
      expect(new Set(found.map((messages) => messages.length))).toEqual(new Set([1]))
    })
  )
})
