import { Duration, Effect, Option } from "effect"

/**
 * Waits for work under way, at most for a while, and tells of the beginning and the end: `underWay` counts what is left.
 * Nothing is told where there was nothing to wait for.
 */
export const draining = <E>(
  what: "batches" | "webhooks" | "fetches",
  underWay: () => number,
  drain: Effect.Effect<void, E>,
  drainMs: number
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const before = underWay()
    if (before > 0) yield* Effect.logInfo(`The stop waits for ${what} under way`).pipe(annotated({ [what]: before }))
    const [duration, end] = yield* Effect.timed(Effect.timeoutOption(drain, drainMs))
    if (before === 0) return
    const told = annotated({ [what]: before, left: underWay(), ms: Math.round(Duration.toMillis(duration)) })
    yield* Option.isSome(end)
      ? Effect.logInfo(`The ${what} under way are finished`).pipe(told)
      : Effect.logWarning(`The stop waits no longer for ${what}; what is left is taken over by lease`).pipe(told)
  })

const annotated =
  (fields: Readonly<Record<string, number>>) =>
  <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.annotateLogs(effect, fields)
