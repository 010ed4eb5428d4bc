import { Effect, Schema } from "effect"
import { CliError, Flag } from "effect/cli"

/*
 * Flags that are checked when the command line is read. What a library's schema says of a wrong value is for
 * programmers; each flag says here what it wants, for the person who typed it.
 */

/** What Node makes of bytes of the command line that are no UTF-8: what was meant is lost. */
const UNREADABLE = "\uFFFD"

/** A flag whose text has to fit a schema; `wanted` goes on after “Expected”. */
export const fitting = <A>(
  name: string,
  schema: Schema.ConstraintCodec<A, string>,
  wanted: string | ((value: string) => string)
): Flag.Flag<A> => {
  const wrong = (value: string, expected: string) =>
    new CliError.InvalidValue({ option: name, value, expected: `Expected ${expected}`, kind: "flag" })
  const decode = Schema.decodeUnknownEffect(schema)
  return Flag.String(name).pipe(
    Flag.mapEffect((value) =>
      value.includes(UNREADABLE)
        ? Effect.fail(wrong(value, "text in UTF-8"))
        : Effect.mapError(decode(value), () => wrong(value, typeof wanted === "string" ? wanted : wanted(value)))
    )
  )
}

/** An id as the API writes it. */
export const id = <A>(name: string, schema: Schema.ConstraintCodec<A, string>): Flag.Flag<A> =>
  fitting(name, schema, "an id such as 01a1fbeb-b609-74f0-81a3-2762ff434392").pipe(Flag.withMetavar("id"))

/** Any text but none. */
export const text = (name: string, wanted: string): Flag.Flag<string> =>
  fitting(name, Schema.String.check(Schema.isPattern(/\S/)), wanted)

/** What people call a thing. */
export const named = <A>(name: string, schema: Schema.ConstraintCodec<A, string>): Flag.Flag<A> =>
  fitting(name, schema, "a name: one line of 1 to 120 characters, at least one of which can be seen")

export const wholeNumber = (
  name: string,
  { maximum, minimum }: { readonly minimum: number; readonly maximum: number }
): Flag.Flag<number> =>
  fitting(
    name,
    Schema.String.check(
      Schema.isPattern(/^\d{1,15}$/),
      Schema.makeFilter((digits: string) => Number(digits) >= minimum && Number(digits) <= maximum)
    ),
    `a whole number from ${minimum} to ${maximum}`
  ).pipe(Flag.withMetavar("integer"), Flag.map(Number))

const switched = (description: string): Flag.Flag<boolean> =>
  Flag.Boolean("json").pipe(Flag.withDescription(description), Flag.withDefault(false))

/** For programs that read the output. Every command that ends takes it, so that nobody has to know which one needs it. */
export const json = switched("Print one JSON object")
/** Of commands whose output is JSON in any case. */
export const jsonAnyway = switched("Print JSON, as without this flag")
