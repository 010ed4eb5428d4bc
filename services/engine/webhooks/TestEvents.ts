import { Clock, Context, Effect, Layer, Option } from "effect"
import type { EventName } from "../../domain/webhooks/Event.ts"
import type { AppId, WebhookId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { sampleBody } from "../../domain/webhooks/SampleEvent.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { WebhookEndpoint } from "../../ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../ports/webhooks/WebhookStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { WebhookClient } from "../../ports/webhooks/WebhookClient.ts"
import { deliveryHeaders, failureOf } from "./Attempt.ts"

/** What came of a test delivery. */
export interface WebhookTest {
  readonly eventId: string
  readonly event: EventName
  /** Null when there was no answer. */
  readonly status: number | null
  /** Why it failed; null when the answer was 2xx. */
  readonly failure: string | null
  readonly latencyMs: number
}

/**
 * Test deliveries: one attempt now, over a connection of its own, by the rules of every other attempt. It is no delivery
 * of the webhook: nothing is logged, counted, repeated or held against it, and a disabled webhook can be tried too.
 */
export class TestEvents extends Context.Service<
  TestEvents,
  {
    /** Reads what the attempt needs; run, it makes it. None when the application has no such webhook. */
    readonly prepare: (
      appId: AppId,
      id: WebhookId,
      event: EventName
    ) => Effect.Effect<Option.Option<Effect.Effect<WebhookTest>>, StoreError>
  }
>()("heliograph/engine/TestEvents") {
  static readonly layer = Layer.effect(
    TestEvents,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const client = yield* WebhookClient
      const keys = yield* Keys
      const settings = yield* EngineSettings
      const attempt = Effect.fnUntraced(function* (appId: AppId, event: EventName, { secrets, url }: WebhookEndpoint) {
        const at = yield* Clock.currentTimeMillis
        const eventId = uuidv7(at)
        const body = sampleBody(event, eventId, appId, at)
        const headers = [...deliveryHeaders(secrets, body, at, keys.hmac), ["x-service-test", "true"] as const]
        const answer = yield* Effect.scoped(
          Effect.flatMap(client.open(1), (sender) => sender.post(url, headers, body, settings.webhookTimeoutMs))
        )
        return {
          eventId,
          event,
          status: answer._tag === "Status" ? answer.status : null,
          failure: failureOf(answer),
          latencyMs: (yield* Clock.currentTimeMillis) - at
        }
      })
      return TestEvents.of({
        prepare: (appId, id, event) =>
          Effect.map(store.target(appId, id), (target) => Option.map(target, (found) => attempt(appId, event, found)))
      })
    })
  )
}
