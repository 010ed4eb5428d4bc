import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { ExternalProvider } from "../../../services/domain/people/ExternalIdentity.ts"
import type { Failure } from "../../../services/engine/people/ExternalSignIns.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { ApiError } from "../pipeline/ApiError.ts"
import { route } from "../pipeline/Route.ts"
import { escape, layout } from "./MailPages.ts"

/*
 * Where mail and redirects lead people, until the dashboard has pages for it: words, and no form. They ask nothing of the
 * database and change nothing: programs that look into mail open every link.
 */

/** As `Keys.secret` makes them: 256 bits, as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Stricter than that of pages with a button: nothing is loaded, runs or is sent. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
}

const page = (title: string, parts: ReadonlyArray<string>) =>
  HttpServerResponse.text(layout(title, `<h1>${escape(title)}</h1>\n${parts.join("\n")}`), {
    contentType: "text/html; charset=utf-8",
    headers: HEADERS
  })

const paragraph = (text: string): string => `<p>${escape(text)}</p>`
const code = (text: string): string => `<pre>${escape(text)}</pre>`

const PROVIDERS: Readonly<Record<ExternalProvider, string>> = { google: "Google", github: "GitHub" }

const SIGN_IN = 'mutation { requestLoginCode(email: "you@example.com") }'
const VERIFY = 'mutation { verifyLoginCode(email: "you@example.com", code: "123456") { token } }'

/** How to sign in as long as no page does it. */
const byCode = (baseUrl: string): ReadonlyArray<string> => [
  paragraph(
    `There is no page to sign in on yet; programs do it by GraphQL, at ${baseUrl}/api/graphql. Ask for a code:`
  ),
  code(SIGN_IN),
  paragraph("It comes by mail. Give it back, and you get the token of a session:"),
  code(VERIFY),
  paragraph("Those who run this service can make a code without mail, where it runs:"),
  code("npm run cli -- user login-code --email you@example.com")
]

interface Outcome {
  readonly title: string
  /** What became of it, and what to do. `provider` is its name. */
  readonly words: (provider: string) => string
}

/** What a redirect may end with, beside a session. */
const OUTCOMES: Readonly<Record<Failure | "bound" | "code", Outcome>> = {
  bound: {
    title: "The sign-in was added",
    words: (provider) => `From now on, your account with ${provider} signs in here.`
  },
  code: {
    title: "One code is needed",
    words: (provider) =>
      `${provider} said who you are. A code to your address has to prove that it is yours, this first time. Ask for it as below, within 15 minutes, and send this browser's cookies with both requests: a code that is given elsewhere signs in as well, but does not add ${provider}. If you are signed in, requestExternalSignInCode and confirmExternalSignIn do the same.`
  },
  expired: {
    title: "That took too long",
    words: () =>
      "This sign-in is not under way any more: it was begun more than ten minutes ago, in another browser, or was finished already. Begin again."
  },
  cancelled: {
    title: "The sign-in was cancelled",
    words: (provider) => `${provider} was told not to sign you in. Begin again, or use a code by mail.`
  },
  refused: {
    title: "The sign-in did not succeed",
    words: (provider) =>
      `The answer of ${provider} does not prove who you are. Begin again. If that does not help, use a code by mail, and tell those who run this service: its log says why.`
  },
  unavailable: {
    title: "There was no answer",
    words: (provider) =>
      `${provider} does not answer this service at the moment. Try again in a minute, or use a code by mail. If it stays so, tell those who run this service: its log says why.`
  },
  address_not_confirmed: {
    title: "The address is not confirmed",
    words: (provider) =>
      `${provider} has no address of yours that it knows to be yours. Confirm your address there and begin again, or use a code by mail.`
  },
  registration_closed: {
    title: "There is no account with this address",
    words: () =>
      "New accounts are made by invitation alone. Ask for one to this address, or sign in with the address that has an account."
  },
  account_disabled: {
    title: "This account is disabled",
    words: () => "Nobody signs in to it. Ask those who run this service."
  },
  session_ended: {
    title: "The session has ended",
    words: (provider) => `You are no longer signed in as when you began. Sign in and add ${provider} again.`
  },
  another_address: {
    title: "The address is another",
    words: (provider) =>
      `Your account with ${provider} has another address than your account here. Choose the one with the same address, or change the address of your account here first.`
  },
  bound_to_another: {
    title: "It signs in to another account",
    words: (provider) =>
      `This account with ${provider} signs in to another account here. Remove it there first, by unbindExternalSignIn.`
  }
}

/** What a query says became of a redirect. Anybody can write one: nothing of it is shown but words of ours. */
const outcomeOf = (query: URLSearchParams) => {
  const name = query.get("external_sign_in") ?? ""
  const provider = query.get("provider") ?? ""
  return {
    name,
    outcome: Object.hasOwn(OUTCOMES, name) ? OUTCOMES[name as keyof typeof OUTCOMES] : null,
    provider: Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider as ExternalProvider] : "the other service"
  }
}

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const SUCCESS = {
  status: 200,
  description: "A page.",
  schema: Schema.String,
  example: "<!doctype html>…",
  mediaType: "text/html"
} as const

export const signInPageRoutes = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  return [
    route({
      method: "GET",
      path: "/sign-in",
      access: "open",
      tag: "Sign-in",
      summary: "What became of a sign-in with another service",
      success: SUCCESS,
      handler: ({ request }) =>
        Effect.sync(() => {
          const { name, outcome, provider } = outcomeOf(new URL(request.url, "http://localhost").searchParams)
          if (outcome === null) return page("Sign in", byCode(baseUrl))
          const rest = name === "bound" || name === "account_disabled" ? [] : byCode(baseUrl)
          return page(outcome.title, [paragraph(upper(outcome.words(provider))), ...rest])
        })
    }),
    route({
      method: "GET",
      path: "/invitations/:token",
      access: "open",
      tag: "Sign-in",
      summary: "How an invitation is accepted",
      success: SUCCESS,
      errors: ["not_found"],
      handler: ({ params: { token } }) =>
        TOKEN.test(token)
          ? Effect.sync(() =>
              page("You are invited", [
                paragraph(
                  "Nothing has happened yet. To join the organization, sign in with the address that the invitation was sent to, and accept it. To see first what it is for:"
                ),
                code(`query { invitation(token: "${token}") { organizationName role email expiresAt } }`),
                paragraph("Signed in, this accepts it:"),
                code(`mutation { acceptInvitation(token: "${token}") { id name } }`),
                paragraph("Send the token of your session along: Authorization: Bearer <token>."),
                "<h2>Signing in</h2>",
                ...byCode(baseUrl)
              ])
            )
          : Effect.fail(new ApiError("not_found", "This link is not complete, or it was changed."))
    })
  ]
})
