import type { TemplateBody, TemplateContent } from "../../services/domain/messages/Template.ts"
import { languageKey, localeChain } from "../../services/domain/messages/Template.ts"
import type { SourceText } from "./Protocol.ts"

/** A part that may hold sources anywhere inside it: a text, or JSON whose texts are sources. */
export type Part =
  | { readonly _tag: "source"; readonly source: number }
  | { readonly _tag: "list"; readonly items: ReadonlyArray<Part> }
  | { readonly _tag: "object"; readonly entries: ReadonlyArray<readonly [name: string, part: Part]> }
  | { readonly _tag: "value"; readonly value: unknown }

export type Parts = ReadonlyArray<readonly [name: keyof TemplateContent, part: Part]>

const HAS_LIQUID = /\{[{%]/

/** Notes the sources of a value, and where their texts go. A text without Liquid is a value. */
const partOf = (value: unknown, field: string, isHtml: boolean, sources: Array<SourceText>): Part => {
  if (typeof value === "string" && HAS_LIQUID.test(value)) {
    return { _tag: "source", source: sources.push({ field, text: value, isHtml }) - 1 }
  }
  if (Array.isArray(value)) {
    return { _tag: "list", items: value.map((item, i) => partOf(item, `${field}[${i}]`, isHtml, sources)) }
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
    return {
      _tag: "object",
      entries: entries.map(([name, item]) => [name, partOf(item, `${field}.${name}`, isHtml, sources)])
    }
  }
  return { _tag: "value", value }
}

const partsOf = (content: TemplateContent, field: string, sources: Array<SourceText>): Parts =>
  Object.entries(content).map(
    ([name, value]) =>
      [name as keyof TemplateContent, partOf(value, `${field}.${name}`, name === "html", sources)] as const
  )

/** The sources of a part, in the order in which `build` asks for their texts. */
const sourcesOf = (part: Part): ReadonlyArray<number> => {
  switch (part._tag) {
    case "source":
      return [part.source]
    case "list":
      return part.items.flatMap(sourcesOf)
    case "object":
      return part.entries.flatMap(([, item]) => sourcesOf(item))
    case "value":
      return []
  }
}

/** A part with texts in place of its sources. */
export const build = (part: Part, next: () => string): unknown => {
  switch (part._tag) {
    case "source":
      return next()
    case "list":
      return part.items.map((item) => build(item, next))
    case "object":
      return Object.fromEntries(part.entries.map(([name, item]) => [name, build(item, next)]))
    case "value":
      return part.value
  }
}

export interface Language {
  readonly parts: Parts
  readonly sources: ReadonlyArray<number>
}

/** A template's sources, and the languages that are made of them, by key: `pt-br`, or `` for the default. */
export const languagesOf = (body: TemplateBody) => {
  const sources: Array<SourceText> = []
  const base = partsOf(body.content, "content", sources)
  const own = new Map(
    Object.entries(body.locales).map(
      ([name, content]) => [languageKey(name), partsOf(content, `locales.${name}`, sources)] as const
    )
  )
  const languages = new Map<string, Language>()
  const add = (key: string, parts: Parts) =>
    languages.set(key, { parts, sources: parts.flatMap(([, part]) => sourcesOf(part)) })
  add("", base)
  // A language is laid over its parents, and all of them over the default.
  for (const key of own.keys()) {
    const parts = new Map(base)
    for (const parent of localeChain(key).toReversed()) {
      for (const [name, part] of own.get(parent) ?? []) parts.set(name, part)
    }
    add(key, [...parts])
  }
  return { sources, languages }
}
