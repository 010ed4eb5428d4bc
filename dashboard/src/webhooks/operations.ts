// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type BackgroundStatus = "COMPLETED" | "RUNNING"

/** Only the fields that are given change. */
export type HookChanges = {
  readonly events?: ReadonlyArray<string> | null | undefined
  /** True enables a webhook that the service disabled. */
  readonly isActive?: boolean | null | undefined
  readonly name?: string | null | undefined
  /** A new one signs from the next attempt on; null removes every secret at once. */
  readonly secret?: string | null | undefined
  /** For how long the secret before signs beside a new one. */
  readonly secretOverlapSeconds?: number | null | undefined
  readonly url?: string | null | undefined
}

export type HookDeliveryStatus = "DELIVERED" | "EXHAUSTED" | "PENDING" | "RETRYING"

export type HookInput = {
  readonly events?: ReadonlyArray<string> | null | undefined
  readonly isActive?: boolean | null | undefined
  /** 120 characters at most. */
  readonly name: string
  /** 256 characters at most. Never shown again. */
  readonly secret?: string | null | undefined
  /** A public http or https address. */
  readonly url: string
}

/** What is to be delivered once more: deliveries that have ended in a span of time, or one by its id. */
export type RedeliverHookInput = {
  readonly deliveryId?: string | null | undefined
  readonly from?: string | null | undefined
  readonly status?: RedeliveredStatus | null | undefined
  readonly to?: string | null | undefined
}

export type RedeliveredStatus = "DELIVERED" | "EXHAUSTED"

export type HookPartsFragment = {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly isActive: boolean
  readonly disabledReason: string | null
  readonly isSigned: boolean
  readonly signatureOverlapUntil: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type HooksQueryVariables = Exact<{
  appId: string
}>

export type HooksQuery = {
  readonly hooks: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly url: string
      readonly events: ReadonlyArray<string>
      readonly isActive: boolean
      readonly disabledReason: string | null
      readonly isSigned: boolean
      readonly signatureOverlapUntil: string | null
      readonly createdAt: string
      readonly updatedAt: string
    }>
  }
}

export type HookQueryVariables = Exact<{
  id: string
}>

export type HookQuery = {
  readonly hook: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly events: ReadonlyArray<string>
    readonly isActive: boolean
    readonly disabledReason: string | null
    readonly isSigned: boolean
    readonly signatureOverlapUntil: string | null
    readonly createdAt: string
    readonly updatedAt: string
  } | null
}

export type HookLiveSubscriptionVariables = Exact<{
  id: string
}>

export type HookLiveSubscription = {
  readonly hookChanged: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly events: ReadonlyArray<string>
    readonly isActive: boolean
    readonly disabledReason: string | null
    readonly isSigned: boolean
    readonly signatureOverlapUntil: string | null
    readonly createdAt: string
    readonly updatedAt: string
  }
}

export type HookDeliveriesQueryVariables = Exact<{
  hookId: string
  event?: string | null | undefined
  status?: HookDeliveryStatus | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type HookDeliveriesQuery = {
  readonly hookDeliveries: {
    readonly nodes: ReadonlyArray<{
      readonly eventId: string
      readonly event: string
      readonly eventAt: string
      readonly status: HookDeliveryStatus
      readonly isPaused: boolean
      readonly attempts: number
      readonly attemptedAt: ReadonlyArray<string>
      readonly responseStatus: number | null
      readonly reason: string | null
      readonly latencyMs: number | null
      readonly nextAttemptAt: string | null
      readonly answers: ReadonlyArray<{
        readonly responseStatus: number | null
        readonly reason: string | null
        readonly latencyMs: number
      }>
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type HookDeliveryQueryVariables = Exact<{
  hookId: string
  eventId: string
}>

export type HookDeliveryQuery = { readonly hookDelivery: { readonly eventId: string; readonly body: unknown } | null }

export type CreateHookMutationVariables = Exact<{
  appId: string
  input: HookInput
}>

export type CreateHookMutation = {
  readonly createHook: { readonly id: string; readonly name: string; readonly isSigned: boolean }
}

export type UpdateHookMutationVariables = Exact<{
  id: string
  input: HookChanges
}>

export type UpdateHookMutation = {
  readonly updateHook: {
    readonly id: string
    readonly name: string
    readonly isActive: boolean
    readonly signatureOverlapUntil: string | null
  }
}

export type DeleteHookMutationVariables = Exact<{
  id: string
}>

export type DeleteHookMutation = { readonly deleteHook: boolean }

export type TestHookMutationVariables = Exact<{
  id: string
  event?: string | null | undefined
}>

export type TestHookMutation = {
  readonly testHook: {
    readonly delivered: boolean
    readonly responseStatus: number | null
    readonly reason: string | null
    readonly latencyMs: number
    readonly eventId: string
    readonly event: string
  }
}

export type RedeliverMutationVariables = Exact<{
  id: string
  input: RedeliverHookInput
}>

export type RedeliverMutation = {
  readonly redeliverHook: { readonly id: string; readonly status: BackgroundStatus; readonly redelivered: number }
}

export type RedeliveryQueryVariables = Exact<{
  id: string
}>

export type RedeliveryQuery = {
  readonly redelivery: {
    readonly id: string
    readonly status: BackgroundStatus
    readonly redelivered: number
    readonly wanted: { readonly status: RedeliveredStatus | null; readonly deliveryId: string | null }
  } | null
}

export const hooks: TypedDocument<HooksQuery, HooksQueryVariables> = typed(
  "query Hooks($appId:ID!){hooks(appId:$appId first:100){nodes{...HookParts}}}fragment HookParts on Hook{id name url events isActive disabledReason isSigned signatureOverlapUntil createdAt updatedAt}"
)
export const hook: TypedDocument<HookQuery, HookQueryVariables> = typed(
  "query Hook($id:ID!){hook(id:$id){...HookParts}}fragment HookParts on Hook{id name url events isActive disabledReason isSigned signatureOverlapUntil createdAt updatedAt}"
)
export const hookLive: TypedDocument<HookLiveSubscription, HookLiveSubscriptionVariables> = typed(
  "subscription HookLive($id:ID!){hookChanged(id:$id){...HookParts}}fragment HookParts on Hook{id name url events isActive disabledReason isSigned signatureOverlapUntil createdAt updatedAt}"
)
export const hookDeliveries: TypedDocument<HookDeliveriesQuery, HookDeliveriesQueryVariables> = typed(
  "query HookDeliveries($hookId:ID!$event:String$status:HookDeliveryStatus$first:Int$after:String){hookDeliveries(hookId:$hookId event:$event status:$status first:$first after:$after){nodes{eventId event eventAt status isPaused attempts attemptedAt answers{responseStatus reason latencyMs}responseStatus reason latencyMs nextAttemptAt}pageInfo{hasNextPage endCursor}}}"
)
export const hookDelivery: TypedDocument<HookDeliveryQuery, HookDeliveryQueryVariables> = typed(
  "query HookDelivery($hookId:ID!$eventId:ID!){hookDelivery(hookId:$hookId eventId:$eventId){eventId body}}"
)
export const createHook: TypedDocument<CreateHookMutation, CreateHookMutationVariables> = typed(
  "mutation CreateHook($appId:ID!$input:HookInput!){createHook(appId:$appId input:$input){id name isSigned}}"
)
export const updateHook: TypedDocument<UpdateHookMutation, UpdateHookMutationVariables> = typed(
  "mutation UpdateHook($id:ID!$input:HookChanges!){updateHook(id:$id input:$input){id name isActive signatureOverlapUntil}}"
)
export const deleteHook: TypedDocument<DeleteHookMutation, DeleteHookMutationVariables> = typed(
  "mutation DeleteHook($id:ID!){deleteHook(id:$id)}"
)
export const testHook: TypedDocument<TestHookMutation, TestHookMutationVariables> = typed(
  "mutation TestHook($id:ID!$event:String){testHook(id:$id input:{event:$event}){delivered responseStatus reason latencyMs eventId event}}"
)
export const redeliver: TypedDocument<RedeliverMutation, RedeliverMutationVariables> = typed(
  "mutation Redeliver($id:ID!$input:RedeliverHookInput!){redeliverHook(id:$id input:$input){id status redelivered}}"
)
export const redelivery: TypedDocument<RedeliveryQuery, RedeliveryQueryVariables> = typed(
  "query Redelivery($id:ID!){redelivery(id:$id){id status redelivered wanted{status deliveryId}}}"
)
