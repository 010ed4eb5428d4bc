import { Schema } from "effect"
import type { ActorKind } from "../access/Audit.ts"
import type { AccountId, AuditEntryId, OrganizationId } from "../Ids.ts"
import type { AccountAddress } from "./AccountAddress.ts"

export const PeopleAction = Schema.Literals([
  "account.created",
  "account.changed",
  "account.address_change_requested",
  "account.address_changed",
  "account.disabled",
  "account.enabled",
  "account.deleted",
  "login_code.issued",
  "external_sign_in.bound",
  "external_sign_in.unbound",
  "session.begun",
  "session.ended",
  "session.all_ended",
  "organization.created",
  "organization.changed",
  "organization.deleted",
  "application.created",
  "application.deleted",
  "invitation.sent",
  "invitation.revoked",
  "invitation.accepted",
  "member.added",
  "member.role_changed",
  "member.removed",
  "member.left",
  "ownership.transferred"
])
export type PeopleAction = typeof PeopleAction.Type

/** One change about people or an organization. */
export interface PeopleLogEntry {
  readonly id: AuditEntryId
  /** Epoch milliseconds. */
  readonly at: number
  readonly organizationId: OrganizationId | null
  /** The account that it is about, if any. */
  readonly accountId: AccountId | null
  readonly actorKind: typeof ActorKind.Type
  readonly actorId: string | null
  /** Of an actor who is a person and still has an account. */
  readonly actorEmail: AccountAddress | null
  /** Of whom it is about: the account that there still is, or the invitation that is still open. */
  readonly email: AccountAddress | null
  readonly action: PeopleAction
  /** The id of what was changed. */
  readonly target: string | null
  /** Never a secret, and never an address: those go with their accounts. */
  readonly details: Readonly<Record<string, unknown>>
}
