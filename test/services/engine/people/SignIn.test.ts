import { assert, expect, layer } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { CODE_ATTEMPTS } from "../../../../services/domain/people/SignInCode.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { AccountStore } from "../../../../services/ports/people/AccountStore.ts"
import { Keys } from "../../../../services/ports/access/Keys.ts"
import type { Node } from "./People.ts"
import { age, mailedCode, newAddress, newClient, node, peopleStores, person, signedIn } from "./People.ts"

const BROWSER = { device: null, userAgent: "Firefox" }

const request = (node: Node, email: string, client = newClient()) => node.signIn.requestCode(email, client)
const verify = (node: Node, email: string, code: string, device: string | null = null) =>
  node.signIn.verifyCode(email, code, { ...BROWSER, device })
/** The tag of the refusal; null for a sign-in. */
const outcome = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.match(work, { onFailure: ({ _tag }): string | null => _tag, onSuccess: () => null })
/** Another code than this. */
const wrong = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, "0")

layer(peopleStores())("signing in by code", (it) => {
  it.effect("makes account, organization and a first application, whose keys are shown once", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const email = newAddress("ada")
      yield* request(one, ` ${email.toUpperCase()} `)
      const code = (yield* mailedCode(one, email))!
      const session = yield* verify(one, email, code)
      expect(session.account).toMatchObject({ email, name: "" })
      expect(session.expiresAt).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
      const { application, organization } = session.first!
      expect(organization).toMatchObject({ plan: "free", name: "My organization" })
      const keys = yield* Keys
      const store = yield* ApplicationStore
      for (const kind of ["secret", "public"] as const) {
        const text = kind === "secret" ? application.secretKey : application.publicKey
        expect(Option.getOrThrow(yield* store.findKey(keys.hash(text)))).toMatchObject({
          appId: application.appId,
          kind
        })
      }
      expect(yield* store.identitySecrets(application.appId)).toEqual([application.identitySecret])
      const found = yield* one.sessions.authenticate(session.token)
      expect([...found.roles]).toEqual([[organization.id, "owner"]])

      yield* age(86_400)
      yield* request(one, email)
      const second = yield* verify(one, email, (yield* mailedCode(one, email))!)
      expect(second.account.id).toBe(session.account.id)
      expect(second.first).toBeNull()
    })
  )

  it.effect("answers an address without an account as it does one that has one, and leaves the same behind", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const sql = yield* SqlClient.SqlClient
      const { account } = (yield* person(closed)).person
      const stranger = newAddress("stranger")
      const statements = Effect.fnUntraced(function* (email: string) {
        expect(yield* request(closed, email)).toBeUndefined()
        const [code] = yield* sql`
          SELECT purpose, attempts, of_operator, used_at, octet_length(code_hash) AS bytes,
            round(extract(epoch FROM expires_at - created_at)) AS seconds FROM login_codes WHERE email = ${email}`
        const mails = yield* sql`SELECT attempts FROM service_mails WHERE email = ${email}`
        return { code, mails }
      })
      expect(yield* statements(stranger)).toEqual(yield* statements(account.email))
      yield* closed.mails.sendDue
      expect(closed.sent.map(({ to }) => to)).toEqual([account.email])
      expect(yield* sql`SELECT 1 FROM service_mails`).toEqual([])
      // What is refused is refused alike.
      const refusals = [stranger, account.email].map((email) => outcome(request(closed, email)))
      expect(yield* Effect.all(refusals)).toEqual(["TooManyCodes", "TooManyCodes"])
      expect(yield* outcome(verify(closed, stranger, "000000"))).toBe("WrongCode")
    })
  )

  it.effect("evaluates five of a hundred wrong codes that come at once, and the right one no more then", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      yield* nodes[0]!.signIn.requestCode(email, newClient())
      const code = (yield* mailedCode(nodes[0]!, email))!
      const results = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => i),
        (i) => outcome(verify(nodes[i % 2]!, email, wrong(code, i + 1))),
        { concurrency: "unbounded" }
      )
      expect(new Set(results)).toEqual(new Set(["WrongCode"]))
      expect(yield* sql`SELECT attempts FROM login_codes WHERE email = ${email}`).toEqual([{ attempts: CODE_ATTEMPTS }])
      const key = yield* sql<{ n: number }>`
        SELECT cardinality(times) AS n FROM sign_in_attempts WHERE key LIKE 'wrong:%' AND last_at = (SELECT max(last_at) FROM sign_in_attempts WHERE key LIKE 'wrong:%')`
      expect(key).toEqual([{ n: CODE_ATTEMPTS }])
      expect(yield* outcome(verify(nodes[0]!, email, code))).toBe("WrongCode")
    })
  )

  it.effect("gives one session for one code, however many use it at once", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      const code = yield* nodes[0]!.signIn.codeForOperator(email, "sign_in")
      const results = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => i),
        (i) => outcome(verify(nodes[i % 2]!, email, code)),
        { concurrency: "unbounded" }
      )
      expect(results.filter((tag) => tag === null)).toHaveLength(1)
      expect(
        yield* sql`SELECT 1 FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.email = ${email}`
      ).toHaveLength(1)
      expect(
        yield* sql`SELECT 1 FROM members m JOIN accounts a ON a.id = m.account_id WHERE a.email = ${email}`
      ).toHaveLength(1)
    })
  )

  it.effect("leaves a code good with which no session could begin, and still counts the wrong ones", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      yield* request(one, email)
      const code = (yield* mailedCode(one, email))!
      const attempts = sql<{ attempts: number }>`SELECT attempts FROM login_codes WHERE email = ${email}`
      yield* sql`
        CREATE FUNCTION refuse_session() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the process ends here'; END $$`
      yield* sql`CREATE TRIGGER refuse_session BEFORE INSERT ON sessions EXECUTE FUNCTION refuse_session()`
      expect(yield* outcome(verify(one, email, code))).toBe("StoreError")
      expect(yield* outcome(verify(one, email, wrong(code)))).toBe("WrongCode")
      expect(yield* attempts).toEqual([{ attempts: 1 }])
      yield* sql`DROP TRIGGER refuse_session ON sessions`
      expect(yield* outcome(verify(one, email, code))).toBeNull()
      expect(yield* attempts).toEqual([{ attempts: 2 }])
      expect(yield* outcome(verify(one, email, code))).toBe("WrongCode")
    })
  )

  it.effect("leaves a code good that comes before its address is invited", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const owner = yield* person(closed)
      const guest = newAddress()
      yield* closed.organizations.invite(owner.person, owner.organization, guest, "viewer", newClient())
      yield* request(closed, guest)
      const code = (yield* mailedCode(closed, guest))!
      const sql = yield* SqlClient.SqlClient
      const setExpiry = (by: string) =>
        sql`UPDATE invitations SET expires_at = now() + ${by}::interval WHERE email = ${guest}`
      yield* setExpiry("-1 hour")
      expect(yield* outcome(verify(closed, guest, code))).toBe("RegistrationClosed")
      yield* setExpiry("1 hour")
      expect(yield* outcome(verify(closed, guest, code))).toBeNull()
    })
  )

  it.effect(
    "counts the codes that were asked for since the clock was set back, and the others when it gets there",
    () =>
      Effect.gen(function* () {
        const one = yield* node()
        const email = newAddress()
        const asked = outcome(request(one, email))
        expect([yield* asked, yield* asked]).toEqual([null, "TooManyCodes"])
        yield* age(-7200)
        expect([yield* asked, yield* asked]).toEqual([null, "TooManyCodes"])
        for (let i = 0; i < 4; i++) {
          yield* age(31)
          expect(yield* asked).toBeNull()
        }
        yield* age(31)
        expect(yield* asked).toBe("TooManyCodes")
        // Long after those, and half a minute after the first of all.
        yield* age(7200 - 5 * 31 + 15)
        expect(yield* asked).toBe("TooManyCodes")
        yield* age(16)
        expect(yield* asked).toBeNull()
      })
  )

  it.effect("takes a code ten minutes, once, for its purpose, and none after a newer one", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      const code = () => one.signIn.codeForOperator(email, "sign_in")
      const old = yield* code()
      const latest = yield* code()
      if (old !== latest) expect(yield* outcome(verify(one, email, old))).toBe("WrongCode")
      expect(yield* outcome(verify(one, email, latest))).toBeNull()
      expect(yield* outcome(verify(one, email, latest))).toBe("WrongCode")

      const late = yield* code()
      yield* sql`UPDATE login_codes SET expires_at = expires_at - interval '599 seconds' WHERE email = ${email}`
      expect(yield* sql`SELECT 1 FROM login_codes WHERE email = ${email} AND expires_at > now()`).toHaveLength(1)
      yield* sql`UPDATE login_codes SET expires_at = expires_at - interval '1 second' WHERE email = ${email}`
      expect(yield* outcome(verify(one, email, late))).toBe("WrongCode")

      const deletion = yield* one.signIn.codeForOperator(email, "delete_account")
      expect(yield* outcome(verify(one, email, deletion))).toBe("WrongCode")
      for (const text of ["", "12345", "abcdef", "1234567", "' OR 1=1"]) {
        expect(yield* outcome(verify(one, email, text))).toBe("WrongCode")
      }
      expect(yield* outcome(verify(one, "nobody", "123456"))).toBe("InvalidField")
    })
  )

  it.effect("keeps no code in the database that could be read there", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const email = newAddress()
      yield* request(one, email)
      const rows = yield* sql<{ text: string }>`
        SELECT coalesce(l::text, '') || coalesce(m::text, '') AS text FROM login_codes l JOIN service_mails m ON m.email = l.email
        WHERE l.email = ${email}`
      const hexes = yield* sql<{
        hex: string
      }>`SELECT encode(sealed, 'hex') AS hex FROM service_mails WHERE email = ${email}`
      const code = (yield* mailedCode(one, email))!
      expect(rows).toHaveLength(1)
      const text = rows[0]!.text + hexes[0]!.hex
      expect(text).not.toContain(`"${code}"`)
      expect(text).not.toContain(Buffer.from(code).toString("hex"))
    })
  )
})

layer(peopleStores())("limits of codes", (it) => {
  const asks = Effect.fnUntraced(function* (
    one: Node,
    email: string,
    count: number,
    seconds: number,
    device: string | null = null
  ) {
    const results: Array<string | null> = []
    for (let i = 0; i < count; i++) {
      results.push(yield* outcome(request(one, email, newClient(device))))
      yield* age(seconds)
    }
    return results.map((tag) => tag === null)
  })

  it.effect("are one in 30 seconds, five an hour and ten a day for an address, however it is written", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const email = newAddress()
      expect(yield* outcome(request(one, email))).toBeNull()
      const refused = yield* Effect.flip(request(one, ` ${email.toUpperCase()}`))
      assert(refused._tag === "TooManyCodes")
      expect(refused.afterMs).toBeGreaterThan(25_000)
      expect(refused.afterMs).toBeLessThanOrEqual(30_000)
      yield* age(31)
      expect(yield* asks(one, email, 5, 31)).toEqual([true, true, true, true, false])
      yield* age(3600)
      expect(yield* asks(one, email, 6, 31)).toEqual([true, true, true, true, true, false])
      yield* age(3600)
      expect(yield* asks(one, email, 1, 31)).toEqual([false])
      yield* age(86_400)
      expect(yield* asks(one, email, 1, 31)).toEqual([true])
    })
  )

  it.effect("let one of many through that ask for an address at once", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node()]
      const email = newAddress()
      const results = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => i),
        (i) => outcome(request(nodes[i % 2]!, email)),
        { concurrency: "unbounded" }
      )
      expect(results.filter((tag) => tag === null)).toHaveLength(1)
      expect(new Set(results)).toEqual(new Set([null, "TooManyCodes"]))
    })
  )

  it.effect("are twenty an hour for a client, whatever addresses it asks for", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const client = newClient()
      const results = yield* Effect.forEach(
        Array.from({ length: 30 }, () => newAddress()),
        (email) => outcome(request(one, email, client)),
        { concurrency: "unbounded" }
      )
      expect(results.filter((tag) => tag === null)).toHaveLength(20)
      expect(yield* outcome(request(one, newAddress(), newClient()))).toBeNull()
    })
  )

  it.effect(
    "keep out whoever guesses, after twenty wrong codes a day, and not a browser that has signed in before",
    () =>
      Effect.gen(function* () {
        const one = yield* node()
        const email = newAddress()
        const { device } = yield* signedIn(one, email)
        const mailed = Effect.gen(function* () {
          yield* age(31)
          yield* one.signIn.requestCode(email, newClient())
          return (yield* mailedCode(one, email))!
        })
        for (let i = 0; i < 4; i++) {
          const code = yield* mailed
          for (let j = 1; j <= 5; j++) expect(yield* outcome(verify(one, email, wrong(code, j)))).toBe("WrongCode")
        }
        const code = yield* mailed
        expect(yield* outcome(verify(one, email, code))).toBe("TooManyCodes")
        // A device's token is good for its address alone.
        const { device: foreign } = yield* signedIn(one, newAddress())
        expect(yield* outcome(verify(one, email, code, foreign))).toBe("TooManyCodes")
        expect(yield* outcome(verify(one, email, code, device))).toBeNull()
        yield* age(3600)
        const next = yield* mailed
        expect(yield* outcome(verify(one, email, next))).toBe("TooManyCodes")
        yield* age(86_400)
        expect(yield* outcome(verify(one, email, next))).toBeNull()
      })
  )

  it.effect(
    "keep nobody out who has an operator's code, which strangers can neither void nor use the budget up on",
    () =>
      Effect.gen(function* () {
        const one = yield* node()
        const email = newAddress()
        yield* signedIn(one, email)
        const stranger = newClient()
        for (let i = 0; i < 4; i++) {
          yield* age(31)
          yield* one.signIn.requestCode(email, stranger)
          const code = (yield* mailedCode(one, email))!
          for (let j = 1; j <= 5; j++) expect(yield* outcome(verify(one, email, wrong(code, j)))).toBe("WrongCode")
        }
        expect(yield* outcome(verify(one, email, "123456"))).toBe("TooManyCodes")
        const code = yield* one.signIn.codeForOperator(email, "sign_in")
        // Somebody goes on asking and guessing: the code has its own attempts.
        yield* age(31)
        yield* one.signIn.requestCode(email, stranger)
        for (let j = 1; j <= 4; j++) expect(yield* outcome(verify(one, email, wrong(code, j)))).toBe("WrongCode")
        expect(yield* outcome(verify(one, email, code))).toBeNull()
        expect(yield* outcome(verify(one, email, code))).toBe("TooManyCodes")
        const used = yield* one.signIn.codeForOperator(email, "sign_in")
        for (let j = 1; j <= 5; j++) expect(yield* outcome(verify(one, email, wrong(used, j)))).toBe("WrongCode")
        expect(yield* outcome(verify(one, email, used))).toBe("TooManyCodes")
        // Another operator's code, and a mailed one when that is used up.
        expect(yield* outcome(verify(one, email, yield* one.signIn.codeForOperator(email, "sign_in")))).toBeNull()
        yield* age(86_400)
        yield* one.signIn.requestCode(email, newClient())
        expect(yield* outcome(verify(one, email, (yield* mailedCode(one, email))!))).toBeNull()
      })
  )

  it.effect("do not keep the owner's browser from asking, when others have used them up", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const email = newAddress()
      const { device } = yield* signedIn(one, email)
      expect(yield* asks(one, email, 6, 31)).toEqual([true, true, true, true, true, false])
      expect(yield* asks(one, email, 1, 31, device)).toEqual([true])
    })
  )

  it.effect("count no code that was compared with nothing", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const email = newAddress()
      for (let i = 0; i < 25; i++) expect(yield* outcome(verify(one, email, "123456"))).toBe("WrongCode")
      expect(yield* outcome(signedIn(one, email))).toBeNull()
    })
  )
})

layer(peopleStores())("registration by invitation", (it) => {
  it.effect("makes an account for who was invited, without an organization of its own, and for nobody else", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const owner = yield* person(closed)
      const [guest, stranger] = [newAddress("guest"), newAddress("stranger")]
      yield* closed.organizations.invite(owner.person, owner.organization, guest, "member", newClient())
      for (const email of [guest, stranger]) yield* request(closed, email)
      expect(yield* mailedCode(closed, stranger)).toBeNull()
      const session = yield* verify(closed, guest, (yield* mailedCode(closed, guest))!)
      expect(session.first).toBeNull()
      expect((yield* closed.sessions.authenticate(session.token)).roles.size).toBe(0)

      // Even with the code in hand: registration may have been closed since it was sent.
      const open = yield* node("open")
      yield* age(31)
      yield* request(open, stranger)
      expect(yield* outcome(verify(closed, stranger, (yield* mailedCode(open, stranger))!))).toBe("RegistrationClosed")
      const accounts = yield* AccountStore
      expect(Option.isNone(yield* accounts.findByEmail(stranger as never))).toBe(true)
    })
  )

  it.effect("does not keep an operator from letting somebody in, with an organization of their own", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const { first } = yield* signedIn(closed, newAddress())
      expect(first?.organization.plan).toBe("free")
    })
  )

  it.effect("ends for an address when its invitation does", () =>
    Effect.gen(function* () {
      const closed = yield* node("invite")
      const sql = yield* SqlClient.SqlClient
      const owner = yield* person(closed)
      const guest = newAddress("guest")
      const { id } = yield* closed.organizations.invite(owner.person, owner.organization, guest, "member", newClient())
      yield* request(closed, guest)
      const code = (yield* mailedCode(closed, guest))!
      yield* sql`UPDATE invitations SET expires_at = now() WHERE id = ${id}`
      expect(yield* outcome(verify(closed, guest, code))).toBe("RegistrationClosed")
    })
  )
})

layer(peopleStores())("a disabled account", (it) => {
  it.effect("is sent no code, signs in with none, and has no session left", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const accounts = yield* AccountStore
      const { person: who, token } = yield* person(one)
      const { email, id } = who.account
      const code = yield* one.signIn.codeForOperator(email, "sign_in")
      expect(yield* accounts.disable(id)).toBe(true)
      expect(Exit.isFailure(yield* Effect.exit(one.sessions.authenticate(token)))).toBe(true)
      expect(yield* outcome(verify(one, email, code))).toBe("AccountDisabled")
      yield* request(one, email)
      expect(yield* mailedCode(one, email)).toBeNull()
      expect(yield* accounts.enable(id)).toBe(true)
      expect(Exit.isFailure(yield* Effect.exit(one.sessions.authenticate(token)))).toBe(true)
      expect(yield* outcome(signedIn(one, email))).toBeNull()
    })
  )
})
