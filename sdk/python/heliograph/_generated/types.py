# Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

ErrorCode = Literal[
    "validation_error",
    "unauthorized",
    "identity_unverified",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "conflict",
    "transfer_ownership_first",
    "organization_has_payments",
    "payload_too_large",
    "unsupported_media_type",
    "idempotency_key_reused",
    "rate_limited",
    "internal_error",
    "unavailable",
    "rate_limiter_unavailable",
    "unknown",
]


class _AcceptedNotification(TypedDict):
    id: str
    status: Literal["scheduled", "queued", "sending", "paused", "completed", "cancelled"]


class AcceptedNotification(_AcceptedNotification, total=False):
    skipped: SkippedIds


class ApiKey(TypedDict):
    id: str
    # `secret`: full access to the application, for servers. `public`: the public endpoints, for apps.
    kind: Literal["secret", "public"]
    name: str
    # The key's first characters, to tell keys apart.
    prefix: str
    created_at: str
    # To the minute; null before the first use.
    last_used_at: Optional[str]


class ApiKeysDeleteResult(TypedDict):
    revoked: bool


class _ApnsCredential(TypedDict):
    team_id: str
    key_id: str
    private_key: str
    bundle_id: str


class ApnsCredential(_ApnsCredential, total=False):
    endpoint: str
    sandbox_endpoint: str


class Application(TypedDict):
    id: str
    name: str
    # Whether public requests that claim a user_id need a valid `X-Identity-Hash`.
    identity_verification: bool
    # Until when the identity secret before the present one is good too; null when it is not.
    former_identity_secret_until: Optional[str]
    # What these options put at risk.
    warnings: List[str]
    created_at: str


class ApplicationCreateIdentitySecretResult(TypedDict):
    # The secret, this once. Null when the answer is repeated for an Idempotency-Key: it is not kept.
    identity_secret: Optional[str]
    former_identity_secret_until: Optional[str]


class _AttributeCondition(TypedDict):
    name: str
    op: Literal[
        "equals",
        "not_equals",
        "contains",
        "in",
        "greater",
        "greater_or_equal",
        "less",
        "less_or_equal",
        "exists",
        "not_exists",
    ]


class AttributeCondition(_AttributeCondition, total=False):
    value: Any


class Audience(TypedDict, total=False):
    all: bool
    device_ids: List[str]
    user_ids: List[str]
    channel_ids: List[str]
    emails: List[str]
    tags_any: List[str]
    tags_all: List[str]
    platforms: List[Literal["ios", "android", "web"]]
    timezone: str
    locale: str
    attributes: List[AttributeCondition]
    segment_id: str


class AuditEntry(TypedDict):
    id: str
    at: str
    actor: AuditEntryActor
    action: Literal[
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
        "event.raised",
    ]
    # The id of what was changed, or a credential's kind.
    target: Optional[str]
    # What was changed, without secrets.
    details: Dict[str, Any]


class AuditEntryActor(TypedDict):
    # `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the
    # system's user name. `system`: the service itself.
    kind: Literal["key", "user", "cli", "system"]
    id: Optional[str]
    # Of a person who still has an account.
    email: Optional[str]


class BulkContacts(TypedDict):
    # Each as POST /contacts takes it.
    contacts: List[Dict[str, Any]]


class _BulkResult(TypedDict):
    index: int


class BulkResult(_BulkResult, total=False):
    id: str
    created: bool
    error: ItemError


class CancelExecutions(TypedDict, total=False):
    workflow_id: str
    user_id: str
    status: Literal["waiting", "running"]
    # Why: it stands in the history of each.
    note: str


class CancelledExecutions(TypedDict):
    # Those that were cancelled at once.
    cancelled: int
    # False: others are cancelled in the background.
    is_done: bool


class ChangeTags(TypedDict, total=False):
    add: List[str]
    remove: List[str]


class _ChangeTagsOfMany(TypedDict):
    external_ids: List[str]


class ChangeTagsOfMany(_ChangeTagsOfMany, total=False):
    add: List[str]
    remove: List[str]


class Channel(TypedDict):
    id: str
    kind: Literal["email", "inbox"]
    address: Optional[str]
    contact_id: Optional[str]
    status: Literal["active", "suppressed", "unsubscribed"]
    created_at: str


class ChannelsCreateResult(TypedDict):
    id: str
    # False when it was there before.
    created: bool


class Contact(TypedDict):
    id: str
    external_id: str
    # The address of the contact's e-mail channel.
    email: Optional[str]
    attributes: Dict[str, Any]
    tags: List[str]
    locale: Optional[str]
    timezone: Optional[str]
    preferences: Preferences
    created_at: str
    updated_at: str


class ContactsBulkResult(TypedDict):
    data: List[BulkResult]


class ContactsCreateResult(TypedDict):
    id: str
    # False when it was there before.
    created: bool


class ContactsTagsManyResult(TypedDict):
    updated: int
    # External ids of no contact.
    unknown: List[str]
    # Those that would have more than 100 tags.
    full: List[str]


class Content(TypedDict, total=False):
    title: str
    body: str
    url: str
    image: str
    data: Dict[str, Any]
    subject: str
    html: str


class CountSegment(TypedDict):
    filter: SegmentFilter


class Counts(TypedDict):
    """`machine_opened` and `machine_clicked` say how many of `opened` and `clicked` only machines did
    so far (e-mail: scanners, prefetching, image proxies). Recipients. `accepted` = `pending` +
    `sent` + `failed` + `skipped` + `cancelled`, at every moment."""

    accepted: int
    pending: int
    sent: int
    failed: int
    skipped: int
    cancelled: int
    delivered: int
    opened: int
    clicked: int
    machine_opened: int
    machine_clicked: int


class CreateApiKey(TypedDict):
    kind: Literal["secret", "public"]
    name: str


class _CreateChannel(TypedDict):
    kind: Literal["email", "inbox"]


class CreateChannel(_CreateChannel, total=False):
    address: str
    # Your own id of the person: any text but `.` and `..`, which no path can hold.
    user_id: Optional[str]


class CreateSegment(TypedDict):
    name: str
    filter: SegmentFilter


class _CreateTemplate(TypedDict):
    name: str
    content: Content


class CreateTemplate(_CreateTemplate, total=False):
    locales: Dict[str, Any]
    missing_variables: Literal["error", "empty"]


class _CreateWebhook(TypedDict):
    name: str
    url: str


class CreateWebhook(_CreateWebhook, total=False):
    secret: Optional[str]
    events: List[Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]]
    is_active: bool


class _CreateWorkflow(TypedDict):
    name: str
    trigger: WorkflowTrigger
    steps: List[WorkflowStep]


class CreateWorkflow(_CreateWorkflow, total=False):
    # `always`: as often as triggered. `when_ended`: not while a run of the person is under way.
    # `once`: never again, whatever became of the run. Whoever may not enter is passed over.
    reentry: Literal["always", "when_ended", "once"]


class Credential(TypedDict):
    kind: Literal["apns", "fcm", "webpush", "smtp"]
    # What was set, without its secrets.
    settings: Dict[str, Any]
    # Why the provider refuses this credential; null while it is good. Nothing is sent with one that
    # is suspended.
    suspended_reason: Optional[str]
    updated_at: str


class CredentialCheck(TypedDict):
    kind: Literal["apns", "fcm", "webpush", "smtp"]
    # `accepted`: the provider knows the sender. `refused`: it takes no messages with this credential.
    # `unreachable`: it gave no answer that says either. `unasked`: there is nobody to ask, as for Web
    # Push, whose services are asked with a browser's subscription; what can be judged without them is
    # right.
    status: Literal["accepted", "refused", "unreachable", "unasked"]
    # Why, in words; null when it was accepted.
    reason: Optional[str]
    checked_at: str


class CredentialsSetFcmBody(TypedDict, total=False):
    service_account: CredentialsSetFcmBodyServiceAccount
    endpoint: str
    type: Literal["service_account"]
    project_id: str
    client_email: str
    private_key: str
    token_uri: str


class _CredentialsSetFcmBodyServiceAccount(TypedDict):
    project_id: str
    client_email: str
    private_key: str


class CredentialsSetFcmBodyServiceAccount(_CredentialsSetFcmBodyServiceAccount, total=False):
    token_uri: str


class DeadLetter(TypedDict):
    id: str
    kind: Literal["notification", "webhook"]
    # Why the last attempt failed.
    error: str
    attempts: int
    can_replay: bool
    # `webhook`: deliveries to webhooks are never replayed. `replayed`: it went again, at
    # `replayed_at`. `recipient_gone`: the provider has said that the token or address is dead, or the
    # device or channel has been deleted. `content_refused`: the content is too large or empty, at
    # every attempt.
    cannot_replay_because: Optional[Literal["webhook", "replayed", "recipient_gone", "content_refused"]]
    notification_id: Optional[str]
    # The device, or the channel.
    recipient_id: Optional[str]
    provider: Optional[Literal["apns", "fcm", "webpush", "smtp", "inbox"]]
    webhook_id: Optional[str]
    event_id: Optional[str]
    created_at: str
    replayed_at: Optional[str]


class DeadLetterWithContent(TypedDict):
    id: str
    kind: Literal["notification", "webhook"]
    # Why the last attempt failed.
    error: str
    attempts: int
    can_replay: bool
    # `webhook`: deliveries to webhooks are never replayed. `replayed`: it went again, at
    # `replayed_at`. `recipient_gone`: the provider has said that the token or address is dead, or the
    # device or channel has been deleted. `content_refused`: the content is too large or empty, at
    # every attempt.
    cannot_replay_because: Optional[Literal["webhook", "replayed", "recipient_gone", "content_refused"]]
    notification_id: Optional[str]
    # The device, or the channel.
    recipient_id: Optional[str]
    provider: Optional[Literal["apns", "fcm", "webpush", "smtp", "inbox"]]
    webhook_id: Optional[str]
    event_id: Optional[str]
    created_at: str
    replayed_at: Optional[str]
    # Of a webhook: the body that was to be delivered, with its id, event, appId, timestamp and
    # payload.
    event: Any
    # Of a notification send: what was to be sent; null when its template was filled for each
    # recipient, or when the notification is past its retention.
    content: Optional[Content]
    # Of a notification send with a template.
    template_id: Optional[str]
    variables: Optional[Dict[str, Any]]


class DeadLettersReplayResult(TypedDict):
    id: str
    notification_id: str


class Deleted(TypedDict):
    deleted: bool


class Delivery(TypedDict):
    id: str
    device_id: Optional[str]
    channel_id: Optional[str]
    provider: Literal["apns", "fcm", "webpush", "smtp", "inbox"]
    status: Literal["sent", "failed", "skipped", "cancelled"]
    # The provider's own id of the message.
    message_id: Optional[str]
    # Why it was not sent: a short code. `outcome_unknown` beside `cancelled`: a node that died or
    # froze had the message in hand when the notification was cancelled, so the recipient may have got
    # it. If that node comes back with the result, the result replaces this.
    error: Optional[str]
    # How often it was tried, the last time included. Not counted is a try that says nothing about the
    # message: where the provider refuses the credential, or asks to wait (429; a mail server's 421,
    # 454, 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail).
    attempts: int
    completed_at: str
    # When the client reported it, of push alone; as the next two, as long as reports are kept.
    delivered_at: Optional[str]
    opened_at: Optional[str]
    clicked_at: Optional[str]


class Device(TypedDict):
    id: str
    platform: Literal["ios", "android", "web"]
    token: str
    user_id: Optional[str]
    tags: List[str]
    timezone: Optional[str]
    environment: Literal["production", "sandbox"]
    metadata: Dict[str, Any]
    web_push_p256dh: Optional[str]
    web_push_auth: Optional[str]
    # `invalid`: the push service says that the token is dead.
    status: Literal["active", "invalid"]
    invalid_reason: Optional[str]
    created_at: str
    last_seen_at: str


class EventsCreateResult(TypedDict):
    accepted: bool


class Execution(TypedDict):
    id: str
    workflow_id: str
    # Of the workflow; 0 where that is gone.
    version: int
    user_id: str
    status: Literal["running", "waiting", "completed", "filtered", "failed", "cancelled"]
    # The step that it is at, or at which it ended.
    step_order: Optional[int]
    # When a waiting one goes on by itself.
    due_at: Optional[str]
    error: Optional[str]
    reason: Optional[Literal["operator", "archived", "deleted"]]
    created_at: str
    ended_at: Optional[str]


class _ExecutionStep(TypedDict):
    at: str
    step_order: int
    outcome: Literal["passed", "stopped", "waiting", "skipped", "merged", "timed_out", "failed", "cancelled"]


class ExecutionStep(_ExecutionStep, total=False):
    findings: List[ExecutionStepFindings]
    branch: int
    until: str
    notification_id: str
    merged_into: str
    count: int
    detail: str


class _ExecutionStepFindings(TypedDict):
    about: str
    fits: bool


class ExecutionStepFindings(_ExecutionStepFindings, total=False):
    # Absent where nothing was there.
    actual: Any


class ExecutionWithHistory(TypedDict):
    id: str
    workflow_id: str
    # Of the workflow; 0 where that is gone.
    version: int
    user_id: str
    status: Literal["running", "waiting", "completed", "filtered", "failed", "cancelled"]
    # The step that it is at, or at which it ended.
    step_order: Optional[int]
    # When a waiting one goes on by itself.
    due_at: Optional[str]
    error: Optional[str]
    reason: Optional[Literal["operator", "archived", "deleted"]]
    created_at: str
    ended_at: Optional[str]
    data: Dict[str, Any]
    steps: Dict[str, Any]
    history: List[ExecutionStep]


class _ImportResult(TypedDict):
    line: int


class ImportResult(_ImportResult, total=False):
    id: str
    created: bool
    error: ItemError


class InboxCreateMessagesResult(TypedDict):
    # How many people got it.
    created: int


class InboxMessage(TypedDict):
    id: str
    title: Optional[str]
    body: Optional[str]
    url: Optional[str]
    data: Dict[str, Any]
    created_at: str
    # Null: unread.
    read_at: Optional[str]


class IssueIdentitySecret(TypedDict, total=False):
    overlap_seconds: int


class ItemError(TypedDict):
    code: Literal[
        "validation_error",
        "unauthorized",
        "identity_unverified",
        "forbidden",
        "not_found",
        "method_not_allowed",
        "request_timeout",
        "conflict",
        "transfer_ownership_first",
        "organization_has_payments",
        "payload_too_large",
        "unsupported_media_type",
        "idempotency_key_reused",
        "rate_limited",
        "internal_error",
        "unavailable",
        "rate_limiter_unavailable",
    ]
    message: str
    details: List[ItemErrorDetail]


class _ItemErrorDetail(TypedDict):
    field: str
    message: str


class ItemErrorDetail(_ItemErrorDetail, total=False):
    line: int
    column: int


class NewApiKey(TypedDict):
    id: str
    # `secret`: full access to the application, for servers. `public`: the public endpoints, for apps.
    kind: Literal["secret", "public"]
    name: str
    # The key's first characters, to tell keys apart.
    prefix: str
    created_at: str
    # To the minute; null before the first use.
    last_used_at: Optional[str]
    # The key itself, this once. Null when the answer is repeated for an Idempotency-Key: it is not
    # kept.
    key: Optional[str]


class Notification(TypedDict):
    id: str
    status: Literal["scheduled", "queued", "sending", "paused", "completed", "cancelled"]
    priority: Literal["high", "bulk"]
    # The content's title, else its subject; null where there is none, or a template says it to each.
    title: Optional[str]
    template_id: Optional[str]
    # The workflow that sent it; null: a request did.
    workflow_id: Optional[str]
    # The key of that workflow's step.
    workflow_step: Optional[str]
    counts: Counts
    # When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once.
    send_at: Optional[str]
    # The time of day on each recipient's clock.
    local_time: Optional[str]
    created_at: str
    # When what it says was last changed; null: never.
    updated_at: Optional[str]
    started_at: Optional[str]
    completed_at: Optional[str]
    to: Audience
    channels: Optional[List[Literal["push", "email", "inbox"]]]
    # Null where there is a `template_id`.
    content: Optional[Content]
    variables: Optional[Dict[str, Any]]
    ttl: Optional[int]
    timezone: Optional[str]
    collapse_key: Optional[str]
    overrides: Optional[Overrides]
    track: Optional[Tracking]
    # Null when the application had all ids of `to` when it was accepted.
    skipped: Optional[SkippedIds]


class NotificationPreview(TypedDict):
    recipients: int
    # False: counting took too long, and the numbers are what the database expects.
    is_exact: bool
    # Those with recipients.
    providers: List[ProviderPreview]
    # Null when the application has all ids of `to`.
    skipped: Optional[SkippedIds]


class NotificationStats(TypedDict):
    data: List[NotificationStatsData]


class NotificationStatsData(TypedDict):
    provider: Literal["apns", "fcm", "webpush", "smtp", "inbox"]
    accepted: int
    pending: int
    sent: int
    failed: int
    skipped: int
    cancelled: int


class NotificationSummary(TypedDict):
    id: str
    status: Literal["scheduled", "queued", "sending", "paused", "completed", "cancelled"]
    priority: Literal["high", "bulk"]
    # The content's title, else its subject; null where there is none, or a template says it to each.
    title: Optional[str]
    template_id: Optional[str]
    # The workflow that sent it; null: a request did.
    workflow_id: Optional[str]
    # The key of that workflow's step.
    workflow_step: Optional[str]
    counts: Counts
    # When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once.
    send_at: Optional[str]
    # The time of day on each recipient's clock.
    local_time: Optional[str]
    created_at: str
    # When what it says was last changed; null: never.
    updated_at: Optional[str]
    started_at: Optional[str]
    completed_at: Optional[str]


class Outcomes(TypedDict):
    data: List[OutcomesData]


class OutcomesData(TypedDict):
    provider: Literal["apns", "fcm", "webpush", "smtp", "inbox"]
    status: Literal["sent", "failed", "skipped", "cancelled"]
    error: Optional[str]
    count: int


class Overrides(TypedDict, total=False):
    apns: Dict[str, Any]
    fcm: Dict[str, Any]
    web: Dict[str, Any]


class _PostInbox(TypedDict):
    user_ids: List[str]


class PostInbox(_PostInbox, total=False):
    title: str
    body: str
    url: str
    data: Dict[str, Any]


class Preferences(TypedDict):
    push: bool
    email: bool
    inbox: bool


class _PreviewSources(TypedDict):
    content: Content


class PreviewSources(_PreviewSources, total=False):
    locales: Dict[str, Any]
    missing_variables: Literal["error", "empty"]
    # Unless given, that of `contact`; null is somebody whose language is not known.
    locale: Optional[str]
    variables: Dict[str, Any]
    device: Dict[str, Any]
    contact: Dict[str, Any]
    # Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that
    # was seen last.
    contact_id: str


class PreviewTemplate(TypedDict, total=False):
    # Unless given, that of `contact`; null is somebody whose language is not known.
    locale: Optional[str]
    variables: Dict[str, Any]
    device: Dict[str, Any]
    contact: Dict[str, Any]
    # Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that
    # was seen last.
    contact_id: str


class ProviderPreview(TypedDict):
    provider: Literal["apns", "fcm", "webpush", "smtp", "inbox"]
    recipients: int
    # Without a credential that is ready, these recipients get nothing.
    credential: Literal["ready", "refused", "missing"]
    # Of an inbox message it is `data` that has a limit. Null for e-mail, and where nothing can be
    # filled.
    payload: Optional[ProviderPreviewPayload]
    # What somebody of the audience would get. Null where the template cannot be filled for them, or
    # asks for the person and nobody was found.
    sample: Optional[Content]
    # Why the template cannot be filled for the sample: such a recipient fails.
    problem: Optional[ProviderPreviewProblem]


class ProviderPreviewPayload(TypedDict):
    bytes: int
    limit: int
    fits: bool


class ProviderPreviewProblem(TypedDict):
    field: str
    code: Literal["missing_variable", "template_failed"]
    message: str


class PublicAppsVapidResult(TypedDict):
    public_key: str


class PublicDevicesCreateResult(TypedDict):
    id: str
    # True for a new device, false when a known one was refreshed.
    created: bool


class PublicDevicesDeleteBody(TypedDict):
    token: str


class PublicDevicesDeleteResult(TypedDict):
    # False when there was no such device.
    deleted: bool


class PublicInboxReadAllResult(TypedDict):
    # How many became read by this request.
    read: int


class PublicInboxUnreadCountResult(TypedDict):
    unread_count: int


class _RaiseEvent(TypedDict):
    event: str
    # Your own id of the person: any text but `.` and `..`, which no path can hold.
    user_id: str


class RaiseEvent(_RaiseEvent, total=False):
    data: Dict[str, Any]


class RaisedEvent(TypedDict):
    id: str


class RecipientWebhookDeliveries(TypedDict):
    data: List[RecipientWebhookDelivery]


class RecipientWebhookDelivery(TypedDict):
    webhook_id: str
    # The `id` of the delivered body, the same on every attempt.
    event_id: str
    event: Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]
    # `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts
    # failed; there is a dead letter.
    status: Literal["delivered", "pending", "retrying", "exhausted"]
    # The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled.
    is_paused: bool
    attempts: int
    # When each attempt began, oldest first.
    attempted_at: List[str]
    # What came of each attempt, as `attempted_at` has them.
    answers: List[WebhookAnswer]
    # Of the last attempt; null when there was no answer.
    response_status: Optional[int]
    # Why the last attempt failed.
    reason: Optional[str]
    # Of the last attempt.
    latency_ms: Optional[int]
    # The earliest moment of the next attempt; null when there is none, or not before the webhook is
    # enabled.
    next_attempt_at: Optional[str]
    event_at: str


RedeliverWebhook = TypedDict(
    "RedeliverWebhook",
    {
        "from": 'Union[datetime, str]',
        "to": 'Union[datetime, str]',
        # `exhausted`, the default: what the receiver missed. `delivered`: what it has taken already.
        "status": 'Literal["exhausted", "delivered"]',
        # This one alone: the `event_id` of the list of deliveries. Nothing else is named beside it.
        "delivery_id": 'str',
    },
    total=False,
)


class Redelivery(TypedDict):
    id: str
    webhook_id: str
    # `completed`: all that was wanted is pending again. What came of it, the list of deliveries
    # shows.
    status: Literal["running", "completed"]
    # Deliveries that are pending again, so far.
    redelivered: int
    wanted: RedeliveryWanted
    created_at: str
    completed_at: Optional[str]


RedeliveryWanted = TypedDict(
    "RedeliveryWanted",
    {
        "from": 'Optional[str]',
        "to": 'Optional[str]',
        "status": 'Optional[Literal["exhausted", "delivered"]]',
        "delivery_id": 'Optional[str]',
    },
    total=True,
)


class _RegisterDevice(TypedDict):
    token: str
    platform: Literal["ios", "android", "web"]


class RegisterDevice(_RegisterDevice, total=False):
    # The token that this device had until now, where the platform has given it a new one: its row is
    # kept. The row of a person is kept for the same `user_id` alone.
    previous_token: str
    # Your own id of the person: any text but `.` and `..`, which no path can hold.
    user_id: Optional[str]
    tags: List[str]
    timezone: Optional[str]
    environment: Literal["production", "sandbox"]
    metadata: Dict[str, Any]
    web_push_p256dh: Optional[str]
    web_push_auth: Optional[str]


class RehearseWorkflow(TypedDict, total=False):
    # A contact, whose way is tried.
    user_id: str
    # Somebody made up, in the place of `user_id`.
    contact: RehearseWorkflowContact
    data: Dict[str, Any]
    # What becomes of the messages of SEND steps, by key. Left out: `sent`.
    outcomes: Dict[str, Any]
    # The data of the events that WAIT_FOR steps hear, by key. Left out: none comes in time.
    events: Dict[str, Any]
    # What FETCH steps are answered, by key, each try the same. Left out: 200 without a body. Nobody
    # is asked.
    answers: Dict[str, Any]


class RehearseWorkflowContact(TypedDict, total=False):
    """Somebody made up, in the place of `user_id`."""

    attributes: Dict[str, Any]
    tags: List[str]
    locale: Optional[str]
    timezone: Optional[str]


class Replay(TypedDict):
    id: str
    status: Literal["running", "completed"]
    filter: ReplayFilter
    # Recipients that are pending again.
    replayed: int
    # Letters that the filter describes and that could not go again: their notification is cancelled
    # or gone, their recipient has been deleted, or their batch was still on its way.
    skipped: int
    created_at: str
    completed_at: Optional[str]


ReplayDeadLetters = TypedDict(
    "ReplayDeadLetters",
    {
        "kind": 'Literal["notification", "webhook"]',
        "webhook_id": 'str',
        "notification_id": 'str',
        "provider": 'Literal["apns", "fcm", "webpush", "smtp", "inbox"]',
        # The whole text of `error`.
        "error": 'str',
        "from": 'Union[datetime, str]',
        "to": 'Union[datetime, str]',
    },
    total=False,
)


ReplayFilter = TypedDict(
    "ReplayFilter",
    {
        "kind": 'Literal["notification", "webhook"]',
        "webhook_id": 'str',
        "notification_id": 'str',
        "provider": 'Literal["apns", "fcm", "webpush", "smtp", "inbox"]',
        # The whole text of `error`.
        "error": 'str',
        "from": 'str',
        "to": 'str',
    },
    total=False,
)


class _ReportEngagement(TypedDict):
    type: Literal["delivered", "opened", "clicked"]
    notification_id: str
    device_id: str


class ReportEngagement(_ReportEngagement, total=False):
    destination: str


class Retries(TypedDict):
    data: List[RetriesData]


class RetriesData(TypedDict):
    provider: Literal["apns", "fcm", "webpush", "smtp", "inbox"]
    # What the provider said of the first of them, as `503 ServiceUnavailable`; of a suspended
    # credential, why it is.
    error: Optional[str]
    # How often they were tried, the most of any of them; 0 also after a try that is not counted. Not
    # counted is a try that says nothing about the message: where the provider refuses the credential,
    # or asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any
    # 4xx before it is offered a mail).
    attempts: int
    recipients: int
    # When the next of them is tried. Null: once the credential is accepted again, or another one is
    # set.
    next_at: Optional[str]


class SavedWorkflow(TypedDict):
    id: str
    name: str
    status: Literal["draft", "active", "archived"]
    # Counts the changes, from 1. Runs stay on the version that they entered.
    version: int
    trigger: WorkflowTrigger
    steps: List[WorkflowStep]
    # `always`: as often as triggered. `when_ended`: not while a run of the person is under way.
    # `once`: never again, whatever became of the run. Whoever may not enter is passed over.
    reentry: Literal["always", "when_ended", "once"]
    created_at: str
    updated_at: str
    # What its author may have overlooked, such as credentials that its messages need.
    warnings: List[SavedWorkflowWarnings]


class SavedWorkflowWarnings(TypedDict):
    field: str
    message: str


class Segment(TypedDict):
    id: str
    name: str
    filter: SegmentFilter
    created_at: str
    updated_at: str


class SegmentCount(TypedDict):
    recipients: int
    devices: int
    # E-mail channels; they are reached by content with a part for e-mail.
    emails: int
    # False: counting, or the wait for other counts, took longer than 3 s, and this is what the
    # database expects.
    is_exact: bool


class SegmentFilter(TypedDict, total=False):
    tags_any: List[str]
    tags_all: List[str]
    tags_none: List[str]
    platforms: List[Literal["ios", "android", "web"]]
    timezones: List[str]
    locales: List[str]
    attributes: List[AttributeCondition]
    last_seen: SegmentFilterLastSeen
    engagement: List[SegmentFilterEngagement]


_SegmentFilterEngagement = TypedDict(
    "_SegmentFilterEngagement",
    {
        "type": 'Literal["delivered", "opened", "clicked"]',
        "within_days": 'int',
    },
    total=True,
)

_SegmentFilterEngagementOptions = TypedDict(
    "_SegmentFilterEngagementOptions",
    {
        "not": 'bool',
    },
    total=False,
)


class SegmentFilterEngagement(_SegmentFilterEngagement, _SegmentFilterEngagementOptions):
    pass


class SegmentFilterLastSeen(TypedDict, total=False):
    within_days: int
    not_within_days: int


class _SendNotification(TypedDict):
    to: Audience


class SendNotification(_SendNotification, total=False):
    channels: List[Literal["push", "email", "inbox"]]
    content: Content
    template_id: str
    variables: Dict[str, Any]
    # Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a
    # minute, and the provider does not keep it.
    ttl: int
    priority: Literal["high", "bulk"]
    # A time with its offset, as `2026-12-24T18:00:00Z` or `2026-12-24T18:00:00.5+02:00`; with
    # `local_time`, also a day, as `2026-12-24`.
    send_at: Union[datetime, str]
    local_time: str
    timezone: str
    # Printable ASCII without spaces. Of messages that have the same one, a device shows the one that
    # the provider took last: the newest, unless an older one had to be tried again.
    collapse_key: str
    overrides: Overrides
    track: Tracking


class SkippedIds(TypedDict):
    """Ids in `device_ids` or `channel_ids` that are none of the application's. They count nowhere:
    everybody else is reached."""

    count: int
    # The first 100 of them, as they were sent.
    ids: List[str]


SmtpCredential = TypedDict(
    "SmtpCredential",
    {
        "url": 'str',
        "from": 'str',
    },
    total=True,
)


Stats = TypedDict(
    "Stats",
    {
        "from": 'str',
        "to": 'str',
        "group_by": 'Literal["application", "day", "provider", "day_provider"]',
        "total": 'StatsTotal',
        # In the order of days. Days and providers with nothing to count are left out.
        "data": 'List[StatsData]',
    },
    total=True,
)


class _StatsData(TypedDict):
    sent: int
    failed: int
    skipped: int
    cancelled: int
    delivered: int
    opened: int
    clicked: int
    machine_opened: int
    machine_clicked: int


class StatsData(_StatsData, total=False):
    day: str
    provider: Literal["apns", "fcm", "webpush", "smtp", "inbox"]


class StatsTotal(TypedDict):
    sent: int
    failed: int
    skipped: int
    cancelled: int
    delivered: int
    opened: int
    clicked: int
    machine_opened: int
    machine_clicked: int


class Template(TypedDict):
    id: str
    name: str
    # Counts the changes, from 1.
    version: int
    content: Content
    locales: Dict[str, Any]
    missing_variables: Literal["error", "empty"]
    created_at: str
    updated_at: str


class TemplatePreview(TypedDict):
    # Which language was taken; null for the default.
    language: Optional[str]
    content: Content


class TemplateVersion(TypedDict):
    id: str
    version: int
    # What the template was called.
    name: str
    created_at: str
    actor: TemplateVersionActor
    template_id: str
    content: Content
    locales: Dict[str, Any]
    missing_variables: Literal["error", "empty"]


class TemplateVersionActor(TypedDict):
    # `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the
    # system's user name. `system`: the service itself.
    kind: Literal["key", "user", "cli", "system"]
    id: Optional[str]
    # Of a person who still has an account.
    email: Optional[str]


class TemplateVersionSummary(TypedDict):
    id: str
    version: int
    # What the template was called.
    name: str
    created_at: str
    actor: TemplateVersionSummaryActor


class TemplateVersionSummaryActor(TypedDict):
    # `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the
    # system's user name. `system`: the service itself.
    kind: Literal["key", "user", "cli", "system"]
    id: Optional[str]
    # Of a person who still has an account.
    email: Optional[str]


class TestWebhook(TypedDict, total=False):
    # Unless given, the first that the webhook subscribes to.
    event: Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]


class TrackCreateResult(TypedDict):
    accepted: bool


class TrackDelivery(TypedDict):
    notification_id: str
    device_id: str


class Tracking(TypedDict, total=False):
    opens: bool
    clicks: bool


class _TriggerWorkflow(TypedDict):
    to: TriggerWorkflowTo


class TriggerWorkflow(_TriggerWorkflow, total=False):
    data: Dict[str, Any]


class TriggerWorkflowTo(TypedDict, total=False):
    all: bool
    user_ids: List[str]
    tags_any: List[str]
    tags_all: List[str]
    segment_id: str


class TriggeredWorkflow(TypedDict):
    # Runs that began. Of a described audience: contacts that are looked through now, of whom those
    # enter whom it fits; 10,000 stands for that many or more.
    executions: int
    # The run's, when there is one.
    execution_id: Optional[str]


class UpdateApplication(TypedDict, total=False):
    name: str
    identity_verification: bool


class UpdateChannel(TypedDict):
    status: Literal["active", "unsubscribed"]


class UpdateContact(TypedDict, total=False):
    email: Optional[str]
    attributes: Dict[str, Any]
    tags: List[str]
    locale: Optional[str]
    timezone: Optional[str]


class UpdateDevice(TypedDict, total=False):
    # Your own id of the person: any text but `.` and `..`, which no path can hold.
    user_id: Optional[str]
    tags: List[str]
    timezone: Optional[str]
    environment: Literal["production", "sandbox"]
    metadata: Dict[str, Any]


class UpdateNotification(TypedDict, total=False):
    to: Audience
    channels: Optional[List[Literal["push", "email", "inbox"]]]
    content: Optional[Content]
    template_id: Optional[str]
    variables: Optional[Dict[str, Any]]
    # Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a
    # minute, and the provider does not keep it.
    ttl: Optional[int]
    priority: Optional[Literal["high", "bulk"]]
    # A time with its offset, as `2026-12-24T18:00:00Z` or `2026-12-24T18:00:00.5+02:00`; with
    # `local_time`, also a day, as `2026-12-24`.
    send_at: Optional[Union[datetime, str]]
    local_time: Optional[str]
    timezone: Optional[str]
    # Printable ASCII without spaces. Of messages that have the same one, a device shows the one that
    # the provider took last: the newest, unless an older one had to be tried again.
    collapse_key: Optional[str]
    overrides: Optional[Overrides]
    track: Optional[Tracking]


class UpdatePreferences(TypedDict, total=False):
    # For every kind that is not named beside it.
    all: bool
    push: bool
    email: bool
    inbox: bool


class UpdateSegment(TypedDict, total=False):
    name: str
    filter: SegmentFilter


class UpdateTemplate(TypedDict, total=False):
    # The version that is changed. Where it is not the latest any more, nothing is changed, and the
    # answer is 409.
    version: int
    name: str
    content: Content
    locales: Dict[str, Any]
    missing_variables: Literal["error", "empty"]


class UpdateWebhook(TypedDict, total=False):
    name: str
    url: str
    secret: Optional[str]
    # With a new `secret`: for how long the one before it signs beside it, as a further `v1`. Left
    # out, or 0: not at all.
    secret_overlap_seconds: int
    events: List[Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]]
    is_active: bool


class UpdateWorkflow(TypedDict, total=False):
    name: str
    trigger: WorkflowTrigger
    steps: List[WorkflowStep]
    # `always`: as often as triggered. `when_ended`: not while a run of the person is under way.
    # `once`: never again, whatever became of the run. Whoever may not enter is passed over.
    reentry: Literal["always", "when_ended", "once"]
    # Which version was changed: where others have made a later one by now, the answer is 409.
    version: int


class _UpsertContact(TypedDict):
    # Your own id of the person: any text but `.` and `..`, which no path can hold.
    external_id: str


class UpsertContact(_UpsertContact, total=False):
    email: Optional[str]
    attributes: Dict[str, Any]
    tags: List[str]
    locale: Optional[str]
    timezone: Optional[str]


class _WebPushCredential(TypedDict):
    subject: str


class WebPushCredential(_WebPushCredential, total=False):
    public_key: str
    private_key: str


class Webhook(TypedDict):
    id: str
    name: str
    url: str
    # No events means all events.
    events: List[Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]]
    is_active: bool
    # Set when the service disabled the webhook after repeated failures.
    disabled_reason: Optional[str]
    # Whether deliveries carry `X-Service-Signature`.
    is_signed: bool
    # Until when the signature has a further `v1` for what was replaced; null when nothing overlaps.
    signature_overlap_until: Optional[str]
    created_at: str
    updated_at: str


class WebhookAnswer(TypedDict):
    # Null when there was no answer.
    response_status: Optional[int]
    # Why the attempt failed.
    reason: Optional[str]
    latency_ms: int


class WebhookDelivery(TypedDict):
    # The `id` of the delivered body, the same on every attempt.
    event_id: str
    event: Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]
    # `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts
    # failed; there is a dead letter.
    status: Literal["delivered", "pending", "retrying", "exhausted"]
    # The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled.
    is_paused: bool
    attempts: int
    # When each attempt began, oldest first.
    attempted_at: List[str]
    # What came of each attempt, as `attempted_at` has them.
    answers: List[WebhookAnswer]
    # Of the last attempt; null when there was no answer.
    response_status: Optional[int]
    # Why the last attempt failed.
    reason: Optional[str]
    # Of the last attempt.
    latency_ms: Optional[int]
    # The earliest moment of the next attempt; null when there is none, or not before the webhook is
    # enabled.
    next_attempt_at: Optional[str]
    event_at: str


class WebhookDeliveryWithBody(TypedDict):
    # The `id` of the delivered body, the same on every attempt.
    event_id: str
    event: Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]
    # `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts
    # failed; there is a dead letter.
    status: Literal["delivered", "pending", "retrying", "exhausted"]
    # The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled.
    is_paused: bool
    attempts: int
    # When each attempt began, oldest first.
    attempted_at: List[str]
    # What came of each attempt, as `attempted_at` has them.
    answers: List[WebhookAnswer]
    # Of the last attempt; null when there was no answer.
    response_status: Optional[int]
    # Why the last attempt failed.
    reason: Optional[str]
    # Of the last attempt.
    latency_ms: Optional[int]
    # The earliest moment of the next attempt; null when there is none, or not before the webhook is
    # enabled.
    next_attempt_at: Optional[str]
    event_at: str
    # What is posted.
    body: Any


class WebhookTest(TypedDict):
    # Whether the answer was 2xx.
    delivered: bool
    response_status: Optional[int]
    reason: Optional[str]
    latency_ms: int
    event_id: str
    event: Literal[
        "NOTIFICATION_SENT",
        "NOTIFICATION_FAILED",
        "NOTIFICATION_DELIVERED",
        "NOTIFICATION_OPENED",
        "NOTIFICATION_CLICKED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FILTERED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
    ]


class Workflow(TypedDict):
    id: str
    name: str
    status: Literal["draft", "active", "archived"]
    # Counts the changes, from 1. Runs stay on the version that they entered.
    version: int
    trigger: WorkflowTrigger
    steps: List[WorkflowStep]
    # `always`: as often as triggered. `when_ended`: not while a run of the person is under way.
    # `once`: never again, whatever became of the run. Whoever may not enter is passed over.
    reentry: Literal["always", "when_ended", "once"]
    created_at: str
    updated_at: str


class WorkflowConditions(TypedDict, total=False):
    tags_any: List[str]
    tags_all: List[str]
    tags_none: List[str]
    platforms: List[Literal["ios", "android", "web"]]
    timezones: List[str]
    locales: List[str]
    attributes: List[AttributeCondition]
    last_seen: WorkflowConditionsLastSeen
    engagement: List[WorkflowConditionsEngagement]
    # About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price`
    # of what a step brought. What is missing fits `not_exists` alone.
    data: List[AttributeCondition]
    steps: List[WorkflowConditionsSteps]
    # One of these has to fit, beside all others.
    any: List[WorkflowConditionsAny]


class WorkflowConditionsAny(TypedDict, total=False):
    tags_any: List[str]
    tags_all: List[str]
    tags_none: List[str]
    platforms: List[Literal["ios", "android", "web"]]
    timezones: List[str]
    locales: List[str]
    attributes: List[AttributeCondition]
    last_seen: WorkflowConditionsAnyLastSeen
    engagement: List[WorkflowConditionsAnyEngagement]
    # About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price`
    # of what a step brought. What is missing fits `not_exists` alone.
    data: List[AttributeCondition]
    steps: List[WorkflowConditionsAnySteps]


_WorkflowConditionsAnyEngagement = TypedDict(
    "_WorkflowConditionsAnyEngagement",
    {
        "type": 'Literal["delivered", "opened", "clicked"]',
        "within_days": 'int',
    },
    total=True,
)

_WorkflowConditionsAnyEngagementOptions = TypedDict(
    "_WorkflowConditionsAnyEngagementOptions",
    {
        "not": 'bool',
    },
    total=False,
)


class WorkflowConditionsAnyEngagement(_WorkflowConditionsAnyEngagement, _WorkflowConditionsAnyEngagementOptions):
    pass


class WorkflowConditionsAnyLastSeen(TypedDict, total=False):
    within_days: int
    not_within_days: int


_WorkflowConditionsAnySteps = TypedDict(
    "_WorkflowConditionsAnySteps",
    {
        # Of a SEND step that stands before.
        "key": 'str',
        "is": 'Literal["sent", "failed", "skipped", "delivered", "opened", "clicked"]',
    },
    total=True,
)

_WorkflowConditionsAnyStepsOptions = TypedDict(
    "_WorkflowConditionsAnyStepsOptions",
    {
        "not": 'bool',
    },
    total=False,
)


class WorkflowConditionsAnySteps(_WorkflowConditionsAnySteps, _WorkflowConditionsAnyStepsOptions):
    pass


_WorkflowConditionsEngagement = TypedDict(
    "_WorkflowConditionsEngagement",
    {
        "type": 'Literal["delivered", "opened", "clicked"]',
        "within_days": 'int',
    },
    total=True,
)

_WorkflowConditionsEngagementOptions = TypedDict(
    "_WorkflowConditionsEngagementOptions",
    {
        "not": 'bool',
    },
    total=False,
)


class WorkflowConditionsEngagement(_WorkflowConditionsEngagement, _WorkflowConditionsEngagementOptions):
    pass


class WorkflowConditionsLastSeen(TypedDict, total=False):
    within_days: int
    not_within_days: int


_WorkflowConditionsSteps = TypedDict(
    "_WorkflowConditionsSteps",
    {
        # Of a SEND step that stands before.
        "key": 'str',
        "is": 'Literal["sent", "failed", "skipped", "delivered", "opened", "clicked"]',
    },
    total=True,
)

_WorkflowConditionsStepsOptions = TypedDict(
    "_WorkflowConditionsStepsOptions",
    {
        "not": 'bool',
    },
    total=False,
)


class WorkflowConditionsSteps(_WorkflowConditionsSteps, _WorkflowConditionsStepsOptions):
    pass


class WorkflowDryRun(TypedDict):
    status: Literal["running", "waiting", "completed", "filtered", "failed", "cancelled"]
    error: Optional[str]
    history: List[ExecutionStep]
    messages: List[WorkflowDryRunMessages]


class WorkflowDryRunMessages(TypedDict):
    key: str
    content: Optional[Content]
    # Why it cannot be filled.
    problem: Optional[str]


class WorkflowStatistics(TypedDict):
    version: int
    steps: List[WorkflowStepStatistics]


_WorkflowStep = TypedDict(
    "_WorkflowStep",
    {
        "key": 'str',
        "type": 'Literal["SEND", "DELAY", "FILTER", "BRANCH", "DIGEST", "THROTTLE", "FETCH", "UPDATE_CONTACT", "WAIT_FOR"]',
    },
    total=True,
)

_WorkflowStepOptions = TypedDict(
    "_WorkflowStepOptions",
    {
        "name": 'str',
        # Liquid, as of a template: the run's data is under `data` and `steps`.
        "content": 'Content',
        "channels": 'List[Literal["push", "email", "inbox"]]',
        "template_id": 'str',
        "variables": 'Dict[str, Any]',
        # Seconds for which the message is worth sending. 0 is now or never: one attempt, within half
        # a minute, and the provider does not keep it.
        "ttl": 'int',
        "priority": 'Literal["high", "bulk"]',
        # Printable ASCII without spaces. Of messages that have the same one, a device shows the one
        # that the provider took last: the newest, unless an older one had to be tried again.
        "collapse_key": 'str',
        "overrides": 'Overrides',
        "track": 'Tracking',
        # The run goes on when the message has ended, for a day at most, and fails where all of it
        # failed. Left out, it goes on at once.
        "wait_for_outcome": 'bool',
        "seconds": 'int',
        "until": 'str',
        "window": 'WorkflowStepWindow',
        "timezone": 'str',
        "conditions": 'WorkflowConditions',
        "branches": 'List[WorkflowStepBranches]',
        "else": 'List[WorkflowStep]',
        "by": 'str',
        # Each one more begins `seconds` anew, up to ten times of it after the first.
        "sliding": 'bool',
        "at_most": 'int',
        "per_seconds": 'int',
        # Left out: GET, and POST with a body.
        "method": 'Literal["GET", "POST", "PUT", "PATCH"]',
        "url": 'str',
        "headers": 'Dict[str, Any]',
        "body": 'Dict[str, Any]',
        "tags_add": 'List[str]',
        "tags_remove": 'List[str]',
        "attributes": 'Dict[str, Any]',
        "event": 'str',
        # The event's value at the path `event` has to equal the run's at the path `run`.
        "match": 'WorkflowStepMatch',
    },
    total=False,
)


class WorkflowStep(_WorkflowStep, _WorkflowStepOptions):
    pass


class WorkflowStepBranches(TypedDict):
    conditions: WorkflowConditions
    steps: List[WorkflowStep]


class WorkflowStepMatch(TypedDict):
    """The event's value at the path `event` has to equal the run's at the path `run`."""

    event: str
    run: str


class WorkflowStepStatistics(TypedDict):
    step_order: int
    key: str
    type: str
    entered: int
    passed: int
    # Stopped by a FILTER or THROTTLE, or cancelled there.
    stopped: int
    failed: int
    waiting: int


_WorkflowStepWindow = TypedDict(
    "_WorkflowStepWindow",
    {
        "from": 'str',
        "to": 'str',
    },
    total=True,
)

_WorkflowStepWindowOptions = TypedDict(
    "_WorkflowStepWindowOptions",
    {
        # Days of the week on which it begins, from 1, Monday. Left out: all.
        "days": 'List[int]',
    },
    total=False,
)


class WorkflowStepWindow(_WorkflowStepWindow, _WorkflowStepWindowOptions):
    pass


class _WorkflowTrigger(TypedDict):
    type: Literal["api", "event", "tag_added", "segment_entered", "schedule"]


class WorkflowTrigger(_WorkflowTrigger, total=False):
    event: str
    tag: str
    segment_id: str
    cron: str
    timezone: str
    to: WorkflowTriggerTo


class WorkflowTriggerTo(TypedDict, total=False):
    all: bool
    user_ids: List[str]
    tags_any: List[str]
    tags_all: List[str]
    segment_id: str


class WorkflowVersion(TypedDict):
    # Of the version.
    id: str
    version: int
    created_at: str
    # Who made it.
    actor: WorkflowVersionActor
    # Of it, those under way.
    runs: int
    trigger: WorkflowTrigger
    steps: List[WorkflowStep]
    # `always`: as often as triggered. `when_ended`: not while a run of the person is under way.
    # `once`: never again, whatever became of the run. Whoever may not enter is passed over.
    reentry: Literal["always", "when_ended", "once"]


class WorkflowVersionActor(TypedDict):
    """Who made it."""

    # `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the
    # system's user name. `system`: the service itself.
    kind: Literal["key", "user", "cli", "system"]
    id: Optional[str]
    # Of a person who still has an account.
    email: Optional[str]


class WorkflowVersionSummary(TypedDict):
    # Of the version.
    id: str
    version: int
    created_at: str
    # Who made it.
    actor: WorkflowVersionSummaryActor
    # Of it, those under way.
    runs: int


class WorkflowVersionSummaryActor(TypedDict):
    """Who made it."""

    # `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the
    # system's user name. `system`: the service itself.
    kind: Literal["key", "user", "cli", "system"]
    id: Optional[str]
    # Of a person who still has an account.
    email: Optional[str]
