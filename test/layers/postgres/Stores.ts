import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql/Statement"
import * as AudienceStores from "../../../layers/postgres/audience/AudienceStore.ts"
import * as BatchStores from "../../../layers/postgres/sending/BatchStore.ts"
import * as DeadLetterStores from "../../../layers/postgres/sending/DeadLetterStore.ts"
import * as ChannelStores from "../../../layers/postgres/audience/ChannelStore.ts"
import * as ContactStores from "../../../layers/postgres/audience/ContactStore.ts"
import { pool } from "../../../layers/postgres/server/Database.ts"
import * as DeviceStores from "../../../layers/postgres/audience/DeviceStore.ts"
import * as InboxStores from "../../../layers/postgres/inbox/InboxStore.ts"
import * as SegmentStores from "../../../layers/postgres/audience/SegmentStore.ts"
import * as TemplateStores from "../../../layers/postgres/messages/TemplateStore.ts"
import * as NotificationStores from "../../../layers/postgres/sending/NotificationStore.ts"
import * as ReplayStores from "../../../layers/postgres/sending/ReplayStore.ts"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { RegisterDevice } from "../../../services/domain/audience/Device.ts"
import type { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { AppId, BatchId, EventChunkId, WebhookId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { KeptRequest, SendNotification } from "../../../services/domain/sending/Notification.ts"
import type { ClaimedBatch, ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { TestDatabase, testDatabase } from "../../Database.ts"

const stores = Layer.mergeAll(
  AudienceStores.layer,
  BatchStores.layer,
  ChannelStores.layer,
  ContactStores.layer,
  DeadLetterStores.layer,
  DeviceStores.layer,
  InboxStores.layer,
  NotificationStores.layer,
  SegmentStores.layer,
  TemplateStores.layer,
  ReplayStores.layer
)

/** The stores of the hot path over a database of their own. */
export const hotStores = stores.pipe(Layer.provideMerge(testDatabase()))

/** Runs an effect as on a node of its own: its statements share no connection, and so no order, with anybody's. */
export const onOwnNode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const node = stores.pipe(Layer.provide(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
    return yield* Effect.provide(effect, Layer.fresh(node))
  })

/** Runs effects at the same time, each on a node of its own. */
export const atOnce = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects.map(onOwnNode), { concurrency: "unbounded" })

/** Holds what a statement locks, from when this is done until what it answers is. */
export const hold = Effect.fnUntraced(function* (lock: Statement<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const [isHeld, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      lock.pipe(Effect.andThen(Deferred.succeed(isHeld, undefined)), Effect.andThen(Deferred.await(letGo)))
    )
  )
  yield* Deferred.await(isHeld)
  return Effect.andThen(Deferred.succeed(letGo, undefined), Fiber.join(holder))
})

export const newApp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const organization = uuidv7()
  const id = uuidv7() as AppId
  yield* sql`INSERT INTO organizations (id, name) VALUES (${organization}, 'An organization')`
  yield* sql`INSERT INTO applications (id, organization_id, name, identity_secret)
    VALUES (${id}, ${organization}, 'An application', ${new Uint8Array(1)})`
  return id
})

export const newWebhook = Effect.fnUntraced(function* (
  appId: AppId,
  webhook: { readonly events?: ReadonlyArray<EventName>; readonly isActive?: boolean } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7() as WebhookId
  yield* sql`INSERT INTO webhooks (id, app_id, name, url, events, is_active)
    VALUES (${id}, ${appId}, 'A webhook', 'https://example.com/', ${webhook.events ?? []}, ${webhook.isActive ?? true})`
  return id
})

export const android = (token: string, fields: Partial<RegisterDevice> = {}): RegisterDevice => ({
  token,
  platform: "android",
  ...fields
})

export const tokens = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

export const HELLO: SendNotification = { to: { all: true }, content: { title: "Hello" } }

export const accepted = Effect.fnUntraced(function* (appId: AppId, request: KeptRequest = HELLO) {
  const notifications = yield* NotificationStore
  const id = uuidv7() as NotificationId
  yield* notifications.accept({ id, appId, request, ttlMs: 60_000, batches: null })
  return id
})

/** A notification whose plan is done, with one batch for each list of recipients. */
export const planned = Effect.fnUntraced(function* (
  appId: AppId,
  batches: ReadonlyArray<ReadonlyArray<string>>,
  provider: ProviderKind = "fcm",
  request: SendNotification = HELLO
) {
  const notifications = yield* NotificationStore
  const id = yield* accepted(appId, request)
  yield* notifications.claimPlan(id, 60_000)
  yield* notifications.savePlan({
    id,
    fence: 1,
    batches: batches.map((recipients) => ({ id: uuidv7() as BatchId, provider, recipients })),
    cursor: null,
    done: true,
    leaseMs: 60_000
  })
  return id
})

export const ids = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => uuidv7())

/** Results for a claimed batch: all that is not said otherwise was sent. */
export const chunkOf = (
  batch: ClaimedBatch,
  recipients: ReadonlyArray<string>,
  more: Partial<ResultChunk> = {}
): ResultChunk => ({
  batchId: batch.id,
  fence: batch.fence,
  appId: batch.appId,
  notificationId: batch.notificationId,
  provider: batch.provider,
  attempts: batch.attempts + 1,
  final: {
    recipients,
    statuses: recipients.map(() => "sent" as const),
    messageIds: recipients.map((id) => `message-${id}`),
    errors: recipients.map(() => null)
  },
  retries: [],
  remaining: [],
  leaseMs: 60_000,
  dead: [],
  environments: [],
  inbox: null,
  events: [],
  ...more
})

export const eventsOf = (appId: AppId, event: EventName, recipients: ReadonlyArray<string>) => ({
  id: uuidv7() as EventChunkId,
  appId,
  event,
  at: 1_790_000_000_123,
  size: recipients.length,
  common: { notificationId: "n" },
  columns: { deviceId: recipients }
})

/** Only the account's own numbers, and the proof that it closes. */
export const accountOf = Effect.fnUntraced(function* (appId: AppId, id: NotificationId) {
  const notifications = yield* NotificationStore
  const counts = (yield* notifications.counts(appId, [id])).get(id)!
  const { accepted, pending, sent, failed, skipped, cancelled } = counts
  if (accepted !== pending + sent + failed + skipped + cancelled) throw new Error("Totals do not reconcile")
  return { accepted, pending, sent, failed, skipped, cancelled }
})

/**
 * Moves what a database clock would take long to reach: ends every lease, and makes every batch due. A batch's lease is
 * taken away, because one that was over before the server of the tests began would be respected still.
 */
export const endLeases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE batches SET lease_until = NULL`
  yield* sql`UPDATE notifications SET plan_lease_until = now() - interval '1 s' WHERE plan_lease_until IS NOT NULL`
})

export const makeDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE batches SET due_at = now() WHERE NOT done`
})
