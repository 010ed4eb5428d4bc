/* Moments and numbers in words. The zone is that of the browser, and is named wherever a clock time stands. */

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const STEPS: ReadonlyArray<readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [31_536_000, "year"],
  [2_592_000, "month"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"]
]

export const ago = (at: string, now = Date.now()): string => {
  const seconds = (Date.parse(at) - now) / 1000
  const step = STEPS.find(([length]) => Math.abs(seconds) >= length)
  if (step === undefined) return seconds > 5 ? "in a moment" : "just now"
  return relative.format(Math.round(seconds / step[0]), step[1])
}

const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" })
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** As `23 Nov 2026, 10:36:44 (Europe/Berlin)`. */
export const moment = (at: string): string => `${whole.format(new Date(at))} (${zone})`

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })

/** A day of no particular zone, `2026-11-24`, as `24 Nov 2026`; what is no day stays as it is. */
export const dayWords = (day: string): string => {
  const begins = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(begins.getTime()) ? day : date.format(begins)
}

/** Fields of dates take years of six digits without these, and years of five are no ISO dates. */
export const LAST_DAY = "9999-12-31"
export const LAST_MINUTE = `${LAST_DAY}T23:59`

/** A moment as `datetime-local` has it, on this browser's clock; null when it is none. */
export const momentOf = (local: string): string | null => {
  const at = /^\d{4}-\d\d-\d\dT/.test(local) ? new Date(local) : null
  return at === null || Number.isNaN(at.getTime()) ? null : at.toISOString()
}

export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

const numbers = new Intl.NumberFormat("en")
export const count = (n: number): string => numbers.format(n)
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`

export const percent = (part: number, all: number): string => {
  if (all === 0) return "–"
  const share = (100 * part) / all
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)} %`
}

/** A length of time, as one says it: `31 s`, `4 min`, `2 h 10 min`. */
export const lasting = (seconds: number): string => {
  if (seconds < 1) return "under a second"
  if (seconds < 90) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

export const bytes = (n: number): string => (n < 1024 ? `${n} B` : `${(n / 1024).toFixed(1)} KB`)

/** A day of this browser's zone, as the moment when it begins; with `days`, so many days later. */
export const startOfDay = (day: string | undefined, days = 0): string | null => {
  if (!isDay(day ?? "")) return null
  const [year, month, date] = day!.split("-").map(Number)
  return new Date(year!, month! - 1, date! + days).toISOString()
}
