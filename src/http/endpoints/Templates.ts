import { Effect, Option, Result, Schema } from "effect"
import { isLocale, Locale } from "../../../services/domain/audience/Contact.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { ContactId, TemplateId, TemplateVersionId } from "../../../services/domain/Ids.ts"
import { Content } from "../../../services/domain/sending/Notification.ts"
import type { Template, TemplateVersion, TemplateVersionSummary } from "../../../services/domain/messages/Template.ts"
import { JsonRecord } from "../../../services/domain/Json.ts"
import {
  CreateTemplate,
  languageKey,
  MissingVariables,
  TemplateContent,
  UpdateTemplate,
  Variables,
  VERSIONS_KEPT
} from "../../../services/domain/messages/Template.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { makeExampleOf } from "../../../services/engine/messages/ExampleOf.ts"
import type { TemplateConflict, TemplateInvalid } from "../../../services/engine/messages/Templates.ts"
import { bodyOf, Templates } from "../../../services/engine/messages/Templates.ts"
import type { CompiledTemplate, RenderProblem, TemplatesBusy } from "../../../services/ports/messages/TemplateEngine.ts"
import { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import { ApiError, DETAILS, invalid, notFound, templatesBusy } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { ActorView } from "./AuditLog.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const TemplateView = Schema.Struct({
  id: TemplateId,
  name: Schema.String,
  version: Schema.Int.annotate({ description: "Counts the changes, from 1." }),
  content: TemplateContent,
  locales: Schema.Record(Schema.String, TemplateContent),
  missing_variables: MissingVariables,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Template" })

const show = ({ body, createdAt, id, name, updatedAt, version }: Template): typeof TemplateView.Type => ({
  id,
  name,
  version,
  ...body,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt)
})

const VersionSummaryView = Schema.Struct({
  id: TemplateVersionId,
  version: Schema.Int,
  name: Schema.String.annotate({ description: "What the template was called." }),
  created_at: Schema.String,
  actor: ActorView
}).annotate({ identifier: "TemplateVersionSummary" })

const VersionView = Schema.Struct({
  ...VersionSummaryView.fields,
  template_id: TemplateId,
  content: TemplateContent,
  locales: Schema.Record(Schema.String, TemplateContent),
  missing_variables: MissingVariables
}).annotate({ identifier: "TemplateVersion" })

const showSummary = (one: TemplateVersionSummary): typeof VersionSummaryView.Type => ({
  id: one.id,
  version: one.version,
  name: one.name,
  created_at: isoTime(one.createdAt),
  actor: { ...one.actor, email: one.actorEmail }
})

const showVersion = (one: TemplateVersion): typeof VersionView.Type => ({
  ...showSummary(one),
  template_id: one.templateId,
  ...one.body
})

const sources = {
  content: { title: "Hello {{ contact.attributes.name | default: 'there' }}", body: "{{ order }} is on its way" },
  locales: { de: { title: "Hallo {{ contact.attributes.name }}", body: "{{ order }} ist unterwegs" } },
  missing_variables: "error"
}
const draft = { name: "Order sent", ...sources }
const example = { id: ID, version: 1, ...draft, created_at: NOW, updated_at: NOW }

const summaryExample = {
  id: ID,
  version: 2,
  name: draft.name,
  created_at: NOW,
  actor: { kind: "user", id: ID, email: "ada@example.com" }
}

const ABOUT =
  "Parts are Liquid: `{{ name }}` with filters, `{% if %}`, `{% for %}`; no includes. What is put into `html` is escaped, unless its filters end with `raw`, as they should for what `{% capture %}` holds: that has been escaped already. Variables are those of the request, `device` (`id`, `platform`, `user_id`, `timezone`, `tags`, `metadata`) and `contact` (`external_id`, `email`, `locale`, `timezone`, `tags`, `attributes`). A contact whose locale is pt-BR gets `pt-BR`, else `pt`, else `content`; a language has the parts that it does not name from there. `missing_variables`: `error` (unless given) fails the recipient for whom a variable is missing, `empty` leaves its place empty (0 to filters that reckon); `default` and `if` work with both."

const localeOf = (contact: Schema.JsonObject): string | null => {
  const { locale = null } = contact
  return typeof locale === "string" ? locale : null
}

/** Somebody as GET /contacts/:id shows them, or as little of it as the template asks for. */
const ExampleContact = JsonRecord.check(
  Schema.makeFilter((contact) => {
    const { locale = null } = contact
    const isRight = locale === null || (typeof locale === "string" && isLocale(locale))
    return isRight || { path: ["locale"], issue: "must be a language tag such as de-AT" }
  })
)

const PreviewFields = {
  locale: Schema.optionalKey(
    Schema.NullOr(Locale).annotate({
      description: "Unless given, that of `contact`; null is somebody whose language is not known."
    })
  ),
  variables: Schema.optionalKey(Variables),
  device: Schema.optionalKey(JsonRecord),
  contact: Schema.optionalKey(ExampleContact),
  contact_id: Schema.optionalKey(
    ContactId.annotate({
      description:
        "Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was seen last."
    })
  )
}
const isOnePerson = Schema.makeFilter(
  ({ contact, contact_id }: { readonly contact?: unknown; readonly contact_id?: unknown }) =>
    contact === undefined ||
    contact_id === undefined || { path: ["contact"], issue: "must not stand beside contact_id" }
)
const PreviewTemplate = Schema.Struct(PreviewFields).check(isOnePerson)
const PreviewSources = Schema.Struct({
  content: CreateTemplate.fields.content,
  locales: CreateTemplate.fields.locales,
  missing_variables: CreateTemplate.fields.missing_variables,
  ...PreviewFields
}).check(isOnePerson)

const preview = {
  locale: "de-AT",
  variables: { order: "No. 42" },
  contact: { attributes: { name: "Ada" } }
}

const PreviewView = Schema.Struct({
  language: Schema.NullOr(Schema.String).annotate({ description: "Which language was taken; null for the default." }),
  content: Content
}).annotate({ identifier: "TemplatePreview" })

/** A place in a source is told as numbers and in words. */
const unreadable = ({ problems }: TemplateInvalid) =>
  invalid(
    problems.slice(0, DETAILS).map(({ column, field, line, message }) => ({
      field,
      message: `${message} (line ${line}, column ${column})`,
      line,
      column
    })),
    problems.length
  )

const unfilled = ({ code, field, message }: RenderProblem) =>
  invalid([
    {
      field,
      message: code === "missing_variable" ? `asks for ${message}, which is missing` : `cannot be filled: ${message}`
    }
  ])

const outrun = ({ version }: TemplateConflict) =>
  Effect.fail(new ApiError("conflict", `Somebody else has changed the template: it is at version ${version}.`))

/** What the engine says of a template, in the words of the API. */
const inWords = <A, E>(effect: Effect.Effect<A, TemplateInvalid | TemplatesBusy | E>) =>
  Effect.mapError(effect, (error) => {
    const { _tag } = error as { readonly _tag?: string }
    if (_tag === "TemplateInvalid") return unreadable(error as TemplateInvalid)
    if (_tag === "TemplatesBusy") return templatesBusy()
    return error as Exclude<E, TemplateInvalid | TemplatesBusy>
  })

const fill = Effect.fnUntraced(function* (
  compiled: CompiledTemplate,
  { contact = {}, device = {}, locale, variables = {} }: typeof PreviewTemplate.Type
) {
  const language = compiled.languageOf(locale === undefined ? localeOf(contact) : locale)
  const own = { device, contact: { attributes: {}, ...contact } }
  const [filled] = yield* compiled.sample(variables, [{ language, own }])
  if (Result.isFailure(filled!)) return yield* Effect.fail(unfilled(filled.failure))
  // As it was written.
  const written = compiled.locales.find((name) => languageKey(name) === language) ?? null
  return { language: written, content: filled!.success }
})

/** Templates: contents to be filled, kept under a name. */
export const templateRoutes = Effect.gen(function* () {
  const templates = yield* Templates
  const store = yield* TemplateStore
  const exampleOf = yield* makeExampleOf

  /** The example with the person that it names. */
  const withPerson = Effect.fnUntraced(function* (appId: AppId, example: typeof PreviewTemplate.Type) {
    const { contact_id, ...given } = example
    if (contact_id === undefined) return given
    const person = yield* exampleOf(appId, contact_id)
    if (Option.isNone(person)) {
      return yield* Effect.fail(invalid([{ field: "contact_id", message: "is no contact of this application" }]))
    }
    const { contact, device } = person.value
    return { device, ...given, contact } as typeof PreviewTemplate.Type
  })

  return [
    route({
      method: "POST",
      path: "/api/v1/templates",
      access: "secret",
      tag: "Templates",
      summary: "Create a template",
      description: ABOUT,
      body: { schema: CreateTemplate, name: "CreateTemplate", example: draft },
      success: {
        status: 201,
        description: "The template is there.",
        schema: TemplateView,
        example,
        location: ({ id }) => `/api/v1/templates/${id}`
      },
      errors: ["validation_error"],
      handler: ({ body, caller }) => inWords(templates.create(caller.appId, body)).pipe(Effect.map(show))
    }),
    route({
      method: "GET",
      path: "/api/v1/templates",
      access: "secret",
      tag: "Templates",
      summary: "List templates",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of templates, oldest first.",
        schema: pageOf(TemplateView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("templates", query, (after, limit) => store.list(caller.appId, after, limit), show)
    }),
    route({
      method: "POST",
      path: "/api/v1/templates/preview",
      access: "secret",
      tag: "Templates",
      summary: "Fill a template that is not saved",
      description: "Checks the sources as saving them would, and fills them for an example of a recipient.",
      body: { schema: PreviewSources, name: "PreviewSources", example: { ...sources, ...preview } },
      success: {
        status: 200,
        description: "What the recipient would get.",
        schema: PreviewView,
        example: { language: "de", content: { title: "Hallo Ada", body: "No. 42 ist unterwegs" } }
      },
      errors: ["validation_error"],
      handler: ({ body, caller }) =>
        inWords(
          Effect.gen(function* () {
            const example = yield* withPerson(caller.appId, body)
            return yield* fill(yield* templates.tryOut(caller.appId, bodyOf(body)), example)
          })
        )
    }),
    route({
      method: "GET",
      path: "/api/v1/templates/:id",
      access: "secret",
      tag: "Templates",
      summary: "Read a template",
      success: { status: 200, description: "The template.", schema: TemplateView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const found = yield* store.find(caller.appId, params.id as TemplateId)
        return Option.isSome(found) ? show(found.value) : yield* Effect.fail(notFound("template"))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/templates/:id",
      access: "secret",
      tag: "Templates",
      summary: "Change a template",
      description:
        "What is given replaces what was there, whole; what is left out stays. With `version` it happens only while that is the latest version; so two people who edit a template at once do not undo each other's work unseen. Notifications that were accepted before, scheduled ones too, keep what they were accepted with.",
      body: {
        schema: UpdateTemplate,
        name: "UpdateTemplate",
        example: { version: 1, name: "Order sent", content: { title: "It is on its way" } }
      },
      success: { status: 200, description: "The template as it is now.", schema: TemplateView, example },
      errors: ["not_found", "validation_error", "conflict"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const updated = yield* templates
          .update(caller.appId, params.id as TemplateId, body)
          .pipe(Effect.catchTag("TemplateConflict", outrun), inWords)
        return Option.isSome(updated) ? show(updated.value) : yield* Effect.fail(notFound("template"))
      })
    }),
    route({
      method: "DELETE",
      path: "/api/v1/templates/:id",
      access: "secret",
      tag: "Templates",
      summary: "Remove a template",
      description: "Notifications that were accepted with it are sent as they were accepted.",
      success: {
        status: 200,
        description: "The template is gone.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* store.remove(caller.appId, params.id as TemplateId)
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("template"))
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/templates/:id/versions",
      access: "secret",
      tag: "Templates",
      summary: "List the versions of a template",
      description: `The latest ${VERSIONS_KEPT}, with who made each. To take one again, read it, and change the template to what it says.`,
      success: {
        status: 200,
        description: "The versions, newest first.",
        schema: Schema.Struct({ data: Schema.Array(VersionSummaryView), next_cursor: Schema.Null }),
        example: { data: [summaryExample], next_cursor: null }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const versions = yield* store.versions(caller.appId, params.id as TemplateId)
        // A template has its latest version at least.
        if (versions.length === 0) return yield* Effect.fail(notFound("template"))
        return { data: versions.map(showSummary), next_cursor: null }
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/templates/versions/:id",
      access: "secret",
      tag: "Templates",
      summary: "Read a version of a template",
      success: {
        status: 200,
        description: "What the template was after this change.",
        schema: VersionView,
        example: { ...summaryExample, template_id: ID, ...sources }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const found = yield* store.version(caller.appId, params.id as TemplateVersionId)
        return Option.isSome(found) ? showVersion(found.value) : yield* Effect.fail(notFound("template version"))
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/templates/:id/preview",
      access: "secret",
      tag: "Templates",
      summary: "Fill a template for an example",
      body: { schema: PreviewTemplate, name: "PreviewTemplate", example: preview },
      success: {
        status: 200,
        description: "What the recipient would get.",
        schema: PreviewView,
        example: { language: "de", content: { title: "Hallo Ada", body: "No. 42 ist unterwegs" } }
      },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const found = yield* inWords(templates.latest(caller.appId, params.id as TemplateId))
        if (Option.isNone(found)) return yield* Effect.fail(notFound("template"))
        return yield* inWords(fill(found.value.compiled, yield* withPerson(caller.appId, body)))
      })
    })
  ]
})
