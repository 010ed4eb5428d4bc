import { Deferred, Effect, Fiber, Result, Schedule } from "effect"
import { uuidv7 } from "../../ports/NewId.ts"
import { now } from "../../ports/Now.ts"
import { METADATA_BYTES } from "../../domain/audience/Device.ts"
import type { InboxContent } from "../../domain/inbox/Inbox.ts"
import { inboxContentOf } from "../../domain/inbox/Inbox.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import type { Target } from "../../ports/audience/AudienceStore.ts"
import { HEARING_MS, isSleptOver } from "../../ports/outbound/Deadline.ts"
import type { ClaimedBatch, ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import type { Outcome, Provider, Refusal, Settled } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { LaneReport } from "./Results.ts"
import type { Rendering } from "./Rendering.ts"
import { failureOf } from "./Rendering.ts"
import { Results } from "./Results.ts"
import type { ResultRules } from "./Results.ts"
import type { Finding, Standing } from "./Trials.ts"

/** How often results are written while a batch is under way: what a crash can repeat is at most what came since. */
const SAVE_MS = 250
/** A database that does not say whose a batch is, is asked again. */
const UNTIL_ANSWERED = Schedule.spaced("500 millis")
/** How long after a notification's expiry answers of messages under way are still waited for. */
const GRACE_MS = 2000
/**
 * Services of which one message each tries a credential, and how many messages more follow, round after round, while
 * all are refused: whoever was refused may be a stranger. Then the rest goes.
 */
const SERVICES_TRIED = 4
const ROUNDS = [16, 64, Infinity]
/** How long services that strangers choose may keep silent before others are asked as well. */
const SILENCE_MS = 1000

export interface Sending {
  readonly batch: ClaimedBatch
  /** Of `performance.now()`: when the batch was asked for, and until when nobody else can have it. */
  readonly heldSince: number
  readonly heldUntil: number
  /**
   * Whether requests may begin of a batch that has been this process's since then: what is sent can be written, and
   * nobody takes the process for dead.
   */
  readonly mayBegin: (heldSince: number) => boolean
  /** Whether nobody has taken the process for dead since then. */
  readonly isUnbroken: (heldSince: number) => boolean
  /** Waits until what is sent can be written. */
  readonly untilOpen: Effect.Effect<void>
  readonly message: Message
  readonly credential: Credential
  readonly provider: Provider
  readonly targets: ReadonlyArray<Target>
  /** Those of the others who want no such messages. */
  readonly unsubscribed: ReadonlySet<string>
  readonly rules: ResultRules
  /** How the credential stands: in doubt, one message goes first, and the rest only if it is not refused. */
  readonly standing: Standing
  /**
   * All was refused, and strangers may be why: marks the credential as refused, unless somebody noted lately that it
   * was accepted. Whether it did.
   */
  readonly suspend: (reason: string) => Effect.Effect<boolean, StoreError>
  /** A message was accepted. Called now and then while the batch goes on. */
  readonly noteAcceptance: Effect.Effect<void>
  /** Writes a chunk and wakes the webhooks it concerns. False when the lease of the batch was lost. */
  readonly save: (chunk: ResultChunk) => Effect.Effect<boolean, StoreError>
  /** Recipients that are handed to the provider at once: a pause or cancel lets these finish, and begins no more. */
  readonly slice: number
  /** Whether the notification was paused or cancelled meanwhile. */
  readonly isHalted: Effect.Effect<boolean, StoreError>
  /** Gives the rest of the batch back. */
  readonly giveBack: Effect.Effect<void, StoreError>
  /** Prolongs the lease. False when the lease of the batch was lost. */
  readonly extend: Effect.Effect<boolean, StoreError>
}

/** What came of a batch. */
export interface BatchReport extends LaneReport {
  /** The provider took the credential: it accepted a message, or said that a token is dead. */
  readonly isProved: boolean
  /** Some wait whom another credential may reach. */
  readonly awaitsRepair: boolean
}

/**
 * One claimed batch on its way through a provider. Results are written when all are there, and four times a second
 * before that. Ends early, leaving the rest to whoever holds the batch now, when a write is refused by the fence.
 */
export const sendBatch = Effect.fnUntraced(function* (sending: Sending) {
  const { batch, message, targets, rules } = sending
  const results = new Results(batch, rules, Math.random)
  for (const recipient of others(batch, targets)) {
    results.skip(recipient, unreached(recipient, sending.unsubscribed))
  }

  let isHalted = false
  let isEnded = false
  let isCut = false
  let { heldSince, heldUntil } = sending
  /** Recipients wait until results can be written. */
  let isWaiting = false
  /** Of `performance.now()`: until when what came while the process slept is read. */
  let hearsUntil = 0

  /** A write that prolongs the lease if the batch is still ours. It lasts from no earlier than the question. */
  const prolonging = <E>(write: Effect.Effect<boolean, E>) =>
    Effect.suspend(() => {
      const askedAt = performance.now()
      return Effect.tap(write, (isOurs) =>
        Effect.sync(() => {
          if (!isOurs) return
          heldSince = askedAt
          heldUntil = askedAt + rules.leaseMs
        })
      )
    })
  const extend = prolonging(sending.extend)

  const isOurs = () => performance.now() < heldUntil && sending.isUnbroken(heldSince)
  /**
   * Whether requests may begin: what slept past its lease, with the machine or because the database did not answer,
   * asks first, for somebody else may have sent them.
   */
  const isHeld = Effect.suspend(() => (isOurs() ? Effect.succeed(true) : Effect.retry(extend, UNTIL_ANSWERED)))
  const { standing } = sending
  const { serviceOf } = sending.provider

  /** Whom the sender was refused for, until it is known what that means. */
  let refused: Array<{ readonly id: string; readonly refusal: Refusal }> = []
  let isAllRefused = true
  let isAccepted = false
  let isProved = false
  let awaitsRepair = false
  const proof = Deferred.makeUnsafe<void>()
  /** What an outcome says of the credential. What failed by itself, mostly without being asked, says nothing. */
  const learn = (outcome: Outcome): void => {
    if (outcome._tag === "Suspend") return standing.refused(outcome.reason)
    if (outcome._tag !== "Fail") isAllRefused = false
    if (outcome._tag === "Ok" && !isAccepted) {
      isAccepted = true
      standing.accepted()
    }
    if (isProved || !(outcome._tag === "Ok" || (outcome._tag === "Drop" && serviceOf === undefined))) return
    isProved = true
    standing.proved()
    Deferred.doneUnsafe(proof, Effect.void)
  }
  /** Gives all who were refused their outcome; `reason`: why the credential is. */
  const settle = (reason: string | null): void => {
    const some = refused
    refused = []
    if (reason !== null) standing.refused(reason)
    for (const { id, refusal } of some) {
      const outcome: Settled = reason === null ? refusal.otherwise() : { _tag: "Suspend", reason }
      if (outcome._tag === "Slow") awaitsRepair = true
      results.add(id, outcome, now(), true)
    }
  }
  /** When all that was asked has ended. */
  const judge = Effect.suspend(() => {
    const [first] = refused
    if (first === undefined) return Effect.void
    const known = isProved ? null : standing.refusal()
    if (known !== null) return Effect.sync(() => settle(known))
    const isDoubtful =
      isAllRefused &&
      !standing.isAcceptedLately() &&
      refused.every(({ refusal }) => refusal.isEnough === undefined || refusal.isEnough())
    if (!isDoubtful) return Effect.sync(() => settle(null))
    const { reason } = first.refusal
    return Effect.map(Effect.retry(sending.suspend(reason), UNTIL_ANSWERED), (is) => settle(is ? reason : null))
  })
  const putOff = (part: ReadonlyArray<Target>, reason: string): void => {
    for (const { id } of part) results.add(id, { _tag: "Suspend", reason }, now())
  }
  const mayBegin = () => standing.refusal() === null && performance.now() < heldUntil && sending.mayBegin(heldSince)

  /** Hands some recipients to the provider. Answers those that it was not to begin with any more. */
  const handOver = Effect.fnUntraced(function* (part: ReadonlyArray<Target>) {
    // Of two outcomes the first counts: results are counted to know when all are there, and a second one of somebody
    // would pass for somebody else's.
    const answered = new Uint8Array(part.length)
    const withheld: Array<Target> = []
    yield* sending.provider.send(
      { message, credential: sending.credential, targets: part, mayBegin },
      (index, outcome) => {
        if (answered[index] === 1) return
        answered[index] = 1
        if (outcome._tag === "Withheld") return void withheld.push(part[index]!)
        if (outcome._tag === "Refused") return void refused.push({ id: part[index]!.id, refusal: outcome })
        results.add(part[index]!.id, outcome, now())
        // Of a refused credential, what other batches have not begun waits as well.
        learn(outcome)
      }
    )
    return withheld
  })

  const send = Effect.fnUntraced(function* (all: ReadonlyArray<Target>) {
    for (let at = 0; at < all.length; at += sending.slice) {
      let part = all.slice(at, at + sending.slice)
      while (part.length > 0) {
        isWaiting = true
        yield* sending.untilOpen
        isWaiting = false
        if (isHalted) {
          isCut = true
          return
        }
        const refusal = standing.refusal()
        if (refusal !== null) {
          putOff(part, refusal)
          part = []
          continue
        }
        if (!(yield* isHeld)) return
        part = yield* handOver(part)
      }
    }
  })

  /** Who has not been asked, and what goes on beside the rest. */
  let rest = targets
  const asking: Array<Fiber.Fiber<void, StoreError>> = []
  /** Asks a few, and waits until the credential is proved or they have ended. False when they keep silent. */
  const ask = Effect.fnUntraced(function* (some: ReadonlyArray<Target>) {
    rest = without(rest, some)
    const fiber = yield* Effect.forkChild(send(some))
    asking.push(fiber)
    const ended = Effect.raceFirst(Effect.as(Fiber.join(fiber), true), Effect.as(Deferred.await(proof), true))
    if (serviceOf === undefined) return yield* ended
    return yield* Effect.raceFirst(ended, Effect.as(Effect.sleep(SILENCE_MS), false))
  })
  /** Sends to those by whom a refusal of the credential is known, and says what came of it. */
  const trial = Effect.gen(function* (): Effect.fn.Return<Finding | null, StoreError> {
    const before = results.ended
    for (const most of [0, ...ROUNDS]) {
      if (rest.length === 0) break
      const some = most === 0 ? oneOfEach(rest, serviceOf) : rest.slice(0, most)
      const isEnded = yield* ask(some)
      if (isProved) return { refusal: null, isProved: true }
      const { suspend } = results.report
      if (suspend !== null) return { refusal: suspend, isProved: false }
      if (isEnded && refused.length === 0) return results.ended === before ? null : { refusal: null, isProved: false }
      if (!isAllRefused) return { refusal: null, isProved: false }
    }
    // Who waits for services that keep silent tries others.
    if (asking.some((fiber) => fiber.pollUnsafe() === undefined)) return null
    yield* judge
    return { refusal: results.report.suspend, isProved }
  })

  const all = Effect.gen(function* () {
    if (now() >= rules.expiresAt) {
      for (const target of targets) results.fail(target.id, "expired")
      return
    }
    if (targets.length === 0) return
    const refusal = yield* standing.pass(trial)
    if (refusal === null) yield* send(rest)
    else putOff(rest, refusal)
    for (const fiber of asking) yield* Fiber.join(fiber)
    yield* judge
  })

  // What is known is written even when the node is told to stop or the provider's layer breaks: unwritten, it would be
  // sent again.
  const save = Effect.suspend(() => Effect.uninterruptible(prolonging(sending.save(results.take(now())))))
  const saveRest = Effect.suspend(() => (results.unsaved > 0 ? save : Effect.void))
  const fiber = yield* Effect.forkChild(all)
  yield* Effect.gen(function* () {
    let savedAt = performance.now()
    let lookedAt = savedAt
    while (true) {
      const isDone = yield* Effect.raceFirst(
        Effect.as(Fiber.join(fiber), true),
        Effect.as(Effect.sleep(SAVE_MS), false)
      )
      if (isAccepted) yield* sending.noteAcceptance
      if (isDone) break
      const wasLookedAt = lookedAt
      lookedAt = performance.now()
      if (now() >= rules.expiresAt + GRACE_MS) {
        // Once: a process that is always late must not keep them either.
        if (hearsUntil === 0 && isSleptOver(lookedAt - wasLookedAt - SAVE_MS)) hearsUntil = lookedAt + HEARING_MS
        if (lookedAt < hearsUntil) continue
        // A provider that takes messages and does not answer must not keep them beyond their time.
        yield* Fiber.interrupt(fiber)
        settle(null)
        results.failRest("expired")
        break
      }
      // What is handed over whole cannot be cut, unless it waits.
      if (!isHalted && (isWaiting || targets.length > sending.slice)) isHalted = yield* sending.isHalted
      // Writing results prolongs the lease; a provider that answers nothing for a while must not let it run out.
      if (results.unsaved === 0 && performance.now() - savedAt < rules.leaseMs / 3) continue
      savedAt = performance.now()
      // A database that is away for a moment is no reason to forget what the provider has in hand: should the batch be
      // another's by the time that it is back, the fence says so.
      if (results.unsaved > 0) {
        if (!(yield* save)) return yield* Fiber.interrupt(fiber)
      } else if (!isEnded && !(yield* extend.pipe(Effect.catch(() => Effect.succeed(true))))) {
        // Slept past its lease. Ended by a cancel it is nobody else's: answers that are still to come count.
        isEnded = isHalted = yield* sending.isHalted
        if (!isEnded) return yield* Fiber.interrupt(fiber)
      }
    }
    const isOurStill = yield* save
    if (isCut && isOurStill) yield* sending.giveBack
  }).pipe(
    Effect.onExit((exit) =>
      exit._tag === "Success" ? Effect.void : Effect.andThen(Fiber.interrupt(fiber), Effect.ignore(saveRest))
    )
  )
  return { ...results.report, awaitsRepair, isProved }
}) satisfies (sending: Sending) => Effect.Effect<BatchReport, StoreError>

/** The first of each of a few services; of a provider that is one service, the first. */
const oneOfEach = (targets: ReadonlyArray<Target>, serviceOf: Provider["serviceOf"]): ReadonlyArray<Target> => {
  if (serviceOf === undefined) return targets.slice(0, 1)
  const first = new Map<string, Target>()
  for (const target of targets) {
    const service = serviceOf(target)
    if (!first.has(service)) first.set(service, target)
    if (first.size === SERVICES_TRIED) break
  }
  return [...first.values()]
}

const without = (targets: ReadonlyArray<Target>, some: ReadonlyArray<Target>): ReadonlyArray<Target> => {
  const left = new Set(some)
  return targets.filter((target) => !left.has(target))
}

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
  const toFill: Array<Target> = []
  for (const recipient of batch.recipients) {
    const target = known.get(recipient)
    if (target === undefined) results.skip(recipient, unreached(recipient, unsubscribed))
    else if (at >= rules.expiresAt) results.fail(recipient, "expired")
    else if (rendering === undefined) results.add(recipient, { _tag: "Ok", messageId: uuidv7(at) }, at)
    else toFill.push(target)
  }
  while (toFill.length > 0) {
    const all = yield* rendering!.contentsOf(toFill.map(({ person }) => person))
    for (const [i, { id: recipient }] of toFill.splice(0, all.length).entries()) {
      const filled = all[i]!
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
