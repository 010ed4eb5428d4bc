import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId, InvitationId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import type { Invitation } from "../../../services/domain/people/Organization.ts"
import {
  INVITED_LATELY_MS,
  OPEN_INVITATIONS,
  ORGANIZATIONS_PER_ACCOUNT,
  SEATS
} from "../../../services/domain/people/Organization.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import { mayDo, mayMake } from "../../../services/domain/people/Role.ts"
import type { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import {
  AlreadyMember,
  NotAllowed,
  NotThere,
  TooManyInvitations,
  TooManyOfThem
} from "../../../services/ports/people/OrganizationStore.ts"
import { milliseconds } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { storeError } from "../server/storeError.ts"
import { countOne } from "./attempts.ts"
import { changing, lockAs, lockOrganization, roleOf } from "./lockOrganization.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"

interface InvitationRow {
  readonly id: InvitationId
  readonly organization_id: OrganizationId
  readonly email: AccountAddress
  readonly role: Role
  readonly invited_by: AccountId
  readonly created_at: Date
  readonly expires_at: Date
}

const COLUMNS = "i.id, i.organization_id, i.email, i.role, i.invited_by, i.created_at, i.expires_at"

const invitationOf = (row: InvitationRow): Invitation => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  createdAt: row.created_at.getTime(),
  expiresAt: row.expires_at.getTime()
})

type Of = Pick<
  OrganizationStore["Service"],
  "invite" | "invitations" | "revokeInvitation" | "findInvitation" | "accept"
>

/** Who was asked to become a member. */
export const invitationsOver = (sql: SqlClient.SqlClient): Of => {
  const columns = sql.literal(COLUMNS)

  const countIn = (table: "members" | "invitations", id: OrganizationId) =>
    Effect.map(
      table === "members"
        ? sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM members WHERE organization_id = ${id}`
        : sql<{ readonly count: number }>`
            SELECT count(*)::int AS count FROM invitations WHERE organization_id = ${id} AND ${ofRows(sql, sql`expires_at > now()`)}`,
      ([row]) => row!.count
    )

  const invite: Of["invite"] = (actor, id, { counted, email, id: invitationId, lifetimeMs, mail, role, tokenHash }) =>
    Effect.gen(function* () {
      const { organization, role: own } = yield* lockAs(sql, actor, id)
      if (!mayMake(own, null, role)) return yield* new NotAllowed({ message: "Only owners invite." })
      const [member] = yield* sql`
        SELECT 1 FROM members
        WHERE organization_id = ${id} AND account_id = (SELECT id FROM accounts WHERE email = ${email})`
      if (member !== undefined) return yield* new AlreadyMember()
      const [before] = yield* sql<InvitationRow & { readonly is_late: boolean }>`
        SELECT ${columns}, expires_at > now()
          AND created_at > now() - ${milliseconds(INVITED_LATELY_MS)} * interval '1 ms' AS is_late
        FROM invitations i WHERE i.organization_id = ${id} AND i.email = ${email}`
      if (before?.is_late === true) {
        if (before.role !== role) {
          yield* sql`UPDATE invitations SET role = ${role}, invited_by = ${actor} WHERE id = ${before.id}`
          yield* recordPeople(sql, "invitation.sent", { organization: id, target: before.id, details: { role } })
          return invitationOf({ ...before, role, invited_by: actor })
        }
        return invitationOf(before)
      }
      if (before !== undefined) yield* sql`DELETE FROM invitations WHERE id = ${before.id}`
      const open = yield* countIn("invitations", id)
      if (open >= OPEN_INVITATIONS) return yield* new TooManyOfThem({ what: "invitations", limit: OPEN_INVITATIONS })
      if (open + (yield* countIn("members", id)) >= SEATS) {
        return yield* new TooManyOfThem({ what: "members", limit: SEATS })
      }
      yield* Effect.catchTag(
        countOne(sql, counted),
        "TooManyCodes",
        ({ afterMs, at }) => new TooManyInvitations({ at, afterMs })
      )
      const [row] = yield* sql<InvitationRow>`
        INSERT INTO invitations AS i (id, organization_id, email, role, token_hash, invited_by, expires_at)
        VALUES (${invitationId}, ${id}, ${email}, ${role}, ${tokenHash}, ${actor},
          now() + ${milliseconds(lifetimeMs)} * interval '1 ms') RETURNING ${columns}`
      const [inviter] = yield* sql<{ readonly email: AccountAddress }>`SELECT email FROM accounts WHERE id = ${actor}`
      yield* putMail(sql, mail(organization, inviter!.email))
      yield* recordPeople(sql, "invitation.sent", { organization: id, target: invitationId, details: { role } })
      return invitationOf(row!)
    }).pipe(changing(sql, "invite"))

  const invitations: Of["invitations"] = (id) =>
    sql<InvitationRow>`
      SELECT ${columns} FROM invitations i WHERE i.organization_id = ${id} AND ${ofRows(sql, sql`i.expires_at > now()`)} ORDER BY i.id`.pipe(
      Effect.map((rows) => rows.map(invitationOf)),
      storeError("OrganizationStore.invitations")
    )

  const revokeInvitation: Of["revokeInvitation"] = (actor, invitationId) =>
    Effect.gen(function* () {
      const [found] = yield* sql<{ readonly organization_id: OrganizationId }>`
        SELECT organization_id FROM invitations WHERE id = ${invitationId}`
      const missing = new NotThere({ what: "invitation" })
      if (found === undefined) return yield* missing
      const id = found.organization_id
      const { role } = yield* Effect.catchTag(lockAs(sql, actor, id), "NotThere", () => Effect.fail(missing))
      if (!mayDo(role, "changeMembers")) return yield* new NotAllowed({ message: "Only owners revoke invitations." })
      // It may have been accepted, or revoked, before the lock was ours.
      const rows = yield* sql`DELETE FROM invitations WHERE id = ${invitationId} RETURNING 1 AS one`
      if (rows.length === 0) return yield* missing
      yield* recordPeople(sql, "invitation.revoked", { organization: id, target: invitationId })
    }).pipe(changing(sql, "revokeInvitation"))

  const findInvitation: Of["findInvitation"] = (tokenHash) =>
    sql<InvitationRow & { readonly organization_name: string; readonly inviter_email: AccountAddress }>`
      SELECT ${columns}, o.name AS organization_name, a.email AS inviter_email
      FROM invitations i JOIN organizations o ON o.id = i.organization_id JOIN accounts a ON a.id = i.invited_by
      WHERE i.token_hash = ${tokenHash} AND i.expires_at > now() AND o.deleted_at IS NULL`.pipe(
      Effect.map(([row]) =>
        row === undefined
          ? Option.none()
          : Option.some({
              ...invitationOf(row),
              organizationName: row.organization_name,
              inviterEmail: row.inviter_email
            })
      ),
      storeError("OrganizationStore.findInvitation")
    )

  const accept: Of["accept"] = (actor, tokenHash) =>
    Effect.gen(function* () {
      const missing = new NotThere({ what: "invitation" })
      const [found] = yield* sql<{ readonly organization_id: OrganizationId }>`
        SELECT organization_id FROM invitations WHERE token_hash = ${tokenHash}`
      if (found === undefined) return yield* missing
      const id = found.organization_id
      const organization = yield* Effect.catchTag(lockOrganization(sql, id), "NotThere", () => Effect.fail(missing))
      // The account may be on its way out: either it joins first, or it is gone.
      const [row] = yield* sql<InvitationRow & { readonly own_email: AccountAddress }>`
        SELECT ${columns}, a.email AS own_email FROM invitations i, accounts a
        WHERE i.token_hash = ${tokenHash} AND i.expires_at > now() AND a.id = ${actor} FOR KEY SHARE OF a`
      if (row === undefined) return yield* missing
      const { email, id: invitationId, invited_by, own_email, role } = row
      if (own_email !== email) {
        return yield* new NotAllowed({
          message: "This invitation is for another e-mail address. Sign in with the address that it was sent to."
        })
      }
      // Who invited may have become less since, or left.
      const inviter = yield* roleOf(sql, id, invited_by)
      if (inviter === null || !mayMake(inviter, null, role)) return yield* missing
      const { length } = yield* sql`SELECT 1 FROM members WHERE account_id = ${actor}`
      if (length >= ORGANIZATIONS_PER_ACCOUNT) {
        return yield* new TooManyOfThem({ what: "organizations", limit: ORGANIZATIONS_PER_ACCOUNT })
      }
      yield* sql`DELETE FROM invitations WHERE id = ${invitationId}`
      const before = yield* roleOf(sql, id, actor)
      if (before !== null) return organization
      if ((yield* countIn("members", id)) >= SEATS) return yield* new TooManyOfThem({ what: "members", limit: SEATS })
      yield* sql`INSERT INTO members (organization_id, account_id, role) VALUES (${id}, ${actor}, ${role})`
      yield* recordPeople(sql, "invitation.accepted", {
        organization: id,
        account: actor,
        target: invitationId,
        details: { role }
      })
      return organization
    }).pipe(changing(sql, "accept"))

  return { invite, invitations, revokeInvitation, findInvitation, accept }
}
