import { Layer } from "effect"
import { layerOf as secretBoxOf } from "../../../layers/crypto/SecretBox.ts"
import * as Applications from "../../../layers/postgres/access/ApplicationStore.ts"
import * as AuditLogs from "../../../layers/postgres/access/AuditLog.ts"
import * as IdempotencyKeys from "../../../layers/postgres/access/IdempotencyStore.ts"
import * as RateLimitCounts from "../../../layers/postgres/access/RateLimitStore.ts"
import * as Audiences from "../../../layers/postgres/audience/AudienceStore.ts"
import * as Channels from "../../../layers/postgres/audience/ChannelStore.ts"
import * as Contacts from "../../../layers/postgres/audience/ContactStore.ts"
import * as Devices from "../../../layers/postgres/audience/DeviceStore.ts"
import * as Segments from "../../../layers/postgres/audience/SegmentStore.ts"
import * as Engagements from "../../../layers/postgres/engagement/EngagementStore.ts"
import * as InboxNotices from "../../../layers/postgres/inbox/InboxNotices.ts"
import * as Inboxes from "../../../layers/postgres/inbox/InboxStore.ts"
import * as TemplateSources from "../../../layers/postgres/messages/TemplateStore.ts"
import * as Stats from "../../../layers/postgres/operations/StatsStore.ts"
import * as Accounts from "../../../layers/postgres/people/AccountStore.ts"
import * as AddressChanges from "../../../layers/postgres/people/AddressChangeStore.ts"
import * as ExternalSignIns from "../../../layers/postgres/people/ExternalSignInStore.ts"
import * as LoginCodes from "../../../layers/postgres/people/LoginCodeStore.ts"
import * as Organizations from "../../../layers/postgres/people/OrganizationStore.ts"
import * as Ownership from "../../../layers/postgres/people/OwnershipStore.ts"
import * as PeopleLogs from "../../../layers/postgres/people/PeopleLog.ts"
import * as ServiceMails from "../../../layers/postgres/people/ServiceMailStore.ts"
import * as SessionNotices from "../../../layers/postgres/people/SessionNotices.ts"
import * as Sessions from "../../../layers/postgres/people/SessionStore.ts"
import * as CredentialBoxes from "../../../layers/postgres/sending/CredentialStore.ts"
import * as DeadLetters from "../../../layers/postgres/sending/DeadLetterStore.ts"
import * as Notifications from "../../../layers/postgres/sending/NotificationStore.ts"
import * as Replays from "../../../layers/postgres/sending/ReplayStore.ts"
import * as RedeliveryRequests from "../../../layers/postgres/webhooks/RedeliveryStore.ts"
import * as Webhooks from "../../../layers/postgres/webhooks/WebhookStore.ts"
import * as Executions from "../../../layers/postgres/workflows/ExecutionStore.ts"
import * as Triggers from "../../../layers/postgres/workflows/TriggerStore.ts"
import * as WorkflowVersions from "../../../layers/postgres/workflows/WorkflowStore.ts"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { IdempotencyStore } from "../../../services/ports/access/IdempotencyStore.ts"
import { RateLimitStore } from "../../../services/ports/access/RateLimitStore.ts"
import { AudienceStore } from "../../../services/ports/audience/AudienceStore.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { EngagementStore } from "../../../services/ports/engagement/EngagementStore.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import { StatsStore } from "../../../services/ports/operations/StatsStore.ts"
import { AccountStore } from "../../../services/ports/people/AccountStore.ts"
import { AddressChangeStore } from "../../../services/ports/people/AddressChangeStore.ts"
import { ExternalSignInStore } from "../../../services/ports/people/ExternalSignInStore.ts"
import { LoginCodeStore } from "../../../services/ports/people/LoginCodeStore.ts"
import { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import { OwnershipStore } from "../../../services/ports/people/OwnershipStore.ts"
import { PeopleLog } from "../../../services/ports/people/PeopleLog.ts"
import { ServiceMailStore } from "../../../services/ports/people/ServiceMailStore.ts"
import { SessionStore } from "../../../services/ports/people/SessionStore.ts"
import { CredentialStore } from "../../../services/ports/sending/CredentialStore.ts"
import { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import { RedeliveryStore } from "../../../services/ports/webhooks/RedeliveryStore.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../../services/ports/workflows/WorkflowStore.ts"
import { lentDatabase } from "../../Database.ts"
import type { Outage } from "../../doubles/Outage.ts"

export const MASTER_KEY = new Uint8Array(32).fill(9)

/**
 * The stores that the API stands on, the real ones over a database of their own, and an outage before them; before the
 * counts of the rate limiter another. Those are counted by a clock that stands at `moment`, epoch seconds.
 */
export const storesOver = (outage: Outage, limiterOutage: Outage, moment: number) =>
  Layer.mergeAll(
    outage.over(ApplicationStore, Applications.layer),
    outage.over(AuditLog, AuditLogs.layer),
    outage.over(AudienceStore, Audiences.layer),
    outage.over(SegmentStore, Segments.layer),
    outage.over(StatsStore, Stats.layer),
    outage.over(TemplateStore, TemplateSources.layer),
    outage.over(DeviceStore, Devices.layer),
    outage.over(ChannelStore, Channels.layer),
    outage.over(ContactStore, Contacts.layer),
    outage.over(NotificationStore, Notifications.layer),
    outage.over(EngagementStore, Engagements.layer),
    outage.over(WebhookStore, Webhooks.layer),
    outage.over(IdempotencyStore, IdempotencyKeys.layer),
    outage.over(InboxStore, Inboxes.layer),
    outage.over(CredentialStore, CredentialBoxes.layer),
    outage.over(DeadLetterStore, DeadLetters.layer),
    outage.over(ReplayStore, Replays.layer),
    outage.over(RedeliveryStore, RedeliveryRequests.layer),
    outage.over(WorkflowStore, WorkflowVersions.layer),
    outage.over(ExecutionStore, Executions.layer),
    outage.over(TriggerStore, Triggers.layer),
    outage.over(AccountStore, Accounts.layer),
    outage.over(AddressChangeStore, AddressChanges.layer),
    outage.over(ExternalSignInStore, ExternalSignIns.layer),
    outage.over(LoginCodeStore, LoginCodes.layer),
    outage.over(OrganizationStore, Organizations.layer),
    outage.over(OwnershipStore, Ownership.layer),
    outage.over(PeopleLog, PeopleLogs.layer),
    outage.over(ServiceMailStore, ServiceMails.layer),
    outage.over(SessionStore, Sessions.layer),
    limiterOutage.over(
      RateLimitStore,
      RateLimitCounts.layerOf((sql) => sql`to_timestamp(${moment}::float8)`)
    ),
    InboxNotices.layer,
    SessionNotices.layer
  ).pipe(Layer.provideMerge(Layer.merge(lentDatabase(), secretBoxOf(MASTER_KEY))))
