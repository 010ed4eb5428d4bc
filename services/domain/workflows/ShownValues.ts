/* Values as people are shown them, with the conditions that they decided. */

/** Characters of a value that is shown with the condition that it decided, at most. */
export const ACTUAL = 500

/** Characters of JSON, about; of more than `most`, anything above that: a large value is not walked whole. */
export const lengthOf = (value: unknown, most: number): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 8
  let length = 2
  // By their names, and not as a list of entries, which would be made whole.
  for (const name in value) {
    const inside = (value as Readonly<Record<string, unknown>>)[name]
    length += (Array.isArray(value) ? 1 : name.length + 4) + lengthOf(inside, most - length)
    if (length > most) break
  }
  return length
}

/** A value as it is shown: a text that is long by its beginning, a list by its first items. */
export const shown = (value: unknown): unknown => {
  if (lengthOf(value, ACTUAL) <= ACTUAL) return value
  if (typeof value === "string") return `${value.slice(0, ACTUAL - 3).replace(/[\ud800-\udbff]$/, "")}…`
  if (!Array.isArray(value)) return "{…}"
  const first: Array<unknown> = []
  let room = ACTUAL
  for (const item of value) {
    room -= lengthOf(item, room) + 1
    if (room < 0) break
    first.push(item)
  }
  return [...first, "…"]
}
