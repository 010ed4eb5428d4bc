import { Effect, Schema } from "effect"
import type { AuditEntry, AuditFilter } from "../../../services/domain/access/Audit.ts"
import { ActorKind, AuditAction } from "../../../services/domain/access/Audit.ts"
import { AuditEntryId } from "../../../services/domain/Ids.ts"
import { text } from "../../../services/domain/Text.ts"
import { inOrder, isoTime, Moment } from "../../../services/domain/Time.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

/** Who changed something. */
export const ActorView = Schema.Struct({
  kind: ActorKind.annotate({
    description:
      "`key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself."
  }),
  id: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String).annotate({ description: "Of a person who still has an account." })
})

const EntryView = Schema.Struct({
  id: AuditEntryId,
  at: Schema.String,
  actor: ActorView,
  action: AuditAction,
  target: Schema.NullOr(Schema.String).annotate({ description: "The id of what was changed, or a credential's kind." }),
  details: Schema.Record(Schema.String, Schema.Json).annotate({ description: "What was changed, without secrets." })
}).annotate({ identifier: "AuditEntry" })

const show = (entry: AuditEntry): typeof EntryView.Type => ({
  id: entry.id,
  at: isoTime(entry.at),
  actor: { kind: entry.actorKind, id: entry.actorId, email: entry.actorEmail },
  action: entry.action,
  target: entry.target,
  details: entry.details
})

const AuditQuery = Schema.Struct({
  actor_id: Schema.optionalKey(text(200).annotate({ description: "Made by this key, person or system's user." })),
  action: Schema.optionalKey(AuditAction.annotate({ description: "Such changes." })),
  target: Schema.optionalKey(text(200).annotate({ description: "Of this: an id, or a credential's kind." })),
  from: Schema.optionalKey(Moment.annotate({ description: "At this moment or later." })),
  to: Schema.optionalKey(Moment.annotate({ description: "Before this moment." })),
  ...listQuery
}).check(inOrder("from", "to"))

const filterOf = ({ action, actor_id, from, target, to }: typeof AuditQuery.Type): AuditFilter => ({
  actorId: actor_id ?? null,
  action: action ?? null,
  target: target ?? null,
  from: from === undefined ? null : Date.parse(from),
  to: to === undefined ? null : Date.parse(to)
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
        "Whatever people change or send. Of keys: changes of keys, provider credentials, webhooks, options, templates and segments, mailings (a notification whose audience is described), who changed, paused, resumed or cancelled a notification, contacts that were deleted, and each import, export, replay and redelivery, once for all its rows. Devices, contacts, channels and messages to recipients that are named, which keys write by the million, are not in it. Entries are written in the same transaction as the change itself; those of imports and exports before their first line. An import counts in its entry what it has `created` and `changed`.",
      query: AuditQuery,
      success: {
        status: 200,
        description: "A page of changes, newest first.",
        schema: pageOf(EntryView),
        example: {
          data: [
            {
              id: ID,
              at: NOW,
              actor: { kind: "key", id: ID, email: null },
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
        page("audit-log", query, (after, limit) => log.list(caller.appId, after, limit, filterOf(query)), show)
    })
  ]
})
