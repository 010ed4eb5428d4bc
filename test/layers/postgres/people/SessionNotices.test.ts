import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import * as InboxNoticesLayer from "../../../../layers/postgres/inbox/InboxNotices.ts"
import * as SessionNoticesLayer from "../../../../layers/postgres/people/SessionNotices.ts"
import type { AccountId } from "../../../../services/domain/Ids.ts"
import { InboxNotices } from "../../../../services/ports/inbox/InboxNotices.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { SessionNotices } from "../../../../services/ports/people/SessionNotices.ts"
import { testDatabase } from "../../../Database.ts"

const notices = Layer.merge(SessionNoticesLayer.layer, InboxNoticesLayer.layer).pipe(Layer.provideMerge(testDatabase()))

/** Accounts with two sessions each, all members of one organization. */
const makeAccounts = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const organization = uuidv7()
  yield* sql`INSERT INTO organizations (id, name) VALUES (${organization}, 'One')`
  const ids = Array.from({ length: count }, () => uuidv7() as AccountId)
  for (const id of ids) {
    yield* sql`INSERT INTO accounts (id, email) VALUES (${id}, ${`${id}@example.com`})`
    yield* sql`INSERT INTO members (organization_id, account_id, role) VALUES (${organization}, ${id}, 'member')`
    for (const session of [uuidv7(), uuidv7()]) {
      yield* sql`INSERT INTO sessions (id, account_id, epoch, expires_at) VALUES (${session}, ${id}, 1, now())`
    }
  }
  return { ids, organization }
})

const listening = Effect.gen(function* () {
  const heard = yield* Queue.unbounded<ReadonlyArray<AccountId> | null>()
  yield* (yield* SessionNotices).listen((accounts) => Queue.offerUnsafe(heard, accounts))
  expect(yield* Queue.take(heard)).toBeNull()
  return heard
})

layer(notices, { excludeTestServices: true })("notices of sessions", (it) => {
  it.effect("name whose sessions have ended and whose roles have changed, once for each statement", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, organization } = yield* makeAccounts(3)
      const heard = yield* listening
      const [one, other, third] = ids as [AccountId, AccountId, AccountId]
      const next = Effect.map(Queue.take(heard), (accounts) => accounts!.toSorted())

      yield* sql`DELETE FROM sessions WHERE account_id IN (${one}, ${other})`
      expect(yield* next).toEqual([one, other].toSorted())
      yield* sql`UPDATE members SET role = 'viewer' WHERE account_id = ${third}`
      expect(yield* next).toEqual([third])
      yield* sql`DELETE FROM members WHERE account_id = ${one}`
      expect(yield* next).toEqual([one])
      // Its sessions and memberships go with it.
      yield* sql`DELETE FROM accounts WHERE id = ${third}`
      expect(yield* next).toEqual([third])
      // What ends nothing is told to nobody, nor is what was taken back.
      yield* sql`INSERT INTO members (organization_id, account_id, role) VALUES (${organization}, ${one}, 'admin')`
      yield* sql`UPDATE sessions SET last_used_at = now()`
      yield* Effect.ignore(
        sql.withTransaction(Effect.andThen(sql`DELETE FROM members WHERE account_id = ${other}`, sql`SELECT 1 / 0`))
      )
      yield* sql`DELETE FROM sessions WHERE account_id = ${other}`
      yield* sql`DELETE FROM members WHERE account_id = ${one}`
      expect(yield* next).toEqual([one])
    })
  )

  it.effect("come in parts where there are more than one holds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* makeAccounts(450)
      const heard = yield* listening
      yield* sql`DELETE FROM sessions`
      const told: Array<AccountId> = []
      while (told.length < ids.length) told.push(...(yield* Queue.take(heard))!)
      expect(told.toSorted()).toEqual(ids.toSorted())
    })
  )

  it.effect("share one connection with those of inboxes, and are listened for again when it was lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* makeAccounts(1)
      const heard = yield* listening
      const ofInboxes = yield* Queue.unbounded<unknown>()
      yield* (yield* InboxNotices).listen((notice) => Queue.offerUnsafe(ofInboxes, notice))
      expect(yield* Queue.take(ofInboxes)).toBeNull()
      const ended = yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`
      expect(ended).toHaveLength(1)
      expect([yield* Queue.take(heard), yield* Queue.take(ofInboxes)]).toEqual([null, null])
      yield* sql`DELETE FROM sessions WHERE account_id = ${ids[0]!}`
      expect(yield* Queue.take(heard)).toEqual(ids)
      expect(yield* Queue.size(ofInboxes)).toBe(0)
    })
  )
})
