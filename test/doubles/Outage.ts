import { Effect } from "effect"
import { StoreError } from "../../services/ports/StoreError.ts"

/** A database that can be told to be down: stores that stand on it fail as the real ones do. */
export class Outage {
  isDown = false

  /** Runs a store's work unless the database is down. */
  readonly run = <A>(operation: string, work: () => A): Effect.Effect<A, StoreError> =>
    Effect.suspend(() =>
      this.isDown
        ? Effect.fail(new StoreError({ operation, cause: new Error("connection refused") }))
        : Effect.sync(work)
    )
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
