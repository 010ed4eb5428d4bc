// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ActorKind = "CLI" | "KEY" | "SYSTEM" | "USER"

export type ApiKeyInput = {
  readonly kind: ApiKeyKind
  readonly name: string
}

export type ApiKeyKind = "PUBLIC" | "SECRET"

export type ApnsCredentialInput = {
  readonly bundleId: string
  readonly endpoint?: string | null | undefined
  readonly keyId: string
  readonly privateKey: string
  readonly sandboxEndpoint?: string | null | undefined
  readonly teamId: string
}

export type ApplicationChanges = {
  readonly identityVerification?: boolean | null | undefined
  readonly name?: string | null | undefined
}

export type CredentialCheckStatus =
  /** The provider knows the sender. */
  | "ACCEPTED"
  /** It takes no messages with this credential. */
  | "REFUSED"
  /** There is nobody to ask: Web Push services are asked with a browser's subscription. What can be judged without them is right. */
  | "UNASKED"
  /** It gave no answer that says either. */
  | "UNREACHABLE"

export type CredentialKind = "APNS" | "FCM" | "SMTP" | "WEBPUSH"

export type FcmCredentialInput = {
  readonly endpoint?: string | null | undefined
  /** Google's JSON file, as it was handed out. */
  readonly serviceAccount: unknown
}

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

export type SmtpCredentialInput = {
  readonly from: string
  readonly url: string
}

export type WebPushCredentialInput = {
  readonly privateKey?: string | null | undefined
  readonly publicKey?: string | null | undefined
  readonly subject: string
}

export type ApplicationQueryVariables = Exact<{
  appId: string
}>

export type ApplicationQuery = {
  readonly application: {
    readonly id: string
    readonly name: string
    readonly createdAt: string
    readonly identityVerification: boolean
    readonly formerIdentitySecretUntil: string | null
    readonly warnings: ReadonlyArray<string>
  } | null
}

export type ChangeApplicationMutationVariables = Exact<{
  id: string
  input: ApplicationChanges
}>

export type ChangeApplicationMutation = {
  readonly updateApplication: {
    readonly id: string
    readonly name: string
    readonly identityVerification: boolean
    readonly warnings: ReadonlyArray<string>
  }
}

export type ReissueIdentitySecretMutationVariables = Exact<{
  appId: string
  overlapSeconds?: number | null | undefined
}>

export type ReissueIdentitySecretMutation = {
  readonly reissueIdentitySecret: {
    readonly identitySecret: string | null
    readonly formerIdentitySecretUntil: string | null
  }
}

export type ApiKeysQueryVariables = Exact<{
  appId: string
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type ApiKeysQuery = {
  readonly apiKeys: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly kind: ApiKeyKind
      readonly name: string
      readonly prefix: string
      readonly createdAt: string
      readonly lastUsedAt: string | null
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type CreateApiKeyMutationVariables = Exact<{
  appId: string
  input: ApiKeyInput
}>

export type CreateApiKeyMutation = {
  readonly createApiKey: {
    readonly id: string
    readonly key: string | null
    readonly kind: ApiKeyKind
    readonly name: string
  }
}

export type RevokeApiKeyMutationVariables = Exact<{
  id: string
}>

export type RevokeApiKeyMutation = { readonly revokeApiKey: boolean }

export type CredentialsQueryVariables = Exact<{
  appId: string
}>

export type CredentialsQuery = {
  readonly credentials: ReadonlyArray<{
    readonly kind: CredentialKind
    readonly settings: unknown
    readonly suspendedReason: string | null
    readonly updatedAt: string
  }>
}

export type SetApnsMutationVariables = Exact<{
  appId: string
  input: ApnsCredentialInput
}>

export type SetApnsMutation = { readonly setApnsCredential: { readonly kind: CredentialKind } }

export type SetFcmMutationVariables = Exact<{
  appId: string
  input: FcmCredentialInput
}>

export type SetFcmMutation = { readonly setFcmCredential: { readonly kind: CredentialKind } }

export type SetWebPushMutationVariables = Exact<{
  appId: string
  input: WebPushCredentialInput
}>

export type SetWebPushMutation = { readonly setWebPushCredential: { readonly kind: CredentialKind } }

export type SetSmtpMutationVariables = Exact<{
  appId: string
  input: SmtpCredentialInput
}>

export type SetSmtpMutation = { readonly setSmtpCredential: { readonly kind: CredentialKind } }

export type CheckCredentialMutationVariables = Exact<{
  appId: string
  kind: CredentialKind
}>

export type CheckCredentialMutation = {
  readonly checkCredential: {
    readonly kind: CredentialKind
    readonly status: CredentialCheckStatus
    readonly reason: string | null
    readonly checkedAt: string
  }
}

export type DeleteCredentialMutationVariables = Exact<{
  appId: string
  kind: CredentialKind
}>

export type DeleteCredentialMutation = { readonly deleteCredential: boolean }

export type TeamQueryVariables = Exact<{
  organizationId: string
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type TeamQuery = {
  readonly members: {
    readonly nodes: ReadonlyArray<{
      readonly accountId: string
      readonly email: string
      readonly name: string
      readonly role: Role
      readonly joinedAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
  readonly invitations: ReadonlyArray<{
    readonly id: string
    readonly email: string
    readonly role: Role
    readonly createdAt: string
    readonly expiresAt: string
  }>
}

export type InviteMutationVariables = Exact<{
  organizationId: string
  email: string
  role: Role
}>

export type InviteMutation = { readonly inviteMember: { readonly id: string; readonly email: string } }

export type RevokeInvitationMutationVariables = Exact<{
  id: string
}>

export type RevokeInvitationMutation = { readonly revokeInvitation: boolean }

export type ChangeRoleMutationVariables = Exact<{
  organizationId: string
  accountId: string
  role: Role
}>

export type ChangeRoleMutation = { readonly changeRole: { readonly accountId: string; readonly role: Role } }

export type RemoveMemberMutationVariables = Exact<{
  organizationId: string
  accountId: string
}>

export type RemoveMemberMutation = { readonly removeMember: boolean }

export type TransferOwnershipMutationVariables = Exact<{
  organizationId: string
  accountId: string
}>

export type TransferOwnershipMutation = {
  readonly transferOwnership: { readonly accountId: string; readonly role: Role }
}

export type LeaveOrganizationMutationVariables = Exact<{
  organizationId: string
}>

export type LeaveOrganizationMutation = { readonly leaveOrganization: boolean }

export type RenameOrganizationMutationVariables = Exact<{
  id: string
  name: string
}>

export type RenameOrganizationMutation = { readonly renameOrganization: { readonly id: string; readonly name: string } }

export type DeleteApplicationMutationVariables = Exact<{
  id: string
}>

export type DeleteApplicationMutation = { readonly deleteApplication: boolean }

export type DeleteOrganizationMutationVariables = Exact<{
  id: string
}>

export type DeleteOrganizationMutation = { readonly deleteOrganization: boolean }

export type AuditQueryVariables = Exact<{
  appId: string
  actorId?: string | null | undefined
  action?: string | null | undefined
  from?: string | null | undefined
  to?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type AuditQuery = {
  readonly auditLog: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly at: string
      readonly action: string
      readonly target: string | null
      readonly details: unknown
      readonly actor: { readonly kind: ActorKind; readonly actorId: string | null; readonly email: string | null }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type OrganizationLogQueryVariables = Exact<{
  organizationId: string
  actorId?: string | null | undefined
  action?: string | null | undefined
  from?: string | null | undefined
  to?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type OrganizationLogQuery = {
  readonly organizationLog: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly at: string
      readonly action: string
      readonly target: string | null
      readonly email: string | null
      readonly details: unknown
      readonly actor: { readonly kind: ActorKind; readonly actorId: string | null; readonly email: string | null }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export const application: TypedDocument<ApplicationQuery, ApplicationQueryVariables> = typed(
  "query Application($appId:ID!){application(id:$appId){id name createdAt identityVerification formerIdentitySecretUntil warnings}}"
)
export const changeApplication: TypedDocument<ChangeApplicationMutation, ChangeApplicationMutationVariables> = typed(
  "mutation ChangeApplication($id:ID!$input:ApplicationChanges!){updateApplication(id:$id input:$input){id name identityVerification warnings}}"
)
export const reissueIdentitySecret: TypedDocument<
  ReissueIdentitySecretMutation,
  ReissueIdentitySecretMutationVariables
> = typed(
  "mutation ReissueIdentitySecret($appId:ID!$overlapSeconds:Int){reissueIdentitySecret(appId:$appId input:{overlapSeconds:$overlapSeconds}){identitySecret formerIdentitySecretUntil}}"
)
export const apiKeys: TypedDocument<ApiKeysQuery, ApiKeysQueryVariables> = typed(
  "query ApiKeys($appId:ID!$first:Int$after:String){apiKeys(appId:$appId first:$first after:$after){nodes{id kind name prefix createdAt lastUsedAt}pageInfo{hasNextPage endCursor}}}"
)
export const createApiKey: TypedDocument<CreateApiKeyMutation, CreateApiKeyMutationVariables> = typed(
  "mutation CreateApiKey($appId:ID!$input:ApiKeyInput!){createApiKey(appId:$appId input:$input){id key kind name}}"
)
export const revokeApiKey: TypedDocument<RevokeApiKeyMutation, RevokeApiKeyMutationVariables> = typed(
  "mutation RevokeApiKey($id:ID!){revokeApiKey(id:$id)}"
)
export const credentials: TypedDocument<CredentialsQuery, CredentialsQueryVariables> = typed(
  "query Credentials($appId:ID!){credentials(appId:$appId){kind settings suspendedReason updatedAt}}"
)
export const setApns: TypedDocument<SetApnsMutation, SetApnsMutationVariables> = typed(
  "mutation SetApns($appId:ID!$input:ApnsCredentialInput!){setApnsCredential(appId:$appId input:$input){kind}}"
)
export const setFcm: TypedDocument<SetFcmMutation, SetFcmMutationVariables> = typed(
  "mutation SetFcm($appId:ID!$input:FcmCredentialInput!){setFcmCredential(appId:$appId input:$input){kind}}"
)
export const setWebPush: TypedDocument<SetWebPushMutation, SetWebPushMutationVariables> = typed(
  "mutation SetWebPush($appId:ID!$input:WebPushCredentialInput!){setWebPushCredential(appId:$appId input:$input){kind}}"
)
export const setSmtp: TypedDocument<SetSmtpMutation, SetSmtpMutationVariables> = typed(
  "mutation SetSmtp($appId:ID!$input:SmtpCredentialInput!){setSmtpCredential(appId:$appId input:$input){kind}}"
)
export const checkCredential: TypedDocument<CheckCredentialMutation, CheckCredentialMutationVariables> = typed(
  "mutation CheckCredential($appId:ID!$kind:CredentialKind!){checkCredential(appId:$appId kind:$kind){kind status reason checkedAt}}"
)
export const deleteCredential: TypedDocument<DeleteCredentialMutation, DeleteCredentialMutationVariables> = typed(
  "mutation DeleteCredential($appId:ID!$kind:CredentialKind!){deleteCredential(appId:$appId kind:$kind)}"
)
export const team: TypedDocument<TeamQuery, TeamQueryVariables> = typed(
  "query Team($organizationId:ID!$first:Int$after:String){members(organizationId:$organizationId first:$first after:$after){nodes{accountId email name role joinedAt}pageInfo{hasNextPage endCursor}}invitations(organizationId:$organizationId){id email role createdAt expiresAt}}"
)
export const invite: TypedDocument<InviteMutation, InviteMutationVariables> = typed(
  "mutation Invite($organizationId:ID!$email:String!$role:Role!){inviteMember(organizationId:$organizationId email:$email role:$role){id email}}"
)
export const revokeInvitation: TypedDocument<RevokeInvitationMutation, RevokeInvitationMutationVariables> = typed(
  "mutation RevokeInvitation($id:ID!){revokeInvitation(id:$id)}"
)
export const changeRole: TypedDocument<ChangeRoleMutation, ChangeRoleMutationVariables> = typed(
  "mutation ChangeRole($organizationId:ID!$accountId:ID!$role:Role!){changeRole(organizationId:$organizationId accountId:$accountId role:$role){accountId role}}"
)
export const removeMember: TypedDocument<RemoveMemberMutation, RemoveMemberMutationVariables> = typed(
  "mutation RemoveMember($organizationId:ID!$accountId:ID!){removeMember(organizationId:$organizationId accountId:$accountId)}"
)
export const transferOwnership: TypedDocument<TransferOwnershipMutation, TransferOwnershipMutationVariables> = typed(
  "mutation TransferOwnership($organizationId:ID!$accountId:ID!){transferOwnership(organizationId:$organizationId accountId:$accountId){accountId role}}"
)
export const leaveOrganization: TypedDocument<LeaveOrganizationMutation, LeaveOrganizationMutationVariables> = typed(
  "mutation LeaveOrganization($organizationId:ID!){leaveOrganization(organizationId:$organizationId)}"
)
export const renameOrganization: TypedDocument<RenameOrganizationMutation, RenameOrganizationMutationVariables> = typed(
  "mutation RenameOrganization($id:ID!$name:String!){renameOrganization(id:$id name:$name){id name}}"
)
export const deleteApplication: TypedDocument<DeleteApplicationMutation, DeleteApplicationMutationVariables> = typed(
  "mutation DeleteApplication($id:ID!){deleteApplication(id:$id)}"
)
export const deleteOrganization: TypedDocument<DeleteOrganizationMutation, DeleteOrganizationMutationVariables> = typed(
  "mutation DeleteOrganization($id:ID!){deleteOrganization(id:$id)}"
)
export const audit: TypedDocument<AuditQuery, AuditQueryVariables> = typed(
  "query Audit($appId:ID!$actorId:String$action:String$from:DateTime$to:DateTime$first:Int$after:String){auditLog(appId:$appId actorId:$actorId action:$action from:$from to:$to first:$first after:$after){nodes{id at action target details actor{kind actorId email}}pageInfo{hasNextPage endCursor}}}"
)
export const organizationLog: TypedDocument<OrganizationLogQuery, OrganizationLogQueryVariables> = typed(
  "query OrganizationLog($organizationId:ID!$actorId:String$action:String$from:DateTime$to:DateTime$first:Int$after:String){organizationLog(organizationId:$organizationId actorId:$actorId action:$action from:$from to:$to first:$first after:$after){nodes{id at action target email details actor{kind actorId email}}pageInfo{hasNextPage endCursor}}}"
)
