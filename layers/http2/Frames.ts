/** The frames and codes of RFC 9113, and the writing of those that are not requests. */

export const DATA = 0x0
export const HEADERS = 0x1
export const PRIORITY = 0x2
export const RST_STREAM = 0x3
export const SETTINGS = 0x4
export const PUSH_PROMISE = 0x5
export const PING = 0x6
export const GOAWAY = 0x7
export const WINDOW_UPDATE = 0x8
export const CONTINUATION = 0x9

export const END_STREAM = 0x1
export const ACK = 0x1
export const END_HEADERS = 0x4
export const PADDED = 0x8
export const PRIORITISED = 0x20

export const HEADER_TABLE_SIZE = 0x1
export const ENABLE_PUSH = 0x2
export const MAX_CONCURRENT_STREAMS = 0x3
export const INITIAL_WINDOW_SIZE = 0x4
export const MAX_FRAME_SIZE = 0x5
export const MAX_HEADER_LIST_SIZE = 0x6

export const NO_ERROR = 0x0
export const PROTOCOL_ERROR = 0x1
export const FLOW_CONTROL_ERROR = 0x3
export const STREAM_CLOSED = 0x5
export const FRAME_SIZE_ERROR = 0x6
export const REFUSED_STREAM = 0x7
export const CANCEL = 0x8
export const COMPRESSION_ERROR = 0x9
export const ENHANCE_YOUR_CALM = 0xb

const CODES = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED"
]
export const codeName = (code: number): string => CODES[code] ?? `error ${code}`

/** Bytes before every frame's payload. */
export const FRAME_HEADER = 9
/** What a frame's payload may measure before SETTINGS say otherwise; this client never says otherwise. */
export const FRAME_MAX = 16_384
export const WINDOW_MAX = 0x7fff_ffff
export const DEFAULT_WINDOW = 65_535

/** The peer broke a rule for which RFC 9113 ends the connection with `code`. */
export class PeerError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Writes a frame's header and answers where its payload begins. */
export const frameHeader = (
  out: Uint8Array,
  at: number,
  length: number,
  type: number,
  flags: number,
  id: number
): number => {
  out[at] = length >>> 16
  out[at + 1] = length >>> 8
  out[at + 2] = length
  out[at + 3] = type
  out[at + 4] = flags
  out[at + 5] = id >>> 24
  out[at + 6] = id >>> 16
  out[at + 7] = id >>> 8
  out[at + 8] = id
  return at + FRAME_HEADER
}

export const readUint32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

const uint32 = (out: Uint8Array, at: number, value: number): void => {
  out[at] = value >>> 24
  out[at + 1] = value >>> 16
  out[at + 2] = value >>> 8
  out[at + 3] = value
}

/** A frame whose payload is 32-bit numbers: RST_STREAM, WINDOW_UPDATE, GOAWAY. */
export const numbersFrame = (type: number, id: number, ...numbers: ReadonlyArray<number>): Uint8Array => {
  const out = new Uint8Array(FRAME_HEADER + 4 * numbers.length)
  let at = frameHeader(out, 0, 4 * numbers.length, type, 0, id)
  for (const number of numbers) {
    uint32(out, at, number)
    at += 4
  }
  return out
}

export const settingsFrame = (settings: ReadonlyArray<readonly [id: number, value: number]>): Uint8Array => {
  const out = new Uint8Array(FRAME_HEADER + 6 * settings.length)
  let at = frameHeader(out, 0, 6 * settings.length, SETTINGS, 0, 0)
  for (const [id, value] of settings) {
    out[at] = id >>> 8
    out[at + 1] = id
    uint32(out, at + 2, value)
    at += 6
  }
  return out
}

export const settingsAck = (): Uint8Array => {
  const out = new Uint8Array(FRAME_HEADER)
  frameHeader(out, 0, 0, SETTINGS, ACK, 0)
  return out
}

/** A PING with eight bytes of `payload` from `at`. */
export const pingFrame = (flags: number, payload: Uint8Array, at: number): Uint8Array => {
  const out = new Uint8Array(FRAME_HEADER + 8)
  out.set(payload.subarray(at, at + 8), frameHeader(out, 0, 8, PING, flags, 0))
  return out
}

/** What a client says first, before its SETTINGS. */
export const PREFACE = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
