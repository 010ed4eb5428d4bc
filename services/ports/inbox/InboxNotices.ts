import type { Effect, Scope } from "effect"
import { Context } from "effect"
import type { AppId } from "../../domain/Ids.ts"

/** Inboxes of an application that may have changed, by the keys of their users; other users may share a key. */
export interface InboxNotice {
  readonly appId: AppId
  readonly keys: ReadonlyArray<string>
}

/** Tells every process at once that inboxes have changed, whoever changed them. A wake-up: the store has what changed. */
export class InboxNotices extends Context.Service<
  InboxNotices,
  {
    readonly keyOf: (userId: string) => string
    /**
     * Hears notices until the scope closes, over one connection, and waits out outages. `hear` is called with null
     * whenever notices may have been missed: at the start, and after each outage.
     */
    readonly listen: (hear: (notice: InboxNotice | null) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("heliograph/ports/InboxNotices") {}
