import { Schema } from "effect"
import type { Contact } from "../../../services/domain/audience/Contact.ts"
import { Preferences } from "../../../services/domain/audience/Contact.ts"
import { ContactId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { ID, NOW } from "../docs/Examples.ts"

export const ContactView = Schema.Struct({
  id: ContactId,
  external_id: Schema.String,
  email: Schema.NullOr(Schema.String).annotate({ description: "The address of the contact's e-mail channel." }),
  attributes: Schema.Record(Schema.String, Schema.Json),
  tags: Schema.Array(Schema.String),
  locale: Schema.NullOr(Schema.String),
  timezone: Schema.NullOr(Schema.String),
  preferences: Preferences,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Contact" })

export const showContact = (contact: Contact): typeof ContactView.Type => ({
  id: contact.id,
  external_id: contact.externalId,
  email: contact.email,
  attributes: contact.attributes,
  tags: contact.tags,
  locale: contact.locale,
  timezone: contact.timezone,
  preferences: contact.preferences,
  created_at: isoTime(contact.createdAt),
  updated_at: isoTime(contact.updatedAt)
})

const fields = {
  email: "ada@example.com",
  attributes: { plan: "pro" },
  tags: ["news"],
  locale: "en-GB",
  timezone: "Europe/London"
}
export const contactDraft = { external_id: "user-42", ...fields }
export const preferencesExample = { push: true, email: true, inbox: true }
export const contactExample = {
  id: ID,
  ...contactDraft,
  preferences: preferencesExample,
  created_at: NOW,
  updated_at: NOW
}

export const KEEPS =
  "Fields that are left out keep their value; null removes it. `tags` and `attributes` are replaced whole, by an empty list or object where none are to be left."
