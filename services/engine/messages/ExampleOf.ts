import { Effect, Option } from "effect"
import type { Contact } from "../../domain/audience/Contact.ts"
import type { Device } from "../../domain/audience/Device.ts"
import type { AppId, ContactId } from "../../domain/Ids.ts"
import type { Person } from "../../domain/messages/Template.ts"
import { ContactStore } from "../../ports/audience/ContactStore.ts"
import { DeviceStore } from "../../ports/audience/DeviceStore.ts"

/** Devices of a person among which the one that was seen last is looked for. */
const DEVICES = 100

const known = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

const contactOf = ({ attributes, email, externalId, locale, tags, timezone }: Contact) =>
  known({ external_id: externalId, email, locale, timezone, tags, attributes })

const deviceOf = ({ id, metadata, platform, tags, timezone, userId }: Device) =>
  known({ id, platform, user_id: userId, timezone, tags, metadata })

/**
 * What a template sees of a contact when it is sent, with the device that was seen last of those that can be reached. None:
 * the application has no such contact.
 */
export const makeExampleOf = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const devices = yield* DeviceStore
  return Effect.fnUntraced(function* (appId: AppId, id: ContactId) {
    const contact = Option.getOrUndefined(yield* contacts.find(appId, id))
    if (contact === undefined) return Option.none<Person>()
    const theirs = (yield* devices.ofUsers(appId, [contact.externalId], DEVICES)).get(contact.externalId) ?? []
    const [device] = theirs.filter(({ status }) => status === "active").toSorted((a, b) => b.lastSeenAt - a.lastSeenAt)
    return Option.some<Person>({
      locale: contact.locale,
      contact: contactOf(contact),
      device: device === undefined ? {} : deviceOf(device)
    })
  })
})
