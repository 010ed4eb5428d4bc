import { Effect } from "effect"

/**
 * An actor's mailbox when every message says the same: "look again". Signals that arrive while nobody waits count as
 * one. `isSet` and `signal` are synchronous, so that an actor can decide to stop without losing a wake-up.
 */
export interface Signal {
  readonly signal: () => void
  readonly isSet: () => boolean
  /** Waits for a signal and takes it. One waiter at a time. */
  readonly wait: Effect.Effect<void>
}

export const make = (): Signal => {
  let isSet = false
  let waiter: (() => void) | null = null
  return {
    signal: () => {
      if (waiter === null) {
        isSet = true
        return
      }
      const resume = waiter
      waiter = null
      resume()
    },
    isSet: () => isSet,
    wait: Effect.callback<void>((resume) => {
      if (isSet) {
        isSet = false
        resume(Effect.void)
        return undefined
      }
      const mine = () => resume(Effect.void)
      waiter = mine
      return Effect.sync(() => {
        if (waiter === mine) waiter = null
      })
    })
  }
}
