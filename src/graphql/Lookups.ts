import DataLoader from "dataloader"
import { Effect } from "effect"
import type { AppId, ContactId, NotificationId } from "../../services/domain/Ids.ts"
import type { ChannelStore } from "../../services/ports/audience/ChannelStore.ts"
import type { ContactStore } from "../../services/ports/audience/ContactStore.ts"
import type { DeviceStore } from "../../services/ports/audience/DeviceStore.ts"
import type { NotificationStore } from "../../services/ports/sending/NotificationStore.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import type { ChannelView } from "../http/endpoints/Channels.ts"
import { showChannel } from "../http/endpoints/Channels.ts"
import type { ContactView } from "../http/endpoints/ContactView.ts"
import { showContact } from "../http/endpoints/ContactView.ts"
import type { DeviceView } from "../http/endpoints/Devices.ts"
import { showDevice } from "../http/endpoints/Devices.ts"
import type { NotificationSummaryView } from "../http/endpoints/NotificationViews.ts"
import { showSummary } from "../http/endpoints/NotificationViews.ts"
import type { Waits } from "../http/pipeline/WaitLimiter.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"

/*
 * What belongs to the objects of a page, looked up for all of them at once: a statement for each kind, however many ask.
 * They live as long as one request, and see one application.
 */

export interface LookupStores {
  readonly channels: ChannelStore["Service"]
  readonly contacts: ContactStore["Service"]
  readonly devices: DeviceStore["Service"]
  readonly notifications: NotificationStore["Service"]
}

type Contact = typeof ContactView.Type

export interface Lookups {
  readonly contact: (id: ContactId) => Promise<Contact | null>
  readonly contactOf: (externalId: string) => Promise<Contact | null>
  /** `limit` of each person at most, oldest first. */
  readonly devices: (externalId: string, limit: number) => Promise<ReadonlyArray<typeof DeviceView.Type>>
  readonly channels: (contactId: ContactId, limit: number) => Promise<ReadonlyArray<typeof ChannelView.Type>>
  readonly notification: (id: NotificationId) => Promise<typeof NotificationSummaryView.Type | null>
}

type Run = <A>(work: Effect.Effect<A, unknown>) => A | Promise<A>

export const makeLookups = (
  { channels, contacts, devices, notifications }: LookupStores,
  appId: AppId,
  waits: () => Waits,
  run: Run,
  /** Told of every object that is found. */
  note: (found: object) => void
): Lookups => {
  /** Asks for everything that was wanted in one turn; what is not there is `none`. */
  const loader = <Key extends string, A, None>(
    load: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyMap<Key, A>, StoreError>,
    none: None
  ) =>
    new DataLoader<Key, A | None>(async (keys) => {
      const found = await run(within(waits(), load(keys)))
      for (const one of found.values()) for (const each of Array.isArray(one) ? one : [one]) note(each as object)
      return keys.map((key) => found.get(key) ?? none)
    })
  /** One for each page size that is asked for. */
  const bySize = <A>(make: (limit: number) => A) => {
    const made = new Map<number, A>()
    return (limit: number): A => {
      const known = made.get(limit) ?? make(limit)
      made.set(limit, known)
      return known
    }
  }
  const byId = loader(
    (ids: ReadonlyArray<ContactId>) =>
      Effect.map(
        contacts.findMany(appId, ids),
        (found) => new Map(found.map((contact) => [contact.id, showContact(contact)]))
      ),
    null
  )
  const byExternalId = loader(
    (externalIds: ReadonlyArray<string>) =>
      Effect.map(
        contacts.findMany(
          appId,
          externalIds.map((externalId) => ({ externalId }))
        ),
        (found) => new Map(found.map((contact) => [contact.externalId, showContact(contact)]))
      ),
    null
  )
  const devicesOf = bySize((limit) =>
    loader(
      (userIds: ReadonlyArray<string>) =>
        Effect.map(
          devices.ofUsers(appId, userIds, limit),
          (found) => new Map([...found].map(([userId, theirs]) => [userId, theirs.map(showDevice)]))
        ),
      []
    )
  )
  const channelsOf = bySize((limit) =>
    loader(
      (contactIds: ReadonlyArray<ContactId>) =>
        Effect.map(
          channels.ofContacts(appId, contactIds, limit),
          (found) => new Map([...found].map(([contactId, theirs]) => [contactId, theirs.map(showChannel)]))
        ),
      []
    )
  )
  const summaries = loader((ids: ReadonlyArray<NotificationId>) => summariesOf(notifications, appId, ids), null)
  return {
    contact: (id) => byId.load(id),
    contactOf: (externalId) => byExternalId.load(externalId),
    devices: (externalId, limit) => devicesOf(limit).load(externalId),
    channels: (contactId, limit) => channelsOf(limit).load(contactId),
    notification: (id) => summaries.load(id)
  }
}

const summariesOf = Effect.fnUntraced(function* (
  notifications: LookupStores["notifications"],
  appId: AppId,
  ids: ReadonlyArray<NotificationId>
) {
  const found = yield* notifications.findMany(appId, ids)
  const counts = yield* notifications.counts(appId, ids)
  return new Map(found.map((notification) => [notification.id, showSummary(notification, counts.get(notification.id))]))
})
