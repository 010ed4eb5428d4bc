import { Refusal } from "../api/request.ts"
import { faultOf, textOf, valueOf } from "../contacts/attributes.ts"
import type { AttributeOperator, EngagementType, Platform, SegmentFilterInput, SegmentQuery } from "./operations.ts"

export type Filter = NonNullable<SegmentQuery["segment"]>["filter"]

/** What a condition is about. Attributes and engagement may stand there several times, the others once. */
export type Kind =
  "tagsAny" | "tagsAll" | "tagsNone" | "attributes" | "platforms" | "locales" | "timezones" | "lastSeen" | "engagement"

export const KINDS: Readonly<Record<Kind, string>> = {
  tagsAny: "Has any of these tags",
  tagsAll: "Has all of these tags",
  tagsNone: "Has none of these tags",
  attributes: "Attribute",
  platforms: "Platform",
  locales: "Language",
  timezones: "Time zone",
  lastSeen: "Last seen",
  engagement: "Delivered, opened or clicked"
}
export const isRepeatable = (kind: Kind): boolean => kind === "attributes" || kind === "engagement"

/** A condition as it is typed; each kind uses some of the fields. */
export interface Condition {
  readonly kind: Kind
  /** Tags, languages, zones: divided by commas. */
  readonly list: string
  readonly platforms: ReadonlyArray<Platform>
  readonly name: string
  readonly op: AttributeOperator
  readonly value: string
  readonly type: EngagementType
  readonly isNot: boolean
  readonly days: string
  readonly notDays: string
}

export const newCondition = (kind: Kind): Condition => ({
  kind,
  list: "",
  platforms: [],
  name: "",
  op: "EQUALS",
  value: "",
  type: "OPENED",
  isNot: false,
  days: kind === "engagement" ? "30" : "",
  notDays: ""
})

export const OPERATORS: Readonly<Record<AttributeOperator, string>> = {
  EQUALS: "is",
  NOT_EQUALS: "is not",
  IN: "is one of",
  CONTAINS: "contains",
  GREATER: "is more than",
  GREATER_OR_EQUAL: "is at least",
  LESS: "is less than",
  LESS_OR_EQUAL: "is at most",
  EXISTS: "is there",
  NOT_EXISTS: "is not there"
}
export const takesValue = (op: AttributeOperator): boolean => op !== "EXISTS" && op !== "NOT_EXISTS"

/** What is divided by commas or lines, each once. */
export const listOf = (text: string): Array<string> => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter(Boolean)
  )
]

export const isDays = (text: string): boolean => /^[1-9]\d*$/.test(text.trim())

/** What is typed to compare an attribute with: a list, or one value. */
const valuesOf = ({ op, value }: Condition): ReadonlyArray<string> => (op === "IN" ? listOf(value) : [value.trim()])

export const comparedWith = (one: Condition): unknown => {
  const values = valuesOf(one).map(valueOf)
  return one.op === "IN" ? values : values[0]
}

export const valueFault = (one: Condition): string | null =>
  valuesOf(one).reduce<string | null>((found, value) => found ?? faultOf(value), null)

/** What is missing in a condition, or cannot be sent; null where nothing is. The service judges the rest. */
export const gapOf = (one: Condition): string | null => {
  switch (one.kind) {
    case "platforms":
      return one.platforms.length === 0 ? "Choose one platform at least." : null
    case "attributes":
      if (one.name.trim() === "") return "Give the attribute's name."
      if (!takesValue(one.op)) return null
      return one.value.trim() === "" ? "Give what it is compared with." : valueFault(one)
    case "lastSeen": {
      const given = [one.days, one.notDays].filter((text) => text.trim() !== "")
      if (given.length === 0) return "Give one of the two numbers of days."
      return given.every(isDays) ? null : "Days are whole numbers from 1 on."
    }
    case "engagement":
      return isDays(one.days) ? null : "Days are a whole number from 1 on."
    default:
      return listOf(one.list).length === 0 ? "Give one at least." : null
  }
}

export const filterOf = (conditions: ReadonlyArray<Condition>): SegmentFilterInput => {
  const filter: { -readonly [name in keyof SegmentFilterInput]: SegmentFilterInput[name] } = {}
  const days = (text: string) => (text.trim() === "" ? null : Number(text))
  for (const one of conditions) {
    switch (one.kind) {
      case "platforms":
        filter.platforms = one.platforms
        break
      case "attributes":
        filter.attributes = [
          ...(filter.attributes ?? []),
          {
            name: one.name.trim(),
            op: one.op,
            ...(takesValue(one.op) && { value: comparedWith(one) })
          }
        ]
        break
      case "lastSeen": {
        const [withinDays, notWithinDays] = [days(one.days), days(one.notDays)]
        filter.lastSeen = { ...(withinDays && { withinDays }), ...(notWithinDays && { notWithinDays }) }
        break
      }
      case "engagement":
        filter.engagement = [
          ...(filter.engagement ?? []),
          { type: one.type, withinDays: Number(one.days), ...(one.isNot && { not: true }) }
        ]
        break
      default:
        filter[one.kind] = listOf(one.list)
    }
  }
  return filter
}

const typedAs = (filter: Filter): ReadonlyArray<Condition> => {
  const text = (n: number | null | undefined) => (n === null || n === undefined ? "" : String(n))
  const lists = (["tagsAny", "tagsAll", "tagsNone"] as const).flatMap((kind) =>
    filter[kind] === null ? [] : { ...newCondition(kind), list: filter[kind].join(", ") }
  )
  const places = (["locales", "timezones"] as const).flatMap((kind) =>
    filter[kind] === null ? [] : { ...newCondition(kind), list: filter[kind].join(", ") }
  )
  return [
    ...lists,
    ...(filter.attributes ?? []).map(({ name, op, value }) => ({
      ...newCondition("attributes"),
      name,
      op,
      value: !takesValue(op) ? "" : Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)
    })),
    ...(filter.platforms === null ? [] : [{ ...newCondition("platforms"), platforms: filter.platforms }]),
    ...places,
    ...(filter.lastSeen === null
      ? []
      : [
          {
            ...newCondition("lastSeen"),
            days: text(filter.lastSeen.withinDays),
            notDays: text(filter.lastSeen.notWithinDays)
          }
        ]),
    ...(filter.engagement ?? []).map(({ not, type, withinDays }) => ({
      ...newCondition("engagement"),
      type,
      isNot: not === true,
      days: text(withinDays)
    }))
  ]
}

/** JSON with the names of each object in order: what says the same reads the same. */
export const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one
  )

/** Without what the answer calls null, and requests leave out. */
const present = (filter: Filter): unknown =>
  JSON.parse(
    JSON.stringify(filter, (name, value: unknown) =>
      value === null || (name === "not" && value === false) ? undefined : value
    )
  )

/** The conditions as they are typed; null where they hold what the form would lose, as a tag with a comma. */
export const conditionsOf = (filter: Filter): ReadonlyArray<Condition> | null => {
  const typed = typedAs(filter)
  return ordered(filterOf(typed)) === ordered(present(filter)) ? typed : null
}

/** What the service says of the condition at a place, by the path of the field that it found fault with. */
export const faultAt = (error: unknown, conditions: ReadonlyArray<Condition>, at: number): string | null => {
  if (!(error instanceof Refusal)) return null
  const { kind } = conditions[at]!
  const place = conditions.slice(0, at).filter((other) => other.kind === kind).length
  const found = error.details.find(({ field }) => {
    const path = /\.?filter\.(\w+)(?:\[(\d+)\])?/.exec(field)
    return path?.[1] === kind && (!isRepeatable(kind) || Number(path[2] ?? 0) === place)
  })
  return found === undefined ? null : `It ${found.message}.`
}
