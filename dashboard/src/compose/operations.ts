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

export type AttributeRuleInput = {
  readonly name: string
  readonly op: AttributeOperator
  readonly value?: unknown
}

/** One kind of selector: `all`, ids of one kind, a segment, or a description by any of the others. */
export type AudienceInput = {
  readonly all?: boolean | null | undefined
  readonly attributes?: ReadonlyArray<AttributeRuleInput> | null | undefined
  readonly channelIds?: ReadonlyArray<string> | null | undefined
  readonly deviceIds?: ReadonlyArray<string> | null | undefined
  readonly emails?: ReadonlyArray<string> | null | undefined
  readonly locale?: string | null | undefined
  readonly platforms?: ReadonlyArray<Platform> | null | undefined
  readonly segmentId?: string | null | undefined
  readonly tagsAll?: ReadonlyArray<string> | null | undefined
  readonly tagsAny?: ReadonlyArray<string> | null | undefined
  readonly timezone?: string | null | undefined
  readonly userIds?: ReadonlyArray<string> | null | undefined
}

export type ContentInput = {
  readonly body?: string | null | undefined
  readonly data?: unknown
  readonly html?: string | null | undefined
  readonly image?: string | null | undefined
  readonly subject?: string | null | undefined
  readonly title?: string | null | undefined
  readonly url?: string | null | undefined
}

export type CredentialState = "MISSING" | "READY" | "REFUSED"

/** Fields that are left out keep their value; null removes it. */
export type NotificationChanges = {
  readonly channels?: ReadonlyArray<Way> | null | undefined
  readonly collapseKey?: string | null | undefined
  readonly content?: ContentInput | null | undefined
  readonly localTime?: string | null | undefined
  readonly overrides?: OverridesInput | null | undefined
  readonly priority?: Priority | null | undefined
  readonly sendAt?: string | null | undefined
  readonly templateId?: string | null | undefined
  readonly timezone?: string | null | undefined
  readonly to?: AudienceInput | null | undefined
  readonly track?: TrackInput | null | undefined
  readonly ttl?: number | null | undefined
  readonly variables?: unknown
}

export type NotificationInput = {
  readonly channels?: ReadonlyArray<Way> | null | undefined
  readonly collapseKey?: string | null | undefined
  readonly content?: ContentInput | null | undefined
  /** `HH:MM` on each recipient's clock. */
  readonly localTime?: string | null | undefined
  readonly overrides?: OverridesInput | null | undefined
  readonly priority?: Priority | null | undefined
  /** A moment; with `localTime` a day, or a moment from which it counts. */
  readonly sendAt?: string | null | undefined
  /** Instead of `content`. */
  readonly templateId?: string | null | undefined
  readonly timezone?: string | null | undefined
  readonly to: AudienceInput
  readonly track?: TrackInput | null | undefined
  /** Seconds. */
  readonly ttl?: number | null | undefined
  readonly variables?: unknown
}

export type NotificationStatus = "CANCELLED" | "COMPLETED" | "PAUSED" | "QUEUED" | "SCHEDULED" | "SENDING"

export type OverridesInput = {
  readonly apns?: unknown
  readonly fcm?: unknown
  readonly web?: unknown
}

export type Platform = "ANDROID" | "IOS" | "WEB"

export type Priority = "BULK" | "HIGH"

export type Provider = "APNS" | "FCM" | "INBOX" | "SMTP" | "WEBPUSH"

export type TrackInput = {
  readonly clicks?: boolean | null | undefined
  readonly opens?: boolean | null | undefined
}

export type Way = "EMAIL" | "INBOX" | "PUSH"

export type PreviewQueryVariables = Exact<{
  appId: string
  input: NotificationInput
}>

export type PreviewQuery = {
  readonly previewNotification: {
    readonly isExact: boolean
    readonly recipients: number
    readonly providers: ReadonlyArray<{
      readonly provider: Provider
      readonly recipients: number
      readonly credential: CredentialState
      readonly payload: { readonly bytes: number; readonly limit: number; readonly fits: boolean } | null
      readonly problem: { readonly field: string; readonly message: string } | null
      readonly sample: {
        readonly title: string | null
        readonly body: string | null
        readonly url: string | null
        readonly image: string | null
        readonly subject: string | null
        readonly html: string | null
      } | null
    }>
    readonly skipped: { readonly count: number; readonly ids: ReadonlyArray<string> } | null
  }
}

export type SendMutationVariables = Exact<{
  appId: string
  input: NotificationInput
}>

export type SendMutation = { readonly sendNotification: { readonly id: string; readonly status: NotificationStatus } }

export type SegmentChoicesQueryVariables = Exact<{
  appId: string
  after?: string | null | undefined
}>

export type SegmentChoicesQuery = {
  readonly segments: {
    readonly nodes: ReadonlyArray<{ readonly id: string; readonly name: string }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type TemplateChoicesQueryVariables = Exact<{
  appId: string
  after?: string | null | undefined
}>

export type TemplateChoicesQuery = {
  readonly templates: {
    readonly nodes: ReadonlyArray<{ readonly id: string; readonly name: string }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type WrittenFragment = {
  readonly id: string
  readonly status: NotificationStatus
  readonly startedAt: string | null
  readonly updatedAt: string | null
  readonly priority: Priority
  readonly sendAt: string | null
  readonly localTime: string | null
  readonly timezone: string | null
  readonly templateId: string | null
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
  readonly overrides: { readonly apns: unknown; readonly fcm: unknown; readonly web: unknown } | null
  readonly track: { readonly clicks: boolean | null; readonly opens: boolean | null } | null
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
}

export type WrittenQueryVariables = Exact<{
  id: string
}>

export type WrittenQuery = {
  readonly notification: {
    readonly id: string
    readonly status: NotificationStatus
    readonly startedAt: string | null
    readonly updatedAt: string | null
    readonly priority: Priority
    readonly sendAt: string | null
    readonly localTime: string | null
    readonly timezone: string | null
    readonly templateId: string | null
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
    readonly overrides: { readonly apns: unknown; readonly fcm: unknown; readonly web: unknown } | null
    readonly track: { readonly clicks: boolean | null; readonly opens: boolean | null } | null
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
  } | null
}

export type ReviseMutationVariables = Exact<{
  id: string
  input: NotificationChanges
}>

export type ReviseMutation = {
  readonly updateNotification: {
    readonly id: string
    readonly status: NotificationStatus
    readonly startedAt: string | null
    readonly updatedAt: string | null
    readonly priority: Priority
    readonly sendAt: string | null
    readonly localTime: string | null
    readonly timezone: string | null
    readonly templateId: string | null
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
    readonly overrides: { readonly apns: unknown; readonly fcm: unknown; readonly web: unknown } | null
    readonly track: { readonly clicks: boolean | null; readonly opens: boolean | null } | null
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
  }
}

export const preview: TypedDocument<PreviewQuery, PreviewQueryVariables> = typed(
  "query Preview($appId:ID!$input:NotificationInput!){previewNotification(appId:$appId input:$input){isExact recipients providers{provider recipients credential payload{bytes limit fits}problem{field message}sample{title body url image subject html}}skipped{count ids}}}"
)
export const send: TypedDocument<SendMutation, SendMutationVariables> = typed(
  "mutation Send($appId:ID!$input:NotificationInput!){sendNotification(appId:$appId input:$input){id status}}"
)
export const segmentChoices: TypedDocument<SegmentChoicesQuery, SegmentChoicesQueryVariables> = typed(
  "query SegmentChoices($appId:ID!$after:String){segments(appId:$appId first:100 after:$after){nodes{id name}pageInfo{hasNextPage endCursor}}}"
)
export const templateChoices: TypedDocument<TemplateChoicesQuery, TemplateChoicesQueryVariables> = typed(
  "query TemplateChoices($appId:ID!$after:String){templates(appId:$appId first:100 after:$after){nodes{id name}pageInfo{hasNextPage endCursor}}}"
)
export const written: TypedDocument<WrittenQuery, WrittenQueryVariables> = typed(
  "query Written($id:ID!){notification(id:$id){...Written}}fragment Written on Notification{id status startedAt updatedAt priority sendAt localTime timezone templateId variables channels collapseKey ttl content{title body url image subject html data}overrides{apns fcm web}track{clicks opens}to{all attributes{name op value}channelIds deviceIds emails locale platforms segmentId tagsAll tagsAny timezone userIds}}"
)
export const revise: TypedDocument<ReviseMutation, ReviseMutationVariables> = typed(
  "mutation Revise($id:ID!$input:NotificationChanges!){updateNotification(id:$id input:$input){...Written}}fragment Written on Notification{id status startedAt updatedAt priority sendAt localTime timezone templateId variables channels collapseKey ttl content{title body url image subject html data}overrides{apns fcm web}track{clicks opens}to{all attributes{name op value}channelIds deviceIds emails locale platforms segmentId tagsAll tagsAny timezone userIds}}"
)
