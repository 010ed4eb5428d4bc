import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/PublicSurface") {}

const SYSTEM = Layer.effect(TheSystem, makeSystem())

/** A call as a client makes it: with the public key. */
const asClient = ({ app, call }: System, method: string, path: string, body?: unknown, headers = {}) =>
  call(method, path, body, { authorization: `Public ${app.publicKey}`, ...headers })

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("the public surface", (it) => {
  it.effect("takes what 200 devices report twice each, counts it once, and tells both webhooks of each once", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const events = ["NOTIFICATION_DELIVERED", "NOTIFICATION_OPENED", "NOTIFICATION_CLICKED"]
      for (const { name, secret, url } of system.fleet.description.receivers) {
        const { status } = yield* system.call("POST", "/api/v1/webhooks", { name, url, secret, events })
        expect(status).toBe(201)
      }
      const devices = yield* system.importDevices(200)
      const id = yield* system.send({ to: { device_ids: devices }, content: { title: "Hello" } })
      // Reports may come before the mailing is done: all that counts is that the device was sent to.
      yield* system.until(id, ({ status }) => status === "completed")
      const answers = yield* Effect.all(
        [...devices, ...devices].flatMap((device_id) => [
          asClient(system, "POST", "/api/v1/track", { notification_id: id, device_id }),
          asClient(system, "POST", "/api/v1/events", { type: "opened", notification_id: id, device_id }),
          asClient(system, "POST", "/api/v1/events", {
            type: "clicked",
            notification_id: id,
            device_id,
            // The half that does not say is told of with where the notification leads: receivers refuse anything else.
            ...(device_id < devices[100]! ? { destination: "https://example.com/" } : {})
          })
        ]),
        { concurrency: 50 }
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
      const { body } = yield* system.call("GET", `/api/v1/notifications/${id}`)
      expect(body.counts).toMatchObject({ sent: 200, delivered: 200, opened: 200, clicked: 200 })
      yield* eventually(
        Effect.sync(() => system.fleet.webhooks.stats()),
        ({ accepted }) => accepted >= 1200
      )
      const { duplicates, refused } = system.fleet.webhooks.stats()
      expect({ duplicates, refused }).toEqual({ duplicates: 0, refused: {} })
      expect(system.fleet.webhooks.receivers.map((receiver) => receiver.received().size)).toEqual([600, 600])
    })
  )

  it.effect("sends e-mail to contacts by their tags, skips who unsubscribed, and forgets a person whole", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const people = [0, 1, 2].map((i) => ({
        external_id: `person-${i}`,
        email: system.audience.email(i),
        tags: ["letter"]
      }))
      const ids: Array<string> = []
      for (const person of people) {
        const { body, status } = yield* system.call("POST", "/api/v1/contacts", person)
        expect(status).toBe(201)
        ids.push(body.id)
      }
      yield* system.call("PATCH", `/api/v1/contacts/${ids[1]}/preferences`, { email: false })
      const letter = { to: { tags_any: ["letter"] }, content: { subject: "A letter", html: "<p>Hello</p>" } }
      const first = yield* system.send(letter)
      const { counts } = yield* system.until(first, ({ status }) => status === "completed")
      expect(counts).toMatchObject({ accepted: 2, sent: 2 })
      expect((yield* system.call("DELETE", `/api/v1/contacts/${ids[0]}`)).status).toBe(200)
      const second = yield* system.send(letter)
      const after = yield* system.until(second, ({ status }) => status === "completed")
      expect(after.counts).toMatchObject({ accepted: 1, sent: 1 })
    })
  )

  it.effect("shows users their inbox when they prove who they are", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const { status } = yield* system.call("POST", "/api/v1/inbox/messages", { user_ids: ["ann", "bob"], title: "Hi" })
      expect(status).toBe(201)
      const hash = createHmac("sha256", system.app.identitySecret).update("ann").digest("hex")
      const headers = { "x-identity-hash": hash }
      const mine = (method: string, path: string, user = "ann") =>
        asClient(system, method, `/api/v1/public/inbox${path}?user_id=${user}`, undefined, headers)
      expect((yield* mine("GET", "/unread_count")).body).toEqual({ unread_count: 1 })
      expect((yield* mine("GET", "", "bob")).status).toBe(401)
      const { body } = yield* mine("GET", "")
      expect(body.data).toMatchObject([{ title: "Hi", read_at: null }])
      expect((yield* mine("POST", `/${body.data[0].id}/read`)).status).toBe(200)
      expect((yield* mine("GET", "/unread_count")).body).toEqual({ unread_count: 0 })
    })
  )
})
