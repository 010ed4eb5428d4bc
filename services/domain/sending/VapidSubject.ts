/** Ends of names that nobody owns on the internet (RFC 2606, RFC 6762, RFC 8375, and what networks use inside). */
const NOBODYS = /(?:^|\.)(?:localhost|local|invalid|test|example|internal|lan|home\.arpa)$/

const hostOf = (subject: string): string =>
  (/^mailto:/i.test(subject) ? subject.slice(subject.lastIndexOf("@") + 1) : (URL.parse(subject)?.hostname ?? ""))
    .toLowerCase()
    .replace(/\.$/, "")

/**
 * The host of a VAPID subject where no push service can write to it; null where one may. Apple refuses all messages of
 * such a sender with 403 BadJwtToken, others take them (github.com/web-push-libs/web-push/issues/947).
 */
export const unreachableHost = (subject: string): string | null => {
  const host = hostOf(subject)
  const isAddress = /^\d+(?:\.\d+){3}$/.test(host) || host.startsWith("[")
  return isAddress || !host.includes(".") || NOBODYS.test(host) ? host : null
}
