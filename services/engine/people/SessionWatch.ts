import { Context, Effect, Layer, Scope } from "effect"
import type { AccountId } from "../../domain/Ids.ts"
import { SessionNotices } from "../../ports/people/SessionNotices.ts"

/**
 * For whoever answers people for longer than a request: tells when one should ask `Sessions` again. A notice may be lost,
 * so one asks from time to time as well.
 */
export class SessionWatch extends Context.Service<
  SessionWatch,
  {
    /** Calls `changed` when sessions or roles of the account have, or may have, changed, until the scope closes. */
    readonly watch: (account: AccountId, changed: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("heliograph/engine/SessionWatch") {
  static readonly layer: Layer.Layer<SessionWatch, never, SessionNotices> = Layer.effect(
    SessionWatch,
    Effect.gen(function* () {
      const notices = yield* SessionNotices
      const scope = yield* Effect.scope
      const watchers = new Map<AccountId, Set<() => void>>()
      const hear = (accounts: ReadonlyArray<AccountId> | null) => {
        for (const account of accounts ?? watchers.keys()) {
          for (const changed of watchers.get(account) ?? []) changed()
        }
      }
      let isListening = false
      /** From the first watcher on. */
      const listen = Effect.suspend(() => {
        if (isListening) return Effect.void
        isListening = true
        return Effect.provideService(notices.listen(hear), Scope.Scope, scope)
      })

      const watch: SessionWatch["Service"]["watch"] = (account, changed) =>
        Effect.andThen(
          Effect.acquireRelease(
            Effect.sync(() => {
              const those = watchers.get(account) ?? new Set()
              watchers.set(account, those.add(changed))
            }),
            () =>
              Effect.sync(() => {
                const those = watchers.get(account)
                those?.delete(changed)
                if (those?.size === 0) watchers.delete(account)
              })
          ),
          listen
        )
      return SessionWatch.of({ watch })
    })
  )
}
