import { Layer } from "effect"
import { createHmac, generateKeyPairSync, hash, randomBytes, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import type { KeyKind } from "../../services/domain/access/Application.ts"
import { Keys } from "../../services/ports/access/Keys.ts"

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** 26 base62 digits are 154 random bits. */
const RANDOM_DIGITS = 26
/** 62^6 is just above 2^32. */
const CHECK_DIGITS = 6
const FORM = new RegExp(`^(sk|pk)_[0-9A-Za-z]{${RANDOM_DIGITS + CHECK_DIGITS}}$`)

const PREFIX = { secret: "sk_", public: "pk_" } as const satisfies Record<KeyKind, string>

/** Base62 digits without bias: bytes from 248 (4 × 62) on are thrown away. */
const randomDigits = (count: number): string => {
  let digits = ""
  while (digits.length < count) {
    for (const byte of randomBytes(count)) {
      if (byte < 248 && digits.length < count) digits += DIGITS[byte % 62]!
    }
  }
  return digits
}

/** The checksum finds typing and copying errors; it keeps nobody out, and so needs no secret. */
const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ""
  for (let i = 0; i < CHECK_DIGITS; i++) {
    digits = DIGITS[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

export const layer: Layer.Layer<Keys> = Layer.succeed(Keys, {
  generate: (kind) => {
    const text = PREFIX[kind] + randomDigits(RANDOM_DIGITS)
    return text + checksum(text)
  },
  parse: (key) => {
    if (!FORM.test(key)) return null
    if (checksum(key.slice(0, -CHECK_DIGITS)) !== key.slice(-CHECK_DIGITS)) return null
    return key.startsWith(PREFIX.secret) ? "secret" : "public"
  },
  hash: (key) => new Uint8Array(hash("sha256", key, "buffer")),
  secret: () => randomBytes(32).toString("base64url"),
  hmac: (secret, text) => createHmac("sha256", secret).update(text, "utf8").digest("hex"),
  equal: (a, b) => {
    const left = Buffer.from(a, "utf8")
    const right = Buffer.from(b, "utf8")
    // Lengths are no secret here: both sides are digests, or keys of one form.
    return left.length === right.length && timingSafeEqual(left, right)
  },
  vapidPair: () => {
    // The coordinates of a JWK always have their full 32 bytes; those of an ECDH object lose leading zeros.
    const { x, y, d } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
    return { publicKey: point.toString("base64url"), privateKey: d! }
  }
})
