import type { Effect } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { Environment } from "../../domain/audience/Device.ts"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import type { KeptAudience, Way } from "../../domain/sending/Notification.ts"
import type { Person } from "../../domain/messages/Template.ts"
import type { StoreError } from "../StoreError.ts"

export interface AudiencePage {
  /** The recipients' ids in the order of the keyset, by the provider that reaches them. Nobody is named twice. */
  readonly recipients: Readonly<Record<ProviderKind, ReadonlyArray<string>>>
  /** Where the next page begins; null after the last. Opaque; kept with the plan, so that a crash resumes there. */
  readonly next: string | null
}

export interface AudienceCount {
  readonly recipients: Readonly<Record<ProviderKind, number>>
  readonly isExact: boolean
}

/** What a provider needs of one recipient. */
export interface Target {
  readonly id: string
  /** The native token, the push subscription's endpoint, or the e-mail address; the user id for an inbox. */
  readonly address: string
  readonly environment: Environment
  /** Web Push only: the browser's keys, base64url. */
  readonly p256dh: string | null
  readonly auth: string | null
  /** Epoch milliseconds of the last registration. */
  readonly seenAt: number
  /** Of a device, whose it is, where that was asked for. */
  readonly userId?: string | null
  /** What is known of the recipient, where it was asked for. */
  readonly person?: Person
}

/** Reads audiences: in pages for the planner, by id for the dispatcher. */
export class AudienceStore extends Context.Service<
  AudienceStore,
  {
    /**
     * Active devices, e-mail channels and inboxes that the audience describes, of the `ways` asked for, in keyset pages
     * of about `limit`. Tags and time zones are a device's own, and for e-mail and inboxes those of the contact;
     * platforms mean devices only. Made on the way: for `emails`, the channels of unknown addresses; for `inbox`, those
     * of inboxes that have none, and with `user_ids` the contacts of people who are none yet. Of channels that the
     * audience names itself, those whose person unsubscribed are there as well: they are skipped by name.
     *
     * `notification`: the one that is planned. Who of `user_ids` was erased after it was accepted, and is not there now,
     * is not made anew: in their place stands an id of nobody, so that the recipient is accounted for as gone.
     */
    readonly page: (
      appId: AppId,
      audience: KeptAudience,
      ways: ReadonlyArray<Way>,
      cursor: string | null,
      limit: number,
      notification?: NotificationId | null
    ) => Effect.Effect<AudiencePage, StoreError>
    /**
     * The names of time zones of recipients on a page, by recipient: a device's own or its contact's, of channels the
     * contact's. Who has none is left out.
     */
    readonly zones: (
      appId: AppId,
      recipients: AudiencePage["recipients"]
    ) => Effect.Effect<ReadonlyMap<string, string>, StoreError>
    /**
     * How many recipients `page` would name, by provider; for addresses, as if their channels were made. Exact, unless
     * counting, or the wait for others' counts, takes longer than `timeoutMs`: then it is what the database expects.
     */
    readonly count: (
      appId: AppId,
      audience: KeptAudience,
      ways: ReadonlyArray<Way>,
      timeoutMs: number
    ) => Effect.Effect<AudienceCount, StoreError>
    /**
     * Those of `ids` that still exist, are active, and whose person wants such messages; with what is known of each for
     * templates that ask for it, and with whose a device is. One query.
     */
    readonly targets: (
      appId: AppId,
      provider: ProviderKind,
      ids: ReadonlyArray<string>,
      withPerson?: boolean,
      withOwner?: boolean
    ) => Effect.Effect<ReadonlyArray<Target>, StoreError>
    /**
     * Somebody whom `page` would name for the way, also where it would make their channel first: whoever has one of `emails`,
     * or reads an inbox. Of one who is nobody yet the address is known, or the user id. Looks among some `limit`; null: it
     * found nobody. Makes nothing.
     */
    readonly someone: (
      appId: AppId,
      audience: KeptAudience,
      way: "email" | "inbox",
      limit: number
    ) => Effect.Effect<Person | null, StoreError>
    /** Those of `ids` that are there, and whose person wants no such messages. Asked for those that are no targets. */
    readonly unsubscribed: (
      appId: AppId,
      provider: ProviderKind,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StoreError>
  }
>()("heliograph/ports/AudienceStore") {}
