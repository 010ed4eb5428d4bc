import { dueAt, firstOfDay, zoneAmong } from "../../domain/sending/LocalTime.ts"
import type { KeptRequest, SendNotification } from "../../domain/sending/Notification.ts"
import { isDay } from "../../domain/Time.ts"
import type { AudiencePage } from "../../ports/audience/AudienceStore.ts"
import type { EngineSettings } from "../../ports/EngineSettings.ts"
import { RequestRefused } from "./Resolving.ts"

/*
 * When a notification is planned, due and expired: the rules that Accept and the planner share.
 */

/** How long a message with `ttl: 0` (now or never) may wait inside the engine for its only attempt. */
const NOW_OR_NEVER_MS = 30_000

/** A moment that is over for less than this was meant as now: clocks differ, and a request takes its time. */
const JUST_NOW_MS = 60_000
const DAY_MS = 86_400_000
/** A day is over everywhere when it is so in the last time zone. */
const LAST_ZONE_MS = 12 * 3_600_000
/** How far ahead anything can be scheduled: a year, also where it has a day more. */
const MOST_DAYS = 366

/** What is wrong with a `send_at` that is asked for now, in words that continue its name; null: nothing. */
const untimely = (sendAt: string, now: number): string | null => {
  const ahead = Date.parse(sendAt) - now
  if (ahead > MOST_DAYS * DAY_MS) return `must lie within ${MOST_DAYS} days from now`
  if (isDay(sendAt)) return ahead + DAY_MS + LAST_ZONE_MS <= 0 ? "must not be over everywhere" : null
  return ahead + JUST_NOW_MS < 0 ? "must lie in the future, or at most a minute ago, which means now" : null
}

/** Why a request cannot be sent when it asks to be; null when it can. */
export const untimelyOf = ({ send_at }: SendNotification, now: number): RequestRefused | null => {
  const message = send_at === undefined ? null : untimely(send_at, now)
  return message === null ? null : new RequestRefused({ field: "send_at", message })
}

/** How long a message is worth sending, from the moment it is due. */
export const ttlOf = ({ ttl }: KeptRequest, { defaultTtlMs }: EngineSettings["Service"]): number =>
  ttl === undefined ? defaultTtlMs : ttl * 1000 || NOW_OR_NEVER_MS

/**
 * When the audience is read (epoch ms); null: at once, as where the time is over. For a local time, that is before the
 * first clock shows it, and the notification counts as scheduled.
 */
export const planAt = ({ local_time, send_at }: KeptRequest, now: number): number | null => {
  if (local_time === undefined) {
    const at = send_at === undefined ? now : Date.parse(send_at)
    return at > now ? at : null
  }
  if (send_at === undefined) return now
  return Math.max(now, isDay(send_at) ? firstOfDay(send_at) : Date.parse(send_at))
}

export interface DueGroup {
  readonly dueAt: number
  readonly recipients: AudiencePage["recipients"]
}

/**
 * Divides pages of a notification's audience by the moment at which each recipient's clock shows the local time. What a
 * recipient's moment is depends on nothing but the zone, whichever page or planner comes to it.
 */
export const byLocalTime = (
  { local_time, send_at, timezone }: KeptRequest,
  acceptedAt: number,
  defaultTimezone: string
): ((recipients: AudiencePage["recipients"], zones: ReadonlyMap<string, string>) => ReadonlyArray<DueGroup>) => {
  const moments = new Map<string, number>()
  const momentOf = (zone: string | undefined): number => {
    const key = zone ?? ""
    let at = moments.get(key)
    if (at === undefined) {
      at = dueAt(zoneAmong(zone, timezone, defaultTimezone), local_time!, send_at, acceptedAt)
      moments.set(key, at)
    }
    return at
  }
  return (recipients, zones) => {
    const groups = new Map<number, Record<keyof AudiencePage["recipients"], Array<string>>>()
    for (const [provider, ids] of Object.entries(recipients) as ReadonlyArray<
      [keyof AudiencePage["recipients"], ReadonlyArray<string>]
    >) {
      for (const id of ids) {
        const at = momentOf(zones.get(id))
        let group = groups.get(at)
        if (group === undefined) groups.set(at, (group = { apns: [], fcm: [], webpush: [], smtp: [], inbox: [] }))
        group[provider].push(id)
      }
    }
    return [...groups].sort(([a], [b]) => a - b).map(([at, those]): DueGroup => ({ dueAt: at, recipients: those }))
  }
}
