/** Listeners by name. A mistake in one of them is reported as the page's own, and keeps nothing else from happening. */
export interface Emitter<Events> {
  readonly emit: <Name extends keyof Events>(name: Name, event: Events[Name]) => void
  /** Answers what takes the listener away. */
  readonly on: <Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void) => () => void
  readonly isHeard: (name: keyof Events) => boolean
}

export const emitter = <Events>(): Emitter<Events> => {
  let all: ReadonlyArray<readonly [keyof Events, (event: never) => void]> = []
  return {
    emit: (name, event) => {
      for (const [of, listener] of all) {
        try {
          if (of === name) listener(event as never)
        } catch (error) {
          reportError(error)
        }
      }
    },
    on: (name, listener) => {
      const one = [name, listener] as const
      all = [...all, one]
      return () => void (all = all.filter((other) => other !== one))
    },
    isHeard: (name) => all.some(([of]) => of === name)
  }
}
