/*
 * JSON as people write it, into fields and files. Its numbers are read as doubles, as the service reads them, and one that
 * would become another is taken by neither (services/domain/WrittenNumbers.ts): once it is read here, the service cannot see
 * any more what was written.
 */

/** A number that cannot be sent. */
export interface WrongNumber {
  readonly path: ReadonlyArray<string>
  /** In the words of the service, which continue those for its place. */
  readonly message: string
}

export interface ReadJson {
  /** Beside a wrong number it is not what was written; undefined: the text is no JSON. */
  readonly value: unknown
  /** What the browser says of a text that is no JSON. */
  readonly broken: string | null
  readonly wrong: WrongNumber | null
}

/** Texts, which may hold digits, and numbers. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g

/** The digits of a number without its sign, its exponent, and the zeros around them. */
const digitsOf = (written: string): string => {
  const digits = written.replace(/[eE].*$|[-.]/g, "").replace(/^0+/, "")
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return digits.slice(0, end)
}

/** With so many digits programs write a double that is not to change. */
const MOST_DIGITS = 17

/** Whether a number beyond 2⁵³ is read back as another. Who writes a point or an exponent means a double. */
export const isChanged = (written: string): boolean => {
  const value = Number(written)
  if (!Number.isFinite(value) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false
  const digits = digitsOf(written)
  if (digitsOf(String(value)) === digits) return false
  const isDouble = digits.length <= MOST_DIGITS && /[.eE]/.test(written)
  return !isDouble || digitsOf(value.toPrecision(digits.length)) !== digits
}

/** What stands for numbers that cannot be sent: no number that can is read as one of these. */
const [CHANGED, TOO_LARGE] = ["1e999", "-1e999"] as const
const MESSAGES: ReadonlyMap<unknown, string> = new Map([
  [Number(CHANGED), "is a number beyond 2^53, which would be changed; send it as a text"],
  [Number(TOO_LARGE), "must be a number below 1.8e308"]
])

const markOf = (token: string): string | null => {
  if (token.startsWith('"')) return null
  if (!Number.isFinite(Number(token))) return TOO_LARGE
  return isChanged(token) ? CHANGED : null
}

/** The first of what stands for such numbers. */
const firstIn = (value: unknown): WrongNumber | null => {
  const message = MESSAGES.get(value)
  if (message !== undefined) return { path: [], message }
  if (typeof value !== "object" || value === null) return null
  for (const [name, one] of Object.entries(value)) {
    const found = firstIn(one)
    if (found !== null) return { ...found, path: [Array.isArray(value) ? `[${name}]` : name, ...found.path] }
  }
  return null
}

export const readJson = (text: string): ReadJson => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { value: undefined, broken: (error as Error).message, wrong: null }
  }
  // Browsers that are not the newest do not say how a number was written.
  let isWrong = false
  const marked = text.replace(TOKEN, (token) => {
    const mark = markOf(token)
    isWrong ||= mark !== null
    return mark ?? token
  })
  return { value, broken: null, wrong: isWrong ? firstIn(JSON.parse(marked)) : null }
}

/** A path as the service names it: `ids[0].id`. */
const placeOf = (path: ReadonlyArray<string>): string => path.join(".").replaceAll(".[", "[")

/** As the service says it. `above`: what the text stands in. */
export const wrongAt = ({ message, path }: WrongNumber, ...above: ReadonlyArray<string>): string =>
  `${placeOf([...above, ...path])} ${message}`

/** Continues the name of a text. */
export const wrongWithin = (wrong: WrongNumber): string =>
  `cannot be sent: ${wrong.path.length === 0 ? wrongAt(wrong, "it") : wrongAt(wrong)}`
