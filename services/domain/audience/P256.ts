/** The field of P-256 (FIPS 186-5), and the constant of its curve y² = x³ − 3x + b. */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

/** The first byte of a point that is written with both of its coordinates. */
const UNCOMPRESSED = 4

/**
 * Whether base64url text (no padding) is a point of P-256 with both coordinates. Public keys only, so the time it takes
 * may depend on them; it is a tenth of what importing the key takes, and registrations are a hot path.
 */
export const isPublicKeyOfP256 = (text: string): boolean => {
  if (!/^[A-Za-z0-9_-]{87}$/.test(text)) return false
  const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" })
  if (bytes[0] !== UNCOMPRESSED) return false
  const hex = bytes.toHex()
  const x = BigInt(`0x${hex.slice(2, 66)}`)
  const y = BigInt(`0x${hex.slice(66)}`)
  return x < P && y < P && (y * y - ((x * x) % P) * x + 3n * x - B) % P === 0n
}
