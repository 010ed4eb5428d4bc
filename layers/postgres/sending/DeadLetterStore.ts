import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { DeadLetter, DeadLetterKind, ReplayRefusal } from "../../../services/domain/sending/DeadLetter.ts"
import type { AppId, DeadLetterId, WebhookId, NotificationId, TemplateId } from "../../../services/domain/Ids.ts"
import type { Content } from "../../../services/domain/sending/Notification.ts"
import type { Variables } from "../../../services/domain/messages/Template.ts"
import { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import { deadLettersOf, recipientIsThere } from "./deadLetters.ts"
import { alongTheKey } from "../server/byValues.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

interface Row {
  readonly id: DeadLetterId
  readonly app_id: AppId
  readonly kind: DeadLetterKind
  readonly at: Date
  readonly error: string
  readonly attempts: number
  readonly notification_id: NotificationId | null
  readonly recipient_id: string | null
  readonly provider: ProviderKind | null
  readonly refusal: ReplayRefusal | null
  readonly replayed_at: Date | null
  readonly webhook_id: WebhookId | null
  readonly event_id: string | null
}

interface WholeRow extends Row {
  readonly body: string | null
  readonly content: Content | null
  readonly template_id: TemplateId | null
  readonly variables: Variables | null
}

/** What became known later stands beside what was said when it failed: that its recipient has been deleted. */
const REFUSAL = `CASE WHEN l.kind = 'notification' AND l.refusal IS NULL AND NOT ${recipientIsThere("l")}
  THEN 'recipient_gone' ELSE l.refusal END`
const COLUMNS = `l.id, l.app_id, l.kind, l.at, l.error, l.attempts, l.notification_id, l.recipient_id, l.provider,
  ${REFUSAL} AS refusal, l.replayed_at, l.webhook_id, l.event_id`

const letterOf = (row: Row): DeadLetter => ({
  id: row.id,
  appId: row.app_id,
  kind: row.kind,
  at: row.at.getTime(),
  error: row.error,
  attempts: row.attempts,
  notificationId: row.notification_id,
  recipientId: row.recipient_id,
  provider: row.provider,
  refusal: row.refusal,
  replayedAt: row.replayed_at?.getTime() ?? null,
  webhookId: row.webhook_id,
  eventId: row.event_id
})

export const layer: Layer.Layer<DeadLetterStore, never, SqlClient.SqlClient> = Layer.effect(
  DeadLetterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    return DeadLetterStore.of({
      list: (appId, filter, before, limit) =>
        alongTheKey(
          sql,
          sql<Row>`
          SELECT ${columns} FROM dead_letters l WHERE ${sql.and([
            ...deadLettersOf(sql, appId, filter),
            ...(before === null ? [] : [sql`l.id < ${before}`])
          ])} ORDER BY l.id DESC LIMIT ${limit + 1}`.unprepared
        ).pipe(
          Effect.map((rows) => pageOf(rows.map(letterOf), limit)),
          storeError("DeadLetterStore.list")
        ),
      find: (appId, id) =>
        sql<WholeRow>`
          SELECT ${columns}, l.body, n.request->'content' AS content, n.request->>'template_id' AS template_id,
            n.request->'variables' AS variables
          FROM dead_letters l LEFT JOIN LATERAL (
            SELECT request FROM notifications WHERE id = l.notification_id AND app_id = l.app_id OFFSET 0
          ) AS n ON true
          WHERE l.id = ${id} AND l.app_id = ${appId}`.pipe(
          Effect.map((rows) =>
            Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({
              ...letterOf(row),
              body: row.body,
              content: row.content,
              templateId: row.template_id,
              variables: row.variables
            }))
          ),
          storeError("DeadLetterStore.find")
        )
    })
  })
)
