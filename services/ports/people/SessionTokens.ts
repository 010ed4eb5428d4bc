import { Context } from "effect"
import type { AccountId, SessionId } from "../../domain/Ids.ts"

/** What a session's token says. It proves who made it; whether the session goes on, only the database knows. */
export interface SessionClaims {
  readonly sessionId: SessionId
  readonly accountId: AccountId
  readonly epoch: number
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** JSON Web Tokens of sessions: HS256 under a key that follows from the master key, and no other algorithm. */
export class SessionTokens extends Context.Service<
  SessionTokens,
  {
    readonly sign: (claims: SessionClaims) => string
    /** Null for whatever was not made here, or is past its time; there is no tolerance. */
    readonly verify: (token: string) => SessionClaims | null
  }
>()("heliograph/ports/SessionTokens") {}
