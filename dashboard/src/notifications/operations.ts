// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type AttributeOperator =
  | "CONTAINS"
  | "EQUALS"
  | "EXISTS"
  | "GREATER"
  | "GREATER_OR_EQUAL"
  | "IN"
  | "LESS"
  | "LESS_OR_EQUAL"
  | "NOT_EQUALS"
  | "NOT_EXISTS"

export type BackgroundStatus = "COMPLETED" | "RUNNING"

export type DeliveryStatus = "CANCELLED" | "FAILED" | "SENT" | "SKIPPED"

export type HookDeliveryStatus = "DELIVERED" | "EXHAUSTED" | "PENDING" | "RETRYING"

export type NotificationStatus = "CANCELLED" | "COMPLETED" | "PAUSED" | "QUEUED" | "SCHEDULED" | "SENDING"

export type Platform = "ANDROID" | "IOS" | "WEB"

export type Priority = "BULK" | "HIGH"

export type Provider = "APNS" | "FCM" | "INBOX" | "SMTP" | "WEBPUSH"

export type Way = "EMAIL" | "INBOX" | "PUSH"

export type NumbersFragment = {
  readonly accepted: number
  readonly pending: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
  readonly delivered: number
  readonly opened: number
  readonly machineOpened: number
  readonly clicked: number
  readonly machineClicked: number
}

export type NotificationsQueryVariables = Exact<{
  appId: string
  status?: NotificationStatus | null | undefined
  createdFrom?: string | null | undefined
  createdTo?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type NotificationsQuery = {
  readonly notifications: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly status: NotificationStatus
      readonly priority: Priority
      readonly templateId: string | null
      readonly workflowId: string | null
      readonly workflowStep: string | null
      readonly sendAt: string | null
      readonly localTime: string | null
      readonly createdAt: string
      readonly startedAt: string | null
      readonly completedAt: string | null
      readonly counts: {
        readonly accepted: number
        readonly pending: number
        readonly sent: number
        readonly failed: number
        readonly skipped: number
        readonly cancelled: number
        readonly delivered: number
        readonly opened: number
        readonly machineOpened: number
        readonly clicked: number
        readonly machineClicked: number
      }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type NotificationQueryVariables = Exact<{
  id: string
}>

export type NotificationQuery = {
  readonly notification: {
    readonly id: string
    readonly title: string | null
    readonly status: NotificationStatus
    readonly priority: Priority
    readonly sendAt: string | null
    readonly localTime: string | null
    readonly timezone: string | null
    readonly createdAt: string
    readonly startedAt: string | null
    readonly completedAt: string | null
    readonly updatedAt: string | null
    readonly templateId: string | null
    readonly workflowId: string | null
    readonly workflowStep: string | null
    readonly variables: unknown
    readonly channels: ReadonlyArray<Way> | null
    readonly collapseKey: string | null
    readonly ttl: number | null
    readonly content: {
      readonly title: string | null
      readonly body: string | null
      readonly url: string | null
      readonly image: string | null
      readonly subject: string | null
      readonly html: string | null
      readonly data: unknown
    } | null
    readonly to: {
      readonly all: boolean | null
      readonly channelIds: ReadonlyArray<string> | null
      readonly deviceIds: ReadonlyArray<string> | null
      readonly emails: ReadonlyArray<string> | null
      readonly locale: string | null
      readonly platforms: ReadonlyArray<Platform> | null
      readonly segmentId: string | null
      readonly tagsAll: ReadonlyArray<string> | null
      readonly tagsAny: ReadonlyArray<string> | null
      readonly timezone: string | null
      readonly userIds: ReadonlyArray<string> | null
      readonly attributes: ReadonlyArray<{
        readonly name: string
        readonly op: AttributeOperator
        readonly value: unknown
      }> | null
    }
    readonly counts: {
      readonly accepted: number
      readonly pending: number
      readonly sent: number
      readonly failed: number
      readonly skipped: number
      readonly cancelled: number
      readonly delivered: number
      readonly opened: number
      readonly machineOpened: number
      readonly clicked: number
      readonly machineClicked: number
    }
  } | null
}

export type NotificationLiveSubscriptionVariables = Exact<{
  id: string
}>

export type NotificationLiveSubscription = {
  readonly notificationChanged: {
    readonly status: NotificationStatus
    readonly startedAt: string | null
    readonly completedAt: string | null
    readonly updatedAt: string | null
    readonly counts: {
      readonly accepted: number
      readonly pending: number
      readonly sent: number
      readonly failed: number
      readonly skipped: number
      readonly cancelled: number
      readonly delivered: number
      readonly opened: number
      readonly machineOpened: number
      readonly clicked: number
      readonly machineClicked: number
    }
  }
}

export type ByProviderQueryVariables = Exact<{
  notificationId: string
}>

export type ByProviderQuery = {
  readonly notificationStats: ReadonlyArray<{
    readonly provider: Provider
    readonly accepted: number
    readonly pending: number
    readonly sent: number
    readonly failed: number
    readonly skipped: number
    readonly cancelled: number
  }>
}

export type DeliveriesQueryVariables = Exact<{
  notificationId: string
  status?: DeliveryStatus | null | undefined
  error?: string | null | undefined
  userId?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type DeliveriesQuery = {
  readonly deliveries: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly deviceId: string | null
      readonly channelId: string | null
      readonly provider: Provider
      readonly status: DeliveryStatus
      readonly error: string | null
      readonly attempts: number
      readonly messageId: string | null
      readonly completedAt: string
      readonly deliveredAt: string | null
      readonly openedAt: string | null
      readonly clickedAt: string | null
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type PersonOfDeviceQueryVariables = Exact<{
  id: string
}>

export type PersonOfDeviceQuery = {
  readonly device: {
    readonly userId: string | null
    readonly contact: { readonly id: string; readonly externalId: string; readonly email: string | null } | null
  } | null
}

export type PersonOfChannelQueryVariables = Exact<{
  id: string
}>

export type PersonOfChannelQuery = {
  readonly channel: {
    readonly address: string | null
    readonly contact: { readonly id: string; readonly externalId: string; readonly email: string | null } | null
  } | null
}

export type PersonByAddressQueryVariables = Exact<{
  appId: string
  address: string
}>

export type PersonByAddressQuery = {
  readonly byId: { readonly nodes: ReadonlyArray<{ readonly externalId: string }> }
  readonly byAddress: { readonly nodes: ReadonlyArray<{ readonly contact: { readonly externalId: string } | null }> }
}

export type ToldOfQueryVariables = Exact<{
  notificationId: string
  recipientId: string
}>

export type ToldOfQuery = {
  readonly recipientHookDeliveries: ReadonlyArray<{
    readonly webhookId: string
    readonly eventId: string
    readonly event: string
    readonly eventAt: string
    readonly status: HookDeliveryStatus
    readonly isPaused: boolean
    readonly attempts: number
    readonly attemptedAt: ReadonlyArray<string>
    readonly responseStatus: number | null
    readonly reason: string | null
    readonly nextAttemptAt: string | null
  }>
}

export type HookNamesQueryVariables = Exact<{
  appId: string
}>

export type HookNamesQuery = {
  readonly hooks: { readonly nodes: ReadonlyArray<{ readonly id: string; readonly name: string }> }
}

export type OutcomesQueryVariables = Exact<{
  notificationId: string
}>

export type OutcomesQuery = {
  readonly outcomes: ReadonlyArray<{
    readonly provider: Provider
    readonly status: DeliveryStatus
    readonly error: string | null
    readonly count: number
  }>
}

export type RetriesQueryVariables = Exact<{
  notificationId: string
}>

export type RetriesQuery = {
  readonly retries: ReadonlyArray<{
    readonly provider: Provider
    readonly error: string | null
    readonly attempts: number
    readonly recipients: number
    readonly nextAt: string | null
  }>
}

export type PauseMutationVariables = Exact<{
  id: string
}>

export type PauseMutation = { readonly pauseNotification: { readonly id: string; readonly status: NotificationStatus } }

export type ResumeMutationVariables = Exact<{
  id: string
}>

export type ResumeMutation = {
  readonly resumeNotification: { readonly id: string; readonly status: NotificationStatus }
}

export type CancelMutationVariables = Exact<{
  id: string
}>

export type CancelMutation = {
  readonly cancelNotification: { readonly id: string; readonly status: NotificationStatus }
}

export type ReplayFailedMutationVariables = Exact<{
  appId: string
  notificationId: string
}>

export type ReplayFailedMutation = {
  readonly replayDeadLetters: {
    readonly id: string
    readonly status: BackgroundStatus
    readonly replayed: number
    readonly skipped: number
  }
}

export type ReplayProgressQueryVariables = Exact<{
  id: string
}>

export type ReplayProgressQuery = {
  readonly replay: {
    readonly id: string
    readonly status: BackgroundStatus
    readonly replayed: number
    readonly skipped: number
  } | null
}

export type WorkflowNameQueryVariables = Exact<{
  id: string
}>

export type WorkflowNameQuery = { readonly workflow: { readonly id: string; readonly name: string } | null }

export type TemplateNameQueryVariables = Exact<{
  id: string
}>

export type TemplateNameQuery = { readonly template: { readonly id: string; readonly name: string } | null }

export const notifications: TypedDocument<NotificationsQuery, NotificationsQueryVariables> = typed(
  "query Notifications($appId:ID!$status:NotificationStatus$createdFrom:DateTime$createdTo:DateTime$first:Int$after:String){notifications(appId:$appId status:$status createdFrom:$createdFrom createdTo:$createdTo first:$first after:$after){nodes{id title status priority templateId workflowId workflowStep sendAt localTime createdAt startedAt completedAt counts{...Numbers}}pageInfo{hasNextPage endCursor}}}fragment Numbers on Counts{accepted pending sent failed skipped cancelled delivered opened machineOpened clicked machineClicked}"
)
export const notification: TypedDocument<NotificationQuery, NotificationQueryVariables> = typed(
  "query Notification($id:ID!){notification(id:$id){id title status priority sendAt localTime timezone createdAt startedAt completedAt updatedAt templateId workflowId workflowStep variables channels collapseKey ttl content{title body url image subject html data}to{all attributes{name op value}channelIds deviceIds emails locale platforms segmentId tagsAll tagsAny timezone userIds}counts{...Numbers}}}fragment Numbers on Counts{accepted pending sent failed skipped cancelled delivered opened machineOpened clicked machineClicked}"
)
export const notificationLive: TypedDocument<NotificationLiveSubscription, NotificationLiveSubscriptionVariables> =
  typed(
    "subscription NotificationLive($id:ID!){notificationChanged(id:$id){status startedAt completedAt updatedAt counts{...Numbers}}}fragment Numbers on Counts{accepted pending sent failed skipped cancelled delivered opened machineOpened clicked machineClicked}"
  )
export const byProvider: TypedDocument<ByProviderQuery, ByProviderQueryVariables> = typed(
  "query ByProvider($notificationId:ID!){notificationStats(notificationId:$notificationId){provider accepted pending sent failed skipped cancelled}}"
)
export const deliveries: TypedDocument<DeliveriesQuery, DeliveriesQueryVariables> = typed(
  "query Deliveries($notificationId:ID!$status:DeliveryStatus$error:String$userId:String$first:Int$after:String){deliveries(notificationId:$notificationId status:$status error:$error userId:$userId first:$first after:$after){nodes{id deviceId channelId provider status error attempts messageId completedAt deliveredAt openedAt clickedAt}pageInfo{hasNextPage endCursor}}}"
)
export const personOfDevice: TypedDocument<PersonOfDeviceQuery, PersonOfDeviceQueryVariables> = typed(
  "query PersonOfDevice($id:ID!){device(id:$id){userId contact{id externalId email}}}"
)
export const personOfChannel: TypedDocument<PersonOfChannelQuery, PersonOfChannelQueryVariables> = typed(
  "query PersonOfChannel($id:ID!){channel(id:$id){address contact{id externalId email}}}"
)
export const personByAddress: TypedDocument<PersonByAddressQuery, PersonByAddressQueryVariables> = typed(
  "query PersonByAddress($appId:ID!$address:String!){byId:contacts(appId:$appId externalId:$address first:1){nodes{externalId}}byAddress:channels(appId:$appId address:$address first:1){nodes{contact{externalId}}}}"
)
export const toldOf: TypedDocument<ToldOfQuery, ToldOfQueryVariables> = typed(
  "query ToldOf($notificationId:ID!$recipientId:ID!){recipientHookDeliveries(notificationId:$notificationId recipientId:$recipientId){webhookId eventId event eventAt status isPaused attempts attemptedAt responseStatus reason nextAttemptAt}}"
)
export const hookNames: TypedDocument<HookNamesQuery, HookNamesQueryVariables> = typed(
  "query HookNames($appId:ID!){hooks(appId:$appId first:100){nodes{id name}}}"
)
export const outcomes: TypedDocument<OutcomesQuery, OutcomesQueryVariables> = typed(
  "query Outcomes($notificationId:ID!){outcomes(notificationId:$notificationId){provider status error count}}"
)
export const retries: TypedDocument<RetriesQuery, RetriesQueryVariables> = typed(
  "query Retries($notificationId:ID!){retries(notificationId:$notificationId){provider error attempts recipients nextAt}}"
)
export const pause: TypedDocument<PauseMutation, PauseMutationVariables> = typed(
  "mutation Pause($id:ID!){pauseNotification(id:$id){id status}}"
)
export const resume: TypedDocument<ResumeMutation, ResumeMutationVariables> = typed(
  "mutation Resume($id:ID!){resumeNotification(id:$id){id status}}"
)
export const cancel: TypedDocument<CancelMutation, CancelMutationVariables> = typed(
  "mutation Cancel($id:ID!){cancelNotification(id:$id){id status}}"
)
export const replayFailed: TypedDocument<ReplayFailedMutation, ReplayFailedMutationVariables> = typed(
  "mutation ReplayFailed($appId:ID!$notificationId:ID!){replayDeadLetters(appId:$appId input:{notificationId:$notificationId kind:NOTIFICATION}){id status replayed skipped}}"
)
export const replayProgress: TypedDocument<ReplayProgressQuery, ReplayProgressQueryVariables> = typed(
  "query ReplayProgress($id:ID!){replay(id:$id){id status replayed skipped}}"
)
export const workflowName: TypedDocument<WorkflowNameQuery, WorkflowNameQueryVariables> = typed(
  "query WorkflowName($id:ID!){workflow(id:$id){id name}}"
)
export const templateName: TypedDocument<TemplateNameQuery, TemplateNameQueryVariables> = typed(
  "query TemplateName($id:ID!){template(id:$id){id name}}"
)
