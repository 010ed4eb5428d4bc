import { Schema } from "effect"

/** A moment as text: ISO 8601 in UTC with milliseconds, as every time on the wire. */
export const isoTime = (at: number): string => new Date(at).toISOString()

/** An IANA time zone name, for example `Europe/Berlin`. */
export const TimeZone = Schema.String.check(
  Schema.isMaxLength(64),
  Schema.makeFilter((name: string) => isTimeZone(name) || "must be an IANA time zone name such as Europe/Berlin")
)

const known = new Map<string, boolean>()

const isTimeZone = (name: string): boolean => {
  let ok = known.get(name)
  if (ok === undefined) {
    try {
      void new Intl.DateTimeFormat("en", { timeZone: name })
      // Offsets such as +02:00 are accepted by Intl but follow no daylight saving: they are not zone names.
      ok = !/^[+-]/.test(name)
    } catch {
      ok = false
    }
    // Bounded: names come from clients.
    if (known.size < 2000) known.set(name, ok)
  }
  return ok
}
