import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from "graphql"
import type {
  AccountParent,
  ApplicationParent,
  ChannelParent,
  ContactParent,
  DeadLetterParent,
  DeviceParent,
  NotificationSummaryParent,
  WriteErrorParent,
  WriteResultParent
} from "../Parents.ts"
import type { GraphqlContext } from "../Context.ts"
export type Maybe<T> = T | null
export type InputMaybe<T> = Maybe<T>
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> }
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string }
  String: { input: string; output: string }
  Boolean: { input: boolean; output: boolean }
  Int: { input: number; output: number }
  Float: { input: number; output: number }
  /** Any value of JSON. What is inside keeps the names that it was given. */
  JSON: { input: unknown; output: unknown }
  /** A moment, as ISO 8601 in UTC with milliseconds: `2026-01-15T09:30:00.000Z`. Any offset is taken. */
  DateTime: { input: string; output: string }
}

export type Application = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  /** Whether public requests that claim a `user_id` need a valid `X-Identity-Hash`. */
  readonly identityVerification: Scalars["Boolean"]["output"]
  readonly formerIdentitySecretUntil?: Maybe<Scalars["DateTime"]["output"]>
  /** What these options put at risk. */
  readonly warnings: ReadonlyArray<Scalars["String"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
}

export type ApplicationChanges = {
  readonly name?: InputMaybe<Scalars["String"]["input"]>
  readonly identityVerification?: InputMaybe<Scalars["Boolean"]["input"]>
}

export type IdentitySecretInput = {
  /** For how long hashes made with the secret before stay good. */
  readonly overlapSeconds?: InputMaybe<Scalars["Int"]["input"]>
}

export type IssuedIdentitySecret = {
  /** The secret, this once; null when the answer is repeated for an Idempotency-Key. */
  readonly identitySecret?: Maybe<Scalars["String"]["output"]>
  readonly formerIdentitySecretUntil?: Maybe<Scalars["DateTime"]["output"]>
}

export type ApiKeyKind = "secret" | "public"

export type ApiKey = {
  readonly id: Scalars["ID"]["output"]
  readonly kind: ApiKeyKind
  readonly name: Scalars["String"]["output"]
  /** The key's first characters, to tell keys apart. */
  readonly prefix: Scalars["String"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  /** To the minute; null before the first use. */
  readonly lastUsedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type ApiKeyConnection = {
  readonly edges: ReadonlyArray<ApiKeyEdge>
  readonly nodes: ReadonlyArray<ApiKey>
  readonly pageInfo: PageInfo
}

export type ApiKeyEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: ApiKey
}

export type CreatedApiKey = {
  readonly id: Scalars["ID"]["output"]
  readonly kind: ApiKeyKind
  readonly name: Scalars["String"]["output"]
  readonly prefix: Scalars["String"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly lastUsedAt?: Maybe<Scalars["DateTime"]["output"]>
  /** The key itself, this once; null when the answer is repeated for an Idempotency-Key. */
  readonly key?: Maybe<Scalars["String"]["output"]>
}

export type ApiKeyInput = {
  readonly kind: ApiKeyKind
  readonly name: Scalars["String"]["input"]
}

export type ActorKind = "key" | "user" | "cli" | "system"

export type AuditActor = {
  readonly kind: ActorKind
  /** The id of an account, or of a key. */
  readonly actorId?: Maybe<Scalars["ID"]["output"]>
  /** Of a person who still has an account. */
  readonly email?: Maybe<Scalars["String"]["output"]>
}

/** Who changed what. */
export type AuditEntry = {
  readonly id: Scalars["ID"]["output"]
  readonly at: Scalars["DateTime"]["output"]
  readonly actor: AuditActor
  /** As `webhook.changed`. */
  readonly action: Scalars["String"]["output"]
  /** The id of what was changed, or a credential's kind. */
  readonly target?: Maybe<Scalars["String"]["output"]>
  /** What was changed, without secrets. */
  readonly details: Scalars["JSON"]["output"]
}

export type AuditEntryConnection = {
  readonly edges: ReadonlyArray<AuditEntryEdge>
  readonly nodes: ReadonlyArray<AuditEntry>
  readonly pageInfo: PageInfo
}

export type AuditEntryEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: AuditEntry
}

export type Platform = "ios" | "android" | "web"

export type Environment = "production" | "sandbox"

export type DeviceStatus =
  | "active"
  /** The push service says that the token is dead. */
  | "invalid"

export type Device = {
  readonly id: Scalars["ID"]["output"]
  readonly platform: Platform
  readonly token: Scalars["String"]["output"]
  /** The application's own id of the person. */
  readonly userId?: Maybe<Scalars["String"]["output"]>
  /** The person with this `externalId`. */
  readonly contact?: Maybe<Contact>
  readonly tags: ReadonlyArray<Scalars["String"]["output"]>
  readonly timezone?: Maybe<Scalars["String"]["output"]>
  readonly environment: Environment
  readonly metadata: Scalars["JSON"]["output"]
  readonly webPushP256dh?: Maybe<Scalars["String"]["output"]>
  readonly webPushAuth?: Maybe<Scalars["String"]["output"]>
  readonly status: DeviceStatus
  readonly invalidReason?: Maybe<Scalars["String"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly lastSeenAt: Scalars["DateTime"]["output"]
}

export type DeviceConnection = {
  readonly edges: ReadonlyArray<DeviceEdge>
  readonly nodes: ReadonlyArray<Device>
  readonly pageInfo: PageInfo
}

export type DeviceEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Device
}

/** A registration says everything about its device: what is left out is forgotten. */
export type RegisterDeviceInput = {
  readonly token: Scalars["String"]["input"]
  /**
   * The token that the device had until now, where the platform has given it a new one: its row is kept. The row of a person
   * is kept for the same `userId` alone.
   */
  readonly previousToken?: InputMaybe<Scalars["String"]["input"]>
  readonly platform: Platform
  readonly userId?: InputMaybe<Scalars["String"]["input"]>
  readonly tags?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
  readonly environment?: InputMaybe<Environment>
  readonly metadata?: InputMaybe<Scalars["JSON"]["input"]>
  readonly webPushP256dh?: InputMaybe<Scalars["String"]["input"]>
  readonly webPushAuth?: InputMaybe<Scalars["String"]["input"]>
}

/**
 * Fields that are left out keep their value; null removes that of `userId` and `timezone`. `tags` and `metadata` are
 * replaced whole, by an empty list or object where none are to be left.
 */
export type DeviceChanges = {
  readonly userId?: InputMaybe<Scalars["String"]["input"]>
  readonly tags?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
  readonly environment?: InputMaybe<Environment>
  readonly metadata?: InputMaybe<Scalars["JSON"]["input"]>
}

/** What became of one of several, by its place in the list. */
export type WriteResult = {
  readonly index: Scalars["Int"]["output"]
  /** The id of the device or contact; null when it was refused. */
  readonly objectId?: Maybe<Scalars["ID"]["output"]>
  readonly created?: Maybe<Scalars["Boolean"]["output"]>
  readonly error?: Maybe<WriteError>
}

export type WriteError = {
  readonly code: Scalars["String"]["output"]
  readonly message: Scalars["String"]["output"]
  readonly details: ReadonlyArray<WriteErrorDetail>
}

export type WriteErrorDetail = {
  readonly field: Scalars["String"]["output"]
  readonly message: Scalars["String"]["output"]
}

export type Created = {
  readonly id: Scalars["ID"]["output"]
  /** False when it was there before. */
  readonly created: Scalars["Boolean"]["output"]
}

export type Preferences = {
  readonly push: Scalars["Boolean"]["output"]
  readonly email: Scalars["Boolean"]["output"]
  readonly inbox: Scalars["Boolean"]["output"]
}

/** A person: the contact behind devices, channels and an inbox. */
export type Contact = {
  readonly id: Scalars["ID"]["output"]
  /** The application's own id of the person; devices carry it as `userId`. */
  readonly externalId: Scalars["String"]["output"]
  /** The address of the contact's e-mail channel. */
  readonly email?: Maybe<Scalars["String"]["output"]>
  readonly attributes: Scalars["JSON"]["output"]
  readonly tags: ReadonlyArray<Scalars["String"]["output"]>
  readonly locale?: Maybe<Scalars["String"]["output"]>
  readonly timezone?: Maybe<Scalars["String"]["output"]>
  /** What the person wants to get. */
  readonly preferences: Preferences
  /** Those with the contact's `externalId` as `userId`, oldest first. */
  readonly devices: ReadonlyArray<Device>
  /** Those that belong to the contact, oldest first. */
  readonly channels: ReadonlyArray<Channel>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt: Scalars["DateTime"]["output"]
}

/** A person: the contact behind devices, channels and an inbox. */
export type ContactDevicesArgs = {
  first?: Scalars["Int"]["input"]
}

/** A person: the contact behind devices, channels and an inbox. */
export type ContactChannelsArgs = {
  first?: Scalars["Int"]["input"]
}

export type ContactConnection = {
  readonly edges: ReadonlyArray<ContactEdge>
  readonly nodes: ReadonlyArray<Contact>
  readonly pageInfo: PageInfo
}

export type ContactEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Contact
}

/**
 * Fields that are left out keep their value; null removes it. `tags` and `attributes` are replaced whole, by an empty list
 * or object where none are to be left.
 */
export type ContactInput = {
  readonly externalId: Scalars["String"]["input"]
  readonly email?: InputMaybe<Scalars["String"]["input"]>
  readonly attributes?: InputMaybe<Scalars["JSON"]["input"]>
  readonly tags?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly locale?: InputMaybe<Scalars["String"]["input"]>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
}

/**
 * Fields that are left out keep their value; null removes it. `tags` and `attributes` are replaced whole, by an empty list
 * or object where none are to be left.
 */
export type ContactChanges = {
  readonly email?: InputMaybe<Scalars["String"]["input"]>
  readonly attributes?: InputMaybe<Scalars["JSON"]["input"]>
  readonly tags?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly locale?: InputMaybe<Scalars["String"]["input"]>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
}

export type ContactsInput = {
  /** 1,000 at most. */
  readonly contacts: ReadonlyArray<ContactInput>
}

export type TagChanges = {
  readonly add?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly remove?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
}

export type TagContactsInput = {
  readonly externalIds: ReadonlyArray<Scalars["String"]["input"]>
  readonly add?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly remove?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
}

export type TaggedContacts = {
  readonly updated: Scalars["Int"]["output"]
  /** External ids of no contact. */
  readonly unknown: ReadonlyArray<Scalars["String"]["output"]>
  /** Those that would have more than 100 tags. */
  readonly full: ReadonlyArray<Scalars["String"]["output"]>
}

export type PreferenceChanges = {
  /** For every kind that is not named beside it. */
  readonly all?: InputMaybe<Scalars["Boolean"]["input"]>
  readonly push?: InputMaybe<Scalars["Boolean"]["input"]>
  readonly email?: InputMaybe<Scalars["Boolean"]["input"]>
  readonly inbox?: InputMaybe<Scalars["Boolean"]["input"]>
}

export type ChannelKind = "email" | "inbox"

export type ChannelStatus = "active" | "suppressed" | "unsubscribed"

/** A recipient that is not a device. */
export type Channel = {
  readonly id: Scalars["ID"]["output"]
  readonly kind: ChannelKind
  readonly address?: Maybe<Scalars["String"]["output"]>
  readonly contactId?: Maybe<Scalars["ID"]["output"]>
  readonly contact?: Maybe<Contact>
  readonly status: ChannelStatus
  readonly createdAt: Scalars["DateTime"]["output"]
}

export type ChannelConnection = {
  readonly edges: ReadonlyArray<ChannelEdge>
  readonly nodes: ReadonlyArray<Channel>
  readonly pageInfo: PageInfo
}

export type ChannelEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Channel
}

export type ChannelInput = {
  readonly kind: ChannelKind
  readonly address?: InputMaybe<Scalars["String"]["input"]>
  readonly userId?: InputMaybe<Scalars["String"]["input"]>
}

export type ChannelChanges = {
  /** ACTIVE or UNSUBSCRIBED: what bounced is no wish of anybody's. */
  readonly status: ChannelStatus
}

export type AttributeOperator =
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

export type EngagementType = "delivered" | "opened" | "clicked"

export type AttributeRule = {
  readonly name: Scalars["String"]["output"]
  readonly op: AttributeOperator
  readonly value?: Maybe<Scalars["JSON"]["output"]>
}

export type AttributeRuleInput = {
  readonly name: Scalars["String"]["input"]
  readonly op: AttributeOperator
  readonly value?: InputMaybe<Scalars["JSON"]["input"]>
}

export type LastSeen = {
  readonly withinDays?: Maybe<Scalars["Int"]["output"]>
  readonly notWithinDays?: Maybe<Scalars["Int"]["output"]>
}

export type LastSeenInput = {
  readonly withinDays?: InputMaybe<Scalars["Int"]["input"]>
  readonly notWithinDays?: InputMaybe<Scalars["Int"]["input"]>
}

export type EngagementRule = {
  readonly type: EngagementType
  readonly withinDays: Scalars["Int"]["output"]
  readonly not?: Maybe<Scalars["Boolean"]["output"]>
}

export type EngagementRuleInput = {
  readonly type: EngagementType
  readonly withinDays: Scalars["Int"]["input"]
  readonly not?: InputMaybe<Scalars["Boolean"]["input"]>
}

/** Whom a segment holds: everybody whom all of its conditions fit. */
export type SegmentFilter = {
  readonly tagsAny?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly tagsAll?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly tagsNone?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly platforms?: Maybe<ReadonlyArray<Platform>>
  readonly timezones?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly locales?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly attributes?: Maybe<ReadonlyArray<AttributeRule>>
  readonly lastSeen?: Maybe<LastSeen>
  readonly engagement?: Maybe<ReadonlyArray<EngagementRule>>
}

export type SegmentFilterInput = {
  readonly tagsAny?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly tagsAll?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly tagsNone?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly platforms?: InputMaybe<ReadonlyArray<Platform>>
  readonly timezones?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly locales?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly attributes?: InputMaybe<ReadonlyArray<AttributeRuleInput>>
  readonly lastSeen?: InputMaybe<LastSeenInput>
  readonly engagement?: InputMaybe<ReadonlyArray<EngagementRuleInput>>
}

/** An audience, kept under a name by what describes it. */
export type Segment = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  readonly filter: SegmentFilter
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt: Scalars["DateTime"]["output"]
}

export type SegmentConnection = {
  readonly edges: ReadonlyArray<SegmentEdge>
  readonly nodes: ReadonlyArray<Segment>
  readonly pageInfo: PageInfo
}

export type SegmentEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Segment
}

export type CountSegmentInput = {
  readonly filter: SegmentFilterInput
}

export type SegmentInput = {
  readonly name: Scalars["String"]["input"]
  readonly filter: SegmentFilterInput
}

export type SegmentChanges = {
  readonly name?: InputMaybe<Scalars["String"]["input"]>
  readonly filter?: InputMaybe<SegmentFilterInput>
}

export type SegmentCount = {
  readonly recipients: Scalars["Int"]["output"]
  readonly devices: Scalars["Int"]["output"]
  readonly emails: Scalars["Int"]["output"]
  /** False: counting took too long, and this is what the database expects. */
  readonly isExact: Scalars["Boolean"]["output"]
}

export type ImportKind = "contacts" | "devices"

export type Happenings = {
  readonly sent: Scalars["Int"]["output"]
  readonly failed: Scalars["Int"]["output"]
  readonly skipped: Scalars["Int"]["output"]
  readonly cancelled: Scalars["Int"]["output"]
  readonly delivered: Scalars["Int"]["output"]
  readonly opened: Scalars["Int"]["output"]
  readonly clicked: Scalars["Int"]["output"]
  readonly machineOpened: Scalars["Int"]["output"]
  readonly machineClicked: Scalars["Int"]["output"]
}

export type StatsGroup = {
  readonly day?: Maybe<Scalars["String"]["output"]>
  readonly provider?: Maybe<Provider>
  readonly sent: Scalars["Int"]["output"]
  readonly failed: Scalars["Int"]["output"]
  readonly skipped: Scalars["Int"]["output"]
  readonly cancelled: Scalars["Int"]["output"]
  readonly delivered: Scalars["Int"]["output"]
  readonly opened: Scalars["Int"]["output"]
  readonly clicked: Scalars["Int"]["output"]
  readonly machineOpened: Scalars["Int"]["output"]
  readonly machineClicked: Scalars["Int"]["output"]
}

export type StatsGrouping = "application" | "day" | "provider" | "day_provider"

/** What happened, added up by the days of UTC. */
export type Stats = {
  readonly from: Scalars["String"]["output"]
  readonly to: Scalars["String"]["output"]
  readonly groupBy: StatsGrouping
  readonly total: Happenings
  /** In the order of days. Days and providers with nothing to count are left out. */
  readonly data: ReadonlyArray<StatsGroup>
}

export type ProviderCounts = {
  readonly provider: Provider
  readonly accepted: Scalars["Int"]["output"]
  readonly pending: Scalars["Int"]["output"]
  readonly sent: Scalars["Int"]["output"]
  readonly failed: Scalars["Int"]["output"]
  readonly skipped: Scalars["Int"]["output"]
  readonly cancelled: Scalars["Int"]["output"]
}

export type InboxMessagesInput = {
  readonly userIds: ReadonlyArray<Scalars["String"]["input"]>
  readonly title?: InputMaybe<Scalars["String"]["input"]>
  readonly body?: InputMaybe<Scalars["String"]["input"]>
  readonly url?: InputMaybe<Scalars["String"]["input"]>
  readonly data?: InputMaybe<Scalars["JSON"]["input"]>
}

export type PostedMessages = {
  /** How many people got it. */
  readonly created: Scalars["Int"]["output"]
}

/** By POST with `Accept: text/event-stream`: an event `next` with the answer now, and with each answer that is another one. */
export type Subscription = {
  /** A notification's state and counts. */
  readonly notificationChanged: NotificationSummary
  /** A run of a workflow, and what its steps came to. */
  readonly executionChanged: Execution
  /** A webhook: whether it is active, and why not. */
  readonly hookChanged: Hook
}

/** By POST with `Accept: text/event-stream`: an event `next` with the answer now, and with each answer that is another one. */
export type SubscriptionNotificationChangedArgs = {
  id: Scalars["ID"]["input"]
}

/** By POST with `Accept: text/event-stream`: an event `next` with the answer now, and with each answer that is another one. */
export type SubscriptionExecutionChangedArgs = {
  id: Scalars["ID"]["input"]
}

/** By POST with `Accept: text/event-stream`: an event `next` with the answer now, and with each answer that is another one. */
export type SubscriptionHookChangedArgs = {
  id: Scalars["ID"]["input"]
}

/** What a recipient sees. In templates, each part is Liquid. */
export type Content = {
  readonly title?: Maybe<Scalars["String"]["output"]>
  readonly body?: Maybe<Scalars["String"]["output"]>
  readonly url?: Maybe<Scalars["String"]["output"]>
  readonly image?: Maybe<Scalars["String"]["output"]>
  readonly data?: Maybe<Scalars["JSON"]["output"]>
  readonly subject?: Maybe<Scalars["String"]["output"]>
  readonly html?: Maybe<Scalars["String"]["output"]>
}

export type ContentInput = {
  readonly title?: InputMaybe<Scalars["String"]["input"]>
  readonly body?: InputMaybe<Scalars["String"]["input"]>
  readonly url?: InputMaybe<Scalars["String"]["input"]>
  readonly image?: InputMaybe<Scalars["String"]["input"]>
  readonly data?: InputMaybe<Scalars["JSON"]["input"]>
  readonly subject?: InputMaybe<Scalars["String"]["input"]>
  readonly html?: InputMaybe<Scalars["String"]["input"]>
}

export type MissingVariables =
  /** Fails the recipient for whom a variable is missing. */
  | "error"
  /** Leaves its place empty. */
  | "empty"

export type Template = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  /** Counts the changes, from 1. */
  readonly version: Scalars["Int"]["output"]
  readonly content: Content
  /** By language, contents as `content`. */
  readonly locales: Scalars["JSON"]["output"]
  readonly missingVariables: MissingVariables
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt: Scalars["DateTime"]["output"]
}

export type TemplateConnection = {
  readonly edges: ReadonlyArray<TemplateEdge>
  readonly nodes: ReadonlyArray<Template>
  readonly pageInfo: PageInfo
}

export type TemplateEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Template
}

export type TemplateInput = {
  readonly name: Scalars["String"]["input"]
  readonly content: ContentInput
  readonly locales?: InputMaybe<Scalars["JSON"]["input"]>
  readonly missingVariables?: InputMaybe<MissingVariables>
}

export type TemplateVersionSummary = {
  readonly id: Scalars["ID"]["output"]
  readonly version: Scalars["Int"]["output"]
  /** What the template was called. */
  readonly name: Scalars["String"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly actor: AuditActor
}

export type TemplateVersion = {
  readonly id: Scalars["ID"]["output"]
  readonly templateId: Scalars["ID"]["output"]
  readonly version: Scalars["Int"]["output"]
  /** What the template was called. */
  readonly name: Scalars["String"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly actor: AuditActor
  readonly content: Content
  /** By language, contents as `content`. */
  readonly locales: Scalars["JSON"]["output"]
  readonly missingVariables: MissingVariables
}

export type TemplateChanges = {
  /** The version that is changed. Where it is not the latest any more, nothing is changed, and the answer is a conflict. */
  readonly version?: InputMaybe<Scalars["Int"]["input"]>
  readonly name?: InputMaybe<Scalars["String"]["input"]>
  readonly content?: InputMaybe<ContentInput>
  readonly locales?: InputMaybe<Scalars["JSON"]["input"]>
  readonly missingVariables?: InputMaybe<MissingVariables>
}

/** An example of a recipient. */
export type TemplateExampleInput = {
  readonly locale?: InputMaybe<Scalars["String"]["input"]>
  readonly variables?: InputMaybe<Scalars["JSON"]["input"]>
  readonly device?: InputMaybe<Scalars["JSON"]["input"]>
  readonly contact?: InputMaybe<Scalars["JSON"]["input"]>
  /** Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was seen last. */
  readonly contactId?: InputMaybe<Scalars["ID"]["input"]>
}

export type TemplateSourcesInput = {
  readonly content: ContentInput
  readonly locales?: InputMaybe<Scalars["JSON"]["input"]>
  readonly missingVariables?: InputMaybe<MissingVariables>
  readonly locale?: InputMaybe<Scalars["String"]["input"]>
  readonly variables?: InputMaybe<Scalars["JSON"]["input"]>
  readonly device?: InputMaybe<Scalars["JSON"]["input"]>
  readonly contact?: InputMaybe<Scalars["JSON"]["input"]>
  /** Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was seen last. */
  readonly contactId?: InputMaybe<Scalars["ID"]["input"]>
}

export type TemplatePreview = {
  /** Which language was taken; null for the default. */
  readonly language?: Maybe<Scalars["String"]["output"]>
  readonly content: Content
}

/** What a person is in an organization. Each may do what those below it may. */
export type Role =
  /** Everything: members and invitations, the organization's name, its deletion. */
  | "owner"
  /** Applications and their options, API keys, provider credentials, webhooks. */
  | "admin"
  /** Daily work: messages, contacts, devices, channels, templates, segments, inboxes. */
  | "member"
  /** Reads everything and changes nothing: any write is refused with 403. Secrets are shown to nobody. */
  | "viewer"

export type Account = {
  readonly id: Scalars["ID"]["output"]
  readonly email: Scalars["String"]["output"]
  /** Empty as long as they have not said how they are called. */
  readonly name: Scalars["String"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  /** Accounts with other services that sign in to this one, oldest first. A code by mail always does. */
  readonly externalSignIns: ReadonlyArray<ExternalSignIn>
}

export type ExternalProvider = "google" | "github"

export type ExternalSignIn = {
  readonly id: Scalars["ID"]["output"]
  readonly provider: ExternalProvider
  /** The address that it was bound with. */
  readonly email?: Maybe<Scalars["String"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly lastUsedAt?: Maybe<Scalars["DateTime"]["output"]>
}

/** An account with another service, until a code has proved its address. */
export type PendingExternalSignIn = {
  readonly provider: ExternalProvider
  readonly email: Scalars["String"]["output"]
}

export type Registration = "open" | "invite"

/** What a sign-in page offers. */
export type SignInOptions = {
  /** Who gets an account: whoever proves an address, or only those who were invited. */
  readonly registration: Registration
  /** Those whose sign-in begins at `/api/auth/oauth/<provider>/start`. */
  readonly providers: ReadonlyArray<ExternalProvider>
  /** What waits in this browser for a code to its address. */
  readonly pending?: Maybe<PendingExternalSignIn>
}

/** A session that has just begun. Browsers have its token as the cookie `service_session` as well. */
export type Session = {
  /** For scripts: `Authorization: Bearer <token>`. */
  readonly token: Scalars["String"]["output"]
  readonly expiresAt: Scalars["DateTime"]["output"]
  readonly account: Account
  /** What a first sign-in has made; its keys are shown this once. */
  readonly first?: Maybe<FirstApplication>
}

export type FirstApplication = {
  readonly organization: Organization
  readonly appId: Scalars["ID"]["output"]
  readonly secretKey: Scalars["String"]["output"]
  readonly publicKey: Scalars["String"]["output"]
  readonly identitySecret: Scalars["String"]["output"]
}

/** One of the account's sessions. */
export type ActiveSession = {
  readonly id: Scalars["ID"]["output"]
  /** What the browser or program called itself when it signed in. */
  readonly userAgent: Scalars["String"]["output"]
  /** Whether it is the one of this request. */
  readonly isCurrent: Scalars["Boolean"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  /** To the minute. */
  readonly lastUsedAt: Scalars["DateTime"]["output"]
  readonly expiresAt: Scalars["DateTime"]["output"]
}

/** What a role may do, as a dashboard needs to know it: a control whose operation is not among `may` would answer 403. */
export type Operation =
  | "read"
  | "leave_organization"
  | "send_notifications"
  | "control_notifications"
  | "replay_dead_letters"
  | "change_devices"
  | "change_contacts"
  | "change_channels"
  | "change_segments"
  | "change_templates"
  | "change_workflows"
  | "change_inbox"
  | "report_engagement"
  | "create_application"
  | "change_application"
  | "change_api_keys"
  | "change_credentials"
  | "change_webhooks"
  | "change_organization"
  | "change_members"
  | "change_billing"
  | "delete_application"
  | "delete_organization"

export type Organization = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  readonly plan: Scalars["String"]["output"]
  /** What the signed-in person is in it. */
  readonly role?: Maybe<Role>
  /** What that role may do, in the organization and its applications. */
  readonly may: ReadonlyArray<Operation>
  readonly createdAt: Scalars["DateTime"]["output"]
}

export type Member = {
  readonly accountId: Scalars["ID"]["output"]
  readonly organizationId: Scalars["ID"]["output"]
  readonly email: Scalars["String"]["output"]
  readonly name: Scalars["String"]["output"]
  readonly role: Role
  readonly joinedAt: Scalars["DateTime"]["output"]
}

export type MemberConnection = {
  readonly edges: ReadonlyArray<MemberEdge>
  readonly nodes: ReadonlyArray<Member>
  readonly pageInfo: PageInfo
}

export type MemberEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Member
}

/** The token that accepts it is in the mail alone. */
export type Invitation = {
  readonly id: Scalars["ID"]["output"]
  readonly organizationId: Scalars["ID"]["output"]
  readonly email: Scalars["String"]["output"]
  readonly role: Role
  readonly invitedBy: Scalars["ID"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly expiresAt: Scalars["DateTime"]["output"]
}

/** What an invitation's page shows before it is accepted. */
export type InvitationPreview = {
  readonly organizationName: Scalars["String"]["output"]
  readonly inviterEmail: Scalars["String"]["output"]
  readonly email: Scalars["String"]["output"]
  readonly role: Role
  readonly expiresAt: Scalars["DateTime"]["output"]
}

/** Its secrets are shown this once. */
export type CreatedApplication = {
  readonly application: Application
  readonly secretKey: Scalars["String"]["output"]
  readonly publicKey: Scalars["String"]["output"]
  readonly identitySecret: Scalars["String"]["output"]
}

export type ApplicationConnection = {
  readonly edges: ReadonlyArray<ApplicationEdge>
  readonly nodes: ReadonlyArray<Application>
  readonly pageInfo: PageInfo
}

export type ApplicationEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Application
}

export type OrganizationLogEntry = {
  readonly id: Scalars["ID"]["output"]
  readonly at: Scalars["DateTime"]["output"]
  readonly accountId?: Maybe<Scalars["ID"]["output"]>
  /** Of whom it is about, as long as there is the account, or the invitation; their ids stay. */
  readonly email?: Maybe<Scalars["String"]["output"]>
  readonly actor: OrganizationLogActor
  /** As `member.role_changed`. */
  readonly action: Scalars["String"]["output"]
  readonly target?: Maybe<Scalars["ID"]["output"]>
  readonly details: Scalars["JSON"]["output"]
}

export type OrganizationLogActor = {
  readonly kind: ActorKind
  /** The id of an account, or of a key. */
  readonly actorId?: Maybe<Scalars["ID"]["output"]>
  /** Of a person who still has an account. */
  readonly email?: Maybe<Scalars["String"]["output"]>
}

export type OrganizationLogConnection = {
  readonly edges: ReadonlyArray<OrganizationLogEdge>
  readonly nodes: ReadonlyArray<OrganizationLogEntry>
  readonly pageInfo: PageInfo
}

export type OrganizationLogEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: OrganizationLogEntry
}

export type Query = {
  readonly application?: Maybe<Application>
  readonly apiKeys: ApiKeyConnection
  readonly auditLog: AuditEntryConnection
  /**
   * `segmentId`: active devices that it holds. A page may then have fewer than `first`, and even none, while `hasNextPage` says
   * that there are more.
   */
  readonly devices: DeviceConnection
  readonly device?: Maybe<Device>
  /**
   * `search`: those whose id, address or attribute `name` begins so, whatever the case. `segmentId`: people whom it holds; a
   * page may then have fewer than `first`, and even none, while `hasNextPage` says that there are more.
   */
  readonly contacts: ContactConnection
  readonly contact?: Maybe<Contact>
  readonly contactByExternalId?: Maybe<Contact>
  readonly channels: ChannelConnection
  readonly channel?: Maybe<Channel>
  readonly segments: SegmentConnection
  readonly segment?: Maybe<Segment>
  /** Whom conditions fit now, without a segment that has them. */
  readonly countSegment: SegmentCount
  /** Who is in a segment now. */
  readonly segmentCount?: Maybe<SegmentCount>
  /** `from` and `to` are days, and included; the last 30 unless given. */
  readonly stats: Stats
  /** A notification's counts by provider, exact at every moment. */
  readonly notificationStats: ReadonlyArray<ProviderCounts>
  readonly templates: TemplateConnection
  readonly template?: Maybe<Template>
  /** Its latest 50, newest first. */
  readonly templateVersions: ReadonlyArray<TemplateVersionSummary>
  readonly templateVersion?: Maybe<TemplateVersion>
  readonly previewTemplate: TemplatePreview
  /** Fills a template that is not saved. */
  readonly previewTemplateSources: TemplatePreview
  /** Who is signed in; null for a secret key. */
  readonly me?: Maybe<Account>
  /** For whoever is signed out, too. */
  readonly signInOptions: SignInOptions
  /** The account's own sessions, newest first. */
  readonly sessions: ReadonlyArray<ActiveSession>
  /** Everything that is kept about the account, without secrets. */
  readonly exportMyAccountData: Scalars["JSON"]["output"]
  /** Those of the signed-in person, oldest first. */
  readonly organizations: ReadonlyArray<Organization>
  readonly organization?: Maybe<Organization>
  readonly applications: ApplicationConnection
  readonly members: MemberConnection
  /** Open ones, oldest first. */
  readonly invitations: ReadonlyArray<Invitation>
  /** Whoever has the token may know what it is for. */
  readonly invitation?: Maybe<InvitationPreview>
  /** Who changed what in the organization, newest first; its applications have logs of their own. */
  readonly organizationLog: OrganizationLogConnection
  readonly notifications: NotificationSummaryConnection
  readonly notification?: Maybe<Notification>
  readonly previewNotification: NotificationPreview
  readonly deliveries: DeliveryConnection
  /** How many recipients ended alike, most first. It reads the results of all. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** What pending recipients wait for that were tried, or held back: by provider and error, most recipients first. */
  readonly retries: ReadonlyArray<Retry>
  readonly credentials: ReadonlyArray<Credential>
  readonly credential?: Maybe<Credential>
  readonly deadLetters: DeadLetterConnection
  readonly deadLetter?: Maybe<DeadLetterWithContent>
  readonly replays: ReplayConnection
  readonly replay?: Maybe<Replay>
  readonly hooks: HookConnection
  readonly hook?: Maybe<Hook>
  /** With a filter a page may have fewer than `first`, and even none, while hasNextPage says that there are more. */
  readonly hookDeliveries: HookDeliveryConnection
  readonly hookDelivery?: Maybe<HookDeliveryWithBody>
  /** What webhooks were told of a device or channel that a notification went to. */
  readonly recipientHookDeliveries: ReadonlyArray<RecipientHookDelivery>
  readonly redelivery?: Maybe<Redelivery>
  readonly workflows: WorkflowConnection
  readonly workflow?: Maybe<Workflow>
  /** Newest first. */
  readonly workflowVersions: WorkflowVersionSummaryConnection
  /** Null where there is no such version. Left out: the latest. */
  readonly workflowVersion?: Maybe<WorkflowVersion>
  readonly workflowStatistics: WorkflowStatistics
  /** What a person's way would be. Sends nothing. */
  readonly rehearseWorkflow: WorkflowDryRun
  readonly executions: ExecutionSummaryConnection
  readonly execution?: Maybe<Execution>
}

export type QueryApplicationArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryApiKeysArgs = {
  appId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryAuditLogArgs = {
  appId: Scalars["ID"]["input"]
  actorId?: InputMaybe<Scalars["String"]["input"]>
  action?: InputMaybe<Scalars["String"]["input"]>
  target?: InputMaybe<Scalars["String"]["input"]>
  from?: InputMaybe<Scalars["DateTime"]["input"]>
  to?: InputMaybe<Scalars["DateTime"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryDevicesArgs = {
  appId: Scalars["ID"]["input"]
  platform?: InputMaybe<Platform>
  environment?: InputMaybe<Environment>
  status?: InputMaybe<DeviceStatus>
  userId?: InputMaybe<Scalars["String"]["input"]>
  tagsAny?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  tagsAll?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  createdFrom?: InputMaybe<Scalars["DateTime"]["input"]>
  createdBefore?: InputMaybe<Scalars["DateTime"]["input"]>
  lastSeenFrom?: InputMaybe<Scalars["DateTime"]["input"]>
  lastSeenBefore?: InputMaybe<Scalars["DateTime"]["input"]>
  segmentId?: InputMaybe<Scalars["ID"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryDeviceArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryContactsArgs = {
  appId: Scalars["ID"]["input"]
  externalId?: InputMaybe<Scalars["String"]["input"]>
  tag?: InputMaybe<Scalars["String"]["input"]>
  segmentId?: InputMaybe<Scalars["ID"]["input"]>
  search?: InputMaybe<Scalars["String"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryContactArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryContactByExternalIdArgs = {
  appId: Scalars["ID"]["input"]
  externalId: Scalars["String"]["input"]
}

export type QueryChannelsArgs = {
  appId: Scalars["ID"]["input"]
  status?: InputMaybe<ChannelStatus>
  contactId?: InputMaybe<Scalars["ID"]["input"]>
  address?: InputMaybe<Scalars["String"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryChannelArgs = {
  id: Scalars["ID"]["input"]
}

export type QuerySegmentsArgs = {
  appId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QuerySegmentArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryCountSegmentArgs = {
  appId: Scalars["ID"]["input"]
  input: CountSegmentInput
}

export type QuerySegmentCountArgs = {
  segmentId: Scalars["ID"]["input"]
}

export type QueryStatsArgs = {
  appId: Scalars["ID"]["input"]
  from?: InputMaybe<Scalars["String"]["input"]>
  to?: InputMaybe<Scalars["String"]["input"]>
  groupBy?: InputMaybe<StatsGrouping>
}

export type QueryNotificationStatsArgs = {
  notificationId: Scalars["ID"]["input"]
}

export type QueryTemplatesArgs = {
  appId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryTemplateArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryTemplateVersionsArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryTemplateVersionArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryPreviewTemplateArgs = {
  id: Scalars["ID"]["input"]
  input: TemplateExampleInput
}

export type QueryPreviewTemplateSourcesArgs = {
  appId: Scalars["ID"]["input"]
  input: TemplateSourcesInput
}

export type QueryOrganizationArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryApplicationsArgs = {
  organizationId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryMembersArgs = {
  organizationId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryInvitationsArgs = {
  organizationId: Scalars["ID"]["input"]
}

export type QueryInvitationArgs = {
  token: Scalars["String"]["input"]
}

export type QueryOrganizationLogArgs = {
  organizationId: Scalars["ID"]["input"]
  actorId?: InputMaybe<Scalars["String"]["input"]>
  action?: InputMaybe<Scalars["String"]["input"]>
  target?: InputMaybe<Scalars["ID"]["input"]>
  from?: InputMaybe<Scalars["DateTime"]["input"]>
  to?: InputMaybe<Scalars["DateTime"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryNotificationsArgs = {
  appId: Scalars["ID"]["input"]
  status?: InputMaybe<NotificationStatus>
  createdFrom?: InputMaybe<Scalars["DateTime"]["input"]>
  createdTo?: InputMaybe<Scalars["DateTime"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryNotificationArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryPreviewNotificationArgs = {
  appId: Scalars["ID"]["input"]
  input: NotificationInput
}

export type QueryDeliveriesArgs = {
  notificationId: Scalars["ID"]["input"]
  status?: InputMaybe<DeliveryStatus>
  error?: InputMaybe<Scalars["String"]["input"]>
  userId?: InputMaybe<Scalars["String"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryOutcomesArgs = {
  notificationId: Scalars["ID"]["input"]
}

export type QueryRetriesArgs = {
  notificationId: Scalars["ID"]["input"]
}

export type QueryCredentialsArgs = {
  appId: Scalars["ID"]["input"]
}

export type QueryCredentialArgs = {
  appId: Scalars["ID"]["input"]
  kind: CredentialKind
}

export type QueryDeadLettersArgs = {
  appId: Scalars["ID"]["input"]
  kind?: InputMaybe<DeadLetterKind>
  webhookId?: InputMaybe<Scalars["ID"]["input"]>
  notificationId?: InputMaybe<Scalars["ID"]["input"]>
  provider?: InputMaybe<Provider>
  error?: InputMaybe<Scalars["String"]["input"]>
  from?: InputMaybe<Scalars["DateTime"]["input"]>
  to?: InputMaybe<Scalars["DateTime"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryDeadLetterArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryReplaysArgs = {
  appId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryReplayArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryHooksArgs = {
  appId: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryHookArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryHookDeliveriesArgs = {
  hookId: Scalars["ID"]["input"]
  event?: InputMaybe<Scalars["String"]["input"]>
  status?: InputMaybe<HookDeliveryStatus>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryHookDeliveryArgs = {
  hookId: Scalars["ID"]["input"]
  eventId: Scalars["ID"]["input"]
}

export type QueryRecipientHookDeliveriesArgs = {
  notificationId: Scalars["ID"]["input"]
  recipientId: Scalars["ID"]["input"]
}

export type QueryRedeliveryArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryWorkflowsArgs = {
  appId: Scalars["ID"]["input"]
  status?: InputMaybe<WorkflowStatus>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryWorkflowArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryWorkflowVersionsArgs = {
  id: Scalars["ID"]["input"]
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryWorkflowVersionArgs = {
  id: Scalars["ID"]["input"]
  version?: InputMaybe<Scalars["Int"]["input"]>
}

export type QueryWorkflowStatisticsArgs = {
  id: Scalars["ID"]["input"]
}

export type QueryRehearseWorkflowArgs = {
  id: Scalars["ID"]["input"]
  input: RehearseWorkflowInput
}

export type QueryExecutionsArgs = {
  appId: Scalars["ID"]["input"]
  workflowId?: InputMaybe<Scalars["ID"]["input"]>
  status?: InputMaybe<ExecutionStatus>
  userId?: InputMaybe<Scalars["String"]["input"]>
  first?: InputMaybe<Scalars["Int"]["input"]>
  after?: InputMaybe<Scalars["String"]["input"]>
}

export type QueryExecutionArgs = {
  id: Scalars["ID"]["input"]
}

export type Mutation = {
  readonly updateApplication: Application
  readonly reissueIdentitySecret: IssuedIdentitySecret
  readonly createApiKey: CreatedApiKey
  readonly revokeApiKey: Scalars["Boolean"]["output"]
  /**
   * Writes the one entry of the audit log that an import has. What is written with its id counts there, for seven days, in the
   * place of an entry for each contact or device.
   */
  readonly beginImport: Scalars["ID"]["output"]
  /** 500 at most. One that is refused stops nothing. */
  readonly importContacts: ReadonlyArray<WriteResult>
  /** 100 at most. One that is refused stops nothing. `importId`: of the import that they are a part of. */
  readonly registerDevices: ReadonlyArray<WriteResult>
  readonly updateDevice: Device
  readonly deleteDevice: Scalars["Boolean"]["output"]
  /** Idempotent: `externalId` names one contact. */
  readonly upsertContact: Created
  /** One that is refused stops nothing. */
  readonly upsertContacts: ReadonlyArray<WriteResult>
  readonly tagContacts: TaggedContacts
  readonly updateContact: Contact
  /** The person, with everything about them. */
  readonly deleteContact: Scalars["Boolean"]["output"]
  readonly changeContactTags: Contact
  readonly updateContactPreferences: Preferences
  readonly updateContactByExternalId: Contact
  readonly deleteContactByExternalId: Scalars["Boolean"]["output"]
  readonly changeContactTagsByExternalId: Contact
  readonly updateContactPreferencesByExternalId: Preferences
  readonly createChannel: Created
  readonly updateChannel: Channel
  /** The preferences of its contact stay as they are. */
  readonly deleteChannel: Scalars["Boolean"]["output"]
  readonly createSegment: Segment
  readonly updateSegment: Segment
  readonly deleteSegment: Scalars["Boolean"]["output"]
  /** The same message for each of `userIds`, once. Sent again, it is another message. */
  readonly postInboxMessages: PostedMessages
  readonly createTemplate: Template
  readonly updateTemplate: Template
  readonly deleteTemplate: Scalars["Boolean"]["output"]
  /**
   * Sends a code by mail: one to sign in, with the same answer whether the address has an account or not; to whoever is
   * signed in one for deleteAccount, and `email` has to be the account's own address.
   */
  readonly requestLoginCode: Scalars["Boolean"]["output"]
  /** Begins a session. An external sign-in that waits in this browser for a code to this address is bound to the account. */
  readonly verifyLoginCode: Session
  /** Sends whoever is signed in a code for confirmExternalSignIn, to the account's own address. */
  readonly requestExternalSignInCode: Scalars["Boolean"]["output"]
  /** Binds the external sign-in that waits in this browser. */
  readonly confirmExternalSignIn: ExternalSignIn
  readonly unbindExternalSignIn: Scalars["Boolean"]["output"]
  /** Ends this session, and takes its cookie. */
  readonly logout: Scalars["Boolean"]["output"]
  /** Ends all sessions of the account. */
  readonly signOutEverywhere: Scalars["Boolean"]["output"]
  /** Ends one session of the account, by its id in `sessions`. */
  readonly endSession: Scalars["Boolean"]["output"]
  readonly renameAccount: Account
  /**
   * Sends two codes for changeEmail: one to the address that the account has, one to `email`. The answer is the same
   * whether another account has that address or not.
   */
  readonly requestEmailChange: Scalars["Boolean"]["output"]
  /**
   * Gives the account the address that the codes were asked for: `code` is the one that went to the address it has, `newCode`
   * the one that went to the new. All sessions end; the answer, and the browser's cookie, are of a new one.
   */
  readonly changeEmail: Session
  readonly deleteAccount: Scalars["Boolean"]["output"]
  readonly createOrganization: Organization
  readonly renameOrganization: Organization
  /** With its applications and all that they hold. */
  readonly deleteOrganization: Scalars["Boolean"]["output"]
  readonly createApplication: CreatedApplication
  /** With all that it holds. Its keys are unknown within a second; what providers have in hand may go out for a second or two more, and nothing else of it is sent. */
  readonly deleteApplication: Scalars["Boolean"]["output"]
  /** An open invitation of the same address is replaced. One that was mailed in the last ten minutes is answered as it is, with the role, and no second mail goes out. */
  readonly inviteMember: Invitation
  /** Its link is good for nothing from then on. */
  readonly revokeInvitation: Scalars["Boolean"]["output"]
  readonly acceptInvitation: Organization
  readonly changeRole: Member
  readonly removeMember: Scalars["Boolean"]["output"]
  /** 409 transfer_ownership_first for its last owner: transferOwnership, or deleteOrganization. */
  readonly leaveOrganization: Scalars["Boolean"]["output"]
  /** The other becomes an owner, the person an admin. */
  readonly transferOwnership: Member
  readonly sendNotification: AcceptedNotification
  readonly updateNotification: Notification
  readonly cancelNotification: NotificationSummary
  readonly pauseNotification: NotificationSummary
  readonly resumeNotification: NotificationSummary
  readonly setApnsCredential: Credential
  readonly setFcmCredential: Credential
  readonly setWebPushCredential: Credential
  readonly setSmtpCredential: Credential
  /** Asks the provider whether it takes the credential; no recipient gets anything. Answers after 25 seconds at most. */
  readonly checkCredential: CredentialCheck
  readonly deleteCredential: Scalars["Boolean"]["output"]
  readonly replayDeadLetter: ReplayedDeadLetter
  /** In the background: every replayable one that the filter describes. */
  readonly replayDeadLetters: Replay
  readonly createHook: Hook
  readonly updateHook: Hook
  readonly deleteHook: Scalars["Boolean"]["output"]
  /** One attempt with a sample of the event, marked as a test. The answer comes when the receiver has answered. */
  readonly testHook: HookTest
  readonly redeliverHook: Redelivery
  readonly createWorkflow: SavedWorkflow
  /** A new version, which those who enter from now on have. */
  readonly updateWorkflow: SavedWorkflow
  readonly activateWorkflow: SavedWorkflow
  /** Nobody enters any more, and its runs are cancelled. */
  readonly archiveWorkflow: Workflow
  readonly deleteWorkflow: Scalars["Boolean"]["output"]
  readonly triggerWorkflow: TriggeredWorkflow
  readonly cancelExecution: ExecutionSummary
  /** Those under way that meet every condition. What is more than a thousand goes on in the background. */
  readonly cancelExecutions: CancelledExecutions
  readonly raiseEvent: RaisedEvent
}

export type MutationUpdateApplicationArgs = {
  id: Scalars["ID"]["input"]
  input: ApplicationChanges
}

export type MutationReissueIdentitySecretArgs = {
  appId: Scalars["ID"]["input"]
  input: IdentitySecretInput
}

export type MutationCreateApiKeyArgs = {
  appId: Scalars["ID"]["input"]
  input: ApiKeyInput
}

export type MutationRevokeApiKeyArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationBeginImportArgs = {
  appId: Scalars["ID"]["input"]
  kind: ImportKind
  file: Scalars["String"]["input"]
}

export type MutationImportContactsArgs = {
  appId: Scalars["ID"]["input"]
  importId: Scalars["ID"]["input"]
  contacts: ReadonlyArray<ContactInput>
}

export type MutationRegisterDevicesArgs = {
  appId: Scalars["ID"]["input"]
  devices: ReadonlyArray<RegisterDeviceInput>
  importId?: InputMaybe<Scalars["ID"]["input"]>
}

export type MutationUpdateDeviceArgs = {
  id: Scalars["ID"]["input"]
  input: DeviceChanges
}

export type MutationDeleteDeviceArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationUpsertContactArgs = {
  appId: Scalars["ID"]["input"]
  input: ContactInput
}

export type MutationUpsertContactsArgs = {
  appId: Scalars["ID"]["input"]
  input: ContactsInput
}

export type MutationTagContactsArgs = {
  appId: Scalars["ID"]["input"]
  input: TagContactsInput
}

export type MutationUpdateContactArgs = {
  id: Scalars["ID"]["input"]
  input: ContactChanges
}

export type MutationDeleteContactArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationChangeContactTagsArgs = {
  id: Scalars["ID"]["input"]
  input: TagChanges
}

export type MutationUpdateContactPreferencesArgs = {
  id: Scalars["ID"]["input"]
  input: PreferenceChanges
}

export type MutationUpdateContactByExternalIdArgs = {
  appId: Scalars["ID"]["input"]
  externalId: Scalars["String"]["input"]
  input: ContactChanges
}

export type MutationDeleteContactByExternalIdArgs = {
  appId: Scalars["ID"]["input"]
  externalId: Scalars["String"]["input"]
}

export type MutationChangeContactTagsByExternalIdArgs = {
  appId: Scalars["ID"]["input"]
  externalId: Scalars["String"]["input"]
  input: TagChanges
}

export type MutationUpdateContactPreferencesByExternalIdArgs = {
  appId: Scalars["ID"]["input"]
  externalId: Scalars["String"]["input"]
  input: PreferenceChanges
}

export type MutationCreateChannelArgs = {
  appId: Scalars["ID"]["input"]
  input: ChannelInput
}

export type MutationUpdateChannelArgs = {
  id: Scalars["ID"]["input"]
  input: ChannelChanges
}

export type MutationDeleteChannelArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationCreateSegmentArgs = {
  appId: Scalars["ID"]["input"]
  input: SegmentInput
}

export type MutationUpdateSegmentArgs = {
  id: Scalars["ID"]["input"]
  input: SegmentChanges
}

export type MutationDeleteSegmentArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationPostInboxMessagesArgs = {
  appId: Scalars["ID"]["input"]
  input: InboxMessagesInput
}

export type MutationCreateTemplateArgs = {
  appId: Scalars["ID"]["input"]
  input: TemplateInput
}

export type MutationUpdateTemplateArgs = {
  id: Scalars["ID"]["input"]
  input: TemplateChanges
}

export type MutationDeleteTemplateArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationRequestLoginCodeArgs = {
  email: Scalars["String"]["input"]
}

export type MutationVerifyLoginCodeArgs = {
  email: Scalars["String"]["input"]
  code: Scalars["String"]["input"]
}

export type MutationConfirmExternalSignInArgs = {
  code: Scalars["String"]["input"]
}

export type MutationUnbindExternalSignInArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationEndSessionArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationRenameAccountArgs = {
  name: Scalars["String"]["input"]
}

export type MutationRequestEmailChangeArgs = {
  email: Scalars["String"]["input"]
}

export type MutationChangeEmailArgs = {
  code: Scalars["String"]["input"]
  newCode: Scalars["String"]["input"]
}

export type MutationDeleteAccountArgs = {
  code: Scalars["String"]["input"]
}

export type MutationCreateOrganizationArgs = {
  name: Scalars["String"]["input"]
}

export type MutationRenameOrganizationArgs = {
  id: Scalars["ID"]["input"]
  name: Scalars["String"]["input"]
}

export type MutationDeleteOrganizationArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationCreateApplicationArgs = {
  organizationId: Scalars["ID"]["input"]
  name: Scalars["String"]["input"]
}

export type MutationDeleteApplicationArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationInviteMemberArgs = {
  organizationId: Scalars["ID"]["input"]
  email: Scalars["String"]["input"]
  role: Role
}

export type MutationRevokeInvitationArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationAcceptInvitationArgs = {
  token: Scalars["String"]["input"]
}

export type MutationChangeRoleArgs = {
  organizationId: Scalars["ID"]["input"]
  accountId: Scalars["ID"]["input"]
  role: Role
}

export type MutationRemoveMemberArgs = {
  organizationId: Scalars["ID"]["input"]
  accountId: Scalars["ID"]["input"]
}

export type MutationLeaveOrganizationArgs = {
  organizationId: Scalars["ID"]["input"]
}

export type MutationTransferOwnershipArgs = {
  organizationId: Scalars["ID"]["input"]
  accountId: Scalars["ID"]["input"]
}

export type MutationSendNotificationArgs = {
  appId: Scalars["ID"]["input"]
  input: NotificationInput
}

export type MutationUpdateNotificationArgs = {
  id: Scalars["ID"]["input"]
  input: NotificationChanges
}

export type MutationCancelNotificationArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationPauseNotificationArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationResumeNotificationArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationSetApnsCredentialArgs = {
  appId: Scalars["ID"]["input"]
  input: ApnsCredentialInput
}

export type MutationSetFcmCredentialArgs = {
  appId: Scalars["ID"]["input"]
  input: FcmCredentialInput
}

export type MutationSetWebPushCredentialArgs = {
  appId: Scalars["ID"]["input"]
  input: WebPushCredentialInput
}

export type MutationSetSmtpCredentialArgs = {
  appId: Scalars["ID"]["input"]
  input: SmtpCredentialInput
}

export type MutationCheckCredentialArgs = {
  appId: Scalars["ID"]["input"]
  kind: CredentialKind
}

export type MutationDeleteCredentialArgs = {
  appId: Scalars["ID"]["input"]
  kind: CredentialKind
}

export type MutationReplayDeadLetterArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationReplayDeadLettersArgs = {
  appId: Scalars["ID"]["input"]
  input: DeadLetterFilterInput
}

export type MutationCreateHookArgs = {
  appId: Scalars["ID"]["input"]
  input: HookInput
}

export type MutationUpdateHookArgs = {
  id: Scalars["ID"]["input"]
  input: HookChanges
}

export type MutationDeleteHookArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationTestHookArgs = {
  id: Scalars["ID"]["input"]
  input?: InputMaybe<TestHookInput>
}

export type MutationRedeliverHookArgs = {
  id: Scalars["ID"]["input"]
  input: RedeliverHookInput
}

export type MutationCreateWorkflowArgs = {
  appId: Scalars["ID"]["input"]
  input: WorkflowInput
}

export type MutationUpdateWorkflowArgs = {
  id: Scalars["ID"]["input"]
  input: WorkflowChanges
}

export type MutationActivateWorkflowArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationArchiveWorkflowArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationDeleteWorkflowArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationTriggerWorkflowArgs = {
  id: Scalars["ID"]["input"]
  input: TriggerWorkflowInput
}

export type MutationCancelExecutionArgs = {
  id: Scalars["ID"]["input"]
}

export type MutationCancelExecutionsArgs = {
  appId: Scalars["ID"]["input"]
  input: CancelExecutionsInput
}

export type MutationRaiseEventArgs = {
  appId: Scalars["ID"]["input"]
  input: CustomEventInput
}

/** Where a page lies in its list, by the Relay cursor specification. Lists are read forwards. */
export type PageInfo = {
  readonly hasNextPage: Scalars["Boolean"]["output"]
  readonly hasPreviousPage: Scalars["Boolean"]["output"]
  readonly startCursor?: Maybe<Scalars["String"]["output"]>
  readonly endCursor?: Maybe<Scalars["String"]["output"]>
}

export type NotificationStatus = "scheduled" | "queued" | "sending" | "paused" | "completed" | "cancelled"

export type Priority = "high" | "bulk"

export type Way = "push" | "email" | "inbox"

export type Provider = "apns" | "fcm" | "webpush" | "smtp" | "inbox"

/** Recipients. `accepted` = `pending` + `sent` + `failed` + `skipped` + `cancelled`, at every moment. */
export type Counts = {
  readonly accepted: Scalars["Int"]["output"]
  readonly pending: Scalars["Int"]["output"]
  readonly sent: Scalars["Int"]["output"]
  readonly failed: Scalars["Int"]["output"]
  readonly skipped: Scalars["Int"]["output"]
  readonly cancelled: Scalars["Int"]["output"]
  readonly delivered: Scalars["Int"]["output"]
  readonly opened: Scalars["Int"]["output"]
  readonly clicked: Scalars["Int"]["output"]
  /** How many of `opened` only machines did so far. */
  readonly machineOpened: Scalars["Int"]["output"]
  /** How many of `clicked` only machines did so far. */
  readonly machineClicked: Scalars["Int"]["output"]
}

/** A notification as lists show it: nothing in it grows with the request. */
export type NotificationSummary = {
  readonly id: Scalars["ID"]["output"]
  readonly status: NotificationStatus
  readonly priority: Priority
  readonly title?: Maybe<Scalars["String"]["output"]>
  readonly templateId?: Maybe<Scalars["ID"]["output"]>
  /** The workflow that sent it; null: a request did. */
  readonly workflowId?: Maybe<Scalars["ID"]["output"]>
  /** The key of that workflow's step. */
  readonly workflowStep?: Maybe<Scalars["String"]["output"]>
  readonly counts: Counts
  /** A moment, or with `localTime` a day; null: at once. */
  readonly sendAt?: Maybe<Scalars["String"]["output"]>
  readonly localTime?: Maybe<Scalars["String"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly startedAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly completedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type NotificationSummaryConnection = {
  readonly edges: ReadonlyArray<NotificationSummaryEdge>
  readonly nodes: ReadonlyArray<NotificationSummary>
  readonly pageInfo: PageInfo
}

export type NotificationSummaryEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: NotificationSummary
}

/** Whom a notification is for. The selectors are exclusive. */
export type Audience = {
  readonly all?: Maybe<Scalars["Boolean"]["output"]>
  readonly deviceIds?: Maybe<ReadonlyArray<Scalars["ID"]["output"]>>
  readonly userIds?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly channelIds?: Maybe<ReadonlyArray<Scalars["ID"]["output"]>>
  readonly emails?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly tagsAny?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly tagsAll?: Maybe<ReadonlyArray<Scalars["String"]["output"]>>
  readonly platforms?: Maybe<ReadonlyArray<Platform>>
  readonly timezone?: Maybe<Scalars["String"]["output"]>
  readonly locale?: Maybe<Scalars["String"]["output"]>
  readonly attributes?: Maybe<ReadonlyArray<AttributeRule>>
  readonly segmentId?: Maybe<Scalars["ID"]["output"]>
}

/** One kind of selector: `all`, ids of one kind, a segment, or a description by any of the others. */
export type AudienceInput = {
  readonly all?: InputMaybe<Scalars["Boolean"]["input"]>
  readonly deviceIds?: InputMaybe<ReadonlyArray<Scalars["ID"]["input"]>>
  readonly userIds?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly channelIds?: InputMaybe<ReadonlyArray<Scalars["ID"]["input"]>>
  readonly emails?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly tagsAny?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly tagsAll?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly platforms?: InputMaybe<ReadonlyArray<Platform>>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
  readonly locale?: InputMaybe<Scalars["String"]["input"]>
  readonly attributes?: InputMaybe<ReadonlyArray<AttributeRuleInput>>
  readonly segmentId?: InputMaybe<Scalars["ID"]["input"]>
}

/** What providers are given beside the message, in their own words. */
export type Overrides = {
  readonly apns?: Maybe<Scalars["JSON"]["output"]>
  readonly fcm?: Maybe<Scalars["JSON"]["output"]>
  readonly web?: Maybe<Scalars["JSON"]["output"]>
}

export type OverridesInput = {
  readonly apns?: InputMaybe<Scalars["JSON"]["input"]>
  readonly fcm?: InputMaybe<Scalars["JSON"]["input"]>
  readonly web?: InputMaybe<Scalars["JSON"]["input"]>
}

export type Track = {
  readonly opens?: Maybe<Scalars["Boolean"]["output"]>
  readonly clicks?: Maybe<Scalars["Boolean"]["output"]>
}

export type TrackInput = {
  readonly opens?: InputMaybe<Scalars["Boolean"]["input"]>
  readonly clicks?: InputMaybe<Scalars["Boolean"]["input"]>
}

/** Ids in `deviceIds` or `channelIds` that are none of the application's. */
export type SkippedIds = {
  readonly count: Scalars["Int"]["output"]
  /** The first 100. */
  readonly ids: ReadonlyArray<Scalars["String"]["output"]>
}

/** A notification with the whole request as it was sent. */
export type Notification = {
  readonly id: Scalars["ID"]["output"]
  readonly status: NotificationStatus
  readonly priority: Priority
  readonly title?: Maybe<Scalars["String"]["output"]>
  readonly templateId?: Maybe<Scalars["ID"]["output"]>
  /** The workflow that sent it; null: a request did. */
  readonly workflowId?: Maybe<Scalars["ID"]["output"]>
  /** The key of that workflow's step. */
  readonly workflowStep?: Maybe<Scalars["String"]["output"]>
  readonly counts: Counts
  /** A moment, or with `localTime` a day; null: at once. */
  readonly sendAt?: Maybe<Scalars["String"]["output"]>
  readonly localTime?: Maybe<Scalars["String"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly startedAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly completedAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly to: Audience
  readonly channels?: Maybe<ReadonlyArray<Way>>
  readonly content?: Maybe<Content>
  readonly variables?: Maybe<Scalars["JSON"]["output"]>
  readonly ttl?: Maybe<Scalars["Int"]["output"]>
  readonly timezone?: Maybe<Scalars["String"]["output"]>
  readonly collapseKey?: Maybe<Scalars["String"]["output"]>
  readonly overrides?: Maybe<Overrides>
  readonly track?: Maybe<Track>
  readonly skipped?: Maybe<SkippedIds>
}

export type NotificationInput = {
  readonly to: AudienceInput
  readonly channels?: InputMaybe<ReadonlyArray<Way>>
  readonly content?: InputMaybe<ContentInput>
  /** Instead of `content`. */
  readonly templateId?: InputMaybe<Scalars["ID"]["input"]>
  readonly variables?: InputMaybe<Scalars["JSON"]["input"]>
  /** Seconds. */
  readonly ttl?: InputMaybe<Scalars["Int"]["input"]>
  readonly priority?: InputMaybe<Priority>
  /** A moment; with `localTime` a day, or a moment from which it counts. */
  readonly sendAt?: InputMaybe<Scalars["String"]["input"]>
  /** `HH:MM` on each recipient's clock. */
  readonly localTime?: InputMaybe<Scalars["String"]["input"]>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
  readonly collapseKey?: InputMaybe<Scalars["String"]["input"]>
  readonly overrides?: InputMaybe<OverridesInput>
  readonly track?: InputMaybe<TrackInput>
}

/** Fields that are left out keep their value; null removes it. */
export type NotificationChanges = {
  readonly to?: InputMaybe<AudienceInput>
  readonly channels?: InputMaybe<ReadonlyArray<Way>>
  readonly content?: InputMaybe<ContentInput>
  readonly templateId?: InputMaybe<Scalars["ID"]["input"]>
  readonly variables?: InputMaybe<Scalars["JSON"]["input"]>
  readonly ttl?: InputMaybe<Scalars["Int"]["input"]>
  readonly priority?: InputMaybe<Priority>
  readonly sendAt?: InputMaybe<Scalars["String"]["input"]>
  readonly localTime?: InputMaybe<Scalars["String"]["input"]>
  readonly timezone?: InputMaybe<Scalars["String"]["input"]>
  readonly collapseKey?: InputMaybe<Scalars["String"]["input"]>
  readonly overrides?: InputMaybe<OverridesInput>
  readonly track?: InputMaybe<TrackInput>
}

export type AcceptedNotification = {
  readonly id: Scalars["ID"]["output"]
  readonly status: NotificationStatus
  /** Null when the application has all ids of `to`. */
  readonly skipped?: Maybe<SkippedIds>
}

export type CredentialState = "ready" | "refused" | "missing"

export type PayloadFit = {
  readonly bytes: Scalars["Int"]["output"]
  readonly limit: Scalars["Int"]["output"]
  readonly fits: Scalars["Boolean"]["output"]
}

export type TemplateProblemCode = "missing_variable" | "template_failed"

export type TemplateProblem = {
  readonly field: Scalars["String"]["output"]
  readonly code: TemplateProblemCode
  readonly message: Scalars["String"]["output"]
}

export type ProviderPreview = {
  readonly provider: Provider
  readonly recipients: Scalars["Int"]["output"]
  /** Without a credential that is ready, these recipients get nothing. */
  readonly credential: CredentialState
  readonly payload?: Maybe<PayloadFit>
  readonly sample?: Maybe<Content>
  readonly problem?: Maybe<TemplateProblem>
}

export type NotificationPreview = {
  readonly recipients: Scalars["Int"]["output"]
  readonly isExact: Scalars["Boolean"]["output"]
  readonly providers: ReadonlyArray<ProviderPreview>
  readonly skipped?: Maybe<SkippedIds>
}

export type DeliveryStatus = "sent" | "failed" | "skipped" | "cancelled"

/** What became of one recipient, once that is final. */
export type Delivery = {
  readonly id: Scalars["ID"]["output"]
  readonly deviceId?: Maybe<Scalars["ID"]["output"]>
  readonly channelId?: Maybe<Scalars["ID"]["output"]>
  readonly provider: Provider
  readonly status: DeliveryStatus
  /** The provider's own id of the message. */
  readonly messageId?: Maybe<Scalars["String"]["output"]>
  readonly error?: Maybe<Scalars["String"]["output"]>
  /** How often it was tried, the last time included. Not counted is a try that says nothing about the message: where the provider refuses the credential, or asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail). */
  readonly attempts: Scalars["Int"]["output"]
  readonly completedAt: Scalars["DateTime"]["output"]
  /** When the client reported it, of push alone; as the next two, as long as reports are kept. */
  readonly deliveredAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly openedAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly clickedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type Outcome = {
  readonly provider: Provider
  readonly status: DeliveryStatus
  readonly error?: Maybe<Scalars["String"]["output"]>
  readonly count: Scalars["Int"]["output"]
}

export type Retry = {
  readonly provider: Provider
  /** What the provider said of the first of them; of a suspended credential, why it is. */
  readonly error?: Maybe<Scalars["String"]["output"]>
  /** How often they were tried, the most of any of them; 0 also after a try that is not counted. Not counted is a try that says nothing about the message: where the provider refuses the credential, or asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail). */
  readonly attempts: Scalars["Int"]["output"]
  readonly recipients: Scalars["Int"]["output"]
  /** When the next of them is tried. Null: once the credential is accepted again, or another one is set. */
  readonly nextAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type DeliveryConnection = {
  readonly edges: ReadonlyArray<DeliveryEdge>
  readonly nodes: ReadonlyArray<Delivery>
  readonly pageInfo: PageInfo
}

export type DeliveryEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Delivery
}

export type CredentialKind = "apns" | "fcm" | "webpush" | "smtp"

export type Credential = {
  readonly kind: CredentialKind
  /** What was set, without its secrets. */
  readonly settings: Scalars["JSON"]["output"]
  /** Why the provider refuses this credential; null while it is good. */
  readonly suspendedReason?: Maybe<Scalars["String"]["output"]>
  readonly updatedAt: Scalars["DateTime"]["output"]
}

export type CredentialCheckStatus =
  /** The provider knows the sender. */
  | "accepted"
  /** It takes no messages with this credential. */
  | "refused"
  /** It gave no answer that says either. */
  | "unreachable"
  /** There is nobody to ask: Web Push services are asked with a browser's subscription. What can be judged without them is right. */
  | "unasked"

export type CredentialCheck = {
  readonly kind: CredentialKind
  readonly status: CredentialCheckStatus
  /** Why, in words; null when it was accepted. */
  readonly reason?: Maybe<Scalars["String"]["output"]>
  readonly checkedAt: Scalars["DateTime"]["output"]
}

export type ApnsCredentialInput = {
  readonly teamId: Scalars["String"]["input"]
  readonly keyId: Scalars["String"]["input"]
  readonly privateKey: Scalars["String"]["input"]
  readonly bundleId: Scalars["String"]["input"]
  readonly endpoint?: InputMaybe<Scalars["String"]["input"]>
  readonly sandboxEndpoint?: InputMaybe<Scalars["String"]["input"]>
}

export type FcmCredentialInput = {
  /** Google's JSON file, as it was handed out. */
  readonly serviceAccount: Scalars["JSON"]["input"]
  readonly endpoint?: InputMaybe<Scalars["String"]["input"]>
}

export type WebPushCredentialInput = {
  readonly subject: Scalars["String"]["input"]
  readonly publicKey?: InputMaybe<Scalars["String"]["input"]>
  readonly privateKey?: InputMaybe<Scalars["String"]["input"]>
}

export type SmtpCredentialInput = {
  readonly url: Scalars["String"]["input"]
  readonly from: Scalars["String"]["input"]
}

export type DeadLetterKind = "notification" | "webhook"

export type ReplayObstacle = "webhook" | "replayed" | "recipient_gone" | "content_refused"

/** What finally failed: a recipient of a notification, or an event that a webhook did not take. */
export type DeadLetter = {
  readonly id: Scalars["ID"]["output"]
  readonly kind: DeadLetterKind
  readonly error: Scalars["String"]["output"]
  readonly attempts: Scalars["Int"]["output"]
  readonly canReplay: Scalars["Boolean"]["output"]
  readonly cannotReplayBecause?: Maybe<ReplayObstacle>
  readonly notificationId?: Maybe<Scalars["ID"]["output"]>
  readonly notification?: Maybe<NotificationSummary>
  /** The device, or the channel. */
  readonly recipientId?: Maybe<Scalars["ID"]["output"]>
  readonly provider?: Maybe<Provider>
  readonly webhookId?: Maybe<Scalars["ID"]["output"]>
  readonly eventId?: Maybe<Scalars["ID"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly replayedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type DeadLetterConnection = {
  readonly edges: ReadonlyArray<DeadLetterEdge>
  readonly nodes: ReadonlyArray<DeadLetter>
  readonly pageInfo: PageInfo
}

export type DeadLetterEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: DeadLetter
}

export type DeadLetterWithContent = {
  readonly id: Scalars["ID"]["output"]
  readonly kind: DeadLetterKind
  readonly error: Scalars["String"]["output"]
  readonly attempts: Scalars["Int"]["output"]
  readonly canReplay: Scalars["Boolean"]["output"]
  readonly cannotReplayBecause?: Maybe<ReplayObstacle>
  readonly notificationId?: Maybe<Scalars["ID"]["output"]>
  readonly recipientId?: Maybe<Scalars["ID"]["output"]>
  readonly provider?: Maybe<Provider>
  readonly webhookId?: Maybe<Scalars["ID"]["output"]>
  readonly eventId?: Maybe<Scalars["ID"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly replayedAt?: Maybe<Scalars["DateTime"]["output"]>
  /** Of a webhook: the body that was to be delivered. */
  readonly event?: Maybe<Scalars["JSON"]["output"]>
  readonly content?: Maybe<Content>
  readonly templateId?: Maybe<Scalars["ID"]["output"]>
  readonly variables?: Maybe<Scalars["JSON"]["output"]>
}

export type DeadLetterFilterInput = {
  readonly kind?: InputMaybe<DeadLetterKind>
  readonly webhookId?: InputMaybe<Scalars["ID"]["input"]>
  readonly notificationId?: InputMaybe<Scalars["ID"]["input"]>
  readonly provider?: InputMaybe<Provider>
  readonly error?: InputMaybe<Scalars["String"]["input"]>
  readonly from?: InputMaybe<Scalars["DateTime"]["input"]>
  readonly to?: InputMaybe<Scalars["DateTime"]["input"]>
}

export type DeadLetterFilter = {
  readonly kind?: Maybe<DeadLetterKind>
  readonly webhookId?: Maybe<Scalars["ID"]["output"]>
  readonly notificationId?: Maybe<Scalars["ID"]["output"]>
  readonly provider?: Maybe<Provider>
  readonly error?: Maybe<Scalars["String"]["output"]>
  readonly from?: Maybe<Scalars["DateTime"]["output"]>
  readonly to?: Maybe<Scalars["DateTime"]["output"]>
}

export type ReplayedDeadLetter = {
  readonly id: Scalars["ID"]["output"]
  readonly notificationId: Scalars["ID"]["output"]
}

/** A replay of many dead letters, in the background. */
export type Replay = {
  readonly id: Scalars["ID"]["output"]
  readonly status: BackgroundStatus
  readonly filter: DeadLetterFilter
  readonly replayed: Scalars["Int"]["output"]
  readonly skipped: Scalars["Int"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly completedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type ReplayConnection = {
  readonly edges: ReadonlyArray<ReplayEdge>
  readonly nodes: ReadonlyArray<Replay>
  readonly pageInfo: PageInfo
}

export type ReplayEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Replay
}

/** A webhook: an address to which the events of an application are posted. */
export type Hook = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  readonly url: Scalars["String"]["output"]
  /** No events means all events. */
  readonly events: ReadonlyArray<Scalars["String"]["output"]>
  readonly isActive: Scalars["Boolean"]["output"]
  /** Set when the service disabled the webhook after repeated failures. */
  readonly disabledReason?: Maybe<Scalars["String"]["output"]>
  /** Whether deliveries carry `X-Service-Signature`. */
  readonly isSigned: Scalars["Boolean"]["output"]
  /** Until when the signature has a further `v1` for what was replaced. */
  readonly signatureOverlapUntil?: Maybe<Scalars["DateTime"]["output"]>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt: Scalars["DateTime"]["output"]
}

export type HookConnection = {
  readonly edges: ReadonlyArray<HookEdge>
  readonly nodes: ReadonlyArray<Hook>
  readonly pageInfo: PageInfo
}

export type HookEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Hook
}

export type HookInput = {
  /** 120 characters at most. */
  readonly name: Scalars["String"]["input"]
  /** A public http or https address. */
  readonly url: Scalars["String"]["input"]
  /** 256 characters at most. Never shown again. */
  readonly secret?: InputMaybe<Scalars["String"]["input"]>
  readonly events?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  readonly isActive?: InputMaybe<Scalars["Boolean"]["input"]>
}

/** Only the fields that are given change. */
export type HookChanges = {
  readonly name?: InputMaybe<Scalars["String"]["input"]>
  readonly url?: InputMaybe<Scalars["String"]["input"]>
  /** A new one signs from the next attempt on; null removes every secret at once. */
  readonly secret?: InputMaybe<Scalars["String"]["input"]>
  /** For how long the secret before signs beside a new one. */
  readonly secretOverlapSeconds?: InputMaybe<Scalars["Int"]["input"]>
  readonly events?: InputMaybe<ReadonlyArray<Scalars["String"]["input"]>>
  /** True enables a webhook that the service disabled. */
  readonly isActive?: InputMaybe<Scalars["Boolean"]["input"]>
}

export type HookDeliveryStatus = "delivered" | "pending" | "retrying" | "exhausted"

/** What came of one attempt. */
export type HookAnswer = {
  /** Null when there was no answer. */
  readonly responseStatus?: Maybe<Scalars["Int"]["output"]>
  readonly reason?: Maybe<Scalars["String"]["output"]>
  readonly latencyMs: Scalars["Int"]["output"]
}

export type HookDelivery = {
  /** The `id` of the delivered body, the same on every attempt. */
  readonly eventId: Scalars["ID"]["output"]
  readonly event: Scalars["String"]["output"]
  readonly status: HookDeliveryStatus
  /** The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled. */
  readonly isPaused: Scalars["Boolean"]["output"]
  readonly attempts: Scalars["Int"]["output"]
  readonly attemptedAt: ReadonlyArray<Scalars["DateTime"]["output"]>
  /** Of each attempt, as attemptedAt has them. */
  readonly answers: ReadonlyArray<HookAnswer>
  /** Of the last attempt; null when there was no answer. */
  readonly responseStatus?: Maybe<Scalars["Int"]["output"]>
  readonly reason?: Maybe<Scalars["String"]["output"]>
  readonly latencyMs?: Maybe<Scalars["Int"]["output"]>
  readonly nextAttemptAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly eventAt: Scalars["DateTime"]["output"]
}

export type HookDeliveryWithBody = {
  readonly eventId: Scalars["ID"]["output"]
  readonly event: Scalars["String"]["output"]
  readonly status: HookDeliveryStatus
  readonly isPaused: Scalars["Boolean"]["output"]
  readonly attempts: Scalars["Int"]["output"]
  readonly attemptedAt: ReadonlyArray<Scalars["DateTime"]["output"]>
  readonly answers: ReadonlyArray<HookAnswer>
  readonly responseStatus?: Maybe<Scalars["Int"]["output"]>
  readonly reason?: Maybe<Scalars["String"]["output"]>
  readonly latencyMs?: Maybe<Scalars["Int"]["output"]>
  readonly nextAttemptAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly eventAt: Scalars["DateTime"]["output"]
  /** What is posted. */
  readonly body: Scalars["JSON"]["output"]
}

/** What a webhook was told of one recipient. */
export type RecipientHookDelivery = {
  readonly webhookId: Scalars["ID"]["output"]
  readonly eventId: Scalars["ID"]["output"]
  readonly event: Scalars["String"]["output"]
  readonly status: HookDeliveryStatus
  readonly isPaused: Scalars["Boolean"]["output"]
  readonly attempts: Scalars["Int"]["output"]
  readonly attemptedAt: ReadonlyArray<Scalars["DateTime"]["output"]>
  readonly answers: ReadonlyArray<HookAnswer>
  readonly responseStatus?: Maybe<Scalars["Int"]["output"]>
  readonly reason?: Maybe<Scalars["String"]["output"]>
  readonly latencyMs?: Maybe<Scalars["Int"]["output"]>
  readonly nextAttemptAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly eventAt: Scalars["DateTime"]["output"]
}

export type HookDeliveryConnection = {
  readonly edges: ReadonlyArray<HookDeliveryEdge>
  readonly nodes: ReadonlyArray<HookDelivery>
  readonly pageInfo: PageInfo
}

export type HookDeliveryEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: HookDelivery
}

export type HookTest = {
  /** Whether the answer was 2xx. */
  readonly delivered: Scalars["Boolean"]["output"]
  readonly responseStatus?: Maybe<Scalars["Int"]["output"]>
  readonly reason?: Maybe<Scalars["String"]["output"]>
  readonly latencyMs: Scalars["Int"]["output"]
  readonly eventId: Scalars["ID"]["output"]
  readonly event: Scalars["String"]["output"]
}

export type RedeliveredStatus = "exhausted" | "delivered"

/** What is to be delivered once more: deliveries that have ended in a span of time, or one by its id. */
export type RedeliverHookInput = {
  readonly from?: InputMaybe<Scalars["DateTime"]["input"]>
  readonly to?: InputMaybe<Scalars["DateTime"]["input"]>
  readonly status?: InputMaybe<RedeliveredStatus>
  readonly deliveryId?: InputMaybe<Scalars["ID"]["input"]>
}

export type RedeliveryWanted = {
  readonly from?: Maybe<Scalars["DateTime"]["output"]>
  readonly to?: Maybe<Scalars["DateTime"]["output"]>
  readonly status?: Maybe<RedeliveredStatus>
  readonly deliveryId?: Maybe<Scalars["ID"]["output"]>
}

export type BackgroundStatus = "running" | "completed"

export type Redelivery = {
  readonly id: Scalars["ID"]["output"]
  readonly webhookId: Scalars["ID"]["output"]
  readonly status: BackgroundStatus
  /** Deliveries that are pending again, so far. */
  readonly redelivered: Scalars["Int"]["output"]
  readonly wanted: RedeliveryWanted
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly completedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type TestHookInput = {
  /** Unless given, the first that the webhook subscribes to. */
  readonly event?: InputMaybe<Scalars["String"]["input"]>
}

export type WorkflowStatus = "draft" | "active" | "archived"

/** How often a person may enter. */
export type Reentry =
  | "always"
  /** Not while a run of the person is under way. */
  | "when_ended"
  | "once"

/** What happens to people, step by step. */
export type Workflow = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  readonly status: WorkflowStatus
  /** Counts the changes, from 1. Runs stay on the version that they entered. */
  readonly version: Scalars["Int"]["output"]
  /** As `POST /api/v1/workflows` takes it. */
  readonly trigger: Scalars["JSON"]["output"]
  /** As `POST /api/v1/workflows` takes them. */
  readonly steps: Scalars["JSON"]["output"]
  readonly reentry: Reentry
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt: Scalars["DateTime"]["output"]
}

export type WorkflowConnection = {
  readonly edges: ReadonlyArray<WorkflowEdge>
  readonly nodes: ReadonlyArray<Workflow>
  readonly pageInfo: PageInfo
}

export type WorkflowEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: Workflow
}

export type WorkflowWarning = {
  readonly field: Scalars["String"]["output"]
  readonly message: Scalars["String"]["output"]
}

export type SavedWorkflow = {
  readonly id: Scalars["ID"]["output"]
  readonly name: Scalars["String"]["output"]
  readonly status: WorkflowStatus
  readonly version: Scalars["Int"]["output"]
  readonly trigger: Scalars["JSON"]["output"]
  readonly steps: Scalars["JSON"]["output"]
  readonly reentry: Reentry
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly updatedAt: Scalars["DateTime"]["output"]
  /** What its author may have overlooked, such as credentials that its messages need. */
  readonly warnings: ReadonlyArray<WorkflowWarning>
}

export type WorkflowInput = {
  readonly name: Scalars["String"]["input"]
  readonly trigger: Scalars["JSON"]["input"]
  readonly steps: Scalars["JSON"]["input"]
  readonly reentry?: InputMaybe<Reentry>
}

export type WorkflowChanges = {
  readonly name?: InputMaybe<Scalars["String"]["input"]>
  readonly trigger?: InputMaybe<Scalars["JSON"]["input"]>
  readonly steps?: InputMaybe<Scalars["JSON"]["input"]>
  readonly reentry?: InputMaybe<Reentry>
  /** Which version was changed: where others have made a later one by now, the answer is `conflict`. */
  readonly version?: InputMaybe<Scalars["Int"]["input"]>
}

/** One of a workflow's versions, none of which is ever changed. */
export type WorkflowVersionSummary = {
  /** Of the version. */
  readonly id: Scalars["ID"]["output"]
  readonly version: Scalars["Int"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  /** Who made it. */
  readonly actor: AuditActor
  /** Of it, those under way. */
  readonly runs: Scalars["Int"]["output"]
}

export type WorkflowVersionSummaryConnection = {
  readonly edges: ReadonlyArray<WorkflowVersionSummaryEdge>
  readonly nodes: ReadonlyArray<WorkflowVersionSummary>
  readonly pageInfo: PageInfo
}

export type WorkflowVersionSummaryEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: WorkflowVersionSummary
}

export type WorkflowVersion = {
  readonly id: Scalars["ID"]["output"]
  readonly version: Scalars["Int"]["output"]
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly actor: AuditActor
  readonly runs: Scalars["Int"]["output"]
  /** As `POST /api/v1/workflows` takes it. */
  readonly trigger: Scalars["JSON"]["output"]
  /** As `POST /api/v1/workflows` takes them. */
  readonly steps: Scalars["JSON"]["output"]
  readonly reentry: Reentry
}

/** Of the latest version. */
export type WorkflowStatistics = {
  readonly version: Scalars["Int"]["output"]
  readonly steps: ReadonlyArray<WorkflowStepStatistics>
}

export type WorkflowStepStatistics = {
  readonly stepOrder: Scalars["Int"]["output"]
  readonly key: Scalars["String"]["output"]
  readonly type: Scalars["String"]["output"]
  readonly entered: Scalars["Int"]["output"]
  readonly passed: Scalars["Int"]["output"]
  /** Stopped by a FILTER or THROTTLE, or cancelled there. */
  readonly stopped: Scalars["Int"]["output"]
  readonly failed: Scalars["Int"]["output"]
  readonly waiting: Scalars["Int"]["output"]
}

export type TriggerWorkflowInput = {
  /** `user_ids`, `all`, `segment_id`, or `tags_any` and `tags_all`. */
  readonly to: Scalars["JSON"]["input"]
  readonly data?: InputMaybe<Scalars["JSON"]["input"]>
}

export type TriggeredWorkflow = {
  /** Runs that began; of a described audience, contacts that are looked through now. */
  readonly executions: Scalars["Int"]["output"]
  /** The run's, when there is one. */
  readonly executionId?: Maybe<Scalars["ID"]["output"]>
}

export type RehearseWorkflowInput = {
  /** A contact, whose way is tried. */
  readonly userId?: InputMaybe<Scalars["String"]["input"]>
  /** Somebody made up, in the place of `userId`. */
  readonly contact?: InputMaybe<Scalars["JSON"]["input"]>
  readonly data?: InputMaybe<Scalars["JSON"]["input"]>
  /** What becomes of the messages of SEND steps, by key. */
  readonly outcomes?: InputMaybe<Scalars["JSON"]["input"]>
  /** The data of the events that WAIT_FOR steps hear, by key. */
  readonly events?: InputMaybe<Scalars["JSON"]["input"]>
  /** What FETCH steps are answered, by key. */
  readonly answers?: InputMaybe<Scalars["JSON"]["input"]>
}

export type WorkflowDryRun = {
  readonly status: ExecutionStatus
  readonly error?: Maybe<Scalars["String"]["output"]>
  readonly history: ReadonlyArray<ExecutionStep>
  readonly messages: ReadonlyArray<TriedMessage>
}

export type TriedMessage = {
  readonly key: Scalars["String"]["output"]
  readonly content?: Maybe<Content>
  /** Why it cannot be filled. */
  readonly problem?: Maybe<Scalars["String"]["output"]>
}

export type ExecutionStatus = "running" | "waiting" | "completed" | "filtered" | "failed" | "cancelled"

export type CancelReason = "operator" | "archived" | "deleted"

/** One person's way through a workflow. */
export type ExecutionSummary = {
  readonly id: Scalars["ID"]["output"]
  readonly workflowId: Scalars["ID"]["output"]
  /** Of the workflow; 0 where that is gone. */
  readonly version: Scalars["Int"]["output"]
  readonly userId: Scalars["String"]["output"]
  readonly status: ExecutionStatus
  /** The step that it is at, or at which it ended. */
  readonly stepOrder?: Maybe<Scalars["Int"]["output"]>
  /** When a waiting one goes on by itself. */
  readonly dueAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly error?: Maybe<Scalars["String"]["output"]>
  readonly reason?: Maybe<CancelReason>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly endedAt?: Maybe<Scalars["DateTime"]["output"]>
}

export type ExecutionSummaryConnection = {
  readonly edges: ReadonlyArray<ExecutionSummaryEdge>
  readonly nodes: ReadonlyArray<ExecutionSummary>
  readonly pageInfo: PageInfo
}

export type ExecutionSummaryEdge = {
  readonly cursor: Scalars["String"]["output"]
  readonly node: ExecutionSummary
}

export type Execution = {
  readonly id: Scalars["ID"]["output"]
  readonly workflowId: Scalars["ID"]["output"]
  readonly version: Scalars["Int"]["output"]
  readonly userId: Scalars["String"]["output"]
  readonly status: ExecutionStatus
  readonly stepOrder?: Maybe<Scalars["Int"]["output"]>
  readonly dueAt?: Maybe<Scalars["DateTime"]["output"]>
  readonly error?: Maybe<Scalars["String"]["output"]>
  readonly reason?: Maybe<CancelReason>
  readonly createdAt: Scalars["DateTime"]["output"]
  readonly endedAt?: Maybe<Scalars["DateTime"]["output"]>
  /** What the trigger brought. */
  readonly data: Scalars["JSON"]["output"]
  /** What steps brought, by their keys. */
  readonly steps: Scalars["JSON"]["output"]
  readonly history: ReadonlyArray<ExecutionStep>
}

/** Which executions end: one condition at least. */
export type CancelExecutionsInput = {
  readonly workflowId?: InputMaybe<Scalars["ID"]["input"]>
  readonly userId?: InputMaybe<Scalars["String"]["input"]>
  /** WAITING or RUNNING. */
  readonly status?: InputMaybe<OpenExecutionStatus>
  /** Why: it stands in the history of each. */
  readonly note?: InputMaybe<Scalars["String"]["input"]>
}

export type OpenExecutionStatus = "waiting" | "running"

export type CancelledExecutions = {
  /** Those that were cancelled at once. */
  readonly cancelled: Scalars["Int"]["output"]
  /** False: others are cancelled in the background. */
  readonly isDone: Scalars["Boolean"]["output"]
}

export type StepOutcome = "passed" | "stopped" | "waiting" | "skipped" | "merged" | "timed_out" | "failed" | "cancelled"

/** What a step came to, or waits for. */
export type ExecutionStep = {
  readonly at: Scalars["DateTime"]["output"]
  readonly stepOrder: Scalars["Int"]["output"]
  readonly outcome: StepOutcome
  /** The values that decided. */
  readonly findings?: Maybe<ReadonlyArray<Finding>>
  /** Of a BRANCH, from 1; 0 for `else`. */
  readonly branch?: Maybe<Scalars["Int"]["output"]>
  /** Until when it waits. */
  readonly until?: Maybe<Scalars["DateTime"]["output"]>
  readonly notificationId?: Maybe<Scalars["ID"]["output"]>
  /** The run whose digest has what this one brought. */
  readonly mergedInto?: Maybe<Scalars["ID"]["output"]>
  readonly count?: Maybe<Scalars["Int"]["output"]>
  readonly detail?: Maybe<Scalars["String"]["output"]>
}

export type Finding = {
  readonly about: Scalars["String"]["output"]
  readonly fits: Scalars["Boolean"]["output"]
  /** Absent where nothing was. */
  readonly actual?: Maybe<Scalars["JSON"]["output"]>
}

export type CustomEventInput = {
  readonly event: Scalars["String"]["input"]
  readonly userId: Scalars["String"]["input"]
  readonly data?: InputMaybe<Scalars["JSON"]["input"]>
}

export type RaisedEvent = {
  readonly id: Scalars["ID"]["output"]
}

export type ResolverTypeWrapper<T> = Promise<T> | T

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>
}
export type Resolver<
  TResult,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
  TArgs = Record<PropertyKey, never>
> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>

export type SubscriptionResolver<
  TResult,
  TKey extends string,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
  TArgs = Record<PropertyKey, never>
> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  obj: T,
  context: TContext,
  info: GraphQLResolveInfo
) => boolean | Promise<boolean>

export type NextResolverFn<T> = () => Promise<T>

export type DirectiveResolverFn<
  TResult = Record<PropertyKey, never>,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
  TArgs = Record<PropertyKey, never>
> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Application: ResolverTypeWrapper<ApplicationParent>
  ID: ResolverTypeWrapper<Scalars["ID"]["output"]>
  String: ResolverTypeWrapper<Scalars["String"]["output"]>
  Boolean: ResolverTypeWrapper<Scalars["Boolean"]["output"]>
  ApplicationChanges: ApplicationChanges
  IdentitySecretInput: IdentitySecretInput
  Int: ResolverTypeWrapper<Scalars["Int"]["output"]>
  IssuedIdentitySecret: ResolverTypeWrapper<IssuedIdentitySecret>
  ApiKeyKind: null
  ApiKey: ResolverTypeWrapper<ApiKey>
  ApiKeyConnection: ResolverTypeWrapper<ApiKeyConnection>
  ApiKeyEdge: ResolverTypeWrapper<ApiKeyEdge>
  CreatedApiKey: ResolverTypeWrapper<CreatedApiKey>
  ApiKeyInput: ApiKeyInput
  ActorKind: null
  AuditActor: ResolverTypeWrapper<AuditActor>
  AuditEntry: ResolverTypeWrapper<AuditEntry>
  AuditEntryConnection: ResolverTypeWrapper<AuditEntryConnection>
  AuditEntryEdge: ResolverTypeWrapper<AuditEntryEdge>
  Platform: null
  Environment: null
  DeviceStatus: null
  Device: ResolverTypeWrapper<DeviceParent>
  DeviceConnection: ResolverTypeWrapper<
    Omit<DeviceConnection, "edges" | "nodes"> & {
      edges: ReadonlyArray<ResolversTypes["DeviceEdge"]>
      nodes: ReadonlyArray<ResolversTypes["Device"]>
    }
  >
  DeviceEdge: ResolverTypeWrapper<Omit<DeviceEdge, "node"> & { node: ResolversTypes["Device"] }>
  RegisterDeviceInput: RegisterDeviceInput
  DeviceChanges: DeviceChanges
  WriteResult: ResolverTypeWrapper<WriteResultParent>
  WriteError: ResolverTypeWrapper<WriteErrorParent>
  WriteErrorDetail: ResolverTypeWrapper<WriteErrorDetail>
  Created: ResolverTypeWrapper<Created>
  Preferences: ResolverTypeWrapper<Preferences>
  Contact: ResolverTypeWrapper<ContactParent>
  ContactConnection: ResolverTypeWrapper<
    Omit<ContactConnection, "edges" | "nodes"> & {
      edges: ReadonlyArray<ResolversTypes["ContactEdge"]>
      nodes: ReadonlyArray<ResolversTypes["Contact"]>
    }
  >
  ContactEdge: ResolverTypeWrapper<Omit<ContactEdge, "node"> & { node: ResolversTypes["Contact"] }>
  ContactInput: ContactInput
  ContactChanges: ContactChanges
  ContactsInput: ContactsInput
  TagChanges: TagChanges
  TagContactsInput: TagContactsInput
  TaggedContacts: ResolverTypeWrapper<TaggedContacts>
  PreferenceChanges: PreferenceChanges
  ChannelKind: null
  ChannelStatus: null
  Channel: ResolverTypeWrapper<ChannelParent>
  ChannelConnection: ResolverTypeWrapper<
    Omit<ChannelConnection, "edges" | "nodes"> & {
      edges: ReadonlyArray<ResolversTypes["ChannelEdge"]>
      nodes: ReadonlyArray<ResolversTypes["Channel"]>
    }
  >
  ChannelEdge: ResolverTypeWrapper<Omit<ChannelEdge, "node"> & { node: ResolversTypes["Channel"] }>
  ChannelInput: ChannelInput
  ChannelChanges: ChannelChanges
  AttributeOperator: null
  EngagementType: null
  AttributeRule: ResolverTypeWrapper<AttributeRule>
  AttributeRuleInput: AttributeRuleInput
  LastSeen: ResolverTypeWrapper<LastSeen>
  LastSeenInput: LastSeenInput
  EngagementRule: ResolverTypeWrapper<EngagementRule>
  EngagementRuleInput: EngagementRuleInput
  SegmentFilter: ResolverTypeWrapper<SegmentFilter>
  SegmentFilterInput: SegmentFilterInput
  Segment: ResolverTypeWrapper<Segment>
  SegmentConnection: ResolverTypeWrapper<SegmentConnection>
  SegmentEdge: ResolverTypeWrapper<SegmentEdge>
  CountSegmentInput: CountSegmentInput
  SegmentInput: SegmentInput
  SegmentChanges: SegmentChanges
  SegmentCount: ResolverTypeWrapper<SegmentCount>
  ImportKind: null
  Happenings: ResolverTypeWrapper<Happenings>
  StatsGroup: ResolverTypeWrapper<StatsGroup>
  StatsGrouping: null
  Stats: ResolverTypeWrapper<Stats>
  ProviderCounts: ResolverTypeWrapper<ProviderCounts>
  InboxMessagesInput: InboxMessagesInput
  PostedMessages: ResolverTypeWrapper<PostedMessages>
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>
  Content: ResolverTypeWrapper<Content>
  ContentInput: ContentInput
  MissingVariables: null
  Template: ResolverTypeWrapper<Template>
  TemplateConnection: ResolverTypeWrapper<TemplateConnection>
  TemplateEdge: ResolverTypeWrapper<TemplateEdge>
  TemplateInput: TemplateInput
  TemplateVersionSummary: ResolverTypeWrapper<TemplateVersionSummary>
  TemplateVersion: ResolverTypeWrapper<TemplateVersion>
  TemplateChanges: TemplateChanges
  TemplateExampleInput: TemplateExampleInput
  TemplateSourcesInput: TemplateSourcesInput
  TemplatePreview: ResolverTypeWrapper<TemplatePreview>
  Role: null
  Account: ResolverTypeWrapper<AccountParent>
  ExternalProvider: null
  ExternalSignIn: ResolverTypeWrapper<ExternalSignIn>
  PendingExternalSignIn: ResolverTypeWrapper<PendingExternalSignIn>
  Registration: null
  SignInOptions: ResolverTypeWrapper<SignInOptions>
  Session: ResolverTypeWrapper<Omit<Session, "account"> & { account: ResolversTypes["Account"] }>
  FirstApplication: ResolverTypeWrapper<FirstApplication>
  ActiveSession: ResolverTypeWrapper<ActiveSession>
  Operation: null
  Organization: ResolverTypeWrapper<Organization>
  Member: ResolverTypeWrapper<Member>
  MemberConnection: ResolverTypeWrapper<MemberConnection>
  MemberEdge: ResolverTypeWrapper<MemberEdge>
  Invitation: ResolverTypeWrapper<Invitation>
  InvitationPreview: ResolverTypeWrapper<InvitationPreview>
  CreatedApplication: ResolverTypeWrapper<
    Omit<CreatedApplication, "application"> & { application: ResolversTypes["Application"] }
  >
  ApplicationConnection: ResolverTypeWrapper<
    Omit<ApplicationConnection, "edges" | "nodes"> & {
      edges: ReadonlyArray<ResolversTypes["ApplicationEdge"]>
      nodes: ReadonlyArray<ResolversTypes["Application"]>
    }
  >
  ApplicationEdge: ResolverTypeWrapper<Omit<ApplicationEdge, "node"> & { node: ResolversTypes["Application"] }>
  OrganizationLogEntry: ResolverTypeWrapper<OrganizationLogEntry>
  OrganizationLogActor: ResolverTypeWrapper<OrganizationLogActor>
  OrganizationLogConnection: ResolverTypeWrapper<OrganizationLogConnection>
  OrganizationLogEdge: ResolverTypeWrapper<OrganizationLogEdge>
  JSON: ResolverTypeWrapper<Scalars["JSON"]["output"]>
  DateTime: ResolverTypeWrapper<Scalars["DateTime"]["output"]>
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>
  PageInfo: ResolverTypeWrapper<PageInfo>
  NotificationStatus: null
  Priority: null
  Way: null
  Provider: null
  Counts: ResolverTypeWrapper<Counts>
  NotificationSummary: ResolverTypeWrapper<NotificationSummaryParent>
  NotificationSummaryConnection: ResolverTypeWrapper<
    Omit<NotificationSummaryConnection, "edges" | "nodes"> & {
      edges: ReadonlyArray<ResolversTypes["NotificationSummaryEdge"]>
      nodes: ReadonlyArray<ResolversTypes["NotificationSummary"]>
    }
  >
  NotificationSummaryEdge: ResolverTypeWrapper<
    Omit<NotificationSummaryEdge, "node"> & { node: ResolversTypes["NotificationSummary"] }
  >
  Audience: ResolverTypeWrapper<Audience>
  AudienceInput: AudienceInput
  Overrides: ResolverTypeWrapper<Overrides>
  OverridesInput: OverridesInput
  Track: ResolverTypeWrapper<Track>
  TrackInput: TrackInput
  SkippedIds: ResolverTypeWrapper<SkippedIds>
  Notification: ResolverTypeWrapper<Notification>
  NotificationInput: NotificationInput
  NotificationChanges: NotificationChanges
  AcceptedNotification: ResolverTypeWrapper<AcceptedNotification>
  CredentialState: null
  PayloadFit: ResolverTypeWrapper<PayloadFit>
  TemplateProblemCode: null
  TemplateProblem: ResolverTypeWrapper<TemplateProblem>
  ProviderPreview: ResolverTypeWrapper<ProviderPreview>
  NotificationPreview: ResolverTypeWrapper<NotificationPreview>
  DeliveryStatus: null
  Delivery: ResolverTypeWrapper<Delivery>
  Outcome: ResolverTypeWrapper<Outcome>
  Retry: ResolverTypeWrapper<Retry>
  DeliveryConnection: ResolverTypeWrapper<DeliveryConnection>
  DeliveryEdge: ResolverTypeWrapper<DeliveryEdge>
  CredentialKind: null
  Credential: ResolverTypeWrapper<Credential>
  CredentialCheckStatus: null
  CredentialCheck: ResolverTypeWrapper<CredentialCheck>
  ApnsCredentialInput: ApnsCredentialInput
  FcmCredentialInput: FcmCredentialInput
  WebPushCredentialInput: WebPushCredentialInput
  SmtpCredentialInput: SmtpCredentialInput
  DeadLetterKind: null
  ReplayObstacle: null
  DeadLetter: ResolverTypeWrapper<DeadLetterParent>
  DeadLetterConnection: ResolverTypeWrapper<
    Omit<DeadLetterConnection, "edges" | "nodes"> & {
      edges: ReadonlyArray<ResolversTypes["DeadLetterEdge"]>
      nodes: ReadonlyArray<ResolversTypes["DeadLetter"]>
    }
  >
  DeadLetterEdge: ResolverTypeWrapper<Omit<DeadLetterEdge, "node"> & { node: ResolversTypes["DeadLetter"] }>
  DeadLetterWithContent: ResolverTypeWrapper<DeadLetterWithContent>
  DeadLetterFilterInput: DeadLetterFilterInput
  DeadLetterFilter: ResolverTypeWrapper<DeadLetterFilter>
  ReplayedDeadLetter: ResolverTypeWrapper<ReplayedDeadLetter>
  Replay: ResolverTypeWrapper<Replay>
  ReplayConnection: ResolverTypeWrapper<ReplayConnection>
  ReplayEdge: ResolverTypeWrapper<ReplayEdge>
  Hook: ResolverTypeWrapper<Hook>
  HookConnection: ResolverTypeWrapper<HookConnection>
  HookEdge: ResolverTypeWrapper<HookEdge>
  HookInput: HookInput
  HookChanges: HookChanges
  HookDeliveryStatus: null
  HookAnswer: ResolverTypeWrapper<HookAnswer>
  HookDelivery: ResolverTypeWrapper<HookDelivery>
  HookDeliveryWithBody: ResolverTypeWrapper<HookDeliveryWithBody>
  RecipientHookDelivery: ResolverTypeWrapper<RecipientHookDelivery>
  HookDeliveryConnection: ResolverTypeWrapper<HookDeliveryConnection>
  HookDeliveryEdge: ResolverTypeWrapper<HookDeliveryEdge>
  HookTest: ResolverTypeWrapper<HookTest>
  RedeliveredStatus: null
  RedeliverHookInput: RedeliverHookInput
  RedeliveryWanted: ResolverTypeWrapper<RedeliveryWanted>
  BackgroundStatus: null
  Redelivery: ResolverTypeWrapper<Redelivery>
  TestHookInput: TestHookInput
  WorkflowStatus: null
  Reentry: null
  Workflow: ResolverTypeWrapper<Workflow>
  WorkflowConnection: ResolverTypeWrapper<WorkflowConnection>
  WorkflowEdge: ResolverTypeWrapper<WorkflowEdge>
  WorkflowWarning: ResolverTypeWrapper<WorkflowWarning>
  SavedWorkflow: ResolverTypeWrapper<SavedWorkflow>
  WorkflowInput: WorkflowInput
  WorkflowChanges: WorkflowChanges
  WorkflowVersionSummary: ResolverTypeWrapper<WorkflowVersionSummary>
  WorkflowVersionSummaryConnection: ResolverTypeWrapper<WorkflowVersionSummaryConnection>
  WorkflowVersionSummaryEdge: ResolverTypeWrapper<WorkflowVersionSummaryEdge>
  WorkflowVersion: ResolverTypeWrapper<WorkflowVersion>
  WorkflowStatistics: ResolverTypeWrapper<WorkflowStatistics>
  WorkflowStepStatistics: ResolverTypeWrapper<WorkflowStepStatistics>
  TriggerWorkflowInput: TriggerWorkflowInput
  TriggeredWorkflow: ResolverTypeWrapper<TriggeredWorkflow>
  RehearseWorkflowInput: RehearseWorkflowInput
  WorkflowDryRun: ResolverTypeWrapper<WorkflowDryRun>
  TriedMessage: ResolverTypeWrapper<TriedMessage>
  ExecutionStatus: null
  CancelReason: null
  ExecutionSummary: ResolverTypeWrapper<ExecutionSummary>
  ExecutionSummaryConnection: ResolverTypeWrapper<ExecutionSummaryConnection>
  ExecutionSummaryEdge: ResolverTypeWrapper<ExecutionSummaryEdge>
  Execution: ResolverTypeWrapper<Execution>
  CancelExecutionsInput: CancelExecutionsInput
  OpenExecutionStatus: null
  CancelledExecutions: ResolverTypeWrapper<CancelledExecutions>
  StepOutcome: null
  ExecutionStep: ResolverTypeWrapper<ExecutionStep>
  Finding: ResolverTypeWrapper<Finding>
  CustomEventInput: CustomEventInput
  RaisedEvent: ResolverTypeWrapper<RaisedEvent>
}

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Application: ApplicationParent
  ID: Scalars["ID"]["output"]
  String: Scalars["String"]["output"]
  Boolean: Scalars["Boolean"]["output"]
  ApplicationChanges: ApplicationChanges
  IdentitySecretInput: IdentitySecretInput
  Int: Scalars["Int"]["output"]
  IssuedIdentitySecret: IssuedIdentitySecret
  ApiKey: ApiKey
  ApiKeyConnection: ApiKeyConnection
  ApiKeyEdge: ApiKeyEdge
  CreatedApiKey: CreatedApiKey
  ApiKeyInput: ApiKeyInput
  AuditActor: AuditActor
  AuditEntry: AuditEntry
  AuditEntryConnection: AuditEntryConnection
  AuditEntryEdge: AuditEntryEdge
  Device: DeviceParent
  DeviceConnection: Omit<DeviceConnection, "edges" | "nodes"> & {
    edges: ReadonlyArray<ResolversParentTypes["DeviceEdge"]>
    nodes: ReadonlyArray<ResolversParentTypes["Device"]>
  }
  DeviceEdge: Omit<DeviceEdge, "node"> & { node: ResolversParentTypes["Device"] }
  RegisterDeviceInput: RegisterDeviceInput
  DeviceChanges: DeviceChanges
  WriteResult: WriteResultParent
  WriteError: WriteErrorParent
  WriteErrorDetail: WriteErrorDetail
  Created: Created
  Preferences: Preferences
  Contact: ContactParent
  ContactConnection: Omit<ContactConnection, "edges" | "nodes"> & {
    edges: ReadonlyArray<ResolversParentTypes["ContactEdge"]>
    nodes: ReadonlyArray<ResolversParentTypes["Contact"]>
  }
  ContactEdge: Omit<ContactEdge, "node"> & { node: ResolversParentTypes["Contact"] }
  ContactInput: ContactInput
  ContactChanges: ContactChanges
  ContactsInput: ContactsInput
  TagChanges: TagChanges
  TagContactsInput: TagContactsInput
  TaggedContacts: TaggedContacts
  PreferenceChanges: PreferenceChanges
  Channel: ChannelParent
  ChannelConnection: Omit<ChannelConnection, "edges" | "nodes"> & {
    edges: ReadonlyArray<ResolversParentTypes["ChannelEdge"]>
    nodes: ReadonlyArray<ResolversParentTypes["Channel"]>
  }
  ChannelEdge: Omit<ChannelEdge, "node"> & { node: ResolversParentTypes["Channel"] }
  ChannelInput: ChannelInput
  ChannelChanges: ChannelChanges
  AttributeRule: AttributeRule
  AttributeRuleInput: AttributeRuleInput
  LastSeen: LastSeen
  LastSeenInput: LastSeenInput
  EngagementRule: EngagementRule
  EngagementRuleInput: EngagementRuleInput
  SegmentFilter: SegmentFilter
  SegmentFilterInput: SegmentFilterInput
  Segment: Segment
  SegmentConnection: SegmentConnection
  SegmentEdge: SegmentEdge
  CountSegmentInput: CountSegmentInput
  SegmentInput: SegmentInput
  SegmentChanges: SegmentChanges
  SegmentCount: SegmentCount
  Happenings: Happenings
  StatsGroup: StatsGroup
  Stats: Stats
  ProviderCounts: ProviderCounts
  InboxMessagesInput: InboxMessagesInput
  PostedMessages: PostedMessages
  Subscription: Record<PropertyKey, never>
  Content: Content
  ContentInput: ContentInput
  Template: Template
  TemplateConnection: TemplateConnection
  TemplateEdge: TemplateEdge
  TemplateInput: TemplateInput
  TemplateVersionSummary: TemplateVersionSummary
  TemplateVersion: TemplateVersion
  TemplateChanges: TemplateChanges
  TemplateExampleInput: TemplateExampleInput
  TemplateSourcesInput: TemplateSourcesInput
  TemplatePreview: TemplatePreview
  Account: AccountParent
  ExternalSignIn: ExternalSignIn
  PendingExternalSignIn: PendingExternalSignIn
  SignInOptions: SignInOptions
  Session: Omit<Session, "account"> & { account: ResolversParentTypes["Account"] }
  FirstApplication: FirstApplication
  ActiveSession: ActiveSession
  Organization: Organization
  Member: Member
  MemberConnection: MemberConnection
  MemberEdge: MemberEdge
  Invitation: Invitation
  InvitationPreview: InvitationPreview
  CreatedApplication: Omit<CreatedApplication, "application"> & { application: ResolversParentTypes["Application"] }
  ApplicationConnection: Omit<ApplicationConnection, "edges" | "nodes"> & {
    edges: ReadonlyArray<ResolversParentTypes["ApplicationEdge"]>
    nodes: ReadonlyArray<ResolversParentTypes["Application"]>
  }
  ApplicationEdge: Omit<ApplicationEdge, "node"> & { node: ResolversParentTypes["Application"] }
  OrganizationLogEntry: OrganizationLogEntry
  OrganizationLogActor: OrganizationLogActor
  OrganizationLogConnection: OrganizationLogConnection
  OrganizationLogEdge: OrganizationLogEdge
  JSON: Scalars["JSON"]["output"]
  DateTime: Scalars["DateTime"]["output"]
  Query: Record<PropertyKey, never>
  Mutation: Record<PropertyKey, never>
  PageInfo: PageInfo
  Counts: Counts
  NotificationSummary: NotificationSummaryParent
  NotificationSummaryConnection: Omit<NotificationSummaryConnection, "edges" | "nodes"> & {
    edges: ReadonlyArray<ResolversParentTypes["NotificationSummaryEdge"]>
    nodes: ReadonlyArray<ResolversParentTypes["NotificationSummary"]>
  }
  NotificationSummaryEdge: Omit<NotificationSummaryEdge, "node"> & { node: ResolversParentTypes["NotificationSummary"] }
  Audience: Audience
  AudienceInput: AudienceInput
  Overrides: Overrides
  OverridesInput: OverridesInput
  Track: Track
  TrackInput: TrackInput
  SkippedIds: SkippedIds
  Notification: Notification
  NotificationInput: NotificationInput
  NotificationChanges: NotificationChanges
  AcceptedNotification: AcceptedNotification
  PayloadFit: PayloadFit
  TemplateProblem: TemplateProblem
  ProviderPreview: ProviderPreview
  NotificationPreview: NotificationPreview
  Delivery: Delivery
  Outcome: Outcome
  Retry: Retry
  DeliveryConnection: DeliveryConnection
  DeliveryEdge: DeliveryEdge
  Credential: Credential
  CredentialCheck: CredentialCheck
  ApnsCredentialInput: ApnsCredentialInput
  FcmCredentialInput: FcmCredentialInput
  WebPushCredentialInput: WebPushCredentialInput
  SmtpCredentialInput: SmtpCredentialInput
  DeadLetter: DeadLetterParent
  DeadLetterConnection: Omit<DeadLetterConnection, "edges" | "nodes"> & {
    edges: ReadonlyArray<ResolversParentTypes["DeadLetterEdge"]>
    nodes: ReadonlyArray<ResolversParentTypes["DeadLetter"]>
  }
  DeadLetterEdge: Omit<DeadLetterEdge, "node"> & { node: ResolversParentTypes["DeadLetter"] }
  DeadLetterWithContent: DeadLetterWithContent
  DeadLetterFilterInput: DeadLetterFilterInput
  DeadLetterFilter: DeadLetterFilter
  ReplayedDeadLetter: ReplayedDeadLetter
  Replay: Replay
  ReplayConnection: ReplayConnection
  ReplayEdge: ReplayEdge
  Hook: Hook
  HookConnection: HookConnection
  HookEdge: HookEdge
  HookInput: HookInput
  HookChanges: HookChanges
  HookAnswer: HookAnswer
  HookDelivery: HookDelivery
  HookDeliveryWithBody: HookDeliveryWithBody
  RecipientHookDelivery: RecipientHookDelivery
  HookDeliveryConnection: HookDeliveryConnection
  HookDeliveryEdge: HookDeliveryEdge
  HookTest: HookTest
  RedeliverHookInput: RedeliverHookInput
  RedeliveryWanted: RedeliveryWanted
  Redelivery: Redelivery
  TestHookInput: TestHookInput
  Workflow: Workflow
  WorkflowConnection: WorkflowConnection
  WorkflowEdge: WorkflowEdge
  WorkflowWarning: WorkflowWarning
  SavedWorkflow: SavedWorkflow
  WorkflowInput: WorkflowInput
  WorkflowChanges: WorkflowChanges
  WorkflowVersionSummary: WorkflowVersionSummary
  WorkflowVersionSummaryConnection: WorkflowVersionSummaryConnection
  WorkflowVersionSummaryEdge: WorkflowVersionSummaryEdge
  WorkflowVersion: WorkflowVersion
  WorkflowStatistics: WorkflowStatistics
  WorkflowStepStatistics: WorkflowStepStatistics
  TriggerWorkflowInput: TriggerWorkflowInput
  TriggeredWorkflow: TriggeredWorkflow
  RehearseWorkflowInput: RehearseWorkflowInput
  WorkflowDryRun: WorkflowDryRun
  TriedMessage: TriedMessage
  ExecutionSummary: ExecutionSummary
  ExecutionSummaryConnection: ExecutionSummaryConnection
  ExecutionSummaryEdge: ExecutionSummaryEdge
  Execution: Execution
  CancelExecutionsInput: CancelExecutionsInput
  CancelledExecutions: CancelledExecutions
  ExecutionStep: ExecutionStep
  Finding: Finding
  CustomEventInput: CustomEventInput
  RaisedEvent: RaisedEvent
}

export type RestDirectiveArgs = {
  route: Scalars["String"]["input"]
  id?: Maybe<Scalars["String"]["input"]>
  take?: Maybe<Scalars["String"]["input"]>
}

export type RestDirectiveResolver<
  Result,
  Parent,
  ContextType = GraphqlContext,
  Args = RestDirectiveArgs
> = DirectiveResolverFn<Result, Parent, ContextType, Args>

export type ApplicationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Application"] = ResolversParentTypes["Application"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  identityVerification?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  formerIdentitySecretUntil?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  warnings?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type IssuedIdentitySecretResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["IssuedIdentitySecret"] = ResolversParentTypes["IssuedIdentitySecret"]
> = {
  identitySecret?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  formerIdentitySecretUntil?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type ApiKeyKindResolvers = { SECRET: "secret"; PUBLIC: "public" }

export type ApiKeyResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ApiKey"] = ResolversParentTypes["ApiKey"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  kind?: Resolver<ResolversTypes["ApiKeyKind"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  prefix?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  lastUsedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type ApiKeyConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ApiKeyConnection"] = ResolversParentTypes["ApiKeyConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["ApiKeyEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["ApiKey"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type ApiKeyEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ApiKeyEdge"] = ResolversParentTypes["ApiKeyEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["ApiKey"], ParentType, ContextType>
}

export type CreatedApiKeyResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["CreatedApiKey"] = ResolversParentTypes["CreatedApiKey"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  kind?: Resolver<ResolversTypes["ApiKeyKind"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  prefix?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  lastUsedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  key?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type ActorKindResolvers = { KEY: "key"; USER: "user"; CLI: "cli"; SYSTEM: "system" }

export type AuditActorResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["AuditActor"] = ResolversParentTypes["AuditActor"]
> = {
  kind?: Resolver<ResolversTypes["ActorKind"], ParentType, ContextType>
  actorId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  email?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type AuditEntryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["AuditEntry"] = ResolversParentTypes["AuditEntry"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  at?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  actor?: Resolver<ResolversTypes["AuditActor"], ParentType, ContextType>
  action?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  target?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  details?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
}

export type AuditEntryConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["AuditEntryConnection"] = ResolversParentTypes["AuditEntryConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["AuditEntryEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["AuditEntry"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type AuditEntryEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["AuditEntryEdge"] = ResolversParentTypes["AuditEntryEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["AuditEntry"], ParentType, ContextType>
}

export type PlatformResolvers = { IOS: "ios"; ANDROID: "android"; WEB: "web" }

export type EnvironmentResolvers = { PRODUCTION: "production"; SANDBOX: "sandbox" }

export type DeviceStatusResolvers = { ACTIVE: "active"; INVALID: "invalid" }

export type DeviceResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Device"] = ResolversParentTypes["Device"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  platform?: Resolver<ResolversTypes["Platform"], ParentType, ContextType>
  token?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  userId?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  contact?: Resolver<Maybe<ResolversTypes["Contact"]>, ParentType, ContextType>
  tags?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
  timezone?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  environment?: Resolver<ResolversTypes["Environment"], ParentType, ContextType>
  metadata?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  webPushP256dh?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  webPushAuth?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  status?: Resolver<ResolversTypes["DeviceStatus"], ParentType, ContextType>
  invalidReason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  lastSeenAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type DeviceConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeviceConnection"] = ResolversParentTypes["DeviceConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["DeviceEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Device"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type DeviceEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeviceEdge"] = ResolversParentTypes["DeviceEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Device"], ParentType, ContextType>
}

export type WriteResultResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WriteResult"] = ResolversParentTypes["WriteResult"]
> = {
  index?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  objectId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  created?: Resolver<Maybe<ResolversTypes["Boolean"]>, ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["WriteError"]>, ParentType, ContextType>
}

export type WriteErrorResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WriteError"] = ResolversParentTypes["WriteError"]
> = {
  code?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  message?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  details?: Resolver<ReadonlyArray<ResolversTypes["WriteErrorDetail"]>, ParentType, ContextType>
}

export type WriteErrorDetailResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WriteErrorDetail"] = ResolversParentTypes["WriteErrorDetail"]
> = {
  field?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  message?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type CreatedResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Created"] = ResolversParentTypes["Created"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  created?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
}

export type PreferencesResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Preferences"] = ResolversParentTypes["Preferences"]
> = {
  push?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  email?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  inbox?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
}

export type ContactResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Contact"] = ResolversParentTypes["Contact"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  externalId?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  email?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  attributes?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  tags?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
  locale?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  timezone?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  preferences?: Resolver<ResolversTypes["Preferences"], ParentType, ContextType>
  devices?: Resolver<
    ReadonlyArray<ResolversTypes["Device"]>,
    ParentType,
    ContextType,
    RequireFields<ContactDevicesArgs, "first">
  >
  channels?: Resolver<
    ReadonlyArray<ResolversTypes["Channel"]>,
    ParentType,
    ContextType,
    RequireFields<ContactChannelsArgs, "first">
  >
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type ContactConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ContactConnection"] = ResolversParentTypes["ContactConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["ContactEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Contact"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type ContactEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ContactEdge"] = ResolversParentTypes["ContactEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Contact"], ParentType, ContextType>
}

export type TaggedContactsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TaggedContacts"] = ResolversParentTypes["TaggedContacts"]
> = {
  updated?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  unknown?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
  full?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
}

export type ChannelKindResolvers = { EMAIL: "email"; INBOX: "inbox" }

export type ChannelStatusResolvers = { ACTIVE: "active"; SUPPRESSED: "suppressed"; UNSUBSCRIBED: "unsubscribed" }

export type ChannelResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Channel"] = ResolversParentTypes["Channel"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  kind?: Resolver<ResolversTypes["ChannelKind"], ParentType, ContextType>
  address?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  contactId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  contact?: Resolver<Maybe<ResolversTypes["Contact"]>, ParentType, ContextType>
  status?: Resolver<ResolversTypes["ChannelStatus"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type ChannelConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ChannelConnection"] = ResolversParentTypes["ChannelConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["ChannelEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Channel"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type ChannelEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ChannelEdge"] = ResolversParentTypes["ChannelEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Channel"], ParentType, ContextType>
}

export type AttributeOperatorResolvers = {
  EQUALS: "equals"
  NOT_EQUALS: "not_equals"
  CONTAINS: "contains"
  IN: "in"
  GREATER: "greater"
  GREATER_OR_EQUAL: "greater_or_equal"
  LESS: "less"
  LESS_OR_EQUAL: "less_or_equal"
  EXISTS: "exists"
  NOT_EXISTS: "not_exists"
}

export type EngagementTypeResolvers = { DELIVERED: "delivered"; OPENED: "opened"; CLICKED: "clicked" }

export type AttributeRuleResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["AttributeRule"] = ResolversParentTypes["AttributeRule"]
> = {
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  op?: Resolver<ResolversTypes["AttributeOperator"], ParentType, ContextType>
  value?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
}

export type LastSeenResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["LastSeen"] = ResolversParentTypes["LastSeen"]
> = {
  withinDays?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  notWithinDays?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
}

export type EngagementRuleResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["EngagementRule"] = ResolversParentTypes["EngagementRule"]
> = {
  type?: Resolver<ResolversTypes["EngagementType"], ParentType, ContextType>
  withinDays?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  not?: Resolver<Maybe<ResolversTypes["Boolean"]>, ParentType, ContextType>
}

export type SegmentFilterResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SegmentFilter"] = ResolversParentTypes["SegmentFilter"]
> = {
  tagsAny?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  tagsAll?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  tagsNone?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  platforms?: Resolver<Maybe<ReadonlyArray<ResolversTypes["Platform"]>>, ParentType, ContextType>
  timezones?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  locales?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  attributes?: Resolver<Maybe<ReadonlyArray<ResolversTypes["AttributeRule"]>>, ParentType, ContextType>
  lastSeen?: Resolver<Maybe<ResolversTypes["LastSeen"]>, ParentType, ContextType>
  engagement?: Resolver<Maybe<ReadonlyArray<ResolversTypes["EngagementRule"]>>, ParentType, ContextType>
}

export type SegmentResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Segment"] = ResolversParentTypes["Segment"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  filter?: Resolver<ResolversTypes["SegmentFilter"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type SegmentConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SegmentConnection"] = ResolversParentTypes["SegmentConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["SegmentEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Segment"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type SegmentEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SegmentEdge"] = ResolversParentTypes["SegmentEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Segment"], ParentType, ContextType>
}

export type SegmentCountResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SegmentCount"] = ResolversParentTypes["SegmentCount"]
> = {
  recipients?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  devices?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  emails?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  isExact?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
}

export type ImportKindResolvers = { CONTACTS: "contacts"; DEVICES: "devices" }

export type HappeningsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Happenings"] = ResolversParentTypes["Happenings"]
> = {
  sent?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  failed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  skipped?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  cancelled?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  delivered?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  opened?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  clicked?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  machineOpened?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  machineClicked?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type StatsGroupResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["StatsGroup"] = ResolversParentTypes["StatsGroup"]
> = {
  day?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  provider?: Resolver<Maybe<ResolversTypes["Provider"]>, ParentType, ContextType>
  sent?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  failed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  skipped?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  cancelled?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  delivered?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  opened?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  clicked?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  machineOpened?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  machineClicked?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type StatsGroupingResolvers = {
  APPLICATION: "application"
  DAY: "day"
  PROVIDER: "provider"
  DAY_PROVIDER: "day_provider"
}

export type StatsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Stats"] = ResolversParentTypes["Stats"]
> = {
  from?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  to?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  groupBy?: Resolver<ResolversTypes["StatsGrouping"], ParentType, ContextType>
  total?: Resolver<ResolversTypes["Happenings"], ParentType, ContextType>
  data?: Resolver<ReadonlyArray<ResolversTypes["StatsGroup"]>, ParentType, ContextType>
}

export type ProviderCountsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ProviderCounts"] = ResolversParentTypes["ProviderCounts"]
> = {
  provider?: Resolver<ResolversTypes["Provider"], ParentType, ContextType>
  accepted?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  pending?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  sent?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  failed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  skipped?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  cancelled?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type PostedMessagesResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["PostedMessages"] = ResolversParentTypes["PostedMessages"]
> = {
  created?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type SubscriptionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Subscription"] = ResolversParentTypes["Subscription"]
> = {
  notificationChanged?: SubscriptionResolver<
    ResolversTypes["NotificationSummary"],
    "notificationChanged",
    ParentType,
    ContextType,
    RequireFields<SubscriptionNotificationChangedArgs, "id">
  >
  executionChanged?: SubscriptionResolver<
    ResolversTypes["Execution"],
    "executionChanged",
    ParentType,
    ContextType,
    RequireFields<SubscriptionExecutionChangedArgs, "id">
  >
  hookChanged?: SubscriptionResolver<
    ResolversTypes["Hook"],
    "hookChanged",
    ParentType,
    ContextType,
    RequireFields<SubscriptionHookChangedArgs, "id">
  >
}

export type ContentResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Content"] = ResolversParentTypes["Content"]
> = {
  title?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  body?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  url?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  image?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  data?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
  subject?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  html?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type MissingVariablesResolvers = { ERROR: "error"; EMPTY: "empty" }

export type TemplateResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Template"] = ResolversParentTypes["Template"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  content?: Resolver<ResolversTypes["Content"], ParentType, ContextType>
  locales?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  missingVariables?: Resolver<ResolversTypes["MissingVariables"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type TemplateConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TemplateConnection"] = ResolversParentTypes["TemplateConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["TemplateEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Template"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type TemplateEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TemplateEdge"] = ResolversParentTypes["TemplateEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Template"], ParentType, ContextType>
}

export type TemplateVersionSummaryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TemplateVersionSummary"] = ResolversParentTypes["TemplateVersionSummary"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  actor?: Resolver<ResolversTypes["AuditActor"], ParentType, ContextType>
}

export type TemplateVersionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TemplateVersion"] = ResolversParentTypes["TemplateVersion"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  templateId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  actor?: Resolver<ResolversTypes["AuditActor"], ParentType, ContextType>
  content?: Resolver<ResolversTypes["Content"], ParentType, ContextType>
  locales?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  missingVariables?: Resolver<ResolversTypes["MissingVariables"], ParentType, ContextType>
}

export type TemplatePreviewResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TemplatePreview"] = ResolversParentTypes["TemplatePreview"]
> = {
  language?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  content?: Resolver<ResolversTypes["Content"], ParentType, ContextType>
}

export type RoleResolvers = { OWNER: "owner"; ADMIN: "admin"; MEMBER: "member"; VIEWER: "viewer" }

export type AccountResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Account"] = ResolversParentTypes["Account"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  email?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  externalSignIns?: Resolver<ReadonlyArray<ResolversTypes["ExternalSignIn"]>, ParentType, ContextType>
}

export type ExternalProviderResolvers = { GOOGLE: "google"; GITHUB: "github" }

export type ExternalSignInResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ExternalSignIn"] = ResolversParentTypes["ExternalSignIn"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  provider?: Resolver<ResolversTypes["ExternalProvider"], ParentType, ContextType>
  email?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  lastUsedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type PendingExternalSignInResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["PendingExternalSignIn"] = ResolversParentTypes["PendingExternalSignIn"]
> = {
  provider?: Resolver<ResolversTypes["ExternalProvider"], ParentType, ContextType>
  email?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type RegistrationResolvers = { OPEN: "open"; INVITE: "invite" }

export type SignInOptionsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SignInOptions"] = ResolversParentTypes["SignInOptions"]
> = {
  registration?: Resolver<ResolversTypes["Registration"], ParentType, ContextType>
  providers?: Resolver<ReadonlyArray<ResolversTypes["ExternalProvider"]>, ParentType, ContextType>
  pending?: Resolver<Maybe<ResolversTypes["PendingExternalSignIn"]>, ParentType, ContextType>
}

export type SessionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Session"] = ResolversParentTypes["Session"]
> = {
  token?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  expiresAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  account?: Resolver<ResolversTypes["Account"], ParentType, ContextType>
  first?: Resolver<Maybe<ResolversTypes["FirstApplication"]>, ParentType, ContextType>
}

export type FirstApplicationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["FirstApplication"] = ResolversParentTypes["FirstApplication"]
> = {
  organization?: Resolver<ResolversTypes["Organization"], ParentType, ContextType>
  appId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  secretKey?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  publicKey?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  identitySecret?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type ActiveSessionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ActiveSession"] = ResolversParentTypes["ActiveSession"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  userAgent?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  isCurrent?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  lastUsedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  expiresAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type OperationResolvers = {
  READ: "read"
  LEAVE_ORGANIZATION: "leave_organization"
  SEND_NOTIFICATIONS: "send_notifications"
  CONTROL_NOTIFICATIONS: "control_notifications"
  REPLAY_DEAD_LETTERS: "replay_dead_letters"
  CHANGE_DEVICES: "change_devices"
  CHANGE_CONTACTS: "change_contacts"
  CHANGE_CHANNELS: "change_channels"
  CHANGE_SEGMENTS: "change_segments"
  CHANGE_TEMPLATES: "change_templates"
  CHANGE_WORKFLOWS: "change_workflows"
  CHANGE_INBOX: "change_inbox"
  REPORT_ENGAGEMENT: "report_engagement"
  CREATE_APPLICATION: "create_application"
  CHANGE_APPLICATION: "change_application"
  CHANGE_API_KEYS: "change_api_keys"
  CHANGE_CREDENTIALS: "change_credentials"
  CHANGE_WEBHOOKS: "change_webhooks"
  CHANGE_ORGANIZATION: "change_organization"
  CHANGE_MEMBERS: "change_members"
  CHANGE_BILLING: "change_billing"
  DELETE_APPLICATION: "delete_application"
  DELETE_ORGANIZATION: "delete_organization"
}

export type OrganizationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Organization"] = ResolversParentTypes["Organization"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  plan?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  role?: Resolver<Maybe<ResolversTypes["Role"]>, ParentType, ContextType>
  may?: Resolver<ReadonlyArray<ResolversTypes["Operation"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type MemberResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Member"] = ResolversParentTypes["Member"]
> = {
  accountId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  organizationId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  email?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  role?: Resolver<ResolversTypes["Role"], ParentType, ContextType>
  joinedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type MemberConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["MemberConnection"] = ResolversParentTypes["MemberConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["MemberEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Member"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type MemberEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["MemberEdge"] = ResolversParentTypes["MemberEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Member"], ParentType, ContextType>
}

export type InvitationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Invitation"] = ResolversParentTypes["Invitation"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  organizationId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  email?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  role?: Resolver<ResolversTypes["Role"], ParentType, ContextType>
  invitedBy?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  expiresAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type InvitationPreviewResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["InvitationPreview"] = ResolversParentTypes["InvitationPreview"]
> = {
  organizationName?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  inviterEmail?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  email?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  role?: Resolver<ResolversTypes["Role"], ParentType, ContextType>
  expiresAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type CreatedApplicationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["CreatedApplication"] = ResolversParentTypes["CreatedApplication"]
> = {
  application?: Resolver<ResolversTypes["Application"], ParentType, ContextType>
  secretKey?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  publicKey?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  identitySecret?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type ApplicationConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ApplicationConnection"] = ResolversParentTypes["ApplicationConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["ApplicationEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Application"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type ApplicationEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ApplicationEdge"] = ResolversParentTypes["ApplicationEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Application"], ParentType, ContextType>
}

export type OrganizationLogEntryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["OrganizationLogEntry"] = ResolversParentTypes["OrganizationLogEntry"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  at?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  accountId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  email?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  actor?: Resolver<ResolversTypes["OrganizationLogActor"], ParentType, ContextType>
  action?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  target?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  details?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
}

export type OrganizationLogActorResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["OrganizationLogActor"] = ResolversParentTypes["OrganizationLogActor"]
> = {
  kind?: Resolver<ResolversTypes["ActorKind"], ParentType, ContextType>
  actorId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  email?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type OrganizationLogConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["OrganizationLogConnection"] =
    ResolversParentTypes["OrganizationLogConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["OrganizationLogEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["OrganizationLogEntry"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type OrganizationLogEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["OrganizationLogEdge"] = ResolversParentTypes["OrganizationLogEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["OrganizationLogEntry"], ParentType, ContextType>
}

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes["JSON"], any> {
  name: "JSON"
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes["DateTime"], any> {
  name: "DateTime"
}

export type QueryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Query"] = ResolversParentTypes["Query"]
> = {
  application?: Resolver<
    Maybe<ResolversTypes["Application"]>,
    ParentType,
    ContextType,
    RequireFields<QueryApplicationArgs, "id">
  >
  apiKeys?: Resolver<
    ResolversTypes["ApiKeyConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryApiKeysArgs, "appId">
  >
  auditLog?: Resolver<
    ResolversTypes["AuditEntryConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryAuditLogArgs, "appId">
  >
  devices?: Resolver<
    ResolversTypes["DeviceConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryDevicesArgs, "appId">
  >
  device?: Resolver<Maybe<ResolversTypes["Device"]>, ParentType, ContextType, RequireFields<QueryDeviceArgs, "id">>
  contacts?: Resolver<
    ResolversTypes["ContactConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryContactsArgs, "appId">
  >
  contact?: Resolver<Maybe<ResolversTypes["Contact"]>, ParentType, ContextType, RequireFields<QueryContactArgs, "id">>
  contactByExternalId?: Resolver<
    Maybe<ResolversTypes["Contact"]>,
    ParentType,
    ContextType,
    RequireFields<QueryContactByExternalIdArgs, "appId" | "externalId">
  >
  channels?: Resolver<
    ResolversTypes["ChannelConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryChannelsArgs, "appId">
  >
  channel?: Resolver<Maybe<ResolversTypes["Channel"]>, ParentType, ContextType, RequireFields<QueryChannelArgs, "id">>
  segments?: Resolver<
    ResolversTypes["SegmentConnection"],
    ParentType,
    ContextType,
    RequireFields<QuerySegmentsArgs, "appId">
  >
  segment?: Resolver<Maybe<ResolversTypes["Segment"]>, ParentType, ContextType, RequireFields<QuerySegmentArgs, "id">>
  countSegment?: Resolver<
    ResolversTypes["SegmentCount"],
    ParentType,
    ContextType,
    RequireFields<QueryCountSegmentArgs, "appId" | "input">
  >
  segmentCount?: Resolver<
    Maybe<ResolversTypes["SegmentCount"]>,
    ParentType,
    ContextType,
    RequireFields<QuerySegmentCountArgs, "segmentId">
  >
  stats?: Resolver<ResolversTypes["Stats"], ParentType, ContextType, RequireFields<QueryStatsArgs, "appId">>
  notificationStats?: Resolver<
    ReadonlyArray<ResolversTypes["ProviderCounts"]>,
    ParentType,
    ContextType,
    RequireFields<QueryNotificationStatsArgs, "notificationId">
  >
  templates?: Resolver<
    ResolversTypes["TemplateConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryTemplatesArgs, "appId">
  >
  template?: Resolver<
    Maybe<ResolversTypes["Template"]>,
    ParentType,
    ContextType,
    RequireFields<QueryTemplateArgs, "id">
  >
  templateVersions?: Resolver<
    ReadonlyArray<ResolversTypes["TemplateVersionSummary"]>,
    ParentType,
    ContextType,
    RequireFields<QueryTemplateVersionsArgs, "id">
  >
  templateVersion?: Resolver<
    Maybe<ResolversTypes["TemplateVersion"]>,
    ParentType,
    ContextType,
    RequireFields<QueryTemplateVersionArgs, "id">
  >
  previewTemplate?: Resolver<
    ResolversTypes["TemplatePreview"],
    ParentType,
    ContextType,
    RequireFields<QueryPreviewTemplateArgs, "id" | "input">
  >
  previewTemplateSources?: Resolver<
    ResolversTypes["TemplatePreview"],
    ParentType,
    ContextType,
    RequireFields<QueryPreviewTemplateSourcesArgs, "appId" | "input">
  >
  me?: Resolver<Maybe<ResolversTypes["Account"]>, ParentType, ContextType>
  signInOptions?: Resolver<ResolversTypes["SignInOptions"], ParentType, ContextType>
  sessions?: Resolver<ReadonlyArray<ResolversTypes["ActiveSession"]>, ParentType, ContextType>
  exportMyAccountData?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  organizations?: Resolver<ReadonlyArray<ResolversTypes["Organization"]>, ParentType, ContextType>
  organization?: Resolver<
    Maybe<ResolversTypes["Organization"]>,
    ParentType,
    ContextType,
    RequireFields<QueryOrganizationArgs, "id">
  >
  applications?: Resolver<
    ResolversTypes["ApplicationConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryApplicationsArgs, "organizationId">
  >
  members?: Resolver<
    ResolversTypes["MemberConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryMembersArgs, "organizationId">
  >
  invitations?: Resolver<
    ReadonlyArray<ResolversTypes["Invitation"]>,
    ParentType,
    ContextType,
    RequireFields<QueryInvitationsArgs, "organizationId">
  >
  invitation?: Resolver<
    Maybe<ResolversTypes["InvitationPreview"]>,
    ParentType,
    ContextType,
    RequireFields<QueryInvitationArgs, "token">
  >
  organizationLog?: Resolver<
    ResolversTypes["OrganizationLogConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryOrganizationLogArgs, "organizationId">
  >
  notifications?: Resolver<
    ResolversTypes["NotificationSummaryConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryNotificationsArgs, "appId">
  >
  notification?: Resolver<
    Maybe<ResolversTypes["Notification"]>,
    ParentType,
    ContextType,
    RequireFields<QueryNotificationArgs, "id">
  >
  previewNotification?: Resolver<
    ResolversTypes["NotificationPreview"],
    ParentType,
    ContextType,
    RequireFields<QueryPreviewNotificationArgs, "appId" | "input">
  >
  deliveries?: Resolver<
    ResolversTypes["DeliveryConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryDeliveriesArgs, "notificationId">
  >
  outcomes?: Resolver<
    ReadonlyArray<ResolversTypes["Outcome"]>,
    ParentType,
    ContextType,
    RequireFields<QueryOutcomesArgs, "notificationId">
  >
  retries?: Resolver<
    ReadonlyArray<ResolversTypes["Retry"]>,
    ParentType,
    ContextType,
    RequireFields<QueryRetriesArgs, "notificationId">
  >
  credentials?: Resolver<
    ReadonlyArray<ResolversTypes["Credential"]>,
    ParentType,
    ContextType,
    RequireFields<QueryCredentialsArgs, "appId">
  >
  credential?: Resolver<
    Maybe<ResolversTypes["Credential"]>,
    ParentType,
    ContextType,
    RequireFields<QueryCredentialArgs, "appId" | "kind">
  >
  deadLetters?: Resolver<
    ResolversTypes["DeadLetterConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryDeadLettersArgs, "appId">
  >
  deadLetter?: Resolver<
    Maybe<ResolversTypes["DeadLetterWithContent"]>,
    ParentType,
    ContextType,
    RequireFields<QueryDeadLetterArgs, "id">
  >
  replays?: Resolver<
    ResolversTypes["ReplayConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryReplaysArgs, "appId">
  >
  replay?: Resolver<Maybe<ResolversTypes["Replay"]>, ParentType, ContextType, RequireFields<QueryReplayArgs, "id">>
  hooks?: Resolver<ResolversTypes["HookConnection"], ParentType, ContextType, RequireFields<QueryHooksArgs, "appId">>
  hook?: Resolver<Maybe<ResolversTypes["Hook"]>, ParentType, ContextType, RequireFields<QueryHookArgs, "id">>
  hookDeliveries?: Resolver<
    ResolversTypes["HookDeliveryConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryHookDeliveriesArgs, "hookId">
  >
  hookDelivery?: Resolver<
    Maybe<ResolversTypes["HookDeliveryWithBody"]>,
    ParentType,
    ContextType,
    RequireFields<QueryHookDeliveryArgs, "hookId" | "eventId">
  >
  recipientHookDeliveries?: Resolver<
    ReadonlyArray<ResolversTypes["RecipientHookDelivery"]>,
    ParentType,
    ContextType,
    RequireFields<QueryRecipientHookDeliveriesArgs, "notificationId" | "recipientId">
  >
  redelivery?: Resolver<
    Maybe<ResolversTypes["Redelivery"]>,
    ParentType,
    ContextType,
    RequireFields<QueryRedeliveryArgs, "id">
  >
  workflows?: Resolver<
    ResolversTypes["WorkflowConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryWorkflowsArgs, "appId">
  >
  workflow?: Resolver<
    Maybe<ResolversTypes["Workflow"]>,
    ParentType,
    ContextType,
    RequireFields<QueryWorkflowArgs, "id">
  >
  workflowVersions?: Resolver<
    ResolversTypes["WorkflowVersionSummaryConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryWorkflowVersionsArgs, "id">
  >
  workflowVersion?: Resolver<
    Maybe<ResolversTypes["WorkflowVersion"]>,
    ParentType,
    ContextType,
    RequireFields<QueryWorkflowVersionArgs, "id">
  >
  workflowStatistics?: Resolver<
    ResolversTypes["WorkflowStatistics"],
    ParentType,
    ContextType,
    RequireFields<QueryWorkflowStatisticsArgs, "id">
  >
  rehearseWorkflow?: Resolver<
    ResolversTypes["WorkflowDryRun"],
    ParentType,
    ContextType,
    RequireFields<QueryRehearseWorkflowArgs, "id" | "input">
  >
  executions?: Resolver<
    ResolversTypes["ExecutionSummaryConnection"],
    ParentType,
    ContextType,
    RequireFields<QueryExecutionsArgs, "appId">
  >
  execution?: Resolver<
    Maybe<ResolversTypes["Execution"]>,
    ParentType,
    ContextType,
    RequireFields<QueryExecutionArgs, "id">
  >
}

export type MutationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Mutation"] = ResolversParentTypes["Mutation"]
> = {
  updateApplication?: Resolver<
    ResolversTypes["Application"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateApplicationArgs, "id" | "input">
  >
  reissueIdentitySecret?: Resolver<
    ResolversTypes["IssuedIdentitySecret"],
    ParentType,
    ContextType,
    RequireFields<MutationReissueIdentitySecretArgs, "appId" | "input">
  >
  createApiKey?: Resolver<
    ResolversTypes["CreatedApiKey"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateApiKeyArgs, "appId" | "input">
  >
  revokeApiKey?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationRevokeApiKeyArgs, "id">
  >
  beginImport?: Resolver<
    ResolversTypes["ID"],
    ParentType,
    ContextType,
    RequireFields<MutationBeginImportArgs, "appId" | "kind" | "file">
  >
  importContacts?: Resolver<
    ReadonlyArray<ResolversTypes["WriteResult"]>,
    ParentType,
    ContextType,
    RequireFields<MutationImportContactsArgs, "appId" | "importId" | "contacts">
  >
  registerDevices?: Resolver<
    ReadonlyArray<ResolversTypes["WriteResult"]>,
    ParentType,
    ContextType,
    RequireFields<MutationRegisterDevicesArgs, "appId" | "devices">
  >
  updateDevice?: Resolver<
    ResolversTypes["Device"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateDeviceArgs, "id" | "input">
  >
  deleteDevice?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteDeviceArgs, "id">
  >
  upsertContact?: Resolver<
    ResolversTypes["Created"],
    ParentType,
    ContextType,
    RequireFields<MutationUpsertContactArgs, "appId" | "input">
  >
  upsertContacts?: Resolver<
    ReadonlyArray<ResolversTypes["WriteResult"]>,
    ParentType,
    ContextType,
    RequireFields<MutationUpsertContactsArgs, "appId" | "input">
  >
  tagContacts?: Resolver<
    ResolversTypes["TaggedContacts"],
    ParentType,
    ContextType,
    RequireFields<MutationTagContactsArgs, "appId" | "input">
  >
  updateContact?: Resolver<
    ResolversTypes["Contact"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateContactArgs, "id" | "input">
  >
  deleteContact?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteContactArgs, "id">
  >
  changeContactTags?: Resolver<
    ResolversTypes["Contact"],
    ParentType,
    ContextType,
    RequireFields<MutationChangeContactTagsArgs, "id" | "input">
  >
  updateContactPreferences?: Resolver<
    ResolversTypes["Preferences"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateContactPreferencesArgs, "id" | "input">
  >
  updateContactByExternalId?: Resolver<
    ResolversTypes["Contact"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateContactByExternalIdArgs, "appId" | "externalId" | "input">
  >
  deleteContactByExternalId?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteContactByExternalIdArgs, "appId" | "externalId">
  >
  changeContactTagsByExternalId?: Resolver<
    ResolversTypes["Contact"],
    ParentType,
    ContextType,
    RequireFields<MutationChangeContactTagsByExternalIdArgs, "appId" | "externalId" | "input">
  >
  updateContactPreferencesByExternalId?: Resolver<
    ResolversTypes["Preferences"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateContactPreferencesByExternalIdArgs, "appId" | "externalId" | "input">
  >
  createChannel?: Resolver<
    ResolversTypes["Created"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateChannelArgs, "appId" | "input">
  >
  updateChannel?: Resolver<
    ResolversTypes["Channel"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateChannelArgs, "id" | "input">
  >
  deleteChannel?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteChannelArgs, "id">
  >
  createSegment?: Resolver<
    ResolversTypes["Segment"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateSegmentArgs, "appId" | "input">
  >
  updateSegment?: Resolver<
    ResolversTypes["Segment"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateSegmentArgs, "id" | "input">
  >
  deleteSegment?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteSegmentArgs, "id">
  >
  postInboxMessages?: Resolver<
    ResolversTypes["PostedMessages"],
    ParentType,
    ContextType,
    RequireFields<MutationPostInboxMessagesArgs, "appId" | "input">
  >
  createTemplate?: Resolver<
    ResolversTypes["Template"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateTemplateArgs, "appId" | "input">
  >
  updateTemplate?: Resolver<
    ResolversTypes["Template"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateTemplateArgs, "id" | "input">
  >
  deleteTemplate?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteTemplateArgs, "id">
  >
  requestLoginCode?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationRequestLoginCodeArgs, "email">
  >
  verifyLoginCode?: Resolver<
    ResolversTypes["Session"],
    ParentType,
    ContextType,
    RequireFields<MutationVerifyLoginCodeArgs, "email" | "code">
  >
  requestExternalSignInCode?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  confirmExternalSignIn?: Resolver<
    ResolversTypes["ExternalSignIn"],
    ParentType,
    ContextType,
    RequireFields<MutationConfirmExternalSignInArgs, "code">
  >
  unbindExternalSignIn?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationUnbindExternalSignInArgs, "id">
  >
  logout?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  signOutEverywhere?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  endSession?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType, RequireFields<MutationEndSessionArgs, "id">>
  renameAccount?: Resolver<
    ResolversTypes["Account"],
    ParentType,
    ContextType,
    RequireFields<MutationRenameAccountArgs, "name">
  >
  requestEmailChange?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationRequestEmailChangeArgs, "email">
  >
  changeEmail?: Resolver<
    ResolversTypes["Session"],
    ParentType,
    ContextType,
    RequireFields<MutationChangeEmailArgs, "code" | "newCode">
  >
  deleteAccount?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteAccountArgs, "code">
  >
  createOrganization?: Resolver<
    ResolversTypes["Organization"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateOrganizationArgs, "name">
  >
  renameOrganization?: Resolver<
    ResolversTypes["Organization"],
    ParentType,
    ContextType,
    RequireFields<MutationRenameOrganizationArgs, "id" | "name">
  >
  deleteOrganization?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteOrganizationArgs, "id">
  >
  createApplication?: Resolver<
    ResolversTypes["CreatedApplication"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateApplicationArgs, "organizationId" | "name">
  >
  deleteApplication?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteApplicationArgs, "id">
  >
  inviteMember?: Resolver<
    ResolversTypes["Invitation"],
    ParentType,
    ContextType,
    RequireFields<MutationInviteMemberArgs, "organizationId" | "email" | "role">
  >
  revokeInvitation?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationRevokeInvitationArgs, "id">
  >
  acceptInvitation?: Resolver<
    ResolversTypes["Organization"],
    ParentType,
    ContextType,
    RequireFields<MutationAcceptInvitationArgs, "token">
  >
  changeRole?: Resolver<
    ResolversTypes["Member"],
    ParentType,
    ContextType,
    RequireFields<MutationChangeRoleArgs, "organizationId" | "accountId" | "role">
  >
  removeMember?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationRemoveMemberArgs, "organizationId" | "accountId">
  >
  leaveOrganization?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationLeaveOrganizationArgs, "organizationId">
  >
  transferOwnership?: Resolver<
    ResolversTypes["Member"],
    ParentType,
    ContextType,
    RequireFields<MutationTransferOwnershipArgs, "organizationId" | "accountId">
  >
  sendNotification?: Resolver<
    ResolversTypes["AcceptedNotification"],
    ParentType,
    ContextType,
    RequireFields<MutationSendNotificationArgs, "appId" | "input">
  >
  updateNotification?: Resolver<
    ResolversTypes["Notification"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateNotificationArgs, "id" | "input">
  >
  cancelNotification?: Resolver<
    ResolversTypes["NotificationSummary"],
    ParentType,
    ContextType,
    RequireFields<MutationCancelNotificationArgs, "id">
  >
  pauseNotification?: Resolver<
    ResolversTypes["NotificationSummary"],
    ParentType,
    ContextType,
    RequireFields<MutationPauseNotificationArgs, "id">
  >
  resumeNotification?: Resolver<
    ResolversTypes["NotificationSummary"],
    ParentType,
    ContextType,
    RequireFields<MutationResumeNotificationArgs, "id">
  >
  setApnsCredential?: Resolver<
    ResolversTypes["Credential"],
    ParentType,
    ContextType,
    RequireFields<MutationSetApnsCredentialArgs, "appId" | "input">
  >
  setFcmCredential?: Resolver<
    ResolversTypes["Credential"],
    ParentType,
    ContextType,
    RequireFields<MutationSetFcmCredentialArgs, "appId" | "input">
  >
  setWebPushCredential?: Resolver<
    ResolversTypes["Credential"],
    ParentType,
    ContextType,
    RequireFields<MutationSetWebPushCredentialArgs, "appId" | "input">
  >
  setSmtpCredential?: Resolver<
    ResolversTypes["Credential"],
    ParentType,
    ContextType,
    RequireFields<MutationSetSmtpCredentialArgs, "appId" | "input">
  >
  checkCredential?: Resolver<
    ResolversTypes["CredentialCheck"],
    ParentType,
    ContextType,
    RequireFields<MutationCheckCredentialArgs, "appId" | "kind">
  >
  deleteCredential?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteCredentialArgs, "appId" | "kind">
  >
  replayDeadLetter?: Resolver<
    ResolversTypes["ReplayedDeadLetter"],
    ParentType,
    ContextType,
    RequireFields<MutationReplayDeadLetterArgs, "id">
  >
  replayDeadLetters?: Resolver<
    ResolversTypes["Replay"],
    ParentType,
    ContextType,
    RequireFields<MutationReplayDeadLettersArgs, "appId" | "input">
  >
  createHook?: Resolver<
    ResolversTypes["Hook"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateHookArgs, "appId" | "input">
  >
  updateHook?: Resolver<
    ResolversTypes["Hook"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateHookArgs, "id" | "input">
  >
  deleteHook?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType, RequireFields<MutationDeleteHookArgs, "id">>
  testHook?: Resolver<ResolversTypes["HookTest"], ParentType, ContextType, RequireFields<MutationTestHookArgs, "id">>
  redeliverHook?: Resolver<
    ResolversTypes["Redelivery"],
    ParentType,
    ContextType,
    RequireFields<MutationRedeliverHookArgs, "id" | "input">
  >
  createWorkflow?: Resolver<
    ResolversTypes["SavedWorkflow"],
    ParentType,
    ContextType,
    RequireFields<MutationCreateWorkflowArgs, "appId" | "input">
  >
  updateWorkflow?: Resolver<
    ResolversTypes["SavedWorkflow"],
    ParentType,
    ContextType,
    RequireFields<MutationUpdateWorkflowArgs, "id" | "input">
  >
  activateWorkflow?: Resolver<
    ResolversTypes["SavedWorkflow"],
    ParentType,
    ContextType,
    RequireFields<MutationActivateWorkflowArgs, "id">
  >
  archiveWorkflow?: Resolver<
    ResolversTypes["Workflow"],
    ParentType,
    ContextType,
    RequireFields<MutationArchiveWorkflowArgs, "id">
  >
  deleteWorkflow?: Resolver<
    ResolversTypes["Boolean"],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteWorkflowArgs, "id">
  >
  triggerWorkflow?: Resolver<
    ResolversTypes["TriggeredWorkflow"],
    ParentType,
    ContextType,
    RequireFields<MutationTriggerWorkflowArgs, "id" | "input">
  >
  cancelExecution?: Resolver<
    ResolversTypes["ExecutionSummary"],
    ParentType,
    ContextType,
    RequireFields<MutationCancelExecutionArgs, "id">
  >
  cancelExecutions?: Resolver<
    ResolversTypes["CancelledExecutions"],
    ParentType,
    ContextType,
    RequireFields<MutationCancelExecutionsArgs, "appId" | "input">
  >
  raiseEvent?: Resolver<
    ResolversTypes["RaisedEvent"],
    ParentType,
    ContextType,
    RequireFields<MutationRaiseEventArgs, "appId" | "input">
  >
}

export type PageInfoResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["PageInfo"] = ResolversParentTypes["PageInfo"]
> = {
  hasNextPage?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  hasPreviousPage?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  startCursor?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  endCursor?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type NotificationStatusResolvers = {
  SCHEDULED: "scheduled"
  QUEUED: "queued"
  SENDING: "sending"
  PAUSED: "paused"
  COMPLETED: "completed"
  CANCELLED: "cancelled"
}

export type PriorityResolvers = { HIGH: "high"; BULK: "bulk" }

export type WayResolvers = { PUSH: "push"; EMAIL: "email"; INBOX: "inbox" }

export type ProviderResolvers = { APNS: "apns"; FCM: "fcm"; WEBPUSH: "webpush"; SMTP: "smtp"; INBOX: "inbox" }

export type CountsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Counts"] = ResolversParentTypes["Counts"]
> = {
  accepted?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  pending?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  sent?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  failed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  skipped?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  cancelled?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  delivered?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  opened?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  clicked?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  machineOpened?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  machineClicked?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type NotificationSummaryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["NotificationSummary"] = ResolversParentTypes["NotificationSummary"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["NotificationStatus"], ParentType, ContextType>
  priority?: Resolver<ResolversTypes["Priority"], ParentType, ContextType>
  title?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  templateId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  workflowId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  workflowStep?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  counts?: Resolver<ResolversTypes["Counts"], ParentType, ContextType>
  sendAt?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  localTime?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  startedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  completedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type NotificationSummaryConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["NotificationSummaryConnection"] =
    ResolversParentTypes["NotificationSummaryConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["NotificationSummaryEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["NotificationSummary"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type NotificationSummaryEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["NotificationSummaryEdge"] = ResolversParentTypes["NotificationSummaryEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["NotificationSummary"], ParentType, ContextType>
}

export type AudienceResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Audience"] = ResolversParentTypes["Audience"]
> = {
  all?: Resolver<Maybe<ResolversTypes["Boolean"]>, ParentType, ContextType>
  deviceIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes["ID"]>>, ParentType, ContextType>
  userIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  channelIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes["ID"]>>, ParentType, ContextType>
  emails?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  tagsAny?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  tagsAll?: Resolver<Maybe<ReadonlyArray<ResolversTypes["String"]>>, ParentType, ContextType>
  platforms?: Resolver<Maybe<ReadonlyArray<ResolversTypes["Platform"]>>, ParentType, ContextType>
  timezone?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  locale?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  attributes?: Resolver<Maybe<ReadonlyArray<ResolversTypes["AttributeRule"]>>, ParentType, ContextType>
  segmentId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
}

export type OverridesResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Overrides"] = ResolversParentTypes["Overrides"]
> = {
  apns?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
  fcm?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
  web?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
}

export type TrackResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Track"] = ResolversParentTypes["Track"]
> = {
  opens?: Resolver<Maybe<ResolversTypes["Boolean"]>, ParentType, ContextType>
  clicks?: Resolver<Maybe<ResolversTypes["Boolean"]>, ParentType, ContextType>
}

export type SkippedIdsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SkippedIds"] = ResolversParentTypes["SkippedIds"]
> = {
  count?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  ids?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
}

export type NotificationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Notification"] = ResolversParentTypes["Notification"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["NotificationStatus"], ParentType, ContextType>
  priority?: Resolver<ResolversTypes["Priority"], ParentType, ContextType>
  title?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  templateId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  workflowId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  workflowStep?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  counts?: Resolver<ResolversTypes["Counts"], ParentType, ContextType>
  sendAt?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  localTime?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  startedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  completedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  to?: Resolver<ResolversTypes["Audience"], ParentType, ContextType>
  channels?: Resolver<Maybe<ReadonlyArray<ResolversTypes["Way"]>>, ParentType, ContextType>
  content?: Resolver<Maybe<ResolversTypes["Content"]>, ParentType, ContextType>
  variables?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
  ttl?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  timezone?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  collapseKey?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  overrides?: Resolver<Maybe<ResolversTypes["Overrides"]>, ParentType, ContextType>
  track?: Resolver<Maybe<ResolversTypes["Track"]>, ParentType, ContextType>
  skipped?: Resolver<Maybe<ResolversTypes["SkippedIds"]>, ParentType, ContextType>
}

export type AcceptedNotificationResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["AcceptedNotification"] = ResolversParentTypes["AcceptedNotification"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["NotificationStatus"], ParentType, ContextType>
  skipped?: Resolver<Maybe<ResolversTypes["SkippedIds"]>, ParentType, ContextType>
}

export type CredentialStateResolvers = { READY: "ready"; REFUSED: "refused"; MISSING: "missing" }

export type PayloadFitResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["PayloadFit"] = ResolversParentTypes["PayloadFit"]
> = {
  bytes?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  limit?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  fits?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
}

export type TemplateProblemCodeResolvers = { MISSING_VARIABLE: "missing_variable"; TEMPLATE_FAILED: "template_failed" }

export type TemplateProblemResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TemplateProblem"] = ResolversParentTypes["TemplateProblem"]
> = {
  field?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  code?: Resolver<ResolversTypes["TemplateProblemCode"], ParentType, ContextType>
  message?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type ProviderPreviewResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ProviderPreview"] = ResolversParentTypes["ProviderPreview"]
> = {
  provider?: Resolver<ResolversTypes["Provider"], ParentType, ContextType>
  recipients?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  credential?: Resolver<ResolversTypes["CredentialState"], ParentType, ContextType>
  payload?: Resolver<Maybe<ResolversTypes["PayloadFit"]>, ParentType, ContextType>
  sample?: Resolver<Maybe<ResolversTypes["Content"]>, ParentType, ContextType>
  problem?: Resolver<Maybe<ResolversTypes["TemplateProblem"]>, ParentType, ContextType>
}

export type NotificationPreviewResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["NotificationPreview"] = ResolversParentTypes["NotificationPreview"]
> = {
  recipients?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  isExact?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  providers?: Resolver<ReadonlyArray<ResolversTypes["ProviderPreview"]>, ParentType, ContextType>
  skipped?: Resolver<Maybe<ResolversTypes["SkippedIds"]>, ParentType, ContextType>
}

export type DeliveryStatusResolvers = { SENT: "sent"; FAILED: "failed"; SKIPPED: "skipped"; CANCELLED: "cancelled" }

export type DeliveryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Delivery"] = ResolversParentTypes["Delivery"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  deviceId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  channelId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  provider?: Resolver<ResolversTypes["Provider"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["DeliveryStatus"], ParentType, ContextType>
  messageId?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  completedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  deliveredAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  openedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  clickedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type OutcomeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Outcome"] = ResolversParentTypes["Outcome"]
> = {
  provider?: Resolver<ResolversTypes["Provider"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["DeliveryStatus"], ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  count?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type RetryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Retry"] = ResolversParentTypes["Retry"]
> = {
  provider?: Resolver<ResolversTypes["Provider"], ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  recipients?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  nextAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type DeliveryConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeliveryConnection"] = ResolversParentTypes["DeliveryConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["DeliveryEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Delivery"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type DeliveryEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeliveryEdge"] = ResolversParentTypes["DeliveryEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Delivery"], ParentType, ContextType>
}

export type CredentialKindResolvers = { APNS: "apns"; FCM: "fcm"; WEBPUSH: "webpush"; SMTP: "smtp" }

export type CredentialResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Credential"] = ResolversParentTypes["Credential"]
> = {
  kind?: Resolver<ResolversTypes["CredentialKind"], ParentType, ContextType>
  settings?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  suspendedReason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type CredentialCheckStatusResolvers = {
  ACCEPTED: "accepted"
  REFUSED: "refused"
  UNREACHABLE: "unreachable"
  UNASKED: "unasked"
}

export type CredentialCheckResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["CredentialCheck"] = ResolversParentTypes["CredentialCheck"]
> = {
  kind?: Resolver<ResolversTypes["CredentialKind"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["CredentialCheckStatus"], ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  checkedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type DeadLetterKindResolvers = { NOTIFICATION: "notification"; WEBHOOK: "webhook" }

export type ReplayObstacleResolvers = {
  WEBHOOK: "webhook"
  REPLAYED: "replayed"
  RECIPIENT_GONE: "recipient_gone"
  CONTENT_REFUSED: "content_refused"
}

export type DeadLetterResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeadLetter"] = ResolversParentTypes["DeadLetter"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  kind?: Resolver<ResolversTypes["DeadLetterKind"], ParentType, ContextType>
  error?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  canReplay?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  cannotReplayBecause?: Resolver<Maybe<ResolversTypes["ReplayObstacle"]>, ParentType, ContextType>
  notificationId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  notification?: Resolver<Maybe<ResolversTypes["NotificationSummary"]>, ParentType, ContextType>
  recipientId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  provider?: Resolver<Maybe<ResolversTypes["Provider"]>, ParentType, ContextType>
  webhookId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  eventId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  replayedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type DeadLetterConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeadLetterConnection"] = ResolversParentTypes["DeadLetterConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["DeadLetterEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["DeadLetter"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type DeadLetterEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeadLetterEdge"] = ResolversParentTypes["DeadLetterEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["DeadLetter"], ParentType, ContextType>
}

export type DeadLetterWithContentResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeadLetterWithContent"] = ResolversParentTypes["DeadLetterWithContent"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  kind?: Resolver<ResolversTypes["DeadLetterKind"], ParentType, ContextType>
  error?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  canReplay?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  cannotReplayBecause?: Resolver<Maybe<ResolversTypes["ReplayObstacle"]>, ParentType, ContextType>
  notificationId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  recipientId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  provider?: Resolver<Maybe<ResolversTypes["Provider"]>, ParentType, ContextType>
  webhookId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  eventId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  replayedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  event?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
  content?: Resolver<Maybe<ResolversTypes["Content"]>, ParentType, ContextType>
  templateId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  variables?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
}

export type DeadLetterFilterResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["DeadLetterFilter"] = ResolversParentTypes["DeadLetterFilter"]
> = {
  kind?: Resolver<Maybe<ResolversTypes["DeadLetterKind"]>, ParentType, ContextType>
  webhookId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  notificationId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  provider?: Resolver<Maybe<ResolversTypes["Provider"]>, ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  from?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  to?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type ReplayedDeadLetterResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ReplayedDeadLetter"] = ResolversParentTypes["ReplayedDeadLetter"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  notificationId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
}

export type ReplayResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Replay"] = ResolversParentTypes["Replay"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["BackgroundStatus"], ParentType, ContextType>
  filter?: Resolver<ResolversTypes["DeadLetterFilter"], ParentType, ContextType>
  replayed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  skipped?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  completedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type ReplayConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ReplayConnection"] = ResolversParentTypes["ReplayConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["ReplayEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Replay"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type ReplayEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ReplayEdge"] = ResolversParentTypes["ReplayEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Replay"], ParentType, ContextType>
}

export type HookResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Hook"] = ResolversParentTypes["Hook"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  url?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  events?: Resolver<ReadonlyArray<ResolversTypes["String"]>, ParentType, ContextType>
  isActive?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  disabledReason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  isSigned?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  signatureOverlapUntil?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type HookConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookConnection"] = ResolversParentTypes["HookConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["HookEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Hook"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type HookEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookEdge"] = ResolversParentTypes["HookEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Hook"], ParentType, ContextType>
}

export type HookDeliveryStatusResolvers = {
  DELIVERED: "delivered"
  PENDING: "pending"
  RETRYING: "retrying"
  EXHAUSTED: "exhausted"
}

export type HookAnswerResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookAnswer"] = ResolversParentTypes["HookAnswer"]
> = {
  responseStatus?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  latencyMs?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type HookDeliveryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookDelivery"] = ResolversParentTypes["HookDelivery"]
> = {
  eventId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  event?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["HookDeliveryStatus"], ParentType, ContextType>
  isPaused?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  attemptedAt?: Resolver<ReadonlyArray<ResolversTypes["DateTime"]>, ParentType, ContextType>
  answers?: Resolver<ReadonlyArray<ResolversTypes["HookAnswer"]>, ParentType, ContextType>
  responseStatus?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  latencyMs?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  nextAttemptAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  eventAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type HookDeliveryWithBodyResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookDeliveryWithBody"] = ResolversParentTypes["HookDeliveryWithBody"]
> = {
  eventId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  event?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["HookDeliveryStatus"], ParentType, ContextType>
  isPaused?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  attemptedAt?: Resolver<ReadonlyArray<ResolversTypes["DateTime"]>, ParentType, ContextType>
  answers?: Resolver<ReadonlyArray<ResolversTypes["HookAnswer"]>, ParentType, ContextType>
  responseStatus?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  latencyMs?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  nextAttemptAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  eventAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  body?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
}

export type RecipientHookDeliveryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["RecipientHookDelivery"] = ResolversParentTypes["RecipientHookDelivery"]
> = {
  webhookId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  eventId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  event?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["HookDeliveryStatus"], ParentType, ContextType>
  isPaused?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  attempts?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  attemptedAt?: Resolver<ReadonlyArray<ResolversTypes["DateTime"]>, ParentType, ContextType>
  answers?: Resolver<ReadonlyArray<ResolversTypes["HookAnswer"]>, ParentType, ContextType>
  responseStatus?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  latencyMs?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  nextAttemptAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  eventAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type HookDeliveryConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookDeliveryConnection"] = ResolversParentTypes["HookDeliveryConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["HookDeliveryEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["HookDelivery"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type HookDeliveryEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookDeliveryEdge"] = ResolversParentTypes["HookDeliveryEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["HookDelivery"], ParentType, ContextType>
}

export type HookTestResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["HookTest"] = ResolversParentTypes["HookTest"]
> = {
  delivered?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  responseStatus?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  latencyMs?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  eventId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  event?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type RedeliveredStatusResolvers = { EXHAUSTED: "exhausted"; DELIVERED: "delivered" }

export type RedeliveryWantedResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["RedeliveryWanted"] = ResolversParentTypes["RedeliveryWanted"]
> = {
  from?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  to?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  status?: Resolver<Maybe<ResolversTypes["RedeliveredStatus"]>, ParentType, ContextType>
  deliveryId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
}

export type BackgroundStatusResolvers = { RUNNING: "running"; COMPLETED: "completed" }

export type RedeliveryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Redelivery"] = ResolversParentTypes["Redelivery"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  webhookId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["BackgroundStatus"], ParentType, ContextType>
  redelivered?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  wanted?: Resolver<ResolversTypes["RedeliveryWanted"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  completedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type WorkflowStatusResolvers = { DRAFT: "draft"; ACTIVE: "active"; ARCHIVED: "archived" }

export type ReentryResolvers = { ALWAYS: "always"; WHEN_ENDED: "when_ended"; ONCE: "once" }

export type WorkflowResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Workflow"] = ResolversParentTypes["Workflow"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["WorkflowStatus"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  trigger?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  steps?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  reentry?: Resolver<ResolversTypes["Reentry"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
}

export type WorkflowConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowConnection"] = ResolversParentTypes["WorkflowConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["WorkflowEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["Workflow"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type WorkflowEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowEdge"] = ResolversParentTypes["WorkflowEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["Workflow"], ParentType, ContextType>
}

export type WorkflowWarningResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowWarning"] = ResolversParentTypes["WorkflowWarning"]
> = {
  field?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  message?: Resolver<ResolversTypes["String"], ParentType, ContextType>
}

export type SavedWorkflowResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["SavedWorkflow"] = ResolversParentTypes["SavedWorkflow"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  name?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["WorkflowStatus"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  trigger?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  steps?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  reentry?: Resolver<ResolversTypes["Reentry"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  updatedAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  warnings?: Resolver<ReadonlyArray<ResolversTypes["WorkflowWarning"]>, ParentType, ContextType>
}

export type WorkflowVersionSummaryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowVersionSummary"] = ResolversParentTypes["WorkflowVersionSummary"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  actor?: Resolver<ResolversTypes["AuditActor"], ParentType, ContextType>
  runs?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type WorkflowVersionSummaryConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowVersionSummaryConnection"] =
    ResolversParentTypes["WorkflowVersionSummaryConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["WorkflowVersionSummaryEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["WorkflowVersionSummary"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type WorkflowVersionSummaryEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowVersionSummaryEdge"] =
    ResolversParentTypes["WorkflowVersionSummaryEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["WorkflowVersionSummary"], ParentType, ContextType>
}

export type WorkflowVersionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowVersion"] = ResolversParentTypes["WorkflowVersion"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  actor?: Resolver<ResolversTypes["AuditActor"], ParentType, ContextType>
  runs?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  trigger?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  steps?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  reentry?: Resolver<ResolversTypes["Reentry"], ParentType, ContextType>
}

export type WorkflowStatisticsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowStatistics"] = ResolversParentTypes["WorkflowStatistics"]
> = {
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  steps?: Resolver<ReadonlyArray<ResolversTypes["WorkflowStepStatistics"]>, ParentType, ContextType>
}

export type WorkflowStepStatisticsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowStepStatistics"] = ResolversParentTypes["WorkflowStepStatistics"]
> = {
  stepOrder?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  key?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  type?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  entered?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  passed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  stopped?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  failed?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  waiting?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
}

export type TriggeredWorkflowResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TriggeredWorkflow"] = ResolversParentTypes["TriggeredWorkflow"]
> = {
  executions?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  executionId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
}

export type WorkflowDryRunResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["WorkflowDryRun"] = ResolversParentTypes["WorkflowDryRun"]
> = {
  status?: Resolver<ResolversTypes["ExecutionStatus"], ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  history?: Resolver<ReadonlyArray<ResolversTypes["ExecutionStep"]>, ParentType, ContextType>
  messages?: Resolver<ReadonlyArray<ResolversTypes["TriedMessage"]>, ParentType, ContextType>
}

export type TriedMessageResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["TriedMessage"] = ResolversParentTypes["TriedMessage"]
> = {
  key?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  content?: Resolver<Maybe<ResolversTypes["Content"]>, ParentType, ContextType>
  problem?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type ExecutionStatusResolvers = {
  RUNNING: "running"
  WAITING: "waiting"
  COMPLETED: "completed"
  FILTERED: "filtered"
  FAILED: "failed"
  CANCELLED: "cancelled"
}

export type CancelReasonResolvers = { OPERATOR: "operator"; ARCHIVED: "archived"; DELETED: "deleted" }

export type ExecutionSummaryResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ExecutionSummary"] = ResolversParentTypes["ExecutionSummary"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  workflowId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  userId?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["ExecutionStatus"], ParentType, ContextType>
  stepOrder?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  dueAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["CancelReason"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  endedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
}

export type ExecutionSummaryConnectionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ExecutionSummaryConnection"] =
    ResolversParentTypes["ExecutionSummaryConnection"]
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes["ExecutionSummaryEdge"]>, ParentType, ContextType>
  nodes?: Resolver<ReadonlyArray<ResolversTypes["ExecutionSummary"]>, ParentType, ContextType>
  pageInfo?: Resolver<ResolversTypes["PageInfo"], ParentType, ContextType>
}

export type ExecutionSummaryEdgeResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ExecutionSummaryEdge"] = ResolversParentTypes["ExecutionSummaryEdge"]
> = {
  cursor?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  node?: Resolver<ResolversTypes["ExecutionSummary"], ParentType, ContextType>
}

export type ExecutionResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Execution"] = ResolversParentTypes["Execution"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  workflowId?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
  version?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  userId?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  status?: Resolver<ResolversTypes["ExecutionStatus"], ParentType, ContextType>
  stepOrder?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  dueAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  error?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
  reason?: Resolver<Maybe<ResolversTypes["CancelReason"]>, ParentType, ContextType>
  createdAt?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  endedAt?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  data?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  steps?: Resolver<ResolversTypes["JSON"], ParentType, ContextType>
  history?: Resolver<ReadonlyArray<ResolversTypes["ExecutionStep"]>, ParentType, ContextType>
}

export type OpenExecutionStatusResolvers = { WAITING: "waiting"; RUNNING: "running" }

export type CancelledExecutionsResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["CancelledExecutions"] = ResolversParentTypes["CancelledExecutions"]
> = {
  cancelled?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  isDone?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
}

export type StepOutcomeResolvers = {
  PASSED: "passed"
  STOPPED: "stopped"
  WAITING: "waiting"
  SKIPPED: "skipped"
  MERGED: "merged"
  TIMED_OUT: "timed_out"
  FAILED: "failed"
  CANCELLED: "cancelled"
}

export type ExecutionStepResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["ExecutionStep"] = ResolversParentTypes["ExecutionStep"]
> = {
  at?: Resolver<ResolversTypes["DateTime"], ParentType, ContextType>
  stepOrder?: Resolver<ResolversTypes["Int"], ParentType, ContextType>
  outcome?: Resolver<ResolversTypes["StepOutcome"], ParentType, ContextType>
  findings?: Resolver<Maybe<ReadonlyArray<ResolversTypes["Finding"]>>, ParentType, ContextType>
  branch?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  until?: Resolver<Maybe<ResolversTypes["DateTime"]>, ParentType, ContextType>
  notificationId?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  mergedInto?: Resolver<Maybe<ResolversTypes["ID"]>, ParentType, ContextType>
  count?: Resolver<Maybe<ResolversTypes["Int"]>, ParentType, ContextType>
  detail?: Resolver<Maybe<ResolversTypes["String"]>, ParentType, ContextType>
}

export type FindingResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["Finding"] = ResolversParentTypes["Finding"]
> = {
  about?: Resolver<ResolversTypes["String"], ParentType, ContextType>
  fits?: Resolver<ResolversTypes["Boolean"], ParentType, ContextType>
  actual?: Resolver<Maybe<ResolversTypes["JSON"]>, ParentType, ContextType>
}

export type RaisedEventResolvers<
  ContextType = GraphqlContext,
  ParentType extends ResolversParentTypes["RaisedEvent"] = ResolversParentTypes["RaisedEvent"]
> = {
  id?: Resolver<ResolversTypes["ID"], ParentType, ContextType>
}

export type Resolvers<ContextType = GraphqlContext> = {
  Application?: ApplicationResolvers<ContextType>
  IssuedIdentitySecret?: IssuedIdentitySecretResolvers<ContextType>
  ApiKeyKind?: ApiKeyKindResolvers
  ApiKey?: ApiKeyResolvers<ContextType>
  ApiKeyConnection?: ApiKeyConnectionResolvers<ContextType>
  ApiKeyEdge?: ApiKeyEdgeResolvers<ContextType>
  CreatedApiKey?: CreatedApiKeyResolvers<ContextType>
  ActorKind?: ActorKindResolvers
  AuditActor?: AuditActorResolvers<ContextType>
  AuditEntry?: AuditEntryResolvers<ContextType>
  AuditEntryConnection?: AuditEntryConnectionResolvers<ContextType>
  AuditEntryEdge?: AuditEntryEdgeResolvers<ContextType>
  Platform?: PlatformResolvers
  Environment?: EnvironmentResolvers
  DeviceStatus?: DeviceStatusResolvers
  Device?: DeviceResolvers<ContextType>
  DeviceConnection?: DeviceConnectionResolvers<ContextType>
  DeviceEdge?: DeviceEdgeResolvers<ContextType>
  WriteResult?: WriteResultResolvers<ContextType>
  WriteError?: WriteErrorResolvers<ContextType>
  WriteErrorDetail?: WriteErrorDetailResolvers<ContextType>
  Created?: CreatedResolvers<ContextType>
  Preferences?: PreferencesResolvers<ContextType>
  Contact?: ContactResolvers<ContextType>
  ContactConnection?: ContactConnectionResolvers<ContextType>
  ContactEdge?: ContactEdgeResolvers<ContextType>
  TaggedContacts?: TaggedContactsResolvers<ContextType>
  ChannelKind?: ChannelKindResolvers
  ChannelStatus?: ChannelStatusResolvers
  Channel?: ChannelResolvers<ContextType>
  ChannelConnection?: ChannelConnectionResolvers<ContextType>
  ChannelEdge?: ChannelEdgeResolvers<ContextType>
  AttributeOperator?: AttributeOperatorResolvers
  EngagementType?: EngagementTypeResolvers
  AttributeRule?: AttributeRuleResolvers<ContextType>
  LastSeen?: LastSeenResolvers<ContextType>
  EngagementRule?: EngagementRuleResolvers<ContextType>
  SegmentFilter?: SegmentFilterResolvers<ContextType>
  Segment?: SegmentResolvers<ContextType>
  SegmentConnection?: SegmentConnectionResolvers<ContextType>
  SegmentEdge?: SegmentEdgeResolvers<ContextType>
  SegmentCount?: SegmentCountResolvers<ContextType>
  ImportKind?: ImportKindResolvers
  Happenings?: HappeningsResolvers<ContextType>
  StatsGroup?: StatsGroupResolvers<ContextType>
  StatsGrouping?: StatsGroupingResolvers
  Stats?: StatsResolvers<ContextType>
  ProviderCounts?: ProviderCountsResolvers<ContextType>
  PostedMessages?: PostedMessagesResolvers<ContextType>
  Subscription?: SubscriptionResolvers<ContextType>
  Content?: ContentResolvers<ContextType>
  MissingVariables?: MissingVariablesResolvers
  Template?: TemplateResolvers<ContextType>
  TemplateConnection?: TemplateConnectionResolvers<ContextType>
  TemplateEdge?: TemplateEdgeResolvers<ContextType>
  TemplateVersionSummary?: TemplateVersionSummaryResolvers<ContextType>
  TemplateVersion?: TemplateVersionResolvers<ContextType>
  TemplatePreview?: TemplatePreviewResolvers<ContextType>
  Role?: RoleResolvers
  Account?: AccountResolvers<ContextType>
  ExternalProvider?: ExternalProviderResolvers
  ExternalSignIn?: ExternalSignInResolvers<ContextType>
  PendingExternalSignIn?: PendingExternalSignInResolvers<ContextType>
  Registration?: RegistrationResolvers
  SignInOptions?: SignInOptionsResolvers<ContextType>
  Session?: SessionResolvers<ContextType>
  FirstApplication?: FirstApplicationResolvers<ContextType>
  ActiveSession?: ActiveSessionResolvers<ContextType>
  Operation?: OperationResolvers
  Organization?: OrganizationResolvers<ContextType>
  Member?: MemberResolvers<ContextType>
  MemberConnection?: MemberConnectionResolvers<ContextType>
  MemberEdge?: MemberEdgeResolvers<ContextType>
  Invitation?: InvitationResolvers<ContextType>
  InvitationPreview?: InvitationPreviewResolvers<ContextType>
  CreatedApplication?: CreatedApplicationResolvers<ContextType>
  ApplicationConnection?: ApplicationConnectionResolvers<ContextType>
  ApplicationEdge?: ApplicationEdgeResolvers<ContextType>
  OrganizationLogEntry?: OrganizationLogEntryResolvers<ContextType>
  OrganizationLogActor?: OrganizationLogActorResolvers<ContextType>
  OrganizationLogConnection?: OrganizationLogConnectionResolvers<ContextType>
  OrganizationLogEdge?: OrganizationLogEdgeResolvers<ContextType>
  JSON?: GraphQLScalarType
  DateTime?: GraphQLScalarType
  Query?: QueryResolvers<ContextType>
  Mutation?: MutationResolvers<ContextType>
  PageInfo?: PageInfoResolvers<ContextType>
  NotificationStatus?: NotificationStatusResolvers
  Priority?: PriorityResolvers
  Way?: WayResolvers
  Provider?: ProviderResolvers
  Counts?: CountsResolvers<ContextType>
  NotificationSummary?: NotificationSummaryResolvers<ContextType>
  NotificationSummaryConnection?: NotificationSummaryConnectionResolvers<ContextType>
  NotificationSummaryEdge?: NotificationSummaryEdgeResolvers<ContextType>
  Audience?: AudienceResolvers<ContextType>
  Overrides?: OverridesResolvers<ContextType>
  Track?: TrackResolvers<ContextType>
  SkippedIds?: SkippedIdsResolvers<ContextType>
  Notification?: NotificationResolvers<ContextType>
  AcceptedNotification?: AcceptedNotificationResolvers<ContextType>
  CredentialState?: CredentialStateResolvers
  PayloadFit?: PayloadFitResolvers<ContextType>
  TemplateProblemCode?: TemplateProblemCodeResolvers
  TemplateProblem?: TemplateProblemResolvers<ContextType>
  ProviderPreview?: ProviderPreviewResolvers<ContextType>
  NotificationPreview?: NotificationPreviewResolvers<ContextType>
  DeliveryStatus?: DeliveryStatusResolvers
  Delivery?: DeliveryResolvers<ContextType>
  Outcome?: OutcomeResolvers<ContextType>
  Retry?: RetryResolvers<ContextType>
  DeliveryConnection?: DeliveryConnectionResolvers<ContextType>
  DeliveryEdge?: DeliveryEdgeResolvers<ContextType>
  CredentialKind?: CredentialKindResolvers
  Credential?: CredentialResolvers<ContextType>
  CredentialCheckStatus?: CredentialCheckStatusResolvers
  CredentialCheck?: CredentialCheckResolvers<ContextType>
  DeadLetterKind?: DeadLetterKindResolvers
  ReplayObstacle?: ReplayObstacleResolvers
  DeadLetter?: DeadLetterResolvers<ContextType>
  DeadLetterConnection?: DeadLetterConnectionResolvers<ContextType>
  DeadLetterEdge?: DeadLetterEdgeResolvers<ContextType>
  DeadLetterWithContent?: DeadLetterWithContentResolvers<ContextType>
  DeadLetterFilter?: DeadLetterFilterResolvers<ContextType>
  ReplayedDeadLetter?: ReplayedDeadLetterResolvers<ContextType>
  Replay?: ReplayResolvers<ContextType>
  ReplayConnection?: ReplayConnectionResolvers<ContextType>
  ReplayEdge?: ReplayEdgeResolvers<ContextType>
  Hook?: HookResolvers<ContextType>
  HookConnection?: HookConnectionResolvers<ContextType>
  HookEdge?: HookEdgeResolvers<ContextType>
  HookDeliveryStatus?: HookDeliveryStatusResolvers
  HookAnswer?: HookAnswerResolvers<ContextType>
  HookDelivery?: HookDeliveryResolvers<ContextType>
  HookDeliveryWithBody?: HookDeliveryWithBodyResolvers<ContextType>
  RecipientHookDelivery?: RecipientHookDeliveryResolvers<ContextType>
  HookDeliveryConnection?: HookDeliveryConnectionResolvers<ContextType>
  HookDeliveryEdge?: HookDeliveryEdgeResolvers<ContextType>
  HookTest?: HookTestResolvers<ContextType>
  RedeliveredStatus?: RedeliveredStatusResolvers
  RedeliveryWanted?: RedeliveryWantedResolvers<ContextType>
  BackgroundStatus?: BackgroundStatusResolvers
  Redelivery?: RedeliveryResolvers<ContextType>
  WorkflowStatus?: WorkflowStatusResolvers
  Reentry?: ReentryResolvers
  Workflow?: WorkflowResolvers<ContextType>
  WorkflowConnection?: WorkflowConnectionResolvers<ContextType>
  WorkflowEdge?: WorkflowEdgeResolvers<ContextType>
  WorkflowWarning?: WorkflowWarningResolvers<ContextType>
  SavedWorkflow?: SavedWorkflowResolvers<ContextType>
  WorkflowVersionSummary?: WorkflowVersionSummaryResolvers<ContextType>
  WorkflowVersionSummaryConnection?: WorkflowVersionSummaryConnectionResolvers<ContextType>
  WorkflowVersionSummaryEdge?: WorkflowVersionSummaryEdgeResolvers<ContextType>
  WorkflowVersion?: WorkflowVersionResolvers<ContextType>
  WorkflowStatistics?: WorkflowStatisticsResolvers<ContextType>
  WorkflowStepStatistics?: WorkflowStepStatisticsResolvers<ContextType>
  TriggeredWorkflow?: TriggeredWorkflowResolvers<ContextType>
  WorkflowDryRun?: WorkflowDryRunResolvers<ContextType>
  TriedMessage?: TriedMessageResolvers<ContextType>
  ExecutionStatus?: ExecutionStatusResolvers
  CancelReason?: CancelReasonResolvers
  ExecutionSummary?: ExecutionSummaryResolvers<ContextType>
  ExecutionSummaryConnection?: ExecutionSummaryConnectionResolvers<ContextType>
  ExecutionSummaryEdge?: ExecutionSummaryEdgeResolvers<ContextType>
  Execution?: ExecutionResolvers<ContextType>
  OpenExecutionStatus?: OpenExecutionStatusResolvers
  CancelledExecutions?: CancelledExecutionsResolvers<ContextType>
  StepOutcome?: StepOutcomeResolvers
  ExecutionStep?: ExecutionStepResolvers<ContextType>
  Finding?: FindingResolvers<ContextType>
  RaisedEvent?: RaisedEventResolvers<ContextType>
}

export type DirectiveResolvers<ContextType = GraphqlContext> = {
  rest?: RestDirectiveResolver<any, any, ContextType>
}
