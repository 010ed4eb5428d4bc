const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null

/**
 * Text of parsed JSON that is the same for all ways to write it: no white space, keys in the order of their units of
 * UTF-16, numbers as they were read. For hashing, and as fast as that: lists of plain values are left to the engine.
 */
export const canonicalJson = (value: unknown): string => {
  if (isPlain(value)) return JSON.stringify(value)
  if (Array.isArray(value)) {
    return value.every(isPlain) ? JSON.stringify(value) : `[${value.map(canonicalJson).join(",")}]`
  }
  const object = value as Readonly<Record<string, unknown>>
  let text = ""
  for (const name of Object.keys(object).sort()) {
    text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${canonicalJson(object[name])}`
  }
  return text === "" ? "{}" : `${text}}`
}
