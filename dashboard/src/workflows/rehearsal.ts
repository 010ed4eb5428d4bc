import type { TypedAttribute } from "../contacts/attributes.ts"
import { attributesOf, repeatedName, textOf, valueOf } from "../contacts/attributes.ts"
import { readJson, wrongWithin } from "../parts/json.ts"
import type { MessageState } from "./conditions.ts"
import type { Step } from "./steps.ts"
import { inOrder } from "./steps.ts"

/*
 * A dry run as it is typed, and as the API takes it (docs/workflows.md): whose way is tried, what the trigger brings, and
 * what is made up of messages, servers and events, by the keys of steps.
 */

/** The farthest that a message comes. */
export type Reached = "sent" | "delivered" | "opened" | "clicked" | "failed" | "skipped"

export const REACHED: ReadonlyArray<readonly [Reached, string]> = [
  ["sent", "It is sent, and nothing more is known"],
  ["delivered", "It is delivered"],
  ["opened", "It is opened"],
  ["clicked", "It is clicked"],
  ["failed", "It fails"],
  ["skipped", "The person cannot be reached"]
]

/** Who clicks has opened what was delivered. */
const STATES: Readonly<Record<Reached, ReadonlyArray<MessageState>>> = {
  sent: ["sent"],
  delivered: ["sent", "delivered"],
  opened: ["sent", "delivered", "opened"],
  clicked: ["sent", "delivered", "opened", "clicked"],
  failed: ["failed"],
  skipped: ["skipped"]
}

export interface Rehearsal {
  readonly isOpen: boolean
  readonly who: "contact" | "sample"
  /** What is typed to find a contact, or the id of the one that was picked. */
  readonly person: string
  /** Divided by commas. */
  readonly tags: string
  readonly attributes: ReadonlyArray<TypedAttribute>
  readonly locale: string
  readonly timezone: string
  readonly dataAs: "fields" | "json"
  /** Null until something is typed: then those that the steps read stand there. */
  readonly fields: ReadonlyArray<TypedAttribute> | null
  readonly json: string
  readonly outcomes: Readonly<Record<string, Reached>>
  /** An empty status is 200, an empty body none. */
  readonly answers: Readonly<Record<string, { readonly status: string; readonly body: string }>>
  /** Of the events that come; empty texts are those without data. */
  readonly events: Readonly<Record<string, string>>
}

export const EMPTY: Rehearsal = {
  isOpen: false,
  who: "contact",
  person: "",
  tags: "",
  attributes: [],
  locale: "",
  timezone: "",
  dataAs: "fields",
  fields: null,
  json: "",
  outcomes: {},
  answers: {},
  events: {}
}

const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** The names in conditions on what a run carries. */
const askedIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const { data } = value as { readonly data?: unknown }
  const rules = Array.isArray(data) ? (data as ReadonlyArray<{ readonly name?: unknown }>) : []
  return [
    ...rules.flatMap((rule) => (typeof rule?.name === "string" ? [rule.name] : [])),
    ...Object.values(value).flatMap(askedIn)
  ]
}

/** What of the trigger's data the steps read, by path: in their conditions, and in their texts as `data.…`. */
export const pathsRead = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const written = textsIn(steps).flatMap((text) =>
    [...text.matchAll(/\bdata\.([a-z_]\w*(?:\.[a-z_]\w*)*)/gi)].map(([, path]) => path!)
  )
  // What steps bring stands under `steps`.
  return [...new Set([...askedIn(steps), ...written])].filter((path) => !/^steps\b/.test(path))
}

export const fieldsOf = ({ fields }: Rehearsal, steps: ReadonlyArray<Step>): ReadonlyArray<TypedAttribute> =>
  fields ?? pathsRead(steps).map((name) => ({ name, value: "" }))

type Json = Readonly<Record<string, unknown>>
type Leaf = readonly [path: ReadonlyArray<string>, value: unknown]

const nested = (leaves: ReadonlyArray<Leaf>): Json =>
  Object.fromEntries(
    [...Map.groupBy(leaves, ([path]) => path[0]!)].map(([name, all]) => {
      const inside = all.filter(([path]) => path.length > 1).map(([path, value]) => [path.slice(1), value] as const)
      return [name, inside.length > 0 ? nested(inside) : all[0]![1]]
    })
  )

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const flat = (value: Json, above: ReadonlyArray<string> = []): ReadonlyArray<TypedAttribute> =>
  Object.entries(value).flatMap(([name, one]) => {
    const path = [...above, name]
    return isObject(one) && Object.keys(one).length > 0
      ? flat(one, path)
      : [{ name: path.join("."), value: textOf(one) }]
  })

const filled = (fields: ReadonlyArray<TypedAttribute>) =>
  fields
    .map(({ name, value }) => ({ name: name.trim(), value }))
    .filter(({ name, value }) => name !== "" && value.trim() !== "")

/** Fields as JSON: `order.total` is inside `order`; those without a value are left out. */
export const dataOf = (fields: ReadonlyArray<TypedAttribute>): Json =>
  nested(filled(fields).map(({ name, value }) => [name.split("."), valueOf(value)]))

/** An object from JSON; null where the text is none that can be sent. */
const objectIn = (text: string): Json | null => {
  if (text.trim() === "") return {}
  const { value, wrong } = readJson(text)
  return isObject(value) && wrong === null ? value : null
}

/** Why a text is no such object, in words; null where it is one. */
export const objectFault = (name: string, text: string): string | null => {
  if (objectIn(text) !== null) return null
  const { wrong } = readJson(text)
  return wrong === null ? `${name} is no JSON object, such as {"total": 150}.` : `${name} ${wrongWithin(wrong)}.`
}

/** The same data the other way. Null: what is typed cannot be shown so. */
export const dataAs = (
  typed: Rehearsal,
  steps: ReadonlyArray<Step>,
  as: Rehearsal["dataAs"]
): Partial<Rehearsal> | null => {
  if (as === typed.dataAs) return {}
  if (as === "json") return { dataAs: as, json: JSON.stringify(dataOf(fieldsOf(typed, steps)), null, 2) }
  const data = objectIn(typed.json)
  if (data === null) return null
  const fields = flat(data)
  const left = pathsRead(steps).filter((path) => !fields.some(({ name }) => name === path))
  return { dataAs: as, fields: [...fields, ...left.map((name) => ({ name, value: "" }))] }
}

const fieldFault = (fields: ReadonlyArray<TypedAttribute>): string | null => {
  const given = filled(fields)
  const repeated = repeatedName(given)
  if (repeated !== null) return `What the trigger brings has ${repeated} twice: leave one of them out.`
  const above = given.find(({ name }) => given.some((other) => other.name.startsWith(`${name}.`)))
  return above === undefined
    ? null
    : `What the trigger brings has ${above.name} and something inside it: leave one of them out.`
}

const listOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean)
  )
]

const ofType = (steps: ReadonlyArray<Step>, type: Step["type"]) => inOrder(steps).filter((step) => step.type === type)

/** What cannot be tried as it is typed, in words; null where all can be tried. */
export const faultIn = (typed: Rehearsal, steps: ReadonlyArray<Step>, userId: string): string | null => {
  if (typed.who === "contact" && userId === "") return "Choose a contact, or make somebody up."
  const repeated = repeatedName(typed.attributes)
  if (typed.who === "sample" && repeated !== null) return `There are two attributes ${repeated}.`
  const data =
    typed.dataAs === "fields" ? fieldFault(fieldsOf(typed, steps)) : objectFault("What the trigger brings", typed.json)
  if (data !== null) return data
  for (const { key } of ofType(steps, "WAIT_FOR")) {
    const event = objectFault(`What the event of ${key} brings`, typed.events[key] ?? "")
    if (event !== null) return event
  }
  for (const { key } of ofType(steps, "FETCH")) {
    const { wrong } = readJson(typed.answers[key]?.body ?? "")
    if (wrong !== null) return `What ${key} is answered ${wrongWithin(wrong)}.`
  }
  const answer = ofType(steps, "FETCH").find(({ key }) => {
    const status = typed.answers[key]?.status.trim() ?? ""
    return status !== "" && !/^[2-5]\d\d$/.test(status)
  })
  return answer ? `The status that ${answer.key} is answered is a number from 200 to 599.` : null
}

/** By the keys of steps that are there: others may have gone since they were typed. */
const byKey = <Value>(steps: ReadonlyArray<Step>, type: Step["type"], of: (key: string) => Value | undefined) => {
  const all = ofType(steps, type).flatMap(({ key }) => {
    const value = of(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

/** The request, of what has no fault. */
export const requestOf = (typed: Rehearsal, steps: ReadonlyArray<Step>, userId: string) => {
  const { answers, attributes, events, json, locale, outcomes, tags, timezone, who } = typed
  const sample = {
    tags: listOf(tags),
    attributes: attributesOf(attributes),
    locale: locale.trim() || null,
    timezone: timezone.trim() || null
  }
  const made = {
    outcomes: byKey(steps, "SEND", (key) => outcomes[key] && STATES[outcomes[key]]),
    answers: byKey(steps, "FETCH", (key) => {
      const one = answers[key]
      if (one === undefined) return undefined
      return {
        status: Number(one.status.trim() || 200),
        ...(one.body.trim() !== "" && { body: valueOf(one.body) })
      }
    }),
    events: byKey(steps, "WAIT_FOR", (key) => (events[key] === undefined ? undefined : objectIn(events[key])!))
  }
  return {
    ...(who === "contact" ? { userId } : { contact: sample }),
    data: typed.dataAs === "json" ? objectIn(json)! : dataOf(fieldsOf(typed, steps)),
    ...Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined))
  }
}
