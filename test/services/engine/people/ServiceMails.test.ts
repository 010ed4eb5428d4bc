import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { writeMail } from "../../../../services/engine/people/MailTexts.ts"
import { ServiceMailStore } from "../../../../services/ports/people/ServiceMailStore.ts"
import { eventually } from "../../../System.ts"
import { MailNotTaken, mailedCode, newAddress, newClient, node, peopleStores, person } from "./People.ts"

const waiting = (email: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ attempts: number; seconds: number }>`
      SELECT attempts, round(extract(epoch FROM due_at - now()))::int AS seconds FROM service_mails WHERE email = ${email}`
  )
const makeDue = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE service_mails SET due_at = now()`)

layer(peopleStores())("the service's own mail", (it) => {
  it.effect("is tried again until the server takes it, and given up when it refuses for good", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const [email, gone] = [newAddress(), newAddress()]
      yield* one.signIn.requestCode(email, newClient())
      const later = new MailNotTaken({ reason: "421 later", isFinal: false })
      one.refusals.push(later, later)
      yield* one.mails.sendDue
      const [first] = yield* waiting(email)
      expect(first).toMatchObject({ attempts: 1 })
      expect(first!.seconds).toBeGreaterThan(2)
      expect(first!.seconds).toBeLessThanOrEqual(5)
      // Not due yet.
      expect(yield* one.mails.sendDue).toBe(0)
      yield* makeDue
      yield* one.mails.sendDue
      yield* makeDue
      expect(yield* mailedCode(one, email)).toMatch(/^\d{6}$/)
      expect(yield* waiting(email)).toEqual([])

      yield* one.signIn.requestCode(gone, newClient())
      one.refusals.push(new MailNotTaken({ reason: "550 nobody", isFinal: true }))
      yield* one.mails.sendDue
      expect(yield* waiting(gone)).toEqual([])
      expect(one.sent.filter(({ to }) => to === gone)).toEqual([])
    })
  )

  it.effect("is tried again within half a minute while it is a code, however often the server refused", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const [email, guest] = [newAddress(), newAddress()]
      yield* Effect.repeat(one.mails.sendDue, { until: (taken) => taken === 0 })
      yield* one.signIn.requestCode(email, newClient())
      yield* one.organizations.invite(owner.person, owner.organization, guest, "viewer", newClient())
      for (let attempts = 1; attempts <= 8; attempts++) {
        yield* makeDue
        const later = new MailNotTaken({ reason: "421 later", isFinal: false })
        one.refusals.push(later, later)
        yield* one.mails.sendDue
        const [[code], [invitation]] = [yield* waiting(email), yield* waiting(guest)]
        expect([code!.attempts, invitation!.attempts]).toEqual([attempts, attempts])
        expect(code!.seconds).toBeLessThanOrEqual(30)
        if (attempts === 8) expect(invitation!.seconds).toBeGreaterThan(600)
      }
    })
  )

  it.effect("is taken over from a node that died with it, and dropped when its time is over", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const sql = yield* SqlClient.SqlClient
      const store = yield* ServiceMailStore
      const email = newAddress()
      yield* one.signIn.requestCode(email, newClient())
      expect(yield* store.claim("codes", 10, 60_000)).toHaveLength(1)
      expect(yield* one.mails.sendDue).toBe(0)
      yield* makeDue
      expect(yield* mailedCode(one, email)).not.toBeNull()

      const late = newAddress()
      yield* one.signIn.requestCode(late, newClient())
      yield* sql`UPDATE service_mails SET due_at = now() - interval '2 s', expires_at = now() - interval '1 s'`
      expect(yield* one.mails.sendDue).toBe(0)
      expect(yield* waiting(late)).toEqual([])
    })
  )

  it.effect("goes out once, however many nodes look for it", () =>
    Effect.gen(function* () {
      const nodes = [yield* node(), yield* node(), yield* node()]
      const emails = Array.from({ length: 12 }, () => newAddress())
      yield* Effect.forEach(emails, (email) => nodes[0]!.signIn.requestCode(email, newClient()))
      yield* Effect.forEach(nodes, ({ mails }) => mails.sendDue, { concurrency: "unbounded" })
      const sent = nodes.flatMap(({ sent }) => sent.map(({ to }) => to))
      expect(sent.toSorted()).toEqual(emails.toSorted())
    })
  )

  it.effect("is sent at once by the node that was asked, while it runs", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const running = yield* Effect.forkScoped(one.mails.run)
      const email = newAddress()
      yield* one.signIn.requestCode(email, newClient())
      yield* TestClock.withLive(
        eventually(
          Effect.sync(() => one.sent.map(({ to }) => String(to))),
          (sent) => sent.includes(email)
        )
      )
      yield* Fiber.interrupt(running)
    }).pipe(Effect.scoped)
  )

  it.effect("is a code at once, however many other mails the server is slow with", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owners = yield* Effect.forEach(Array.from({ length: 25 }), () => person(one))
      for (const { organization, person } of owners) {
        const guest = newAddress()
        one.slow.add(guest)
        yield* one.organizations.invite(person, organization, guest, "viewer", newClient())
      }
      const running = yield* Effect.forkScoped(one.mails.run)
      const sent = (email: string) =>
        TestClock.withLive(
          eventually(
            Effect.sync(() => one.sent.map(({ to }) => String(to))),
            (all) => all.includes(email)
          )
        )
      // The server has begun with the invitations, and is at work on them.
      yield* TestClock.withLive(
        eventually(
          Effect.sync(() => one.begun.length),
          (begun) => begun > 0
        )
      )
      for (let i = 0; i < 3; i++) {
        const email = newAddress()
        yield* one.signIn.requestCode(email, newClient())
        yield* sent(email)
      }
      expect(one.begun.filter((to) => one.slow.has(to)).length).toBeGreaterThan(0)
      yield* Fiber.interrupt(running)
    }).pipe(Effect.scoped)
  )

  it.effect("is a code at once, while the server keeps silent to another address", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const running = yield* Effect.forkScoped(one.mails.run)
      const tarpit = newAddress()
      one.slow.add(tarpit)
      yield* one.signIn.requestCode(tarpit, newClient())
      const until = (isThere: () => boolean) => TestClock.withLive(eventually(Effect.sync(isThere), (there) => there))
      yield* until(() => one.begun.includes(tarpit))
      for (let i = 0; i < 6; i++) {
        const email = newAddress()
        yield* one.signIn.requestCode(email, newClient())
        yield* until(() => one.sent.some(({ to }) => to === email))
      }
      yield* Fiber.interrupt(running)
    }).pipe(Effect.scoped)
  )

  it.effect("takes turns: who sends one does not wait for who sends many", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const [many, few] = [yield* person(one), yield* person(one)]
      yield* Effect.repeat(one.mails.sendDue, { until: (taken) => taken === 0 })
      const { account } = many.person
      const older = { ...many.person, account: { ...account, createdAt: account.createdAt - 86_400_000 } }
      const guests = Array.from({ length: 20 }, () => newAddress())
      for (const guest of guests)
        yield* one.organizations.invite(older, many.organization, guest, "viewer", newClient())
      const guest = newAddress()
      yield* one.organizations.invite(few.person, few.organization, guest, "viewer", newClient())
      const before = one.sent.length
      yield* one.mails.sendDue
      const first = one.sent.slice(before).map(({ to }) => String(to))
      expect(first).toContain(guest)
      expect(first.length).toBeLessThan(10)
      yield* makeDue
      yield* Effect.repeat(one.mails.sendDue, { until: (taken) => taken === 0 })
      const all = one.sent.map(({ to }) => String(to))
      for (const each of guests) expect(all).toContain(each)
    })
  )

  it.effect("is looked for again after a while, for other nodes' sake", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* node(), yield* node()]
      const running = yield* Effect.forkScoped(one.mails.run)
      yield* TestClock.adjust("1 second")
      const email = newAddress()
      yield* other.signIn.requestCode(email, newClient())
      while (!one.sent.some(({ to }) => to === email)) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      yield* Fiber.interrupt(running)
    }).pipe(Effect.scoped)
  )

  it.effect("has no words of an organization in the subject of an invitation, and no link but its own in it", () =>
    Effect.gen(function* () {
      const names = [
        ["Your bank: confirm NOW at https://evil.example/login", false],
        ["www.evil.example", false],
        ["Confirm at evil.example/login", false],
        ["Write to help@evil.example", false],
        ["mailto:help", false],
        ["Booking.example", true],
        ["A/B & Söhne: R.T.F.M.", true]
      ] as const
      const one = yield* node()
      const owner = yield* person(one)
      for (const [name, isAllowed] of names) {
        const renamed = yield* Effect.result(one.organizations.rename(owner.person, owner.organization, name))
        const made = yield* Effect.result(one.organizations.create(owner.person, name))
        const wanted = isAllowed ? { _tag: "Success" } : { failure: { _tag: "InvalidField", field: "name" } }
        expect([name, renamed, made]).toMatchObject([name, wanted, wanted])
        // Also of one that was named so before.
        const { html, subject, text } = writeMail(
          { type: "invitation", organization: name, inviter: "a@example.com", role: "viewer", token: "t" },
          "https://push.example.com"
        )
        expect(subject).toBe("Invitation to an organization on Heliograph")
        for (const body of [text, html]) {
          const [, said] = /organization “(.*?)”/s.exec(body)!
          expect(said!.replaceAll("&amp;", "&").replaceAll("\u2060", "")).toBe(name)
          expect(said).not.toMatch(/:\/\/|\w\.\w|\w@\w|\w:\w/)
        }
      }
    })
  )

  it.effect("says in text and HTML what it is for, and its HTML holds nothing that somebody else wrote", () =>
    Effect.gen(function* () {
      const one = yield* node()
      const owner = yield* person(one)
      const name = "<script>alert('x')</script> & Söhne"
      yield* one.organizations.rename(owner.person, owner.organization, name)
      const guest = newAddress()
      yield* one.organizations.invite(owner.person, owner.organization, guest, "admin", newClient())
      yield* one.mails.sendDue
      const mail = one.sent.find(({ to }) => to === guest)!
      expect(mail.text).toContain(name)
      expect(mail.text).toContain(`${owner.person.account.email} invites you`)
      expect(mail.text).toMatch(/https:\/\/push\.example\.com\/invitations\/[\w-]{43}\n/)
      expect(mail.html).not.toContain("<script>")
      expect(mail.html).toContain("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; Söhne")

      const [signIn, deletion] = (["sign_in", "delete_account"] as const).map((purpose) =>
        writeMail({ type: "code", purpose, code: "012345" }, "https://push.example.com")
      )
      for (const { html, text } of [signIn!, deletion!]) {
        expect(text).toContain("    012345\n")
        expect(html).toContain(">012345<")
        expect(text).toContain("10 minutes")
      }
      // No link that signs in: programs that look into mail follow those.
      expect(signIn!.text + signIn!.html).not.toContain("https://")
      expect(deletion!.subject).toBe("Your code to delete your Heliograph account")
      for (const body of [deletion!.text, deletion!.html]) {
        expect(body.replaceAll(/\s+/g, " ")).toContain(
          "delete your account, with its sessions and sign-ins, and with every organization whose only member you are, its applications and all that they hold"
        )
        expect(body).toContain("sign in, and end all sessions")
      }
      expect(signIn!.text).not.toContain("delete")
    })
  )
})
