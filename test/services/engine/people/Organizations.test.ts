import { assert, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId, OrganizationId } from "../../../../services/domain/Ids.ts"
import { ANY_ENTRY } from "../../../../services/domain/access/Audit.ts"
import { NEWCOMER_MS, OPEN_INVITATIONS } from "../../../../services/domain/people/Organization.ts"
import type { Role } from "../../../../services/domain/people/Role.ts"
import { ROLES } from "../../../../services/domain/people/Role.ts"
import { AuditLog } from "../../../../services/ports/access/AuditLog.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { OrganizationStore } from "../../../../services/ports/people/OrganizationStore.ts"
import type { Node } from "./People.ts"
import {
  again,
  age,
  mailedCode,
  memberOf,
  newAddress,
  node,
  peopleStores,
  person,
  rolesIn,
  newClient
} from "./People.ts"

const outcome = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.match(work, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "done" })

/** An organization with one member of each role. */
const staffed = Effect.fnUntraced(function* (one: Node) {
  const owner = yield* person(one)
  const organization = owner.organization
  const [admin, member, viewer] = [
    yield* memberOf(one, organization, "admin"),
    yield* memberOf(one, organization, "member"),
    yield* memberOf(one, organization, "viewer")
  ]
  return { organization, owner, admin, member, viewer }
})

/** The token of the last invitation that was mailed to an address. */
const mailedToken = Effect.fnUntraced(function* ({ mails, sent }: Node, email: string) {
  yield* mails.sendDue
  const mail = sent.findLast(({ to }) => to === email)
  return /\/invitations\/([\w-]+)$/m.exec(mail?.text ?? "")![1]!
})

/** Everything that is asked of organizations by somebody, and what became of it. */
const everything = (
  one: Node,
  who: Parameters<Node["organizations"]["rename"]>[0],
  id: OrganizationId,
  other: AccountId
) => {
  const { organizations } = one
  return {
    find: organizations.find(who, id),
    applications: organizations.applications(who, id, null, 10),
    members: organizations.members(who, id, null, 10),
    invitations: organizations.invitations(who, id),
    log: organizations.log(who, id, ANY_ENTRY, null, 10),
    createApplication: organizations.createApplication(who, id, "Another"),
    rename: organizations.rename(who, id, "Renamed"),
    invite: organizations.invite(who, id, newAddress(), "viewer", newClient()),
    changeRole: organizations.changeRole(who, id, other, "member"),
    removeMember: organizations.removeMember(who, id, other),
    transferOwnership: organizations.transferOwnership(who, id, who.account.id),
    remove: organizations.remove(who, id)
  }
}

const READS = ["find", "applications", "members", "invitations", "log"]

layer(peopleStores())("what a role may do in an organization", (it) => {
  it.effect.each(["viewer", "member", "admin", "owner"] as const)("is what spec 5.4 says of it: %s", (role) =>
    Effect.gen(function* () {
      const one = yield* node()
      const staff = yield* staffed(one)
      const other = yield* memberOf(one, staff.organization, "viewer")
      const who = yield* again(one, staff[role].token)
      const allowed = role === "owner" ? null : role === "admin" ? [...READS, "createApplication"] : READS
      for (const [name, work] of Object.entries(everything(one, who, staff.organization, other.person.account.id))) {
        const wanted = allowed === null || allowed.includes(name) ? "done" : "NotAllowed"
        expect([name, yield* outcome(work as Effect.Effect<unknown, { _tag: string }>)]).toEqual([name, wanted])
      }
    })
  )

  it.effect("is nothing for who is no member, as if the organization did not exist", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const { member, organization } = yield* staffed(one)
      const stranger = yield* person(one)
      for (const id of [organization, uuidv7() as OrganizationId]) {
        for (const [name, work] of Object.entries(everything(one, stranger.person, id, member.person.account.id))) {
          const tried = yield* Effect.flip(work as Effect.Effect<unknown, { _tag: string }>)
          expect([name, tried]).toMatchObject([name, { _tag: "NotThere", what: "organization" }])
        }
      }
      expect(yield* outcome(one.organizations.leave(stranger.person, organization))).toBe("NotThere")
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM members WHERE organization_id = ${organization}`).toHaveLength(4)
    })
  )

  it.effect(
    "is asked again when it happens: who has lost a role since the request began does not use it any more",
    () =>
      Effect.gen(function* () {
        const one = yield* node()
        const { member, organization, owner } = yield* staffed(one)
        const second = yield* memberOf(one, organization, "owner")
        const [gone, less] = [second.person, owner.person]
        yield* one.organizations.changeRole(gone, organization, less.account.id, "viewer")
        for (const [name, work] of Object.entries(everything(one, less, organization, member.person.account.id))) {
          if (READS.includes(name)) continue
          expect([name, yield* outcome(work as Effect.Effect<unknown, { _tag: string }>)]).toEqual([name, "NotAllowed"])
        }
      })
  )

  it.effect("decides over its applications too, and another's do not exist", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const { owner, viewer } = yield* staffed(one)
      const appId = owner.first!.application.appId
      const stranger = yield* person(one)
      const { onApplication } = one.permissions
      expect(yield* outcome(onApplication(viewer.person, appId, "read"))).toBe("done")
      const refused = yield* Effect.flip(onApplication(viewer.person, appId, "sendNotifications"))
      expect(refused).toMatchObject({ _tag: "NotAllowed", message: expect.stringContaining("viewer") })
      expect(yield* outcome(onApplication(owner.person, appId, "deleteApplication"))).toBe("done")
      for (const id of [appId, uuidv7() as typeof appId]) {
        expect(yield* Effect.flip(onApplication(stranger.person, id, "read"))).toMatchObject({
          _tag: "NotThere",
          what: "application"
        })
      }
    })
  )
})

layer(peopleStores())("invitations", (it) => {
  it.effect("make the invited a member, once", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const email = newAddress("guest")
      const { organization: id } = owner
      const invitation = yield* one.organizations.invite(owner.person, id, email.toUpperCase(), "admin", newClient())
      expect(invitation).toMatchObject({ email, role: "admin", organizationId: id, invitedBy: owner.person.account.id })
      expect(yield* one.organizations.invitations(owner.person, id)).toEqual([invitation])
      const token = yield* mailedToken(one, email)
      expect(yield* one.organizations.showInvitation(token)).toMatchObject({
        email,
        role: "admin",
        inviterEmail: owner.person.account.email
      })
      const guest = yield* person(one, email)
      expect(yield* one.organizations.acceptInvitation(guest.person, token)).toMatchObject({ id })
      expect((yield* again(one, guest.token)).roles.get(id)).toBe("admin")
      expect(yield* outcome(one.organizations.acceptInvitation(guest.person, token))).toBe("NotThere")
      expect(yield* outcome(one.organizations.showInvitation(token))).toBe("NotThere")
      expect(yield* one.organizations.invitations(owner.person, id)).toEqual([])
      const twice = yield* Effect.flip(one.organizations.invite(owner.person, id, email, "viewer", newClient()))
      expect(twice._tag).toBe("AlreadyMember")
    })
  )

  it.effect("are for their address alone, and the token is nowhere but in the mail", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const owner = yield* person(one)
      const email = newAddress("guest")
      yield* one.organizations.invite(owner.person, owner.organization, email, "member", newClient())
      const token = yield* mailedToken(one, email)
      expect(Buffer.from(token, "base64url")).toHaveLength(32)
      const rows = yield* sql<{ text: string }>`SELECT i::text AS text FROM invitations i WHERE email = ${email}`
      expect(rows[0]!.text).not.toContain(token)
      const stranger = yield* person(one)
      expect(yield* outcome(one.organizations.acceptInvitation(stranger.person, token))).toBe("NotAllowed")
      for (const wrong of ["", "x", token.slice(1), token.toUpperCase()]) {
        expect(yield* outcome(one.organizations.acceptInvitation(stranger.person, wrong))).toBe("NotThere")
      }
      const guest = yield* person(one, email)
      expect(yield* outcome(one.organizations.acceptInvitation(guest.person, token))).toBe("done")
    })
  )

  it.effect("end after seven days, when they are revoked, and when a newer one takes their place", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const owner = yield* person(one)
      const { organization: id } = owner
      const guest = yield* person(one)
      const { email } = guest.person.account
      const invite = Effect.fnUntraced(function* (role: Role) {
        yield* age(86_401)
        const invitation = yield* one.organizations.invite(owner.person, id, email, role, newClient())
        return { ...invitation, token: yield* mailedToken(one, email) }
      })
      const accept = (token: string) => outcome(one.organizations.acceptInvitation(guest.person, token))
      const late = yield* invite("member")
      yield* sql`UPDATE invitations SET expires_at = expires_at - interval '7 days' WHERE id = ${late.id}`
      expect(yield* accept(late.token)).toBe("NotThere")
      expect(yield* one.organizations.invitations(owner.person, id)).toEqual([])

      const revoked = yield* invite("member")
      const stranger = yield* person(one)
      expect(yield* outcome(one.organizations.revokeInvitation(stranger.person, revoked.id))).toBe("NotThere")
      const viewer = yield* memberOf(one, id, "viewer")
      expect(yield* outcome(one.organizations.revokeInvitation(viewer.person, revoked.id))).toBe("NotAllowed")
      yield* one.organizations.revokeInvitation(owner.person, revoked.id)
      expect(yield* accept(revoked.token)).toBe("NotThere")
      expect(yield* outcome(one.organizations.revokeInvitation(owner.person, revoked.id))).toBe("NotThere")

      const [older, newer] = [yield* invite("owner"), yield* invite("viewer")]
      expect(yield* accept(older.token)).toBe("NotThere")
      expect(yield* accept(newer.token)).toBe("done")
      expect((yield* rolesIn(id)).get(guest.person.account.id)).toBe("viewer")
    })
  )

  it.effect("are worth nothing any more when the one who sent them may not invite any more", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const { organization: id } = owner
      for (const how of ["demoted", "removed"]) {
        const inviter = yield* memberOf(one, id, "owner")
        const guest = yield* person(one)
        yield* one.organizations.invite(inviter.person, id, guest.person.account.email, "owner", newClient())
        const token = yield* mailedToken(one, guest.person.account.email)
        const { id: account } = inviter.person.account
        yield* how === "removed"
          ? one.organizations.removeMember(owner.person, id, account)
          : Effect.asVoid(one.organizations.changeRole(owner.person, id, account, "admin"))
        expect(yield* outcome(one.organizations.acceptInvitation(guest.person, token))).toBe("NotThere")
        expect((yield* rolesIn(id)).has(guest.person.account.id)).toBe(false)
      }
    })
  )

  it.effect("give one membership to who accepts many times at once, and none after they were revoked", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const one = nodes[0]!
      const owner = yield* person(one)
      const { organization: id } = owner
      const guest = yield* person(one)
      const { email, id: account } = guest.person.account
      yield* one.organizations.invite(owner.person, id, email, "member", newClient())
      const token = yield* mailedToken(one, email)
      const results = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, i) => i),
        (i) => outcome(nodes[i % 2]!.organizations.acceptInvitation(guest.person, token)),
        { concurrency: "unbounded" }
      )
      expect(results.toSorted()).toEqual([...Array.from({ length: 29 }, () => "NotThere"), "done"])
      expect((yield* rolesIn(id)).get(account)).toBe("member")

      for (let round = 0; round < 10; round++) {
        yield* one.organizations.removeMember(owner.person, id, account)
        yield* age(86_401)
        const invitation = yield* one.organizations.invite(owner.person, id, email, "member", newClient())
        const next = yield* mailedToken(one, email)
        const [accepted, revoked] = yield* Effect.all(
          [
            outcome(one.organizations.acceptInvitation(guest.person, next)),
            outcome(one.organizations.revokeInvitation(owner.person, invitation.id))
          ],
          { concurrency: "unbounded" }
        )
        expect([accepted, revoked].toSorted()).toEqual(["NotThere", "done"])
        expect((yield* rolesIn(id)).has(account)).toBe(accepted === "done")
        if (accepted !== "done") yield* (yield* OrganizationStore).enrol(id, account, "member")
      }
    })
  )

  it.effect("are a hundred at a time, at most, also when many are sent at once", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const owner = yield* person(one)
      const { account } = owner.person
      // As many as may be sent at once are still free.
      yield* sql`
        INSERT INTO invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
        SELECT gen_random_uuid(), ${owner.organization}, i || '@elsewhere.example.com', 'viewer', sha256(i::text::bytea),
          ${account.id}, now() + interval '1 day' FROM generate_series(1, ${OPEN_INVITATIONS - 20}) AS i`
      const older = { ...owner.person, account: { ...account, createdAt: account.createdAt - NEWCOMER_MS } }
      const results = yield* Effect.forEach(
        Array.from({ length: 30 }, () => newAddress()),
        (email) => outcome(one.organizations.invite(older, owner.organization, email, "viewer", newClient())),
        { concurrency: "unbounded" }
      )
      expect(results.filter((tag) => tag === "done")).toHaveLength(20)
      expect(results.filter((tag) => tag === "TooManyOfThem")).toHaveLength(10)
      expect(yield* one.organizations.invitations(owner.person, owner.organization)).toHaveLength(OPEN_INVITATIONS)
    })
  )

  it.effect("send one mail to an address in ten minutes and three a day, whoever asks in whatever organization", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const email = newAddress("target")
      const owners = yield* Effect.forEach(Array.from({ length: 6 }), () => person(one))
      const invite = (owner: (typeof owners)[number], role: Role = "viewer") =>
        one.organizations.invite(owner.person, owner.organization, email, role, newClient())
      const mails = Effect.map(
        Effect.repeat(one.mails.sendDue, { until: (taken) => taken === 0 }),
        () => one.sent.filter(({ to }) => to === email).length
      )
      const results = yield* Effect.forEach(owners, (owner) => outcome(invite(owner)), { concurrency: "unbounded" })
      expect(results.filter((tag) => tag === "done")).toHaveLength(1)
      expect(results.filter((tag) => tag === "TooManyInvitations")).toHaveLength(5)
      expect(yield* mails).toBe(1)
      const first = owners[results.indexOf("done")]!
      const [open] = yield* one.organizations.invitations(first.person, first.organization)
      // Asked for again it is answered as it is, with the role that was asked for last; the mail's token is good.
      for (let again = 0; again < 30; again++)
        expect(yield* invite(first, "member")).toEqual({ ...open, role: "member" })
      expect(yield* mails).toBe(1)
      const token = yield* mailedToken(one, email)
      expect(yield* one.organizations.showInvitation(token)).toMatchObject({ email, role: "member" })
      for (const sent of [2, 3]) {
        yield* age(601)
        expect(yield* outcome(invite(first))).toBe("done")
        expect(yield* mails).toBe(sent)
      }
      yield* age(601)
      expect(yield* Effect.flip(invite(owners.find((owner) => owner !== first)!))).toMatchObject({
        _tag: "TooManyInvitations",
        afterMs: expect.toSatisfy((ms: number) => ms > 84_000_000 && ms < 86_400_000)
      })
      expect(yield* mails).toBe(3)
    })
  )

  it.effect("are counted for whoever sends them, for the organization and for the address of the network", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sent = (senders: ReadonlyArray<() => Effect.Effect<unknown, { readonly _tag: string }>>) =>
        Effect.map(
          Effect.forEach(senders, (send) => outcome(send()), { concurrency: "unbounded" }),
          (results) => [
            results.filter((tag) => tag === "done").length,
            results.filter((tag) => tag === "TooManyInvitations").length
          ]
        )
      const times = (count: number) => Array.from({ length: count }, (_, i) => i)
      const { invite } = one.organizations
      const grown = ({ person: who }: Effect.Success<ReturnType<typeof person>>) => ({
        ...who,
        account: { ...who.account, createdAt: who.account.createdAt - NEWCOMER_MS }
      })
      // An account of its first day, in two organizations of its own.
      const newcomer = yield* person(one)
      const second = yield* one.organizations.create(newcomer.person, "Second")
      const ofNewcomer = (id: OrganizationId) => () => invite(newcomer.person, id, newAddress(), "viewer", newClient())
      expect(yield* sent(times(20).map((i) => ofNewcomer(i % 2 === 0 ? newcomer.organization : second.id)))).toEqual([
        5, 15
      ])
      yield* age(3601)
      expect(yield* sent([ofNewcomer(second.id)])).toEqual([1, 0])
      // Three owners of one organization.
      const owner = yield* person(one)
      const owners = [
        owner,
        yield* memberOf(one, owner.organization, "owner"),
        yield* memberOf(one, owner.organization, "owner")
      ]
      const ofOwners = times(30).map(
        (i) => () =>
          invite(grown(owners[i % 3]! as typeof owner), owner.organization, newAddress(), "viewer", newClient())
      )
      expect(yield* sent(ofOwners)).toEqual([20, 10])
      // Accounts of one network.
      const [client, crowd] = [newClient(), yield* Effect.forEach(times(5), () => person(one))]
      const ofCrowd = times(25).map(
        (i) => () => invite(crowd[i % 5]!.person, crowd[i % 5]!.organization, newAddress(), "viewer", client)
      )
      expect(yield* sent(ofCrowd)).toEqual([20, 5])
    })
  )

  it.effect("are refused for what is no address", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const refused = yield* Effect.flip(
        one.organizations.invite(owner.person, owner.organization, "a@b\r\nBcc: c@d", "viewer", newClient())
      )
      expect(refused).toMatchObject({ _tag: "InvalidField", field: "email" })
    })
  )
})

layer(peopleStores())("where registration is by invitation", (it) => {
  it.effect("only owners make organizations: others would let in whom nobody has invited", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const { organizations } = closed
      const { organization, owner } = yield* staffed(closed)
      const guest = newAddress("guest")
      yield* organizations.invite(owner.person, organization, guest, "admin", newClient())
      yield* closed.signIn.requestCode(guest, newClient())
      const { token } = yield* closed.signIn.verifyCode(guest, (yield* mailedCode(closed, guest))!, {
        device: null,
        userAgent: ""
      })
      const newcomer = yield* again(closed, token)
      yield* organizations.acceptInvitation(newcomer, yield* mailedToken(closed, guest))
      const admin = yield* again(closed, token)
      expect(yield* Effect.flip(organizations.create(admin, "Mine"))).toMatchObject({
        _tag: "NotAllowed",
        message: expect.stringContaining("by invitation here: only who owns an organization makes another")
      })
      expect(yield* outcome(organizations.create(owner.person, "A second"))).toBe("done")
      yield* organizations.remove(owner.person, organization)
      expect(yield* outcome(organizations.create(owner.person, "A third"))).toBe("done")
      const open = yield* node("open")
      expect(yield* outcome(open.organizations.create(admin, "Mine"))).toBe("done")
    })
  )

  it.effect("an invitation ends with the role that allowed it, and makes no account then", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const { admin, organization, owner } = yield* staffed(closed)
      const { organizations } = closed
      const inviter = yield* memberOf(closed, organization, "owner")
      const guest = newAddress("guest")
      yield* organizations.invite(inviter.person, organization, guest, "viewer", newClient())
      const token = yield* mailedToken(closed, guest)
      yield* organizations.changeRole(owner.person, organization, inviter.person.account.id, "admin")
      expect(yield* outcome(organizations.showInvitation(token))).toBe("NotThere")
      yield* closed.signIn.requestCode(guest, newClient())
      expect(yield* mailedCode(closed, guest)).toBeNull()
      // So does one of whoever hands the organization over.
      yield* organizations.invite(owner.person, organization, newAddress(), "viewer", newClient())
      yield* organizations.transferOwnership(owner.person, organization, admin.person.account.id)
      expect(yield* organizations.invitations(admin.person, organization)).toEqual([])
    })
  )
})

layer(peopleStores())("ownership", (it) => {
  it.effect("stays with somebody: the last owner neither leaves nor is demoted, nor removed", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const { admin, organization: id, owner } = yield* staffed(one)
      const { id: own } = owner.person.account
      const { organizations } = one
      for (const role of ROLES.filter((role) => role !== "owner")) {
        expect(yield* outcome(organizations.changeRole(owner.person, id, own, role))).toBe("TransferOwnershipFirst")
      }
      expect(yield* outcome(organizations.leave(owner.person, id))).toBe("TransferOwnershipFirst")
      expect(yield* outcome(organizations.removeMember(owner.person, id, own))).toBe("TransferOwnershipFirst")
      expect(yield* outcome(organizations.changeRole(owner.person, id, own, "owner"))).toBe("done")
      expect(yield* outcome(organizations.transferOwnership(owner.person, id, own))).toBe("done")
      expect((yield* rolesIn(id)).get(own)).toBe("owner")

      const handed = yield* organizations.transferOwnership(owner.person, id, admin.person.account.id)
      expect(handed).toMatchObject({ accountId: admin.person.account.id, role: "owner" })
      expect((yield* rolesIn(id)).get(own)).toBe("admin")
      const once = yield* outcome(organizations.transferOwnership(owner.person, id, admin.person.account.id))
      expect(once).toBe("NotAllowed")
      expect(yield* outcome(organizations.leave(owner.person, id))).toBe("done")
      const stranger = yield* person(one)
      const next = yield* again(one, admin.token)
      const { id: nobody } = stranger.person.account
      for (const work of [
        organizations.transferOwnership(next, id, nobody),
        organizations.changeRole(next, id, nobody, "owner"),
        organizations.removeMember(next, id, nobody)
      ]) {
        expect(yield* Effect.flip(work as Effect.Effect<unknown, { _tag: string }>)).toMatchObject({
          _tag: "NotThere",
          what: "member"
        })
      }
    })
  )

  it.effect("is never nobody's, when owners demote each other, leave and hand over at once", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const owner = yield* person(nodes[0]!)
      const { organization: id } = owner
      for (let round = 0; round < 5; round++) {
        const owners = [owner]
        for (let i = 0; i < 4; i++) owners.push(yield* memberOf(nodes[0]!, id, "owner"))
        const results = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, i) => i),
          (i) => {
            const { organizations } = nodes[i % 2]!
            const [actor, other] = [owners[i % 5]!.person, owners[(i * 7 + 1) % 5]!.person.account.id]
            const choice = (i + round) % 4
            if (choice === 0) return outcome(organizations.leave(actor, id))
            if (choice === 1) return outcome(organizations.changeRole(actor, id, other, "viewer"))
            if (choice === 2) return outcome(organizations.transferOwnership(actor, id, other))
            return outcome(organizations.removeMember(actor, id, other))
          },
          { concurrency: "unbounded" }
        )
        const known = ["done", "NotAllowed", "NotThere", "TransferOwnershipFirst"]
        expect(results.filter((tag) => !known.includes(tag))).toEqual([])
        const roles = yield* rolesIn(id)
        expect([...roles.values()].filter((role) => role === "owner").length).toBeGreaterThan(0)
        // For the next round.
        yield* (yield* OrganizationStore).enrol(id, owner.person.account.id, "owner")
      }
    })
  )

  it.effect("stays where two owners leave in the same moment", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      for (let round = 0; round < 10; round++) {
        const first = yield* person(nodes[0]!)
        const { organization: id } = first
        const second = yield* memberOf(nodes[0]!, id, "owner")
        const results = yield* Effect.forEach(
          [first, second],
          ({ person }, i) => outcome(nodes[i]!.organizations.leave(person, id)),
          { concurrency: "unbounded" }
        )
        expect(results.toSorted()).toEqual(["TransferOwnershipFirst", "done"])
        expect((yield* rolesIn(id)).size).toBe(1)
      }
    })
  )
})

layer(peopleStores())("the log of an organization", (it) => {
  it.effect("has every change with who made it, is filtered, and names people while they have accounts", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const { admin, member, organization: id, owner, viewer } = yield* staffed(one)
      const { organizations } = one
      const guest = yield* person(one)
      const invitation = yield* organizations.invite(
        owner.person,
        id,
        guest.person.account.email,
        "viewer",
        newClient()
      )
      yield* organizations.acceptInvitation(guest.person, yield* mailedToken(one, guest.person.account.email))
      const revoked = yield* organizations.invite(owner.person, id, newAddress(), "viewer", newClient())
      yield* organizations.revokeInvitation(owner.person, revoked.id)
      yield* organizations.changeRole(owner.person, id, member.person.account.id, "admin")
      // What changes nothing is nothing.
      yield* organizations.changeRole(owner.person, id, member.person.account.id, "admin")
      yield* organizations.removeMember(owner.person, id, viewer.person.account.id)
      yield* organizations.leave(guest.person, id)
      yield* organizations.rename(owner.person, id, "Söhne & Co")
      const { application } = yield* organizations.createApplication(admin.person, id, "Second")
      yield* organizations.transferOwnership(owner.person, id, admin.person.account.id)

      const list = (filter: Partial<typeof ANY_ENTRY> = {}, after: string | null = null, limit = 100) =>
        organizations.log(admin.person, id, { ...ANY_ENTRY, ...filter }, after, limit)
      const { items } = yield* list()
      // Ids of one millisecond have no order.
      expect(items.map(({ action }) => action).toSorted()).toEqual([
        "application.created",
        "application.created",
        "invitation.accepted",
        "invitation.revoked",
        "invitation.sent",
        "invitation.sent",
        "member.added",
        "member.added",
        "member.added",
        "member.left",
        "member.removed",
        "member.role_changed",
        "organization.changed",
        "organization.created",
        "ownership.transferred"
      ])
      expect(items.map(({ id }) => id)).toEqual(
        items
          .map(({ id }) => id)
          .toSorted()
          .toReversed()
      )
      expect(items.find(({ action }) => action === "invitation.accepted")).toMatchObject({
        actorKind: "user",
        actorId: guest.person.account.id,
        actorEmail: guest.person.account.email,
        target: invitation.id,
        accountId: guest.person.account.id,
        details: { role: "viewer" }
      })
      const rest = yield* sql<{ text: string }>`
        SELECT string_agg(l::text, ' ') AS text FROM people_log l WHERE organization_id = ${id}`
      expect(rest[0]!.text).not.toContain("@example.com")

      const [first, second] = [yield* list({}, null, 9), yield* list({}, (yield* list({}, null, 9)).next, 9)]
      expect([...first.items, ...second.items]).toEqual(items)
      expect(second.next).toBeNull()
      const actions = Effect.fnUntraced(function* (filter: Partial<typeof ANY_ENTRY>) {
        return (yield* list(filter)).items.map(({ action }) => action).toSorted()
      })
      expect(yield* actions({ actorId: guest.person.account.id })).toEqual(["invitation.accepted", "member.left"])
      expect(yield* actions({ action: "invitation.sent" })).toHaveLength(2)
      expect(yield* actions({ target: application.id })).toEqual(["application.created"])
      const middle = items[6]!
      expect(yield* actions({ from: middle.at })).toContain(middle.action)
      expect((yield* list({ to: middle.at })).items.every(({ at }) => at < middle.at)).toBe(true)
      expect(yield* actions({ from: Date.now() + 3_600_000 })).toEqual([])

      // The application's own log has it too, made by the person.
      const log = yield* AuditLog
      const [entry] = (yield* log.list(application.id, null, 10)).items
      expect(entry).toMatchObject({
        action: "application.created",
        actorKind: "user",
        actorId: admin.person.account.id
      })
      const stranger = yield* person(one)
      const refused = yield* Effect.flip(organizations.log(stranger.person, id, ANY_ENTRY, null, 10))
      assert(refused._tag === "NotThere")
    })
  )

  it.effect("has each invitation that is taken back because whoever sent it is removed", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const { organizations } = one
      const owner = yield* person(one)
      const id = owner.organization
      const other = yield* memberOf(one, id, "owner")
      const sent = yield* organizations.invite(other.person, id, newAddress(), "viewer", newClient())
      yield* organizations.removeMember(owner.person, id, other.person.account.id)
      const { items } = yield* organizations.log(owner.person, id, { ...ANY_ENTRY, target: sent.id }, null, 10)
      expect(items.map(({ action, actorId }) => [action, actorId])).toEqual([
        ["invitation.revoked", owner.person.account.id],
        ["invitation.sent", other.person.account.id]
      ])
    })
  )
})
