import type { Cause, Clock } from "effect"
import { Effect, Option } from "effect"
import type { StoreError } from "../../ports/StoreError.ts"
import type { WebhookAnswer, WebhookPost } from "../../ports/webhooks/WebhookClient.ts"
import type { WebhookEndpoint } from "../../ports/webhooks/WebhookStore.ts"
import { elapsedBy } from "../operations/Elapsed.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { deliveryHeaders, failureOf } from "./Attempt.ts"
import type { RoundFacts } from "./Progress.ts"
import { Delivery, SAVE_POSTS } from "./Progress.ts"
import type { Given, Receiver, RoundWork } from "./RoundWork.ts"

/** A work item of no more events is small: its results are written once. */
export const SMALL = SAVE_POSTS
/** What came of posts is written at the latest after this: a crash can repeat no more than came since. */
export const SAVE_MS = 1_000

/**
 * The posts of a round: which work items are open, which event goes next, what came of it, and what waits to be written.
 * All of it is synchronous, so that a post costs no effect; those who claim and write wait for its signals.
 */
export class RoundPosts {
  readonly facts: RoundFacts
  /** Not written to their end. A list without an order: see `Deadlines` for why it is no set. */
  readonly open: Array<Delivery> = []
  /** With events ahead, the next one first. */
  readonly small: Array<Delivery> = []
  readonly large: Array<Delivery> = []
  /** Events of these that no post has begun for. */
  ahead = 0
  answered = 0
  /** Not when the webhook is disabled, removed, or of a new epoch. */
  isWanted = true
  /** Why posting broke, which ends the round. */
  breach: Cause.Cause<never> | null = null
  /** Whether the claims wait for events to be used up, down to so many. */
  roomAt = -1
  /** Whether there may be more small work items behind the large ones: the last look found some. */
  hasMoreSmall = false
  /** Results wait to be written. */
  readonly saveWanted = makeSignal()
  /** Nothing is under way, and nothing ahead. */
  readonly quiet = makeSignal()
  /** There is something new for the claims to look at. */
  readonly changed = makeSignal()

  readonly #work: RoundWork
  readonly #receiver: Receiver
  readonly #clock: Clock.Clock
  #endpoint: WebhookEndpoint
  #underWay = 0
  #isLargesTurn = false
  /** Whether a work item may have a run of exhausted deliveries, which any success ends. */
  #hasRuns = false
  #due: Array<Delivery> = []

  constructor(work: RoundWork, endpoint: WebhookEndpoint, receiver: Receiver, clock: Clock.Clock) {
    this.facts = {
      webhookId: endpoint.id,
      epoch: endpoint.epoch,
      leaseMs: work.leaseMs,
      disableAfter: work.disableAfter
    }
    this.#work = work
    this.#endpoint = endpoint
    this.#receiver = receiver
    this.#clock = clock
  }

  elapsed(): number {
    return elapsedBy(this.#clock)
  }

  /** Whether work items may be claimed for this round. */
  get takesMore(): boolean {
    return this.isWanted && this.#receiver.isActive() && !this.#work.isStopping()
  }

  /** Whether there is something to post, and a place for it beside the posts under way. */
  get hasRoom(): boolean {
    return this.#underWay < this.#work.concurrency && (this.small.length > 0 || this.large.length > 0)
  }

  get isQuiet(): boolean {
    return this.#underWay === 0 && this.ahead === 0
  }

  /** `heldUntil`: of `elapsed`. */
  add({ isProbe, item, turn }: Given, heldUntil: number, now: number): Delivery {
    const it = new Delivery(item, turn, isProbe, heldUntil, now, this.#work.retryDelaysMs[item.attempts])
    it.place = this.open.push(it) - 1
    this.ahead += it.ahead.length
    const line = it.ahead.length > SMALL ? this.large : this.small
    line.push(it)
    return it
  }

  /** The next post, if a place is free. What may not begin is given back with its results, and taken again. */
  readonly next = (): WebhookPost | null => {
    while (this.#underWay < this.#work.concurrency) {
      const line = this.large.length > 0 && (this.#isLargesTurn || this.small.length === 0) ? this.large : this.small
      const it = line[0]
      if (it === undefined) return null
      const now = this.elapsed()
      if (this.#mayBegin(it, now)) {
        this.#isLargesTurn = line === this.small
        return this.#postOf(it, this.#begin(line, it), now)
      }
      line.shift()
      this.ahead -= it.ahead.length
      it.ahead.length = 0
      if (it.underWay === 0) this.#end(it)
    }
    return null
  }

  /**
   * Not when the receiver has begun to fail, the lease of the work was lost, or the webhook wants no more. Nor when the
   * lease may be over (the node slept): others may be posting it. Nor while the database takes no results.
   */
  #mayBegin(it: Delivery, now: number): boolean {
    return (
      it.isOurs &&
      this.isWanted &&
      now < it.heldUntil &&
      (it.isTurn || this.#receiver.isActive()) &&
      !this.#work.isStopping() &&
      this.#work.mayBegin(it.item)
    )
  }

  /** Gives a place to an event of the first work item of a line, which goes to the line's end. Answers its position. */
  #begin(line: Array<Delivery>, it: Delivery): number {
    const position = it.ahead.pop()!
    if (it.ahead.length === 0) line.shift()
    else if (line.length > 1) line.push(line.shift()!)
    this.ahead--
    this.#underWay++
    it.underWay++
    if (this.ahead <= this.roomAt || (this.hasMoreSmall && this.small.length === 0)) this.changed.signal()
    return position
  }

  #postOf(it: Delivery, position: number, begunAt: number): WebhookPost {
    const text = it.body(position)
    const at = this.#clock.currentTimeMillisUnsafe()
    return {
      url: this.#endpoint.url,
      headers: deliveryHeaders(this.#endpoint.secrets, text, at, this.#work.hmac),
      body: text,
      timeoutMs: this.#work.timeoutMs,
      settle: (answer) => this.#settle(it, position, at, begunAt, answer)
    }
  }

  /** `at`: epoch milliseconds; `begunAt`: of `elapsed`. */
  #settle(it: Delivery, position: number, at: number, begunAt: number, answer: WebhookAnswer): void {
    const now = this.elapsed()
    this.answered++
    this.#underWay--
    it.underWay--
    const failure = failureOf(answer)
    this.#receiver.note(failure, now)
    if (!this.#receiver.isActive()) this.changed.signal()
    if (failure === null || !it.isProbe) {
      const outcome = answer._tag === "Status" ? answer.status : answer.reason
      it.took({ position, at, latencyMs: now - begunAt, outcome }, failure)
      if (failure !== null) this.#hasRuns = true
      else if (this.#hasRuns) this.#breakRuns()
    }
    if (it.underWay === 0 && it.ahead.length === 0) this.#end(it)
    else if (it.unsaved >= it.saveAfter || (it.unsaved > 0 && now - it.savedAt >= SAVE_MS)) this.#wantSave(it)
  }

  #breakRuns(): void {
    this.#hasRuns = false
    for (const other of this.open) if (other.hasRun) other.breakRun()
  }

  #end(it: Delivery): void {
    it.isOver = true
    if (it.isOurs) this.#wantSave(it)
    else this.done(it)
    if (this.isQuiet) this.quiet.signal()
  }

  #wantSave(it: Delivery): void {
    if (it.isDue) return
    it.isDue = true
    this.#due.push(it)
    this.saveWanted.signal()
  }

  /** Whether results wait to be written. */
  get hasDue(): boolean {
    return this.#due.length > 0
  }

  /** What waits to be written; with `all`, whatever has come. The waiting ends for those who lost their lease. */
  takeDue(all: boolean): ReadonlyArray<Delivery> {
    const asked = all ? this.open.filter((it) => it.unsaved > 0 || it.isDue) : this.#due
    this.#due = []
    const ours = asked.filter((it) => it.isOurs && !it.isDone)
    for (const it of asked) if (!it.isOurs && it.isOver && !it.isDone) this.done(it)
    return ours
  }

  /** What is not written yet when the round ends, whatever for: nothing more is posted of it. */
  takeLeft(): ReadonlyArray<Delivery> {
    const left = this.open.filter(({ isDone, isOurs }) => isOurs && !isDone)
    for (const it of left) it.isOver = true
    return left
  }

  /** Nothing of it is left to write. */
  done(it: Delivery): void {
    it.isDone = true
    if (it.spanOver === null) this.close(it)
    else it.spanOver.signal()
  }

  close(it: Delivery): void {
    const last = this.open.pop()!
    if (last !== it) {
      this.open[it.place] = last
      last.place = it.place
    }
    if (this.open.length === 0) this.changed.signal()
  }

  /**
   * Looks at the webhook again, because a round may take long: a new address or secret counts from the next attempt, and
   * a webhook that is disabled, removed or of a new epoch gets nothing more. What was posted counts for the old epoch.
   */
  refresh(): Effect.Effect<void, StoreError> {
    return Effect.map(this.#work.endpoint, (now) => {
      if (Option.isSome(now) && now.value.epoch === this.facts.epoch) this.#endpoint = now.value
      else {
        this.isWanted = false
        this.changed.signal()
      }
    })
  }
}
