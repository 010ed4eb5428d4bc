import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createClient } from "../../sdk/node/heliograph.js"
import type { RegisterDevice } from "../../sdk/node/types.js"
import { eventually, makeSystem } from "../System.ts"

it.live("the SDK does the main job: import, webhook, mailing, account, deliveries, export", () =>
  Effect.gen(function* () {
    const system = yield* makeSystem()
    const client = createClient({ apiKey: system.app.secretKey, baseUrl: system.url })
    const lines = [...system.audience.lines(200)].map((line) => JSON.parse(line) as RegisterDevice)
    const results = yield* Effect.promise(() => Array.fromAsync(client.devices.import(lines)))
    expect(results.filter((result) => "created" in result && result.created)).toHaveLength(200)

    const { name, secret, url } = system.fleet.description.receivers[0]!
    const webhook = yield* Effect.promise(() => client.webhooks.create({ name, url, secret: secret ?? null }))
    const idempotencyKey = "order-42"
    const request = { to: { all: true as const }, content: { title: "Hello" } }
    const first = yield* Effect.promise(() => client.notifications.create(request, { idempotencyKey }))
    const again = yield* Effect.promise(() => client.notifications.create(request, { idempotencyKey }))
    expect(again.id).toBe(first.id)

    const done = yield* eventually(
      Effect.promise(() => client.notifications.get(first.id)),
      ({ status }) => status === "completed"
    )
    expect(done.counts).toMatchObject({ accepted: 200, sent: 200, failed: 0, pending: 0 })
    const deliveries = yield* Effect.promise(() =>
      Array.fromAsync(client.notifications.deliveries(first.id, { limit: 100 }))
    )
    expect(deliveries).toHaveLength(200)
    const exported = yield* Effect.promise(() => Array.fromAsync(client.devices.export()))
    expect(exported.map(({ token }) => token).sort()).toEqual(lines.map(({ token }) => token).sort())
    const posted = yield* eventually(
      Effect.promise(() => Array.fromAsync(client.webhooks.deliveries(webhook.id, { limit: 100 }))),
      (all) => all.length === 200 && all.every(({ status }) => status === "delivered")
    )
    expect(new Set(posted.map(({ event_id }) => event_id)).size).toBe(200)
  })
)
