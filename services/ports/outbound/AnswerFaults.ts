import { MOST_INTERIMS } from "./AnswerChunks.ts"

/*
 * What is wrong with an answer over HTTP/1.1 that undici does not take. Its errors do not tell an answer that breaks the
 * rules from one that was cut short, and some answers end in its assertions.
 */

const NOT_HTTP = "the answer is not HTTP"
const SWITCHES = "the answer switches to another protocol, which was not asked for"

/** An answer that is not taken. The message is for whoever chose the address, and names nothing. */
export class AnswerFault extends Error {
  /** The connection ended before the answer did; otherwise the answer breaks the rules. */
  readonly isCut: boolean
  constructor(message: string, isCut = false) {
    super(message)
    this.isCut = isCut
  }
}

/**
 * What is wrong with an answer whose status is below 200, the `count`th of its request; null: it announces another. Undici
 * goes on with those that are no statuses, and with 101 unless it names the protocol, until an assertion fails.
 */
export const interimFault = (status: number, count: number): AnswerFault | null => {
  if (status < 100) return new AnswerFault(NOT_HTTP)
  if (status === 101) return new AnswerFault(SWITCHES)
  return count > MOST_INTERIMS ? new AnswerFault("too many interim answers") : null
}

/** The fault of an answer in an error of undici's; null where there is none. `hasHead`: the answer's head had come. */
export const answerFaultOf = (error: Error, hasHead: boolean): AnswerFault | null => {
  if (error instanceof AnswerFault) return error
  if (error.message === "bad upgrade") return new AnswerFault(SWITCHES)
  // Whatever is wrong in a head after its Content-Length is told as a body of another length, before there is any.
  const isOfLength = (error as NodeJS.ErrnoException).code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"
  if (!isOfLength && error.name !== "HTTPParserError") return null
  const isCut = hasHead && (isOfLength || error.message.includes("Invalid EOF state"))
  return isCut ? new AnswerFault("connection closed", true) : new AnswerFault(NOT_HTTP)
}
