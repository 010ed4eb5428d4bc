/** Names under which nothing is ever found by DNS (RFC 6761, RFC 7686, RFC 9476). */
const NEVER = ["invalid", "onion", "alt"]

/** Names that exist in private networks at most (RFC 6761, RFC 6762, RFC 8375, and ICANN's `.internal`). */
const PRIVATE = ["local", "internal", "test", "example", "home.arpa"]

export type NameKind =
  /** DNS has no such name, or cannot even be asked for it. */
  | "never"
  /** The machine itself. */
  | "loopback"
  /** A private network may know it. */
  | "private"
  | "public"

const isUnder = (name: string, domains: ReadonlyArray<string>): boolean =>
  domains.some((domain) => name === domain || name.endsWith(`.${domain}`))

/** What a host name in the form of WHATWG URL (lower case, Punycode) can be, as far as that shows without asking anybody. */
export const kindOfName = (host: string): NameKind => {
  const name = host.endsWith(".") ? host.slice(0, -1) : host
  if (name.length > 253 || name.split(".").some((label) => label === "" || label.length > 63)) return "never"
  if (isUnder(name, NEVER)) return "never"
  if (isUnder(name, ["localhost"])) return "loopback"
  return !name.includes(".") || isUnder(name, PRIVATE) ? "private" : "public"
}
