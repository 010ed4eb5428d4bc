import { Effect, Option, Schema } from "effect"
import type { Contact } from "../../../services/domain/audience/Contact.ts"
import { ChangeTags, Preferences, UpdateContact, UpdatePreferences } from "../../../services/domain/audience/Contact.ts"
import type { ContactId } from "../../../services/domain/Ids.ts"
import type { ContactKey } from "../../../services/ports/audience/ContactStore.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { invalid, notFound } from "../pipeline/ApiError.ts"
import { contactExample, ContactView, KEEPS, preferencesExample, showContact } from "./ContactView.ts"
import type { Route } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"

/** A way to name a contact in a path. */
interface Naming {
  readonly path: `/${string}`
  readonly keyOf: (params: Readonly<Record<string, string>>) => ContactKey
  /** Ends the summary of each operation. */
  readonly by: string
}

const NAMINGS: ReadonlyArray<Naming> = [
  { path: "/api/v1/contacts/:id", keyOf: (params) => params["id"] as ContactId, by: "" },
  {
    path: "/api/v1/contacts/by-external-id/:external_id",
    keyOf: (params) => ({ externalId: params["external_id"]! }),
    by: ", by your own id"
  }
]

/** `all` stands for every kind that is not named beside it. */
const preferred = ({ all, ...kinds }: UpdatePreferences): UpdatePreferences =>
  all === undefined ? kinds : { push: all, email: all, inbox: all, ...kinds }

const orNotFound = (contact: Option.Option<Contact>) =>
  Option.isSome(contact) ? Effect.succeed(contact.value) : Effect.fail(notFound("contact"))

/** What there is to do with one contact, whichever of its ids names it. */
export const oneContactRoutes = Effect.gen(function* () {
  const contacts = yield* ContactStore

  return NAMINGS.flatMap(({ by, keyOf, path }): ReadonlyArray<Route> => [
    route({
      method: "POST",
      path: `${path}/tags`,
      access: "secret",
      tag: "Contacts",
      summary: `Add and remove tags of a contact${by}`,
      description: "Others stay as they are; adding one that is there, or removing one that is not, changes nothing.",
      body: { schema: ChangeTags, name: "ChangeTags", example: { add: ["beta"], remove: ["news"] } },
      success: { status: 200, description: "The contact as it is now.", schema: ContactView, example: contactExample },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const key = keyOf(params)
        const { externalId } = yield* Effect.flatMap(contacts.find(caller.appId, key), orNotFound)
        const [changed] = yield* contacts.tag(caller.appId, [externalId], body)
        if (changed?.fits === false) {
          return yield* Effect.fail(invalid([{ field: "add", message: "would make more than 100 tags" }]))
        }
        return showContact(yield* Effect.flatMap(contacts.find(caller.appId, key), orNotFound))
      })
    }),
    route({
      method: "GET",
      path,
      access: "secret",
      tag: "Contacts",
      summary: `Read a contact${by}`,
      success: { status: 200, description: "The contact.", schema: ContactView, example: contactExample },
      errors: ["not_found"],
      handler: ({ caller, params }) =>
        contacts.find(caller.appId, keyOf(params)).pipe(Effect.flatMap(orNotFound), Effect.map(showContact))
    }),
    route({
      method: "PATCH",
      path,
      access: "secret",
      tag: "Contacts",
      summary: `Update a contact${by}`,
      description: KEEPS,
      body: { schema: UpdateContact, name: "UpdateContact", example: { tags: ["news", "beta"], locale: null } },
      success: { status: 200, description: "The contact as it is now.", schema: ContactView, example: contactExample },
      errors: ["not_found"],
      handler: ({ caller, params, body }) =>
        contacts.update(caller.appId, keyOf(params), body).pipe(Effect.flatMap(orNotFound), Effect.map(showContact))
    }),
    route({
      method: "DELETE",
      path,
      access: "secret",
      tag: "Contacts",
      summary: `Delete a person${by}`,
      description:
        "With everything about them: their devices (those with the contact's `external_id` as `user_id`), channels and inbox messages. Delivery records, which name recipients by id only, go with their retention. A notification to this person's `user_id` or e-mail addresses that was accepted before does not bring them back, however late it goes out: what is not there when it is planned is skipped as `recipient_gone`.",
      success: {
        status: 200,
        description: "The person is gone.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* contacts.remove(caller.appId, keyOf(params))
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("contact"))
      })
    }),
    route({
      method: "GET",
      path: `${path}/preferences`,
      access: "secret",
      tag: "Contacts",
      summary: `Read what a contact wants to get${by}`,
      success: { status: 200, description: "True: wanted.", schema: Preferences, example: preferencesExample },
      errors: ["not_found"],
      handler: ({ caller, params }) =>
        contacts.find(caller.appId, keyOf(params)).pipe(
          Effect.flatMap(orNotFound),
          Effect.map((contact) => contact.preferences)
        )
    }),
    route({
      method: "PATCH",
      path: `${path}/preferences`,
      access: "secret",
      tag: "Contacts",
      summary: `Unsubscribe a contact, or subscribe it again${by}`,
      description:
        "`false` unsubscribes the person from a kind of channel: devices with their `user_id` are skipped, their e-mail channels count as unsubscribed, their inbox gets nothing. `all` unsubscribes from everything, or subscribes to it again. What is left out stays as it is.",
      body: { schema: UpdatePreferences, name: "UpdatePreferences", example: { email: false } },
      success: {
        status: 200,
        description: "The preferences as they are now.",
        schema: Preferences,
        example: { ...preferencesExample, email: false }
      },
      errors: ["not_found"],
      handler: ({ caller, params, body }) =>
        contacts.prefer(caller.appId, keyOf(params), preferred(body)).pipe(
          Effect.flatMap(orNotFound),
          Effect.map((contact) => contact.preferences)
        )
    })
  ])
})
