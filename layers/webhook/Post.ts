import type { Dispatcher } from "undici"
import { interimFault } from "../../services/ports/outbound/AnswerFaults.ts"
import type { WebhookAnswer } from "../../services/ports/webhooks/WebhookClient.ts"
import type { Deadlines, Expiring } from "./Deadlines.ts"
import { reasonOf } from "./reason.ts"

/** Bodies up to this are let run out, so that the connection can be used again; a longer one costs the connection. */
const BODY_LIMIT = 64 * 1024
/** So many chunks it may come in: nothing of it is kept, but each costs a call. */
const BODY_CHUNKS = 1024
/** And so does one that takes longer than this. */
const BODY_MS = 1000

/**
 * One POST under way. The states: waiting (for a connection, then for the head of the answer), answered (the answer is
 * given, its body runs out unread), over. It ends by the answer's end, an error, its deadline or an interruption.
 */
export class Post implements Dispatcher.DispatchHandler, Expiring {
  deadline: number
  place = -1
  /** What it is one of: see `WebhookSender.postAll`. */
  readonly group: object | null
  readonly #deadlines: Deadlines
  #answer: ((answer: WebhookAnswer, error: Error | null) => void) | null
  #release: (() => void) | null = null
  #controller: Dispatcher.DispatchController | null = null
  #abandoned = false
  #received = 0
  #chunks = 0
  #interims = 0

  constructor(
    deadline: number,
    deadlines: Deadlines,
    group: object | null,
    answer: (answer: WebhookAnswer, error: Error | null) => void
  ) {
    this.deadline = deadline
    this.group = group
    this.#deadlines = deadlines
    this.#answer = answer
    deadlines.add(this)
  }

  get isAbandoned(): boolean {
    return this.#abandoned
  }

  /** Whether somebody still waits for its answer. */
  get isWaiting(): boolean {
    return this.#answer !== null
  }

  /** What is done with its connection when that is free again, or gone. */
  onRelease(release: () => void): void {
    this.#release = release
  }

  /** Gives up, whatever the state, and answers with the reason if there was no answer yet. */
  end(reason: string): void {
    this.#tell({ _tag: "NoAnswer", reason }, null)
    this.abandon()
  }

  /** Nobody waits any more: the connection goes with the request. */
  abandon(): void {
    this.#answer = null
    this.#abandoned = true
    this.#deadlines.remove(this)
    this.#controller?.abort(new Error("abandoned"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It was given up while it waited for a connection: not a byte is sent.
    if (this.#abandoned) controller.abort(new Error("abandoned"))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    // 1xx announces an answer, and is none.
    if (status < 200) {
      const fault = interimFault(status, ++this.#interims)
      if (fault !== null) controller.abort(fault)
      return
    }
    this.#tell({ _tag: "Status", status }, null)
    if (Number(headers["content-length"] ?? 0) > BODY_LIMIT) return controller.abort(new Error("body too long"))
    this.deadline = Math.min(this.deadline, performance.now() + BODY_MS)
    this.#deadlines.add(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#received += chunk.length
    if (this.#received > BODY_LIMIT || ++this.#chunks > BODY_CHUNKS) controller.abort(new Error("body too long"))
  }

  onResponseEnd(): void {
    this.#deadlines.remove(this)
    this.#free()
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#deadlines.remove(this)
    this.#tell({ _tag: "NoAnswer", reason: reasonOf(error) }, error)
    // Undici tells the requests of a connection one by one that it failed, and takes it for a fault of its own when one
    // more has come by the end: its exception would end the process.
    queueMicrotask(() => this.#free())
  }

  #free(): void {
    const release = this.#release
    this.#release = null
    release?.()
  }

  #tell(answer: WebhookAnswer, error: Error | null): void {
    const tell = this.#answer
    this.#answer = null
    tell?.(answer, error)
  }
}
