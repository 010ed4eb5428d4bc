import { Effect, Fiber } from "effect"
import type { Message } from "../domain/Notification.ts"
import type { Target } from "../ports/AudienceStore.ts"
import type { ClaimedBatch, ResultChunk } from "../ports/BatchStore.ts"
import type { Credential } from "../ports/CredentialStore.ts"
import type { Provider } from "../ports/Provider.ts"
import type { StoreError } from "../ports/StoreError.ts"
import type { LaneNews } from "./Results.ts"
import { Results } from "./Results.ts"
import type { ResultRules } from "./Results.ts"

/** How often results are written while a batch is under way: what a crash can repeat is at most what came since. */
const SAVE_MS = 250
/** How long after a notification's expiry answers of messages under way are still waited for. */
const GRACE_MS = 2000

export interface Sending {
  readonly batch: ClaimedBatch
  readonly message: Message
  readonly credential: Credential
  readonly provider: Provider
  readonly targets: ReadonlyArray<Target>
  readonly rules: ResultRules
  /** Sends to one recipient first, and to the rest only if the credential was not refused. */
  readonly probe: boolean
  /** Writes a chunk and wakes the hooks it concerns. False when the batch is another's by now. */
  readonly save: (chunk: ResultChunk) => Effect.Effect<boolean, StoreError>
  /** Recipients that are handed to the provider at once: a pause or cancel lets these finish, and begins no more. */
  readonly slice: number
  /** Whether the notification was paused or cancelled meanwhile. */
  readonly isHalted: Effect.Effect<boolean, StoreError>
  /** Gives the rest of the batch back. */
  readonly giveBack: Effect.Effect<void, StoreError>
  /** Prolongs the lease. False when the batch is another's by now. */
  readonly extend: Effect.Effect<boolean, StoreError>
}

/**
 * One claimed batch on its way through a provider. Results are written when all are there, and four times a second before
 * that. Ends early, leaving the rest to whoever holds the batch now, when a write is refused by the fence.
 */
export const sendBatch = Effect.fnUntraced(function* (sending: Sending) {
  const { batch, message, targets, rules } = sending
  const results = new Results(batch, rules, Math.random)
  const known = new Set(targets.map((target) => target.id))
  for (const recipient of batch.recipients) {
    if (!known.has(recipient)) results.skip(recipient, "recipient_gone")
  }

  let isHalted = false
  let isCut = false
  const send = Effect.fnUntraced(function* (all: ReadonlyArray<Target>) {
    for (let at = 0; at < all.length; at += sending.slice) {
      if (isHalted) {
        isCut = true
        return
      }
      const part = all.slice(at, at + sending.slice)
      yield* sending.provider.send({ message, credential: sending.credential, targets: part }, (index, outcome) =>
        results.add(part[index]!.id, outcome, Date.now())
      )
    }
  })

  const all = Effect.gen(function* () {
    if (Date.now() >= rules.expiresAt) {
      for (const target of targets) results.fail(target.id, "expired")
      return
    }
    if (!sending.probe) return yield* send(targets)
    yield* send(targets.slice(0, 1))
    const refusal = results.news.hold
    if (refusal === null) return yield* send(targets.slice(1))
    for (const target of targets.slice(1)) results.add(target.id, { _tag: "Hold", reason: refusal }, Date.now())
  })

  // What is known is written even when the node is told to stop or the provider's layer breaks: unwritten, it would be
  // sent again.
  const save = Effect.suspend(() => Effect.uninterruptible(sending.save(results.take(Date.now()))))
  const saveRest = Effect.suspend(() => (results.unsaved > 0 ? save : Effect.void))
  const fiber = yield* Effect.forkChild(all)
  yield* Effect.gen(function* () {
    let savedAt = Date.now()
    while (true) {
      const isDone = yield* Effect.raceFirst(
        Effect.as(Fiber.join(fiber), true),
        Effect.as(Effect.sleep(SAVE_MS), false)
      )
      if (isDone) break
      if (Date.now() >= rules.expiresAt + GRACE_MS) {
        // A provider that takes messages and does not answer must not keep them beyond their time.
        yield* Fiber.interrupt(fiber)
        results.failRest("expired")
        break
      }
      // What is handed over whole cannot be cut.
      if (!isHalted && targets.length > sending.slice) isHalted = yield* sending.isHalted
      // Writing results prolongs the lease; a provider that answers nothing for a while must not let it run out.
      if (results.unsaved === 0 && Date.now() - savedAt < rules.leaseMs / 3) continue
      savedAt = Date.now()
      const isOurs = yield* results.unsaved > 0 ? save : sending.extend
      if (!isOurs) return yield* Fiber.interrupt(fiber)
    }
    const isOurs = yield* save
    if (isCut && isOurs) yield* sending.giveBack
  }).pipe(
    Effect.onExit((exit) =>
      exit._tag === "Success" ? Effect.void : Effect.andThen(Fiber.interrupt(fiber), Effect.ignore(saveRest))
    )
  )
  return results.news
}) satisfies (sending: Sending) => Effect.Effect<LaneNews, StoreError>

/** A batch that no provider can take: every recipient fails for the same reason. */
export const failBatch = (batch: ClaimedBatch, rules: ResultRules, reason: string): ResultChunk => {
  const results = new Results(batch, rules, Math.random)
  for (const recipient of batch.recipients) results.fail(recipient, reason)
  return results.take(Date.now())
}
