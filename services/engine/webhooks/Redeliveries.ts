import { Context, Effect, Layer, Option } from "effect"
import type { AppId, WebhookId, RedeliveryId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { Redelivery, RedeliverWebhook } from "../../domain/webhooks/Redelivery.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { LeaseHolder } from "../../ports/operations/LeaseHolder.ts"
import type { ClaimedRedelivery } from "../../ports/webhooks/RedeliveryStore.ts"
import { RedeliveryStore } from "../../ports/webhooks/RedeliveryStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { TooManyRunning } from "../../ports/operations/TooManyRunning.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"

/** Events that one step looks at: their log is read in one statement. */
const EVENTS = 1_000
/** Steps after which a redelivery is given back: another application's may wait. */
const TURN = 4

/**
 * Begins redeliveries. The first step is done at once, so that a small one is over when it is answered; the rest of a
 * large one is carried out by `run`.
 */
export class Redeliveries extends Context.Service<
  Redeliveries,
  {
    readonly begin: (
      appId: AppId,
      webhookId: WebhookId,
      wish: RedeliverWebhook
    ) => Effect.Effect<Redelivery | "open" | "unknown", TooManyRunning | StoreError>
  }
>()("heliograph/engine/Redeliveries") {
  static readonly layer = Layer.effect(
    Redeliveries,
    Effect.gen(function* () {
      const store = yield* RedeliveryStore
      const wakeUp = yield* makeWakeUps(yield* JobQueue)
      const { leaseMs } = yield* EngineSettings

      const begun = Effect.fnUntraced(function* (appId: AppId, webhookId: WebhookId, wish: RedeliverWebhook) {
        const id = uuidv7() as RedeliveryId
        if (wish.delivery_id !== undefined) return yield* store.one(appId, webhookId, id, wish.delivery_id)
        const { from, status = "exhausted", to } = wish
        const wanted = {
          status,
          from: from === undefined ? null : Date.parse(from),
          to: to === undefined ? null : Date.parse(to)
        }
        const claimed = yield* store.start(appId, webhookId, id, wanted, leaseMs)
        // Committed already: a step that fails here is done by others.
        const step = Effect.catch(store.step(claimed, EVENTS, null), () => Effect.succeed(Option.none<Redelivery>()))
        return Option.getOrElse(yield* step, () => claimed.redelivery)
      })

      return Redeliveries.of({
        begin: (appId, webhookId, wish) =>
          Effect.tap(begun(appId, webhookId, wish), (redelivery) =>
            Effect.sync(() => {
              if (typeof redelivery === "object" && redelivery.redelivered > 0) {
                wakeUp({ type: "WebhookV1", id: webhookId, priority: "bulk" })
              }
            })
          )
      })
    })
  )
}

/**
 * Carries out what is left of redeliveries. Applications take turns. One that dies leaves its own at the last cursor, to
 * whoever comes after.
 */
export const redeliver = Effect.fnUntraced(function* () {
  const store = yield* RedeliveryStore
  const queue = yield* JobQueue
  const { leaseMs } = yield* EngineSettings
  let served: AppId | null = null
  while (true) {
    const claimed: Option.Option<ClaimedRedelivery> = yield* store.claim(served, leaseMs)
    if (Option.isNone(claimed)) return
    const { webhookId } = claimed.value.redelivery
    served = claimed.value.redelivery.appId
    for (let left = TURN; left > 0; left--) {
      const step = yield* store.step(claimed.value, EVENTS, left === 1 ? null : leaseMs)
      if (Option.isNone(step)) break
      yield* Effect.ignore(queue.publish([{ type: "WebhookV1", id: webhookId, priority: "bulk" }]))
      if (step.value.status === "completed") break
    }
  }
})

/** Looks for as long as the scope is open, by turns with all nodes that are free. */
export const run = Effect.gen(function* () {
  const { sweepMs } = yield* EngineSettings
  const { turn } = yield* LeaseHolder
  while (true) {
    yield* turn("redeliveries", sweepMs)
    yield* redeliver().pipe(
      Effect.catch((error) => Effect.logWarning("A redelivery was interrupted; it goes on soon", error)),
      Effect.catchDefect((defect) => Effect.logError("A redelivery broke; it goes on soon", defect))
    )
  }
})
