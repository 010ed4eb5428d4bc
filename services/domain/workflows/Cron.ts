import { Cron, Result } from "effect"
import { momentOf, wallAt } from "../sending/LocalTime.ts"

/*
 * Times of schedules: five fields, on a zone's clocks. As of every time of day (sending/LocalTime.ts), one that clocks pass
 * over comes at the moment they do; one that comes twice counts once. Effect's own reading of zones puts the former as much
 * later as the clocks go forward: here it reads the fields alone, on clocks that never change.
 */

const CLOCKS = "UTC"

const FORM = "must be five fields: minute, hour, day, month and day of the week"

/** What is wrong with a schedule, as continues its name: it has other than five fields that can be read, or never comes. */
export const cronFault = (pattern: string): string | null => {
  if (pattern.length > 256) return "must have at most 256 characters"
  if (pattern.trim().split(/\s+/).length !== 5) return FORM
  const cron = Result.getOrElse(Cron.parse(pattern, CLOCKS), () => null)
  if (cron === null) return FORM
  try {
    Cron.next(cron, new Date(0))
    return null
  } catch {
    return "must be a time that comes: none of its months has such a day"
  }
}

/** The first time (epoch ms) after a moment at which the schedule is due. */
export const nextCron = (pattern: string, zone: string, after: number): number => {
  const cron = Cron.parseUnsafe(pattern, CLOCKS)
  for (let wall = wallAt(zone, after); ;) {
    wall = Cron.next(cron, new Date(wall)).getTime()
    const at = momentOf(zone, wall)
    // What clocks that went back show again has been.
    if (at > after) return at
  }
}
