import { Context, Effect, Layer, Option, Schema } from "effect"
import type { AccountId, ExternalSignInId } from "../../domain/Ids.ts"
import type { ExternalSignIn, Person } from "../../domain/people/Account.ts"
import type { ExternalIdentity, ExternalProvider } from "../../domain/people/ExternalIdentity.ts"
import { PENDING_MS, REDIRECT_MS } from "../../domain/people/ExternalIdentity.ts"
import { returnPath } from "../../domain/people/ReturnAddress.ts"
import { Keys } from "../../ports/access/Keys.ts"
import { SecretBox } from "../../ports/access/SecretBox.ts"
import type { BoundToAnother, PendingIdentity, Redirect, RedirectMode } from "../../ports/people/ExternalSignInStore.ts"
import { ExternalSignInStore } from "../../ports/people/ExternalSignInStore.ts"
import type { ProviderUnavailable, RedirectSecrets } from "../../ports/people/IdentityProviders.ts"
import { IdentityProviders } from "../../ports/people/IdentityProviders.ts"
import type { TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import { NotThere } from "../../ports/people/OrganizationStore.ts"
import { PeopleSettings } from "../../ports/people/PeopleSettings.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { Unauthorized } from "../access/Auth.ts"
import { asPerson } from "./asPerson.ts"
import type { BindingNeeds } from "./bindings.ts"
import { makeBindings } from "./bindings.ts"
import type { Client, CodeNeeds } from "./codes.ts"
import { makeCodes, WrongCode } from "./codes.ts"
import { InvalidField } from "./Fields.ts"
import type { NewSession, NewSessionNeeds } from "./newSessions.ts"
import { newSessions } from "./newSessions.ts"
import { ServiceMails } from "./ServiceMails.ts"

/** The operator has not registered this service with it. */
export class ProviderNotOffered extends Schema.TaggedError<ProviderNotOffered>()("ProviderNotOffered", {}) {}

/** Bounds a wait for the database: providers have deadlines of their own. */
export type DatabaseWait = <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreError>

export interface Departure {
  readonly wait: DatabaseWait
  readonly provider: ExternalProvider
  readonly mode: RedirectMode
  /** Where the browser goes in the end: a path of our own. */
  readonly returnTo: string
  /** What the browser has of an earlier redirect, if any: several may be under way at once. */
  readonly browser: string | null
  /** Who is signed in. */
  readonly person: Person | null
}

export interface Arrival {
  readonly wait: DatabaseWait
  readonly provider: ExternalProvider
  readonly parameters: URLSearchParams
  /** What the browser was given when it left. */
  readonly browser: string | null
  readonly person: Person | null
  readonly userAgent: string
  readonly device: string | null
}

/** Why nobody was signed in, and nothing bound. */
export type Failure =
  /** The redirect is not under way: too old, come back already, or begun by another browser. */
  | "expired"
  | "cancelled"
  | "refused"
  | "unavailable"
  | "address_not_confirmed"
  | "registration_closed"
  | "account_disabled"
  /** The session that wanted to link is another's now, or over. */
  | "session_ended"
  | "another_address"
  | "bound_to_another"

/** What became of a redirect. */
export type Returned =
  | { readonly _tag: "SignedIn"; readonly returnTo: string; readonly session: NewSession }
  | { readonly _tag: "Bound"; readonly returnTo: string }
  /** A code to the address has to prove it. `pending` is for the browser to keep until then. */
  | {
      readonly _tag: "NeedsCode"
      readonly mode: RedirectMode
      readonly returnTo: string
      readonly pending: string
    }
  | { readonly _tag: "Failed"; readonly why: Failure; readonly mode: RedirectMode; readonly returnTo: string }

/** Signing in by an account that somebody has with another service, and binding such accounts to one's own. */
export class ExternalSignIns extends Context.Service<
  ExternalSignIns,
  {
    readonly offered: ReadonlyArray<ExternalProvider>
    /** Sends a browser to the provider: where to, and what it has to have when it comes back. */
    readonly start: (
      departure: Departure
    ) => Effect.Effect<
      { readonly url: string; readonly browser: string },
      ProviderNotOffered | InvalidField | Unauthorized | ProviderUnavailable | StoreError
    >
    /** A browser comes back. */
    readonly finish: (arrival: Arrival) => Effect.Effect<Returned, ProviderNotOffered | StoreError>
    /** The identity that waits for a code, of the browser that has this token. */
    readonly pending: (token: string) => Effect.Effect<Option.Option<PendingIdentity>, StoreError>
    /** Sends whoever is signed in the code that binds the waiting identity. Signed out, the code to sign in does so. */
    readonly requestCode: (
      person: Person,
      pending: string,
      client: Client
    ) => Effect.Effect<void, NotThere | TooManyCodes | StoreError>
    readonly confirm: (
      person: Person,
      pending: string,
      code: string
    ) => Effect.Effect<ExternalSignIn, NotThere | WrongCode | TooManyCodes | BoundToAnother | StoreError>
    /** Oldest first. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<ExternalSignIn>, StoreError>
    /** Signing in by code always remains. */
    readonly unbind: (person: Person, id: ExternalSignInId) => Effect.Effect<void, NotThere | StoreError>
  }
>()("heliograph/engine/ExternalSignIns") {
  static readonly layer: Layer.Layer<
    ExternalSignIns,
    never,
    BindingNeeds | CodeNeeds | ExternalSignInStore | NewSessionNeeds | PeopleSettings | SecretBox
  > = Layer.effect(
    ExternalSignIns,
    Effect.gen(function* () {
      const bindings = yield* makeBindings
      const box = yield* SecretBox
      const codes = yield* makeCodes
      const keys = yield* Keys
      const mails = yield* ServiceMails
      const providers = yield* IdentityProviders
      const sessions = yield* newSessions
      const store = yield* ExternalSignInStore
      const { baseUrl, registration } = yield* PeopleSettings
      const { origin } = new URL(baseUrl)

      /** As it is registered with the provider. */
      const redirectUri = (provider: ExternalProvider) => `${baseUrl}/api/auth/oauth/${provider}/callback`
      const isOffered = (provider: ExternalProvider) =>
        providers.offered.includes(provider) ? Effect.void : Effect.fail(new ProviderNotOffered())
      /** Found only with both: what the browser has is not in any address. */
      const hashOf = (state: string, browser: string) => keys.hash(`${state}.${browser}`)
      const place = (hash: Uint8Array) => `oauth_states.sealed:${hash.toHex()}`

      const start: ExternalSignIns["Service"]["start"] = Effect.fnUntraced(function* (departure) {
        const { mode, person, provider } = departure
        yield* isOffered(provider)
        const returnTo = returnPath(departure.returnTo, origin)
        if (returnTo === null) {
          return yield* new InvalidField({
            field: "return_to",
            message: "must be a path of this service such as /settings"
          })
        }
        if (mode === "link" && person === null) {
          return yield* new Unauthorized({
            message: "Sign in first: what is bound is bound to the account of a session."
          })
        }
        const made = providers.newSecrets()
        const browser = departure.browser ?? keys.secret()
        const url = yield* providers.authorizationUrl(provider, redirectUri(provider), made)
        const stateHash = hashOf(made.state, browser)
        const { nonce, verifier } = made
        yield* departure.wait(
          store.begin({
            provider,
            stateHash,
            sealed: box.seal(place(stateHash), JSON.stringify({ nonce, verifier })),
            mode,
            sessionId: mode === "link" ? person!.sessionId : null,
            returnTo,
            lifetimeMs: REDIRECT_MS
          })
        )
        return { url, browser }
      })

      const hold = (
        redirect: Redirect,
        provider: ExternalProvider,
        subject: string,
        email: PendingIdentity["email"]
      ) => {
        const pending = keys.secret()
        const { mode, returnTo } = redirect
        return Effect.as(
          store.hold({ tokenHash: keys.hash(pending), provider, subject, email, lifetimeMs: PENDING_MS }),
          { _tag: "NeedsCode", mode, returnTo, pending } satisfies Returned
        )
      }

      /** Whoever it is signs in. Known by the subject first, whatever became of addresses since. */
      const signIn = Effect.fnUntraced(function* (redirect: Redirect, identity: ExternalIdentity, arrival: Arrival) {
        const { device, userAgent } = arrival
        const { returnTo } = redirect
        const session = sessions.draft(userAgent)
        const bound = yield* store.signIn(identity, session)
        if (Option.isSome(bound)) {
          const begun = sessions.finished(session.id, bound.value, device)
          return { _tag: "SignedIn", returnTo, session: begun } satisfies Returned
        }
        const { email, isConfirmed, provider, subject } = identity
        if (email === null) return yield* Effect.fail("address_not_confirmed" as const)
        if (!isConfirmed) return yield* hold(redirect, provider, subject, email)
        const begun = yield* sessions.begin({
          email,
          mayRegister: registration === "open",
          userAgent,
          device,
          binding: bindings.ofIdentity(email, identity),
          showsFirst: false
        })
        yield* mails.wake
        return { _tag: "SignedIn", returnTo, session: begun } satisfies Returned
      })

      /** Binds to the account of the session that left, and of no other. */
      const link = Effect.fnUntraced(function* (redirect: Redirect, identity: ExternalIdentity, person: Person | null) {
        if (person === null || person.sessionId !== redirect.sessionId) {
          return yield* Effect.fail("session_ended" as const)
        }
        const { email, isConfirmed, provider, subject } = identity
        if (email === null) return yield* Effect.fail("address_not_confirmed" as const)
        // Spec 5.5: a sign-in is bound to the account with the same address. Else whoever makes a browser sign in to a
        // provider as somebody else would get into the account of its owner.
        if (email !== person.account.email) return yield* Effect.fail("another_address" as const)
        if (!isConfirmed) return yield* hold(redirect, provider, subject, email)
        yield* store.bind(person.account.id, bindings.ofIdentity(email, identity))
        yield* mails.wake
        return { _tag: "Bound", returnTo: redirect.returnTo } satisfies Returned
      })

      const finish: ExternalSignIns["Service"]["finish"] = Effect.fnUntraced(function* (arrival) {
        const { browser, parameters, person, provider, wait } = arrival
        yield* isOffered(provider)
        const expired: Returned = { _tag: "Failed", why: "expired", mode: "sign_in", returnTo: "/" }
        const state = parameters.get("state")
        if (state === null || browser === null) return expired
        const stateHash = hashOf(state, browser)
        const taken = yield* wait(store.take(provider, stateHash))
        if (Option.isNone(taken)) return expired
        const redirect = taken.value
        const { mode, returnTo } = redirect
        const failed = (why: Failure): Effect.Effect<Returned> =>
          Effect.succeed({ _tag: "Failed", why, mode, returnTo })
        // Written by us; judged again all the same, where it is used.
        if (returnPath(returnTo, origin) === null) return expired
        const work = Effect.gen(function* () {
          const opened = yield* box.open(place(stateHash), redirect.sealed)
          const kept = JSON.parse(opened) as Pick<RedirectSecrets, "nonce" | "verifier">
          const identity = yield* providers.identify(provider, redirectUri(provider), parameters, { ...kept, state })
          return yield* mode === "link"
            ? wait(link(redirect, identity, person))
            : wait(signIn(redirect, identity, arrival))
        })
        return yield* work.pipe(
          Effect.catch((error): Effect.Effect<Returned, StoreError> => {
            if (typeof error === "string") return failed(error)
            switch (error._tag) {
              case "StoreError":
                return Effect.fail(error)
              case "IdentityRefused":
                return Effect.andThen(
                  Effect.logInfo("An external sign-in was refused").pipe(
                    Effect.annotateLogs({ provider, reason: error.reason })
                  ),
                  failed(error.kind)
                )
              case "ProviderUnavailable":
                return Effect.andThen(
                  Effect.logWarning("A provider of external sign-ins cannot be used").pipe(
                    Effect.annotateLogs({ provider, reason: error.reason })
                  ),
                  failed("unavailable")
                )
              // Sealed with a master key that is not ours any more.
              case "SecretUnreadable":
                return failed("expired")
              case "RegistrationClosed":
                return failed("registration_closed")
              case "AccountDisabled":
                return failed("account_disabled")
              case "BoundToAnother":
                return failed("bound_to_another")
              case "NotThere":
                return failed("session_ended")
            }
          })
        )
      })

      /** Of a provider that is still offered. */
      const pending: ExternalSignIns["Service"]["pending"] = (token) =>
        Effect.map(
          store.findPending(keys.hash(token)),
          Option.filter(({ provider }) => providers.offered.includes(provider))
        )

      /** One that is for the account of whoever is signed in. */
      const ownPending = (person: Person, token: string) =>
        Effect.flatMap(pending(token), (found) =>
          Option.isSome(found) && found.value.email === person.account.email
            ? Effect.void
            : Effect.fail(new NotThere({ what: "external sign-in" }))
        )

      const requestCode: ExternalSignIns["Service"]["requestCode"] = Effect.fnUntraced(
        function* (person, token, client) {
          yield* ownPending(person, token)
          // Browsers that have signed in before are signed in: there is nothing to keep them in for.
          yield* codes.issue(person.account.email, "link", { ...client, device: null })
        }
      )

      const confirm: ExternalSignIns["Service"]["confirm"] = Effect.fnUntraced(function* (person, token, text) {
        const { email, id } = person.account
        // Before the code is looked at.
        yield* ownPending(person, token)
        const attempt = yield* codes.attempt(email, "link", text, null)
        const bound = yield* asPerson(person)(store.bindByCode(id, bindings.ofPending(email, token), attempt))
        if (Option.isNone(bound)) return yield* new WrongCode()
        yield* mails.wake
        return bound.value
      })

      const unbind: ExternalSignIns["Service"]["unbind"] = Effect.fnUntraced(function* (person, id) {
        const { account } = person
        const isUnbound = yield* asPerson(person)(
          store.unbind(account.id, id, bindings.notice(account.email, "unbound"))
        )
        if (!isUnbound) return yield* new NotThere({ what: "external sign-in" })
        yield* mails.wake
      })

      return ExternalSignIns.of({
        offered: providers.offered,
        start,
        finish,
        pending,
        requestCode,
        confirm,
        list: store.list,
        unbind
      })
    })
  )
}
