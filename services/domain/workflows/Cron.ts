import { Cron, Result } from "effect"

/*
 * Times of schedules: five fields, on a zone's clocks. A time that clocks pass over comes when they have; one that comes
 * twice counts once.
 */

const read = (pattern: string, zone: string): Cron.Cron | null =>
  Result.getOrElse(Cron.parse(pattern, zone), () => null)

/** Whether the text is five fields that can be read, and a time of which ever comes. */
export const isCron = (pattern: string): boolean => {
  if (pattern.length > 256 || pattern.trim().split(/\s+/).length !== 5) return false
  const cron = read(pattern, "UTC")
  if (cron === null) return false
  try {
    Cron.next(cron, new Date(0))
    return true
  } catch {
    return false
  }
}

/** The first time (epoch ms) after a moment at which the schedule is due. */
export const nextCron = (pattern: string, zone: string, after: number): number =>
  Cron.next(Cron.parseUnsafe(pattern, zone), new Date(after)).getTime()
