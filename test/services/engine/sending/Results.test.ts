import { describe, expect, it } from "vitest"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { Results } from "../../../../services/engine/sending/Results.ts"
import type { ClaimedBatch } from "../../../../services/ports/sending/BatchStore.ts"

const NOW = 1_000_000

const batch = (recipients: ReadonlyArray<string>, over: Partial<ClaimedBatch> = {}): ClaimedBatch => ({
  id: uuidv7() as BatchId,
  appId: uuidv7() as AppId,
  notificationId: uuidv7() as NotificationId,
  provider: "apns",
  priority: "bulk",
  attempts: 0,
  reason: null,
  fence: 1,
  suspicion: 0,
  isDoubtful: false,
  credential: { version: 1, suspendedReason: null, acceptedAt: null },
  expiresAt: null,
  recipients,
  ...over
})

const rules = {
  retryBaseMs: 1000,
  retryMaxMs: 60_000,
  leaseMs: 60_000,
  pauseMs: 30_000,
  expiresAt: NOW + 100_000,
  isOnce: false
}

/** A recipient, tried at an address that tells whose it is. */
const to = (id: string) => ({ id, address: `token of ${id}` })

describe("Results", () => {
  it("accounts for every recipient once: final, to be retried, or remaining", () => {
    const results = new Results(batch(["a", "b", "c", "d", "e"]), rules, () => 1)
    results.add(to("a"), { _tag: "Ok", messageId: "m" }, NOW)
    results.add(to("b"), { _tag: "Retry", reason: "busy", afterMs: null }, NOW)
    results.skip("c", "recipient_gone")
    results.add(to("d"), { _tag: "Fail", reason: "too_large" }, NOW)
    const chunk = results.take(NOW)
    expect(chunk.final).toEqual({
      recipients: ["a", "c", "d"],
      statuses: ["sent", "skipped", "failed"],
      messageIds: ["m", null, null],
      errors: [null, "recipient_gone", "too_large"]
    })
    expect(chunk.retries.flatMap((group) => group.recipients)).toEqual(["b"])
    expect(chunk.remaining).toEqual(["e"])
    expect(chunk.attempts).toBe(1)
  })

  it("writes nothing twice: a second chunk holds only what came since", () => {
    const results = new Results(batch(["a", "b"]), rules, () => 1)
    results.add(to("a"), { _tag: "Ok", messageId: null }, NOW)
    results.take(NOW)
    expect(results.unsaved).toBe(0)
    results.add(to("b"), { _tag: "Drop", reason: "unregistered", seenBefore: 5 }, NOW)
    const chunk = results.take(NOW)
    expect(chunk.final.recipients).toEqual(["b"])
    expect(chunk.dead).toEqual([{ ...to("b"), reason: "unregistered", seenBefore: 5 }])
    expect(chunk.remaining).toEqual([])
  })

  it("keeps what a provider says so that it can be written: without U+0000, and not at any length", () => {
    const results = new Results(batch(["a", "b", "c", "d"]), rules, () => 1)
    results.add(to("a"), { _tag: "Ok", messageId: "m\u0000" }, NOW)
    results.add(to("b"), { _tag: "Drop", reason: "gone\u0000", seenBefore: null }, NOW)
    results.add(to("c"), { _tag: "Fail", reason: "x".repeat(100_000) }, NOW)
    results.add(to("d"), { _tag: "Suspend", reason: "no\u0000" }, NOW)
    const { dead, final } = results.take(NOW)
    expect(final.messageIds).toEqual(["m\ufffd", null, null])
    expect(final.errors).toEqual([null, "gone\ufffd", "x".repeat(1024)])
    expect(dead).toMatchObject([{ id: "b", reason: "gone\ufffd" }])
    expect(results.report.suspend).toBe("no\ufffd")
  })

  it("puts what fails alike into one retry, and what must wait longer into another", () => {
    const results = new Results(batch(["a", "b", "c", "d"]), rules, () => 1)
    results.add(to("a"), { _tag: "Retry", reason: "busy", afterMs: null }, NOW)
    results.add(to("b"), { _tag: "Retry", reason: "busy", afterMs: null }, NOW)
    results.add(to("c"), { _tag: "Retry", reason: "busy", afterMs: 9_100 }, NOW)
    results.add(to("d"), { _tag: "Slow", scope: "recipient", reason: "too many", afterMs: 5_000 }, NOW)
    const { retries } = results.take(NOW)
    expect(retries.map(({ attempts, delayMs, recipients }) => ({ attempts, delayMs, recipients }))).toEqual([
      { attempts: 1, delayMs: 1000, recipients: ["a", "b"] },
      { attempts: 1, delayMs: 10_000, recipients: ["c"] },
      { attempts: 0, delayMs: 5000, recipients: ["d"] }
    ])
    expect(new Set(retries.map(({ id }) => id)).size).toBe(3)
  })

  it("fails for good, with the reason, what could only be tried after the notification has expired", () => {
    const results = new Results(batch(["a"]), { ...rules, expiresAt: NOW + 500 }, () => 1)
    results.add(to("a"), { _tag: "Retry", reason: "busy", afterMs: null }, NOW)
    const chunk = results.take(NOW)
    expect(chunk.retries).toEqual([])
    expect(chunk.final.errors).toEqual(["expired: busy"])
  })

  it("tries what is sent now or never once, and lets it wait for a limit or a credential all the same", () => {
    const results = new Results(batch(["a", "b", "c"]), { ...rules, isOnce: true }, () => 1)
    results.add(to("a"), { _tag: "Retry", reason: "unavailable", afterMs: null }, NOW)
    results.add(to("b"), { _tag: "Slow", reason: "too_many", afterMs: 1000, scope: "recipient" }, NOW)
    results.add(to("c"), { _tag: "Suspend", reason: "key" }, NOW)
    const { final, retries } = results.take(NOW)
    expect([final.recipients, final.statuses, final.errors]).toEqual([["a"], ["failed"], ["expired: unavailable"]])
    expect(retries.flatMap(({ recipients }) => recipients)).toEqual(["b", "c"])
  })

  it("says of whose time is over what the attempt before met, as a provider that could not be reached", () => {
    const results = new Results(batch(["a", "b", "c"], { attempts: 1, reason: "timeout" }), rules, () => 1)
    results.add(to("a"), { _tag: "Fail", reason: "expired" }, NOW)
    results.add(to("b"), { _tag: "Fail", reason: "payload_too_large" }, NOW)
    results.failRest("expired")
    expect(results.take(NOW).final.errors).toEqual(["expired: timeout", "payload_too_large", "expired: timeout"])
  })

  it("says of mails that a server may have taken before that they may have come, whatever ends them", () => {
    const doubtful = { provider: "smtp", attempts: 1, reason: "connection_closed", isDoubtful: true } as const
    const results = new Results(batch(["a", "b", "c", "d"], doubtful), { ...rules, expiresAt: NOW + 500 }, () => 1)
    results.add(to("a"), { _tag: "Fail", reason: "smtp_550_5.6.0" }, NOW)
    results.add(to("b"), { _tag: "Retry", reason: "connection_closed", afterMs: null }, NOW)
    results.add(to("c"), { _tag: "Drop", reason: "smtp_550_5.1.1", seenBefore: null }, NOW)
    results.failRest("expired")
    const { dead, final } = results.take(NOW)
    expect(final.errors).toEqual([
      "possibly_delivered: smtp_550_5.6.0",
      "expired: possibly_delivered",
      "smtp_550_5.1.1",
      "expired: possibly_delivered"
    ])
    expect(dead).toEqual([{ ...to("c"), reason: "smtp_550_5.1.1", seenBefore: null }])
  })

  it("says so of whose time was over while their credential was refused, for which they were not even tried", () => {
    const credential = { version: 1, suspendedReason: "InvalidProviderToken", acceptedAt: null }
    const results = new Results(batch(["a", "b"], { credential }), rules, () => 1)
    results.add(to("a"), { _tag: "Fail", reason: "payload_too_large" }, NOW)
    results.failRest("expired")
    expect(results.take(NOW).final.errors).toEqual(["payload_too_large", "expired: InvalidProviderToken"])
  })

  it("keeps the messages of a refused credential, without counting an attempt, and tells the lane", () => {
    const results = new Results(batch(["a", "b"]), rules, () => 1)
    results.add(to("a"), { _tag: "Suspend", reason: "InvalidProviderToken" }, NOW)
    results.add(to("b"), { _tag: "Suspend", reason: "InvalidProviderToken" }, NOW)
    expect(results.report.suspend).toBe("InvalidProviderToken")
    expect(results.take(NOW).retries).toMatchObject([
      { recipients: ["a", "b"], suspended: true, attempts: 0, delayMs: rules.pauseMs }
    ])
  })

  it("slows the lane for a limit of more than one recipient, and only then", () => {
    const results = new Results(batch(["a", "b"]), rules, () => 1)
    results.add(to("a"), { _tag: "Slow", scope: "recipient", reason: "device", afterMs: 9000 }, NOW)
    expect(results.report.slow).toBeNull()
    results.add(to("b"), { _tag: "Slow", scope: "project", reason: "quota", afterMs: 60_000 }, NOW)
    expect(results.report.slow).toEqual({ reason: "quota", ms: 60_000 })
    // Another credential helps against a limit of the project, and against a device's not.
    expect(results.take(NOW).retries).toMatchObject([
      { recipients: ["a"], slowed: false },
      { recipients: ["b"], slowed: true }
    ])
  })

  it("repeats nothing at once that met a limit, whatever the provider says", () => {
    const results = new Results(batch(["a", "b"]), rules, () => 1)
    results.add(to("a"), { _tag: "Slow", scope: "recipient", reason: "device", afterMs: 0 }, NOW)
    results.add(to("b"), { _tag: "Slow", scope: "project", reason: "quota", afterMs: 0 }, NOW)
    expect(results.report.slow?.ms).toBe(1000)
    expect(results.take(NOW).retries.map(({ delayMs }) => delayMs)).toEqual([1000, 1000])
  })

  it("lets no provider make messages wait for longer than an hour", () => {
    const results = new Results(batch(["a", "b"]), { ...rules, expiresAt: NOW + 1e12 }, () => 1)
    results.add(to("a"), { _tag: "Slow", scope: "project", reason: "quota", afterMs: 999_999_999_000 }, NOW)
    results.add(to("b"), { _tag: "Retry", reason: "busy", afterMs: 999_999_999_000 }, NOW)
    expect(results.report.slow?.ms).toBe(3_600_000)
    expect(results.take(NOW).retries.every(({ delayMs }) => delayMs === 3_600_000)).toBe(true)
  })

  it("ends everybody without an outcome, and nobody else, when the time is over", () => {
    const results = new Results(batch(["a", "b", "c"]), rules, () => 1)
    results.add(to("b"), { _tag: "Ok", messageId: "m" }, NOW)
    results.failRest("expired")
    const chunk = results.take(NOW)
    expect(chunk.final.recipients).toEqual(["b", "a", "c"])
    expect(chunk.final.errors).toEqual([null, "expired", "expired"])
    expect(chunk.remaining).toEqual([])
  })

  it("makes an event of each kind with the fields of the spec, for devices and for channels", () => {
    const device = new Results(batch(["a", "b", "c"]), rules, () => 1)
    device.add(to("a"), { _tag: "Ok", messageId: "m" }, NOW)
    device.add(to("b"), { _tag: "Fail", reason: "bad" }, NOW)
    device.skip("c", "recipient_gone")
    const chunk = device.take(NOW)
    expect(chunk.events.map(({ event, columns, common, at }) => ({ event, columns, common, at }))).toEqual([
      {
        event: "NOTIFICATION_SENT",
        common: { notificationId: chunk.notificationId },
        columns: { deviceId: ["a"], messageId: ["m"] },
        at: NOW
      },
      {
        event: "NOTIFICATION_FAILED",
        common: { notificationId: chunk.notificationId },
        columns: { deviceId: ["b"], error: ["bad"] },
        at: NOW
      }
    ])
    const mail = new Results(batch(["x"], { provider: "smtp" }), rules, () => 1)
    mail.add(to("x"), { _tag: "Ok", messageId: "<m@x>" }, NOW)
    expect(mail.take(NOW).events[0]!.columns).toEqual({ channelId: ["x"], messageId: ["<m@x>"] })
  })
})
