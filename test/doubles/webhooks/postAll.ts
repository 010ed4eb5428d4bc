import { Effect } from "effect"
import type { WebhookSender } from "../../../services/ports/webhooks/WebhookClient.ts"

/** Others get their turn after so many posts that are answered at once: with sockets they have one all the time. */
const TURN = 100

/**
 * `postAll` of a sender that has only `post`: the port's sentence about `next` as a loop, without connections, in which
 * alone the real one could differ.
 */
export const postAllBy =
  (post: WebhookSender["post"]): WebhookSender["postAll"] =>
  (next, atOnce) => {
    let posted = 0
    const worker = Effect.gen(function* () {
      for (let it = next(); it !== null; it = next()) {
        it.settle(yield* post(it.url, it.headers, it.body, it.timeoutMs))
        if (++posted % TURN === 0) yield* Effect.yieldNow
      }
    })
    return Effect.all(
      Array.from({ length: atOnce }, () => worker),
      { concurrency: "unbounded", discard: true }
    )
  }
