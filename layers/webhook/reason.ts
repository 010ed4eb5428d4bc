import { errors } from "undici"
import { AnswerTooLong } from "../../services/ports/outbound/AnswerBytes.ts"
import { AddressRefused, ConnectTimeout } from "./Connector.ts"

/** An answer was announced (1xx) again and again, and did not come. */
export class TooManyInterims extends Error {}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  EPIPE: "connection closed",
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CLOSED: "connection closed",
  UND_ERR_DESTROYED: "connection closed",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "host unreachable",
  EADDRNOTAVAIL: "host unreachable",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  UND_ERR_INVALID_ARG: "the request is not valid",
  CERT_HAS_EXPIRED: "the certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate is not trusted"
}

/**
 * Why there was no answer, for the customer. The system's own messages name the address that was called, so none of
 * their text is taken over.
 */
export const reasonOf = (error: Error): string => {
  if (error instanceof AddressRefused) return "the address is not allowed: it must be public"
  if (error instanceof ConnectTimeout) return "timeout"
  if (error instanceof TooManyInterims) return "too many interim answers"
  if (error instanceof AnswerTooLong) return "the answer is too long"
  if (error instanceof errors.HTTPParserError) return "the answer is not HTTP"
  const code = (error as NodeJS.ErrnoException).code ?? ""
  const known = REASONS[code]
  if (known !== undefined) return known
  if (/^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO)/.test(code)) return "TLS failed"
  return "no answer"
}

/** Whether no connection came about, so that another address of the name is worth a try next time. */
export const isConnectError = (error: Error): boolean =>
  error instanceof ConnectTimeout ||
  ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"].includes((error as NodeJS.ErrnoException).code ?? "")
