import { Schema } from "effect"
import type { EngagementType } from "../engagement/Engagement.ts"
import { isJsonObject } from "../Json.ts"
import type { Platform } from "../audience/Device.ts"
import type { AttributeRule } from "../audience/Segment.ts"
import { namesOfZones, storedZone } from "../ZoneNames.ts"
import { attributeRules, isComparable, segmentConditions, some } from "../audience/Segment.ts"

/*
 * What a step asks of a run: the conditions of segments, about the person, and two more, about what the run carries and what
 * became of its messages. All have to fit. They are decided here, in memory, for many runs at a time; that a segment says
 * the same of a person as PostgreSQL does is held by a test.
 */

const DAY_MS = 86_400_000

/** What a step's key may be: it stands in paths and in templates. */
export const StepKey = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/u, {
    message: "must begin with a lower-case letter, and have lower-case letters, digits and _, 64 at most"
  })
)

const rules = attributeRules.annotate({
  description:
    "About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price` of what a step brought. What is missing fits `not_exists` alone."
})

/** What may have become of the messages of a SEND step. */
export const MessageState = Schema.Literals(["sent", "failed", "skipped", "delivered", "opened", "clicked"])
export type MessageState = typeof MessageState.Type

const StepRule = Schema.Struct({
  key: StepKey.annotate({ description: "Of a SEND step that stands before." }),
  is: MessageState,
  not: Schema.optionalKey(Schema.Boolean)
})
export type StepRule = typeof StepRule.Type

const ownFields = {
  ...segmentConditions,
  data: Schema.optionalKey(rules),
  steps: Schema.optionalKey(some(StepRule, 20))
}

const hasSome = Schema.makeFilter((conditions: object) => Object.keys(conditions).length > 0 || "must have a condition")

const Alternative = Schema.Struct(ownFields).check(hasSome)

export const Conditions = Schema.Struct({
  ...ownFields,
  any: Schema.optionalKey(
    some(Alternative, 10).annotate({ description: "One of these has to fit, beside all others." })
  )
})
  .check(hasSome)
  .annotate({ identifier: "WorkflowConditions" })
export type Conditions = typeof Conditions.Type
type Own = typeof Alternative.Type

/** The person of a run, as far as conditions ask. */
export interface Facts {
  readonly tags: ReadonlyArray<string>
  readonly attributes: Readonly<Record<string, unknown>>
  readonly locale: string | null
  readonly timezone: string | null
  /** Of active devices. */
  readonly platforms: ReadonlyArray<Platform>
  /** Epoch milliseconds: when any of the person's devices registered last. */
  readonly seenAt: number | null
  /** Epoch milliseconds: when any of the person's devices and channels did it last. */
  readonly engagedAt: Readonly<Partial<Record<EngagementType, number>>>
}

/** What is asked about. */
export interface Subject {
  readonly person: Facts
  /** The trigger's data, with what steps brought under `steps`. */
  readonly data: Readonly<Record<string, unknown>>
  /** What became of the messages of a SEND step, by its key. */
  readonly messages: (key: string) => ReadonlySet<MessageState>
  /** Epoch milliseconds. */
  readonly now: number
}

/** A condition and what it met: for people who ask why. */
export interface Finding {
  /** `attributes.plan`, `data.order.total`, `steps.hello`, `tags_any`, … */
  readonly about: string
  readonly fits: boolean
  /** What was there; absent where nothing was. */
  readonly actual?: unknown
}

const MISSING = Symbol("missing")

/** The value at a path of names; positions in lists are numbers. */
export const valueAt = (data: unknown, path: string): unknown => {
  const value = lookUp(data, path)
  return value === MISSING ? undefined : value
}

const lookUp = (data: unknown, path: string): unknown => {
  let value: unknown = data
  for (const name of path.split(".")) {
    const isPlace = Array.isArray(value) && /^\d{1,9}$/.test(name)
    if (!isPlace && !isJsonObject(value)) return MISSING
    if (!Object.hasOwn(value as object, name)) return MISSING
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** By code points, as PostgreSQL's collation `C` does it: units of UTF-16 put the last planes before U+E000. */
const compareTexts = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left === right) continue
    const isOdd = left >= 0xd800 && right >= 0xd800
    return isOdd && isSurrogate(left) !== isSurrogate(right) ? (isSurrogate(left) ? 1 : -1) : left - right
  }
  return a.length - b.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

const meets = ({ op, value }: AttributeRule, actual: unknown): boolean => {
  switch (op) {
    case "exists":
      return actual !== MISSING
    case "not_exists":
      return actual === MISSING
    case "equals":
      return actual === value
    case "not_equals":
      return actual !== value
    case "in":
      return (value as ReadonlyArray<unknown>).includes(actual)
    case "contains":
      return Array.isArray(actual) && actual.includes(value)
    default: {
      if (typeof actual !== typeof value || !isComparable(actual)) return false
      const order =
        typeof actual === "number" ? actual - (value as number) : compareTexts(actual as string, value as string)
      if (op === "greater") return order > 0
      if (op === "greater_or_equal") return order >= 0
      return op === "less" ? order < 0 : order <= 0
    }
  }
}

const speaks = (locale: string | null, wanted: ReadonlyArray<string>): boolean => {
  const own = locale?.toLowerCase()
  if (own === undefined) return false
  return wanted.some((one) => own === one.toLowerCase() || own.startsWith(`${one.toLowerCase()}-`))
}

/** Says one after the other what came of each condition. */
function* findings(conditions: Own, { data, messages, now, person }: Subject): Generator<Finding> {
  const within = (at: number | null | undefined, days: number) => at != null && at >= now - days * DAY_MS
  const { tags } = person
  const { tags_all, tags_any, tags_none } = conditions
  if (tags_any) yield { about: "tags_any", fits: tags_any.some((tag) => tags.includes(tag)), actual: tags }
  if (tags_all) yield { about: "tags_all", fits: tags_all.every((tag) => tags.includes(tag)), actual: tags }
  if (tags_none) yield { about: "tags_none", fits: !tags_none.some((tag) => tags.includes(tag)), actual: tags }
  if (conditions.platforms) {
    const fits = conditions.platforms.some((platform) => person.platforms.includes(platform))
    yield { about: "platforms", fits, actual: person.platforms }
  }
  if (conditions.timezones) {
    const { timezone } = person
    const fits = timezone !== null && namesOfZones(conditions.timezones).includes(storedZone(timezone)!)
    yield { about: "timezones", fits, actual: timezone }
  }
  if (conditions.locales) {
    yield { about: "locales", fits: speaks(person.locale, conditions.locales), actual: person.locale }
  }
  for (const rule of conditions.attributes ?? []) {
    const actual = Object.hasOwn(person.attributes, rule.name) ? person.attributes[rule.name] : MISSING
    yield found(`attributes.${rule.name}`, meets(rule, actual), actual)
  }
  if (conditions.last_seen) {
    const { not_within_days, within_days } = conditions.last_seen
    const fits =
      (within_days === undefined || within(person.seenAt, within_days)) &&
      (not_within_days === undefined || !within(person.seenAt, not_within_days))
    yield { about: "last_seen", fits, actual: person.seenAt }
  }
  for (const { not, type, within_days } of conditions.engagement ?? []) {
    const at = person.engagedAt[type]
    yield found(`engagement.${type}`, within(at, within_days) !== (not ?? false), at ?? MISSING)
  }
  for (const rule of conditions.data ?? []) {
    const actual = lookUp(data, rule.name)
    yield found(`data.${rule.name}`, (actual !== MISSING || rule.op === "not_exists") && meets(rule, actual), actual)
  }
  for (const { is, key, not } of conditions.steps ?? []) {
    const states = messages(key)
    yield { about: `steps.${key}`, fits: states.has(is) !== (not ?? false), actual: [...states] }
  }
}

const found = (about: string, fits: boolean, actual: unknown): Finding =>
  actual === MISSING ? { about, fits } : { about, fits, actual }

/** Whether the conditions fit, and what was found on the way there: up to the first that does not. */
export const judge = (
  { any, ...own }: Conditions,
  subject: Subject
): { readonly fits: boolean; readonly findings: ReadonlyArray<Finding> } => {
  const all: Array<Finding> = []
  for (const finding of findings(own, subject)) {
    all.push(finding)
    if (!finding.fits) return { fits: false, findings: all }
  }
  if (any === undefined) return { fits: true, findings: all }
  for (const alternative of any) {
    const { findings: some, fits } = judge(alternative, subject)
    all.push(...some)
    if (fits) return { fits: true, findings: all }
  }
  return { fits: false, findings: all }
}

/** What has to be read about a person, and of which messages, before these conditions can be judged. */
export interface Needs {
  readonly devices: boolean
  readonly engagement: boolean
  /** Keys of SEND steps. */
  readonly messages: ReadonlyArray<string>
}

export const needsOf = (all: ReadonlyArray<Conditions>): Needs => {
  const each: ReadonlyArray<Own> = all.flatMap(({ any, ...own }) => [own, ...(any ?? [])])
  return {
    devices: each.some(({ last_seen, platforms }) => (last_seen ?? platforms) !== undefined),
    engagement: each.some(({ engagement }) => engagement !== undefined),
    messages: [...new Set(each.flatMap(({ steps }) => (steps ?? []).map(({ key }) => key)))]
  }
}
