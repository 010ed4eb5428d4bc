/*
 * Numbers as they are written, in JSON and in queries of GraphQL. Both are read as doubles, which hold whole numbers up to
 * 2⁵³: of those beyond, most of which are ids of 64 bits, one that would become another is refused. Fractions are rounded.
 */

/** What is wrong with a number that is not what was written. */
export const CHANGED = "is a number beyond 2^53, which would be changed; send it as a text"

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = Array.from('"\\-09', (sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number
]
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE
/** Of numbers after their first digit: `.`, `e`, `E`, `+` and `-` beside digits. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 46 || code === 101 || code === 69 || code === 43 || code === MINUS

/** Where a JSON's text that begins there has ended. */
const endOfText = (json: string, begin: number): number => {
  for (let end = json.indexOf('"', begin + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1
    while (json.charCodeAt(before) === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end + 1
  }
}

/** The digits of a number without its sign, its exponent, and the zeros around them. */
const digitsOf = (written: string): string => {
  const [mantissa] = written.split(/[eE]/, 1) as [string]
  const digits = mantissa.replace(/[-.]/g, "")
  let [begin, end] = [0, digits.length]
  while (begin < end && digits.charCodeAt(begin) === ZERO) begin++
  while (end > begin && digits.charCodeAt(end - 1) === ZERO) end--
  return digits.slice(begin, end)
}

/** Every double has so many digits of its own, and is shown with as many as are asked for, up to the other. */
const [SURE_DIGITS, MOST_DIGITS] = [15, 100]

/** Whether a double may not be the number that was written, a fraction aside. */
export const isLarge = (value: number): boolean => Math.abs(value) > Number.MAX_SAFE_INTEGER

/**
 * Whether a number beyond 2⁵³ becomes another one: it is neither what the double is, nor what a program that has this
 * double writes, with however many digits.
 */
export const isChanged = (written: string): boolean => {
  const value = Number(written)
  if (!Number.isFinite(value) || !isLarge(value)) return false
  const digits = digitsOf(written)
  if (digits.length <= SURE_DIGITS) return false
  if (digits.length <= MOST_DIGITS && digitsOf(value.toPrecision(digits.length)) === digits) return false
  return digitsOf(String(BigInt(value))) !== digits
}

/**
 * The numbers of a JSON text that are not what was written, as what they become. It costs as much as all the rest of a body:
 * only where a number is large.
 */
export const changedNumbers = (json: string): ReadonlySet<number> => {
  const changed = new Set<number>()
  for (let at = 0; at < json.length;) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at)
    else if (isDigit(code)) {
      let end = at + 1
      while (isOfNumber(json.charCodeAt(end))) end++
      const written = json.slice(json.charCodeAt(at - 1) === MINUS ? at - 1 : at, end)
      at = end
      if (isChanged(written)) changed.add(Number(written))
    } else at++
  }
  return changed
}
