import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AccountId, OrganizationId, SessionId } from "../../domain/Ids.ts"
import type { Account, SessionInfo } from "../../domain/people/Account.ts"
import type { Role } from "../../domain/people/Role.ts"
import type { StoreError } from "../StoreError.ts"

/** A session that goes on, as a request finds it. */
export interface LiveSession {
  readonly account: Account
  readonly epoch: number
  readonly roles: ReadonlyMap<OrganizationId, Role>
}

/** Sessions of people. Nothing of them is remembered by a node: what ended one has ended on all. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** The session, unless it has ended, is past its time or of another epoch, or its account is disabled. */
    readonly find: (id: SessionId) => Effect.Effect<Option.Option<LiveSession>, StoreError>
    /** These were used just now. */
    readonly touch: (ids: ReadonlyArray<SessionId>) => Effect.Effect<void, StoreError>
    /** Newest first. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<SessionInfo>, StoreError>
    /** False when the account has no such session, or no longer. */
    readonly end: (account: AccountId, id: SessionId) => Effect.Effect<boolean, StoreError>
    /** Ends all sessions of the account, those included that begin at this moment. Answers how many there were. */
    readonly endAll: (account: AccountId) => Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/SessionStore") {}
