/** How deep an error may stand in others; a chain may be a circle. */
const DEPTH = 6

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection is refused: nothing listens there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ENOTFOUND: "nobody knows that name",
  EAI_AGAIN: "the name server does not answer",
  ETIMEDOUT: "no answer: a firewall may be in between, or the address may be wrong",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate comes from an authority that is not trusted",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name"
}

export const NO_ANSWER = WORDS["ETIMEDOUT"]!

/** What kept a connection from coming about, in words for an operator; null for an error that is about something else. */
export const networkFault = (error: unknown): string | null => {
  let next = error
  for (let depth = 0; depth < DEPTH && typeof next === "object" && next !== null; depth++) {
    const { cause, code, errors } = next as { readonly cause?: unknown; readonly code?: unknown; errors?: unknown }
    const words = typeof code === "string" ? WORDS[code] : undefined
    if (words !== undefined) return words
    // A name with several addresses, each of which was tried.
    next = cause ?? (Array.isArray(errors) ? (errors[0] as unknown) : undefined)
  }
  return null
}
