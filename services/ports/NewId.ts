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
