import { Effect, Schema } from "effect"
import type { AuditFilter } from "../../services/domain/access/Audit.ts"
import type { AppId, InvitationId } from "../../services/domain/Ids.ts"
import { PeopleAction } from "../../services/domain/people/PeopleLogEntry.ts"
import { text } from "../../services/domain/Text.ts"
import { inOrder, isoTime, Moment } from "../../services/domain/Time.ts"
import type { Organizations } from "../../services/engine/people/Organizations.ts"
import { showApplication } from "../http/endpoints/Application.ts"
import { decoder } from "../http/pipeline/Validation.ts"
import type { MutationResolvers, QueryResolvers } from "./generated/resolvers.ts"
import { showEntry, showInvitation, showMember, showOrganization } from "./PeopleViews.ts"
import { clientOf } from "./SessionAnswers.ts"
import { accountId, idIn, organizationId, pageOf, run, runAs } from "./PeopleWork.ts"

/* Organizations: what is in them, who belongs to them, and who changes that. */

/** As the query of the audit log. */
const LogQuery = Schema.Struct({
  actorId: Schema.NullOr(text(200)),
  action: Schema.NullOr(PeopleAction),
  target: Schema.NullOr(text(200)),
  from: Schema.NullOr(Moment),
  to: Schema.NullOr(Moment)
}).check(inOrder("from", "to"))
const decodeLog = decoder(LogQuery)

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text))

type Services = Readonly<Record<"organizations", Organizations["Service"]>>

const queries = ({ organizations }: Services) =>
  ({
    organizations: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.map(organizations.list(person), (found) =>
          found.map(({ organization, role }) => showOrganization(organization, role))
        )
      ),
    organization: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.id), (id) =>
          Effect.map(organizations.find(person, id), ({ organization, role }) => showOrganization(organization, role))
        )
      ),
    applications: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) =>
          pageOf(
            `applications/${id}`,
            args,
            (after, limit) => organizations.applications(person, id, after, limit),
            showApplication
          )
        )
      ),
    members: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) =>
          pageOf(`members/${id}`, args, (after, limit) => organizations.members(person, id, after, limit), showMember)
        )
      ),
    invitations: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) =>
          Effect.map(organizations.invitations(person, id), (found) => found.map(showInvitation))
        )
      ),
    invitation: (_, args, context) =>
      run(
        context,
        args,
        Effect.map(organizations.showInvitation(args.token), ({ expiresAt, ...shown }) => ({
          ...shown,
          expiresAt: isoTime(expiresAt)
        }))
      ),
    organizationLog: (_, args, context) =>
      runAs(
        context,
        args,
        Effect.fnUntraced(function* (person) {
          const id = yield* organizationId(args.organizationId)
          const { action = null, actorId = null, from = null, target = null, to = null } = args
          const asked = yield* Effect.fromResult(decodeLog({ action, actorId, from, target, to }))
          const filter: AuditFilter = { ...asked, from: timeOf(asked.from), to: timeOf(asked.to) }
          return yield* pageOf(
            `organization-log/${id}`,
            args,
            (after, limit) => organizations.log(person, id, filter, after, limit),
            showEntry
          )
        })
      )
  }) satisfies QueryResolvers

const mutations = ({ organizations }: Services) =>
  ({
    createOrganization: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.map(organizations.create(person, args.name), (made) => showOrganization(made, "owner"))
      ),
    renameOrganization: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.id), (id) =>
          Effect.map(organizations.rename(person, id, args.name), (renamed) =>
            showOrganization(renamed, person.roles.get(id) ?? null)
          )
        )
      ),
    deleteOrganization: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.id), (id) => Effect.as(organizations.remove(person, id), true))
      ),
    createApplication: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) =>
          Effect.map(organizations.createApplication(person, id, args.name), ({ application, secrets }) => {
            context.keepSecret(secrets, { appId: secrets.appId })
            return { application: showApplication(application), ...secrets }
          })
        )
      ),
    deleteApplication: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(idIn<AppId>(args.id, "application"), (id) =>
          Effect.as(organizations.removeApplication(person, id), true)
        )
      ),
    inviteMember: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) =>
          Effect.map(organizations.invite(person, id, args.email, args.role, clientOf(context)), showInvitation)
        )
      ),
    revokeInvitation: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(idIn<InvitationId>(args.id, "invitation"), (id) =>
          Effect.as(organizations.revokeInvitation(person, id), true)
        )
      ),
    acceptInvitation: (_, args, context) =>
      runAs(
        context,
        args,
        Effect.fnUntraced(function* (person) {
          const joined = yield* organizations.acceptInvitation(person, args.token)
          const found = (yield* organizations.list(person)).find(({ organization }) => organization.id === joined.id)
          return showOrganization(joined, found?.role ?? null)
        })
      ),
    changeRole: (_, args, context) =>
      runAs(
        context,
        args,
        Effect.fnUntraced(function* (person) {
          const [id, account] = [yield* organizationId(args.organizationId), yield* accountId(args.accountId)]
          return showMember(yield* organizations.changeRole(person, id, account, args.role))
        })
      ),
    removeMember: (_, args, context) =>
      runAs(
        context,
        args,
        Effect.fnUntraced(function* (person) {
          const [id, account] = [yield* organizationId(args.organizationId), yield* accountId(args.accountId)]
          yield* organizations.removeMember(person, id, account)
          return true
        })
      ),
    leaveOrganization: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) => Effect.as(organizations.leave(person, id), true))
      ),
    transferOwnership: (_, args, context) =>
      runAs(
        context,
        args,
        Effect.fnUntraced(function* (person) {
          const [id, account] = [yield* organizationId(args.organizationId), yield* accountId(args.accountId)]
          return showMember(yield* organizations.transferOwnership(person, id, account))
        })
      )
  }) satisfies MutationResolvers

export const makeOrganizationFields = (services: Services) => ({
  Query: queries(services),
  Mutation: mutations(services)
})
