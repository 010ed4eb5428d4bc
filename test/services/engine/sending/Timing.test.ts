import { describe, expect, it } from "vitest"
import { untimelyOf } from "../../../../services/engine/sending/Timing.ts"

const NOW = Date.parse("2026-11-22T12:00:00Z")
const messageOf = (send_at: string | undefined) => {
  const request = { to: { all: true }, content: { title: "Hello" }, ...(send_at !== undefined && { send_at }) } as const
  return untimelyOf(request, NOW)?.message ?? null
}

describe("untimelyOf", () => {
  it.each([
    undefined,
    "2026-11-22T11:59:00Z",
    "2026-11-22T12:00:00Z",
    "2026-11-22T13:00:00+01:00",
    "2027-11-23T12:00:00Z",
    // A day is over when it is so in the last time zone, at twelve of the next.
    "2026-11-22",
    "2027-11-23"
  ])("takes %s", (sendAt) => {
    expect(messageOf(sendAt)).toBe(null)
  })

  it.each([
    ["2026-11-22T11:58:59.999Z", "must lie in the future, or at most a minute ago, which means now"],
    ["2026-11-22T12:59:59+02:00", "must lie in the future, or at most a minute ago, which means now"],
    ["2026-11-21", "must not be over everywhere"],
    ["2027-11-23T12:00:00.001Z", "must lie within 366 days from now"],
    ["2027-11-24", "must lie within 366 days from now"]
  ])("refuses %s", (sendAt, message) => {
    expect(messageOf(sendAt)).toBe(message)
    expect(untimelyOf({ to: { all: true }, send_at: sendAt }, NOW)?.field).toBe("send_at")
  })
})
