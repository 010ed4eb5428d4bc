import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OrganizationId } from "../../../../services/domain/Ids.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { Keys } from "../../../../services/ports/access/Keys.ts"
import { ANY_ENTRY } from "../../../../services/domain/access/Audit.ts"
import { OrganizationStore } from "../../../../services/ports/people/OrganizationStore.ts"
import { AccountStore } from "../../../../services/ports/people/AccountStore.ts"
import { run as removeDeleted } from "../../../../services/engine/people/Removals.ts"
import type { Node } from "./People.ts"
import {
  again,
  age,
  memberOf,
  mailedCode,
  newAddress,
  newClient,
  node,
  peopleStores,
  person,
  rolesIn
} from "./People.ts"

type Somebody = Effect.Success<ReturnType<typeof person>>

const outcome = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.match(work, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "done" })

const deletionCode = ({ signIn }: Node, { person }: Somebody) =>
  signIn.codeForOperator(person.account.email, "delete_account")

/** Deletes somebody's account, and says what became of it. */
const deleteWith = Effect.fnUntraced(function* (one: Node, who: Somebody) {
  return yield* outcome(one.accounts.deleteAccount(who.person, yield* deletionCode(one, who)))
})

const isThere = (who: Somebody) =>
  Effect.flatMap(AccountStore, (store) => Effect.map(store.find(who.person.account.id), Option.isSome))

const isKept = (id: OrganizationId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql`SELECT 1 FROM organizations WHERE id = ${id} AND deleted_at IS NULL`, ({ length }) => length === 1)
  )

layer(peopleStores())("deleting an account", (it) => {
  it.effect("needs the code that was mailed to its own address for just that", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const { email } = who.person.account
      const wrong = [yield* one.signIn.codeForOperator(email, "sign_in"), "", "abc", "12345"]
      for (const code of wrong) expect(yield* outcome(one.accounts.deleteAccount(who.person, code))).toBe("WrongCode")
      yield* one.signIn.requestDeletionCode(who.person, newClient())
      const code = (yield* mailedCode(one, email))!
      expect(one.sent.at(-1)!.subject).toContain("delete")
      const other = yield* person(one)
      expect(yield* outcome(one.accounts.deleteAccount(other.person, code))).toBe("WrongCode")
      expect(yield* outcome(one.signIn.verifyCode(email, code, { device: null, userAgent: "" }))).toBe("WrongCode")
      expect(yield* outcome(one.accounts.deleteAccount(who.person, code))).toBe("done")
      expect(yield* isThere(who)).toBe(false)
      expect(yield* outcome(one.sessions.authenticate(who.token))).toBe("Unauthorized")
    })
  )

  it.effect("evaluates five of a hundred wrong codes that come at once", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const sql = yield* SqlClient.SqlClient
      const who = yield* person(nodes[0]!)
      const code = yield* deletionCode(nodes[0]!, who)
      const results = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => String((Number(code) + i + 1) % 1_000_000).padStart(6, "0")),
        (wrong, i) => outcome(nodes[i % 2]!.accounts.deleteAccount(who.person, wrong)),
        { concurrency: "unbounded" }
      )
      expect(new Set(results)).toEqual(new Set(["WrongCode"]))
      const rows = yield* sql`
        SELECT attempts FROM login_codes WHERE email = ${who.person.account.email} AND purpose = 'delete_account'`
      expect(rows).toEqual([{ attempts: 5 }])
      expect(yield* outcome(nodes[0]!.accounts.deleteAccount(who.person, code))).toBe("WrongCode")
      expect(yield* isThere(who)).toBe(true)
    })
  )

  it.effect("compares twenty wrong codes a day with those that are mailed, and an operator's beside them", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const mailed = Effect.gen(function* () {
        yield* age(31)
        yield* one.signIn.requestDeletionCode(who.person, newClient())
        return (yield* mailedCode(one, who.person.account.email))!
      })
      const tried = (code: string) => outcome(one.accounts.deleteAccount(who.person, code))
      for (let i = 0; i < 4; i++) {
        const code = Number(yield* mailed)
        for (let j = 1; j <= 5; j++) {
          expect(yield* tried(String((code + j) % 1_000_000).padStart(6, "0"))).toBe("WrongCode")
        }
      }
      const code = yield* mailed
      expect(yield* tried(code)).toBe("TooManyCodes")
      expect(yield* isThere(who)).toBe(true)
      // They are counted apart from those of signing in.
      yield* age(31)
      yield* one.signIn.requestCode(who.person.account.email, newClient())
      const signIn = (yield* mailedCode(one, who.person.account.email))!
      expect(
        yield* outcome(one.signIn.verifyCode(who.person.account.email, signIn, { device: null, userAgent: "" }))
      ).toBe("done")
      expect(yield* tried(yield* deletionCode(one, who))).toBe("done")
    })
  )

  it.effect("only leaves organizations that others own, or that somebody else owns too", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const shared = yield* memberOf(one, owner.organization, "owner")
      const viewer = yield* memberOf(one, owner.organization, "viewer")
      for (const who of [shared, viewer]) expect(yield* deleteWith(one, who)).toBe("done")
      expect([...(yield* rolesIn(owner.organization)).keys()]).toEqual([owner.person.account.id])
      expect(yield* isKept(owner.organization)).toBe(true)
      // Their own, with nobody else in them, went with them.
      for (const who of [shared, viewer]) expect(yield* isKept(who.organization)).toBe(false)
    })
  )

  it.effect("takes along an organization of which it is the only member, whose keys are good for nothing at once", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const { application, organization } = who.first!
      const [applications, keys] = [yield* ApplicationStore, yield* Keys]
      const found = () =>
        Effect.forEach([application.secretKey, application.publicKey], (text) => applications.findKey(keys.hash(text)))
      expect((yield* found()).every(Option.isSome)).toBe(true)
      expect(yield* deleteWith(one, who)).toBe("done")
      expect((yield* found()).some(Option.isSome)).toBe(false)
      // What it holds goes in the background.
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE organizations SET deleted_at = deleted_at - interval '1 minute' WHERE deleted_at IS NOT NULL`
      const running = yield* Effect.forkScoped(removeDeleted)
      while ((yield* sql`SELECT 1 FROM organizations WHERE id = ${organization.id}`).length > 0) {
        yield* TestClock.adjust("1 second")
      }
      expect(Option.isNone(yield* applications.find(application.appId))).toBe(true)
      yield* Fiber.interrupt(running)
    }).pipe(Effect.scoped)
  )

  it.effect("takes an application along that is deleted alone, and nothing of its organization's others", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const other = yield* person(one)
      const viewer = yield* memberOf(one, who.organization, "admin")
      const sql = yield* SqlClient.SqlClient
      const store = yield* OrganizationStore
      const [applications, keys] = [yield* ApplicationStore, yield* Keys]
      const { organizations } = one
      const { application: kept } = yield* organizations.createApplication(who.person, who.organization, "Kept")
      const { appId, publicKey, secretKey } = who.first!.application
      const allowed = (someone: Somebody) => outcome(one.permissions.onApplication(someone.person, appId, "read"))
      expect(yield* allowed(who)).toBe("done")
      for (const [someone, refusal] of [
        [other, "NotThere"],
        [viewer, "NotAllowed"]
      ] as const) {
        expect(yield* outcome(organizations.removeApplication(someone.person, appId))).toBe(refusal)
      }
      expect(yield* outcome(organizations.removeApplication(who.person, appId))).toBe("done")
      expect(yield* outcome(organizations.removeApplication(who.person, appId))).toBe("NotThere")
      expect(yield* allowed(who)).toBe("NotThere")
      for (const text of [secretKey, publicKey]) {
        expect(Option.isNone(yield* applications.findKey(keys.hash(text)))).toBe(true)
      }
      const listed = yield* organizations.applications(who.person, who.organization, null, 10)
      expect(listed.items.map(({ id }) => id)).toEqual([kept.id])
      // Its organization's log names it; what it held goes in the background.
      const logged = yield* organizations.log(who.person, who.organization, ANY_ENTRY, null, 1)
      expect(logged.items).toMatchObject([{ action: "application.deleted", target: appId }])
      yield* sql`UPDATE organizations SET deleted_at = deleted_at - interval '1 minute' WHERE deleted_at IS NOT NULL`
      yield* Effect.repeat(store.removeDeleted, { until: (removed) => removed === 0 })
      expect(Option.isNone(yield* applications.find(appId))).toBe(true)
      expect(Option.isSome(yield* applications.find(kept.id))).toBe(true)
      expect(yield* isKept(who.organization)).toBe(true)
    })
  )

  it.effect("is refused while others depend on it, leaves all as it was, and works with the same code afterwards", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const alone = yield* one.organizations.create(who.person, "Mine alone")
      const member = yield* memberOf(one, who.organization, "member")
      const code = yield* deletionCode(one, who)
      const refused = yield* Effect.flip(one.accounts.deleteAccount(who.person, code))
      expect(refused).toMatchObject({ _tag: "TransferOwnershipFirst", organizationId: who.organization })
      expect(yield* isThere(who)).toBe(true)
      expect(yield* isKept(alone.id)).toBe(true)
      expect(yield* outcome(one.sessions.authenticate(who.token))).toBe("done")

      yield* one.organizations.transferOwnership(who.person, who.organization, member.person.account.id)
      expect(yield* outcome(one.accounts.deleteAccount(who.person, code))).toBe("done")
      expect(yield* isKept(who.organization)).toBe(true)
      expect(yield* isKept(alone.id)).toBe(false)
    })
  )

  it.effect("is refused where financial records would go, and only there", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const who = yield* person(one)
      const other = yield* memberOf(one, who.organization, "owner")
      yield* sql`UPDATE organizations SET has_payments = true WHERE id IN (${who.organization}, ${other.organization})`
      expect(yield* deleteWith(one, who)).toBe("done")
      const paid = yield* Effect.flip(one.accounts.deleteAccount(other.person, yield* deletionCode(one, other)))
      expect(paid._tag).toBe("OrganizationHasPayments")
      expect([who.organization, other.organization]).toContain((paid as { organizationId?: string }).organizationId)
      expect(yield* outcome(one.organizations.remove(other.person, other.organization))).toBe("OrganizationHasPayments")
      expect(yield* isThere(other)).toBe(true)
    })
  )

  it.effect("leaves nothing of the person but an id in the logs", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const owner = yield* person(one)
      const who = yield* memberOf(one, owner.organization, "owner")
      const { email, id } = who.person.account
      yield* one.accounts.rename(who.person, "Ada Lovelace-Unmistakable")
      // An organization of their own, which goes with them.
      const { id: own } = yield* one.organizations.create(who.person, "Unmistakable Ltd")
      yield* one.organizations.createApplication(who.person, own, "Unmistakable shop")
      yield* one.organizations.rename(who.person, own, "Unmistakable & Daughters")
      yield* one.organizations.invite(who.person, owner.organization, newAddress(), "viewer", newClient())
      const host = yield* person(one)
      yield* one.organizations.invite(host.person, host.organization, email, "viewer", newClient())
      yield* one.signIn.requestCode(email, newClient())
      yield* sql`INSERT INTO external_sign_ins (provider, subject, id, account_id, email) VALUES ('google', 's-1', ${id}, ${id}, ${email})`
      expect(yield* deleteWith(one, who)).toBe("done")
      expect(
        yield* sql`SELECT 1 FROM people_log WHERE organization_id = ${own} AND details::text LIKE '%Unmistakable%'`
      ).toEqual([])
      // What the organization held goes in parts.
      const store = yield* OrganizationStore
      yield* sql`UPDATE organizations SET deleted_at = deleted_at - interval '1 minute' WHERE deleted_at IS NOT NULL`
      yield* Effect.repeat(store.removeDeleted, { until: (removed) => removed === 0 })
      const tables = yield* sql<{ name: string }>`
        SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
      for (const { name } of tables) {
        const [row] = yield* sql<{ text: string | null }>`SELECT string_agg(t::text, ' ') AS text FROM ${sql(name)} t`
        const text = row!.text ?? ""
        expect([name, text.includes(email), text.includes("Unmistakable")]).toEqual([name, false, false])
        if (name !== "people_log" && name !== "audit_log") expect([name, text.includes(id)]).toEqual([name, false])
      }
      const log = yield* sql<{ action: string }>`SELECT action FROM people_log WHERE actor_id = ${id} ORDER BY id`
      expect(log.map(({ action }) => action)).toContain("account.deleted")
      const made = yield* sql`SELECT details FROM people_log WHERE organization_id = ${own} AND action LIKE '%created'`
      expect(made).toEqual([{ details: {} }, { details: {} }])
      // The address is free again, for another account.
      const next = yield* person(one, email)
      expect(next.person.account.id).not.toBe(id)
    })
  )

  it.effect("happens once, however often it is asked for at once", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const who = yield* person(nodes[0]!)
      const code = yield* deletionCode(nodes[0]!, who)
      const results = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => i),
        (i) => outcome(nodes[i % 2]!.accounts.deleteAccount(who.person, code)),
        { concurrency: "unbounded" }
      )
      expect(results.filter((tag) => tag === "done")).toHaveLength(1)
      expect(results.filter((tag) => tag === "WrongCode")).toHaveLength(19)
    })
  )

  it.effect("of two owners at once never leaves an organization with members and without an owner", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      for (let round = 0; round < 8; round++) {
        const first = yield* person(nodes[0]!)
        const { organization: id } = first
        const second = yield* memberOf(nodes[0]!, id, "owner")
        const guest = yield* memberOf(nodes[0]!, id, "viewer")
        const codes = [yield* deletionCode(nodes[0]!, first), yield* deletionCode(nodes[0]!, second)]
        const results = yield* Effect.forEach(
          [first, second],
          (who, i) => outcome(nodes[i]!.accounts.deleteAccount(who.person, codes[i]!)),
          { concurrency: "unbounded" }
        )
        expect(results.toSorted()).toEqual(["TransferOwnershipFirst", "done"])
        const roles = yield* rolesIn(id)
        expect([...roles.values()].toSorted()).toEqual(["owner", "viewer"])
        expect(roles.get(guest.person.account.id)).toBe("viewer")
      }
    })
  )

  it.effect("and a sign-in at the same moment never wait for each other", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      for (let round = 0; round < 12; round++) {
        const who = yield* person(nodes[0]!)
        const { email } = who.person.account
        const code = yield* deletionCode(nodes[0]!, who)
        const own = yield* nodes[1]!.signIn.codeForOperator(email, "sign_in")
        const results = yield* Effect.all(
          [
            outcome(nodes[0]!.accounts.deleteAccount(who.person, code)),
            outcome(nodes[1]!.signIn.verifyCode(email, own, { device: null, userAgent: "Test/2.0" }))
          ],
          { concurrency: "unbounded" }
        )
        // Whoever signs in later finds that the code went with the account.
        expect(results[0]).toBe("done")
        expect(["done", "WrongCode"]).toContain(results[1])
      }
    })
  )

  it.effect("and joining, leaving and inviting at the same moment leave what the rules allow", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const one = nodes[0]!
      for (let round = 0; round < 8; round++) {
        const owner = yield* person(one)
        const guest = yield* person(one)
        const { organization: id } = owner
        yield* one.organizations.invite(owner.person, id, guest.person.account.email, "owner", newClient())
        yield* one.mails.sendDue
        const mail = one.sent.findLast(({ to }) => to === guest.person.account.email)!
        const token = /\/invitations\/([\w-]+)$/m.exec(mail.text)![1]!
        const [codeOfOwner, codeOfGuest] = [yield* deletionCode(one, owner), yield* deletionCode(one, guest)]
        const results = yield* Effect.all(
          [
            outcome(nodes[1]!.organizations.acceptInvitation(guest.person, token)),
            outcome(one.accounts.deleteAccount(owner.person, codeOfOwner)),
            outcome(nodes[1]!.accounts.deleteAccount(guest.person, codeOfGuest)),
            outcome(one.organizations.invite(owner.person, id, newAddress(), "viewer", newClient())),
            outcome(one.organizations.create(guest.person, "Another"))
          ],
          { concurrency: "unbounded" }
        )
        expect(results.filter((tag) => tag === "StoreError")).toEqual([])
        const roles = yield* rolesIn(id)
        if (roles.size > 0) expect([...roles.values()]).toContain("owner")
        expect(yield* isKept(id)).toBe(roles.size > 0)
        const sql = yield* SqlClient.SqlClient
        const nobodys = yield* sql`
          SELECT id FROM organizations o WHERE deleted_at IS NULL AND NOT of_operators
            AND NOT EXISTS (SELECT FROM members m WHERE m.organization_id = o.id AND m.role = 'owner')`
        expect(nobodys).toEqual([])
      }
    })
  )
})

layer(peopleStores())("an account's data", (it) => {
  it.effect("is all that is kept about it, without secrets, and nothing about others", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const owner = yield* person(one)
      const who = yield* memberOf(one, owner.organization, "member")
      const { email, id } = who.person.account
      yield* one.accounts.rename(who.person, "  Ada ")
      const guest = newAddress()
      yield* one.organizations.invite(who.person, who.organization, guest, "viewer", newClient())
      yield* one.organizations.invite(owner.person, owner.organization, newAddress(), "viewer", newClient())
      const host = yield* person(one)
      yield* one.organizations.invite(host.person, host.organization, email, "admin", newClient())
      yield* sql`
        INSERT INTO external_sign_ins (provider, subject, id, account_id, email)
        VALUES ('github', '4711', ${id}, ${id}, ${email})`
      const data = yield* one.accounts.exportData(yield* again(one, who.token))
      expect(data.account).toMatchObject({ id, email, name: "Ada", disabledAt: null })
      expect(data.memberships.map(({ organizationId, role }) => [organizationId, role]).toSorted()).toEqual(
        [
          [owner.organization, "member"],
          [who.organization, "owner"]
        ].toSorted()
      )
      expect(data.externalSignIns).toMatchObject([{ provider: "github", subject: "4711", email }])
      expect(data.sessions).toMatchObject([{ id: who.person.sessionId, userAgent: "Test/1.0" }])
      expect(data.invitations.map(({ direction, email }) => [direction, email]).toSorted()).toEqual([
        ["received", email],
        ["sent", guest]
      ])
      expect(data.log.map(({ action }) => action).toSorted()).toEqual([
        "account.changed",
        "account.created",
        "application.created",
        "application.created",
        "invitation.sent",
        "member.added",
        "organization.created",
        "session.begun"
      ])
      const text = JSON.stringify(data)
      const { publicKey, secretKey } = who.first!.application
      for (const secret of [secretKey, publicKey, who.first!.application.identitySecret, who.token, "hash"]) {
        expect(text).not.toContain(secret)
      }
      expect(text).not.toContain(owner.person.account.email)
    })
  )

  it.effect("has a name that can be seen", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      for (const name of ["", "   ", "a\nb", "x".repeat(121), "\u202eevil"]) {
        const refused = yield* Effect.flip(one.accounts.rename(who.person, name))
        expect(refused).toMatchObject({ _tag: "InvalidField", field: "name" })
      }
      expect((yield* one.accounts.rename(who.person, "Zoë 🦊")).name).toBe("Zoë 🦊")
    })
  )
})
