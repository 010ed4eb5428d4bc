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
export const WebhookId = uuid("WebhookId")
export type WebhookId = typeof WebhookId.Type
export const WebhookWorkId = uuid("WebhookWorkId")
export type WebhookWorkId = typeof WebhookWorkId.Type
export const EventChunkId = uuid("EventChunkId")
export type EventChunkId = typeof EventChunkId.Type
export const DeadLetterId = uuid("DeadLetterId")
export type DeadLetterId = typeof DeadLetterId.Type
export const ReplayId = uuid("ReplayId")
export type ReplayId = typeof ReplayId.Type
export const RedeliveryId = uuid("RedeliveryId")
export type RedeliveryId = typeof RedeliveryId.Type
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

export const WorkflowId = uuid("WorkflowId")
export type WorkflowId = typeof WorkflowId.Type
export const WorkflowVersionId = uuid("WorkflowVersionId")
export type WorkflowVersionId = typeof WorkflowVersionId.Type
export const ExecutionId = uuid("ExecutionId")
export type ExecutionId = typeof ExecutionId.Type
export const CustomEventId = uuid("CustomEventId")
export type CustomEventId = typeof CustomEventId.Type

export const AccountId = uuid("AccountId")
export type AccountId = typeof AccountId.Type
export const SessionId = uuid("SessionId")
export type SessionId = typeof SessionId.Type
export const InvitationId = uuid("InvitationId")
export type InvitationId = typeof InvitationId.Type
export const ExternalSignInId = uuid("ExternalSignInId")
export type ExternalSignInId = typeof ExternalSignInId.Type

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

/** Epoch milliseconds at which a UUIDv7 was made. */
export const uuidTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The smallest UUIDv7 of a moment (epoch milliseconds): a bound for ranges of ids by time. */
export const uuidFloor = (at: number): string => {
  const hex = at.toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

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
