import type { Scope } from "effect"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor } from "../../../services/domain/access/Audit.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import type { KeptRequest, Notification } from "../../../services/domain/sending/Notification.ts"
import { messageOf } from "../../../services/domain/sending/Notification.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { makeForks } from "../../../services/ports/operations/Forks.ts"
import type { FoundMessage, NewNotification } from "../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore, SHORT, SHORT_TEXT } from "../../../services/ports/sending/NotificationStore.ts"
import { Metrics } from "../../../services/ports/operations/Metrics.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import type { Arrival, Arrived } from "./acceptNotifications.ts"
import { acceptNotifications } from "./acceptNotifications.ts"
import { permitted } from "../access/permitted.ts"
import { Holder } from "../operations/Holder.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { deliveriesOf, outcomesOf, retriesOf } from "./deliveries.ts"
import { claimNextPlanOf, claimPlanOf, savePlanOf } from "./planNotification.ts"
import { countsOfNotifications, findNotification, findNotifications, listNotifications } from "./readNotifications.ts"
import { reviseNotification } from "./reviseNotification.ts"
import { namedAmong } from "./namedAmong.ts"
import { controlNotification } from "./controlNotification.ts"
import { growing } from "../operations/Statistics.ts"
import { asSignOfLife } from "../server/signsOfLife.ts"
import { heard } from "../operations/ServerTime.ts"
import { storeError } from "../server/storeError.ts"

type Store = NotificationStore["Service"]

interface MessageRow {
  readonly id: NotificationId
  readonly app_id: AppId
  readonly request: KeptRequest
  readonly expires_at: Date
  readonly trace: string | null
}

const messageOfRow = ({ app_id: appId, expires_at, id, request, trace }: MessageRow): FoundMessage => ({
  ...messageOf(request, { id, appId, expiresAt: expires_at.getTime(), trace }),
  ...(request.to.user_ids === undefined ? {} : { isNamed: namedAmong(request.to.user_ids) })
})

const arrivedAs = ({ appId, id, request, sendAt }: NewNotification, createdAt: number): Notification => ({
  id,
  appId,
  status: sendAt == null ? "queued" : "scheduled",
  request,
  createdAt,
  updatedAt: null,
  startedAt: null,
  completedAt: null,
  revision: 0
})

/**
 * Without statistics each claim of a lane reads all notifications that there are: single ones cost more and more until
 * the database's own daemon comes, a minute later.
 */
const FIRST_NOTIFICATIONS = 500
/** A plan for so many is as good for more. */
const LAST_NOTIFICATIONS = 16_000

/** Rows of a statement that stands for many calls; a request takes the place of a row by its length, too. */
const ROWS = 256
const AT_ONCE = 2
const LONG = 4096

/**
 * Whether the audit log has who sends it: whatever a person sends, and mailings of everybody. Messages to recipients that
 * are named flow by the million.
 */
const isNoted = ({ kind }: Actor, { channel_ids, device_ids, emails, user_ids }: KeptRequest["to"]): boolean =>
  kind === "user" || (device_ids ?? user_ids ?? channel_ids ?? emails) === undefined

const KEY_LOST = "The idempotency key was taken over by another request"

const weightOf = ({ notification, request, users }: Arrival): number => {
  let weight = 1 + request.length / LONG + (users?.ids.length ?? 0)
  for (const { recipients } of notification.batches ?? []) weight += 1 + recipients.length / 50
  return weight
}

/** Whose audience the statement does not look up. */
const NOBODY = { device: null, users: null }

/** How long a notification that is accepted waits for others to share its statement, ms; one of high priority never does. */
export class AcceptLinger extends Context.Reference<number>("heliograph/layers/AcceptLinger", {
  defaultValue: () => 0
}) {}

/** Accepts that come at the same time share a statement. */
const makeAccept = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<
  Pick<Store, "accept" | "acceptForDevice" | "acceptForUsers">,
  never,
  Scope.Scope | SqlClient.SqlClient
> {
  const acceptAll = acceptNotifications(sql)
  const grew = yield* growing(["notifications", "batches"], FIRST_NOTIFICATIONS, LAST_NOTIFICATIONS)
  const acceptOne = yield* coalesce({
    run: (arrivals: ReadonlyArray<Arrival>) =>
      Effect.suspend(() => {
        // The milliseconds that it says are cut.
        const askedAt = performance.now() - 1
        return acceptAll(arrivals).pipe(
          asSignOfLife(sql),
          Effect.tap(([first]) => {
            heard(first!.createdAt, askedAt, performance.now())
            return grew(arrivals.length)
          }),
          storeError("NotificationStore.accept")
        )
      }),
    weight: weightOf,
    refusalOf: refusalBySql,
    ownerOf: ({ notification }) => notification.appId,
    rows: ROWS,
    atOnce: AT_ONCE,
    lingerMs: yield* AcceptLinger,
    isUrgent: ({ priority }) => priority === "high",
    unheard: ({ unheard }, arrived) => unheard(arrived)
  })
  const fork = yield* makeForks

  /**
   * A person sends by themselves, and holds the permission meanwhile: they are few, and may lose it at any moment. What
   * they began is carried out without them as well: a commit may be on its way.
   */
  const acceptPermitted = (arrival: Arrival): Effect.Effect<Arrived, StoreError> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback((resume) => {
        let hasLeft = false
        const accepted = permitted(sql, arrival.notification.appId, acceptAll([arrival])).pipe(
          Effect.tap(() => grew(1)),
          Effect.map(([arrived]) => arrived!),
          storeError("NotificationStore.accept"),
          Effect.provideContext(context)
        )
        fork(accepted).addObserver((exit) => {
          if (!hasLeft) resume(exit)
          else if (Exit.isSuccess(exit)) arrival.unheard(exit.value)
        })
        return Effect.sync(() => {
          hasLeft = true
        })
      })
    )

  const acceptAs = <A>(
    notification: NewNotification,
    to: Pick<Arrival, "device" | "users">,
    answer: (arrived: Arrived) => A,
    left?: (accepted: A) => void
  ): Effect.Effect<A, StoreError> => {
    const { priority = "bulk" } = notification.request
    const request = JSON.stringify(notification.request)
    const unheard = (arrived: Arrived) => {
      if (arrived.isKept) left?.(answer(arrived))
    }
    return Effect.flatMap(CurrentActor, (actor) => {
      const sender = isNoted(actor, notification.request.to) ? actor : null
      const arrival = { notification, priority, request, sender, unheard, ...to }
      return Effect.flatMap(actor.kind === "user" ? acceptPermitted(arrival) : acceptOne(arrival), (arrived) =>
        arrived.isKept
          ? Effect.succeed(answer(arrived))
          : Effect.fail(new StoreError({ operation: "NotificationStore.accept", cause: new Error(KEY_LOST) }))
      )
    })
  }

  const accept: Store["accept"] = (notification, unheard) =>
    acceptAs(notification, NOBODY, ({ createdAt }) => arrivedAs(notification, createdAt), unheard)

  const acceptForDevice: Store["acceptForDevice"] = (notification, device, unheard) =>
    acceptAs(
      notification,
      { device, users: null },
      ({ claimed, createdAt, device }) =>
        device === "unknown"
          ? null
          : {
              notification: arrivedAs(notification, createdAt),
              provider: device === "inactive" ? null : device,
              claimed: claimed[0] ?? null
            },
      unheard
    )

  const acceptForUsers: Store["acceptForUsers"] = (notification, users, unheard) =>
    acceptAs(
      notification,
      { device: null, users },
      ({ claimed, createdAt, left }) => ({ notification: arrivedAs(notification, createdAt), claimed, left }),
      unheard
    )
  return { accept, acceptForDevice, acceptForUsers }
})

/** Single messages ask for one each, and end one each. */
const TOGETHER = { weight: () => 1, refusalOf: refusalBySql, rows: ROWS, atOnce: AT_ONCE }

/** In a transaction, because others share a connection with a statement. */
const messageOfId =
  (sql: SqlClient.SqlClient): Store["message"] =>
  (id) =>
    sql
      .withTransaction(
        sql<MessageRow>`SELECT id, app_id, request, expires_at, trace FROM notifications WHERE id = ${id}`
      )
      .pipe(
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), messageOfRow)),
        storeError("NotificationStore.message")
      )

const makeMessageIfShort = (sql: SqlClient.SqlClient): Effect.Effect<Store["messageIfShort"], never, Scope.Scope> =>
  coalesce({
    ...TOGETHER,
    run: (ids: ReadonlyArray<NotificationId>) =>
      sql<MessageRow & { readonly bytes: number; readonly request: KeptRequest | null }>`
        SELECT id, app_id, expires_at, trace, octet_length(request::text) AS bytes,
          CASE WHEN octet_length(request::text) <= ${SHORT} OR (octet_length(request::text) <= ${SHORT_TEXT}
            AND coalesce(request -> 'variables', request -> 'own') IS NULL) THEN request END AS request
        FROM notifications WHERE id = ANY(${uuids(ids)})`.pipe(
        Effect.map((rows) => {
          const found = new Map(
            rows.map((row) => [
              row.id,
              row.request === null ? { appId: row.app_id, bytes: row.bytes } : messageOfRow(row)
            ])
          )
          return ids.map((id) => Option.fromUndefinedOr(found.get(id)))
        }),
        storeError("NotificationStore.messageIfShort")
      )
  })

/**
 * A replay that commits while this waits for its row has given it a new batch, which the statement does not see: the row
 * as it was seen (`seen`) then differs from the row as it is (`n`). (NOT EXISTS could be turned into a join with all open
 * batches.)
 */
const makeCompleteIfDone = (sql: SqlClient.SqlClient): Effect.Effect<Store["completeIfDone"], never, Scope.Scope> =>
  coalesce({
    ...TOGETHER,
    run: (ids: ReadonlyArray<NotificationId>) =>
      sql<{ readonly id: NotificationId }>`
        WITH done AS MATERIALIZED (
          SELECT n.id FROM notifications n JOIN notifications seen ON seen.id = ANY(ARRAY[n.id]) AND seen.reopened = n.reopened
          WHERE n.id = ANY(${uuids([...new Set(ids)])}) AND n.plan_done
            AND ${ofRows(sql, sql`n.completed_at IS NULL AND n.status IN ('queued', 'sending', 'paused')`)}
            AND n.direct_recipient IS NULL
            AND coalesce((SELECT false FROM batches WHERE notification_id = n.id AND NOT done LIMIT 1), true)
          ORDER BY n.id FOR NO KEY UPDATE OF n
        )
        UPDATE notifications n SET status = 'completed', completed_at = now()
        FROM done WHERE n.id = ANY(ARRAY[done.id]) AND ${ofRows(sql, sql`n.completed_at IS NULL`)}
        RETURNING n.id`.pipe(
        Effect.map((rows) => {
          // Of several calls for one notification, one did it.
          const completed = new Set(rows.map(({ id }) => id))
          return ids.map((id) => completed.delete(id))
        }),
        storeError("NotificationStore.completeIfDone")
      )
  })

const isHaltedOf =
  (sql: SqlClient.SqlClient): Store["isHalted"] =>
  (id) =>
    sql`SELECT 1 FROM notifications WHERE id = ${id} AND status IN ('paused', 'cancelled')`.pipe(
      Effect.map((rows) => rows.length > 0),
      storeError("NotificationStore.isHalted")
    )

export const layer: Layer.Layer<NotificationStore, never, SqlClient.SqlClient> = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const readDeliveries = deliveriesOf(sql)
    const outcomes = outcomesOf(sql)
    const retries = retriesOf(sql)
    const control = controlNotification(sql, yield* Metrics)
    const revise = reviseNotification(sql)
    return NotificationStore.of({
      ...(yield* makeAccept(sql)),
      find: findNotification(sql),
      findMany: findNotifications(sql),
      list: listNotifications(sql),
      counts: countsOfNotifications(sql),
      message: messageOfId(sql),
      messageIfShort: yield* makeMessageIfShort(sql),
      deliveries: (appId, id, after, limit, filter) =>
        readDeliveries(appId, id, after, limit, filter).pipe(storeError("NotificationStore.deliveries")),
      // In a transaction, because others share a connection with a statement: a million failures are read for a second.
      retries: (appId, id) => retries(appId, id).pipe(storeError("NotificationStore.retries")),
      outcomes: (appId, id) => sql.withTransaction(outcomes(appId, id)).pipe(storeError("NotificationStore.outcomes")),
      claimPlan: claimPlanOf(sql, holder),
      claimNextPlan: claimNextPlanOf(sql, holder),
      savePlan: savePlanOf(sql),
      completeIfDone: yield* makeCompleteIfDone(sql),
      control: (appId, id, command) => control(appId, id, command).pipe(storeError("NotificationStore.control")),
      revise: (revision) => revise(revision).pipe(storeError("NotificationStore.revise")),
      isHalted: isHaltedOf(sql)
    })
  })
)
