// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
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

export type DeviceStatus =
  | "ACTIVE"
  /** The push service says that the token is dead. */
  | "INVALID"

export type Environment = "PRODUCTION" | "SANDBOX"

export type ImportKind = "CONTACTS" | "DEVICES"

export type Platform = "ANDROID" | "IOS" | "WEB"

/** A registration says everything about its device: what is left out is forgotten. */
export type RegisterDeviceInput = {
  readonly environment?: Environment | null | undefined
  readonly metadata?: unknown
  readonly platform: Platform
  /**
   * The token that the device had until now, where the platform has given it a new one: its row is kept. The row of a person
   * is kept for the same `userId` alone.
   */
  readonly previousToken?: string | null | undefined
  readonly tags?: ReadonlyArray<string> | null | undefined
  readonly timezone?: string | null | undefined
  readonly token: string
  readonly userId?: string | null | undefined
  readonly webPushAuth?: string | null | undefined
  readonly webPushP256dh?: string | null | undefined
}

export type BeginImportMutationVariables = Exact<{
  appId: string
  kind: ImportKind
  file: string
}>

export type BeginImportMutation = { readonly beginImport: string }

export type ImportContactsMutationVariables = Exact<{
  appId: string
  importId: string
  contacts: ReadonlyArray<ContactInput> | ContactInput
}>

export type ImportContactsMutation = {
  readonly importContacts: ReadonlyArray<{
    readonly index: number
    readonly created: boolean | null
    readonly error: {
      readonly message: string
      readonly details: ReadonlyArray<{ readonly field: string; readonly message: string }>
    } | null
  }>
}

export type ImportDevicesMutationVariables = Exact<{
  appId: string
  importId: string
  devices: ReadonlyArray<RegisterDeviceInput> | RegisterDeviceInput
}>

export type ImportDevicesMutation = {
  readonly registerDevices: ReadonlyArray<{
    readonly index: number
    readonly created: boolean | null
    readonly error: {
      readonly message: string
      readonly details: ReadonlyArray<{ readonly field: string; readonly message: string }>
    } | null
  }>
}

export type ExportContactsQueryVariables = Exact<{
  appId: string
  segmentId?: string | null | undefined
  after?: string | null | undefined
}>

export type ExportContactsQuery = {
  readonly contacts: {
    readonly nodes: ReadonlyArray<{
      readonly externalId: string
      readonly email: string | null
      readonly locale: string | null
      readonly timezone: string | null
      readonly tags: ReadonlyArray<string>
      readonly attributes: unknown
      readonly createdAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type ExportDevicesQueryVariables = Exact<{
  appId: string
  segmentId?: string | null | undefined
  after?: string | null | undefined
}>

export type ExportDevicesQuery = {
  readonly devices: {
    readonly nodes: ReadonlyArray<{
      readonly token: string
      readonly platform: Platform
      readonly userId: string | null
      readonly tags: ReadonlyArray<string>
      readonly timezone: string | null
      readonly environment: Environment
      readonly metadata: unknown
      readonly webPushP256dh: string | null
      readonly webPushAuth: string | null
      readonly status: DeviceStatus
      readonly invalidReason: string | null
      readonly createdAt: string
      readonly lastSeenAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export const beginImport: TypedDocument<BeginImportMutation, BeginImportMutationVariables> = typed(
  "mutation BeginImport($appId:ID!$kind:ImportKind!$file:String!){beginImport(appId:$appId kind:$kind file:$file)}"
)
export const importContacts: TypedDocument<ImportContactsMutation, ImportContactsMutationVariables> = typed(
  "mutation ImportContacts($appId:ID!$importId:ID!$contacts:[ContactInput!]!){importContacts(appId:$appId importId:$importId contacts:$contacts){index created error{message details{field message}}}}"
)
export const importDevices: TypedDocument<ImportDevicesMutation, ImportDevicesMutationVariables> = typed(
  "mutation ImportDevices($appId:ID!$importId:ID!$devices:[RegisterDeviceInput!]!){registerDevices(appId:$appId importId:$importId devices:$devices){index created error{message details{field message}}}}"
)
export const exportContacts: TypedDocument<ExportContactsQuery, ExportContactsQueryVariables> = typed(
  "query ExportContacts($appId:ID!$segmentId:ID$after:String){contacts(appId:$appId segmentId:$segmentId first:100 after:$after){nodes{externalId email locale timezone tags attributes createdAt}pageInfo{hasNextPage endCursor}}}"
)
export const exportDevices: TypedDocument<ExportDevicesQuery, ExportDevicesQueryVariables> = typed(
  "query ExportDevices($appId:ID!$segmentId:ID$after:String){devices(appId:$appId segmentId:$segmentId first:100 after:$after){nodes{token platform userId tags timezone environment metadata webPushP256dh webPushAuth status invalidReason createdAt lastSeenAt}pageInfo{hasNextPage endCursor}}}"
)
