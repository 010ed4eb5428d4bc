import { isObject } from "./Simulator.ts"

/** A field that Google would refuse: its path and what is wrong with it. */
export interface Violation {
  readonly field: string
  readonly description: string
}

type Check = (value: unknown, path: string) => Violation | undefined

const violation = (field: string, description: string): Violation => ({ field, description })

const text: Check = (value, path) =>
  typeof value === "string"
    ? undefined
    : violation(path, `Invalid value at '${path}' (TYPE_STRING), ${JSON.stringify(value)}`)
const flag: Check = (value, path) =>
  typeof value === "boolean"
    ? undefined
    : violation(path, `Invalid value at '${path}' (TYPE_BOOL), ${JSON.stringify(value)}`)
const number: Check = (value, path) =>
  typeof value === "number"
    ? undefined
    : violation(path, `Invalid value at '${path}' (TYPE_INT32), ${JSON.stringify(value)}`)
const object: Check = (value, path) =>
  isObject(value) ? undefined : violation(path, `Invalid value at '${path}', must be an object`)
const texts: Check = (value, path) =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
    ? undefined
    : violation(path, `Invalid value at '${path}', must be a list of strings`)

const oneOf =
  (type: string, ...values: ReadonlyArray<string>): Check =>
  (value, path) =>
    typeof value === "string" && values.includes(value.toUpperCase())
      ? undefined
      : violation(path, `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`)

const stringMap: Check = (value, path) => {
  if (!isObject(value)) return violation(path, `Invalid value at '${path}', must be a map of strings`)
  for (const [name, item] of Object.entries(value)) {
    if (typeof item !== "string") {
      return violation(
        `${path}[${JSON.stringify(name)}]`,
        `Invalid value at '${path}[${JSON.stringify(name)}].value' (TYPE_STRING), ${JSON.stringify(item)}`
      )
    }
  }
  return undefined
}

/** `data`: strings only, and no key that Google keeps for itself. */
const data: Check = (value, path) => {
  const wrong = stringMap(value, path)
  if (wrong !== undefined) return wrong
  for (const name of Object.keys(value as object)) {
    if (name === "from" || name === "message_type" || name.startsWith("google.") || name.startsWith("gcm.")) {
      return violation(path, `Invalid data payload key: ${name}`)
    }
  }
  return undefined
}

const MAX_TTL_SECONDS = 2_419_200

const ttl: Check = (value, path) => {
  const seconds = typeof value === "string" ? /^(\d{1,12})(\.\d{1,9})?s$/.exec(value) : null
  if (seconds === null) {
    return violation(
      path,
      `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Duration), Illegal duration format; duration must end with 's'`
    )
  }
  return Number(seconds[1]) > MAX_TTL_SECONDS
    ? violation(path, "Invalid ttl: must be at most 2419200 seconds (four weeks)")
    : undefined
}

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A message of known fields, under their proto names or their JSON names; anything else is unknown to Google. */
const message = (fields: Readonly<Record<string, Check>>): Check => {
  const known = new Map<string, Check>()
  for (const [name, check] of Object.entries(fields)) {
    known.set(name, check)
    known.set(camel(name), check)
  }
  return (value, path) => {
    if (!isObject(value)) return violation(path, `Invalid value at '${path}', must be an object`)
    for (const [name, item] of Object.entries(value)) {
      const check = known.get(name)
      if (check === undefined) {
        return violation(path, `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`)
      }
      const wrong = check(item, path === "" ? name : `${path}.${name}`)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
}

const options = message({ analytics_label: text, image: text, link: text })
const androidNotification = message({
  title: text,
  body: text,
  icon: text,
  color: text,
  sound: text,
  tag: text,
  click_action: text,
  body_loc_key: text,
  body_loc_args: texts,
  title_loc_key: text,
  title_loc_args: texts,
  channel_id: text,
  ticker: text,
  sticky: flag,
  event_time: text,
  local_only: flag,
  notification_priority: oneOf(
    "NotificationPriority",
    "PRIORITY_UNSPECIFIED",
    "PRIORITY_MIN",
    "PRIORITY_LOW",
    "PRIORITY_DEFAULT",
    "PRIORITY_HIGH",
    "PRIORITY_MAX"
  ),
  default_sound: flag,
  default_vibrate_timings: flag,
  default_light_settings: flag,
  vibrate_timings: texts,
  visibility: oneOf("Visibility", "VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"),
  notification_count: number,
  light_settings: object,
  image: text,
  bypass_proxy_notification: flag,
  proxy: oneOf("Proxy", "PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED")
})

const request = message({
  validate_only: flag,
  message: message({
    name: text,
    data,
    notification: message({ title: text, body: text, image: text }),
    android: message({
      collapse_key: text,
      priority: oneOf("AndroidMessagePriority", "NORMAL", "HIGH"),
      ttl,
      restricted_package_name: text,
      data,
      notification: androidNotification,
      fcm_options: options,
      direct_boot_ok: flag,
      bandwidth_constrained_ok: flag,
      restricted_satellite_ok: flag
    }),
    webpush: message({ headers: stringMap, data: stringMap, notification: object, fcm_options: options }),
    apns: message({ headers: stringMap, payload: object, fcm_options: options, live_activity_token: text }),
    fcm_options: options,
    token: text,
    topic: text,
    condition: text
  })
})

/** The first thing that is wrong with the body of messages:send, or undefined. */
export const violationIn = (body: Readonly<Record<string, unknown>>): Violation | undefined => {
  const wrong = request(body, "")
  if (wrong !== undefined) return wrong
  const inner = body["message"]
  if (!isObject(inner)) return violation("message", "Message is required")
  const targets = ["token", "topic", "condition"].filter((name) => inner[name] !== undefined)
  if (targets.length !== 1) {
    return violation("message", "Recipient of the message is not set, or more than one: set token, topic or condition")
  }
  return undefined
}

/** Bytes that Google counts against its 4096: what the application put in `notification` and `data`. */
export const payloadBytes = (inner: Readonly<Record<string, unknown>>): number => {
  let bytes = 0
  for (const part of [inner["notification"], inner["data"], isObject(inner["android"]) && inner["android"]["data"]]) {
    if (!isObject(part)) continue
    for (const [name, value] of Object.entries(part)) {
      bytes += Buffer.byteLength(name) + Buffer.byteLength(String(value))
    }
  }
  return bytes
}
