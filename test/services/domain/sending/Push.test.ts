import { describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import {
  isExpired,
  merge,
  pauseOf,
  RefusalRun,
  retryAfterMs,
  secondsLeft,
  template
} from "../../../../services/domain/sending/Push.ts"
import { message } from "../../../layers/Sending.ts"

describe("merge", () => {
  it("merges objects deeply, replaces everything else, and removes what is null", () => {
    expect(
      merge(
        { aps: { alert: { title: "A", body: "B" }, badge: 1 }, list: [1, 2], gone: true },
        { aps: { alert: { title: "C" }, sound: "ping" }, list: [3], gone: null, fresh: { a: { b: null, c: 1 } } }
      )
    ).toEqual({
      aps: { alert: { title: "C", body: "B" }, badge: 1, sound: "ping" },
      list: [3],
      fresh: { a: { c: 1 } }
    })
  })

  it("leaves its arguments and every prototype alone", () => {
    const base = { a: { b: 1 } }
    const out = merge(base, JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true},"c":2}}'))
    expect(base).toEqual({ a: { b: 1 } })
    expect(out).toEqual({ a: { b: 1, c: 2 } })
    expect((out as { polluted?: boolean }).polluted).toBeUndefined()
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe("template", () => {
  it("is the JSON of the object with both ids, whatever the object claims they are", () => {
    const sent = message()
    const id = uuidv7()
    const { after, before, bytes } = template(sent, {
      title: "Grüße 🎉",
      service_device_id: "x",
      service_notification_id: 1
    })
    const text = before + id + after
    expect(JSON.parse(text)).toEqual({
      title: "Grüße 🎉",
      service_notification_id: sent.notificationId,
      service_device_id: id
    })
    expect(bytes).toBe(Buffer.byteLength(text))
  })
})

describe("time to live", () => {
  it("ends at the moment of expiry, and is nothing for now or never, which is tried all the same", () => {
    const at = 1_000_000
    const sent = message({ expiresAt: at })
    expect([isExpired(sent, at - 1), isExpired(sent, at)]).toEqual([false, true])
    expect(secondsLeft(sent, at - 2500)).toBe(2)
    // 0 would be now or never.
    expect(secondsLeft(sent, at - 900)).toBe(1)
    const never = message({ expiresAt: at, nowOrNever: true })
    expect([isExpired(never, at + 1), secondsLeft(never, at - 5000)]).toEqual([false, 0])
  })
})

describe("retryAfterMs", () => {
  it("reads seconds and dates, and nothing else", () => {
    const now = Date.parse("2026-01-01T00:00:00Z")
    expect(retryAfterMs("120", now)).toBe(120_000)
    expect(retryAfterMs("Thu, 01 Jan 2026 00:01:00 GMT", now)).toBe(60_000)
    expect(retryAfterMs("Wed, 31 Dec 2025 00:00:00 GMT", now)).toBe(0)
    expect(retryAfterMs("Thursday, 01-Jan-26 00:01:00 GMT", now)).toBe(60_000)
    for (const wrong of ["1.5", "5, 10", "-1", "+5", "", " ", "1e3", "Thu, 01 Jan 2026 00:01:00 +0100"]) {
      expect([wrong, retryAfterMs(wrong, now)]).toEqual([wrong, null])
    }
    expect([retryAfterMs("soon", now), retryAfterMs(undefined, now), retryAfterMs("-1x", now)]).toEqual([
      null,
      null,
      null
    ])
  })
})

describe("pauseOf", () => {
  it("is what the provider says, or what is usual where it says nothing, or that the limit is over already", () => {
    expect([pauseOf(120_000, 60_000), pauseOf(null, 60_000), pauseOf(0, 60_000), pauseOf(1500, 60_000)]).toEqual([
      120_000, 60_000, 60_000, 1500
    ])
  })
})

describe("RefusalRun", () => {
  it("blames the credential only for as many refusals without an acceptance between them", () => {
    const run = new RefusalRun(3)
    run.refused()
    run.refused()
    run.accepted()
    run.refused()
    run.refused()
    expect(run.blamesCredential).toBe(false)
    run.refused()
    expect(run.blamesCredential).toBe(true)
  })
})
