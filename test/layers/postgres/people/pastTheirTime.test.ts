import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { sweep } from "../../../../layers/postgres/operations/Retention.ts"
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
          yield* one.organizations.invite(owner.person, owner.organization, email, "viewer")
        }
        const other = yield* person(one)
        const rows = Effect.fnUntraced(function* () {
          const found: Record<string, number> = {}
          for (const table of ["login_codes", "sign_in_attempts", "sessions", "invitations", "people_log"]) {
            found[table] = (yield* sql`SELECT 1 FROM ${sql(table)}`).length
          }
          return found
        })
        const before = yield* rows()
        expect(yield* TestClock.withLive(sweep(30, Date.now(), 365))).toMatchObject({ auditEntries: 0 })
        expect(yield* rows()).toEqual(before)

        yield* sql`UPDATE login_codes SET expires_at = now() - interval '1 second' WHERE email = ${old}`
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
          sign_in_attempts: before["sign_in_attempts"]! - 1,
          sessions: before["sessions"]! - 1,
          invitations: before["invitations"]! - 1,
          people_log: before["people_log"]!
        })
        yield* one.sessions.authenticate(owner.token)
      })
  )
})
