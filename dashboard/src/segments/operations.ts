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

export type EngagementRuleInput = {
  readonly not?: boolean | null | undefined
  readonly type: EngagementType
  readonly withinDays: number
}

export type EngagementType = "CLICKED" | "DELIVERED" | "OPENED"

export type Environment = "PRODUCTION" | "SANDBOX"

export type LastSeenInput = {
  readonly notWithinDays?: number | null | undefined
  readonly withinDays?: number | null | undefined
}

export type Platform = "ANDROID" | "IOS" | "WEB"

export type SegmentChanges = {
  readonly filter?: SegmentFilterInput | null | undefined
  readonly name?: string | null | undefined
}

export type SegmentFilterInput = {
  readonly attributes?: ReadonlyArray<AttributeRuleInput> | null | undefined
  readonly engagement?: ReadonlyArray<EngagementRuleInput> | null | undefined
  readonly lastSeen?: LastSeenInput | null | undefined
  readonly locales?: ReadonlyArray<string> | null | undefined
  readonly platforms?: ReadonlyArray<Platform> | null | undefined
  readonly tagsAll?: ReadonlyArray<string> | null | undefined
  readonly tagsAny?: ReadonlyArray<string> | null | undefined
  readonly tagsNone?: ReadonlyArray<string> | null | undefined
  readonly timezones?: ReadonlyArray<string> | null | undefined
}

export type SegmentInput = {
  readonly filter: SegmentFilterInput
  readonly name: string
}

export type ConditionsFragment = {
  readonly tagsAny: ReadonlyArray<string> | null
  readonly tagsAll: ReadonlyArray<string> | null
  readonly tagsNone: ReadonlyArray<string> | null
  readonly platforms: ReadonlyArray<Platform> | null
  readonly timezones: ReadonlyArray<string> | null
  readonly locales: ReadonlyArray<string> | null
  readonly attributes: ReadonlyArray<{
    readonly name: string
    readonly op: AttributeOperator
    readonly value: unknown
  }> | null
  readonly lastSeen: { readonly withinDays: number | null; readonly notWithinDays: number | null } | null
  readonly engagement: ReadonlyArray<{
    readonly type: EngagementType
    readonly withinDays: number
    readonly not: boolean | null
  }> | null
}

export type SegmentsQueryVariables = Exact<{
  appId: string
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type SegmentsQuery = {
  readonly segments: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly updatedAt: string
      readonly filter: {
        readonly tagsAny: ReadonlyArray<string> | null
        readonly tagsAll: ReadonlyArray<string> | null
        readonly tagsNone: ReadonlyArray<string> | null
        readonly platforms: ReadonlyArray<Platform> | null
        readonly timezones: ReadonlyArray<string> | null
        readonly locales: ReadonlyArray<string> | null
        readonly attributes: ReadonlyArray<{
          readonly name: string
          readonly op: AttributeOperator
          readonly value: unknown
        }> | null
        readonly lastSeen: { readonly withinDays: number | null; readonly notWithinDays: number | null } | null
        readonly engagement: ReadonlyArray<{
          readonly type: EngagementType
          readonly withinDays: number
          readonly not: boolean | null
        }> | null
      }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type SegmentQueryVariables = Exact<{
  id: string
}>

export type SegmentQuery = {
  readonly segment: {
    readonly id: string
    readonly name: string
    readonly createdAt: string
    readonly updatedAt: string
    readonly filter: {
      readonly tagsAny: ReadonlyArray<string> | null
      readonly tagsAll: ReadonlyArray<string> | null
      readonly tagsNone: ReadonlyArray<string> | null
      readonly platforms: ReadonlyArray<Platform> | null
      readonly timezones: ReadonlyArray<string> | null
      readonly locales: ReadonlyArray<string> | null
      readonly attributes: ReadonlyArray<{
        readonly name: string
        readonly op: AttributeOperator
        readonly value: unknown
      }> | null
      readonly lastSeen: { readonly withinDays: number | null; readonly notWithinDays: number | null } | null
      readonly engagement: ReadonlyArray<{
        readonly type: EngagementType
        readonly withinDays: number
        readonly not: boolean | null
      }> | null
    }
  } | null
}

export type SegmentCountQueryVariables = Exact<{
  segmentId: string
}>

export type SegmentCountQuery = {
  readonly segmentCount: { readonly recipients: number; readonly isExact: boolean } | null
}

export type SegmentPeopleQueryVariables = Exact<{
  appId: string
  segmentId: string
  after?: string | null | undefined
}>

export type SegmentPeopleQuery = {
  readonly contacts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly externalId: string
      readonly email: string | null
      readonly attributes: unknown
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type SegmentDevicesQueryVariables = Exact<{
  appId: string
  segmentId: string
  after?: string | null | undefined
}>

export type SegmentDevicesQuery = {
  readonly devices: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly platform: Platform
      readonly environment: Environment
      readonly userId: string | null
      readonly lastSeenAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type CountSegmentQueryVariables = Exact<{
  appId: string
  filter: SegmentFilterInput
}>

export type CountSegmentQuery = {
  readonly countSegment: {
    readonly recipients: number
    readonly devices: number
    readonly emails: number
    readonly isExact: boolean
  }
}

export type CreateSegmentMutationVariables = Exact<{
  appId: string
  input: SegmentInput
}>

export type CreateSegmentMutation = { readonly createSegment: { readonly id: string; readonly updatedAt: string } }

export type ChangeSegmentMutationVariables = Exact<{
  id: string
  input: SegmentChanges
}>

export type ChangeSegmentMutation = { readonly updateSegment: { readonly id: string; readonly updatedAt: string } }

export type DeleteSegmentMutationVariables = Exact<{
  id: string
}>

export type DeleteSegmentMutation = { readonly deleteSegment: boolean }

export const segments: TypedDocument<SegmentsQuery, SegmentsQueryVariables> = typed(
  "query Segments($appId:ID!$first:Int$after:String){segments(appId:$appId first:$first after:$after){nodes{id name updatedAt filter{...Conditions}}pageInfo{hasNextPage endCursor}}}fragment Conditions on SegmentFilter{tagsAny tagsAll tagsNone platforms timezones locales attributes{name op value}lastSeen{withinDays notWithinDays}engagement{type withinDays not}}"
)
export const segment: TypedDocument<SegmentQuery, SegmentQueryVariables> = typed(
  "query Segment($id:ID!){segment(id:$id){id name createdAt updatedAt filter{...Conditions}}}fragment Conditions on SegmentFilter{tagsAny tagsAll tagsNone platforms timezones locales attributes{name op value}lastSeen{withinDays notWithinDays}engagement{type withinDays not}}"
)
export const segmentCount: TypedDocument<SegmentCountQuery, SegmentCountQueryVariables> = typed(
  "query SegmentCount($segmentId:ID!){segmentCount(segmentId:$segmentId){recipients isExact}}"
)
export const segmentPeople: TypedDocument<SegmentPeopleQuery, SegmentPeopleQueryVariables> = typed(
  "query SegmentPeople($appId:ID!$segmentId:ID!$after:String){contacts(appId:$appId segmentId:$segmentId first:20 after:$after){nodes{id externalId email attributes}pageInfo{hasNextPage endCursor}}}"
)
export const segmentDevices: TypedDocument<SegmentDevicesQuery, SegmentDevicesQueryVariables> = typed(
  "query SegmentDevices($appId:ID!$segmentId:ID!$after:String){devices(appId:$appId segmentId:$segmentId first:20 after:$after){nodes{id platform environment userId lastSeenAt}pageInfo{hasNextPage endCursor}}}"
)
export const countSegment: TypedDocument<CountSegmentQuery, CountSegmentQueryVariables> = typed(
  "query CountSegment($appId:ID!$filter:SegmentFilterInput!){countSegment(appId:$appId input:{filter:$filter}){recipients devices emails isExact}}"
)
export const createSegment: TypedDocument<CreateSegmentMutation, CreateSegmentMutationVariables> = typed(
  "mutation CreateSegment($appId:ID!$input:SegmentInput!){createSegment(appId:$appId input:$input){id updatedAt}}"
)
export const changeSegment: TypedDocument<ChangeSegmentMutation, ChangeSegmentMutationVariables> = typed(
  "mutation ChangeSegment($id:ID!$input:SegmentChanges!){updateSegment(id:$id input:$input){id updatedAt}}"
)
export const deleteSegment: TypedDocument<DeleteSegmentMutation, DeleteSegmentMutationVariables> = typed(
  "mutation DeleteSegment($id:ID!){deleteSegment(id:$id)}"
)
