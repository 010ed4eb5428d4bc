/* Lengths of time as people type them: `3 days 2 hours`, `90 min`, `1h 30m`. */

const UNITS: ReadonlyArray<readonly [seconds: number, one: string, names: RegExp]> = [
  [604_800, "week", /^(?:w|wk|wks|weeks?)$/],
  [86_400, "day", /^(?:d|days?)$/],
  [3_600, "hour", /^(?:h|hr|hrs|hours?)$/],
  [60, "minute", /^(?:m|min|mins|minutes?)$/],
  [1, "second", /^(?:s|sec|secs|seconds?)$/]
]

/** The seconds that a text stands for; null where it cannot be read. A number alone says no unit, and is not guessed at. */
export const secondsOf = (text: string): number | null => {
  const words = text
    .toLowerCase()
    .replaceAll(/,|\band\b/g, " ")
    .trim()
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/.test(words)) return null
  let seconds = 0
  for (const [, amount, name] of words.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = UNITS.find(([, , names]) => names.test(name!))
    if (unit === undefined) return null
    seconds += Number(amount) * unit[0]
  }
  const whole = Math.round(seconds)
  return Math.abs(whole - seconds) < 1e-6 && Number.isSafeInteger(whole) ? whole : null
}

/** As `3 days 2 hours`; `secondsOf` reads it as the same. */
export const spanWords = (seconds: number): string => {
  const said: Array<string> = []
  let rest = seconds
  for (const [length, name] of UNITS.slice(1)) {
    const n = Math.floor(rest / length)
    if (n === 0) continue
    rest -= n * length
    said.push(`${n} ${name}${n === 1 ? "" : "s"}`)
  }
  return said.length === 0 ? "0 seconds" : said.join(" ")
}
