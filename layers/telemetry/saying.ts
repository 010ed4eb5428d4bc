/** Causes of causes that are told, at most: a chain may be a circle. */
const DEPTH = 6

/**
 * An error in one line, with what caused it: `StoreError (operation=sweep): SqlError: connection refused`. Many errors
 * of ours have no message of their own, because their name and their fields say it.
 */
export const saying = (error: unknown): string => {
  const parts: Array<string> = []
  let next = error
  for (let depth = 0; depth < DEPTH && next !== undefined && next !== null; depth++) {
    parts.push(one(next))
    next = next instanceof Error ? next.cause : undefined
  }
  // A wrapper often repeats what it wraps.
  return parts.filter((part, i) => i === 0 || !parts[i - 1]!.endsWith(part)).join(": ")
}

/** A text of several lines in one. */
const lineOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

const one = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error === "string" ? error : plain(error)
  const text = lineOf(error.message)
  if (text !== "") return error.name === "Error" ? text : `${error.name}: ${text}`
  const fields = Object.entries(error)
    .filter(([name, value]) => !OURS.has(name) && ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => `${name}=${String(value)}`)
  const several = error instanceof AggregateError ? error.errors.map(one) : []
  const details = [...fields, ...several].join(", ")
  return details === "" ? error.name : `${error.name} (${details})`
}

/** Fields that every error has, or may have, and that say nothing new. */
const OURS: ReadonlySet<string> = new Set(["_tag", "name", "message", "stack", "cause"])

const plain = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
