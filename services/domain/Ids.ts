import { Schema } from "effect"
import { now } from "./Now.ts"

/**
 * Identifiers. Every id on the wire is a lower-case UUIDv7 with no prefix: its first 48 bits are the epoch
 * milliseconds of its making, so ids sort by time and an index on them grows at one end.
 */
const uuid = <B extends string>(brand: B & (string extends B ? never : B)) =>
  Schema.String.check(Schema.isUUID()).pipe(Schema.brand<B>(brand as never))

export const OrganizationId = uuid("OrganizationId")
export type OrganizationId = typeof OrganizationId.Type
export const AppId = uuid("AppId")
export type AppId = typeof AppId.Type
export const ApiKeyId = uuid("ApiKeyId")
export type ApiKeyId = typeof ApiKeyId.Type
export const DeviceId = uuid("DeviceId")
export type DeviceId = typeof DeviceId.Type
export const ContactId = uuid("ContactId")
export type ContactId = typeof ContactId.Type
export const ChannelId = uuid("ChannelId")
export type ChannelId = typeof ChannelId.Type
export const NotificationId = uuid("NotificationId")
export type NotificationId = typeof NotificationId.Type
export const BatchId = uuid("BatchId")
export type BatchId = typeof BatchId.Type
export const DeliveryId = uuid("DeliveryId")
export type DeliveryId = typeof DeliveryId.Type
export const HookId = uuid("HookId")
export type HookId = typeof HookId.Type
export const HookWorkId = uuid("HookWorkId")
export type HookWorkId = typeof HookWorkId.Type
export const EventChunkId = uuid("EventChunkId")
export type EventChunkId = typeof EventChunkId.Type
export const DeadLetterId = uuid("DeadLetterId")
export type DeadLetterId = typeof DeadLetterId.Type
export const ReplayId = uuid("ReplayId")
export type ReplayId = typeof ReplayId.Type
export const AuditEntryId = uuid("AuditEntryId")
export type AuditEntryId = typeof AuditEntryId.Type
export const InboxMessageId = uuid("InboxMessageId")
export type InboxMessageId = typeof InboxMessageId.Type

export const TemplateId = uuid("TemplateId")
export type TemplateId = typeof TemplateId.Type
export const TemplateVersionId = uuid("TemplateVersionId")
export type TemplateVersionId = typeof TemplateVersionId.Type
export const SegmentId = uuid("SegmentId")
export type SegmentId = typeof SegmentId.Type

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Writes 16 bytes as the 36 characters of a UUID. */
export const formatUuid = (b: Uint8Array, at = 0): string =>
  HEX[b[at]!]! +
  HEX[b[at + 1]!]! +
  HEX[b[at + 2]!]! +
  HEX[b[at + 3]!]! +
  "-" +
  HEX[b[at + 4]!]! +
  HEX[b[at + 5]!]! +
  "-" +
  HEX[b[at + 6]!]! +
  HEX[b[at + 7]!]! +
  "-" +
  HEX[b[at + 8]!]! +
  HEX[b[at + 9]!]! +
  "-" +
  HEX[b[at + 10]!]! +
  HEX[b[at + 11]!]! +
  HEX[b[at + 12]!]! +
  HEX[b[at + 13]!]! +
  HEX[b[at + 14]!]! +
  HEX[b[at + 15]!]!

/** The 16 bytes of a UUID's text. */
export const parseUuid = (id: string): Uint8Array<ArrayBuffer> => {
  const out = new Uint8Array(16)
  for (let at = 0, byte = 0; byte < 16; byte++) {
    if (id.charCodeAt(at) === 45) at++
    out[byte] = Number.parseInt(id.slice(at, at + 2), 16)
    at += 2
  }
  return out
}

// One call of the random source, and one of the encoder, serves 256 ids: each call costs more than the rest of an id.
const pool = new Uint8Array(256 * 10)
let digits = ""
let used = 0
let prefix = ""
let prefixAt = -1

/** A new UUIDv7. `at` is epoch milliseconds. */
export const uuidv7 = (at: number = now()): string => {
  if (used === digits.length) {
    digits = crypto.getRandomValues(pool).toHex()
    used = 0
  }
  if (at !== prefixAt) {
    const time = Math.floor(at).toString(16).padStart(12, "0")
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
    prefixAt = at
  }
  const from = used
  used += 20
  // The variant takes the two highest bits of ten bytes: those of a digit that is used for nothing else.
  const variant = "89ab"[pool[from >> 1]! >> 6]!
  return `${prefix}${digits.slice(from + 1, from + 4)}-${variant}${digits.slice(from + 4, from + 7)}-${digits.slice(from + 7, from + 19)}`
}

/** Epoch milliseconds at which a UUIDv7 was made. */
export const uuidTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The smallest UUIDv7 of a moment (epoch milliseconds): a bound for ranges of ids by time. */
export const uuidFloor = (at: number): string => {
  const hex = at.toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

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
const HIGH = Uint8Array.from(HEX, (digits) => digits.charCodeAt(0))
const LOW = Uint8Array.from(HEX, (digits) => digits.charCodeAt(1))
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

/** The ids of a chunk's events, by their index: the chunk's id with the index in its last 16 bits, the same on every attempt. */
export const eventIdsOf = (chunkId: string): ((index: number) => string) => {
  const [start, last] = [chunkId.slice(0, 32), Number.parseInt(chunkId.slice(32), 16)]
  return (index) => {
    const bits = last ^ (index & 0xffff)
    return start + HEX[bits >> 8]! + HEX[bits & 255]!
  }
}

/** The id of the event at `index` of a chunk. */
export const eventIdOf = (chunkId: string, index: number): string => eventIdsOf(chunkId)(index)
