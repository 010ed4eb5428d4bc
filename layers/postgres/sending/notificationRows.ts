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
