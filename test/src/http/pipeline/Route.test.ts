import { Effect, Schema } from "effect"
import { expect, it } from "vitest"
import { CanWait } from "../../../../services/ports/operations/CanWait.ts"
import type { Call } from "../../../../src/http/pipeline/Route.ts"
import { route } from "../../../../src/http/pipeline/Route.ts"

const said = (
  method: "GET" | "POST",
  access: "secret" | "people" | "public",
  more: { readonly canWait?: boolean } = {}
) => {
  const { handler } = route({
    method,
    path: "/api/v1/things",
    access,
    tag: "Things",
    summary: "Things",
    ...more,
    success: {
      status: 200,
      description: "Things.",
      schema: Schema.Struct({ waits: Schema.Boolean }),
      example: { waits: true }
    },
    handler: () => Effect.map(CanWait, (waits) => ({ waits }))
  })
  return Effect.runPromise(handler({ person: null, caller: null } as unknown as Call))
}

it("What reads for a key or a person waits for more urgent work, and what says so; messages and browsers do not.", async () => {
  expect(await said("GET", "secret")).toEqual({ waits: true })
  expect(await said("GET", "people")).toEqual({ waits: true })
  expect(await said("GET", "secret", { canWait: false })).toEqual({ waits: false })
  expect(await said("GET", "public")).toEqual({ waits: false })
  expect(await said("POST", "secret")).toEqual({ waits: false })
  expect(await said("POST", "secret", { canWait: true })).toEqual({ waits: true })
})
