import { describe, expect, it } from "vitest"
import { isEnough, verdictOf } from "../../../layers/webpush/WebPushAnswer.ts"
import { answer } from "../Sending.ts"

const SENT = 1000
const of = (status: number, body = "", headers: Record<string, string> = {}) => {
  const verdict = verdictOf(answer(status, body, headers), SENT, 2000)
  return verdict._tag === "Done" ? verdict.outcome : verdict
}

describe("an answer of a push service", () => {
  it.each([200, 201, 202, 204])("is OK at %i, with the message's location", (status) => {
    expect(of(status, "", { location: "https://push.example.org/m/1" })).toEqual({
      _tag: "Ok",
      messageId: "https://push.example.org/m/1"
    })
    expect(of(status)).toEqual({ _tag: "Ok", messageId: null })
  })

  it.each([404, 410])("drops a subscription at %i unless it is renewed since it was sent to", (status) => {
    expect(of(status)).toMatchObject({ _tag: "Drop", seenBefore: SENT })
  })

  it("fails at 400, unless the body says that the sender is unknown", () => {
    expect(of(400, "bad")).toMatchObject({ _tag: "Fail" })
    expect(of(400, '{"error":"UnauthorizedRegistration"}')).toMatchObject({ _tag: "Refused" })
  })

  it.each([401, 403])("is a refusal of the sender at %i, whatever words come with it", (status) => {
    expect(of(status, "invalid JWT provided")).toEqual({ _tag: "Refused" })
    expect(isEnough(status)).toBe(true)
  })

  it("fails at 413", () => {
    expect(of(413)).toEqual({ _tag: "Fail", reason: "payload_too_large" })
  })

  it.each([429, 406])("is a throttle at %i: as long as it says, an hour at most, else a minute", (status) => {
    expect(of(status, "", { "retry-after": "5" })).toEqual({ _tag: "Throttled", afterMs: 5000 })
    expect(of(status, "", { "retry-after": "9999999" })).toEqual({ _tag: "Throttled", afterMs: 3_600_000 })
    expect(of(status)).toEqual({ _tag: "Throttled", afterMs: 60_000 })
    expect(of(status, "", { "retry-after": "0" })).toEqual({ _tag: "Throttled", afterMs: 60_000 })
  })

  it.each([500, 502, 503, 504])("retries at %i and never drops", (status) => {
    expect(of(status)).toEqual({ _tag: "Retry", reason: `status_${status}`, afterMs: null })
    expect(of(status, "", { "retry-after": "3" })).toMatchObject({ _tag: "Retry", afterMs: 3000 })
  })

  it("is not followed elsewhere", () => {
    expect(of(301, "", { location: "http://10.0.0.1/" })).toEqual({ _tag: "Fail", reason: "redirect_refused" })
  })
})
