import { eventBodies } from "../../domain/webhooks/Event.ts"
import type { WebhookAttempt, WebhookResults, WebhookWork, Streak } from "../../ports/webhooks/WebhookStore.ts"
import type { Signal } from "../operations/Signal.ts"
import { make as makeSignal } from "../operations/Signal.ts"

/**
 * Results of a work item are written after so many posts. Of a large one, after this part of it: each write holds
 * the positions that are left, so that writing after a fixed number of posts costs the square of the work item's size.
 */
export const SAVE_POSTS = 100
const SAVE_PART = 1 / 16

const NO_STREAK: Streak = { leading: 0, reset: false, longest: 0, trailing: 0, reason: null }

/** One more exhausted delivery. */
const lengthened = (streak: Streak, reason: string): Streak => {
  if (!streak.reset) return { ...streak, leading: streak.leading + 1, reason }
  const trailing = streak.trailing + 1
  return { ...streak, trailing, longest: Math.max(streak.longest, trailing), reason }
}

const broken = (streak: Streak): Streak => ({ ...streak, reset: true, trailing: 0 })

/** What is the same for all results of a webhook's round. */
export type RoundFacts = Pick<WebhookResults, "disableAfter" | "epoch" | "webhookId" | "leaseMs">

/** One work item on its way: what is ahead of it, under way, and not written yet. */
export class Delivery {
  readonly item: WebhookWork
  /** Whether it has its turn while the receiver fails: it goes on though the receiver does. */
  readonly isTurn: boolean
  /** A failure is no attempt. */
  readonly isProbe: boolean
  /** Of `elapsedBy`: nobody else can have the work item before. */
  heldUntil: number
  readonly ahead: Array<number>
  readonly body: (position: number) => string
  readonly saveAfter: number
  underWay = 0
  /** Of `elapsedBy`: when results were taken from it last. */
  savedAt: number
  isOurs = true
  /** Nothing more of it is posted in this round, and nothing is under way: what is left is given back. */
  isOver = false
  /** All that came of it is written, or another's to write. */
  isDone = false
  /** It waits to be written. */
  isDue = false
  /** Its place among the open ones. */
  place = -1
  readonly tally = { delivered: 0, retried: 0, exhausted: 0 }
  /** Set when its span is recorded: ends it. */
  spanOver: Signal | null = null

  readonly #delayMs: number | undefined
  readonly #remaining: Set<number>
  #delivered: Array<number> = []
  #retry: Array<number> = []
  #exhausted: Array<{ position: number; error: string }> = []
  #tried: Array<WebhookAttempt> = []
  #streak = NO_STREAK

  /** `turn`: the positions that are posted; null: all. */
  constructor(
    item: WebhookWork,
    turn: ReadonlyArray<number> | null,
    isProbe: boolean,
    heldUntil: number,
    now: number,
    delayMs: number | undefined
  ) {
    this.item = item
    this.isTurn = turn !== null
    this.isProbe = isProbe
    this.heldUntil = heldUntil
    this.savedAt = now
    this.ahead = [...(turn ?? item.positions)]
    this.body = eventBodies(item.chunk)
    this.saveAfter = Math.max(SAVE_POSTS, Math.ceil(item.positions.length * SAVE_PART))
    this.#delayMs = delayMs
    this.#remaining = new Set(item.positions)
    if (item.chunk.trace !== undefined && item.chunk.trace !== null) this.spanOver = makeSignal()
  }

  get unsaved(): number {
    return this.#delivered.length + this.#retry.length + this.#exhausted.length
  }

  /** A run of exhausted deliveries that a success would end. */
  get hasRun(): boolean {
    return this.#streak.reset ? this.#streak.trailing > 0 : this.#streak.leading > 0
  }

  /** Another work item's success: what was exhausted before it and what will be after it are no run. */
  breakRun(): void {
    this.#streak = broken(this.#streak)
  }

  /** What came of a post. `failure`: null when it was delivered. */
  took(attempt: WebhookAttempt, failure: string | null): void {
    const { position } = attempt
    this.#tried.push(attempt)
    this.#remaining.delete(position)
    if (failure === null) {
      this.tally.delivered++
      this.#delivered.push(position)
      if (!this.#streak.reset || this.#streak.trailing > 0) this.#streak = broken(this.#streak)
    } else if (this.#delayMs !== undefined) {
      this.tally.retried++
      this.#retry.push(position)
    } else {
      this.tally.exhausted++
      this.#exhausted.push({ position, error: failure })
      this.#streak = lengthened(this.#streak, failure)
    }
  }

  /** What came since the last time, and what remains: given back when it is over, else kept for another lease. */
  take({ disableAfter, epoch, webhookId, leaseMs }: RoundFacts, now: number): WebhookResults {
    const results: WebhookResults = {
      workId: this.item.id,
      fence: this.item.fence,
      webhookId,
      epoch,
      delivered: this.#delivered,
      tried: this.#tried,
      retry: this.#retry.length > 0 ? { positions: this.#retry, delayMs: this.#delayMs! } : null,
      exhausted: this.#exhausted,
      remaining: [...this.#remaining],
      releaseAfterMs: this.isOver ? 0 : null,
      leaseMs,
      streak: this.#streak,
      disableAfter
    }
    this.isDue = false
    this.savedAt = now
    this.#delivered = []
    this.#retry = []
    this.#exhausted = []
    this.#tried = []
    this.#streak = NO_STREAK
    return results
  }
}
