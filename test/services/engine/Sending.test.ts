import { Deferred, Effect } from "effect"
import { expect, it } from "vitest"
import type { AppId, BatchId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { Target } from "../../../services/ports/AudienceStore.ts"
import type { ResultChunk } from "../../../services/ports/BatchStore.ts"
import type { Credential } from "../../../services/ports/CredentialStore.ts"
import { sendBatch } from "../../../services/engine/Sending.ts"

it("begins no further slice of a mailing that was halted, and gives the rest back", async () => {
  const [appId, notificationId] = [uuidv7() as AppId, uuidv7() as NotificationId]
  const targets = Array.from({ length: 5 }, (): Target => ({
    id: uuidv7(),
    address: "a@example.com",
    environment: "production",
    p256dh: null,
    auth: null,
    seenAt: 0
  }))
  const chunks: Array<ResultChunk> = []
  const sent: Array<string> = []
  let givenBack = 0
  const asked = await Effect.runPromise(Deferred.make<void>())
  const expiresAt = Date.now() + 60_000
  await Effect.runPromise(
    sendBatch({
      batch: {
        id: uuidv7() as BatchId,
        appId,
        notificationId,
        provider: "smtp",
        priority: "bulk",
        attempts: 0,
        fence: 1,
        credential: null,
        recipients: targets.map(({ id }) => id)
      },
      message: {
        notificationId,
        appId,
        content: { title: "Hello" },
        priority: "bulk",
        expiresAt,
        nowOrNever: false,
        collapseKey: null,
        overrides: {}
      },
      credential: { appId, version: 1 } as Credential,
      provider: {
        window: 1,
        // Slow: it ends only after the batch has looked at its notification.
        send: ({ targets: part }, onOutcome) =>
          Effect.map(Deferred.await(asked), () =>
            part.forEach(({ id }, index) => {
              sent.push(id)
              onOutcome(index, { _tag: "Ok", messageId: null })
            })
          )
      },
      targets,
      rules: { retryBaseMs: 1, retryMaxMs: 1, leaseMs: 60_000, holdMs: 1, expiresAt },
      probe: false,
      slice: 2,
      isHalted: Effect.sync(() => {
        setImmediate(() => Effect.runFork(Deferred.succeed(asked, undefined)))
        return true
      }),
      giveBack: Effect.sync(() => void givenBack++),
      save: (chunk) => Effect.sync(() => chunks.push(chunk) > 0),
      extend: Effect.succeed(true)
    })
  )
  const ids = targets.map(({ id }) => id)
  expect(sent).toEqual(ids.slice(0, 2))
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual(ids.slice(0, 2))
  expect(chunks.at(-1)!.remaining).toEqual(ids.slice(2))
  expect(givenBack).toBe(1)
})
