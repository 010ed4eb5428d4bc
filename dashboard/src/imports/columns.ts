import { readJson, wrongAt } from "../parts/json.ts"
import { ownOf } from "../parts/own.ts"
import type { ContactInput, RegisterDeviceInput } from "./operations.ts"
import { isQuotedFormula } from "./rows.ts"

/* What becomes of each column: a field, an attribute under the column's name, or nothing. */

export type Kind = "contacts" | "devices"

export const FIELDS: Readonly<Record<Kind, ReadonlyArray<readonly [target: string, words: string]>>> = {
  contacts: [
    ["externalId", "Your own id"],
    ["email", "E-mail"],
    ["emailAsId", "E-mail, which is your own id too"],
    ["tags", "Tags"],
    ["locale", "Language"],
    ["timezone", "Time zone"],
    ["attribute", "Attribute"],
    ["text", "Attribute, as a text"],
    ["attributes", "All attributes, as JSON"]
  ],
  devices: [
    ["token", "Token"],
    ["platform", "Platform"],
    ["userId", "Your own id of the person"],
    ["tags", "Tags"],
    ["timezone", "Time zone"],
    ["environment", "Environment"],
    ["webPushP256dh", "Web push: p256dh"],
    ["webPushAuth", "Web push: auth"],
    ["attribute", "Metadata"],
    ["text", "Metadata, as a text"],
    ["attributes", "All metadata, as JSON"]
  ]
}

/** Fields that several columns may fill. */
const isShared = (target: string): boolean => target === "" || target === "attribute" || target === "text"

/** The fields that a column fills. */
const filledBy = (target: string): ReadonlyArray<string> =>
  target === "emailAsId" ? ["externalId", "email"] : [target]

/** Without these nothing can be imported. */
export const NEEDED: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  contacts: ["externalId"],
  devices: ["token", "platform"]
}

const NAMES: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  contacts: {
    externalid: "externalId",
    userid: "externalId",
    customerid: "externalId",
    id: "externalId",
    email: "email",
    emailaddress: "email",
    mail: "email",
    tags: "tags",
    labels: "tags",
    locale: "locale",
    language: "locale",
    lang: "locale",
    timezone: "timezone",
    tz: "timezone",
    attributes: "attributes",
    createdat: "",
    updatedat: "",
    // Digits that are no number.
    zip: "text",
    zipcode: "text",
    postcode: "text",
    postalcode: "text",
    phone: "text",
    phonenumber: "text",
    mobile: "text"
  },
  devices: {
    token: "token",
    devicetoken: "token",
    endpoint: "token",
    platform: "platform",
    os: "platform",
    userid: "userId",
    externalid: "userId",
    tags: "tags",
    timezone: "timezone",
    environment: "environment",
    webpushp256dh: "webPushP256dh",
    p256dh: "webPushP256dh",
    webpushauth: "webPushAuth",
    auth: "webPushAuth",
    metadata: "attributes",
    id: "",
    status: "",
    invalidreason: "",
    createdat: "",
    lastseenat: ""
  }
}

/**
 * What columns mean by their names; the first of several that mean the same has the field. People without an id of one's
 * own are known by their addresses.
 */
export const guess = (kind: Kind, columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  const targets = columns.map((name) => {
    const target = ownOf(NAMES[kind], name.toLowerCase().replace(/[^a-z0-9]/g, "")) ?? "attribute"
    if (!isShared(target) && taken.has(target)) return "attribute"
    taken.add(target)
    return target
  })
  if (kind === "devices" || taken.has("externalId")) return targets
  return targets.map((target) => (target === "email" ? "emailAsId" : target))
}

/** What stands in the way of beginning; null where nothing does. */
export const obstacleOf = (kind: Kind, targets: ReadonlyArray<string>): string | null => {
  const words = new Map(FIELDS[kind])
  const filled = targets.flatMap(filledBy)
  const missing = NEEDED[kind].find((field) => !filled.includes(field))
  if (missing !== undefined) return `Say which column is “${words.get(missing)}”: nothing can be imported without it.`
  const twice = filled.find((field, i) => !isShared(field) && filled.indexOf(field) < i)
  return twice === undefined ? null : `Two columns are “${words.get(twice)}”: choose one of them.`
}

const textIn = (value: unknown): string =>
  typeof value === "string" ? (isQuotedFormula(value) ? value.slice(1) : value).trim() : JSON.stringify(value)

const tagsIn = (given: unknown): ReadonlyArray<string> | null => {
  if (Array.isArray(given)) return given.map(textIn)
  if (typeof given !== "string") return null
  return given
    .split(/[,;|]/)
    .map((tag) => textIn(tag))
    .filter(Boolean)
}

const PLATFORMS: Readonly<Record<string, RegisterDeviceInput["platform"]>> = {
  ios: "IOS",
  android: "ANDROID",
  web: "WEB"
}
const ENVIRONMENTS: Readonly<Record<string, NonNullable<RegisterDeviceInput["environment"]>>> = {
  production: "PRODUCTION",
  sandbox: "SANDBOX"
}

type Read<Input> = { readonly input: Input; readonly fault: null } | { readonly input: null; readonly fault: string }
const refused = (fault: string) => ({ input: null, fault }) as const

/** What a cell says: JSON, or a text. A number that would become another is no number then: ids of 64 bits are texts. */
const cellIn = (cell: unknown, name: string): Read<unknown> => {
  if (typeof cell !== "string") return { input: cell, fault: null }
  const { broken, value, wrong } = readJson(cell)
  if (wrong !== null && wrong.path.length > 0) return refused(wrongAt(wrong, name))
  return { input: broken === null && wrong === null ? value : cell, fault: null }
}

const encoder = new TextEncoder()
/** Of a value as JSON. */
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length

const ILL_FORMED = "must not contain U+0000 or half of a surrogate pair"

/** Of a row: the service takes 32, of which the request around it has three. */
const LEVELS = 29

/** What the service would refuse a whole request for (src/http/pipeline/Body.ts), or JSON cannot say; null: nothing. */
const faultIn = (value: unknown, levels = LEVELS): string | null => {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? ILL_FORMED : null
  if (typeof value !== "object" || value === null) return null
  if (levels === 0) return "is nested too deep"
  for (const [name, one] of Object.entries(value)) {
    if (name === "__proto__") return "must not have the name __proto__"
    const fault = faultIn(name, 0) ?? faultIn(one, levels - 1)
    if (fault !== null) return fault
  }
  return null
}

/** Bytes of a row as the service is asked with it. It takes less of one; more would have the whole request refused. */
const LONGEST = 24_000

/** What the service is asked with for a row. Empty cells are left out: what is there keeps its value. */
export const inputOf = (
  kind: Kind,
  columns: ReadonlyArray<string>,
  targets: ReadonlyArray<string>,
  values: ReadonlyArray<unknown>
): Read<ContactInput | RegisterDeviceInput> => {
  const fields: Record<string, unknown> = {}
  // In pairs: `__proto__` is a name like others, until it is assigned to an object.
  const attributes: Array<readonly [name: string, value: unknown]> = []
  let hasAttributes = false
  for (const [i, target] of targets.entries()) {
    const value = values[i]
    if (target === "" || value === null || value === undefined || (typeof value === "string" && value.trim() === ""))
      continue
    const name = columns[i]!
    if (target === "attribute" || target === "text") {
      const cell = typeof value === "string" ? textIn(value) : value
      const read = target === "text" ? { input: cell, fault: null } : cellIn(cell, name)
      if (read.fault !== null) return read
      attributes.push([name, read.input])
      hasAttributes = true
    } else if (target === "attributes") {
      const read = cellIn(value, name)
      if (read.fault !== null) return read
      const given = read.input
      if (typeof given !== "object" || given === null || Array.isArray(given))
        return refused(`${name} must be a JSON object`)
      attributes.push(...Object.entries(given))
      hasAttributes = true
    } else if (target === "tags") {
      const isList = typeof value === "string" && value.trim().startsWith("[")
      const read = isList ? cellIn(value, name) : { input: value, fault: null }
      if (read.fault !== null) return read
      const tags = tagsIn(read.input)
      if (tags === null) return refused(`${name} must be tags, divided by commas`)
      fields["tags"] = tags
    } else if (target === "platform" || target === "environment") {
      const known = target === "platform" ? PLATFORMS : ENVIRONMENTS
      const found = ownOf(known, textIn(value).toLowerCase())
      if (found === undefined) return refused(`${name} must be one of ${Object.keys(known).join(", ")}`)
      fields[target] = found
    } else {
      for (const field of filledBy(target)) fields[field] = textIn(value)
    }
  }
  const missing = NEEDED[kind].find((field) => fields[field] === undefined)
  if (missing !== undefined) {
    const column = columns[targets.findIndex((target) => filledBy(target).includes(missing))]
    return refused(`${column ?? missing} is missing`)
  }
  if (hasAttributes) fields[kind === "contacts" ? "attributes" : "metadata"] = Object.fromEntries(attributes)
  const fault = faultIn(fields)
  if (fault !== null) return refused(fault)
  if (bytesOf(fields) > LONGEST) return refused("is too long")
  return { input: fields as unknown as ContactInput | RegisterDeviceInput, fault: null }
}
