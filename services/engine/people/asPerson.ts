import { Effect } from "effect"
import type { Person } from "../../domain/people/Account.ts"
import { CurrentActor } from "../../ports/access/AuditLog.ts"

/** Has the logs say that this person did it. */
export const asPerson =
  ({ account }: Person) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, CurrentActor, { kind: "user", id: account.id })
