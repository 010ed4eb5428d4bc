import { Effect, Layer } from "effect"
import type { PermitClaim } from "../../../services/ports/access/RateLimitStore.ts"
import { RateLimitStore } from "../../../services/ports/access/RateLimitStore.ts"
import { Outage } from "../Outage.ts"

/** Counts in a map, by a clock of its own (epoch milliseconds). It has an outage of its own, too. */
export class RateTable {
  readonly outage = new Outage()
  readonly rows = new Map<string, { endsAt: number; used: number }>()
  /** What was asked for, a list for each statement. */
  readonly statements: Array<ReadonlyArray<PermitClaim>> = []
  now: () => number = () => Date.now()
  /** What a statement waits for before it counts. */
  beforeTake: Effect.Effect<void> = Effect.void

  take(claim: PermitClaim) {
    const { requests, windowMs } = claim.budget
    const endsAt = (Math.floor(this.now() / windowMs) + 1) * windowMs
    const row = this.rows.get(claim.key)
    const before = row?.endsAt === endsAt ? row.used : 0
    const granted = Math.min(claim.want, Math.max(0, requests - before))
    this.rows.set(claim.key, { endsAt, used: before + granted })
    return { granted, used: before + granted, endsAt: endsAt / 1000, endsInMs: endsAt - this.now() }
  }

  readonly layer: Layer.Layer<RateLimitStore> = Layer.succeed(RateLimitStore, {
    take: (claims) =>
      Effect.andThen(
        Effect.suspend(() => {
          this.statements.push(claims)
          return this.beforeTake
        }),
        this.outage.run("RateLimitStore.take", () => claims.map((claim) => this.take(claim)))
      )
  })
}
