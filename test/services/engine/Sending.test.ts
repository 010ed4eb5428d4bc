import { Deferred, Effect } from "effect"
import { expect, it } from "vitest"
import type { AppId, BatchId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { Target } from "../../../services/ports/AudienceStore.ts"
import type { ResultChunk } from "../../../services/ports/BatchStore.ts"
import type { Credential } from "../../../services/ports/CredentialStore.ts"
import type { Provider } from "../../../services/ports/Provider.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import type { Sending } from "../../../services/engine/Sending.ts"
import { sendBatch } from "../../../services/engine/Sending.ts"

const targets = (count: number): ReadonlyArray<Target> =>
  Array.from({ length: count }, () => ({
    id: uuidv7(),
    address: "somebody",
    environment: "production",
    p256dh: null,
    auth: null,
    seenAt: 0
  }))

/** A batch for these targets on its way through a provider; what it writes goes into `chunks`. */
const sendingOf = (
  all: ReadonlyArray<Target>,
  { chunks, send, ...over }: Partial<Sending> & Pick<Provider, "send"> & { readonly chunks: Array<ResultChunk> }
): Sending => {
  const [appId, notificationId] = [uuidv7() as AppId, uuidv7() as NotificationId]
  const expiresAt = Date.now() + 60_000
  return {
    batch: {
      id: uuidv7() as BatchId,
      appId,
      notificationId,
      provider: "fcm",
      priority: "bulk",
      attempts: 0,
      fence: 1,
      credential: null,
      expiresAt: null,
      recipients: all.map(({ id }) => id)
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
    heldUntil: Infinity,
    unsubscribed: new Set(),
    provider: { window: 1, send },
    targets: all,
    rules: { retryBaseMs: 1, retryMaxMs: 1, leaseMs: 60_000, holdMs: 1, expiresAt },
    probe: false,
    slice: Infinity,
    isHalted: Effect.succeed(false),
    giveBack: Effect.void,
    save: (chunk) => Effect.sync(() => chunks.push(chunk) > 0),
    extend: Effect.succeed(true),
    ...over
  }
}

it("begins no further slice of a mailing that was halted, and gives the rest back", async () => {
  const all = targets(5)
  const chunks: Array<ResultChunk> = []
  const sent: Array<string> = []
  let givenBack = 0
  const asked = await Effect.runPromise(Deferred.make<void>())
  // Slow: it ends only after the batch has looked at its notification.
  const send: Provider["send"] = ({ targets: part }, onOutcome) =>
    Effect.map(Deferred.await(asked), () =>
      part.forEach(({ id }, index) => {
        sent.push(id)
        onOutcome(index, { _tag: "Ok", messageId: null })
      })
    )
  await Effect.runPromise(
    sendBatch(
      sendingOf(all, {
        send,
        chunks,
        slice: 2,
        isHalted: Effect.sync(() => {
          setImmediate(() => Effect.runFork(Deferred.succeed(asked, undefined)))
          return true
        }),
        giveBack: Effect.sync(() => void givenBack++)
      })
    )
  )
  const ids = all.map(({ id }) => id)
  expect(sent).toEqual(ids.slice(0, 2))
  expect(chunks.flatMap(({ final }) => final.recipients)).toEqual(ids.slice(0, 2))
  expect(chunks.at(-1)!.remaining).toEqual(ids.slice(2))
  expect(givenBack).toBe(1)
})

it("waits for its provider when the lease cannot be prolonged because the database is away", async () => {
  const chunks: Array<ResultChunk> = []
  let tries = 0
  await Effect.runPromise(
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      const send: Provider["send"] = (_, onOutcome) =>
        Effect.map(Deferred.await(answer), () => onOutcome(0, { _tag: "Ok", messageId: "1" }))
      const extend = Effect.suspend(() => {
        if (++tries === 1) return Effect.fail(new StoreError({ operation: "extend", cause: "away" }))
        return Effect.as(Deferred.succeed(answer, undefined), true)
      })
      const sending = sendingOf(targets(1), { send, chunks, extend })
      yield* sendBatch({ ...sending, rules: { ...sending.rules, leaseMs: 3 } })
    })
  )
  expect(tries).toBeGreaterThanOrEqual(2)
  expect(chunks.map(({ final }) => final.statuses)).toEqual([["sent"]])
})

it("takes the first of two outcomes of a recipient, and lets nobody else go unaccounted for it", async () => {
  const all = targets(2)
  const chunks: Array<ResultChunk> = []
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.sync(() => {
      onOutcome(0, { _tag: "Ok", messageId: "1" })
      onOutcome(0, { _tag: "Fail", reason: "late" })
    })
  await Effect.runPromise(sendBatch(sendingOf(all, { send, chunks })))
  expect(chunks.map(({ final }) => [final.recipients, final.statuses])).toEqual([[[all[0]!.id], ["sent"]]])
  expect(chunks.at(-1)!.remaining).toEqual([all[1]!.id])
})

it("begins nothing when its lease ended before it came to it, and somebody else has the batch", async () => {
  const chunks: Array<ResultChunk> = []
  let sent = 0
  const send: Provider["send"] = () => Effect.sync(() => void sent++)
  const all = targets(3)
  await Effect.runPromise(
    sendBatch({
      ...sendingOf(all, { send, chunks, heldUntil: performance.now() - 1, extend: Effect.succeed(false) }),
      save: (chunk) =>
        Effect.as(
          Effect.sync(() => chunks.push(chunk)),
          false
        )
    })
  )
  expect(sent).toBe(0)
  expect(chunks.map(({ final, remaining }) => [final.recipients, remaining])).toEqual([[[], all.map(({ id }) => id)]])
})

it("asks whose the batch is after its lease until the database says so, and sends what is its own still", async () => {
  const chunks: Array<ResultChunk> = []
  const done: Array<string> = []
  const send: Provider["send"] = (_, onOutcome) =>
    Effect.sync(() => {
      done.push("sent")
      onOutcome(0, { _tag: "Ok", messageId: "1" })
    })
  const extend = Effect.suspend(() =>
    done.push("asked") === 1
      ? Effect.fail(new StoreError({ operation: "extend", cause: "away" }))
      : Effect.succeed(true)
  )
  await Effect.runPromise(sendBatch(sendingOf(targets(1), { send, chunks, heldUntil: performance.now() - 1, extend })))
  expect(done.filter((one, i) => one !== "asked" || i < 1)).toEqual(["asked", "sent"])
  expect(done.indexOf("sent")).toBeGreaterThanOrEqual(2)
  expect(chunks.map(({ final }) => final.statuses)).toEqual([["sent"]])
})

it("goes on from piece to piece without a question while writing prolongs the lease", async () => {
  const chunks: Array<ResultChunk> = []
  let asked = 0
  const send: Provider["send"] = (batch, onOutcome) =>
    Effect.sync(() => batch.targets.forEach((_, i) => onOutcome(i, { _tag: "Ok", messageId: "1" })))
  const extend = Effect.sync(() => ++asked > 0)
  await Effect.runPromise(sendBatch(sendingOf(targets(4), { send, chunks, slice: 2, extend })))
  expect(asked).toBe(0)
  expect(chunks.at(-1)!.remaining).toEqual([])
})
