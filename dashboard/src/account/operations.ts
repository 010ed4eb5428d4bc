// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ExternalProvider = "GITHUB" | "GOOGLE"

export type AccountQueryVariables = Exact<{ [key: string]: never }>

export type AccountQuery = {
  readonly me: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly createdAt: string
    readonly externalSignIns: ReadonlyArray<{
      readonly id: string
      readonly provider: ExternalProvider
      readonly email: string | null
      readonly createdAt: string
      readonly lastUsedAt: string | null
    }>
  } | null
  readonly sessions: ReadonlyArray<{
    readonly id: string
    readonly createdAt: string
    readonly expiresAt: string
    readonly isCurrent: boolean
    readonly lastUsedAt: string
    readonly userAgent: string
  }>
  readonly signInOptions: {
    readonly providers: ReadonlyArray<ExternalProvider>
    readonly pending: { readonly provider: ExternalProvider; readonly email: string } | null
  }
}

export type RenameAccountMutationVariables = Exact<{
  name: string
}>

export type RenameAccountMutation = { readonly renameAccount: { readonly id: string; readonly name: string } }

export type EndSessionMutationVariables = Exact<{
  id: string
}>

export type EndSessionMutation = { readonly endSession: boolean }

export type SignOutEverywhereMutationVariables = Exact<{ [key: string]: never }>

export type SignOutEverywhereMutation = { readonly signOutEverywhere: boolean }

export type UnbindMutationVariables = Exact<{
  id: string
}>

export type UnbindMutation = { readonly unbindExternalSignIn: boolean }

export type RequestConfirmationMutationVariables = Exact<{ [key: string]: never }>

export type RequestConfirmationMutation = { readonly requestExternalSignInCode: boolean }

export type ConfirmExternalMutationVariables = Exact<{
  code: string
}>

export type ConfirmExternalMutation = { readonly confirmExternalSignIn: { readonly provider: ExternalProvider } }

export type ExportDataQueryVariables = Exact<{ [key: string]: never }>

export type ExportDataQuery = { readonly exportMyAccountData: unknown }

export type RequestDeletionCodeMutationVariables = Exact<{
  email: string
}>

export type RequestDeletionCodeMutation = { readonly requestLoginCode: boolean }

export type DeleteAccountMutationVariables = Exact<{
  code: string
}>

export type DeleteAccountMutation = { readonly deleteAccount: boolean }

export type RequestEmailChangeMutationVariables = Exact<{
  email: string
}>

export type RequestEmailChangeMutation = { readonly requestEmailChange: boolean }

export type ChangeEmailMutationVariables = Exact<{
  code: string
  newCode: string
}>

export type ChangeEmailMutation = { readonly changeEmail: { readonly account: { readonly email: string } } }

export const account: TypedDocument<AccountQuery, AccountQueryVariables> = typed(
  "query Account{me{id email name createdAt externalSignIns{id provider email createdAt lastUsedAt}}sessions{id createdAt expiresAt isCurrent lastUsedAt userAgent}signInOptions{providers pending{provider email}}}"
)
export const renameAccount: TypedDocument<RenameAccountMutation, RenameAccountMutationVariables> = typed(
  "mutation RenameAccount($name:String!){renameAccount(name:$name){id name}}"
)
export const endSession: TypedDocument<EndSessionMutation, EndSessionMutationVariables> = typed(
  "mutation EndSession($id:ID!){endSession(id:$id)}"
)
export const signOutEverywhere: TypedDocument<SignOutEverywhereMutation, SignOutEverywhereMutationVariables> = typed(
  "mutation SignOutEverywhere{signOutEverywhere}"
)
export const unbind: TypedDocument<UnbindMutation, UnbindMutationVariables> = typed(
  "mutation Unbind($id:ID!){unbindExternalSignIn(id:$id)}"
)
export const requestConfirmation: TypedDocument<RequestConfirmationMutation, RequestConfirmationMutationVariables> =
  typed("mutation RequestConfirmation{requestExternalSignInCode}")
export const confirmExternal: TypedDocument<ConfirmExternalMutation, ConfirmExternalMutationVariables> = typed(
  "mutation ConfirmExternal($code:String!){confirmExternalSignIn(code:$code){provider}}"
)
export const exportData: TypedDocument<ExportDataQuery, ExportDataQueryVariables> = typed(
  "query ExportData{exportMyAccountData}"
)
export const requestDeletionCode: TypedDocument<RequestDeletionCodeMutation, RequestDeletionCodeMutationVariables> =
  typed("mutation RequestDeletionCode($email:String!){requestLoginCode(email:$email)}")
export const deleteAccount: TypedDocument<DeleteAccountMutation, DeleteAccountMutationVariables> = typed(
  "mutation DeleteAccount($code:String!){deleteAccount(code:$code)}"
)
export const requestEmailChange: TypedDocument<RequestEmailChangeMutation, RequestEmailChangeMutationVariables> = typed(
  "mutation RequestEmailChange($email:String!){requestEmailChange(email:$email)}"
)
export const changeEmail: TypedDocument<ChangeEmailMutation, ChangeEmailMutationVariables> = typed(
  "mutation ChangeEmail($code:String!$newCode:String!){changeEmail(code:$code newCode:$newCode){account{email}}}"
)
