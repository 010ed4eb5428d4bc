import { valueOf } from "../contacts/attributes.ts"
import type { ContactInput, RegisterDeviceInput } from "./operations.ts"
import { isQuotedFormula } from "./rows.ts"

/* What becomes of each column: a field, an attribute under the column's name, or nothing. */

export type Kind = "contacts" | "devices"

export const FIELDS: Readonly<Record<Kind, ReadonlyArray<readonly [target: string, words: string]>>> = {
  contacts: [
    ["externalId", "Your own id"],
    ["email", "E-mail"],
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

/** What columns mean by their names; the first of several that mean the same has the field. */
export const guess = (kind: Kind, columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  return columns.map((name) => {
    const target = NAMES[kind][name.toLowerCase().replace(/[^a-z0-9]/g, "")] ?? "attribute"
    if (!isShared(target) && taken.has(target)) return "attribute"
    taken.add(target)
    return target
  })
}

/** What stands in the way of beginning; null where nothing does. */
export const obstacleOf = (kind: Kind, targets: ReadonlyArray<string>): string | null => {
  const words = new Map(FIELDS[kind])
  const missing = NEEDED[kind].find((target) => !targets.includes(target))
  if (missing !== undefined) return `Say which column is “${words.get(missing)}”: nothing can be imported without it.`
  const twice = targets.find((target, i) => !isShared(target) && targets.indexOf(target) < i)
  return twice === undefined ? null : `Two columns are “${words.get(twice)}”: choose one of them.`
}

const textIn = (value: unknown): string =>
  typeof value === "string" ? (isQuotedFormula(value) ? value.slice(1) : value).trim() : JSON.stringify(value)

const tagsIn = (value: unknown): ReadonlyArray<string> | null => {
  const given = typeof value === "string" && value.trim().startsWith("[") ? valueOf(value) : value
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

const encoder = new TextEncoder()
/** Of a value as JSON. */
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length

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
  const attributes: Record<string, unknown> = {}
  let hasAttributes = false
  for (const [i, target] of targets.entries()) {
    const value = values[i]
    if (target === "" || value === null || value === undefined || (typeof value === "string" && value.trim() === ""))
      continue
    const name = columns[i]!
    if (target === "attribute" || target === "text") {
      const text = typeof value === "string" ? textIn(value) : null
      attributes[name] = text === null ? value : target === "text" ? text : valueOf(text)
      hasAttributes = true
    } else if (target === "attributes") {
      const given = typeof value === "string" ? valueOf(value) : value
      if (typeof given !== "object" || given === null || Array.isArray(given))
        return refused(`${name} must be a JSON object`)
      Object.assign(attributes, given)
      hasAttributes = true
    } else if (target === "tags") {
      const tags = tagsIn(value)
      if (tags === null) return refused(`${name} must be tags, divided by commas`)
      fields["tags"] = tags
    } else if (target === "platform" || target === "environment") {
      const known = target === "platform" ? PLATFORMS : ENVIRONMENTS
      const found = known[textIn(value).toLowerCase()]
      if (found === undefined) return refused(`${name} must be one of ${Object.keys(known).join(", ")}`)
      fields[target] = found
    } else {
      fields[target] = textIn(value)
    }
  }
  const missing = NEEDED[kind].find((target) => fields[target] === undefined)
  if (missing !== undefined) return refused(`${columns[targets.indexOf(missing)] ?? missing} is missing`)
  if (hasAttributes) fields[kind === "contacts" ? "attributes" : "metadata"] = attributes
  if (bytesOf(fields) > LONGEST) return refused("is too long")
  return { input: fields as unknown as ContactInput | RegisterDeviceInput, fault: null }
}
