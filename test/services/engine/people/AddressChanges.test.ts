import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../../services/ports/people/AccountStore.ts"
import type { AccountAddress } from "../../../../services/domain/people/AccountAddress.ts"
import type { Node } from "./People.ts"
import { again, age, mailedCode, memberOf, newAddress, newClient, node, peopleStores, person } from "./People.ts"

type Somebody = Effect.Success<ReturnType<typeof person>>

const outcome = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.match(work, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "done" })

/** Asks for another address, and answers the codes that were mailed. */
const asked = Effect.fnUntraced(function* (one: Node, { person }: Pick<Somebody, "person">, email: string) {
  yield* one.addressChanges.request(person, email, newClient())
  const old = (yield* mailedCode(one, person.account.email))!
  return { old, new: (yield* mailedCode(one, email.toLowerCase()))! }
})

const browser = { device: null, userAgent: "Test/2.0" }
const otherThan = (code: string) => (code === "000000" ? "000001" : "000000")

const idOf = (email: string) =>
  Effect.flatMap(AccountStore, (store) =>
    Effect.map(store.findByEmail(email as AccountAddress), (found) => Option.getOrNull(found)?.id ?? null)
  )

layer(peopleStores())("changing an account's address", (it) => {
  it.effect(
    "needs the code that went to the old address and the one that went to the new, and ends every session",
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* node(), yield* node()]
        const who = yield* person(one)
        const elsewhere = yield* person(other, who.person.account.email)
        const [before, email] = [who.person.account.email, newAddress("New.Address")]
        const codes = yield* asked(one, who, email)
        for (const wrong of [
          { old: codes.new, new: codes.old },
          { ...codes, old: otherThan(codes.old) },
          { ...codes, new: otherThan(codes.new) },
          { ...codes, new: "" }
        ]) {
          if (wrong.old === codes.old && wrong.new === codes.new) continue
          expect(yield* outcome(one.addressChanges.confirm(who.person, wrong, browser))).toBe("WrongCode")
        }
        const begun = yield* other.addressChanges.confirm(who.person, codes, browser)
        expect(begun.account).toMatchObject({ id: who.person.account.id, email: email.toLowerCase() })
        expect(begun.first).toBeNull()
        for (const { token } of [who, elsewhere]) {
          expect(yield* outcome(one.sessions.authenticate(token))).toBe("Unauthorized")
        }
        const now = yield* again(one, begun.token)
        expect([...now.roles]).toEqual([...who.person.roles])
        expect((yield* one.sessions.list(now)).map(({ userAgent }) => userAgent)).toEqual(["Test/2.0"])
        // They are used up.
        expect(yield* outcome(one.addressChanges.confirm(now, codes, browser))).toBe("WrongCode")
        // The old address is told, and is nobody's from now on.
        yield* one.mails.sendDue
        const told = [...one.sent, ...other.sent].findLast(({ to }) => to === before)!
        expect([told.subject, told.text]).toEqual([
          expect.stringContaining("was changed"),
          expect.stringContaining(email.toLowerCase())
        ])
        expect([yield* idOf(before), yield* idOf(email.toLowerCase())]).toEqual([null, who.person.account.id])
        const { log } = yield* one.accounts.exportData(now)
        // The last two are of one moment, in which ids have no order.
        const [first, second, ...earlier] = log.map(({ action }) => action)
        expect([first, second].toSorted()).toEqual(["account.address_changed", "session.begun"])
        expect(earlier[0]).toBe("account.address_change_requested")
        expect(JSON.stringify(log)).not.toContain("@")
      })
  )

  it.effect("voids every code that was sent to either address", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const [before, email] = [who.person.account.email, newAddress()]
      const signIn = yield* one.signIn.codeForOperator(before, "sign_in")
      const deletion = yield* one.signIn.codeForOperator(before, "delete_account")
      const atNew = yield* one.signIn.codeForOperator(email, "sign_in")
      const begun = yield* one.addressChanges.confirm(who.person, yield* asked(one, who, email), browser)
      const now = yield* again(one, begun.token)
      expect(yield* outcome(one.signIn.verifyCode(before, signIn, browser))).toBe("WrongCode")
      expect(yield* outcome(one.signIn.verifyCode(email, atNew, browser))).toBe("WrongCode")
      // Also for a request that began before.
      expect(yield* outcome(one.accounts.deleteAccount(who.person, deletion))).toBe("WrongCode")
      expect(yield* outcome(one.accounts.deleteAccount(now, deletion))).toBe("WrongCode")
      const { account } = yield* one.signIn.verifyCode(
        email,
        yield* one.signIn.codeForOperator(email, "sign_in"),
        browser
      )
      expect(account.id).toBe(who.person.account.id)
    })
  )

  it.effect("to one that another account has is asked for like any other, and refused when the codes are right", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const [who, owner] = [yield* person(one), yield* person(one)]
      const taken = owner.person.account.email
      const codes = yield* asked(one, who, taken)
      expect(
        yield* outcome(one.addressChanges.confirm(who.person, { ...codes, new: otherThan(codes.new) }, browser))
      ).toBe("WrongCode")
      expect(yield* outcome(one.addressChanges.confirm(who.person, codes, browser))).toBe("AddressTaken")
      expect((yield* again(one, who.token)).account.email).toBe(who.person.account.email)
      expect((yield* again(one, owner.token)).account.email).toBe(taken)
      // The refusal has changed nothing: once the address is free, the same codes are good.
      yield* sql`DELETE FROM accounts WHERE id = ${owner.person.account.id}`
      expect(yield* outcome(one.addressChanges.confirm(who.person, codes, browser))).toBe("done")
      expect(yield* idOf(taken)).toBe(who.person.account.id)
    })
  )

  it.effect("to the address that it has, or to none, is refused at once", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      for (const email of [who.person.account.email.toUpperCase(), "nobody", "ä@example.com"]) {
        expect(yield* Effect.flip(one.addressChanges.request(who.person, email, newClient()))).toMatchObject({
          _tag: "InvalidField",
          field: "email"
        })
      }
    })
  )

  it.effect("is one at a time: what was asked for before is void, whoever has its codes", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      const first = yield* asked(one, who, newAddress())
      yield* age(31)
      const email = newAddress()
      const second = yield* asked(one, who, email)
      for (const codes of [first, { ...second, new: first.new }, { ...second, old: first.old }]) {
        if (codes.old === second.old && codes.new === second.new) continue
        expect(yield* outcome(one.addressChanges.confirm(who.person, codes, browser))).toBe("WrongCode")
      }
      const begun = yield* one.addressChanges.confirm(who.person, second, browser)
      expect(begun.account.email).toBe(email)
    })
  )

  it.effect("is no other account's: its codes are good for whoever asked alone", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const [who, other] = [yield* person(one), yield* person(one)]
      const codes = yield* asked(one, who, newAddress())
      yield* asked(one, other, newAddress())
      expect(yield* outcome(one.addressChanges.confirm(other.person, codes, browser))).toBe("WrongCode")
    })
  )

  it.effect("evaluates five of a hundred pairs that come at once, on two nodes, and none of them after those", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const sql = yield* SqlClient.SqlClient
      const who = yield* person(nodes[0]!)
      const codes = yield* asked(nodes[0]!, who, newAddress())
      const results = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => String((Number(codes.new) + i + 1) % 1_000_000).padStart(6, "0")),
        (wrong, i) => outcome(nodes[i % 2]!.addressChanges.confirm(who.person, { ...codes, new: wrong }, browser)),
        { concurrency: "unbounded" }
      )
      expect(new Set(results)).toEqual(new Set(["WrongCode"]))
      const rows = yield* sql`SELECT attempts FROM address_changes WHERE account_id = ${who.person.account.id}`
      expect(rows).toEqual([{ attempts: 5 }])
      expect(yield* outcome(nodes[0]!.addressChanges.confirm(who.person, codes, browser))).toBe("WrongCode")
    })
  )

  it.effect("is refused for a day after twenty wrong pairs, however many codes were asked for", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const who = yield* person(one)
      for (let i = 0; i < 4; i++) {
        const codes = yield* asked(one, who, newAddress())
        yield* age(31)
        for (let attempt = 0; attempt < 5; attempt++) {
          const wrong = { ...codes, old: otherThan(codes.old) }
          expect(yield* outcome(one.addressChanges.confirm(who.person, wrong, browser))).toBe("WrongCode")
        }
      }
      const codes = yield* asked(one, who, newAddress())
      expect(yield* outcome(one.addressChanges.confirm(who.person, codes, browser))).toBe("TooManyCodes")
      yield* age(86_400)
      expect(yield* outcome(one.addressChanges.confirm(who.person, codes, browser))).toBe("done")
    })
  )

  it.effect("asks once in half a minute, by the account and by the address that is wanted", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const [who, other] = [yield* person(one), yield* person(one)]
      const email = newAddress()
      yield* one.addressChanges.request(who.person, email, newClient())
      const ask = (somebody: Somebody, to: string) =>
        outcome(one.addressChanges.request(somebody.person, to, newClient()))
      expect(yield* ask(who, newAddress())).toBe("TooManyCodes")
      expect(yield* ask(other, email.toUpperCase())).toBe("TooManyCodes")
      expect(yield* ask(other, newAddress())).toBe("done")
    })
  )

  it.effect("gives an address to one of two accounts that prove it at once, and leaves the other as it is", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      for (let round = 0; round < 5; round++) {
        const email = newAddress()
        const both = [yield* person(nodes[0]!), yield* person(nodes[1]!)]
        const codes = [yield* asked(nodes[0]!, both[0]!, email)]
        yield* age(31)
        codes.push(yield* asked(nodes[1]!, both[1]!, email))
        const results = yield* Effect.forEach(
          both,
          (who, i) => outcome(nodes[i]!.addressChanges.confirm(who.person, codes[i]!, browser)),
          { concurrency: "unbounded" }
        )
        expect(results.toSorted()).toEqual(["AddressTaken", "done"])
        const winner = results.indexOf("done")
        expect(yield* idOf(email)).toBe(both[winner]!.person.account.id)
        const loser = both[1 - winner]!
        expect((yield* again(nodes[0]!, loser.token)).account.email).toBe(loser.person.account.email)
      }
    })
  )

  it.effect("happens once when both codes come twice at once, and never when two want each other's address", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const who = yield* person(nodes[0]!)
      const codes = yield* asked(nodes[0]!, who, newAddress())
      const results = yield* Effect.forEach(
        nodes,
        (one) => outcome(one.addressChanges.confirm(who.person, codes, browser)),
        { concurrency: "unbounded" }
      )
      expect(results.toSorted()).toEqual(["WrongCode", "done"])

      const [ann, ben] = [yield* person(nodes[0]!), yield* person(nodes[1]!)]
      const ofAnn = yield* asked(nodes[0]!, ann, ben.person.account.email)
      const ofBen = yield* asked(nodes[1]!, ben, ann.person.account.email)
      const swapped = yield* Effect.all(
        [
          outcome(nodes[0]!.addressChanges.confirm(ann.person, ofAnn, browser)),
          outcome(nodes[1]!.addressChanges.confirm(ben.person, ofBen, browser))
        ],
        { concurrency: "unbounded" }
      )
      expect(swapped).toEqual(["AddressTaken", "AddressTaken"])
    })
  )

  it.effect("and a first sign-in with the same address at once end with one account that has it", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 5; round++) {
        const email = newAddress()
        const who = yield* person(nodes[0]!)
        const codes = yield* asked(nodes[0]!, who, email)
        const code = yield* nodes[1]!.signIn.codeForOperator(email, "sign_in")
        const [changed, signedIn] = yield* Effect.all(
          [
            outcome(nodes[0]!.addressChanges.confirm(who.person, codes, browser)),
            Effect.option(nodes[1]!.signIn.verifyCode(email, code, browser))
          ],
          { concurrency: "unbounded" }
        )
        const owner = yield* idOf(email)
        expect(yield* sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(1)
        // Whoever signed in got into the account that has the address, whichever that is; or the code was void before.
        expect([changed, owner === who.person.account.id]).toEqual(
          changed === "done" ? ["done", true] : ["AddressTaken", false]
        )
        if (Option.isSome(signedIn)) expect(signedIn.value.account.id).toBe(owner)
      }
    })
  )

  it.effect("and the deletion of the account at once leave it deleted, or with its new address", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      for (let round = 0; round < 5; round++) {
        const owner = yield* person(nodes[0]!)
        const who = yield* memberOf(nodes[0]!, owner.organization, "member")
        const email = newAddress()
        const codes = yield* asked(nodes[0]!, who, email)
        const code = yield* nodes[1]!.signIn.codeForOperator(who.person.account.email, "delete_account")
        const results = yield* Effect.all(
          [
            outcome(nodes[0]!.addressChanges.confirm(who.person, codes, browser)),
            outcome(nodes[1]!.accounts.deleteAccount(who.person, code))
          ],
          { concurrency: "unbounded" }
        )
        expect(results.toSorted()).toEqual(["WrongCode", "done"])
        expect(yield* idOf(email)).toBe(results[0] === "done" ? who.person.account.id : null)
      }
    })
  )

  it.effect("is in the account's export while it waits, and goes with the account", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const who = yield* person(one)
      expect((yield* one.accounts.exportData(who.person)).addressChange).toBeNull()
      const email = newAddress()
      const codes = yield* asked(one, who, email)
      const data = yield* one.accounts.exportData(who.person)
      expect(data.addressChange).toMatchObject({ email })
      expect(JSON.stringify(data)).not.toMatch(new RegExp(`"(?:${codes.old}|${codes.new})"`))
      const code = yield* one.signIn.codeForOperator(who.person.account.email, "delete_account")
      yield* one.accounts.deleteAccount(who.person, code)
      expect(yield* sql`SELECT 1 FROM address_changes WHERE account_id = ${who.person.account.id}`).toEqual([])
    })
  )
})
