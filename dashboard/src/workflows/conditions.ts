import { textOf } from "../contacts/attributes.ts"
import type { Condition, Kind } from "../segments/conditions.ts"
import {
  comparedWith,
  gapOf as gapOfCondition,
  isDays,
  isRepeatable,
  KINDS,
  listOf,
  newCondition,
  ordered,
  takesValue,
  valueFault
} from "../segments/conditions.ts"

/*
 * The conditions of a step as they are typed, and as the API takes them (docs/workflows.md): those of segments, about the
 * person; about what the run carries; and about what became of messages. What is not whole yet is kept as it was typed.
 */

export const MESSAGE_STATES = ["sent", "failed", "skipped", "delivered", "opened", "clicked"] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

export type Rule =
  | { readonly about: "person"; readonly one: Condition }
  /** Fields as an attribute has them. */
  | { readonly about: "data"; readonly one: Condition }
  | { readonly about: "steps"; readonly key: string; readonly is: MessageState; readonly isNot: boolean }

export interface Rules {
  readonly all: ReadonlyArray<Rule>
  /** One of these lists has to fit, beside `all`. */
  readonly any: ReadonlyArray<ReadonlyArray<Rule>>
}

export type RuleKind = Kind | "data" | "steps"
export const RULE_KINDS: Readonly<Record<RuleKind, string>> = {
  data: "What the event, or a step, brought",
  steps: "What became of a message",
  ...KINDS
}

export const newRule = (kind: RuleKind, messages: ReadonlyArray<string>): Rule => {
  if (kind === "data") return { about: "data", one: newCondition("attributes") }
  if (kind === "steps") return { about: "steps", key: messages.at(-1) ?? "", is: "opened", isNot: false }
  return { about: "person", one: newCondition(kind) }
}

export const kindOf = (rule: Rule): RuleKind => (rule.about === "person" ? rule.one.kind : rule.about)

/** The kinds of which one more can be asked. */
export const kindsLeft = (rules: ReadonlyArray<Rule>): ReadonlyArray<RuleKind> => {
  const taken = new Set(rules.map(kindOf))
  return (Object.keys(RULE_KINDS) as ReadonlyArray<RuleKind>).filter(
    (kind) => kind === "data" || kind === "steps" || isRepeatable(kind) || !taken.has(kind)
  )
}

/** What is missing in a condition; null where nothing is. The service judges the rest. */
export const gapOf = (rule: Rule): string | null => {
  if (rule.about === "steps") return rule.key === "" ? "Choose a step that sends." : null
  if (rule.about === "data" && rule.one.name.trim() === "") return "Give the path, such as order.total."
  return gapOfCondition(rule.one)
}

type Json = Readonly<Record<string, unknown>>
const NAMES = {
  tagsAny: "tags_any",
  tagsAll: "tags_all",
  tagsNone: "tags_none",
  platforms: "platforms",
  locales: "locales",
  timezones: "timezones",
  attributes: "attributes",
  lastSeen: "last_seen",
  engagement: "engagement"
} as const satisfies Readonly<Record<Kind, string>>

const daysIn = (text: string): number | string => (isDays(text) ? Number(text) : text.trim())

/** A value at fault is as good as none: the step is not taken without one. */
const compared = (one: Condition): Json => ({
  name: one.name.trim(),
  op: one.op.toLowerCase(),
  ...(takesValue(one.op) && { value: comparedWith(valueFault(one) === null ? one : { ...one, value: "" }) })
})

/** What a condition adds under its name; those that may stand there several times are collected in a list. */
const jsonOfOne = (rule: Rule): readonly [name: string, value: unknown, isOfMany: boolean] => {
  if (rule.about === "steps") {
    return ["steps", { key: rule.key, is: rule.is, ...(rule.isNot && { not: true }) }, true]
  }
  const { one } = rule
  if (rule.about === "data") return ["data", compared(one), true]
  const name = NAMES[one.kind]
  switch (one.kind) {
    case "attributes":
      return [name, compared(one), true]
    case "engagement": {
      const did = { type: one.type.toLowerCase(), within_days: daysIn(one.days), ...(one.isNot && { not: true }) }
      return [name, did, true]
    }
    case "lastSeen": {
      const within = one.days.trim() === "" ? {} : { within_days: daysIn(one.days) }
      return [name, { ...within, ...(one.notDays.trim() !== "" && { not_within_days: daysIn(one.notDays) }) }, false]
    }
    case "platforms":
      return [name, one.platforms.map((platform) => platform.toLowerCase()), false]
    default:
      return [name, listOf(one.list), false]
  }
}

const jsonOfList = (rules: ReadonlyArray<Rule>): Json => {
  const json: Record<string, unknown> = {}
  for (const rule of rules) {
    const [name, value, isOfMany] = jsonOfOne(rule)
    json[name] = isOfMany ? [...((json[name] as ReadonlyArray<unknown> | undefined) ?? []), value] : value
  }
  return json
}

export const jsonOf = ({ all, any }: Rules): Json => ({
  ...jsonOfList(all),
  ...(any.length > 0 && { any: any.map(jsonOfList) })
})

/** The path of each condition, as the service names it. */
export const pathsOf = (rules: ReadonlyArray<Rule>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  return rules.map((rule) => {
    const [name, , isOfMany] = jsonOfOne(rule)
    const n = counts.get(name) ?? 0
    counts.set(name, n + 1)
    return isOfMany ? `${name}[${n}]` : name
  })
}

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])
const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value))

const comparedOf = ({ name, op, value }: Json): Condition => ({
  ...newCondition("attributes"),
  name: text(name),
  op: text(op).toUpperCase() as Condition["op"],
  value: value === undefined ? "" : Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)
})

const rulesOfList = (json: Json): ReadonlyArray<Rule> => {
  const about = (one: Condition): Rule => ({ about: "person", one })
  const named = Object.entries(NAMES) as ReadonlyArray<readonly [Kind, string]>
  const person = named.flatMap(([kind, name]): ReadonlyArray<Condition> => {
    const value = json[name]
    const empty = newCondition(kind)
    if (value === undefined) return []
    switch (kind) {
      case "attributes":
        return list(value).map(comparedOf)
      case "engagement":
        return list(value).map(({ not, type, within_days }) => ({
          ...empty,
          type: text(type).toUpperCase() as Condition["type"],
          isNot: not === true,
          days: text(within_days)
        }))
      case "lastSeen": {
        const { not_within_days, within_days } = value as Json
        return [{ ...empty, days: text(within_days), notDays: text(not_within_days) }]
      }
      case "platforms":
        return [{ ...empty, platforms: list(value).map((one) => text(one).toUpperCase() as never) }]
      default:
        return [{ ...empty, list: list(value).map(text).join(", ") }]
    }
  })
  return [
    ...person.map(about),
    ...list(json["data"]).map((one): Rule => ({ about: "data", one: comparedOf(one) })),
    ...list(json["steps"]).map(({ is, key, not }): Rule => ({
      about: "steps",
      key: text(key),
      is: text(is) as MessageState,
      isNot: not === true
    }))
  ]
}

/** The conditions as they are typed; null where they hold what the form would lose. */
export const rulesOf = (conditions: unknown): Rules | null => {
  const json = (conditions ?? {}) as Json
  try {
    const rules = { all: rulesOfList(json), any: list(json["any"]).map(rulesOfList) }
    return ordered(jsonOf(rules)) === ordered(json) ? rules : null
  } catch {
    return null
  }
}
