/*
 * Numbers as they are written, in JSON and in queries of GraphQL. Both are read as doubles, which hold whole numbers up to
 * 2⁵³: those beyond are ids of 64 bits as a rule, and one that would be read back as another is taken for none. Fractions are
 * rounded.
 */

/** What is wrong with a number that is not what was written. */
export const CHANGED = "is a number beyond 2^53, which would be changed; send it as a text"

/** The digits of a number without its sign, its exponent, and the zeros around them. */
const digitsOf = (written: string): string => {
  const [mantissa] = written.split(/[eE]/, 1) as [string]
  const digits = mantissa.replace(/[-.]/g, "")
  let [begin, end] = [0, digits.length]
  while (begin < end && digits.charCodeAt(begin) === ZERO) begin++
  while (end > begin && digits.charCodeAt(end - 1) === ZERO) end--
  return digits.slice(begin, end)
}
const ZERO = 48

/** Every double has so many digits of its own, and is written with up to the other. */
const [SURE_DIGITS, MOST_DIGITS] = [15, 17]

/** Whether a double may not be the number that was written, a fraction aside. */
export const isLarge = (value: number): boolean => Math.abs(value) > Number.MAX_SAFE_INTEGER

/**
 * Whether a number beyond 2⁵³ is read back as another one: its digits are not those that are written for the double. Who
 * writes a point or an exponent means a double, and may write it with 17 digits, as C does.
 */
export const isChanged = (written: string): boolean => {
  const value = Number(written)
  if (!Number.isFinite(value) || !isLarge(value)) return false
  const digits = digitsOf(written)
  if (digits.length <= SURE_DIGITS || digitsOf(String(value)) === digits) return false
  const isDouble = digits.length <= MOST_DIGITS && /[.eE]/.test(written)
  return !isDouble || digitsOf(value.toPrecision(digits.length)) !== digits
}

/** Parses JSON with something else for each number that is not what was written. It takes ten times as long as to parse. */
export const parseWritten = (json: string, instead: (written: string) => unknown): unknown => {
  const revive = (_key: string, value: unknown, { source }: { readonly source: string }) =>
    typeof value === "number" && isLarge(value) && (!Number.isFinite(value) || isChanged(source))
      ? instead(source)
      : value
  // TypeScript does not know of the third.
  return JSON.parse(json, revive as (key: string, value: unknown) => unknown)
}
