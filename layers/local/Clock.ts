import { Clock, Effect, Layer } from "effect"
import { now, precisely } from "../../services/ports/Now.ts"

/** To the microsecond: a number that holds an epoch holds no more of it. */
const nanos = (): bigint => BigInt(Math.round(precisely() * 1000)) * 1000n

/** Effect's `Clock` tells the service's time. Waiting and measuring how long something takes are as before. */
export const layer: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (machine): Clock.Clock => ({
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: machine.monotonicTimeNanos,
    sleep: (duration) => machine.sleep(duration)
  }))
)
