import { Schema } from "effect"

/** Text without U+0000, which PostgreSQL cannot store. */
export const withoutNul = Schema.makeFilter(
  (value: string) => !value.includes("\u0000") || "must not contain the character U+0000"
)

/** What people call a thing, and find it by on a screen or in a log: one line, of 1 to 120 characters. */
export const Name = Schema.NonEmptyString.check(
  Schema.isMaxLength(120),
  Schema.isPattern(/^[^\p{Cc}\u2028\u2029]+$/u, { message: "must not contain control characters" })
)

/** Text of 1 to `max` characters that can be stored. */
export const text = (max: number) => Schema.NonEmptyString.check(Schema.isMaxLength(max), withoutNul)
