import { Schema } from "effect"
import { isLocale } from "../audience/Contact.ts"
import type { Actor } from "../access/Audit.ts"
import type { TemplateId, TemplateVersionId } from "../Ids.ts"
import { JsonRecord, ownOf } from "../Json.ts"
import { PushData } from "../sending/PushData.ts"
import { maxLength, Name } from "../Text.ts"

/** Liquid. Longer than what it may render to: conditions and translations take room. */
const Source = (max: number) => Schema.String.check(maxLength(max))

/** All of a template's sources as JSON, at most. */
const BYTES = 524_288
const LOCALES = 100

const utf8 = new TextEncoder()

/** The parts of a content as Liquid sources; `data` is JSON whose texts are sources. HTML is escaped as it is filled. */
export const TemplateContent = Schema.Struct({
  title: Schema.optionalKey(Source(8192)),
  body: Schema.optionalKey(Source(65_536)),
  url: Schema.optionalKey(Source(8192)),
  image: Schema.optionalKey(Source(8192)),
  data: Schema.optionalKey(PushData),
  subject: Schema.optionalKey(Source(8192)),
  html: Schema.optionalKey(Source(262_144))
})
export type TemplateContent = typeof TemplateContent.Type

/** What a variable that nobody gave becomes: an error for its recipient, or nothing. */
export const MissingVariables = Schema.Literals(["error", "empty"])
export type MissingVariables = typeof MissingVariables.Type

/** Codes that languages had before, which older Android and Java still report, and what they are called now. */
const FORMER: Readonly<Record<string, string>> = {
  in: "id",
  iw: "he",
  ji: "yi",
  jw: "jv",
  mo: "ro",
  tl: "fil",
  cmn: "zh"
}

/** What is one language, however its tag is written: `pt-br`, and `he` for `iw`. */
export const languageKey = (tag: string): string =>
  tag.toLowerCase().replace(/^[a-z]+/, (language) => ownOf(FORMER, language) ?? language)

const Locales = Schema.Record(Schema.String, TemplateContent).check(
  Schema.isMaxProperties(LOCALES),
  Schema.makeFilter((locales) => {
    const names = Object.keys(locales)
    const wrong = names.find((name) => !isLocale(name))
    if (wrong !== undefined) return { path: [wrong], issue: "must be named by a language tag such as pt-BR" }
    return new Set(names.map(languageKey)).size === names.length || "must name each language once"
  })
)

const fields = {
  name: Name,
  content: TemplateContent.check(
    Schema.makeFilter(
      ({ body, data, html, subject, title }) =>
        [title, body, data, subject, html].some((part) => part !== undefined) ||
        "must have a title, body, data, subject or html"
    )
  ),
  locales: Locales,
  missing_variables: MissingVariables
}

const isSmall = Schema.makeFilter(
  (value: unknown) => utf8.encode(JSON.stringify(value)).length <= BYTES || `must be at most ${BYTES} bytes as JSON`
)

/** POST /templates. */
export const CreateTemplate = Schema.Struct({
  name: fields.name,
  content: fields.content,
  locales: Schema.optionalKey(fields.locales),
  missing_variables: Schema.optionalKey(fields.missing_variables)
}).check(isSmall)
export type CreateTemplate = typeof CreateTemplate.Type

/** PATCH /templates/:id. What is given replaces what was there, whole. */
export const UpdateTemplate = Schema.Struct({
  version: Schema.optionalKey(
    Schema.Int.annotate({
      description:
        "The version that is changed. Where it is not the latest any more, nothing is changed, and the answer is 409."
    })
  ),
  name: Schema.optionalKey(fields.name),
  content: Schema.optionalKey(fields.content),
  locales: Schema.optionalKey(fields.locales),
  missing_variables: Schema.optionalKey(fields.missing_variables)
}).check(isSmall)
export type UpdateTemplate = typeof UpdateTemplate.Type

/** What rendering needs of a template: one version of it never changes. */
export interface TemplateBody {
  readonly content: TemplateContent
  /** Each laid over `content`, part by part. */
  readonly locales: Readonly<Record<string, TemplateContent>>
  readonly missing_variables: MissingVariables
}

export interface Template {
  readonly id: TemplateId
  readonly name: string
  /** Counts the changes, from 1. */
  readonly version: number
  readonly versionId: TemplateVersionId
  readonly body: TemplateBody
  readonly createdAt: number
  readonly updatedAt: number
}

/** Of a template, these latest versions are shown, and can be taken again. */
export const VERSIONS_KEPT = 50

/** What a template was after a change: it never changes. */
export interface TemplateVersionSummary {
  readonly id: TemplateVersionId
  readonly version: number
  /** What the template was called. */
  readonly name: string
  readonly createdAt: number
  readonly actor: Actor
  /** Of a person who still has an account. */
  readonly actorEmail: string | null
}

export interface TemplateVersion extends TemplateVersionSummary {
  readonly templateId: TemplateId
  readonly body: TemplateBody
}

/** Names that a request's variables cannot have: they are what is known of the recipient. */
export const RESERVED = ["device", "contact"] as const

/** Values for a template's sources, by name: from a request, or of an example. */
export const Variables = JsonRecord.check(
  Schema.makeFilter((variables) => {
    const taken = RESERVED.find((name) => name in variables)
    if (taken !== undefined) return { path: [taken], issue: "is the name of what is known of the recipient" }
    return utf8.encode(JSON.stringify(variables)).length <= 65_536 || "must be at most 65536 bytes as JSON"
  })
)
export type Variables = typeof Variables.Type

/** What is known of a recipient, under the names that sources use. What is not known is left out. */
export interface Person {
  readonly locale: string | null
  readonly device: Readonly<Record<string, unknown>>
  readonly contact: Readonly<Record<string, unknown>>
}

/** From the nearest to the farthest: `pt-BR` → `pt-br`, `pt`. */
export const localeChain = (locale: string): ReadonlyArray<string> => {
  const parts = languageKey(locale).split("-")
  return parts.map((_, i) => parts.slice(0, parts.length - i).join("-"))
}
