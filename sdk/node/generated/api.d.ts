// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
import type { Lines, Pages, RequestOptions } from "../types.js"

export type ApiKey = {
  readonly id: string
  /** `secret`: full access to the application, for servers. `public`: the public endpoints, for apps. */
  readonly kind: "secret" | "public"
  readonly name: string
  /** The key's first characters, to tell keys apart. */
  readonly prefix: string
  readonly created_at: string
  /** To the minute; null before the first use. */
  readonly last_used_at: string | null
}

export type ApnsCredential = {
  readonly team_id: string
  readonly key_id: string
  readonly private_key: string
  readonly bundle_id: string
  readonly endpoint?: string
  readonly sandbox_endpoint?: string
}

export type Application = {
  readonly id: string
  readonly name: string
  /** Whether public requests that claim a user_id need a valid `X-Identity-Hash`. */
  readonly identity_verification: boolean
  /** Until when the identity secret before the present one is good too; null when it is not. */
  readonly former_identity_secret_until: string | null
  /** What these options put at risk. */
  readonly warnings: ReadonlyArray<string>
  readonly created_at: string
}

export type AuditEntry = {
  readonly id: string
  readonly at: string
  readonly actor: {
    /** `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself. */
    readonly kind: "key" | "user" | "cli" | "system"
    readonly id: string | null
    /** Of a person who still has an account. */
    readonly email: string | null
  }
  readonly action:
    | "application.created"
    | "application.changed"
    | "identity_secret.issued"
    | "api_key.created"
    | "api_key.revoked"
    | "credential.set"
    | "credential.removed"
    | "credential.checked"
    | "template.created"
    | "template.changed"
    | "template.deleted"
    | "segment.created"
    | "segment.changed"
    | "segment.deleted"
    | "contact.created"
    | "contact.changed"
    | "contact.deleted"
    | "contacts.imported"
    | "device.registered"
    | "device.changed"
    | "device.deleted"
    | "devices.imported"
    | "devices.exported"
    | "channel.created"
    | "channel.changed"
    | "channel.deleted"
    | "inbox_messages.posted"
    | "webhook.created"
    | "webhook.changed"
    | "webhook.deleted"
    | "webhook.disabled"
    | "webhook.tested"
    | "webhook.redelivered"
    | "dead_letter.replayed"
    | "dead_letters.replayed"
    | "notification.created"
    | "notification.changed"
    | "notification.paused"
    | "notification.resumed"
    | "notification.cancelled"
    | "workflow.created"
    | "workflow.changed"
    | "workflow.activated"
    | "workflow.archived"
    | "workflow.deleted"
    | "workflow.triggered"
    | "execution.cancelled"
    | "executions.cancelled"
    | "event.raised"
  /** The id of what was changed, or a credential's kind. */
  readonly target: string | null
  /** What was changed, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

export type BulkContacts = {
  /** Each as POST /contacts takes it. */
  readonly contacts: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export type BulkResult =
  | { readonly index: number; readonly id: string; readonly created: boolean }
  | {
      readonly index: number
      readonly error: {
        readonly code:
          | "validation_error"
          | "unauthorized"
          | "identity_unverified"
          | "forbidden"
          | "not_found"
          | "method_not_allowed"
          | "request_timeout"
          | "conflict"
          | "transfer_ownership_first"
          | "organization_has_payments"
          | "payload_too_large"
          | "unsupported_media_type"
          | "idempotency_key_reused"
          | "rate_limited"
          | "internal_error"
          | "unavailable"
          | "rate_limiter_unavailable"
        readonly message: string
        readonly details: ReadonlyArray<{
          readonly field: string
          readonly message: string
          readonly line?: number
          readonly column?: number
        }>
      }
    }

export type CancelExecutions = {
  readonly workflow_id?: string
  readonly user_id?: string
  readonly status?: "waiting" | "running"
  /** Why: it stands in the history of each. */
  readonly note?: string
}

export type CancelledExecutions = {
  /** Those that were cancelled at once. */
  readonly cancelled: number
  /** False: others are cancelled in the background. */
  readonly is_done: boolean
}

export type ChangeTags = { readonly add?: ReadonlyArray<string>; readonly remove?: ReadonlyArray<string> }

export type ChangeTagsOfMany = {
  readonly external_ids: ReadonlyArray<string>
  readonly add?: ReadonlyArray<string>
  readonly remove?: ReadonlyArray<string>
}

export type Channel = {
  readonly id: string
  readonly kind: "email" | "inbox"
  readonly address: string | null
  readonly contact_id: string | null
  readonly status: "active" | "suppressed" | "unsubscribed"
  readonly created_at: string
}

export type Contact = {
  readonly id: string
  readonly external_id: string
  /** The address of the contact's e-mail channel. */
  readonly email: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly tags: ReadonlyArray<string>
  readonly locale: string | null
  readonly timezone: string | null
  readonly preferences: { readonly push: boolean; readonly email: boolean; readonly inbox: boolean }
  readonly created_at: string
  readonly updated_at: string
}

export type CountSegment = {
  readonly filter: {
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly tags_none?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezones?: ReadonlyArray<string>
    readonly locales?: ReadonlyArray<string>
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly last_seen?: { readonly within_days?: number; readonly not_within_days?: number }
    readonly engagement?: ReadonlyArray<{
      readonly type: "delivered" | "opened" | "clicked"
      readonly within_days: number
      readonly not?: boolean
    }>
  }
}

export type Counts = {
  readonly accepted: number
  readonly pending: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
  readonly delivered: number
  readonly opened: number
  readonly clicked: number
  readonly machine_opened: number
  readonly machine_clicked: number
}

export type CreateApiKey = { readonly kind: "secret" | "public"; readonly name: string }

export type CreateChannel = {
  readonly kind: "email" | "inbox"
  readonly address?: string
  readonly user_id?: string | null
}

export type CreateSegment = {
  readonly name: string
  readonly filter: {
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly tags_none?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezones?: ReadonlyArray<string>
    readonly locales?: ReadonlyArray<string>
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly last_seen?: { readonly within_days?: number; readonly not_within_days?: number }
    readonly engagement?: ReadonlyArray<{
      readonly type: "delivered" | "opened" | "clicked"
      readonly within_days: number
      readonly not?: boolean
    }>
  }
}

export type CreateTemplate = {
  readonly name: string
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
  readonly locales?: Readonly<Record<string, unknown>>
  readonly missing_variables?: "error" | "empty"
}

export type CreateWebhook = {
  readonly name: string
  readonly url: string
  readonly secret?: string | null
  readonly events?: ReadonlyArray<
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
  >
  readonly is_active?: boolean
}

export type CreateWorkflow = {
  readonly name: string
  readonly trigger: WorkflowTrigger
  readonly steps: ReadonlyArray<WorkflowStep>
  /** `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`: never again, whatever became of the run. Whoever may not enter is passed over. */
  readonly reentry?: "always" | "when_ended" | "once"
}

export type Credential = {
  readonly kind: "apns" | "fcm" | "webpush" | "smtp"
  /** What was set, without its secrets. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Why the provider refuses this credential; null while it is good. Nothing is sent with one that is suspended. */
  readonly suspended_reason: string | null
  readonly updated_at: string
}

export type CredentialCheck = {
  readonly kind: "apns" | "fcm" | "webpush" | "smtp"
  /** `accepted`: the provider knows the sender. `refused`: it takes no messages with this credential. `unreachable`: it gave no answer that says either. `unasked`: there is nobody to ask, as for Web Push, whose services are asked with a browser's subscription; what can be judged without them is right. */
  readonly status: "accepted" | "refused" | "unreachable" | "unasked"
  /** Why, in words; null when it was accepted. */
  readonly reason: string | null
  readonly checked_at: string
}

export type DeadLetter = {
  readonly id: string
  readonly kind: "notification" | "webhook"
  /** Why the last attempt failed. */
  readonly error: string
  readonly attempts: number
  readonly can_replay: boolean
  readonly cannot_replay_because: "webhook" | "replayed" | "recipient_gone" | "content_refused" | null
  readonly notification_id: string | null
  /** The device, or the channel. */
  readonly recipient_id: string | null
  readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox" | null
  readonly webhook_id: string | null
  readonly event_id: string | null
  readonly created_at: string
  readonly replayed_at: string | null
}

export type DeadLetterWithContent = {
  readonly id: string
  readonly kind: "notification" | "webhook"
  /** Why the last attempt failed. */
  readonly error: string
  readonly attempts: number
  readonly can_replay: boolean
  readonly cannot_replay_because: "webhook" | "replayed" | "recipient_gone" | "content_refused" | null
  readonly notification_id: string | null
  /** The device, or the channel. */
  readonly recipient_id: string | null
  readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox" | null
  readonly webhook_id: string | null
  readonly event_id: string | null
  readonly created_at: string
  readonly replayed_at: string | null
  /** Of a webhook: the body that was to be delivered, with its id, event, appId, timestamp and payload. */
  readonly event: unknown | null
  /** Of a notification send: what was to be sent; null when its template was filled for each recipient, or when the notification is past its retention. */
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  } | null
  /** Of a notification send with a template. */
  readonly template_id: string | null
  readonly variables: Readonly<Record<string, unknown>> | null
}

export type Delivery = {
  readonly id: string
  readonly device_id: string | null
  readonly channel_id: string | null
  readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
  readonly status: "sent" | "failed" | "skipped" | "cancelled"
  /** The provider's own id of the message. */
  readonly message_id: string | null
  /** Why it was not sent: a short code. `outcome_unknown` beside `cancelled`: a node that died or froze had the message in hand when the notification was cancelled, so the recipient may have got it. If that node comes back with the result, the result replaces this. */
  readonly error: string | null
  /** How often it was tried, the last time included. Not counted is a try that says nothing about the message: where the provider refuses the credential, or asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail). */
  readonly attempts: number
  readonly completed_at: string
  /** When the client reported it, of push alone; as the next two, as long as reports are kept. */
  readonly delivered_at: string | null
  readonly opened_at: string | null
  readonly clicked_at: string | null
}

export type Device = {
  readonly id: string
  readonly platform: "ios" | "android" | "web"
  readonly token: string
  readonly user_id: string | null
  readonly tags: ReadonlyArray<string>
  readonly timezone: string | null
  readonly environment: "production" | "sandbox"
  readonly metadata: Readonly<Record<string, unknown>>
  readonly web_push_p256dh: string | null
  readonly web_push_auth: string | null
  /** `invalid`: the push service says that the token is dead. */
  readonly status: "active" | "invalid"
  readonly invalid_reason: string | null
  readonly created_at: string
  readonly last_seen_at: string
}

export type ErrorBody = {
  readonly error: {
    readonly code:
      | "validation_error"
      | "unauthorized"
      | "identity_unverified"
      | "forbidden"
      | "not_found"
      | "method_not_allowed"
      | "request_timeout"
      | "conflict"
      | "transfer_ownership_first"
      | "organization_has_payments"
      | "payload_too_large"
      | "unsupported_media_type"
      | "idempotency_key_reused"
      | "rate_limited"
      | "internal_error"
      | "unavailable"
      | "rate_limiter_unavailable"
    readonly message: string
    readonly details: ReadonlyArray<{
      readonly field: string
      readonly message: string
      readonly line?: number
      readonly column?: number
    }>
    readonly request_id: string
  }
}

export type Execution = {
  readonly id: string
  readonly workflow_id: string
  /** Of the workflow; 0 where that is gone. */
  readonly version: number
  readonly user_id: string
  readonly status: "running" | "waiting" | "completed" | "filtered" | "failed" | "cancelled"
  /** The step that it is at, or at which it ended. */
  readonly step_order: number | null
  /** When a waiting one goes on by itself. */
  readonly due_at: string | null
  readonly error: string | null
  readonly reason: "operator" | "archived" | "deleted" | null
  readonly created_at: string
  readonly ended_at: string | null
}

export type ExecutionStep = {
  readonly at: string
  readonly step_order: number
  readonly outcome: "passed" | "stopped" | "waiting" | "skipped" | "merged" | "timed_out" | "failed" | "cancelled"
  readonly findings?: ReadonlyArray<{
    readonly about: string
    readonly fits: boolean
    /** Absent where nothing was there. */
    readonly actual?: unknown
  }>
  readonly branch?: number
  readonly until?: string
  readonly notification_id?: string
  readonly merged_into?: string
  readonly count?: number
  readonly detail?: string
}

export type ExecutionWithHistory = {
  readonly id: string
  readonly workflow_id: string
  /** Of the workflow; 0 where that is gone. */
  readonly version: number
  readonly user_id: string
  readonly status: "running" | "waiting" | "completed" | "filtered" | "failed" | "cancelled"
  /** The step that it is at, or at which it ended. */
  readonly step_order: number | null
  /** When a waiting one goes on by itself. */
  readonly due_at: string | null
  readonly error: string | null
  readonly reason: "operator" | "archived" | "deleted" | null
  readonly created_at: string
  readonly ended_at: string | null
  readonly data: Readonly<Record<string, unknown>>
  readonly steps: Readonly<Record<string, unknown>>
  readonly history: ReadonlyArray<ExecutionStep>
}

export type FcmCredential = {
  readonly service_account: {
    readonly project_id: string
    readonly client_email: string
    readonly private_key: string
    readonly token_uri?: string
  }
  readonly endpoint?: string
}

export type FcmServiceAccountFile = {
  readonly type: "service_account"
  readonly project_id: string
  readonly client_email: string
  readonly private_key: string
  readonly token_uri?: string
  readonly endpoint?: string
}

export type ImportResult =
  | { readonly line: number; readonly id: string; readonly created: boolean }
  | {
      readonly line: number
      readonly error: {
        readonly code:
          | "validation_error"
          | "unauthorized"
          | "identity_unverified"
          | "forbidden"
          | "not_found"
          | "method_not_allowed"
          | "request_timeout"
          | "conflict"
          | "transfer_ownership_first"
          | "organization_has_payments"
          | "payload_too_large"
          | "unsupported_media_type"
          | "idempotency_key_reused"
          | "rate_limited"
          | "internal_error"
          | "unavailable"
          | "rate_limiter_unavailable"
        readonly message: string
        readonly details: ReadonlyArray<{
          readonly field: string
          readonly message: string
          readonly line?: number
          readonly column?: number
        }>
      }
    }

export type InboxMessage = {
  readonly id: string
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
  /** Null: unread. */
  readonly read_at: string | null
}

export type IssueIdentitySecret = { readonly overlap_seconds?: number }

export type NewApiKey = {
  readonly id: string
  /** `secret`: full access to the application, for servers. `public`: the public endpoints, for apps. */
  readonly kind: "secret" | "public"
  readonly name: string
  /** The key's first characters, to tell keys apart. */
  readonly prefix: string
  readonly created_at: string
  /** To the minute; null before the first use. */
  readonly last_used_at: string | null
  /** The key itself, this once. Null when the answer is repeated for an Idempotency-Key: it is not kept. */
  readonly key: string | null
}

export type Notification = {
  readonly id: string
  readonly status: "scheduled" | "queued" | "sending" | "paused" | "completed" | "cancelled"
  readonly priority: "high" | "bulk"
  /** The content's title, else its subject; null where there is none, or a template says it to each. */
  readonly title: string | null
  readonly template_id: string | null
  /** The workflow that sent it; null: a request did. */
  readonly workflow_id: string | null
  /** The key of that workflow's step. */
  readonly workflow_step: string | null
  readonly counts: Counts
  /** When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once. */
  readonly send_at: string | null
  /** The time of day on each recipient's clock. */
  readonly local_time: string | null
  readonly created_at: string
  /** When what it says was last changed; null: never. */
  readonly updated_at: string | null
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly to: {
    readonly all?: true
    readonly device_ids?: ReadonlyArray<string>
    readonly user_ids?: ReadonlyArray<string>
    readonly channel_ids?: ReadonlyArray<string>
    readonly emails?: ReadonlyArray<string>
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezone?: string
    readonly locale?: string
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly segment_id?: string
  }
  readonly channels: ReadonlyArray<"push" | "email" | "inbox"> | null
  /** Null where there is a `template_id`. */
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  } | null
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly ttl: number | null
  readonly timezone: string | null
  readonly collapse_key: string | null
  readonly overrides: {
    readonly apns?: Readonly<Record<string, unknown>>
    readonly fcm?: Readonly<Record<string, unknown>>
    readonly web?: Readonly<Record<string, unknown>>
  } | null
  readonly track: { readonly opens?: boolean; readonly clicks?: boolean } | null
  /** Null when the application had all ids of `to` when it was accepted. */
  readonly skipped: SkippedIds | null
}

export type NotificationPreview = {
  readonly recipients: number
  /** False: counting took too long, and the numbers are what the database expects. */
  readonly is_exact: boolean
  /** Those with recipients. */
  readonly providers: ReadonlyArray<ProviderPreview>
  /** Null when the application has all ids of `to`. */
  readonly skipped: SkippedIds | null
}

export type NotificationStats = {
  readonly data: ReadonlyArray<{
    readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
    readonly accepted: number
    readonly pending: number
    readonly sent: number
    readonly failed: number
    readonly skipped: number
    readonly cancelled: number
  }>
}

export type NotificationSummary = {
  readonly id: string
  readonly status: "scheduled" | "queued" | "sending" | "paused" | "completed" | "cancelled"
  readonly priority: "high" | "bulk"
  /** The content's title, else its subject; null where there is none, or a template says it to each. */
  readonly title: string | null
  readonly template_id: string | null
  /** The workflow that sent it; null: a request did. */
  readonly workflow_id: string | null
  /** The key of that workflow's step. */
  readonly workflow_step: string | null
  readonly counts: Counts
  /** When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once. */
  readonly send_at: string | null
  /** The time of day on each recipient's clock. */
  readonly local_time: string | null
  readonly created_at: string
  /** When what it says was last changed; null: never. */
  readonly updated_at: string | null
  readonly started_at: string | null
  readonly completed_at: string | null
}

export type Outcomes = {
  readonly data: ReadonlyArray<{
    readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
    readonly status: "sent" | "failed" | "skipped" | "cancelled"
    readonly error: string | null
    readonly count: number
  }>
}

export type PostInbox = {
  readonly user_ids: ReadonlyArray<string>
  readonly title?: string
  readonly body?: string
  readonly url?: string
  readonly data?: Readonly<Record<string, unknown>>
}

export type PreviewSources = {
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
  readonly locales?: Readonly<Record<string, unknown>>
  readonly missing_variables?: "error" | "empty"
  /** Unless given, that of `contact`; null is somebody whose language is not known. */
  readonly locale?: string | null
  readonly variables?: Readonly<Record<string, unknown>>
  readonly device?: Readonly<Record<string, unknown>>
  readonly contact?: Readonly<Record<string, unknown>>
  /** Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was seen last. */
  readonly contact_id?: string
}

export type PreviewTemplate = {
  /** Unless given, that of `contact`; null is somebody whose language is not known. */
  readonly locale?: string | null
  readonly variables?: Readonly<Record<string, unknown>>
  readonly device?: Readonly<Record<string, unknown>>
  readonly contact?: Readonly<Record<string, unknown>>
  /** Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was seen last. */
  readonly contact_id?: string
}

export type ProviderPreview = {
  readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
  readonly recipients: number
  /** Without a credential that is ready, these recipients get nothing. */
  readonly credential: "ready" | "refused" | "missing"
  /** Of an inbox message it is `data` that has a limit. Null for e-mail, and where nothing can be filled. */
  readonly payload: { readonly bytes: number; readonly limit: number; readonly fits: boolean } | null
  /** What somebody of the audience would get. Null where the template cannot be filled for them, or asks for the person and nobody was found. */
  readonly sample: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  } | null
  /** Why the template cannot be filled for the sample: such a recipient fails. */
  readonly problem: {
    readonly field: string
    readonly code: "missing_variable" | "template_failed"
    readonly message: string
  } | null
}

export type RaiseEvent = {
  readonly event: string
  /** Your own id of the person: any text but `.` and `..`, which no path can hold. */
  readonly user_id: string
  readonly data?: Readonly<Record<string, unknown>>
}

export type RaisedEvent = { readonly id: string }

export type RecipientWebhookDeliveries = { readonly data: ReadonlyArray<RecipientWebhookDelivery> }

export type RecipientWebhookDelivery = {
  readonly webhook_id: string
  /** The `id` of the delivered body, the same on every attempt. */
  readonly event_id: string
  readonly event:
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
  /** `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts failed; there is a dead letter. */
  readonly status: "delivered" | "pending" | "retrying" | "exhausted"
  /** The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled. */
  readonly is_paused: boolean
  readonly attempts: number
  /** When each attempt began, oldest first. */
  readonly attempted_at: ReadonlyArray<string>
  /** What came of each attempt, as `attempted_at` has them. */
  readonly answers: ReadonlyArray<WebhookAnswer>
  /** Of the last attempt; null when there was no answer. */
  readonly response_status: number | null
  /** Why the last attempt failed. */
  readonly reason: string | null
  /** Of the last attempt. */
  readonly latency_ms: number | null
  /** The earliest moment of the next attempt; null when there is none, or not before the webhook is enabled. */
  readonly next_attempt_at: string | null
  readonly event_at: string
}

export type RedeliverWebhook = {
  readonly from?: string | Date
  readonly to?: string | Date
  /** `exhausted`, the default: what the receiver missed. `delivered`: what it has taken already. */
  readonly status?: "exhausted" | "delivered"
  /** This one alone: the `event_id` of the list of deliveries. Nothing else is named beside it. */
  readonly delivery_id?: string
}

export type Redelivery = {
  readonly id: string
  readonly webhook_id: string
  /** `completed`: all that was wanted is pending again. What came of it, the list of deliveries shows. */
  readonly status: "running" | "completed"
  /** Deliveries that are pending again, so far. */
  readonly redelivered: number
  readonly wanted: {
    readonly from: string | null
    readonly to: string | null
    readonly status: "exhausted" | "delivered" | null
    readonly delivery_id: string | null
  }
  readonly created_at: string
  readonly completed_at: string | null
}

export type RegisterDevice = {
  readonly token: string
  /** The token that this device had until now, where the platform has given it a new one: its row is kept. The row of a person is kept for the same `user_id` alone. */
  readonly previous_token?: string
  readonly platform: "ios" | "android" | "web"
  readonly user_id?: string | null
  readonly tags?: ReadonlyArray<string>
  readonly timezone?: string | null
  readonly environment?: "production" | "sandbox"
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly web_push_p256dh?: string | null
  readonly web_push_auth?: string | null
}

export type RehearseWorkflow = {
  /** A contact, whose way is tried. */
  readonly user_id?: string
  /** Somebody made up, in the place of `user_id`. */
  readonly contact?: {
    readonly attributes?: Readonly<Record<string, unknown>>
    readonly tags?: ReadonlyArray<string>
    readonly locale?: string | null
    readonly timezone?: string | null
  }
  readonly data?: Readonly<Record<string, unknown>>
  /** What becomes of the messages of SEND steps, by key. Left out: `sent`. */
  readonly outcomes?: Record<string, never>
  /** The data of the events that WAIT_FOR steps hear, by key. Left out: none comes in time. */
  readonly events?: Record<string, never>
  /** What FETCH steps are answered, by key, each try the same. Left out: 200 without a body. Nobody is asked. */
  readonly answers?: Record<string, never>
}

export type Replay = {
  readonly id: string
  readonly status: "running" | "completed"
  readonly filter: {
    readonly kind?: "notification" | "webhook"
    readonly webhook_id?: string
    readonly notification_id?: string
    readonly provider?: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
    /** The whole text of `error`. */
    readonly error?: string
    readonly from?: string
    readonly to?: string
  }
  /** Recipients that are pending again. */
  readonly replayed: number
  /** Letters that the filter describes and that could not go again: their notification is cancelled or gone, their recipient has been deleted, or their batch was still on its way. */
  readonly skipped: number
  readonly created_at: string
  readonly completed_at: string | null
}

export type ReplayDeadLetters = {
  readonly kind?: "notification" | "webhook"
  readonly webhook_id?: string
  readonly notification_id?: string
  readonly provider?: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
  /** The whole text of `error`. */
  readonly error?: string
  readonly from?: string | Date
  readonly to?: string | Date
}

export type ReportEngagement = {
  readonly type: "delivered" | "opened" | "clicked"
  readonly notification_id: string
  readonly device_id: string
  readonly destination?: string
}

export type Retries = {
  readonly data: ReadonlyArray<{
    readonly provider: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
    /** What the provider said of the first of them, as `503 ServiceUnavailable`; of a suspended credential, why it is. */
    readonly error: string | null
    /** How often they were tried, the most of any of them; 0 also after a try that is not counted. Not counted is a try that says nothing about the message: where the provider refuses the credential, or asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail). */
    readonly attempts: number
    readonly recipients: number
    /** When the next of them is tried. Null: once the credential is accepted again, or another one is set. */
    readonly next_at: string | null
  }>
}

export type SavedWorkflow = {
  readonly id: string
  readonly name: string
  readonly status: "draft" | "active" | "archived"
  /** Counts the changes, from 1. Runs stay on the version that they entered. */
  readonly version: number
  readonly trigger: WorkflowTrigger
  readonly steps: ReadonlyArray<WorkflowStep>
  /** `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`: never again, whatever became of the run. Whoever may not enter is passed over. */
  readonly reentry: "always" | "when_ended" | "once"
  readonly created_at: string
  readonly updated_at: string
  /** What its author may have overlooked, such as credentials that its messages need. */
  readonly warnings: ReadonlyArray<{ readonly field: string; readonly message: string }>
}

export type Segment = {
  readonly id: string
  readonly name: string
  readonly filter: {
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly tags_none?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezones?: ReadonlyArray<string>
    readonly locales?: ReadonlyArray<string>
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly last_seen?: { readonly within_days?: number; readonly not_within_days?: number }
    readonly engagement?: ReadonlyArray<{
      readonly type: "delivered" | "opened" | "clicked"
      readonly within_days: number
      readonly not?: boolean
    }>
  }
  readonly created_at: string
  readonly updated_at: string
}

export type SegmentCount = {
  readonly recipients: number
  readonly devices: number
  /** E-mail channels; they are reached by content with a part for e-mail. */
  readonly emails: number
  /** False: counting, or the wait for other counts, took longer than 3 s, and this is what the database expects. */
  readonly is_exact: boolean
}

export type SendNotification = {
  readonly to: {
    readonly all?: true
    readonly device_ids?: ReadonlyArray<string>
    readonly user_ids?: ReadonlyArray<string>
    readonly channel_ids?: ReadonlyArray<string>
    readonly emails?: ReadonlyArray<string>
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezone?: string
    readonly locale?: string
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly segment_id?: string
  }
  readonly channels?: ReadonlyArray<"push" | "email" | "inbox">
  readonly content?: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
  readonly template_id?: string
  readonly variables?: Readonly<Record<string, unknown>>
  /** Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a minute, and the provider does not keep it. */
  readonly ttl?: number
  readonly priority?: "high" | "bulk"
  /** A time with its offset, as `2026-12-24T18:00:00Z` or `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`. */
  readonly send_at?: string | Date
  readonly local_time?: string
  readonly timezone?: string
  /** Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the provider took last: the newest, unless an older one had to be tried again. */
  readonly collapse_key?: string
  readonly overrides?: {
    readonly apns?: Readonly<Record<string, unknown>>
    readonly fcm?: Readonly<Record<string, unknown>>
    readonly web?: Readonly<Record<string, unknown>>
  }
  readonly track?: { readonly opens?: boolean; readonly clicks?: boolean }
}

export type SkippedIds = {
  readonly count: number
  /** The first 100 of them, as they were sent. */
  readonly ids: ReadonlyArray<string>
}

export type SmtpCredential = { readonly url: string; readonly from: string }

export type Stats = {
  readonly from: string
  readonly to: string
  readonly group_by: "application" | "day" | "provider" | "day_provider"
  readonly total: {
    readonly sent: number
    readonly failed: number
    readonly skipped: number
    readonly cancelled: number
    readonly delivered: number
    readonly opened: number
    readonly clicked: number
    readonly machine_opened: number
    readonly machine_clicked: number
  }
  /** In the order of days. Days and providers with nothing to count are left out. */
  readonly data: ReadonlyArray<{
    readonly day?: string
    readonly provider?: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
    readonly sent: number
    readonly failed: number
    readonly skipped: number
    readonly cancelled: number
    readonly delivered: number
    readonly opened: number
    readonly clicked: number
    readonly machine_opened: number
    readonly machine_clicked: number
  }>
}

export type Template = {
  readonly id: string
  readonly name: string
  /** Counts the changes, from 1. */
  readonly version: number
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
  readonly locales: Readonly<Record<string, unknown>>
  readonly missing_variables: "error" | "empty"
  readonly created_at: string
  readonly updated_at: string
}

export type TemplatePreview = {
  /** Which language was taken; null for the default. */
  readonly language: string | null
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
}

export type TemplateVersion = {
  readonly id: string
  readonly version: number
  /** What the template was called. */
  readonly name: string
  readonly created_at: string
  readonly actor: {
    /** `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself. */
    readonly kind: "key" | "user" | "cli" | "system"
    readonly id: string | null
    /** Of a person who still has an account. */
    readonly email: string | null
  }
  readonly template_id: string
  readonly content: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
  readonly locales: Readonly<Record<string, unknown>>
  readonly missing_variables: "error" | "empty"
}

export type TemplateVersionSummary = {
  readonly id: string
  readonly version: number
  /** What the template was called. */
  readonly name: string
  readonly created_at: string
  readonly actor: {
    /** `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself. */
    readonly kind: "key" | "user" | "cli" | "system"
    readonly id: string | null
    /** Of a person who still has an account. */
    readonly email: string | null
  }
}

export type TestWebhook = {
  /** Unless given, the first that the webhook subscribes to. */
  readonly event?:
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
}

export type TrackDelivery = { readonly notification_id: string; readonly device_id: string }

export type TriggerWorkflow = {
  readonly to: {
    readonly all?: true
    readonly user_ids?: ReadonlyArray<string>
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly segment_id?: string
  }
  readonly data?: Readonly<Record<string, unknown>>
}

export type TriggeredWorkflow = {
  /** Runs that began. Of a described audience: contacts that are looked through now, of whom those enter whom it fits; 10,000 stands for that many or more. */
  readonly executions: number
  /** The run's, when there is one. */
  readonly execution_id: string | null
}

export type UpdateApplication = { readonly name?: string; readonly identity_verification?: boolean }

export type UpdateChannel = { readonly status: "active" | "unsubscribed" }

export type UpdateContact = {
  readonly email?: string | null
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly tags?: ReadonlyArray<string>
  readonly locale?: string | null
  readonly timezone?: string | null
}

export type UpdateDevice = {
  readonly user_id?: string | null
  readonly tags?: ReadonlyArray<string>
  readonly timezone?: string | null
  readonly environment?: "production" | "sandbox"
  readonly metadata?: Readonly<Record<string, unknown>>
}

export type UpdateNotification = {
  readonly to?: {
    readonly all?: true
    readonly device_ids?: ReadonlyArray<string>
    readonly user_ids?: ReadonlyArray<string>
    readonly channel_ids?: ReadonlyArray<string>
    readonly emails?: ReadonlyArray<string>
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezone?: string
    readonly locale?: string
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly segment_id?: string
  }
  readonly channels?: ReadonlyArray<"push" | "email" | "inbox"> | null
  readonly content?: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  } | null
  readonly template_id?: string | null
  readonly variables?: Readonly<Record<string, unknown>> | null
  readonly ttl?: number | null
  readonly priority?: "high" | "bulk" | null
  readonly send_at?: string | Date | null
  readonly local_time?: string | null
  readonly timezone?: string | null
  readonly collapse_key?: string | null
  readonly overrides?: {
    readonly apns?: Readonly<Record<string, unknown>>
    readonly fcm?: Readonly<Record<string, unknown>>
    readonly web?: Readonly<Record<string, unknown>>
  } | null
  readonly track?: { readonly opens?: boolean; readonly clicks?: boolean } | null
}

export type UpdatePreferences = {
  /** For every kind that is not named beside it. */
  readonly all?: boolean
  readonly push?: boolean
  readonly email?: boolean
  readonly inbox?: boolean
}

export type UpdateSegment = {
  readonly name?: string
  readonly filter?: {
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly tags_none?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezones?: ReadonlyArray<string>
    readonly locales?: ReadonlyArray<string>
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly last_seen?: { readonly within_days?: number; readonly not_within_days?: number }
    readonly engagement?: ReadonlyArray<{
      readonly type: "delivered" | "opened" | "clicked"
      readonly within_days: number
      readonly not?: boolean
    }>
  }
}

export type UpdateTemplate = {
  /** The version that is changed. Where it is not the latest any more, nothing is changed, and the answer is 409. */
  readonly version?: number
  readonly name?: string
  readonly content?: {
    readonly title?: string
    readonly body?: string
    readonly url?: string
    readonly image?: string
    readonly data?: Readonly<Record<string, unknown>>
    readonly subject?: string
    readonly html?: string
  }
  readonly locales?: Readonly<Record<string, unknown>>
  readonly missing_variables?: "error" | "empty"
}

export type UpdateWebhook = {
  readonly name?: string
  readonly url?: string
  readonly secret?: string | null
  /** With a new `secret`: for how long the one before it signs beside it, as a further `v1`. Left out, or 0: not at all. */
  readonly secret_overlap_seconds?: number
  readonly events?: ReadonlyArray<
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
  >
  readonly is_active?: boolean
}

export type UpdateWorkflow = {
  readonly name?: string
  readonly trigger?: WorkflowTrigger
  readonly steps?: ReadonlyArray<WorkflowStep>
  /** `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`: never again, whatever became of the run. Whoever may not enter is passed over. */
  readonly reentry?: "always" | "when_ended" | "once"
  /** Which version was changed: where others have made a later one by now, the answer is 409. */
  readonly version?: number
}

export type UpsertContact = {
  /** Your own id of the person: any text but `.` and `..`, which no path can hold. */
  readonly external_id: string
  readonly email?: string | null
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly tags?: ReadonlyArray<string>
  readonly locale?: string | null
  readonly timezone?: string | null
}

export type WebPushCredential = {
  readonly subject: string
  readonly public_key?: string
  readonly private_key?: string
}

export type Webhook = {
  readonly id: string
  readonly name: string
  readonly url: string
  /** No events means all events. */
  readonly events: ReadonlyArray<
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
  >
  readonly is_active: boolean
  /** Set when the service disabled the webhook after repeated failures. */
  readonly disabled_reason: string | null
  /** Whether deliveries carry `X-Service-Signature`. */
  readonly is_signed: boolean
  /** Until when the signature has a further `v1` for what was replaced; null when nothing overlaps. */
  readonly signature_overlap_until: string | null
  readonly created_at: string
  readonly updated_at: string
}

export type WebhookAnswer = {
  /** Null when there was no answer. */
  readonly response_status: number | null
  /** Why the attempt failed. */
  readonly reason: string | null
  readonly latency_ms: number
}

export type WebhookDelivery = {
  /** The `id` of the delivered body, the same on every attempt. */
  readonly event_id: string
  readonly event:
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
  /** `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts failed; there is a dead letter. */
  readonly status: "delivered" | "pending" | "retrying" | "exhausted"
  /** The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled. */
  readonly is_paused: boolean
  readonly attempts: number
  /** When each attempt began, oldest first. */
  readonly attempted_at: ReadonlyArray<string>
  /** What came of each attempt, as `attempted_at` has them. */
  readonly answers: ReadonlyArray<WebhookAnswer>
  /** Of the last attempt; null when there was no answer. */
  readonly response_status: number | null
  /** Why the last attempt failed. */
  readonly reason: string | null
  /** Of the last attempt. */
  readonly latency_ms: number | null
  /** The earliest moment of the next attempt; null when there is none, or not before the webhook is enabled. */
  readonly next_attempt_at: string | null
  readonly event_at: string
}

export type WebhookDeliveryWithBody = {
  /** The `id` of the delivered body, the same on every attempt. */
  readonly event_id: string
  readonly event:
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
  /** `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts failed; there is a dead letter. */
  readonly status: "delivered" | "pending" | "retrying" | "exhausted"
  /** The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled. */
  readonly is_paused: boolean
  readonly attempts: number
  /** When each attempt began, oldest first. */
  readonly attempted_at: ReadonlyArray<string>
  /** What came of each attempt, as `attempted_at` has them. */
  readonly answers: ReadonlyArray<WebhookAnswer>
  /** Of the last attempt; null when there was no answer. */
  readonly response_status: number | null
  /** Why the last attempt failed. */
  readonly reason: string | null
  /** Of the last attempt. */
  readonly latency_ms: number | null
  /** The earliest moment of the next attempt; null when there is none, or not before the webhook is enabled. */
  readonly next_attempt_at: string | null
  readonly event_at: string
  /** What is posted. */
  readonly body: unknown
}

export type WebhookTest = {
  /** Whether the answer was 2xx. */
  readonly delivered: boolean
  readonly response_status: number | null
  readonly reason: string | null
  readonly latency_ms: number
  readonly event_id: string
  readonly event:
    | "NOTIFICATION_SENT"
    | "NOTIFICATION_FAILED"
    | "NOTIFICATION_DELIVERED"
    | "NOTIFICATION_OPENED"
    | "NOTIFICATION_CLICKED"
    | "WORKFLOW_COMPLETED"
    | "WORKFLOW_FILTERED"
    | "WORKFLOW_FAILED"
    | "WORKFLOW_CANCELLED"
}

export type Workflow = {
  readonly id: string
  readonly name: string
  readonly status: "draft" | "active" | "archived"
  /** Counts the changes, from 1. Runs stay on the version that they entered. */
  readonly version: number
  readonly trigger: WorkflowTrigger
  readonly steps: ReadonlyArray<WorkflowStep>
  /** `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`: never again, whatever became of the run. Whoever may not enter is passed over. */
  readonly reentry: "always" | "when_ended" | "once"
  readonly created_at: string
  readonly updated_at: string
}

export type WorkflowConditions = {
  readonly tags_any?: ReadonlyArray<string>
  readonly tags_all?: ReadonlyArray<string>
  readonly tags_none?: ReadonlyArray<string>
  readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
  readonly timezones?: ReadonlyArray<string>
  readonly locales?: ReadonlyArray<string>
  readonly attributes?: ReadonlyArray<{
    readonly name: string
    readonly op:
      | "equals"
      | "not_equals"
      | "contains"
      | "in"
      | "greater"
      | "greater_or_equal"
      | "less"
      | "less_or_equal"
      | "exists"
      | "not_exists"
    readonly value?: unknown
  }>
  readonly last_seen?: { readonly within_days?: number; readonly not_within_days?: number }
  readonly engagement?: ReadonlyArray<{
    readonly type: "delivered" | "opened" | "clicked"
    readonly within_days: number
    readonly not?: boolean
  }>
  /** About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price` of what a step brought. What is missing fits `not_exists` alone. */
  readonly data?: ReadonlyArray<{
    readonly name: string
    readonly op:
      | "equals"
      | "not_equals"
      | "contains"
      | "in"
      | "greater"
      | "greater_or_equal"
      | "less"
      | "less_or_equal"
      | "exists"
      | "not_exists"
    readonly value?: unknown
  }>
  readonly steps?: ReadonlyArray<{
    /** Of a SEND step that stands before. */
    readonly key: string
    readonly is: "sent" | "failed" | "skipped" | "delivered" | "opened" | "clicked"
    readonly not?: boolean
  }>
  /** One of these has to fit, beside all others. */
  readonly any?: ReadonlyArray<{
    readonly tags_any?: ReadonlyArray<string>
    readonly tags_all?: ReadonlyArray<string>
    readonly tags_none?: ReadonlyArray<string>
    readonly platforms?: ReadonlyArray<"ios" | "android" | "web">
    readonly timezones?: ReadonlyArray<string>
    readonly locales?: ReadonlyArray<string>
    readonly attributes?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly last_seen?: { readonly within_days?: number; readonly not_within_days?: number }
    readonly engagement?: ReadonlyArray<{
      readonly type: "delivered" | "opened" | "clicked"
      readonly within_days: number
      readonly not?: boolean
    }>
    /** About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price` of what a step brought. What is missing fits `not_exists` alone. */
    readonly data?: ReadonlyArray<{
      readonly name: string
      readonly op:
        | "equals"
        | "not_equals"
        | "contains"
        | "in"
        | "greater"
        | "greater_or_equal"
        | "less"
        | "less_or_equal"
        | "exists"
        | "not_exists"
      readonly value?: unknown
    }>
    readonly steps?: ReadonlyArray<{
      /** Of a SEND step that stands before. */
      readonly key: string
      readonly is: "sent" | "failed" | "skipped" | "delivered" | "opened" | "clicked"
      readonly not?: boolean
    }>
  }>
}

export type WorkflowDryRun = {
  readonly status: "running" | "waiting" | "completed" | "filtered" | "failed" | "cancelled"
  readonly error: string | null
  readonly history: ReadonlyArray<ExecutionStep>
  readonly messages: ReadonlyArray<{
    readonly key: string
    readonly content: {
      readonly title?: string
      readonly body?: string
      readonly url?: string
      readonly image?: string
      readonly data?: Readonly<Record<string, unknown>>
      readonly subject?: string
      readonly html?: string
    } | null
    /** Why it cannot be filled. */
    readonly problem: string | null
  }>
}

export type WorkflowStatistics = { readonly version: number; readonly steps: ReadonlyArray<WorkflowStepStatistics> }

export type WorkflowStep =
  | {
      readonly key: string
      readonly name?: string
      readonly type: "SEND"
      /** Liquid, as of a template: the run's data is under `data` and `steps`. */
      readonly content?: {
        readonly title?: string
        readonly body?: string
        readonly url?: string
        readonly image?: string
        readonly data?: Readonly<Record<string, unknown>>
        readonly subject?: string
        readonly html?: string
      }
      readonly channels?: ReadonlyArray<"push" | "email" | "inbox">
      readonly template_id?: string
      readonly variables?: Readonly<Record<string, unknown>>
      /** Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a minute, and the provider does not keep it. */
      readonly ttl?: number
      readonly priority?: "high" | "bulk"
      /** Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the provider took last: the newest, unless an older one had to be tried again. */
      readonly collapse_key?: string
      readonly overrides?: {
        readonly apns?: Readonly<Record<string, unknown>>
        readonly fcm?: Readonly<Record<string, unknown>>
        readonly web?: Readonly<Record<string, unknown>>
      }
      readonly track?: { readonly opens?: boolean; readonly clicks?: boolean }
      /** The run goes on when the message has ended, for a day at most, and fails where all of it failed. Left out, it goes on at once. */
      readonly wait_for_outcome?: true
    }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "DELAY"
      readonly seconds?: number
      readonly until?: string
      readonly window?: {
        readonly from: string
        readonly to: string
        /** Days of the week on which it begins, from 1, Monday. Left out: all. */
        readonly days?: ReadonlyArray<number>
      }
      readonly timezone?: string
    }
  | { readonly key: string; readonly name?: string; readonly type: "FILTER"; readonly conditions: WorkflowConditions }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "BRANCH"
      readonly branches: ReadonlyArray<{
        readonly conditions: WorkflowConditions
        readonly steps: ReadonlyArray<WorkflowStep>
      }>
      readonly else?: ReadonlyArray<WorkflowStep>
    }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "DIGEST"
      /** What tells digests of one person apart. Left out: one for the person. */
      readonly by?: string
      readonly seconds: number
      /** Each one more begins `seconds` anew, up to ten times of it after the first. */
      readonly sliding?: true
      /** So many close the digest before its time. */
      readonly at_most?: number
    }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "THROTTLE"
      readonly by?: string
      readonly at_most: number
      readonly per_seconds: number
    }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "FETCH"
      /** Left out: GET, and POST with a body. */
      readonly method?: "GET" | "POST" | "PUT" | "PATCH"
      readonly url: string
      readonly headers?: Readonly<Record<string, unknown>>
      readonly body?: Readonly<Record<string, unknown>>
    }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "UPDATE_CONTACT"
      readonly tags_add?: ReadonlyArray<string>
      readonly tags_remove?: ReadonlyArray<string>
      readonly attributes?: Readonly<Record<string, unknown>>
    }
  | {
      readonly key: string
      readonly name?: string
      readonly type: "WAIT_FOR"
      readonly event: string
      /** The event's value at the path `event` has to equal the run's at the path `run`. */
      readonly match?: { readonly event: string; readonly run: string }
      readonly seconds: number
    }

export type WorkflowStepStatistics = {
  readonly step_order: number
  readonly key: string
  readonly type: string
  readonly entered: number
  readonly passed: number
  /** Stopped by a FILTER or THROTTLE, or cancelled there. */
  readonly stopped: number
  readonly failed: number
  readonly waiting: number
}

export type WorkflowTrigger =
  | { readonly type: "api" }
  | { readonly type: "event"; readonly event: string }
  | { readonly type: "tag_added"; readonly tag: string }
  | { readonly type: "segment_entered"; readonly segment_id: string }
  | {
      readonly type: "schedule"
      readonly cron: string
      readonly timezone: string
      readonly to: {
        readonly all?: true
        readonly user_ids?: ReadonlyArray<string>
        readonly tags_any?: ReadonlyArray<string>
        readonly tags_all?: ReadonlyArray<string>
        readonly segment_id?: string
      }
    }

export type WorkflowVersion = {
  /** Of the version. */
  readonly id: string
  readonly version: number
  readonly created_at: string
  /** Who made it. */
  readonly actor: {
    /** `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself. */
    readonly kind: "key" | "user" | "cli" | "system"
    readonly id: string | null
    /** Of a person who still has an account. */
    readonly email: string | null
  }
  /** Of it, those under way. */
  readonly runs: number
  readonly trigger: WorkflowTrigger
  readonly steps: ReadonlyArray<WorkflowStep>
  /** `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`: never again, whatever became of the run. Whoever may not enter is passed over. */
  readonly reentry: "always" | "when_ended" | "once"
}

export type WorkflowVersionSummary = {
  /** Of the version. */
  readonly id: string
  readonly version: number
  readonly created_at: string
  /** Who made it. */
  readonly actor: {
    /** `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the system's user name. `system`: the service itself. */
    readonly kind: "key" | "user" | "cli" | "system"
    readonly id: string | null
    /** Of a person who still has an account. */
    readonly email: string | null
  }
  /** Of it, those under way. */
  readonly runs: number
}

export type ErrorCode = ErrorBody["error"]["code"]

export interface PublicDevicesResource {
  /** Register or refresh a device. */
  create(
    body: RegisterDevice,
    options?: RequestOptions
  ): Promise<{
    readonly id: string
    /** True for a new device, false when a known one was refreshed. */
    readonly created: boolean
  }>
  /** Remove a device by its token. */
  delete(
    body: { readonly token: string },
    options?: RequestOptions
  ): Promise<{
    /** False when there was no such device. */
    readonly deleted: boolean
  }>
}

export interface DevicesResource {
  /** List devices. */
  list(
    query?: {
      readonly platform?: "ios" | "android" | "web"
      readonly environment?: "production" | "sandbox"
      readonly status?: "active" | "invalid"
      readonly user_id?: string
      /** With one of these tags at least; repeat the parameter for several. */
      readonly tags_any?: ReadonlyArray<string>
      /** With all of these tags. */
      readonly tags_all?: ReadonlyArray<string>
      readonly created_from?: string | Date
      readonly created_before?: string | Date
      readonly last_seen_from?: string | Date
      readonly last_seen_before?: string | Date
      /** Whom this segment holds now; beside other filters, whom all of them fit. */
      readonly segment_id?: string
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Device>
  /** Read a device. */
  get(id: string, options?: RequestOptions): Promise<Device>
  /** Change a device. */
  update(id: string, body: UpdateDevice, options?: RequestOptions): Promise<Device>
  /** Remove a device. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Register many devices. */
  import(body: Lines<RegisterDevice>, options?: RequestOptions): AsyncIterable<ImportResult>
  /** Export devices. */
  export(
    query?: {
      readonly platform?: "ios" | "android" | "web"
      readonly environment?: "production" | "sandbox"
      readonly status?: "active" | "invalid"
      readonly user_id?: string
      /** With one of these tags at least; repeat the parameter for several. */
      readonly tags_any?: ReadonlyArray<string>
      /** With all of these tags. */
      readonly tags_all?: ReadonlyArray<string>
      readonly created_from?: string | Date
      readonly created_before?: string | Date
      readonly last_seen_from?: string | Date
      readonly last_seen_before?: string | Date
      /** Whom this segment holds now; beside other filters, whom all of them fit. */
      readonly segment_id?: string
    },
    options?: RequestOptions
  ): AsyncIterable<Device>
}

export interface EventsResource {
  /** Report that a push was delivered, opened or clicked. */
  create(body: ReportEngagement, options?: RequestOptions): Promise<{ readonly accepted: true }>
  /** Raise an event of your own. */
  custom(body: RaiseEvent, options?: RequestOptions): Promise<RaisedEvent>
}

export interface TrackResource {
  /** Confirm that a push was delivered. */
  create(body: TrackDelivery, options?: RequestOptions): Promise<{ readonly accepted: true }>
}

export interface ChannelsResource {
  /** Create a channel. */
  create(
    body: CreateChannel,
    options?: RequestOptions
  ): Promise<{
    readonly id: string
    /** False when it was there before. */
    readonly created: boolean
  }>
  /** List channels. */
  list(
    query?: {
      readonly status?: "active" | "suppressed" | "unsubscribed"
      readonly contact_id?: string
      /** Compared without case. */
      readonly address?: string
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Channel>
  /** Read a channel. */
  get(id: string, options?: RequestOptions): Promise<Channel>
  /** Unsubscribe a channel, or subscribe it again. */
  update(id: string, body: UpdateChannel, options?: RequestOptions): Promise<Channel>
  /** Remove a channel. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
}

export interface ContactsResource {
  /** Create or update a contact. */
  create(
    body: UpsertContact,
    options?: RequestOptions
  ): Promise<{
    readonly id: string
    /** False when it was there before. */
    readonly created: boolean
  }>
  /** List contacts. */
  list(
    query?: {
      readonly external_id?: string
      readonly tag?: string
      /** Whom this segment holds now; beside other filters, whom all of them fit. */
      readonly segment_id?: string
      /** Those whose `external_id`, e-mail address or attribute `name` begins so, whatever the case; in the order of what they are found by. Not beside other filters. */
      readonly search?: string
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Contact>
  /** Create or update up to 1,000 contacts. */
  bulk(body: BulkContacts, options?: RequestOptions): Promise<{ readonly data: ReadonlyArray<BulkResult> }>
  /** Add and remove tags of many contacts. */
  tagsMany(
    body: ChangeTagsOfMany,
    options?: RequestOptions
  ): Promise<{
    readonly updated: number
    /** External ids of no contact. */
    readonly unknown: ReadonlyArray<string>
    /** Those that would have more than 100 tags. */
    readonly full: ReadonlyArray<string>
  }>
  /** Create or update many contacts. */
  import(body: Lines<UpsertContact>, options?: RequestOptions): AsyncIterable<ImportResult>
  /** Add and remove tags of a contact. */
  tags(id: string, body: ChangeTags, options?: RequestOptions): Promise<Contact>
  /** Read a contact. */
  get(id: string, options?: RequestOptions): Promise<Contact>
  /** Update a contact. */
  update(id: string, body: UpdateContact, options?: RequestOptions): Promise<Contact>
  /** Delete a person. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Read what a contact wants to get. */
  preferences(
    id: string,
    options?: RequestOptions
  ): Promise<{ readonly push: boolean; readonly email: boolean; readonly inbox: boolean }>
  /** Unsubscribe a contact, or subscribe it again. */
  updatePreferences(
    id: string,
    body: UpdatePreferences,
    options?: RequestOptions
  ): Promise<{ readonly push: boolean; readonly email: boolean; readonly inbox: boolean }>
  /** Add and remove tags of a contact, by your own id. */
  tagsByExternalId(externalId: string, body: ChangeTags, options?: RequestOptions): Promise<Contact>
  /** Read a contact, by your own id. */
  getByExternalId(externalId: string, options?: RequestOptions): Promise<Contact>
  /** Update a contact, by your own id. */
  updateByExternalId(externalId: string, body: UpdateContact, options?: RequestOptions): Promise<Contact>
  /** Delete a person, by your own id. */
  deleteByExternalId(externalId: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Read what a contact wants to get, by your own id. */
  preferencesByExternalId(
    externalId: string,
    options?: RequestOptions
  ): Promise<{ readonly push: boolean; readonly email: boolean; readonly inbox: boolean }>
  /** Unsubscribe a contact, or subscribe it again, by your own id. */
  updatePreferencesByExternalId(
    externalId: string,
    body: UpdatePreferences,
    options?: RequestOptions
  ): Promise<{ readonly push: boolean; readonly email: boolean; readonly inbox: boolean }>
}

export interface PublicInboxResource {
  /** List the messages of a user's inbox. */
  list(
    query: {
      /** Whose inbox: your own id of the person. */
      readonly user_id: string
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<InboxMessage>
  /** Count a user's unread messages. */
  unreadCount(
    query: {
      /** Whose inbox: your own id of the person. */
      readonly user_id: string
    },
    options?: RequestOptions
  ): Promise<{ readonly unread_count: number }>
  /** Mark one message as read. */
  read(
    id: string,
    query: {
      /** Whose inbox: your own id of the person. */
      readonly user_id: string
    },
    options?: RequestOptions
  ): Promise<InboxMessage>
  /** Mark all of a user's messages as read. */
  readAll(
    query: {
      /** Whose inbox: your own id of the person. */
      readonly user_id: string
    },
    options?: RequestOptions
  ): Promise<{
    /** How many became read by this request. */
    readonly read: number
  }>
}

export interface InboxResource {
  /** Write to the inboxes of users. */
  createMessages(
    body: PostInbox,
    options?: RequestOptions
  ): Promise<{
    /** How many people got it. */
    readonly created: number
  }>
}

export interface NotificationsResource {
  /** Cancel a notification. */
  cancel(id: string, options?: RequestOptions): Promise<NotificationSummary>
  /** Pause a notification. */
  pause(id: string, options?: RequestOptions): Promise<NotificationSummary>
  /** Resume a paused notification. */
  resume(id: string, options?: RequestOptions): Promise<NotificationSummary>
  /** Send a notification. */
  create(
    body: SendNotification,
    options?: RequestOptions
  ): Promise<{
    readonly id: string
    readonly status: "scheduled" | "queued" | "sending" | "paused" | "completed" | "cancelled"
    readonly skipped?: SkippedIds
  }>
  /** List notifications. */
  list(
    query?: {
      /** In this state now. */
      readonly status?: "scheduled" | "queued" | "sending" | "paused" | "completed" | "cancelled"
      readonly created_from?: string | Date
      readonly created_to?: string | Date
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<NotificationSummary>
  /** See what a notification would do. */
  preview(body: SendNotification, options?: RequestOptions): Promise<NotificationPreview>
  /** Read a notification and its counts. */
  get(id: string, options?: RequestOptions): Promise<Notification>
  /** Change a scheduled notification. */
  update(id: string, body: UpdateNotification, options?: RequestOptions): Promise<Notification>
  /** List what became of each recipient. */
  deliveries(
    id: string,
    query?: {
      readonly status?: "sent" | "failed" | "skipped" | "cancelled"
      /** Exactly this code, as `unregistered`. */
      readonly error?: string
      /** The devices and channels of the person with this id of the application's own. */
      readonly user_id?: string
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Delivery>
  /** Count why recipients ended as they did. */
  outcomes(id: string, options?: RequestOptions): Promise<Outcomes>
  /** Say what pending recipients wait for. */
  retries(id: string, options?: RequestOptions): Promise<Retries>
  /** Read a notification's counts by provider. */
  stats(id: string, options?: RequestOptions): Promise<NotificationStats>
  /** List what webhooks were told of a recipient. */
  webhookDeliveries(
    id: string,
    query: {
      /** The device, or the channel. */
      readonly recipient_id: string
    },
    options?: RequestOptions
  ): Promise<RecipientWebhookDeliveries>
}

export interface TemplatesResource {
  /** Create a template. */
  create(body: CreateTemplate, options?: RequestOptions): Promise<Template>
  /** List templates. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Template>
  /** Fill a template that is not saved. */
  previewMany(body: PreviewSources, options?: RequestOptions): Promise<TemplatePreview>
  /** Read a template. */
  get(id: string, options?: RequestOptions): Promise<Template>
  /** Change a template. */
  update(id: string, body: UpdateTemplate, options?: RequestOptions): Promise<Template>
  /** Remove a template. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** List the versions of a template. */
  versions(id: string, options?: RequestOptions): Pages<TemplateVersionSummary>
  /** Read a version of a template. */
  getVersion(id: string, options?: RequestOptions): Promise<TemplateVersion>
  /** Fill a template for an example. */
  preview(id: string, body: PreviewTemplate, options?: RequestOptions): Promise<TemplatePreview>
}

export interface SegmentsResource {
  /** Create a segment. */
  create(body: CreateSegment, options?: RequestOptions): Promise<Segment>
  /** List segments. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Segment>
  /** Count whom conditions fit now. */
  countMany(body: CountSegment, options?: RequestOptions): Promise<SegmentCount>
  /** Read a segment. */
  get(id: string, options?: RequestOptions): Promise<Segment>
  /** Change a segment. */
  update(id: string, body: UpdateSegment, options?: RequestOptions): Promise<Segment>
  /** Remove a segment. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Count who is in a segment now. */
  count(id: string, options?: RequestOptions): Promise<SegmentCount>
}

export interface WorkflowsResource {
  /** Create a workflow. */
  create(body: CreateWorkflow, options?: RequestOptions): Promise<SavedWorkflow>
  /** List workflows. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
      readonly status?: "draft" | "active" | "archived"
    },
    options?: RequestOptions
  ): Pages<Workflow>
  /** Read a workflow. */
  get(id: string, options?: RequestOptions): Promise<Workflow>
  /** Change a workflow. */
  update(id: string, body: UpdateWorkflow, options?: RequestOptions): Promise<SavedWorkflow>
  /** Remove a workflow. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Count runs by step. */
  statistics(id: string, options?: RequestOptions): Promise<WorkflowStatistics>
  /** List the versions of a workflow. */
  versions(
    id: string,
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<WorkflowVersionSummary>
  /** Read a version of a workflow. */
  version(
    id: string,
    query?: {
      /** Its number. Left out: the latest. */
      readonly version?: number
    },
    options?: RequestOptions
  ): Promise<WorkflowVersion>
  /** Activate a workflow. */
  activate(id: string, options?: RequestOptions): Promise<SavedWorkflow>
  /** Archive a workflow. */
  archive(id: string, options?: RequestOptions): Promise<Workflow>
  /** Let people enter a workflow. */
  trigger(id: string, body: TriggerWorkflow, options?: RequestOptions): Promise<TriggeredWorkflow>
  /** Try a workflow without sending. */
  dryRun(id: string, body: RehearseWorkflow, options?: RequestOptions): Promise<WorkflowDryRun>
}

export interface ExecutionsResource {
  /** List executions. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
      readonly workflow_id?: string
      readonly status?: "running" | "waiting" | "completed" | "filtered" | "failed" | "cancelled"
      readonly user_id?: string
    },
    options?: RequestOptions
  ): Pages<Execution>
  /** Read an execution with its history. */
  get(id: string, options?: RequestOptions): Promise<ExecutionWithHistory>
  /** Cancel many executions. */
  cancelMany(body: CancelExecutions, options?: RequestOptions): Promise<CancelledExecutions>
  /** Cancel an execution. */
  cancel(id: string, options?: RequestOptions): Promise<Execution>
}

export interface StatsResource {
  /** Count what happened, by day and provider. */
  get(
    query?: {
      readonly from?: string
      readonly to?: string
      /** `day` unless given. */
      readonly group_by?: "application" | "day" | "provider" | "day_provider"
    },
    options?: RequestOptions
  ): Promise<Stats>
}

export interface WebhooksResource {
  /** Create a webhook. */
  create(body: CreateWebhook, options?: RequestOptions): Promise<Webhook>
  /** List webhooks. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Webhook>
  /** Read a webhook. */
  get(id: string, options?: RequestOptions): Promise<Webhook>
  /** Change a webhook. */
  update(id: string, body: UpdateWebhook, options?: RequestOptions): Promise<Webhook>
  /** Delete a webhook. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Send a test delivery now. */
  test(
    id: string,
    body?: TestWebhook,
    query?: {
      /** Unless given, the first that the webhook subscribes to. */
      readonly event?:
        | "NOTIFICATION_SENT"
        | "NOTIFICATION_FAILED"
        | "NOTIFICATION_DELIVERED"
        | "NOTIFICATION_OPENED"
        | "NOTIFICATION_CLICKED"
        | "WORKFLOW_COMPLETED"
        | "WORKFLOW_FILTERED"
        | "WORKFLOW_FAILED"
        | "WORKFLOW_CANCELLED"
    },
    options?: RequestOptions
  ): Promise<WebhookTest>
  /** List recent deliveries. */
  deliveries(
    id: string,
    query?: {
      readonly event?:
        | "NOTIFICATION_SENT"
        | "NOTIFICATION_FAILED"
        | "NOTIFICATION_DELIVERED"
        | "NOTIFICATION_OPENED"
        | "NOTIFICATION_CLICKED"
        | "WORKFLOW_COMPLETED"
        | "WORKFLOW_FILTERED"
        | "WORKFLOW_FAILED"
        | "WORKFLOW_CANCELLED"
      readonly status?: "delivered" | "pending" | "retrying" | "exhausted"
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<WebhookDelivery>
  /** Read a delivery with its body. */
  delivery(
    id: string,
    query: {
      /** As the list of deliveries has it. */
      readonly event_id: string
    },
    options?: RequestOptions
  ): Promise<WebhookDeliveryWithBody>
  /** Deliver again what a webhook's receiver missed. */
  redeliver(id: string, body: RedeliverWebhook, options?: RequestOptions): Promise<Redelivery>
  /** Follow a redelivery. */
  getRedelivery(id: string, options?: RequestOptions): Promise<Redelivery>
}

export interface DeadLettersResource {
  /** List dead letters. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
      readonly kind?: "notification" | "webhook"
      readonly webhook_id?: string
      readonly notification_id?: string
      readonly provider?: "apns" | "fcm" | "webpush" | "smtp" | "inbox"
      /** The whole text of `error`. */
      readonly error?: string
      readonly from?: string | Date
      readonly to?: string | Date
    },
    options?: RequestOptions
  ): Pages<DeadLetter>
  /** Read a dead letter with its content. */
  get(id: string, options?: RequestOptions): Promise<DeadLetterWithContent>
  /** Send a dead letter again. */
  replay(id: string, options?: RequestOptions): Promise<{ readonly id: string; readonly notification_id: string }>
  /** Send many dead letters again. */
  replayMany(body: ReplayDeadLetters, options?: RequestOptions): Promise<Replay>
  /** List replays. */
  replays(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<Replay>
  /** Follow a replay. */
  getReplay(id: string, options?: RequestOptions): Promise<Replay>
}

export interface CredentialsResource {
  /** List provider credentials. */
  list(options?: RequestOptions): Pages<Credential>
  /** Set the APNs credential. */
  setApns(body: ApnsCredential, options?: RequestOptions): Promise<Credential>
  /** Read the APNs credential. */
  getApns(options?: RequestOptions): Promise<Credential>
  /** Remove the APNs credential. */
  deleteApns(options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Check the APNs credential. */
  checkApns(options?: RequestOptions): Promise<CredentialCheck>
  /** Set the FCM credential. */
  setFcm(body: FcmCredential | FcmServiceAccountFile, options?: RequestOptions): Promise<Credential>
  /** Read the FCM credential. */
  getFcm(options?: RequestOptions): Promise<Credential>
  /** Remove the FCM credential. */
  deleteFcm(options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Check the FCM credential. */
  checkFcm(options?: RequestOptions): Promise<CredentialCheck>
  /** Set the Web Push credential. */
  setWebpush(body: WebPushCredential, options?: RequestOptions): Promise<Credential>
  /** Read the Web Push credential. */
  getWebpush(options?: RequestOptions): Promise<Credential>
  /** Remove the Web Push credential. */
  deleteWebpush(options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Check the Web Push credential. */
  checkWebpush(options?: RequestOptions): Promise<CredentialCheck>
  /** Set the e-mail credential. */
  setSmtp(body: SmtpCredential, options?: RequestOptions): Promise<Credential>
  /** Read the e-mail credential. */
  getSmtp(options?: RequestOptions): Promise<Credential>
  /** Remove the e-mail credential. */
  deleteSmtp(options?: RequestOptions): Promise<{ readonly deleted: true }>
  /** Check the e-mail credential. */
  checkSmtp(options?: RequestOptions): Promise<CredentialCheck>
}

export interface PublicAppsResource {
  /** Read the key that browsers subscribe with. */
  vapid(id: string, options?: RequestOptions): Promise<{ readonly public_key: string }>
}

export interface ApplicationResource {
  /** Read the application and its options. */
  get(options?: RequestOptions): Promise<Application>
  /** Change the application's options. */
  update(body: UpdateApplication, options?: RequestOptions): Promise<Application>
  /** Issue a new identity secret. */
  createIdentitySecret(
    body: IssueIdentitySecret,
    options?: RequestOptions
  ): Promise<{
    /** The secret, this once. Null when the answer is repeated for an Idempotency-Key: it is not kept. */
    readonly identity_secret: string | null
    readonly former_identity_secret_until: string | null
  }>
}

export interface ApiKeysResource {
  /** List API keys. */
  list(
    query?: {
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<ApiKey>
  /** Create an API key. */
  create(body: CreateApiKey, options?: RequestOptions): Promise<NewApiKey>
  /** Revoke an API key. */
  delete(id: string, options?: RequestOptions): Promise<{ readonly revoked: true }>
}

export interface AuditLogResource {
  /** List who changed what. */
  list(
    query?: {
      /** Made by this key, person or system's user. */
      readonly actor_id?: string
      /** Such changes. */
      readonly action?:
        | "application.created"
        | "application.changed"
        | "identity_secret.issued"
        | "api_key.created"
        | "api_key.revoked"
        | "credential.set"
        | "credential.removed"
        | "credential.checked"
        | "template.created"
        | "template.changed"
        | "template.deleted"
        | "segment.created"
        | "segment.changed"
        | "segment.deleted"
        | "contact.created"
        | "contact.changed"
        | "contact.deleted"
        | "contacts.imported"
        | "device.registered"
        | "device.changed"
        | "device.deleted"
        | "devices.imported"
        | "devices.exported"
        | "channel.created"
        | "channel.changed"
        | "channel.deleted"
        | "inbox_messages.posted"
        | "webhook.created"
        | "webhook.changed"
        | "webhook.deleted"
        | "webhook.disabled"
        | "webhook.tested"
        | "webhook.redelivered"
        | "dead_letter.replayed"
        | "dead_letters.replayed"
        | "notification.created"
        | "notification.changed"
        | "notification.paused"
        | "notification.resumed"
        | "notification.cancelled"
        | "workflow.created"
        | "workflow.changed"
        | "workflow.activated"
        | "workflow.archived"
        | "workflow.deleted"
        | "workflow.triggered"
        | "execution.cancelled"
        | "executions.cancelled"
        | "event.raised"
      /** Of this: an id, or a credential's kind. */
      readonly target?: string
      readonly from?: string | Date
      readonly to?: string | Date
      /** How many to return, at most. 50 unless given. */
      readonly limit?: number
      /** `next_cursor` of the page before. Leave it out for the first page. */
      readonly cursor?: string
    },
    options?: RequestOptions
  ): Pages<AuditEntry>
}

export interface Api {
  readonly publicDevices: PublicDevicesResource
  readonly devices: DevicesResource
  readonly events: EventsResource
  readonly track: TrackResource
  readonly channels: ChannelsResource
  readonly contacts: ContactsResource
  readonly publicInbox: PublicInboxResource
  readonly inbox: InboxResource
  readonly notifications: NotificationsResource
  readonly templates: TemplatesResource
  readonly segments: SegmentsResource
  readonly workflows: WorkflowsResource
  readonly executions: ExecutionsResource
  readonly stats: StatsResource
  readonly webhooks: WebhooksResource
  readonly deadLetters: DeadLettersResource
  readonly credentials: CredentialsResource
  readonly publicApps: PublicAppsResource
  readonly application: ApplicationResource
  readonly apiKeys: ApiKeysResource
  readonly auditLog: AuditLogResource
}
