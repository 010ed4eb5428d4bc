import type { Scope } from "effect"
import { Clock, Effect, Layer, MutableHashMap, RcMap } from "effect"
import type { Http2Pool } from "../../services/ports/outbound/Http2Client.ts"
import { OutboundPolicy, OutboundRefused } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { PoolsOfProvider, PushPoolsOptions } from "../../services/ports/outbound/PushPools.ts"
import { PushPools } from "../../services/ports/outbound/PushPools.ts"

/** How long a host's checked address is taken for granted before it is resolved and checked again. */
const RECHECK_MS = 60_000
const IDLE = "5 minutes"

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

const makePools = Effect.fnUntraced(function* (policy: OutboundPolicy["Service"], options: PushPoolsOptions) {
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
  } satisfies PoolsOfProvider
})

export const layer: Layer.Layer<PushPools, never, OutboundPolicy> = Layer.effect(
  PushPools,
  Effect.map(OutboundPolicy, (policy) => ({ make: (options) => makePools(policy, options) }))
)
