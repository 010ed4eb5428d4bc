/*
 * SHA-256, HMAC and HKDF in plain JavaScript. A message takes five HMACs of a hundred bytes: asking OpenSSL for each
 * costs more in objects made and collected than in hashing (docs/decisions/0013). Nothing here branches or looks up by
 * a secret, so its time tells nothing. Held to node:crypto by the tests.
 */

const BLOCK = 64
const DIGEST = 32

/** The first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4), computed exactly. */
const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && !Array.from({ length: 16 }, (_, d) => d + 2).some((d) => d < n && n % d === 0)
)
const root = (prime: number, power: number): number => Math.trunc((prime ** (1 / power) % 1) * 2 ** 32) | 0
const ROUNDS = Int32Array.from(PRIMES.slice(0, 64), (prime) => root(prime, 3))
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => root(prime, 2))

const words = new Int32Array(64)

/** One step of SHA-256: mixes the 64 bytes at `at` into the state. */
const compress = (state: Int32Array, bytes: Uint8Array, at: number): void => {
  for (let i = 0; i < 16; i++, at += 4) {
    words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!
    const y = words[i - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[i] = (words[i - 16]! + s0 + words[i - 7]! + s1) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i]! + words[i]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] = (state[0]! + a) | 0
  state[1] = (state[1]! + b) | 0
  state[2] = (state[2]! + c) | 0
  state[3] = (state[3]! + d) | 0
  state[4] = (state[4]! + e) | 0
  state[5] = (state[5]! + f) | 0
  state[6] = (state[6]! + g) | 0
  state[7] = (state[7]! + h) | 0
}

const block = new Uint8Array(BLOCK)

/** Hashes the rest of what began with one block, which `state` holds already, and writes the digest to `out`. */
const finish = (state: Int32Array, rest: Uint8Array, out: Uint8Array): void => {
  let at = 0
  for (; at + BLOCK <= rest.length; at += BLOCK) compress(state, rest, at)
  block.fill(0)
  for (let i = 0; at < rest.length; at++) block[i++] = rest[at]!
  const left = rest.length % BLOCK
  block[left] = 0x80
  if (left >= BLOCK - 8) {
    compress(state, block, 0)
    block.fill(0)
  }
  const bits = (BLOCK + rest.length) * 8
  block[60] = bits >>> 24
  block[61] = bits >>> 16
  block[62] = bits >>> 8
  block[63] = bits
  compress(state, block, 0)
  for (let i = 0; i < 8; i++) {
    const word = state[i]!
    out[4 * i] = word >>> 24
    out[4 * i + 1] = word >>> 16
    out[4 * i + 2] = word >>> 8
    out[4 * i + 3] = word
  }
}

const pad = new Uint8Array(BLOCK)
const state = new Int32Array(8)
const inner = new Int32Array(8)
const outer = new Int32Array(8)
const digest = new Uint8Array(DIGEST)

const startWith = (to: Int32Array, key: Uint8Array, filler: number): void => {
  pad.fill(filler)
  for (let i = 0; i < key.length; i++) pad[i] = key[i]! ^ filler
  to.set(START)
  compress(to, pad, 0)
}

/** Keys the HMACs to come. `key` has at most 64 bytes. */
const keyed = (key: Uint8Array): void => {
  startWith(inner, key, 0x36)
  startWith(outer, key, 0x5c)
}

/** HMAC-SHA-256 of `message` (under 2^28 bytes) by the key of the last `keyed`, into 32 bytes. */
const hmacInto = (message: Uint8Array, out: Uint8Array): void => {
  state.set(inner)
  finish(state, message, digest)
  state.set(outer)
  finish(state, digest, out)
}

export const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array => {
  const out = new Uint8Array(DIGEST)
  keyed(key)
  hmacInto(message, out)
  return out
}

const extracted = new Uint8Array(DIGEST)

/**
 * HKDF (RFC 5869) for up to 32 bytes each: one extraction, then one expansion for each of `infos`, each of which ends
 * with the byte 1, the number of its only block.
 */
export const hkdf = (secret: Uint8Array, salt: Uint8Array, ...infos: ReadonlyArray<Uint8Array>): Array<Uint8Array> => {
  keyed(salt)
  hmacInto(secret, extracted)
  keyed(extracted)
  return infos.map((about) => {
    const out = new Uint8Array(DIGEST)
    hmacInto(about, out)
    return out
  })
}
