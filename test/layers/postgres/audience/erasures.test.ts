import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import { sweep } from "../../../../layers/postgres/operations/Retention.ts"
import type { AppId, NotificationId } from "../../../../services/domain/Ids.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { accepted, hotStores, newApp, tokens } from "../Stores.ts"

const stores = ContactStores.layer.pipe(Layer.provideMerge(hotStores))

const make = Effect.fnUntraced(function* (app: AppId, users: ReadonlyArray<string>) {
  const contacts = yield* ContactStore
  yield* contacts.upsert(
    app,
    users.map((external_id) => ({ external_id }))
  )
})

const erase = Effect.fnUntraced(function* (app: AppId, externalId: string) {
  const contacts = yield* ContactStore
  return yield* contacts.remove(app, { externalId })
})

const notifying = (app: AppId, users: ReadonlyArray<string>) =>
  accepted(app, { to: { user_ids: users }, channels: ["inbox"], content: { title: "Hello" } })

/** Whom a plan names: how many recipients, and the users who have an inbox among them. */
const plan = Effect.fnUntraced(function* (app: AppId, users: ReadonlyArray<string>, notification: NotificationId) {
  const audiences = yield* AudienceStore
  const { recipients } = yield* audiences.page(app, { user_ids: users }, ["inbox"], null, 100, notification)
  const targets = yield* audiences.targets(app, "inbox", recipients.inbox)
  return { named: new Set(recipients.inbox).size, reached: targets.map(({ address }) => address).toSorted() }
})

const mailing = (app: AppId, emails: ReadonlyArray<string>) =>
  accepted(app, { to: { emails }, content: { title: "Hello" } })

/** The same of a plan that names e-mail addresses. */
const mail = Effect.fnUntraced(function* (app: AppId, emails: ReadonlyArray<string>, notification: NotificationId) {
  const audiences = yield* AudienceStore
  const { recipients } = yield* audiences.page(app, { emails }, ["email"], null, 100, notification)
  const targets = yield* audiences.targets(app, "smtp", recipients.smtp)
  return { named: new Set(recipients.smtp).size, reached: targets.map(({ address }) => address).toSorted() }
})

const known = Effect.fnUntraced(function* (app: AppId, users: ReadonlyArray<string>) {
  const contacts = yield* ContactStore
  const found = yield* Effect.forEach(users, (externalId) => contacts.find(app, { externalId }))
  return users.filter((_, index) => Option.isSome(found[index]!))
})

const erasuresOf = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* PgClient.PgClient
  return (yield* sql`SELECT 1 AS one FROM erased_people WHERE app_id = ${app}`).length
})

layer(stores, { excludeTestServices: true })("an erased contact", (it) => {
  it.effect(
    "is not made again by the plan of a notification that was accepted before, and is named as somebody gone",
    () =>
      Effect.gen(function* () {
        const [app, other] = [yield* newApp, yield* newApp]
        const users = ["ann", "bob", "new"]
        yield* make(app, ["ann", "bob"])
        yield* make(other, ["bob"])
        const id = yield* notifying(app, users)
        const others = yield* notifying(other, ["ann"])
        expect(yield* erase(app, "ann")).toBe(true)
        expect(yield* plan(app, users, id)).toEqual({ named: 3, reached: ["bob", "new"] })
        expect(yield* known(app, users)).toEqual(["bob", "new"])
        // A plan that a crash repeats, and another application's person of the same name.
        expect(yield* plan(app, users, id)).toEqual({ named: 3, reached: ["bob", "new"] })
        expect(yield* plan(other, ["ann"], others)).toEqual({ named: 1, reached: ["ann"] })
      })
  )

  it.effect("is made anew by a notification that is accepted afterwards", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      yield* make(app, ["ann"])
      yield* erase(app, "ann")
      const id = yield* notifying(app, ["ann"])
      expect(yield* plan(app, ["ann"], id)).toEqual({ named: 1, reached: ["ann"] })
      expect(yield* known(app, ["ann"])).toEqual(["ann"])
    })
  )

  it.effect("that is made again is there for every notification, until it is erased once more", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      yield* make(app, ["ann"])
      const first = yield* notifying(app, ["ann"])
      yield* erase(app, "ann")
      yield* make(app, ["ann"])
      const second = yield* notifying(app, ["ann"])
      expect((yield* plan(app, ["ann"], second)).reached).toEqual(["ann"])
      expect((yield* plan(app, ["ann"], first)).reached).toEqual(["ann"])
      yield* erase(app, "ann")
      for (const id of [first, second]) expect(yield* plan(app, ["ann"], id)).toEqual({ named: 1, reached: [] })
      expect(yield* known(app, ["ann"])).toEqual([])
    })
  )

  it.effect("stays erased, and counted, though it is erased while its page is planned", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const users = tokens("user", 40)
      yield* make(app, users)
      const id = yield* notifying(app, users)
      const plans = Effect.forEach(Array.from({ length: 20 }), () => plan(app, users, id), { concurrency: 4 })
      const erasures = Effect.forEach(users, (user) => erase(app, user), { concurrency: 2 })
      const [planned] = yield* Effect.all([plans, erasures], { concurrency: "unbounded" })
      expect(planned.map(({ named }) => named)).toEqual(planned.map(() => users.length))
      expect(yield* known(app, users)).toEqual([])
    })
  )

  it.effect("is remembered by a hash alone, until no older notification can be planned any more", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const app = yield* newApp
      yield* make(app, ["ann", "bob"])
      const id = yield* notifying(app, ["ann"])
      yield* erase(app, "ann")
      const rows = yield* sql<{ readonly person: Uint8Array }>`
        SELECT person FROM erased_people WHERE app_id = ${app}`
      expect(rows.map(({ person }) => Buffer.from(person).toString("hex"))).toEqual([
        createHash("sha256").update(`${app}:ann`).digest("hex")
      ])
      const far = Date.now() + 400 * 86_400_000
      // A year later it waits still, and then once its plan is done but not begun, which a change makes anew.
      yield* sql`UPDATE notifications SET status = 'scheduled' WHERE id = ${id}`
      yield* sweep(30, far)
      expect(yield* erasuresOf(app)).toBe(1)
      yield* sql`UPDATE notifications SET plan_done = true WHERE id = ${id}`
      yield* sweep(30, far)
      expect(yield* erasuresOf(app)).toBe(1)
      yield* notifying(app, ["bob"])
      yield* sql`UPDATE notifications SET status = 'completed', completed_at = now() WHERE id = ${id}`
      yield* sweep(30)
      expect(yield* erasuresOf(app)).toBe(1)
      yield* sweep(30, far)
      expect(yield* erasuresOf(app)).toBe(0)
    })
  )

  it.effect("who was none yet is not made by the plan of a notification that was accepted before", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const id = yield* notifying(app, ["ann"])
      expect(yield* erase(app, "ann")).toBe(false)
      expect(yield* plan(app, ["ann"], id)).toEqual({ named: 1, reached: [] })
      expect(yield* known(app, ["ann"])).toEqual([])
      // As often as they ask for it.
      const later = yield* notifying(app, ["ann"])
      expect(yield* erase(app, "ann")).toBe(false)
      expect((yield* plan(app, ["ann"], later)).reached).toEqual([])
      const last = yield* notifying(app, ["ann"])
      expect((yield* plan(app, ["ann"], last)).reached).toEqual(["ann"])
    })
  )

  it.effect("who is none yet stays away, though plans are about to make them", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const users = tokens("user", 40)
      const id = yield* notifying(app, users)
      const plans = Effect.forEach(Array.from({ length: 10 }), () => plan(app, users, id), { concurrency: 4 })
      const erasures = Effect.forEach(users, (user) => erase(app, user), { concurrency: 2 })
      const [planned] = yield* Effect.all([plans, erasures], { concurrency: "unbounded" })
      expect(planned.map(({ named }) => named)).toEqual(planned.map(() => users.length))
      expect(yield* known(app, users)).toEqual([])
    })
  )

  it.effect("loses their devices, also when they never were a contact", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const devices = yield* DeviceStore
      yield* devices.register(app, [
        { platform: "android", token: "token", user_id: "ann" },
        { platform: "android", token: "other", user_id: "bob" }
      ])
      expect(yield* erase(app, "ann")).toBe(true)
      expect(yield* erase(app, "ann")).toBe(false)
      const left = yield* devices.list(app, {}, null, 10)
      expect(left.items.map(({ userId }) => userId)).toEqual(["bob"])
    })
  )

  it.effect("is not written to by their addresses, which a notification named that was accepted before", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const contacts = yield* ContactStore
      const people = [
        { external_id: "ann", email: "Ann@example.com" },
        { external_id: "bob", email: "bob@example.com" }
      ]
      for (const one of [app, other]) yield* contacts.upsert(one, people)
      const emails = ["ann@example.com", "bob@example.com", "new@example.com"]
      const [id, elsewhere] = [yield* mailing(app, emails), yield* mailing(other, emails)]
      yield* erase(app, "ann")
      expect(yield* mail(app, emails, id)).toEqual({ named: 3, reached: ["bob@example.com", "new@example.com"] })
      expect(yield* mail(app, emails, id)).toEqual({ named: 3, reached: ["bob@example.com", "new@example.com"] })
      expect((yield* mail(other, emails, elsewhere)).reached.length).toBe(3)
      // Who is there again is reached, by older notifications as well; and so is who is named after the erasure.
      const later = yield* mailing(app, emails)
      expect((yield* mail(app, emails, later)).reached.length).toBe(3)
      expect((yield* mail(app, emails, id)).reached.length).toBe(3)
    })
  )

  it.effect(
    "is not written to by another spelling of their address, nor if a node of the release before has erased them",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const contacts = yield* ContactStore
        const sql = yield* PgClient.PgClient
        yield* contacts.upsert(app, [{ external_id: "ada", email: "ada@exämple.com" }])
        const emails = ["ada@xn--exmple-cua.com", "bob@exämple.com"]
        const id = yield* mailing(app, emails)
        yield* erase(app, "ada")
        yield* sql`INSERT INTO erased_people (app_id, person, erased_at)
        VALUES (${app}, sha256(convert_to(${`${app}@bob@exämple.com`}, 'UTF8')), now())`
        expect(yield* mail(app, emails, id)).toEqual({ named: 2, reached: [] })
        // Nodes of the release before look for the spelling.
        const names = yield* sql`SELECT 1 AS one FROM erased_people
        WHERE app_id = ${app} AND person = sha256(convert_to(${`${app}@ada@exämple.com`}, 'UTF8'))`
        expect(names.length).toBe(1)
      })
  )

  it.effect("stays unmailed though they are erased while their page is planned", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const contacts = yield* ContactStore
      const users = tokens("user", 40)
      const emails = users.map((user) => `${user.toLowerCase()}@example.com`)
      yield* contacts.upsert(
        app,
        users.map((external_id, i) => ({ external_id, email: emails[i]! }))
      )
      const id = yield* mailing(app, emails)
      const plans = Effect.forEach(Array.from({ length: 20 }), () => mail(app, emails, id), { concurrency: 4 })
      const erasures = Effect.forEach(users, (user) => erase(app, user), { concurrency: 2 })
      const [planned] = yield* Effect.all([plans, erasures], { concurrency: "unbounded" })
      expect(planned.map(({ named }) => named)).toEqual(planned.map(() => users.length))
      expect((yield* mail(app, emails, id)).reached).toEqual([])
    })
  )
})
