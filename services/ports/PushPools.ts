import type { Scope } from "effect"
import { Clock, Effect, MutableHashMap, RcMap } from "effect"
import type { Http2Failure, Http2Origin, Http2Pool } from "./Http2Client.ts"
import { OutboundPolicy, OutboundRefused } from "./OutboundPolicy.ts"
import type { Outcome } from "./Provider.ts"

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

/** No answer came. It may have been delivered, unless the failure says that it was not processed. Nobody is dropped for it. */
export const outcomeOfFailure = ({ reason }: Http2Failure, afterMs: number | null = null): Outcome => ({
  _tag: "Retry",
  reason: reason === "timeout" ? "timeout" : `connection_${reason}`,
  afterMs
})

/** The address may not be called, which is as `refused` says, or cannot be looked up at the moment. */
export const outcomeOfRefusal = ({ transient }: OutboundRefused, refused: Outcome): Outcome =>
  transient ? { _tag: "Retry", reason: "endpoint_unresolved", afterMs: null } : refused

/** How long a host's checked address is taken for granted before it is resolved and checked again. */
const RECHECK_MS = 60_000
const IDLE = "5 minutes"

/**
 * Connection pools by owner and origin, under the outbound rules: what every push provider needs. A pool belongs to one
 * credential version (its owner), opens with the first batch that asks for it and closes when none did for a while.
 */
export interface PushPools {
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

interface Entry {
  readonly pool: Http2Pool
  readonly address: string | null
  checkedAt: number
}

const keyOf = (owner: string, url: string): string => `${owner} ${url}`
const urlOf = (key: string): string => key.slice(key.indexOf(" ") + 1)

/** Frees a place by closing the pool that has been idle for longest. False when all are in use. */
const evictIdle = (map: RcMap.RcMap<string, Entry, OutboundRefused>): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    if (map.state._tag === "Closed") return Effect.succeed(false)
    let oldest: string | undefined
    let least = Number.POSITIVE_INFINITY
    MutableHashMap.forEach(map.state.map, (entry, key) => {
      if (entry.refCount === 0 && entry.expiresAt < least) {
        least = entry.expiresAt
        oldest = key
      }
    })
    return oldest === undefined ? Effect.succeed(false) : Effect.as(RcMap.invalidate(map, oldest), true)
  })

export const makePushPools: (
  options: PushPoolsOptions
) => Effect.Effect<PushPools, never, OutboundPolicy | Scope.Scope> = Effect.fnUntraced(function* (options) {
  const policy = yield* OutboundPolicy

  const open = Effect.fnUntraced(function* (key: string) {
    const url = urlOf(key)
    const now = yield* Clock.currentTimeMillis
    if (options.trusted.has(url)) {
      const { hostname, port } = new URL(url)
      const origin = { host: hostname, port: port === "" ? 443 : Number(port) }
      return { pool: yield* options.open(origin), address: null, checkedAt: now }
    }
    const checked = yield* policy.check(url, ["https:"])
    const origin = {
      host: checked.url.hostname,
      port: checked.port,
      address: checked.address,
      allows: policy.allows
    }
    return { pool: yield* options.open(origin), address: checked.address, checkedAt: now }
  })
  const map: RcMap.RcMap<string, Entry, OutboundRefused> = yield* RcMap.make({
    lookup: open as (key: string) => Effect.Effect<Entry, OutboundRefused, Scope.Scope>,
    idleTimeToLive: IDLE
  })

  const get = Effect.fnUntraced(function* (key: string) {
    // RcMap refuses what exceeds a capacity; here the longest idle makes room instead.
    if (!(yield* RcMap.has(map, key))) {
      const size = map.state._tag === "Open" ? MutableHashMap.size(map.state.map) : 0
      if (size >= options.capacity && !(yield* evictIdle(map))) {
        return yield* new OutboundRefused({ message: "too many push services are in use at once", transient: true })
      }
    }
    // A failed check must not be kept for as long as an idle pool.
    return yield* RcMap.get(map, key).pipe(Effect.tapError(() => RcMap.invalidate(map, key)))
  })

  const acquire = Effect.fnUntraced(function* (key: string) {
    const entry = yield* get(key)
    const now = yield* Clock.currentTimeMillis
    if (entry.address === null || now - entry.checkedAt < RECHECK_MS) return entry.pool
    entry.checkedAt = now
    const fresh = yield* Effect.result(policy.check(urlOf(key), ["https:"]))
    // DNS that does not answer says nothing about an address that was good a minute ago.
    if (fresh._tag === "Failure" ? fresh.failure.transient : fresh.success.addresses.includes(entry.address)) {
      return entry.pool
    }
    yield* RcMap.invalidate(map, key)
    return (yield* get(key)).pool
  })

  return {
    use: (owner, url, f) => Effect.scoped(Effect.flatMap(acquire(keyOf(owner, url)), f)) as never,
    forget: (owner, url) => RcMap.invalidate(map, keyOf(owner, url))
  }
})
