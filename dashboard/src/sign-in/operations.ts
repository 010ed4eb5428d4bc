// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ExternalProvider = "GITHUB" | "GOOGLE"

export type Registration = "INVITE" | "OPEN"

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

export type SignInOptionsQueryVariables = Exact<{ [key: string]: never }>

export type SignInOptionsQuery = {
  readonly signInOptions: {
    readonly registration: Registration
    readonly providers: ReadonlyArray<ExternalProvider>
    readonly pending: { readonly provider: ExternalProvider; readonly email: string } | null
  }
}

export type RequestCodeMutationVariables = Exact<{
  email: string
}>

export type RequestCodeMutation = { readonly requestLoginCode: boolean }

export type VerifyCodeMutationVariables = Exact<{
  email: string
  code: string
}>

export type VerifyCodeMutation = {
  readonly verifyLoginCode: {
    readonly account: { readonly id: string }
    readonly first: {
      readonly appId: string
      readonly secretKey: string
      readonly publicKey: string
      readonly identitySecret: string
    } | null
  }
}

export type InvitationQueryVariables = Exact<{
  token: string
}>

export type InvitationQuery = {
  readonly invitation: {
    readonly organizationName: string
    readonly role: Role
    readonly email: string
    readonly inviterEmail: string
    readonly expiresAt: string
  } | null
}

export type AcceptInvitationMutationVariables = Exact<{
  token: string
}>

export type AcceptInvitationMutation = { readonly acceptInvitation: { readonly id: string; readonly name: string } }

export const signInOptions: TypedDocument<SignInOptionsQuery, SignInOptionsQueryVariables> = typed(
  "query SignInOptions{signInOptions{registration providers pending{provider email}}}"
)
export const requestCode: TypedDocument<RequestCodeMutation, RequestCodeMutationVariables> = typed(
  "mutation RequestCode($email:String!){requestLoginCode(email:$email)}"
)
export const verifyCode: TypedDocument<VerifyCodeMutation, VerifyCodeMutationVariables> = typed(
  "mutation VerifyCode($email:String!$code:String!){verifyLoginCode(email:$email code:$code){account{id}first{appId secretKey publicKey identitySecret}}}"
)
export const invitation: TypedDocument<InvitationQuery, InvitationQueryVariables> = typed(
  "query Invitation($token:String!){invitation(token:$token){organizationName role email inviterEmail expiresAt}}"
)
export const acceptInvitation: TypedDocument<AcceptInvitationMutation, AcceptInvitationMutationVariables> = typed(
  "mutation AcceptInvitation($token:String!){acceptInvitation(token:$token){id name}}"
)
