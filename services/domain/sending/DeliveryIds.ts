import type { DeliveryId } from "../Ids.ts"

const NIBBLE = new Uint8Array(128)
for (let digit = 0; digit < 16; digit++) {
  NIBBLE[digit.toString(16).charCodeAt(0)] = digit
  NIBBLE[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

/** 32 bits of a UUID's text: four digits from `high` and four from `low`. */
const word = (id: string, high: number, low: number): number => {
  let value = 0
  for (let i = high; i < high + 4; i++) value = (value << 4) | NIBBLE[id.charCodeAt(i) & 127]!
  for (let i = low; i < low + 4; i++) value = (value << 4) | NIBBLE[id.charCodeAt(i) & 127]!
  return value
}

/** A step of MurmurHash3, and its end: cheap, and even enough for ids that also carry their parents' random bits. */
const stir = (hash: number, value: number): number => {
  const mixed = Math.imul(value, 0xcc9e2d51)
  const turned = hash ^ Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0
}

const settle = (hash: number): number => {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}

/** The character codes of a byte's two digits. */
const HIGH = Uint8Array.from({ length: 256 }, (_, byte) => (byte >> 4).toString(16).charCodeAt(0))
const LOW = Uint8Array.from({ length: 256 }, (_, byte) => (byte & 15).toString(16).charCodeAt(0))
const HYPHEN = 45
const SEVEN = 55

/**
 * The delivery-log ids of a notification's recipients, by their ids. An id follows from both, so it is neither drawn nor
 * stored: the notification's moment in the first 48 bits, then the two parents' random bits mixed.
 */
export const deliveryIdsOf = (notificationId: string): ((recipientId: string) => DeliveryId) => {
  const n2 = word(notificationId, 19, 24)
  const n3 = word(notificationId, 28, 32)
  const seed = stir(stir(stir(stir(0, word(notificationId, 0, 4)), word(notificationId, 9, 14)), n2), n3)
  const s = Array.from({ length: 13 }, (_, i) => notificationId.toLowerCase().charCodeAt(i))
  const [s0, s1, s2, s3, s4, s5, s6, s7] = s as unknown as Codes
  const [s9, s10, s11, s12] = s.slice(9) as unknown as Codes
  return (recipientId) => {
    const r0 = word(recipientId, 0, 4)
    const r1 = word(recipientId, 9, 14)
    const r2 = word(recipientId, 19, 24)
    const r3 = word(recipientId, 28, 32)
    const low = stir(stir(stir(stir(seed, r0), r1), r2), r3)
    const high = stir(stir(stir(stir(~seed, r3), r2), r1), r0)
    const third = ((r2 ^ n2 ^ settle(low)) & 0x3fffffff) | 0x80000000
    const fourth = r3 ^ n3 ^ settle(high)
    // One call makes a flat string; parts that are put together would be copied by their first reader.
    // prettier-ignore
    return String.fromCharCode(
      s0, s1, s2, s3, s4, s5, s6, s7, HYPHEN, s9, s10, s11, s12, HYPHEN,
      SEVEN, LOW[(low >>> 8) & 15]!, HIGH[low & 255]!, LOW[low & 255]!, HYPHEN,
      HIGH[third >>> 24]!, LOW[third >>> 24]!, HIGH[(third >>> 16) & 255]!, LOW[(third >>> 16) & 255]!, HYPHEN,
      HIGH[(third >>> 8) & 255]!, LOW[(third >>> 8) & 255]!, HIGH[third & 255]!, LOW[third & 255]!,
      HIGH[fourth >>> 24]!, LOW[fourth >>> 24]!, HIGH[(fourth >>> 16) & 255]!, LOW[(fourth >>> 16) & 255]!,
      HIGH[(fourth >>> 8) & 255]!, LOW[(fourth >>> 8) & 255]!, HIGH[fourth & 255]!, LOW[fourth & 255]!
    ) as DeliveryId
  }
}

type Codes = readonly [number, number, number, number, number, number, number, number]

/** The delivery-log id of one recipient of one notification. */
export const deliveryIdOf = (notificationId: string, recipientId: string): DeliveryId =>
  deliveryIdsOf(notificationId)(recipientId)
