import { Schema } from "effect"
import { ApiKeyId, AppId, OrganizationId } from "./Ids.ts"

/** An application owns keys, devices, contacts, channels, templates, webhooks and workflows. */
export const Application = Schema.Struct({
  id: AppId,
  organizationId: OrganizationId,
  name: Schema.String,
  /** Whether a claimed user_id needs a valid X-Identity-Hash (spec 5.3). New applications have it on. */
  identityVerification: Schema.Boolean,
  createdAt: Schema.Number
})
export type Application = typeof Application.Type

/** `secret`: full access to one application. `public`: only the public surface of spec 4.1. */
export const KeyKind = Schema.Literals(["secret", "public"])
export type KeyKind = typeof KeyKind.Type

export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  appId: AppId,
  kind: KeyKind
})
export type ApiKey = typeof ApiKey.Type

/** What `app create` prints, once: the plaintext of the keys is not kept. */
export interface ApplicationSecrets {
  readonly appId: AppId
  readonly secretKey: string
  readonly publicKey: string
  readonly identitySecret: string
}
