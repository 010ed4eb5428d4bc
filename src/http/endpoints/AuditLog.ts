import { Effect, Schema } from "effect"
import type { AuditEntry } from "../../../services/domain/access/Audit.ts"
import { ActorKind, AuditAction } from "../../../services/domain/access/Audit.ts"
import { AuditEntryId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const EntryView = Schema.Struct({
  id: AuditEntryId,
  at: Schema.String,
  actor: Schema.Struct({
    kind: ActorKind.annotate({
      description:
        "`key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself."
    }),
    id: Schema.NullOr(Schema.String)
  }),
  action: AuditAction,
  target: Schema.NullOr(Schema.String).annotate({ description: "The id of what was changed, or a credential's kind." }),
  details: Schema.Record(Schema.String, Schema.Json).annotate({ description: "What was changed, without secrets." })
}).annotate({ identifier: "AuditEntry" })

const show = (entry: AuditEntry): typeof EntryView.Type => ({
  id: entry.id,
  at: isoTime(entry.at),
  actor: { kind: entry.actorKind, id: entry.actorId },
  action: entry.action,
  target: entry.target,
  details: entry.details
})

/** Who changed what. */
export const auditRoutes = Effect.gen(function* () {
  const log = yield* AuditLog
  return [
    route({
      method: "GET",
      path: "/api/v1/audit-log",
      access: "secret",
      tag: "Application",
      summary: "List who changed what",
      description:
        "Changes of keys, provider credentials, webhooks, options and scheduled notifications, and who paused, resumed or cancelled a notification, written in the same transaction as the change itself.",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of changes, newest first.",
        schema: pageOf(EntryView),
        example: {
          data: [
            {
              id: ID,
              at: NOW,
              actor: { kind: "key", id: ID },
              action: "webhook.changed",
              target: ID,
              details: { fields: ["secret"] }
            }
          ],
          next_cursor: null
        }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("audit-log", query, (after, limit) => log.list(caller.appId, after, limit), show)
    })
  ]
})
