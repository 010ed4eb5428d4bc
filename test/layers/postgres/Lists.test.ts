import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as ApplicationStores from "../../../layers/postgres/access/ApplicationStore.ts"
import * as AuditLogs from "../../../layers/postgres/access/AuditLog.ts"
import * as ChannelStores from "../../../layers/postgres/audience/ChannelStore.ts"
import * as ContactStores from "../../../layers/postgres/audience/ContactStore.ts"
import { pool } from "../../../layers/postgres/server/Database.ts"
import * as DeadLetterStores from "../../../layers/postgres/sending/DeadLetterStore.ts"
import * as DeviceStores from "../../../layers/postgres/audience/DeviceStore.ts"
import * as WebhookStores from "../../../layers/postgres/webhooks/WebhookStore.ts"
import * as InboxStores from "../../../layers/postgres/inbox/InboxStore.ts"
import * as NotificationStores from "../../../layers/postgres/sending/NotificationStore.ts"
import * as ReplayStores from "../../../layers/postgres/sending/ReplayStore.ts"
import * as SegmentStores from "../../../layers/postgres/audience/SegmentStore.ts"
import * as TemplateStores from "../../../layers/postgres/messages/TemplateStore.ts"
import * as ExecutionStores from "../../../layers/postgres/workflows/ExecutionStore.ts"
import * as WorkflowStores from "../../../layers/postgres/workflows/WorkflowStore.ts"
import { layer as secretBoxLayer } from "../../../layers/crypto/SecretBox.ts"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { WorkflowStore } from "../../../services/ports/workflows/WorkflowStore.ts"
import { operations } from "../../../sdk/node/generated/operations.js"
import { TestDatabase, testDatabase } from "../../Database.ts"
import type { Place, TableName } from "./Rows.ts"
import { fill, GAP_MS, makePlace, READER, TABLES, withClient } from "./Rows.ts"
import { newApp } from "./Stores.ts"

/*
 * What a page of each list reads, by the database's own count: no more rows than a page needs, however many there are.
 * `npm run test:lists` makes the tables as large as they may become; the bound is the same. That pages hold together
 * while others write is in test/contract/Pages.test.ts.
 */
const ROWS = Number(process.env["LISTS_ROWS"] ?? 20_000)
const LIMIT = 50
/** Of all tables together: a page, some more for joins and for what a filter passes over. */
const READ_AT_MOST = 20 * LIMIT
/**
 * Of a tag there is an index, but none in the order of the list: a page reads all rows that have it, or walks through the
 * list until it has found enough. The dearest tag is the one for which both are the same.
 */
const READ_FOR_TAG = Math.max(READ_AT_MOST, 3 * Math.sqrt(LIMIT * ROWS))

const settings = settingsLayer({ MASTER_KEY: "ab".repeat(32) })
const stores = Layer.mergeAll(
  ApplicationStores.layer,
  AuditLogs.layer,
  ChannelStores.layer,
  ContactStores.layer,
  DeadLetterStores.layer,
  DeviceStores.layer,
  WebhookStores.layer,
  InboxStores.layer,
  NotificationStores.layer,
  ReplayStores.layer,
  SegmentStores.layer,
  TemplateStores.layer,
  ExecutionStores.layer,
  WorkflowStores.layer
).pipe(Layer.provide(secretBoxLayer), Layer.provide(settings))

/** One connection: what a session has read is counted for others only later, and for itself when it asks. */
const database = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie))
).pipe(Layer.provideMerge(testDatabase()))

/** Beside the rows of the application whose lists are read, those of another one, in the same span of time. */
const filled = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const apps = [yield* newApp, yield* newApp]
  return yield* Effect.promise(() =>
    withClient(url, async (client) => {
      const [other, place] = [await makePlace(client, apps[0]!), await makePlace(client, apps[1]!)]
      const tables = Object.keys(TABLES) as Array<TableName>
      await fill(client, tables, [
        [other, ROWS / 5],
        [place, ROWS]
      ])
      return place
    })
  )
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
  | WebhookStore
  | InboxStore
  | NotificationStore
  | ReplayStore
  | SegmentStore
  | TemplateStore
  | ExecutionStore
  | WorkflowStore
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
      "some tag": by({ tagsAll: ["some"] }),
      "a span of time": by({ createdFrom: Date.now() - 100 * GAP_MS }),
      "seen lately": by({ seenFrom: Date.now() - 86_400_000 }),
      "a segment that many are in": by({ segment: { last_seen: { within_days: 30 } } }),
      "a segment with a common tag": by({ segment: { tags_any: ["half"] } }),
      "a segment with a rare tag": by({ segment: { tags_all: ["rare"] } }),
      "a segment with a rare tag, and more": by({ segment: { tags_all: ["rare"], last_seen: { within_days: 30 } } }),
      "a segment of a platform": by({ segment: { platforms: ["android"] } })
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
      "a rare tag": by({ tag: "rare" }),
      "some tag": by({ tag: "some" }),
      "a segment that many are in": by({ segment: { tags_none: ["half"] } }),
      "a segment with a common tag": by({ segment: { tags_any: ["half"] } }),
      "a segment with a rare tag": by({ segment: { tags_all: ["rare"] } }),
      "a segment with a rare tag, and more": by({
        segment: { tags_all: ["rare"], attributes: [{ name: "plan", op: "not_exists" }] }
      })
    }
  },
  "publicInbox.list": ({ app }, after) => ({
    all: Effect.flatMap(InboxStore, (store) => store.list(app, READER, after, LIMIT))
  }),
  "notifications.list": ({ app }, after) => {
    const by = (filter: Parameters<NotificationStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(NotificationStore, (store) => store.list(app, filter, after, LIMIT))
    const [createdFrom, createdTo] = [Date.now() - (ROWS * GAP_MS) / 2, Date.now() - (ROWS * GAP_MS) / 3]
    return {
      all: by({}),
      "what most are": by({ status: "completed" }),
      "what some are": by({ status: "cancelled" }),
      "what few are": by({ status: "scheduled" }),
      "what none is": by({ status: "paused" }),
      "a span of time": by({ createdFrom, createdTo }),
      "the oldest": by({ createdTo: Date.now() - (ROWS - LIMIT) * GAP_MS }),
      "what some are in a span of time": by({ status: "cancelled", createdFrom, createdTo }),
      "what few are in a span of time": by({ status: "scheduled", createdFrom, createdTo })
    }
  },
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
    all: Effect.flatMap(WebhookStore, (store) => store.list(app, after, LIMIT))
  }),
  "webhooks.deliveries": ({ app, webhook }, after) => ({
    all: Effect.flatMap(WebhookStore, (store) => store.deliveries(app, webhook, after, LIMIT))
  }),
  "workflows.list": ({ app }, after) => ({
    all: Effect.flatMap(WorkflowStore, (store) => store.list(app, null, after, LIMIT)),
    "what some are": Effect.flatMap(WorkflowStore, (store) => store.list(app, "archived", after, LIMIT))
  }),
  "workflows.versions": ({ app, workflow }, after) => ({
    all: Effect.flatMap(WorkflowStore, (store) => store.versions(app, workflow, after, LIMIT))
  }),
  "executions.list": ({ app, workflow }, after) => {
    const by = (filter: Parameters<ExecutionStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(ExecutionStore, (store) => store.list(app, filter, after, LIMIT))
    return {
      all: by({}),
      "what most are": by({ status: "completed" }),
      "what is under way": by({ status: "waiting" }),
      "what runs just now": by({ status: "running" }),
      "what some are": by({ status: "cancelled" }),
      "what few are": by({ status: "failed" }),
      "what none is": by({ status: "filtered" }),
      workflow: by({ workflowId: workflow }),
      "what most are of a workflow": by({ status: "completed", workflowId: workflow }),
      "what some are of a workflow": by({ status: "cancelled", workflowId: workflow }),
      "what none is of a workflow": by({ status: "filtered", workflowId: workflow }),
      user: by({ userId: READER })
    }
  },
  "deadLetters.list": ({ app, webhook, notification }, after) => {
    const by = (filter: Parameters<DeadLetterStore["Service"]["list"]>[1]): Read =>
      Effect.flatMap(DeadLetterStore, (store) => store.list(app, filter, after, LIMIT))
    return {
      all: by({}),
      kind: by({ kind: "webhook" }),
      webhook: by({ webhook_id: webhook }),
      notification: by({ notification_id: notification })
    }
  },
  "deadLetters.replays": ({ app }, after) => ({
    all: Effect.flatMap(ReplayStore, (store) => store.list(app, after, LIMIT))
  }),
  "apiKeys.list": ({ app }, after) => ({
    all: Effect.flatMap(ApplicationStore, (store) => store.keys(app, after, LIMIT))
  }),
  "auditLog.list": ({ app }, after) => ({
    all: Effect.flatMap(AuditLog, (store) => store.list(app, after, LIMIT))
  })
}

/** Of four kinds, and of the latest 50 versions at most, and so no lists that could be long. */
const SHORT = ["credentials.list", "templates.versions"]

interface Measured {
  readonly list: string
  readonly way: string
  readonly where: string
  readonly items: number
  readonly isLast: boolean
  readonly rows: number
  readonly ms: number
}

/** For whoever ran it to see; of each way to read a list the dearest place, and the slowest. */
const report = async (pages: ReadonlyArray<Measured>): Promise<void> => {
  const ways = Map.groupBy(pages, ({ list, way }) => `${list}, ${way}`)
  const lines = [...ways].map(([way, read]) => {
    const rows = Math.max(...read.map((page) => page.rows))
    const ms = Math.max(...read.map((page) => page.ms))
    return `${way.padEnd(40)} ${String(rows).padStart(5)} rows ${ms.toFixed(1).padStart(7)} ms`
  })
  const title = `${ROWS} rows: what the dearest of four pages of ${LIMIT} read, and how long the slowest took`
  await new Promise<void>((done) => process.stdout.write(`${[title, ...lines].join("\n")}\n`, () => done()))
}

/** Rows that this session's statements have read so far, from indexes and from whole tables. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly read: number }>`
    SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS read FROM pg_stat_user_tables`
  return row!.read
}).pipe(Effect.orDie)

layer(stores.pipe(Layer.provideMerge(database)), { timeout: 240_000 })("lists", (it) => {
  it.effect("are all known to this test", () =>
    Effect.sync(() => {
      const served = Object.entries(operations).flatMap(([resource, entries]) =>
        Object.entries(entries).flatMap(([name, { answer }]) => (answer === "page" ? [`${resource}.${name}`] : []))
      )
      expect(served.filter((name) => !SHORT.includes(name)).sort()).toEqual(Object.keys(lists).sort())
    })
  )

  it.effect(
    "read no more rows than a page needs, on their first page, in their middle and on their last",
    () =>
      Effect.gen(function* () {
        const place = yield* filled
        const now = Date.now()
        const places: ReadonlyArray<readonly [string, string | null]> = [
          ["first", null],
          ["middle", uuidFloor(now - (ROWS * GAP_MS) / 2)],
          // The last page of lists that begin with the newest, and of those that end with it.
          ["among the oldest", uuidFloor(now - (ROWS - LIMIT / 2) * GAP_MS)],
          ["among the newest", uuidFloor(now - (LIMIT / 2) * GAP_MS)]
        ]
        const pages: Array<Measured> = []
        for (const [name, waysOf] of Object.entries(lists)) {
          for (const [where, after] of places) {
            for (const [way, read] of Object.entries(waysOf(place, after))) {
              const before = yield* rowsRead
              const start = performance.now()
              const { items, next } = yield* read
              const ms = performance.now() - start
              const rows = (yield* rowsRead) - before
              pages.push({ list: name, way, where, items: items.length, isLast: next === null, rows, ms })
            }
          }
        }
        if (process.env["LISTS_ROWS"] !== undefined) yield* Effect.promise(() => report(pages))
        // A page that read nothing would prove nothing.
        for (const name of Object.keys(lists)) {
          const whole = pages.filter(({ list, way }) => list === name && way === "all")
          expect(
            whole.map(({ items, where }) => [where, items > LIMIT / 4]),
            name
          ).toEqual(places.map(([where]) => [where, true]))
          expect(
            whole.filter(({ isLast }) => isLast),
            name
          ).toHaveLength(1)
        }
        const most = (way: string) => (way === "some tag" ? READ_FOR_TAG : READ_AT_MOST)
        expect(pages.filter(({ rows, way }) => rows > most(way))).toEqual([])
      }),
    3_600_000
  )
})
