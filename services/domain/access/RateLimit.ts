/**
 * Rate limits. Requests are counted in fixed windows by the database's clock: a window begins when the epoch's seconds
 * are a multiple of its length, so that all nodes mean the same one, and the moment at which it ends is a whole second.
 */
export interface Budget {
  /** In one window, over all nodes. */
  readonly requests: number
  readonly windowMs: number
}

/**
 * - `secret`: an application's secret keys together.
 * - `public`: an application's public keys from one address; `devices`: the same for registrations of devices, which
 *   have this budget of their own; `public_total`: all public keys of an application from anywhere.
 * - `session`: a person's sessions together.
 * - `anonymous`: an address that shows no good key.
 * - `links`: an address that follows the signed links of mail: pixels, clicks, unsubscribing.
 * - `preflight`: browsers of an address that ask whether they may call the public surface; they cannot show a key.
 */
export const RATE_CLASSES = [
  "secret",
  "public",
  "devices",
  "public_total",
  "session",
  "anonymous",
  "links",
  "preflight"
] as const
export type RateClass = (typeof RATE_CLASSES)[number]

export type RateLimits = Readonly<Record<RateClass, Budget>>

/** What is counted together: everything that has the same key. */
export interface Bucket {
  readonly key: string
  readonly class: RateClass
  readonly budget: Budget
}
