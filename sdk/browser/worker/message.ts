import { safeAddress } from "../shared/addresses.ts"

/** What is shown of a push, and what a click on it needs to know. */
export interface Shown {
  readonly title: string
  readonly options: NotificationOptions
  readonly data: {
    readonly notificationId: string | null
    readonly deviceId: string | null
    /** http or https alone; null: the site's first page. */
    readonly url: string | null
    readonly actionUrls: Readonly<Record<string, string>>
    readonly custom: unknown
  }
}

/** With whole characters alone: Chromium ends the site's tabs over a tag with half of one. */
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? new TextDecoder().decode(new TextEncoder().encode(value)) : undefined

const link = (value: unknown, base: string): string | undefined => safeAddress(value, base) ?? undefined

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const parsed = (payload: string | null): Record<string, unknown> | null => {
  try {
    return objectOf(JSON.parse(payload ?? ""))
  } catch {
    return null
  }
}

/** Reads a payload of any age: a field that is not as it should be is as if it were not there. */
export const messageOf = (payload: string | null, base: string): Shown => {
  const message = parsed(payload) ?? {}
  const notificationId = text(message["service_notification_id"]) ?? null
  const actions = (Array.isArray(message["actions"]) ? message["actions"] : []).map(objectOf).flatMap((action) => {
    const name = text(action["action"])
    const title = text(action["title"])
    return name === undefined || title === undefined
      ? []
      : [{ action: name, title, icon: link(action["icon"], base), url: link(action["url"], base) }]
  })
  // A message that comes twice, or replaces an earlier one, is shown once.
  const tag = text(message["tag"]) ?? text(message["collapse_key"]) ?? notificationId ?? undefined
  const options = {
    body: text(message["body"]),
    icon: link(message["icon"], base),
    image: link(message["image"], base),
    badge: link(message["badge"], base),
    lang: text(message["lang"]),
    dir: /^(auto|ltr|rtl)$/.test(String(message["dir"])) ? (message["dir"] as NotificationDirection) : undefined,
    tag,
    silent: message["silent"] === true || undefined,
    renotify: (tag !== undefined && message["renotify"] === true) || undefined,
    requireInteraction: message["require_interaction"] === true || undefined,
    timestamp: typeof message["timestamp"] === "number" ? message["timestamp"] : undefined,
    actions:
      actions.length === 0
        ? undefined
        : actions.map(({ action, icon, title }) => withoutMissing({ action, title, icon }))
  }
  return {
    title: text(message["title"]) ?? (options.body === undefined ? "New message" : new URL(base).hostname),
    options: withoutMissing(options) as NotificationOptions,
    data: {
      notificationId,
      deviceId: text(message["service_device_id"]) ?? null,
      url: link(message["url"], base) ?? null,
      actionUrls: Object.fromEntries(actions.flatMap(({ action, url }) => (url === undefined ? [] : [[action, url]]))),
      custom: message["data"] ?? null
    }
  }
}

const withoutMissing = <A extends object>(object: A): A =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as A
