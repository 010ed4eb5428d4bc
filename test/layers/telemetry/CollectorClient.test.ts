import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { bounded } from "../../../layers/telemetry/CollectorClient.ts"

const post = (client: HttpClient.HttpClient) =>
  client.execute(HttpClientRequest.post("http://collector.example/v1/traces"))

const clientOf = (answer: Effect.Effect<Response>) =>
  bounded(HttpClient.make((request) => Effect.map(answer, (response) => HttpClientResponse.fromWeb(request, response))))

const isDefect = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && Cause.hasDies(exit.cause)

it.effect("gives a request up that has no answer after ten seconds, or none that ends", () =>
  Effect.gen(function* () {
    const endless = Effect.sync(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })))
    for (const answer of [Effect.never, endless]) {
      const asking = yield* Effect.forkChild(Effect.exit(post(clientOf(answer))))
      yield* TestClock.adjust("9900 millis")
      expect(asking.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("100 millis")
      expect(isDefect(yield* Fiber.join(asking))).toBe(true)
    }
  })
)

it.effect("has sixteen requests under way, and gives up what comes then, until one has ended", () =>
  Effect.gen(function* () {
    let asked = 0
    const client = clientOf(Effect.suspend(() => (++asked > 16 ? Effect.succeed(new Response("{}")) : Effect.never)))
    const waiting = yield* Effect.forEach(Array.from({ length: 16 }), () => Effect.forkChild(post(client)))
    yield* Effect.yieldNow
    expect(isDefect(yield* Effect.exit(post(client)))).toBe(true)
    expect(asked).toBe(16)
    yield* Fiber.interrupt(waiting[0]!)
    expect((yield* post(client)).status).toBe(200)
    expect((yield* post(client)).status).toBe(200)
  })
)
