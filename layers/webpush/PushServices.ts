import { Effect } from "effect"
import { RefusalRun } from "../../services/domain/sending/Push.ts"
import type { Settled } from "../../services/ports/sending/Provider.ts"
import type { VapidKeys } from "./Vapid.ts"
import { vapidFor, type Vapid } from "./Vapid.ts"

/**
 * What is remembered of push services and subscriptions between batches. Subscriptions come from clients, so nothing
 * that is said of one may stop another: a service's limits and refusals are its own, and reach the engine as outcomes of
 * single recipients. Everything here is bounded, and forgetting costs only a repeated answer.
 */
const SERVICES = 20_000
const SUSPECTS = 100_000
const HOUR = 3_600_000
/** Answers in a row, with no acceptance between them, that are the whole service's and not a subscription's. */
const THROTTLES_OF_A_SERVICE = 3
const REFUSALS_OF_A_SERVICE = 5
/**
 * Some services limit single subscriptions with the status that others limit everybody with, and several of those may be
 * one stranger's. So a service that is left alone is tried with one message so often.
 */
const PROBE_MS = 30_000
/**
 * A service that throttles again when its pause is over, and has accepted nothing in between, gets one of two seconds at
 * least, then of four, and so on up to this: whoever runs it may ask for the shortest one for days.
 */
const LONGEST_OWN_PAUSE_MS = 10 * 60_000
/** How often a service's refusals are worth an operator's time. */
const SAID_MS = HOUR
const REFUSED_PAUSE_MS = 15 * 60_000
/** A refused subscription is left alone for a while, and dropped when it still refuses days later. */
const SUSPENDED_MS = HOUR
const REFUSED_FOR_GOOD_MS = 3 * 24 * HOUR
const HTTP1_MS = 10 * 60_000

/** Push services of browsers: what they are called is no stranger's word. */
const OF_BROWSERS =
  /^https:\/\/(fcm\.googleapis\.com|web\.push\.apple\.com|([\w-]+\.)?push\.services\.mozilla\.com|([\w-]+\.)+notify\.windows\.com)$/

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
  /** In a row, with nothing accepted between them. */
  pauses: number
  /** While it is left alone: when it may be tried. */
  probeAt: number
  /** When its refusals were last worth saying. */
  saidAt: number
  readonly throttles: RefusalRun
  readonly refusals: RefusalRun
}

/** What a service may be asked. `Probe`: one message, and the others only if it takes that one. */
export type Permit =
  | { readonly _tag: "Open" | "Probe" }
  /** Milliseconds until it is worth asking again. */
  | { readonly _tag: "Paused"; readonly afterMs: number }

/** A subscription that refused the sender, and who that was: another credential is refused anew. */
interface Suspect {
  readonly owner: string
  readonly first: number
  last: number
}

export class PushServices {
  readonly #services = new Map<string, Service>()
  readonly #suspects = new Map<string, Suspect>()
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
          pauses: 0,
          probeAt: 0,
          saidAt: Number.NEGATIVE_INFINITY,
          throttles: new RefusalRun(THROTTLES_OF_A_SERVICE),
          refusals: new RefusalRun(REFUSALS_OF_A_SERVICE)
        },
        SERVICES
      )
    )
  }

  /** The Authorization header for a service: signed once, used for hours. Null when the keys are unusable. */
  authorization(owner: string, origin: string, keys: VapidKeys, now: number): Effect.Effect<string | null> {
    const service = this.#of(owner, origin)
    if (service.vapid !== undefined && now < service.vapid.renewAt) return Effect.succeed(service.vapid.header)
    return Effect.promise(() =>
      vapidFor(keys, origin, now).then(
        (vapid) => (service.vapid = vapid).header,
        () => null
      )
    )
  }

  accepted(owner: string, origin: string, deviceId: string): void {
    const service = this.#of(owner, origin)
    service.throttles.accepted()
    service.refusals.accepted()
    service.slowUntil = 0
    service.pauses = 0
    if (this.#suspects.size > 0) this.#suspects.delete(deviceId)
  }

  /** Whoever is told that it is a probe has it for himself. */
  permit(owner: string, origin: string, now: number): Permit {
    const service = this.#of(owner, origin)
    if (now >= service.slowUntil) return { _tag: "Open" }
    if (now < service.probeAt) return { _tag: "Paused", afterMs: Math.min(service.slowUntil, service.probeAt) - now }
    service.probeAt = now + PROBE_MS
    return { _tag: "Probe" }
  }

  throttled(owner: string, origin: string, afterMs: number, now: number): Settled {
    const service = this.#of(owner, origin)
    service.throttles.refused()
    if (service.throttles.blamesCredential) {
      if (now >= service.slowUntil) {
        service.probeAt = now + PROBE_MS
        service.pauses++
      }
      const ownMs = Math.min(LONGEST_OWN_PAUSE_MS, 1000 * 2 ** (service.pauses - 1))
      service.slowUntil = Math.max(service.slowUntil, now + Math.max(afterMs, ownMs))
    }
    return { _tag: "Slow", scope: "recipient", reason: "throttled", afterMs }
  }

  /** Notes that a service refused the sender. What it means is said by `judge`, once the batch is through. */
  refused(owner: string, origin: string): void {
    this.#of(owner, origin).refusals.refused()
  }

  /**
   * Whether a service has refused so often in a row that it may be the sender whom it refuses. It may be single
   * subscriptions as well, made for another's key and registered by a stranger: nobody waits for it but those refused.
   */
  #refuses(owner: string, origin: string, accepted: number): boolean {
    return accepted === 0 && this.#of(owner, origin).refusals.blamesCredential
  }

  /** Whether an operator is to hear of the refusals: those of a browser's service, once an hour. */
  isWorthSaying(owner: string, origin: string, accepted: number, now: number): boolean {
    if (!OF_BROWSERS.test(origin) || !this.#refuses(owner, origin, accepted)) return false
    const service = this.#of(owner, origin)
    if (now - service.saidAt < SAID_MS) return false
    service.saidAt = now
    return true
  }

  /** What a refusal means for a device, when `accepted` others of its batch were accepted by the same service. */
  judge(owner: string, origin: string, accepted: number, deviceId: string, now: number): Settled {
    if (this.#refuses(owner, origin, accepted)) {
      return { _tag: "Slow", scope: "recipient", reason: "service_refuses_sender", afterMs: REFUSED_PAUSE_MS }
    }
    const suspect =
      this.#suspectOf(owner, deviceId) ?? put(this.#suspects, deviceId, { owner, first: now, last: now }, SUSPECTS)
    suspect.last = now
    if (now - suspect.first < REFUSED_FOR_GOOD_MS) return { _tag: "Fail", reason: "subscription_refused" }
    this.#suspects.delete(deviceId)
    return { _tag: "Drop", reason: "subscription_refused", seenBefore: suspect.first }
  }

  /** Whether a subscription refused the sender so lately that asking again is pointless. */
  suspended(owner: string, deviceId: string, seenAt: number, now: number): boolean {
    if (this.#suspects.size === 0) return false
    const suspect = this.#suspectOf(owner, deviceId)
    if (suspect === undefined) return false
    // Registered again since: a new subscription under the old row.
    if (seenAt > suspect.last) {
      this.#suspects.delete(deviceId)
      return false
    }
    return now - suspect.last < SUSPENDED_MS
  }

  #suspectOf(owner: string, deviceId: string): Suspect | undefined {
    const suspect = this.#suspects.get(deviceId)
    return suspect?.owner === owner ? suspect : undefined
  }

  speaksHttp1(origin: string, now: number): void {
    put(this.#http1, origin, now, SERVICES)
  }

  isHttp1(origin: string, now: number): boolean {
    const at = this.#http1.get(origin)
    return at !== undefined && now - at < HTTP1_MS
  }
}
