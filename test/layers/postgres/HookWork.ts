import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as SecretBox from "../../../layers/crypto/SecretBox.ts"
import * as LiveApplicationStore from "../../../layers/postgres/ApplicationStore.ts"
import { pool } from "../../../layers/postgres/Database.ts"
import * as LiveDeadLetterStore from "../../../layers/postgres/DeadLetterStore.ts"
import * as LiveHookStore from "../../../layers/postgres/HookStore.ts"
import type { CreateHook } from "../../../services/domain/Hook.ts"
import type { AppId, EventChunkId, HookId, OrganizationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import { ApplicationStore } from "../../../services/ports/ApplicationStore.ts"
import type { HookResults, HookWork } from "../../../services/ports/HookStore.ts"
import { HookStore } from "../../../services/ports/HookStore.ts"
import { testDatabase } from "../../Database.ts"

const box = SecretBox.layerOf(randomBytes(32))

/** Another node on a database: it shares no connection, and so no order of statements, with anybody. */
export const nodeOf = (url: string) =>
  LiveHookStore.layer.pipe(Layer.provide([box, PgClient.layerFrom(pool(url, 4)).pipe(Layer.orDie)]))

/** Hooks and their work over any database. */
export const storesOfHooks = Layer.mergeAll(
  LiveHookStore.layer,
  LiveApplicationStore.layer,
  LiveDeadLetterStore.layer
).pipe(Layer.provide(box))

/** And over one of their own. */
export const hookStores = Layer.provideMerge(storesOfHooks, testDatabase())

export const LEASE = 60_000
export const OVERLAP = 3_600_000

export const newApp = Effect.gen(function* () {
  const applications = yield* ApplicationStore
  const id = uuidv7() as AppId
  const organizationId = uuidv7() as OrganizationId
  yield* applications.create({ id, organizationId, name: "app", identitySecret: "s", keys: [] })
  return id
})

export const newHook = Effect.fnUntraced(function* (appId: AppId, hook: Partial<CreateHook> = {}) {
  const store = yield* HookStore
  return yield* store.create(appId, uuidv7() as HookId, { name: "hook", url: "https://example.com/hook", ...hook })
})

/** A chunk of events with work for a hook, as the sending side writes it. */
export const addWork = Effect.fnUntraced(function* (appId: AppId, hookId: HookId, size: number) {
  const sql = yield* SqlClient.SqlClient
  const chunkId = uuidv7() as EventChunkId
  const columns = { deviceId: Array.from({ length: size }, (_, i) => `device ${i}`) }
  yield* sql`
    INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
    VALUES (${chunkId}, ${appId}, 'NOTIFICATION_SENT', '2026-01-02T03:04:05.678Z', ${size},
      ${JSON.stringify({ notificationId: "n" })}, ${JSON.stringify(columns)})`
  yield* sql`INSERT INTO hook_work (id, hook_id, chunk_id) VALUES (${uuidv7()}, ${hookId}, ${chunkId})`
  return chunkId
})

/** An active hook with one piece of work, claimed. */
export const claimedWork = Effect.fnUntraced(function* (size: number) {
  const store = yield* HookStore
  const appId = yield* newApp
  const hook = yield* newHook(appId)
  const chunkId = yield* addWork(appId, hook.id, size)
  const [work] = yield* store.claim(hook.id, 4, LEASE)
  return { store, appId, hook, chunkId, work: work! }
})

export const results = (hookId: HookId, work: HookWork, change: Partial<HookResults>): HookResults => ({
  workId: work.id,
  fence: work.fence,
  hookId,
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

export const exhaust = (positions: ReadonlyArray<number>, reason: string): Partial<HookResults> => ({
  exhausted: positions.map((position) => ({ position, error: reason })),
  streak: { leading: positions.length, reset: false, longest: 0, trailing: 0, reason }
})
