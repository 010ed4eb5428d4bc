import { Effect, Layer } from "effect"
import type { PermitClaim } from "../../../services/ports/access/RateLimitStore.ts"
import { RateLimitStore } from "../../../services/ports/access/RateLimitStore.ts"
import { Outage } from "../Outage.ts"

const AHEAD_MS = 10_000

/**
 * Counts in a map, by a clock of its own (epoch milliseconds), for tests of the limiter that ask it ten thousand times and
 * say between which two steps of a fiber the answer comes. The contract of test/layers/RateLimitStore.contract.ts runs
 * against it as against the real one.
 */
export class RateTable {
  readonly outage = new Outage()
  readonly rows = new Map<string, { endsAt: number; used: number }>()
  now: () => number = () => Date.now()
  /** How long its other statements have been silent. */
  silentForMs: () => number = () => Infinity

  /** What was asked for, a list for each statement. */
  get statements(): ReadonlyArray<ReadonlyArray<PermitClaim>> {
    return this.outage.calls.map(({ given }) => given[0] as ReadonlyArray<PermitClaim>)
  }

  #take({ budget: { requests, windowMs }, key, want }: PermitClaim) {
    const row = this.rows.get(key)
    const isAhead = row !== undefined && row.endsAt > this.now() + windowMs + AHEAD_MS
    // Who is late counts in the window that has begun.
    const endsAt = Math.max((Math.floor(this.now() / windowMs) + 1) * windowMs, isAhead ? 0 : (row?.endsAt ?? 0))
    const before = row?.endsAt === endsAt ? row.used : 0
    const granted = Math.min(want, Math.max(0, requests - before))
    this.rows.set(key, { endsAt, used: before + granted })
    return { granted, used: before + granted, endsAt: endsAt / 1000, endsInMs: endsAt - this.now() }
  }

  readonly layer: Layer.Layer<RateLimitStore> = this.outage.over(
    RateLimitStore,
    Layer.succeed(RateLimitStore, {
      take: (claims) => Effect.sync(() => claims.map((claim) => this.#take(claim))),
      silentForMs: () => this.silentForMs()
    })
  )
}
