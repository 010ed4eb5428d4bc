// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type BackgroundStatus = "COMPLETED" | "RUNNING"

export type DeadLetterFilterInput = {
  readonly error?: string | null | undefined
  readonly from?: string | null | undefined
  readonly kind?: DeadLetterKind | null | undefined
  readonly notificationId?: string | null | undefined
  readonly provider?: Provider | null | undefined
  readonly to?: string | null | undefined
  readonly webhookId?: string | null | undefined
}

export type DeadLetterKind = "NOTIFICATION" | "WEBHOOK"

export type Provider = "APNS" | "FCM" | "INBOX" | "SMTP" | "WEBPUSH"

export type ReplayObstacle = "CONTENT_REFUSED" | "RECIPIENT_GONE" | "REPLAYED" | "WEBHOOK"

export type DeadLettersQueryVariables = Exact<{
  appId: string
  kind?: DeadLetterKind | null | undefined
  provider?: Provider | null | undefined
  error?: string | null | undefined
  notificationId?: string | null | undefined
  webhookId?: string | null | undefined
  from?: string | null | undefined
  to?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type DeadLettersQuery = {
  readonly deadLetters: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly kind: DeadLetterKind
      readonly error: string
      readonly attempts: number
      readonly canReplay: boolean
      readonly cannotReplayBecause: ReplayObstacle | null
      readonly provider: Provider | null
      readonly notificationId: string | null
      readonly webhookId: string | null
      readonly createdAt: string
      readonly replayedAt: string | null
      readonly notification: {
        readonly id: string
        readonly title: string | null
        readonly templateId: string | null
        readonly workflowId: string | null
        readonly workflowStep: string | null
      } | null
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type HookNamesQueryVariables = Exact<{
  appId: string
}>

export type HookNamesQuery = {
  readonly hooks: { readonly nodes: ReadonlyArray<{ readonly id: string; readonly name: string }> }
}

export type DeadLetterQueryVariables = Exact<{
  id: string
}>

export type DeadLetterQuery = {
  readonly deadLetter: {
    readonly id: string
    readonly recipientId: string | null
    readonly eventId: string | null
    readonly event: unknown
    readonly templateId: string | null
    readonly variables: unknown
    readonly content: {
      readonly title: string | null
      readonly body: string | null
      readonly subject: string | null
    } | null
  } | null
}

export type ReplaysQueryVariables = Exact<{
  appId: string
}>

export type ReplaysQuery = {
  readonly replays: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly status: BackgroundStatus
      readonly replayed: number
      readonly skipped: number
      readonly createdAt: string
      readonly filter: {
        readonly provider: Provider | null
        readonly error: string | null
        readonly notificationId: string | null
        readonly from: string | null
        readonly to: string | null
      }
    }>
  }
}

export type ReplayOneMutationVariables = Exact<{
  id: string
}>

export type ReplayOneMutation = { readonly replayDeadLetter: { readonly id: string; readonly notificationId: string } }

export type ReplayManyMutationVariables = Exact<{
  appId: string
  input: DeadLetterFilterInput
}>

export type ReplayManyMutation = { readonly replayDeadLetters: { readonly id: string } }

export const deadLetters: TypedDocument<DeadLettersQuery, DeadLettersQueryVariables> = typed(
  "query DeadLetters($appId:ID!$kind:DeadLetterKind$provider:Provider$error:String$notificationId:ID$webhookId:ID$from:DateTime$to:DateTime$first:Int$after:String){deadLetters(appId:$appId kind:$kind provider:$provider error:$error notificationId:$notificationId webhookId:$webhookId from:$from to:$to first:$first after:$after){nodes{id kind error attempts canReplay cannotReplayBecause provider notificationId notification{id title templateId workflowId workflowStep}webhookId createdAt replayedAt}pageInfo{hasNextPage endCursor}}}"
)
export const hookNames: TypedDocument<HookNamesQuery, HookNamesQueryVariables> = typed(
  "query HookNames($appId:ID!){hooks(appId:$appId first:100){nodes{id name}}}"
)
export const deadLetter: TypedDocument<DeadLetterQuery, DeadLetterQueryVariables> = typed(
  "query DeadLetter($id:ID!){deadLetter(id:$id){id recipientId eventId event templateId variables content{title body subject}}}"
)
export const replays: TypedDocument<ReplaysQuery, ReplaysQueryVariables> = typed(
  "query Replays($appId:ID!){replays(appId:$appId first:5){nodes{id status replayed skipped createdAt filter{provider error notificationId from to}}}}"
)
export const replayOne: TypedDocument<ReplayOneMutation, ReplayOneMutationVariables> = typed(
  "mutation ReplayOne($id:ID!){replayDeadLetter(id:$id){id notificationId}}"
)
export const replayMany: TypedDocument<ReplayManyMutation, ReplayManyMutationVariables> = typed(
  "mutation ReplayMany($appId:ID!$input:DeadLetterFilterInput!){replayDeadLetters(appId:$appId input:$input){id}}"
)
