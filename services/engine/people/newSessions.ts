import { Effect, Option } from "effect"
import type { AccountId, OrganizationId, SessionId } from "../../domain/Ids.ts"
import type { Account, FirstOrganization } from "../../domain/people/Account.ts"
import { SESSION_MS, USER_AGENT } from "../../domain/people/Account.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import { Keys } from "../../ports/access/Keys.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { AccountDisabled, ProvedSignIn, RegistrationClosed, SignedIn } from "../../ports/people/AccountStore.ts"
import { AccountStore } from "../../ports/people/AccountStore.ts"
import type { Binding } from "../../ports/people/Binding.ts"
import type { CodeAttempt, TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import { SessionTokens } from "../../ports/people/SessionTokens.ts"
import { SignInSecrets } from "../../ports/people/SignInSecrets.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { draftApplication } from "../access/Applications.ts"
import { WrongCode } from "./codes.ts"

/** A session that has just begun. */
export interface NewSession {
  readonly sessionId: SessionId
  /** The JWT. It is here and nowhere else. */
  readonly token: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly account: Account
  /** For the browser to keep, beside the session and longer than it: it tells the browser from strangers, and signs nobody in. */
  readonly device: string
  /** What a first sign-in has made, with keys that are shown this once. */
  readonly first: FirstOrganization | null
}

/** What it takes to begin a session for whoever proves an address. */
export interface Proof {
  readonly email: AccountAddress
  readonly mayRegister: boolean
  /** As the browser calls itself. */
  readonly userAgent: string
  /** The token that the browser has from an earlier sign-in, if it sent one. */
  readonly device: string | null
  readonly binding: Binding | null
  /** Whether what a first sign-in makes is shown to anybody. A redirect shows nothing: its application has no keys. */
  readonly showsFirst: boolean
}

/** The names of what a first sign-in makes. Not after the person: others get to see them, and the log keeps them. */
const ORGANIZATION = "My organization"
const APPLICATION = "My first application"

export type NewSessionNeeds = AccountStore | Keys | SessionTokens | SignInSecrets

export interface NewSessions {
  readonly begin: (proof: Proof) => Effect.Effect<NewSession, RegistrationClosed | AccountDisabled | StoreError>
  /** The same with the code that proves the address: it is used up with the beginning of the session. */
  readonly beginByCode: (
    proof: Proof,
    code: CodeAttempt
  ) => Effect.Effect<NewSession, WrongCode | TooManyCodes | RegistrationClosed | AccountDisabled | StoreError>
  readonly draft: (userAgent: string) => ProvedSignIn["session"]
  /** Of a draft that a store has begun. */
  readonly finished: (id: SessionId, signedIn: SignedIn, device: string | null) => NewSession
}

/** How sessions begin, whatever has proved who somebody is. */
export const newSessions: Effect.Effect<NewSessions, never, NewSessionNeeds> = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const keys = yield* Keys
  const secrets = yield* SignInSecrets
  const tokens = yield* SessionTokens

  const draft: NewSessions["draft"] = (userAgent) => ({
    id: uuidv7() as SessionId,
    userAgent: userAgent.slice(0, USER_AGENT),
    lifetimeMs: SESSION_MS
  })

  const finished: NewSessions["finished"] = (sessionId, { account, epoch, expiresAt }, device) => {
    const isKnown = device !== null && secrets.deviceOf(account.email, device) !== null
    return {
      sessionId,
      token: tokens.sign({ sessionId, accountId: account.id, epoch, expiresAt: Math.floor(expiresAt / 1000) }),
      expiresAt,
      account,
      device: isKnown ? device : secrets.newDevice(account.email),
      first: null
    }
  }

  const proved = ({ binding, email, mayRegister, showsFirst, userAgent }: Proof) => {
    const organization = { id: uuidv7() as OrganizationId, name: ORGANIZATION }
    const { application, secrets: shown } = draftApplication(keys, organization.id, APPLICATION)
    const signIn: ProvedSignIn = {
      email,
      mayRegister,
      session: draft(userAgent),
      account: uuidv7() as AccountId,
      organization,
      application: showsFirst ? application : { ...application, keys: [] },
      binding
    }
    return { signIn, shown }
  }

  const begun = ({ device, showsFirst }: Proof, { shown, signIn }: ReturnType<typeof proved>, signedIn: SignedIn) => {
    const made = Option.getOrNull(signedIn.organization)
    return {
      ...finished(signIn.session.id, signedIn, device),
      first: made === null || !showsFirst ? null : { organization: made, application: shown }
    }
  }

  const begin: NewSessions["begin"] = (proof) => {
    const made = proved(proof)
    return Effect.map(accounts.signIn(made.signIn), (signedIn) => begun(proof, made, signedIn))
  }

  const beginByCode: NewSessions["beginByCode"] = Effect.fnUntraced(function* (proof, code) {
    const made = proved(proof)
    const signedIn = yield* accounts.signInByCode(made.signIn, code)
    return Option.isSome(signedIn) ? begun(proof, made, signedIn.value) : yield* new WrongCode()
  })

  return { begin, beginByCode, draft, finished }
})
