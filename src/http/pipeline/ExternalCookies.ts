import { PENDING_MS, REDIRECT_MS } from "../../../services/domain/people/ExternalIdentity.ts"
import type { Incoming } from "./Incoming.ts"
import type { SetCookie } from "./Reply.ts"
import { cookiesIn } from "./Visitor.ts"

/*
 * What a browser has to have when it comes back from a provider, and while an identity waits for a code. No other host of
 * the domain can add a cookie whose name begins with `__Host-`; browsers take such a name over TLS alone.
 */

/** 256 bits, as base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

const COOKIES = {
  redirect: { name: "service_oauth", maxAgeSeconds: REDIRECT_MS / 1000 },
  pending: { name: "service_pending_sign_in", maxAgeSeconds: PENDING_MS / 1000 }
} as const
type Kind = keyof typeof COOKIES

const nameOf = (kind: Kind, isSecure: boolean): string => `${isSecure ? "__Host-" : ""}${COOKIES[kind].name}`

/** The browser's, where it has one that can be ours. */
export const externalCookieIn = (request: Pick<Incoming, "headers">, kind: Kind, isSecure: boolean): string | null => {
  const [value, ...others] = cookiesIn(request, nameOf(kind, isSecure))
  return value !== undefined && others.length === 0 && SECRET.test(value) ? value : null
}

export const externalCookie = (kind: Kind, value: string, isSecure: boolean): SetCookie => ({
  name: nameOf(kind, isSecure),
  value,
  maxAgeSeconds: COOKIES[kind].maxAgeSeconds,
  isSecure
})

export const noExternalCookie = (kind: Kind, isSecure: boolean): SetCookie => ({
  name: nameOf(kind, isSecure),
  value: "",
  maxAgeSeconds: 0,
  isSecure
})
