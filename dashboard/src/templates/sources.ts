import { readJson, wrongWithin } from "../parts/json.ts"
import type { ContentInput, MissingVariables, TemplateInput } from "./operations.ts"

/*
 * A template as it is edited: every part of every language is a text. An empty one is left out: a language then has what
 * the default has.
 */

export const PARTS = ["title", "body", "subject", "html", "url", "image", "data"] as const
export type Part = (typeof PARTS)[number]

export const PART: Readonly<Record<Part, string>> = {
  title: "Title",
  body: "Body",
  subject: "Subject of the e-mail",
  html: "HTML of the e-mail",
  url: "Leads to",
  image: "Picture",
  data: "Data, as JSON"
}

export type Texts = Readonly<Partial<Record<Part, string>>>

export interface Sources {
  readonly name: string
  readonly missing: MissingVariables
  readonly content: Texts
  readonly locales: Readonly<Record<string, Texts>>
}

/** As the API shows it: of `content`, and of each language. */
type Shown = Readonly<Record<string, unknown>>

const textsOf = (content: Shown): Texts =>
  Object.fromEntries(
    PARTS.flatMap((part) => {
      const value = content[part]
      if (value === null || value === undefined) return []
      return [[part, part === "data" ? JSON.stringify(value, null, 2) : String(value)]]
    })
  )

export const sourcesOf = (one: {
  readonly name: string
  readonly missingVariables: MissingVariables
  readonly content: object
  readonly locales: unknown
}): Sources => ({
  name: one.name,
  missing: one.missingVariables,
  content: textsOf(one.content as Shown),
  locales: Object.fromEntries(
    Object.entries(one.locales as Readonly<Record<string, Shown>>).map(([language, texts]) => [
      language,
      textsOf(texts)
    ])
  )
})

/** A place in a part: lines and columns from 1. */
export interface Fault {
  /** `content`, or `locales.de`. */
  readonly place: string
  readonly part: Part
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

export const placeOf = (language: string | null): string => (language === null ? "content" : `locales.${language}`)

const contentOf = (texts: Texts, place: string): { readonly content: ContentInput; readonly faults: Array<Fault> } => {
  const faults: Array<Fault> = []
  const given = PARTS.flatMap((part): ReadonlyArray<readonly [Part, unknown]> => {
    const text = texts[part] ?? ""
    if (text === "") return []
    if (part !== "data") return [[part, text]]
    const { broken, value, wrong } = readJson(text)
    if (broken === null && wrong === null) return [[part, value]]
    const message = wrong === null ? `is no JSON: ${broken}` : wrongWithin(wrong)
    faults.push({ place, part, line: null, column: null, message })
    return []
  })
  return { content: Object.fromEntries(given), faults }
}

/** What is sent of it, and what cannot be. */
export const inputOf = ({ content, locales, missing, name }: Sources) => {
  const own = contentOf(content, placeOf(null))
  const others = Object.entries(locales).map(
    ([language, texts]) => [language, contentOf(texts, placeOf(language))] as const
  )
  const input: TemplateInput = {
    name,
    content: own.content,
    locales: Object.fromEntries(others.map(([language, { content }]) => [language, content])),
    missingVariables: missing
  }
  return { input, faults: [...own.faults, ...others.flatMap(([, { faults }]) => faults)] }
}

/** What the service says of a part, at its place: `input.locales.pt-BR.html`. */
export const faultsIn = (
  details: ReadonlyArray<{
    readonly field: string
    readonly message: string
    readonly line?: number
    readonly column?: number
  }>
): ReadonlyArray<Fault> =>
  details.flatMap(({ column = null, field, line = null, message }) => {
    const [, place, part] = /^(?:input\.)?(content|locales\.[^.]+)\.(\w+)/.exec(field) ?? []
    if (!PARTS.includes(part as Part)) return []
    // The place stands before the words, as a way to it.
    const words = message.replace(/ \(line \d+, column \d+\)$/, "").replace(/^cannot be read as Liquid: /, "")
    return [{ place: place!, part: part as Part, line, column, message: words }]
  })

/** The parts that any language has, in their order, and those that were asked for. */
export const partsOf = ({ content, locales }: Sources, more: ReadonlyArray<Part> = []): ReadonlyArray<Part> => {
  const all = [content, ...Object.values(locales)]
  return PARTS.filter((part) => more.includes(part) || all.some((texts) => (texts[part] ?? "") !== ""))
}

export const isSame = (a: Sources, b: Sources): boolean =>
  JSON.stringify(inputOf(a).input) === JSON.stringify(inputOf(b).input) &&
  a.content.data === b.content.data &&
  Object.keys(a.locales).every((language) => a.locales[language]?.data === b.locales[language]?.data)
