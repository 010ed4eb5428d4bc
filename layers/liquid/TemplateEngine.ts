import { Layer, Result } from "effect"
import type { Content } from "../../services/domain/Notification.ts"
import type { TemplateBody, TemplateContent } from "../../services/domain/Template.ts"
import { localeChain } from "../../services/domain/Template.ts"
import type { CompiledTemplate, RenderProblem, SourceProblem } from "../../services/ports/TemplateEngine.ts"
import { TemplateEngine } from "../../services/ports/TemplateEngine.ts"
import { checkContent } from "./Filled.ts"
import type { Source } from "./Source.ts"
import { compileSource, RenderFailure, SourceFailure } from "./Source.ts"

/** A part that may hold sources anywhere inside it: a text, or JSON whose texts are sources. */
type Part =
  | { readonly _tag: "source"; readonly source: Source }
  | { readonly _tag: "list"; readonly items: ReadonlyArray<Part> }
  | { readonly _tag: "object"; readonly entries: ReadonlyArray<readonly [name: string, part: Part]> }
  | { readonly _tag: "value"; readonly value: unknown }

type Parts = ReadonlyArray<readonly [name: keyof TemplateContent, part: Part]>

const compilePart = (value: unknown, field: string, isHtml: boolean, problems: Array<SourceProblem>): Part => {
  if (typeof value === "string") {
    try {
      return { _tag: "source", source: compileSource(value, field, isHtml) }
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error
      problems.push({ field, line: error.line, column: error.column, message: error.message })
      return { _tag: "value", value }
    }
  }
  if (Array.isArray(value)) {
    return { _tag: "list", items: value.map((item, i) => compilePart(item, `${field}[${i}]`, isHtml, problems)) }
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
    return {
      _tag: "object",
      entries: entries.map(([name, item]) => [name, compilePart(item, `${field}.${name}`, isHtml, problems)])
    }
  }
  return { _tag: "value", value }
}

const compileParts = (content: TemplateContent, field: string, problems: Array<SourceProblem>): Parts =>
  Object.entries(content).map(
    ([name, value]) =>
      [name as keyof TemplateContent, compilePart(value, `${field}.${name}`, name === "html", problems)] as const
  )

const sourcesOf = (part: Part): ReadonlyArray<Source> => {
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

const fill = (part: Part, scope: object, strict: boolean): unknown => {
  switch (part._tag) {
    case "source":
      return part.source.render(scope, strict)
    case "list":
      return part.items.map((item) => fill(item, scope, strict))
    case "object":
      return Object.fromEntries(part.entries.map(([name, item]) => [name, fill(item, scope, strict)]))
    case "value":
      return part.value
  }
}

const filled = (parts: Parts, scope: object, strict: boolean): Result.Result<Content, RenderProblem> => {
  const content: Record<string, unknown> = {}
  for (const [name, part] of parts) {
    try {
      content[name] = fill(part, scope, strict)
    } catch (error) {
      if (!(error instanceof RenderFailure)) throw error
      const { code, field, message } = error
      return Result.fail({ field, code, message })
    }
  }
  return checkContent(content)
}

const compile = (body: TemplateBody): Result.Result<CompiledTemplate, ReadonlyArray<SourceProblem>> => {
  const problems: Array<SourceProblem> = []
  const base = compileParts(body.content, "content", problems)
  const names = Object.keys(body.locales)
  const own = new Map(
    names.map((name) => [name.toLowerCase(), compileParts(body.locales[name]!, `locales.${name}`, problems)] as const)
  )
  if (problems.length > 0) return Result.fail(problems)
  // A language is laid over its parents, and all of them over the default.
  const languages = new Map<string, Parts>([["", base]])
  for (const key of own.keys()) {
    const parts = new Map(base)
    for (const parent of localeChain(key).toReversed()) {
      for (const [name, part] of own.get(parent) ?? []) parts.set(name, part)
    }
    languages.set(key, [...parts])
  }
  const used = [...languages.values()].flat()
  const strict = body.missing_variables === "error"
  return Result.succeed({
    isPersonal: used.some(([, part]) => sourcesOf(part).some(({ isPersonal }) => isPersonal)),
    parts: [...new Set(used.map(([name]) => name))],
    locales: names,
    languageOf: (locale) => (locale === null ? "" : (localeChain(locale).find((key) => own.has(key)) ?? "")),
    render: (language, scope) => filled(languages.get(language) ?? base, scope, strict)
  })
}

/** Templates in Liquid. */
export const layer: Layer.Layer<TemplateEngine> = Layer.succeed(TemplateEngine, { compile })
