import type { Effect, Scope } from "effect"
import { Context } from "effect"

export type WebhookAnswer =
  /** The receiver answered; its body was not read. */
  | { readonly _tag: "Status"; readonly status: number }
  /** No answer: a short reason such as `timeout` or `connection refused`, which names no resolved address. */
  | { readonly _tag: "NoAnswer"; readonly reason: string }

/** One POST of many: see `WebhookSender.postAll`. */
export interface WebhookPost {
  readonly url: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
  readonly timeoutMs: number
  /** Told once what came of it, unless all are interrupted before. */
  readonly settle: (answer: WebhookAnswer) => void
}

/** A webhook's own connections: never shared with another webhook. */
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
  /**
   * Many POSTs by the same rules, at most `atOnce` under way: one fiber for all of them, because an effect for each costs
   * a good part of what the post itself does. `next` is asked whenever there is room, at first and after each answer; null
   * when there is nothing to post now. It is over when nothing is under way and there is nothing to post.
   */
  readonly postAll: (next: () => WebhookPost | null, atOnce: number) => Effect.Effect<void>
}

export class WebhookClient extends Context.Service<
  WebhookClient,
  {
    /** Opens a sender with at most `connections` connections; they close with the scope. */
    readonly open: (connections: number) => Effect.Effect<WebhookSender, never, Scope.Scope>
  }
>()("heliograph/ports/WebhookClient") {}
