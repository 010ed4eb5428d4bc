import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { migrate } from "../../../../layers/postgres/server/Migrations.ts"
import type { AppId, ChannelId } from "../../../../services/domain/Ids.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { hotStores, newApp } from "../Stores.ts"

const UMLAUT = "ada@exämple.com"
const ASCII = "ada@xn--exmple-cua.com"

/** The database as the release before leaves it. */
const before = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`DROP FUNCTION IF EXISTS mailbox_key, as_the_mailbox, tell_the_mailbox CASCADE`
  yield* sql`DELETE FROM migrations WHERE id >= 39`
})

let last = ""
/** Ids of one millisecond are in no order. */
const nextId = (): string => {
  let id = uuidv7()
  while (id <= last) id = uuidv7()
  return (last = id)
}

/** A channel as a node of the release before writes it, or finds it. */
const write = Effect.fnUntraced(function* (app: AppId, address: string, status = "active", user: string | null = null) {
  const sql = yield* PgClient.PgClient
  const key = address.toLowerCase()
  if (user !== null) {
    yield* sql`INSERT INTO contacts (id, app_id, external_id, email_key) VALUES (${uuidv7()}, ${app}, ${user}, ${key})
      ON CONFLICT (app_id, external_id) DO NOTHING`
  }
  yield* sql`
    INSERT INTO channels (app_id, id, kind, address, address_key, status, contact_id)
    SELECT ${app}::uuid, ${nextId()}::uuid, 'email', ${address}, ${key}, ${status},
      (SELECT id FROM contacts WHERE app_id = ${app} AND external_id = ${user})
    ON CONFLICT (app_id, kind, address_key) DO NOTHING`
  const [row] = yield* sql<{
    readonly id: ChannelId
  }>`SELECT id FROM channels WHERE app_id = ${app} AND address_key = ${key}`
  return row!.id
})

const rows = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ id: string; key: string; status: string; reason: string | null; user: string | null }>`
    SELECT c.id, c.address_key AS key, c.status, c.status_reason AS reason, p.external_id AS user
    FROM channels c LEFT JOIN contacts p ON p.id = c.contact_id WHERE c.app_id = ${app} ORDER BY c.id`
})

const statusOf = (app: AppId, id: ChannelId) =>
  Effect.gen(function* () {
    const channels = yield* ChannelStore
    return Option.getOrThrow(yield* channels.find(app, id)).status
  })

/** How many mails a notification to these addresses sends. */
const mails = Effect.fnUntraced(function* (app: AppId, emails: ReadonlyArray<string>) {
  const audiences = yield* AudienceStore
  const { recipients } = yield* audiences.page(app, { emails }, ["email"], null, 100)
  return (yield* audiences.targets(app, "smtp", recipients.smtp)).length
})

layer(hotStores, { excludeTestServices: true })("channels of the release before", (it) => {
  it.effect("keep their rows, and get the key of their mailbox, as their contacts do", () =>
    Effect.gen(function* () {
      const [contacts, channels] = [yield* ContactStore, yield* ChannelStore]
      yield* before
      const app = yield* newApp
      const umlaut = yield* write(app, "Ada@EXÄMPLE.com", "active", "ada")
      const sigma = yield* write(app, "bob@ΟΔΟΣ.gr", "unsubscribed", "bob")
      const plain = yield* write(app, "jörg@example.com", "active", "jörg")
      const nameless = yield* write(app, "ann@ex¨mple.com", "active", "ann")
      expect(yield* migrate).toEqual(["mailboxes"])
      expect((yield* rows(app)).map(({ id, key, status, user }) => [id, key, status, user])).toEqual([
        [umlaut, ASCII, "active", "ada"],
        [sigma, "bob@xn--pxavbq.gr", "unsubscribed", "bob"],
        [plain, "jörg@example.com", "active", "jörg"],
        [nameless, "ann@ex¨mple.com", "active", "ann"]
      ])
      const found = yield* Effect.forEach(["ada", "bob", "jörg", "ann"], (externalId) =>
        contacts.find(app, { externalId })
      )
      expect(found.map((one) => Option.getOrThrow(one).email)).toEqual([
        "Ada@EXÄMPLE.com",
        "bob@ΟΔΟΣ.gr",
        "jörg@example.com",
        "ann@ex¨mple.com"
      ])
      expect((yield* contacts.search(app, "ada@xn--exmple", null, 10)).items).toHaveLength(1)
      // And so it stays when the contact is written again.
      yield* contacts.upsert(app, [{ external_id: "ada", email: UMLAUT }])
      expect((yield* channels.list(app, { address: ASCII }, null, 10)).items.map(({ id }) => id)).toEqual([umlaut])
    })
  )

  it.effect(
    "are one where they were several of a mailbox, which gets no mail if it had unsubscribed from one of them",
    () =>
      Effect.gen(function* () {
        const channels = yield* ChannelStore
        const contacts = yield* ContactStore
        yield* before
        const [app, other] = [yield* newApp, yield* newApp]
        const ascii = yield* write(app, ASCII)
        const umlaut = yield* write(app, UMLAUT, "unsubscribed", "ada")
        const elsewhere = yield* write(other, ASCII)
        yield* migrate
        expect(yield* rows(app)).toEqual([
          { id: ascii, key: ASCII, status: "unsubscribed", reason: null, user: "ada" },
          { id: umlaut, key: `=${umlaut}`, status: "suppressed", reason: "same_mailbox", user: "ada" }
        ])
        expect(yield* statusOf(other, elsewhere)).toBe("active")
        expect(yield* mails(app, [UMLAUT, ASCII])).toBe(0)
        const ada = Option.getOrThrow(yield* contacts.find(app, { externalId: "ada" }))
        expect([ada.email, ada.preferences.email]).toEqual([ASCII, false])
        // Back, and gone again, by links of mails that were sent to the one or the other.
        const back = Option.getOrThrow(yield* channels.subscribe(app, umlaut, true))
        expect([back.id, back.status]).toEqual([ascii, "active"])
        expect(yield* mails(app, [UMLAUT, ASCII])).toBe(1)
        yield* channels.subscribe(app, umlaut, false)
        expect(yield* mails(app, [UMLAUT, ASCII])).toBe(0)
        yield* contacts.prefer(app, { externalId: "ada" }, { email: true })
        expect(yield* mails(app, [UMLAUT, ASCII])).toBe(1)
        expect(yield* contacts.remove(app, { externalId: "ada" })).toBe(true)
        expect(yield* rows(app)).toEqual([])
      })
  )

  it.effect("are of the contact that had such an address last, and suppressed if one of them was", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* before
      const app = yield* newApp
      const [one, two, three] = [
        yield* write(app, "user@ｅxample.com", "active", "ann"),
        yield* write(app, "user@example。com", "active", "bob"),
        yield* write(app, "user@exａmple.com", "suppressed")
      ]
      yield* sql`UPDATE channels SET created_at = now() - interval '1 day' WHERE app_id = ${app} AND id = ${one}`
      yield* migrate
      expect((yield* rows(app)).map(({ id, key, status, user }) => [id, key, status, user])).toEqual([
        [one, `=${one}`, "suppressed", "bob"],
        [two, "user@example.com", "suppressed", "bob"],
        [three, `=${three}`, "suppressed", "bob"]
      ])
    })
  )
})
