import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as LiveApplicationStore from "../../../../layers/postgres/access/ApplicationStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as LiveDeadLetterStore from "../../../../layers/postgres/sending/DeadLetterStore.ts"
import * as LiveWebhookStore from "../../../../layers/postgres/webhooks/WebhookStore.ts"
import type { CreateWebhook } from "../../../../services/domain/webhooks/Webhook.ts"
import type { AppId, EventChunkId, WebhookId, OrganizationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import type { WebhookResults, WebhookWork } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { testDatabase } from "../../../Database.ts"

const box = SecretBox.layerOf(randomBytes(32))

/** Another node on a database: it shares no connection, and so no order of statements, with anybody. */
export const nodeOf = (url: string) =>
  LiveWebhookStore.layer.pipe(Layer.provide([box, PgClient.layerFrom(pool(url, 4)).pipe(Layer.orDie)]))

/** Webhooks and their work over any database. */
export const storesOfWebhooks = Layer.mergeAll(
  LiveWebhookStore.layer,
  LiveApplicationStore.layer,
  LiveDeadLetterStore.layer
).pipe(Layer.provide(box))

/** And over one of their own. */
export const webhookStores = Layer.provideMerge(storesOfWebhooks, testDatabase())

export const LEASE = 60_000

export const newApp = Effect.gen(function* () {
  const applications = yield* ApplicationStore
  const id = uuidv7() as AppId
  const organizationId = uuidv7() as OrganizationId
  yield* applications.create({ id, organizationId, name: "app", identitySecret: "s", keys: [] })
  return id
})

export const newWebhook = Effect.fnUntraced(function* (appId: AppId, webhook: Partial<CreateWebhook> = {}) {
  const store = yield* WebhookStore
  return yield* store.create(appId, uuidv7() as WebhookId, {
    name: "webhook",
    url: "https://example.com/webhook",
    ...webhook
  })
})

/** A chunk of events with work for a webhook, as the sending side writes it. */
export const addWork = Effect.fnUntraced(function* (appId: AppId, webhookId: WebhookId, size: number) {
  const sql = yield* SqlClient.SqlClient
  const chunkId = uuidv7() as EventChunkId
  const columns = { deviceId: Array.from({ length: size }, (_, i) => `device ${i}`) }
  yield* sql`
    INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
    VALUES (${chunkId}, ${appId}, 'NOTIFICATION_SENT', '2026-01-02T03:04:05.678Z', ${size},
      ${JSON.stringify({ notificationId: "n" })}, ${JSON.stringify(columns)})`
  yield* sql`INSERT INTO webhook_work_items (id, webhook_id, chunk_id) VALUES (${uuidv7()}, ${webhookId}, ${chunkId})`
  return chunkId
})

/** An active webhook with one work item, claimed. */
export const claimedWork = Effect.fnUntraced(function* (size: number) {
  const store = yield* WebhookStore
  const appId = yield* newApp
  const webhook = yield* newWebhook(appId)
  const chunkId = yield* addWork(appId, webhook.id, size)
  const [work] = yield* store.claim(webhook.id, 4, LEASE)
  return { store, appId, webhook, chunkId, work: work! }
})

export const results = (webhookId: WebhookId, work: WebhookWork, change: Partial<WebhookResults>): WebhookResults => ({
  workId: work.id,
  fence: work.fence,
  webhookId,
  epoch: 1,
  delivered: [],
  tried: [],
  retry: null,
  exhausted: [],
  remaining: [],
  releaseAfterMs: null,
  leaseMs: LEASE,
  streak: { leading: 0, reset: false, longest: 0, trailing: 0, reason: null },
  disableAfter: 50,
  ...change
})

export const exhaust = (positions: ReadonlyArray<number>, reason: string): Partial<WebhookResults> => ({
  exhausted: positions.map((position) => ({ position, error: reason })),
  streak: { leading: positions.length, reset: false, longest: 0, trailing: 0, reason }
})
