import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../services/domain/Credential.ts"
import type { Counts } from "../../services/domain/Delivery.ts"
import type { AppId, NotificationId } from "../../services/domain/Ids.ts"
import type {
  Message,
  Notification,
  NotificationStatus,
  Priority,
  KeptRequest
} from "../../services/domain/Notification.ts"
import type { NewNotification, SteerCommand } from "../../services/ports/NotificationStore.ts"
import { NotificationStore } from "../../services/ports/NotificationStore.ts"
import { StoreError } from "../../services/ports/StoreError.ts"
import type { Arrival, Arrived } from "./acceptNotifications.ts"
import { acceptNotifications } from "./acceptNotifications.ts"
import { cancelRest } from "./cancelRest.ts"
import { coalesce, isRefusedBySql } from "./Coalesce.ts"
import { isUuid, milliseconds, texts, times, uuidArrayText, uuids } from "./columns.ts"
import { deliveriesOf } from "./deliveries.ts"
import { pageOf } from "./pages.ts"
import { storeError } from "./storeError.ts"

interface NotificationRow {
  readonly id: NotificationId
  readonly app_id: AppId
  readonly status: NotificationStatus
  readonly request: KeptRequest
  readonly created_at: Date
  readonly started_at: Date | null
  readonly completed_at: Date | null
}

interface PlanRow extends NotificationRow {
  readonly plan_cursor: string | null
  readonly plan_fence: number
  readonly trace: string | null
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
  readonly request: KeptRequest
  readonly expires_at: Date
  readonly trace: string | null
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
  content: row.request.content ?? {},
  priority: row.priority,
  expiresAt: row.expires_at.getTime(),
  nowOrNever: row.request.ttl === 0,
  collapseKey: row.request.collapse_key ?? null,
  ...(row.trace === null ? {} : { trace: row.trace }),
  overrides: row.request.overrides ?? {},
  ...(row.request.track === undefined ? {} : { track: row.request.track }),
  ...(row.request.template !== undefined && {
    template: { version: row.request.template.version, variables: row.request.variables ?? {} }
  })
})

const arrivedAs = ({ appId, id, request, sendAt }: NewNotification, createdAt: number): Notification => ({
  id,
  appId,
  status: sendAt == null ? "queued" : "scheduled",
  request,
  createdAt,
  startedAt: null,
  completedAt: null
})

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
    const acceptAll = acceptNotifications(sql)

    const acceptOne = yield* coalesce({
      run: (arrivals: ReadonlyArray<Arrival>) => acceptAll(arrivals).pipe(storeError("NotificationStore.accept")),
      weight: weightOf,
      isRefusal: isRefusedBySql,
      rows: ROWS,
      atOnce: AT_ONCE
    })

    const acceptAs = <A>(
      notification: NewNotification,
      device: Arrival["device"],
      answer: (arrived: Arrived) => A
    ): Effect.Effect<A, StoreError> => {
      const { priority = "bulk" } = notification.request
      const arrival = { notification, priority, request: JSON.stringify(notification.request), device }
      return Effect.flatMap(acceptOne(arrival), (arrived) =>
        arrived.isKept
          ? Effect.succeed(answer(arrived))
          : Effect.fail(new StoreError({ operation: "NotificationStore.accept", cause: new Error(KEY_LOST) }))
      )
    }

    const accept: NotificationStore["Service"]["accept"] = (notification) =>
      acceptAs(notification, null, ({ createdAt }) => arrivedAs(notification, createdAt))

    const acceptForDevice: NotificationStore["Service"]["acceptForDevice"] = (notification, device) =>
      acceptAs(notification, device, ({ createdAt, device }) =>
        device === "unknown"
          ? null
          : { notification: arrivedAs(notification, createdAt), provider: device === "inactive" ? null : device }
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
          coalesce(e.opened, 0) AS opened, coalesce(e.clicked, 0) AS clicked,
          coalesce(e.machine_opened, 0) AS machine_opened, coalesce(e.machine_clicked, 0) AS machine_clicked
        FROM unnest(${uuids([...new Set(ids.filter(isUuid))])}) AS t (id)
          JOIN notifications n ON n.id = t.id AND n.app_id = ${appId}
          LEFT JOIN batches b ON b.notification_id = n.id
          LEFT JOIN engagement_counts e ON e.notification_id = n.id
        GROUP BY n.id, e.notification_id`
      return new Map(
        rows.map(({ id, pending, sent, failed, skipped, cancelled, ...engaged }) => [
          id,
          {
            // Summed here and not counted apart: the account cannot but close.
            accepted: pending + sent + failed + skipped + cancelled,
            pending,
            sent,
            failed,
            skipped,
            cancelled,
            ...engaged
          }
        ])
      )
    }, storeError("NotificationStore.counts"))

    // Single messages ask for one each, and end one each.
    const together = { weight: () => 1, isRefusal: isRefusedBySql, rows: ROWS, atOnce: AT_ONCE }
    const message: NotificationStore["Service"]["message"] = yield* coalesce({
      ...together,
      run: (ids: ReadonlyArray<NotificationId>) =>
        sql<MessageRow>`
          SELECT id, app_id, priority, request, expires_at, trace FROM notifications WHERE id = ANY(${uuids(ids)})`.pipe(
          Effect.map((rows) => {
            const found = new Map(rows.map((row) => [row.id, messageOf(row)]))
            return ids.map((id) => Option.fromUndefinedOr(found.get(id)))
          }),
          storeError("NotificationStore.message")
        )
    })

    const readDeliveries = deliveriesOf(sql)
    const deliveries: NotificationStore["Service"]["deliveries"] = (appId, id, after, limit) =>
      readDeliveries(appId, id, after, limit).pipe(storeError("NotificationStore.deliveries"))

    const claimPlan: NotificationStore["Service"]["claimPlan"] = Effect.fnUntraced(function* (id, leaseMs) {
      const rows = yield* sql<PlanRow>`
        UPDATE notifications SET
          status = 'sending',
          started_at = coalesce(started_at, now()),
          plan_fence = plan_fence + 1,
          plan_lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
        WHERE id = ${id} AND NOT plan_done AND status IN ('queued', 'sending')
          AND (plan_lease_until IS NULL OR plan_lease_until < now())
        RETURNING ${columns}, plan_cursor, plan_fence, trace`
      return Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({
        notification: notificationOf(row),
        trace: row.trace,
        cursor: row.plan_cursor,
        fence: row.plan_fence
      }))
    }, storeError("NotificationStore.claimPlan"))

    // A repeated step finds its own fence and its own batches: it writes the same once more, and no batch twice.
    const savePlan: NotificationStore["Service"]["savePlan"] = Effect.fnUntraced(function* (step) {
      const { id, fence, batches, cursor, done, leaseMs } = step
      const dues = batches.flatMap(({ dueAt }) => dueAt ?? [])
      const first = dues.length === 0 ? null : new Date(Math.min(...dues))
      // Due, and so expired, later than it was thought when it was accepted.
      const waits = sql`(${done} AND least(first_due_at, ${first}::timestamptz) > now())`
      const rows = yield* sql`
        WITH plan AS (
          UPDATE notifications SET
            first_due_at = least(first_due_at, ${first}::timestamptz),
            status = CASE WHEN ${waits} THEN 'scheduled' ELSE status END,
            started_at = CASE WHEN ${waits} THEN NULL ELSE started_at END,
            send_at = CASE WHEN ${waits} THEN least(first_due_at, ${first}::timestamptz) ELSE send_at END,
            expires_at = CASE WHEN ${waits}
              THEN least(first_due_at, ${first}::timestamptz) + (expires_at - coalesce(send_at, created_at))
              ELSE expires_at END,
            plan_cursor = ${cursor},
            plan_done = ${done},
            plan_lease_until = CASE WHEN ${done} THEN NULL
              ELSE now() + ${milliseconds(leaseMs)} * interval '1 ms' END
          WHERE id = ${id} AND plan_fence = ${fence} AND (NOT plan_done OR ${done})
            AND status IN ('queued', 'sending')
          RETURNING id, app_id, priority
        ), written AS (
          INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients, due_at, expires_at)
          SELECT t.id, plan.id, plan.app_id, t.provider, plan.priority, t.recipients::uuid[], coalesce(t.due_at, now()),
            t.expires_at
          FROM plan, unnest(${uuids(batches.map((batch) => batch.id))}, ${texts(batches.map((batch) => batch.provider))},
            ${texts(batches.map((batch) => uuidArrayText(batch.recipients)))},
            ${times(batches.map(({ dueAt }) => dueAt ?? null))}, ${times(batches.map(({ expiresAt }) => expiresAt ?? null))}
          ) AS t (id, provider, recipients, due_at, expires_at)
          ON CONFLICT (id) DO NOTHING
        )
        SELECT id FROM plan`
      return rows.length > 0
    }, storeError("NotificationStore.savePlan"))

    // A replay that commits while this waits for its row has given it a new batch, which the statement does not see: the
    // row as it was seen (`seen`) then differs from the row as it is (`n`).
    // (NOT EXISTS could be turned into a join with all open batches.)
    const completeIfDone: NotificationStore["Service"]["completeIfDone"] = yield* coalesce({
      ...together,
      run: (ids: ReadonlyArray<NotificationId>) =>
        sql<{ readonly id: NotificationId }>`
          WITH done AS MATERIALIZED (
            SELECT n.id FROM notifications n JOIN notifications seen ON seen.id = n.id AND seen.reopened = n.reopened
            WHERE n.id = ANY(${uuids([...new Set(ids)])}) AND n.plan_done AND n.completed_at IS NULL
              AND n.status IN ('queued', 'sending', 'paused')
              AND coalesce((SELECT false FROM batches WHERE notification_id = n.id AND NOT done LIMIT 1), true)
            ORDER BY n.id FOR NO KEY UPDATE OF n
          )
          UPDATE notifications n SET status = 'completed', completed_at = now()
          FROM done WHERE n.id = done.id AND n.completed_at IS NULL
          RETURNING n.id`.pipe(
          Effect.map((rows) => {
            // Of several calls for one notification, one did it.
            const completed = new Set(rows.map(({ id }) => id))
            return ids.map((id) => completed.delete(id))
          }),
          storeError("NotificationStore.completeIfDone")
        )
    })

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
      acceptForDevice,
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
