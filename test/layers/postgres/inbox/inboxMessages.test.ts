import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { sweep } from "../../../../layers/postgres/operations/Retention.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { ClaimedBatch, ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { InboxStore } from "../../../../services/ports/inbox/InboxStore.ts"
import {
  accountOf,
  atOnce,
  chunkOf,
  endLeases,
  eventsOf,
  hotStores,
  newApp,
  newWebhook,
  planned,
  tokens
} from "../Stores.ts"

const CONTENT = { title: "Grüße", body: "…", url: "https://example.com/", data: { n: [1, null, "\u0001"] } }
const DAY_MS = 86_400_000
const USERS = tokens("user", 12)

const claim = Effect.fnUntraced(function* (app: AppId, leaseMs = 60_000) {
  const batches = yield* BatchStore
  const [batch] = yield* batches.claim({ appId: app, provider: "inbox", priority: "bulk" }, 1, leaseMs)
  return batch
})

/** A planned notification to the inboxes of users, and its batch in a worker's hands. */
const claimed = Effect.fnUntraced(function* (app: AppId) {
  const audiences = yield* AudienceStore
  const { recipients } = yield* audiences.page(app, { user_ids: USERS }, ["inbox"], null, 100)
  const id = yield* planned(app, [recipients.inbox], "inbox")
  return { id, batch: (yield* claim(app))! }
})

const written = (batch: ClaimedBatch, recipients = batch.recipients, more: Partial<ResultChunk> = {}) => {
  const chunk = chunkOf(batch, recipients, more)
  const messageIds = recipients.map(() => uuidv7())
  return { ...chunk, final: { ...chunk.final, messageIds }, inbox: CONTENT }
}

const inboxes = Effect.fnUntraced(function* (app: AppId) {
  const inbox = yield* InboxStore
  return yield* Effect.forEach(USERS, (user) => Effect.map(inbox.list(app, user, null, 10), ({ items }) => items))
})

layer(hotStores, { excludeTestServices: true })("inbox messages of a notification", (it) => {
  it.effect("are written with their deliveries and events, as they were said", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const webhook = yield* newWebhook(app)
      const { batch, id } = yield* claimed(app)
      const events = [eventsOf(app, "NOTIFICATION_SENT", batch.recipients)]
      const chunk = written(batch, batch.recipients, { events })
      expect(yield* batches.finish(chunk)).toEqual(Option.some([webhook]))
      const all = yield* inboxes(app)
      expect(all.map((messages) => messages.length)).toEqual(USERS.map(() => 1))
      expect(all.flat()[0]).toMatchObject({ ...CONTENT, readAt: null })
      expect(
        all
          .flat()
          .map((message) => message.id as string)
          .toSorted()
      ).toEqual(chunk.final.messageIds.toSorted())
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 12, sent: 12, pending: 0 })
    })
  )

  it.effect("come once, however often and by whomever their results are written", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const { batch, id } = yield* claimed(app)
      const half = batch.recipients.slice(0, 6)
      const part = written(batch, half, { remaining: batch.recipients.slice(6) })
      // The answer was lost: the same again, also at once.
      const answers = yield* atOnce([part, part, part].map((chunk) => batches.finish(chunk)))
      expect(answers.every(Option.isSome)).toBe(true)
      // The worker stalls; another takes the batch, and both write what they think is left.
      yield* endLeases
      const next = (yield* claim(app))!
      const both = yield* atOnce([
        batches.finish(written(batch, batch.recipients.slice(6))),
        batches.finish(written(next, next.recipients))
      ])
      expect(both.map(Option.isSome)).toEqual([false, true])
      expect((yield* inboxes(app)).map((messages) => messages.length)).toEqual(USERS.map(() => 1))
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 12, sent: 12, pending: 0 })
    })
  )

  it.effect("are only for those who were sent to, and not for people who are gone", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const app = yield* newApp
      const { batch, id } = yield* claimed(app)
      const chunk = written(batch)
      const statuses = chunk.final.statuses.map((status, i) => (i < 4 ? ("skipped" as const) : status))
      const gone = (yield* contacts.list(app, { externalId: USERS.at(-1)! }, null, 1)).items[0]!.id
      yield* contacts.remove(app, gone)
      yield* batches.finish({ ...chunk, final: { ...chunk.final, statuses } })
      expect((yield* inboxes(app)).flat().length).toBeLessThanOrEqual(8)
      expect((yield* inboxes(app)).at(-1)).toEqual([])
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 12, sent: 8, skipped: 4 })
    })
  )

  it.effect("keep the unread count true while they come, are read and grow old, and their people go, all at once", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const inbox = yield* InboxStore
      const app = yield* newApp
      yield* inbox.post(app, { user_ids: USERS, title: "before" })
      const before = (yield* inboxes(app)).flat()
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO inbox_messages (id, app_id, contact_id, title)
        SELECT (${uuidFloor(Date.now() - 40 * DAY_MS).slice(0, 14)} || '7' || substr(gen_random_uuid()::text, 16))::uuid,
          app_id, id, 'old' FROM contacts, generate_series(1, 5) WHERE app_id = ${app}`
      const work = yield* Effect.forEach([1, 2, 3, 4], () => claimed(app))
      const leaving = (yield* contacts.list(app, { externalId: USERS[3]! }, null, 1)).items[0]!.id
      yield* atOnce<unknown, unknown, BatchStore | ContactStore | InboxStore | PgClient.PgClient>([
        sweep(30),
        ...work.map(({ batch }) => Effect.flatMap(BatchStore, (store) => store.finish(written(batch)))),
        ...USERS.map((user) => Effect.flatMap(InboxStore, (store) => store.readAll(app, user))),
        ...before.map(({ id }, i) => Effect.flatMap(InboxStore, (store) => store.read(app, USERS[i]!, id))),
        Effect.flatMap(InboxStore, (store) => store.post(app, { user_ids: USERS.toReversed(), title: "meanwhile" })),
        Effect.flatMap(ContactStore, (store) => store.remove(app, leaving))
      ])
      expect(yield* batches.claim({ appId: app, provider: "inbox", priority: "bulk" }, 1, 1000)).toEqual([])
      const isTrue = Effect.fnUntraced(function* (user: string) {
        const { items } = yield* inbox.list(app, user, null, 100)
        expect(yield* inbox.unread(app, user)).toBe(items.filter(({ readAt }) => readAt === null).length)
        return items
      })
      for (const user of USERS) yield* isTrue(user)
      // It passes over what somebody holds at that moment.
      yield* sweep(30)
      for (const user of USERS) {
        const items = yield* isTrue(user)
        if (user !== USERS[3]) expect(items).toHaveLength(6)
      }
      for (const { id } of work) {
        const account = yield* accountOf(app, id)
        expect(account).toMatchObject({ accepted: 12, sent: 12 })
      }
    })
  )
})
