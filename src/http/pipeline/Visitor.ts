import { Effect } from "effect"
import type { Person } from "../../../services/domain/people/Account.ts"
import type { Auth, Caller, Forbidden } from "../../../services/engine/access/Auth.ts"
import { LIKE_A_TOKEN, Unauthorized } from "../../../services/engine/access/Auth.ts"
import type { Sessions } from "../../../services/engine/people/Sessions.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { ApiError } from "./ApiError.ts"
import type { Incoming } from "./Incoming.ts"
import type { SetCookie } from "./Reply.ts"

/*
 * Who asks at an endpoint for people. The Authorization header says it, with a secret key or a session's token; without
 * one, the session's cookie does, for browsers. A browser sends the cookie along with what other sites make it send: so a
 * request that comes with the cookie alone has to come from a page of our own.
 */

export interface Visitor {
  readonly caller: Caller | null
  readonly person: Person | null
  /**
   * Why a browser's cookie tells nobody any more. The cookie is taken away, and the browser is a stranger: it may sign in
   * again at once, and whatever is not for strangers is refused with this.
   */
  readonly ended: Unauthorized | null
}

export const SESSION_COOKIE = "service_session"
/**
 * The account that a page shows. A browser has one cookie for all of its pages: once somebody else has signed in on another
 * one, what this page does is not theirs.
 */
const ACCOUNT_HEADER = "x-account-id"
/** It tells a browser that has signed in before from strangers (`SignIn`), and signs nobody in. */
const DEVICE_COOKIE = "service_device"

/** What it takes to know sessions by requests. */
export interface SessionReader {
  readonly sessions: Sessions["Service"]
  /** Of `BASE_URL`: where our own pages are. */
  readonly origin: string
  /** Whether cookies are for TLS alone: where `BASE_URL` is https. */
  readonly isSecure: boolean
}

export const sessionReader = (sessions: Sessions["Service"], baseUrl: string): SessionReader => {
  const { origin, protocol } = new URL(baseUrl)
  return { sessions, origin, isSecure: protocol === "https:" }
}

/** All values that a request's cookies have under a name. */
export const cookiesIn = ({ headers }: Pick<Incoming, "headers">, name: string): ReadonlyArray<string> =>
  (headers["cookie"] ?? "").split(";").flatMap((part) => {
    const at = part.indexOf("=")
    return at !== -1 && part.slice(0, at).trim() === name ? [part.slice(at + 1).trim()] : []
  })

const removed = (name: string, isSecure: boolean): SetCookie => ({ name, value: "", maxAgeSeconds: 0, isSecure })

/** A cookie that ends with the session. */
export const sessionCookie = (value: string, maxAgeSeconds: number, isSecure: boolean): SetCookie => ({
  name: SESSION_COOKIE,
  value,
  maxAgeSeconds,
  isSecure
})

export const noSessionCookie = (isSecure: boolean): SetCookie => removed(SESSION_COOKIE, isSecure)

/**
 * Whether a browser says that a page of our own sends the request. Every browser says one or the other with a POST. Ours
 * are those of `BASE_URL`, and of the name by which this very request came: another site's pages name their own.
 */
export const isFromOurPages = ({ headers }: Incoming, { isSecure, origin }: SessionReader): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const from = headers["origin"]
  if (from === undefined || !URL.canParse(from)) return false
  const { host, protocol } = new URL(from)
  return from === origin || (host === headers["host"] && (protocol === "https:" || !isSecure))
}

const COOKIE = "The session's cookie is good for pages of this service alone"
const SCRIPTS = "Scripts send the token as `Authorization: Bearer`, without the cookie."
/** Characters of a header that are shown. */
const SHOWN = 200

/** Why `isFromOurPages` says no, and what those can do who are in the right. */
export const notFromOurPages = ({ headers }: Incoming, { origin }: SessionReader): string => {
  const { "sec-fetch-site": site, origin: from } = headers
  if (site !== undefined) {
    return `${COOKIE}, and the browser says that this comes from elsewhere (Sec-Fetch-Site: ${site.slice(0, SHOWN)}). ${SCRIPTS}`
  }
  if (from === undefined)
    return `${COOKIE}, and neither Sec-Fetch-Site nor Origin says what page this comes from. ${SCRIPTS}`
  return `${COOKIE}: of ${origin} (BASE_URL), or of the name that the request is for (Host). This comes from ${from.slice(0, SHOWN)}. If that is where people open the service, set BASE_URL to it, and have proxies pass on Host as it came, with its port. ${SCRIPTS}`
}

/** How long a browser is known, beyond its sessions: 180 days. */
const DEVICE_SECONDS = 180 * 86_400

/** No other host of the domain can put one in its place, which would make a stranger of the browser. */
export const deviceCookie = (value: string, isSecure: boolean): SetCookie => ({
  name: isSecure ? `__Host-${DEVICE_COOKIE}` : DEVICE_COOKIE,
  value,
  maxAgeSeconds: DEVICE_SECONDS,
  isSecure
})

export const deviceIn = (request: Pick<Incoming, "headers">): string | null =>
  cookiesIn(request, `__Host-${DEVICE_COOKIE}`)[0] ?? cookiesIn(request, DEVICE_COOKIE)[0] ?? null

const BEARER = /^Bearer +([\x21-\x7e]{1,4096})$/i
/** A key is one under any scheme word. */
const LIKE_A_KEY = /^(?:sk|pk)_/

const EMPTY =
  "The Authorization header has no token after the word Bearer. Send that of a session, from verifyLoginCode."
const NOT_BEARER = "The token of a session is sent with the scheme word Bearer: `Authorization: Bearer …`."

const ANOTHER = new Unauthorized({
  message: "Somebody else has signed in on another page of this browser. Sign in again."
})

const NOBODY: Visitor = { caller: null, person: null, ended: null }

/** Tells who asks. Nobody, when neither header nor cookie says anything; what they say has to be good. */
export const recognise = Effect.fnUntraced(function* (
  auth: Auth["Service"],
  reader: SessionReader,
  request: Incoming,
  cookies: Array<SetCookie>
): Effect.fn.Return<Visitor, ApiError | Forbidden | Unauthorized | StoreError> {
  const { isSecure, sessions } = reader
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const [, token] = BEARER.exec(authorization) ?? []
    if (token !== undefined && !LIKE_A_KEY.test(token)) {
      return { ...NOBODY, person: yield* sessions.authenticate(token) }
    }
    if (/^Bearer\s*$/i.test(authorization)) return yield* new Unauthorized({ message: EMPTY })
    if (token === undefined && LIKE_A_TOKEN.test(authorization)) return yield* new Unauthorized({ message: NOT_BEARER })
    return { ...NOBODY, caller: yield* auth.authenticate(authorization, "secret") }
  }
  const tokens = cookiesIn(request, SESSION_COOKIE)
  const [token] = tokens
  if (token === undefined) return NOBODY
  if (!isFromOurPages(request, reader)) {
    return yield* Effect.fail(new ApiError("forbidden", notFromOurPages(request, reader)))
  }
  // Another host of the domain may have added one of its own; which of them is ours, nobody can tell.
  if (tokens.length > 1) {
    cookies.push(noSessionCookie(isSecure))
    return yield* new Unauthorized({ message: "There are several cookies of this name. Sign in again." })
  }
  const known = Effect.map(sessions.authenticate(token), (person): Visitor => ({ ...NOBODY, person }))
  const session = yield* Effect.catchTag(known, "Unauthorized", (ended) => Effect.succeed({ ...NOBODY, ended }))
  if (session.person === null) {
    cookies.push(noSessionCookie(isSecure))
    return session
  }
  const meant = request.headers[ACCOUNT_HEADER]
  // As a stranger's: who was signed in before signs in again there, with a code.
  return meant === undefined || meant === session.person.account.id ? session : { ...NOBODY, ended: ANOTHER }
})
