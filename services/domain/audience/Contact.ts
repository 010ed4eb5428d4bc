import { Schema } from "effect"
import { Metadata, NewUserId, Tags, UserId } from "./Device.ts"
import { EmailAddress } from "./EmailAddress.ts"
import type { ContactId } from "../Ids.ts"
import { JsonRecord } from "../Json.ts"
import { TimeZone } from "../Time.ts"
import { maxLength } from "../Text.ts"

export const isLocale = (value: string): boolean => {
  try {
    return Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

/** A language tag of BCP 47, for example `de-AT`. */
export const Locale = Schema.String.check(
  maxLength(35),
  Schema.makeFilter((value: string) => isLocale(value) || "must be a language tag such as de-AT")
)

const fields = {
  email: Schema.optionalKey(Schema.NullOr(EmailAddress)),
  attributes: Schema.optionalKey(Metadata),
  tags: Schema.optionalKey(Tags),
  locale: Schema.optionalKey(Schema.NullOr(Locale)),
  timezone: Schema.optionalKey(Schema.NullOr(TimeZone))
}

/** POST /contacts. Fields that are left out keep their value; null removes it, where it may stand. */
export const UpsertContact = Schema.Struct({ external_id: NewUserId, ...fields })
export type UpsertContact = typeof UpsertContact.Type

/** PATCH /contacts/:id. */
export const UpdateContact = Schema.Struct(fields)
export type UpdateContact = typeof UpdateContact.Type

/** What the person wants to get, by the kind of way. */
export const Preferences = Schema.Struct({ push: Schema.Boolean, email: Schema.Boolean, inbox: Schema.Boolean })
export type Preferences = typeof Preferences.Type

/** PATCH /contacts/:id/preferences. What is left out stays. */
export const UpdatePreferences = Schema.Struct({
  all: Schema.optionalKey(Schema.Boolean.annotate({ description: "For every kind that is not named beside it." })),
  push: Schema.optionalKey(Schema.Boolean),
  email: Schema.optionalKey(Schema.Boolean),
  inbox: Schema.optionalKey(Schema.Boolean)
})
export type UpdatePreferences = typeof UpdatePreferences.Type

/** What a change of tags says: these come, those go. */
const tagChange = { add: Schema.optionalKey(Tags), remove: Schema.optionalKey(Tags) }
const isClear = Schema.makeFilter(
  ({ add, remove }: { add?: ReadonlyArray<string>; remove?: ReadonlyArray<string> }) => {
    if (!add?.length && !remove?.length) return "must have tags to add or to remove"
    const both = add?.findIndex((tag) => remove?.includes(tag)) ?? -1
    return both === -1 || { path: ["add", both], issue: "must not be removed as well" }
  }
)

/** POST /contacts/:id/tags. */
export const ChangeTags = Schema.Struct(tagChange).check(isClear)
export type ChangeTags = typeof ChangeTags.Type

/** Contacts that one request changes, at most. */
const CONTACTS = 1000

/** POST /contacts/tags. */
export const ChangeTagsOfMany = Schema.Struct({
  external_ids: Schema.Array(UserId).check(Schema.isMinLength(1), Schema.isMaxLength(CONTACTS)),
  ...tagChange
}).check(isClear)

/** POST /contacts/bulk: each is looked at by itself, so that one that is wrong stops nothing. */
export const BulkContacts = Schema.Struct({
  contacts: Schema.Array(JsonRecord)
    .check(Schema.isMinLength(1), Schema.isMaxLength(CONTACTS))
    .annotate({ description: "Each as POST /contacts takes it." })
})

/** A person, as the application knows them. */
export interface Contact {
  readonly id: ContactId
  /** The application's own id of the person; the `user_id` of their devices. */
  readonly externalId: string
  /** The address of their e-mail channel. */
  readonly email: string | null
  readonly attributes: Readonly<Record<string, Schema.Json>>
  readonly tags: ReadonlyArray<string>
  readonly locale: string | null
  readonly timezone: string | null
  readonly preferences: Preferences
  readonly createdAt: number
  readonly updatedAt: number
}
