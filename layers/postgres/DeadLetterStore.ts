import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { DeadLetter, DeadLetterKind } from "../../services/domain/DeadLetter.ts"
import type { AppId, DeadLetterId, HookId, NotificationId } from "../../services/domain/Ids.ts"
import { DeadLetterStore } from "../../services/ports/DeadLetterStore.ts"
import { pageOf } from "./pages.ts"
import { storeError } from "./storeError.ts"

interface Row {
  readonly id: DeadLetterId
  readonly app_id: AppId
  readonly kind: DeadLetterKind
  readonly at: Date
  readonly error: string
  readonly attempts: number
  readonly notification_id: NotificationId | null
  readonly recipient_id: string | null
  readonly hook_id: HookId | null
  readonly event_id: string | null
}

const COLUMNS = "id, app_id, kind, at, error, attempts, notification_id, recipient_id, hook_id, event_id"

const letterOf = (row: Row): DeadLetter => ({
  id: row.id,
  appId: row.app_id,
  kind: row.kind,
  at: row.at.getTime(),
  error: row.error,
  attempts: row.attempts,
  notificationId: row.notification_id,
  recipientId: row.recipient_id,
  hookId: row.hook_id,
  eventId: row.event_id
})

export const layer: Layer.Layer<DeadLetterStore, never, SqlClient.SqlClient> = Layer.effect(
  DeadLetterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    return DeadLetterStore.of({
      list: (appId, { hookId, kind }, before, limit) =>
        sql<Row>`
          SELECT ${columns} FROM dead_letters WHERE ${sql.and([
            sql`app_id = ${appId}`,
            ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
            ...(hookId === undefined ? [] : [sql`hook_id = ${hookId}`]),
            ...(before === null ? [] : [sql`id < ${before}`])
          ])} ORDER BY id DESC LIMIT ${limit + 1}`.pipe(
          Effect.map((rows) => pageOf(rows.map(letterOf), limit)),
          storeError("DeadLetterStore.list")
        ),
      find: (appId, id) =>
        sql<Row & { readonly body: string | null }>`
          SELECT ${columns}, body FROM dead_letters WHERE id = ${id} AND app_id = ${appId}`.pipe(
          Effect.map((rows) =>
            Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({ ...letterOf(row), body: row.body }))
          ),
          storeError("DeadLetterStore.find")
        )
    })
  })
)
