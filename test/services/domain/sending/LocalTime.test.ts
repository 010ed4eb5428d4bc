import { describe, expect, it } from "vitest"
import { dueAt, nextLocal, zoneAmong } from "../../../../services/domain/sending/LocalTime.ts"

const at = (text: string): number => Date.parse(text)
const iso = (moment: number): string => new Date(moment).toISOString()

describe("nextLocal", () => {
  it("finds the time of day on the zone's clock, today or tomorrow", () => {
    expect(iso(nextLocal("Asia/Tokyo", "09:00", at("2026-06-01T23:59:59.999Z")))).toBe("2026-06-02T00:00:00.000Z")
    expect(iso(nextLocal("Asia/Tokyo", "09:00", at("2026-06-02T00:00:00.000Z")))).toBe("2026-06-02T00:00:00.000Z")
    expect(iso(nextLocal("Asia/Tokyo", "09:00", at("2026-06-02T00:00:00.001Z")))).toBe("2026-06-03T00:00:00.000Z")
    expect(iso(nextLocal("America/Los_Angeles", "00:00", at("2026-06-02T00:00:00Z")))).toBe("2026-06-02T07:00:00.000Z")
    expect(iso(nextLocal("Asia/Kathmandu", "23:59", at("2026-06-02T00:00:00Z")))).toBe("2026-06-02T18:14:00.000Z")
    expect(iso(nextLocal("UTC", "12:30", at("2026-06-02T12:29:59Z")))).toBe("2026-06-02T12:30:00.000Z")
  })

  it("takes the first moment after a gap where clocks go forward over the time", () => {
    // Berlin, 29 March 2026: 01:59:59 +01:00 is followed by 03:00:00 +02:00.
    const gap = at("2026-03-29T01:00:00Z")
    for (const time of ["02:00", "02:30", "02:59"]) {
      expect(nextLocal("Europe/Berlin", time, at("2026-03-28T12:00:00Z"))).toBe(gap)
    }
    expect(nextLocal("Europe/Berlin", "03:00", at("2026-03-28T12:00:00Z"))).toBe(gap)
    expect(iso(nextLocal("Europe/Berlin", "01:59", at("2026-03-28T12:00:00Z")))).toBe("2026-03-29T00:59:00.000Z")
    expect(iso(nextLocal("Europe/Berlin", "02:30", gap + 1))).toBe("2026-03-30T00:30:00.000Z")
    // Cairo's clocks go forward at midnight: the day begins at 01:00.
    expect(iso(nextLocal("Africa/Cairo", "00:15", at("2026-04-23T12:00:00Z")))).toBe("2026-04-23T22:00:00.000Z")
    // Half an hour, on Lord Howe Island.
    expect(iso(nextLocal("Australia/Lord_Howe", "02:10", at("2026-10-03T12:00:00Z")))).toBe("2026-10-03T15:30:00.000Z")
    // Samoa went without the 30th of December 2011: after it is the midnight in which the 31st begins.
    expect(iso(nextLocal("Pacific/Apia", "09:00", at("2011-12-30T08:00:00Z")))).toBe("2011-12-30T10:00:00.000Z")
  })

  it("takes the first of two where clocks go back, and no second one that day", () => {
    // Berlin, 25 October 2026: 02:59:59 +02:00 is followed by 02:00:00 +01:00.
    const first = at("2026-10-25T00:30:00Z")
    expect(nextLocal("Europe/Berlin", "02:30", at("2026-10-24T12:00:00Z"))).toBe(first)
    expect(iso(nextLocal("Europe/Berlin", "02:30", first + 1))).toBe("2026-10-26T01:30:00.000Z")
    expect(iso(nextLocal("America/New_York", "01:30", at("2026-10-31T12:00:00Z")))).toBe("2026-11-01T05:30:00.000Z")
  })
})

describe("dueAt", () => {
  const accepted = at("2026-06-01T12:00:00Z")

  it("is on the named day of each zone, or from the named moment on", () => {
    expect(iso(dueAt("Pacific/Kiritimati", "09:00", "2026-06-05", accepted))).toBe("2026-06-04T19:00:00.000Z")
    expect(iso(dueAt("Pacific/Pago_Pago", "09:00", "2026-06-05", accepted))).toBe("2026-06-05T20:00:00.000Z")
    expect(iso(dueAt("Asia/Tokyo", "09:00", "2026-06-05T00:00:01Z", accepted))).toBe("2026-06-06T00:00:00.000Z")
    expect(iso(dueAt("Europe/Berlin", "09:00", "2026-06-05T00:00:01Z", accepted))).toBe("2026-06-05T07:00:00.000Z")
  })

  it("is a day later where the time is over already when the notification is accepted", () => {
    expect(iso(dueAt("Asia/Tokyo", "20:00", undefined, accepted))).toBe("2026-06-02T11:00:00.000Z")
    expect(iso(dueAt("Asia/Tokyo", "20:00", "2026-06-01", accepted))).toBe("2026-06-02T11:00:00.000Z")
    expect(iso(dueAt("Europe/Berlin", "20:00", "2026-06-01", accepted))).toBe("2026-06-01T18:00:00.000Z")
  })
})

describe("zoneAmong", () => {
  it("is the first name that is a zone's, and UTC where none is", () => {
    expect(zoneAmong("Europe/Berlin", "Asia/Tokyo")).toBe("Europe/Berlin")
    expect(zoneAmong(undefined, null, "Mars/Olympus", "+02:00", "Asia/Tokyo")).toBe("Asia/Tokyo")
    expect(zoneAmong("nowhere")).toBe("UTC")
  })
})
