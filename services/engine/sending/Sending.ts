import { Deferred, Effect, Fiber } from "effect"
import type { Message } from "../../domain/sending/Notification.ts"
import type { Target } from "../../ports/audience/AudienceStore.ts"
import { now } from "../../ports/Now.ts"
import { HEARING_MS, isSleptOver } from "../../ports/outbound/Deadline.ts"
import type { ClaimedBatch, ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import type { Outcome, Provider } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { LeaseTerms } from "./BatchLease.ts"
import { BatchLease } from "./BatchLease.ts"
import { CredentialEvidence } from "./CredentialEvidence.ts"
import type { LaneReport, Progress, ResultRules } from "./Results.ts"
import { EXPIRED_UNDER_WAY, Results, unreached } from "./Results.ts"
import type { Finding, Standing } from "./CredentialProbes.ts"

/** How often results are written while a batch is under way: what a crash can repeat is at most what came since. */
const SAVE_MS = 250
/**
 * How often a batch that waits, or goes slice by slice, looks whether its credential is still the present one; and one that
 * was handed over whole, whether the rest of it may begin. That costs two statements: not for a few.
 */
const COMPARE_MS = 1000
const FEW_TARGETS = 50
/** How long after a notification's expiry answers of messages under way are still waited for. */
const GRACE_MS = 2000
/**
 * Services of which one message each tries a credential, and how many messages more follow, round after round, while
 * all are refused: whoever was refused may be a stranger. Then the rest goes.
 */
const SERVICES_TRIED = 4
const ROUNDS = [16, 64, Infinity]
/** How long those who try a credential may be without an answer before others are asked as well. */
const SILENCE_MS = 1000

export interface Sending extends LeaseTerms {
  readonly batch: ClaimedBatch
  /** Waits until what is sent can be written. */
  readonly untilOpen: Effect.Effect<void>
  readonly message: Message
  readonly credential: Credential
  readonly provider: Provider
  readonly targets: ReadonlyArray<Target>
  /** What the provider has said already of the only target, which is not given to it again. */
  readonly said?: Outcome | null
  /** Those of the others who want no such messages. */
  readonly unsubscribed: ReadonlySet<string>
  readonly rules: ResultRules
  /** Noted four times a second. */
  readonly progress: Progress
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
  /** Whether the credential was replaced, or removed, meanwhile: what has not begun goes by the present one. */
  readonly isReplaced: Effect.Effect<boolean>
  /** Gives the rest of the batch back. */
  readonly giveBack: Effect.Effect<void, StoreError>
}

/** What came of a batch. */
export interface BatchReport extends LaneReport {
  readonly isProved: boolean
  /** Some wait whom another credential may reach. */
  readonly awaitsRepair: boolean
}

/** Recipients that a provider was given together. */
interface Given {
  readonly part: ReadonlyArray<Target>
  /** Of each: 0, `BEGUN` or `ANSWERED`. */
  readonly states: Uint8Array
}
const BEGUN = 1
const ANSWERED = 2

/** A batch under way. */
interface Run {
  readonly sending: Sending
  readonly results: Results
  readonly lease: BatchLease
  readonly evidence: CredentialEvidence
  /** Who has not been asked, and what goes on beside the rest. */
  rest: ReadonlyArray<Target>
  readonly asking: Array<Fiber.Fiber<void, StoreError>>
  /** Recipients wait until results can be written. */
  isWaiting: boolean
  /** The notification was paused or cancelled, or the credential replaced: nothing more is handed over. */
  isHalted: boolean
  /** Seen while the provider has some in hand: not even those of them begin that wait there. */
  isOutdated: boolean
  /** Some have not begun for it, and are given back. */
  isCut: boolean
  /** Ended by a cancel: there is no lease to keep any more. */
  isEnded: boolean
  /** What providers have been given, and have not answered all of. */
  readonly given: Set<Given>
  /** Of `performance.now()`: until when what came while the process slept is read. */
  hearsUntil: number
}

/**
 * One claimed batch on its way through a provider. Results are written when all are there, and four times a second
 * before that. Ends early, leaving the rest to whoever holds the batch now, when a write is refused by the fence.
 */
export const sendBatch = Effect.fnUntraced(function* (sending: Sending) {
  const run = runOf(sending)
  const { evidence, results } = run
  for (const recipient of others(sending.batch, sending.targets)) {
    results.skip(recipient, unreached(recipient, sending.unsubscribed))
  }
  const fiber = yield* Effect.forkChild(sendAll(run))
  yield* Effect.onExit(saveUntilEnd(run, fiber), (exit) =>
    exit._tag === "Success" ? Effect.void : Effect.andThen(Fiber.interrupt(fiber), Effect.ignore(saveRest(run)))
  )
  return { ...results.report, awaitsRepair: evidence.awaitsRepair, isProved: evidence.isProved }
}) satisfies (sending: Sending) => Effect.Effect<BatchReport, StoreError>

const runOf = (sending: Sending): Run => {
  const { batch, provider, rules, standing, targets } = sending
  const results = new Results(batch, rules, Math.random)
  return {
    sending,
    results,
    lease: new BatchLease(sending, rules.leaseMs),
    evidence: new CredentialEvidence(standing, results, provider.serviceOf === undefined),
    rest: targets,
    asking: [],
    isWaiting: false,
    isHalted: false,
    isOutdated: false,
    isCut: false,
    isEnded: false,
    given: new Set(),
    hearsUntil: 0
  }
}

/** Recipients who are no target: targets are recipients, and each is named once. */
const others = (batch: ClaimedBatch, targets: ReadonlyArray<Target>): ReadonlyArray<string> => {
  if (targets.length === batch.recipients.length) return []
  const known = new Set(targets.map(({ id }) => id))
  return batch.recipients.filter((recipient) => !known.has(recipient))
}

/** Gives everybody an outcome, or to the provider. */
const sendAll = Effect.fnUntraced(function* (run: Run) {
  const { asking, evidence, results, sending } = run
  const { said = null, standing, targets } = sending
  if (said !== null) {
    // Whatever has become of the message or its credential since: what was sent counts, and does not go again.
    note(run, targets[0]!, said)
    return yield* evidence.judge(sending.suspend)
  }
  if (isOver(run)) {
    for (const target of targets) results.fail(target.id, "expired")
    return
  }
  if (targets.length === 0) return
  const refusal = yield* standing.pass(probe(run))
  if (refusal === null) yield* send(run, run.rest)
  else putOff(run, run.rest, refusal)
  for (const fiber of asking) yield* Fiber.join(fiber)
  yield* evidence.judge(sending.suspend)
})

/** Sends to those by whom a refusal of the credential is known, and says what came of it. */
const probe = Effect.fnUntraced(function* (run: Run): Effect.fn.Return<Finding | null, StoreError> {
  const { asking, evidence, results, sending } = run
  const before = results.ended
  for (const most of [0, ...ROUNDS]) {
    if (run.rest.length === 0) break
    const isEnded = yield* ask(
      run,
      most === 0 ? oneOfEach(run.rest, sending.provider.serviceOf) : run.rest.slice(0, most)
    )
    if (evidence.isProved) return { refusal: null, isProved: true }
    const { suspend } = results.report
    if (suspend !== null) return { refusal: suspend, isProved: false }
    if (isEnded && !evidence.hasRefused) {
      return results.ended === before ? null : { refusal: null, isProved: false }
    }
    if (!evidence.isAllRefused) return { refusal: null, isProved: false }
  }
  // Who waits for services that keep silent tries others.
  if (asking.some((fiber) => fiber.pollUnsafe() === undefined)) return null
  yield* evidence.judge(sending.suspend)
  return { refusal: results.report.suspend, isProved: evidence.isProved }
})

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

/** Asks a few, and waits until the credential is proved or they have ended. False when they keep silent. */
const ask = Effect.fnUntraced(function* (run: Run, some: ReadonlyArray<Target>) {
  run.rest = without(run.rest, some)
  const fiber = yield* Effect.forkChild(send(run, some))
  run.asking.push(fiber)
  const ended = Effect.raceFirst(
    Effect.as(Fiber.join(fiber), true),
    Effect.as(Deferred.await(run.evidence.proof), true)
  )
  return yield* Effect.raceFirst(ended, Effect.as(Effect.sleep(SILENCE_MS), false))
})

/** Nobody wants the message any more: what waits for a free stream must not go with the next one. */
const isOver = ({ sending }: Run): boolean => now() >= sending.rules.expiresAt

/** Of a slice: when so few are left of it, the next begins. */
const FEW = 1 / 3

/** Recipients of a slice that are still with the provider while the next ones are; those in the end that did not begin. */
type Late = Fiber.Fiber<ReadonlyArray<Target>>

/**
 * Hands recipients over in slices, until all have been, or the lease, the credential or the notification is at its end. A
 * few that wait for their answers, for minutes perhaps, keep nobody else of theirs from the provider.
 */
const send = Effect.fnUntraced(function* (run: Run, all: ReadonlyArray<Target>) {
  const { slice } = run.sending
  const late: Array<Late> = []
  let goesOn = true
  for (let at = 0; goesOn && at < all.length; at += slice) {
    goesOn = yield* sendSlice(run, all.slice(at, at + slice), at + slice < all.length ? late : null)
  }
  for (let fiber = late.shift(); fiber !== undefined; fiber = late.shift()) {
    const left = yield* Fiber.join(fiber)
    if (goesOn) goesOn = yield* sendSlice(run, left, null)
  }
})

/** `late`: where those go who are still to be answered when the next slice begins; null: there is none. False: no other begins. */
const sendSlice = Effect.fnUntraced(function* (run: Run, all: ReadonlyArray<Target>, late: Array<Late> | null) {
  const { lease, sending } = run
  let part = all
  while (part.length > 0) {
    run.isWaiting = true
    yield* sending.untilOpen
    run.isWaiting = false
    if (run.isHalted) {
      run.isCut = true
      return false
    }
    if (isOver(run)) {
      for (const target of part) run.results.fail(target.id, "expired")
      return true
    }
    const refusal = sending.standing.refusal()
    if (refusal !== null) {
      putOff(run, part, refusal)
      return true
    }
    if (!(yield* lease.isHeld)) return false
    part = late === null ? yield* handOver(run, part) : yield* handOverMost(run, part, late)
  }
  return true
})

/** The same as `handOver`, without the last few, which go on in `late`. */
const handOverMost = Effect.fnUntraced(function* (run: Run, part: ReadonlyArray<Target>, late: Array<Late>) {
  const few = yield* Deferred.make<null>()
  const most = part.length - Math.floor(part.length * FEW)
  const fiber = yield* Effect.forkChild(
    handOver(run, part, (answered) => {
      if (answered === most) Deferred.doneUnsafe(few, Effect.succeed(null))
    })
  )
  const left = yield* Effect.raceFirst(Fiber.join(fiber), Deferred.await(few))
  if (left !== null) return left
  late.push(fiber)
  return []
})

/**
 * Hands some recipients to the provider. Answers those that it was not to begin with any more. `onAnswer`: told how many have
 * been answered.
 */
const handOver = Effect.fnUntraced(function* (
  run: Run,
  part: ReadonlyArray<Target>,
  onAnswer: (answered: number) => void = ignored
) {
  const { lease, sending } = run
  const { credential, message, provider, standing } = sending
  const mayBegin = () => !run.isOutdated && !isOver(run) && standing.refusal() === null && lease.mayBegin()
  // Of two outcomes the first counts: results are counted to know when all are there, and a second one of somebody
  // would pass for somebody else's.
  const states = new Uint8Array(part.length)
  let count = 0
  const withheld: Array<Target> = []
  const hear = (index: number, outcome: Outcome) => {
    if (states[index] === ANSWERED) return
    states[index] = ANSWERED
    if (outcome._tag === "Withheld" || (run.isOutdated && isUntaken(outcome))) withheld.push(part[index]!)
    else note(run, part[index]!, outcome)
    onAnswer(++count)
  }
  const onBegun = (index: number) => {
    if (states[index] !== ANSWERED) states[index] = BEGUN
  }
  const given = { part, states }
  run.given.add(given)
  yield* provider.send({ message, credential, targets: part, mayBegin, onBegun }, hear).pipe(
    // A provider never fails. One that breaks all the same does so for these recipients, and again if they go at once.
    Effect.catchDefect((defect) => {
      for (const index of part.keys()) hear(index, BROKEN)
      return Effect.annotateLogs(Effect.logError("A provider broke over a message", defect), {
        app_id: sending.batch.appId,
        notification_id: sending.batch.notificationId,
        batch_id: sending.batch.id
      })
    })
  )
  // Not where it is interrupted: it is known then who had no answer.
  run.given.delete(given)
  return withheld
})

const ignored = () => {}

const BROKEN = { _tag: "Retry", reason: "internal_error", afterMs: null, isUnknown: true } as const satisfies Outcome

/** Whether the message surely was not taken, and may go again: of a credential that was replaced, by the present one. */
const isUntaken = (outcome: Outcome): boolean => outcome._tag === "Retry" && outcome.isUnknown !== true

/** Notes what the provider said of a recipient. */
const note = ({ evidence, results }: Run, target: Target, outcome: Outcome): void => {
  if (outcome._tag === "Refused") return evidence.refused(target, outcome)
  results.add(target, outcome, now())
  // Of a refused credential, what other batches have not begun waits as well.
  evidence.learn(outcome)
}

const putOff = ({ results }: Run, part: ReadonlyArray<Target>, reason: string): void => {
  for (const target of part) results.add(target, { _tag: "Suspend", reason }, now())
}

/** Writes results while `fiber` sends, and what is left of them after it. */
const saveUntilEnd = Effect.fnUntraced(function* (run: Run, fiber: Fiber.Fiber<void, StoreError>) {
  const { evidence, results, sending } = run
  const { rules } = sending
  let savedAt = performance.now()
  let lookedAt = savedAt
  let comparedAt = isWhole(sending) ? savedAt : -Infinity
  while (true) {
    const isDone = yield* Effect.raceFirst(Effect.as(Fiber.join(fiber), true), Effect.as(Effect.sleep(SAVE_MS), false))
    if (evidence.isAccepted) yield* sending.noteAcceptance
    if (isDone) break
    sending.progress.left = sending.batch.recipients.length - results.ended
    sending.progress.isTaken = evidence.isProved
    const wasLookedAt = lookedAt
    lookedAt = performance.now()
    if (now() >= rules.expiresAt + GRACE_MS) {
      if (isHearing(run, lookedAt, lookedAt - wasLookedAt - SAVE_MS)) continue
      // A provider that takes messages and does not answer must not keep them beyond their time.
      yield* Fiber.interrupt(fiber)
      evidence.settle(null)
      for (const { part, states } of run.given) {
        part.forEach(({ id }, index) => {
          if (states[index] === BEGUN) results.fail(id, EXPIRED_UNDER_WAY)
        })
      }
      results.failRest("expired")
      break
    }
    const isCompared = lookedAt - comparedAt >= COMPARE_MS
    // What is handed over whole is through before there is anything to cut, but where provider or node are slow.
    if (!run.isHalted && (run.isWaiting || !isWhole(sending) || (isCompared && hasMany(run)))) {
      run.isHalted = run.isOutdated = yield* sending.isHalted
      if (!run.isHalted && isCompared) {
        comparedAt = lookedAt
        run.isHalted = run.isOutdated = yield* sending.isReplaced
      }
    }
    // Writing results prolongs the lease; a provider that answers nothing for a while must not let it run out.
    if (results.unsaved === 0 && performance.now() - savedAt < rules.leaseMs / 3) continue
    savedAt = performance.now()
    // A database that is away for a moment is no reason to forget what the provider has in hand: should the batch be
    // another's by the time that it is back, the fence says so.
    const isOurs = yield* results.unsaved > 0 ? save(run) : keepLease(run)
    if (!isOurs) return yield* Fiber.interrupt(fiber)
  }
  const isOurStill = yield* save(run)
  if (run.isCut && isOurStill) yield* sending.giveBack
})

const isWhole = ({ slice, targets }: Sending): boolean => targets.length <= slice

/** Whether the provider has many in hand that wait. */
const hasMany = ({ given, sending }: Run): boolean =>
  sending.targets.length >= FEW_TARGETS && given.values().some(({ states }) => states.includes(0))

/** Whether what came while the process slept is still read, which was late by so much. */
const isHearing = (run: Run, at: number, lateMs: number): boolean => {
  // Once: a process that is always late must not keep them either.
  if (run.hearsUntil === 0 && isSleptOver(lateMs)) run.hearsUntil = at + HEARING_MS
  return at < run.hearsUntil
}

/** False when the batch is another's. */
const keepLease = Effect.fnUntraced(function* (run: Run) {
  if (run.isEnded || (yield* Effect.catch(run.lease.extend, () => Effect.succeed(true)))) return true
  // Slept past its lease. Ended by a cancel it is nobody else's: answers that are still to come count.
  run.isEnded = run.isHalted = yield* run.sending.isHalted
  return run.isEnded
})

/**
 * What is known is written even when the node is told to stop or the provider's layer breaks: unwritten, it would be
 * sent again.
 */
const save = ({ lease, results, sending }: Run) =>
  Effect.suspend(() => Effect.uninterruptible(lease.prolongedBy(sending.save(results.take(now())))))

const saveRest = (run: Run) => Effect.suspend(() => (run.results.unsaved > 0 ? save(run) : Effect.void))
