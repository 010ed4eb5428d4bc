import type { Clock } from "effect"

/**
 * Milliseconds, fractions included, of a clock that nobody sets: for how long things take and how long to wait. The
 * service's clock is the database's, which may be set back: what waits until a moment of it would wait that much longer.
 */
export const elapsedBy = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
