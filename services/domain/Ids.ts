import { Schema } from "effect"

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
export const InboxMessageId = uuid("InboxMessageId")
export type InboxMessageId = typeof InboxMessageId.Type

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

// One call of the random source serves 256 ids: asking for 10 bytes at a time costs more than the rest of an id.
const pool = new Uint8Array(256 * 10)
let used = pool.length

/** A new UUIDv7. `now` is epoch milliseconds. */
export const uuidv7 = (now: number = Date.now()): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const b = new Uint8Array(16)
  for (let i = 5, rest = now; i >= 0; i--, rest = Math.floor(rest / 256)) b[i] = rest % 256
  b.set(pool.subarray(used, used + 10), 6)
  used += 10
  b[6] = (b[6]! & 0x0f) | 0x70
  b[8] = (b[8]! & 0x3f) | 0x80
  return formatUuid(b)
}

/** Epoch milliseconds at which a UUIDv7 was made. */
export const uuidTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The smallest UUIDv7 of a moment (epoch milliseconds): a bound for ranges of ids by time. */
export const uuidFloor = (at: number): string => {
  const hex = at.toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** 64 bits of FNV-1a in two halves: cheap and even enough for an id that also carries both of its parents' entropy. */
const mix = (bytes: Uint8Array, seed: number): number => {
  let h = seed >>> 0
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193) >>> 0
  h ^= h >>> 15
  h = Math.imul(h, 0x2c1b3c6d) >>> 0
  h ^= h >>> 12
  h = Math.imul(h, 0x297a2d39) >>> 0
  return (h ^ (h >>> 15)) >>> 0
}

/**
 * The delivery-log id of one recipient of one notification. It follows from both, so it is neither drawn nor stored:
 * the notification's moment in the first 48 bits, then the two parents' random bits mixed.
 */
export const deliveryIdOf = (notificationId: string, recipientId: string): DeliveryId => {
  const n = parseUuid(notificationId)
  const r = parseUuid(recipientId)
  const out = new Uint8Array(16)
  out.set(n.subarray(0, 6))
  const both = new Uint8Array(32)
  both.set(n)
  both.set(r, 16)
  const view = new DataView(out.buffer)
  view.setUint16(6, mix(both, 0x811c9dc5) & 0xffff)
  for (let i = 8; i < 16; i++) out[i] = n[i]! ^ r[i]!
  const high = mix(both, 0x9747b28c)
  const low = mix(both, 0x3c6ef372)
  view.setUint32(8, (view.getUint32(8) ^ high) >>> 0)
  view.setUint32(12, (view.getUint32(12) ^ low) >>> 0)
  out[6] = (out[6]! & 0x0f) | 0x70
  out[8] = (out[8]! & 0x3f) | 0x80
  return formatUuid(out) as DeliveryId
}

/** The id of the event at `index` of a chunk: the chunk's id with the index in its last 16 bits, the same on every attempt. */
export const eventIdOf = (chunkId: string, index: number): string =>
  chunkId.slice(0, 32) + (Number.parseInt(chunkId.slice(32), 16) ^ (index & 0xffff)).toString(16).padStart(4, "0")
