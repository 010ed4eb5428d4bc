/*
 * What is wrong with a connection, by the codes of Node, OpenSSL and undici. Their messages name the address that was
 * called and what a certificate holds, so none of their text is taken over where customers see it.
 */

/** Faults of TLS that stay until somebody changes something, by what OpenSSL and Node call them. */
const TLS_FAULTS = {
  CERT_HAS_EXPIRED: "tls_certificate_expired",
  CERT_NOT_YET_VALID: "tls_certificate_not_yet_valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_certificate_unknown_authority",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_certificate_unknown_authority",
  UNABLE_TO_GET_ISSUER_CERT: "tls_certificate_unknown_authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_certificate_unknown_authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_certificate_unknown_authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_certificate_wrong_name",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "tls_version",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "tls_version",
  ERR_SSL_WRONG_VERSION_NUMBER: "tls_not_spoken",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "tls_not_spoken"
} as const

export type TlsFault = (typeof TLS_FAULTS)[keyof typeof TLS_FAULTS]

/** The fault that a code names; null where it names none, or none that lasts. */
export const tlsFaultOf = (code: string | undefined): TlsFault | null =>
  code !== undefined && Object.hasOwn(TLS_FAULTS, code) ? TLS_FAULTS[code as keyof typeof TLS_FAULTS] : null

const OF_TLS: Readonly<Record<TlsFault, string>> = {
  tls_certificate_expired: "the certificate has expired",
  tls_certificate_not_yet_valid: "the certificate is not valid yet",
  tls_certificate_unknown_authority: "the certificate is not trusted",
  tls_certificate_wrong_name: "the certificate is for another name",
  tls_version: "no version of TLS from 1.2 on is offered",
  tls_not_spoken: "TLS is not spoken there"
}

const OF_CONNECTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  EPIPE: "connection closed",
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CLOSED: "connection closed",
  UND_ERR_DESTROYED: "connection closed",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "host unreachable",
  EADDRNOTAVAIL: "host unreachable",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  UND_ERR_INVALID_ARG: "the request is not valid"
}

/** Why there was no answer, for whoever chose the address: nothing of what the system knows of it. */
export const plainReason = (code: string | undefined): string => {
  const fault = tlsFaultOf(code)
  if (fault !== null) return OF_TLS[fault]
  if (code === undefined) return "no answer"
  if (Object.hasOwn(OF_CONNECTIONS, code)) return OF_CONNECTIONS[code]!
  return /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO)/.test(code) ? "TLS failed" : "no answer"
}
