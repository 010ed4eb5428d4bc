import type { Effect } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../domain/Credential.ts"
import type { Environment } from "../domain/Device.ts"
import type { AppId } from "../domain/Ids.ts"
import type { Audience } from "../domain/Notification.ts"
import type { StoreError } from "./StoreError.ts"

export interface AudiencePage {
  /** The recipients' ids in the order of the keyset, by the provider that reaches them. Nobody is named twice. */
  readonly recipients: Readonly<Record<ProviderKind, ReadonlyArray<string>>>
  /** Where the next page begins; null after the last. Opaque; kept with the plan, so that a crash resumes there. */
  readonly next: string | null
}

/** What a provider needs of one recipient. */
export interface Target {
  readonly id: string
  /** The native token, the push subscription's endpoint, or the e-mail address. */
  readonly address: string
  readonly environment: Environment
  /** Web Push only: the browser's keys, base64url. */
  readonly p256dh: string | null
  readonly auth: string | null
  /** Epoch milliseconds of the last registration. */
  readonly seenAt: number
}

/** Reads audiences: in pages for the planner, by id for the dispatcher. */
export class AudienceStore extends Context.Service<
  AudienceStore,
  {
    /**
     * Active devices, and active e-mail channels when `email` is set, that the audience describes, in keyset pages of
     * about `limit`. Tags and time zones are a device's own, and for e-mail those of the contact; platforms mean devices
     * only. For `emails`, the channels of unknown addresses are made on the way.
     */
    readonly page: (
      appId: AppId,
      audience: Audience,
      email: boolean,
      cursor: string | null,
      limit: number
    ) => Effect.Effect<AudiencePage, StoreError>
    /** Those of `ids` that still exist, are active, and whose person wants such messages. One query. */
    readonly targets: (
      appId: AppId,
      provider: ProviderKind,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Target>, StoreError>
  }
>()("heliograph/ports/AudienceStore") {}
