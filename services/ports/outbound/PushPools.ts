import type { Effect, Scope } from "effect"
import { Context } from "effect"
import type { Http2Origin, Http2Pool } from "./Http2Client.ts"
import type { OutboundRefused } from "./OutboundPolicy.ts"

/** How a pool to a push provider is kept, where the provider asks for nothing else. */
export const PUSH_POOL = {
  connections: 8,
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  pingAfterMs: 15_000,
  idleMs: 5 * 60_000,
  lifeMs: 60 * 60_000,
  maxBody: 16_384
}

/**
 * Connection pools by owner and origin, under the outbound rules: what every push provider needs. A pool belongs to one
 * credential version (its owner), opens with the first batch that asks for it and closes when none did for a while.
 */
export interface PoolsOfProvider {
  /**
   * Runs `f` with the pool. `url` is an origin, `https://host[:port]`. Unless it is one of the provider's own, its
   * address is checked under the outbound rules, pinned, and checked again from time to time.
   */
  readonly use: <A, E, R>(
    owner: string,
    url: string,
    f: (pool: Http2Pool) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | OutboundRefused, R>
  /** The address did not answer: the next batch resolves the name again and gets a fresh pool. */
  readonly forget: (owner: string, url: string) => Effect.Effect<void>
}

export interface PushPoolsOptions {
  readonly open: (origin: Http2Origin) => Effect.Effect<Http2Pool, never, Scope.Scope>
  /** Origins that the provider itself publishes. */
  readonly trusted: ReadonlySet<string>
  /** Pools at once, idle ones included. */
  readonly capacity: number
}

export class PushPools extends Context.Service<
  PushPools,
  {
    /** The pools of one provider. They close with the scope. */
    readonly make: (options: PushPoolsOptions) => Effect.Effect<PoolsOfProvider, never, Scope.Scope>
  }
>()("heliograph/ports/PushPools") {}
