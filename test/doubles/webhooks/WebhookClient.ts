import { Effect, Layer } from "effect"
import type { WebhookAnswer, WebhookSender } from "../../../services/ports/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../../services/ports/webhooks/WebhookClient.ts"
import { postAllBy } from "./postAll.ts"

/**
 * Receivers that answer what a test says, and remember what they were sent. They stand for servers of others: what they
 * answer is the test's own word, and how it is asked for is tested with real sockets (test/layers/webhook).
 */
export class Receivers {
  answer: WebhookAnswer = { _tag: "Status", status: 204 }
  readonly posts: Array<{
    readonly url: string
    readonly headers: ReadonlyMap<string, string>
    readonly body: string
  }> = []

  readonly #post: WebhookSender["post"] = (url, headers, body) =>
    Effect.sync(() => {
      this.posts.push({ url, headers: new Map(headers), body })
      return this.answer
    })

  readonly layer: Layer.Layer<WebhookClient> = Layer.succeed(WebhookClient, {
    open: () => Effect.succeed({ post: this.#post, postAll: postAllBy(this.#post) })
  })
}
