import { Effect, Option, Schema } from "effect"
import type { Contact } from "../../services/domain/Contact.ts"
import { Preferences, UpdateContact, UpdatePreferences, UpsertContact } from "../../services/domain/Contact.ts"
import { UserId } from "../../services/domain/Device.ts"
import { ContactId } from "../../services/domain/Ids.ts"
import { text } from "../../services/domain/Text.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { ContactStore } from "../../services/ports/ContactStore.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import { notFound } from "./ApiError.ts"
import { ID, NOW } from "./Examples.ts"
import { ABOUT_LINES, LINE_TYPES, LineResult, makeLineImport } from "./LineImport.ts"
import { listQuery, page, pageOf } from "./Page.ts"
import { route } from "./Route.ts"

const ContactView = Schema.Struct({
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

const show = (contact: Contact): typeof ContactView.Type => ({
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
const draft = { external_id: "user-42", ...fields }
const preferences = { push: true, email: true, inbox: true }
const example = { id: ID, ...draft, preferences, created_at: NOW, updated_at: NOW }

const KEEPS = "Fields that are left out keep their value; null removes it. `tags` and `attributes` are replaced whole."

const orNotFound = (contact: Option.Option<Contact>) =>
  Option.isSome(contact) ? Effect.succeed(contact.value) : Effect.fail(notFound("contact"))

/** Contacts: the people behind devices, channels and inboxes. */
export const contactRoutes = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const { importLimit } = yield* HttpSettings
  const importLines = makeLineImport(UpsertContact, importLimit)

  return [
    route({
      method: "POST",
      path: "/api/v1/contacts",
      access: "secret",
      tag: "Contacts",
      summary: "Create or update a contact",
      description: `Idempotent: \`external_id\`, your own id of the person, names one contact; devices carry it as \`user_id\`. ${KEEPS} \`email\` is the contact's e-mail channel: a new address takes the place of the one before.`,
      body: { schema: UpsertContact, name: "UpsertContact", example: draft },
      success: {
        status: 201,
        description: "The contact is there.",
        schema: Schema.Struct({
          id: ContactId,
          created: Schema.Boolean.annotate({ description: "False when it was there before." })
        }),
        example: { id: ID, created: true },
        location: ({ id }) => `/api/v1/contacts/${id}`
      },
      handler: ({ caller, body }) => Effect.map(contacts.upsert(caller.appId, [body]), ([contact]) => contact!)
    }),
    route({
      method: "POST",
      path: "/api/v1/contacts/import",
      access: "secret",
      tag: "Contacts",
      summary: "Create or update many contacts",
      description: `One contact a line, ${ABOUT_LINES}`,
      body: { schema: UpsertContact, name: "UpsertContact", example: draft, mediaTypes: LINE_TYPES, isStream: true },
      success: {
        status: 200,
        description: "A result for each line.",
        schema: LineResult,
        example: { line: 1, id: ID, created: true },
        mediaType: LINE_TYPES[0]
      },
      errors: ["payload_too_large"],
      handler: ({ caller, request }) => importLines(request, (lines) => contacts.upsert(caller.appId, lines))
    }),
    route({
      method: "GET",
      path: "/api/v1/contacts",
      access: "secret",
      tag: "Contacts",
      summary: "List contacts",
      query: Schema.Struct({
        external_id: Schema.optionalKey(UserId),
        tag: Schema.optionalKey(text(64)),
        ...listQuery
      }),
      success: {
        status: 200,
        description: "A page of contacts, oldest first.",
        schema: pageOf(ContactView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) => {
        const filter = {
          ...(query.external_id === undefined ? undefined : { externalId: query.external_id }),
          ...(query.tag === undefined ? undefined : { tag: query.tag })
        }
        return page("contacts", query, (after, limit) => contacts.list(caller.appId, filter, after, limit), show)
      }
    }),
    route({
      method: "GET",
      path: "/api/v1/contacts/:id",
      access: "secret",
      tag: "Contacts",
      summary: "Read a contact",
      success: { status: 200, description: "The contact.", schema: ContactView, example },
      errors: ["not_found"],
      handler: ({ caller, params }) =>
        contacts.find(caller.appId, params.id as ContactId).pipe(Effect.flatMap(orNotFound), Effect.map(show))
    }),
    route({
      method: "PATCH",
      path: "/api/v1/contacts/:id",
      access: "secret",
      tag: "Contacts",
      summary: "Update a contact",
      description: KEEPS,
      body: { schema: UpdateContact, name: "UpdateContact", example: { tags: ["news", "beta"], locale: null } },
      success: { status: 200, description: "The contact as it is now.", schema: ContactView, example },
      errors: ["not_found"],
      handler: ({ caller, params, body }) =>
        contacts.update(caller.appId, params.id as ContactId, body).pipe(Effect.flatMap(orNotFound), Effect.map(show))
    }),
    route({
      method: "DELETE",
      path: "/api/v1/contacts/:id",
      access: "secret",
      tag: "Contacts",
      summary: "Delete a person",
      description:
        "With everything about them: their devices (those with the contact's `external_id` as `user_id`), channels and inbox messages. Delivery records, which name recipients by id only, go with their retention.",
      success: {
        status: 200,
        description: "The person is gone.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* contacts.remove(caller.appId, params.id as ContactId)
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("contact"))
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/contacts/:id/preferences",
      access: "secret",
      tag: "Contacts",
      summary: "Read what a contact wants to get",
      success: { status: 200, description: "True: wanted.", schema: Preferences, example: preferences },
      errors: ["not_found"],
      handler: ({ caller, params }) =>
        contacts.find(caller.appId, params.id as ContactId).pipe(
          Effect.flatMap(orNotFound),
          Effect.map((contact) => contact.preferences)
        )
    }),
    route({
      method: "PATCH",
      path: "/api/v1/contacts/:id/preferences",
      access: "secret",
      tag: "Contacts",
      summary: "Unsubscribe a contact, or subscribe it again",
      description:
        "`false` unsubscribes the person from a kind of channel: devices with their `user_id` are skipped, their e-mail channels count as unsubscribed, their inbox gets nothing. What is left out stays as it is.",
      body: { schema: UpdatePreferences, name: "UpdatePreferences", example: { email: false } },
      success: {
        status: 200,
        description: "The preferences as they are now.",
        schema: Preferences,
        example: { ...preferences, email: false }
      },
      errors: ["not_found"],
      handler: ({ caller, params, body }) =>
        contacts.prefer(caller.appId, params.id as ContactId, body).pipe(
          Effect.flatMap(orNotFound),
          Effect.map((contact) => contact.preferences)
        )
    })
  ]
})
