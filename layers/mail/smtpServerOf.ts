import { isIP } from "node:net"
import { domainToASCII } from "node:url"
import type { SmtpServer } from "./SmtpPool.ts"

/** What the engine calls itself in EHLO. */
export const greetingOf = (baseUrl: string): string => {
  const { hostname } = new URL(baseUrl)
  // URLs have the brackets of an address of IPv6, and mail a word before it (RFC 5321, 4.1.3).
  return isIP(hostname) === 4 ? `[${hostname}]` : hostname.replace(/^\[/, "[IPv6:")
}

/** Credentials are checked when they are set; one that was set before the check must not throw in every batch. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** What the URL of a server says; passwords come percent-encoded in it. Null when it cannot be understood. */
export const smtpServerOf = (text: string, name: string, trusted: SmtpServer["tls"]): SmtpServer | null => {
  const url = URL.parse(text)
  if (url === null) return null
  const [hostname, user, pass] = [url.hostname, url.username, url.password].map(decoded)
  if (hostname === undefined || user === undefined || pass === undefined) return null
  // The parser leaves the host of a scheme that it does not know as it stands.
  const bare = hostname.replace(/^\[(.*)\]$/, "$1")
  const host = isIP(bare) === 0 ? domainToASCII(bare) : bare
  if (host === "") return null
  const secure = url.protocol === "smtps:"
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    auth: user === "" ? null : { user, pass },
    name,
    // SNI knows no addresses; the certificate is then checked against the address itself.
    tls: { ...trusted, ...(isIP(host) === 0 && { servername: host }) }
  }
}
