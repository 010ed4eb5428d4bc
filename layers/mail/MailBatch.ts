import type { SmtpFailure } from "./SmtpFailure.ts"
import type { Stage } from "./SmtpReply.ts"

/** A batch of mails to one server. */
export interface MailBatch {
  readonly count: number
  /** Goes before all that is not. */
  readonly isHigh?: boolean
  readonly from: string
  readonly to: (index: number) => string
  readonly write: (index: number) => Buffer
  readonly onSent: (index: number) => void
  readonly onFailure: (index: number, failure: SmtpFailure, stage: Stage) => void
  /** Asked before each message. When it says no, none that waits is sent any more. */
  readonly mayBegin?: () => boolean
  readonly onWithheld: (index: number) => void
  /** Every index has had its call. */
  readonly onEnd: () => void
}

/** A batch of mails on its way: who has not been tried, and who goes again. */
export class MailWork {
  readonly batch: MailBatch
  live = true
  #next = 0
  #left: number
  readonly #again: Array<number> = []
  readonly #repeated = new Set<number>()

  constructor(batch: MailBatch) {
    this.batch = batch
    this.#left = batch.count
  }
  get waiting(): number {
    return this.live ? this.#again.length + this.batch.count - this.#next : 0
  }
  take(): number {
    return this.#again.pop() ?? this.#next++
  }
  /** Puts a message back that the server has not begun to take. False the second time, unless that may happen often. */
  again(index: number, isUsual: boolean): boolean {
    if (!isUsual) {
      if (this.#repeated.has(index)) return false
      this.#repeated.add(index)
    }
    this.#again.push(index)
    return true
  }
  sent(index: number): void {
    if (!this.live) return
    this.batch.onSent(index)
    this.#count()
  }
  fail(index: number, failure: SmtpFailure, stage: Stage): void {
    if (!this.live) return
    this.batch.onFailure(index, failure, stage)
    this.#count()
  }
  /** Nothing that waits is sent. */
  withhold(): void {
    while (this.waiting > 0) {
      this.batch.onWithheld(this.take())
      this.#count()
    }
  }
  #count(): void {
    if (--this.#left > 0) return
    this.live = false
    this.batch.onEnd()
  }
}
