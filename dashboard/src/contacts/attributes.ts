/*
 * Attributes as people type them: a name and a value. A value that reads as JSON is that (42, true, ["a"]); anything else
 * is a text. A text that would read as JSON is shown in quotation marks, so that it stays a text.
 */

export interface TypedAttribute {
  readonly name: string
  readonly value: string
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export const valueOf = (text: string): unknown => {
  const value = parsed(text)
  return value === undefined ? text : value
}

export const textOf = (value: unknown): string =>
  typeof value === "string" && parsed(value) === undefined ? value : JSON.stringify(value)

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
