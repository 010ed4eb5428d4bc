import { Effect, Option, Result, Schema } from "effect"
import type { Contact } from "../../services/domain/Contact.ts"
import {
  BulkContacts,
  ChangeTags,
  ChangeTagsOfMany,
  Preferences,
  UpdateContact,
  UpdatePreferences,
  UpsertContact
} from "../../services/domain/Contact.ts"
import { UserId } from "../../services/domain/Device.ts"
import { ContactId } from "../../services/domain/Ids.ts"
import { text } from "../../services/domain/Text.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { ContactStore } from "../../services/ports/ContactStore.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import { invalid, notFound } from "./ApiError.ts"
import { ID, NOW } from "./Examples.ts"
import { ABOUT_LINES, LINE_TYPES, LineError, LineResult, makeLineImport } from "./LineImport.ts"
import { listQuery, page, pageOf } from "./Page.ts"
import { route } from "./Route.ts"
import { decoder } from "./Validation.ts"

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

const decodeContact = decoder(UpsertContact)

const BulkResult = Schema.Union([
  Schema.Struct({ index: Schema.Int, id: ContactId, created: Schema.Boolean }),
  Schema.Struct({ index: Schema.Int, error: LineError })
]).annotate({ identifier: "BulkResult" })

/** `all` stands for every kind that is not named beside it. */
const preferred = ({ all, ...kinds }: UpdatePreferences): UpdatePreferences =>
  all === undefined ? kinds : { push: all, email: all, inbox: all, ...kinds }

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
      path: "/api/v1/contacts/bulk",
      access: "secret",
      tag: "Contacts",
      summary: "Create or update up to 1,000 contacts",
      description: `The answer has a result for each, in the same order. One that is refused stops nothing. ${KEEPS} For more, see the import.`,
      body: { schema: BulkContacts, name: "BulkContacts", example: { contacts: [draft] } },
      success: {
        status: 200,
        description: "A result for each contact.",
        schema: Schema.Struct({ data: Schema.Array(BulkResult) }),
        example: { data: [{ index: 0, id: ID, created: true }] }
      },
      handler: ({ body, caller }) => {
        const read = body.contacts.map((contact) => decodeContact(contact))
        const good = read.filter(Result.isSuccess).map(({ success }) => success)
        return Effect.map(contacts.upsert(caller.appId, good), (stored) => {
          let at = 0
          const data = read.map((result, index) => {
            if (Result.isSuccess(result)) return { index, ...stored[at++]! }
            const { code, details, message } = result.failure
            return { index, error: { code, message, details } }
          })
          return { data }
        })
      }
    }),
    route({
      method: "POST",
      path: "/api/v1/contacts/tags",
      access: "secret",
      tag: "Contacts",
      summary: "Add and remove tags of many contacts",
      body: {
        schema: ChangeTagsOfMany,
        name: "ChangeTagsOfMany",
        example: { external_ids: ["user-42"], add: ["beta"], remove: ["news"] }
      },
      success: {
        status: 200,
        description: "How many have these tags now, and who was left alone.",
        schema: Schema.Struct({
          updated: Schema.Int,
          unknown: Schema.Array(Schema.String).annotate({ description: "External ids of no contact." }),
          full: Schema.Array(Schema.String).annotate({ description: "Those that would have more than 100 tags." })
        }),
        example: { updated: 1, unknown: [], full: [] }
      },
      handler: ({ body: { external_ids, ...change }, caller }) =>
        Effect.map(contacts.tag(caller.appId, external_ids, change), (found) => {
          const known = new Set(found.map(({ externalId }) => externalId))
          return {
            updated: found.filter(({ fits }) => fits).length,
            unknown: [...new Set(external_ids)].filter((id) => !known.has(id)),
            full: found.flatMap(({ externalId, fits }) => (fits ? [] : externalId))
          }
        })
    }),
    route({
      method: "POST",
      path: "/api/v1/contacts/:id/tags",
      access: "secret",
      tag: "Contacts",
      summary: "Add and remove tags of a contact",
      description: "Others stay as they are; adding one that is there, or removing one that is not, changes nothing.",
      body: { schema: ChangeTags, name: "ChangeTags", example: { add: ["beta"], remove: ["news"] } },
      success: { status: 200, description: "The contact as it is now.", schema: ContactView, example },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const id = params.id as ContactId
        const { externalId } = yield* Effect.flatMap(contacts.find(caller.appId, id), orNotFound)
        const [changed] = yield* contacts.tag(caller.appId, [externalId], body)
        if (changed?.fits === false) {
          return yield* Effect.fail(invalid([{ field: "add", message: "would make more than 100 tags" }]))
        }
        return show(yield* Effect.flatMap(contacts.find(caller.appId, id), orNotFound))
      })
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
      handler: (call) => importLines(call, (lines) => contacts.upsert(call.caller.appId, lines))
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
        "`false` unsubscribes the person from a kind of channel: devices with their `user_id` are skipped, their e-mail channels count as unsubscribed, their inbox gets nothing. `all` unsubscribes from everything, or subscribes to it again. What is left out stays as it is.",
      body: { schema: UpdatePreferences, name: "UpdatePreferences", example: { email: false } },
      success: {
        status: 200,
        description: "The preferences as they are now.",
        schema: Preferences,
        example: { ...preferences, email: false }
      },
      errors: ["not_found"],
      handler: ({ caller, params, body }) =>
        contacts.prefer(caller.appId, params.id as ContactId, preferred(body)).pipe(
          Effect.flatMap(orNotFound),
          Effect.map((contact) => contact.preferences)
        )
    })
  ]
})
