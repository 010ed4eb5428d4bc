import { dayAt, momentAt, nextLocal } from "../sending/LocalTime.ts"
import type { DelayStep, Window } from "./Steps.ts"

const DAY_MS = 86_400_000

/** The first moment not before `now` (epoch ms) that lies in the window, on the zone's clocks. */
const nextIn = ({ days, from, to }: Window, zone: string, now: number): number => {
  // The window that is open now began today or yesterday.
  for (let day = dayAt(zone, now) - DAY_MS; ; day += DAY_MS) {
    const weekday = new Date(day).getUTCDay() || 7
    if (days !== undefined && !days.includes(weekday)) continue
    const begin = momentAt(zone, day, from)
    const end = momentAt(zone, to > from ? day : day + DAY_MS, to)
    // Where clocks pass over all of it, it is not open on that day.
    if (begin < end && end > now) return Math.max(now, begin)
  }
}

/** Until when (epoch ms) the step waits; `now` where there is nothing to wait for. */
export const delayUntil = ({ seconds, until, window }: DelayStep, zone: string, now: number): number => {
  if (seconds !== undefined) return now + seconds * 1000
  if (until !== undefined) return nextLocal(zone, until, now)
  return nextIn(window!, zone, now)
}
