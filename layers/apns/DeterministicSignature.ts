import { p256 } from "@noble/curves/nist.js"
import type { KeyObject } from "node:crypto"

/**
 * ECDSA over P-256 with SHA-256, as 64 bytes (r, s), with the nonce of RFC 6979: the same key and message give the same
 * signature everywhere, which node:crypto does not offer. It takes a millisecond or two: for signatures that are made
 * rarely.
 */
export const signDeterministically = (key: KeyObject, message: Uint8Array): Uint8Array => {
  const secretKey = Buffer.from(key.export({ format: "jwk" }).d!, "base64url")
  // As the RFC has it: nodes whose signatures took the smaller of two values of s would make other tokens than the rest.
  return p256.sign(message, secretKey, { lowS: false })
}
