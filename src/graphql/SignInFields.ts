import { Effect, Option } from "effect"
import type { ExternalSignInId, SessionId } from "../../services/domain/Ids.ts"
import { accountAddress } from "../../services/domain/people/AccountAddress.ts"
import { isoTime } from "../../services/domain/Time.ts"
import type { ExternalSignIns } from "../../services/engine/people/ExternalSignIns.ts"
import type { Sessions } from "../../services/engine/people/Sessions.ts"
import type { SignIn } from "../../services/engine/people/SignIn.ts"
import { NotThere } from "../../services/ports/people/OrganizationStore.ts"
import { invalid } from "../http/pipeline/ApiError.ts"
import { externalCookieIn, noExternalCookie } from "../http/pipeline/ExternalCookies.ts"
import type { GraphqlContext } from "./Context.ts"
import type { AccountResolvers, MutationResolvers, QueryResolvers } from "./generated/resolvers.ts"
import { showExternal } from "./PeopleViews.ts"
import { idIn, run, runAs } from "./PeopleWork.ts"
import { clientOf, showBegun, signOut } from "./SessionAnswers.ts"

/* Signing in, by codes and by accounts with other services, and what has come of it: sessions. */

interface Services {
  readonly sessions: Sessions["Service"]
  readonly signIn: SignIn["Service"]
  readonly external: ExternalSignIns["Service"]
  /** Who gets an account: `REGISTRATION`. */
  readonly registration: "open" | "invite"
  /** Whether cookies are for TLS alone. */
  readonly isSecure: boolean
}

/** Not sent to the own address instead, as if it had been asked for. */
const ANOTHER_ADDRESS = invalid([
  {
    field: "email",
    message:
      "must be the address of the account that is signed in, for a code for deleteAccount. To sign in with another, leave the session out"
  }
])

/** The token of an external identity that waits for a code, of the browser that asks. */
const pendingIn = ({ call }: GraphqlContext, isSecure: boolean): string | null =>
  externalCookieIn(call.request, "pending", isSecure)

const queries = ({ external, isSecure, registration, sessions }: Services) =>
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
      )
  }) satisfies QueryResolvers

const byCode = ({ isSecure, sessions, signIn }: Services) =>
  ({
    requestLoginCode: (_, args, context) => {
      const { person } = context
      const client = clientOf(context)
      if (person !== null && accountAddress(args.email) !== person.account.email) {
        return run(context, args, Effect.fail(ANOTHER_ADDRESS))
      }
      const sent = person === null ? signIn.requestCode(args.email, client) : signIn.requestDeletionCode(person, client)
      return run(context, args, Effect.as(sent, true))
    },
    verifyLoginCode: (_, args, context) => {
      const pending = pendingIn(context, isSecure)
      const begun = Effect.map(
        signIn.verifyCode(args.email, args.code, { ...clientOf(context), pending }),
        (session) => {
          const shown = showBegun(context, session, isSecure)
          if (pending !== null) context.call.cookies.push(noExternalCookie("pending", isSecure))
          return shown
        }
      )
      return run(context, args, begun)
    },
    logout: (_, _args, context) => signOut(context, sessions.logout, isSecure),
    signOutEverywhere: (_, _args, context) => signOut(context, sessions.signOutEverywhere, isSecure),
    endSession: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.flatMap(idIn<SessionId>(args.id, "session"), (id) => Effect.as(sessions.end(person, id), true))
      )
  }) satisfies MutationResolvers

const byOthers = ({ external, isSecure }: Services) => {
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

export const makeSignInFields = (services: Services) => ({
  Query: queries(services),
  Mutation: { ...byCode(services), ...byOthers(services) },
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
