import { describe, expect, it } from "vitest"
import { oldestWait, speedBetween, standingOf, waits } from "../../../dashboard/src/home/figures.ts"

const NOW = Date.parse("2026-11-25T12:00:00Z")

const going = (id: string, pending: number, more: object = {}) => ({
  id,
  title: "Sale",
  templateId: null,
  workflowId: null,
  workflowStep: null,
  status: "SENDING" as const,
  createdAt: "2026-11-25T11:58:00Z",
  startedAt: null,
  sendAt: null,
  counts: { accepted: 1_000, pending, sent: 1_000 - pending, failed: 0, skipped: 0, cancelled: 0 },
  ...more
})

describe("the figures of now", () => {
  it("say the speed between two answers, which is none when nothing has moved", () => {
    const before = standingOf([going("a", 1_000), going("b", 500)], NOW)
    expect(speedBetween(before, standingOf([going("a", 800), going("b", 500)], NOW + 2_000))).toBe(100)
    expect(speedBetween(before, standingOf([going("a", 1_000), going("b", 500)], NOW + 2_000))).toBe(0)
    expect(speedBetween(before, standingOf([going("new", 900)], NOW + 2_000))).toBe(0)
  })

  it("say for how long the oldest waits, longer with each answer that is the same", () => {
    const all = [going("a", 5), going("done", 0, { createdAt: "2026-11-25T09:00:00Z" })]
    expect(oldestWait(all, NOW)).toBe(120)
    expect(oldestWait(all, NOW + 10_000)).toBe(130)
    expect(oldestWait([going("later", 5, { sendAt: "2026-11-25T11:59:30Z" })], NOW)).toBe(30)
    expect(oldestWait([going("done", 0)], NOW)).toBeNull()
  })
})

describe("a dead letter", () => {
  const letter = { id: "1", kind: "NOTIFICATION" as const, canReplay: true, createdAt: "2026-11-01T00:00:00Z" }

  it("waits for somebody while it can go again", () => {
    expect(waits(letter, NOW)).toBe(true)
    expect(waits({ ...letter, canReplay: false }, NOW)).toBe(false)
  })

  it("of a webhook waits for a day, as nothing says whether it was delivered again", () => {
    const missed = { ...letter, kind: "WEBHOOK" as const, canReplay: false }
    expect(waits({ ...missed, createdAt: "2026-11-25T00:00:00Z" }, NOW)).toBe(true)
    expect(waits(missed, NOW)).toBe(false)
  })
})
