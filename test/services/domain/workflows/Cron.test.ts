import { describe, expect, it } from "vitest"
import { nextLocal } from "../../../../services/domain/sending/LocalTime.ts"
import { cronFault, nextCron } from "../../../../services/domain/workflows/Cron.ts"

/** The first moments after one at which a schedule is due. */
const times = (pattern: string, zone: string, after: string, count: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = Date.parse(after); found.length < count;) {
    at = nextCron(pattern, zone, at)
    found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

describe("a schedule", () => {
  it("is five fields that can be read and that ever come", () => {
    for (const pattern of ["0 9 * * *", "*/5 * * * *", "0 0 1 1 *", "30 8 * * 1-5", "0 0 29 2 *"]) {
      expect(cronFault(pattern)).toBe(null)
    }
    for (const pattern of ["", "* * * *", "0 0 9 * * *"]) expect(cronFault(pattern)).toContain("five fields")
    expect(cronFault(`${"0,".repeat(200)}0 * * * *`)).toContain("256 characters")
    for (const pattern of ["0 0 30 2 *", "0 0 31 4,6,9,11 *"]) {
      expect(cronFault(pattern)).toBe("must be a time that comes: none of its months has such a day")
    }
  })

  it("is refused with the field that cannot be read", () => {
    for (const [pattern, fault] of [
      ["60 * * * *", 'a minute of 0 to 59, as a list (1,2), a range (1-5), in steps (*/2) or any (*): "60" is none'],
      ["*/0 * * * *", '"*/0" is none'],
      ["x * * * *", '"x" is none'],
      ["0 24 * * *", "an hour of 0 to 23"],
      ["0 9 0 * *", "a day of the month of 1 to 31"],
      ["0 9 * 13 *", "a month of 1 to 12, or JAN to DEC"],
      ["0 9 * * MOO", "a day of the week of 0 to 7, or SUN to SAT"],
      ["60 24 * * *", '"60" is none'],
      [" 0 9  * * 8 ", '"8" is none']
    ] as const) {
      expect(cronFault(pattern)).toContain(fault)
    }
  })

  it("comes on the clocks of its zone, after a moment and never at it", () => {
    expect(times("0 9 * * *", "Asia/Kolkata", "2031-01-10T03:30:00Z", 2)).toEqual([
      "2031-01-11T03:30",
      "2031-01-12T03:30"
    ])
    // A weekday is the zone's: Monday 08:00 in Tokyo is still Sunday in UTC.
    expect(times("0 8 * * 1", "Asia/Tokyo", "2031-01-10T00:00:00Z", 1)).toEqual(["2031-01-12T23:00"])
  })

  // Europe/Berlin: 2031-03-30 from 02:00 to 03:00; 2031-10-26 from 03:00 back to 02:00.
  it("comes when clocks pass over it, as times of day of messages and delays do", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2031-03-29T00:00:00Z", 3)).toEqual([
      "2031-03-29T01:30",
      "2031-03-30T01:00",
      "2031-03-31T00:30"
    ])
    // Lord Howe goes forward by half an hour at 02:00; Samoa left out the 30th of December 2011.
    expect(times("15 2 * * *", "Australia/Lord_Howe", "2031-10-04T00:00:00Z", 2)).toEqual([
      "2031-10-04T15:30",
      "2031-10-05T15:15"
    ])
    expect(times("0 9 * * *", "Pacific/Apia", "2011-12-29T19:00:00Z", 2)).toEqual([
      "2011-12-30T10:00",
      "2011-12-30T19:00"
    ])
    for (const [zone, text, day] of [
      ["Europe/Berlin", "02:30", "2031-03-29T12:00:00Z"],
      ["Australia/Lord_Howe", "02:15", "2031-10-04T00:00:00Z"],
      ["America/New_York", "02:59", "2031-03-08T12:00:00Z"]
    ] as const) {
      const [hour, minute] = text.split(":").map(Number)
      expect(nextCron(`${minute} ${hour} * * *`, zone, Date.parse(day))).toBe(nextLocal(zone, text, Date.parse(day)))
    }
  })

  it("comes once where clocks pass over several of its times", () => {
    expect(times("*/10 * * * *", "Europe/Berlin", "2031-03-30T00:49:00Z", 3)).toEqual([
      "2031-03-30T00:50",
      "2031-03-30T01:00",
      "2031-03-30T01:10"
    ])
  })

  it("comes once on the day on which clocks show it twice", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2031-10-25T12:00:00Z", 2)).toEqual([
      "2031-10-26T00:30",
      "2031-10-27T01:30"
    ])
  })

  it("of every hour goes on through the change of clocks", () => {
    const found = times("0 * * * *", "Europe/Berlin", "2031-03-29T23:30:00Z", 5).map((at) => Date.parse(`${at}Z`))
    for (const [i, at] of found.slice(1).entries()) expect(at - found[i]!).toBe(3_600_000)
  })
})
