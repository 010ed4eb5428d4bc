import type { Effect, Scope } from "effect"
import { Context } from "effect"
import type { AccountId } from "../../domain/Ids.ts"

/**
 * Tells every process at once that sessions have ended, or that roles have changed, whoever did it. It may be lost: the
 * store has what is true.
 */
export class SessionNotices extends Context.Service<
  SessionNotices,
  {
    /**
     * Hears whose they are until the scope closes, and waits out outages. `hear` is called with null whenever notices may
     * have been missed: at the start, and after each outage.
     */
    readonly listen: (
      hear: (accounts: ReadonlyArray<AccountId> | null) => void
    ) => Effect.Effect<void, never, Scope.Scope>
  }
>()("heliograph/ports/SessionNotices") {}
