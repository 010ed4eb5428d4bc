import type { Http2Answer, Http2Batch, Http2Failure } from "../../services/ports/outbound/Http2Client.ts"

/** How often a request goes again that the peer did not process. */
const RESENDS = 3

/** A batch under way: which of its requests were handed to a connection, which go again, how many still lack their call. */
export class BatchRun {
  readonly batch: Http2Batch
  /** False after its end or interruption: no call is made any more. */
  live = true
  /** For connections: what each built once for all requests of this batch, and what was used last. */
  readonly templates = new Map<object, unknown>()
  template: unknown = undefined
  private next = 0
  private left: number
  private readonly again: Array<number> = []
  private readonly resends = new Map<number, number>()
  private readonly end: (defect: unknown) => void

  /** `end` is called once: with undefined when every index has its call, or with what a function of the batch threw. */
  constructor(batch: Http2Batch, end: (defect: unknown) => void) {
    this.batch = batch
    this.left = batch.count
    this.end = end
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.live ? this.again.length + this.batch.count - this.next : 0
  }

  /** Whether requests that wait may still be sent. */
  get mayBegin(): boolean {
    return this.batch.mayBegin === undefined || this.batch.mayBegin()
  }

  /** The next request to send; only while some wait. */
  take(): number {
    return this.again.length > 0 ? this.again.pop()! : this.next++
  }

  /** Puts a request back that the peer did not process. False when it had its turns. */
  resend(index: number): boolean {
    const times = this.resends.get(index) ?? 0
    if (times === RESENDS) return false
    this.resends.set(index, times + 1)
    this.again.push(index)
    return true
  }

  answer(index: number, answer: Http2Answer): void {
    if (!this.live) return
    try {
      this.batch.onAnswer(index, answer)
    } catch (error) {
      return this.die(error)
    }
    this.count()
  }

  fail(index: number, failure: Http2Failure): void {
    if (!this.live) return
    try {
      this.batch.onFailure(index, failure)
    } catch (error) {
      return this.die(error)
    }
    this.count()
  }

  /** Fails whatever waits. */
  failWaiting(failure: Http2Failure): void {
    while (this.waiting > 0) this.fail(this.take(), failure)
  }

  /** A function of the batch threw: that is the caller's defect and ends this batch alone. */
  die(defect: unknown): void {
    if (!this.live) return
    this.live = false
    this.end(defect ?? new Error("A function of the batch threw nothing"))
  }

  private count(): void {
    // The call itself may have ended the run, by interrupting its fiber.
    if (--this.left > 0 || !this.live) return
    this.live = false
    this.end(undefined)
  }
}
