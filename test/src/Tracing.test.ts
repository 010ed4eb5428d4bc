import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startCollector } from "../Collector.ts"
import { makeNatsServer } from "../NatsServer.ts"
import { lastingPort } from "../Ports.ts"
import { eventually, makeSystem } from "../System.ts"

const DEVICES = 60
const BATCH = 20
const TRACE = "0af7651916cd43dd8448eb211c80319c"
const CLIENT_SPAN = "b7ad6b7169203331"

it.live(
  "follows a notification over three nodes, from the client's own span to its webhooks, in spans of batches",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector
      const nats = yield* makeNatsServer
      const tracing = { OTLP_ENDPOINT: collector.url, TRACE_RATIO: "0", NATS_URL: nats.url }
      const system = yield* makeSystem({ ...tracing, ROLES: "api", BATCH_SIZE: String(BATCH) })
      for (const roles of ["dispatch", "webhooks"]) {
        const port = yield* lastingPort
        yield* system.startEngine({ ROLES: roles, PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` })
      }
      const [receiver] = system.fleet.description.receivers
      const webhook = yield* system.call("POST", "/api/v1/webhooks", {
        name: "receiver",
        url: receiver!.url,
        secret: receiver!.secret
      })
      expect(webhook.status).toBe(201)
      yield* system.importDevices(DEVICES)

      // Nobody follows this one.
      yield* system.until(
        yield* system.send({ to: { all: true }, content: { title: "Other" } }),
        ({ status }) => status === "completed"
      )
      const { body, headers } = yield* system.call(
        "POST",
        "/api/v1/notifications",
        { to: { all: true }, content: { title: "Title", body: "Body" } },
        { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01` }
      )
      yield* system.until(body.id, ({ status }) => status === "completed")
      const named = (name: string) => collector.spans.filter((span) => span.name === name)
      const sum = (name: string, attribute: string) =>
        named(name).reduce((total, { attributes }) => total + Number(attributes[attribute]), 0)
      // Each node sends its spans when it comes to it.
      yield* eventually(
        Effect.sync(() => [
          sum("notification.plan", "recipients"),
          sum("batch.claimed", "recipients"),
          sum("batch.results", "sent"),
          sum("webhook.attempt", "delivered")
        ]),
        (sums) => sums.every((those) => those === DEVICES) && named("notification.accept").length === 1
      )

      expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
      const [accept] = named("notification.accept")
      expect(accept).toMatchObject({
        parentSpanId: CLIENT_SPAN,
        attributes: {
          app_id: system.app.appId,
          notification_id: body.id,
          request_id: headers.get("x-request-id")
        }
      })
      const [plan] = named("notification.plan")
      expect(plan).toMatchObject({ parentSpanId: accept!.spanId, attributes: { recipients: DEVICES, pages: 1 } })
      const parents = { "batch.claimed": "notification.accept", "provider.send": "batch.claimed" } as const
      for (const [name, parent] of Object.entries(parents)) {
        const ids = new Set(named(parent).map(({ spanId }) => spanId))
        expect([name, named(name).every(({ parentSpanId }) => ids.has(parentSpanId!))]).toEqual([name, true])
      }
      const claimed = new Set(named("batch.claimed").map(({ spanId }) => spanId))
      for (const span of [...named("batch.results"), ...named("webhook.attempt")]) {
        expect([span.name, claimed.has(span.parentSpanId!)]).toEqual([span.name, true])
      }
      for (const { attributes } of named("webhook.attempt")) {
        expect(attributes).toMatchObject({ webhook_id: webhook.body.id, notification_id: body.id, attempt: 1 })
      }
      // Far fewer than recipients, and from each of the nodes its own.
      expect(collector.spans.length).toBeLessThan(DEVICES)
      const nodeOf = (name: string) => new Set(named(name).map(({ instance }) => instance))
      const nodes = ["notification.accept", "batch.claimed", "webhook.attempt"].map((name) => [...nodeOf(name)])
      expect(nodes.map(({ length }) => length)).toEqual([1, 1, 1])
      expect(new Set(nodes.flat()).size).toBe(3)
      const all = collector.spans.map(({ text }) => text).join("\n")
      expect(all).not.toContain(system.app.secretKey)
      expect(all).not.toContain(receiver!.secret!)
    }).pipe(Effect.scoped),
  240_000
)
