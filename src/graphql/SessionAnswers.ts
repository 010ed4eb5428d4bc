import { Effect } from "effect"
import type { Person } from "../../services/domain/people/Account.ts"
import { SESSION_MS } from "../../services/domain/people/Account.ts"
import { isoTime } from "../../services/domain/Time.ts"
import type { NewSession } from "../../services/engine/people/newSessions.ts"
import { deviceCookie, deviceIn, noSessionCookie, sessionCookie } from "../http/pipeline/Visitor.ts"
import type { GraphqlContext } from "./Context.ts"
import type { PeopleRefusal } from "./PeopleRefusals.ts"
import { showAccount, showOrganization } from "./PeopleViews.ts"
import { runAs } from "./PeopleWork.ts"

/* What begins and ends sessions, with the cookies that go along. */

export const clientOf = ({ call }: GraphqlContext) => ({
  address: call.client.address(),
  device: deviceIn(call.request),
  userAgent: call.request.headers["user-agent"] ?? ""
})

/** A session that has begun, as its browser and the answer get it. */
export const showBegun = (
  { call, keepSecret }: GraphqlContext,
  { account, device, expiresAt, first, token }: NewSession,
  isSecure: boolean
) => {
  keepSecret({ token }, {})
  if (first !== null) keepSecret(first.application, { appId: first.application.appId })
  call.cookies.push(sessionCookie(token, SESSION_MS / 1000, isSecure), deviceCookie(device, isSecure))
  return {
    token,
    expiresAt: isoTime(expiresAt),
    account: showAccount(account),
    first: first === null ? null : { organization: showOrganization(first.organization, "owner"), ...first.application }
  }
}

/** Ends what whoever is signed in came with, and takes the cookie. */
export const signOut = (
  context: GraphqlContext,
  end: (person: Person) => Effect.Effect<void, PeopleRefusal>,
  isSecure: boolean
) =>
  runAs(context, {}, (person) =>
    Effect.map(end(person), () => {
      context.call.cookies.push(noSessionCookie(isSecure))
      return true
    })
  )
