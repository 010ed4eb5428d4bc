import { readJson, wrongAt } from "../parts/json.ts"

/*
 * Attributes as people type them: a name and a value. A value that reads as JSON is that (42, true, ["a"]); anything else
 * is a text. A text that would read as JSON is shown in quotation marks, so that it stays a text.
 */

export interface TypedAttribute {
  readonly name: string
  readonly value: string
}

/** JSON with a number that would become another stays a text, as it was written; a form says so, and takes none (`faultOf`). */
export const valueOf = (text: string): unknown => {
  const { broken, value, wrong } = readJson(text)
  return broken === null && wrong === null ? value : text
}

export const textOf = (value: unknown): string =>
  typeof value === "string" && readJson(value).broken !== null ? value : JSON.stringify(value)

/** What is wrong with a value as it is typed, in sentences: one of its numbers would become another. */
export const faultOf = (text: string): string | null => {
  const { wrong } = readJson(text)
  if (wrong === null) return null
  const words = wrong.path.length === 0 ? wrongAt(wrong, text.trim()) : wrongAt(wrong)
  return `${words}. In quotation marks it is a text.`
}

export const typedOf = (attributes: unknown): ReadonlyArray<TypedAttribute> =>
  Object.entries((attributes ?? {}) as Readonly<Record<string, unknown>>).map(([name, value]) => ({
    name,
    value: textOf(value)
  }))

/** Rows without a name are left out. */
export const attributesOf = (typed: ReadonlyArray<TypedAttribute>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    typed.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), valueOf(value)])
  )

/** A name that stands there twice; null where all differ. */
export const repeatedName = (typed: ReadonlyArray<TypedAttribute>): string | null => {
  const names = typed.map(({ name }) => name.trim()).filter(Boolean)
  return names.find((name, i) => names.indexOf(name) < i) ?? null
}
