import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { System } from "../System.ts"
import { makeSystem, reconciles } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/Templates") {}

const SYSTEM = Layer.effect(TheSystem, makeSystem())

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("templates and segments in the whole service", (it) => {
  it.effect("say to each recipient what is theirs, as it was when the notification was accepted", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const contacts = Array.from({ length: 40 }, (_, i) => ({
        external_id: `reader-${i}`,
        email: system.audience.email(i),
        locale: i % 2 === 0 ? "de-AT" : "en",
        // One of ten has no name, one is too long for a push.
        attributes: {
          plan: i < 30 ? "pro" : "free",
          ...(i === 4 && { bio: "x".repeat(3000) }),
          ...(i % 10 !== 9 && { name: `N${i}` })
        }
      }))
      const androids = Array.from({ length: 1000 }, (_, i) => i)
        .filter((i) => system.audience.platform(i) === "android" && !system.audience.isDead(i))
        .map((i) => system.audience.device(i))
        .slice(0, contacts.length)
      const { body: made } = yield* system.call("POST", "/api/v1/contacts/bulk", { contacts })
      expect(made.data.every(({ created }: { created: boolean }) => created)).toBe(true)
      for (const [i, { external_id }] of contacts.entries()) {
        const { token } = androids[i]!
        const device = { platform: "android", token, user_id: external_id }
        expect((yield* system.call("POST", "/api/v1/public/devices", device)).status).toBe(201)
      }
      const filter = { attributes: [{ name: "plan", op: "equals", value: "pro" }] }
      const segment = (yield* system.call("POST", "/api/v1/segments", { name: "Pro", filter })).body
      const counted = yield* system.call("GET", `/api/v1/segments/${segment.id}/count`)
      expect(counted.body).toEqual({ recipients: 60, devices: 30, emails: 30, is_exact: true })
      const asked = yield* system.call("POST", "/api/v1/segments/count", { filter })
      expect(asked).toMatchObject({ status: 200, body: counted.body })
      const refused = yield* system.call("POST", "/api/v1/segments/count", { filter: {} })
      expect(refused.body.error.code).toBe("validation_error")
      const draft = {
        name: "Hello",
        content: {
          title: "Hello {{ contact.attributes.name }}",
          html: "<p>{{ contact.attributes.name }}</p>",
          body: "{{ text }}{{ contact.attributes.bio | default: '' }}{{ contact.attributes.bio | default: '' }}"
        },
        locales: { de: { title: "Hallo {{ contact.attributes.name }}" } }
      }
      const template = (yield* system.call("POST", "/api/v1/templates", draft)).body
      const request = { to: { segment_id: segment.id }, template_id: template.id, variables: { text: "News" } }
      const preview = (yield* system.call("POST", "/api/v1/notifications/preview", request)).body
      expect(preview).toMatchObject({ recipients: 60, is_exact: true })
      expect(preview.providers.map(({ credential }: { credential: string }) => credential)).toEqual(["ready", "ready"])
      // However many devices come first, there is a sample of everybody's: here of a template that asks for the person.
      const named = { name: "Named", content: { title: "Hello {{ contact.attributes.name | default: 'you' }}" } }
      const { id: namedId } = (yield* system.call("POST", "/api/v1/templates", named)).body
      const shownTo = (yield* system.call("POST", "/api/v1/notifications/preview", {
        to: { all: true },
        channels: ["push", "email"],
        template_id: namedId
      })).body
      const samples = shownTo.providers.map(({ provider, sample }: { provider: string; sample: unknown }) => [
        provider,
        sample
      ])
      expect(Object.fromEntries(samples)).toMatchObject({ smtp: { title: expect.stringMatching(/^Hello /) } })

      const send_at = new Date(Date.now() + 1500).toISOString()
      const id = yield* system.send({ ...request, channels: ["push", "email", "inbox"], send_at })
      yield* system.call("PATCH", `/api/v1/templates/${template.id}`, { content: { title: "Changed" }, locales: {} })
      yield* system.call("DELETE", `/api/v1/templates/${template.id}`)
      yield* system.call("PATCH", `/api/v1/segments/${segment.id}`, { filter: { tags_any: ["nobody"] } })

      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(reconciles(shown)).toBe(true)
      const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries?limit=100`)
      const errors = body.data.flatMap(({ error }: { error: string | null }) => error ?? [])
      expect(errors.toSorted()).toEqual([
        ...Array.from({ length: 9 }, () => "missing_variable: contact.attributes.name"),
        "payload_too_large"
      ])
      // Three of thirty have no name, on each of three ways; the long one fits into mail and an inbox alone.
      expect(shown.counts).toMatchObject({ accepted: 90, sent: 80, failed: 10 })
      const inboxOf = (user: string) =>
        Effect.map(system.call("GET", `/api/v1/public/inbox?user_id=${user}`), (answer) => answer.body.data)
      expect(yield* inboxOf("reader-2")).toMatchObject([{ title: "Hallo N2", body: "News" }])
      expect(yield* inboxOf("reader-3")).toMatchObject([{ title: "Hello N3", body: "News" }])
      expect(yield* inboxOf("reader-9")).toEqual([])
      const { body: stats } = yield* system.call("GET", "/api/v1/stats?group_by=provider")
      expect(stats.total).toMatchObject({ sent: 80, failed: 10 })
      const { body: account } = yield* system.call("GET", `/api/v1/notifications/${id}/stats`)
      expect(account.data).toMatchObject([
        { provider: "fcm", accepted: 30, sent: 26, failed: 4 },
        { provider: "inbox", accepted: 30, sent: 27, failed: 3 },
        { provider: "smtp", accepted: 30, sent: 27, failed: 3 }
      ])
    })
  )
})
