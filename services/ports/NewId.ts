import { now } from "./Now.ts"

// One call of the random source, and one of the encoder, serves 256 ids: each call costs more than the rest of an id.
const pool = new Uint8Array(256 * 10)
let digits = ""
let used = 0
let prefix = ""
let prefixAt = -1
/** Within a millisecond ids are counted, from anywhere in the lower half: they are in the order in which they were made. */
let count = 0

const COUNTS = 0x1000
const COUNTED = Array.from({ length: COUNTS }, (_, value) => value.toString(16).padStart(3, "0"))

/** Clocks are set back by a little time and again, as others are asked; ids go on from where they were. */
const SET_BACK_MS = 1_000
let latest = -1

const moment = (): number => {
  const at = now()
  if (at >= latest || latest - at > SET_BACK_MS) latest = at
  return latest
}

/**
 * A new UUIDv7. `at` is epoch milliseconds. Those of one process sort as they were made, up to two thousand of a millisecond
 * (RFC 9562, 6.2, method 1).
 */
export const uuidv7 = (at: number = moment()): string => {
  if (used === digits.length) {
    digits = crypto.getRandomValues(pool).toHex()
    used = 0
  }
  const from = used
  used += 20
  if (at === prefixAt) count = (count + 1) % COUNTS
  else {
    const time = Math.floor(at).toString(16).padStart(12, "0")
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
    prefixAt = at
    count = ((pool[from >> 1]! & 7) << 8) | pool[(from >> 1) + 1]!
  }
  // The variant takes the two highest bits of ten bytes: those of a digit that is used for nothing else.
  const variant = "89ab"[pool[from >> 1]! >> 6]!
  return `${prefix}${COUNTED[count]!}-${variant}${digits.slice(from + 4, from + 7)}-${digits.slice(from + 7, from + 19)}`
}
