import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import type { ProviderKind } from "../../../../services/domain/sending/Credential.ts"
import type { DeliveryStatus } from "../../../../services/domain/sending/Delivery.ts"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { ClaimedBatch, ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { accountOf, android, atOnce, chunkOf, endLeases, hotStores, ids, newApp, planned, tokens } from "../Stores.ts"

/** Claims so many batches, one after the other: large ones come alone. */
const claim = Effect.fnUntraced(function* (appId: AppId, count: number, provider: ProviderKind = "fcm") {
  const batches = yield* BatchStore
  const claims = Array.from({ length: count }, () => batches.claim({ appId, provider, priority: "bulk" }, 1, 60_000))
  return (yield* Effect.all(claims)).flat()
})

/** All pages of a notification's deliveries, one after the other. */
const pages = Effect.fnUntraced(function* (appId: AppId, id: NotificationId, limit: number) {
  const notifications = yield* NotificationStore
  const all = []
  let cursor: string | null = null
  do {
    const page: Effect.Success<ReturnType<typeof notifications.deliveries>> = yield* notifications.deliveries(
      appId,
      id,
      cursor,
      limit
    )
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== null)
  return all
})

const finalOf = (recipients: ReadonlyArray<string>, status: DeliveryStatus, error: string | null) => ({
  recipients,
  statuses: recipients.map(() => status),
  messageIds: recipients.map(() => null),
  errors: recipients.map(() => error)
})

const rowsOf = Effect.fnUntraced(function* (id: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  const [rows] = yield* sql<{ singles: number; packed: number }>`
    SELECT (SELECT count(*)::integer FROM deliveries WHERE notification_id = ${id}) AS singles,
      (SELECT count(*)::integer FROM packed_deliveries WHERE notification_id = ${id}) AS packed`
  return rows!
})

layer(ContactStores.layer.pipe(Layer.provideMerge(hotStores)))("deliveries", (it) => {
  it.effect("lists a recipient once who was replayed while the page was read: as they ended last", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const batches = yield* BatchStore
      const app = yield* newApp
      const recipients = ids(20)
      const id = yield* planned(app, [recipients])
      const [batch] = yield* claim(app, 1)
      yield* batches.finish(chunkOf(batch!, recipients))
      // What the first of two reads saw of somebody whom the second finds in packed results.
      yield* sql`INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, error)
        VALUES (${id}, ${recipients[3]!}, 'f', 'f', 1, 'timeout')`
      const listed = yield* pages(app, id, 7)
      expect(listed.map(({ recipientId, status }) => [recipientId, status])).toEqual(
        recipients.toSorted().map((recipient) => [recipient, "sent"])
      )
    })
  )

  it.effect("writes a batch that was sent as one row, and lists each of its recipients", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const recipients = ids(250)
      const id = yield* planned(app, [recipients])
      const [batch] = yield* claim(app, 1)
      yield* batches.finish(chunkOf(batch!, recipients.toReversed()))
      expect(yield* rowsOf(id)).toEqual({ singles: 0, packed: 1 })
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 250, sent: 250, pending: 0 })
      const all = yield* pages(app, id, 100)
      const { at } = all[0]!
      expect(all).toEqual(
        recipients.toSorted().map((recipientId) => ({
          id: deliveryIdOf(id, recipientId),
          deliveredAt: null,
          openedAt: null,
          clickedAt: null,
          notificationId: id,
          recipientId,
          provider: "fcm",
          status: "sent",
          messageId: `message-${recipientId}`,
          error: null,
          attempts: 1,
          at
        }))
      )
      expect((yield* (yield* NotificationStore).deliveries(yield* newApp, id, null, 100)).items).toEqual([])
    })
  )

  it.effect("gives the message ids that follow from deliveries without keeping them", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const recipients = ids(60)
      const id = yield* planned(app, [recipients], "apns")
      const [batch] = yield* claim(app, 1, "apns")
      // In another order than the batch has them.
      const order = recipients.toReversed()
      const messageIds = order.map((recipient) => deliveryIdOf(id, recipient))
      yield* batches.finish(chunkOf(batch!, [], { final: { ...finalOf(order, "sent", null), messageIds } }))
      const [row] = yield* sql<{ bytes: number }>`
        SELECT octet_length(messages) AS bytes FROM packed_deliveries WHERE notification_id = ${id}`
      expect(row!.bytes).toBeLessThan(40)
      const all = yield* pages(app, id, 7)
      expect(all.map(({ messageId }) => messageId)).toEqual(
        recipients.toSorted().map((recipient) => deliveryIdOf(id, recipient))
      )
    })
  )

  it.effect("pages through rows and packed results of several providers and retries as one list", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      // Recipients of both providers alternate; so do a batch's chunks, its failures and what goes again.
      const people = ids(600).toSorted()
      const every = (n: number, i: number) => people.filter((_, at) => at % n === i)
      const id = yield* planned(app, [every(2, 0).slice(0, 150), every(2, 0).slice(150)])
      yield* sql`UPDATE batches SET provider = 'apns' WHERE notification_id = ${id} AND recipients[1] = ${people[0]!}`
      const other = every(2, 1)
      yield* sql`INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
        VALUES (${uuidv7()}, ${id}, ${app}, 'webpush', 'bulk', ${other}::uuid[])`
      const claimed: ReadonlyArray<ClaimedBatch> = [
        ...(yield* claim(app, 1, "apns")),
        ...(yield* claim(app, 1)),
        ...(yield* claim(app, 1, "webpush"))
      ]
      expect(claimed).toHaveLength(3)
      for (const batch of claimed) {
        const part = (i: number) => batch.recipients.filter((_, at) => at % 5 === i)
        yield* batches.finish(chunkOf(batch, part(0), { remaining: [...part(1), ...part(2), ...part(3), ...part(4)] }))
        const [last, ...dead] = part(1)
        yield* batches.finish(
          chunkOf(batch, [], {
            final: {
              recipients: [last!, ...dead, ...part(2)],
              statuses: ["skipped", ...dead.map(() => "failed" as const), ...part(2).map(() => "sent" as const)],
              messageIds: [null, ...dead.map(() => null), ...part(2).map((to) => `m-${to}`)],
              errors: ["recipient_gone", ...dead.map(() => "unregistered"), ...part(2).map(() => null)]
            },
            retries: [
              { id: uuidv7() as BatchId, recipients: part(3), delayMs: 0, attempts: 1, suspended: false, slowed: false }
            ],
            remaining: part(4)
          })
        )
        yield* batches.finish(chunkOf(batch, part(4)))
      }
      for (const provider of ["apns", "fcm", "webpush"] as const) {
        const [again] = yield* claim(app, 1, provider)
        yield* batches.finish(chunkOf(again!, again!.recipients))
      }
      expect(yield* accountOf(app, id)).toEqual({
        accepted: 600,
        pending: 0,
        sent: 480,
        failed: 117,
        skipped: 3,
        cancelled: 0
      })
      const { packed, singles } = yield* rowsOf(id)
      // What failed has rows.
      expect(singles).toBe(120)
      expect(packed).toBe(12)
      const statusOf = new Map<string, string>()
      for (const { recipients } of claimed) {
        recipients.forEach((to, at) => statusOf.set(to, at === 1 ? "skipped" : at % 5 === 1 ? "failed" : "sent"))
      }
      for (const limit of [1, 7, 100, 599, 600]) {
        const all = yield* pages(app, id, limit)
        expect(all.map(({ recipientId }) => recipientId)).toEqual(people)
        expect(all.map(({ recipientId, status }) => status === statusOf.get(recipientId))).toEqual(
          people.map(() => true)
        )
        expect(all.filter(({ attempts }) => attempts === 2)).toHaveLength(120)
      }
    })
  )

  it.effect("passes over nobody who is there already while results come in between the pages", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const lists = Array.from({ length: 12 }, () => ids(40))
      const id = yield* planned(app, lists)
      const claimed = yield* claim(app, 12)
      const before = claimed.slice(0, 6)
      for (const batch of before) yield* (yield* BatchStore).finish(chunkOf(batch, batch.recipients))
      const results = claimed
        .slice(6)
        .map((batch) => Effect.flatMap(BatchStore, (store) => store.finish(chunkOf(batch, batch.recipients))))
      const [, seen] = yield* Effect.all([atOnce(results), pages(app, id, 3)], { concurrency: 2 })
      const found = seen.map(({ recipientId }) => recipientId)
      expect(found).toEqual([...new Set(found)].toSorted())
      expect(found).toEqual(expect.arrayContaining(before.flatMap(({ recipients }) => recipients)))
      expect((yield* notifications.deliveries(app, id, null, 1000)).items).toHaveLength(480)
    })
  )

  it.effect("finds them by state, error and person, and counts who ended alike, packed or not", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const [registered] = yield* (yield* DeviceStore).register(app, [android("hers", { user_id: "ada" })])
      const recipients = [...ids(39), registered!.id]
      const id = yield* planned(app, [recipients])
      const [batch] = yield* claim(app, 1)
      const [well, dead] = [recipients.slice(10), recipients.slice(0, 10)]
      const final = {
        recipients,
        statuses: recipients.map((one) => (dead.includes(one) ? ("failed" as const) : ("sent" as const))),
        messageIds: recipients.map(() => null),
        errors: recipients.map((one) => (dead.includes(one) ? "unregistered" : null))
      }
      yield* (yield* BatchStore).finish(chunkOf(batch!, recipients, { final }))
      const idsOf = (filter: Parameters<typeof notifications.deliveries>[4], app_ = app) =>
        Effect.map(notifications.deliveries(app_, id, null, 100, filter), ({ items }) =>
          items.map(({ recipientId }) => recipientId)
        )
      expect(yield* idsOf({ status: "failed" })).toEqual(dead.toSorted())
      expect(yield* idsOf({ error: "unregistered" })).toEqual(dead.toSorted())
      expect(yield* idsOf({ status: "sent" })).toEqual(well.toSorted())
      expect(yield* idsOf({ status: "sent", error: "unregistered" })).toEqual([])
      expect(yield* idsOf({ userId: "ada" })).toEqual([registered!.id])
      expect(yield* idsOf({ userId: "ada", status: "failed" })).toEqual([])
      expect(yield* idsOf({ userId: "nobody" })).toEqual([])
      expect(yield* notifications.outcomes(app, id)).toEqual([
        { provider: "fcm", status: "sent", error: null, count: 30 },
        { provider: "fcm", status: "failed", error: "unregistered", count: 10 }
      ])
      expect(yield* notifications.outcomes(yield* newApp, id)).toEqual([])
    })
  )

  it.effect("says what those wait for who were tried, or held back, and to nobody else's application", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const recipients = ids(10)
      const id = yield* planned(app, [recipients])
      const [batch] = yield* claim(app, 1)
      expect(yield* notifications.retries(app, id)).toEqual([])
      const again = (from: number, to: number, more: Partial<ResultChunk["retries"][number]>) => ({
        id: uuidv7() as BatchId,
        recipients: recipients.slice(from, to),
        delayMs: 60_000,
        attempts: 1,
        suspended: false,
        slowed: false,
        ...more
      })
      const ended = { recipients: [], statuses: [], messageIds: [], errors: [] }
      yield* (yield* BatchStore).finish(
        chunkOf(batch!, recipients, {
          final: ended,
          retries: [
            again(0, 3, { reason: "503 UNAVAILABLE" }),
            again(3, 7, { reason: "503 UNAVAILABLE", attempts: 2, delayMs: 120_000 }),
            again(7, 9, { reason: "401 UNAUTHENTICATED", suspended: true }),
            // A limit of the device's own, which counts no attempt and slows nobody else.
            again(9, 10, { reason: "TooManyRequests", attempts: 0 })
          ]
        })
      )
      const [first, second, third, ...none] = yield* notifications.retries(app, id)
      expect(first).toMatchObject({ provider: "fcm", error: "503 UNAVAILABLE", attempts: 2, recipients: 7 })
      expect(first!.nextAt! - Date.now()).toBeGreaterThan(30_000)
      expect(first!.nextAt! - Date.now()).toBeLessThan(90_000)
      expect(second).toMatchObject({ error: "401 UNAUTHENTICATED", attempts: 1, recipients: 2, nextAt: null })
      expect(third).toMatchObject({ error: "TooManyRequests", attempts: 0, recipients: 1 })
      expect(none).toEqual([])
      expect(yield* notifications.retries(yield* newApp, id)).toEqual([])
    })
  )

  it.effect("counts a chunk once when its worker dies after it, and lets the next worker finish only the rest", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const recipients = ids(100)
      const id = yield* planned(app, [recipients])
      const [batch] = yield* claim(app, 1)
      const [saved, lost] = [recipients.slice(0, 60), recipients.slice(60)]
      const first = chunkOf(batch!, saved, { remaining: lost })
      // Its answer was lost, and it was repeated.
      yield* batches.finish(first)
      yield* batches.finish(first)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 100, sent: 60, pending: 40 })
      yield* endLeases
      const [taken] = yield* claim(app, 1)
      expect(taken!.recipients).toEqual(lost)
      expect(yield* batches.finish(chunkOf(batch!, lost))).toEqual(Option.none())
      expect((yield* pages(app, id, 50)).map(({ recipientId }) => recipientId)).toEqual(saved.toSorted())
      const last = chunkOf(taken!, lost)
      for (let i = 0; i < 2; i++) expect(yield* batches.finish(last)).toEqual(Option.some([]))
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 100, sent: 100, pending: 0 })
      expect((yield* pages(app, id, 50)).map(({ recipientId }) => recipientId)).toEqual(recipients.toSorted())
      expect(yield* rowsOf(id)).toEqual({ singles: 0, packed: 2 })
    })
  )

  it.effect("keeps of a person who was deleted what the totals need: an id, which leads nowhere any more", () =>
    Effect.gen(function* () {
      const [batches, contacts, devices] = [yield* BatchStore, yield* ContactStore, yield* DeviceStore]
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [contact] = yield* contacts.upsert(app, [{ external_id: "somebody" }])
      const registered = yield* devices.register(
        app,
        tokens("secret", 40).map((token, i) => android(token, i === 7 ? { user_id: "somebody" } : {}))
      )
      const everybody = registered.map((device) => device.id)
      const id = yield* planned(app, [everybody])
      const [batch] = yield* claim(app, 1)
      yield* batches.finish(chunkOf(batch!, everybody))
      const before = yield* pages(app, id, 100)
      expect(yield* contacts.remove(app, contact!.id)).toBe(true)
      expect(Option.isNone(yield* devices.find(app, everybody[7]!))).toBe(true)
      expect(yield* pages(app, id, 100)).toEqual(before)
      expect(yield* accountOf(app, id)).toMatchObject({ accepted: 40, sent: 40 })
      const [row] = yield* sql<{ text: string }>`
        SELECT p::text AS text FROM packed_deliveries p WHERE notification_id = ${id}`
      expect(row!.text).toContain(everybody[7])
      expect(row!.text).not.toMatch(/secret|somebody/)
    })
  )

  it.effect("writes what a cancel ends as one row for each batch", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const id = yield* planned(app, [ids(120), ids(1)])
      yield* notifications.control(app, id, "cancel")
      expect(yield* rowsOf(id)).toEqual({ singles: 0, packed: 2 })
      const all = yield* pages(app, id, 50)
      expect(all).toHaveLength(121)
      expect(
        all.every(({ attempts, error, status }) => status === "cancelled" && error === "cancelled" && attempts === 0)
      ).toBe(true)
    })
  )
})
