import { Schema, SchemaTransformation } from "effect"

/** Whether PostgreSQL and strict readers of JSON take a text: it has no U+0000, and no half of a surrogate pair. */
export const isStorable = (value: string): boolean => !value.includes("\u0000") && value.isWellFormed()

export const UNSTORABLE = "must not contain U+0000 or half of a surrogate pair"

/** Text without U+0000, which PostgreSQL cannot store. */
export const withoutNul = Schema.makeFilter(
  (value: string) => !value.includes("\u0000") || "must not contain the character U+0000",
  // What is said of a text is said of its last check, and is written down with that alone.
  { toJsonSchema: () => ({}) }
)

const codePoints = (value: string): number => {
  let count = value.length
  for (let i = 1; i < value.length; i++) {
    // The second half of a pair. Text that came as UTF-8 has no halves that stand alone.
    const unit = value.charCodeAt(i)
    if (unit >= 0xdc00 && unit <= 0xdfff) count--
  }
  return count
}

/**
 * At most so many characters: Unicode code points, as JSON Schema and PostgreSQL count them, and not units of UTF-16. What
 * is longer is looked at no further: the checks that come behind it are made for short texts.
 */
export const maxLength = (max: number) =>
  Schema.makeFilter(
    (value: string) => value.length <= max || (value.length <= 2 * max && codePoints(value) <= max),
    {
      expected: `a value with a length of at most ${max}`,
      toJsonSchema: () => ({ maxLength: max }),
      arbitraryConstraint: { maxLength: max }
    },
    true
  )

/** Letters, digits, punctuation and symbols, but for those that fonts draw as nothing. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/** Text within which nothing is shown in another order than it is written in, but for what its own letters ask for. */
export const withoutBidiControls = Schema.isPattern(/^[^\u202a-\u202e\u2066-\u2069]*$/, {
  message: "must not contain characters that change the direction of text"
})

const withoutControls = Schema.isPattern(/^[^\p{Cc}\u2028\u2029]+$/u, {
  message: "must not contain control characters"
})

/** What a file is called, as a log shows it: one line of 1 to 200 characters. */
export const FileName = Schema.NonEmptyString.check(maxLength(200), withoutControls, withoutBidiControls)

/**
 * What people call a thing, and find it by on a screen or in a log: one line, of 1 to 120 characters of which one at least
 * can be seen, without white space around it.
 */
export const Name = Schema.String.check(
  Schema.isMinLength(1),
  maxLength(120),
  withoutControls,
  withoutBidiControls,
  Schema.makeFilter((value: string) => VISIBLE.test(value) || "must contain a character that can be seen", {
    // In words: the pattern is one that Python and RE2 do not read.
    toJsonSchema: () => ({ description: "Contains a character that can be seen." })
  })
).pipe(Schema.decodeTo(Schema.String, SchemaTransformation.trim()))

/** Text of 1 to `max` characters that can be stored. */
export const text = (max: number) => Schema.NonEmptyString.check(maxLength(max), withoutNul)
