import { Effect, Fiber, Result, Schedule } from "effect"
import { uuidv7 } from "../domain/Ids.ts"
import { now } from "../domain/Now.ts"
import { METADATA_BYTES } from "../domain/Device.ts"
import type { InboxContent } from "../domain/Inbox.ts"
import { inboxContentOf } from "../domain/Inbox.ts"
import type { Message } from "../domain/Notification.ts"
import type { Target } from "../ports/AudienceStore.ts"
import type { ClaimedBatch, ResultChunk } from "../ports/BatchStore.ts"
import type { Credential } from "../ports/CredentialStore.ts"
import type { Provider } from "../ports/Provider.ts"
import type { StoreError } from "../ports/StoreError.ts"
import type { LaneNews } from "./Results.ts"
import type { Rendering } from "./Rendering.ts"
import { failureOf } from "./Rendering.ts"
import { Results } from "./Results.ts"
import type { ResultRules } from "./Results.ts"

/** How often results are written while a batch is under way: what a crash can repeat is at most what came since. */
const SAVE_MS = 250
/** A database that does not say whose a batch is, is asked again. */
const UNTIL_ANSWERED = Schedule.spaced("500 millis")
/** How long after a notification's expiry answers of messages under way are still waited for. */
const GRACE_MS = 2000

export interface Sending {
  readonly batch: ClaimedBatch
  /** Of `performance.now()`: nobody else can have the batch before. */
  readonly heldUntil: number
  readonly message: Message
  readonly credential: Credential
  readonly provider: Provider
  readonly targets: ReadonlyArray<Target>
  /** Those of the others who want no such messages. */
  readonly unsubscribed: ReadonlySet<string>
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
  for (const recipient of others(batch, targets)) {
    results.skip(recipient, unreached(recipient, sending.unsubscribed))
  }

  let isHalted = false
  let isCut = false
  let heldUntil = sending.heldUntil

  /** A write that prolongs the lease if the batch is still ours. It lasts from no earlier than the question. */
  const prolonging = <E>(write: Effect.Effect<boolean, E>) =>
    Effect.suspend(() => {
      const askedAt = performance.now()
      return Effect.tap(write, (isOurs) =>
        Effect.sync(() => {
          if (isOurs) heldUntil = askedAt + rules.leaseMs
        })
      )
    })
  const extend = prolonging(sending.extend)

  /**
   * Whether requests may begin: what slept past its lease, with the machine or because the database did not answer, asks
   * first, for somebody else may have sent them.
   */
  const isHeld = Effect.suspend(() =>
    performance.now() < heldUntil ? Effect.succeed(true) : Effect.retry(extend, UNTIL_ANSWERED)
  )
  const send = Effect.fnUntraced(function* (all: ReadonlyArray<Target>) {
    for (let at = 0; at < all.length; at += sending.slice) {
      if (isHalted) {
        isCut = true
        return
      }
      if (!(yield* isHeld)) return
      const part = all.slice(at, at + sending.slice)
      // Of two outcomes the first counts: results are counted to know when all are there, and a second one of somebody
      // would pass for somebody else's.
      const answered = new Uint8Array(part.length)
      yield* sending.provider.send({ message, credential: sending.credential, targets: part }, (index, outcome) => {
        if (answered[index] === 1) return
        answered[index] = 1
        results.add(part[index]!.id, outcome, now())
      })
    }
  })

  const all = Effect.gen(function* () {
    if (now() >= rules.expiresAt) {
      for (const target of targets) results.fail(target.id, "expired")
      return
    }
    if (!sending.probe) return yield* send(targets)
    yield* send(targets.slice(0, 1))
    const refusal = results.news.hold
    if (refusal === null) return yield* send(targets.slice(1))
    for (const target of targets.slice(1)) results.add(target.id, { _tag: "Hold", reason: refusal }, now())
  })

  // What is known is written even when the node is told to stop or the provider's layer breaks: unwritten, it would be
  // sent again.
  const save = Effect.suspend(() => Effect.uninterruptible(prolonging(sending.save(results.take(now())))))
  const saveRest = Effect.suspend(() => (results.unsaved > 0 ? save : Effect.void))
  const fiber = yield* Effect.forkChild(all)
  yield* Effect.gen(function* () {
    let savedAt = performance.now()
    while (true) {
      const isDone = yield* Effect.raceFirst(
        Effect.as(Fiber.join(fiber), true),
        Effect.as(Effect.sleep(SAVE_MS), false)
      )
      if (isDone) break
      if (now() >= rules.expiresAt + GRACE_MS) {
        // A provider that takes messages and does not answer must not keep them beyond their time.
        yield* Fiber.interrupt(fiber)
        results.failRest("expired")
        break
      }
      // What is handed over whole cannot be cut.
      if (!isHalted && targets.length > sending.slice) isHalted = yield* sending.isHalted
      // Writing results prolongs the lease; a provider that answers nothing for a while must not let it run out.
      if (results.unsaved === 0 && performance.now() - savedAt < rules.leaseMs / 3) continue
      savedAt = performance.now()
      // A database that is away for a moment is no reason to forget what the provider has in hand: should the batch be
      // another's by the time that it is back, the fence says so.
      const isOurs = yield* results.unsaved > 0 ? save : extend.pipe(Effect.catch(() => Effect.succeed(true)))
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

/** Recipients who are no target: targets are recipients, and each is named once. */
const others = (batch: ClaimedBatch, targets: ReadonlyArray<Target>): ReadonlyArray<string> => {
  if (targets.length === batch.recipients.length) return []
  const known = new Set(targets.map(({ id }) => id))
  return batch.recipients.filter((recipient) => !known.has(recipient))
}

/** Why a recipient is no target. */
const unreached = (recipient: string, unsubscribed: ReadonlySet<string>): string =>
  unsubscribed.has(recipient) ? "unsubscribed" : "recipient_gone"

interface InboxSending extends Pick<Sending, "batch" | "message" | "rules" | "targets" | "unsubscribed"> {
  /** Set when the messages are filled from a template. */
  readonly rendering: Rendering | undefined
}

/** Recipients whose messages are filled before others have their turn. */
const FILLED = 16

/**
 * The results of a batch of inbox messages: there is no provider to ask, the store writes the messages together with
 * their deliveries.
 */
export const inboxBatch = Effect.fnUntraced(function* (sending: InboxSending) {
  const { batch, message, rendering, rules, targets, unsubscribed } = sending
  const results = new Results(batch, rules, Math.random)
  const at = now()
  const known = new Map(targets.map((target) => [target.id, target]))
  const contents = new Map<string, InboxContent>()
  for (const [index, recipient] of batch.recipients.entries()) {
    const target = known.get(recipient)
    if (target === undefined) results.skip(recipient, unreached(recipient, unsubscribed))
    else if (at >= rules.expiresAt) results.fail(recipient, "expired")
    else if (rendering === undefined) results.add(recipient, { _tag: "Ok", messageId: uuidv7(at) }, at)
    else {
      if (index % FILLED === 0) yield* Effect.yieldNow
      const filled = rendering.of(target.person)
      const size = Result.isSuccess(filled) ? JSON.stringify(filled.success.data ?? {}).length : 0
      if (size > METADATA_BYTES) results.fail(recipient, "payload_too_large")
      else if (Result.isFailure(filled)) results.add(recipient, failureOf(filled.failure), at)
      else {
        contents.set(recipient, inboxContentOf(filled.success))
        results.add(recipient, { _tag: "Ok", messageId: uuidv7(at) }, at)
      }
    }
  }
  const chunk = results.take(at)
  if (rendering === undefined) return { ...chunk, inbox: inboxContentOf(message.content) }
  const nothing = inboxContentOf({})
  const inbox = chunk.final.recipients.map((recipient) => contents.get(recipient) ?? nothing)
  return { ...chunk, inbox }
})

/** A batch that no provider can take: every recipient fails for the same reason. */
export const failBatch = (batch: ClaimedBatch, rules: ResultRules, reason: string): ResultChunk => {
  const results = new Results(batch, rules, Math.random)
  for (const recipient of batch.recipients) results.fail(recipient, reason)
  return results.take(now())
}
