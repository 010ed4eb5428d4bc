import { Schema } from "effect"

/** Text without U+0000, which PostgreSQL cannot store. */
export const withoutNul = Schema.makeFilter(
  (value: string) => !value.includes("\u0000") || "must not contain the character U+0000"
)

/** Text of 1 to `max` characters that can be stored. */
export const text = (max: number) => Schema.NonEmptyString.check(Schema.isMaxLength(max), withoutNul)
