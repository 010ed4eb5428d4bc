import type { Dispatcher } from "undici"
import { errors } from "undici"
import { AnswerTooLong } from "../../services/ports/outbound/AnswerBytes.ts"
import { answerMemory, Holding, sizeOfFields } from "../../services/ports/outbound/AnswerMemory.ts"
import type { Http2Answer, Http2Failure } from "../../services/ports/outbound/Http2Client.ts"
import { AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { answerFaultOf, interimFault } from "../../services/ports/outbound/AnswerFaults.ts"

type Headers = Record<string, string | string[] | undefined>

/** The answer has more than is kept of it. */
class TooLarge extends Error {}
/** It did not come to its end in time. */
class Late extends Error {}

const reasonOf = (error: Error, hasHead: boolean): Http2Failure["reason"] => {
  const code = (error as NodeJS.ErrnoException).code
  if (error instanceof errors.ConnectTimeoutError || code === "ECONNREFUSED" || code === "ENOTFOUND") return "connect"
  if (error instanceof Late) return "timeout"
  const isTooLarge =
    error instanceof TooLarge || error instanceof AnswerTooLong || error instanceof errors.HeadersOverflowError
  if (isTooLarge) return "too_large"
  return answerFaultOf(error, hasHead)?.isCut === false ? "protocol" : "closed"
}

const sizeOf = (headers: Headers): number =>
  sizeOfFields(Object.entries(headers).map(([name, value]) => [name, String(value)] as const))

export interface ExchangeOptions {
  readonly maxBody: number
  /** As in the pool of the port: statuses that count from the header on. */
  readonly isEnough: (status: number) => boolean
  /** The request is being written: from now on it has its deadline, which calls `expire`. */
  readonly onStart: (exchange: Http1Exchange) => void
  /** Called once, with an answer or a failure. */
  readonly onEnd: (exchange: Http1Exchange, result: Http2Answer | Http2Failure) => void
}

/** A request and its answer over HTTP/1.1, within the same bounds as over HTTP/2. */
export class Http1Exchange implements Dispatcher.DispatchHandler {
  private readonly options: ExchangeOptions
  private readonly content: AnswerChunks
  private readonly holding = new Holding(() => this.abort(new TooLarge("the answer had to make room for others")))
  private controller: Dispatcher.DispatchController | undefined = undefined
  private interims = 0
  private status = 0
  private headers: Headers = {}
  private reason: Error | undefined = undefined

  constructor(options: ExchangeOptions) {
    this.options = options
    this.content = new AnswerChunks(options.maxBody)
  }

  expire(): void {
    this.abort(new Late("no answer in time"))
  }

  /** Nobody waits for it any more. */
  abandon(): void {
    this.abort(new Error("abandoned"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.reason !== undefined) return controller.abort(this.reason)
    this.options.onStart(this)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) {
      const fault = interimFault(status, ++this.interims)
      if (fault !== null) this.abort(fault)
      return
    }
    this.status = status
    this.headers = headers
    answerMemory.hold(this.holding, sizeOf(headers) + 1)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const had = this.content.held
    if (!this.content.add(chunk)) {
      this.abort(new TooLarge("the answer is larger than allowed, or comes in crumbs"))
    } else if (this.content.held > had) {
      answerMemory.hold(this.holding, this.holding.bytes + this.content.held - had)
    }
  }

  onResponseEnd(): void {
    this.end(this.answer(this.content.text()))
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const why = this.reason ?? error
    if (this.status !== 0 && this.options.isEnough(this.status)) return this.end(this.answer(""))
    const reason = reasonOf(why, this.status !== 0)
    this.end({ reason, message: why.message, unprocessed: reason === "connect" })
  }

  private abort(reason: Error): void {
    if (this.reason !== undefined) return
    this.reason = reason
    answerMemory.release(this.holding)
    this.controller?.abort(reason)
  }

  private answer(body: string): Http2Answer {
    const { status, headers } = this
    return {
      status,
      header: (name) => {
        const value = headers[name]
        return Array.isArray(value) ? value[0] : value
      },
      body
    }
  }

  private end(result: Http2Answer | Http2Failure): void {
    answerMemory.release(this.holding)
    this.options.onEnd(this, result)
  }
}
