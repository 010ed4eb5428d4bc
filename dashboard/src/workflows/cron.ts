/*
 * When a schedule comes next, for whoever writes it: the service decides by its own reading of the same five fields, and a
 * test compares both. What this file cannot read is said by the service when it is saved.
 */

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

interface Field {
  readonly values: ReadonlySet<number>
  /** It begins with a star, which says nothing of the days by itself. */
  readonly isWild: boolean
}

const fieldOf = (text: string, min: number, max: number, names: ReadonlyArray<string> = []): Field | null => {
  const numberOf = (word: string): number => {
    const at = names.indexOf(word.toLowerCase())
    return at === -1 ? (/^\d+$/.test(word) ? Number(word) : NaN) : at + (names === MONTHS ? 1 : 0)
  }
  const values = new Set<number>()
  for (const part of text.split(",")) {
    const [range = "", by, ...more] = part.split("/")
    const step = by === undefined ? 1 : /^\d+$/.test(by) ? Number(by) : 0
    if (more.length > 0 || step < 1 || step > max) return null
    const [left = "", right, ...others] = range.split("-")
    const from = range === "*" ? min : numberOf(left)
    const to = range === "*" || (right === undefined && by !== undefined) ? max : numberOf(right ?? left)
    if (others.length > 0 || !(from >= min && to <= max && from <= to)) return null
    for (let value = from; value <= to; value += step) values.add(value)
  }
  return { values, isWild: text.startsWith("*") }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** So far a schedule is followed: three times of a 29th of February are within this. */
const DAYS = 20 * 366

const clockOf = (zone: string) =>
  new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })

/** What the clocks show at a moment, as epoch milliseconds if that were UTC. */
const wallAt = (clock: Intl.DateTimeFormat, at: number): number => {
  const part = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(part["year"]!, part["month"]! - 1, part["day"], part["hour"], part["minute"], part["second"])
}

/** The moment at which clocks show this first, or pass over it. */
const momentOf = (clock: Intl.DateTimeFormat, wall: number): number => {
  const offset = (at: number) => wallAt(clock, at) - at
  const [before, after] = [offset(wall - 1.5 * DAY_MS), offset(wall + 1.5 * DAY_MS)]
  for (const one of [Math.max(before, after), Math.min(before, after)])
    if (offset(wall - one) === one) return wall - one
  // Clocks change at whole seconds, and go forward in between.
  let [low, high] = [wall - after, wall - before]
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000
    if (offset(middle) === after) high = middle
    else low = middle
  }
  return high
}

/** The first moments (epoch ms) after one at which a schedule comes, on a zone's clocks; null where it cannot be read. */
export const nextTimes = (
  pattern: string,
  zone: string,
  after: number,
  count: number
): ReadonlyArray<number> | null => {
  const texts = pattern.trim().split(/\s+/)
  if (texts.length !== 5) return null
  const minutes = fieldOf(texts[0]!, 0, 59)
  const hours = fieldOf(texts[1]!, 0, 23)
  const days = fieldOf(texts[2]!, 1, 31)
  const months = fieldOf(texts[3]!, 1, 12, MONTHS)
  const weekdays = fieldOf(texts[4]!, 0, 6, WEEKDAYS)
  if (!minutes || !hours || !days || !months || !weekdays) return null
  let clock: Intl.DateTimeFormat
  try {
    clock = clockOf(zone)
  } catch {
    return null
  }
  const isOn = (day: number): boolean => {
    const date = new Date(day)
    if (!months.values.has(date.getUTCMonth() + 1)) return false
    const [byDate, byWeekday] = [days.values.has(date.getUTCDate()), weekdays.values.has(date.getUTCDay())]
    return days.isWild || weekdays.isWild ? byDate && byWeekday : byDate || byWeekday
  }
  const found: Array<number> = []
  const today = Math.floor(wallAt(clock, after) / DAY_MS) * DAY_MS
  const inOrder = [...hours.values].toSorted((a, b) => a - b)
  const within = [...minutes.values].toSorted((a, b) => a - b)
  // From yesterday on: clocks that went back show a time of yesterday again.
  for (let day = today - DAY_MS; day < today + DAYS * DAY_MS; day += DAY_MS) {
    if (!isOn(day)) continue
    for (const hour of inOrder) {
      for (const minute of within) {
        const at = momentOf(clock, day + hour * HOUR_MS + minute * 60_000)
        if (at <= after || found.includes(at)) continue
        found.push(at)
        if (found.length === count) return found
      }
    }
  }
  return found
}
