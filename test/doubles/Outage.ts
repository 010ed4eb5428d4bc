import { Effect } from "effect"
import { StoreError } from "../../services/ports/StoreError.ts"

/**
 * A database that can be told to be down, and stores that stand on it fail as the real ones do; or to be frozen, and they
 * wait, and are carried out when it goes on.
 */
export class Outage {
  isDown = false
  /** Statements that wait. */
  waiting = 0
  readonly #thawed = new Set<() => void>()
  #isFrozen = false

  freeze(): void {
    this.#isFrozen = true
  }

  thaw(): void {
    this.#isFrozen = false
    for (const resume of this.#thawed) resume()
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

  /** Runs a store's work unless the database is down. */
  readonly run = <A>(operation: string, work: () => A): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => {
      if (this.isDown) return Effect.fail(new StoreError({ operation, cause: new Error("connection refused") }))
      return this.#isFrozen ? Effect.andThen(this.#melt, Effect.sync(work)) : Effect.sync(work)
    })
}

/** A page of rows that are in the order of their ids. */
export const pageOf = <A extends { readonly id: string }>(
  rows: ReadonlyArray<A>,
  after: string | null,
  limit: number
) => {
  const rest = after === null ? rows : rows.filter(({ id }) => id > after)
  const items = rest.slice(0, limit)
  return { items, next: rest.length > limit ? items[limit - 1]!.id : null }
}
