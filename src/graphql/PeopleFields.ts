import { Effect, Option } from "effect"
import type { AuditFilter } from "../../services/domain/access/Audit.ts"
import type { AccountId, ExternalSignInId, InvitationId, OrganizationId, SessionId } from "../../services/domain/Ids.ts"
import type { Account, ExternalSignIn, Person } from "../../services/domain/people/Account.ts"
import { SESSION_MS } from "../../services/domain/people/Account.ts"
import type { Invitation, Member, Organization } from "../../services/domain/people/Organization.ts"
import type { PeopleLogEntry } from "../../services/domain/people/PeopleLogEntry.ts"
import type { Role } from "../../services/domain/people/Role.ts"
import { isoTime } from "../../services/domain/Time.ts"
import type { Accounts } from "../../services/engine/people/Accounts.ts"
import type { ExternalSignIns } from "../../services/engine/people/ExternalSignIns.ts"
import type { Organizations } from "../../services/engine/people/Organizations.ts"
import type { Sessions } from "../../services/engine/people/Sessions.ts"
import type { SignIn } from "../../services/engine/people/SignIn.ts"
import type { Page } from "../../services/ports/audience/DeviceStore.ts"
import { NotThere } from "../../services/ports/people/OrganizationStore.ts"
import { showApplication } from "../http/endpoints/Application.ts"
import { ApiError, invalid, notFound } from "../http/pipeline/ApiError.ts"
import { refusalOfJson } from "../http/pipeline/Body.ts"
import { page } from "../http/pipeline/Page.ts"
import { externalCookieIn, noExternalCookie } from "../http/pipeline/ExternalCookies.ts"
import { cookiesIn, deviceCookie, DEVICE_COOKIE, noSessionCookie, sessionCookie } from "../http/pipeline/Visitor.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"
import type { GraphqlContext } from "./Context.ts"
import type { AccountResolvers, MutationResolvers, QueryResolvers } from "./generated/resolvers.ts"
import type { PeopleRefusal } from "./PeopleRefusals.ts"
import { inWords } from "./PeopleRefusals.ts"
import { connectionOf } from "./RelayConnection.ts"

/*
 * What people do: sign in, belong to organizations, invite others. Fields ask the engine's services, which say what a role
 * may do; a secret key has all rights over its application and none over people.
 */

export interface PeopleServices {
  readonly accounts: Accounts["Service"]
  readonly organizations: Organizations["Service"]
  readonly sessions: Sessions["Service"]
  readonly signIn: SignIn["Service"]
  readonly external: ExternalSignIns["Service"]
  /** Who gets an account: `REGISTRATION`. */
  readonly registration: "open" | "invite"
  /** Whether cookies are for TLS alone. */
  readonly isSecure: boolean
}

/** Fields that need neither key nor session. */
const FOR_ANYBODY: ReadonlySet<string> = new Set(["requestLoginCode", "verifyLoginCode", "invitation", "signInOptions"])

/** Whether an operation with these fields is answered to whoever is signed out. */
export const isForAnybody = (roots: ReadonlySet<string>): boolean => {
  const asked = [...roots].filter((name) => name !== "__typename")
  return asked.length > 0 && asked.every((name) => FOR_ANYBODY.has(name))
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id as it was given; what is none is that of nothing. */
const idIn = <Id extends string>(text: string, what: string): Effect.Effect<Id, ApiError> =>
  UUID.test(text) ? Effect.succeed(text.toLowerCase() as Id) : Effect.fail(notFound(what))

const organizationId = (text: string) => idIn<OrganizationId>(text, "organization")
const accountId = (text: string) => idIn<AccountId>(text, "member")

const showAccount = ({ createdAt, email, id, name }: Account) => ({ id, email, name, createdAt: isoTime(createdAt) })

const showOrganization = ({ createdAt, id, name, plan }: Organization, role: Role | null) => ({
  id,
  name,
  plan,
  role,
  createdAt: isoTime(createdAt)
})

const showMember = ({ joinedAt, ...member }: Member) => ({ ...member, joinedAt: isoTime(joinedAt) })

const showInvitation = ({ createdAt, expiresAt, ...invitation }: Invitation) => ({
  ...invitation,
  createdAt: isoTime(createdAt),
  expiresAt: isoTime(expiresAt)
})

const showEntry = ({ accountId, action, actorEmail, actorId, actorKind, at, details, id, target }: PeopleLogEntry) => ({
  id,
  at: isoTime(at),
  accountId,
  actor: { kind: actorKind, id: actorId, email: actorEmail },
  action,
  target,
  details
})

/** Moments in words, at any depth: fields whose names end in `At`, and `at`. */
const withTimes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withTimes)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === "number" && /^at$|At$/.test(name) ? isoTime(one) : withTimes(one)
    ])
  )
}

type Failure = ApiError | PeopleRefusal

const asPerson = ({ caller, person }: GraphqlContext): Effect.Effect<Person, ApiError> => {
  if (person !== null) return Effect.succeed(person)
  return Effect.fail(
    caller === null
      ? new ApiError("unauthorized", "Sign in first.")
      : new ApiError("forbidden", "A secret key has no rights over people: this needs a session.")
  )
}

/** Runs the work of a field, with whatever the engine refuses in the words of the API. */
const run = <A>(context: GraphqlContext, args: object, work: Effect.Effect<A, Failure>): A | Promise<A> => {
  const wrong = refusalOfJson(args, true)
  return context.run(
    wrong !== null
      ? Effect.fail(wrong)
      : Effect.mapError(within(context.waits(), work), (error) => (error instanceof ApiError ? error : inWords(error)))
  )
}

/** The same for whoever is signed in. */
const runAs = <A>(
  context: GraphqlContext,
  args: object,
  work: (person: Person) => Effect.Effect<A, Failure>
): A | Promise<A> => run(context, args, Effect.flatMap(asPerson(context), work))

interface Paging {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** A page of a store, as a connection. */
const pageOf = <A, B>(
  list: string,
  { after, first }: Paging,
  load: (after: string | null, limit: number) => Effect.Effect<Page<A>, PeopleRefusal>,
  show: (item: A) => B
) =>
  Effect.map(
    page(
      list,
      { ...(first == null ? undefined : { limit: first }), ...(after == null ? undefined : { cursor: after }) },
      load,
      show
    ),
    (found) => connectionOf(found, after != null)
  ).pipe(
    Effect.mapError((error) =>
      error instanceof ApiError && error.details[0]?.field === "cursor"
        ? invalid([{ ...error.details[0], field: "after" }])
        : error
    )
  )

const momentIn = (text: string | null | undefined, field: string): Effect.Effect<number | null, ApiError> => {
  if (text == null) return Effect.succeed(null)
  const at = Date.parse(text)
  return Number.isNaN(at) || !/^\d{4}-\d\d-\d\dT/.test(text)
    ? Effect.fail(invalid([{ field, message: "must be a moment such as 2026-01-15T09:30:00Z" }]))
    : Effect.succeed(at)
}

const clientOf = ({ call }: GraphqlContext) => ({
  address: call.client.address(),
  device: cookiesIn(call.request, DEVICE_COOKIE)[0] ?? null
})

/** The token of an external identity that waits for a code, of the browser that asks. */
const pendingIn = ({ call }: GraphqlContext, isSecure: boolean): string | null =>
  externalCookieIn(call.request, "pending", isSecure)

const showExternal = ({ createdAt, email, id, lastUsedAt, provider }: ExternalSignIn) => ({
  id,
  provider,
  email,
  createdAt: isoTime(createdAt),
  lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt)
})

const queries = ({ accounts, external, isSecure, organizations, registration, sessions }: PeopleServices) =>
  ({
    signInOptions: (_, args, context) => {
      const token = pendingIn(context, isSecure)
      const pending = token === null ? Effect.succeedNone : external.pending(token)
      return run(
        context,
        args,
        Effect.map(pending, (found) => ({
          registration,
          providers: external.offered,
          pending: Option.getOrNull(found)
        }))
      )
    },
    me: (_, _args, { person }) => (person === null ? null : showAccount(person.account)),
    sessions: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.map(sessions.list(person), (found) =>
          found.map(({ createdAt, expiresAt, id, lastUsedAt, userAgent }) => ({
            id,
            userAgent,
            isCurrent: id === person.sessionId,
            createdAt: isoTime(createdAt),
            lastUsedAt: isoTime(lastUsedAt),
            expiresAt: isoTime(expiresAt)
          }))
        )
      ),
    exportMyAccountData: (_, args, context) =>
      runAs(context, args, (person) => Effect.map(accounts.exportData(person), withTimes)),
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
          const filter: AuditFilter = {
            actorId: args.actorId ?? null,
            action: args.action ?? null,
            target: args.target ?? null,
            from: yield* momentIn(args.from, "from"),
            to: yield* momentIn(args.to, "to")
          }
          return yield* pageOf(
            `organization-log/${id}`,
            args,
            (after, limit) => organizations.log(person, id, filter, after, limit),
            showEntry
          )
        })
      )
  }) satisfies QueryResolvers

const signing = ({ accounts, isSecure, sessions, signIn }: PeopleServices) => {
  const signOut = (context: GraphqlContext, end: (person: Person) => Effect.Effect<void, PeopleRefusal>) =>
    runAs(context, {}, (person) =>
      Effect.map(end(person), () => {
        context.call.cookies.push(noSessionCookie(isSecure))
        return true
      })
    )
  return {
    requestLoginCode: (_, args, context) => {
      const { person } = context
      const client = clientOf(context)
      const sent = person === null ? signIn.requestCode(args.email, client) : signIn.requestDeletionCode(person, client)
      return run(context, args, Effect.as(sent, true))
    },
    verifyLoginCode: (_, args, context) => {
      const pending = pendingIn(context, isSecure)
      const client = { ...clientOf(context), pending, userAgent: context.call.request.headers["user-agent"] ?? "" }
      const begun = Effect.map(
        signIn.verifyCode(args.email, args.code, client),
        ({ account, device, expiresAt, first, token }) => {
          context.call.cookies.push(sessionCookie(token, SESSION_MS / 1000, isSecure), deviceCookie(device, isSecure))
          if (pending !== null) context.call.cookies.push(noExternalCookie("pending", isSecure))
          return {
            token,
            expiresAt: isoTime(expiresAt),
            account: showAccount(account),
            first:
              first === null
                ? null
                : { organization: showOrganization(first.organization, "owner"), ...first.application }
          }
        }
      )
      return run(context, args, begun)
    },
    logout: (_, _args, context) => signOut(context, sessions.logout),
    signOutEverywhere: (_, _args, context) => signOut(context, sessions.signOutEverywhere),
    endSession: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(idIn<SessionId>(args.id, "session"), (id) => Effect.as(sessions.end(person, id), true))
      ),
    renameAccount: (_, args, context) =>
      runAs(context, args, (person) => Effect.map(accounts.rename(person, args.name), showAccount)),
    deleteAccount: (_, args, context) => signOut(context, (person) => accounts.deleteAccount(person, args.code))
  } satisfies MutationResolvers
}

const external = ({ external, isSecure }: PeopleServices) => {
  const pendingOf = (context: GraphqlContext) => {
    const token = pendingIn(context, isSecure)
    return token === null ? Effect.fail(new NotThere({ what: "external sign-in" })) : Effect.succeed(token)
  }
  return {
    requestExternalSignInCode: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(pendingOf(context), (token) =>
          Effect.as(external.requestCode(person, token, clientOf(context)), true)
        )
      ),
    confirmExternalSignIn: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(pendingOf(context), (token) =>
          Effect.map(external.confirm(person, token, args.code), (bound) => {
            context.call.cookies.push(noExternalCookie("pending", isSecure))
            return showExternal(bound)
          })
        )
      ),
    unbindExternalSignIn: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(idIn<ExternalSignInId>(args.id, "external sign-in"), (id) =>
          Effect.as(external.unbind(person, id), true)
        )
      )
  } satisfies MutationResolvers
}

const organizing = ({ organizations }: PeopleServices) =>
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
          Effect.map(organizations.createApplication(person, id, args.name), ({ application, secrets }) => ({
            application: showApplication(application),
            ...secrets
          }))
        )
      ),
    inviteMember: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(organizationId(args.organizationId), (id) =>
          Effect.map(organizations.invite(person, id, args.email, args.role), showInvitation)
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

export const makePeopleFields = (services: PeopleServices) => ({
  Query: queries(services),
  Mutation: { ...signing(services), ...external(services), ...organizing(services) },
  Account: {
    // Whose account is shown is who is signed in, or has just proved the address.
    externalSignIns: ({ id }, _, context) =>
      run(
        context,
        {},
        Effect.map(services.external.list(id), (found) => found.map(showExternal))
      )
  } satisfies AccountResolvers
})
export type PeopleFields = ReturnType<typeof makePeopleFields>
