import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { OrganizationId } from "../../../services/domain/Ids.ts"
import type { AccountStore } from "../../../services/ports/people/AccountStore.ts"
import { OrganizationHasPayments, TransferOwnershipFirst } from "../../../services/ports/people/OrganizationStore.ts"
import { storeError } from "../server/storeError.ts"
import { markDeleted } from "./deleteOrganization.ts"
import { recordPeople } from "./peopleEntry.ts"
import { lockCodes, tryCode } from "./useCode.ts"

interface OwnRow {
  readonly id: OrganizationId
  readonly has_payments: boolean
  readonly role: string
  readonly other_owners: number
  readonly others: number
}

/** An organization came along between the two looks: begin again, with its lock too. */
class JoinedMeanwhile extends Schema.TaggedError<JoinedMeanwhile>()("JoinedMeanwhile", {}) {}

/**
 * Spec 5.6 in one transaction. A wrong code commits: it counts. A refusal rolls all back, and leaves the code to be used
 * when its reason is gone; nobody learns from that what the code is.
 */
export const deleteAccount = (sql: SqlClient.SqlClient): AccountStore["Service"]["remove"] =>
  Effect.fnUntraced(
    function* ({ email, id }, hashes, wrong) {
      const used = yield* tryCode(sql, { email, hashes, purpose: "delete_account", wrong })
      if (used?.isRight !== true) return false
      yield* lockCodes(sql, [email])
      const locked = yield* sql<{ readonly id: OrganizationId }>`
        SELECT o.id FROM members m JOIN organizations o ON o.id = ANY(ARRAY[m.organization_id])
        WHERE m.account_id = ${id} ORDER BY m.organization_id FOR NO KEY UPDATE OF o`
      // From here on the account joins no organization: that looks at its row. Those who change members hold their
      // organization's lock when they do so, hence this order.
      yield* sql`SELECT 1 FROM accounts WHERE id = ${id} FOR UPDATE`
      // A statement of its own, so that it sees what those did who held the locks before.
      const own = yield* sql<OwnRow>`
        SELECT o.id, o.has_payments, m.role,
          (SELECT count(*)::int FROM members x WHERE x.organization_id = o.id AND x.account_id <> ${id} AND x.role = 'owner')
            AS other_owners,
          (SELECT count(*)::int FROM members x WHERE x.organization_id = o.id AND x.account_id <> ${id}) AS others
        FROM members m JOIN organizations o ON o.id = ANY(ARRAY[m.organization_id])
        WHERE m.account_id = ${id} ORDER BY m.organization_id`
      if (own.some(({ id }) => !locked.some((one) => one.id === id))) return yield* new JoinedMeanwhile()
      const needed = own.filter(({ other_owners, role }) => role === "owner" && other_owners === 0)
      for (const { id: organizationId, others } of needed) {
        if (others > 0) return yield* new TransferOwnershipFirst({ organizationId })
      }
      for (const { has_payments, id: organizationId } of needed) {
        if (has_payments) return yield* new OrganizationHasPayments({ organizationId })
      }
      for (const { id: organization, role } of own) {
        if (needed.some((one) => one.id === organization)) yield* markDeleted(sql, organization)
        else yield* recordPeople(sql, "member.left", { organization, account: id, target: id, details: { role } })
      }
      // Memberships, sessions, external sign-ins and invitations that it sent go with the account.
      yield* sql`DELETE FROM accounts WHERE id = ${id}`
      yield* sql`DELETE FROM login_codes WHERE email = ${email}`
      yield* sql`DELETE FROM pending_sign_ins WHERE email = ${email}`
      yield* sql`DELETE FROM invitations WHERE email = ${email}`
      // Answers that are kept for repetitions. That of the present request, if any, is yet to come, and says nothing.
      yield* sql`DELETE FROM idempotency_keys WHERE app_id = ${id} AND status IS NOT NULL`
      yield* sql`DELETE FROM service_mails WHERE email = ${email} OR sender = ${id}`
      yield* recordPeople(sql, "account.deleted", { account: id, target: id })
      return true
    },
    (effect) => sql.withTransaction(effect),
    Effect.retry({ while: (error) => error._tag === "JoinedMeanwhile" }),
    Effect.catchTag("SqlError", (error) => storeError("AccountStore.remove")(Effect.fail(error)))
  )
