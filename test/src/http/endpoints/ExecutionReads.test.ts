import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { Workflows } from "../../../../services/engine/workflows/Workflows.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { executionRoutes } from "../../../../src/http/endpoints/Executions.ts"

it.effect("Few executions are read at once, as each may be large, and one application leaves room to others.", () => {
  const end = Deferred.makeUnsafe<void>()
  const begun: Array<string> = []
  const find = (appId: string) =>
    Effect.suspend(() => {
      begun.push(appId)
      return Effect.as(Deferred.await(end), Option.none())
    })
  const layers = Layer.merge(Layer.mock(ExecutionStore, { find }), Layer.mock(Workflows, {}))
  return Effect.gen(function* () {
    const routes = yield* executionRoutes
    const { handler } = routes.find(({ method, path }) => method === "GET" && path === "/api/v1/executions/:id")!
    const read = (appId: string) =>
      Effect.forkChild(Effect.exit(handler({ caller: { appId }, params: { id: "x" } } as never)), {
        startImmediately: true
      })
    const greedy = yield* Effect.forEach(Array.from({ length: 20 }), () => read("a"))
    const other = yield* read("b")
    expect(begun).toEqual(["a", "a", "a", "a", "b"])
    yield* Deferred.succeed(end, undefined)
    yield* Effect.forEach([...greedy, other], Fiber.join)
    expect(begun).toHaveLength(21)
  }).pipe(Effect.provide(layers))
})
