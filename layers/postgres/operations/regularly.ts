import type { Duration } from "effect"
import { Effect, Random, Schedule } from "effect"
import type { Scope } from "effect"

/** The first look after a start comes within this time: nodes that start together do not look together. */
const FIRST_MS = 30_000

/**
 * Looks for what is too old, until the scope closes: soon after the start, because a node may be replaced more often
 * than it would look, and then about every `every`. Nodes that started together drift apart. A look that failed is
 * repeated a minute later, for the same reason.
 */
export const regularly = <R>(
  look: Effect.Effect<unknown, unknown, R>,
  every: Duration.Input
): Effect.Effect<void, never, R | Scope.Scope> =>
  Random.nextBetween(0, FIRST_MS).pipe(
    Effect.flatMap(Effect.sleep),
    Effect.andThen(
      Effect.repeat(
        Effect.retry(Effect.catchDefect(look, Effect.fail), Schedule.spaced("1 minute")),
        Schedule.jittered(Schedule.spaced(every))
      )
    ),
    Effect.forkScoped,
    Effect.asVoid
  )
