import { textOf } from "../contacts/attributes.ts"
import { PLATFORM } from "../devices/words.ts"
import { counted } from "../parts/time.ts"
import type { Filter } from "./conditions.ts"
import { OPERATORS, takesValue } from "./conditions.ts"

const ENGAGED = { DELIVERED: "got", OPENED: "opened", CLICKED: "clicked in" } as const

/** Each condition of a segment, in words. All of them have to fit. */
export const conditionWords = ({
  attributes,
  engagement,
  lastSeen,
  locales,
  platforms,
  tagsAll,
  tagsAny,
  tagsNone,
  timezones
}: Filter): ReadonlyArray<string> => {
  const list = (before: string, values: ReadonlyArray<string> | null, or = ", ") =>
    values === null ? [] : [`${before} ${values.join(or)}`]
  const days = (n: number) => (n === 1 ? "day" : counted(n, "day"))
  return [
    ...list("has the tag", tagsAny, " or "),
    ...list(tagsAll?.length === 1 ? "has the tag" : "has all of the tags", tagsAll),
    ...list("has no tag", tagsNone, " or "),
    ...(attributes ?? []).map(({ name, op, value }) =>
      takesValue(op)
        ? `${name} ${OPERATORS[op]} ${Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)}`
        : `${name} ${OPERATORS[op]}`
    ),
    ...(platforms === null ? [] : [`on ${platforms.map((one) => PLATFORM[one]).join(" or ")}`]),
    ...list("speaks", locales, " or "),
    ...list("in", timezones, " or "),
    ...(lastSeen?.withinDays ? [`seen in the last ${days(lastSeen.withinDays)}`] : []),
    ...(lastSeen?.notWithinDays ? [`not seen in the last ${days(lastSeen.notWithinDays)}`] : []),
    ...(engagement ?? []).map(
      ({ not, type, withinDays }) =>
        `${ENGAGED[type]} ${not ? "no message" : "a message"} in the last ${days(withinDays)}`
    )
  ]
}
