/*
 * Texts become bytes by the engine's own copy, and are looked at as bytes, four at a time: a loop over a text's
 * characters costs four times as much.
 */

const SPACE = 0x20
const SPACES = 0x20202020
const ONES = 0x01010101
/** The highest bit of each of four bytes. */
const HIGH = 0x80808080

let viewed: Uint8Array = new Uint8Array(0)
let view = new DataView(viewed.buffer)

/** Bytes to be read four at a time. The last view is kept: callers go through one memory after the other. */
export const viewOf = (bytes: Uint8Array): DataView => {
  if (bytes !== viewed) {
    viewed = bytes
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  return view
}

/** Whether all bytes from `start` to `end` are printable ASCII. */
const isPrintable = (bytes: Uint8Array, start: number, end: number): boolean => {
  const view = viewOf(bytes)
  let at = start
  let wrong = 0
  // The highest bit of a byte appears here below a space, at DEL, and where it was set. What a byte borrows from the next
  // or carries to it comes of a byte that is itself wrong.
  for (; at + 4 <= end; at += 4) {
    const four = view.getInt32(at, true)
    wrong |= (four - SPACES) | (four + ONES) | four
  }
  for (; at < end; at++) {
    const one = bytes[at]!
    wrong |= (one - SPACE) | (one + 1) | one
  }
  return (wrong & HIGH) === 0
}

/**
 * Writes a text whose characters are a byte each; answers where the next byte goes. Anything but printable ASCII without
 * spaces around it is the caller's defect and throws.
 */
export const writePrintable = (out: Buffer, at: number, text: string): number => {
  const { length } = text
  if (length === 0) return at
  const end = at + length
  // Whatever is not ASCII takes more bytes than characters.
  if (out.write(text, at, "utf8") !== length || !isPrintable(out, at, end)) {
    throw new TypeError("a header holds a character that is not printable ASCII")
  }
  if (out[at] === SPACE || out[end - 1] === SPACE) throw new TypeError("a header begins or ends with a space")
  return end
}

/** Up to so many bytes, a loop is quicker than a call. */
const SHORT = 32

/** Copies bytes and answers where the next one goes. */
export const put = (out: Uint8Array, at: number, bytes: Uint8Array): number => {
  const { length } = bytes
  if (length > SHORT) out.set(bytes, at)
  else for (let i = 0; i < length; i++) out[at + i] = bytes[i]!
  return at + length
}
