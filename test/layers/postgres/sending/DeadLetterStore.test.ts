import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { DeadLetterStore } from "../../../../services/ports/sending/DeadLetterStore.ts"
import { eventIdOf } from "../../../../services/domain/Ids.ts"
import {
  addWork,
  claimedWork,
  exhaust,
  webhookStores,
  LEASE,
  newApp,
  newWebhook,
  results
} from "../webhooks/WebhookWork.ts"

layer(webhookStores)("DeadLetterStore", (it) => {
  it.effect("has a dead letter for each exhausted delivery, newest first, with the body that was to be delivered", () =>
    Effect.gen(function* () {
      const letters = yield* DeadLetterStore
      const { store, appId, webhook, chunkId, work } = yield* claimedWork(5)
      yield* store.finish(results(webhook.id, work, exhaust([0, 1, 2, 3, 4], "answered 500")))
      const first = yield* letters.list(appId, {}, null, 3)
      const rest = yield* letters.list(appId, {}, first.next, 3)
      const all = [...first.items, ...rest.items]
      expect(rest.next).toBe(null)
      expect(all.map(({ id }) => id)).toEqual(
        all
          .map(({ id }) => id)
          .toSorted()
          .toReversed()
      )
      expect(new Set(all.map(({ eventId }) => eventId))).toEqual(
        new Set([0, 1, 2, 3, 4].map((position) => eventIdOf(chunkId, position)))
      )
      expect(all[0]).toMatchObject({
        appId,
        kind: "webhook",
        webhookId: webhook.id,
        error: "answered 500",
        attempts: 1
      })
      const whole = Option.getOrThrow(yield* letters.find(appId, all[0]!.id))
      expect(JSON.parse(whole.body!)).toMatchObject({ id: all[0]!.eventId, event: "NOTIFICATION_SENT", appId })
    })
  )

  it.effect("filters by kind and webhook, and shows nothing to another application", () =>
    Effect.gen(function* () {
      const letters = yield* DeadLetterStore
      const { store, appId, webhook, work } = yield* claimedWork(2)
      const other = yield* newWebhook(appId)
      yield* addWork(appId, other.id, 1)
      const [otherWork] = yield* store.claim(other.id, 1, LEASE)
      yield* store.finish(results(webhook.id, work, exhaust([0, 1], "x")))
      yield* store.finish(results(other.id, otherWork!, exhaust([0], "x")))
      const count = (...[app, filter]: [typeof appId, Parameters<typeof letters.list>[1]]) =>
        Effect.map(letters.list(app, filter, null, 100), ({ items }) => items.length)
      expect(yield* count(appId, {})).toBe(3)
      expect(yield* count(appId, { webhook_id: webhook.id })).toBe(2)
      expect(yield* count(appId, { kind: "webhook", webhook_id: other.id })).toBe(1)
      expect(yield* count(appId, { kind: "notification" })).toBe(0)
      const stranger = yield* newApp
      expect(yield* count(stranger, { webhook_id: webhook.id })).toBe(0)
      const [letter] = (yield* letters.list(appId, {}, null, 1)).items
      expect(yield* letters.find(stranger, letter!.id)).toEqual(Option.none())
      // Letters stay when their webhook is removed.
      yield* store.remove(appId, webhook.id)
      expect(yield* count(appId, { webhook_id: webhook.id })).toBe(2)
    })
  )
})
