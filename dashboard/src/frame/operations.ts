// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
/** What a role may do, as a dashboard needs to know it: a control whose operation is not among `may` would answer 403. */
export type Operation =
  | "CHANGE_API_KEYS"
  | "CHANGE_APPLICATION"
  | "CHANGE_BILLING"
  | "CHANGE_CHANNELS"
  | "CHANGE_CONTACTS"
  | "CHANGE_CREDENTIALS"
  | "CHANGE_DEVICES"
  | "CHANGE_INBOX"
  | "CHANGE_MEMBERS"
  | "CHANGE_ORGANIZATION"
  | "CHANGE_SEGMENTS"
  | "CHANGE_TEMPLATES"
  | "CHANGE_WEBHOOKS"
  | "CHANGE_WORKFLOWS"
  | "CONTROL_NOTIFICATIONS"
  | "CREATE_APPLICATION"
  | "DELETE_APPLICATION"
  | "DELETE_ORGANIZATION"
  | "LEAVE_ORGANIZATION"
  | "READ"
  | "REPLAY_DEAD_LETTERS"
  | "REPORT_ENGAGEMENT"
  | "SEND_NOTIFICATIONS"

/** What a person is in an organization. Each may do what those below it may. */
export type Role =
  /** Applications and their options, API keys, provider credentials, webhooks. */
  | "ADMIN"
  /** Daily work: messages, contacts, devices, channels, templates, segments, inboxes. */
  | "MEMBER"
  /** Everything: members and invitations, the organization's name, its deletion. */
  | "OWNER"
  /** Reads everything and changes nothing: any write is refused with 403. Secrets are shown to nobody. */
  | "VIEWER"

export type ViewerQueryVariables = Exact<{ [key: string]: never }>

export type ViewerQuery = {
  readonly me: { readonly id: string; readonly email: string; readonly name: string } | null
  readonly organizations: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly role: Role | null
    readonly may: ReadonlyArray<Operation>
  }>
}

export type ApplicationsQueryVariables = Exact<{
  organizationId: string
  after?: string | null | undefined
}>

export type ApplicationsQuery = {
  readonly applications: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly identityVerification: boolean
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type CreateApplicationMutationVariables = Exact<{
  organizationId: string
  name: string
}>

export type CreateApplicationMutation = {
  readonly createApplication: {
    readonly identitySecret: string
    readonly publicKey: string
    readonly secretKey: string
    readonly application: { readonly id: string; readonly name: string }
  }
}

export type CreateOrganizationMutationVariables = Exact<{
  name: string
}>

export type CreateOrganizationMutation = { readonly createOrganization: { readonly id: string } }

export type LogoutMutationVariables = Exact<{ [key: string]: never }>

export type LogoutMutation = { readonly logout: boolean }

export const viewer: TypedDocument<ViewerQuery, ViewerQueryVariables> = typed(
  "query Viewer{me{id email name}organizations{id name role may}}"
)
export const applications: TypedDocument<ApplicationsQuery, ApplicationsQueryVariables> = typed(
  "query Applications($organizationId:ID!$after:String){applications(organizationId:$organizationId first:100 after:$after){nodes{id name identityVerification}pageInfo{hasNextPage endCursor}}}"
)
export const createApplication: TypedDocument<CreateApplicationMutation, CreateApplicationMutationVariables> = typed(
  "mutation CreateApplication($organizationId:ID!$name:String!){createApplication(organizationId:$organizationId name:$name){application{id name}identitySecret publicKey secretKey}}"
)
export const createOrganization: TypedDocument<CreateOrganizationMutation, CreateOrganizationMutationVariables> = typed(
  "mutation CreateOrganization($name:String!){createOrganization(name:$name){id}}"
)
export const logout: TypedDocument<LogoutMutation, LogoutMutationVariables> = typed("mutation Logout{logout}")
