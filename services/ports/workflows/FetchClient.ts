import type { Effect } from "effect"
import { Context } from "effect"
import type { Fetched } from "../../domain/workflows/Fetched.ts"

/** Longest time (ms) that a server is given before it is asked again. */
export const LONGEST_WAIT_MS = 3_600_000

/** What a FETCH step sends. */
export interface FetchRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string | null
}

/** An answer as it came, which takes up to twenty times as much memory once it is read. */
export interface Unread {
  readonly _tag: "Unread"
  /** Of its text, in characters. */
  readonly size: number
  readonly read: () => Fetched
}

/** Asks servers that customers name, under the outbound rules, with one deadline and a bound on what is read. */
export class FetchClient extends Context.Service<
  FetchClient,
  {
    /** Fails never: what went wrong is an answer, too. */
    readonly fetch: (request: FetchRequest) => Effect.Effect<Fetched | Unread>
  }
>()("heliograph/ports/FetchClient") {}
