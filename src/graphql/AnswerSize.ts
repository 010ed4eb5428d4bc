import type { FormattedExecutionResult } from "graphql"
import { ApiError } from "../http/pipeline/ApiError.ts"

/*
 * How long an answer may be. An answer is made of references, which take no memory, and the same text may stand in it under
 * many aliases: so it is measured before it is written as JSON, and no further than it may be long.
 */

/** Bytes of an answer, at most. */
export const ANSWER_BYTES = 8 << 20
/** Bytes that a permit of the rate limit is good for. */
const BYTES_PER_PERMIT = 100_000
/** Bytes of a character in JSON, at most: `\u0001`. */
const LONGEST_CHARACTER = 6

/** Characters of a value as JSON, roughly; of one that has more than `most`, a number above it. */
const charactersOf = (value: unknown, most: number): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 8
  let sum = 2
  if (Array.isArray(value)) {
    for (const one of value) {
      sum += charactersOf(one, most - sum) + 1
      if (sum > most) return sum
    }
    return sum
  }
  for (const name in value) {
    sum += name.length + 4 + charactersOf((value as Readonly<Record<string, unknown>>)[name], most - sum)
    if (sum > most) return sum
  }
  return sum
}

/** The length of an answer in bytes, or a little more; null where it is too long to be given. */
export const lengthOf = (answer: object): number | null => {
  const characters = charactersOf(answer, ANSWER_BYTES)
  if (characters > ANSWER_BYTES) return null
  if (characters * LONGEST_CHARACTER <= ANSWER_BYTES) return characters
  const bytes = Buffer.byteLength(JSON.stringify(answer))
  return bytes > ANSWER_BYTES ? null : bytes
}

/** What an answer of this length counts for. */
export const permitsOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_PERMIT)

const TOO_LONG = `The answer would be longer than ${ANSWER_BYTES >> 20} MB.`

export const tooLong: ApiError = new ApiError(
  "validation_error",
  `${TOO_LONG} Ask for smaller pages (first), fewer fields or fewer aliases.`
)

/** In place of the answer to a mutation that did its work: no refusal, which a client might repeat. */
export const doneTooLong = (requestId: string): FormattedExecutionResult => {
  const message = `${TOO_LONG} The work is done: do not repeat it, read what it made, and next time ask for less of it.`
  return { data: null, errors: [{ message, extensions: { code: "answer_too_long", details: [], requestId } }] }
}
