import { Effect, Layer, Option } from "effect"
import type { Context } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as AccountStores from "../../../layers/postgres/people/AccountStore.ts"
import * as AddressChangeStores from "../../../layers/postgres/people/AddressChangeStore.ts"
import * as ExternalSignInStores from "../../../layers/postgres/people/ExternalSignInStore.ts"
import * as LoginCodeStores from "../../../layers/postgres/people/LoginCodeStore.ts"
import * as OrganizationStores from "../../../layers/postgres/people/OrganizationStore.ts"
import * as OwnershipStores from "../../../layers/postgres/people/OwnershipStore.ts"
import * as PeopleLogs from "../../../layers/postgres/people/PeopleLog.ts"
import * as ServiceMailStores from "../../../layers/postgres/people/ServiceMailStore.ts"
import * as SessionStores from "../../../layers/postgres/people/SessionStore.ts"
import { ANY_ENTRY } from "../../../services/domain/access/Audit.ts"
import type {
  AccountId,
  AppId,
  ExternalSignInId,
  InvitationId,
  OrganizationId,
  SessionId
} from "../../../services/domain/Ids.ts"
import type { Account } from "../../../services/domain/people/Account.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { ProvedSignIn } from "../../../services/ports/people/AccountStore.ts"
import { AccountStore } from "../../../services/ports/people/AccountStore.ts"
import type { CodePurpose } from "../../../services/domain/people/SignInCode.ts"
import type { Binding } from "../../../services/ports/people/Binding.ts"
import { AddressChangeStore } from "../../../services/ports/people/AddressChangeStore.ts"
import { ExternalSignInStore } from "../../../services/ports/people/ExternalSignInStore.ts"
import { LoginCodeStore } from "../../../services/ports/people/LoginCodeStore.ts"
import { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import type { ObjectKind } from "../../../services/ports/people/OwnershipStore.ts"
import { OwnershipStore } from "../../../services/ports/people/OwnershipStore.ts"
import { PeopleLog } from "../../../services/ports/people/PeopleLog.ts"
import { ServiceMailStore } from "../../../services/ports/people/ServiceMailStore.ts"
import { SessionStore } from "../../../services/ports/people/SessionStore.ts"

/* The operations of people's stores, as those of Operations.ts. */

export const PEOPLE_PORTS = {
  AccountStore,
  AddressChangeStore,
  ExternalSignInStore,
  LoginCodeStore,
  OrganizationStore,
  OwnershipStore,
  PeopleLog,
  ServiceMailStore,
  SessionStore
} as const

export const peopleStores = Layer.mergeAll(
  AccountStores.layer,
  AddressChangeStores.layer,
  ExternalSignInStores.layer,
  LoginCodeStores.layer,
  OrganizationStores.layer,
  OwnershipStores.layer,
  PeopleLogs.layer,
  ServiceMailStores.layer,
  SessionStores.layer
)

type Needs = Context.Service.Identifier<(typeof PEOPLE_PORTS)[keyof typeof PEOPLE_PORTS]> | SqlClient.SqlClient
type Call = Effect.Effect<unknown, unknown, Needs>

const PAGE = 10
const HOUR = 3_600_000
const MISSING = "00000000-0000-7000-8000-000000000000"
const unique = (): string => randomBytes(8).toString("hex")
const newEmail = () => `${unique()}@example.org` as AccountAddress
const hash = () => new Uint8Array(randomBytes(32))
const newMail = (email = newEmail()) => ({
  id: uuidv7(),
  email,
  sealed: new Uint8Array(1),
  isCode: true,
  sender: unique(),
  lifetimeMs: HOUR
})

/** What is asked for by its id alone. */
const KINDS: ReadonlyArray<ObjectKind> = [
  "device",
  "contact",
  "channel",
  "segment",
  "template",
  "templateVersion",
  "notification",
  "webhook",
  "redelivery",
  "deadLetter",
  "replay",
  "apiKey"
]

export const peopleOperationsOf = (app: AppId): Readonly<Record<string, Effect.Effect<Call, unknown, Needs>>> => {
  const application = (organizationId: OrganizationId) => ({
    id: uuidv7() as AppId,
    organizationId,
    name: "One",
    identitySecret: "s",
    keys: []
  })
  const provedSignIn = (email: AccountAddress, binding: Binding | null = null): ProvedSignIn => {
    const organization = { id: uuidv7() as OrganizationId, name: "One" }
    return {
      email,
      mayRegister: true,
      session: { id: uuidv7() as SessionId, userAgent: "", lifetimeMs: HOUR },
      account: uuidv7() as AccountId,
      organization,
      application: application(organization.id),
      binding
    }
  }
  const signIn = (email: AccountAddress, binding: Binding | null = null) =>
    Effect.flatMap(AccountStore, (store) => {
      const proved = provedSignIn(email, binding)
      return Effect.map(store.signIn(proved), ({ account }) => ({
        account,
        session: proved.session.id,
        organization: proved.organization.id
      }))
    })
  const somebody = Effect.suspend(() => signIn(newEmail()))
  const identity = () => ({ provider: "google", subject: unique() }) as const
  const binding = (email: AccountAddress, identity: Binding["identity"]): Binding => ({
    id: uuidv7() as ExternalSignInId,
    identity,
    notice: () => newMail(email)
  })
  const redirect = () => ({
    provider: "google" as const,
    stateHash: hash(),
    sealed: new Uint8Array(1),
    mode: "sign_in" as const,
    sessionId: null,
    returnTo: "/",
    lifetimeMs: HOUR
  })
  const bound = Effect.gen(function* () {
    const { account } = yield* somebody
    const proved = { _tag: "Proved" as const, ...identity() }
    const { id } = yield* (yield* ExternalSignInStore).bind(account.id, binding(account.email, proved))
    return { account, id, proved }
  })
  /** Somebody, and an identity with their address that waits for a code. */
  const pending = Effect.gen(function* () {
    const { account } = yield* somebody
    const tokenHash = hash()
    yield* (yield* ExternalSignInStore).hold({ ...identity(), email: account.email, tokenHash, lifetimeMs: HOUR })
    return { account, tokenHash, identity: { _tag: "Pending" as const, tokenHash, providers: ["google" as const] } }
  })
  /** An organization with two owners and somebody else. */
  const team = Effect.gen(function* () {
    const [owner, other, guest] = [yield* somebody, yield* somebody, yield* somebody]
    const store = yield* OrganizationStore
    yield* store.enrol(owner.organization, other.account.id, "owner")
    yield* store.enrol(owner.organization, guest.account.id, "viewer")
    return { id: owner.organization, owner: owner.account, other: other.account, guest: guest.account }
  })
  const invitation = (email: AccountAddress, role: Role = "viewer") => ({
    id: uuidv7() as InvitationId,
    email,
    role,
    tokenHash: hash(),
    lifetimeMs: HOUR,
    counted: [unique(), unique()].map((key) => ({ key, allowances: [{ count: 5, ms: HOUR }] })),
    mail: () => newMail(email)
  })
  const invited = Effect.gen(function* () {
    const [{ id, owner }, guest] = [yield* team, yield* somebody]
    const made = invitation(guest.account.email)
    yield* (yield* OrganizationStore).invite(owner.id, id, made)
    return { ...made, owner, guest: guest.account }
  })
  const code = (email: AccountAddress, purpose: CodePurpose = "sign_in") => ({
    email,
    purpose,
    hash: hash(),
    lifetimeMs: HOUR,
    ofOperator: false,
    counted: [{ key: unique(), allowances: [{ count: 5, ms: HOUR }] }],
    mail: null
  })
  const addressChange = (account: Pick<Account, "id" | "email">) => ({
    account,
    email: newEmail(),
    oldHash: hash(),
    newHash: hash(),
    lifetimeMs: HOUR,
    counted: [{ key: unique(), allowances: [{ count: 5, ms: HOUR }] }],
    mails: [newMail(account.email), newMail()]
  })
  const proofs = (
    account: Pick<Account, "id" | "email">,
    oldHashes: ReadonlyArray<Uint8Array>,
    newHashes: ReadonlyArray<Uint8Array>
  ) => ({
    account,
    oldHashes,
    newHashes,
    wrong: { key: unique(), allowances: [{ count: 5, ms: HOUR }] },
    session: { id: uuidv7() as SessionId, userAgent: "", lifetimeMs: HOUR },
    notice: newMail
  })
  const issued = Effect.gen(function* () {
    const made = code(newEmail())
    yield* (yield* LoginCodeStore).issue(made)
    return made
  })
  const attempt = (email: AccountAddress, hashes: ReadonlyArray<Uint8Array>, purpose: CodePurpose = "sign_in") => ({
    email,
    purpose,
    hashes,
    wrong: { key: unique(), allowances: [{ count: 5, ms: HOUR }] }
  })

  const after = <A, Id, S>(
    needed: Effect.Effect<A, unknown, Needs>,
    port: Context.Service<Id, S>,
    call: (store: S, needed: A) => Effect.Effect<unknown, unknown, Needs>
  ) =>
    Effect.map(needed, (needed) => Effect.flatMap(port, (store) => call(store, needed))) as Effect.Effect<
      Call,
      unknown,
      Needs
    >
  const plain = <Id, S>(port: Context.Service<Id, S>, call: (store: S) => Effect.Effect<unknown, unknown, Needs>) =>
    after(Effect.void, port, call)
  const removeAll = Effect.gen(function* () {
    const store = yield* OrganizationStore
    while ((yield* store.removeDeleted) > 0);
  })
  /** Removes what deleted organizations left, as if what was under way then had ended. */
  const removeAged = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE organizations SET deleted_at = deleted_at - interval '1 minute' WHERE deleted_at IS NOT NULL`
    yield* removeAll
  })
  const deletedTeam = Effect.gen(function* () {
    yield* removeAged
    const [store, sql, { id, owner }] = [yield* OrganizationStore, yield* SqlClient.SqlClient, yield* team]
    yield* store.remove(owner.id, id)
    yield* sql`UPDATE organizations SET deleted_at = deleted_at - interval '1 minute' WHERE id = ${id}`
  })
  const filter = (changes: Partial<typeof ANY_ENTRY>) =>
    after(organizationOf, PeopleLog, (log, id) => log.list(id, { ...ANY_ENTRY, ...changes }, null, PAGE))
  const organizationOf = Effect.flatMap(OrganizationStore, (store) =>
    Effect.map(store.ofApplication(app), Option.getOrThrow)
  )

  return {
    "AccountStore.signIn": plain(AccountStore, () => signIn(newEmail())),
    "AccountStore.signIn, again": after(somebody, AccountStore, (_, { account }) => signIn(account.email)),
    "AccountStore.signInByCode": after(issued, AccountStore, (store, { email, hash: right }) =>
      store.signInByCode(provedSignIn(email), attempt(email, [right]))
    ),
    "AccountStore.signInByCode, a wrong one": after(issued, AccountStore, (store, { email }) =>
      store.signInByCode(provedSignIn(email), attempt(email, [hash()]))
    ),
    "AccountStore.find": after(somebody, AccountStore, (store, { account }) => store.find(account.id)),
    "AccountStore.findByEmail": after(somebody, AccountStore, (store, { account }) => store.findByEmail(account.email)),
    "AccountStore.list": plain(AccountStore, (store) => store.list(null, PAGE)),
    "AccountStore.list, later": plain(AccountStore, (store) => store.list(MISSING, PAGE)),
    "AccountStore.rename": after(somebody, AccountStore, (store, { account }) => store.rename(account.id, unique())),
    "AccountStore.disable": after(somebody, AccountStore, (store, { account }) => store.disable(account.id)),
    "AccountStore.enable": after(somebody, AccountStore, (store, { account }) => store.enable(account.id)),
    "AccountStore.data": after(team, AccountStore, (store, { guest }) => store.data(guest.id)),
    "AccountStore.remove": after(
      Effect.gen(function* () {
        const { guest } = yield* team
        const made = code(guest.email, "delete_account")
        yield* (yield* LoginCodeStore).issue(made)
        return { guest, hash: made.hash }
      }),
      AccountStore,
      (store, { guest, hash }) => store.remove(guest, [hash], { key: unique(), allowances: [{ count: 5, ms: HOUR }] })
    ),
    "AccountStore.signIn, with an external sign-in": after(pending, AccountStore, (_, { account, identity }) =>
      signIn(account.email, binding(account.email, identity))
    ),
    "AddressChangeStore.begin": after(somebody, AddressChangeStore, (store, { account }) =>
      store.begin(addressChange(account))
    ),
    "AddressChangeStore.finish": after(
      Effect.gen(function* () {
        const { account } = yield* somebody
        const made = addressChange(account)
        yield* (yield* AddressChangeStore).begin(made)
        yield* (yield* LoginCodeStore).issue(code(account.email))
        return { account, made }
      }),
      AddressChangeStore,
      (store, { account, made }) =>
        Effect.andThen(
          store.finish(proofs(account, [hash()], [hash()])),
          store.finish(proofs(account, [made.oldHash], [made.newHash]))
        )
    ),
    "ExternalSignInStore.begin, take": plain(ExternalSignInStore, (store) => {
      const left = redirect()
      return Effect.andThen(store.begin(left), store.take("google", left.stateHash))
    }),
    "ExternalSignInStore.signIn": after(bound, ExternalSignInStore, (store, { proved }) =>
      store.signIn(proved, { id: uuidv7() as SessionId, userAgent: "", lifetimeMs: HOUR })
    ),
    "ExternalSignInStore.hold": plain(ExternalSignInStore, (store) =>
      store.hold({ ...identity(), email: newEmail(), tokenHash: hash(), lifetimeMs: HOUR })
    ),
    "ExternalSignInStore.findPending": after(pending, ExternalSignInStore, (store, { tokenHash }) =>
      store.findPending(tokenHash)
    ),
    "ExternalSignInStore.bind": after(pending, ExternalSignInStore, (store, { account, identity }) =>
      store.bind(account.id, binding(account.email, identity))
    ),
    "ExternalSignInStore.bind, again": after(bound, ExternalSignInStore, (store, { account, proved }) =>
      store.bind(account.id, binding(account.email, proved))
    ),
    "ExternalSignInStore.bindByCode": after(
      Effect.gen(function* () {
        const found = yield* pending
        const made = code(found.account.email, "link")
        yield* (yield* LoginCodeStore).issue(made)
        return { ...found, hash: made.hash }
      }),
      ExternalSignInStore,
      (store, { account, hash: right, identity }) =>
        Effect.forEach([hash(), right], (tried) =>
          store.bindByCode(account.id, binding(account.email, identity), attempt(account.email, [tried], "link"))
        )
    ),
    "ExternalSignInStore.list": after(bound, ExternalSignInStore, (store, { account }) => store.list(account.id)),
    "ExternalSignInStore.unbind": after(bound, ExternalSignInStore, (store, { account, id }) =>
      store.unbind(account.id, id, () => newMail(account.email))
    ),
    "LoginCodeStore.issue": after(somebody, LoginCodeStore, (store, { account }) =>
      store.issue({ ...code(account.email), mail: newMail(account.email) })
    ),
    "LoginCodeStore.issue, by an operator": after(somebody, LoginCodeStore, (store, { account }) =>
      store.issue({ ...code(account.email), ofOperator: true, counted: [] })
    ),
    "OrganizationStore.create": after(somebody, OrganizationStore, (store, { account }) =>
      store.create(account.id, { id: uuidv7() as OrganizationId, name: "Two", onlyOwners: false })
    ),
    "OrganizationStore.create, of an owner": after(team, OrganizationStore, (store, { owner }) =>
      store.create(owner.id, { id: uuidv7() as OrganizationId, name: "Two", onlyOwners: true })
    ),
    "OrganizationStore.find": after(team, OrganizationStore, (store, { id }) => store.find(id)),
    "OrganizationStore.of": after(team, OrganizationStore, (store, { guest }) => store.of(guest.id)),
    "OrganizationStore.all": plain(OrganizationStore, (store) => store.all(null, PAGE)),
    "OrganizationStore.all, later": plain(OrganizationStore, (store) => store.all(MISSING, PAGE)),
    "OrganizationStore.rename": after(team, OrganizationStore, (store, { id, owner }) =>
      store.rename(owner.id, id, "X")
    ),
    "OrganizationStore.remove": after(team, OrganizationStore, (store, { id, owner }) => store.remove(owner.id, id)),
    "OrganizationStore.removeDeleted": after(deletedTeam, OrganizationStore, () => removeAll),
    "OrganizationStore.removeDeleted, of none": after(removeAged, OrganizationStore, (store) => store.removeDeleted),
    "OrganizationStore.ofApplication": plain(OrganizationStore, (store) => store.ofApplication(app)),
    "OrganizationStore.applications": after(team, OrganizationStore, (store, { id }) =>
      store.applications(id, null, PAGE)
    ),
    "OrganizationStore.applications, later": after(team, OrganizationStore, (store, { id }) =>
      store.applications(id, MISSING, PAGE)
    ),
    "OrganizationStore.createApplication": after(team, OrganizationStore, (store, { id, owner }) =>
      store.createApplication(owner.id, application(id))
    ),
    "OrganizationStore.removeApplication": after(
      Effect.flatMap(team, ({ id, owner }) =>
        Effect.map(
          Effect.flatMap(OrganizationStore, (store) => store.createApplication(owner.id, application(id))),
          (made) => ({ made, owner })
        )
      ),
      OrganizationStore,
      (store, { made, owner }) => store.removeApplication(owner.id, made.id)
    ),
    "OrganizationStore.members": after(team, OrganizationStore, (store, { id }) => store.members(id, null, PAGE)),
    "OrganizationStore.members, later": after(team, OrganizationStore, (store, { id }) =>
      store.members(id, MISSING, PAGE)
    ),
    "OrganizationStore.enrol": after(Effect.all([team, somebody]), OrganizationStore, (store, [{ id }, { account }]) =>
      store.enrol(id, account.id, "admin")
    ),
    "OrganizationStore.changeRole": after(team, OrganizationStore, (store, { id, other, owner }) =>
      store.changeRole(owner.id, id, other.id, "member")
    ),
    "OrganizationStore.removeMember": after(team, OrganizationStore, (store, { guest, id, owner }) =>
      store.removeMember(owner.id, id, guest.id)
    ),
    "OrganizationStore.leave": after(team, OrganizationStore, (store, { id, owner }) => store.leave(owner.id, id)),
    "OrganizationStore.transferOwnership": after(team, OrganizationStore, (store, { guest, id, owner }) =>
      store.transferOwnership(owner.id, id, guest.id)
    ),
    "OrganizationStore.invite": after(team, OrganizationStore, (store, { id, owner }) =>
      store.invite(owner.id, id, invitation(newEmail()))
    ),
    "OrganizationStore.invitations": after(team, OrganizationStore, (store, { id }) => store.invitations(id)),
    "OrganizationStore.revokeInvitation": after(invited, OrganizationStore, (store, { id, owner }) =>
      store.revokeInvitation(owner.id, id)
    ),
    "OrganizationStore.findInvitation": after(invited, OrganizationStore, (store, { tokenHash }) =>
      store.findInvitation(tokenHash)
    ),
    "OrganizationStore.accept": after(invited, OrganizationStore, (store, { guest, tokenHash }) =>
      store.accept(guest.id, tokenHash)
    ),
    ...Object.fromEntries(
      KINDS.map((kind) => [
        `OwnershipStore.applicationOf, ${kind}`,
        after(organizationOf, OwnershipStore, (store, id) => store.applicationOf([id], kind, MISSING))
      ])
    ),
    "PeopleLog.list": filter({}),
    "PeopleLog.list, later": after(organizationOf, PeopleLog, (log, id) => log.list(id, ANY_ENTRY, uuidv7(), PAGE)),
    "PeopleLog.list, of an actor": filter({ actorId: MISSING }),
    "PeopleLog.list, of an action": filter({ action: "account.created" }),
    "PeopleLog.list, of an object": filter({ target: MISSING }),
    "PeopleLog.list, of a time": filter({ from: 0, to: 1 }),
    "ServiceMailStore.claim, remove, postpone": after(
      Effect.gen(function* () {
        const { account } = yield* somebody
        for (let i = 0; i < 2; i++) {
          yield* (yield* LoginCodeStore).issue({ ...code(account.email), mail: newMail(account.email) })
        }
      }),
      ServiceMailStore,
      (store) =>
        Effect.gen(function* () {
          const [first, ...others] = yield* store.claim("codes", PAGE, HOUR)
          yield* store.postpone(first!.id, HOUR)
          for (const { id } of others) yield* store.remove(id)
        })
    ),
    "SessionStore.find": after(somebody, SessionStore, (store, { session }) => store.find(session)),
    "SessionStore.touch": after(somebody, SessionStore, (store, { session }) => store.touch([session])),
    "SessionStore.list": after(somebody, SessionStore, (store, { account }) => store.list(account.id)),
    "SessionStore.end": after(somebody, SessionStore, (store, { account, session }) => store.end(account.id, session)),
    "SessionStore.endAll": after(somebody, SessionStore, (store, { account }) => store.endAll(account.id))
  }
}
