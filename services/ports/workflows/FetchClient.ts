import type { Effect } from "effect"
import { Context } from "effect"
import type { Fetched } from "../../domain/workflows/Interpreter.ts"

/** What a FETCH step sends. */
export interface FetchRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string | null
}

/** Asks servers that customers name, under the outbound rules, with one deadline and a bound on what is read. */
export class FetchClient extends Context.Service<
  FetchClient,
  {
    /** Fails never: what went wrong is an answer, too. */
    readonly fetch: (request: FetchRequest) => Effect.Effect<Fetched>
  }
>()("heliograph/ports/FetchClient") {}
