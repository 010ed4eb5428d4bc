import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { ExternalSignInId } from "../../../../services/domain/Ids.ts"
import type { AccountAddress } from "../../../../services/domain/people/AccountAddress.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Binding } from "../../../../services/ports/people/Binding.ts"
import { ExternalSignInStore } from "../../../../services/ports/people/ExternalSignInStore.ts"
import { LoginCodeStore } from "../../../../services/ports/people/LoginCodeStore.ts"
import { node, peopleStores, person } from "../../../services/engine/people/People.ts"

const HOUR = 3_600_000
const hash = () => new Uint8Array(randomBytes(32))

layer(peopleStores())("an identity that is bound by a code", (it) => {
  it.effect("uses the code up with the binding, or not at all, and counts a wrong one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ExternalSignInStore
      const one = yield* node()
      const [{ account }, { account: other }] = [(yield* person(one)).person, (yield* person(one)).person]
      const email = account.email as AccountAddress
      const bindingOf = (identity: Binding["identity"]): Binding => ({
        id: uuidv7() as ExternalSignInId,
        identity,
        notice: () => ({ id: uuidv7(), email, sealed: hash(), isCode: false, sender: null, lifetimeMs: HOUR })
      })
      const pending = Effect.fnUntraced(function* (subject: string) {
        const tokenHash = hash()
        yield* store.hold({ provider: "github", subject, email, tokenHash, lifetimeMs: HOUR })
        return bindingOf({ _tag: "Pending", tokenHash, providers: ["github"] })
      })
      const right = hash()
      const issued = { email, purpose: "link", hash: right, lifetimeMs: HOUR, ofOperator: false } as const
      yield* (yield* LoginCodeStore).issue({ ...issued, counted: [], mail: null })
      const attempt = (tried: Uint8Array) => ({
        email,
        purpose: "link" as const,
        hashes: [tried],
        wrong: { key: `test ${email}`, allowances: [{ count: 5, ms: HOUR }] }
      })
      const code = sql`SELECT attempts, used_at IS NOT NULL AS used FROM login_codes WHERE email = ${email} AND purpose = 'link'`

      expect(yield* store.bindByCode(account.id, yield* pending("1"), attempt(hash()))).toEqual(Option.none())
      expect(yield* code).toEqual([{ attempts: 1, used: false }])

      // Somebody else's: nothing is bound, and the code is as good as before.
      yield* store.bind(other.id, bindingOf({ _tag: "Proved", provider: "github", subject: "2" }))
      const refused = yield* Effect.flip(store.bindByCode(account.id, yield* pending("2"), attempt(right)))
      expect(refused._tag).toBe("BoundToAnother")
      expect(yield* code).toEqual([{ attempts: 1, used: false }])

      const mine = yield* pending("3")
      const twice = yield* Effect.all(
        [store.bindByCode(account.id, mine, attempt(right)), store.bindByCode(account.id, mine, attempt(right))],
        { concurrency: 2 }
      )
      expect(twice.filter(Option.isSome)).toHaveLength(1)
      expect(yield* code).toEqual([{ attempts: 2, used: true }])
      expect(yield* store.list(account.id)).toHaveLength(1)
    })
  )
})
