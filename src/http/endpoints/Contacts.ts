import { Effect, Result, Schema } from "effect"
import { BulkContacts, ChangeTagsOfMany, UpsertContact } from "../../../services/domain/audience/Contact.ts"
import { UserId } from "../../../services/domain/audience/Device.ts"
import { ContactId } from "../../../services/domain/Ids.ts"
import { text } from "../../../services/domain/Text.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { contactDraft, contactExample, ContactView, KEEPS, showContact } from "./ContactView.ts"
import { ID } from "../docs/Examples.ts"
import { ABOUT_LINES, LINE_TYPES, LineError, LineResult, makeLineImport } from "../pipeline/LineImport.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { readInTurns } from "../pipeline/ReadingTurns.ts"
import { route } from "../pipeline/Route.ts"
import { filterOfSegment, PAGES_OF_SEGMENT, segmentQuery } from "./SegmentQuery.ts"
import { invalid } from "../pipeline/ApiError.ts"
import { decoder } from "../pipeline/Validation.ts"

const decodeContact = decoder(UpsertContact)

const BulkResult = Schema.Union([
  Schema.Struct({ index: Schema.Int, id: ContactId, created: Schema.Boolean }),
  Schema.Struct({ index: Schema.Int, error: LineError })
]).annotate({ identifier: "BulkResult" })

type Contacts = ContactStore["Service"]
type ImportLines = ReturnType<typeof makeLineImport<typeof UpsertContact>>

const upsert = (contacts: Contacts) =>
  route({
    method: "POST",
    path: "/api/v1/contacts",
    access: "secret",
    tag: "Contacts",
    summary: "Create or update a contact",
    description: `Idempotent: \`external_id\`, your own id of the person, names one contact; devices carry it as \`user_id\`. ${KEEPS} \`email\` is the contact's e-mail channel: a new address takes the place of the one before.`,
    body: { schema: UpsertContact, name: "UpsertContact", example: contactDraft },
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
  })

const upsertMany = (contacts: Contacts) =>
  route({
    method: "POST",
    path: "/api/v1/contacts/bulk",
    access: "secret",
    canWait: true,
    tag: "Contacts",
    summary: "Create or update up to 1,000 contacts",
    description: `The answer has a result for each, in the same order. One that is refused stops nothing. ${KEEPS} For more, see the import.`,
    body: {
      schema: BulkContacts,
      parts: Schema.Struct({ contacts: Schema.Array(UpsertContact) }),
      envelope: 2,
      name: "BulkContacts",
      example: { contacts: [contactDraft] }
    },
    success: {
      status: 200,
      description: "A result for each contact.",
      schema: Schema.Struct({ data: Schema.Array(BulkResult) }),
      example: { data: [{ index: 0, id: ID, created: true }] }
    },
    handler: Effect.fnUntraced(function* ({ body, caller }) {
      const read = yield* readInTurns(caller.appId, body.contacts, decodeContact)
      const good = read.filter(Result.isSuccess).map(({ success }) => success)
      const stored = yield* contacts.upsert(caller.appId, good)
      let at = 0
      const data = read.map((result, index) => {
        if (Result.isSuccess(result)) return { index, ...stored[at++]! }
        const { code, details, message } = result.failure
        return { index, error: { code, message, details } }
      })
      return { data }
    })
  })

const tagMany = (contacts: Contacts) =>
  route({
    method: "POST",
    path: "/api/v1/contacts/tags",
    access: "secret",
    canWait: true,
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
  })

const importContacts = (contacts: Contacts, log: AuditLog["Service"], importLines: ImportLines) =>
  route({
    method: "POST",
    path: "/api/v1/contacts/import",
    access: "secret",
    canWait: true,
    tag: "Contacts",
    summary: "Create or update many contacts",
    description: `One contact a line, ${ABOUT_LINES}`,
    body: {
      schema: UpsertContact,
      name: "UpsertContact",
      example: contactDraft,
      mediaTypes: LINE_TYPES,
      isStream: true
    },
    success: {
      status: 200,
      description: "A result for each line.",
      schema: LineResult,
      example: { line: 1, id: ID, created: true },
      mediaType: LINE_TYPES[0]
    },
    errors: ["payload_too_large"],
    handler: (call) => {
      const { appId } = call.caller
      const noted = log.record(appId, { action: "contacts.imported", target: null })
      return importLines(call, (lines) => contacts.upsert(appId, lines), noted)
    }
  })

const listContacts = (contacts: Contacts, segmentOf: ReturnType<typeof filterOfSegment>) =>
  route({
    method: "GET",
    path: "/api/v1/contacts",
    access: "secret",
    tag: "Contacts",
    summary: "List contacts",
    description: `People are in a segment by what they are themselves, and by what they did on any device or channel of theirs; one with \`platforms\` holds devices alone. ${PAGES_OF_SEGMENT}`,
    query: Schema.Struct({
      external_id: Schema.optionalKey(UserId),
      tag: Schema.optionalKey(text(64)),
      ...segmentQuery,
      search: Schema.optionalKey(
        text(200).annotate({
          description:
            "Those whose `external_id`, e-mail address or attribute `name` begins so, whatever the case; in the order of what they are found by. Not beside other filters."
        })
      ),
      ...listQuery
    }),
    success: {
      status: 200,
      description: "A page of contacts, oldest first unless they are searched.",
      schema: pageOf(ContactView),
      example: { data: [contactExample], next_cursor: null }
    },
    errors: ["validation_error"],
    handler: Effect.fnUntraced(function* ({ caller: { appId }, query }) {
      const { external_id, search, segment_id, tag } = query
      if (search !== undefined) {
        return (external_id ?? segment_id ?? tag) !== undefined
          ? yield* Effect.fail(invalid([{ field: "search", message: "must be the only filter" }]))
          : yield* page("contacts", query, (after, limit) => contacts.search(appId, search, after, limit), showContact)
      }
      const filter = {
        ...(external_id === undefined ? undefined : { externalId: external_id }),
        ...(tag === undefined ? undefined : { tag }),
        ...(yield* segmentOf(appId, query))
      }
      return yield* page("contacts", query, (after, limit) => contacts.list(appId, filter, after, limit), showContact)
    })
  })

/** Contacts: the people behind devices, channels and inboxes. */
export const contactRoutes = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const { importLimit } = yield* HttpSettings
  return [
    upsert(contacts),
    upsertMany(contacts),
    tagMany(contacts),
    importContacts(contacts, yield* AuditLog, makeLineImport(UpsertContact, importLimit)),
    listContacts(contacts, filterOfSegment(yield* SegmentStore))
  ]
})
