import type { KeyObject } from "node:crypto"
import { createECDH, createHash, createHmac } from "node:crypto"

/** The order of P-256's group. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const SIZE = 32

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
const toBytes = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(2 * SIZE, "0"), "hex")

/** Fermat: a^(N − 2) is the inverse of a modulo the prime N. */
const inverse = (a: bigint): bigint => {
  let [result, base] = [1n, a % N]
  for (let exponent = N - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % N
    base = (base * base) % N
  }
  return result
}

/** The secret number of a signature, from the key and the message alone (RFC 6979, section 3.2). */
function* nonces(privateKey: Buffer, digest: Buffer): Generator<Buffer> {
  const hmac = (key: Uint8Array, ...parts: ReadonlyArray<Uint8Array>) => {
    const mac = createHmac("sha256", key)
    for (const part of parts) mac.update(part)
    return mac.digest()
  }
  const seed = Buffer.concat([privateKey, toBytes(toNumber(digest) % N)])
  let value: Buffer = Buffer.alloc(SIZE, 1)
  let key: Buffer = Buffer.alloc(SIZE, 0)
  for (const step of [0, 1]) {
    key = hmac(key, value, Buffer.of(step), seed)
    value = hmac(key, value)
  }
  while (true) {
    value = hmac(key, value)
    yield value
    key = hmac(key, value, Buffer.of(0))
    value = hmac(key, value)
  }
}

/**
 * ECDSA over P-256 with SHA-256, as 64 bytes (r, s): the same key and message give the same signature everywhere, which
 * node:crypto does not offer. Node multiplies the point; what is computed here takes as long as it takes, so this is
 * for signatures that are made rarely and whose time nobody can measure.
 */
export const signDeterministically = (key: KeyObject, message: Uint8Array): Buffer => {
  const privateKey = Buffer.from(key.export({ format: "jwk" }).d!, "base64url")
  const digest = createHash("sha256").update(message).digest()
  const curve = createECDH("prime256v1")
  for (const nonce of nonces(privateKey, digest)) {
    const k = toNumber(nonce)
    if (k === 0n || k >= N) continue
    curve.setPrivateKey(nonce)
    // Uncompressed: a mark, x, y.
    const r = toNumber(curve.getPublicKey().subarray(1, 1 + SIZE)) % N
    const s = (inverse(k) * ((toNumber(digest) + r * toNumber(privateKey)) % N)) % N
    if (r !== 0n && s !== 0n) return Buffer.concat([toBytes(r), toBytes(s)])
  }
  throw new Error("unreachable: nonces do not end")
}
