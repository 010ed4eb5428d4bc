import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OrganizationId, SessionId } from "../../../services/domain/Ids.ts"
import type { SessionInfo } from "../../../services/domain/people/Account.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import type { LiveSession } from "../../../services/ports/people/SessionStore.ts"
import { SessionStore } from "../../../services/ports/people/SessionStore.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { uuids } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import type { AccountRow } from "./accountRows.ts"
import { accountColumns, accountOf } from "./accountRows.ts"
import { recordPeople } from "./peopleEntry.ts"

/** Sessions that one statement looks up, at most. */
const AT_ONCE = 500

/** Roles of one account come as one array of `organization:role`. */
interface LiveRow extends AccountRow {
  readonly session_id: SessionId
  readonly epoch: number
  readonly roles: ReadonlyArray<string>
}

const liveOf = (row: LiveRow): LiveSession => ({
  account: accountOf(row),
  epoch: row.epoch,
  roles: new Map(row.roles.map((text) => [text.slice(0, 36) as OrganizationId, text.slice(37) as Role]))
})

export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(accountColumns("a"))

    const findAll = Effect.fnUntraced(function* (ids: ReadonlyArray<SessionId>) {
      const rows = yield* sql<LiveRow>`
        SELECT s.id AS session_id, s.epoch, ${columns}, ARRAY(
          SELECT m.organization_id || ':' || m.role FROM members m WHERE m.account_id = a.id
        ) AS roles
        FROM sessions s CROSS JOIN LATERAL (SELECT * FROM accounts WHERE id = s.account_id OFFSET 0) AS a
        WHERE s.id = ANY(${uuids(ids)}) AND s.expires_at > now() AND s.epoch = a.epoch AND a.disabled_at IS NULL`
      const found = new Map(rows.map((row) => [row.session_id, liveOf(row)]))
      return ids.map((id) => Option.fromUndefinedOr(found.get(id)))
    }, storeError("SessionStore.find"))

    const find: SessionStore["Service"]["find"] = yield* coalesce({
      run: findAll,
      weight: () => 1,
      refusalOf: refusalBySql,
      rows: AT_ONCE,
      atOnce: 2
    })

    const touch: SessionStore["Service"]["touch"] = (ids) =>
      // Each by its id alone: of several at once PostgreSQL may look for ids in the index by account, account by account.
      // Whoever is at a row writes the time as well.
      sql`UPDATE sessions SET last_used_at = now() WHERE ctid = ANY(ARRAY(
          SELECT s.ctid FROM unnest(${uuids(ids)}) AS t (id) CROSS JOIN LATERAL (
            SELECT ctid FROM sessions WHERE id = t.id FOR NO KEY UPDATE SKIP LOCKED
          ) AS s
        ))`.pipe(Effect.asVoid, storeError("SessionStore.touch"))

    const list: SessionStore["Service"]["list"] = (account) =>
      sql<SessionRow>`
        SELECT ${sql.literal(SESSION_COLUMNS)} FROM (SELECT * FROM sessions WHERE account_id = ${account} OFFSET 0) AS s
        WHERE s.expires_at > now() AND s.epoch = (SELECT epoch FROM accounts WHERE id = ${account})
        ORDER BY s.id DESC`.pipe(
        Effect.map((rows) => rows.map(sessionOf)),
        storeError("SessionStore.list")
      )

    const end: SessionStore["Service"]["end"] = Effect.fnUntraced(
      function* (account, id) {
        const rows = yield* sql`DELETE FROM sessions WHERE id = ${id} AND account_id = ${account} RETURNING 1 AS one`
        if (rows.length === 0) return false
        yield* recordPeople(sql, "session.ended", { account, target: id })
        return true
      },
      (effect) => sql.withTransaction(effect),
      storeError("SessionStore.end")
    )

    const endAll: SessionStore["Service"]["endAll"] = Effect.fnUntraced(
      function* (account) {
        yield* sql`UPDATE accounts SET epoch = epoch + 1 WHERE id = ${account}`
        const { length } = yield* sql`DELETE FROM sessions WHERE account_id = ${account} RETURNING 1 AS one`
        yield* recordPeople(sql, "session.all_ended", { account, target: account, details: { sessions: length } })
        return length
      },
      (effect) => sql.withTransaction(effect),
      storeError("SessionStore.endAll")
    )

    return SessionStore.of({ find, touch, list, end, endAll })
  })
)

export interface SessionRow {
  readonly id: SessionId
  readonly user_agent: string
  readonly created_at: Date
  readonly last_used_at: Date
  readonly expires_at: Date
}

/** Of a table of sessions called `s`. */
export const SESSION_COLUMNS = "s.id, s.user_agent, s.created_at, s.last_used_at, s.expires_at"

export const sessionOf = (row: SessionRow): SessionInfo => ({
  id: row.id,
  userAgent: row.user_agent,
  createdAt: row.created_at.getTime(),
  lastUsedAt: row.last_used_at.getTime(),
  expiresAt: row.expires_at.getTime()
})
