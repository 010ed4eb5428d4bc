import { describe, expect, it } from "vitest"
import { delayUntil } from "../../../../services/domain/workflows/Delay.ts"
import type { DelayStep, Window } from "../../../../services/domain/workflows/Steps.ts"

const until = (step: Partial<DelayStep>, zone: string, now: string): string =>
  new Date(delayUntil({ key: "pause", type: "DELAY", ...step }, zone, Date.parse(now))).toISOString()

describe("a DELAY", () => {
  it("of some seconds lasts so long, whatever clocks do meanwhile", () => {
    expect(until({ seconds: 3600 }, "Europe/Berlin", "2031-03-30T00:30:00Z")).toBe("2031-03-30T01:30:00.000Z")
  })

  it("until a time of day ends at once when it is that time, and on the next day when it is over", () => {
    expect(until({ until: "09:00" }, "Europe/Berlin", "2031-01-10T08:00:00Z")).toBe("2031-01-10T08:00:00.000Z")
    expect(until({ until: "09:00" }, "Europe/Berlin", "2031-01-10T08:00:01Z")).toBe("2031-01-11T08:00:00.000Z")
    expect(until({ until: "00:00" }, "Pacific/Kiritimati", "2031-01-10T09:59:00Z")).toBe("2031-01-10T10:00:00.000Z")
  })

  // Europe/Berlin: 2031-03-30 from 02:00 to 03:00; 2031-10-26 from 03:00 back to 02:00.
  it("until a time that clocks pass over ends when they do", () => {
    expect(until({ until: "02:30" }, "Europe/Berlin", "2031-03-29T12:00:00Z")).toBe("2031-03-30T01:00:00.000Z")
    expect(until({ until: "02:30" }, "Europe/Berlin", "2031-03-30T01:00:01Z")).toBe("2031-03-31T00:30:00.000Z")
  })

  it("until a time that comes twice ends the first time", () => {
    expect(until({ until: "02:30" }, "Europe/Berlin", "2031-10-25T12:00:00Z")).toBe("2031-10-26T00:30:00.000Z")
    // Between the two it waits for the next day, and does not send at both.
    expect(until({ until: "02:30" }, "Europe/Berlin", "2031-10-26T00:30:01Z")).toBe("2031-10-27T01:30:00.000Z")
  })
})

describe("a window", () => {
  const window = (from: string, to: string, days?: Window["days"]) => ({
    window: { from, to, ...(days === undefined ? {} : { days }) }
  })

  it("that is open holds nobody; one that is not holds until it opens", () => {
    const day = window("09:00", "17:00")
    expect(until(day, "UTC", "2031-01-10T12:00:00Z")).toBe("2031-01-10T12:00:00.000Z")
    expect(until(day, "UTC", "2031-01-10T09:00:00Z")).toBe("2031-01-10T09:00:00.000Z")
    expect(until(day, "UTC", "2031-01-10T17:00:00Z")).toBe("2031-01-11T09:00:00.000Z")
    expect(until(day, "UTC", "2031-01-10T08:59:59Z")).toBe("2031-01-10T09:00:00.000Z")
  })

  it("that lasts over midnight is open on both of its days", () => {
    const night = window("22:00", "06:00")
    for (const now of ["2031-01-10T23:00:00.000Z", "2031-01-11T00:00:00.000Z", "2031-01-11T05:59:59.000Z"]) {
      expect(until(night, "UTC", now)).toBe(now)
    }
    expect(until(night, "UTC", "2031-01-11T06:00:00Z")).toBe("2031-01-11T22:00:00.000Z")
  })

  it("goes by the day on which it begins, on the person's clock", () => {
    // 2031-01-10 is a Friday.
    const friday = window("22:00", "06:00", [5])
    expect(until(friday, "UTC", "2031-01-11T03:00:00Z")).toBe("2031-01-11T03:00:00.000Z")
    expect(until(friday, "UTC", "2031-01-10T03:00:00Z")).toBe("2031-01-10T22:00:00.000Z")
    expect(until(friday, "UTC", "2031-01-11T07:00:00Z")).toBe("2031-01-17T22:00:00.000Z")
    // 23:00 on Friday in New York is Saturday in UTC.
    expect(until(friday, "America/New_York", "2031-01-11T04:00:00Z")).toBe("2031-01-11T04:00:00.000Z")
    expect(until(window("09:00", "17:00", [6]), "Asia/Tokyo", "2031-01-10T23:30:00Z")).toBe("2031-01-11T00:00:00.000Z")
  })

  it("whose begin clocks pass over opens when they do", () => {
    const early = window("02:30", "05:00")
    expect(until(early, "Europe/Berlin", "2031-03-30T00:00:00Z")).toBe("2031-03-30T01:00:00.000Z")
  })

  it("that clocks pass over whole is not open on that day", () => {
    for (const [from, to] of [
      ["02:15", "03:00"],
      ["02:00", "02:30"]
    ] as const) {
      const begin = from === "02:15" ? "00:15" : "00:00"
      expect(until(window(from, to), "Europe/Berlin", "2031-03-30T12:00:00Z")).toBe(`2031-03-31T${begin}:00.000Z`)
      expect(until(window(from, to), "Europe/Berlin", "2031-03-30T00:30:00Z")).toBe(`2031-03-31T${begin}:00.000Z`)
    }
    // 2027-09-05 begins at 01:00 in Chile.
    expect(until(window("00:00", "00:30"), "America/Santiago", "2027-09-05T15:00:00Z")).toBe("2027-09-06T03:00:00.000Z")
  })

  it("that clocks repeat is open from the first time on", () => {
    const early = window("02:30", "05:00")
    expect(until(early, "Europe/Berlin", "2031-10-26T00:00:00Z")).toBe("2031-10-26T00:30:00.000Z")
    expect(until(early, "Europe/Berlin", "2031-10-26T01:10:00Z")).toBe("2031-10-26T01:10:00.000Z")
  })
})
