import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { SESSION_MS } from "../../../services/domain/people/Account.ts"
import type { Person } from "../../../services/domain/people/Account.ts"
import type { ExternalProvider } from "../../../services/domain/people/ExternalIdentity.ts"
import { EXTERNAL_PROVIDERS } from "../../../services/domain/people/ExternalIdentity.ts"
import { returnPath } from "../../../services/domain/people/ReturnAddress.ts"
import type { Returned } from "../../../services/engine/people/ExternalSignIns.ts"
import { ExternalSignIns } from "../../../services/engine/people/ExternalSignIns.ts"
import { Sessions } from "../../../services/engine/people/Sessions.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { ApiError, invalid } from "../pipeline/ApiError.ts"
import { externalCookie, externalCookieIn } from "../pipeline/ExternalCookies.ts"
import type { Call } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"
import type { Incoming } from "../pipeline/Incoming.ts"
import {
  cookiesIn,
  deviceCookie,
  deviceIn,
  isFromOurPages,
  SESSION_COOKIE,
  sessionCookie,
  sessionReader
} from "../pipeline/Visitor.ts"
import { within } from "../pipeline/WaitLimiter.ts"

/** The page that people sign in at. What became of a redirect stands in its query. */
const SIGN_IN_PAGE = "/sign-in"
const OUTCOME = "external_sign_in"

const StartQuery = Schema.Struct({
  mode: Schema.optionalKey(Schema.Literals(["sign_in", "link"])),
  return_to: Schema.optionalKey(Schema.String)
})

const redirectTo = (location: string) =>
  // The address that the browser comes from has a code in it.
  HttpServerResponse.text("", { status: 302, headers: { location, "referrer-policy": "no-referrer" } })

/** A path with more in its query. */
const withQuery = (path: string, parameters: Readonly<Record<string, string>>): string => {
  const url = new URL(path, "http://localhost")
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.pathname + url.search + url.hash
}

/** Where a page of ours goes on after a redirect that left nobody signed in. */
const pageFor = (
  provider: ExternalProvider,
  outcome: string,
  { mode, returnTo }: Pick<Returned & { readonly _tag: "Failed" }, "mode" | "returnTo">
) =>
  mode === "link"
    ? withQuery(returnTo, { [OUTCOME]: outcome, provider })
    : withQuery(SIGN_IN_PAGE, { [OUTCOME]: outcome, provider, return_to: returnTo })

const SUCCESS = {
  status: 302,
  description: "Goes on to the address that the Location header names.",
  schema: Schema.String,
  example: "",
  mediaType: "text/plain"
} as const

const notOffered = () => new ApiError("not_found", "Sign-in by this provider is not offered here.")

/**
 * Sign-in by redirects to other services (spec 4.3): browsers follow links here, so that they are answered by pages, not by
 * errors, wherever a person can go on.
 */
export const externalSignInRoutes = Effect.gen(function* () {
  const external = yield* ExternalSignIns
  const sessions = yield* Sessions
  const { baseUrl } = yield* HttpSettings
  const reader = sessionReader(sessions, baseUrl)
  const { isSecure } = reader
  const { origin } = new URL(baseUrl)

  /** Who is signed in. Another site's link is no reason to refuse: what depends on the session looks at it by itself. */
  const personOf = (request: Incoming): Effect.Effect<Person | null, StoreError> => {
    const [token, ...others] = cookiesIn(request, SESSION_COOKIE)
    return token === undefined || others.length > 0
      ? Effect.succeed(null)
      : Effect.catchTag(sessions.authenticate(token), "Unauthorized", () => Effect.succeed(null))
  }

  const start = Effect.fnUntraced(function* (provider: ExternalProvider, { cookies, query, request, waits }: Call) {
    const { mode = "sign_in", return_to: returnTo = "/" } = query as typeof StartQuery.Type
    // A binding begins on a page of ours: another site's would choose the moment, and the provider's account.
    if (mode === "link" && !isFromOurPages(request, reader)) {
      return yield* Effect.fail(
        new ApiError("forbidden", "An external sign-in is added on pages of this service alone.")
      )
    }
    const person = yield* within(waits, personOf(request))
    const browser = externalCookieIn(request, "redirect", isSecure)
    return yield* external
      .start({ provider, mode, returnTo, browser, person, wait: (work) => within(waits, work) })
      .pipe(
        Effect.map((left) => {
          cookies.push(externalCookie("redirect", left.browser, isSecure))
          return redirectTo(left.url)
        }),
        Effect.catchTags({
          ProviderNotOffered: () => Effect.fail(notOffered()),
          InvalidField: ({ field, message }) => Effect.fail(invalid([{ field, message }])),
          Unauthorized: ({ message }) => Effect.fail(new ApiError("unauthorized", message)),
          ProviderUnavailable: ({ reason }) =>
            Effect.as(
              Effect.logWarning("A provider of external sign-ins cannot be used").pipe(
                Effect.annotateLogs({ provider, reason })
              ),
              // Where it was to lead has been judged by now.
              redirectTo(pageFor(provider, "unavailable", { mode, returnTo: returnPath(returnTo, origin) ?? "/" }))
            )
        })
      )
  })

  const callback = Effect.fnUntraced(function* (provider: ExternalProvider, { cookies, request, waits }: Call) {
    const person = yield* within(waits, personOf(request))
    const returned = yield* external
      .finish({
        wait: (work) => within(waits, work),
        provider,
        parameters: new URL(request.url, "http://localhost").searchParams,
        browser: externalCookieIn(request, "redirect", isSecure),
        person,
        userAgent: request.headers["user-agent"] ?? "",
        device: deviceIn(request)
      })
      .pipe(Effect.catchTag("ProviderNotOffered", () => Effect.fail(notOffered())))
    switch (returned._tag) {
      case "SignedIn":
        cookies.push(
          sessionCookie(returned.session.token, SESSION_MS / 1000, isSecure),
          deviceCookie(returned.session.device, isSecure)
        )
        return redirectTo(returned.returnTo)
      case "Bound":
        return redirectTo(withQuery(returned.returnTo, { [OUTCOME]: "bound", provider }))
      case "NeedsCode":
        cookies.push(externalCookie("pending", returned.pending, isSecure))
        return redirectTo(pageFor(provider, "code", returned))
      case "Failed":
        return redirectTo(pageFor(provider, returned.why, returned))
    }
  })

  return EXTERNAL_PROVIDERS.flatMap((provider) => [
    route({
      method: "GET",
      path: `/api/auth/oauth/${provider}/start`,
      access: "open",
      tag: "Sign-in",
      summary: "Begin a sign-in with another service",
      hasDeadline: true,
      query: StartQuery,
      success: SUCCESS,
      errors: ["forbidden", "not_found", "unauthorized", "unavailable", "validation_error"],
      handler: (call) => start(provider, call as never) as never
    }),
    route({
      method: "GET",
      path: `/api/auth/oauth/${provider}/callback`,
      access: "open",
      tag: "Sign-in",
      summary: "Come back from another service",
      hasDeadline: true,
      success: SUCCESS,
      errors: ["not_found", "unavailable"],
      handler: (call) => callback(provider, call as never) as never
    })
  ])
})
