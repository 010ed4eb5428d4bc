import { describe, expect, it } from "vitest"
import { Writable } from "../../../../layers/postgres/operations/Writable.ts"

const SECOND = 1000
/** So short that the least time counts. */
const LEASE_MS = 6 * SECOND
/** The database's clock when this process's own says 0. */
const START = Date.parse("2026-01-01T00:00:00Z")

/** Beats each second from one second to another, with the database's clock set forward so far. */
const beats = (writable: Writable, from: number, to: number, aheadMs = 0): void => {
  for (let second = from; second <= to; second++) {
    writable.took(START + second * SECOND + aheadMs, second * SECOND)
  }
}
const until = (second: number, aheadMs = 0): string => new Date(START + second * SECOND + aheadMs).toISOString()

describe("a database that takes writes", () => {
  it("lets leases be taken over once it has done so for five seconds, and for two after each beat", () => {
    const writable = new Writable()
    expect(writable.takesOverUntil(LEASE_MS)).toBe("-infinity")
    beats(writable, 0, 4)
    expect(writable.takesOverUntil(LEASE_MS)).toBe("-infinity")
    beats(writable, 5, 5)
    expect(writable.takesOverUntil(LEASE_MS)).toBe(until(7))
    writable.refused()
    expect(writable.takesOverUntil(LEASE_MS)).toBe("-infinity")
    beats(writable, 6, 10)
    expect(writable.takesOverUntil(LEASE_MS)).toBe("-infinity")
    beats(writable, 11, 11)
    expect(writable.takesOverUntil(LEASE_MS)).toBe(until(13))
  })

  it("gives everybody the same time after a pause of which it said nothing", () => {
    const writable = new Writable()
    beats(writable, 0, 9)
    beats(writable, 20, 24)
    expect(writable.takesOverUntil(LEASE_MS)).toBe("-infinity")
    beats(writable, 25, 25)
    expect(writable.takesOverUntil(LEASE_MS)).toBe(until(27))
  })

  it("gives everybody the same time after its clock was set forward: all leases are over then, and nobody has died", () => {
    const writable = new Writable()
    const ahead = 3_600 * SECOND
    beats(writable, 0, 9)
    beats(writable, 10, 14, ahead)
    expect(writable.takesOverUntil(LEASE_MS)).toBe("-infinity")
    beats(writable, 15, 15, ahead)
    expect(writable.takesOverUntil(LEASE_MS)).toBe(until(17, ahead))
  })

  it("gives holders of long leases the time in which each prolongs its own, and two seconds", () => {
    const writable = new Writable()
    const ahead = 3_600 * SECOND
    beats(writable, 0, 29)
    beats(writable, 30, 41, ahead)
    expect(writable.takesOverUntil(20 * SECOND)).toBe("-infinity")
    beats(writable, 42, 42, ahead)
    expect(writable.takesOverUntil(20 * SECOND)).toBe(until(44, ahead))
  })

  it("goes on as before after its clock was set back, or a little forward", () => {
    const writable = new Writable()
    beats(writable, 0, 9)
    beats(writable, 10, 10, -3_600 * SECOND)
    expect(writable.takesOverUntil(LEASE_MS)).toBe(until(12, -3_600 * SECOND))
    beats(writable, 11, 11, -3_600 * SECOND + 500)
    expect(writable.takesOverUntil(LEASE_MS)).toBe(until(13, -3_600 * SECOND + 500))
  })
})
