import { assert, describe, it } from "@effect/vitest"
import { Deadlines } from "../../../layers/webhook/Deadlines.ts"
import { Post } from "../../../layers/webhook/Post.ts"
import { AddressPool } from "../../../layers/webhook/AddressPool.ts"
import type { WebhookAnswer } from "../../../services/ports/webhooks/WebhookClient.ts"

describe("Route", () => {
  it("is destroyed while it is retired and still connects: the post fails, and nothing is left to be refused", async () => {
    const refusals: Array<unknown> = []
    const onRefusal = (reason: unknown) => refusals.push(reason)
    process.on("unhandledRejection", onRefusal)
    const closed: Array<AddressPool> = []
    const answers: Array<WebhookAnswer> = []
    const pool = new AddressPool(
      "http://127.0.0.1:9",
      "127.0.0.1",
      () => {},
      1,
      (it) => closed.push(it)
    )
    const deadlines = new Deadlines()
    const post = new Post(performance.now() + 60_000, deadlines, null, (answer) => answers.push(answer))
    pool.send({ path: "/", method: "POST", headers: [], body: "{}" }, post)
    pool.retire()
    await pool.destroy()
    // Refusals are told after all microtasks of the turn in which they came.
    await new Promise((resolve) => setImmediate(resolve))
    process.off("unhandledRejection", onRefusal)
    assert.strictEqual(answers.length, 1)
    assert.deepStrictEqual(closed, [pool])
    assert.deepStrictEqual(refusals, [])
  })
})
