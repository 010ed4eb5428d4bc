import type { Effect, Option } from "effect"
import { Context } from "effect"
import type {
  ChangeTags,
  Contact,
  UpdateContact,
  UpdatePreferences,
  UpsertContact
} from "../../domain/audience/Contact.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { AppId, ContactId } from "../../domain/Ids.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** Names a contact: by our id, or by the application's own. */
export type ContactKey = ContactId | { readonly externalId: string }

/** Which contacts a list is to have: those that meet every condition. */
export interface ContactFilter {
  readonly externalId?: string
  readonly tag?: string
  /**
   * Whom it holds. What a person did, they did on any device or channel of theirs; a filter with `platforms` holds
   * devices alone, and so nobody.
   */
  readonly segment?: SegmentFilter
}

/** People, by the application's own ids. */
export class ContactStore extends Context.Service<
  ContactStore,
  {
    /**
     * One transaction: creates or updates the contact of each external id; the answers are in the order of the input.
     * Several lines with one external id count as one after another. A new e-mail address takes the place of the one
     * before: its channel becomes the contact's, wherever it was; the old one goes, unless mail to it was refused or
     * unsubscribed, which stays on record.
     */
    readonly upsert: (
      appId: AppId,
      contacts: ReadonlyArray<UpsertContact>
    ) => Effect.Effect<ReadonlyArray<{ readonly id: ContactId; readonly created: boolean }>, StoreError>
    readonly find: (appId: AppId, key: ContactKey) => Effect.Effect<Option.Option<Contact>, StoreError>
    /** Those of `keys` that are contacts of the application, each once, in no order: one statement. */
    readonly findMany: (
      appId: AppId,
      keys: ReadonlyArray<ContactKey>
    ) => Effect.Effect<ReadonlyArray<Contact>, StoreError>
    /**
     * In the order of ids, newest last. With a segment a page may have fewer than `limit`, and a next one: it ends where
     * it has looked through its share of those whom the segment does not hold.
     */
    readonly list: (
      appId: AppId,
      filter: ContactFilter,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Contact>, StoreError>
    /**
     * Those whose external id, address or attribute `name` begins with `prefix`, whatever the case: first all by their id,
     * then by their address, then by their name, each in the order of it. Nothing comes after somebody who is gone.
     */
    readonly search: (
      appId: AppId,
      prefix: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Contact>, StoreError>
    /** As `upsert`, for a contact that is there. */
    readonly update: (
      appId: AppId,
      key: ContactKey,
      change: UpdateContact
    ) => Effect.Effect<Option.Option<Contact>, StoreError>
    /**
     * Adds and removes tags of the contacts with these external ids, in one statement. Answers those that are there;
     * `fits` is false for one that would have more than 100 tags, which stays as it is.
     */
    readonly tag: (
      appId: AppId,
      externalIds: ReadonlyArray<string>,
      change: ChangeTags
    ) => Effect.Effect<ReadonlyArray<{ readonly externalId: string; readonly fits: boolean }>, StoreError>
    /** E-mail channels of the contact follow, those it gets later too; one that bounced stays suppressed. */
    readonly prefer: (
      appId: AppId,
      key: ContactKey,
      change: UpdatePreferences
    ) => Effect.Effect<Option.Option<Contact>, StoreError>
    /**
     * The person with everything about them: devices, channels, inbox. False when there was nothing; notifications that
     * were accepted before do not make a person of that external id all the same.
     */
    readonly remove: (appId: AppId, key: ContactKey) => Effect.Effect<boolean, StoreError>
  }
>()("heliograph/ports/ContactStore") {}
