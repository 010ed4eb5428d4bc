import { Cron, Result } from "effect"
import { momentOf, wallAt } from "../sending/LocalTime.ts"

/*
 * Times of schedules: five fields, on a zone's clocks. As of every time of day (sending/LocalTime.ts), one that clocks pass
 * over comes at the moment they do; one that comes twice counts once. Effect's own reading of zones puts the former as much
 * later as the clocks go forward: here it reads the fields alone, on clocks that never change.
 */

const CLOCKS = "UTC"

const FIELDS = [
  ["a minute", "0 to 59"],
  ["an hour", "0 to 23"],
  ["a day of the month", "1 to 31"],
  ["a month", "1 to 12, or JAN to DEC"],
  ["a day of the week", "0 to 7, or SUN to SAT"]
] as const

const parsed = (pattern: string): Cron.Cron | null => Result.getOrElse(Cron.parse(pattern, CLOCKS), () => null)

/** What is wrong with one of the fields that cannot be read. */
const fieldFault = (fields: ReadonlyArray<string>): string => {
  const at = fields.findIndex((field, i) => parsed(FIELDS.map((_, of) => (of === i ? field : "*")).join(" ")) === null)
  const [name, values] = FIELDS[at]!
  return `must have ${name} of ${values}, as a list (1,2), a range (1-5), in steps (*/2) or any (*): ${JSON.stringify(fields[at])} is none of these`
}

/** What is wrong with a schedule, as continues its name: it has other than five fields that can be read, or never comes. */
export const cronFault = (pattern: string): string | null => {
  if (pattern.length > 256) return "must have at most 256 characters"
  const fields = pattern.trim().split(/\s+/)
  if (fields.length !== FIELDS.length) return "must be five fields: minute, hour, day, month and day of the week"
  const cron = parsed(pattern)
  if (cron === null) return fieldFault(fields)
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
