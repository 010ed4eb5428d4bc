import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { Webhook } from "../../../services/domain/webhooks/Webhook.ts"
import type { UpdateWebhook } from "../../../services/domain/webhooks/Webhook.ts"
import { WEBHOOKS_PER_APPLICATION } from "../../../services/domain/webhooks/Webhook.ts"
import type { AppId, WebhookId } from "../../../services/domain/Ids.ts"
import { WebhookStore, TooManyWebhooks } from "../../../services/ports/webhooks/WebhookStore.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import { milliseconds, texts } from "../server/columns.ts"
import { claimWebhookWork } from "./claimWebhookWork.ts"
import { finishWebhookWork, finishPlainWebhookWork } from "./finishWebhookWork.ts"
import { deliveriesOfRecipient, deliveryWithBody } from "./toldEvents.ts"
import { webhookDeliveries } from "./webhookDeliveries.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { Holder } from "../operations/Holder.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

interface WebhookRow {
  readonly id: WebhookId
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
  readonly id: WebhookId
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

const webhookOf = (row: WebhookRow): Webhook => ({
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

/** What the audit log tells of a change: which fields, and their values where these cannot hold a secret. */
const shown = ({ name, events, is_active, url, ...rest }: UpdateWebhook) => ({
  fields: Object.entries({ name, events, is_active, url, ...rest }).flatMap(([field, value]) =>
    value === undefined ? [] : [field]
  ),
  name,
  events,
  is_active,
  // Paths and queries of addresses are used as passwords.
  host: url === undefined || !URL.canParse(url) ? undefined : new URL(url).host
})

export const secretPlace = (id: WebhookId): string => `webhooks.secret:${id}`

export const layer: Layer.Layer<WebhookStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const holder = yield* Holder
    const columns = sql.literal(COLUMNS)
    const sealed = (id: WebhookId, secret: string | null | undefined) =>
      secret === null || secret === undefined ? null : box.seal(secretPlace(id), secret)
    const create: WebhookStore["Service"]["create"] = Effect.fnUntraced(
      function* (appId, id, webhook) {
        const isActive = webhook.is_active ?? true
        // The application's row is the lock of its limit; counting is another statement, so that it sees who came before.
        yield* sql`SELECT 1 FROM applications WHERE id = ${appId} FOR NO KEY UPDATE`
        const [row] = yield* sql<WebhookRow>`
          INSERT INTO webhooks (id, app_id, name, url, secret, events, is_active)
          SELECT ${id}::uuid, ${appId}::uuid, ${webhook.name}, ${webhook.url}, ${sealed(id, webhook.secret)}::bytea,
            ${texts(webhook.events ?? [])}, ${isActive}
          WHERE (SELECT count(*) FROM webhooks WHERE app_id = ${appId}) < ${WEBHOOKS_PER_APPLICATION}
          RETURNING ${columns}`
        if (row === undefined) return yield* new TooManyWebhooks({ limit: WEBHOOKS_PER_APPLICATION })
        yield* record(sql, appId, "webhook.created", id, shown({ ...webhook, is_active: isActive }))
        return webhookOf(row)
      },
      (effect, appId) => permitted(sql, appId, effect),
      Effect.catchTag("SqlError", (error) => storeError("WebhookStore.create")(Effect.fail(error)))
    )

    const find: WebhookStore["Service"]["find"] = (appId, id) =>
      sql<WebhookRow>`SELECT ${columns} FROM webhooks WHERE id = ${id} AND app_id = ${appId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), webhookOf)),
        storeError("WebhookStore.find")
      )

    const list: WebhookStore["Service"]["list"] = (appId, after, limit) =>
      sql<WebhookRow>`
        SELECT ${columns} FROM webhooks WHERE ${spanOf(sql, "oldest first", appId, after)} LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(webhookOf), limit)),
        storeError("WebhookStore.list")
      )

    /** What becomes of the secrets: the row's own values before the update are on the right. */
    const secrets = (id: WebhookId, secret: string | null, overlapMs: number) => {
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

    const update: WebhookStore["Service"]["update"] = (appId, id, change) => {
      const isEmpty = shown(change).fields.length === 0
      return sql<WebhookRow>`
        UPDATE webhooks SET ${sql.csv([
          isEmpty ? sql`updated_at = updated_at` : sql`updated_at = now()`,
          ...(change.name === undefined ? [] : [sql`name = ${change.name}`]),
          ...(change.url === undefined ? [] : [sql`url = ${change.url}`]),
          ...(change.secret === undefined
            ? []
            : secrets(id, change.secret, (change.secret_overlap_seconds ?? 0) * 1000)),
          ...(change.events === undefined ? [] : [sql`events = ${texts(change.events)}`]),
          ...(change.is_active === undefined ? [] : [sql`is_active = ${change.is_active}`]),
          // Only a webhook that was off begins anew: enabling an active one does not forget its failures.
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
          rows.length === 0 || isEmpty ? Effect.void : record(sql, appId, "webhook.changed", id, shown(change))
        ),
        (changed) => permitted(sql, appId, changed),
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), webhookOf)),
        storeError("WebhookStore.update")
      )
    }

    const remove: WebhookStore["Service"]["remove"] = (appId, id) =>
      sql<WebhookRow>`DELETE FROM webhooks WHERE id = ${id} AND app_id = ${appId} RETURNING ${columns}`.pipe(
        Effect.tap(([row]) =>
          row === undefined ? Effect.void : record(sql, appId, "webhook.deleted", id, { name: row.name })
        ),
        (removed) => permitted(sql, appId, removed),
        Effect.map((rows) => rows.length > 0),
        storeError("WebhookStore.remove")
      )

    const endpointOf = Effect.fnUntraced(function* (row: EndpointRow | undefined) {
      if (row === undefined) return Option.none()
      const { app_id: appId, epoch, former, id, secret, url } = row
      const sealedOnes = secret === null ? [] : [secret, ...(former ?? [])]
      const secrets = yield* Effect.forEach(sealedOnes, (one) => box.open(secretPlace(id), one))
      return Option.some({ id, appId, url, secrets: [...new Set(secrets)], epoch })
    })

    const endpoint: WebhookStore["Service"]["endpoint"] = (id) =>
      sql<EndpointRow>`SELECT ${sql.literal(ENDPOINT)} FROM webhooks WHERE id = ${id} AND is_active`.pipe(
        Effect.flatMap(([row]) => endpointOf(row)),
        storeError("WebhookStore.endpoint")
      )

    const target: WebhookStore["Service"]["target"] = (appId, id) =>
      sql<EndpointRow>`SELECT ${sql.literal(ENDPOINT)} FROM webhooks WHERE id = ${id} AND app_id = ${appId}`.pipe(
        Effect.flatMap(([row]) => endpointOf(row)),
        storeError("WebhookStore.target")
      )

    const isTheirs = (appId: AppId, id: WebhookId) =>
      Effect.map(sql`SELECT 1 FROM webhooks WHERE id = ${id} AND app_id = ${appId}`, ({ length }) => length > 0)
    const deliveries: WebhookStore["Service"]["deliveries"] = Effect.fnUntraced(function* (appId, id, ...asked) {
      return (yield* isTheirs(appId, id)) ? yield* webhookDeliveries(sql, id, ...asked) : { items: [], next: null }
    }, storeError("WebhookStore.deliveries"))
    const delivery: WebhookStore["Service"]["delivery"] = Effect.fnUntraced(function* (appId, id, eventId) {
      const found = (yield* isTheirs(appId, id)) ? yield* deliveryWithBody(sql, id, eventId) : undefined
      return Option.fromUndefinedOr(found)
    }, storeError("WebhookStore.delivery"))
    const ofRecipient: WebhookStore["Service"]["ofRecipient"] = (...asked) =>
      deliveriesOfRecipient(sql, ...asked).pipe(storeError("WebhookStore.ofRecipient"))

    /** What cannot even be put into a statement is refused like what a statement may not say. */
    const finishing = <A>(operation: string, write: () => Effect.Effect<A, SqlError>): Effect.Effect<A, StoreError> =>
      Effect.suspend(write).pipe(
        storeError(operation),
        Effect.catchDefect((cause) => Effect.fail(new StoreError({ operation, cause, refused: true })))
      )
    const finish: WebhookStore["Service"]["finish"] = (results) =>
      finishing("WebhookStore.finish", () => finishWebhookWork(sql, results))
    const finishPlain: WebhookStore["Service"]["finishPlain"] = (all) =>
      finishing("WebhookStore.finishPlain", () => finishPlainWebhookWork(sql, all))

    return WebhookStore.of({
      create,
      find,
      list,
      update,
      remove,
      endpoint,
      target,
      deliveries,
      delivery,
      ofRecipient,
      finish,
      finishPlain,
      ...claimWebhookWork(sql, holder)
    })
  })
)
