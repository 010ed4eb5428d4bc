import { Clock, Context, Effect, Layer, Option } from "effect"
import type { EventName } from "../domain/Event.ts"
import type { AppId, HookId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import { sampleBody } from "../domain/SampleEvent.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { HookStore } from "../ports/HookStore.ts"
import { Keys } from "../ports/Keys.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { deliveryHeaders, failureOf } from "./HookActor.ts"

/** What came of a test delivery. */
export interface HookTest {
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
 * of the hook: nothing is logged, counted, repeated or held against it, and a disabled hook can be tried too.
 */
export class HookTests extends Context.Service<
  HookTests,
  {
    /** None when the application has no such hook. */
    readonly run: (appId: AppId, id: HookId, event: EventName) => Effect.Effect<Option.Option<HookTest>, StoreError>
  }
>()("heliograph/engine/HookTests") {
  static readonly layer = Layer.effect(
    HookTests,
    Effect.gen(function* () {
      const store = yield* HookStore
      const client = yield* WebhookClient
      const keys = yield* Keys
      const settings = yield* EngineSettings
      return HookTests.of({
        run: Effect.fnUntraced(function* (appId, id, event) {
          const target = yield* store.target(appId, id)
          if (Option.isNone(target)) return Option.none()
          const { secrets, url } = target.value
          const at = yield* Clock.currentTimeMillis
          const eventId = uuidv7(at)
          const body = sampleBody(event, eventId, appId, at)
          const headers = [...deliveryHeaders(secrets, body, at, keys.hmac), ["x-service-test", "true"] as const]
          const answer = yield* Effect.scoped(
            Effect.flatMap(client.open(1), (sender) => sender.post(url, headers, body, settings.webhookTimeoutMs))
          )
          return Option.some({
            eventId,
            event,
            status: answer._tag === "Status" ? answer.status : null,
            failure: failureOf(answer),
            latencyMs: (yield* Clock.currentTimeMillis) - at
          })
        })
      })
    })
  )
}
