import type { ApplicationSecrets } from "../access/Application.ts"
import type { AccountId, ExternalSignInId, InvitationId, OrganizationId, SessionId } from "../Ids.ts"
import type { AccountAddress } from "./AccountAddress.ts"
import type { ExternalProvider } from "./ExternalIdentity.ts"
import type { Organization } from "./Organization.ts"
import type { Role } from "./Role.ts"

/** A person who signs in. Times are epoch milliseconds. */
export interface Account {
  readonly id: AccountId
  readonly email: AccountAddress
  /** Empty as long as they have not said how they are called. */
  readonly name: string
  readonly createdAt: number
  readonly lastSignedInAt: number | null
  readonly disabledAt: number | null
}

/** Sessions of an account, at most: one more ends the oldest. */
export const SESSIONS_PER_ACCOUNT = 100

/** One of an account's sessions, as its owner sees it. */
export interface SessionInfo {
  readonly id: SessionId
  /** What the browser or program calls itself, as it was when it signed in. */
  readonly userAgent: string
  readonly createdAt: number
  /** To the minute. */
  readonly lastUsedAt: number
  readonly expiresAt: number
}

/** An account with another service, by which one signs in too. */
export interface ExternalSignIn {
  readonly id: ExternalSignInId
  readonly provider: ExternalProvider
  readonly email: string | null
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** Who is signed in, and what they are where. Read from the database with each request. */
export interface Person {
  readonly account: Account
  readonly sessionId: SessionId
  readonly roles: ReadonlyMap<OrganizationId, Role>
}

/** What a first sign-in makes beside the account: keys and secret are shown this once. */
export interface FirstOrganization {
  readonly organization: Organization
  readonly application: ApplicationSecrets
}

/** Everything that is kept about an account, without secrets (spec 2.5). */
export interface AccountData {
  readonly account: Account
  readonly memberships: ReadonlyArray<{
    readonly organizationId: OrganizationId
    readonly organizationName: string
    readonly role: Role
    readonly joinedAt: number
  }>
  readonly externalSignIns: ReadonlyArray<ExternalSignIn & { readonly subject: string }>
  readonly sessions: ReadonlyArray<SessionInfo>
  /** To the account's address, or sent by the account. */
  readonly invitations: ReadonlyArray<{
    readonly id: InvitationId
    readonly organizationId: OrganizationId
    readonly email: string
    readonly role: Role
    readonly direction: "sent" | "received"
    readonly createdAt: number
    readonly expiresAt: number
  }>
  /** The address that it is to have once codes have proved it. */
  readonly addressChange: {
    readonly email: AccountAddress
    readonly createdAt: number
    readonly expiresAt: number
  } | null
  /** What the account did, and what was done to it, newest first. */
  readonly log: ReadonlyArray<{
    readonly at: number
    readonly organizationId: OrganizationId | null
    readonly action: string
    readonly target: string | null
    readonly byThisAccount: boolean
  }>
}

/** How long a session lasts (spec 8). */
export const SESSION_MS = 7 * 86_400_000

/** Characters of what a browser calls itself that are kept. */
export const USER_AGENT = 300
