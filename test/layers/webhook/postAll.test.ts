import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Queue } from "effect"
import type { ServerResponse } from "node:http"
import type { WebhookAnswer, WebhookPost } from "../../../services/ports/webhooks/WebhookClient.ts"
import { lastingPort } from "../../Ports.ts"
import { HEADERS, make, noAnswer, ok, receiver, status } from "./Senders.ts"

/** A list of posts to be taken one by one, and what came of them, in the order of the answers. */
const posts = (urls: ReadonlyArray<string>, over: Partial<WebhookPost> = {}) => {
  const answers: Array<readonly [number, WebhookAnswer]> = []
  let taken = 0
  const next = (): WebhookPost | null => {
    const index = taken
    const url = urls[index]
    if (url === undefined) return null
    taken++
    return {
      url,
      headers: HEADERS,
      body: String(index),
      timeoutMs: 10_000,
      settle: (answer) => answers.push([index, answer]),
      ...over
    }
  }
  return { next, answers, taken: () => taken }
}

const times = <A>(count: number, of: A): Array<A> => Array.from({ length: count }, () => of)

describe("WebhookSender.postAll", () => {
  it.live("posts everything once, with as many under way as it may have, over as many connections", () =>
    Effect.gen(function* () {
      const bodies: Array<string> = []
      const waiting: Array<ServerResponse> = []
      const full = yield* Deferred.make<number>()
      const { port, connections } = yield* receiver((request, response) => {
        request
          .on("data", (chunk) => bodies.push(String(chunk)))
          .on("end", () => {
            waiting.push(response)
            // The first answer is given when no more can come: from then on, each at once.
            if (bodies.length === 5) Deferred.doneUnsafe(full, Effect.succeed(5))
            if (bodies.length > 5) for (const it of waiting.splice(0)) it.end("thanks")
          })
      })
      const sender = yield* (yield* make()).open(5)
      const { answers, next, taken } = posts(times(200, `http://127.0.0.1:${port}/`))
      const all = yield* Effect.forkChild(sender.postAll(next, 5))
      yield* Deferred.await(full)
      assert.strictEqual(taken(), 5)
      for (const it of waiting.splice(0)) it.end("thanks")
      yield* Fiber.join(all)
      assert.deepStrictEqual(
        bodies.toSorted((a, b) => Number(a) - Number(b)),
        times(200, "").map((_, index) => String(index))
      )
      assert.strictEqual(answers.length, 200)
      assert.isTrue(answers.every(([, answer]) => answer._tag === "Status" && answer.status === 200))
      assert.strictEqual(connections(), 5)
    })
  )

  it.live("is over at once when there is nothing to post", () =>
    Effect.gen(function* () {
      const sender = yield* (yield* make()).open(1)
      yield* sender.postAll(() => null, 4)
    })
  )

  it.live("checks an address before the first post to it, and goes on with the next after a bad one", () =>
    Effect.gen(function* () {
      const left = yield* receiver(ok)
      const right = yield* receiver((_, response) => response.writeHead(202).end())
      const { open, dns } = yield* make({ opened: "127.0.0.1/32", checkMs: 1000 })
      dns.records.set("inside.example.com", ["127.0.0.9"])
      const sender = yield* open(2)
      const { answers, next } = posts([
        `http://127.0.0.1:${left.port}/`,
        `http://127.0.0.9:${left.port}/`,
        `http://inside.example.com:${left.port}/`,
        `http://127.0.0.1:${right.port}/`,
        `http://127.0.0.1:${left.port}/`
      ])
      yield* sender.postAll(next, 1)
      const refused = noAnswer("the address is not allowed: it must be public")
      assert.deepStrictEqual(answers, [
        [0, status(200)],
        [1, refused],
        [2, refused],
        [3, status(202)],
        [4, status(200)]
      ])
    })
  )

  it.live("checks again for every post when no check counts for longer", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(ok)
      const { open, dns } = yield* make({ opened: "127.0.0.1/32", checkMs: 0 })
      dns.records.set("moving.example.com", ["127.0.0.1"])
      const sender = yield* open(1)
      const { answers, next } = posts(times(4, `http://moving.example.com:${port}/`), {})
      const turning = (): WebhookPost | null => {
        const it = next()
        return it === null
          ? null
          : {
              ...it,
              settle: (answer) => {
                it.settle(answer)
                if (answers.length === 2) dns.records.set("moving.example.com", ["127.0.0.3"])
              }
            }
      }
      yield* sender.postAll(turning, 1)
      const refused = noAnswer("the address is not allowed: it must be public")
      assert.deepStrictEqual(
        answers.map(([, answer]) => answer),
        [status(200), status(200), refused, refused]
      )
    })
  )

  it.live("does not pile up on the stack what fails at once", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(ok)
      const sender = yield* (yield* make()).open(4)
      const headers = [["x-a", "1\r\nx-b: 2"]] as const
      const { answers, next } = posts(times(20_000, `http://127.0.0.1:${port}/`), { headers })
      yield* sender.postAll(next, 4)
      assert.strictEqual(answers.length, 20_000)
      assert.deepStrictEqual(answers.at(-1), [19_999, noAnswer("the request is not valid")])
    })
  )

  it.live("answers each of more posts than connections when the receiver refuses them all, and lives on", () =>
    Effect.gen(function* () {
      const broken: Array<unknown> = []
      const note = (error: unknown) => broken.push(error)
      process.on("uncaughtException", note)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("uncaughtException", note)))
      const sender = yield* (yield* make()).open(2)
      const { answers, next } = posts(times(9, `http://127.0.0.1:${yield* lastingPort}/`))
      yield* Effect.timeoutOption(sender.postAll(next, 2), "20 seconds")
      assert.deepStrictEqual(broken, [])
      assert.deepStrictEqual(
        answers.map(([, answer]) => answer),
        times(9, noAnswer("connection refused"))
      )
    })
  )

  it.live("keeps to the deadline of each, also of those that wait for a connection", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(() => {})
      const sender = yield* (yield* make()).open(1)
      const { answers, next } = posts(times(3, `http://127.0.0.1:${port}/`), { timeoutMs: 150 })
      yield* sender.postAll(next, 3)
      assert.deepStrictEqual(
        answers.map(([, answer]) => answer),
        times(3, noAnswer("timeout"))
      )
    })
  )

  it.live("closes the connections under way when it is interrupted, and tells nobody", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<void>()
      const closed = yield* Queue.unbounded<void>()
      const { port } = yield* receiver((request) => {
        request.socket.once("close", () => Queue.offerUnsafe(closed, undefined))
        Queue.offerUnsafe(asked, undefined)
      })
      const sender = yield* (yield* make()).open(3)
      const { answers, next } = posts(times(9, `http://127.0.0.1:${port}/`))
      const fiber = yield* Effect.forkChild(sender.postAll(next, 3))
      yield* Queue.takeN(asked, 3)
      yield* Fiber.interrupt(fiber)
      yield* Queue.takeN(closed, 3)
      assert.deepStrictEqual(answers, [])
    })
  )

  it.live("breaks when who is told what came of a post breaks", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(ok)
      const sender = yield* (yield* make()).open(2)
      const { next } = posts(times(9, `http://127.0.0.1:${port}/`), {
        settle: () => {
          throw new Error("a defect")
        }
      })
      const exit = yield* Effect.exit(sender.postAll(next, 2))
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("a defect"))
    })
  )
})
