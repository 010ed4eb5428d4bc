import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as ApplicationStores from "../../../layers/postgres/ApplicationStore.ts"
import * as AuditLogs from "../../../layers/postgres/AuditLog.ts"
import * as ChannelStores from "../../../layers/postgres/ChannelStore.ts"
import * as ContactStores from "../../../layers/postgres/ContactStore.ts"
import { pool } from "../../../layers/postgres/Database.ts"
import * as DeadLetterStores from "../../../layers/postgres/DeadLetterStore.ts"
import * as DeviceStores from "../../../layers/postgres/DeviceStore.ts"
import * as HookStores from "../../../layers/postgres/HookStore.ts"
import * as InboxStores from "../../../layers/postgres/InboxStore.ts"
import * as NotificationStores from "../../../layers/postgres/NotificationStore.ts"
import * as ReplayStores from "../../../layers/postgres/ReplayStore.ts"
import * as SegmentStores from "../../../layers/postgres/SegmentStore.ts"
import * as TemplateStores from "../../../layers/postgres/TemplateStore.ts"
import { layer as secretBoxLayer } from "../../../layers/crypto/SecretBox.ts"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import type { AppId, ContactId, HookId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidFloor, uuidv7 } from "../../../services/domain/Ids.ts"
import { ApplicationStore } from "../../../services/ports/ApplicationStore.ts"
import { AuditLog } from "../../../services/ports/AuditLog.ts"
import { ChannelStore } from "../../../services/ports/ChannelStore.ts"
import { ContactStore } from "../../../services/ports/ContactStore.ts"
import { DeadLetterStore } from "../../../services/ports/DeadLetterStore.ts"
import type { Page } from "../../../services/ports/DeviceStore.ts"
import { DeviceStore } from "../../../services/ports/DeviceStore.ts"
import { HookStore } from "../../../services/ports/HookStore.ts"
import { InboxStore } from "../../../services/ports/InboxStore.ts"
import { NotificationStore } from "../../../services/ports/NotificationStore.ts"
import { ReplayStore } from "../../../services/ports/ReplayStore.ts"
import { SegmentStore } from "../../../services/ports/SegmentStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { TemplateStore } from "../../../services/ports/TemplateStore.ts"
import { operations } from "../../../sdk/node/generated/operations.js"
import { TestDatabase, testDatabase } from "../../Database.ts"
import { android, newApp, newHook } from "./Stores.ts"

/*
 * What a page of each list reads, by the database's own count: no more rows than a page needs, however many there are.
 * `LISTS_ROWS=1000000` makes the tables as large as they may become; the bound is the same.
 */
const ROWS = Number(process.env["LISTS_ROWS"] ?? 20_000)
const LIMIT = 50
/** Of all tables together: a page, some more for joins and for what a filter passes over. */
const READ_AT_MOST = 20 * LIMIT

const settings = settingsLayer({ MASTER_KEY: "ab".repeat(32) })
const stores = Layer.mergeAll(
  ApplicationStores.layer,
  AuditLogs.layer,
  ChannelStores.layer,
  ContactStores.layer,
  DeadLetterStores.layer,
  DeviceStores.layer,
  HookStores.layer,
  InboxStores.layer,
  NotificationStores.layer,
  ReplayStores.layer,
  SegmentStores.layer,
  TemplateStores.layer
).pipe(Layer.provide(secretBoxLayer), Layer.provide(settings))

/** One connection: what a session has read is counted for others only later, and for itself when it asks. */
const database = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie))
).pipe(Layer.provideMerge(testDatabase()))

/** Ids in the order of `i`, a minute between each two, the last one made just now. */
const GAP_MS = 60_000
const ID = `(lpad(to_hex(${Date.now()} + (i - ${ROWS})::bigint * ${GAP_MS}), 12, '0') || '7' || substr(md5(i::text || $2), 1, 3) || '8' || substr(md5(i::text || $2), 4, 15))::uuid`

/** Rows of every table for one application; `$1` is the application, `$2` text that its ids differ by. */
const fill = (hook: string, contact: string, notification: string): ReadonlyArray<string> => [
  `INSERT INTO contacts (id, app_id, external_id, tags)
   SELECT ${ID}, $1::uuid, 'u' || i, CASE WHEN i % 2 = 0 THEN '{half}'::text[] WHEN i % 1000 = 1 THEN '{rare}' ELSE '{}' END`,
  `INSERT INTO devices (app_id, id, token_hash, platform, environment, active, token, user_id, tags, created_at)
   SELECT $1::uuid, ${ID}, decode(md5(i::text || $2), 'hex'), CASE WHEN i % 2 = 0 THEN 'ios' ELSE 'android' END,
     CASE WHEN i % 5 = 0 THEN 'sandbox' ELSE 'production' END, i % 7 <> 0, i::text, 'u' || i,
     CASE WHEN i % 2 = 0 THEN '{half}'::text[] WHEN i % 1000 = 1 THEN '{rare}' ELSE '{}' END,
     now() + (i - ${ROWS}) * interval '1 minute'`,
  `INSERT INTO channels (app_id, id, kind, address, address_key, status)
   SELECT $1::uuid, ${ID}, 'email', 'a' || i, 'a' || i, CASE WHEN i % 5 = 0 THEN 'unsubscribed' ELSE 'active' END`,
  `INSERT INTO notifications (id, app_id, status, priority, request, expires_at, plan_done, completed_at)
   SELECT ${ID}, $1::uuid, 'completed', 'bulk', '{"to":{"all":true},"content":{"title":"x"}}', now(), true, now()`,
  `INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
   SELECT '${notification}'::uuid, ${ID}, 'a', 's', 1 WHERE $1::uuid IS NOT NULL`,
  `INSERT INTO inbox_messages (id, app_id, contact_id, title) SELECT ${ID}, $1::uuid, '${contact}'::uuid, 'x'`,
  `INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
   SELECT ${ID}, $1::uuid, 'NOTIFICATION_SENT', now(), 1, '{}', '{}'`,
  `INSERT INTO hook_work (id, hook_id, chunk_id, done) SELECT ${ID}, '${hook}'::uuid, ${ID}, true WHERE $1::uuid IS NOT NULL`,
  `INSERT INTO dead_letters (id, app_id, kind, error, attempts, hook_id, notification_id)
   SELECT ${ID}, $1::uuid, CASE WHEN i % 2 = 0 THEN 'webhook' ELSE 'notification' END, 'answered 500', 6,
     CASE WHEN i % 2 = 0 THEN '${hook}'::uuid END, CASE WHEN i % 2 = 1 THEN '${notification}'::uuid END`,
  `INSERT INTO replays (id, app_id, filter, status) SELECT ${ID}, $1::uuid, '{}', 'completed'`,
  `INSERT INTO api_keys (id, app_id, kind, hash, hint) SELECT ${ID}, $1::uuid, 'public', sha256((i::text || $2)::bytea), 'pk_'`,
  `INSERT INTO audit_log (id, app_id, actor_kind, action, details) SELECT ${ID}, $1::uuid, 'system', 'api_key.created', '{}'`,
  `INSERT INTO templates (id, app_id, name, version_id) SELECT ${ID}, $1::uuid, 'x', ${ID}`,
  `INSERT INTO template_versions (id, app_id, body) SELECT ${ID}, $1::uuid, '{"locales":{}}'`,
  `INSERT INTO segments (id, app_id, name, filter) SELECT ${ID}, $1::uuid, 'x', '{}'`
]

interface Place {
  readonly app: AppId
  readonly hook: HookId
  readonly contact: ContactId
  readonly notification: NotificationId
}

const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const places: Array<Place> = []
  for (const salt of ["a", "b"]) {
    const app = yield* newApp
    const hook = yield* newHook(app)
    const contact = uuidv7() as ContactId
    const notification = uuidv7() as NotificationId
    yield* sql`INSERT INTO contacts (id, app_id, external_id) VALUES (${contact}, ${app}, 'reader')`
    yield* sql`INSERT INTO notifications (id, app_id, priority, request, expires_at) VALUES (${notification}, ${app}, 'bulk', '{}', now())`
    for (const statement of fill(hook, contact, notification)) {
      const [head, from = ""] = statement.split(/ WHERE (?=\$1)/)
      yield* sql.unsafe(`${head} FROM generate_series(1, ${ROWS}) AS i ${from === "" ? "" : `WHERE ${from}`}`, [
        app,
        salt
      ]).unprepared
    }
    places.push({ app, hook, contact, notification })
  }
  yield* sql`ANALYZE`
  return places[0]!
}).pipe(Effect.orDie)

type Read = Effect.Effect<
  Page<unknown>,
  StoreError,
  | ApplicationStore
  | AuditLog
  | ChannelStore
  | ContactStore
  | DeadLetterStore
  | DeviceStore
  | HookStore
  | InboxStore
  | NotificationStore
  | ReplayStore
  | SegmentStore
  | TemplateStore
>

/** By the SDK's name of the list: each way to read it that has an index, or the order of the list, to go by. */
const lists: Readonly<Record<string, (place: Place, after: string | null) => Readonly<Record<string, Read>>>> = {
  "devices.list": ({ app }, after) => {
    const by = (filter: Parameters<DeviceStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(DeviceStore, (store) => store.list(app, filter, after, LIMIT))
    return {
      all: by({}),
      platform: by({ platform: "ios" }),
      environment: by({ environment: "sandbox" }),
      status: by({ status: "invalid" }),
      user: by({ userId: "u7" }),
      "a common tag": by({ tagsAny: ["half"] }),
      "a rare tag": by({ tagsAll: ["rare"] }),
      "a span of time": by({ createdFrom: Date.now() - 100 * GAP_MS }),
      "seen lately": by({ seenFrom: Date.now() - 86_400_000 })
    }
  },
  "channels.list": ({ app, contact }, after) => {
    const by = (filter: Parameters<ChannelStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(ChannelStore, (store) => store.list(app, filter, after, LIMIT))
    return {
      all: by({}),
      address: by({ address: "A7" }),
      status: by({ status: "unsubscribed" }),
      contact: by({ contactId: contact })
    }
  },
  "contacts.list": ({ app }, after) => {
    const by = (filter: Parameters<ContactStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(ContactStore, (store) => store.list(app, filter, after, LIMIT))
    return {
      all: by({}),
      "external id": by({ externalId: "u7" }),
      "a common tag": by({ tag: "half" }),
      "a rare tag": by({ tag: "rare" })
    }
  },
  "publicInbox.list": ({ app }, after) => ({
    all: Effect.flatMap(InboxStore, (store) => store.list(app, "reader", after, LIMIT))
  }),
  "notifications.list": ({ app }, after) => ({
    all: Effect.flatMap(NotificationStore, (store) => store.list(app, after, LIMIT))
  }),
  "notifications.deliveries": ({ app, notification }, after) => ({
    all: Effect.flatMap(NotificationStore, (store) => store.deliveries(app, notification, after, LIMIT))
  }),
  "templates.list": ({ app }, after) => ({
    all: Effect.flatMap(TemplateStore, (store) => store.list(app, after, LIMIT))
  }),
  "segments.list": ({ app }, after) => ({
    all: Effect.flatMap(SegmentStore, (store) => store.list(app, after, LIMIT))
  }),
  "webhooks.list": ({ app }, after) => ({
    all: Effect.flatMap(HookStore, (store) => store.list(app, after, LIMIT))
  }),
  "webhooks.deliveries": ({ app, hook }, after) => ({
    all: Effect.flatMap(HookStore, (store) => store.deliveries(app, hook, after, LIMIT))
  }),
  "deadLetters.list": ({ app, hook, notification }, after) => {
    const by = (filter: Parameters<DeadLetterStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(DeadLetterStore, (store) => store.list(app, filter, after, LIMIT))
    return {
      all: by({}),
      kind: by({ kind: "webhook" }),
      webhook: by({ webhook_id: hook }),
      notification: by({ notification_id: notification })
    }
  },
  "deadLetters.replaysMany": ({ app }, after) => ({
    all: Effect.flatMap(ReplayStore, (store) => store.list(app, after, LIMIT))
  }),
  "apiKeys.list": ({ app }, after) => ({
    all: Effect.flatMap(ApplicationStore, (store) => store.keys(app, after, LIMIT))
  }),
  "auditLog.list": ({ app }, after) => ({
    all: Effect.flatMap(AuditLog, (store) => store.list(app, after, LIMIT))
  })
}

/** Of four kinds at most, and so no list that could be long. */
const SHORT = ["credentials.list"]

/** Rows that this session's statements have read so far, from indexes and from whole tables. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly read: number }>`
    SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS read FROM pg_stat_user_tables`
  return row!.read
}).pipe(Effect.orDie)

layer(stores.pipe(Layer.provideMerge(database)), { timeout: 600_000 })("lists", (it) => {
  it.effect("are all known to this test", () =>
    Effect.sync(() => {
      const served = Object.entries(operations).flatMap(([resource, entries]) =>
        Object.entries(entries).flatMap(([name, { answer }]) => (answer === "page" ? [`${resource}.${name}`] : []))
      )
      expect(served.filter((name) => !SHORT.includes(name)).sort()).toEqual(Object.keys(lists).sort())
    })
  )

  it.effect(
    "read no more rows than a page needs, at their beginning and in their middle",
    () =>
      Effect.gen(function* () {
        const place = yield* filled
        const costs: Array<readonly [string, number]> = []
        for (const [name, waysOf] of Object.entries(lists)) {
          for (const [where, after] of [
            ["beginning", null],
            ["middle", uuidFloor(Date.now() - (ROWS * GAP_MS) / 2)]
          ] as const) {
            for (const [way, read] of Object.entries(waysOf(place, after))) {
              const before = yield* rowsRead
              const { items } = yield* read
              costs.push([`${name}, ${way}, ${where}: ${items.length} items`, (yield* rowsRead) - before])
            }
          }
        }
        // A page that read nothing would prove nothing.
        expect(costs.filter(([name]) => name.includes(": 50 items")).length).toBeGreaterThan(20)
        expect(costs.filter(([, read]) => read > READ_AT_MOST)).toEqual([])
      }),
    600_000
  )

  it.effect("show what was there once each, page by page, while others write", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const contacts = yield* ContactStore
      const channels = yield* ChannelStore
      const letters = yield* DeadLetterStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const hook = yield* newHook(app)
      let written = 0
      const letter = Effect.suspend(() =>
        Effect.orDie(sql`INSERT INTO dead_letters (id, app_id, kind, error, attempts, hook_id)
          VALUES (${uuidv7()}, ${app}, 'webhook', ${`answered ${written++}`}, 6, ${hook})`)
      )
      const kinds = {
        devices: {
          write: Effect.suspend(() => devices.register(app, [android(`t${written++}`)])),
          page: (after: string | null): Effect.Effect<Page<{ readonly id: string }>, StoreError> =>
            devices.list(app, {}, after, 7)
        },
        contacts: {
          write: Effect.suspend(() => contacts.upsert(app, [{ external_id: `u${written++}` }])),
          page: (after: string | null) => contacts.list(app, {}, after, 7)
        },
        channels: {
          write: Effect.suspend(() => channels.upsert(app, [{ kind: "email", address: `a${written++}@example.com` }])),
          page: (after: string | null) => channels.list(app, {}, after, 7)
        },
        "dead letters, newest first": { write: letter, page: (after: string | null) => letters.list(app, {}, after, 7) }
      }
      for (const [name, { page, write }] of Object.entries(kinds)) {
        const more: Effect.Effect<unknown, StoreError> = write
        yield* Effect.repeat(more, { times: 99 })
        const idsFrom = Effect.fnUntraced(function* (between: Effect.Effect<unknown, StoreError>) {
          const ids: Array<string> = []
          for (let after: string | null = null; ;) {
            const { items, next }: Page<{ readonly id: string }> = yield* page(after)
            ids.push(...items.map(({ id }) => id))
            if (next === null || ids.length > 1000) return ids
            after = next
            yield* between
          }
        })
        const before = yield* idsFrom(Effect.void)
        expect(before).toHaveLength(100)
        // New ones come in front of what is still to be read, or behind it; never into what was.
        const seen = yield* idsFrom(Effect.repeat(more, { times: 2 }))
        expect(new Set(seen).size, name).toBe(seen.length)
        expect(seen.filter((id) => before.includes(id)).sort(), name).toEqual(before.toSorted())
      }
    })
  )
})
