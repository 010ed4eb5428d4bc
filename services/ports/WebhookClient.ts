import type { Effect, Scope } from "effect"
import { Context } from "effect"

export type WebhookAnswer =
  /** The receiver answered; its body was not read. */
  | { readonly _tag: "Status"; readonly status: number }
  /** No answer: a short reason such as `timeout` or `connection refused`, which names no resolved address. */
  | { readonly _tag: "NoAnswer"; readonly reason: string }

/** A hook's own connections: never shared with another hook. */
export interface WebhookSender {
  /**
   * One POST. Resolves and checks the address under the outbound rules, pins it, follows no redirect, reads no body;
   * one deadline covers everything.
   */
  readonly post: (
    url: string,
    headers: ReadonlyArray<readonly [name: string, value: string]>,
    body: string,
    timeoutMs: number
  ) => Effect.Effect<WebhookAnswer>
}

export class WebhookClient extends Context.Service<
  WebhookClient,
  {
    /** Opens a sender with at most `connections` connections; they close with the scope. */
    readonly open: (connections: number) => Effect.Effect<WebhookSender, never, Scope.Scope>
  }
>()("heliograph/ports/WebhookClient") {}
