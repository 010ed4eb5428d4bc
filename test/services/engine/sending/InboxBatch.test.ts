import { expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { inboxBatch } from "../../../../services/engine/sending/InboxBatch.ts"
import { now } from "../../../../services/ports/Now.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"

it.effect("takes as many bytes of data from a template as a request may have, whatever they are written in", () => {
  const texts: Readonly<Record<string, string>> = {
    a: "x".repeat(4096 - '{"d":""}'.length),
    b: "x".repeat(4097 - '{"d":""}'.length),
    c: "ü".repeat(2044),
    d: "ü".repeat(2045)
  }
  const recipients = Object.keys(texts)
  const expiresAt = now() + 60_000
  const ids = { appId: uuidv7() as AppId, notificationId: uuidv7() as NotificationId }
  return Effect.gen(function* () {
    const chunk = yield* inboxBatch({
      batch: {
        ...ids,
        id: uuidv7() as BatchId,
        provider: "inbox",
        priority: "bulk",
        attempts: 0,
        reason: null,
        fence: 1,
        suspicion: 0,
        isDoubtful: false,
        credential: { version: 1, suspendedReason: null, acceptedAt: null },
        expiresAt: null,
        recipients
      },
      message: {
        ...ids,
        content: {},
        priority: "bulk",
        expiresAt,
        nowOrNever: false,
        collapseKey: null,
        overrides: {}
      },
      rules: { retryBaseMs: 1000, retryMaxMs: 60_000, leaseMs: 60_000, pauseMs: 30_000, expiresAt, isOnce: false },
      targets: recipients.map((id) => ({
        id,
        address: id,
        environment: "production",
        p256dh: null,
        auth: null,
        seenAt: 0,
        person: { locale: null, device: {}, contact: { external_id: id } }
      })),
      unsubscribed: new Set<string>(),
      rendering: {
        characters: 0,
        likeness: () => null,
        contentsOf: (people) =>
          Effect.succeed(
            people.map((person) =>
              Result.succeed({ title: "Hi", data: { d: texts[String(person?.contact["external_id"])]! } })
            )
          )
      }
    })
    const { errors, recipients: ended, statuses } = chunk.final
    expect(ended.map((id, i) => [id, statuses[i], errors[i]])).toEqual([
      ["a", "sent", null],
      ["b", "failed", "payload_too_large"],
      ["c", "sent", null],
      ["d", "failed", "payload_too_large"]
    ])
  })
})
