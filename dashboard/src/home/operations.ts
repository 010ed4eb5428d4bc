// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ApiKeyKind = "PUBLIC" | "SECRET"

export type CredentialKind = "APNS" | "FCM" | "SMTP" | "WEBPUSH"

export type DeadLetterKind = "NOTIFICATION" | "WEBHOOK"

export type NotificationStatus = "CANCELLED" | "COMPLETED" | "PAUSED" | "QUEUED" | "SCHEDULED" | "SENDING"

export type Provider = "APNS" | "FCM" | "INBOX" | "SMTP" | "WEBPUSH"

export type DaysQueryVariables = Exact<{
  appId: string
  from?: string | null | undefined
  to?: string | null | undefined
}>

export type DaysQuery = {
  readonly stats: {
    readonly from: string
    readonly to: string
    readonly data: ReadonlyArray<{
      readonly day: string | null
      readonly provider: Provider | null
      readonly sent: number
      readonly failed: number
      readonly delivered: number
      readonly opened: number
      readonly machineOpened: number
      readonly clicked: number
      readonly machineClicked: number
    }>
  }
}

export type NowQueryVariables = Exact<{
  appId: string
}>

export type NowQuery = {
  readonly sending: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly templateId: string | null
      readonly workflowId: string | null
      readonly workflowStep: string | null
      readonly status: NotificationStatus
      readonly createdAt: string
      readonly startedAt: string | null
      readonly sendAt: string | null
      readonly counts: {
        readonly accepted: number
        readonly pending: number
        readonly sent: number
        readonly failed: number
        readonly skipped: number
        readonly cancelled: number
      }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean }
  }
  readonly queued: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly templateId: string | null
      readonly workflowId: string | null
      readonly workflowStep: string | null
      readonly status: NotificationStatus
      readonly createdAt: string
      readonly startedAt: string | null
      readonly sendAt: string | null
      readonly counts: {
        readonly accepted: number
        readonly pending: number
        readonly sent: number
        readonly failed: number
        readonly skipped: number
        readonly cancelled: number
      }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean }
  }
  readonly recent: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly templateId: string | null
      readonly workflowId: string | null
      readonly workflowStep: string | null
      readonly status: NotificationStatus
      readonly createdAt: string
      readonly startedAt: string | null
      readonly sendAt: string | null
      readonly counts: {
        readonly accepted: number
        readonly pending: number
        readonly sent: number
        readonly failed: number
        readonly skipped: number
        readonly cancelled: number
      }
    }>
  }
}

export type GoingFragment = {
  readonly id: string
  readonly title: string | null
  readonly templateId: string | null
  readonly workflowId: string | null
  readonly workflowStep: string | null
  readonly status: NotificationStatus
  readonly createdAt: string
  readonly startedAt: string | null
  readonly sendAt: string | null
  readonly counts: {
    readonly accepted: number
    readonly pending: number
    readonly sent: number
    readonly failed: number
    readonly skipped: number
    readonly cancelled: number
  }
}

export type AttentionQueryVariables = Exact<{
  appId: string
}>

export type AttentionQuery = {
  readonly application: {
    readonly id: string
    readonly name: string
    readonly identityVerification: boolean
    readonly warnings: ReadonlyArray<string>
  } | null
  readonly credentials: ReadonlyArray<{ readonly kind: CredentialKind; readonly suspendedReason: string | null }>
  readonly hooks: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly isActive: boolean
      readonly disabledReason: string | null
    }>
  }
  readonly deadLetters: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly kind: DeadLetterKind
      readonly canReplay: boolean
      readonly createdAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean }
  }
  readonly apiKeys: { readonly nodes: ReadonlyArray<{ readonly id: string; readonly lastUsedAt: string | null }> }
}

export type FirstStepsQueryVariables = Exact<{
  appId: string
}>

export type FirstStepsQuery = {
  readonly apiKeys: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly kind: ApiKeyKind
      readonly lastUsedAt: string | null
    }>
  }
  readonly credentials: ReadonlyArray<{ readonly kind: CredentialKind; readonly suspendedReason: string | null }>
  readonly contacts: { readonly nodes: ReadonlyArray<{ readonly id: string }> }
  readonly devices: { readonly nodes: ReadonlyArray<{ readonly id: string }> }
  readonly hooks: { readonly nodes: ReadonlyArray<{ readonly id: string }> }
  readonly recent: {
    readonly nodes: ReadonlyArray<{ readonly id: string; readonly counts: { readonly delivered: number } }>
  }
}

export type MakeBrowserKeysMutationVariables = Exact<{
  appId: string
  subject: string
}>

export type MakeBrowserKeysMutation = { readonly setWebPushCredential: { readonly kind: CredentialKind } }

export type MakePublicKeyMutationVariables = Exact<{
  appId: string
}>

export type MakePublicKeyMutation = { readonly createApiKey: { readonly id: string; readonly key: string | null } }

export type FirstPushMutationVariables = Exact<{
  appId: string
  deviceId: string
  url: string
}>

export type FirstPushMutation = { readonly sendNotification: { readonly id: string } }

export type FirstPushStateQueryVariables = Exact<{
  id: string
}>

export type FirstPushStateQuery = {
  readonly notification: {
    readonly id: string
    readonly status: NotificationStatus
    readonly counts: {
      readonly sent: number
      readonly failed: number
      readonly delivered: number
      readonly clicked: number
    }
  } | null
}

export const days: TypedDocument<DaysQuery, DaysQueryVariables> = typed(
  "query Days($appId:ID!$from:String$to:String){stats(appId:$appId from:$from to:$to groupBy:DAY_PROVIDER){from to data{day provider sent failed delivered opened machineOpened clicked machineClicked}}}"
)
export const now: TypedDocument<NowQuery, NowQueryVariables> = typed(
  "query Now($appId:ID!){sending:notifications(appId:$appId status:SENDING first:20){nodes{...Going}pageInfo{hasNextPage}}queued:notifications(appId:$appId status:QUEUED first:20){nodes{...Going}pageInfo{hasNextPage}}recent:notifications(appId:$appId first:6){nodes{...Going}}}fragment Going on NotificationSummary{id title templateId workflowId workflowStep status createdAt startedAt sendAt counts{accepted pending sent failed skipped cancelled}}"
)
export const attention: TypedDocument<AttentionQuery, AttentionQueryVariables> = typed(
  "query Attention($appId:ID!){application(id:$appId){id name identityVerification warnings}credentials(appId:$appId){kind suspendedReason}hooks(appId:$appId first:100){nodes{id name isActive disabledReason}}deadLetters(appId:$appId first:100){nodes{id kind canReplay createdAt}pageInfo{hasNextPage}}apiKeys(appId:$appId first:100){nodes{id lastUsedAt}}}"
)
export const firstSteps: TypedDocument<FirstStepsQuery, FirstStepsQueryVariables> = typed(
  "query FirstSteps($appId:ID!){apiKeys(appId:$appId first:100){nodes{id kind lastUsedAt}}credentials(appId:$appId){kind suspendedReason}contacts(appId:$appId first:1){nodes{id}}devices(appId:$appId first:2){nodes{id}}hooks(appId:$appId first:1){nodes{id}}recent:notifications(appId:$appId first:20){nodes{id counts{delivered}}}}"
)
export const makeBrowserKeys: TypedDocument<MakeBrowserKeysMutation, MakeBrowserKeysMutationVariables> = typed(
  "mutation MakeBrowserKeys($appId:ID!$subject:String!){setWebPushCredential(appId:$appId input:{subject:$subject}){kind}}"
)
export const makePublicKey: TypedDocument<MakePublicKeyMutation, MakePublicKeyMutationVariables> = typed(
  'mutation MakePublicKey($appId:ID!){createApiKey(appId:$appId input:{kind:PUBLIC name:"Push to your browser"}){id key}}'
)
export const firstPush: TypedDocument<FirstPushMutation, FirstPushMutationVariables> = typed(
  'mutation FirstPush($appId:ID!$deviceId:ID!$url:String!){sendNotification(appId:$appId input:{to:{deviceIds:[$deviceId]}content:{title:"It works" body:"Your application has reached this browser." url:$url}}){id}}'
)
export const firstPushState: TypedDocument<FirstPushStateQuery, FirstPushStateQueryVariables> = typed(
  "query FirstPushState($id:ID!){notification(id:$id){id status counts{sent failed delivered clicked}}}"
)
