import { Context, Effect } from "effect"

/**
 * For how many answers of the template engine, and turns at reading long requests, some work waits at this moment: given
 * by whoever ends work that takes too long, and wants to say that it was not the database that did not answer.
 */
export interface Waited {
  templates: number
  turns: number
}

export const OtherWaits = Context.Reference<Waited | null>("heliograph/ports/OtherWaits", { defaultValue: () => null })

/** Notes for the time of an effect what is waited for. */
export const waitingFor =
  (what: keyof Waited) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(OtherWaits, (waited) => {
      if (waited === null) return effect
      waited[what]++
      return Effect.ensuring(
        effect,
        Effect.sync(() => waited[what]--)
      )
    })
