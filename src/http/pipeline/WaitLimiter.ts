import type { Exit } from "effect"
import { Context, Effect, Fiber } from "effect"
import { isSleptOver } from "../../../services/ports/outbound/Deadline.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import type { Waited } from "../../../services/ports/operations/OtherWaits.ts"
import { OtherWaits } from "../../../services/ports/operations/OtherWaits.ts"
import type { Placed } from "../../../services/domain/operations/Places.ts"
import { Places } from "../../../services/domain/operations/Places.ts"

/*
 * How long requests wait for the database: WAIT_TIMEOUT_MS each, for their key, their permit and their work together. Then
 * they are answered 503, whatever becomes of what they waited for. Reading a body is no such wait, it has a deadline of
 * its own.
 *
 * States   answering   as many requests may wait at once as MOST says
 *          silent      somebody waited in vain, and nothing was answered since he began: PROBES may wait, all others are
 *                      refused at once; the first answer ends it
 *
 * What waits for templates to be read and filled, or for its turn at being read, has the same time, and says nothing of the
 * database when it is over.
 *
 * What was given up is interrupted, and nobody waits for its end. A statement that has been sent is carried out when the
 * database goes on; one that still waited for a connection is not.
 */

/** The answer has to be there within five seconds. */
export const WAIT_TIMEOUT_MS = 4_000
/** A process holds so many requests that wait, at most: some hundred megabytes. */
const MOST = 10_000
/** Enough to notice at once that the database answers again, and few enough to wait there for an hour. */
const PROBES = 8

/** Values, without a stack of their own: a silence fails thousands of requests. */
export const LATE = new StoreError({
  operation: "request",
  cause: new Error(`the database did not answer within ${WAIT_TIMEOUT_MS / 1000} seconds`)
})
/** The same for who waited for templates. */
export const LATE_TEMPLATES = new StoreError({
  operation: "templates",
  cause: new Error(`templates were not read and filled within ${WAIT_TIMEOUT_MS / 1000} seconds`)
})
/** The same for who waited to be read. */
export const LATE_TURN = new StoreError({
  operation: "turn",
  cause: new Error(`a long request had no turn at being read within ${WAIT_TIMEOUT_MS / 1000} seconds`)
})
const FULL = new StoreError({ operation: "request", cause: new Error("too many requests wait for the database") })

/** Whether a request ended because it would have waited too long: it is not to wait for anything else. */
export const waitedTooLong = (error: unknown): boolean => LATES.has(error)
const LATES: ReadonlySet<unknown> = new Set([LATE, LATE_TEMPLATES, LATE_TURN, FULL])

/** Whether a wait did not even begin: nothing was asked of the database. */
export const wasNotBegun = (error: unknown): boolean => error === FULL

/** What work waits for, to be given to it; and what there is to say when it takes too long. */
export const makeWaits = (): { readonly waited: Waited; readonly late: () => StoreError } => {
  const waited = { templates: 0, turns: 0 }
  return {
    waited,
    late: () => {
      if (waited.turns > 0) return LATE_TURN
      return waited.templates > 0 ? LATE_TEMPLATES : LATE
    }
  }
}

/** How late it may be noticed that a wait is over: one timer looks after all of them. */
const LOOK_MS = 100

/** A wait that has not ended. */
export interface Waiting extends Placed {
  readonly until: number
  /** Answers of the database before it. */
  readonly answers: number
  readonly late: () => StoreError
}

export class WaitLimiter {
  readonly #waiting = new Places<Waiting>()
  #isSilent = false
  #answers = 0
  #isLooking = false
  /** The last look came late, and looked at nothing. */
  #hasSlept = false
  readonly #report: (defect: unknown) => void

  /** `report` is told of defects in what is called when a wait is over: they stop nobody else's. */
  constructor(report: (defect: unknown) => void) {
    this.#report = report
  }

  /** Whether a request that has to wait is to be refused instead. */
  get isFull(): boolean {
    return this.#waiting.size >= (this.#isSilent ? PROBES : MOST)
  }

  /** Begins a wait of so many milliseconds, at most; `late` is called once when they are over, and says what to blame. */
  begin(ms: number, late: () => StoreError): Waiting {
    const wait = this.#waiting.enter({ until: performance.now() + ms, answers: this.#answers, late, place: -1 })
    if (!this.#isLooking) this.#lookLater()
    return wait
  }

  /** Ends a wait; says whether what came is an answer of the database, which may come too late. */
  end(wait: Waiting, isAnswer: boolean): void {
    this.#waiting.leave(wait)
    if (!isAnswer) return
    this.#isSilent = false
    this.#answers++
  }

  /** What is told may begin and end other waits, and may fail: everything here is in order before. */
  #lookAtAll(dueAt: number): void {
    const now = performance.now()
    // What came while the process slept is read before the next look.
    if (isSleptOver(now - dueAt) && !this.#hasSlept) {
      this.#hasSlept = true
      return this.#lookLater()
    }
    this.#hasSlept = false
    const over = this.#waiting.all().filter(({ until }) => until <= now)
    for (const wait of over) this.#waiting.leave(wait)
    this.#isLooking = false
    if (this.#waiting.size > 0) this.#lookLater()
    for (const wait of over) {
      try {
        if (wait.late() === LATE && wait.answers === this.#answers) this.#isSilent = true
      } catch (error) {
        this.#report(error)
      }
    }
  }

  #lookLater(): void {
    this.#isLooking = true
    const dueAt = performance.now() + LOOK_MS
    setTimeout(() => this.#lookAtAll(dueAt), LOOK_MS).unref()
  }
}

/** The time that one request may wait, which its waits use up together. */
export interface Waits {
  readonly waitLimiter: WaitLimiter
  /** Milliseconds. */
  left: number
}

export const waitsOf = (waitLimiter: WaitLimiter): Waits => ({ waitLimiter, left: WAIT_TIMEOUT_MS })

/** For the next part of a stream, after its answer has begun. */
export const again = ({ waitLimiter }: Waits): Waits => waitsOf(waitLimiter)

/** Runs a part of a request's work; fails when it is not done in the time that is left. */
export const within = <A, E, R>(waits: Waits, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
  Effect.withFiber((parent) => {
    if (waits.left <= 0) return Effect.fail(LATE)
    if (waits.waitLimiter.isFull) return Effect.fail(FULL)
    const { late, waited } = makeWaits()
    const fiber = Effect.runForkWith(Context.add(parent.context, OtherWaits, waited))(work as Effect.Effect<A, E>)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return exit
    return Effect.callback<A, E | StoreError>((resume) => {
      const beganAt = performance.now()
      const wait = waits.waitLimiter.begin(waits.left, () => {
        waits.left = 0
        const blamed = late()
        // In this order: what is interrupted may end at once, and say so.
        resume(Effect.fail(blamed))
        fiber.interruptUnsafe()
        return blamed
      })
      fiber.addObserver((exit: Exit.Exit<A, E>) => {
        waits.waitLimiter.end(wait, isAnswer(exit))
        waits.left -= performance.now() - beganAt
        resume(exit)
      })
      // The client is gone, or the server closes.
      return Effect.andThen(
        Effect.sync(() => waits.waitLimiter.end(wait, false)),
        Fiber.interrupt(fiber)
      )
    })
  })

/** A refusal is an answer as well, unless it says that the database could not be asked. */
const isAnswer = (exit: Exit.Exit<unknown, unknown>): boolean =>
  exit._tag === "Success" ||
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && !UNASKED.has(tagOf(reason.error)))

const UNASKED: ReadonlySet<unknown> = new Set(["StoreError", "rate_limiter_unavailable", "unavailable"])

const tagOf = (error: unknown): unknown => {
  const { _tag, code } = error as { readonly _tag?: unknown; readonly code?: unknown }
  return _tag === "ApiError" ? code : _tag
}
