import { dueAt, firstOfDay, zoneAmong } from "../domain/LocalTime.ts"
import type { KeptRequest } from "../domain/Notification.ts"
import { isDay } from "../domain/Time.ts"
import type { AudiencePage } from "../ports/AudienceStore.ts"
import type { EngineSettings } from "../ports/EngineSettings.ts"

/*
 * When a notification is planned, due and expired: the rules that Accept and the planner share.
 */

/** How long a message with `ttl: 0` (now or never) may be under way inside the engine. */
const NOW_OR_NEVER_MS = 30_000

/** How long a message is worth sending, from the moment it is due. */
export const ttlOf = ({ ttl }: KeptRequest, { defaultTtlMs }: EngineSettings["Service"]): number =>
  ttl === undefined ? defaultTtlMs : ttl * 1000 || NOW_OR_NEVER_MS

/**
 * When the audience is read (epoch ms); null: at once. For a local time, that is before the first clock shows it, and
 * the notification counts as scheduled.
 */
export const planAt = ({ local_time, send_at }: KeptRequest, now: number): number | null => {
  if (local_time === undefined) return send_at === undefined ? null : Date.parse(send_at)
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
