import type { NewBatch } from "../../../services/ports/sending/NotificationStore.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import type { KeptRequest, Notification, NotificationStatus } from "../../../services/domain/sending/Notification.ts"

export interface NotificationRow {
  readonly id: NotificationId
  readonly app_id: AppId
  readonly status: NotificationStatus
  readonly request: KeptRequest
  readonly created_at: Date
  readonly updated_at: Date | null
  readonly started_at: Date | null
  readonly completed_at: Date | null
  readonly plan_fence: number
}

export const COLUMNS = "id, app_id, status, request, created_at, updated_at, started_at, completed_at, plan_fence"

/** Bytes of a request as it is read for lists. */
const REQUEST_BYTES = 16_384

/**
 * The same for whoever shows no more than a summary: of a long request only what stands in one. A hundred requests may be
 * a hundred megabytes.
 */
export const SUMMARY_COLUMNS = COLUMNS.replace(
  "request",
  `CASE WHEN octet_length(request::text) <= ${REQUEST_BYTES} THEN request ELSE json_strip_nulls(json_build_object(
    'priority', request->'priority', 'template_id', request->'template_id', 'send_at', request->'send_at',
    'local_time', request->'local_time', 'timezone', request->'timezone', 'workflow', request->'workflow',
    'content', json_build_object('title', request#>'{content,title}', 'subject', request#>'{content,subject}')
  )) END AS request`
)

export const notificationOf = (row: NotificationRow): Notification => ({
  id: row.id,
  appId: row.app_id,
  status: row.status,
  request: row.request,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at?.getTime() ?? null,
  startedAt: row.started_at?.getTime() ?? null,
  completedAt: row.completed_at?.getTime() ?? null,
  revision: row.plan_fence
})

/** How many recipients batches have. */
export const sizeOf = (batches: ReadonlyArray<NewBatch>): number =>
  batches.reduce((sum, { recipients }) => sum + recipients.length, 0)
