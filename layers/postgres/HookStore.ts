import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { EventName } from "../../services/domain/Event.ts"
import type { Hook } from "../../services/domain/Hook.ts"
import type { UpdateHook } from "../../services/domain/Hook.ts"
import { HOOKS_PER_APPLICATION } from "../../services/domain/Hook.ts"
import type { AppId, EventChunkId, HookId, HookWorkId } from "../../services/domain/Ids.ts"
import type { HookWork } from "../../services/ports/HookStore.ts"
import { HookStore, TooManyHooks } from "../../services/ports/HookStore.ts"
import { SecretBox } from "../../services/ports/SecretBox.ts"
import { StoreError } from "../../services/ports/StoreError.ts"
import { milliseconds, texts } from "./columns.ts"
import { finishHookWork } from "./finishHookWork.ts"
import { hookDeliveries } from "./hookDeliveries.ts"
import { record } from "./auditEntry.ts"
import { pageOf } from "./pages.ts"
import { storeError } from "./storeError.ts"
import { heldUntil, isAbandoned } from "./writableSince.ts"

interface HookRow {
  readonly id: HookId
  readonly app_id: AppId
  readonly name: string
  readonly url: string
  readonly events: ReadonlyArray<EventName>
  readonly is_active: boolean
  readonly disabled_reason: string | null
  readonly is_signed: boolean
  readonly overlap_until: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

const COLUMNS = `id, app_id, name, url, events, is_active, disabled_reason, created_at, updated_at,
  secret IS NOT NULL AS is_signed,
  (SELECT max(until) FROM unnest(former_until) AS until WHERE until > now()) AS overlap_until`

/** Former secrets that sign at the same time, at most: each makes the header longer by 68 characters. */
const FORMER_SECRETS = 4

interface EndpointRow {
  readonly id: HookId
  readonly app_id: AppId
  readonly url: string
  readonly secret: Uint8Array | null
  readonly former: ReadonlyArray<Uint8Array> | null
  readonly epoch: number
}
const ENDPOINT = `id, app_id, url, secret, epoch, CASE WHEN former_secrets <> '{}' THEN (
    SELECT array_agg(f.secret ORDER BY f.until DESC) FROM unnest(former_secrets, former_until) AS f (secret, until)
    WHERE f.until > now()
  ) END AS former`

const hookOf = (row: HookRow): Hook => ({
  id: row.id,
  appId: row.app_id,
  name: row.name,
  url: row.url,
  events: row.events,
  isActive: row.is_active,
  disabledReason: row.disabled_reason,
  isSigned: row.is_signed,
  overlapUntil: row.overlap_until?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

interface WorkRow {
  readonly id: HookWorkId
  readonly fence: number
  readonly attempts: number
  readonly positions: ReadonlyArray<number> | null
  readonly due_at: Date
  readonly chunk_id: EventChunkId
  readonly app_id: AppId
  readonly event: EventName
  readonly at: Date
  readonly size: number
  readonly common: string
  readonly columns: string
  readonly trace: string | null
}

const workOf = (row: WorkRow): HookWork => ({
  id: row.id,
  fence: row.fence,
  attempts: row.attempts,
  positions: row.positions ?? Array.from({ length: row.size }, (_, position) => position),
  chunk: {
    id: row.chunk_id,
    appId: row.app_id,
    event: row.event,
    at: row.at.getTime(),
    size: row.size,
    common: JSON.parse(row.common) as HookWork["chunk"]["common"],
    columns: JSON.parse(row.columns) as HookWork["chunk"]["columns"],
    ...(row.trace === null ? {} : { trace: row.trace })
  }
})

/** What the audit log tells of a change: which fields, and their values where these cannot hold a secret. */
const shown = ({ name, events, is_active, url, ...rest }: UpdateHook) => ({
  fields: Object.entries({ name, events, is_active, url, ...rest }).flatMap(([field, value]) =>
    value === undefined ? [] : [field]
  ),
  name,
  events,
  is_active,
  // Paths and queries of addresses are used as passwords.
  host: url === undefined || !URL.canParse(url) ? undefined : new URL(url).host
})

const secretPlace = (id: HookId): string => `hooks.secret:${id}`

export const layer: Layer.Layer<HookStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  HookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const columns = sql.literal(COLUMNS)
    const sealed = (id: HookId, secret: string | null | undefined) =>
      secret === null || secret === undefined ? null : box.seal(secretPlace(id), secret)
    /** Work that somebody may take. */
    const takeable = (leaseMs: number) =>
      sql`NOT w.done AND w.due_at <= now() AND (w.lease_until IS NULL OR w.lease_until <= now())
            AND ${isAbandoned(sql, "w", leaseMs)}`

    const create: HookStore["Service"]["create"] = Effect.fnUntraced(
      function* (appId, id, hook) {
        const isActive = hook.is_active ?? true
        // The application's row is the lock of its limit; counting is another statement, so that it sees who came before.
        yield* sql`SELECT 1 FROM applications WHERE id = ${appId} FOR NO KEY UPDATE`
        const [row] = yield* sql<HookRow>`
          INSERT INTO hooks (id, app_id, name, url, secret, events, is_active)
          SELECT ${id}::uuid, ${appId}::uuid, ${hook.name}, ${hook.url}, ${sealed(id, hook.secret)}::bytea,
            ${texts(hook.events ?? [])}, ${isActive}
          WHERE (SELECT count(*) FROM hooks WHERE app_id = ${appId}) < ${HOOKS_PER_APPLICATION}
          RETURNING ${columns}`
        if (row === undefined) return yield* new TooManyHooks({ limit: HOOKS_PER_APPLICATION })
        yield* record(sql, appId, "webhook.created", id, shown({ ...hook, is_active: isActive }))
        return hookOf(row)
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("HookStore.create")(Effect.fail(error)))
    )

    const find: HookStore["Service"]["find"] = (appId, id) =>
      sql<HookRow>`SELECT ${columns} FROM hooks WHERE id = ${id} AND app_id = ${appId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), hookOf)),
        storeError("HookStore.find")
      )

    const list: HookStore["Service"]["list"] = (appId, after, limit) =>
      sql<HookRow>`
        SELECT ${columns} FROM hooks WHERE ${sql.and([
          sql`app_id = ${appId}`,
          ...(after === null ? [] : [sql`id > ${after}`])
        ])} ORDER BY id LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(hookOf), limit)),
        storeError("HookStore.list")
      )

    /** What becomes of the secrets: the row's own values before the update are on the right. */
    const secrets = (id: HookId, secret: string | null, overlapMs: number) => {
      const none = [sql`former_secrets = '{}'`, sql`former_until = '{}'`]
      if (secret === null) return [sql`secret = NULL`, ...none]
      if (overlapMs === 0) return [sql`secret = ${sealed(id, secret)}`, ...none]
      const kept = (column: "f.secret" | "f.until") => sql`coalesce((
        SELECT array_agg(${sql.literal(column)} ORDER BY f.until DESC) FROM (
          SELECT * FROM unnest(
            former_secrets || secret, former_until || (now() + ${milliseconds(overlapMs)} * interval '1 ms')
          ) AS all_of_them (secret, until)
          WHERE secret IS NOT NULL AND until > now() ORDER BY until DESC LIMIT ${FORMER_SECRETS}
        ) f), '{}')`
      return [
        sql`secret = ${sealed(id, secret)}`,
        sql`former_secrets = ${kept("f.secret")}`,
        sql`former_until = ${kept("f.until")}`
      ]
    }

    const update: HookStore["Service"]["update"] = (appId, id, change, overlapMs) =>
      sql<HookRow>`
        UPDATE hooks SET ${sql.csv([
          sql`updated_at = now()`,
          ...(change.name === undefined ? [] : [sql`name = ${change.name}`]),
          ...(change.url === undefined ? [] : [sql`url = ${change.url}`]),
          ...(change.secret === undefined
            ? []
            : secrets(
                id,
                change.secret,
                change.secret_overlap_seconds === undefined ? overlapMs : change.secret_overlap_seconds * 1000
              )),
          ...(change.events === undefined ? [] : [sql`events = ${texts(change.events)}`]),
          ...(change.is_active === undefined ? [] : [sql`is_active = ${change.is_active}`]),
          // Only a hook that was off begins anew: enabling an active one does not forget its failures.
          ...(change.is_active === true
            ? [
                sql`disabled_reason = NULL`,
                sql`epoch = CASE WHEN is_active THEN epoch ELSE epoch + 1 END`,
                sql`failures = CASE WHEN is_active THEN failures ELSE 0 END`,
                sql`failing_since = CASE WHEN is_active THEN failing_since END`
              ]
            : [])
        ])} WHERE id = ${id} AND app_id = ${appId} RETURNING ${columns}`.pipe(
        Effect.tap((rows) =>
          rows.length === 0 ? Effect.void : record(sql, appId, "webhook.changed", id, shown(change))
        ),
        (changed) => sql.withTransaction(changed),
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), hookOf)),
        storeError("HookStore.update")
      )

    const remove: HookStore["Service"]["remove"] = (appId, id) =>
      sql<HookRow>`DELETE FROM hooks WHERE id = ${id} AND app_id = ${appId} RETURNING ${columns}`.pipe(
        Effect.tap(([row]) =>
          row === undefined ? Effect.void : record(sql, appId, "webhook.deleted", id, { name: row.name })
        ),
        (removed) => sql.withTransaction(removed),
        Effect.map((rows) => rows.length > 0),
        storeError("HookStore.remove")
      )

    const endpointOf = Effect.fnUntraced(function* (row: EndpointRow | undefined) {
      if (row === undefined) return Option.none()
      const { app_id: appId, epoch, former, id, secret, url } = row
      const sealedOnes = secret === null ? [] : [secret, ...(former ?? [])]
      const secrets = yield* Effect.forEach(sealedOnes, (one) => box.open(secretPlace(id), one))
      return Option.some({ id, appId, url, secrets: [...new Set(secrets)], epoch })
    })

    const endpoint: HookStore["Service"]["endpoint"] = (id) =>
      sql<EndpointRow>`SELECT ${sql.literal(ENDPOINT)} FROM hooks WHERE id = ${id} AND is_active`.pipe(
        Effect.flatMap(([row]) => endpointOf(row)),
        storeError("HookStore.endpoint")
      )

    const target: HookStore["Service"]["target"] = (appId, id) =>
      sql<EndpointRow>`SELECT ${sql.literal(ENDPOINT)} FROM hooks WHERE id = ${id} AND app_id = ${appId}`.pipe(
        Effect.flatMap(([row]) => endpointOf(row)),
        storeError("HookStore.target")
      )

    const deliveries: HookStore["Service"]["deliveries"] = Effect.fnUntraced(function* (appId, id, after, limit) {
      const found = yield* sql`SELECT 1 FROM hooks WHERE id = ${id} AND app_id = ${appId}`
      return found.length === 0 ? { items: [], next: null } : yield* hookDeliveries(sql, id, after, limit)
    }, storeError("HookStore.deliveries"))

    const take = (id: HookId, limit: number, leaseMs: number, which: "oldest" | "tried") =>
      sql<WorkRow>`
        WITH free AS MATERIALIZED (
          SELECT w.id FROM hook_work w
          WHERE w.hook_id = ${id} AND ${takeable(leaseMs)} AND EXISTS (SELECT 1 FROM hooks h WHERE h.id = ${id} AND h.is_active)
          ${which === "tried" ? sql`AND w.attempts > 0 ORDER BY w.attempts DESC,` : sql`ORDER BY`} w.due_at, w.id LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED
        )
        UPDATE hook_work w SET fence = w.fence + 1, lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
        FROM free, event_chunks c WHERE w.id = free.id AND c.id = w.chunk_id
        RETURNING w.id, w.fence, w.attempts, w.positions, w.due_at,
          c.id AS chunk_id, c.app_id, c.event, c.at, c.size, c.common, c.columns, c.trace`.pipe(
        Effect.map((rows) => rows.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime()).map(workOf)),
        storeError("HookStore.claim")
      )

    const claim: HookStore["Service"]["claim"] = (id, limit, leaseMs) => take(id, limit, leaseMs, "oldest")

    const claimMostTried: HookStore["Service"]["claimMostTried"] = (id, leaseMs) =>
      Effect.flatMap(take(id, 1, leaseMs, "tried"), (pieces) =>
        pieces.length > 0 ? Effect.succeed(pieces) : take(id, 1, leaseMs, "oldest")
      )

    const finish: HookStore["Service"]["finish"] = (results) =>
      Effect.suspend(() => finishHookWork(sql, results)).pipe(
        storeError("HookStore.finish"),
        // What cannot even be put into a statement is refused like what a statement may not say.
        Effect.catchDefect((cause) =>
          Effect.fail(new StoreError({ operation: "HookStore.finish", cause, refused: true }))
        )
      )

    const due: HookStore["Service"]["due"] = (limit, leaseMs) =>
      sql<{ readonly id: HookId }>`
        SELECT h.id FROM hooks h CROSS JOIN LATERAL (
          SELECT w.due_at FROM hook_work w WHERE w.hook_id = h.id AND ${takeable(leaseMs)} ORDER BY w.due_at LIMIT 1
        ) oldest WHERE h.is_active ORDER BY oldest.due_at LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map(({ id }) => id)),
        storeError("HookStore.due")
      )

    const nextDue: HookStore["Service"]["nextDue"] = (id, leaseMs) =>
      sql<{ readonly wait: number | null }>`
        SELECT extract(epoch FROM min(greatest(w.due_at, ${heldUntil(sql, "w", leaseMs)})) - now())::float8 * 1000 AS wait
        FROM hook_work w JOIN hooks h ON h.id = w.hook_id AND h.is_active WHERE w.hook_id = ${id} AND NOT w.done`.pipe(
        Effect.map((rows) => Option.map(Option.fromNullishOr(rows[0]?.wait), (wait) => Math.max(0, Math.ceil(wait)))),
        storeError("HookStore.nextDue")
      )

    return HookStore.of({
      create,
      find,
      list,
      update,
      remove,
      endpoint,
      target,
      deliveries,
      claim,
      claimMostTried,
      finish,
      due,
      nextDue
    })
  })
)
