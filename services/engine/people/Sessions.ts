import { Context, Effect, Layer, Option } from "effect"
import type { SessionId } from "../../domain/Ids.ts"
import type { Person, SessionInfo } from "../../domain/people/Account.ts"
import { NotThere } from "../../ports/people/OrganizationStore.ts"
import { SessionStore } from "../../ports/people/SessionStore.ts"
import { SessionTokens } from "../../ports/people/SessionTokens.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { Unauthorized } from "../access/Auth.ts"
import { asPerson } from "./asPerson.ts"

/** How often it is written down which sessions are in use. */
const USE_EVERY = "1 minute"

/** Who is signed in. Nothing is remembered: what ended a session on one node has ended it on all, with the next request. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Who holds this token, with the roles that they have at this moment. A token that was not made here costs no query.
     * Whoever holds on to a stream runs it again from time to time.
     */
    readonly authenticate: (token: string) => Effect.Effect<Person, Unauthorized | StoreError>
    /** Ends the session that the person came with. */
    readonly logout: (person: Person) => Effect.Effect<void, StoreError>
    readonly signOutEverywhere: (person: Person) => Effect.Effect<void, StoreError>
    /** Newest first. */
    readonly list: (person: Person) => Effect.Effect<ReadonlyArray<SessionInfo>, StoreError>
    /** Ends one of the person's own sessions. */
    readonly end: (person: Person, id: SessionId) => Effect.Effect<void, NotThere | StoreError>
  }
>()("heliograph/engine/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, SessionStore | SessionTokens> = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* SessionStore
      const tokens = yield* SessionTokens

      let used = new Set<SessionId>()
      const writeUse = Effect.suspend(() => {
        const ids = [...used]
        used = new Set()
        // When a session was used is worth no retry: the next minute tells.
        return ids.length === 0 ? Effect.void : Effect.ignore(store.touch(ids))
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(USE_EVERY), writeUse)))
      yield* Effect.addFinalizer(() => writeUse)

      const authenticate: Sessions["Service"]["authenticate"] = Effect.fnUntraced(function* (token) {
        const claims = tokens.verify(token)
        if (claims === null) {
          return yield* new Unauthorized({ message: "This session token is not valid, or too old. Sign in again." })
        }
        const found = Option.getOrNull(yield* store.find(claims.sessionId))
        if (found === null || found.account.id !== claims.accountId || found.epoch !== claims.epoch) {
          return yield* new Unauthorized({ message: "This session has ended. Sign in again." })
        }
        used.add(claims.sessionId)
        return { account: found.account, sessionId: claims.sessionId, roles: found.roles }
      })

      const logout: Sessions["Service"]["logout"] = (person) =>
        Effect.asVoid(asPerson(person)(store.end(person.account.id, person.sessionId)))

      const signOutEverywhere: Sessions["Service"]["signOutEverywhere"] = (person) =>
        Effect.asVoid(asPerson(person)(store.endAll(person.account.id)))

      const list: Sessions["Service"]["list"] = ({ account }) => store.list(account.id)

      const end: Sessions["Service"]["end"] = (person, id) =>
        Effect.flatMap(asPerson(person)(store.end(person.account.id, id)), (isEnded) =>
          isEnded ? Effect.void : Effect.fail(new NotThere({ what: "session" }))
        )

      return Sessions.of({ authenticate, logout, signOutEverywhere, list, end })
    })
  )
}
