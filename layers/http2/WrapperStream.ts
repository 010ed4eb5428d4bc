import type http2 from "http2-wrapper"
import { type Holding, sizeOfFields } from "../../services/ports/outbound/AnswerMemory.ts"
import type { Http2Answer, Http2Failure } from "../../services/ports/outbound/Http2Client.ts"
import type { AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { failure } from "./Http2Connection.ts"
import type { BatchRun } from "./BatchRun.ts"

/** A request on the wire. */
export interface Stream {
  readonly run: BatchRun
  readonly index: number
  readonly openedAt: number
  headers: http2.IncomingHttpHeaders | undefined
  interims: number
  readonly content: AnswerChunks
  complete: boolean
  readonly holding: Holding
}

/** The peer has begun to answer, so that the request was processed. */
export const hasBegun = ({ headers, interims }: Stream): boolean => headers !== undefined || interims > 0

export const tooLarge = (message: string): Http2Failure => failure("too_large", message, false)

export const sizeOfHeaders = (headers: http2.IncomingHttpHeaders): number =>
  sizeOfFields(Object.entries(headers).map(([name, value]) => [name, String(value)] as const))

export const answerOf = (headers: http2.IncomingHttpHeaders, body: string): Http2Answer => ({
  status: Number(headers[":status"]),
  header: (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
  body
})
