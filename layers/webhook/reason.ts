import { AnswerTooLong } from "../../services/ports/outbound/AnswerBytes.ts"
import { answerFaultOf } from "../../services/ports/outbound/AnswerFaults.ts"
import { plainReason } from "../../services/ports/outbound/ConnectionFaults.ts"
import { AddressRefused, ConnectTimeout } from "./Connector.ts"

/**
 * Why there was no answer, for the customer. The system's own messages name the address that was called, so none of
 * their text is taken over.
 */
export const reasonOf = (error: Error): string => {
  if (error instanceof AddressRefused) return "the address is not allowed: it must be public"
  if (error instanceof ConnectTimeout) return "timeout"
  if (error instanceof AnswerTooLong) return "the answer is too long"
  // Once there is a head, its status is the answer.
  return answerFaultOf(error, false)?.message ?? plainReason((error as NodeJS.ErrnoException).code)
}

/** Whether no connection came about, so that another address of the name is worth a try next time. */
export const isConnectError = (error: Error): boolean =>
  error instanceof ConnectTimeout ||
  ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"].includes((error as NodeJS.ErrnoException).code ?? "")
