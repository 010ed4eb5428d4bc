import { Cron, Result } from "effect"

/*
 * Times of schedules: five fields, on a zone's clocks. A time that clocks pass over comes when they have; one that comes
 * twice counts once.
 */

const read = (pattern: string, zone: string): Cron.Cron | null =>
  Result.getOrElse(Cron.parse(pattern, zone), () => null)

const FORM = "must be five fields: minute, hour, day, month and day of the week"

/** What is wrong with a schedule, as continues its name: it has other than five fields that can be read, or never comes. */
export const cronFault = (pattern: string): string | null => {
  if (pattern.length > 256) return "must have at most 256 characters"
  if (pattern.trim().split(/\s+/).length !== 5) return FORM
  const cron = read(pattern, "UTC")
  if (cron === null) return FORM
  try {
    Cron.next(cron, new Date(0))
    return null
  } catch {
    return "must be a time that comes: none of its months has such a day"
  }
}

/** The first time (epoch ms) after a moment at which the schedule is due. */
export const nextCron = (pattern: string, zone: string, after: number): number =>
  Cron.next(Cron.parseUnsafe(pattern, zone), new Date(after)).getTime()
