import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Logger, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as settingsLayer } from "../../../../layers/config/Settings.ts"
import type { AppId, BatchId, WebhookId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Job } from "../../../../services/domain/operations/Job.ts"
import { Dispatcher } from "../../../../services/engine/sending/Dispatcher.ts"
import { Templates } from "../../../../services/engine/messages/Templates.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import type { ClaimedBatch } from "../../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import type { QueueUnavailable } from "../../../../services/ports/operations/JobQueue.ts"
import { JobQueue } from "../../../../services/ports/operations/JobQueue.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import {
  ApnsProvider,
  FcmProvider,
  SmtpProvider,
  WebPushProvider
} from "../../../../services/ports/sending/Provider.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import { openGate } from "../operations/OpenGate.ts"

const lane = { appId: uuidv7() as AppId, provider: "inbox", priority: "bulk" } as const
const webhook = uuidv7() as WebhookId
const told: Job = { type: "WebhookV1", id: webhook, priority: "bulk" }

/** A dispatcher with one batch to send, whose results a webhook wants. `completed` when all is written. */
const setup = Effect.fnUntraced(function* (
  publish: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, QueueUnavailable>,
  completion: Effect.Effect<boolean, StoreError> = Effect.succeed(true)
) {
  const batch: ClaimedBatch = {
    ...lane,
    id: uuidv7() as BatchId,
    notificationId: uuidv7() as NotificationId,
    attempts: 0,
    reason: null,
    fence: 1,
    suspicion: 0,
    isDoubtful: false,
    credential: null,
    expiresAt: null,
    recipients: [uuidv7()]
  }
  const batches = [batch]
  const completed = yield* Deferred.make<NotificationId>()
  const environment = Layer.mergeAll(
    Layer.mock(BatchStore, {
      claimSuspect: () => Effect.succeed(Option.none()),
      claim: () => Effect.sync(() => batches.splice(0)),
      finish: () => Effect.succeed(Option.some([webhook]))
    }),
    Layer.mock(AudienceStore, { targets: () => Effect.succeed([]), unsubscribed: () => Effect.succeed([]) }),
    Layer.mock(NotificationStore, {
      messageIfShort: (notificationId) =>
        Effect.succeed(
          Option.some({
            notificationId,
            appId: lane.appId,
            content: { title: "Hello" },
            priority: lane.priority,
            expiresAt: Number.MAX_SAFE_INTEGER,
            nowOrNever: false,
            collapseKey: null,
            overrides: {}
          })
        ),
      completeIfDone: (id) => Effect.andThen(Deferred.succeed(completed, id), completion)
    }),
    Layer.mock(CredentialStore, {}),
    Layer.mock(JobQueue, { publish, reachesOthers: () => false }),
    Layer.mock(Templates, {}),
    Layer.mock(ApnsProvider, { window: 1 }),
    Layer.mock(FcmProvider, { window: 1 }),
    Layer.mock(SmtpProvider, { window: 1 }),
    Layer.mock(WebPushProvider, { window: 1 }),
    openGate,
    settingsLayer({})
  )
  const scope = yield* Scope.make()
  const context = yield* Dispatcher.layer(60_000).pipe(Layer.provide(environment), Layer.buildWithScope(scope))
  const dispatcher = yield* Effect.provide(Dispatcher, context)
  return { batch, completed, dispatcher, scope }
})

it.effect("writes results, and stops, without waiting for a queue that hangs", () =>
  Effect.gen(function* () {
    const handedOver: Array<Job> = []
    const { batch, completed, dispatcher, scope } = yield* setup((jobs) =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => handedOver.push(...jobs)))
    )
    yield* dispatcher.wake(lane)
    // The clock stands: whoever waits for anything has not gone on.
    expect(yield* Deferred.await(completed)).toBe(batch.notificationId)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    while (closing.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
    expect(handedOver).toEqual([told])
  })
)

it.effect("tells of the events of its last batch when it stops", () =>
  Effect.gen(function* () {
    const published: Array<Job> = []
    const { completed, dispatcher, scope } = yield* setup((jobs) => Effect.sync(() => void published.push(...jobs)))
    yield* dispatcher.wake(lane)
    yield* Deferred.await(completed)
    yield* Scope.close(scope, Exit.void)
    expect(published).toEqual([told])
  })
)

it.effect("has written its results also when their notification cannot be completed, and says nothing else", () => {
  const logs: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logs.push(line))])
  return Effect.gen(function* () {
    const failure = new StoreError({ operation: "NotificationStore.completeIfDone", cause: new Error("no room") })
    const { completed, dispatcher, scope } = yield* setup(() => Effect.void, Effect.fail(failure))
    yield* dispatcher.wake(lane)
    yield* Deferred.await(completed)
    yield* Scope.close(scope, Exit.void)
    expect(logs.filter((line) => line.includes("left to its lease"))).toEqual([])
  }).pipe(Effect.provide(logger))
})
