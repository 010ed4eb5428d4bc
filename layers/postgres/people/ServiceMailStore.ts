import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { NewMail, WaitingMail } from "../../../services/ports/people/ServiceMailStore.ts"
import { ServiceMailStore, TURN_MS } from "../../../services/ports/people/ServiceMailStore.ts"
import { Holder } from "../operations/Holder.ts"
import { milliseconds } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { storeError } from "../server/storeError.ts"

/** Leaves a mail for whoever sends it. To be run in the transaction of what it tells of. */
export const putMail = (
  sql: SqlClient.SqlClient,
  { email, id, isCode, lifetimeMs, sealed, sender }: NewMail
): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`
    INSERT INTO service_mails (id, email, sealed, is_code, sender, due_at, expires_at)
    VALUES (${id}, ${email}, ${sealed}, ${isCode}, ${sender},
      now() + (SELECT count(*) FROM service_mails WHERE sender = ${sender}::text) * ${milliseconds(TURN_MS)} * interval '1 ms',
      now() + ${milliseconds(lifetimeMs)} * interval '1 ms')`)

export const layer: Layer.Layer<ServiceMailStore, never, SqlClient.SqlClient> = Layer.effect(
  ServiceMailStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder

    const claim: ServiceMailStore["Service"]["claim"] = (what, limit, leaseMs) =>
      Effect.suspend(
        () => sql<WaitingMail>`
        WITH over AS (
          SELECT id FROM service_mails
          WHERE is_code = ${what === "codes"} AND due_at <= now() AND expires_at < now() LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), removed AS (
          DELETE FROM service_mails WHERE id = ANY(ARRAY(SELECT id FROM over))
        ), due AS (
          SELECT id FROM service_mails WHERE is_code = ${what === "codes"} AND due_at <= now() AND expires_at >= now()
          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), claimed AS (
          UPDATE service_mails m SET attempts = attempts + 1, due_at = now() + ${milliseconds(leaseMs)} * interval '1 ms',
            lease_holder = ${holder.id()}::integer
          FROM due WHERE m.id = ANY(ARRAY[due.id]) RETURNING m.id, m.email, m.sealed, m.attempts
        )
        SELECT c.id, c.email, c.sealed, c.attempts, a.id IS NOT NULL AS "hasAccount",
          a.disabled_at IS NOT NULL AS "isDisabled",
          coalesce((
            SELECT true FROM invitations i WHERE i.email = c.email AND ${ofRows(sql, sql`i.expires_at > now()`)} LIMIT 1
          ), false) AS "isInvited"
        -- OFFSET 0: each address is looked up by itself. A join may begin with all accounts that there are.
        FROM claimed c LEFT JOIN LATERAL (SELECT id, disabled_at FROM accounts WHERE email = c.email OFFSET 0) AS a ON true
        ORDER BY c.id`
      ).pipe(storeError("ServiceMailStore.claim"))

    const remove: ServiceMailStore["Service"]["remove"] = (id) =>
      sql`DELETE FROM service_mails WHERE id = ${id}`.pipe(Effect.asVoid, storeError("ServiceMailStore.remove"))

    const postpone: ServiceMailStore["Service"]["postpone"] = (id, afterMs) =>
      sql`
        UPDATE service_mails SET due_at = now() + ${milliseconds(afterMs)} * interval '1 ms', lease_holder = NULL
        WHERE id = ${id}`.pipe(Effect.asVoid, storeError("ServiceMailStore.postpone"))

    return ServiceMailStore.of({ claim, remove, postpone })
  })
)
