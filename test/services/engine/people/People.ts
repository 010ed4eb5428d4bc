import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layer as keysLayer } from "../../../../layers/crypto/Keys.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as SessionTokens from "../../../../layers/crypto/SessionTokens.ts"
import * as SignInSecrets from "../../../../layers/crypto/SignInSecrets.ts"
import * as ApplicationStores from "../../../../layers/postgres/access/ApplicationStore.ts"
import * as AuditLogs from "../../../../layers/postgres/access/AuditLog.ts"
import * as AccountStores from "../../../../layers/postgres/people/AccountStore.ts"
import * as AddressChangeStores from "../../../../layers/postgres/people/AddressChangeStore.ts"
import * as ExternalSignInStores from "../../../../layers/postgres/people/ExternalSignInStore.ts"
import * as LoginCodeStores from "../../../../layers/postgres/people/LoginCodeStore.ts"
import * as OrganizationStores from "../../../../layers/postgres/people/OrganizationStore.ts"
import * as PeopleLogs from "../../../../layers/postgres/people/PeopleLog.ts"
import * as ServiceMailStores from "../../../../layers/postgres/people/ServiceMailStore.ts"
import * as SessionStores from "../../../../layers/postgres/people/SessionStore.ts"
import { Accounts } from "../../../../services/engine/people/Accounts.ts"
import { AddressChanges } from "../../../../services/engine/people/AddressChanges.ts"
import { Organizations } from "../../../../services/engine/people/Organizations.ts"
import { Permissions } from "../../../../services/engine/people/Permissions.ts"
import { ServiceMails } from "../../../../services/engine/people/ServiceMails.ts"
import { Sessions } from "../../../../services/engine/people/Sessions.ts"
import { SignIn } from "../../../../services/engine/people/SignIn.ts"
import type { Person } from "../../../../services/domain/people/Account.ts"
import type { OrganizationId } from "../../../../services/domain/Ids.ts"
import type { Role } from "../../../../services/domain/people/Role.ts"
import type { OwnMail } from "../../../../services/ports/people/ServiceMailer.ts"
import { MailNotTaken, ServiceMailer } from "../../../../services/ports/people/ServiceMailer.ts"
import { IdentityProviders } from "../../../../services/ports/people/IdentityProviders.ts"
import { OrganizationStore } from "../../../../services/ports/people/OrganizationStore.ts"
import { PeopleSettings } from "../../../../services/ports/people/PeopleSettings.ts"
import { testDatabase } from "../../../Database.ts"

/** What the tests of people share: nodes over the real stores, and people who sign in at them. */

const MASTER = new Uint8Array(32).fill(9)

export const stores = Layer.mergeAll(
  AccountStores.layer,
  AddressChangeStores.layer,
  ApplicationStores.layer,
  AuditLogs.layer,
  ExternalSignInStores.layer,
  LoginCodeStores.layer,
  OrganizationStores.layer,
  PeopleLogs.layer,
  ServiceMailStores.layer,
  SessionStores.layer
)

export const crypto = Layer.mergeAll(
  SecretBox.layerOf(MASTER),
  SessionTokens.layerOf(MASTER),
  SignInSecrets.layerOf(MASTER),
  keysLayer
)

/** The stores over a database of their own, for all nodes of a file. */
export const peopleStores = () => stores.pipe(Layer.provideMerge(crypto), Layer.provideMerge(testDatabase()))

const missing = Effect.die(new Error("no provider is offered"))
const noProviders = Layer.succeed(IdentityProviders, {
  offered: [],
  newSecrets: () => ({ state: "", verifier: "", nonce: "" }),
  authorizationUrl: () => missing,
  identify: () => missing
})

/** A node: the engine's services, and the mails that it has sent. */
export const node = (registration: "open" | "invite" = "open") =>
  Effect.gen(function* () {
    const sent: Array<OwnMail> = []
    /** What the next mails are answered, instead of being taken. */
    const refusals: Array<MailNotTaken> = []
    /** Addresses for which the server takes forever, and those that it has begun with. */
    const slow = new Set<string>()
    const begun: Array<string> = []
    const mailer = Layer.succeed(ServiceMailer, {
      send: (mail) =>
        Effect.suspend(() => {
          const refusal = refusals.shift()
          if (refusal !== undefined) return Effect.fail(refusal)
          begun.push(mail.to)
          if (slow.has(mail.to)) return Effect.never
          sent.push(mail)
          return Effect.void
        })
    })
    const engine = Layer.mergeAll(
      Accounts.layer,
      AddressChanges.layer,
      Organizations.layer,
      Sessions.layer,
      SignIn.layer
    ).pipe(
      Layer.provideMerge(Layer.merge(Permissions.layer, ServiceMails.layer)),
      Layer.provide(mailer),
      Layer.provide(noProviders),
      Layer.provide(Layer.succeed(PeopleSettings, { registration, baseUrl: "https://push.example.com" }))
    )
    const context = yield* Layer.build(Layer.fresh(engine))
    return {
      sent,
      refusals,
      slow,
      begun,
      accounts: Context.get(context, Accounts),
      addressChanges: Context.get(context, AddressChanges),
      mails: Context.get(context, ServiceMails),
      organizations: Context.get(context, Organizations),
      permissions: Context.get(context, Permissions),
      sessions: Context.get(context, Sessions),
      signIn: Context.get(context, SignIn)
    }
  })

export type Node = Effect.Success<ReturnType<typeof node>>

let people = 0
/** An address that no other test has. */
export const newAddress = (name = "someone"): string => `${name}-${++people}@example.com`

let clients = 0
/** Somebody elsewhere, whom no limit has met. */
export const newClient = (device: string | null = null) => ({
  address: `198.51.${(++clients >> 8) & 255}.${clients & 255}`,
  device
})

/** Lets time go by for what is counted: everything was asked for so much earlier, invitations too. */
export const age = (seconds: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(
      sql`UPDATE invitations SET created_at = created_at - ${seconds} * interval '1 second'`,
      sql`UPDATE sign_in_attempts SET times = ARRAY(SELECT t - ${seconds} * interval '1 second' FROM unnest(times) AS t)`
    )
  )

/** The code of the last mail to an address, once all mail has gone out. */
export const mailedCode = Effect.fnUntraced(function* ({ mails, sent }: Node, email: string) {
  const before = sent.length
  yield* mails.sendDue
  const isTheirs = ({ to }: OwnMail) => to === email
  const fresh = sent.slice(before).filter(isTheirs)
  // Of mails of one moment none is the last, and codes go first.
  const those = fresh.length > 0 ? fresh : sent.filter(isTheirs)
  return those.map(({ text }) => /^ {4}(\d{6})$/m.exec(text)?.[1] ?? null).findLast((code) => code !== null) ?? null
})

/** Signs in as the operator of the node can, and answers the session. */
export const signedIn = Effect.fnUntraced(function* ({ signIn }: Node, email: string) {
  const code = yield* signIn.codeForOperator(email, "sign_in")
  return yield* signIn.verifyCode(email, code, { device: null, userAgent: "Test/1.0" })
})

/** Somebody who has signed in, as a request finds them. */
export const person = Effect.fnUntraced(function* (node: Node, email = newAddress()) {
  const { first, token } = yield* signedIn(node, email)
  const found = yield* node.sessions.authenticate(token)
  return { token, person: found, organization: first?.organization.id ?? (null as unknown as OrganizationId), first }
})

/** The same person as a request finds them now. */
export const again = (node: Node, token: string): Effect.Effect<Person> =>
  Effect.orDie(node.sessions.authenticate(token))

/** Somebody with a role in an organization. */
export const memberOf = Effect.fnUntraced(function* (node: Node, organization: OrganizationId, role: Role) {
  const one = yield* person(node)
  yield* (yield* OrganizationStore).enrol(organization, one.person.account.id, role)
  return { ...one, person: yield* again(node, one.token) }
})

/** The roles in an organization, by account, as they are now. */
export const rolesIn = Effect.fnUntraced(function* (organization: OrganizationId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly account_id: string; readonly role: Role }>`
    SELECT account_id, role FROM members WHERE organization_id = ${organization}`
  return new Map(rows.map(({ account_id, role }) => [account_id, role]))
})

export { MailNotTaken }
