import { Schema } from "effect"
import { maxLength } from "./Text.ts"
import { zoneOf } from "./ZoneNames.ts"

/** A moment as text: ISO 8601 in UTC with milliseconds, as every time on the wire. */
export const isoTime = (at: number): string => new Date(at).toISOString()

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** The day is taken by itself: `Date` reads the 31st of February as a day in March. */
const isMoment = (text: string): boolean => {
  if (!MOMENT.test(text) || Number.isNaN(Date.parse(text))) return false
  const day = text.slice(0, 10)
  const at = Date.parse(day)
  return !Number.isNaN(at) && isoTime(at).startsWith(day)
}

export const NO_MOMENT = "must be an ISO 8601 time with an offset, such as 2026-12-24T18:00:00Z"

/** Any moment, as ISO 8601 with its offset from UTC. */
export const Moment = Schema.String.check(
  maxLength(40),
  Schema.makeFilter((text: string) => isMoment(text) || NO_MOMENT)
)

/** Whether the moment in the field `to` lies at that in `from` or later, where both are given. */
export const inOrder = (from: string, to: string) =>
  Schema.makeFilter((fields: object) => {
    const [begin, end] = [from, to].map((name) => (fields as Record<string, unknown>)[name])
    if (typeof begin !== "string" || typeof end !== "string") return undefined
    return Date.parse(begin) <= Date.parse(end) || { path: [to], issue: `must not lie before ${from}` }
  })

const DAY = /^\d{4}-\d\d-\d\d$/
/** Whether the text is a day of the calendar, such as 2026-12-24. */
export const isDay = (text: string): boolean => DAY.test(text) && isMoment(`${text}T00:00Z`)

/** Any moment, as ISO 8601 with its offset from UTC, or a day. */
export const MomentOrDay = Schema.String.annotate({
  description:
    "A time with its offset, as `2026-12-24T18:00:00Z` or `2026-12-24T18:00:00.5+02:00`; with `local_time`, also a day, as `2026-12-24`."
}).check(
  maxLength(40),
  Schema.makeFilter((text: string) => isDay(text) || isMoment(text) || NO_MOMENT)
)

/** An IANA time zone name, for example `Europe/Berlin`. */
export const TimeZone = Schema.String.check(
  maxLength(64),
  Schema.makeFilter((name: string) => isTimeZone(name) || "must be an IANA time zone name such as Europe/Berlin")
)

/** Whether this is the name of a time zone that is known here. */
export const isTimeZone = (name: string): boolean => zoneOf(name) !== null
