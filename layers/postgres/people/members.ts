import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import type { Member } from "../../../services/domain/people/Organization.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import { mayMake, ROLES } from "../../../services/domain/people/Role.ts"
import type { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import { NotAllowed, NotThere, TransferOwnershipFirst } from "../../../services/ports/people/OrganizationStore.ts"
import { texts } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { changing, hasOtherOwner, lockAs, lockOrganization, roleOf } from "./lockOrganization.ts"
import { recordPeople } from "./peopleEntry.ts"

interface MemberRow {
  readonly organization_id: OrganizationId
  readonly account_id: AccountId
  readonly email: AccountAddress
  readonly name: string
  readonly role: Role
  readonly joined_at: Date
}

const COLUMNS = "m.organization_id, m.account_id, a.email, a.name, m.role, m.joined_at"

const memberOf = (row: MemberRow): Member => ({
  organizationId: row.organization_id,
  accountId: row.account_id,
  email: row.email,
  name: row.name,
  role: row.role,
  joinedAt: row.joined_at.getTime()
})

type Of = Pick<
  OrganizationStore["Service"],
  "members" | "enrol" | "changeRole" | "removeMember" | "leave" | "transferOwnership"
>

/** Who is a member, and what. */
export const membersOver = (sql: SqlClient.SqlClient): Of => {
  const columns = sql.literal(COLUMNS)

  const read = (id: OrganizationId, account: AccountId) =>
    Effect.map(
      sql<MemberRow>`
        SELECT ${columns} FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.organization_id = ${id} AND m.account_id = ${account}`,
      ([row]) => memberOf(row!)
    )

  const members: Of["members"] = (id, after, limit) =>
    sql<MemberRow>`
      SELECT ${columns} FROM members m JOIN accounts a ON a.id = m.account_id
      WHERE ${sql.and([sql`m.organization_id = ${id}`, ...(after === null ? [] : [sql`m.account_id > ${after}`])])}
      ORDER BY m.account_id LIMIT ${limit + 1}`.pipe(
      Effect.map((rows) => ({
        items: rows.slice(0, limit).map(memberOf),
        next: rows.length > limit ? rows[limit - 1]!.account_id : null
      })),
      storeError("OrganizationStore.members")
    )

  /** Takes back what an account has invited others to be, and may not any more as it is now; null: no member. */
  const withdraw = Effect.fnUntraced(function* (id: OrganizationId, account: AccountId, now: Role | null) {
    const beyond = ROLES.filter((role) => now === null || !mayMake(now, null, role))
    if (beyond.length === 0) return
    const taken = yield* sql<{ readonly id: string }>`
      DELETE FROM invitations
      WHERE organization_id = ${id} AND invited_by = ${account} AND role = ANY(${texts(beyond)}) RETURNING id`
    for (const { id: target } of taken) yield* recordPeople(sql, "invitation.revoked", { organization: id, target })
  })

  /** Gives a member a role, under the organization's lock. */
  const give = Effect.fnUntraced(function* (id: OrganizationId, account: AccountId, from: Role, to: Role) {
    if (from === to) return
    if (from === "owner" && !(yield* hasOtherOwner(sql, id, account))) {
      return yield* new TransferOwnershipFirst({ organizationId: id })
    }
    yield* sql`UPDATE members SET role = ${to} WHERE organization_id = ${id} AND account_id = ${account}`
    yield* recordPeople(sql, "member.role_changed", {
      organization: id,
      account,
      target: account,
      details: { from, to }
    })
    yield* withdraw(id, account, to)
  })

  const enrol: Of["enrol"] = (id, account, role) =>
    Effect.gen(function* () {
      yield* lockOrganization(sql, id)
      const from = yield* roleOf(sql, id, account)
      if (from === null) {
        const found = yield* sql`SELECT 1 FROM accounts WHERE id = ${account} FOR KEY SHARE`
        if (found.length === 0) return yield* new NotThere({ what: "account" })
        yield* sql`INSERT INTO members (organization_id, account_id, role) VALUES (${id}, ${account}, ${role})`
        yield* recordPeople(sql, "member.added", { organization: id, account, target: account, details: { role } })
      } else yield* give(id, account, from, role)
      return yield* read(id, account)
    }).pipe(changing(sql, "enrol"))

  const changeRole: Of["changeRole"] = (actor, id, account, role) =>
    Effect.gen(function* () {
      const { role: own } = yield* lockAs(sql, actor, id)
      const from = yield* roleOf(sql, id, account)
      if (!mayMake(own, from, role)) {
        return yield* new NotAllowed({ message: "Only owners change what members are." })
      }
      if (from === null) return yield* new NotThere({ what: "member" })
      yield* give(id, account, from, role)
      return yield* read(id, account)
    }).pipe(changing(sql, "changeRole"))

  /** Takes a member out, under the organization's lock. */
  const takeOut = Effect.fnUntraced(function* (id: OrganizationId, account: AccountId, role: Role) {
    if (role === "owner" && !(yield* hasOtherOwner(sql, id, account))) {
      return yield* new TransferOwnershipFirst({ organizationId: id })
    }
    yield* sql`DELETE FROM members WHERE organization_id = ${id} AND account_id = ${account}`
    // What they were about to let others into, they have no say in any more.
    yield* withdraw(id, account, null)
  })

  const leave: Of["leave"] = (actor, id) =>
    Effect.gen(function* () {
      const { role } = yield* lockAs(sql, actor, id)
      yield* takeOut(id, actor, role)
      yield* recordPeople(sql, "member.left", { organization: id, account: actor, target: actor, details: { role } })
    }).pipe(changing(sql, "leave"))

  const removeMember: Of["removeMember"] = (actor, id, account) =>
    actor === account
      ? leave(actor, id)
      : Effect.gen(function* () {
          const { role: own } = yield* lockAs(sql, actor, id)
          const role = yield* roleOf(sql, id, account)
          if (!mayMake(own, role, null)) {
            return yield* new NotAllowed({ message: "Only owners remove members." })
          }
          if (role === null) return yield* new NotThere({ what: "member" })
          yield* takeOut(id, account, role)
          yield* recordPeople(sql, "member.removed", { organization: id, account, target: account, details: { role } })
        }).pipe(changing(sql, "removeMember"))

  const transferOwnership: Of["transferOwnership"] = (actor, id, to) =>
    Effect.gen(function* () {
      const { role: own } = yield* lockAs(sql, actor, id)
      const from = yield* roleOf(sql, id, to)
      if (own !== "owner") return yield* new NotAllowed({ message: "Only owners hand an organization over." })
      if (from === null) return yield* new NotThere({ what: "member" })
      if (actor === to) return yield* read(id, to)
      yield* sql`
        UPDATE members SET role = CASE WHEN account_id = ${to} THEN 'owner' ELSE 'admin' END
        WHERE organization_id = ${id} AND account_id IN (${actor}, ${to})`
      yield* recordPeople(sql, "ownership.transferred", {
        organization: id,
        account: to,
        target: to,
        details: { from }
      })
      yield* withdraw(id, actor, "admin")
      return yield* read(id, to)
    }).pipe(changing(sql, "transferOwnership"))

  return { members, enrol, changeRole, removeMember, leave, transferOwnership }
}
