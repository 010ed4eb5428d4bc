import type { Context } from "effect"
import { Effect, Layer } from "effect"
import { StoreError } from "../../services/ports/StoreError.ts"

/** A call of a store. */
export interface Call {
  /** The port's name and the method's: `DeviceStore.register`. */
  readonly operation: string
  readonly given: ReadonlyArray<unknown>
}

/**
 * A database that can be told to be down, so that its stores fail as they do then; or to be frozen, so that their calls
 * wait, and are carried out when it goes on. It stands before the real stores and knows nothing of what any of them does,
 * so there is nothing that could drift from them: every effect of a port is let through, held up or failed as a whole.
 */
export class Outage {
  isDown = false
  /** Calls that wait. */
  waiting = 0
  /** What was asked of the stores, in order. */
  readonly calls: Array<Call> = []
  /** Runs before each call, which begins when this has ended. */
  before: (operation: string) => Effect.Effect<void, StoreError> = () => Effect.void
  readonly #thawed = new Set<() => void>()
  #isFrozen = false

  freeze(): void {
    this.#isFrozen = true
  }

  thaw(): void {
    this.#isFrozen = false
    for (const resume of this.#thawed) resume()
  }

  /** How often a store was asked for something. */
  count(operation: string): number {
    return this.calls.filter((call) => call.operation === operation).length
  }

  /** A store that stands on this database. */
  readonly over = <I, S extends object, E, R>(
    port: Context.Key<I, S>,
    store: Layer.Layer<I, E, R>
  ): Layer.Layer<I, E, R> =>
    Layer.effect(
      port,
      Effect.map(port, (real) => this.#through(port, real))
    ).pipe(Layer.provide(store))

  #through<I, S extends object>({ key }: Context.Key<I, S>, real: S): S {
    const name = key.slice(key.lastIndexOf("/") + 1)
    return new Proxy(real, {
      get: (target, method, self) => {
        const operation = `${name}.${String(method)}`
        const value: unknown = Reflect.get(target, method, self)
        if (Effect.isEffect(value)) return this.#run({ operation, given: [] }, value)
        if (typeof value !== "function") return value
        return (...given: ReadonlyArray<unknown>) => {
          const answer: unknown = Reflect.apply(value, target, given)
          return Effect.isEffect(answer) ? this.#run({ operation, given }, answer) : answer
        }
      }
    })
  }

  #run<A, E, R>(call: Call, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> {
    return Effect.suspend(() => {
      this.calls.push(call)
      return Effect.andThen(
        this.before(call.operation),
        Effect.suspend((): Effect.Effect<A, E | StoreError, R> => {
          if (this.isDown) {
            return Effect.fail(new StoreError({ operation: call.operation, cause: new Error("connection refused") }))
          }
          return this.#isFrozen ? Effect.andThen(this.#melt, work) : work
        })
      )
    })
  }

  readonly #melt = Effect.callback<void>((resume) => {
    const go = () => {
      this.#thawed.delete(go)
      this.waiting--
      resume(Effect.void)
    }
    this.waiting++
    this.#thawed.add(go)
    return Effect.sync(() => {
      if (this.#thawed.delete(go)) this.waiting--
    })
  })
}
