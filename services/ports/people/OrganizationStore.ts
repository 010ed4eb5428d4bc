import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { Application } from "../../domain/access/Application.ts"
import type { AccountId, AppId, InvitationId } from "../../domain/Ids.ts"
import { OrganizationId } from "../../domain/Ids.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { Invitation, Member, Organization } from "../../domain/people/Organization.ts"
import type { Role } from "../../domain/people/Role.ts"
import type { NewApplication } from "../access/ApplicationStore.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { Counted } from "./LoginCodeStore.ts"
import type { NewMail } from "./ServiceMailStore.ts"

/** For whoever asks, there is no such organization, member, invitation or application. */
export class NotThere extends Schema.TaggedError<NotThere>()("NotThere", {
  what: Schema.Literals([
    "organization",
    "application",
    "member",
    "invitation",
    "session",
    "account",
    "external sign-in"
  ])
}) {}

/** The role that somebody has does not let them do this, or an address is not the invited one. */
export class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", { message: Schema.String }) {}

/** Without its last owner an organization would be nobody's (spec 5.6: 409 transfer_ownership_first). */
export class TransferOwnershipFirst extends Schema.TaggedError<TransferOwnershipFirst>()("TransferOwnershipFirst", {
  organizationId: OrganizationId
}) {}

/** Financial records are kept (spec 5.6: 409 organization_has_payments). */
export class OrganizationHasPayments extends Schema.TaggedError<OrganizationHasPayments>()("OrganizationHasPayments", {
  organizationId: OrganizationId
}) {}

/** The address belongs to a member already. */
export class AlreadyMember extends Schema.TaggedError<AlreadyMember>()("AlreadyMember", {}) {}

/** There are as many as there may be. */
export class TooManyOfThem extends Schema.TaggedError<TooManyOfThem>()("TooManyOfThem", {
  what: Schema.Literals(["organizations", "applications", "members", "invitations"]),
  limit: Schema.Number
}) {}

/** Too many invitations in too short a time: to the address, by the account, of the organization, or from the network's address. */
export class TooManyInvitations extends Schema.TaggedError<TooManyInvitations>()("TooManyInvitations", {
  /** When one more is allowed, epoch milliseconds of the database's clock, and how long that is from its now. */
  at: Schema.Number,
  afterMs: Schema.Number
}) {}

export interface NewInvitation {
  readonly id: InvitationId
  readonly email: AccountAddress
  readonly role: Role
  readonly tokenHash: Uint8Array
  readonly lifetimeMs: number
  /** Its mail is counted for each of these. */
  readonly counted: ReadonlyArray<Counted>
  /** What the mail says depends on the organization's name and the inviter, which the transaction reads. */
  readonly mail: (organization: Organization, inviter: AccountAddress) => NewMail
}

export interface Membership {
  readonly organization: Organization
  readonly role: Role
}

/**
 * Organizations, their members and invitations. Whatever changes who is a member, or what, locks the organization first,
 * then reads again what the one who changes may do: two changes at once follow one another, and none goes by what was
 * true before the other. `actor` is always an account; what it is no member of is not there for it.
 */
export class OrganizationStore extends Context.Service<
  OrganizationStore,
  {
    /** Makes it, with the account as its owner; `onlyOwners`: of an account that owns another. */
    readonly create: (
      owner: AccountId,
      organization: { readonly id: OrganizationId; readonly name: string; readonly onlyOwners: boolean }
    ) => Effect.Effect<Organization, TooManyOfThem | NotThere | NotAllowed | StoreError>
    readonly find: (id: OrganizationId) => Effect.Effect<Option.Option<Organization>, StoreError>
    /** Those of an account, with its role, oldest first. */
    readonly of: (account: AccountId) => Effect.Effect<ReadonlyArray<Membership>, StoreError>
    /** All that are not deleted, oldest first, with how many members and applications they have: for operators. */
    readonly all: (
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Organization & { readonly members: number; readonly applications: number }>, StoreError>
    readonly rename: (
      actor: AccountId,
      id: OrganizationId,
      name: string
    ) => Effect.Effect<Organization, NotThere | NotAllowed | StoreError>
    /** From now on it is nobody's; what it holds is removed by `removeDeleted`. */
    readonly remove: (
      actor: AccountId,
      id: OrganizationId
    ) => Effect.Effect<void, NotThere | NotAllowed | OrganizationHasPayments | StoreError>
    /** The organization that an application belongs to, until either is deleted. */
    readonly ofApplication: (id: AppId) => Effect.Effect<Option.Option<OrganizationId>, StoreError>
    readonly applications: (
      id: OrganizationId,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Application>, StoreError>
    readonly createApplication: (
      actor: AccountId,
      application: NewApplication
    ) => Effect.Effect<Application, NotThere | NotAllowed | TooManyOfThem | StoreError>
    /**
     * From now on it is nobody's, and its keys are unknown; what it holds is removed by `removeDeleted`. `actor` is null at the
     * command line, where nobody's role counts.
     */
    readonly removeApplication: (
      actor: AccountId | null,
      id: AppId
    ) => Effect.Effect<void, NotThere | NotAllowed | StoreError>

    /** By their accounts' ids. */
    readonly members: (
      id: OrganizationId,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Member>, StoreError>
    /** At the command line, where nobody's role counts: makes the account a member, or gives it another role. */
    readonly enrol: (
      id: OrganizationId,
      account: AccountId,
      role: Role
    ) => Effect.Effect<Member, NotThere | TransferOwnershipFirst | StoreError>
    readonly changeRole: (
      actor: AccountId,
      id: OrganizationId,
      account: AccountId,
      role: Role
    ) => Effect.Effect<Member, NotThere | NotAllowed | TransferOwnershipFirst | StoreError>
    /** Of oneself it is `leave`. */
    readonly removeMember: (
      actor: AccountId,
      id: OrganizationId,
      account: AccountId
    ) => Effect.Effect<void, NotThere | NotAllowed | TransferOwnershipFirst | StoreError>
    readonly leave: (
      actor: AccountId,
      id: OrganizationId
    ) => Effect.Effect<void, NotThere | TransferOwnershipFirst | StoreError>
    /** The other becomes an owner, and the actor an admin. */
    readonly transferOwnership: (
      actor: AccountId,
      id: OrganizationId,
      to: AccountId
    ) => Effect.Effect<Member, NotThere | NotAllowed | StoreError>

    /**
     * Replaces an open invitation of the same address. One that was mailed within `INVITED_LATELY_MS` stays, gets the role,
     * and is answered: no other mail goes out.
     */
    readonly invite: (
      actor: AccountId,
      id: OrganizationId,
      invitation: NewInvitation
    ) => Effect.Effect<
      Invitation,
      NotThere | NotAllowed | AlreadyMember | TooManyOfThem | TooManyInvitations | StoreError
    >
    /** Open ones, oldest first. */
    readonly invitations: (id: OrganizationId) => Effect.Effect<ReadonlyArray<Invitation>, StoreError>
    readonly revokeInvitation: (
      actor: AccountId,
      id: InvitationId
    ) => Effect.Effect<void, NotThere | NotAllowed | StoreError>
    /** What an invitation's link leads to: open ones only. */
    readonly findInvitation: (
      tokenHash: Uint8Array
    ) => Effect.Effect<
      Option.Option<Invitation & { readonly organizationName: string; readonly inviterEmail: AccountAddress }>,
      StoreError
    >
    /** Uses the invitation up. The account's address has to be the invited one, and the inviter still has to be able to invite. */
    readonly accept: (
      actor: AccountId,
      tokenHash: Uint8Array
    ) => Effect.Effect<Organization, NotThere | NotAllowed | TooManyOfThem | StoreError>

    /**
     * Removes a part of what a deleted organization or application holds, and in the end the organization. Answers what was
     * removed; 0 when there is nothing left to remove, or another node is at it. One that fails is left aside for a minute,
     * so that it keeps none of the others waiting.
     */
    readonly removeDeleted: Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/OrganizationStore") {}
