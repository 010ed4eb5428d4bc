import { RefusalRun } from "../../services/domain/Push.ts"
import type { Outcome } from "../../services/ports/Provider.ts"
import type { VapidKeys } from "./Vapid.ts"
import { vapidFor, type Vapid } from "./Vapid.ts"

/**
 * What is remembered of push services and subscriptions between batches. Endpoints come from clients, so nothing that
 * one service says may stop another: a service's limits and refusals are its own, and reach the engine as outcomes of
 * single recipients. Everything here is bounded, and forgetting costs only a repeated answer.
 */
const SERVICES = 20_000
const SUSPECTS = 100_000
const HOUR = 3_600_000
/** Answers in a row, with no acceptance between them, that are the whole service's and not a subscription's. */
const THROTTLES_OF_A_SERVICE = 3
const REFUSALS_OF_A_SERVICE = 5
/** A credential that some service took within this time is not what another refuses for good. */
const GOOD_FOR_MS = HOUR
const REFUSED_PAUSE_MS = 15 * 60_000
/** A refused subscription is left alone for a while, and dropped when it still refuses days later. */
const SUSPENDED_MS = HOUR
const REFUSED_FOR_GOOD_MS = 3 * 24 * HOUR
const HTTP1_MS = 10 * 60_000

/** Keeps the newest entries. */
const put = <V>(map: Map<string, V>, key: string, value: V, limit: number): V => {
  if (map.size >= limit) {
    for (const oldest of map.keys()) {
      map.delete(oldest)
      break
    }
  }
  map.set(key, value)
  return value
}

/** One push service as one credential version knows it. */
interface Service {
  vapid: Vapid | undefined
  slowUntil: number
  readonly throttles: RefusalRun
  readonly refusals: RefusalRun
}

export class PushServices {
  readonly #services = new Map<string, Service>()
  /** When any service last took a message, by owner. */
  readonly #acceptedAt = new Map<string, number>()
  readonly #suspects = new Map<string, { readonly first: number; last: number }>()
  readonly #http1 = new Map<string, number>()

  #of(owner: string, origin: string): Service {
    const key = `${owner} ${origin}`
    return (
      this.#services.get(key) ??
      put(
        this.#services,
        key,
        {
          vapid: undefined,
          slowUntil: 0,
          throttles: new RefusalRun(THROTTLES_OF_A_SERVICE),
          refusals: new RefusalRun(REFUSALS_OF_A_SERVICE)
        },
        SERVICES
      )
    )
  }

  /** The Authorization header for a service: signed once, used for hours. Throws when the keys are unusable. */
  authorization(owner: string, origin: string, keys: VapidKeys, now: number): string {
    const service = this.#of(owner, origin)
    if (service.vapid === undefined || now >= service.vapid.renewAt) service.vapid = vapidFor(keys, origin, now)
    return service.vapid.header
  }

  accepted(owner: string, origin: string, deviceId: string, now: number): void {
    const service = this.#of(owner, origin)
    service.throttles.accepted()
    service.refusals.accepted()
    if (this.#acceptedAt.get(owner) !== now) put(this.#acceptedAt, owner, now, SERVICES)
    if (this.#suspects.size > 0) this.#suspects.delete(deviceId)
  }

  /** Milliseconds that the service asked to be left alone for; 0 when it takes messages. */
  pause(owner: string, origin: string, now: number): number {
    return Math.max(0, this.#of(owner, origin).slowUntil - now)
  }

  throttled(owner: string, origin: string, afterMs: number, now: number): Outcome {
    const service = this.#of(owner, origin)
    service.throttles.refused()
    if (service.throttles.blamesCredential) service.slowUntil = Math.max(service.slowUntil, now + afterMs)
    return { _tag: "Slow", scope: "recipient", reason: "throttled", afterMs }
  }

  /** Notes that a service refused the sender. What it means is said by `judge`, once the batch is through. */
  refused(owner: string, origin: string): void {
    this.#of(owner, origin).refusals.refused()
  }

  /** What a refusal means for a device, when `accepted` others of its batch were accepted by the same service. */
  judge(owner: string, origin: string, accepted: number, what: string, deviceId: string, now: number): Outcome {
    if (accepted === 0 && this.#of(owner, origin).refusals.blamesCredential) {
      const good = this.#acceptedAt.get(owner)
      return good !== undefined && now - good < GOOD_FOR_MS
        ? { _tag: "Slow", scope: "recipient", reason: "service_refuses_sender", afterMs: REFUSED_PAUSE_MS }
        : { _tag: "Hold", reason: `${origin} refuses the VAPID key (${what})` }
    }
    const suspect = this.#suspects.get(deviceId) ?? put(this.#suspects, deviceId, { first: now, last: now }, SUSPECTS)
    suspect.last = now
    if (now - suspect.first < REFUSED_FOR_GOOD_MS) return { _tag: "Fail", reason: "subscription_refused" }
    this.#suspects.delete(deviceId)
    return { _tag: "Drop", reason: "subscription_refused", seenBefore: suspect.first }
  }

  /** Whether a subscription refused the sender so lately that asking again is pointless. */
  suspended(deviceId: string, seenAt: number, now: number): boolean {
    if (this.#suspects.size === 0) return false
    const suspect = this.#suspects.get(deviceId)
    if (suspect === undefined) return false
    // Registered again since: a new subscription under the old row.
    if (seenAt > suspect.last) {
      this.#suspects.delete(deviceId)
      return false
    }
    return now - suspect.last < SUSPENDED_MS
  }

  speaksHttp1(origin: string, now: number): void {
    put(this.#http1, origin, now, SERVICES)
  }

  isHttp1(origin: string, now: number): boolean {
    const at = this.#http1.get(origin)
    return at !== undefined && now - at < HTTP1_MS
  }
}
