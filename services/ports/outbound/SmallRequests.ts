import type { Effect } from "effect"
import { Context, Schema } from "effect"
import type { TlsFault } from "./ConnectionFaults.ts"
import type { OutboundRefused } from "./OutboundPolicy.ts"

/** There is no answer, or none that is taken: too late, too large, or in crumbs. The message is for operators. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  message: Schema.String,
  /** The same for customers: nothing of the address that was called, or of what a certificate holds. */
  reason: Schema.String,
  /** What is wrong with the peer's TLS, where that is known. */
  tlsFault: Schema.optionalKey(Schema.declare((value): value is TlsFault => typeof value === "string")),
  /** There is one, larger than is taken: it will be so the next time. */
  isTooLarge: Schema.optionalKey(Schema.Boolean)
}) {}

export interface SmallRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** From the name to the last byte of the answer. */
  readonly deadlineMs: number
  /** Of an address that the code names itself, and nobody else: it is called as it is. */
  readonly isOurs?: boolean
  /** Over http as well, where the URL says so. */
  readonly mayBePlain?: boolean
}

export interface SmallAnswer {
  readonly status: number
  /** By their names in lower case; of one that comes several times, all in a list. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/**
 * Requests whose answers are small and read whole: tokens, keys, who somebody is, what a step of a workflow asks. Over https, or http where that is allowed, under the outbound rules:
 * addresses are checked and pinned, redirects are not followed, an answer is bounded in bytes (64 KB) and chunks, and
 * everything together in time.
 */
export class SmallRequests extends Context.Service<
  SmallRequests,
  {
    readonly send: (request: SmallRequest) => Effect.Effect<SmallAnswer, OutboundRefused | NoAnswer>
  }
>()("heliograph/ports/SmallRequests") {}
