import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { TestClock } from "effect/testing"
import { sweep } from "../../../../layers/postgres/operations/Retention.ts"
import type { AccountAddress } from "../../../../services/domain/people/AccountAddress.ts"
import { ExternalSignInStore } from "../../../../services/ports/people/ExternalSignInStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { newAddress, newClient, node, peopleStores, person } from "../../../services/engine/people/People.ts"

const DAY = 86_400_000

layer(peopleStores())("the sweep", (it) => {
  it.effect(
    "removes what is past its own time: codes, attempts, sessions, invitations, and old entries of the log",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = yield* node()
        const owner = yield* person(one)
        const [old, young] = [newAddress("old"), newAddress("young")]
        for (const email of [old, young]) {
          yield* one.signIn.requestCode(email, newClient())
          yield* one.organizations.invite(owner.person, owner.organization, email, "viewer", newClient())
        }
        const external = yield* ExternalSignInStore
        for (const email of [old, young] as ReadonlyArray<string> as ReadonlyArray<AccountAddress>) {
          const lifetimeMs = DAY
          const [stateHash, tokenHash] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]
          const left = { sealed: new Uint8Array(1), mode: "sign_in", sessionId: null, returnTo: `/${email}` } as const
          yield* external.begin({ ...left, provider: "google", stateHash, lifetimeMs })
          yield* external.hold({ provider: "github", subject: "1", email, tokenHash, lifetimeMs })
        }
        const other = yield* person(one)
        yield* one.addressChanges.request(owner.person, newAddress(), newClient())
        yield* one.addressChanges.request(other.person, newAddress(), newClient())
        const rows = Effect.fnUntraced(function* () {
          const found: Record<string, number> = {}
          for (const table of [
            "login_codes",
            "address_changes",
            "sign_in_attempts",
            "sessions",
            "invitations",
            "people_log",
            "oauth_states",
            "pending_sign_ins"
          ]) {
            found[table] = (yield* sql`SELECT 1 FROM ${sql(table)}`).length
          }
          return found
        })
        const before = yield* rows()
        expect(yield* TestClock.withLive(sweep(30, Date.now(), 365))).toMatchObject({ auditEntries: 0 })
        expect(yield* rows()).toEqual(before)

        yield* sql`UPDATE login_codes SET expires_at = now() - interval '1 second' WHERE email = ${old}`
        yield* sql`
        UPDATE address_changes SET expires_at = now() - interval '1 second' WHERE account_id = ${other.person.account.id}`
        yield* sql`UPDATE oauth_states SET expires_at = now() - interval '1 second' WHERE return_to = ${`/${old}`}`
        yield* sql`UPDATE pending_sign_ins SET expires_at = now() - interval '1 second' WHERE email = ${old}`
        yield* sql`UPDATE invitations SET expires_at = now() - interval '1 second' WHERE email = ${old}`
        yield* sql`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = ${other.person.sessionId}`
        yield* sql`
        UPDATE sign_in_attempts SET last_at = now() - interval '1 day' - interval '1 second'
        WHERE key = (SELECT min(key) FROM sign_in_attempts)`
        yield* sql`
        INSERT INTO people_log (id, actor_kind, action, details)
        VALUES (${uuidv7(Date.now() - 400 * DAY)}, 'system', 'account.created', '{}')`
        expect(yield* TestClock.withLive(sweep(30, Date.now(), 365))).toMatchObject({ auditEntries: 1 })
        expect(yield* rows()).toEqual({
          login_codes: before["login_codes"]! - 1,
          address_changes: 1,
          sign_in_attempts: before["sign_in_attempts"]! - 1,
          sessions: before["sessions"]! - 1,
          invitations: before["invitations"]! - 1,
          people_log: before["people_log"]!,
          oauth_states: 1,
          pending_sign_ins: 1
        })
        yield* one.sessions.authenticate(owner.token)
      })
  )

  it.effect("removes whatever strangers can make many of, however many there are, and keeps what still counts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* node()
      const { person: who, organization } = yield* person(one)
      const { id } = who.account
      const MANY = 3_500
      // Of each table one row that is over for every one that is not.
      const over = "now() + CASE WHEN i % 2 = 0 THEN interval '-1 second' ELSE interval '5 minutes' END"
      const hash = "sha256(i::text::bytea)"
      const rows: Readonly<Record<string, readonly [columns: string, values: string]>> = {
        login_codes: ["email, purpose, code_hash, expires_at", `i || '@many.example.com', 'sign_in', ${hash}, ${over}`],
        sign_in_attempts: [
          "key, times, last_at",
          `'many:' || i, '{}', now() - CASE WHEN i % 2 = 0 THEN interval '25 hours' ELSE interval '23 hours' END`
        ],
        oauth_states: [
          "state_hash, provider, sealed, mode, return_to, expires_at",
          `${hash}, 'google', '', 'sign_in', '/', ${over}`
        ],
        pending_sign_ins: [
          "token_hash, provider, subject, email, expires_at",
          `${hash}, 'github', i::text, i || '@many.example.com', ${over}`
        ],
        sessions: ["id, account_id, epoch, expires_at", `gen_random_uuid(), '${id}', 1, ${over}`],
        invitations: [
          "id, organization_id, email, role, token_hash, invited_by, expires_at",
          `gen_random_uuid(), '${organization}', i || '@many.example.com', 'viewer', ${hash}, '${id}', ${over}`
        ],
        service_mails: [
          "id, email, sealed, is_code, due_at, expires_at",
          `gen_random_uuid(), i || '@many.example.com', '', i % 3 = 0, now() + interval '1 hour', ${over}`
        ]
      }
      const counts = Effect.forEach(Object.keys(rows), (table) =>
        Effect.map(
          sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(table)}`,
          ([row]) => [table, row!.n] as const
        )
      )
      const before = yield* counts
      for (const [table, [columns, values]] of Object.entries(rows)) {
        yield* sql.unsafe(
          `INSERT INTO ${table} (${columns}) SELECT ${values} FROM generate_series(1, ${2 * MANY}) AS i`
        )
      }
      expect(yield* counts).toEqual(before.map(([table, n]) => [table, n + 2 * MANY]))
      yield* TestClock.withLive(sweep(30))
      expect(yield* counts).toEqual(before.map(([table, n]) => [table, n + MANY]))
    })
  )
})
