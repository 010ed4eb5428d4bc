import { now } from "./Now.ts"

// One call of the random source, and one of the encoder, serves 256 ids: each call costs more than the rest of an id.
const pool = new Uint8Array(256 * 10)
let digits = ""
let used = 0
let prefix = ""
let prefixAt = -1

/** A new UUIDv7. `at` is epoch milliseconds. */
export const uuidv7 = (at: number = now()): string => {
  if (used === digits.length) {
    digits = crypto.getRandomValues(pool).toHex()
    used = 0
  }
  if (at !== prefixAt) {
    const time = Math.floor(at).toString(16).padStart(12, "0")
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
    prefixAt = at
  }
  const from = used
  used += 20
  // The variant takes the two highest bits of ten bytes: those of a digit that is used for nothing else.
  const variant = "89ab"[pool[from >> 1]! >> 6]!
  return `${prefix}${digits.slice(from + 1, from + 4)}-${variant}${digits.slice(from + 4, from + 7)}-${digits.slice(from + 7, from + 19)}`
}

/** Ids of one millisecond that can be counted: twelve bits have no other use. */
const COUNTED = 4096
/** How far a clock may have been set back and still be waited for. */
const SET_BACK_MS = 10_000
let lastAt = -Infinity
let count = 0

/**
 * The same, each later than all that this process has asked for here before: those of one millisecond are counted. For
 * entries that are read in the order in which they were written, and not for rows of which pages are read by plans that
 * PostgreSQL has made: ids that stand close make those dearer (docs/decisions/0073-plans-for-any-size.md).
 */
export const uuidv7InOrder = (): string => {
  const at = now()
  if (at > lastAt || at < lastAt - SET_BACK_MS) {
    lastAt = at
    count = 0
  } else if (++count === COUNTED) {
    lastAt++
    count = 0
  }
  const id = uuidv7(lastAt)
  return `${id.slice(0, 15)}${count.toString(16).padStart(3, "0")}${id.slice(18)}`
}
