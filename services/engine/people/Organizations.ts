import { Context, Effect, Layer, Option } from "effect"
import type { Application, ApplicationSecrets } from "../../domain/access/Application.ts"
import type { AuditFilter } from "../../domain/access/Audit.ts"
import type { AccountId, AppId, InvitationId, OrganizationId } from "../../domain/Ids.ts"
import type { Person } from "../../domain/people/Account.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { Invitation, Member, Organization } from "../../domain/people/Organization.ts"
import {
  INVITATION_MS,
  INVITATIONS_PER_ADDRESS,
  INVITATIONS_PER_NEWCOMER,
  INVITATIONS_PER_SENDER,
  NEWCOMER_MS
} from "../../domain/people/Organization.ts"
import type { PeopleLogEntry } from "../../domain/people/PeopleLogEntry.ts"
import type { Operation, Role } from "../../domain/people/Role.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { Page } from "../../ports/audience/DeviceStore.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { now } from "../../ports/Now.ts"
import type {
  AlreadyMember,
  Membership,
  NotAllowed,
  OrganizationHasPayments,
  TooManyInvitations,
  TooManyOfThem,
  TransferOwnershipFirst
} from "../../ports/people/OrganizationStore.ts"
import { NotThere, OrganizationStore } from "../../ports/people/OrganizationStore.ts"
import { PeopleLog } from "../../ports/people/PeopleLog.ts"
import { PeopleSettings } from "../../ports/people/PeopleSettings.ts"
import { SignInSecrets } from "../../ports/people/SignInSecrets.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { draftApplication } from "../access/Applications.ts"
import { asPerson } from "./asPerson.ts"
import type { Client } from "./codes.ts"
import type { InvalidField } from "./Fields.ts"
import { addressIn, nameIn, organizationNameIn } from "./Fields.ts"
import { Permissions } from "./Permissions.ts"
import { ServiceMails } from "./ServiceMails.ts"

/** What an invitation's page shows before it is accepted. */
export interface ShownInvitation {
  readonly organizationName: string
  readonly inviterEmail: AccountAddress
  readonly email: AccountAddress
  readonly role: Role
  readonly expiresAt: number
}

/**
 * Organizations and who is what in them. Lists ask what the person may do as the request found it; changes ask again under
 * the organization's lock.
 */
export class Organizations extends Context.Service<
  Organizations,
  {
    /** The person's own, with their role, oldest first. */
    readonly list: (person: Person) => Effect.Effect<ReadonlyArray<Membership>, StoreError>
    readonly find: (person: Person, id: OrganizationId) => Effect.Effect<Membership, NotThere | NotAllowed | StoreError>
    /** Where accounts are by invitation, for owners alone: whoever owns one may invite anybody. */
    readonly create: (
      person: Person,
      name: string
    ) => Effect.Effect<Organization, InvalidField | NotThere | NotAllowed | TooManyOfThem | StoreError>
    readonly rename: (
      person: Person,
      id: OrganizationId,
      name: string
    ) => Effect.Effect<Organization, InvalidField | NotThere | NotAllowed | StoreError>
    /** With its applications and all that they hold. */
    readonly remove: (
      person: Person,
      id: OrganizationId
    ) => Effect.Effect<void, NotThere | NotAllowed | OrganizationHasPayments | StoreError>

    readonly applications: (
      person: Person,
      id: OrganizationId,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Application>, NotThere | NotAllowed | StoreError>
    /** The secrets are shown this once. */
    readonly createApplication: (
      person: Person,
      id: OrganizationId,
      name: string
    ) => Effect.Effect<
      { readonly application: Application; readonly secrets: ApplicationSecrets },
      InvalidField | NotThere | NotAllowed | TooManyOfThem | StoreError
    >

    /** With all that it holds. */
    readonly removeApplication: (person: Person, id: AppId) => Effect.Effect<void, NotThere | NotAllowed | StoreError>

    /** `after`: the account's id of the last member of the page before. */
    readonly members: (
      person: Person,
      id: OrganizationId,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Member>, NotThere | NotAllowed | StoreError>
    readonly changeRole: (
      person: Person,
      id: OrganizationId,
      account: AccountId,
      role: Role
    ) => Effect.Effect<Member, NotThere | NotAllowed | TransferOwnershipFirst | StoreError>
    readonly removeMember: (
      person: Person,
      id: OrganizationId,
      account: AccountId
    ) => Effect.Effect<void, NotThere | NotAllowed | TransferOwnershipFirst | StoreError>
    readonly leave: (
      person: Person,
      id: OrganizationId
    ) => Effect.Effect<void, NotThere | TransferOwnershipFirst | StoreError>
    /** The other becomes an owner, the person an admin. */
    readonly transferOwnership: (
      person: Person,
      id: OrganizationId,
      to: AccountId
    ) => Effect.Effect<Member, NotThere | NotAllowed | StoreError>

    /** One that was mailed within the last ten minutes is answered as it was made, with the role: no second mail goes out. */
    readonly invite: (
      person: Person,
      id: OrganizationId,
      email: string,
      role: Role,
      client: Pick<Client, "address">
    ) => Effect.Effect<
      Invitation,
      InvalidField | NotThere | NotAllowed | AlreadyMember | TooManyOfThem | TooManyInvitations | StoreError
    >
    /** Open ones, oldest first. */
    readonly invitations: (
      person: Person,
      id: OrganizationId
    ) => Effect.Effect<ReadonlyArray<Invitation>, NotThere | NotAllowed | StoreError>
    readonly revokeInvitation: (
      person: Person,
      id: InvitationId
    ) => Effect.Effect<void, NotThere | NotAllowed | StoreError>
    /** What the token of an invitation is for. Whoever has it may know. */
    readonly showInvitation: (token: string) => Effect.Effect<ShownInvitation, NotThere | StoreError>
    readonly acceptInvitation: (
      person: Person,
      token: string
    ) => Effect.Effect<Organization, NotThere | NotAllowed | TooManyOfThem | StoreError>

    /** Who changed what in the organization, newest first; its applications have logs of their own. */
    readonly log: (
      person: Person,
      id: OrganizationId,
      filter: AuditFilter,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<PeopleLogEntry>, NotThere | NotAllowed | StoreError>
  }
>()("heliograph/engine/Organizations") {
  static readonly layer: Layer.Layer<
    Organizations,
    never,
    Keys | OrganizationStore | PeopleLog | PeopleSettings | Permissions | ServiceMails | SignInSecrets
  > = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const keys = yield* Keys
      const log = yield* PeopleLog
      const secrets = yield* SignInSecrets
      const mails = yield* ServiceMails
      const { registration } = yield* PeopleSettings
      const { onOrganization } = yield* Permissions

      /** A look at something of the organization, for those who may look. */
      const shown = <A, E>(person: Person, id: OrganizationId, look: Effect.Effect<A, E>) =>
        Effect.andThen(onOrganization(person, id, "read"), look)

      const find: Organizations["Service"]["find"] = (person, id) =>
        shown(
          person,
          id,
          Effect.flatMap(store.find(id), (found) =>
            Option.isSome(found)
              ? Effect.succeed({ organization: found.value, role: person.roles.get(id)! })
              : Effect.fail(new NotThere({ what: "organization" }))
          )
        )

      /** What somebody wrote, read; who may not make the change is told that, and not what is wrong with it. */
      const readFor = <A, E>(person: Person, id: OrganizationId, operation: Operation, read: Effect.Effect<A, E>) =>
        Effect.tapError(read, () => onOrganization(person, id, operation))

      const createApplication: Organizations["Service"]["createApplication"] = Effect.fnUntraced(
        function* (person, id, text) {
          const { application, secrets } = draftApplication(
            keys,
            id,
            yield* readFor(person, id, "createApplication", nameIn(text))
          )
          return {
            application: yield* asPerson(person)(store.createApplication(person.account.id, application)),
            secrets
          }
        }
      )

      const invite: Organizations["Service"]["invite"] = Effect.fnUntraced(function* (person, id, text, role, client) {
        const email = yield* readFor(person, id, "changeMembers", addressIn(text))
        const token = keys.secret()
        const { account } = person
        const ofSender = { allowances: INVITATIONS_PER_SENDER }
        const isNew = now() - account.createdAt < NEWCOMER_MS
        const invitation = yield* asPerson(person)(
          store.invite(account.id, id, {
            id: uuidv7() as InvitationId,
            email,
            role,
            tokenHash: keys.hash(token),
            lifetimeMs: INVITATION_MS,
            counted: [
              { key: secrets.attemptKey("invited", email), allowances: INVITATIONS_PER_ADDRESS },
              {
                key: secrets.attemptKey("inviter", account.id),
                allowances: isNew ? INVITATIONS_PER_NEWCOMER : INVITATIONS_PER_SENDER
              },
              { key: secrets.attemptKey("inviting_organization", id), ...ofSender },
              { key: secrets.attemptKey("inviting_client", client.address), ...ofSender }
            ],
            mail: ({ name }, inviter) =>
              mails.draft(
                email,
                { type: "invitation", organization: name, inviter, role, token },
                INVITATION_MS,
                account.id
              )
          })
        )
        yield* mails.wake
        return invitation
      })

      const showInvitation: Organizations["Service"]["showInvitation"] = (token) =>
        Effect.flatMap(store.findInvitation(keys.hash(token)), (found) => {
          if (Option.isNone(found)) return Effect.fail(new NotThere({ what: "invitation" }))
          const { email, expiresAt, inviterEmail, organizationName, role } = found.value
          return Effect.succeed({ organizationName, inviterEmail, email, role, expiresAt })
        })

      return Organizations.of({
        list: ({ account }) => store.of(account.id),
        find,
        create: (person, text) =>
          Effect.flatMap(organizationNameIn(text), (name) =>
            asPerson(person)(
              store.create(person.account.id, {
                id: uuidv7() as OrganizationId,
                name,
                onlyOwners: registration === "invite"
              })
            )
          ),
        rename: (person, id, text) =>
          Effect.flatMap(readFor(person, id, "changeOrganization", organizationNameIn(text)), (name) =>
            asPerson(person)(store.rename(person.account.id, id, name))
          ),
        remove: (person, id) => asPerson(person)(store.remove(person.account.id, id)),
        applications: (person, id, after, limit) => shown(person, id, store.applications(id, after, limit)),
        createApplication,
        removeApplication: (person, id) => asPerson(person)(store.removeApplication(person.account.id, id)),
        members: (person, id, after, limit) => shown(person, id, store.members(id, after, limit)),
        changeRole: (person, id, account, role) =>
          asPerson(person)(store.changeRole(person.account.id, id, account, role)),
        removeMember: (person, id, account) => asPerson(person)(store.removeMember(person.account.id, id, account)),
        leave: (person, id) => asPerson(person)(store.leave(person.account.id, id)),
        transferOwnership: (person, id, to) => asPerson(person)(store.transferOwnership(person.account.id, id, to)),
        invite,
        invitations: (person, id) => shown(person, id, store.invitations(id)),
        revokeInvitation: (person, id) => asPerson(person)(store.revokeInvitation(person.account.id, id)),
        showInvitation,
        acceptInvitation: (person, token) => asPerson(person)(store.accept(person.account.id, keys.hash(token))),
        log: (person, id, filter, after, limit) => shown(person, id, log.list(id, filter, after, limit))
      })
    })
  )
}
