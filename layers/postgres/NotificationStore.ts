import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../services/domain/Credential.ts"
import type { Counts, Delivery } from "../../services/domain/Delivery.ts"
import type { AppId, NotificationId } from "../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../services/domain/Ids.ts"
import type {
  Message,
  Notification,
  NotificationStatus,
  Priority,
  SendNotification
} from "../../services/domain/Notification.ts"
import type { NewNotification, SteerCommand } from "../../services/ports/NotificationStore.ts"
import { NotificationStore } from "../../services/ports/NotificationStore.ts"
import { StoreError } from "../../services/ports/StoreError.ts"
import { cancelRest } from "./cancelRest.ts"
import { coalesce, isRefusedBySql } from "./Coalesce.ts"
import { booleans, doubles, isUuid, milliseconds, smallints, texts, times, uuidArrayText, uuids } from "./columns.ts"
import { providerOfLetter, statusOfLetter } from "./letters.ts"
import { pageOf } from "./pages.ts"
import { storeError } from "./storeError.ts"

interface NotificationRow {
  readonly id: NotificationId
  readonly app_id: AppId
  readonly status: NotificationStatus
  readonly request: SendNotification
  readonly created_at: Date
  readonly started_at: Date | null
  readonly completed_at: Date | null
}

interface PlanRow extends NotificationRow {
  readonly plan_cursor: string | null
  readonly plan_fence: number
}

interface SteeredRow extends NotificationRow {
  readonly plan_done: boolean
}

/** From which states a command leads to which, and in which there is nothing left to do for it. */
const STEERING: Readonly<
  Record<
    SteerCommand,
    {
      readonly from: ReadonlyArray<NotificationStatus>
      readonly to: string
      readonly already: ReadonlyArray<NotificationStatus>
    }
  >
> = {
  cancel: { from: ["scheduled", "queued", "sending", "paused"], to: "'cancelled'", already: ["cancelled"] },
  pause: { from: ["queued", "sending"], to: "'paused'", already: ["paused"] },
  resume: {
    from: ["paused"],
    to: "CASE WHEN started_at IS NULL THEN 'queued' ELSE 'sending' END",
    already: ["queued", "sending"]
  }
}

/** Statements in which a cancel itself ends what is left, some tens of thousands of recipients each. */
const ROUNDS = 4

interface MessageRow {
  readonly id: NotificationId
  readonly app_id: AppId
  readonly priority: Priority
  readonly request: SendNotification
  readonly expires_at: Date
}

interface DeliveryRow {
  readonly recipient_id: string
  readonly at: Date
  readonly provider: string
  readonly status: string
  readonly attempts: number
  readonly message_id: string | null
  readonly error: string | null
}

const COLUMNS = "id, app_id, status, request, created_at, started_at, completed_at"

const notificationOf = (row: NotificationRow): Notification => ({
  id: row.id,
  appId: row.app_id,
  status: row.status,
  request: row.request,
  createdAt: row.created_at.getTime(),
  startedAt: row.started_at?.getTime() ?? null,
  completedAt: row.completed_at?.getTime() ?? null
})

const messageOf = (row: MessageRow): Message => ({
  notificationId: row.id,
  appId: row.app_id,
  content: row.request.content,
  priority: row.priority,
  expiresAt: row.expires_at.getTime(),
  nowOrNever: row.request.ttl === 0,
  collapseKey: row.request.collapse_key ?? null,
  overrides: row.request.overrides ?? {}
})

const deliveryOf =
  (notificationId: NotificationId) =>
  (row: DeliveryRow): Delivery => ({
    id: deliveryIdOf(notificationId, row.recipient_id),
    notificationId,
    recipientId: row.recipient_id,
    provider: providerOfLetter(row.provider),
    status: statusOfLetter(row.status),
    messageId: row.message_id,
    error: row.error,
    attempts: row.attempts,
    at: row.at.getTime()
  })

/** A notification on its way into the table, with its request as text. */
interface Arrival {
  readonly notification: NewNotification
  readonly priority: Priority
  readonly request: string
}

/** Rows of a statement that stands for many calls; a request takes the place of a row by its length, too. */
const ROWS = 256
const AT_ONCE = 2
const LONG = 4096

const KEY_LOST = "The idempotency key was taken over by another request"

const weightOf = ({ notification, request }: Arrival): number => {
  let weight = 1 + request.length / LONG
  for (const { recipients } of notification.batches ?? []) weight += 1 + recipients.length / 50
  return weight
}

export const layer: Layer.Layer<NotificationStore, never, SqlClient.SqlClient> = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const cancelTheRest = cancelRest(sql)

    const acceptAll = Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
      const batches = arrivals.flatMap(({ notification, priority }) =>
        (notification.batches ?? []).map((batch) => ({ ...batch, notification, priority }))
      )
      // Keys that are still their requests' get their answers; a notification whose key is not comes to nothing.
      const settled = arrivals.flatMap(({ notification: { id, settlement } }) =>
        settlement ? { id, ...settlement } : []
      )
      const keys =
        settled.length === 0
          ? sql``
          : sql`keys AS (
          UPDATE idempotency_keys k SET status = t.status, body = t.body, location = t.location
          FROM unnest(${uuids(settled.map(({ id }) => id))}, ${uuids(settled.map(({ claim }) => claim.appId))},
            ${texts(settled.map(({ claim }) => claim.route))}, ${texts(settled.map(({ claim }) => claim.key))},
            ${uuids(settled.map(({ claim }) => claim.holder))}, ${smallints(settled.map(({ answer }) => answer.status))},
            ${texts(settled.map(({ answer }) => answer.body))}, ${texts(settled.map(({ answer }) => answer.location))}
          ) AS t (id, app_id, route, key, holder, status, body, location)
          WHERE k.app_id = t.app_id AND k.route = t.route AND k.key = t.key AND k.holder = t.holder AND k.status IS NULL
          RETURNING t.id
        ), `
      const isMeant = (column: string) =>
        settled.length === 0
          ? sql``
          : sql`WHERE ${sql.literal(column)} <> ALL(${uuids(settled.map(({ id }) => id))})
              OR ${sql.literal(column)} IN (SELECT id FROM keys)`
      const written =
        batches.length === 0
          ? sql``
          : sql`, written AS (
          INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
          SELECT t.id, t.notification_id, t.app_id, t.provider, t.priority, t.recipients::uuid[]
          FROM unnest(${uuids(batches.map((batch) => batch.id))},
            ${uuids(batches.map((batch) => batch.notification.id))},
            ${uuids(batches.map((batch) => batch.notification.appId))},
            ${texts(batches.map((batch) => batch.provider))}, ${texts(batches.map((batch) => batch.priority))},
            ${texts(batches.map((batch) => uuidArrayText(batch.recipients)))}
          ) AS t (id, notification_id, app_id, provider, priority, recipients)
          ${isMeant("t.notification_id")}
        )`
      const rows = yield* sql<{ readonly at: Date; readonly kept: ReadonlyArray<string> }>`
        WITH ${keys}made AS (
          INSERT INTO notifications (
            id, app_id, priority, request, expires_at, plan_done, status, started_at, send_at, published_at
          )
          SELECT t.id, t.app_id, t.priority, t.request::json, coalesce(t.send_at, now()) + t.ttl * interval '1 ms',
            t.planned, CASE WHEN t.planned THEN 'sending' WHEN t.send_at IS NULL THEN 'queued' ELSE 'scheduled' END,
            CASE WHEN t.planned THEN now() END, t.send_at, coalesce(t.send_at, now())
          FROM unnest(${uuids(arrivals.map(({ notification }) => notification.id))},
            ${uuids(arrivals.map(({ notification }) => notification.appId))},
            ${texts(arrivals.map(({ priority }) => priority))}, ${texts(arrivals.map(({ request }) => request))},
            ${doubles(arrivals.map(({ notification }) => notification.ttlMs))},
            ${booleans(arrivals.map(({ notification }) => notification.batches !== null))},
            ${times(arrivals.map(({ notification }) => notification.sendAt ?? null))}
          ) AS t (id, app_id, priority, request, ttl, planned, send_at)
          ${isMeant("t.id")}
        )${written}
        SELECT now() AS at, ${settled.length === 0 ? sql`'{}'::uuid[]` : sql`ARRAY(SELECT id FROM keys)`} AS kept`
      const createdAt = rows[0]!.at.getTime()
      const kept = new Set(rows[0]!.kept)
      return arrivals.map(({ notification: { id, appId, request, sendAt, settlement } }): Notification | null =>
        settlement && !kept.has(id)
          ? null
          : {
              id,
              appId,
              status: sendAt == null ? "queued" : "scheduled",
              request,
              createdAt,
              startedAt: null,
              completedAt: null
            }
      )
    }, storeError("NotificationStore.accept"))

    const acceptOne = yield* coalesce({
      run: acceptAll,
      weight: weightOf,
      isRefusal: isRefusedBySql,
      rows: ROWS,
      atOnce: AT_ONCE
    })

    const accept: NotificationStore["Service"]["accept"] = (notification) =>
      acceptOne({
        notification,
        priority: notification.request.priority ?? "bulk",
        request: JSON.stringify(notification.request)
      }).pipe(
        Effect.flatMap((made) =>
          made === null
            ? Effect.fail(new StoreError({ operation: "NotificationStore.accept", cause: new Error(KEY_LOST) }))
            : Effect.succeed(made)
        )
      )

    const find: NotificationStore["Service"]["find"] = (appId, id) =>
      sql<NotificationRow>`SELECT ${columns} FROM notifications WHERE id = ${id} AND app_id = ${appId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), notificationOf)),
        storeError("NotificationStore.find")
      )

    const list: NotificationStore["Service"]["list"] = (appId, before, limit) =>
      sql<NotificationRow>`
        SELECT ${columns} FROM notifications WHERE ${sql.and([
          sql`app_id = ${appId}`,
          ...(before === null ? [] : [sql`id < ${before}`])
        ])} ORDER BY id DESC LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(notificationOf), limit)),
        storeError("NotificationStore.list")
      )

    const counts: NotificationStore["Service"]["counts"] = Effect.fnUntraced(function* (appId, ids) {
      const rows = yield* sql<{ readonly id: NotificationId } & Omit<Counts, "accepted">>`
        SELECT n.id, coalesce(sum(b.pending), 0)::integer AS pending, coalesce(sum(b.sent), 0)::integer AS sent,
          coalesce(sum(b.failed), 0)::integer AS failed, coalesce(sum(b.skipped), 0)::integer AS skipped,
          coalesce(sum(b.cancelled), 0)::integer AS cancelled, coalesce(e.delivered, 0) AS delivered,
          coalesce(e.opened, 0) AS opened, coalesce(e.clicked, 0) AS clicked
        FROM unnest(${uuids([...new Set(ids.filter(isUuid))])}) AS t (id)
          JOIN notifications n ON n.id = t.id AND n.app_id = ${appId}
          LEFT JOIN batches b ON b.notification_id = n.id
          LEFT JOIN engagement_counts e ON e.notification_id = n.id
        GROUP BY n.id, e.notification_id`
      return new Map(
        rows.map(({ id, pending, sent, failed, skipped, cancelled, delivered, opened, clicked }) => [
          id,
          {
            // Summed here and not counted apart: the account cannot but close.
            accepted: pending + sent + failed + skipped + cancelled,
            pending,
            sent,
            failed,
            skipped,
            cancelled,
            delivered,
            opened,
            clicked
          }
        ])
      )
    }, storeError("NotificationStore.counts"))

    const message: NotificationStore["Service"]["message"] = (id) =>
      sql<MessageRow>`SELECT id, app_id, priority, request, expires_at FROM notifications WHERE id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), messageOf)),
        storeError("NotificationStore.message")
      )

    const deliveries: NotificationStore["Service"]["deliveries"] = Effect.fnUntraced(function* (
      appId,
      id,
      after,
      limit
    ) {
      const rows = yield* sql<DeliveryRow>`
          SELECT recipient_id, at, provider, status, attempts, message_id, error FROM deliveries WHERE ${sql.and([
            sql`notification_id = ${id}`,
            sql`EXISTS (SELECT 1 FROM notifications WHERE id = ${id} AND app_id = ${appId})`,
            ...(after === null ? [] : [sql`recipient_id > ${after}`])
          ])} ORDER BY recipient_id LIMIT ${limit + 1}`
      return {
        items: rows.slice(0, limit).map(deliveryOf(id)),
        next: rows.length > limit ? (rows[limit - 1]?.recipient_id ?? null) : null
      }
    }, storeError("NotificationStore.deliveries"))

    const claimPlan: NotificationStore["Service"]["claimPlan"] = Effect.fnUntraced(function* (id, leaseMs) {
      const rows = yield* sql<PlanRow>`
        UPDATE notifications SET
          status = 'sending',
          started_at = coalesce(started_at, now()),
          plan_fence = plan_fence + 1,
          plan_lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
        WHERE id = ${id} AND NOT plan_done AND status IN ('queued', 'sending')
          AND (plan_lease_until IS NULL OR plan_lease_until < now())
        RETURNING ${columns}, plan_cursor, plan_fence`
      return Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({
        notification: notificationOf(row),
        cursor: row.plan_cursor,
        fence: row.plan_fence
      }))
    }, storeError("NotificationStore.claimPlan"))

    // A repeated step finds its own fence and its own batches: it writes the same once more, and no batch twice.
    const savePlan: NotificationStore["Service"]["savePlan"] = Effect.fnUntraced(function* (step) {
      const { id, fence, batches, cursor, done, leaseMs } = step
      const rows = yield* sql`
        WITH plan AS (
          UPDATE notifications SET
            plan_cursor = ${cursor},
            plan_done = ${done},
            plan_lease_until = CASE WHEN ${done} THEN NULL
              ELSE now() + ${milliseconds(leaseMs)} * interval '1 ms' END
          WHERE id = ${id} AND plan_fence = ${fence} AND (NOT plan_done OR ${done})
            AND status IN ('queued', 'sending')
          RETURNING id, app_id, priority
        ), written AS (
          INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
          SELECT t.id, plan.id, plan.app_id, t.provider, plan.priority, t.recipients::uuid[]
          FROM plan, unnest(${uuids(batches.map((batch) => batch.id))}, ${texts(batches.map((batch) => batch.provider))},
            ${texts(batches.map((batch) => uuidArrayText(batch.recipients)))}) AS t (id, provider, recipients)
          ON CONFLICT (id) DO NOTHING
        )
        SELECT id FROM plan`
      return rows.length > 0
    }, storeError("NotificationStore.savePlan"))

    const completeIfDone: NotificationStore["Service"]["completeIfDone"] = (id) =>
      sql`
        UPDATE notifications SET status = 'completed', completed_at = now()
        WHERE id = ${id} AND plan_done AND completed_at IS NULL AND status IN ('queued', 'sending', 'paused')
          AND NOT EXISTS (SELECT 1 FROM batches WHERE notification_id = ${id} AND NOT done)
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeError("NotificationStore.completeIfDone")
      )

    const steer: NotificationStore["Service"]["steer"] = Effect.fnUntraced(function* (appId, id, command) {
      const { from, to } = STEERING[command]
      const steered = yield* sql.withTransaction(
        Effect.gen(function* () {
          // First the notification, by which planners and other commands wait for each other; then, with what they have
          // written before our eyes, its batches. A new fence sends a planner home.
          const rows = yield* sql<SteeredRow>`
            UPDATE notifications SET
              status = ${sql.literal(to)},
              plan_done = plan_done OR ${command === "cancel"},
              plan_fence = plan_fence + 1, plan_lease_until = NULL, published_at = now()
            WHERE id = ${id} AND app_id = ${appId} AND status = ANY(${texts(from)})
            RETURNING ${columns}, plan_done`
          const row = rows[0]
          if (row === undefined) return null
          const lanes = yield* sql<{ readonly provider: ProviderKind }>`
            WITH moved AS (
              UPDATE batches SET paused = ${command !== "resume"}
              WHERE notification_id = ${id} AND NOT done AND paused <> ${command !== "resume"}
            )
            SELECT DISTINCT provider FROM batches WHERE notification_id = ${id} AND NOT done`
          return { row, lanes: lanes.map(({ provider }) => provider) }
        })
      )
      if (steered === null) {
        const found = yield* sql<SteeredRow>`
          SELECT ${columns}, plan_done FROM notifications WHERE id = ${id} AND app_id = ${appId}`
        return Option.map(Option.fromUndefinedOr(found[0]), (row) => ({
          notification: notificationOf(row),
          isDone: STEERING[command].already.includes(row.status),
          plan: !row.plan_done,
          lanes: []
        }))
      }
      if (command === "cancel") yield* cancelTheRest(id, ROUNDS)
      return Option.some({
        notification: notificationOf(steered.row),
        isDone: true,
        plan: !steered.row.plan_done,
        lanes: steered.lanes
      })
    }, storeError("NotificationStore.steer"))

    const isHalted: NotificationStore["Service"]["isHalted"] = (id) =>
      sql`SELECT 1 FROM notifications WHERE id = ${id} AND status IN ('paused', 'cancelled')`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeError("NotificationStore.isHalted")
      )

    return NotificationStore.of({
      steer,
      isHalted,
      accept,
      find,
      list,
      counts,
      message,
      deliveries,
      claimPlan,
      savePlan,
      completeIfDone
    })
  })
)
