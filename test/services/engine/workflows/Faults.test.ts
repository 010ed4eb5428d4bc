import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { byId, inParts } from "../../../../services/engine/workflows/Faults.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import type { Carry } from "../../../../services/ports/workflows/ExecutionStore.ts"

const lost = new StoreError({ operation: "ExecutionStore.ask", cause: new Error("Connection closed") })
const carry: Carry = () => Effect.die("nobody moves")

/** Whether a page that ends so is given up, with what the run is told; else it is left to a later try. */
const isGivenUp = (cause: Cause.Cause<StoreError>) =>
  Effect.map(Effect.exit(inParts(1, byId, carry, () => Effect.failCause(cause))), Exit.isSuccess)

it.effect("tries again later where the database was lost, whatever went wrong beside that", () =>
  Effect.gen(function* () {
    const rollback = Cause.die(new Error("it could not be rolled back"))
    const beside = [rollback, Cause.combine(Cause.fail(lost), rollback), Cause.combine(rollback, Cause.die(lost))]
    expect(yield* Effect.forEach([Cause.fail(lost), Cause.die(lost), ...beside], isGivenUp)).toEqual([
      false,
      false,
      true,
      false,
      false
    ])
  })
)
