import { Schema } from "effect"
import { isDay, isTimeZone } from "../Time.ts"

/*
 * Wall clocks. A time of day comes once on most days; where clocks go forward it may not come at all, and where they go
 * back it comes twice.
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** No zone is so far from UTC, before or after a change of its clocks. */
const APART_MS = 36 * 3_600_000
/** The zone in which a day begins first, Pacific/Kiritimati, is ahead of UTC by so much; the last one lags 12 hours. */
const AHEAD_MS = 14 * 3_600_000

/** A time of day on the recipient's own clock, `HH:MM`. */
export const LocalTime = Schema.String.check(
  Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: "must be a time of day such as 09:00" })
)

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const clocks = new Map<string, Intl.DateTimeFormat>()

const clockOf = (zone: string): Intl.DateTimeFormat => {
  let clock = clocks.get(zone)
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric"
    })
    // Bounded: names differ in their capitals, which clients choose.
    if (clocks.size < 2000) clocks.set(zone, clock)
  }
  return clock
}

/** By how many milliseconds the zone's clocks are ahead of UTC at a moment (epoch ms). */
const offsetAt = (zone: string, at: number): number => {
  const part: Record<string, number> = {}
  for (const { type, value } of clockOf(zone).formatToParts(at)) part[type] = Number(value)
  const wall = Date.UTC(part["year"]!, part["month"]! - 1, part["day"], part["hour"], part["minute"], part["second"])
  return wall - (at - (((at % 1000) + 1000) % 1000))
}

/**
 * The first moment at which the zone's clocks show a day and time (`wall`: as epoch ms if it were UTC). If they pass over
 * it, the moment at which they do.
 */
export const momentOf = (zone: string, wall: number): number => {
  const before = offsetAt(zone, wall - APART_MS)
  const after = offsetAt(zone, wall + APART_MS)
  for (const offset of before > after ? [before, after] : [after, before]) {
    if (offsetAt(zone, wall - offset) === offset) return wall - offset
  }
  // Clocks go forward in between: from `low` on they are behind `wall`, at `high` ahead of it.
  let [low, high] = [wall - after, wall - before]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === after) high = middle
    else low = middle
  }
  return high
}

/** What the zone's clocks show at a moment (epoch ms), as epoch ms if it were UTC. */
export const wallAt = (zone: string, at: number): number => at + offsetAt(zone, at)

/** The day that the zone's clocks show at a moment (epoch ms): its midnight, as epoch ms if it were UTC. */
export const dayAt = (zone: string, at: number): number => Math.floor(wallAt(zone, at) / DAY_MS) * DAY_MS

/** The first moment (epoch ms) at which clocks of the zone show the time on a day, as of `dayAt`, or pass over it. */
export const momentAt = (zone: string, day: number, time: string): number =>
  momentOf(zone, day + minutesOf(time) * MINUTE_MS)

/** The first moment not before `earliest` (epoch ms) at which clocks of the zone show the time, or pass over it. */
export const nextLocal = (zone: string, time: string, earliest: number): number => {
  for (let day = dayAt(zone, earliest); ; day += DAY_MS) {
    const at = momentAt(zone, day, time)
    if (at >= earliest) return at
  }
}

/** The moment at which a day begins on the first of all clocks. */
export const firstOfDay = (day: string): number => Date.parse(day) - AHEAD_MS

/**
 * When a message is due for people of a zone: at the given time on their clocks, on the day that `sendAt` names or the
 * first such moment from `sendAt` on. Where it is over already when the notification is accepted, it is due a day later.
 */
export const dueAt = (zone: string, time: string, sendAt: string | undefined, acceptedAt: number): number => {
  if (sendAt === undefined) return nextLocal(zone, time, acceptedAt)
  const earliest = isDay(sendAt) ? momentOf(zone, Date.parse(sendAt)) : Date.parse(sendAt)
  return nextLocal(zone, time, Math.max(acceptedAt, earliest))
}

/** The first of the names that is a time zone's; names come from devices, and zones are renamed. */
export const zoneAmong = (...names: ReadonlyArray<string | null | undefined>): string =>
  names.find((name) => name != null && isTimeZone(name)) ?? "UTC"
