import { expect, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as SessionTokensLive from "../../../../layers/crypto/SessionTokens.ts"
import * as SessionStores from "../../../../layers/postgres/people/SessionStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { Sessions } from "../../../../services/engine/people/Sessions.ts"
import type { SessionId } from "../../../../services/domain/Ids.ts"
import type { SessionInfo } from "../../../../services/domain/people/Account.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { SessionStore } from "../../../../services/ports/people/SessionStore.ts"
import { SessionTokens } from "../../../../services/ports/people/SessionTokens.ts"
import { TestDatabase } from "../../../Database.ts"
import { eventually } from "../../../System.ts"
import { Outage } from "../../../doubles/Outage.ts"
import type { Node } from "./People.ts"
import { memberOf, node, peopleStores, person, signedIn } from "./People.ts"

/** The message of the refusal; null for somebody who is signed in. */
const refusal = (sessions: Node["sessions"], token: string) =>
  Effect.match(sessions.authenticate(token), {
    onFailure: (error): string | null => (error._tag === "Unauthorized" ? error.message : error._tag),
    onSuccess: () => null
  })

/** Sessions of a node with connections of its own. */
const otherNode = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const stores = SessionStores.layer.pipe(Layer.provide(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie)))
  const tokens = Layer.succeed(SessionTokens, yield* SessionTokens)
  const context = yield* Layer.build(Layer.fresh(Sessions.layer.pipe(Layer.provide(Layer.merge(stores, tokens)))))
  return Context.get(context, Sessions)
})

layer(peopleStores())("sessions", (it) => {
  it.effect("end on all nodes with the one that ends them, and stay so: by logout, one by one, and all at once", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const other = yield* otherNode
      const { person: who, token } = yield* person(one)
      const tokens = [token]
      for (let i = 0; i < 4; i++) tokens.push((yield* signedIn(one, who.account.email)).token)
      const there = () => Effect.forEach(tokens, (token) => refusal(other, token))
      expect(yield* there()).toEqual([null, null, null, null, null])

      yield* one.sessions.logout(who)
      const ended = "This session has ended. Sign in again."
      expect(yield* there()).toEqual([ended, null, null, null, null])
      // Once more is no error.
      yield* one.sessions.logout(who)

      const second = yield* other.authenticate(tokens[1]!)
      const third = yield* other.authenticate(tokens[2]!)
      yield* other.end(second, third.sessionId)
      expect(yield* there()).toEqual([ended, null, ended, null, null])
      expect(yield* refusal(one.sessions, tokens[2]!)).toBe(ended)

      yield* other.signOutEverywhere(second)
      expect(yield* there()).toEqual([ended, ended, ended, ended, ended])
      const later = (yield* signedIn(one, who.account.email)).token
      expect(yield* refusal(other, later)).toBeNull()
      // A node that starts knows no more, and no less.
      const { sessions: started } = yield* node()
      expect(yield* Effect.forEach(tokens, (token) => refusal(started, token))).toEqual(tokens.map(() => ended))
      expect(yield* refusal(started, later)).toBeNull()
    })
  )

  it.effect("that began before all were ended have ended, however late their row was written", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const { person: who, token } = yield* person(one)
      const [row] = yield* sql`SELECT * FROM sessions WHERE id = ${who.sessionId}`
      yield* one.sessions.signOutEverywhere(who)
      yield* sql`INSERT INTO sessions ${sql.insert(row as Record<string, unknown>)}`
      expect(yield* refusal(one.sessions, token)).toBe("This session has ended. Sign in again.")
      expect((yield* one.sessions.list(who)).map(({ id }) => id)).toEqual([])
    })
  )

  it.effect("last seven days by the database's clock, whatever the token says", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const { person: who, token } = yield* person(one)
      yield* sql`UPDATE sessions SET expires_at = expires_at - interval '7 days' + interval '1 minute' WHERE id = ${who.sessionId}`
      expect(yield* refusal(one.sessions, token)).toBeNull()
      yield* sql`UPDATE sessions SET expires_at = expires_at - interval '1 minute' WHERE id = ${who.sessionId}`
      expect(yield* refusal(one.sessions, token)).toBe("This session has ended. Sign in again.")
    })
  )

  it.effect("cost a query with a token that was made here, and none with another", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const outage = new Outage()
      const store = outage.over(SessionStore, Layer.succeed(SessionStore, yield* SessionStore))
      const tokens = Layer.succeed(SessionTokens, yield* SessionTokens)
      const context = yield* Layer.build(Layer.fresh(Sessions.layer.pipe(Layer.provide(Layer.merge(store, tokens)))))
      const sessions = Context.get(context, Sessions)
      const { person: who, token } = yield* person(one)
      const invalid = "This session token is not valid, or too old. Sign in again."
      const foreign = Context.get(yield* Layer.build(SessionTokensLive.layerOf(new Uint8Array(32))), SessionTokens)
      const claims = { sessionId: who.sessionId, accountId: who.account.id, epoch: 1, expiresAt: 9_999_999_999 }
      for (const text of ["", "x.y.z", token.slice(0, -1), foreign.sign(claims)]) {
        expect(yield* refusal(sessions, text)).toBe(invalid)
      }
      expect(outage.count("SessionStore.find")).toBe(0)
      expect(yield* refusal(sessions, token)).toBeNull()
      // Made here, of claims that are not those of the row.
      const own = yield* SessionTokens
      const { account } = (yield* person(one)).person
      for (const other of [{ epoch: 2 }, { accountId: account.id }, { sessionId: uuidv7() as SessionId }]) {
        expect(yield* refusal(sessions, own.sign({ ...claims, ...other }))).toMatch("has ended")
      }
      outage.isDown = true
      expect(yield* refusal(sessions, token)).toBe("StoreError")
    })
  )

  it.effect("that are looked at in one moment share a statement, and each finds its own", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const tokens: Array<{ token: string; id: string }> = []
      for (let i = 0; i < 10; i++) {
        const { person: who, token } = yield* person(one)
        tokens.push({ token, id: who.account.id })
      }
      const found = yield* Effect.forEach(
        Array.from({ length: 500 }, (_, i) => tokens[i % 10]!),
        ({ token }) => one.sessions.authenticate(token),
        { concurrency: "unbounded" }
      )
      found.forEach((who, i) => expect(who.account.id).toBe(tokens[i % 10]!.id))
    })
  )

  it.effect("come with the roles of the moment", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const { person: guest, token } = yield* memberOf(one, owner.organization, "viewer")
      expect(guest.roles.get(owner.organization)).toBe("viewer")
      yield* one.organizations.changeRole(owner.person, owner.organization, guest.account.id, "admin")
      expect((yield* one.sessions.authenticate(token)).roles.get(owner.organization)).toBe("admin")
      yield* one.organizations.removeMember(owner.person, owner.organization, guest.account.id)
      expect((yield* one.sessions.authenticate(token)).roles.has(owner.organization)).toBe(false)
    })
  )

  it.effect("are listed to their account with browser and last use, and nobody ends another's", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const userAgent = "x".repeat(1000)
      // A node that has ended has written down what it knew.
      const { other, sessionId, token, who } = yield* Effect.scoped(
        Effect.gen(function* () {
          const before = yield* node()
          const { person: who } = yield* person(before)
          const code = yield* before.signIn.codeForOperator(who.account.email, "sign_in")
          const session = yield* before.signIn.verifyCode(who.account.email, code, { device: null, userAgent })
          return { ...session, who, other: yield* person(before) }
        })
      )
      yield* sql`UPDATE sessions SET last_used_at = now() - interval '1 day', created_at = now() - interval '1 day'`
      yield* one.sessions.authenticate(token)
      yield* TestClock.adjust("1 minute")
      const isUsedSince = ({ createdAt, lastUsedAt }: SessionInfo) => lastUsedAt > createdAt
      const isUsed = (list: ReadonlyArray<SessionInfo>) => list.some(isUsedSince)
      const list = yield* TestClock.withLive(eventually(Effect.orDie(one.sessions.list(who)), isUsed))
      expect(list.map(({ id, userAgent }) => [id, userAgent])).toEqual([
        [sessionId, "x".repeat(300)],
        [who.sessionId, "Test/1.0"]
      ])
      expect(list.map(isUsedSince)).toEqual([true, false])
      const refused = yield* Effect.flip(one.sessions.end(other.person, who.sessionId))
      expect(refused).toMatchObject({ _tag: "NotThere", what: "session" })
      expect(yield* one.sessions.list(who)).toHaveLength(2)
    })
  )
})
