import { describe, expect, it } from "vitest"
import {
  isWithoutList,
  PACK_FROM,
  readMessages,
  split,
  writeMessages
} from "../../../../layers/postgres/sending/packedResults.ts"
import type { DeliveryStatus } from "../../../../services/domain/sending/Delivery.ts"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { ids } from "../Stores.ts"

const notificationId = uuidv7() as NotificationId

const chunkOf = (
  results: ReadonlyArray<{ readonly status: DeliveryStatus; readonly error?: string; readonly messageId?: string }>
): ResultChunk => ({
  batchId: uuidv7() as BatchId,
  fence: 1,
  appId: uuidv7() as AppId,
  notificationId,
  provider: "apns",
  attempts: 1,
  final: {
    recipients: ids(results.length),
    statuses: results.map(({ status }) => status),
    messageIds: results.map(({ messageId }) => messageId ?? null),
    errors: results.map(({ error }) => error ?? null)
  },
  retries: [],
  remaining: [],
  leaseMs: 1,
  dead: [],
  environments: [],
  inbox: null,
  events: []
})

const many = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

describe("split", () => {
  it("packs what is alike from a number on, and makes rows of the rest and of what failed", () => {
    const { packed, rows } = split(
      chunkOf([
        { status: "skipped", error: "no_email" },
        ...many(PACK_FROM, { status: "sent" as const, messageId: "m" }),
        ...many(PACK_FROM, { status: "skipped" as const, error: "recipient_gone" }),
        ...many(PACK_FROM - 1, { status: "skipped" as const, error: "no_push" }),
        ...many(PACK_FROM, { status: "failed" as const, error: "expired" })
      ])
    )
    expect(packed.map(({ error, recipients, status }) => ({ error, status, size: recipients.length }))).toEqual([
      { status: "sent", error: null, size: PACK_FROM },
      { status: "skipped", error: "recipient_gone", size: PACK_FROM }
    ])
    expect(rows.errors).toEqual(["no_email", ...many(PACK_FROM - 1, "no_push"), ...many(PACK_FROM, "expired")])
    expect(split(chunkOf(many(PACK_FROM, { status: "failed" as const, error: "expired" }))).packed).toEqual([])
  })

  it("loses nobody and names nobody twice, and knows the ends of each range", () => {
    const kinds = ["sent", "failed", "skipped"] as const
    const chunk = chunkOf(Array.from({ length: 200 }, (_, i) => ({ status: kinds[(i * i) % 3]!, error: `e${i % 2}` })))
    const { packed, rows } = split(chunk)
    const all = [...packed.flatMap(({ recipients }) => recipients), ...rows.recipients]
    expect(all.toSorted()).toEqual(chunk.final.recipients.toSorted())
    for (const { first, last, recipients } of packed) {
      expect([first, last]).toEqual([recipients.toSorted()[0], recipients.toSorted().at(-1)])
    }
    expect(split(chunk)).toEqual({ packed, rows })
  })
})

describe("message ids", () => {
  const recipients = ids(20)
  const own = recipients.map((id) => deliveryIdOf(notificationId, id))
  const read = (text: string | null) => {
    const at = readMessages(notificationId, recipients, text)
    return recipients.map((_, i) => at(i))
  }

  it.each([
    ["the delivery's own", own],
    ["the delivery's own in capitals", own.map((id) => id.toUpperCase())],
    ["the delivery's own with something around it", own.map((id) => `${id}@mail.example.com`)]
  ])("takes a few bytes for ids that are %s", (_, messageIds) => {
    const written = writeMessages(notificationId, recipients, messageIds)
    expect(isWithoutList(written)).toBe(true)
    expect(written!.length).toBeLessThan(60)
    expect(read(written)).toEqual(messageIds)
  })

  it.each([
    ["own but for the last", [...own.slice(0, -1), own[0]!]],
    ["own but for one that has none", [...own.slice(0, -1), null]],
    ["in both cases of letters", own.map((id, i) => (i === 3 ? id.toUpperCase() : id))],
    ["of the provider, beginning alike", recipients.map((_, i) => `projects/p/messages/0:${i}%é"\\`)],
    ["of the provider, beginning with each other", recipients.map((_, i) => "a".repeat(20 - i))],
    ["of the provider, and some none", recipients.map((_, i) => (i % 3 === 0 ? null : `id-${i}`))],
    ["odd", recipients.map((_, i) => ["", "\u0000", "\ud800", "null", '{"around"'][i % 5]!)]
  ])("gives back ids that are %s", (_, messageIds) => {
    const written = writeMessages(notificationId, recipients, messageIds)
    expect(written).not.toContain("\u0000")
    expect(isWithoutList(written)).toBe(false)
    expect(read(written)).toEqual(messageIds)
  })

  it("writes nothing when there are none", () => {
    const none = recipients.map(() => null)
    expect(writeMessages(notificationId, recipients, none)).toBe(null)
    expect(read(null)).toEqual(none)
  })
})
