import type { JsonObject } from "../Json.ts"
import { isJsonObject } from "../Json.ts"
import type { Message } from "./Notification.ts"

/** What the messages of all push providers have in common. */

/** The names under which every push carries its ids. A customer's overrides cannot set them. */
export const NOTIFICATION_ID = "service_notification_id"
export const DEVICE_ID = "service_device_id"

/**
 * Lays `over` upon `base`, as RFC 7396 does: objects are merged, null removes, everything else replaces.
 * `__proto__` is left out: assigned like any other name, it would change the object instead of the text.
 */
export const merge = (base: JsonObject, over: JsonObject): JsonObject => {
  const out: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    if (name === "__proto__") continue
    if (value === null) delete out[name]
    else if (isJsonObject(value)) {
      const under = out[name]
      out[name] = merge(isJsonObject(under) ? under : {}, value)
    } else out[name] = value
  }
  return out
}

/** A text that is the same for all recipients but for the device's id, which stands between both parts. */
export interface Template {
  readonly before: string
  readonly after: string
  /** UTF-8 bytes of the whole text. Ids have 36 of them. */
  readonly bytes: number
}

const ID_BYTES = 36
const utf8 = new TextEncoder()

/** Serialises an object once: with the notification's id, and a gap where each device's own id goes. */
export const template = (message: Message, object: JsonObject): Template => {
  const { [NOTIFICATION_ID]: _notification, [DEVICE_ID]: _device, ...rest } = object
  const text = JSON.stringify({ ...rest, [NOTIFICATION_ID]: message.notificationId })
  const before = `${text.slice(0, -1)},"${DEVICE_ID}":"`
  return { before, after: '"}', bytes: utf8.encode(before).length + ID_BYTES + 2 }
}

/** Whether a message is too old to be sent. One for "now or never" has no time to live at all: it is tried once. */
export const isExpired = (message: Message, now: number): boolean => !message.nowOrNever && message.expiresAt <= now

/** Seconds that a provider may keep trying: whole ones, and one at least, as none are for now or never. */
export const secondsLeft = (message: Message, now: number): number =>
  message.nowOrNever ? 0 : Math.max(1, Math.floor((message.expiresAt - now) / 1000))

/** An HTTP date as it is written today, or as RFC 850 had it. `Date.parse` alone takes "1.5" and "5, 10" for days of 2001. */
const HTTP_DATE =
  /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/

/**
 * The milliseconds that a Retry-After header asks to wait: seconds or an HTTP date, 0 for one that is over. Null when it
 * says neither (RFC 9110, 10.2.3).
 */
export const retryAfterMs = (header: string | undefined, now: number): number | null => {
  if (header === undefined) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/**
 * How long a limit lasts: `wait`, as the provider says (null: it does not), or `otherwise`. 0 is no word on it: it comes from
 * a date that is over, by clocks that differ or servers that know no better, and an attempt that met a limit does not
 * count, so that a message sent again at once, and refused at once, would go on so for as long as it lives.
 */
export const pauseOf = (wait: number | null, otherwise: number): number =>
  wait === null || wait === 0 ? otherwise : wait

/** What a provider says of itself, made fit for an operator's eyes and logs: one short printable line. */
export const shownLine = (said: string): string =>
  said
    .slice(0, 1000)
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, 200)

/** Refusals in a row, over all batches of a credential, from which they count as being about the credential. */
export const REFUSALS_OF_A_CREDENTIAL = 10

/**
 * Tells whether refusals that could be about single recipients are about the credential instead: when nobody in the
 * batch was accepted, nor anybody in the attempts before it, as many as that in a row.
 */
export class RefusalRun {
  readonly #limit: number
  #run = 0

  constructor(limit: number = REFUSALS_OF_A_CREDENTIAL) {
    this.#limit = limit
  }

  accepted(): void {
    this.#run = 0
  }

  refused(): void {
    this.#run++
  }

  get blamesCredential(): boolean {
    return this.#run >= this.#limit
  }
}
