import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountData, ExternalSignIn } from "../../../services/domain/people/Account.ts"
import type { AccountStore } from "../../../services/ports/people/AccountStore.ts"
import { storeError } from "../server/storeError.ts"
import type { AccountRow } from "./accountRows.ts"
import { accountColumns, accountOf } from "./accountRows.ts"
import type { SessionRow } from "./SessionStore.ts"
import { SESSION_COLUMNS, sessionOf } from "./SessionStore.ts"

type Dated<A, K extends keyof A> = Omit<A, K> & { readonly [Key in K]: null extends A[Key] ? Date | null : Date }

/** Entries of the log, at most: the latest. */
const ENTRIES = 10_000

/** Everything that is kept about an account, as it was at one moment. */
export const readAccountData = (sql: SqlClient.SqlClient): AccountStore["Service"]["data"] =>
  Effect.fnUntraced(
    function* (id) {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
      const [row] =
        yield* sql<AccountRow>`SELECT ${sql.literal(accountColumns("a"))} FROM accounts a WHERE a.id = ${id}`
      if (row === undefined) return Option.none()
      const memberships = yield* sql<Dated<AccountData["memberships"][number], "joinedAt">>`
        SELECT o.id AS "organizationId", o.name AS "organizationName", m.role, m.joined_at AS "joinedAt"
        FROM members m JOIN organizations o ON o.id = m.organization_id WHERE m.account_id = ${id} ORDER BY o.id`
      const external = yield* sql<Dated<ExternalSignIn & { readonly subject: string }, "createdAt" | "lastUsedAt">>`
        SELECT id, provider, subject, email, created_at AS "createdAt", last_used_at AS "lastUsedAt"
        FROM external_sign_ins WHERE account_id = ${id} ORDER BY id`
      const sessions = yield* sql<SessionRow>`
        SELECT ${sql.literal(SESSION_COLUMNS)} FROM sessions s WHERE s.account_id = ${id} ORDER BY s.id`
      const invitations = yield* sql<Dated<AccountData["invitations"][number], "createdAt" | "expiresAt">>`
        SELECT id, organization_id AS "organizationId", email, role,
          CASE WHEN invited_by = ${id} THEN 'sent' ELSE 'received' END AS direction,
          created_at AS "createdAt", expires_at AS "expiresAt"
        FROM (
          SELECT * FROM invitations WHERE invited_by = ${id}
          UNION ALL
          SELECT * FROM invitations WHERE email = ${row.email} AND invited_by <> ${id}
        ) AS invitations ORDER BY id`
      const [change] = yield* sql<Dated<NonNullable<AccountData["addressChange"]>, "createdAt" | "expiresAt">>`
        SELECT email, created_at AS "createdAt", expires_at AS "expiresAt" FROM address_changes WHERE account_id = ${id}`
      const log = yield* sql<Dated<AccountData["log"][number], "at">>`
        SELECT at, organization_id AS "organizationId", action, target,
          coalesce(actor_id = ${id}::text, false) AS "byThisAccount" FROM (
          SELECT id, at, organization_id, action, target, actor_id FROM people_log WHERE account_id = ${id}
          UNION
          SELECT id, at, organization_id, action, target, actor_id FROM people_log
          WHERE actor_kind = 'user' AND actor_id = ${id}::text
          UNION ALL
          SELECT l.id, l.at, a.organization_id, l.action, l.target, l.actor_id FROM audit_log l
          CROSS JOIN LATERAL (SELECT organization_id FROM applications WHERE id = l.app_id OFFSET 0) AS a
          WHERE l.actor_kind = 'user' AND l.actor_id = ${id}::text
        ) AS entries ORDER BY id DESC LIMIT ${ENTRIES}`
      return Option.some({
        account: accountOf(row),
        memberships: memberships.map((one) => ({ ...one, joinedAt: one.joinedAt.getTime() })),
        externalSignIns: external.map((one) => ({
          ...one,
          createdAt: one.createdAt.getTime(),
          lastUsedAt: one.lastUsedAt?.getTime() ?? null
        })),
        sessions: sessions.map(sessionOf),
        invitations: invitations.map((one) => ({
          ...one,
          createdAt: one.createdAt.getTime(),
          expiresAt: one.expiresAt.getTime()
        })),
        addressChange:
          change === undefined
            ? null
            : {
                email: change.email,
                createdAt: change.createdAt.getTime(),
                expiresAt: change.expiresAt.getTime()
              },
        log: log.map((one) => ({ ...one, at: one.at.getTime() }))
      })
    },
    (effect) => sql.withTransaction(effect),
    storeError("AccountStore.data")
  )
