import { HeliographConnectionError } from "./errors.js"

/** Lines are sent in chunks of about so many characters: one by one each would be a write of its own. */
const CHUNK = 64 * 1024

/**
 * Newline-delimited JSON of things as they come; asked for no faster than it is sent.
 *
 * @param {import("./types.js").Lines<unknown>} items
 * @returns {AsyncGenerator<Uint8Array>}
 */
export async function* writeLines(items) {
  const encoder = new TextEncoder()
  let chunk = ""
  for await (const item of items) {
    chunk += `${typeof item === "string" ? item.trimEnd() : JSON.stringify(item)}\n`
    if (chunk.length < CHUNK) continue
    yield encoder.encode(chunk)
    chunk = ""
  }
  if (chunk !== "") yield encoder.encode(chunk)
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
      for (const line of lines) if (line !== "") yield JSON.parse(line)
    }
  } catch (cause) {
    throw new HeliographConnectionError("The answer broke off before its end", { cause })
  }
  if (rest !== "") throw new HeliographConnectionError("The answer broke off in the middle of a line")
}
