import { HeliographConnectionError } from "./errors.js"
import { encode } from "./values.js"

/**
 * An answer, or a line of one: each of the service's is an object.
 *
 * @param {any} value
 * @returns {any}
 */
export const objectOf = (value) => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  throw new HeliographConnectionError("The answer is not the service's: it is no object")
}

/** A part has at most so many lines, and about so many characters. */
const LINES_OF_A_PART = 2000
const LENGTH_OF_A_PART = 1024 * 1024

/**
 * Newline-delimited JSON of things as they come, in parts; asked for no faster than the parts are sent.
 *
 * @param {import("./types.js").Lines<unknown>} items
 * @returns {AsyncGenerator<{ readonly text: string, readonly count: number }>}
 */
export async function* partsOf(items) {
  let text = ""
  let count = 0
  for await (const item of items) {
    text += `${typeof item === "string" ? item.trimEnd() : encode(item)}\n`
    count++
    if (count < LINES_OF_A_PART && text.length < LENGTH_OF_A_PART) continue
    yield { text, count }
    text = ""
    count = 0
  }
  if (count > 0) yield { text, count }
}

/**
 * The things in a body of lines. A body that was cut off is an error, and not the end.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<any>}
 */
export async function* readLines(response) {
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for await (const bytes of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body ?? []))) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line !== "") yield objectOf(JSON.parse(line))
    }
  } catch (cause) {
    if (cause instanceof HeliographConnectionError) throw cause
    throw new HeliographConnectionError("The answer broke off before its end", { cause })
  }
  if (rest !== "") throw new HeliographConnectionError("The answer broke off in the middle of a line")
}
