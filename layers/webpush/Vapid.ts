import { SignJWT } from "jose/jwt/sign"
import { createPrivateKey } from "node:crypto"

/** What a push service may know of the sender, and the key pair (base64url) that it proves to hold. */
export interface VapidKeys {
  readonly subject: string
  readonly public_key: string
  readonly private_key: string
}

const HOUR = 3_600_000
/** RFC 8292 allows 24 hours; half of that forgives clocks that differ. */
const LIFETIME = 12 * HOUR
const RENEW_BEFORE = HOUR

export interface Vapid {
  /** The value of the Authorization header. */
  readonly header: string
  /** Epoch milliseconds from which another is to be made. */
  readonly renewAt: number
}

/** Signs for one push service; `origin` is its audience. Rejects when the keys are no pair of P-256. */
export const vapidFor = async (keys: VapidKeys, origin: string, now: number): Promise<Vapid> => {
  const point = Buffer.from(keys.public_key, "base64url")
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33, 65).toString("base64url"),
      d: keys.private_key
    }
  })
  const exp = Math.floor((now + LIFETIME) / 1000)
  const token = await new SignJWT({ aud: origin, exp, sub: keys.subject })
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .sign(key)
  return { header: `vapid t=${token}, k=${keys.public_key}`, renewAt: now + LIFETIME - RENEW_BEFORE }
}
