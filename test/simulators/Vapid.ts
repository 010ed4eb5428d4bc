import { createPrivateKey, type KeyObject } from "node:crypto"
import { jwt } from "./Client.ts"

/** The private key of a VAPID pair in base64url. */
export const ecKeyOf = (pair: { readonly publicKey: string; readonly privateKey: string }): KeyObject => {
  const point = Buffer.from(pair.publicKey, "base64url")
  return createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
      d: pair.privateKey
    }
  })
}

export const vapidToken = (key: KeyObject, claims: Readonly<Record<string, unknown>>): string =>
  jwt(key, "ES256", claims)
