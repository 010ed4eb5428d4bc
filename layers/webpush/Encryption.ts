import { createCipheriv, hkdfSync, type ECDH } from "node:crypto"

/*
 * Encryption of web push messages: RFC 8291 over the coding aes128gcm of RFC 8188, one record a message. A body is the
 * salt (16 bytes), the record size (4), the length of the key id (1), the key id, which is the sender's public key
 * (65), and the record: the plaintext, its delimiter (1) and the tag (16).
 */

/** An uncompressed point of P-256. */
export const POINT_BYTES = 65
export const AUTH_BYTES = 16
export const SALT_BYTES = 16
const KEY_ID_AT = 21
const HEADER_BYTES = KEY_ID_AT + POINT_BYTES
const TAG_BYTES = 16
const SECRET_BYTES = 32
const KEY_BYTES = 16
const NONCE_BYTES = 12
/** What a body has beside its plaintext. */
export const OVERHEAD = HEADER_BYTES + 1 + TAG_BYTES
const RECORD_SIZE = 4096
/** The most plaintext that fits the body of 4,096 bytes which every push service takes. */
export const MOST_PLAINTEXT = RECORD_SIZE - OVERHEAD
/** Follows the plaintext of the last record. */
const LAST = 2

/** A key pair of the sender's, for one message. `pair` may be another's as soon as that one is encrypted. */
export interface SenderKey {
  readonly pair: ECDH
  /** 65 bytes. */
  readonly publicKey: Uint8Array
}

/** Null when `point` is no uncompressed point of the curve. */
const agree = ({ pair }: SenderKey, point: Uint8Array): Uint8Array | null => {
  if (point.length !== POINT_BYTES || point[0] !== 4) return null
  try {
    return pair.computeSecret(point)
  } catch {
    return null
  }
}

/** What keys are derived for. */
const INFO = Buffer.from("WebPush: info\0")
const KEY_INFO = Buffer.from("Content-Encoding: aes128gcm\0")
const NONCE_INFO = Buffer.from("Content-Encoding: nonce\0")
const SUBSCRIBER_AT = INFO.length
const SENDER_AT = SUBSCRIBER_AT + POINT_BYTES
/** Written anew for each message; nothing here outlives a call, and no call meets another. */
const info = Buffer.concat([INFO, Buffer.alloc(2 * POINT_BYTES)])

/**
 * Writes a message into `body`, which has `OVERHEAD` bytes more than the plaintext and begins with a fresh salt. False
 * when `point`, the subscriber's public key, is none: the body is then none either.
 */
export const sealInto = (
  body: Uint8Array,
  sender: SenderKey,
  point: Uint8Array,
  auth: Uint8Array,
  plaintext: Uint8Array
): boolean => {
  const shared = agree(sender, point)
  if (shared === null) return false
  info.set(point, SUBSCRIBER_AT)
  info.set(sender.publicKey, SENDER_AT)
  const secret = hkdfSync("sha256", shared, auth, info, SECRET_BYTES)
  const salt = body.subarray(0, SALT_BYTES)
  const key = new Uint8Array(hkdfSync("sha256", secret, salt, KEY_INFO, KEY_BYTES))
  const nonce = new Uint8Array(hkdfSync("sha256", secret, salt, NONCE_INFO, NONCE_BYTES))

  body[16] = 0
  body[17] = 0
  body[18] = RECORD_SIZE >> 8
  body[19] = RECORD_SIZE & 255
  body[20] = POINT_BYTES
  body.set(sender.publicKey, KEY_ID_AT)
  // In place first, so that text and delimiter are one input to the cipher.
  const text = body.subarray(HEADER_BYTES, body.length - TAG_BYTES)
  text.set(plaintext)
  text[plaintext.length] = LAST
  const cipher = createCipheriv("aes-128-gcm", key, nonce)
  text.set(cipher.update(text))
  cipher.final()
  body.set(cipher.getAuthTag(), body.length - TAG_BYTES)
  return true
}
