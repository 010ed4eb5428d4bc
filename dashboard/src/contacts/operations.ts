// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ChannelKind = "EMAIL" | "INBOX"

export type ChannelStatus = "ACTIVE" | "SUPPRESSED" | "UNSUBSCRIBED"

/**
 * Fields that are left out keep their value; null removes it. `tags` and `attributes` are replaced whole, by an empty list
 * or object where none are to be left.
 */
export type ContactChanges = {
  readonly attributes?: unknown
  readonly email?: string | null | undefined
  readonly locale?: string | null | undefined
  readonly tags?: ReadonlyArray<string> | null | undefined
  readonly timezone?: string | null | undefined
}

/**
 * Fields that are left out keep their value; null removes it. `tags` and `attributes` are replaced whole, by an empty list
 * or object where none are to be left.
 */
export type ContactInput = {
  readonly attributes?: unknown
  readonly email?: string | null | undefined
  readonly externalId: string
  readonly locale?: string | null | undefined
  readonly tags?: ReadonlyArray<string> | null | undefined
  readonly timezone?: string | null | undefined
}

export type DeliveryStatus = "CANCELLED" | "FAILED" | "SENT" | "SKIPPED"

export type DeviceStatus =
  | "ACTIVE"
  /** The push service says that the token is dead. */
  | "INVALID"

export type Environment = "PRODUCTION" | "SANDBOX"

export type ExecutionStatus = "CANCELLED" | "COMPLETED" | "FAILED" | "FILTERED" | "RUNNING" | "WAITING"

export type NotificationStatus = "CANCELLED" | "COMPLETED" | "PAUSED" | "QUEUED" | "SCHEDULED" | "SENDING"

export type Platform = "ANDROID" | "IOS" | "WEB"

export type PreferenceChanges = {
  /** For every kind that is not named beside it. */
  readonly all?: boolean | null | undefined
  readonly email?: boolean | null | undefined
  readonly inbox?: boolean | null | undefined
  readonly push?: boolean | null | undefined
}

export type Provider = "APNS" | "FCM" | "INBOX" | "SMTP" | "WEBPUSH"

export type ContactRowFragment = {
  readonly id: string
  readonly externalId: string
  readonly email: string | null
  readonly tags: ReadonlyArray<string>
  readonly locale: string | null
  readonly timezone: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type ContactsQueryVariables = Exact<{
  appId: string
  tag?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type ContactsQuery = {
  readonly contacts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly externalId: string
      readonly email: string | null
      readonly tags: ReadonlyArray<string>
      readonly locale: string | null
      readonly timezone: string | null
      readonly createdAt: string
      readonly updatedAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type KnownQueryVariables = Exact<{
  appId: string
  externalId: string
}>

export type KnownQuery = { readonly contacts: { readonly nodes: ReadonlyArray<{ readonly id: string }> } }

export type FindContactsQueryVariables = Exact<{
  appId: string
  text: string
  isAddress: boolean
  after?: string | null | undefined
}>

export type FindContactsQuery = {
  readonly contacts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly externalId: string
      readonly email: string | null
      readonly tags: ReadonlyArray<string>
      readonly locale: string | null
      readonly timezone: string | null
      readonly createdAt: string
      readonly updatedAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
  readonly byAddress?: {
    readonly nodes: ReadonlyArray<{
      readonly contact: {
        readonly id: string
        readonly externalId: string
        readonly email: string | null
        readonly tags: ReadonlyArray<string>
        readonly locale: string | null
        readonly timezone: string | null
        readonly createdAt: string
        readonly updatedAt: string
      } | null
    }>
  }
}

export type ContactQueryVariables = Exact<{
  id: string
}>

export type ContactQuery = {
  readonly contact: {
    readonly attributes: unknown
    readonly id: string
    readonly externalId: string
    readonly email: string | null
    readonly tags: ReadonlyArray<string>
    readonly locale: string | null
    readonly timezone: string | null
    readonly createdAt: string
    readonly updatedAt: string
    readonly preferences: { readonly push: boolean; readonly email: boolean; readonly inbox: boolean }
    readonly devices: ReadonlyArray<{
      readonly id: string
      readonly platform: Platform
      readonly environment: Environment
      readonly status: DeviceStatus
      readonly invalidReason: string | null
      readonly timezone: string | null
      readonly tags: ReadonlyArray<string>
      readonly lastSeenAt: string
    }>
    readonly channels: ReadonlyArray<{
      readonly id: string
      readonly kind: ChannelKind
      readonly address: string | null
      readonly status: ChannelStatus
      readonly createdAt: string
    }>
  } | null
}

export type LatestNotificationsQueryVariables = Exact<{
  appId: string
  after?: string | null | undefined
}>

export type LatestNotificationsQuery = {
  readonly notifications: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly status: NotificationStatus
      readonly templateId: string | null
      readonly workflowId: string | null
      readonly workflowStep: string | null
      readonly createdAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type DeliveriesOfOneQueryVariables = Exact<{
  notificationId: string
  userId: string
}>

export type DeliveriesOfOneQuery = {
  readonly deliveries: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly deviceId: string | null
      readonly channelId: string | null
      readonly provider: Provider
      readonly status: DeliveryStatus
      readonly error: string | null
      readonly completedAt: string
      readonly deliveredAt: string | null
      readonly openedAt: string | null
      readonly clickedAt: string | null
    }>
  }
}

export type RunsQueryVariables = Exact<{
  appId: string
  userId: string
  after?: string | null | undefined
}>

export type RunsQuery = {
  readonly executions: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly workflowId: string
      readonly version: number
      readonly status: ExecutionStatus
      readonly stepOrder: number | null
      readonly error: string | null
      readonly createdAt: string
      readonly dueAt: string | null
      readonly endedAt: string | null
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type WorkflowNamesQueryVariables = Exact<{
  appId: string
}>

export type WorkflowNamesQuery = {
  readonly workflows: { readonly nodes: ReadonlyArray<{ readonly id: string; readonly name: string }> }
}

export type UpsertContactMutationVariables = Exact<{
  appId: string
  input: ContactInput
}>

export type UpsertContactMutation = { readonly upsertContact: { readonly id: string; readonly created: boolean } }

export type UpdateContactMutationVariables = Exact<{
  id: string
  input: ContactChanges
}>

export type UpdateContactMutation = { readonly updateContact: { readonly id: string } }

export type DeleteContactMutationVariables = Exact<{
  id: string
}>

export type DeleteContactMutation = { readonly deleteContact: boolean }

export type ChangePreferencesMutationVariables = Exact<{
  id: string
  input: PreferenceChanges
}>

export type ChangePreferencesMutation = {
  readonly updateContactPreferences: { readonly push: boolean; readonly email: boolean; readonly inbox: boolean }
}

export type ChangeChannelMutationVariables = Exact<{
  id: string
  status: ChannelStatus
}>

export type ChangeChannelMutation = { readonly updateChannel: { readonly id: string; readonly status: ChannelStatus } }

export const contacts: TypedDocument<ContactsQuery, ContactsQueryVariables> = typed(
  "query Contacts($appId:ID!$tag:String$first:Int$after:String){contacts(appId:$appId tag:$tag first:$first after:$after){nodes{...ContactRow}pageInfo{hasNextPage endCursor}}}fragment ContactRow on Contact{id externalId email tags locale timezone createdAt updatedAt}"
)
export const known: TypedDocument<KnownQuery, KnownQueryVariables> = typed(
  "query Known($appId:ID!$externalId:String!){contacts(appId:$appId externalId:$externalId first:1){nodes{id}}}"
)
export const findContacts: TypedDocument<FindContactsQuery, FindContactsQueryVariables> = typed(
  "query FindContacts($appId:ID!$text:String!$isAddress:Boolean!$after:String){contacts(appId:$appId search:$text first:50 after:$after){nodes{...ContactRow}pageInfo{hasNextPage endCursor}}byAddress:channels(appId:$appId address:$text first:1)@include(if:$isAddress){nodes{contact{...ContactRow}}}}fragment ContactRow on Contact{id externalId email tags locale timezone createdAt updatedAt}"
)
export const contact: TypedDocument<ContactQuery, ContactQueryVariables> = typed(
  "query Contact($id:ID!){contact(id:$id){...ContactRow attributes preferences{push email inbox}devices(first:50){id platform environment status invalidReason timezone tags lastSeenAt}channels(first:50){id kind address status createdAt}}}fragment ContactRow on Contact{id externalId email tags locale timezone createdAt updatedAt}"
)
export const latestNotifications: TypedDocument<LatestNotificationsQuery, LatestNotificationsQueryVariables> = typed(
  "query LatestNotifications($appId:ID!$after:String){notifications(appId:$appId first:10 after:$after){nodes{id title status templateId workflowId workflowStep createdAt}pageInfo{hasNextPage endCursor}}}"
)
export const deliveriesOfOne: TypedDocument<DeliveriesOfOneQuery, DeliveriesOfOneQueryVariables> = typed(
  "query DeliveriesOfOne($notificationId:ID!$userId:String!){deliveries(notificationId:$notificationId userId:$userId first:20){nodes{id deviceId channelId provider status error completedAt deliveredAt openedAt clickedAt}}}"
)
export const runs: TypedDocument<RunsQuery, RunsQueryVariables> = typed(
  "query Runs($appId:ID!$userId:String!$after:String){executions(appId:$appId userId:$userId first:10 after:$after){nodes{id workflowId version status stepOrder error createdAt dueAt endedAt}pageInfo{hasNextPage endCursor}}}"
)
export const workflowNames: TypedDocument<WorkflowNamesQuery, WorkflowNamesQueryVariables> = typed(
  "query WorkflowNames($appId:ID!){workflows(appId:$appId first:100){nodes{id name}}}"
)
export const upsertContact: TypedDocument<UpsertContactMutation, UpsertContactMutationVariables> = typed(
  "mutation UpsertContact($appId:ID!$input:ContactInput!){upsertContact(appId:$appId input:$input){id created}}"
)
export const updateContact: TypedDocument<UpdateContactMutation, UpdateContactMutationVariables> = typed(
  "mutation UpdateContact($id:ID!$input:ContactChanges!){updateContact(id:$id input:$input){id}}"
)
export const deleteContact: TypedDocument<DeleteContactMutation, DeleteContactMutationVariables> = typed(
  "mutation DeleteContact($id:ID!){deleteContact(id:$id)}"
)
export const changePreferences: TypedDocument<ChangePreferencesMutation, ChangePreferencesMutationVariables> = typed(
  "mutation ChangePreferences($id:ID!$input:PreferenceChanges!){updateContactPreferences(id:$id input:$input){push email inbox}}"
)
export const changeChannel: TypedDocument<ChangeChannelMutation, ChangeChannelMutationVariables> = typed(
  "mutation ChangeChannel($id:ID!$status:ChannelStatus!){updateChannel(id:$id input:{status:$status}){id status}}"
)
