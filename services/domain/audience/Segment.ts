import { Schema } from "effect"
import { Locale } from "./Contact.ts"
import { Platform } from "./Device.ts"
import { EngagementType } from "../engagement/Engagement.ts"
import type { SegmentId } from "../Ids.ts"
import { Name, text } from "../Text.ts"
import { TimeZone } from "../Time.ts"

export const some = <S extends Schema.Constraint>(item: S, max: number) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(max))

export const tagList = some(text(64), 100)

type Scalar = string | number | boolean | null
const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object"
export const isComparable = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number"

/** What a rule compares an attribute with, by its operator; null: with nothing. */
const VALUES = {
  equals: "a text, number, boolean or null",
  not_equals: "a text, number, boolean or null",
  contains: "a text, number or boolean",
  in: "a list of 1 to 100 texts, numbers or booleans",
  greater: "a number or a text",
  greater_or_equal: "a number or a text",
  less: "a number or a text",
  less_or_equal: "a number or a text",
  exists: null,
  not_exists: null
} as const
export type AttributeOperator = keyof typeof VALUES

const fits = (op: AttributeOperator, value: unknown): boolean => {
  switch (op) {
    case "equals":
    case "not_equals":
      return isScalar(value)
    case "contains":
      return isScalar(value) && value !== null
    case "in":
      return Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every((one) => isScalar(one))
    default:
      return isComparable(value)
  }
}

/** A rule about one attribute of a contact. Texts compare by code points, so that ISO dates that are written alike compare by time. */
export const AttributeRule = Schema.Struct({
  name: text(128),
  op: Schema.Literals(Object.keys(VALUES) as Array<AttributeOperator>),
  value: Schema.optionalKey(Schema.Json)
}).check(
  Schema.makeFilter(({ op, value }) => {
    const wanted = VALUES[op]
    if (wanted === null) return value === undefined || { path: ["value"], issue: `has no place beside ${op}` }
    if (value === undefined) return { path: ["value"], issue: `is required for ${op}` }
    return fits(op, value) || { path: ["value"], issue: `must be ${wanted} for ${op}` }
  })
)
export type AttributeRule = typeof AttributeRule.Type

export const attributeRules = some(AttributeRule, 20)

const Days = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most }))

/** What can be asked of a person and their devices. */
export const segmentConditions = {
  tags_any: Schema.optionalKey(tagList),
  tags_all: Schema.optionalKey(tagList),
  tags_none: Schema.optionalKey(tagList),
  platforms: Schema.optionalKey(some(Platform, 3)),
  timezones: Schema.optionalKey(some(TimeZone, 100)),
  locales: Schema.optionalKey(some(Locale, 100)),
  attributes: Schema.optionalKey(attributeRules),
  last_seen: Schema.optionalKey(
    Schema.Struct({
      within_days: Schema.optionalKey(Days(3650)),
      not_within_days: Schema.optionalKey(Days(3650))
    }).check(
      Schema.makeFilter(
        ({ not_within_days, within_days }) =>
          (within_days ?? not_within_days) !== undefined || "must have within_days or not_within_days"
      )
    )
  ),
  engagement: Schema.optionalKey(
    some(Schema.Struct({ type: EngagementType, within_days: Days(365), not: Schema.optionalKey(Schema.Boolean) }), 10)
  )
}

/**
 * Whom a segment holds: everybody whom all of its conditions fit. Tags and time zones are a device's own, and for e-mail
 * the contact's; attributes and the locale are the contact's, whose devices are those with its `external_id`.
 */
export const SegmentFilter = Schema.Struct(segmentConditions).check(
  Schema.makeFilter((filter) => Object.keys(filter).length > 0 || "must have a condition; for everybody use `all`")
)
export type SegmentFilter = typeof SegmentFilter.Type

/** POST /segments. */
export const CreateSegment = Schema.Struct({ name: Name, filter: SegmentFilter })
export type CreateSegment = typeof CreateSegment.Type

/** POST /segments/count. */
export const CountSegment = Schema.Struct({ filter: SegmentFilter })

/** PATCH /segments/:id. */
export const UpdateSegment = Schema.Struct({
  name: Schema.optionalKey(Name),
  filter: Schema.optionalKey(SegmentFilter)
})
export type UpdateSegment = typeof UpdateSegment.Type

export interface Segment {
  readonly id: SegmentId
  readonly name: string
  readonly filter: SegmentFilter
  readonly createdAt: number
  readonly updatedAt: number
}
