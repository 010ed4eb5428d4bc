import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { storeError } from "../../../../layers/postgres/server/storeError.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"

it.effect("says of an operation that another one is part of that the database refuses its contents", () =>
  Effect.gen(function* () {
    const refused = new StoreError({ operation: "inner", cause: new Error("22P05"), refused: true })
    const away = new StoreError({ operation: "inner", cause: new Error("away") })
    const outer = (error: StoreError) => Effect.flip(storeError("outer")(Effect.fail(error)))
    expect(yield* outer(refused)).toMatchObject({ operation: "outer", refused: true })
    expect((yield* outer(away)).refused).toBeUndefined()
  })
)
