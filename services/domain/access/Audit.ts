import { Schema } from "effect"
import { AppId, AuditEntryId } from "../Ids.ts"

/** Who changes something: a secret key, a person, somebody at the command line (by the system's user), or the service. */
export const ActorKind = Schema.Literals(["key", "user", "cli", "system"])
export interface Actor {
  readonly kind: typeof ActorKind.Type
  /** The id of the key or the person, or the user's name; null for the service itself. */
  readonly id: string | null
}

export const AuditAction = Schema.Literals([
  "application.created",
  "application.changed",
  "identity_secret.issued",
  "api_key.created",
  "api_key.revoked",
  "credential.set",
  "credential.removed",
  "credential.checked",
  "template.created",
  "template.changed",
  "template.deleted",
  "segment.created",
  "segment.changed",
  "segment.deleted",
  "contact.created",
  "contact.changed",
  "contact.deleted",
  "contacts.imported",
  "device.registered",
  "device.changed",
  "device.deleted",
  "devices.imported",
  "devices.exported",
  "channel.created",
  "channel.changed",
  "channel.deleted",
  "inbox_messages.posted",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.disabled",
  "webhook.tested",
  "webhook.redelivered",
  "dead_letter.replayed",
  "dead_letters.replayed",
  "notification.created",
  "notification.changed",
  "notification.paused",
  "notification.resumed",
  "notification.cancelled",
  "workflow.created",
  "workflow.changed",
  "workflow.activated",
  "workflow.archived",
  "workflow.deleted",
  "workflow.triggered",
  "execution.cancelled",
  "executions.cancelled",
  "event.raised"
])
export type AuditAction = typeof AuditAction.Type

/** What is written down of a change, beside who makes it and when. */
export interface AuditNote {
  readonly action: AuditAction
  readonly target: string | null
  /** Shown to whoever may read the log: no secret, and no URL whole, which may hold one. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** One change. Its details name what was changed, and never hold a secret. */
export const AuditEntry = Schema.Struct({
  id: AuditEntryId,
  appId: AppId,
  at: Schema.Number,
  actorKind: ActorKind,
  actorId: Schema.NullOr(Schema.String),
  /** Of a person who still has an account. */
  actorEmail: Schema.NullOr(Schema.String),
  action: AuditAction,
  /** The id of what was changed, or a credential's kind. */
  target: Schema.NullOr(Schema.String),
  details: Schema.Record(Schema.String, Schema.Json)
})
export type AuditEntry = typeof AuditEntry.Type

/** Which entries are wanted; what is null does not matter. Times are epoch milliseconds: from the first on, before the second. */
export interface AuditFilter {
  /** The id of the key or the person, or the user's name. */
  readonly actorId: string | null
  readonly action: string | null
  readonly target: string | null
  readonly from: number | null
  readonly to: number | null
}

export const ANY_ENTRY: AuditFilter = { actorId: null, action: null, target: null, from: null, to: null }
