import type { AccountId, InvitationId, OrganizationId } from "../Ids.ts"
import type { AccountAddress } from "./AccountAddress.ts"
import type { Role } from "./Role.ts"
import type { Allowance } from "./SignInCode.ts"
import { DAY, HOUR } from "./SignInCode.ts"

/** Owns applications. Times are epoch milliseconds. */
export interface Organization {
  readonly id: OrganizationId
  readonly name: string
  readonly plan: "free"
  readonly createdAt: number
}

export interface Member {
  readonly organizationId: OrganizationId
  readonly accountId: AccountId
  readonly email: AccountAddress
  readonly name: string
  readonly role: Role
  readonly joinedAt: number
}

/** What was asked of somebody who is no member yet. The token that accepts it is in the mail alone. */
export interface Invitation {
  readonly id: InvitationId
  readonly organizationId: OrganizationId
  readonly email: AccountAddress
  readonly role: Role
  readonly invitedBy: AccountId
  readonly createdAt: number
  readonly expiresAt: number
}

/** How long an open invitation is answered as it is when it is asked for again, without another mail. */
export const INVITED_LATELY_MS = 600_000

/**
 * Invitations are mail to people who may not know this service: sliding spans, as for codes. To one address, from whatever
 * organization.
 */
export const INVITATIONS_PER_ADDRESS: ReadonlyArray<Allowance> = [
  { count: 1, ms: INVITED_LATELY_MS },
  { count: 3, ms: DAY }
]
/** Of one account, in all its organizations together; of one organization; from one address of the network. */
export const INVITATIONS_PER_SENDER: ReadonlyArray<Allowance> = [
  { count: 20, ms: HOUR },
  { count: 100, ms: DAY }
]
/** Of an account in its first day: anybody has one within a minute. */
export const INVITATIONS_PER_NEWCOMER: ReadonlyArray<Allowance> = [
  { count: 5, ms: HOUR },
  { count: 20, ms: DAY }
]
export const NEWCOMER_MS = DAY

/** How long an invitation is good. */
export const INVITATION_MS = 7 * 86_400_000

/** Members and open invitations of an organization together, at most. */
export const SEATS = 1000
/** Open invitations among them: each is a mail to somebody who may not want it. */
export const OPEN_INVITATIONS = 100
/** Organizations of one account, at most. */
export const ORGANIZATIONS_PER_ACCOUNT = 100
/** Applications of an organization, at most. */
export const APPLICATIONS_PER_ORGANIZATION = 1000
