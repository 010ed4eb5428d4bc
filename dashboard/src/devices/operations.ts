// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type DeviceStatus =
  | "ACTIVE"
  /** The push service says that the token is dead. */
  | "INVALID"

export type Environment = "PRODUCTION" | "SANDBOX"

export type Platform = "ANDROID" | "IOS" | "WEB"

export type DevicesQueryVariables = Exact<{
  appId: string
  platform?: Platform | null | undefined
  status?: DeviceStatus | null | undefined
  environment?: Environment | null | undefined
  userId?: string | null | undefined
  tagsAny?: ReadonlyArray<string> | string | null | undefined
  lastSeenBefore?: string | null | undefined
  lastSeenFrom?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type DevicesQuery = {
  readonly devices: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly platform: Platform
      readonly environment: Environment
      readonly status: DeviceStatus
      readonly invalidReason: string | null
      readonly userId: string | null
      readonly tags: ReadonlyArray<string>
      readonly timezone: string | null
      readonly lastSeenAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type DeviceQueryVariables = Exact<{
  id: string
}>

export type DeviceQuery = {
  readonly device: {
    readonly id: string
    readonly platform: Platform
    readonly environment: Environment
    readonly status: DeviceStatus
    readonly invalidReason: string | null
    readonly userId: string | null
    readonly tags: ReadonlyArray<string>
    readonly timezone: string | null
    readonly metadata: unknown
    readonly token: string
    readonly createdAt: string
    readonly lastSeenAt: string
    readonly contact: { readonly id: string; readonly preferences: { readonly push: boolean } } | null
  } | null
}

export type DeleteDeviceMutationVariables = Exact<{
  id: string
}>

export type DeleteDeviceMutation = { readonly deleteDevice: boolean }

export const devices: TypedDocument<DevicesQuery, DevicesQueryVariables> = typed(
  "query Devices($appId:ID!$platform:Platform$status:DeviceStatus$environment:Environment$userId:String$tagsAny:[String!]$lastSeenBefore:DateTime$lastSeenFrom:DateTime$first:Int$after:String){devices(appId:$appId platform:$platform status:$status environment:$environment userId:$userId tagsAny:$tagsAny lastSeenBefore:$lastSeenBefore lastSeenFrom:$lastSeenFrom first:$first after:$after){nodes{id platform environment status invalidReason userId tags timezone lastSeenAt}pageInfo{hasNextPage endCursor}}}"
)
export const device: TypedDocument<DeviceQuery, DeviceQueryVariables> = typed(
  "query Device($id:ID!){device(id:$id){id platform environment status invalidReason userId tags timezone metadata token createdAt lastSeenAt contact{id preferences{push}}}}"
)
export const deleteDevice: TypedDocument<DeleteDeviceMutation, DeleteDeviceMutationVariables> = typed(
  "mutation DeleteDevice($id:ID!){deleteDevice(id:$id)}"
)
