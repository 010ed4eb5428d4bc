import { nextLocal } from "../sending/LocalTime.ts"
import type { DelayStep, Window } from "./Steps.ts"

const DAY_MS = 86_400_000

const weekdays = new Map<string, Intl.DateTimeFormat>()
const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

/** The day of the week that the zone's clocks show at a moment (epoch ms), from 1, Monday. */
const weekdayAt = (zone: string, at: number): number => {
  let format = weekdays.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, weekday: "short" })
    // Bounded: names differ in their capitals, which clients choose.
    if (weekdays.size < 2000) weekdays.set(zone, format)
  }
  return NAMES.indexOf(format.format(at)) + 1
}

/** The first moment not before `now` (epoch ms) that lies in the window, on the zone's clocks. */
const nextIn = ({ days, from, to }: Window, zone: string, now: number): number => {
  const mayBegin = (at: number) => days === undefined || days.includes(weekdayAt(zone, at))
  // The window that is open now began at most a day and an hour ago, where clocks went back meanwhile.
  for (let begin = nextLocal(zone, from, now - DAY_MS - 3_600_000); ; begin = nextLocal(zone, from, begin + 1)) {
    const end = nextLocal(zone, to, begin + 1)
    if (end <= now || !mayBegin(begin)) continue
    return Math.max(now, begin)
  }
}

/** Until when (epoch ms) the step waits; `now` where there is nothing to wait for. */
export const delayUntil = ({ seconds, until, window }: DelayStep, zone: string, now: number): number => {
  if (seconds !== undefined) return now + seconds * 1000
  if (until !== undefined) return nextLocal(zone, until, now)
  return nextIn(window!, zone, now)
}
