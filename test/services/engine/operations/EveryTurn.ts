import { Effect, Layer } from "effect"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"

/** A process that is alone: every turn is its own. */
export const everyTurn = Layer.mock(LeaseHolder, {
  id: () => null,
  presentSince: () => -Infinity,
  turn: (_, spanMs) => Effect.sleep(spanMs)
})
